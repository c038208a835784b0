"""``verify`` and ``compare`` on scenarios of kind ``federation``: equilibria, constraints, claims, rules compared."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ...games.checkers import cost_and_best
from ...games.dynamics import best_response
from ...games.protocol import ratio, regret
from ...games.search import search as search_equilibria
from ...mechanisms.federation import checkers, metrics
from ...mechanisms.federation.claims import check
from ...mechanisms.federation.coordination import Coordination
from ...mechanisms.federation.schedule import Schedule
from ...mechanisms.registry import rules as known_rules
from ...scenarios.scenario import Scenario
from ...scheduling.errors import InputError, unknown_name
from ...scheduling.exact import Extended
from ...scheduling.progress import Clock, Progress
from ..records import Answer
from .model import Model, by_host, local_constraint, model, play, selfishness, with_rules

PROPERTIES = ("equilibrium", "local-constraint", "selfishness-restriction")
COLUMNS = ("social_cost", "local_constraint", "selfishness_restriction", "jain", "stretch", "price_of_anarchy")
ANARCHY_SECONDS = 20.0
"""How long ``compare`` searches the price of anarchy of one coordination mechanism, unless told."""


def verify(
    scenario: Scenario,
    *,
    progress: Progress | None = None,
    property: str | None = None,
    time_limit: float | None = None,
) -> Answer:
    """Whether the placement is an equilibrium, the constraints hold, and the rule keeps its promises here.

    Parameters
    ----------
    scenario
        The rule; for a coordination mechanism also ``[placement]``.
    property
        Whose verdict counts: ``"equilibrium"``, ``"local-constraint"``, ``"selfishness-restriction"`` or a claim of the
        rule. By default the equilibrium for a coordination mechanism, else all claims together.
    time_limit
        Seconds for the optimum behind a claimed ratio.
    """
    m = model(scenario)
    claims = known_rules("federation")[m.spec.rule].claims
    known = (*PROPERTIES[0 if isinstance(m.rule, Coordination) else 1 :], *sorted(claims))
    wanted = None if property is None else property.replace("_", "-")
    if wanted is not None and wanted not in known:
        raise unknown_name("property", wanted, known)
    schedule = play(m, time_limit).schedule
    if schedule is None:
        raise InputError("verify: no schedule meets the constraints (or none was found within the limit)")
    found = {"local-constraint": local_constraint(m, schedule), "selfishness-restriction": selfishness(m, schedule)}
    checked = {name: check(name, m.rule, schedule, time_limit) for name in sorted(claims)}
    stable = _equilibrium(m, scenario) if isinstance(m.rule, Coordination) else None
    verdicts: dict[str, bool | None] = {name: result.holds for name, result in checked.items()}
    verdicts |= {name: finding.holds for name, finding in found.items() if name not in checked}
    if stable is not None:
        verdicts["equilibrium"] = stable["holds"]
    body: dict[str, Any] = {
        "equilibrium": stable,
        "local_constraint": found["local-constraint"].holds,
        "selfishness_restriction": found["selfishness-restriction"].holds,
        "witnesses": {
            name.replace("-", "_"): _witness(m, finding) for name, finding in found.items() if not finding.holds
        },
        "claims": {
            name: {"holds": result.holds, "witness": _witness(m, result.finding)} for name, result in checked.items()
        },
    }
    complete = all(result.holds is not None for result in checked.values())
    if wanted is None:
        verdict = verdicts["equilibrium"] if stable is not None else all(verdicts[name] for name in checked)
    else:
        verdict = verdicts[wanted]
    return Answer(method="definition", body=body, complete=complete, verdict=verdict is not False)


def _witness(m: Model, finding: checkers.Finding | None) -> dict[str, Any] | None:
    if finding is None or finding.holds:
        return None
    names = m.federation.names
    return {
        "organization": None if finding.organization is None else names[finding.organization],
        "job": None if finding.job is None else finding.job + 1,
        "value": finding.value,
        "bound": finding.bound,
    }


def _equilibrium(m: Model, scenario: Scenario) -> dict[str, Any]:
    """Epsilon and regret of the placement, and the best reply of the organization that gains the largest factor."""
    game, placement = m.game(), m.spec.placement
    pairs = cost_and_best(game, placement)
    factors: list[Extended] = [ratio(cost, best) for cost, best in pairs]
    worst = max(range(len(pairs)), key=lambda k: factors[k])
    witness = None
    if factors[worst] > 1:
        name = m.federation.names[worst]
        better = (*placement[:worst], best_response(game, worst, placement)[0], *placement[worst + 1 :])
        cost, best = pairs[worst]
        witness = {
            "organization": name,
            "placement": by_host(m.spec, better)[name],
            "cost": cost,
            "better": best,
            "replay": [
                scenario.variant({"placement": by_host(m.spec, hosts)}, {"run": {"organizations": {name: {"cost": c}}}})
                for hosts, c in ((placement, cost), (better, best))
            ],
        }
    return {
        "holds": witness is None,
        "epsilon": max(factors, default=Fraction(1)),
        "regret": max((regret(cost, best) for cost, best in pairs), default=Fraction(0)),
        "witness": witness,
    }


def compare(
    scenarios: Sequence[Scenario],
    *,
    progress: Progress | None = None,
    rules: Sequence[str] | None = None,
    time_limit: float | None = None,
) -> Answer:
    """Cost, constraints, fairness and price of anarchy of several rules on the same organizations.

    Parameters
    ----------
    scenarios
        One scenario (then ``rules`` says which rules), or several over the same organizations. A coordination
        mechanism is judged at its placement; its price of anarchy is that of the whole game.
    rules
        Names of rules to put in the place of the scenario's; options that another rule does not use are left out.
    time_limit
        Seconds per row for what needs a search (default 20 for the price of anarchy); ``null`` and incomplete when it
        strikes.
    """
    if len(scenarios) > 1 and len({scenario.spec.names for scenario in scenarios}) > 1:
        raise InputError(
            "compare: the scenarios have different organizations; expected the same names in the same order"
        )
    variants = [v for scenario in scenarios for v in (with_rules(scenario, rules) if rules else [scenario])]
    rows, complete = [], True
    try:
        for i, scenario in enumerate(variants):
            if progress:
                progress(i, len(variants), scenario.spec.rule)
            m = model(scenario)
            values, whole = _row(m, time_limit, progress)
            complete = complete and whole
            rows.append({"rule": m.spec.rule, "scenario": scenario.label, "values": values, "complete": whole})
    except KeyboardInterrupt:
        complete = False
    return Answer(method="side by side", body={"columns": COLUMNS, "rows": rows}, complete=complete)


def _row(m: Model, time_limit: float | None, progress: Progress | None) -> tuple[dict[str, Any], bool]:
    clock = Clock(time_limit)
    played = play(m, clock.left())
    values: dict[str, Any] = dict.fromkeys(COLUMNS)
    if played.schedule is None:
        return values, played.optimum is None or played.optimum.complete
    schedule: Schedule = played.schedule
    values |= {
        "social_cost": sum(schedule.totals, Fraction(0)) if m.total else schedule.makespan,
        "local_constraint": local_constraint(m, schedule).holds,
        "selfishness_restriction": selfishness(m, schedule).holds,
        "jain": metrics.jain(m.federation, schedule.makespans),
        "stretch": metrics.stretch(m.federation, schedule.makespans),
    }
    complete = played.optimum is None or played.optimum.complete
    if isinstance(m.rule, Coordination):
        limit = ANARCHY_SECONDS if time_limit is None else clock.left()
        result = search_equilibria(m.game(), limit=0, time_limit=limit, progress=progress)
        values["price_of_anarchy"] = result.price_of_anarchy
        complete = complete and result.complete
    return values, complete
