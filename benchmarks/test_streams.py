"""Streams of small tasks over two processes, beside joblib and the standard library in the same run.

Tasks that do nothing and tasks that sleep for three milliseconds, so that hardly any processor time is theirs. What
this process spends on giving one out is told for each way: it does not depend on what else the machine does. Run with
``pytest benchmarks/test_streams.py --benchmark-enable``.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from typing import Any

import joblib
import pytest

from consortium.parallel.executors import executor
from consortium.parallel.stream import streamed

PROCESSES = 2
TASKS: dict[str, tuple[Callable[[Any], Any], float, int]] = {
    "nothing": (abs, 0, 20_000),
    "three milliseconds": (time.sleep, 0.003, 1_000),
}
MOST = 0.00005
"""Processor seconds that a task may cost the process that gives it out."""


@contextmanager
def ours() -> Iterator[Callable[[Any, Iterable[Any]], Iterable[Any]]]:
    with executor(PROCESSES) as pool:
        yield partial(streamed, pool)


@contextmanager
def standard_library() -> Iterator[Callable[[Any, Iterable[Any]], Iterable[Any]]]:
    with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:
        yield partial(pool.map, chunksize=100)


@contextmanager
def with_joblib() -> Iterator[Callable[[Any, Iterable[Any]], Iterable[Any]]]:
    with joblib.Parallel(PROCESSES, return_as="generator_unordered", pre_dispatch="all") as pool:
        yield lambda function, tasks: pool(joblib.delayed(function)(task) for task in tasks)


@pytest.mark.parametrize("tasks", TASKS)
@pytest.mark.parametrize("way", [ours, standard_library, with_joblib])
def test_small_tasks(way: Callable[[], Any], tasks: str, benchmark: Any) -> None:
    function, task, n_tasks = TASKS[tasks]
    with way() as stream:
        deque(stream(time.sleep, [0.1] * 4 * PROCESSES), maxlen=0)  # all of them have been started
        begin = time.process_time()
        benchmark.pedantic(lambda: deque(stream(function, [task] * n_tasks), maxlen=0), rounds=1)
        spent = (time.process_time() - begin) / n_tasks
    benchmark.extra_info["processor microseconds per task here"] = round(1e6 * spent, 1)
    assert spent < MOST or way is not ours
