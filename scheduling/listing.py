"""List scheduling: take the jobs in a given order, each to the machine that is free first.

Model: machine ``m`` is free from its ready time ``r_m`` on (0 unless given); the next job of the list goes to the
machine with the smallest ready time, ties to the smallest index, and starts there at once. Machines are identical: the
result is Graham's list schedule.

Orders (:func:`job_order`): ``"listed"`` (as given), ``"lpt"`` (longest first, ties by index), ``"spt"`` (shortest
first, ties by index), or an explicit sequence of job numbers. Jobs and machines count from 0.

Without ready times the last job ends at most ``2 - 1/M`` times the optimum after 0 (any order), ``4/3 - 1/(3M)`` times
for ``lpt``; ``spt`` minimises the sum of the ending times.

>>> lengths = [1, 3, 2, 2]
>>> job_order(lengths, "lpt"), place_in_order([3, 2, 2, 1], [0, 0])
((1, 2, 3, 0), [(0, 0, 3), (1, 0, 2), (1, 2, 4), (0, 3, 4)])

References
----------
R. L. Graham, "Bounds on multiprocessing timing anomalies", SIAM Journal on Applied Mathematics 17, 1969.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias, TypeVar

from ..support.errors import InputError, unknown_name
from ..support.exact import Rational

ListName: TypeAlias = Literal["listed", "lpt", "spt"]
Order: TypeAlias = ListName | Sequence[int]
Exact = TypeVar("Exact", int, Fraction)


def job_order(lengths: Sequence[Rational], order: Order = "listed", where: str = "order") -> tuple[int, ...]:
    """Job numbers in the order in which a list schedule takes them.

    Raises UnknownNameError for an unknown name and InputError for a sequence that is not a permutation; ``where`` names
    the order in messages.

    >>> job_order([2, 3, 3], "lpt"), job_order([2, 3, 3], "spt"), job_order([2, 3, 3], [2, 0, 1])
    ((1, 2, 0), (0, 1, 2), (2, 0, 1))
    """
    jobs = range(len(lengths))
    if isinstance(order, str):
        if order == "listed":
            return tuple(jobs)
        if order == "lpt":
            return tuple(sorted(jobs, key=lambda j: -lengths[j]))  # stable: ties keep the index order
        if order == "spt":
            return tuple(sorted(jobs, key=lambda j: lengths[j]))
        raise unknown_name(where, order, ("listed", "lpt", "spt"))
    if sorted(order) != list(jobs):
        raise InputError(f"{where}: found {list(order)[:12]}; expected every number from 0 to {len(jobs) - 1} once")
    return tuple(order)


def place_in_order(lengths: Sequence[Exact], ready: Sequence[Exact]) -> list[tuple[int, Exact, Exact]]:
    """Machine, start and end of each job, taken as they stand: what all list schedules of the house are made of.

    ``ready`` is when each machine is first free; lengths are times. No checks.

    >>> place_in_order([3, 2, 2], [0, 0])
    [(0, 0, 3), (1, 0, 2), (1, 2, 4)]
    """
    free = [(time, m) for m, time in enumerate(ready)]
    heapq.heapify(free)
    placed = []
    for length in lengths:
        start, m = free[0]
        end = start + length
        placed.append((m, start, end))
        heapq.heapreplace(free, (end, m))
    return placed
