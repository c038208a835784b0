"""Cost tables of one agent over the true lengths on her machine, shared between all profiles that need the same one.

Two profiles need the same table when the agent's machine is the same and runs the same jobs in the same order with the
same penalties: same declared lengths, same possible true lengths, whoever owns them. Tables are built for one agent
at a time and forgotten before the next, so that memory follows the largest agent and not their sum.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...scheduling.errors import TooLargeError
from .arrays import Arrays
from .machine import OWN_TIME, fill_tables
from .plans import Ints

THREADS = 2
MAX_CELLS = 1 << 27
"""Most cells of one agent's tables (one GiB of int64)."""

Meant = Callable[[int, Fraction], tuple[Any, ...]]
"""True lengths behind a declaration of an agent, as integers or fractions."""


@dataclass(frozen=True)
class Lengths:
    """The true lengths behind each declaration: ``theta[start[n, d] : start[n, d] + count[n, d]]``."""

    start: Ints
    count: Ints
    theta: Any
    kind: Ints
    """``kind[n, d]``: equal for places with equal lengths."""


def possible_lengths(arrays: Arrays, meant: Meant) -> Lengths:
    """Gather the true lengths of all agents and declarations; ``meant`` gives them in units of length."""
    universe = arrays.plans.domain.universe
    shape = (len(universe), max(map(len, universe)))
    start, count, kind = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    kinds: dict[tuple[Any, ...], tuple[int, int]] = {}
    theta: list[int] = []
    for n, own in enumerate(universe):
        for d, b in enumerate(own):
            lengths = meant(n, b)
            if lengths not in kinds:
                kinds[lengths] = len(kinds), len(theta)
                theta.extend(lengths)
            kind[n, d], start[n, d] = kinds[lengths]
            count[n, d] = len(lengths)
    return Lengths(start, count, np.array(theta or [0], dtype=arrays.dtype), kind)


@dataclass(frozen=True)
class Tables:
    """Tables of one agent. ``table[p]`` is the number of profile ``p``'s table, -1 where it has none."""

    focus: int
    lengths: Lengths
    table: Ints
    rows: Ints
    offset: Ints
    cells: Any


def build_tables(
    arrays: Arrays, focus: int, lengths: Lengths, wanted: NDArray[np.bool_], content: int = OWN_TIME
) -> Tables:
    """Fill the tables of agent ``focus`` for all wanted profiles that have a plan.

    Raises TooLargeError, before any cell is computed, when they do not fit into memory.
    """
    rows = np.flatnonzero(wanted & arrays.plans.ready)
    first, inverse = _distinct(arrays, focus, lengths, rows)
    table = np.full(len(wanted), -1, dtype=np.int64)
    table[rows] = inverse
    representatives = rows[first]
    offset = np.concatenate([[0], np.cumsum(table_sizes(arrays, focus, lengths, representatives))]).astype(np.int64)
    if offset[-1] > MAX_CELLS:
        raise TooLargeError(
            f"agent {focus + 1} needs tables of {offset[-1]} cells; the limit is {MAX_CELLS}. "
            "Take a smaller domain, or a sample"
        )
    cells = np.zeros(int(offset[-1]), dtype=arrays.dtype)
    _fill(arrays, focus, lengths, content, representatives, offset, cells)
    return Tables(focus, lengths, table, representatives, offset, cells)


def company(arrays: Arrays, focus: int, rows: Ints) -> Ints:
    """Jobs on the machine of ``focus`` in running order, padded with -1; shape (rows, agents)."""
    jobs: Ints = arrays.order[rows, arrays.plans.place[rows, focus]]
    return jobs


def table_sizes(arrays: Arrays, focus: int, lengths: Lengths, rows: Ints) -> Ints:
    """Number of cells of the table of each profile."""
    jobs = company(arrays, focus, rows)
    digit = arrays.plans.digit[rows]
    sizes = np.ones(len(rows), dtype=np.int64)
    for i in range(jobs.shape[1]):
        there = np.flatnonzero(jobs[:, i] >= 0)
        n = jobs[there, i]
        sizes[there] *= lengths.count[n, digit[there, n]]
    return sizes


def _distinct(arrays: Arrays, focus: int, lengths: Lengths, rows: Ints) -> tuple[Ints, Ints]:
    """First row, and number, of each different table."""
    plans = arrays.plans
    jobs = company(arrays, focus, rows)
    declared = sorted({b for own in plans.domain.universe for b in own})
    number = {b: i for i, b in enumerate(declared)}
    codes = np.array(
        [[number[b] for b in own] + [0] * (lengths.kind.shape[1] - len(own)) for own in plans.domain.universe]
    )
    columns = [plans.place[rows, focus]]
    for i in range(jobs.shape[1]):
        n = jobs[:, i]
        d = plans.digit[rows, n]
        penalty = plans.penalty[rows, n] + 1
        code = (codes[n, d] * (lengths.kind.max() + 1) + lengths.kind[n, d]) * (plans.penalty.max() + 2) + penalty
        columns.append(np.where(n < 0, -1, 2 * code + (n == focus)))
    _, first, inverse = np.unique(np.stack(columns, axis=1), axis=0, return_index=True, return_inverse=True)
    return first, inverse.reshape(-1)


def _fill(arrays: Arrays, focus: int, lengths: Lengths, content: int, rows: Ints, offset: Ints, cells: Any) -> None:
    plans = arrays.plans
    n_agents = plans.place.shape[1]
    kernel = fill_tables if arrays.compiled else fill_tables.py_func

    def work(first: int, last: int) -> None:
        kernel(
            first, last, rows, focus, content, arrays.tools, arrays.infinity, plans.place, arrays.order, arrays.said,
            plans.digit, arrays.seconds, arrays.slope, arrays.release, arrays.limit, lengths.start, lengths.count,
            lengths.theta, offset, cells, np.zeros(n_agents, dtype=np.int64), np.zeros(n_agents, dtype=arrays.dtype),
            np.zeros(n_agents, dtype=arrays.dtype),
        )  # fmt: skip

    in_chunks(work, len(rows), max(1, len(rows) // 16), arrays.compiled)


def in_chunks(
    work: Callable[[int, int], None],
    n_items: int,
    chunk: int,
    threads: bool,
    done: Callable[[int, int], bool] = lambda first, last: True,
) -> bool:
    """Do ``work(first, last)`` over all items, on two cores when the work lets the interpreter go.

    ``done(first, last)`` is called after each chunk and may answer False to stop. Whether everything was done; after
    Ctrl-C the chunks under way are finished and reported before KeyboardInterrupt goes on its way.
    """
    pieces = [(first, min(first + chunk, n_items)) for first in range(0, n_items, chunk)]
    if not threads or len(pieces) < 2:
        for piece in pieces:
            work(*piece)
            if not done(*piece):
                return piece[1] == n_items
        return True
    with ThreadPoolExecutor(THREADS) as pool:
        tasks = {pool.submit(work, *piece): piece for piece in pieces}
        told: set[Future[None]] = set()
        try:
            for task in as_completed(tasks):
                task.result()
                told.add(task)
                if not done(*tasks[task]):
                    break
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            for task, piece in tasks.items():
                if task not in told and not task.cancelled():
                    done(*piece)
    return all(not task.cancelled() for task in tasks)
