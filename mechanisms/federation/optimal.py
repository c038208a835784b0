"""The least makespan of a federation under any of the thesis's constraints, and its trade-off with cooperation.

*Least makespan* (Cordeiro 2012, sections 3.1 and 4.1): minimise ``C_max`` over all schedules, subject to any of

- ``local``: ``C^(k) <= alpha C_local^(k)`` for every organization (alpha-MOSP; MOSP for ``alpha = 1``);
- ``local-total``: the sum of the completion times of ``k``'s jobs is at most ``alpha sumC_local^(k)``;
- ``selfish``: the selfishness restriction, read strictly or as printed.

Method: the compiled search of :mod:`consortium.scheduling.makespan` bounds the makespan without constraints. With
``local`` alone, who runs first on a machine is settled by deadlines and an assignment problem is left
(:func:`.models.pack`); with the other two, starts are searched as well (:func:`.models.solve_timed`). The best of the
local schedules and the heuristics that meets the constraints is the first upper bound; when it reaches the lower bound
nothing is searched.

Ties between optimal schedules: the one CP-SAT returns with one worker and a fixed seed, so always the same one with
the same version of CP-SAT; no other promise.

>>> figure_3_2 = Federation.of([[3, 3], [1, 1, 1], [1, 1, 1]])
>>> [Optimal(c).run(figure_3_2).makespan for c in [(), ("local",), ("local-total",), ("selfish",)]]
[Fraction(4, 1), Fraction(5, 1), Fraction(4, 1), Fraction(6, 1)]

*The exact trade-off of a small instance* (chapter 4): a schedule has a degree of cooperation ``alpha = max_k C^(k) /
C_local^(k)``, clipped below at 1 because nobody objects to gaining, and a makespan ``C_max``. A point is Pareto optimal
if no schedule is as good in both and better in one.

Method: for a given assignment, running each machine by ``C_local`` attains its best ``alpha``. So points are found
by packings with deadlines: the least ``C_max`` of all; then, at that makespan, ever smaller
``alpha`` until none is left; then the least ``C_max`` with a strictly smaller ``alpha``; and so on until ``alpha =
1``. Every step is proved by CP-SAT.

>>> figure_4_1 = Federation.of([[1, 1], ["1/3"], ["2/3"]])
>>> [(point.alpha, point.makespan) for point in pareto_front(figure_4_1).points]
[(Fraction(1, 1), Fraction(4, 3)), (Fraction(3, 2), Fraction(1, 1))]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ...agents.organizations import Federation
from ...scheduling.clusters import Cluster
from ...scheduling.makespan import MakespanAnswer, smallest_makespan
from ...support.errors import InputError, TooLargeError, check_name
from ...support.exact import magnitude
from ...support.progress import Clock, Progress
from . import checkers
from .catalogue import CONSTRAINTS
from .heuristics import Ilba, LptLpt, SptLpt
from .models import check_packing_size, check_start_times_size, pack, solve_timed
from .schedule import ORDERS, JobId, Local, LocalOrder, Schedule, local_makespans, local_totals, run_by_deadline


@dataclass(frozen=True)
class Optimum:
    """What is known about the least makespan.

    Attributes
    ----------
    schedule
        The best schedule found, ``None`` if none was.
    lower
        Proved lower bound on the least makespan.
    complete
        Whether the search ended by itself: the schedule is optimal, or none exists.
    method
        ``"bound"`` (a quick schedule meets the lower bound), ``"assignment"``, ``"start-times"`` or ``"race"`` (of the
        solvers of :mod:`consortium.scheduling.makespan`).
    """

    schedule: Schedule | None
    lower: Fraction
    complete: bool
    method: str


@dataclass(frozen=True)
class Optimal:
    """The central optimum under the chosen constraints.

    Attributes
    ----------
    constraints
        Any of ``"local"``, ``"local-total"``, ``"selfish"``.
    cooperation
        ``alpha >= 1``, which relaxes the first two.
    reference
        Order of the local schedule; ``None`` means ``lpt`` for ``local`` and ``spt`` for ``local-total``.
    selfishness
        ``"strict"`` or ``"printed"``, see :mod:`.checkers`.
    """

    id: ClassVar[str] = "optimal"
    constraints: tuple[str, ...] = ()
    cooperation: Fraction = Fraction(1)
    reference: LocalOrder | None = None
    selfishness: checkers.Reading = "strict"

    def __post_init__(self) -> None:
        for name in self.constraints:
            check_name("constraints", name, CONSTRAINTS)
        if self.cooperation < 1:
            raise InputError(f"cooperation = {self.cooperation}; expected at least 1")

    def run(self, federation: Federation) -> Schedule:
        """Return an optimal schedule.

        Raises
        ------
        InputError
            If no schedule meets the constraints (possible only with several machines, when the references of ``local``
            and ``local-total`` are different schedules).
        TooLargeError
            If the lengths are beyond the solvers and the search without them proves no schedule optimal.
        """
        answer = self.solve(federation)
        if not answer.complete:
            raise TooLargeError(
                f"optimal: {federation.n_jobs} jobs on {federation.n_machines} machines, a work of "
                f"{magnitude(sum(map(sum, federation.sizes)))} units in all, are beyond the solvers, and nothing is "
                "proved to be optimal; round the lengths, or take another rule, such as 'lpt-lpt'"
            )
        if answer.schedule is None:
            raise InputError(f"no schedule meets the constraints {', '.join(self.constraints)}")
        return answer.schedule

    def solve(
        self, federation: Federation, time_limit: float | None = None, progress: Progress | None = None
    ) -> Optimum:
        """Search with proof; after the time limit (seconds) or Ctrl-C the answer is incomplete and carries bounds."""
        clock = Clock(time_limit)
        quick, low, proved = self._quick(federation)
        if quick is not None and proved:
            return Optimum(quick, quick.makespan, True, "bound")
        if self.constraints:
            search = self._search_starts if self.needs_starts else self._search_assignment
            return search(federation, quick, low, clock.left(), progress)
        free = _free(federation, limit=clock.left(), progress=progress)
        schedule = run_by_deadline(federation, _jobs(federation, free))
        return Optimum(schedule, free.lower * federation.unit, free.proven, "race")

    def prepare(self, federation: Federation) -> bool:
        """Whether a quick schedule is already proved optimal; else raises what :meth:`solve` raises before a search.

        >>> fed = Federation.of([[5, 2], [3, 4], [4, 5]])
        >>> Optimal().prepare(fed), Optimal(constraints=("local",)).prepare(fed)
        (True, False)
        """
        quick, _, proved = self._quick(federation)
        if proved:
            return True
        if self.needs_starts:
            check_start_times_size(federation, _highest(federation, quick))
        elif self.constraints:
            check_packing_size(federation.sizes)
        return False

    @property
    def needs_starts(self) -> bool:
        """Whether it matters when jobs start, not only where."""
        return bool({"local-total", "selfish"} & set(self.constraints))

    def _quick(self, federation: Federation) -> tuple[Schedule | None, int, bool]:
        """The best quick schedule that meets the constraints, a lower bound in grid units, and whether they meet."""
        free = _free(federation, cp_sat=False)
        deadlines, _ = self._bounds(federation)
        tried = [run_by_deadline(federation, _jobs(federation, free), deadlines)]
        tried += [rule.run(federation) for rule in (LptLpt(), Ilba(), SptLpt())]
        tried += [Local(order).run(federation) for order in ORDERS]
        quick = min((s for s in tried if self.satisfied(s)), key=lambda s: s.makespan, default=None)
        low = int(free.lower)
        return quick, low, quick is not None and quick.makespan == low * federation.unit

    def satisfied(self, schedule: Schedule) -> bool:
        """Whether a schedule meets the constraints (any schedule, checked from the definitions)."""
        checks = {
            "local": lambda: checkers.local_constraint(schedule, self.reference, self.cooperation),
            "local-total": lambda: checkers.local_total_constraint(schedule, self.reference, self.cooperation),
            "selfish": lambda: checkers.selfishness_restriction(schedule, self.selfishness),
        }
        return all(checks[name]().holds for name in self.constraints)

    def _bounds(self, federation: Federation) -> tuple[list[int] | None, list[int] | None]:
        """Deadlines and total bounds in grid units (rounded down: starts are integers)."""
        alpha, reference = self.cooperation, self.reference
        deadlines = totals = None
        if "local" in self.constraints:
            deadlines = [math.floor(alpha * c) for c in local_makespans(federation, reference or "lpt")]
        if "local-total" in self.constraints:
            totals = [math.floor(alpha * c) for c in local_totals(federation, reference or "spt")]
        return deadlines, totals

    def _search_assignment(
        self, federation: Federation, quick: Schedule | None, low: int, limit: float | None, progress: Progress | None
    ) -> Optimum:
        deadlines, _ = self._bounds(federation)
        upper = None if quick is None else int(quick.makespan / federation.unit)
        hint: list[list[JobId]] = [[] for _ in range(federation.n_machines if quick is not None else 0)]
        for k, row in enumerate(quick.machine if quick is not None else ()):
            for i, m in enumerate(row):
                hint[m].append((k, i))
        packing = pack(federation.sizes, federation.n_machines, deadlines or (), low, upper, limit, hint, progress)
        schedule = quick if packing.machines is None else run_by_deadline(federation, packing.machines, deadlines)
        return Optimum(schedule, packing.lower * federation.unit, packing.complete, "assignment")

    def _search_starts(
        self, federation: Federation, quick: Schedule | None, low: int, limit: float | None, progress: Progress | None
    ) -> Optimum:
        deadlines, totals = self._bounds(federation)
        schedule, lower, complete = solve_timed(
            federation,
            low,
            _highest(federation, quick),
            deadlines=deadlines,
            totals=totals,
            selfishness=self.selfishness if "selfish" in self.constraints else None,
            time_limit=limit,
            progress=progress,
        )
        return Optimum(schedule or quick, lower * federation.unit, complete, "start-times")


def _highest(federation: Federation, quick: Schedule | None) -> int:
    """The largest makespan of interest, in grid units."""
    return sum(map(sum, federation.sizes)) if quick is None else int(quick.makespan / federation.unit)


def _free(
    federation: Federation, cp_sat: bool = True, limit: float | None = None, progress: Progress | None = None
) -> MakespanAnswer:
    """Bounds and a schedule without any constraint, in grid units; without CP-SAT always the same one."""
    sizes = [p for row in federation.sizes for p in row]
    machines = min(federation.n_machines, max(len(sizes), 1))  # one per job is enough
    return smallest_makespan(Cluster.of([1] * machines), sizes, time_limit=limit, cp_sat=cp_sat, progress=progress)


def _jobs(federation: Federation, answer: MakespanAnswer) -> list[list[JobId]]:
    """The jobs on every machine."""
    numbered = [(k, i) for k, row in enumerate(federation.sizes) for i in range(len(row))]
    return [[numbered[j] for j in jobs] for jobs in answer.allocation.lists]


def unconstrained_optimum(federation: Federation) -> Fraction:
    """``OPT``: the least makespan when nobody minds who owns what.

    >>> unconstrained_optimum(Federation.of([[3, 3, 2], []]))
    Fraction(5, 1)
    """
    return Optimal().run(federation).makespan


@dataclass(frozen=True)
class ParetoPoint:
    """One Pareto optimal pair and a schedule that attains it."""

    alpha: Fraction
    makespan: Fraction
    schedule: Schedule


@dataclass(frozen=True)
class ParetoFront:
    """The front by increasing ``alpha``; when a limit struck, the points known are attainable but not all optimal."""

    points: tuple[ParetoPoint, ...]
    complete: bool


def pareto_front(federation: Federation, reference: LocalOrder = "lpt", time_limit: float | None = None) -> ParetoFront:
    """Compute all Pareto optimal ``(alpha; C_max)``, exactly.

    Parameters
    ----------
    federation
        Organizations; those without jobs never object.
    reference
        Order of the local schedules.
    time_limit
        Seconds for the whole front; ``None`` for none.
    """
    local, clock = local_makespans(federation, reference), Clock(time_limit)
    points: list[ParetoPoint] = []
    due: list[int | None] = [None] * len(federation)
    try:
        while True:
            packing = pack(federation.sizes, federation.n_machines, due, time_limit=clock.left())
            if packing.machines is None:
                return ParetoFront(tuple(reversed(points)), packing.complete)
            best, proved = _most_selfish(federation, packing.machines, packing.upper, local, clock)
            alpha = degree(best, local)
            points.append(ParetoPoint(alpha, best.makespan, best))
            if not (packing.complete and proved) or alpha == 1:
                return ParetoFront(tuple(reversed(points)), packing.complete and proved)
            due = _below(alpha, local)
    except KeyboardInterrupt:
        return ParetoFront(tuple(reversed(points)), False)


def _most_selfish(
    federation: Federation,
    machines: Sequence[Sequence[JobId]],
    upper: int | None,
    local: Sequence[int],
    clock: Clock,
) -> tuple[Schedule, bool]:
    """Find a schedule of least ``alpha`` with a makespan of at most ``upper``, and whether that is proved."""
    while True:
        best = run_by_deadline(federation, machines, local)
        if (alpha := degree(best, local)) == 1:
            return best, True
        due = _below(alpha, local)
        better = pack(federation.sizes, federation.n_machines, due, upper=upper, time_limit=clock.left())
        if better.machines is None:
            return best, better.complete
        machines = better.machines


def degree(schedule: Schedule, local: Sequence[int]) -> Fraction:
    """``max_k C^(k) / C_local^(k)``, at least 1; ``local`` in grid units."""
    return max([Fraction(1)] + [Fraction(c, base) for c, base in zip(schedule.latest, local, strict=True) if base])


def _below(alpha: Fraction, local: Sequence[int]) -> list[int | None]:
    """Deadlines that allow exactly the degrees of cooperation smaller than ``alpha``."""
    return [math.ceil(alpha * c) - 1 if c else None for c in local]
