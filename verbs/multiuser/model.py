"""From a checked scenario of kind ``multiuser`` to users, fairness function and rule, and the rule's answer.

Values and times in records are in the scenario's own unit; :class:`Model` knows both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, Final

from ...agents.users import Community, Point, User
from ...mechanisms.custom import call, foreign, made, refuse_memory
from ...mechanisms.multiuser.fairest_point import fairest, fairest_point, n_states
from ...mechanisms.multiuser.fairness import Fairness, Measure
from ...mechanisms.multiuser.grid import pareto_grid
from ...mechanisms.multiuser.multi import multimixed, multimixed_ratios
from ...mechanisms.multiuser.pareto import BudgetSpentError, pareto_front
from ...mechanisms.multiuser.protocol import METHOD, METHODS, UserRule, answer
from ...mechanisms.multiuser.refinement import RefineResult, refine, refine_printed
from ...mechanisms.multiuser.schedule import Outcome
from ...mechanisms.registry import info
from ...scenarios.multiuser import MultiuserSpec
from ...scenarios.scenario import Scenario
from ...support.progress import Progress, limited

CHEAP_STATES: Final = 20_000
"""Up to so many states the exact optimum is computed beside any answer, to say how far from fairest it is."""

REFINED: Final = ("refine", "refine-printed")
PROVED_FACTOR: Final = ("multicmax", "multisum", "multimixed")


@dataclass(frozen=True)
class Solution:
    """What a rule gives: an outcome, or a set of points; ``refined`` for the refinement, ``grid`` for a grid."""

    outcome: Outcome
    points: tuple[Point, ...] | None = None
    corners: int | None = None
    ratios: Mapping[str, Fraction] | None = None
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
            refined = self._refined(time_limit, progress)
            return Solution(refined.outcome, refined=refined)
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
            refined = self._refined(None, progress)
            return Solution(refined.outcome, refined=refined)
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
        shared = self.shared
        if shared.machines > 1 or len(shared.completion_users) > 1 or n_states(shared) > CHEAP_STATES:
            return None
        return measure.key(fairest_point(shared, measure))

    def times(self, values: Sequence[int]) -> tuple[Fraction, ...]:
        """Values of users in the scenario's unit of time."""
        return tuple(map(self.shared.in_time, values))

    def in_time(self, point: Point | None) -> tuple[Fraction, ...] | None:
        """A point in the scenario's unit of time, if there is one."""
        return None if point is None else self.times(point)

    def _pareto(self, progress: Progress | None, effort: int | None) -> Solution:
        if self.spec.epsilon is None:
            front = pareto_front(self.shared, effort, progress)
            return Solution(Outcome(None, (), front.method), front.points)
        grid = pareto_grid(self.shared, self.spec.epsilon, self.spec.ties, progress=progress)
        outcome = Outcome(None, (), "grid", exact=False, complete=grid.complete)
        ratios = None if grid.ratios is None else dict(zip(self.spec.names, grid.ratios, strict=True))
        return Solution(outcome, grid.points, grid.corners, ratios)

    def _refined(self, time_limit: float | None, progress: Progress | None) -> RefineResult:
        shared, spec, drawn = self.shared, self.spec, len(self.shared.makespan_users) <= 2
        function = refine if spec.rule == "refine" else refine_printed
        return function(
            shared,
            fairness(spec),
            spec.levels,
            spec.ties,
            time_limit=time_limit,
            keep_boxes=drawn,
            progress=progress,
        )


def model(scenario: Scenario, mechanism: Any = None) -> Model:
    """Build users, machines and rule of a scenario.

    ``mechanism``: a rule of one's own (:mod:`consortium.mechanisms.multiuser.protocol`), or a class or function that
    makes one from the community; it takes the place of the scenario's rule.
    """
    spec: MultiuserSpec = scenario.spec
    users = tuple(User(u.name, u.objective, u.jobs) for u in spec.users)
    shared, entry = Community(users, spec.machines), info("multiuser", spec.rule)
    if mechanism is None and entry.foreign:
        mechanism = foreign(entry, spec.options)
    if mechanism is None:
        return Model(shared, spec)
    own = made(mechanism, METHODS, community=shared)
    for method in ("point", "schedule"):
        function, where = getattr(own, method, None), f"{type(own).__name__}.{method}"
        if callable(function):
            refuse_memory(where, {"these users": partial(_answered, function, where, shared)})
    return Model(shared, spec, own)


def _answered(function: Callable[..., Any], where: str, shared: Community) -> Any:
    """An answer that can be compared; what is given once only, a generator, as a list."""

    def listed(community: Community) -> Any:
        answer = function(community)
        return list(answer) if isinstance(answer, Iterator) else answer

    return call(listed, where, community=shared)


def fairness(spec: MultiuserSpec) -> Fairness:
    """The fairness function of a scenario, before it meets the users."""
    block = spec.fairness
    return Fairness(block.norm, block.values, block.relative_to, block.weights or None)
