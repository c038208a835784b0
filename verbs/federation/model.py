"""From a scenario of kind ``federation`` to the objects of the lower floors, and how records write placements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...agents.organizations import Federation, Placement
from ...games.placement.game import PlacementGame
from ...mechanisms.federation import checkers
from ...mechanisms.federation.coordination import Coordination
from ...mechanisms.federation.optimal import Optimal, Optimum
from ...mechanisms.federation.schedule import Schedule
from ...mechanisms.registry import rules as known_rules
from ...scenarios.federation import FederationSpec
from ...scenarios.reader import load
from ...scenarios.scenario import Scenario
from ...scheduling.errors import InputError, unknown_name


@dataclass(frozen=True)
class Model:
    """The objects behind a scenario."""

    spec: FederationSpec
    rule: Any

    @property
    def federation(self) -> Federation:
        """Organizations with machines and jobs."""
        return self.spec.federation

    @property
    def total(self) -> bool:
        """Whether organizations minimise sums of completion times."""
        return isinstance(self.rule, Coordination) and self.rule.objective == "total-completion"

    def game(self) -> PlacementGame:
        """The placement game. Raises InputError for a central rule."""
        if not isinstance(self.rule, Coordination):
            raise InputError(
                f"mechanism.rule: {self.spec.rule!r} is a central rule, nobody chooses anything; "
                "equilibria exist under rule = 'coordination'"
            )
        return PlacementGame(self.federation, self.rule)


@dataclass(frozen=True)
class Played:
    """A schedule, and what else the rule tells: the guess of the relaxed rules, the proof of the optimum."""

    schedule: Schedule | None
    guess: Fraction | None = None
    optimum: Optimum | None = None


def model(scenario: Scenario) -> Model:
    """Build the rule of a scenario."""
    spec: FederationSpec = scenario.spec
    return Model(spec, known_rules("federation")[spec.rule].load()(**spec.options))


def play(m: Model, time_limit: float | None = None) -> Played:
    """Run the rule; a coordination mechanism judges the scenario's placement."""
    if isinstance(m.rule, Coordination):
        return Played(m.rule.run(m.federation, m.spec.placement))
    if isinstance(m.rule, Optimal):
        answer = m.rule.solve(m.federation, time_limit)
        return Played(answer.schedule, optimum=answer)
    if hasattr(m.rule, "solve"):
        answer = m.rule.solve(m.federation)
        return Played(answer.schedule, guess=answer.guess)
    return Played(m.rule.run(m.federation))


def judged_totals(m: Model) -> tuple[bool, bool]:
    """Whether the local constraint is judged on makespans, and whether on totals."""
    constraints = m.rule.constraints if isinstance(m.rule, Optimal) else ()
    totals = m.total or "local-total" in constraints
    return (not totals or "local" in constraints), totals


def local_constraint(m: Model, schedule: Schedule) -> checkers.Finding:
    """The local constraint (alpha = 1) that fits the objective: makespans, or sums of completion times."""
    makespans, totals = judged_totals(m)
    found = checkers.Finding(True)
    if makespans:
        found = checkers.local_constraint(schedule, m.spec.reference)
    if totals and found.holds:
        found = checkers.local_total_constraint(schedule, m.spec.reference)
    return found


def selfishness(m: Model, schedule: Schedule) -> checkers.Finding:
    """The selfishness restriction in the scenario's reading."""
    return checkers.selfishness_restriction(schedule, m.spec.selfishness)


def by_host(spec: FederationSpec, placement: Sequence[Sequence[int]]) -> dict[str, list[str]]:
    """A placement as records write it: ``{O1: ["O1", "O2"], ...}``."""
    names = spec.names
    return {name: [names[h] for h in hosts] for name, hosts in zip(names, placement, strict=True)}


def placement_of(spec: FederationSpec, given: Mapping[str, Any], where: str = "start") -> Placement:
    """A placement from a record's form; organizations left out stay at home. Raises InputError for what is wrong."""
    hosts = [list(row) for row in spec.federation.home()]
    for name, row in given.items():
        k = spec.federation.index(name, where)
        if not isinstance(row, list | tuple) or len(row) != len(hosts[k]):
            raise InputError(f"{where}.{name}: found {row!r}; expected a list of {len(hosts[k])} hosts")
        hosts[k] = [spec.federation.index(host, f"{where}.{name}[{i + 1}]") for i, host in enumerate(row)]
    return spec.federation.check_placement(hosts)


def with_rules(scenario: Scenario, rules: Sequence[str]) -> list[Scenario]:
    """The scenario under each rule; keys that a rule does not use, and priorities of jobs it does not read, go."""
    known = known_rules("federation")
    found = []
    for rule in rules:
        if rule not in known:
            raise unknown_name("rules", rule, known)
        given = dict(scenario.data["mechanism"])
        kept = {key: value for key, value in given.items() if key in known[rule].options}
        if rule == "priority-equilibrium" and not isinstance(kept.get("order", []), list | tuple):
            del kept["order"]
        if rule == "optimal" and not {"local", "local-total"} & set(kept.get("constraints", ())):
            kept.pop("cooperation", None)
        changes: dict[str, Any] = {"mechanism": {"rule": rule, **kept}}
        if not (rule == "coordination" and kept.get("order") == "given"):
            changes["organizations"] = [_without_priorities(org) for org in scenario.data["organizations"]]
        found.append(load(scenario, changes))
    return found


def _without_priorities(organization: Mapping[str, Any]) -> dict[str, Any]:
    jobs = [
        {key: value for key, value in job.items() if key != "priority"} if isinstance(job, Mapping) else job
        for job in organization["jobs"]
    ]
    return {**organization, "jobs": jobs}
