"""List scheduling: take the jobs in a given order, each to the machine that is free first.

Model: machine ``m`` is free from its ready time ``r_m`` on (0 unless given); the next job of the list goes to the
machine with the smallest ready time, ties to the smallest index, and starts there at once. A job of length ``b`` takes
``b / c_m`` units of time on a machine of power ``c_m``; on identical machines the result is Graham's list schedule.

Orders: ``"listed"`` (as given), ``"lpt"`` (longest first, ties by index), ``"spt"`` (shortest first, ties by index),
or an explicit sequence of job numbers. Jobs and machines count from 0.

On identical machines without ready times the last job ends at most ``2 - 1/M`` times the optimum after 0 (any
order), ``4/3 - 1/(3M)`` times for ``lpt``; ``spt`` minimises the sum of the ending times.

>>> schedule = list_schedule([1, 3, 2, 2], 2, "lpt")
>>> schedule.machines, schedule.starts == (3, 0, 0, 2), schedule.makespan
((0, 0, 1, 1), True, Fraction(4, 1))

References
----------
R. L. Graham, "Bounds on multiprocessing timing anomalies", SIAM Journal on Applied Mathematics 17, 1969.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias, TypeVar

from ..support.errors import InputError, unknown_name
from ..support.exact import Rational, rational
from .clusters import Cluster, check_lengths

ListName: TypeAlias = Literal["listed", "lpt", "spt"]
Order: TypeAlias = ListName | Sequence[int]
Exact = TypeVar("Exact", int, Fraction)


@dataclass(frozen=True)
class ListSchedule:
    """Machine, start and end of every job, in the order of the jobs; ``ready`` is when each machine is free again."""

    machines: tuple[int, ...]
    starts: tuple[Fraction, ...]
    ends: tuple[Fraction, ...]
    ready: tuple[Fraction, ...]

    @property
    def makespan(self) -> Fraction:
        """Largest ending time, 0 without jobs.

        >>> list_schedule([2, 1], 2).makespan
        Fraction(2, 1)
        """
        return max(self.ends, default=Fraction(0))

    @property
    def total_completion(self) -> Fraction:
        """Sum of the ending times.

        >>> list_schedule([2, 1], 1, "spt").total_completion
        Fraction(4, 1)
        """
        return sum(self.ends, Fraction(0))


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


def place_in_order(
    lengths: Sequence[Exact], ready: Sequence[Exact], per_work: Sequence[Exact] | None = None
) -> list[tuple[int, Exact, Exact]]:
    """Machine, start and end of each job, taken as they stand: what all list schedules of the house are made of.

    ``ready`` is when each machine is first free, ``per_work`` its time per unit of work (1 by default). No checks.

    >>> place_in_order([3, 2, 2], [0, 0])
    [(0, 0, 3), (1, 0, 2), (1, 2, 4)]
    """
    free = [(time, m) for m, time in enumerate(ready)]
    heapq.heapify(free)
    placed = []
    for length in lengths:
        start, m = free[0]
        end = start + (length if per_work is None else length * per_work[m])
        placed.append((m, start, end))
        heapq.heapreplace(free, (end, m))
    return placed


def list_schedule(
    lengths: Sequence[Rational],
    machines: int | Cluster,
    order: Order = "listed",
    ready: Sequence[Rational] | None = None,
) -> ListSchedule:
    """The list schedule, exact.

    Parameters
    ----------
    lengths
        Work of each job, > 0.
    machines
        Number of identical machines of power 1, or a cluster.
    order
        See the module's text.
    ready
        When each machine is first free, in units of time; default 0 everywhere.

    Raises
    ------
    InputError
        A length that is not positive, no machine, or a wrong number of ready times.

    Examples
    --------
    >>> list_schedule([4, 1, 1], 2, ready=[0, 3]).machines
    (0, 1, 0)
    >>> list_schedule([4, 1], Cluster.of([1, 2])).ends
    (Fraction(4, 1), Fraction(1, 2))
    """
    cluster = machines if isinstance(machines, Cluster) else Cluster.of([1] * machines)
    exact = check_lengths(lengths)
    free = [rational(t, f"ready[{m}]") for m, t in enumerate(ready or [0] * cluster.n_machines, 1)]
    if len(free) != cluster.n_machines:
        raise InputError(f"ready: found {len(free)} times; there are {cluster.n_machines} machines")
    sequence, per_work = job_order(exact, order), [1 / power for power in cluster.powers]
    placed = place_in_order([exact[j] for j in sequence], free, per_work)
    machine, start, end = [0] * len(exact), [Fraction(0)] * len(exact), [Fraction(0)] * len(exact)
    for job, (m, begin, until) in zip(sequence, placed, strict=True):
        machine[job], start[job], end[job], free[m] = m, begin, until, until
    return ListSchedule(tuple(machine), tuple(start), tuple(end), tuple(free))
