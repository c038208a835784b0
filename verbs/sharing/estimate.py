"""``--dry-run`` of the verbs on scenarios of kind ``sharing``: job starts over all schedules."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ...games.sharing.presentation import count_manipulations
from ...mechanisms.sharing.catalogue import REF_MAX, SLURM
from ...mechanisms.sharing.sampled import sampled_memory
from ...mechanisms.sharing.simulation import memory
from ...parallel.executors import cores
from ...parallel.store import Store
from ...scenarios.scenario import Scenario
from ...support.errors import TooLargeError
from ..compare import variants
from ..costs import LOGGED_JOB_BYTES, SHARING, SIMULATED_JOB, SIMULATED_JOB_BYTES, predicted
from ..records import Estimate
from .compare import on_windows
from .gaming import TWICE
from .model import Rule, Setting, instance_of, is_ours, of_variant, rule_of, rules_of, setting
from .options import Audit, AuditGaming, AuditTrend, Compare, LogOptions, ReplayOptions, Run, Verify
from .setup import Setup, reference_for, setup_of
from .store import stored_windows
from .verify import moves_of
from .windows import REFERENCE, STARTS_PER_SECOND, job_starts


def run(scenario: Scenario, options: Run) -> Estimate:
    """The rule's schedule, and REF's."""
    setup, rule = setting(scenario), rule_of(scenario, options.mechanism)
    size = _starts(setup, rule) + (0 if _is_ref(rule) else _starts(setup, REFERENCE))
    return _estimate("run", scenario, setup, [rule], size, 2)


def verify(scenario: Scenario, options: Verify) -> Estimate:
    """The rule's schedule once for every move."""
    setup, rule = setting(scenario), rule_of(scenario, options.mechanism)
    cases = sum(
        count_manipulations(setup.instance.queue(u), moves_of(options), options.max_delay, options.max_splits)
        for u, name in enumerate(setup.instance.names)
        if options.organization in (None, name)
    )
    return _estimate("verify", scenario, setup, [rule], _starts(setup, rule) * (1 + cases), 1 + cases, measured=False)


def compare(scenarios: Sequence[Scenario], options: Compare) -> Estimate:
    """All rules on every window of a log, or once on listed jobs."""
    first, windows = scenarios[0], 1
    setup = setting(first)
    if on_windows(scenarios):
        windows = first.spec.trace.windows if first.spec.trace.start is None else 1
        rules = rules_of(first, options.rules)
    else:
        rules = tuple(map(of_variant, variants(scenarios, options.rules, leave_out=SLURM)))
    size = windows * job_starts(setup.instance.n_jobs, setup.instance.n_organizations, len(rules))
    return _estimate("compare", first, setup, rules, size, windows * len(rules))


def audit(path: str | os.PathLike[str], options: ReplayOptions) -> Estimate:
    """All rules on every window, by the size of the first."""
    setup, reading = _read(path, options)
    work, sample, rules = reference_for(setup)
    windows, instance = setup.windows.number, instance_of(work)
    starts = job_starts(len(work), len(work.names), len(rules), sample)
    measured = 0 if sample is None else sampled_memory(instance, work.until, sample)
    setting = Setting(instance, work.until, work)
    needed = max(measured, _memory(setting, rules, sample is None)) + len(work) * SIMULATED_JOB_BYTES * len(rules)
    seconds = windows * (starts / STARTS_PER_SECOND + len(work) * len(rules) * SIMULATED_JOB)
    return _of_log(setup, setting, windows * len(rules), seconds, needed, windows, reading)


audit_switch = audit


def audit_gaming(path: str | os.PathLike[str], options: AuditGaming) -> Estimate:
    """One simulation for every presentation that is tried."""
    setup, reading = _read(path, options)
    work, rule, windows = setup.windows.window(), setup.in_force, setup.windows.number
    setting = Setting(instance_of(work), work.until, work)
    runs = windows * len(work.names) * options.tries  # each is two schedules at most, of all jobs and of its own
    starts = job_starts(len(work), len(work.names), 1) if _is_ref(rule) else len(work)
    needed = _memory(setting, (rule,), False) + len(work) * SIMULATED_JOB_BYTES
    seconds = TWICE * runs * (starts / STARTS_PER_SECOND + len(work) * SIMULATED_JOB)
    return _of_log(setup, setting, runs, seconds, needed, windows * len(work.names), reading)


def audit_trend(path: str | os.PathLike[str], options: AuditTrend) -> Estimate:
    """The windows of the store."""
    with Store.read(path) as store:
        windows = len(stored_windows(store))
    return predicted(Estimate("audit_trend", "sharing", Path(path).name, windows, "windows"), SHARING, 0.0, 0)


def _read(path: str | os.PathLike[str], options: LogOptions) -> tuple[Setup, float]:
    """The setup, and the seconds that it took, most of them to read the log."""
    began = time.process_time()
    return setup_of(path, options), time.process_time() - began


def _of_log(
    setup: Setup, setting: Setting, runs: int, seconds: float, memory: int, tasks: int, reading: float
) -> Estimate:
    """``memory`` is that of one window, ``tasks`` are what processes can share."""
    workers = min(setup.options.processes or cores(), tasks)
    verb = {Audit: "audit", AuditGaming: "audit_gaming"}.get(type(setup.options), "audit_switch")
    return predicted(
        Estimate(verb, "sharing", setup.log.name, runs, "simulations", note=_note(setting)),
        SHARING,
        seconds / workers,
        len(setup.log) * LOGGED_JOB_BYTES + memory + (workers - 1) * (SHARING.memory + memory),
        timed=reading,
    )


def _is_ref(rule: Rule) -> bool:
    return not rule.own and rule.rule == "ref"


def _starts(setup: Setting, rule: Rule) -> int:
    coalitions = 1 << max(0, min(setup.instance.n_organizations, REF_MAX) - 1)
    return setup.instance.n_jobs * (coalitions if _is_ref(rule) else 1)


def _estimate(
    verb: str,
    scenario: Scenario,
    setup: Setting,
    rules: Sequence[Rule],
    size: int,
    runs: int,
    measured: bool = True,
) -> Estimate:
    jobs = setup.instance.n_jobs
    return predicted(
        Estimate(verb, scenario.kind, scenario.label, size, "job starts", note=_note(setup)),
        SHARING,
        size / STARTS_PER_SECOND + runs * jobs * SIMULATED_JOB,
        _memory(setup, rules, measured) + jobs * SIMULATED_JOB_BYTES,
    )


def _memory(setup: Setting, rules: Sequence[Rule], measured: bool = True) -> int:
    """Bytes of the largest run; TooLargeError where a rule would be refused, as when it runs."""
    instance = setup.instance
    needed = [memory(instance, rule.rule, until=setup.until, **rule.options) for rule in rules if is_ours(rule)]
    if measured:
        with suppress(TooLargeError):  # then nothing is measured
            needed.append(memory(instance, REFERENCE.rule, until=setup.until))
    return max(needed, default=0)


def _note(setup: Setting) -> str:
    instance = setup.instance
    return f"jobs: {instance.n_jobs:,}, organizations: {instance.n_organizations}, machines: {instance.n_machines:,}"
