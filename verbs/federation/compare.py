"""``compare`` on scenarios of kind ``federation``: rules, and rules of one's own, on the same organizations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ...games.search import search
from ...mechanisms.federation import schedule as metrics
from ...mechanisms.federation.catalogue import JUDGED_BY
from ...mechanisms.registry import RuleInfo
from ...scenarios.scenario import Scenario
from ...support.errors import TooLargeError
from ...support.progress import Clock, Progress
from ..compare import Variant, check_same, side_by_side, variants
from ..records import CompareRecord
from .model import local_constraint, model, play, selfishness, social_cost
from .options import Compare

COLUMNS: Final = (
    "social_cost",
    "local_constraint",
    "selfishness_restriction",
    "jain",
    "stretch",
    "price_of_anarchy",
)
ANARCHY_SECONDS: Final = 20.0
"""How long the price of anarchy of one coordination mechanism is searched, unless told."""


def compare(scenarios: Sequence[Scenario], options: Compare, progress: Progress | None = None) -> CompareRecord:
    """Cost, constraints, fairness and price of anarchy of several rules on the same organizations.

    A coordination mechanism is judged at its placement; its price of anarchy is that of the whole game. The time limit
    is each row's; what it leaves open is ``None``, and the row incomplete.
    """
    check_same(scenarios, lambda scenario: scenario.spec.names, "organizations")

    def row(variant: Variant) -> tuple[Mapping[str, Any], bool]:
        return _row(variant, options.time_limit, progress)

    rows, complete = side_by_side(variants(scenarios, options.rules, adapt), row, progress)
    return CompareRecord(
        kind=scenarios[0].kind,
        scenario="; ".join(scenario.label for scenario in scenarios),
        method="side by side",
        complete=complete,
        columns=COLUMNS,
        rows=rows,
    )


def adapt(scenario: Scenario, rule: RuleInfo, options: dict[str, Any]) -> Mapping[str, Any]:
    """Another rule, judged as before; values that it does not understand, and priorities that it does not read, go."""
    judged = {key: value for key, value in scenario.data["mechanism"].items() if key in JUDGED_BY}
    if rule.id == "priority-equilibrium" and not isinstance(options.get("order", []), list | tuple):
        del options["order"]
    if rule.id == "optimal" and not {"local", "local-total"} & set(options.get("constraints", ())):
        options.pop("cooperation", None)
    changes: dict[str, Any] = {"mechanism": {"rule": rule.id, **judged, **options}}
    if not (rule.id == "coordination" and options.get("order") == "given"):
        changes["organizations"] = [_without_priorities(org) for org in scenario.data["organizations"]]
    return changes


def _without_priorities(organization: Mapping[str, Any]) -> dict[str, Any]:
    jobs = [
        {key: value for key, value in job.items() if key != "priority"} if isinstance(job, Mapping) else job
        for job in organization["jobs"]
    ]
    return {**organization, "jobs": jobs}


def _row(variant: Variant, time_limit: float | None, progress: Progress | None) -> tuple[Mapping[str, Any], bool]:
    m, clock = model(variant.scenario, variant.own), Clock(time_limit)
    played = play(m, clock.left(), progress)
    values: dict[str, Any] = dict.fromkeys(COLUMNS)
    if played.schedule is None:
        return values, played.complete
    schedule = played.schedule
    values |= {
        "social_cost": social_cost(m, schedule),
        "local_constraint": local_constraint(m, schedule).holds,
        "selfishness_restriction": selfishness(m, schedule).holds,
        "jain": metrics.jain(m.federation, schedule.makespans),
        "stretch": metrics.stretch(m.federation, schedule.makespans),
    }
    if not m.played:
        return values, played.complete
    limit = ANARCHY_SECONDS if time_limit is None else clock.left()
    try:
        result = search(m.game(), limit=0, time_limit=limit, progress=progress)
    except TooLargeError:  # the rest of the row is known all the same
        return values, False
    return values | {"price_of_anarchy": result.price_of_anarchy}, result.complete
