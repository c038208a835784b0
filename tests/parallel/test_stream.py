"""Streams of tasks: all are answered once, whatever their lengths and whoever is lost on the way."""

from __future__ import annotations

import operator
import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import Any

import pytest

from consortium.parallel import stream
from consortium.parallel.executors import InProcess, LostWorkerError, Pool, executor
from consortium.parallel.stream import in_order, streamed
from consortium.support.errors import InputError
from consortium.support.progress import Clock


@pytest.fixture(scope="module", params=[1, 2])
def pool(request: pytest.FixtureRequest) -> Iterator[Pool]:
    with executor(request.param) as pool:
        yield pool


class Unreliable(ThreadPoolExecutor):
    """Threads that lose batches at random, before or after the work is done; tasks of ``deadly`` always."""

    workers = 3

    def attended(self) -> None: ...

    def __init__(self, seed: int, deadly: frozenset[Any] = frozenset()) -> None:
        super().__init__(3)
        self.rng, self.deadly, self.under_way, self.most = random.Random(seed), deadly, 0, 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        lost, late = self.rng.random() < 0.3 and len(args[1]) > 1, self.rng.random() < 0.5

        def call() -> Any:
            try:
                if late:
                    fn(*args, **kwargs)
                if lost or self.deadly & set(args[1]):
                    raise LostWorkerError("a worker was lost")
                return fn(*args, **kwargs)
            finally:
                self.under_way -= 1

        return super().submit(call)


def test_every_task_is_answered_once(pool: Pool) -> None:
    assert sorted(streamed(pool, abs, iter(range(-20_000, 0)))) == list(range(1, 20_001))
    assert list(streamed(pool, abs, iter([]))) == []
    assert sorted(streamed(pool, operator.neg, [3])) == [-3]


@pytest.mark.parametrize("seed", [*range(5), *(pytest.param(n, marks=pytest.mark.exhaustive) for n in range(5, 300))])
def test_nothing_is_lost_or_twice_among_tasks_of_any_length(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches that end by time at any task, batches that are lost at random, tasks that always lose theirs."""
    monkeypatch.setattr(stream, "SECONDS", 0.0005)
    rng = random.Random(seed)
    slow = frozenset(rng.sample(range(2000), 20))
    deadly = frozenset(rng.sample(range(2000), rng.randrange(3)))

    def work(task: int) -> int:
        if task in slow:
            time.sleep(0.001)
        return task

    with Unreliable(seed, deadly) as pool:
        pool.workers = rng.randrange(1, 5)
        found = list(streamed(pool, work, iter(range(2000)), lost=lambda task: -task))
        assert sorted(found) == sorted(-task if task in deadly else task for task in range(2000))
        assert pool.most <= stream.PER_WORKER * pool.workers


def test_tasks_are_taken_as_there_is_room(pool: Pool) -> None:
    """So that ten million of them need no memory."""
    tasks = iter(range(10**9))
    found = list(islice(streamed(pool, abs, tasks), 8))
    ahead = 0 if isinstance(pool, InProcess) else stream.PER_WORKER * pool.workers
    assert len(found) == 8
    assert next(tasks) <= (1 + ahead) * stream.LARGEST


def test_a_batch_ends_by_time(pool: Pool) -> None:
    """After many short tasks a batch of long ones comes back as they are done."""
    lengths = [0.0] * 3000 + [0.06] * 20
    begin = last = time.monotonic()
    longest = 0.0
    for _ in streamed(pool, time.sleep, lengths):
        now = time.monotonic()
        last, longest = now, max(longest, now - last)
    assert longest < 0.9 * (time.monotonic() - begin)
    assert longest < 1


def test_what_a_function_raises_ends_the_stream(pool: Pool) -> None:
    with pytest.raises(TypeError):
        list(streamed(pool, abs, [1, "a", 2]))
    assert list(streamed(pool, abs, [-1])) == [1]


def test_the_clock_ends_the_waiting(pool: Pool) -> None:
    found = []
    with pytest.raises(TimeoutError):
        found.extend(streamed(pool, time.sleep, [0.1] * 100, clock=Clock(0.5)))
    assert found


def test_a_task_that_ends_its_worker_is_given_up() -> None:
    tasks: list[Any] = [partial(int, n) for n in range(50)]
    tasks[20] = partial(os._exit, 1)
    with executor(2) as pool:
        found = list(streamed(pool, operator.call, tasks, lost=lambda task: -1))
    assert sorted(found) == [-1, *(n for n in range(50) if n != 20)]
    with Unreliable(1, frozenset([7])) as pool, pytest.raises(LostWorkerError, match=r"task 7: .* at least 3 times"):
        list(streamed(pool, abs, range(20)))
    with Unreliable(1, frozenset("x")) as pool, pytest.raises(LostWorkerError, match=r"^a worker was lost, at"):
        list(streamed(pool, str.upper, iter("x")))


@pytest.mark.parametrize("processes", [1, 2])
def test_ctrl_c_is_heard_at_once_and_keeps_what_was_found(processes: int) -> None:
    """In this process even the answers of the batch that is broken off."""
    found: list[None] = []
    sent = []

    def stop() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    def answers() -> None:
        with executor(processes) as pool:
            for answer in streamed(pool, time.sleep, [0.01] * 10**6):
                found.append(answer)
                if len(found) == 10:
                    threading.Timer(0.13, stop).start()

    with pytest.raises(KeyboardInterrupt):
        answers()
    assert time.monotonic() - sent[0] < 0.5  # a fifth of a second on a machine that does nothing else
    assert len(found) >= 10 if processes > 1 else len(found) > 15


def test_early_answers_are_held_back() -> None:
    rng = random.Random(1)
    for _ in range(200):
        numbers = list(range(rng.randrange(20)))
        mixed = rng.sample(numbers, len(numbers))
        assert list(in_order((n, f"{n}") for n in mixed)) == [f"{n}" for n in numbers]


def test_a_pool_needs_a_process() -> None:
    with pytest.raises(InputError, match="processes: found 0; expected an integer >= 1"), executor(0):
        pass
