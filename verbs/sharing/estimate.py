"""``--dry-run`` of the verbs on scenarios of kind ``sharing``: job starts over all schedules."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...mechanisms.sharing.catalogue import REF_MAX
from ...scenarios.scenario import Scenario
from ...workloads.reading import read_log
from ..compare import variants
from ..costs import LOGGED_JOB_BYTES, SHARING, SIMULATED_JOB, SIMULATED_JOB_BYTES, predicted
from ..records import Estimate
from .audit import n_windows, rules_for
from .audit_plan import plan_of
from .compare import on_windows
from .model import Setting, setting
from .options import Audit, Compare, Run, Verify
from .rules import Rule, adapt, rule_of, rules_of
from .windows import REFERENCE, STARTS_PER_SECOND, job_starts


def run(scenario: Scenario, options: Run) -> Estimate:
    """The rule's schedule, and REF's."""
    found, rule = setting(scenario), rule_of(scenario, options.mechanism)
    return _estimate(
        "run", scenario, found, _starts(found, rule) + (0 if _is_ref(rule) else _starts(found, REFERENCE)), 2
    )


def verify(scenario: Scenario, options: Verify) -> Estimate:
    """The rule's schedule once for every move."""
    found, rule = setting(scenario), rule_of(scenario, options.mechanism)
    split = int(np.minimum(found.instance.length - 1, options.cuts).sum())
    moves = 1 + split + found.instance.n_jobs * (1 + 2 * options.limit)
    return _estimate("verify", scenario, found, _starts(found, rule) * moves, moves)


def compare(scenarios: Sequence[Scenario], options: Compare) -> Estimate:
    """All rules on every window of a log, or once on listed jobs."""
    first, windows = scenarios[0], 1
    found = setting(first)
    if on_windows(scenarios):
        windows = first.spec.trace.windows if first.spec.trace.start is None else 1
        n_rules = len(rules_of(first, options.rules))
    else:
        n_rules = len(variants(scenarios, options.rules, adapt))
    size = windows * job_starts(found.instance.n_jobs, found.instance.n_organizations, n_rules)
    return _estimate("compare", first, found, size, windows * n_rules)


def audit(path: str | os.PathLike[str], options: Audit) -> Estimate:
    """All rules on every window, by the size of the first."""
    began = time.process_time()
    log = read_log(Path(path), zero=options.zero)
    reading = time.process_time() - began
    plan = plan_of(log, options)
    work, windows, n_rules = plan.window(log), n_windows(plan, options), len(rules_for(log, plan, options))
    seconds = windows * job_starts(len(work), len(work.names), n_rules) / STARTS_PER_SECOND
    workers = min(options.processes or os.cpu_count() or 1, windows)
    window = len(work) * (SIMULATED_JOB_BYTES * n_rules) + 8 * min(len(work), sum(work.machines)) * 2 ** len(work.names)
    return predicted(
        Estimate("audit", "sharing", log.name, windows * n_rules, "simulations"),
        SHARING,
        (seconds + windows * len(work) * n_rules * SIMULATED_JOB) / workers,
        len(log) * LOGGED_JOB_BYTES + window + (workers - 1) * (SHARING.memory + window),
        timed=reading,
    )


def _is_ref(rule: Rule) -> bool:
    return not rule.own and rule.rule == "ref"


def _coalitions(found: Setting) -> int:
    """Coalitions that an organization belongs to: in so many schedules REF starts each of its jobs."""
    return 1 << max(0, min(found.instance.n_organizations, REF_MAX) - 1)


def _starts(found: Setting, rule: Rule) -> int:
    return found.instance.n_jobs * (_coalitions(found) if _is_ref(rule) else 1)


def _estimate(verb: str, scenario: Scenario, found: Setting, size: int, runs: int) -> Estimate:
    instance = found.instance
    note = f"jobs: {instance.n_jobs:,}, organizations: {instance.n_organizations}, machines: {instance.n_machines:,}"
    return predicted(
        Estimate(verb, scenario.kind, scenario.label, size, "job starts", note=note),
        SHARING,
        size / STARTS_PER_SECOND + runs * instance.n_jobs * SIMULATED_JOB,
        8 * min(instance.n_machines, instance.n_jobs) * _coalitions(found) + instance.n_jobs * SIMULATED_JOB_BYTES,
    )
