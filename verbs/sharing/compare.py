"""``compare`` on scenarios of kind ``sharing``: several rules on the same jobs, or on the same windows of a log."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Final

from ...mechanisms.kinds import RuleInfo
from ...mechanisms.sharing.catalogue import SLURM
from ...mechanisms.sharing.outcome import SharingOutcome, throughput
from ...mechanisms.sharing.simulation import simulate
from ...scenarios.scenario import Scenario
from ...support.errors import InputError
from ...support.progress import Progress, limited
from ..compare import Variant, check_same, shared_fields, side_by_side, variants
from ..records import Statistic
from .model import (
    RECORDED,
    Rule,
    is_recorded,
    is_whole,
    measured,
    of_variant,
    plan,
    reference,
    rules_of,
    scenario_log,
    setting,
)
from .options import Compare
from .plan import Windows, period_of
from .records import ShareRow, SharingCompareRecord, kept
from .results import WindowResult
from .store import History, stored
from .summary import COLUMNS, rule_rows, window_rows
from .windows import measure_all

WAYS: Final = (frozenset({"samples"}), frozenset({"orderings"}), frozenset({"epsilon", "confidence"}))
"""Ways to say how many orderings rand looks at, of which one holds."""


def compare(scenarios: Sequence[Scenario], options: Compare, progress: Progress | None = None) -> SharingCompareRecord:
    """Unfairness, utilization and run time of several rules on the same jobs; what each organization got and gave.

    One scenario with ``[trace]`` is compared on all its windows, others on their jobs (or their first window).
    """
    progress = limited(progress, options.time_limit)
    if on_windows(scenarios):
        return _on_windows(scenarios[0], options, progress)
    if options.processes != 1 or options.store is not None:
        raise InputError("processes, store: these are for one scenario with [trace]; the jobs of this one are few")
    if any(map(is_recorded, (options.rules or {}).values())):
        raise InputError(f"rules: {RECORDED!r} needs a job log; these jobs are listed")
    return _on_jobs(scenarios, options, progress)


def on_windows(scenarios: Sequence[Scenario]) -> bool:
    """Whether the windows of a log are compared."""
    return len(scenarios) == 1 and scenarios[0].spec.trace is not None


# --- listed jobs ----------------------------------------------------------------------------------------------------


def _on_jobs(scenarios: Sequence[Scenario], options: Compare, progress: Progress | None) -> SharingCompareRecord:
    compared = variants(scenarios, options.rules, leave_out=SLURM)
    whole = any(is_whole(of_variant(variant)) for variant in compared)
    check_same(scenarios, partial(_jobs, whole=whole), "organizations or jobs")
    setup = setting(scenarios[0], whole)
    ideal = reference(setup.instance, setup.until, None, progress)
    shares: list[ShareRow] = []

    def row(variant: Variant) -> tuple[Mapping[str, Any], bool]:
        seed = variant.scenario.seed if options.seed is None else options.seed
        rule, began = of_variant(variant), time.perf_counter()
        outcome = simulate(setup.instance, until=setup.until, **rule.arguments(setup.instance.machines, seed))
        seconds = time.perf_counter() - began
        shares.extend(_shares(variant, outcome, ideal))
        values = dict.fromkeys(COLUMNS) | {
            "unfairness": measured(outcome, ideal)["unfairness"],
            "utilization": outcome.utilization,
            "seconds": Statistic(seconds),
        }
        return values, outcome.complete and (ideal is None or ideal.complete)

    rows, complete = side_by_side(compared, row, progress, go_on=False)
    return SharingCompareRecord(
        method="comparison",
        **shared_fields(scenarios, COLUMNS, rows, complete),
        organizations=tuple(shares),
    )


def _jobs(scenario: Scenario, whole: bool) -> object:
    setup = setting(scenario, whole)
    instance = setup.instance
    shapes = [
        None if column is None else column.tolist() for column in (instance.width, instance.estimate, instance.qos)
    ]
    return setup.until, instance.machines, [instance.queue(u) for u in range(instance.n_organizations)], shapes


def _shares(variant: Variant, outcome: SharingOutcome, ideal: SharingOutcome | None) -> list[ShareRow]:
    names = outcome.instance.names
    fair = [None] * len(names) if ideal is None else throughput(ideal)
    shapley = [None] * len(names) if ideal is None or ideal.contribution is None else ideal.contribution
    return [
        ShareRow(
            rule=variant.label,
            scenario=variant.scenario.label,
            name=name,
            utility=psi,
            fair=best,
            contribution=phi,
        )
        for name, psi, best, phi in zip(names, throughput(outcome), fair, shapley, strict=True)
    ]


# --- windows of a log -----------------------------------------------------------------------------------------------


def _on_windows(scenario: Scenario, options: Compare, progress: Progress | None) -> SharingCompareRecord:
    trace, rules = scenario.spec.trace, rules_of(scenario, options.rules)
    seed = (scenario.seed or 0) if options.seed is None else options.seed
    log = scenario_log(scenario)
    cutting = dataclasses.replace(plan(scenario, any(map(is_whole, rules))), seed=seed)
    windows = Windows(log, cutting, trace.windows if trace.start is None else 1)
    free = ("file", "windows") if trace.start is None else ("file",)  # random windows are more of the same
    question = {key: value for key, value in dict(trace).items() if key not in free} | {"seed": seed}

    def history() -> History:
        return History(windows, period_of(log))

    with stored(options.store, question, rules, history) as shelf:
        results, complete, failure = measure_all(
            windows,
            rules,
            seed,
            shelf,
            processes=options.processes,
            progress=progress,
        )
    record = SharingCompareRecord(
        kind=scenario.kind,
        scenario=scenario.label,
        method="simulation",
        exact=False,
        complete=complete,
        seed=seed,
        columns=COLUMNS,
        rows=rule_rows(results, rules, scenario.label, complete),
        organizations=_summed(results, rules, scenario.label),
        windows=window_rows(results, windows),
    )
    return kept(record, failure)


def _summed(results: Sequence[WindowResult], rules: Sequence[Rule], scenario: str) -> tuple[ShareRow, ...]:
    """What each organization got and gave, all windows together; organizations are told apart by their names."""
    totals: dict[tuple[str, str], list[Any]] = {}
    for rule in rules:
        for result in results:
            psi = result.of(rule.label).utility
            for u, name in enumerate(result.names):
                total = totals.setdefault((rule.label, name), [0, 0, Fraction(0)])
                total[0] += psi[u]
                total[1] += result.fair.utility[u]
                total[2] += result.fair.shapley[u]
    return tuple(
        ShareRow(rule=label, scenario=scenario, name=name, utility=psi, fair=fair, contribution=phi)
        for (label, name), (psi, fair, phi) in totals.items()
    )


def adapt(scenario: Scenario, rule: RuleInfo, options: dict[str, Any]) -> Mapping[str, Any]:
    """Another rule; the scenario's own options stay unless they contradict one that is given with the rule."""
    own = scenario.data["mechanism"]
    new = {key for key, value in options.items() if key not in own or own[key] != value}
    ways = [way for way in WAYS if way & new]
    dropped = {key for way in WAYS if ways and way not in ways for key in way}
    return {"mechanism": {"rule": rule.id} | {key: value for key, value in options.items() if key not in dropped}}
