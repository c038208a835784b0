"""Many small tasks through a pool: sent in batches, answered as they are ready, nothing lost and nothing twice.

A batch ends by time, not by number: after :data:`SECONDS` a worker hands back what it has, and the rest is given out
again. So tasks of any length, and of very different lengths, need no advice. Only what is under way is in memory.

>>> from consortium.parallel.executors import executor
>>> with executor() as pool:
...     sorted(streamed(pool, abs, iter([-1, 2, -3])))
[1, 2, 3]
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from itertools import chain, islice
from typing import Final, Generic, NamedTuple, TypeVar

from ..support.interrupts import shielded
from ..support.progress import Clock
from .executors import InProcess, LostWorkerError, Pool

T = TypeVar("T")
R = TypeVar("R")

SECONDS: Final = 0.3
"""After so long a worker begins no other task of its batch."""
AT_ONCE: Final = 0.05
"""Where the work is done in this process, answers are handed on after so long."""
LARGEST: Final = 5_000
"""Tasks of a batch at most: sending it costs less than 0.1 microseconds for each of them."""
GROWTH: Final = 8
"""A batch has at most so many times the tasks of the last one: those that come may be longer."""
PIECES: Final = 64
"""A batch whose worker was lost is given out again in so many pieces, to find the task that ended it."""
TRIES: Final = 3
"""So many workers a task may end, when it is alone in its batch; a cluster's scheduler tries as often by itself."""
PER_WORKER: Final = 2
"""Batches under way for each worker: one that it works on, one that waits for it."""
HEARD: Final = 0.1
"""Seconds within which Ctrl-C is heard, even if the system gave the signal to another thread."""


def streamed(
    pool: Pool,
    function: Callable[[T], R],
    tasks: Iterable[T],
    *,
    clock: Clock | None = None,
    lost: Callable[[T], R] | None = None,
) -> Iterator[R]:
    """What a function says of each task, in any order.

    Parameters
    ----------
    function
        Of one task; both are pickled where the work is done elsewhere. What it raises ends the stream.
    tasks
        Taken one by one, as there is room for them.
    clock
        Time limit for waiting.
    lost
        What stands for the answer to a task that has ended its worker (out of memory, say) each of three times.

    Raises
    ------
    TimeoutError
        The clock has expired while a batch was waited for, or :class:`~.processes.NobodyThereError`.
    LostWorkerError
        A task has ended its worker each of three times, and there is no ``lost``.
    """
    if isinstance(pool, InProcess):
        return chain.from_iterable(_here(function, iter(tasks), clock))
    return chain.from_iterable(_Stream(pool, function, iter(tasks), lost).answers(clock))


def in_order(numbered: Iterable[tuple[int, R]]) -> Iterator[R]:
    """Answers in the order of their numbers 0, 1, ...; those that come too early are held back.

    >>> list(in_order([(1, "b"), (0, "a"), (2, "c")]))
    ['a', 'b', 'c']
    """
    early: dict[int, R] = {}
    number = 0
    for place, answer in numbered:
        early[place] = answer
        while number in early:
            yield early.pop(number)
            number += 1


class _Batch(NamedTuple, Generic[T]):
    tasks: tuple[T, ...]
    lives: int = TRIES


