"""Run a study: give its tasks to an executor, keep their outcomes in the store, go on where it stopped.

A worker makes the instance of a task, asks its verbs and takes its measures (:func:`outcome`). Tasks are given out in
their order and come back in any; what is kept does not depend on that. A study with ``[stop]`` ends with the task at
which, in the order of the tasks, enough hits are counted.

>>> study = reader.load({"format": 1, "kind": "study", "verb": "run", "base": {"scenario": "agmon2003/5.2.1"},
...                      "measures": {"rent": "rent"}})
>>> answer = outcome(study.text, 1)
>>> answer.status, answer.measures
('done', {'rent': '2/5'})
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, Final, Literal

from pydantic_core import to_json

from ..mechanisms.kinds import kind as find_kind
from ..parallel.executors import NobodyThereError, cores, executor
from ..parallel.outcomes import Outcome
from ..parallel.store import Store
from ..parallel.stream import streamed
from ..scenarios.scenario import Scenario, digest
from ..support.errors import ConsortiumError, InputError, described
from ..support.interrupts import noticed, shielded
from ..support.jit import COMPILED
from ..support.loading import load as load_reference
from ..support.progress import Clock, Progress, limited
from ..support.status import Status
from ..support.units import duration_text
from ..verbs.dispatch import ask
from ..verbs.records import Estimate
from . import reader
from .hunting.conditions import Condition
from .study import Study, Task

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

    def add(self, outcome: Outcome) -> None:
        """Count an outcome."""
        setattr(self, outcome.status, getattr(self, outcome.status) + 1)

    def note(self) -> str:
        """In words, for a progress bar."""
        parts = [f"{self.failed:,} failed"] if self.failed else []
        return ", ".join([*parts, *([f"{self.stopped:,} stopped"] if self.stopped else [])])


class Hits:
    """Tasks that meet a condition, counted along the order of the tasks.

    ``numbers``: those of the tasks that meet it, in order, as far as all tasks before them are known; ``needed``: how
    many end the study.
    """

    def __init__(self, study: Study, tasks: range) -> None:
        stop = study.stop
        self.needed = 0 if stop is None else stop.hits
        self.numbers: list[int] = []
        self._condition = None if stop is None else Condition.parse(stop.when, study.unknown)
        self._unknown = study.unknown
        self._tasks = iter(tasks)
        self._next = next(self._tasks, None)
        self._ahead: dict[int, bool] = {}

    @property
    def enough(self) -> bool:
        """Whether the study may stop."""
        return self._condition is not None and len(self.numbers) >= self.needed

    def add(self, outcome: Outcome) -> None:
        """Take an outcome, in any order."""
        if self._condition is None:
            return
        self._ahead[outcome.task] = outcome.status == "done" and self._condition.holds(
            {**self._unknown, **outcome.measures}
        )
        while self._next in self._ahead and not self.enough:
            if self._ahead.pop(self._next):
                self.numbers.append(self._next)
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
    """Do the tasks that an open store lacks; counts and hits of all tasks of the shard that it has then.

    Ctrl-C, the time limit and a cluster that has no workers for a while end it with what is kept; the same call goes
    on. An outcome is in the store at most half a second after it has come back. Raises InputError when the store cannot
    be written any more; what is in it stays.
    """
    tasks = shard.tasks(study.size)
    counts, hits = Counts(len(tasks)), Hits(study, tasks)
    for kept in store.outcomes():
        if kept.task in tasks:
            counts.add(kept)
            hits.add(kept)
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
        for answer in answers:
            waiting.append(answer)
            counts.add(answer)
            hits.add(answer)
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


TIMED: Final = 12
"""So many tasks are timed at most, spread evenly over the study."""
SECONDS: Final = 5.0
"""Of timing; the task under way then is the last."""


def estimate(study: Study, shard: Shard, where: Where) -> Estimate:
    """Number of tasks, and the seconds that they will take where they shall run."""
    tasks = shard.tasks(study.size)
    if not tasks:  # more shards than tasks
        return Estimate("study", "study", study.title, 0, "tasks", 0.0)
    chosen = tasks[:: max(1, len(tasks) // TIMED)][:TIMED]
    outcome(study.text, chosen[0])  # what is loaded and compiled once
    began, done = time.perf_counter(), 0
    for number in chosen:
        outcome(study.text, number)
        done += 1
        if time.perf_counter() - began > SECONDS:
            break
    each = (time.perf_counter() - began) / done
    workers = where.processes or cores()
    note = f"{duration_text(each)} a task, from {done} tasks timed here"
    note = "; ".join([*study.remarks, note])
    note += f"; on {workers} process{'es' if workers > 1 else ''}" if where.cluster is None else "; on one worker"
    seconds = each * len(tasks) / (workers if where.cluster is None else 1)
    return Estimate("study", "study", study.title, len(tasks), "tasks", seconds, None, note)


TIME_LIMIT: Final = "time_limit"


@lru_cache(maxsize=4)
def studied(text: str) -> Study:
    """The study that a text holds (:attr:`.study.Study.text`)."""
    return reader.again(**json.loads(text))


def outcome(text: str, number: int) -> Outcome:
    """What comes of a task of the study that a text holds. Whatever goes wrong in it becomes its error.

    Raises KeyboardInterrupt when Ctrl-C came meanwhile: then the task has no outcome.
    """
    study = studied(text)
    task = study.task(number)
    began = time.perf_counter()
    with noticed() as stopped:
        kernels = len(COMPILED)
        answer = task_answer(study, task)
        if answer.status == "stopped" and len(COMPILED) > kernels and not stopped():
            answer = task_answer(study, task)  # its limit was spent on compiling, which nobody after it waits for
    if stopped():
        raise KeyboardInterrupt
    return Outcome(
        task=number,
        status=answer.status,
        seconds=time.perf_counter() - began,
        seed=task.seed,
        replicate=task.replicate,
        digest=answer.digest,
        varied=task.varied,
        measures=study.measured(answer.records),
        error=answer.error,
        record=to_json(answer.records).decode() if answer.records else None,
    )


def lost(text: str, number: int) -> Outcome:
    """What stands for a task that has ended its worker process each time."""
    task = studied(text).task(number)
    reason = "its worker process ended each time, out of memory perhaps"
    return Outcome(number, "failed", 0.0, task.seed, task.replicate, "", task.varied, {}, reason)


@dataclass
class TaskAnswer:
    """What a task has found so far: the dicts of its records by verb."""

    status: Literal["done", "failed", "stopped"] = "done"
    digest: str = ""
    error: str | None = None
    records: dict[str, Any] = field(default_factory=dict)


def task_answer(study: Study, task: Task, instead: Callable[[], Scenario] | None = None) -> TaskAnswer:
    """Ask all verbs of a task within the limit of the study, perhaps of what stands for its instance."""
    answer = TaskAnswer()
    limit = study.head.task_limit
    report = limited(None, None if limit is None else float(limit))
    try:
        scenario = study.instance(task) if instead is None else instead()
        answer.digest = digest(scenario.data)
        for verb in study.head.verb:
            options = _options(study, scenario, verb, task)
            record = ask(verb, scenario, options, progress=report, door="file")
            answer.records[verb] = record.to_dict()
            if record.status is Status.STOPPED:
                seconds = options.get(TIME_LIMIT, limit)
                after = "" if seconds is None else f" (limit: {seconds} s)"
                answer.status, answer.error = "stopped", f"{verb} stopped before it had the whole answer{after}"
                break
    except KeyboardInterrupt:
        answer.status, answer.error = "stopped", f"the limit of {limit} s per task came before there was an answer"
    except ConsortiumError as error:
        answer.status, answer.error = "failed", str(error)
    except MemoryError as error:
        answer.status, answer.error = "failed", f"not enough memory ({str(error) or described(error)})"
    except Exception as error:  # one instance that breaks a rule of one's own is a finding, not the end of the study
        answer.status, answer.error = "failed", described(error)
    return answer


def _options(study: Study, scenario: Scenario, verb: str, task: Task) -> Mapping[str, Any]:
    """Options of a verb, with the limit of the task where the verb knows one and the study gives none."""
    chosen, limit = study.options_for(verb, task) | study.rule_for(verb, task), study.head.task_limit
    if limit is None or TIME_LIMIT in chosen:
        return chosen
    model = load_reference(find_kind(scenario.kind).verb(verb).options)
    return {**chosen, TIME_LIMIT: limit} if TIME_LIMIT in model.model_fields else chosen
