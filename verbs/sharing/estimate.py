"""``--dry-run`` of the verbs on scenarios of kind ``sharing``: job starts over all schedules."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ...games.sharing.presentation import count_manipulations
from ...mechanisms.sharing.catalogue import REF_MAX
from ...mechanisms.sharing.kernels.ref_run import in_windows
from ...mechanisms.sharing.memory import memory
from ...mechanisms.sharing.sampled import sampled_memory
from ...parallel.processes import cores
from ...scenarios.scenario import Scenario
from ...support.errors import TooLargeError
from ...workloads.reading import read_log
from ...workloads.windows import SharedWork
from ..compare import variants
from ..costs import LOGGED_JOB_BYTES, SHARING, SIMULATED_JOB, SIMULATED_JOB_BYTES, predicted
from ..records import Estimate
from .audit import ruled
from .compare import on_windows
from .gaming import in_force, refuse
from .model import Setting, instance_of, setting
from .openings import windows_of
from .options import Audit, Compare, Run, Verify
from .results import REFERENCE
from .rules import Rule, adapt, is_ours, of_variant, rule_of, rules_of
from .starts import started
from .verify import moves_of
from .warm import lookback, warmed
from .weighing import weighed_log
from .windows import STARTS_PER_SECOND, job_starts
from .yardstick import yardstick_for


def run(scenario: Scenario, options: Run) -> Estimate:
    """The rule's schedule, and REF's."""
    found, rule = setting(scenario), rule_of(scenario, options.mechanism)
    size = _starts(found, rule) + (0 if _is_ref(rule) else _starts(found, REFERENCE))
    return _estimate("run", scenario, found, [rule], size, 2)


def verify(scenario: Scenario, options: Verify) -> Estimate:
    """The rule's schedule once for every move."""
    found, rule = setting(scenario), rule_of(scenario, options.mechanism)
    cases = sum(
        count_manipulations(found.instance.queue(u), moves_of(options), options.limit, options.cuts)
        for u, name in enumerate(found.instance.names)
        if options.organization in (None, name)
    )
    return _estimate("verify", scenario, found, [rule], _starts(found, rule) * (1 + cases), 1 + cases, measured=False)


def compare(scenarios: Sequence[Scenario], options: Compare) -> Estimate:
    """All rules on every window of a log, or once on listed jobs."""
    first, windows = scenarios[0], 1
    found = setting(first)
    if on_windows(scenarios):
        windows = first.spec.trace.windows if first.spec.trace.start is None else 1
        rules = rules_of(first, options.rules)
    else:
        rules = tuple(map(of_variant, variants(scenarios, options.rules, adapt)))
    size = windows * job_starts(found.instance.n_jobs, found.instance.n_organizations, len(rules))
    return _estimate("compare", first, found, rules, size, windows * len(rules))


def audit(path: str | os.PathLike[str], options: Audit) -> Estimate:
    """All rules on every window, by the size of the first."""
    began = time.process_time()
    log, _ = weighed_log(read_log(Path(path), zero=options.zero), options)
    log, _ = started(log, options)
    reading = time.process_time() - began
    plan, rules = ruled(log, options)
    refuse(options, rules)
    cuts = windows_of(log, plan, options)
    work, sample, rules = yardstick_for(cuts, options, rules)
    windows = cuts.number
    found = Setting(instance_of(work), work.until, work)
    starts = job_starts(len(work), len(work.names), len(rules), sample)
    warm = warmed(cuts, lookback(log, rules, options))
    starts += 0 if warm is None else job_starts(len(warm(0)), len(work.names), 1, sample)
    seconds = windows * starts / STARTS_PER_SECOND
    workers = min(options.processes or os.cpu_count() or 1, windows)
    measured = 0 if sample is None else sampled_memory(found.instance, work.until, sample)
    window = max(measured, _memory(found, rules, sample is None)) + len(work) * SIMULATED_JOB_BYTES * len(rules)
    runs = windows * len(rules)
    if options.gaming:
        runs += windows * len(work.names) * options.tries
        seconds += windows * _searched(work, in_force(rules, options), options.tries)
    return predicted(
        Estimate("audit", "sharing", log.name, runs, "simulations", note=_note(found)),
        SHARING,
        (seconds + windows * len(work) * len(rules) * SIMULATED_JOB) / workers,
        len(log) * LOGGED_JOB_BYTES + window + (workers - 1) * (SHARING.memory + window),
        timed=reading,
    )


def _searched(work: SharedWork, rule: Rule, tries: int) -> float:
    """Seconds of the searches in one window for what could be gained."""
    starts = job_starts(len(work), len(work.names), 1) if _is_ref(rule) else len(work)
    return tries * len(work.names) * (starts / STARTS_PER_SECOND + len(work) * SIMULATED_JOB)


def _is_ref(rule: Rule) -> bool:
    return not rule.own and rule.rule == "ref"


def _coalitions(found: Setting) -> int:
    """Coalitions that an organization belongs to: in so many schedules REF starts each of its jobs."""
    return 1 << max(0, min(found.instance.n_organizations, REF_MAX) - 1)


def _starts(found: Setting, rule: Rule) -> int:
    return found.instance.n_jobs * (_coalitions(found) if _is_ref(rule) else 1)


def _estimate(
    verb: str,
    scenario: Scenario,
    found: Setting,
    rules: Sequence[Rule],
    size: int,
    runs: int,
    measured: bool = True,
) -> Estimate:
    jobs = found.instance.n_jobs
    threads = cores() if in_windows(found.instance, found.until) else 1
    return predicted(
        Estimate(verb, scenario.kind, scenario.label, size, "job starts", note=_note(found)),
        SHARING,
        size / STARTS_PER_SECOND / threads + runs * jobs * SIMULATED_JOB,
        _memory(found, rules, measured) + jobs * SIMULATED_JOB_BYTES,
    )


def _memory(found: Setting, rules: Sequence[Rule], measured: bool = True) -> int:
    """Bytes of the largest run; TooLargeError where a rule would be refused, as when it runs."""
    instance = found.instance
    needed = [memory(instance, rule.rule, until=found.until, **rule.options) for rule in rules if is_ours(rule)]
    if measured:
        with suppress(TooLargeError):  # then nothing is measured
            needed.append(memory(instance, REFERENCE.rule, until=found.until))
    return max(needed, default=0)


def _note(found: Setting) -> str:
    instance = found.instance
    return f"jobs: {instance.n_jobs:,}, organizations: {instance.n_organizations}, machines: {instance.n_machines:,}"
