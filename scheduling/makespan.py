"""The smallest makespan on related machines, with bounds and, where possible, a proof.

Model: jobs of rational work on machines of rational power, any order within a machine; the makespan is the latest
ending time. Deciding whether a bound can be met is NP-complete in the strong sense, so an answer carries what is
known: a schedule, a lower bound that no schedule beats, and whether they meet.

Three methods share their bounds, the third in need only:

1. Filling machine after machine to the brim (:func:`fill`) meets a lower bound where jobs are many for each machine: by
   ``t`` no machine does more work than the largest sum of jobs that its capacity holds. A compiled search
   (:mod:`.makespan_kernel`) settles most of what is small. Together they need about a millisecond for fifty jobs on
   five machines.
2. If they do not, CP-SAT starts from the bounds known so far (:mod:`.cp_sat`), until it has proved its answer or time
   is up.

Each is needed: of the 135 instances of ``benchmarks/test_optimal_makespan.py`` 20 stay open after 4 seconds without
filling, and without the compiled search all together take four times as long.

Every schedule is recomputed in integers, and all bounds are exact.

This is not the tie-broken optimum of :func:`.optimal.optimal_allocation`: which of the best schedules comes out
is the method's to say. Within a machine jobs run shortest first, ties by number.

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
from typing import Any, Final, Self

from ..support.exact import Rational, fits_int64
from ..support.progress import Progress
from .allocations import Allocation
from .clusters import Cluster, integer_lengths, integer_times
from .cp_sat import new_model, solve
from .sums import largest_multiplier

NODES: Final = 1_000_000
"""Placements that the compiled search may try before CP-SAT is asked; some tens of milliseconds."""
FEW: Final = 2_000
"""Placements that the search tries in Python: with integers beyond 64 bits, and first while nothing is compiled."""
MAX_CELLS: Final = 20_000
"""Jobs times machines beyond which only bounds and the longest-first schedule are computed."""
AFFORDABLE: Final = 10**8
"""Jobs times work up to which machines are filled, which takes some hundredths of a second."""
TRIES: Final = 8
"""Bounds at which machines are filled."""


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
    method
        Who found the schedule: ``"longest-first"``, ``"filling"``, ``"search"`` or ``"cp-sat"``.
    proved_by
        Who found the lower bound: ``"counting"``, ``"filling"``, ``"search"`` or ``"cp-sat"``.
    complete
        False when Ctrl-C or the time limit ended the search.
    """

    allocation: Allocation
    lower: Fraction
    upper: Fraction
    proven: bool
    method: str
    proved_by: str
    complete: bool


def smallest_makespan(
    cluster: Cluster,
    lengths: Sequence[Rational],
    *,
    time_limit: float | None = 10.0,
    cp_sat: bool = True,
    nodes: int = NODES,
    progress: Progress | None = None,
) -> MakespanAnswer:
    """Best schedule found for the makespan, with bounds.

    Parameters
    ----------
    cluster, lengths
        Machines, and the work of each job, > 0.
    time_limit
        Seconds after the first search; None for no limit.
    cp_sat
        Whether CP-SAT is asked; if not, there is only the first search, and the answer is always the same.
    nodes
        Placements that the first search may try.
    progress
        Told the seconds in CP-SAT.

    Raises
    ------
    InputError
        A length that is not positive.

    Notes
    -----
    Instances whose integers do not fit into 64 bits get the same first search on Python integers, with few nodes, and
    no CP-SAT; more than 20,000 jobs times machines get bounds and the longest-first schedule only.

    Examples
    --------
    >>> smallest_makespan(Cluster.of([1, "3/2"]), [2, 2, 2]).upper
    Fraction(8, 3)
    """
    work, work_unit = _coprime(*integer_lengths(lengths))
    per_work, time_unit = _coprime(*integer_times(cluster))
    order = sorted(range(len(work)), key=lambda j: -work[j])
    instance = Instance(tuple(work[j] for j in order), tuple(per_work))
    instance.search(nodes)
    ended = True
    if instance.lower < instance.upper:
        solvable = cp_sat and instance.fits and len(work) * len(per_work) <= MAX_CELLS
        try:
            ended = solvable and instance.by_cp_sat(time_limit, progress)
        except KeyboardInterrupt:  # while its model was made
            ended = False
    lists: list[list[int]] = [[] for _ in per_work]
    for job, m in zip(order, instance.machine, strict=True):
        lists[int(m)].append(job)
    allocation = Allocation(tuple(tuple(sorted(jobs, key=lambda j: (work[j], j))) for jobs in lists))
    unit, proven = work_unit * time_unit, instance.lower == instance.upper
    lower, upper = instance.lower * unit, instance.upper * unit
    return MakespanAnswer(allocation, lower, upper, proven, instance.method, instance.proved_by, ended or proven)


