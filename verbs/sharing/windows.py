"""Many windows of a log under many rules: measured in processes, stored as they finish, resumed where they stopped.

One task is one window: all rules run on the same jobs and are measured against REF (timing ``next``) on the same jobs.
A window's randomness comes from its own child of the seed, and every rule in it from its own grandchild (by the rule's
name), so a result depends neither on the number of processes, nor on the order of windows, nor on which other rules
were asked for.

A store is a file of JSON lines: first what was asked (log, plan, rules), then one line per finished window. The same
command with the same store goes on where it stopped; another command with it is refused.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import time
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, TextIO

import numpy as np

from ... import __version__
from ...mechanisms.registry import info, rules
from ...mechanisms.sharing.instance import SharingInstance
from ...mechanisms.sharing.outcome import SharingOutcome, measures, throughput, utilities_of
from ...mechanisms.sharing.simulation import simulate
from ...scheduling.errors import InputError, unknown_name
from ...scheduling.progress import Progress
from ...workloads.windows import SharedWork

EVERY: Final = "all"
RECORDED: Final = "recorded"
"""Not a rule: what the cluster did, by the log's own starts. Machines that were busy with earlier jobs, broken or
reserved are not known, so it may look worse than it was."""


@dataclass(frozen=True)
class Choice:
    """One rule to run: a name with options, written ``rand:samples=75`` or ``ref:timing=now``, or ``recorded``."""

    label: str
    rule: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> Choice:
        """Read a rule and its options; values are numbers where they look like it.

        >>> Choice.parse("rand:samples=75").options
        {'samples': 75}
        """
        name, *pairs = text.strip().split(":")
        known = frozenset() if name == RECORDED else info("sharing", name).options
        options: dict[str, Any] = {}
        for pair in pairs:
            key, equals, value = pair.partition("=")
            if key not in known or not equals:
                raise unknown_name(f"option of rule {name!r} in {text!r}", key, known)
            options[key] = int(value) if value.isdecimal() else value
        return cls(text.strip(), name, options)


def choices(names: Sequence[str] | str | None) -> tuple[Choice, ...]:
    """Rules by name; ``None`` or ``"all"`` means every rule of the catalogue, as it lists them."""
    wanted = list(rules("sharing")) if names is None or names == EVERY or list(names) == [EVERY] else list(names)
    if isinstance(names, str) and names != EVERY:
        wanted = [name for name in names.split(",") if name.strip()]
    found = tuple(Choice.parse(name) for name in wanted)
    if len({choice.label for choice in found}) < len(found) or not found:
        raise InputError(f"rules: found {', '.join(wanted) or 'none'}; expected at least one, each once")
    return found


@dataclass(frozen=True)
class RuleResult:
    """One rule on one window. Utilities are psi_sp in integers; contributions are the rule's own, where it has any."""

    label: str
    utility: tuple[int, ...]
    contribution: tuple[Fraction, ...] | None
    parts: tuple[int, ...]
    delta: int
    unfairness: Fraction
    utilization: Fraction | None
    seconds: float


@dataclass(frozen=True)
class WindowResult:
    """All rules on one window, and REF: its Shapley values, its utilities (``fair``) and the parts it completes."""

    index: int
    start: int
    n_jobs: int
    load: float
    names: tuple[str, ...]
    machines: tuple[int, ...]
    shapley: tuple[Fraction, ...]
    fair: tuple[int, ...]
    p_tot: int
    rules: tuple[RuleResult, ...]

    def of(self, label: str) -> RuleResult:
        """The result of one rule by its label."""
        return next(result for result in self.rules if result.label == label)


def instance_of(work: SharedWork) -> SharingInstance:
    """The jobs of a window as the rules take them."""
    return SharingInstance.from_columns(work.machines, work.owner, work.release, work.length, names=work.names)


def rule_seed(seed: int, index: int, label: str) -> int:
    """Seed of one rule in one window."""
    sequence = np.random.SeedSequence(seed, spawn_key=(index, zlib.crc32(label.encode())))
    return int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1))


