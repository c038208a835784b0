r"""The exact trade-off between cooperation and makespan of a small instance.

Model (Cordeiro 2012, chapter 4): a schedule has a degree of cooperation ``alpha = max_k C^(k) / C_local^(k)``,
clipped below at 1 because nobody objects to gaining, and a makespan ``C_max``. A point is Pareto optimal if no
schedule is as good in both and better in one.

Method: for a given assignment, running each machine by ``C_local`` attains its best ``alpha``. So points are found
by packings with deadlines (:mod:`.packing`): the least ``C_max`` of all; then, at that makespan, ever smaller
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

from ...agents.organizations import Federation
from ...support.progress import Clock, Progress
from .local import local_makespans
from .optimal import sequence, unpack
from .packing import Packing, pack
from .schedule import LocalOrder, Schedule


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


def pareto_front(
    federation: Federation,
    reference: LocalOrder = "lpt",
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> ParetoFront:
    """Compute all Pareto optimal ``(alpha; C_max)``, exactly.

    Parameters
    ----------
    federation
        Organizations; those without jobs never object.
    reference
        Order of the local schedules.
    time_limit
        Seconds for the whole front; ``None`` for none.
    progress
        Told the number of points found.
    """
    local, clock = local_makespans(federation, reference), Clock(time_limit)
    points: list[ParetoPoint] = []
    due: list[int | None] = [None] * len(federation)
    try:
        while True:
            packing = pack(federation.sizes, federation.n_machines, due, time_limit=clock.left())
            if packing.groups is None:
                return ParetoFront(tuple(reversed(points)), packing.complete)
            best, settled = _most_selfish(federation, packing, local, clock)
            alpha = degree(best, local)
            points.append(ParetoPoint(alpha, best.makespan, best))
            if progress is not None:
                progress(len(points), None, f"alpha {alpha}")
            if not (packing.complete and settled) or alpha == 1:
                return ParetoFront(tuple(reversed(points)), packing.complete and settled)
            due = _below(alpha, local)
    except KeyboardInterrupt:
        return ParetoFront(tuple(reversed(points)), False)


def _most_selfish(
    federation: Federation, packing: Packing, local: Sequence[int], clock: Clock
) -> tuple[Schedule, bool]:
    """Find a schedule of least ``alpha`` with a makespan no larger than the packing's, and whether that is proved."""
    best, complete = sequence(federation, unpack(federation, packing), local), True
    while degree(best, local) > 1:
        due = _below(degree(best, local), local)
        better = pack(federation.sizes, federation.n_machines, due, upper=packing.upper, time_limit=clock.left())
        complete = better.complete
        if better.groups is None:
            break
        best, complete = sequence(federation, unpack(federation, better), local), True
    return best, complete


def degree(schedule: Schedule, local: Sequence[int]) -> Fraction:
    """``max_k C^(k) / C_local^(k)``, at least 1; ``local`` in grid units."""
    ends = [max(row, default=0) for row in schedule.ends]
    return max([Fraction(1)] + [Fraction(c, base) for c, base in zip(ends, local, strict=True) if base])


def _below(alpha: Fraction, local: Sequence[int]) -> list[int | None]:
    """Deadlines that allow exactly the degrees of cooperation smaller than ``alpha``."""
    return [math.ceil(alpha * c) - 1 if c else None for c in local]
