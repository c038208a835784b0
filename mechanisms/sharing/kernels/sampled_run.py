"""Run the coalitions of sampled orderings, on several threads, and the schedule that follows their contributions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ....parallel.executors import cores
from ....support.interrupts import shielded
from ....support.jit import fitting
from ....support.progress import Progress
from ..arrays import AnyIntArray, IntArray
from ..circles import Coalitions
from ..instance import SharingInstance
from .drive import CHUNK, advance, jobs_of, moments, new_books, new_schedule, prepared, widened
from .queue import CODES
from .sampled import Followed, Found, Wanted, pass_until, run_chunk, run_coalitions


def values_of(
    instance: SharingInstance,
    sampled: Coalitions,
    until: int,
    rule: str,
    method: str,
    *,
    change: IntArray | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> AnyIntArray:
    """Value at ``until`` of each coalition where it serves its members by ``rule``.

    To ``change`` is added what they give to contributions, see :class:`.sampled.Found`. ``threads`` 0 stands for all
    cores. Raises KeyboardInterrupt when interrupted.
    """
    jobs, wanted = widened(jobs_of(instance, until), method), _wanted(sampled)
    kernel = fitting(run_coalitions, method != "python", len(sampled.member) * (instance.n_jobs + 1))
    table = np.zeros((0, instance.n_organizations), dtype=np.int64) if change is None else change
    values = np.zeros(len(sampled.member), dtype=object if method == "python" else np.int64)
    workers = []
    for worker in range(threads or cores()):
        books = widened(new_books(jobs_of(instance, until)), method)
        schedule = widened(new_schedule(instance, instance.n_organizations), method)
        workers.append((books, schedule, Found(values, np.zeros_like(table) if worker else table)))

    def work(worker: int, begun: int, ended: int) -> None:
        books, schedule, found = workers[worker]
        kernel(begun, ended, CODES[rule], jobs, books, schedule, wanted, found)

    work(0, 0, 0)  # compiled once, here
    with ThreadPoolExecutor(len(workers)) as pool:
        for bounds in _rounds(len(values), len(workers), max(1, CHUNK // (instance.n_jobs + 1))):
            with shielded():
                list(pool.map(work, range(len(workers)), bounds[:-1], bounds[1:]))
            if progress is not None:
                progress(bounds[-1], len(values), "coalitions")
    for _, _, found in workers[1:]:
        table += found.change
    return values


def _rounds(n: int, workers: int, each: int) -> Iterator[list[int]]:
    """Bounds of what the workers do at a time: at most ``each`` coalitions a worker."""
    for begun in range(0, n, workers * each):
        ended = min(n, begun + workers * each)
        yield [begun + (ended - begun) * worker // workers for worker in range(workers + 1)]


def _wanted(sampled: Coalitions) -> Wanted:
    first = np.searchsorted(sampled.coalition, np.arange(len(sampled.member) + 1))
    return Wanted(sampled.member, first, sampled.player, sampled.weight)


class Contributions:
    """What the schedules of coalitions add up to, and the schedule that serves by it.

    Contributions are times ``count``, the number of orderings.
    """

    def __init__(self, instance: SharingInstance, change: IntArray, count: int, until: int, method: str) -> None:
        self._instance, self._until, self._method, self._count = instance, until, method, count
        self._change = change
        self._origin = jobs_of(instance, until).origin

    def _begun(self) -> Followed:
        k = self._instance.n_organizations
        rows = (np.zeros(size, dtype=np.int64) for size in (k, k, k, 1))
        return widened(Followed(np.zeros((0, k), dtype=np.int64), *rows), self._method)._replace(change=self._change)

    def starts(self) -> AnyIntArray:
        """Starts of the schedule that serves whoever is furthest below its contribution.

        Raises KeyboardInterrupt when interrupted.
        """
        jobs, books, schedule = prepared(self._instance, self._until, self._instance.n_organizations, self._method)
        arguments = (self._count, jobs, books, schedule, self._begun())
        if not advance(run_chunk, arguments, schedule.clock, jobs.until, self._method, None):
            raise KeyboardInterrupt
        return moments(jobs, schedule.start)

    def at(self, times: Sequence[int]) -> list[list[int]]:
        """The contributions at moments in increasing order, a list each."""
        followed, found = self._begun(), []
        run = fitting(pass_until, self._method != "python", self._change.size)
        for t in times:
            run(followed, max(0, t - self._origin))
            found.append([int(phi) for phi in followed.phi])
        return found
