"""Verbs on scenarios of kind ``multiuser``: what a rule gives everybody, how fair that is, and rules side by side.

Values and times in records are in the scenario's own unit; :class:`Model` knows both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import Any, Final

from ...agents.users import Community, Point, User
from ...mechanisms.custom import MOST, call, foreign, made, refuse_memory
from ...mechanisms.kinds import RuleInfo, info
from ...mechanisms.multiuser.catalogue import FAIRNESS_RULES
from ...mechanisms.multiuser.fairest_point import fairest, fairest_point, n_states
from ...mechanisms.multiuser.fairness import Fairness, Measure, fairness_metrics
from ...mechanisms.multiuser.grid import pareto_grid
from ...mechanisms.multiuser.multi import multimixed, multimixed_ratios
from ...mechanisms.multiuser.pareto import BudgetSpentError, ParetoFront, pareto_front
from ...mechanisms.multiuser.protocol import METHOD, METHODS, UserRule, answer
from ...mechanisms.multiuser.refinement import Level, RefineResult, refine, refine_printed
from ...mechanisms.multiuser.schedule import Outcome, nadir, zenith
from ...scenarios.multiuser import MultiuserSpec
from ...scenarios.scenario import Scenario
from ...support.errors import TooLargeError
from ...support.progress import Progress, limited
from ..compare import Variant, check_same, shared_fields, side_by_side, variants
from ..records import CompareRecord, Statistic
from .options import Compare, Run
from .records import BoxRow, FairnessRow, GridRow, JobRow, LevelRow, MetricsRow, RunRecord, UserRow

CHEAP_STATES: Final = 20_000
"""Up to so many states the exact optimum is computed beside any answer, to say how far from fairest it is."""

REFINED: Final = ("refine", "refine-printed")
PROVED_FACTOR: Final = ("multicmax", "multisum", "multimixed")


@dataclass(frozen=True)
class Solution:
    """What a rule gives: an outcome, for a set of points without one, and what the refinement found."""

    outcome: Outcome
    front: ParetoFront | None = None
    refined: RefineResult | None = None


@dataclass(frozen=True)
class Model:
    """Users, machines and rule of a scenario; ``own`` takes the place of its rule where it is given."""

    shared: Community
    spec: MultiuserSpec
    own: UserRule | None = None

    @property
    def rule(self) -> str:
        """Name of the rule that answers, :data:`METHOD` for one of one's own."""
        return self.spec.rule if self.own is None else METHOD

    def measure(self) -> Measure:
        """The fairness function of the scenario; the default one for rules without ``[fairness]``."""
        return fairness(self.spec).bind(self.shared)

    def solve(self, time_limit: float | None = None, progress: Progress | None = None, effort: int = 1) -> Solution:
        """Apply the rule; ``effort`` times its usual limits, or as long as a time limit or Ctrl-C let it.

        Sizes beyond the limits are refused before any work. Stopped, by a budget too that nobody can foresee, the
        fairest point is one that MULTIMixed finds, and a Pareto set has no points: none is proved yet.
        """
        if self.rule in REFINED:
            return self._refined(time_limit, progress)
        try:
            return self.solved(limited(progress, time_limit), effort if time_limit is None else None)
        except (KeyboardInterrupt, BudgetSpentError):
            return Solution(self._stopped())

    def _stopped(self) -> Outcome:
        """What a stopped rule leaves: for the fairest point a schedule that is not proved to be it, else nothing."""
        if self.rule != "fairest":
            return Outcome(None, (), self.rule, exact=False, complete=False)
        outcome: Outcome = multimixed(self.shared)
        return replace(outcome, method="fairest, stopped; multimixed", exact=False, complete=False)

    def solved(self, progress: Progress | None, effort: int | None) -> Solution:
        """What the rule gives; whoever stops it gets the KeyboardInterrupt, unless it is the refinement."""
        rule = self.rule
        if rule in REFINED:
            return self._refined(None, progress)
        if self.own is not None:
            return Solution(answer(self.own, self.shared))
        if rule == "pareto":
            return self._pareto(progress, effort)
        if rule == "fairest":
            return Solution(fairest(self.shared, fairness(self.spec), progress, effort).outcome)
        entry = info("multiuser", rule)
        return Solution(entry.load()(self.shared, **{key: getattr(self.spec, key) for key in entry.options}))

    def guarantees(self) -> tuple[Fraction | None, ...]:
        """Proved factor over each user's value alone, for the MULTI rules."""
        if self.rule not in PROVED_FACTOR:
            return (None,) * len(self.spec.users)
        return multimixed_ratios(self.shared, self.spec.local)

    def optimum(self, measure: Measure) -> Fraction | None:
        """Smallest key of all schedules where that is cheap to compute, else ``None``."""
        return measure.key(fairest_point(self.shared, measure)) if self.compares_with_optimum else None

    @property
    def compares_with_optimum(self) -> bool:
        """Whether the smallest key of all schedules is cheap to compute."""
        shared = self.shared
        return shared.machines == 1 and len(shared.completion_users) <= 1 and n_states(shared) <= CHEAP_STATES

    def times(self, values: Sequence[int]) -> tuple[Fraction, ...]:
        """Values of users in the scenario's unit of time."""
        return tuple(map(self.shared.in_time, values))

    def in_time(self, point: Point | None) -> tuple[Fraction, ...] | None:
        """A point in the scenario's unit of time, if there is one."""
        return None if point is None else self.times(point)

    def _pareto(self, progress: Progress | None, effort: int | None) -> Solution:
        if self.spec.epsilon is None:
            front = pareto_front(self.shared, effort, progress)
        else:
            front = pareto_grid(self.shared, self.spec.epsilon, self.spec.ties, progress=progress)
        outcome = Outcome(None, (), front.method, exact=self.spec.epsilon is None, complete=front.complete)
        return Solution(outcome, front)

    def _refined(self, time_limit: float | None, progress: Progress | None) -> Solution:
        spec, drawn = self.spec, len(self.shared.makespan_users) <= 2
        function = refine if spec.rule == "refine" else refine_printed
        refined = function(
            self.shared,
            fairness(spec),
            spec.levels,
            spec.ties,
            time_limit=time_limit,
            keep_boxes=drawn,
            progress=progress,
        )
        return Solution(refined.outcome, refined=refined)


