r"""The least makespan of a federation under any of the thesis's constraints, with proof.

Model (Cordeiro 2012, sections 3.1 and 4.1): minimise ``C_max`` over all schedules, subject to any of

- ``local``: ``C^(k) <= alpha C_local^(k)`` for every organization (alpha-MOSP; MOSP for ``alpha = 1``);
- ``local-total``: the sum of the completion times of ``k``'s jobs is at most ``alpha sumC_local^(k)``;
- ``selfish``: the selfishness restriction, read strictly or as printed.

Method: without the last two, who runs first on a machine is settled by deadlines and an assignment problem is left
(:mod:`.packing`); otherwise starts are searched as well (:mod:`.timed`). The best of the local schedules and the
heuristics that meets the constraints is the first upper bound; when it reaches the lower bound nothing is searched.

Ties between optimal schedules: the one CP-SAT returns with one worker and a fixed seed, so always the same one with
the same version of CP-SAT; no other promise.

>>> figure_3_2 = Federation.of([[3, 3], [1, 1, 1], [1, 1, 1]])
>>> [Optimal(c).run(figure_3_2).makespan for c in [(), ("local",), ("local-total",), ("selfish",)]]
[Fraction(4, 1), Fraction(5, 1), Fraction(4, 1), Fraction(6, 1)]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ...agents.organizations import Federation
from ...scheduling.errors import InputError, TooLargeError, unknown_name
from . import checkers
from .catalogue import CONSTRAINTS
from .ilba import Ilba
from .local import Local, local_makespans, local_totals
from .metrics import lower_bound
from .packing import Packing, pack
from .pulling import LptLpt, SptLpt
from .schedule import ORDERS, LocalOrder, Schedule
from .timed import Demands, solve_timed


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
        ``"bound"`` (a heuristic meets the lower bound), ``"assignment"`` or ``"start-times"``.
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
            if name not in CONSTRAINTS:
                raise unknown_name("constraints", name, CONSTRAINTS)
        if self.cooperation < 1:
            raise InputError(f"cooperation = {self.cooperation}; expected at least 1")

    def run(self, federation: Federation) -> Schedule:
        """Return an optimal schedule.

        Raises
        ------
        InputError
            If no schedule meets the constraints (possible only with several machines, when the references of ``local``
            and ``local-total`` are different schedules).
        """
        answer = self.solve(federation)
        if answer.schedule is None:
            raise InputError(f"no schedule meets the constraints {', '.join(self.constraints)}")
        return answer.schedule

    def solve(self, federation: Federation, time_limit: float | None = None) -> Optimum:
        """Search with proof; with a time limit (seconds) the answer may be incomplete and carries bounds."""
        low = math.ceil(lower_bound(federation) / federation.unit)
        known = self._known(federation)
        if known is not None and known.makespan == low * federation.unit:
            return Optimum(known, known.makespan, True, "bound")
        if {"local-total", "selfish"} & set(self.constraints):
            return self._search_starts(federation, known, low, time_limit)
        return self._search_assignment(federation, known, time_limit)

    def satisfied(self, schedule: Schedule) -> bool:
        """Whether a schedule meets the constraints (any schedule, checked from the definitions)."""
        met = {
            "local": lambda: checkers.local_constraint(schedule, self.reference, self.cooperation),
            "local-total": lambda: checkers.local_total_constraint(schedule, self.reference, self.cooperation),
            "selfish": lambda: checkers.selfishness_restriction(schedule, self.selfishness),
        }
        return all(met[name]().holds for name in self.constraints)

    def _known(self, federation: Federation) -> Schedule | None:
        """Best of the quick schedules that meet the constraints."""
        tried = [rule.run(federation) for rule in (LptLpt(), Ilba(), SptLpt())]
        tried += [Local(order).run(federation) for order in ORDERS]
        return min((s for s in tried if self.satisfied(s)), key=lambda s: s.makespan, default=None)

    def _bounds(self, federation: Federation) -> tuple[list[int] | None, list[int] | None]:
        """Deadlines and total bounds in grid units (rounded down: starts are integers)."""
        alpha, reference = self.cooperation, self.reference
        deadlines = totals = None
        if "local" in self.constraints:
            deadlines = [math.floor(alpha * c) for c in local_makespans(federation, reference or "lpt")]
        if "local-total" in self.constraints:
            totals = [math.floor(alpha * c) for c in local_totals(federation, reference or "spt")]
        return deadlines, totals

    def _search_assignment(self, federation: Federation, known: Schedule | None, limit: float | None) -> Optimum:
        deadlines, _ = self._bounds(federation)
        due: Sequence[int | None] = deadlines if deadlines is not None else [None] * len(federation)
        upper = None if known is None else int(known.makespan / federation.unit)
        packing = pack(federation.sizes, federation.n_machines, due, upper, limit)
        schedule = known if packing.groups is None else sequence(federation, packing, deadlines)
        return Optimum(schedule, packing.lower * federation.unit, packing.complete, "assignment")

    def _search_starts(self, federation: Federation, known: Schedule | None, low: int, limit: float | None) -> Optimum:
        deadlines, totals = self._bounds(federation)
        reading = self.selfishness if "selfish" in self.constraints else None
        high = sum(map(sum, federation.sizes)) if known is None else int(known.makespan / federation.unit)
        timed = solve_timed(federation, Demands(deadlines, totals, reading), low, high, limit)
        schedule = known if timed.schedule is None else timed.schedule
        return Optimum(schedule, timed.lower * federation.unit, timed.complete, "start-times")


def sequence(federation: Federation, packing: Packing, deadlines: Sequence[int] | None = None) -> Schedule:
    """Schedule a packing: each machine by deadline, then organization, then job, without idle time.

    Equal jobs of one organization go to the packing's machines in order of their numbers. Without deadlines the
    organizations follow each other by their total work.
    """
    if packing.groups is None:
        raise TooLargeError("there is no packing to schedule")
    key = [sum(row) for row in federation.sizes] if deadlines is None else deadlines
    machine = [[0] * len(row) for row in federation.sizes]
    start = [[0] * len(row) for row in federation.sizes]
    unused = [sorted(range(len(row)), reverse=True) for row in federation.sizes]
    for m, groups in enumerate(packing.groups):
        jobs = []
        for (k, p), count in groups.items():
            equal = [i for i in reversed(unused[k]) if federation.sizes[k][i] == p][:count]
            for i in equal:
                unused[k].remove(i)
                jobs.append((key[k], k, i))
        time = 0
        for _, k, i in sorted(jobs):
            machine[k][i], start[k][i] = m, time
            time += federation.sizes[k][i]
    return Schedule(federation, tuple(map(tuple, machine)), tuple(map(tuple, start)))


def unconstrained_optimum(federation: Federation) -> Fraction:
    """``OPT``: the least makespan when nobody minds who owns what.

    >>> unconstrained_optimum(Federation.of([[3, 3, 2], []]))
    Fraction(5, 1)
    """
    return Optimal().run(federation).makespan
