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

from typing import Any, NamedTuple

import numpy as np

from ....support.jit import compiled, piece
from .machine import Runs, company_size


class Costs(NamedTuple):
    """An agent's tables."""

    table: Any
    """``table[p]``: number of the profile's table."""
    count: Any
    """``count[n, d]``: how many lengths are behind declaration ``d`` of agent ``n``."""
    offset: Any
    cells: Any
    """Table ``t`` is ``cells[offset[t] : offset[t + 1]]``, the length of the last job of the machine fastest."""
    paid: Any
    """``paid[p, n]``: what is added to the table's cost."""


class Choices(NamedTuple):
    """What an agent may say."""

    focus: int
    """The agent."""
    bases: Any
    """One profile per group, in which her declaration is number 0."""
    stride: int
    """Adding this to a profile moves to her next declaration."""
    truths: Any
    """``truths[x]``: number of the declaration that is the truth for her length ``x``."""
    lies: Any
    """``lies[x, d]``: place of the length among those behind a declaration, -1 where she cannot declare that."""


@piece
def _shared(focus: int, p: int, q: int, place: Any, digit: Any, count: Any, strides: Any) -> int:
    """Number of combinations of lengths of those on the agent's machine in both plans; their strides in scratch."""
    size = 1
    for n in range(place.shape[1]):
        strides[n] = 0
        if n != focus and place[p, n] == place[p, focus] and place[q, n] == place[q, focus]:
            strides[n] = size
            size *= count[n, digit[p, n]]
    return size


@piece
def _extremes(sign: int, focus: int, fixed: int, p: int, runs: Runs, costs: Costs, strides: Any, found: Any) -> None:
    """Largest (sign 1) or smallest (sign -1, negated) cost per combination of shared lengths, own length fixed."""
    place, order, digit, count, cells = runs.place, runs.order, runs.digit, costs.count, costs.cells
    jobs = order[p, place[p, focus]]
    n_jobs = company_size(jobs)
    odometer = np.zeros(n_jobs, np.int64)
    inner = 1  # cells between two of her lengths: all combinations of those behind her
    i = n_jobs - 1
    while jobs[i] != focus:
        inner *= count[jobs[i], digit[p, jobs[i]]]
        i -= 1
    skip = inner * (count[focus, digit[p, focus]] - 1)
    cell = costs.offset[costs.table[p]] + inner * fixed
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


@piece
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


@compiled
def best_gains(first: int, last: int, choices: Choices, runs: Runs, costs: Costs, gains: Any) -> None:
    """Largest gain of the agent in groups ``first .. last - 1``; ``-infinity`` where every lie loses the job.

    ``gains``: the answer, one per group.
    """
    focus, bases, stride, truths, lies = choices
    place, digit, infinity, count, paid = runs.place, runs.digit, runs.infinity, costs.count, costs.paid
    largest = 0
    for table in range(costs.offset.size - 1):
        largest = max(largest, costs.offset[table + 1] - costs.offset[table])
    worst, best = np.zeros(largest, costs.cells.dtype), np.zeros(largest, costs.cells.dtype)
    strides = np.zeros(place.shape[1], np.int64)
    for group in range(first, last):
        top = -infinity
        for own in range(truths.size):
            p = bases[group] + stride * truths[own]
            for told in range(lies.shape[1]):
                if lies[own, told] < 0 or told == truths[own]:
                    continue
                q = bases[group] + stride * told
                size = _shared(focus, p, q, place, digit, count, strides)
                worst[:size] = -infinity
                best[:size] = -infinity
                _extremes(1, focus, lies[own, truths[own]], p, runs, costs, strides, worst)
                _extremes(-1, focus, lies[own, told], q, runs, costs, strides, best)
                top = max(top, _largest(size, worst, best, paid[p, focus] - paid[q, focus], infinity))
        gains[group] = top
