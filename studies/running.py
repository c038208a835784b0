"""Run a study: give its tasks to an executor, keep what comes of them in the store, go on where it stopped.

The tasks are given out in their order and come back in any; what is kept does not depend on that. A study with
``[stop]`` ends with the task at which, in the order of the tasks, enough hits are found.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from ..parallel.executors import executor
from ..parallel.outcomes import Outcome
from ..parallel.processes import NobodyThereError, cores
from ..parallel.store import Store
from ..parallel.stream import streamed
from ..support.errors import InputError
from ..support.interrupts import shielded
from ..support.progress import Clock, Progress
from .hunting.conditions import Condition
from .study import Study
from .tasks import lost, outcome

FLUSHED: Final = 0.5
"""Seconds after which what has come back is written."""
AT_ONCE: Final = 5_000
"""Outcomes that are written together at most."""


@dataclass(frozen=True)
class Shard:
    """Every ``of``-th task, beginning with task ``number``.

    >>> Shard.parse("2/3").tasks(8)
    range(2, 9, 3)
    """

    number: int = 1
    of: int = 1

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read ``k/n``."""
        number, slash, of = text.partition("/")
        if slash and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of):
            return cls(int(number), int(of))
        raise InputError(f"shard: found {text!r}; expected k/n, such as 1/10 for the first of ten")

    def tasks(self, size: int) -> range:
        """Numbers of the tasks of a study of a size."""
        return range(self.number, size + 1, self.of)


@dataclass(frozen=True)
class Where:
    """Where the tasks run: on this machine with so many processes (``None``: one per core), or on a Dask cluster."""

    processes: int | None = None
    cluster: str | None = None


WHOLE: Final = Shard()
HERE: Final = Where()


@dataclass
class Counts:
    """What is known of the tasks of a shard."""

    size: int
    done: int = 0
    failed: int = 0
    stopped: int = 0
    ended: str = ""
    """Why no more of them were worked on, where that is neither Ctrl-C nor a limit."""

    @property
    def kept(self) -> int:
        """Tasks in the store."""
        return self.done + self.failed + self.stopped

    def add(self, found: Outcome) -> None:
        """Count an outcome."""
        setattr(self, found.status, getattr(self, found.status) + 1)

    def note(self) -> str:
        """In words, for a progress bar."""
        parts = [f"{self.failed:,} failed"] if self.failed else []
        return ", ".join([*parts, *([f"{self.stopped:,} stopped"] if self.stopped else [])])


class Hits:
    """Tasks that meet a condition, counted along the order of the tasks.

    Attributes
    ----------
    found
        Numbers of the tasks that meet it, in order, as far as all tasks before them are known.
    """

    def __init__(self, study: Study, tasks: range) -> None:
        stop = study.stop
        self.wanted = 0 if stop is None else stop.hits
        self.found: list[int] = []
        self._condition = None if stop is None else Condition.parse(stop.when, study.unknown)
        self._unknown = study.unknown
        self._tasks = iter(tasks)
        self._next = next(self._tasks, None)
        self._ahead: dict[int, bool] = {}

    @property
    def enough(self) -> bool:
        """Whether the study may stop."""
        return self._condition is not None and len(self.found) >= self.wanted

    def add(self, found: Outcome) -> None:
        """Take an outcome, in any order."""
        if self._condition is None:
            return
        self._ahead[found.task] = found.status == "done" and self._condition.holds({**self._unknown, **found.measures})
        while self._next in self._ahead and not self.enough:
            if self._ahead.pop(self._next):
                self.found.append(self._next)
            self._next = next(self._tasks, None)


def run(
    study: Study,
    store: Store,
    *,
    shard: Shard = WHOLE,
    where: Where = HERE,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> tuple[Counts, Hits]:
    """Do the tasks that an open store lacks.

    Ctrl-C, the time limit and a cluster that has no workers for a while end it with what is kept; the same call goes
    on. An outcome is in the store at most half a second after it has come back.

    Returns
    -------
    counts, hits
        Of all tasks of the shard that the store now has.

    Raises
    ------
    InputError
        When the store cannot be written any more; what is in it stays.
    """
    tasks = shard.tasks(study.size)
    counts, hits = Counts(len(tasks)), Hits(study, tasks)
    for known in store.outcomes():
        if known.task in tasks:
            counts.add(known)
            hits.add(known)
    finished = store.finished()
    pending = (number for number in tasks if number not in finished)
    clock = Clock(time_limit)
    try:
        if not hits.enough and counts.kept < counts.size:
            with executor(where.processes or cores(), cluster=where.cluster) as pool:
                answers = streamed(
                    pool, partial(outcome, study.text), pending, clock=clock, lost=partial(lost, study.text)
                )
                _keep(answers, store, counts, hits, progress)
    except NobodyThereError as error:
        counts.ended = str(error)
    except (KeyboardInterrupt, TimeoutError):
        pass  # what is missing says so
    return counts, hits


def _keep(answers: Iterator[Outcome], store: Store, counts: Counts, hits: Hits, progress: Progress | None) -> None:
    """Write what comes back, a few times a second, also when Ctrl-C ends it."""
    waiting: list[Outcome] = []
    flushed = time.monotonic()
    try:
        for found in answers:
            waiting.append(found)
            counts.add(found)
            hits.add(found)
            if hits.enough:
                return
            now = time.monotonic()
            if now > flushed + FLUSHED or len(waiting) >= AT_ONCE:
                _write(waiting, store)
                flushed = now
                if progress is not None:
                    progress(counts.kept, counts.size, counts.note())
    finally:
        _write(waiting, store)


def _write(waiting: list[Outcome], store: Store) -> None:
    with shielded():  # a transaction that Ctrl-C breaks off would lose what has come back
        store.keep(waiting)
        waiting.clear()
