"""``compare`` on scenarios of kind ``multiuser``: point and fairness under several rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from ...mechanisms.multiuser.catalogue import FAIRNESS_RULES
from ...mechanisms.multiuser.fairness import Measure, fairness_metrics
from ...mechanisms.multiuser.pareto import BudgetSpentError
from ...mechanisms.registry import RuleInfo
from ...scenarios.scenario import Scenario
from ...support.errors import TooLargeError
from ...support.progress import Progress, limited
from ..compare import Variant, check_same, side_by_side, variants
from ..records import CompareRecord, Statistic
from .model import Model, fairness, model
from .options import Compare
from .run import over

COLUMNS: Final = ("point", "fairness_key", "fairness", "over_optimum", "jain", "min_max")

SETS: Final = ("pareto",)
"""Rules that give no single point: shown only when they are named."""


def compare(scenarios: Sequence[Scenario], options: Compare, progress: Progress | None = None) -> CompareRecord:
    """Point and fairness of every row.

    The fairness function is that of the first scenario whose rule uses one. A rule that was not named and is out of
    reach at this size leaves an incomplete row; so does one that is stopped, by its budget or by the time limit.
    """
    check_same(scenarios, lambda scenario: model(scenario).shared, "users or machines")
    chosen = rows_to_be(scenarios, options)
    first = model(scenarios[0])
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
        kind=scenarios[0].kind,
        scenario="; ".join(scenario.label for scenario in scenarios),
        method="comparison",
        complete=complete,
        columns=COLUMNS,
        rows=rows,
    )


def is_named(scenarios: Sequence[Scenario], options: Compare) -> bool:
    """Whether the rows were asked for by name: one that is out of reach is then refused, else left incomplete."""
    return options.rules is not None or len(scenarios) > 1


def rows_to_be(scenarios: Sequence[Scenario], options: Compare) -> list[Variant]:
    """The rows that were asked for."""
    return variants(scenarios, options.rules, adapt, leave_out=SETS)


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