def run_choice(
    instance: SharingInstance, choice: Choice, until: int, seed: int, progress: Progress | None = None
) -> SharingOutcome:
    """Run one rule. Raises KeyboardInterrupt when it was interrupted, because half a window measures nothing."""
    outcome = simulate(instance, rule=choice.rule, until=until, seed=seed, progress=progress, **choice.options)
    if not outcome.complete:
        raise KeyboardInterrupt
    return outcome


@dataclass(frozen=True)
class Task:
    """What a process needs to measure one window."""

    index: int
    work: SharedWork
    choices: tuple[Choice, ...]
    seed: int


def measure(task: Task) -> WindowResult:
    """Run all rules on one window and measure them against REF."""
    work, instance = task.work, instance_of(task.work)
    for choice in task.choices:
        _warm(choice.label)
    _warm("ref")
    reference, seconds = _timed(partial(run_choice, instance, Choice("ref", "ref"), work.until, 0))
    results = []
    for choice in task.choices:
        seed = rule_seed(task.seed, task.index, choice.label)
        if choice.rule == "ref" and not choice.options:
            outcome = reference
        elif choice.rule == RECORDED:
            outcome, seconds = _timed(partial(recorded, instance, work))
        else:
            outcome, seconds = _timed(partial(run_choice, instance, choice, work.until, seed))
        found = measures(outcome, reference)
        results.append(
            RuleResult(
                choice.label,
                throughput(outcome),
                outcome.contribution,
                outcome.parts,
                int(found.delta),
                found.unfairness,
                found.utilization,
                seconds,
            )
        )
    assert reference.contribution is not None  # REF always knows its Shapley values
    return WindowResult(
        task.index,
        work.start,
        len(work),
        work.load,
        work.names,
        work.machines,
        reference.contribution,
        throughput(reference),
        reference.total_parts,
        tuple(results),
    )


def recorded(instance: SharingInstance, work: SharedWork) -> SharingOutcome:
    """What the cluster did, by the log's own starts. Raises InputError where waiting times are unknown."""
    if work.recorded is None:
        raise InputError(f"{RECORDED}: the log does not say how long the jobs waited; leave this out of the rules")
    begun = work.recorded[np.lexsort((work.release, work.owner))]  # the instance's order
    start = np.where(begun < work.until, begun, -1)
    utility = utilities_of(instance, start, work.until)
    return SharingOutcome(instance, RECORDED, "now", work.until, start, utility)


@cache
def _warm(choice_label: str) -> None:
    """Load the compiled code of a rule before its run time is measured."""
    choice = Choice.parse(choice_label)
    if choice.rule != RECORDED:
        run_choice(SharingInstance.of([1, 1], [[(0, 2), (0, 1)], [(1, 1)]]), choice, 4, 0)


def _timed(run: Callable[[], SharingOutcome]) -> tuple[SharingOutcome, float]:
    began = time.perf_counter()
    outcome = run()
    return outcome, time.perf_counter() - began


# --- the store ------------------------------------------------------------------------------------------------------


def _to_line(result: WindowResult) -> str:
    def pack(value: Any) -> Any:
        if isinstance(value, Fraction):
            return str(value)
        if isinstance(value, tuple):
            return [pack(item) for item in value]
        if isinstance(value, RuleResult):
            return {key: pack(getattr(value, key)) for key in RuleResult.__dataclass_fields__}
        return value

    return json.dumps({key: pack(getattr(result, key)) for key in WindowResult.__dataclass_fields__})


def _from_line(line: str) -> WindowResult:
    data = json.loads(line)
    results = tuple(
        RuleResult(
            r["label"],
            tuple(r["utility"]),
            None if r["contribution"] is None else tuple(map(Fraction, r["contribution"])),
            tuple(r["parts"]),
            r["delta"],
            Fraction(r["unfairness"]),
            None if r["utilization"] is None else Fraction(r["utilization"]),
            r["seconds"],
        )
        for r in data["rules"]
    )
    return WindowResult(
        data["index"],
        data["start"],
        data["n_jobs"],
        data["load"],
        tuple(data["names"]),
        tuple(data["machines"]),
        tuple(map(Fraction, data["shapley"])),
        tuple(data["fair"]),
        data["p_tot"],
        results,
    )


