"""From a scenario of kind ``federation`` to the objects of the lower floors, and how records write placements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

from ...agents.organizations import Federation, Placement
from ...games.checkers import cost_and_best
from ...games.placement.checker import judged
from ...games.placement.game import PlacementGame, PolicyGame
from ...games.protocol import Profile, ratio, regret
from ...mechanisms.custom import foreign, refuse_memory
from ...mechanisms.federation import checkers
from ...mechanisms.federation.coordination import Coordination, HostPolicy
from ...mechanisms.federation.custom import CustomPolicy, CustomSchedule, custom_rule
from ...mechanisms.federation.optimal import Optimal, Optimum
from ...mechanisms.federation.schedule import LocalOrder, Schedule
from ...mechanisms.kinds import RuleInfo, info
from ...scenarios.any_lengths import ShapeSpec
from ...scenarios.federation import FederationSpec
from ...scenarios.scenario import Scenario
from ...support.errors import InputError, TooLargeError
from ...support.exact import Extended
from ...support.progress import Clock, Progress

AnyPlacementGame: TypeAlias = PlacementGame | PolicyGame


@dataclass(frozen=True)
class Model:
    """The objects behind a scenario."""

    spec: FederationSpec
    rule: Any  # or a custom one in its place
    entry: RuleInfo | None  # of the rule in the registry; ``None`` for a custom one

    @property
    def federation(self) -> Federation:
        """Organizations with machines and jobs."""
        return self.spec.federation

    @property
    def played(self) -> bool:
        """Whether organizations place their jobs themselves: there is a game, and a placement to judge."""
        return isinstance(self.rule, HostPolicy)

    @property
    def total(self) -> bool:
        """Whether organizations minimise sums of completion times."""
        return isinstance(self.rule, HostPolicy) and self.rule.objective == "total-completion"

    def reference(self, default: LocalOrder) -> LocalOrder:
        """Order of the local schedules that others are measured against."""
        return self.spec.reference or default  # type: ignore[return-value]  # a name that the reader checked

    @property
    def claims(self) -> tuple[str, ...]:
        """What the rule promises, by name."""
        return () if self.entry is None else tuple(sorted(self.entry.claims))

    def game(self) -> AnyPlacementGame:
        """The placement game. Raises InputError for a central rule."""
        if isinstance(self.rule, Coordination):
            return PlacementGame(self.federation, self.rule)
        if isinstance(self.rule, CustomPolicy):
            return PolicyGame(self.federation, self.rule)
        own = f"mechanism: {_name(self.rule)}"
        which = own if self.entry is None else f"mechanism.rule: {self.entry.id!r}"
        raise InputError(
            f"{which} is a central rule, nobody chooses anything; equilibria exist under rule = 'coordination' "
            "and under a policy with order(host, jobs)"
        )


@dataclass(frozen=True)
class Played:
    """A schedule, and what else the rule tells: the guess of the relaxed rules, the proof of the optimum."""

    schedule: Schedule | None
    guess: Fraction | None = None
    optimum: Optimum | None = None

    @property
    def complete(self) -> bool:
        """Whether nothing stayed open within the time limit."""
        return self.optimum is None or self.optimum.complete


def model(scenario: Scenario, mechanism: Any = None) -> Model:
    """Build the rule of a scenario.

    ``mechanism``: a rule of one's own (:func:`~consortium.mechanisms.federation.custom.custom_rule`) in its place.
    Raises InputError where the lengths of the jobs are free.
    """
    spec: FederationSpec | ShapeSpec = scenario.spec
    if isinstance(spec, ShapeSpec):
        raise InputError(
            f"organizations[1].jobs: found {spec.jobs[0]}, so many jobs of any lengths; expected a list of lengths "
            "(of the verbs only prove takes such a scenario)"
        )
    entry = None if mechanism is not None else info(scenario.kind, spec.rule)
    if entry is not None and not entry.foreign:
        return Model(spec, entry.load()(**spec.options), entry)
    if entry is not None:
        mechanism = foreign(entry, spec.options)
    custom = Model(spec, custom_rule(mechanism, spec.federation, spec.options.get("objective", "makespan")), entry)
    if isinstance(custom.rule, CustomPolicy):
        refuse_memory(f"{_name(custom.rule)}.order", {"every job at home": partial(_at_home, custom)})
    elif isinstance(custom.rule, CustomSchedule):
        refuse_memory(f"{_name(custom.rule)}.run", {"these jobs": lambda: custom.rule.run(spec.federation)})
    return custom


def _at_home(m: Model) -> object:
    """Everybody's costs where all jobs are at home, by a game of its own, as games remember what they were told."""
    game = m.game()
    return game.costs(game.default_profile)


def _name(rule: Any) -> str:
    """The class of a rule of one's own."""
    return type(getattr(rule, "rule", rule)).__name__


def game(scenario: Scenario) -> tuple[AnyPlacementGame, Callable[[Profile], str]]:
    """The placement game of a scenario, and a short text for a profile."""
    return model(scenario).game(), label


