"""``run`` on scenarios of kind ``declaration``: one run of the mechanism, agent by agent."""

from __future__ import annotations

from fractions import Fraction

from ...mechanisms.declaration.protocol import Outcome, play
from ...scenarios.scenario import Scenario
from ...support.progress import Progress
from .model import Model, declarations, model
from .options import Run
from .records import AgentRow, OfferRow, RunRecord, WelfareRow


def run(scenario: Scenario, options: Run, progress: Progress | None = None) -> RunRecord:
    """Play the scenario once."""
    m = model(scenario, options.mechanism)
    declared = declarations(m)
    outcome = play(m.mechanism, declared, m.lengths, m.values)
    plan, offer = outcome.plan, None
    if m.spec.rounds == 2 and plan is not None and plan.first_round is not None:
        first = zip(m.spec.names, plan.first_round.planned, plan.first_round.payments, strict=True)
        offer = tuple(OfferRow(name=name, planned=planned, payment=payment) for name, planned, payment in first)
    return RunRecord(
        kind=scenario.kind,
        scenario=scenario.label,
        method="execution",
        agents=_agents(m, outcome, declared),
        optimal_sum=plan.optimal_sum if plan else None,
        rent=outcome.rent,
        welfare=WelfareRow(
            planned=plan.welfare if plan else None,
            final=outcome.welfare_by(m.goal),
        ),
        first_round=offer,
    )


def _agents(m: Model, outcome: Outcome, declared: tuple[Fraction, ...]) -> tuple[AgentRow, ...]:
    plan, nobody = outcome.plan, (None,) * len(declared)
    assert outcome.stayed is not None  # play() fills both in
    assert outcome.utilities is not None
    places = plan.places if plan else nobody
    columns = {
        "name": m.spec.names,
        "length": m.lengths,
        "declares": declared,
        "stayed": outcome.stayed,
        "machine": [place[0] + 1 if place else None for place in places],
        "position": [place[1] + 1 if place else None for place in places],
        "planned": plan.planned if plan else nobody,
        "output": outcome.output,
        "payment": outcome.payments,
        "utility": outcome.utilities,
        "penalty": plan.penalties if plan else nobody,
        "controls": outcome.controls or ((),) * len(declared),
        "work": outcome.work or ((),) * len(declared),
        "killed": outcome.killed or (False,) * len(declared),
    }
    return tuple(AgentRow(**dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True))