class Store:
    """Finished windows in a file of JSON lines; without a path, nothing is written."""

    def __init__(self, path: str | os.PathLike[str] | None, asked: Mapping[str, Any]) -> None:
        self.path = None if path is None else Path(path)
        self.asked = json.loads(json.dumps({"consortium": __version__, **asked}))
        self.finished: dict[int, WindowResult] = {}
        if self.path is not None and self.path.exists():
            self._read(self.path)

    def _read(self, path: Path) -> None:
        try:
            text = path.read_text(encoding="utf-8")
            lines = text.split("\n")
            head = json.loads(lines[0]) if text.strip() else self.asked
            done = [_from_line(line) for line in lines[1:-1]]  # what follows the last newline was cut while written
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"store {path}: cannot be read as a store of windows ({error})") from None
        differing = sorted(key for key in {*head, *self.asked} if head.get(key) != self.asked.get(key))
        if differing:
            found = ", ".join(f"{key} = {head.get(key)!r} (asked: {self.asked.get(key)!r})" for key in differing)
            raise InputError(f"store {path} belongs to another question: {found}; name another file")
        self.finished = {result.index: result for result in done}

    @contextmanager
    def writer(self) -> Iterator[Callable[[WindowResult], None]]:
        """A function that keeps a finished window, on disk at once if there is a path."""
        file: TextIO | None = None
        if self.path is not None:
            lines = [json.dumps(self.asked), *map(_to_line, self.finished.values())]
            fresh = self.path.with_name(self.path.name + ".new")
            try:
                fresh.write_text("\n".join(lines) + "\n", encoding="utf-8")  # without a last line that was cut
                fresh.replace(self.path)
                file = self.path.open("a", encoding="utf-8")
            except OSError as error:
                raise InputError(f"store {self.path}: cannot be written ({error.strerror or error})") from None

        def keep(result: WindowResult) -> None:
            self.finished[result.index] = result
            if file is not None:
                file.write(_to_line(result) + "\n")
                file.flush()

        try:
            yield keep
        finally:
            if file is not None:
                file.close()


# --- many windows ---------------------------------------------------------------------------------------------------


def measure_all(
    window: Callable[[int], SharedWork],
    n_windows: int,
    wanted: tuple[Choice, ...],
    seed: int,
    *,
    asked: Mapping[str, Any],
    processes: int = 1,
    store: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> tuple[tuple[WindowResult, ...], bool]:
    """Measure windows 0, 1, ..., and say whether all of them were finished (Ctrl-C keeps those that are).

    Parameters
    ----------
    window
        Makes window ``i``; called in this process.
    asked
        What the numbers depend on, for the store.
    processes
        Worker processes; 1 works in this one.

    Raises
    ------
    InputError
        No window, no process, or a store that cannot be used.
    """
    if n_windows < 1 or processes < 1:
        raise InputError(f"found {n_windows} windows and {processes} processes; expected at least one of each")
    shelf = Store(store, {**asked, "rules": [choice.label for choice in wanted], "seed": seed})
    missing = [index for index in range(n_windows) if index not in shelf.finished]
    tasks = (Task(index, window(index), wanted, seed) for index in missing)
    complete = True
    with shelf.writer() as keep:
        try:
            if progress:
                progress(n_windows - len(missing), n_windows)
            with closing(_results(tasks, min(processes, len(missing)))) as results:
                for result in results:
                    keep(result)
                    if progress:
                        progress(sum(i in shelf.finished for i in range(n_windows)), n_windows)
        except KeyboardInterrupt:
            complete = False
    return tuple(shelf.finished[i] for i in range(n_windows) if i in shelf.finished), complete


def _results(tasks: Iterator[Task], processes: int) -> Generator[WindowResult]:
    if processes <= 1:
        yield from map(measure, tasks)
        return
    context = multiprocessing.get_context("spawn")  # a fork would copy the threads of a progress bar half alive
    with context.Pool(processes, initializer=_ignore_interrupts) as pool:  # leaving the block ends the workers
        yield from pool.imap_unordered(measure, tasks)


def _ignore_interrupts() -> None:
    """Ctrl-C goes to the whole process group; only the parent answers it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