def label(profile: Profile) -> str:
    """A placement as a short text: hosts by number, organizations apart; commas where a number has two digits.

    >>> label(((0, 1), (), (2,))), label(((10, 1), ()))
    ('12 | - | 3', '11,2 | -')
    """
    comma = "," if any(host >= 9 for hosts in profile for host in hosts) else ""
    return " | ".join(comma.join(str(h + 1) for h in hosts) if hosts else "-" for hosts in profile)


def play(m: Model, time_limit: float | None = None, progress: Progress | None = None) -> Played:
    """Run the rule; under a policy the scenario's placement is judged."""
    if isinstance(m.rule, HostPolicy):
        return Played(m.rule.run(m.federation, m.spec.placement))
    if isinstance(m.rule, Optimal):
        answer = m.rule.solve(m.federation, time_limit, progress)
        return Played(answer.schedule, optimum=answer)
    if hasattr(m.rule, "solve"):
        answer = m.rule.solve(m.federation)
        return Played(answer.schedule, guess=answer.guess)
    return Played(m.rule.run(m.federation))


def social_cost(m: Model, schedule: Schedule) -> Fraction:
    """The largest makespan, or the sum of everybody's completion times, as the objective says."""
    return sum(schedule.totals, Fraction(0)) if m.total else schedule.makespan


def judged_totals(m: Model) -> tuple[bool, bool]:
    """Whether the local constraint is judged on makespans, and whether on totals."""
    constraints = m.rule.constraints if isinstance(m.rule, Optimal) else ()
    totals = m.total or "local-total" in constraints
    return (not totals or "local" in constraints), totals


def local_constraint(m: Model, schedule: Schedule) -> checkers.Finding:
    """The local constraint (alpha = 1) that fits the objective: makespans, or sums of completion times."""
    makespans, totals = judged_totals(m)
    finding = checkers.Finding(True)
    if makespans:
        finding = checkers.local_constraint(schedule, m.spec.reference)
    if totals and finding.holds:
        finding = checkers.local_total_constraint(schedule, m.spec.reference)
    return finding


def selfishness(m: Model, schedule: Schedule) -> checkers.Finding:
    """The selfishness restriction in the scenario's reading."""
    return checkers.selfishness_restriction(schedule, m.spec.selfishness)


@dataclass(frozen=True)
class Alone:
    """What an organization pays in the placement, and the least that it could reach alone.

    ``best`` is ``None`` where that is out of reach: by its ``limit``, size or time.
    """

    cost: Extended
    best: Extended | None
    limit: str | None = None

    @property
    def epsilon(self) -> Extended | None:
        """The factor that it would gain; ``None`` with ``best``."""
        return None if self.best is None else ratio(self.cost, self.best)

    @property
    def regret(self) -> Extended | None:
        """What it would save; ``None`` with ``best``."""
        return None if self.best is None else regret(self.cost, self.best)


def alone(m: Model, clock: Clock | None = None) -> tuple[Alone, ...] | None:
    """Every organization's part of the placement judged, as far as time allows; ``None`` without a game."""
    if not m.played:
        return None
    placement = m.spec.placement
    if isinstance(m.rule, Coordination):
        pairs = judged(m.federation, m.rule, placement, clock)
        return tuple(
            Alone(c, None, "size" if type(b) is TooLargeError else "time") if isinstance(b, Exception) else Alone(c, b)
            for c, b in pairs
        )
    game = m.game()
    try:
        return tuple(Alone(cost, best) for cost, best in cost_and_best(game, placement))
    except TooLargeError:
        return tuple(Alone(cost, None, "size") for cost in game.costs(placement))


def by_host(spec: FederationSpec, placement: Sequence[Sequence[int]]) -> dict[str, list[str]]:
    """A placement as records write it: ``{O1: ["O1", "O2"], ...}``."""
    names = spec.names
    return {name: [names[h] for h in hosts] for name, hosts in zip(names, placement, strict=True)}


def placement_of(spec: FederationSpec, start: Mapping[str, Any] | Sequence[Any]) -> Placement:
    """The placement that a search starts from, as records write it or in order; who is left out stays at home.

    Raises InputError for what is wrong.
    """
    hosts = [list(row) for row in spec.federation.home()]
    if not isinstance(start, Mapping):
        if len(start) != len(hosts):
            raise InputError(f"start: found a list of {len(start)}; expected the hosts of {len(hosts)} organizations")
        start = dict(zip(spec.names, start, strict=True))
    for name, row in start.items():
        k = spec.federation.index(name, "start")
        if not isinstance(row, list | tuple) or len(row) != len(hosts[k]):
            raise InputError(f"start.{name}: found {row!r}; expected a list of {len(hosts[k])} hosts")
        hosts[k] = [spec.federation.index(host, f"start.{name}[{i + 1}]") for i, host in enumerate(row)]
    return spec.federation.check_placement(hosts)
