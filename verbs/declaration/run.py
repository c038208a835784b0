"""The verbs on scenarios of kind ``declaration``: ``run`` and ``search`` here, the others beside it.

Each verb builds the model of the scenario, calls the floor that answers, and names the results as the format says.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...games.incentives.cost import estimate as incentive_estimate
from ...games.search import search as search_equilibria
from ...mechanisms.declaration.protocol import Outcome, Plan, play, welfare_of
from ...scenarios.scenario import Scenario
from ...scheduling.exact import Extended, rational
from ...scheduling.progress import Progress
from ..game.search import LISTED, by_name, search_answer
from ..records import Answer, Estimate
from .compare import compare, estimate_compare
from .curve import curve
from .model import Model, declarations, model
from .verify import verify

__all__ = ["compare", "curve", "estimate", "run", "search", "verify"]


@dataclass(frozen=True)
class AgentRow:
    """One agent's part of a ``run`` record; the fields are those of the format."""

    name: str
    length: Fraction
    declares: Fraction
    stayed: bool
    machine: int | None
    position: int | None
    planned: Extended | None
    output: Extended | None
    payment: Extended
    utility: Extended
    penalty: Fraction | None
    controls: tuple[str, ...]
    work: tuple[tuple[Fraction, Fraction, Fraction], ...]
    killed: bool


def run(scenario: Scenario, *, progress: Progress | None = None, mechanism: Any = None) -> Answer:
    """Play the scenario once. ``mechanism``: a mechanism of one's own instead of the scenario's rule."""
    m = model(scenario, mechanism)
    declared = declarations(m)
    outcome = play(m.mechanism, declared, m.lengths, m.values)
    plan = outcome.plan
    body: dict[str, Any] = {
        "agents": tuple(_row(m, outcome, declared, n) for n in range(len(m.agents))),
        "optimal_sum": plan.optimal_sum if plan else None,
        "rent": outcome.rent,
        "welfare": {
            "planned": plan.welfare if plan else None,
            "final": welfare_of(m.goal, outcome.output) if outcome.welfare is None else outcome.welfare,
        },
    }
    if m.spec.rounds == 2 and plan is not None and plan.first_round is not None:
        offer = plan.first_round
        body["first_round"] = tuple(
            {"name": agent.name, "planned": offer.planned[n], "payment": offer.payments[n]}
            for n, agent in enumerate(m.agents)
        )
    return Answer(method="execution", body=body)


def _row(m: Model, outcome: Outcome, declared: tuple[Fraction, ...], n: int) -> AgentRow:
    plan: Plan | None = outcome.plan
    place = plan.places[n] if plan else None
    assert outcome.stayed is not None  # play() fills both in
    assert outcome.utilities is not None
    return AgentRow(
        name=m.agents[n].name,
        length=m.lengths[n],
        declares=declared[n],
        stayed=outcome.stayed[n],
        machine=place[0] + 1 if place else None,
        position=place[1] + 1 if place else None,
        planned=plan.planned[n] if plan else None,
        output=outcome.output[n],
        payment=outcome.payments[n],
        utility=outcome.utilities[n],
        penalty=plan.penalties[n] if plan else None,
        controls=outcome.controls[n] if outcome.controls else (),
        work=outcome.work[n] if outcome.work else (),
        killed=outcome.killed[n] if outcome.killed else False,
    )


def search(
    scenario: Scenario,
    *,
    progress: Progress | None = None,
    mechanism: Any = None,
    method: str | None = None,
    list: int = LISTED,
    time_limit: float | None = None,
    epsilon: Any = None,
    mixed: bool = False,
    start: Mapping[str, Any] | None = None,
) -> Answer:
    """Equilibria of the declaration game at the true lengths; dynamics start at the truth unless ``start`` says."""
    m = model(scenario, mechanism)
    game, names = m.game(), m.spec.names
    begin = m.lengths
    if start is not None:
        begin = tuple(rational(b, "start") for b in by_name(start, names))
    result = search_equilibria(
        game,
        method,
        limit=list,
        time_limit=time_limit,
        epsilon=None if epsilon is None else rational(epsilon, "epsilon"),
        mixed=mixed,
        start=begin,
        progress=progress,
    )

    def welfare(outcome: Any) -> Any:
        return [-part for part in game.welfare(outcome.profile)]

    profile = lambda p: dict(zip(names, p, strict=True))  # noqa: E731
    return search_answer(result, profile, None if game.numeric else welfare)


def estimate(verb: str, scenario: Scenario, *, mechanism: Any = None, **options: Any) -> Estimate:
    """Size and predicted cost of a verb."""
    if verb == "compare":
        return estimate_compare(scenario, **options)
    m = model(scenario, mechanism)
    if verb == "run":
        return Estimate(verb, scenario.kind, scenario.label, 1, "run of the mechanism")
    if verb == "search":
        game = m.game()
        size = math.prod(len(game.strategies(player)) for player in range(len(m.agents)))
        begin = time.perf_counter()
        game.costs(m.lengths)  # one run tells what the others will take
        seconds = (time.perf_counter() - begin) * size
        return Estimate(verb, scenario.kind, scenario.label, size, "declaration profiles", seconds)
    method = "general" if options.get("method") == "general" else "auto"
    cost = incentive_estimate(m.mechanism, m.domain(), method=method, sample=options.get("sample"))
    note = f"method {cost.method}; {cost.profiles:,} declaration profiles; time and memory are predictions"
    return Estimate(
        verb, scenario.kind, scenario.label, cost.comparisons, "comparisons of the truth with a lie", cost.seconds,
        cost.bytes, note,
    )  # fmt: skip
