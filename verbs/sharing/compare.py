"""``compare`` on scenarios of kind ``sharing``: several rules on the same jobs, or on the same windows of a log."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from ...mechanisms.registry import info
from ...mechanisms.sharing.outcome import SharingOutcome, throughput
from ...mechanisms.sharing.simulation import simulate
from ...scenarios.scenario import Scenario
from ...scenarios.sharing import RuleSpec
from ...scheduling.errors import InputError
from ...scheduling.progress import Progress
from ..records import Answer, Statistic
from .audit_summary import rule_rows, window_rows
from .model import Setting, arguments, log_of, measured, plan, reference, setting
from .windows import RECORDED, Choice, WindowResult, choices, measure_all

COLUMNS: Final = ("unfairness", "deviation", "utilization", "seconds")


def compare(
    scenarios: Sequence[Scenario],
    *,
    progress: Progress | None = None,
    rules: Sequence[str] | None = None,
    seed: int | None = None,
    processes: int = 1,
    store: str | os.PathLike[str] | None = None,
) -> Answer:
    """Unfairness, utilization and run time of several rules on the same jobs; what each organization got and gave.

    One scenario: under ``rules`` (default: all; options as in ``rand:samples=75``, or else those of the scenario);
    from a log, on all its windows, where unfairness is the mean and deviation the population standard deviation.
    Several: each under its own rule, over the same organizations and jobs.

    ``seed`` takes the place of the scenario's. From a log: ``processes`` workers (the numbers do not depend on them),
    and ``store``, a file that keeps finished windows and from which the same comparison resumes; Ctrl-C keeps them.
    """
    if len(scenarios) > 1 and rules is not None:
        raise InputError("rules: give them with one scenario, or several scenarios without them")
    first = scenarios[0]
    chosen = first.seed or 0 if seed is None else seed
    if len(scenarios) == 1 and first.spec.trace is not None:
        wanted = tuple(_with_own_options(choice, first) for choice in choices(rules))
        return _on_windows(first, wanted, chosen, processes, store, progress)
    if processes != 1 or store is not None:
        raise InputError("processes, store: these are for one scenario with [trace]; the jobs of this one are few")
    return _on_jobs(scenarios, choices(rules), seed, progress)


def _with_own_options(choice: Choice, scenario: Scenario) -> Choice:
    """Options of a rule: the scenario's own where the rule uses them, then what the name says."""
    if choice.rule == RECORDED:
        return choice
    own: RuleSpec = scenario.spec.mechanism
    known = info("sharing", choice.rule).options
    kept = {key: getattr(own, key) for key in scenario.data["mechanism"] if key in known}
    if choice.rule == "rand" and choice.options:  # how many orderings is said in one of several ways
        kept = {key: value for key, value in kept.items() if key == "timing"}
    return Choice(choice.label, choice.rule, {**kept, **choice.options})


# --- listed jobs ----------------------------------------------------------------------------------------------------


def _on_jobs(
    scenarios: Sequence[Scenario], wanted: Sequence[Choice], seed: int | None, progress: Progress | None
) -> Answer:
    first = scenarios[0]
    found = setting(first)
    runs: list[tuple[str, str, dict[str, Any]]] = []
    for scenario in scenarios:
        chosen = scenario.seed if seed is None else seed
        if len(scenarios) > 1:
            if not _same(setting(scenario), found):
                raise InputError(f"compare: {scenario.label} has other organizations or jobs than {first.label}")
            rule: RuleSpec = scenario.spec.mechanism
            runs.append((rule.rule, scenario.label, arguments(rule, chosen)))
            continue
        for choice in (_with_own_options(choice, scenario) for choice in wanted):
            if choice.rule == RECORDED:
                raise InputError(f"rules: {RECORDED!r} needs a job log; these jobs are listed")
            runs.append((choice.label, scenario.label, {"rule": choice.rule, "seed": chosen or 0, **choice.options}))
    ideal = reference(found.instance, found.until, None, progress)
    rows, organizations = [], []
    for i, (label, name, given) in enumerate(runs):
        if progress is not None:
            progress(i, len(runs), label)
        began = time.perf_counter()
        outcome = simulate(found.instance, until=found.until, **given)
        rows.append(_row(label, name, outcome, ideal, time.perf_counter() - began))
        organizations += _organizations(label, name, outcome, ideal)
    body = {"columns": COLUMNS, "rows": rows, "organizations": organizations}
    return Answer("comparison", body, complete=all(row["complete"] for row in rows))


def _same(one: Setting, other: Setting) -> bool:
    if one.until != other.until or one.instance.machines != other.instance.machines:
        return False
    k = one.instance.n_organizations
    return all(one.instance.queue(u) == other.instance.queue(u) for u in range(k))


def _row(
    label: str, scenario: str, outcome: SharingOutcome, ideal: SharingOutcome | None, seconds: float
) -> dict[str, Any]:
    values: dict[str, Any] = dict.fromkeys(COLUMNS)
    values |= {"unfairness": measured(outcome, ideal)["unfairness"], "utilization": outcome.utilization}
    values["seconds"] = Statistic(seconds)
    return {"rule": label, "scenario": scenario, "values": values, "complete": outcome.complete}


def _organizations(
    label: str, scenario: str, outcome: SharingOutcome, ideal: SharingOutcome | None
) -> list[dict[str, Any]]:
    names = outcome.instance.names
    fair = [None] * len(names) if ideal is None else throughput(ideal)
    shapley = [None] * len(names) if ideal is None or ideal.contribution is None else ideal.contribution
    return [
        {"rule": label, "scenario": scenario, "name": name, "utility": psi, "fair": best, "contribution": phi}
        for name, psi, best, phi in zip(names, throughput(outcome), fair, shapley, strict=True)
    ]


# --- windows of a log -----------------------------------------------------------------------------------------------


def _on_windows(
    scenario: Scenario,
    wanted: tuple[Choice, ...],
    seed: int,
    processes: int,
    store: str | os.PathLike[str] | None,
    progress: Progress | None,
) -> Answer:
    trace = scenario.spec.trace
    log, cutting = log_of(trace.file, scenario.folder), dataclasses.replace(plan(scenario), seed=seed)
    asked = {"log": log.name, "jobs": len(log), **dataclasses.asdict(trace)}
    asked["options"] = [sorted(f"{key}={value}" for key, value in choice.options.items()) for choice in wanted]
    results, complete = measure_all(
        lambda i: cutting.window(log, i),
        trace.windows if trace.start is None else 1,
        wanted,
        seed,
        asked=asked,
        processes=processes,
        store=store,
        progress=progress,
    )
    body = {
        "columns": COLUMNS,
        "rows": rule_rows(results, wanted, scenario.label, complete),
        "organizations": _summed(results, wanted, scenario.label),
        "windows": window_rows(results),
    }
    return Answer("simulation", body, exact=False, complete=complete, seed=seed)


def _summed(results: Sequence[WindowResult], wanted: Sequence[Choice], scenario: str) -> list[Mapping[str, Any]]:
    """What each organization got and gave, all windows together; organizations are told apart by their names."""
    totals: dict[tuple[str, str], list[Any]] = {}
    for choice in wanted:
        for result in results:
            psi = result.of(choice.label).utility
            for u, name in enumerate(result.names):
                total = totals.setdefault((choice.label, name), [0, 0, Fraction(0)])
                total[0] += psi[u]
                total[1] += result.fair[u]
                total[2] += result.shapley[u]
    return [
        {"rule": label, "scenario": scenario, "name": name, "utility": psi, "fair": fair, "contribution": phi}
        for (label, name), (psi, fair, phi) in totals.items()
    ]
