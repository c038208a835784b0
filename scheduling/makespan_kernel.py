"""Smallest makespan on related machines: bounds, a first schedule, a search for a schedule within a bound; compiled.

Model: ``n`` jobs of integer work, longest first, and machines with an integer time ``q_m`` per unit of work; a
makespan is ``max load_m * q_m``. Asking for a makespan of at most ``T`` gives machine ``m`` a capacity ``T // q_m``,
so the question is whether the jobs can be packed into capacities. Only multiples of some ``q_m`` can be a makespan.

``lower_bound`` is the smallest such ``T`` that counting does not rule out: how many of the ``j`` longest jobs the
machines take. ``pack`` searches depth first, longest job first, machines in their order. It leaves out machines alike
in speed and load, lets jobs of equal work take machines in order, and gives up a branch when the capacity that can no
longer be filled exceeds the slack; what can be filled is read from a table of the sums that the shortest jobs can form.
``improve`` asks for ever smaller makespans in one such search.

No checks; :attr:`.makespan.Instance.fits` says what must fit into int64.

>>> import numpy as np
>>> from consortium.support.jit import plain
>>> _, _, upper, lower, machine, _ = plain(begin)(np.array([3, 3, 2, 2, 2], object), np.array([1, 1], object), 6, 99)
>>> upper, lower, machine.tolist()
(6, 6, [0, 0, 1, 1, 1])
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ..support.jit import Ints, jit, least, overwrite

PACKED: Final = 1
NONE: Final = 0
STOPPED: Final = -1
TABLE: Final = 4_000_000
"""Most cells of the table of fillings."""
SMALL: Final = 10
"""Jobs up to which trying them all is quicker than tables and fillings."""


class Jobs(NamedTuple):
    """The instance: work (n,), longest first, and time per unit of work of each machine (machines,).

    ``table`` is that of :func:`fillings` for the largest capacity, or has shape (1, 1) to do without.
    """

    work: Ints
    per_work: Ints
    table: Ints


class Cursor(NamedTuple):
    """Where a search stands, overwritten as it goes.

    Jobs before ``at[0]`` are placed on their ``machine`` (n,), job ``at[0]`` was last tried on its machine (-1: nowhere
    yet), and ``at[1]`` placements are left to try; ``at[0]`` is -1 when nothing is left.
    """

    machine: Ints
    at: Ints


@jit
def next_makespan(per_work: Ints, at_least: int) -> int:
    """Smallest multiple of some ``q_m`` that is not below ``at_least``."""
    best = -1
    for q in per_work:
        value = (at_least + q - 1) // q * q
        if best < 0 or value < best:
            best = value
    return best


@jit
def raised(work: Ints, per_work: Ints, t: int) -> int:
    """``t`` when counting jobs does not rule out a schedule by ``t``, else a larger safe bound.

    ``work`` is sorted, longest first. Of the ``j`` longest jobs a machine takes at most as many as fit with the
    shortest of them; when the machines together take fewer than ``j``, nothing changes until one more fits somewhere.
    """
    n, machines = work.size, per_work.size
    if n > 0 and t < work[0] * least(per_work):
        return work[0] * least(per_work)  # type: ignore[no-any-return]
    for j in range(1, min(n, 200) + 1):
        room, following = 0, -1
        for m in range(machines):
            capacity, load, i = t // per_work[m], 0, j - 1
            while i >= 0 and load + work[i] <= capacity:  # the shortest of the j longest, as many as fit
                load += work[i]
                i -= 1
                room += 1
            if i >= 0 and (following < 0 or (load + work[i]) * per_work[m] < following):
                following = (load + work[i]) * per_work[m]
        if room < j:
            return following
    return t


@jit
def lower_bound(work: Ints, per_work: Ints, start: int) -> int:
    """Smallest possible makespan value from ``start`` on that counting does not rule out."""
    t, before = start, start - 1
    while t > before:
        before = t
        t = raised(work, per_work, next_makespan(per_work, t))
    return t


@jit
def longest_first(work: Ints, per_work: Ints, machine: Ints) -> int:
    """Each job to the machine on which it ends first, ties to the smallest index; fills ``machine``."""
    load = np.zeros(per_work.size, dtype=work.dtype)
    last = 0
    for j in range(work.size):
        best = 0
        for m in range(1, per_work.size):
            if (load[m] + work[j]) * per_work[m] < (load[best] + work[j]) * per_work[best]:
                best = m
        machine[j] = best
        load[best] += work[j]
        last = max(last, load[best] * per_work[best])
    return last


@jit
def fillings(work: Ints, largest: int) -> Ints:
    """``table[j, r]``: largest sum of jobs among ``j..n-1`` that does not exceed ``r``; shape (n + 1, largest + 1)."""
    n = work.size
    table = np.zeros((n + 1, largest + 1), dtype=np.int64)
    for j in range(n - 1, -1, -1):
        w = work[j]
        for r in range(largest + 1):
            table[j, r] = table[j + 1, r]
            if r >= w and table[j + 1, r - w] + w > table[j, r]:
                table[j, r] = table[j + 1, r - w] + w
    return table


@jit
def pack(jobs: Jobs, t: int, cursor: Cursor) -> int:
    """Go on searching for a schedule that ends by ``t``: FOUND (in the cursor), NONE, or STOPPED for want of nodes."""
    work, per_work, table = jobs
    machine, at = cursor
    n, machines = work.size, per_work.size
    left = np.empty(machines, dtype=work.dtype)
    slack = 0
    for m in range(machines):
        left[m] = t // per_work[m]
        slack += left[m]
    for j in range(n):
        slack -= work[j]
        if machine[j] >= 0 and j <= at[0]:
            left[machine[j]] -= work[j]
    if slack < 0:
        return NONE
    depth, with_table = at[0], table.shape[0] > 1
    while depth < n and at[1] > 0:
        w, start = work[depth], 0
        if depth > 0 and work[depth - 1] == w:
            start = machine[depth - 1]
        m = machine[depth]
        if m >= 0:
            left[m] += w
        m = max(m + 1, start)
        while m < machines:
            if left[m] >= w and not alike_before(per_work, left, start, m):
                left[m] -= w
                if waste(left, work, depth, table, with_table) <= slack:
                    break
                left[m] += w
            m += 1
        at[1] -= 1
        if m < machines:
            machine[depth] = m
            depth += 1
            if depth < n:
                machine[depth] = -1
        else:
            machine[depth] = -1
            depth -= 1
            if depth < 0:
                return NONE
    at[0] = depth
    return PACKED if depth == n else STOPPED


@jit
def alike_before(per_work: Ints, left: Ints, start: int, m: int) -> bool:
    """Whether a machine from ``start`` on, before ``m``, has its speed and what it has left."""
    for k in range(start, m):  # noqa: SIM110 - numba compiles no generator expressions
        if per_work[k] == per_work[m] and left[k] == left[m]:
            return True
    return False


@jit
def waste(left: Ints, work: Ints, depth: int, table: Ints, with_table: bool) -> int:
    """Capacity that the jobs after ``depth`` can certainly not fill."""
    total, n = 0, work.size
    if with_table:
        for r in left:
            total += r - table[depth + 1, r]
    elif depth + 1 < n:
        for r in left:
            if r < work[n - 1]:
                total += r
    return total


@jit
def improve(jobs: Jobs, lower: int, upper: int, best: Ints, cursor: Cursor) -> int:
    """Go on searching for schedules better than ``upper``: the best makespan now known, its machines in ``best``.

    Branches given up for a larger bound stay given up for a smaller one, so
    the search goes on where it found a schedule. It is over, and the answer proved, when ``at[0]`` is -1 or the answer
    is ``lower``.
    """
    work, per_work, _ = jobs
    trial, at = cursor
    while upper > lower and at[0] >= 0:
        load = np.zeros(per_work.size, dtype=work.dtype)
        for j in range(min(at[0] + 1, work.size)):  # back to the first job that is too much for the bound
            if trial[j] >= 0:
                load[trial[j]] += work[j]
                if load[trial[j]] * per_work[trial[j]] >= upper:
                    at[0] = j
                    break
        answer = pack(jobs, upper - 1, cursor)
        if answer == NONE:
            at[0] = -1
        if answer != PACKED:
            break
        overwrite(best, trial)
        load[:] = 0
        upper = 0
        for j in range(work.size):
            load[trial[j]] += work[j]
            upper = max(upper, load[trial[j]] * per_work[trial[j]])
    return upper


@jit
def start_search(cursor: Cursor, nodes: int) -> None:
    """Begin a search from the start."""
    cursor.machine[:] = -1
    cursor.at[0] = 0
    cursor.at[1] = nodes


@jit
def begin(work: Ints, per_work: Ints, start: int, nodes: int) -> tuple[int, int, int, int, Ints, Cursor]:
    """Makespan of longest first, counting's bound, the best of either now known, its machines, and a search to begin.

    ``start`` is the bound by all work. Unless ``nodes`` is 0, up to three short searches at the bound find a schedule
    there, or raise it.
    """
    n = work.size
    best, cursor = np.empty(n, dtype=np.int64), Cursor(np.full(n, -1, dtype=np.int64), np.zeros(2, dtype=np.int64))
    first = upper = longest_first(work, per_work, best)
    counted = lower = lower_bound(work, per_work, start)
    jobs = Jobs(work, per_work, np.zeros((1, 1), dtype=np.int64))
    for _ in range(3):
        if lower < upper and nodes > 0:
            start_search(cursor, 50 * n)
            answer = pack(jobs, lower, cursor)
            if answer == PACKED:
                overwrite(best, cursor.machine)
                upper = lower
            elif answer == NONE:
                lower = min(upper, lower_bound(work, per_work, lower + 1))
            else:
                break
    start_search(cursor, nodes)
    return first, counted, upper, lower, best, cursor


@jit
def search(work: Ints, per_work: Ints, lower: int, upper: int, best: Ints, cursor: Cursor) -> int:
    """:func:`improve`, with a table of fillings where it is affordable and the jobs are more than a few."""
    n, table = work.size, np.zeros((1, 1), dtype=np.int64)
    largest = upper // least(per_work)
    if n > SMALL and largest < TABLE // (n + 1):  # a product might outgrow int64
        table = fillings(work, largest)
    return improve(Jobs(work, per_work, table), lower, upper, best, cursor)
