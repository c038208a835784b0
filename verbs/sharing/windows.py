"""Windows of a log measured: one window under many rules, against REF (timing ``next``) on the same jobs; and many.

A window's randomness comes from its own child of the seed, and every rule in it from its own grandchild (by the rule's
label), so a result depends neither on the number of processes, nor on the order of windows, nor on which other rules
run. Many windows are measured in processes, and kept on a :class:`Shelf` as they finish (:mod:`.store`).
"""

from __future__ import annotations

import copy
import hashlib
import json
import time
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from typing import Any, Final, NamedTuple

import numpy as np

from ...mechanisms.sharing.catalogue import REF_MAX
from ...mechanisms.sharing.instance import SharingInstance
from ...mechanisms.sharing.outcome import (
    SharingOutcome,
    decayed_parts,
    lateness,
    measures,
    run_out,
    throughput,
    utilities_of,
)
from ...mechanisms.sharing.sampled import NAME, OTHERWISE, Sample, SampledReference, sampled_reference
from ...mechanisms.sharing.simulation import simulate
from ...parallel.executors import cores, executor, travels
from ...parallel.stream import streamed
from ...support.errors import InputError
from ...support.progress import Clock, Progress
from ...workloads.windows import NEVER, SharedWork
from .model import RECORDED, Rule, instance_of
from .plan import Windows
from .results import Accuracy, Ended, Fair, RuleResult, WindowResult, losses_of, waits_of

REFERENCE: Final = Rule("ref", "ref")
"""What all rules are measured against."""

STARTS_PER_SECOND: Final = 2_000_000
WORTH_IT: Final = 10
"""Seconds of estimated work above which worker processes are started where none are named."""
WAYS: Final = 1 + len(OTHERWISE)
"""Schedules of each sampled coalition."""


@dataclass(frozen=True)
class Task:
    """What a process needs to measure one window; ``stored`` is what other rules found there."""

    index: int
    work: SharedWork
    rules: tuple[Rule, ...]
    seed: int
    threads: int = 1
    half_life: int | None = None
    sample: Sample | None = None
    stored: WindowResult | None = None


def measure(task: Task, progress: Progress | None = None) -> WindowResult:
    """Run the rules on one window and measure them against REF, which is not run again where it is known.

    Raises KeyboardInterrupt when it was interrupted, or stopped by ``progress``, which is told how far each run is.
    """
    work, instance = task.work, instance_of(task.work)
    reference, whole = None, task.stored
    if whole is None:
        reference, seconds, accuracy = _reference(task, work, instance, progress)
        whole = WindowResult.opened(task.index, work, Fair.of(reference, work), accuracy)
    results = []
    for rule in task.rules:
        if reference is not None and rule.rule == REFERENCE.rule and not rule.options and task.sample is None:
            outcome, own_seconds = reference, seconds
        else:
            outcome, own_seconds = _timed(rule, instance, work, rule_seed(task.seed, work.number, rule.label), progress)
        results.append(_result(task, rule, outcome, whole.fair, own_seconds))
    return replace(whole, rules=tuple(results))


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


def _reference(
    task: Task, work: SharedWork, instance: SharingInstance, progress: Progress | None
) -> tuple[SharingOutcome, float, Accuracy | None]:
    """REF on a window's jobs, its run time, and how exact it is where it is sampled."""
    if task.sample is None:
        return *_timed(REFERENCE, instance, work, 0, progress), None
    drawn = sampled(instance, work.until, task.sample, task.seed, work.number, task.threads, progress)
    halves = measures(*drawn.halves).unfairness
    return drawn.outcome, 0.0, Accuracy(drawn.orderings, drawn.schedules, drawn.sampling, drawn.order, halves)


