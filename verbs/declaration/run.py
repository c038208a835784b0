"""``run`` on scenarios of kind ``declaration``: one run of the mechanism, agent by agent."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from ...mechanisms.declaration.protocol import Outcome, Plan, play, welfare_of
from ...scenarios.scenario import Scenario
from ...scheduling.exact import Extended
from ...scheduling.goals import Value
from ...scheduling.progress import Progress
from ..records import OPTIONAL, Record, Row
from .model import Model, declarations, model
from .options import Run


@dataclass(frozen=True, kw_only=True)
class AgentRow(Row):
    """One agent's part."""

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


@dataclass(frozen=True, kw_only=True)
class WelfareRow(Row):
    """The maximised goal by plan and in the end."""

    planned: Value | None
    final: Value


@dataclass(frozen=True, kw_only=True)
class OfferRow(Row):
    """What the first of two rounds offers an agent."""

    name: str
    planned: Extended
    payment: Extended


@dataclass(frozen=True, kw_only=True)
class RunRecord(Record):
    """One run of a declaration mechanism."""

    verb: ClassVar[str] = "run"
    main: ClassVar[str] = "agents"
    agents: tuple[AgentRow, ...]
    optimal_sum: Fraction | None
    rent: Extended
    welfare: WelfareRow
    first_round: tuple[OfferRow, ...] | None = field(default=None, metadata=OPTIONAL)


def run(scenario: Scenario, options: Run, progress: Progress | None = None) -> RunRecord:
    """Play the scenario once."""
    m = model(scenario, options.mechanism)
    declared = declarations(m)
    outcome = play(m.mechanism, declared, m.lengths, m.values)
    plan = outcome.plan
    return RunRecord(
        kind=scenario.kind,
        scenario=scenario.label,
        method="execution",
        agents=tuple(_row(m, outcome, declared, n) for n in range(len(m.agents))),
        optimal_sum=plan.optimal_sum if plan else None,
        rent=outcome.rent,
        welfare=WelfareRow(
            planned=plan.welfare if plan else None,
            final=welfare_of(m.goal, outcome.output) if outcome.welfare is None else outcome.welfare,
        ),
        first_round=_offer(m, plan),
    )


def _row(m: Model, outcome: Outcome, declared: tuple[Fraction, ...], n: int) -> AgentRow:
    plan = outcome.plan
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


def _offer(m: Model, plan: Plan | None) -> tuple[OfferRow, ...] | None:
    """The first round's offer, where there are two."""
    if m.spec.rounds != 2 or plan is None or plan.first_round is None:
        return None
    offer = plan.first_round
    return tuple(
        OfferRow(name=agent.name, planned=offer.planned[n], payment=offer.payments[n])
        for n, agent in enumerate(m.agents)
    )