class _Stream(Generic[T, R]):
    """The batches that are under way, and what is still to be given out."""

    def __init__(
        self, pool: Pool, function: Callable[[T], R], tasks: Iterator[T], lost: Callable[[T], R] | None
    ) -> None:
        self.pool, self.function, self.tasks, self.lost = pool, function, tasks, lost
        self.given_back: deque[T] = deque()
        self.suspect: deque[_Batch[T]] = deque()
        self.running: dict[Future[tuple[list[R], float]], _Batch[T]] = {}
        self.ready: queue.SimpleQueue[Future[tuple[list[R], float]]] = queue.SimpleQueue()
        self.size = 1

    def answers(self, clock: Clock | None) -> Iterator[list[R]]:
        try:
            while True:
                self._give_out(PER_WORKER * self.pool.workers)
                if not self.running:
                    return
                future = self._wait(clock)
                answers = self._taken(future, self.running.pop(future))
                if answers:
                    self._give_out(len(self.running) + 1)  # before the caller works with the answers
                    yield answers
        finally:
            with shielded():
                for future in self.running:
                    future.cancel()

    def _give_out(self, at_most: int) -> None:
        while len(self.running) < at_most and (batch := self._next()).tasks:
            with shielded():  # Ctrl-C inside would leave a lock of the pool's threads locked for ever
                future = self.pool.submit(_work, self.function, batch.tasks, SECONDS)
                self.running[future] = batch
                future.add_done_callback(self.ready.put)

    def _next(self) -> _Batch[T]:
        if self.suspect:
            return self.suspect.popleft()
        again = [self.given_back.popleft() for _ in range(min(self.size, len(self.given_back)))]
        return _Batch((*again, *islice(self.tasks, self.size - len(again))))

    def _wait(self, clock: Clock | None) -> Future[tuple[list[R], float]]:
        while True:
            left = None if clock is None else clock.left()
            try:
                return self.ready.get(timeout=HEARD if left is None else min(HEARD, left))
            except queue.Empty:
                self.pool.attended()
                if left is not None and left <= HEARD:
                    raise TimeoutError from None

    def _taken(self, future: Future[tuple[list[R], float]], batch: _Batch[T]) -> list[R]:
        """The answers of a batch; what is left of it waits to be given out again."""
        try:
            answers, seconds = future.result()
        except LostWorkerError as error:
            return self._divided(batch, error)
        self.given_back.extend(batch.tasks[len(answers) :])
        fitting = int(SECONDS * len(answers) / max(seconds, 1e-9)) + 1
        self.size = min(fitting, GROWTH * self.size, LARGEST)
        return answers

    def _divided(self, batch: _Batch[T], error: LostWorkerError) -> list[R]:
        if len(batch.tasks) > 1:
            step = -(-len(batch.tasks) // PIECES)
            self.suspect.extend(_Batch(batch.tasks[i : i + step]) for i in range(0, len(batch.tasks), step))
        elif batch.lives > error.times:
            self.suspect.append(_Batch(batch.tasks, batch.lives - error.times))
        elif self.lost is None:
            task = f"task {batch.tasks[0]}: " if isinstance(batch.tasks[0], int) else ""  # not a plan's text
            raise LostWorkerError(f"{task}{error}, at least {TRIES} times")
        else:
            return [self.lost(batch.tasks[0])]
        return []


_alone = threading.Lock()
"""Of a worker process: threads of a cluster's worker would share what is kept for one task after the other."""


def _work(function: Callable[[T], R], tasks: Iterable[T], seconds: float) -> tuple[list[R], float]:
    """Answers to as many tasks as there is time for, one at least, and the seconds that they took."""
    with _alone:
        begin = now = time.perf_counter()
        answers: list[R] = []
        for task in tasks:
            answers.append(function(task))
            now = time.perf_counter()
            if now - begin > seconds:
                break
        return answers, now - begin


def _here(function: Callable[[T], R], tasks: Iterator[T], clock: Clock | None) -> Iterator[list[R]]:
    """In this process nobody waits for a batch: it is what one moment has brought, also before it is broken off."""
    answers: list[R] = []
    begin = time.perf_counter()
    try:
        for task in tasks:
            if clock is not None and clock.expired():
                raise TimeoutError
            answers.append(function(task))
            if len(answers) == LARGEST or time.perf_counter() - begin > AT_ONCE:
                answers, ready = [], answers
                yield ready
                begin = time.perf_counter()
    except (KeyboardInterrupt, TimeoutError):
        if answers:
            yield answers
        raise
    if answers:
        yield answers