def _result(task: Task, rule: Rule, outcome: SharingOutcome, fair: Fair, seconds: float) -> RuleResult:
    utility, half_life = throughput(outcome), task.half_life
    half_lives = sorted({each for each in (rule.options.get("decay"), half_life) if each})
    losses = losses_of(utility, fair)
    delta = sum(abs(mine - theirs) for mine, theirs in zip(utility, fair.utility, strict=True))
    return RuleResult(
        label=rule.label,
        utility=utility,
        parts=outcome.parts,
        unfairness=Fraction(delta, fair.p_tot) if fair.p_tot else Fraction(0),
        utilization=outcome.utilization,
        seconds=seconds,
        decayed=None if half_life is None else decayed_parts(outcome, half_life),
        half_life=half_life,
        losses=losses,
        to_others=sum(map(abs, losses), Fraction(0)) / (fair.p_tot or 1),
        waits=waits_of(task.work, outcome.start),
        used=tuple((each, outcome.instance.used(each)) for each in half_lives),
    )


def work_digest(work: SharedWork) -> str:
    """SHA-256 of a window as it is replayed, and of its number, which the rules' random choices depend on."""
    digest = hashlib.sha256(str(work.number).encode())
    digest.update(json.dumps([work.names, work.machines, work.until]).encode())
    together = None if work.part_of is None else np.unique(work.part_of, return_inverse=True)[1]
    for column in (work.owner, work.release, work.length, work.recorded, together, work.estimate, work.since):
        digest.update(b"\n" if column is None else column.astype("<i8").tobytes())
    if work.qos is not None:
        digest.update(work.qos.astype("<i8").tobytes())
    return digest.hexdigest()


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
    progress: Progress | None = None,
) -> SharingOutcome:
    """Run one rule up to a moment. Raises KeyboardInterrupt when interrupted: half a window measures nothing."""
    if rule.rule == RECORDED:
        return recorded(instance, replace(work, until=until))
    if rule.own:  # what it may remember of another window must not depend on which process had that
        rule = replace(rule, rule=copy.deepcopy(rule.rule))
    arguments = rule.arguments(instance.machines, seed)
    return simulate(instance, until=until, progress=progress, **arguments).whole()


def to_the_end(rule: Rule, work: SharedWork, seed: int, instance: SharingInstance) -> SharingOutcome:
    """One rule until all jobs of a window, presented as an instance, have ended, nobody submitting more."""
    return run_out(instance, work.until, lambda jobs, until: follow(rule, jobs, work, until, seed))


