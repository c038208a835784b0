"""One window of a log under many rules, all measured against REF (timing ``next``) on the same jobs.

A window's randomness comes from its own child of the seed, and every rule in it from its own grandchild (by the rule's
label), so a result depends neither on the number of processes, nor on the order of windows, nor on which other rules
were asked for.
"""

from __future__ import annotations

import copy
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

import numpy as np

from ...mechanisms.sharing.catalogue import REF_MAX
from ...mechanisms.sharing.instance import SharingInstance
from ...mechanisms.sharing.outcome import SharingOutcome, decayed_parts, measures, throughput, utilities_of
from ...mechanisms.sharing.sampled import NAME, OTHERWISE, Sample, SampledReference, sampled_reference
from ...mechanisms.sharing.simulation import simulate
from ...support.errors import InputError
from ...support.progress import Progress
from ...workloads.windows import SharedWork
from .model import instance_of
from .results import REFERENCE, Accuracy, RuleResult, WindowResult, Yardstick
from .rules import RECORDED, Rule

STARTS_PER_SECOND: Final = 2_000_000
WAYS: Final = 1 + len(OTHERWISE)
"""Schedules of each sampled coalition."""


@dataclass(frozen=True)
class Task:
    """What a process needs to measure one window; ``warm`` is what ``recorded`` is measured on, if that is more."""

    index: int
    work: SharedWork
    rules: tuple[Rule, ...]
    seed: int
    threads: int = 1
    half_life: int | None = None
    sample: Sample | None = None
    warm: SharedWork | None = None


def measure(task: Task, progress: Progress | None = None) -> WindowResult:
    """Run all rules on one window and measure them against REF.

    Raises KeyboardInterrupt when it was interrupted, or stopped by ``progress``, which is told how far each run is.
    """
    work, instance = task.work, instance_of(task.work)
    reference, seconds, accuracy = _reference(task, work, instance, progress)
    assert reference.contribution is not None  # REF always knows its Shapley values
    results = []
    for rule in task.rules:
        if rule.rule == REFERENCE.rule and not rule.options and task.sample is None:
            results.append(_result(rule.label, reference, reference, seconds, task.half_life))
        elif rule.rule == RECORDED and task.warm is not None:
            results.append(_warm_result(task, rule, task.warm, progress))
        else:
            outcome, own_seconds = _timed(
                rule, instance, work, rule_seed(task.seed, task.index, rule.label), task.threads, progress
            )
            results.append(_result(rule.label, outcome, reference, own_seconds, task.half_life))
    return WindowResult(
        index=task.index,
        start=work.start,
        n_jobs=len(work),
        load=work.load,
        names=work.names,
        machines=work.machines,
        shapley=reference.contribution,
        fair=throughput(reference),
        fair_parts=reference.parts,
        p_tot=reference.total_parts,
        rules=tuple(results),
        accuracy=accuracy,
    )


def sampled(
    instance: SharingInstance,
    until: int,
    sample: Sample,
    seed: int,
    index: int,
    threads: int = 1,
    progress: Progress | None = None,
) -> SampledReference:
    """REF by sampled contributions, with a window's own randomness. Raises KeyboardInterrupt when interrupted."""
    rng = np.random.default_rng(rule_seed(seed, index, NAME))
    return sampled_reference(instance, until, sample, rng, threads, progress)


def _accuracy(drawn: SampledReference) -> Accuracy:
    return Accuracy(
        orderings=drawn.orderings,
        schedules=drawn.schedules,
        sampling=drawn.sampling,
        order=drawn.order,
        halves=measures(*drawn.halves).unfairness,
    )


def _reference(
    task: Task, work: SharedWork, instance: SharingInstance, progress: Progress | None
) -> tuple[SharingOutcome, float, Accuracy | None]:
    """REF on a window's jobs, its run time, and how exact it is where it is sampled."""
    if task.sample is None:
        return *_timed(REFERENCE, instance, work, 0, task.threads, progress), None
    drawn = sampled(instance, work.until, task.sample, task.seed, task.index, task.threads, progress)
    return drawn.outcome, 0.0, _accuracy(drawn)


