"""The smallest makespan on related machines, with bounds and, where possible, a proof.

Model: jobs of rational work on machines of rational power, any order within a machine; the makespan is the latest
ending time. Deciding whether a bound can be met is NP-complete in the strong sense, so an answer carries what is
known: a schedule, a lower bound that no schedule beats, and whether they meet.

Three methods share their bounds:

1. Filling machine after machine to the brim (:mod:`.makespan_fill`) meets a lower bound where jobs are many for each
   machine; a compiled search (:mod:`.makespan_kernel`) settles most of what is small. Together they need about a
   millisecond for fifty jobs on five machines.
2. If they do not, CP-SAT (in a thread) and HiGHS (in a process of its own, because it cannot be asked to stop) start
   from the bounds found so far, and the compiled search goes on beside them, until one of them proves its answer or
   time is up.

Every schedule is recomputed in integers. Bounds of the compiled search and of CP-SAT are exact. HiGHS works in
floating point: its bound is rounded up only beyond a margin of a thousandth of a unit, and when the proof rests on it,
the answer says ``exact=False``.

This is not the tie-broken optimum of :func:`.optimal.optimal_allocation`: which of the best schedules comes out
depends on who finds it first. Within a machine jobs run shortest first, ties by number.

>>> from consortium.scheduling.clusters import Cluster
>>> answer = smallest_makespan(Cluster.of([1, 1]), [3, 3, 2, 2, 2])
>>> answer.upper, answer.lower, answer.proven, answer.allocation.lists
(Fraction(6, 1), Fraction(6, 1), True, ((0, 1), (2, 3, 4)))
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from ..support.errors import unknown_name
from ..support.exact import Rational
from ..support.progress import Clock, Progress
from .allocations import Allocation
from .clusters import Cluster, integer_lengths, integer_times
from .makespan_state import Instance, State
from .race import race

SOLVERS: Final = ("cp-sat", "highs")
NODES: Final = 1_000_000
"""Placements that the compiled search may try before the solvers are asked; some tens of milliseconds."""


@dataclass(frozen=True)
class MakespanAnswer:
    """A schedule and what is known of the smallest makespan.

    Attributes
    ----------
    allocation
        The best schedule found.
    lower, upper
        Bounds on the smallest makespan, in units of time; ``upper`` is the makespan of the schedule.
    proven
        Whether they are equal.
    exact
        Whether the lower bound is exact; False when it comes from HiGHS, which computes in floating point.
    method
        Who found the schedule: ``"longest-first"``, ``"filling"``, ``"search"``, ``"cp-sat"`` or ``"highs"``.
    proved_by
        Who found the lower bound: ``"counting"``, ``"filling"``, ``"search"``, ``"cp-sat"`` or ``"highs"``.
    complete
        False when Ctrl-C or the time limit ended the search.
    """

    allocation: Allocation
    lower: Fraction
    upper: Fraction
    proven: bool
    exact: bool
    method: str
    proved_by: str
    complete: bool


def smallest_makespan(
    cluster: Cluster,
    lengths: Sequence[Rational],
    *,
    time_limit: float | None = 10.0,
    solvers: Sequence[str] = SOLVERS,
    nodes: int = NODES,
    progress: Progress | None = None,
) -> MakespanAnswer:
    """Best schedule found for the makespan, with bounds.

    Parameters
    ----------
    cluster, lengths
        Machines, and the work of each job, > 0.
    time_limit
        Seconds for the solvers after the first search; None for no limit.
    solvers
        Any of ``"cp-sat"`` and ``"highs"``; none: only the first search, which makes the answer deterministic.
    nodes
        Placements that the first search may try.
    progress
        Told the gap now and then, in units of the integer instance.

    Raises
    ------
    UnknownNameError
        An unknown solver.
    InputError
        A length that is not positive.

    Notes
    -----
    Instances whose integers do not fit into 64 bits get the same first search on Python integers, with few nodes, and
    no solvers; more than 20,000 jobs times machines get bounds and the longest-first schedule only.

    Examples
    --------
    >>> smallest_makespan(Cluster.of([1, "3/2"]), [2, 2, 2]).upper
    Fraction(8, 3)
    """
    for name in solvers:
        if name not in SOLVERS:
            raise unknown_name("solvers", name, SOLVERS)
    work, work_unit = _coprime(*integer_lengths(lengths))
    per_work, time_unit = _coprime(*integer_times(cluster))
    order = sorted(range(len(work)), key=lambda j: -work[j])
    instance = Instance(tuple(work[j] for j in order), tuple(per_work))
    state = instance.search(nodes)
    complete = True
    if state.lower < state.upper and instance.fits and instance.searchable and solvers:
        complete = race(instance, state, tuple(solvers), Clock(time_limit), progress)
    elif state.lower < state.upper:
        complete = False
    lists: list[list[int]] = [[] for _ in per_work]
    for job, m in zip(order, state.machine, strict=True):
        lists[int(m)].append(job)
    allocation = Allocation(tuple(tuple(sorted(jobs, key=lambda j: (work[j], j))) for jobs in lists))
    return _answer(allocation, state, work_unit * time_unit, complete)


def _coprime(values: list[int], denominator: int) -> tuple[list[int], Fraction]:
    """The values without their common factor, so that kernels and solvers see the smallest integers; and their unit."""
    common = math.gcd(*values) or 1
    return [value // common for value in values], Fraction(common, denominator)


def _answer(allocation: Allocation, state: State, unit: Fraction, complete: bool) -> MakespanAnswer:
    return MakespanAnswer(
        allocation,
        state.lower * unit,
        state.upper * unit,
        state.lower == state.upper,
        state.proved_by != "highs",
        state.method,
        state.proved_by,
        complete or state.lower == state.upper,
    )