def model(scenario: Scenario, mechanism: Any = None) -> Model:
    """Build users, machines and rule of a scenario.

    ``mechanism``: a rule of one's own (:mod:`consortium.mechanisms.multiuser.protocol`), or a class or function that
    makes one from the community; it takes the place of the scenario's rule.
    """
    spec: MultiuserSpec = scenario.spec
    ruleless, entry = without_rule(scenario), info("multiuser", spec.rule)
    shared = ruleless.shared
    if mechanism is None and entry.foreign:
        mechanism = foreign(entry, spec.options)
    if mechanism is None:
        return ruleless
    own = made(mechanism, METHODS, community=shared)
    for method in ("point", "schedule"):
        function, where = getattr(own, method, None), f"{type(own).__name__}.{method}"
        if callable(function):
            refuse_memory(where, {"these users": partial(_answered, function, where, shared)})
    return Model(shared, spec, own)


def without_rule(scenario: Scenario) -> Model:
    """The users and machines of a scenario; a custom rule, if it has one, is left out."""
    spec: MultiuserSpec = scenario.spec
    users = tuple(User(u.name, u.objective, u.jobs) for u in spec.users)
    return Model(Community(users, spec.machines), spec)


def _answered(function: Callable[..., Any], where: str, shared: Community) -> Any:
    """An answer that can be compared; what is given once only, a generator, as a list."""

    def listed(community: Community) -> Any:
        answer = function(community)
        return list(islice(answer, MOST)) if isinstance(answer, Iterator) else answer

    return call(listed, where, community=shared)


def fairness(spec: MultiuserSpec) -> Fairness:
    """The fairness function of a scenario, before it meets the users."""
    block = spec.fairness
    return Fairness(block.norm, block.values, block.relative_to, tuple(block.weights or ()) or None)


ZENITH_SECONDS: Final = 1.0
"""How long a user's optimal makespan alone may take before the record leaves it out."""

DRAWN_BOXES: Final = 600
"""Boxes of a refinement are recorded, for the picture, when there are at most so many and at most two axes."""


def run(scenario: Scenario, options: Run, progress: Progress | None = None) -> RunRecord:
    """Apply the rule once."""
    m = model(scenario, options.mechanism)
    solution = m.solve(options.time_limit, progress, options.effort)
    outcome, front, measure = solution.outcome, solution.front, m.measure()
    points = None if front is None else front.points
    return RunRecord.of(
        outcome,
        kind=scenario.kind,
        scenario=scenario.label,
        users=_users(m, outcome.point),
        feasible=_feasible(solution),
        point=m.in_time(outcome.point),
        jobs=_jobs(m, solution),
        pareto=None if points is None else tuple(m.times(point) for point in points[: options.list]),
        fairness=None if outcome.point is None else _fairness(m, measure, outcome.point, solution),
        metrics=None if outcome.point is None else MetricsRow(**fairness_metrics(measure.values(outcome.point))),
        pareto_count=None if points is None else len(points),
        pareto_left_out=None if points is None else max(0, len(points) - options.list),
        grid=None if front is None or front.corners is None else _grid(m, front),
        fairest=m.times(min(points, key=measure.integer_key)) if points else None,
    )