def _coprime(values: list[int], denominator: int) -> tuple[list[int], Fraction]:
    """The values without their common factor, so that kernels and solvers see the smallest integers; and their unit."""
    common = math.gcd(*values) or 1
    return [value // common for value in values], Fraction(common, denominator)


@dataclass
class Instance:
    """Integer work, longest first, and integer times per unit of work; and what is known while methods work on them.

    >>> instance = Instance((3, 3, 2, 2, 2), (1, 1)).search(nodes=1_000)
    >>> instance.lower, instance.upper, instance.method, instance.proved_by
    (6, 6, 'search', 'counting')
    """

    work: tuple[int, ...]
    per_work: tuple[int, ...]
    lower: int = 0
    upper: int = 0
    machine: Any = ()
    method: str = ""
    proved_by: str = ""

    @property
    def fits(self) -> bool:
        """Whether the kernels' integers fit into 64 bits: makespans and their sums, room on all machines, tables.

        No bound that is tried exceeds the time of all work on the fastest machine, so each machine may have room for
        all of it, and a table of fillings one cell per job and unit of it.
        """
        most = max(2 * max(self.per_work), len(self.per_work), len(self.work) + 1)
        return fits_int64((sum(self.work) + 1) * most)

    def makespan(self, machine: Sequence[int]) -> int:
        """Makespan of a machine per job."""
        load = [0] * len(self.per_work)
        for w, m in zip(self.work, machine, strict=True):
            load[int(m)] += w
        return max(x * q for x, q in zip(load, self.per_work, strict=True))

    def schedule(self, upper: int, machine: Any, method: str) -> None:
        """Take a better schedule."""
        if upper < self.upper:
            self.upper, self.machine, self.method = upper, machine, method

    def bound(self, lower: int, proved_by: str) -> None:
        """Take a better lower bound; more than the known makespan is no news."""
        if min(lower, self.upper) > self.lower:
            self.lower, self.proved_by = min(lower, self.upper), proved_by

    def search(self, nodes: int) -> Self:
        """Bounds, longest first, filled machines, and the compiled search with at most ``nodes`` placements."""
        import numpy as np

        from ..support.jit import fitting
        from . import makespan_kernel as kernel

        dtype: Any = np.int64 if self.fits else object
        work, per_work = np.array(self.work, dtype=dtype), np.array(self.per_work, dtype=dtype)
        n, machines = len(self.work), len(self.per_work)
        nodes = nodes if n * machines <= MAX_CELLS else 0
        begin = fitting(kernel.begin, self.fits, 150 * n * machines)
        start = largest_multiplier(self.per_work, sum(self.work))  # each unit of work a job of its own
        first, counted, upper, lower, self.machine, cursor = begin(work, per_work, start, nodes)
        self.lower, self.upper = int(lower), int(upper)
        self.method = "longest-first" if upper == first else "search"
        self.proved_by = "counting" if lower == counted else "search"
        if self.lower < self.upper and nodes > 0 and n > kernel.SMALL and n * sum(self.work) <= AFFORDABLE:
            self.bound(raised(self.work, self.per_work, self.lower, self.upper), "filling")
            filled = best_fill(self.work, self.per_work, self.lower, self.upper)
            if filled is not None:
                self.schedule(self.makespan(filled), np.array(filled, dtype=np.int64), "filling")
        few, tables = min(nodes, FEW), n * sum(self.work) // machines if n > kernel.SMALL else 0
        search = fitting(kernel.search, self.fits, few * machines + tables)
        stages = [(search, nodes if search is kernel.search else few)]
        if search is not kernel.search and self.fits:
            stages.append((kernel.search, nodes - few))  # it goes on where the interpreter stopped
        for stage, left in stages:
            if self.lower < self.upper and left > 0:
                cursor.at[1], best = left, self.machine.copy()
                self.schedule(int(stage(work, per_work, self.lower, self.upper, best, cursor)), best, "search")
                if cursor.at[0] < 0:
                    self.bound(self.upper, "search")
        return self

    def by_cp_sat(self, seconds: float | None, progress: Progress | None = None) -> bool:
        """Improve on it by CP-SAT, one Boolean per job and machine; False when time or Ctrl-C ended it early."""
        model = new_model()
        makespan = model.new_int_var(self.lower, self.upper, "")
        on = [[model.new_bool_var("") for _ in self.per_work] for _ in self.work]
        for row, home in zip(on, self.machine, strict=True):
            model.add_exactly_one(row)
            for m, var in enumerate(row):
                model.add_hint(var, m == home)
        for m, q in enumerate(self.per_work):
            model.add(sum(w * q * row[m] for w, row in zip(self.work, on, strict=True)) <= makespan)
        model.minimize(makespan)
        answer = solve(model, seconds, progress=progress)
        if answer.has_solution:
            machine = [next(m for m, var in enumerate(row) if answer.value(var)) for row in on]
            self.schedule(self.makespan(machine), machine, "cp-sat")
            if answer.ended:
                self.bound(self.upper, "cp-sat")
            elif abs(answer.bound) < 2**53:  # an integer below that is one as a float
                self.bound(answer.least, "cp-sat")
        return answer.ended


def raised(work: Sequence[int], per_work: Sequence[int], lower: int, upper: int) -> int:
    """The first bound from ``lower`` on by which the machines, each for itself, could do all work; at most ``upper``.

    >>> raised((8, 8), (1, 3), 12, 16)
    16
    """
    sums = 1
    for w in work:
        sums |= sums << w
    total = sum(work)
    while lower < upper:
        t = (lower + upper) // 2
        if sum((sums & ((2 << t // q) - 1)).bit_length() - 1 for q in per_work) >= total:
            upper = t
        else:
            lower = t + 1
    return lower


def fill(work: Sequence[int], per_work: Sequence[int], t: int, *, fastest: bool) -> list[int] | None:
    """A machine for each job such that all end by ``t``, or None where filling leaves jobs over.

    One machine after the other gets jobs of the largest sum that it holds, long ones first; what that leaves over is
    short and fills the last machines. Among the sets of that sum a machine gets the lexicographically first. Sums of
    jobs are the bits of one integer, so a machine costs as many shifts as jobs are left. ``fastest``: whether fast
    machines are filled first, or slow ones.

    >>> fill((5, 4, 3, 3, 3), (1, 1), 9, fastest=True)
    [0, 0, 1, 1, 1]
    >>> fill((5, 5, 5), (1, 1), 9, fastest=True) is None
    True
    """
    machine, jobs = [-1] * len(work), list(range(len(work)))
    slack = sum(t // q for q in per_work) - sum(work)
    for m in sorted(range(len(per_work)), key=lambda m: per_work[m], reverse=not fastest):
        capacity = t // per_work[m]
        sums = [1]  # bit s: some of the last jobs have the sum s
        for job in reversed(jobs):
            sums.append((sums[-1] | sums[-1] << work[job]) & ((2 << capacity) - 1))
        left = sums.pop().bit_length() - 1
        slack -= capacity - left
        if slack < 0:
            return None
        kept = []
        for job in jobs:
            after = sums.pop()
            if left >= work[job] and after >> (left - work[job]) & 1:
                machine[job] = m
                left -= work[job]
            else:
                kept.append(job)
        jobs = kept
    return machine


def best_fill(work: Sequence[int], per_work: Sequence[int], lower: int, upper: int) -> list[int] | None:
    """Machines of the best schedule that filling finds, better than ``upper``, or None.

    The lower bound is tried first, then what lies half-way between the bounds that failed and those that were met.
    """
    best, most = None, upper
    t = lower
    for _ in range(TRIES):
        if not lower <= t < most:
            break
        machine = fill(work, per_work, t, fastest=True) or fill(work, per_work, t, fastest=False)
        if machine is None:
            lower = t + 1
        else:
            best, most = machine, t
        t = (lower + most) // 2
    return best
