"""``run`` on scenarios of kind ``multiuser``: what a rule gives everybody, and how fair that is."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from ...agents.users import Point
from ...mechanisms.multiuser.bounds import nadir, zenith
from ...mechanisms.multiuser.fairness import Measure, fairness_metrics
from ...mechanisms.multiuser.refinement import Level, RefineResult
from ...scenarios.scenario import Scenario
from ...support.errors import TooLargeError
from ...support.progress import Progress
from ..records import Statistic
from .model import Model, Solution, model
from .options import Run
from .records import BoxRow, FairnessRow, GridRow, JobRow, LevelRow, MetricsRow, RunRecord, UserRow

ZENITH_SECONDS: Final = 1.0
"""How long a user's optimal makespan alone may take before the record leaves it out."""

DRAWN_BOXES: Final = 600
"""Boxes of a refinement are recorded, for the picture, when there are at most so many and at most two axes."""


def run(scenario: Scenario, options: Run, progress: Progress | None = None) -> RunRecord:
    """Apply the rule once."""
    m = model(scenario, options.mechanism)
    solution = m.solve(options.time_limit, progress, options.effort)
    outcome, points, measure = solution.outcome, solution.points, m.measure()
    return RunRecord(
        kind=scenario.kind,
        scenario=scenario.label,
        method=outcome.method,
        exact=outcome.exact,
        complete=outcome.complete,
        users=_users(m, outcome.point),
        feasible=_feasible(solution),
        point=m.in_time(outcome.point),
        jobs=_jobs(m, solution),
        pareto=None if points is None else tuple(m.times(point) for point in points[: options.list]),
        fairness=None if outcome.point is None else _fairness(m, measure, outcome.point, solution.refined),
        metrics=None if outcome.point is None else MetricsRow(**fairness_metrics(measure.values(outcome.point))),
        pareto_count=None if points is None else len(points),
        pareto_left_out=None if points is None else max(0, len(points) - options.list),
        grid=None if solution.corners is None else GridRow(corners=solution.corners, ratios=solution.ratios),
        fairest=m.times(min(points, key=measure.integer_key)) if points else None,
    )


def _feasible(solution: Solution) -> bool | None:
    """Whether a schedule reaches the point; open for a set of points, and for a promise nobody could certify."""
    if not solution.outcome.complete and solution.outcome.point is None:
        return None
    if solution.points is not None or (solution.outcome.point is not None and not solution.outcome.slots):
        return None
    return solution.outcome.point is not None


def _jobs(m: Model, solution: Solution) -> tuple[JobRow, ...]:
    return tuple(
        JobRow(
            user=m.spec.names[slot.user],
            job=slot.job + 1,
            machine=slot.machine + 1,
            start=m.shared.in_time(slot.start),
            end=m.shared.in_time(slot.end),
        )
        for slot in solution.outcome.slots
    )


def _users(m: Model, point: Point | None) -> tuple[UserRow, ...]:
    try:
        best: Point | None = zenith(m.shared, ZENITH_SECONDS)
    except TooLargeError:  # an optimal makespan on several machines may be out of reach; everything else is not
        best = None
    worst, in_time = nadir(m.shared), m.shared.in_time
    return tuple(
        UserRow(
            name=user.name,
            objective=user.objective,
            value=None if point is None else in_time(point[u]),
            zenith=None if best is None else in_time(best[u]),
            nadir=in_time(worst[u]),
            guarantee=guarantee,
        )
        for u, (user, guarantee) in enumerate(zip(m.spec.users, m.guarantees(), strict=True))
    )


def _fairness(m: Model, measure: Measure, point: Point, refined: RefineResult | None) -> FairnessRow:
    key = measure.key(point)
    proved = m.rule == "fairest" or (refined is not None and refined.proved)
    best = key if proved else m.optimum(measure)
    return FairnessRow(
        norm=measure.norm,
        key=key,
        value=Statistic(measure.value(key)),
        optimum_key=best,
        over_optimum=over(measure, key, best),
        levels=None if refined is None else _levels(m, refined),
        proved=None if refined is None else proved,
        improvement=None if refined is None else Statistic(refined.improvement),
    )


def over(measure: Measure, key: Fraction, best: Fraction | None) -> Statistic | None:
    """How far a value lies above the optimum: 0 is fairest, 0.1 is ten percent above."""
    return None if best is None else Statistic(measure.ratio(key, best) - 1)


def _levels(m: Model, result: RefineResult) -> tuple[LevelRow, ...]:
    drawn = sum(level.cells for level in result.levels) <= DRAWN_BOXES

    def row(level: Level) -> LevelRow:
        cells = tuple(BoxRow(low=m.times(box.low), high=m.times(box.high), fate=box.fate) for box in level.boxes)
        return LevelRow(
            level=level.level,
            cells=level.cells,
            active=level.active,
            key=level.key,
            value=Statistic(level.value),
            point=m.times(level.point),
            bound=level.bound,
            gap=None if level.gap is None else Statistic(level.gap),
            proved=level.proved,
            boxes=cells if drawn and cells else None,
        )

    return tuple(map(row, result.levels))