def _grid(m: Model, front: ParetoFront) -> GridRow:
    return GridRow.of(
        front, ratios=None if front.ratios is None else dict(zip(m.spec.names, front.ratios, strict=True))
    )


def _feasible(solution: Solution) -> bool | None:
    """Whether a schedule reaches the point; open for a set of points, and for a promise nobody could certify."""
    if not solution.outcome.complete and solution.outcome.point is None:
        return None
    if solution.front is not None or (solution.outcome.point is not None and not solution.outcome.slots):
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
        UserRow.of(
            user,
            value=None if point is None else in_time(point[u]),
            zenith=None if best is None else in_time(best[u]),
            nadir=in_time(worst[u]),
            guarantee=guarantee,
        )
        for u, (user, guarantee) in enumerate(zip(m.spec.users, m.guarantees(), strict=True))
    )


def _fairness(m: Model, measure: Measure, point: Point, solution: Solution) -> FairnessRow:
    key, refined, ended = measure.key(point), solution.refined, solution.outcome.complete
    proved = (ended and m.rule == "fairest") or (refined is not None and refined.proved)
    best = key if proved else m.optimum(measure) if ended else None  # what was stopped does not begin anew
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
        return LevelRow.of(
            level,
            value=Statistic(level.value),
            point=m.times(level.point),
            gap=None if level.gap is None else Statistic(level.gap),
            boxes=cells if drawn and cells else None,
        )

    return tuple(map(row, result.levels))


COLUMNS: Final = ("point", "fairness_key", "fairness", "over_optimum", "jain", "min_max")

SETS: Final = ("pareto",)
"""Rules that give no single point: shown only when they are named."""


def compare(scenarios: Sequence[Scenario], options: Compare, progress: Progress | None = None) -> CompareRecord:
    """Point and fairness of every row.

    The fairness function is that of the first scenario whose rule uses one. A rule that was not named and is out of
    reach at this size leaves an incomplete row; so does one that is stopped, by its budget or by the time limit.
    """
    check_same(scenarios, lambda scenario: without_rule(scenario).shared, "users or machines")
    chosen = rows_to_be(scenarios, options)
    first = without_rule(scenarios[0])
    specs = [scenario.spec for scenario in (*scenarios, *(variant.scenario for variant in chosen))]
    measured = next((spec for spec in specs if spec.rule in FAIRNESS_RULES), specs[0])
    measure = fairness(measured).bind(first.shared)
    watched = limited(progress, options.time_limit)
    best, named = first.optimum(measure), is_named(scenarios, options)

    def row(variant: Variant) -> tuple[Mapping[str, Any], bool]:
        try:
            return _row(model(variant.scenario, variant.own), measure, best, options.effort, watched)
        except TooLargeError as error:
            if named and options.time_limit is None and not isinstance(error, BudgetSpentError):
                raise
            return dict.fromkeys(COLUMNS), False

    rows, complete = side_by_side(chosen, row, watched)
    return CompareRecord(
        method="comparison",
        **shared_fields(scenarios, COLUMNS, rows, complete),
    )


def is_named(scenarios: Sequence[Scenario], options: Compare) -> bool:
    """Whether the rows were asked for by name: one that is out of reach is then refused, else left incomplete."""
    return options.rules is not None or len(scenarios) > 1


def rows_to_be(scenarios: Sequence[Scenario], options: Compare) -> list[Variant]:
    """The rows that were asked for."""
    return variants(scenarios, options.rules, leave_out=SETS)


def adapt(scenario: Scenario, rule: RuleInfo, options: dict[str, Any]) -> Mapping[str, Any]:
    """Another rule; thresholds are left open where the scenario has none, ties and ``[fairness]`` go where unused."""
    if rule.id == "pareto" and "epsilon" not in options:
        options.pop("ties", None)
    if "thresholds" in rule.options:
        options.setdefault("thresholds", ["none"] * len(scenario.spec.users))
    changes: dict[str, Any] = {"mechanism": {"rule": rule.id, **options}}
    return changes if rule.id in FAIRNESS_RULES else changes | {"fairness": None}


def _row(
    m: Model, measure: Measure, best: Fraction | None, effort: int, progress: Progress | None
) -> tuple[Mapping[str, Any], bool]:
    outcome = m.solved(progress, effort).outcome
    if outcome.point is None:
        return dict.fromkeys(COLUMNS), outcome.complete
    key, metrics = measure.key(outcome.point), fairness_metrics(measure.values(outcome.point))
    values = {
        "point": m.times(outcome.point),
        "fairness_key": key,
        "fairness": Statistic(measure.value(key)),
        "over_optimum": over(measure, key, best),
        "jain": metrics["jain"],
        "min_max": metrics["min_max"],
    }
    return values, outcome.complete
