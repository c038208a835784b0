"""Many windows of a log: measured in processes, stored as they finish, resumed where they stopped."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence, Sized
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict
from functools import partial
from typing import Any, Final, NamedTuple

from ...mechanisms.sharing.sampled import Sample
from ...parallel.executors import executor
from ...parallel.processes import cores, travels
from ...parallel.stream import streamed
from ...support.errors import InputError
from ...support.progress import Clock, Progress
from ...workloads.windows import SharedWork
from .growing import Growing, growing_shelf
from .past import KeptWindow
from .results import WindowResult
from .rules import Rule
from .store import Shelf, shelf
from .windows import STARTS_PER_SECOND, Task, job_starts, measure

WORTH_IT: Final = 10
"""Seconds of estimated work above which worker processes are started unasked."""


class Measured(NamedTuple):
    """Finished windows in order, whether these are all, and why the store could not keep one of them.

    ``kept`` are the windows of all audits in a growing store, these included.
    """

    windows: tuple[WindowResult, ...]
    complete: bool
    failure: str | None
    kept: tuple[KeptWindow, ...] = ()


def measure_all(
    window: Callable[[int], SharedWork],
    n_windows: int,
    rules: tuple[Rule, ...],
    seed: int,
    *,
    asked: Mapping[str, Any],
    warm: Callable[[int], SharedWork] | None = None,
    half_life: int | None = None,
    processes: int = 1,
    store: str | os.PathLike[str] | None = None,
    growing: Growing | None = None,
    progress: Progress | None = None,
    sample: Sample | None = None,
    clock: Clock | None = None,
) -> Measured:
    """Measure windows 0, 1, ...; a limit, Ctrl-C, and a store that cannot be written keep those that are finished.

    Parameters
    ----------
    window
        Makes window ``i``; called in this process.
    asked
        What the numbers depend on, for the store.
    warm
        Makes the window ``i`` that ``recorded`` is measured on, where that is another one.
    half_life
        Also measure usage with this half-life.
    processes
        Worker processes; 1 works in this one, 0 stands for all cores where it is worth starting them.
    store
        Path of the file that keeps finished windows.
    growing
        What the store asks the log, if it may grow with it; then ``asked`` says nothing of the log.
    progress
        Told how many windows are finished, in this process also while one is measured; what it raises ends the work.
    sample
        How REF's contributions are sampled; ``None``: not.
    clock
        Time limit for waiting on other processes.

    Raises
    ------
    InputError
        A store that cannot be used, or a rule of one's own that cannot be stored or sent to another process.
    """
    if processes == 0:
        processes = cores() if n_windows * _seconds(window(0), len(rules), sample) > WORTH_IT else 1
    _check_own(rules, processes, store)
    if half_life is not None:
        asked = {**asked, "half_life": half_life}
    if sample is not None:
        asked = {**asked, "sample": asdict(sample)}
    question = {**asked, "rules": [rule.asked for rule in rules], "seed": seed}
    with _opened(store, question, growing) as kept:
        missing = [index for index in range(n_windows) if index not in kept.finished]
        threads = max(1, processes // max(1, len(missing)))  # of each process, where windows are fewer than these
        tasks = (
            Task(index, window(index), rules, seed, threads, half_life, sample, None if warm is None else warm(index))
            for index in missing
        )
        known = n_windows - len(missing)
        number = max(1, min(processes, len(missing)))
        function = partial(measure, progress=_again(progress, kept.finished, n_windows)) if number == 1 else measure
        with suppress(KeyboardInterrupt, TimeoutError):
            if progress:
                progress(known, n_windows)
            with executor(number) as pool:
                for done, result in enumerate(streamed(pool, function, tasks, clock=clock), known + 1):
                    kept.keep(result)
                    if kept.failure is not None:
                        break
                    if progress:
                        progress(done, n_windows)
    finished = tuple(kept.finished[i] for i in range(n_windows) if i in kept.finished)
    return Measured(finished, len(finished) == n_windows, kept.failure, kept.kept)


def _opened(
    path: str | os.PathLike[str] | None,
    question: Mapping[str, Any],
    growing: Growing | None,
) -> AbstractContextManager[Shelf]:
    return shelf(path, question) if path is None or growing is None else growing_shelf(path, question, growing)


def _again(progress: Progress | None, finished: Sized, total: int) -> Progress | None:
    """Tells how many windows are finished whatever a run says of itself: so a limit is heard inside a window."""
    return None if progress is None else lambda done, whole, note="": progress(len(finished), total)


def _seconds(work: SharedWork, n_rules: int, sample: Sample | None) -> float:
    return job_starts(len(work), len(work.names), n_rules, sample) / STARTS_PER_SECOND


def _check_own(rules: Sequence[Rule], processes: int, store: object) -> None:
    """Refuse what a rule of one's own cannot do: a store would not notice that its code has changed."""
    for rule in rules:
        if rule.own and store is not None:
            raise InputError(f"store: found the rule {rule.label!r}, an object; expected rules by name, or no store")
        if rule.own and processes > 1 and not travels(rule.rule):
            raise InputError(
                f"processes: the rule {rule.label!r} cannot be sent to another process; expected processes = 1, or a "
                f"class at the top of a module of its own"
            )