def ended(windows: Windows, results: Sequence[WindowResult], rule: Rule, seed: int) -> tuple[Ended, ...] | None:
    """Every organization in every window when all jobs have ended; ``None`` where some never start or when stopped."""
    rows = []
    with suppress(KeyboardInterrupt):
        for result in results:
            work = windows.window(result.index)
            if rule.rule == RECORDED and (work.recorded is None or (work.recorded > NEVER // 2).any()):
                break
            outcome = to_the_end(rule, work, rule_seed(seed, result.index, rule.label), instance_of(work))
            order = [work.names.index(name) for name in result.names]
            rows.append(Ended(*(tuple(each[u] for u in order) for each in (lateness(outcome), outcome.parts))))
    return tuple(rows) if len(rows) == len(results) else None


def recorded(instance: SharingInstance, work: SharedWork) -> SharingOutcome:
    """What the cluster did, by the log's own starts. Raises InputError where waiting times are unknown."""
    if work.recorded is None:
        raise InputError(f"{RECORDED}: the log does not say how long the jobs waited; leave this out of the rules")
    starts = work.recorded[work.order]
    start = np.where(starts < work.until, starts, -1)
    utility = utilities_of(instance, start, work.until)
    return SharingOutcome(instance, RECORDED, "now", work.until, start, utility)


def _timed(
    rule: Rule, instance: SharingInstance, work: SharedWork, seed: int, progress: Progress | None
) -> tuple[SharingOutcome, float]:
    if not rule.own and rule.rule != RECORDED:
        _load_kernels(
            rule.rule, tuple(sorted((k, v) for k, v in rule.options.items() if k not in ("orderings", "parents")))
        )
    if progress is not None:
        progress(0, work.until)  # a short run says nothing of itself
    began = time.perf_counter()
    outcome = follow(rule, instance, work, work.until, seed, progress)
    return outcome, time.perf_counter() - began


@cache
def _load_kernels(name: str, options: tuple[tuple[str, Any], ...]) -> None:
    """Load the compiled code of a rule, whatever the number of organizations, before its run time is measured."""
    two = SharingInstance.of([1, 1], [[(0, 2), (0, 1)], [(1, 1)]])
    simulate(two, until=4, **Rule(name, name, dict(options)).arguments(two.machines, 0))


class Shelf:
    """Finished windows, in memory; a subclass keeps them in a file.

    Attributes
    ----------
    finished
        Results by the number of their window, perhaps not of all rules.
    failure
        Why a result could not be written, in a sentence; it is in :attr:`finished` all the same.
    """

    def __init__(self) -> None:
        self.failure: str | None = None
        self.finished: dict[int, WindowResult] = {}

    def keep(self, result: WindowResult) -> None:
        """Keep a finished window, or more rules of one that is kept already."""
        before = self.finished.get(result.index)
        self.finished[result.index] = result if before is None else before.adding(result.rules)


class Measured(NamedTuple):
    """Finished windows in order, whether these are all, and why the store could not keep one of them."""

    windows: tuple[WindowResult, ...]
    complete: bool
    failure: str | None


def measure_all(
    windows: Windows,
    rules: tuple[Rule, ...],
    seed: int,
    shelf: Shelf,
    *,
    half_life: int | None = None,
    processes: int = 1,
    progress: Progress | None = None,
    sample: Sample | None = None,
    clock: Clock | None = None,
) -> Measured:
    """Measure the windows of a log; a limit, Ctrl-C, and a store that cannot be written keep those that are finished.

    Parameters
    ----------
    shelf
        Where finished windows are kept; what it has of them already is not measured.
    half_life
        Also measure usage with this half-life.
    processes
        Worker processes; 1 works in this one, 0 stands for all cores where it is worth starting them.
    progress
        Receives how many windows are finished, in this process also while one is measured; what it raises ends the
        work.
    sample
        How REF's contributions are sampled; ``None``: not.
    clock
        Time limit for waiting on other processes.

    Raises
    ------
    InputError
        A custom rule that cannot be sent to another process.
    """
    processes = _workers(processes, windows, rules, sample)
    stored = shelf.finished
    lacking = {i: stored[i].lacking(rules) if i in stored else rules for i in range(windows.number)}
    missing = [i for i, others in lacking.items() if others]
    threads = max(1, processes // max(1, len(missing)))  # of each process, where windows are fewer than these

    def task(i: int) -> Task:
        return Task(i, windows.window(i), lacking[i], seed, threads, half_life, sample, stored.get(i))

    number, ready = max(1, min(processes, len(missing))), windows.number - len(missing)

    def report(done: int = 0, total: int | None = None, note: str = "") -> None:
        """Say how many windows are ready whatever a run says of itself: so a limit is heard inside a window."""
        if progress:
            progress(ready, windows.number)

    function = partial(measure, progress=report) if number == 1 and progress else measure
    with suppress(KeyboardInterrupt, TimeoutError):
        report()
        with executor(number) as pool:
            for result in streamed(pool, function, map(task, missing), clock=clock):
                shelf.keep(result)
                if shelf.failure is not None:
                    break
                ready += 1
                report()
    finished = tuple(
        replace(stored[i], rules=tuple(stored[i].of(rule.label) for rule in rules)).ordered(windows.names)
        for i in range(windows.number)
        if i in stored and not stored[i].lacking(rules)
    )
    return Measured(finished, len(finished) == windows.number, shelf.failure)


def _workers(processes: int, windows: Windows, rules: Sequence[Rule], sample: Sample | None) -> int:
    """Worker processes, for 0 all cores where it is worth starting them; InputError for a rule that cannot be sent."""
    if not processes:
        work = windows.window()
        starts = windows.number * job_starts(len(work), len(work.names), len(rules), sample)
        processes = cores() if starts / STARTS_PER_SECOND > WORTH_IT else 1
    for rule in rules:
        if rule.own and processes > 1 and not travels(rule.rule):
            raise InputError(
                f"processes: the rule {rule.label!r} cannot be sent to another process; expected processes = 1, or a "
                f"class at the top of a module of its own"
            )
    return processes
