"""Truth against lie, without running through the lengths that cannot matter.

In one situation the truth and a lie share all true lengths but not the plan: the agent may sit on another machine. Her
cost after the truth depends on the lengths of those who share her machine then, her cost after the lie on those
who share her machine now. The largest gain over all lengths of the others is therefore found from the two tables alone:
for each combination of lengths of the agents in *both* companies, take the largest cost of the truth over the rest of
the first company and the smallest cost of the lie over the rest of the second. Lengths of everybody else multiply the
number of cases and change nothing. (A gain grows with the cost of the truth and falls with the cost of the lie, the
conventions for infinite costs included, so the extremes of the two may be taken separately.)
"""

from __future__ import annotations

from typing import Any

from numba import njit
from numba.extending import register_jitable


@register_jitable
def _shared(focus: int, p: int, q: int, place: Any, digit: Any, count: Any, strides: Any) -> int:
    """Number of combinations of lengths of those on the agent's machine in both plans; their strides in scratch."""
    size = 1
    for n in range(place.shape[1]):
        strides[n] = 0
        if n != focus and place[p, n] == place[p, focus] and place[q, n] == place[q, focus]:
            strides[n] = size
            size *= count[n, digit[p, n]]
    return size


@register_jitable
def _extremes(
    sign: int,
    focus: int,
    fixed: int,
    p: int,
    table: Any,
    place: Any,
    order: Any,
    digit: Any,
    count: Any,
    offset: Any,
    cells: Any,
    strides: Any,
    odometer: Any,
    found: Any,
) -> None:
    """Largest (sign 1) or smallest (sign -1, negated) cost per combination of shared lengths, own length fixed."""
    jobs = order[p, place[p, focus]]
    n_jobs = 0
    while n_jobs < jobs.size and jobs[n_jobs] >= 0:
        odometer[n_jobs] = 0
        n_jobs += 1
    inner = 1  # cells between two of her lengths: all combinations of those behind her
    i = n_jobs - 1
    while jobs[i] != focus:
        inner *= count[jobs[i], digit[p, jobs[i]]]
        i -= 1
    skip = inner * (count[focus, digit[p, focus]] - 1)
    cell = offset[table[p]] + inner * fixed
    done = 0
    where = 0
    running = True
    while running:
        found[where] = max(found[where], sign * cells[cell])
        cell += 1
        done += 1
        if done == inner:
            done = 0
            cell += skip
        running = False
        i = n_jobs - 1
        while i >= 0 and not running:
            n = jobs[i]
            if n != focus:
                odometer[i] += 1
                where += strides[n]
                running = odometer[i] < count[n, digit[p, n]]
                if not running:
                    where -= strides[n] * odometer[i]
                    odometer[i] = 0
            i -= 1


@register_jitable
def _largest(size: int, worst: Any, best: Any, change: Any, infinity: Any) -> Any:
    """Largest gain; ``worst`` costs of the truth, ``best`` negated costs of the lie, for each shared combination."""
    top = -infinity
    for k in range(size):
        if worst[k] == infinity:
            gain = infinity if -best[k] < infinity else 0 * infinity
        elif -best[k] == infinity:
            gain = -infinity
        else:
            gain = worst[k] + best[k] + change
        top = max(top, gain)
    return top


@njit(nogil=True, cache=True)
def best_gains(
    first: int,
    last: int,
    focus: int,
    bases: Any,
    stride: int,
    truths: Any,
    lies: Any,
    infinity: Any,
    table: Any,
    place: Any,
    order: Any,
    digit: Any,
    count: Any,
    offset: Any,
    cells: Any,
    paid: Any,
    strides: Any,
    odometer: Any,
    worst: Any,
    best: Any,
    gains: Any,
) -> None:
    """Largest gain of agent ``focus`` in groups ``first .. last - 1``; ``-infinity`` where every lie loses the job.

    bases: (groups,) profile in which her declaration is number 0; adding ``stride`` moves to her next declaration.
    truths: (lengths,) number of the declaration that is the truth. lies: (lengths, declarations) place of the length
    among the lengths behind a declaration, or -1 where she cannot declare that. table: (profiles,) number of each
    profile's table. paid: (profiles, agents) what is added to the table's cost. strides, odometer: scratch per agent;
    worst, best: scratch per combination of shared lengths. gains: (groups,) the answer. Other arrays as in
    :mod:`.machine`.
    """
    for group in range(first, last):
        top = -infinity
        for own in range(truths.size):
            p = bases[group] + stride * truths[own]
            for told in range(lies.shape[1]):
                if lies[own, told] < 0 or told == truths[own]:
                    continue
                q = bases[group] + stride * told
                size = _shared(focus, p, q, place, digit, count, strides)
                for k in range(size):
                    worst[k] = -infinity
                    best[k] = -infinity
                _extremes(
                    1, focus, lies[own, truths[own]], p,
                    table, place, order, digit, count, offset, cells, strides, odometer, worst,
                )  # fmt: skip
                _extremes(
                    -1, focus, lies[own, told], q,
                    table, place, order, digit, count, offset, cells, strides, odometer, best,
                )  # fmt: skip
                top = max(top, _largest(size, worst, best, paid[p, focus] - paid[q, focus], infinity))
        gains[group] = top