def _warm_result(task: Task, rule: Rule, work: SharedWork, progress: Progress | None) -> RuleResult:
    """What the cluster did, against REF on the same jobs."""
    instance = instance_of(work)
    reference, _, _ = _reference(task, work, instance, progress)
    assert reference.contribution is not None
    outcome, seconds = _timed(rule, instance, work, 0, task.threads, progress)
    other = Yardstick(len(work), reference.contribution, throughput(reference), reference.parts)
    return replace(_result(rule.label, outcome, reference, seconds, task.half_life), other=other)


def _result(
    label: str, outcome: SharingOutcome, reference: SharingOutcome, seconds: float, half_life: int | None
) -> RuleResult:
    found = measures(outcome, reference)
    return RuleResult(
        label=label,
        utility=throughput(outcome),
        contribution=outcome.contribution,
        parts=outcome.parts,
        delta=int(found.delta),
        unfairness=found.unfairness,
        utilization=found.utilization,
        seconds=seconds,
        decayed=None if half_life is None else decayed_parts(outcome, half_life),
    )


def job_starts(jobs: int, organizations: int, n_rules: int, sample: Sample | None = None) -> int:
    """Rough work of measuring a window: one start per job and schedule."""
    if sample is not None:
        return jobs * (WAYS * sample.schedules(organizations, jobs) // 2 + 31 + n_rules)
    return jobs * ((1 << max(0, min(organizations, REF_MAX) - 1)) + 31 + n_rules)


def rule_seed(seed: int, index: int, label: str) -> int:
    """Seed of one rule in one window."""
    sequence = np.random.SeedSequence(seed, spawn_key=(index, zlib.crc32(label.encode(errors="surrogatepass"))))
    return int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1))


def follow(
    rule: Rule,
    instance: SharingInstance,
    work: SharedWork,
    until: int,
    seed: int,
    threads: int = 0,
    progress: Progress | None = None,
) -> SharingOutcome:
    """Run one rule up to a moment. Raises KeyboardInterrupt when interrupted: half a window measures nothing."""
    if rule.rule == RECORDED:
        return recorded(instance, replace(work, until=until))
    if rule.own:  # what it may remember of another window must not depend on which process had that
        rule = replace(rule, rule=copy.deepcopy(rule.rule))
    asked = rule.arguments(instance.machines, seed)
    return simulate(instance, until=until, threads=threads, progress=progress, **asked).whole()


def recorded(instance: SharingInstance, work: SharedWork) -> SharingOutcome:
    """What the cluster did, by the log's own starts. Raises InputError where waiting times are unknown."""
    if work.recorded is None:
        raise InputError(f"{RECORDED}: the log does not say how long the jobs waited; leave this out of the rules")
    begun = work.recorded[np.lexsort((work.release, work.owner))]  # the instance's order
    start = np.where(begun < work.until, begun, -1)
    utility = utilities_of(instance, start, work.until)
    return SharingOutcome(instance, RECORDED, "now", work.until, start, utility)


def _timed(
    rule: Rule, instance: SharingInstance, work: SharedWork, seed: int, threads: int, progress: Progress | None
) -> tuple[SharingOutcome, float]:
    if not rule.own and rule.rule != RECORDED:
        _warm(rule.rule, tuple(sorted(_without_orderings(rule.options).items())))
    if progress is not None:
        progress(0, work.until)  # a short run says nothing of itself
    began = time.perf_counter()
    outcome = follow(rule, instance, work, work.until, seed, threads, progress)
    return outcome, time.perf_counter() - began


def _without_orderings(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that hold for any number of organizations."""
    return {key: value for key, value in options.items() if key != "orderings"}


@cache
def _warm(name: str, options: tuple[tuple[str, Any], ...]) -> None:
    """Load the compiled code of a rule before its run time is measured."""
    two = SharingInstance.of([1, 1], [[(0, 2), (0, 1)], [(1, 1)]])
    simulate(two, until=4, **Rule(name, name, dict(options)).arguments(two.machines, 0))
