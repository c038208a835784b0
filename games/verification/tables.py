"""Cost tables of an agent over the true lengths on her machine, shared between all profiles that need the same one.

Two profiles need the same table when the agent's machine is the same and runs the same jobs in the same order with the
same penalties: same declared lengths, same possible true lengths, whoever owns them. Where all agents have the same
domain, they share their tables too; else tables are built for one agent at a time and forgotten before the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...support.errors import TooLargeError
from ...support.jit import Kernel, fitting
from ...support.progress import Progress
from .machine import OWN_TIME, Arrays, Blank, Lengths, fill_tables
from .plans import Ints, row_ids

MAX_CELLS = 1 << 27
"""Most cells of all tables in memory at one time (one GiB of int64)."""

Meant = Callable[[int, Fraction], tuple[Any, ...]]
"""True lengths behind a declaration of an agent, as integers or fractions."""


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
    return Lengths(start, count, np.array(theta or [0], dtype=arrays.scale.dtype), kind)


@dataclass(frozen=True)
class Tables:
    """Tables of some agents. ``table[n][p]`` is the number of agent ``n``'s table in profile ``p``, -1 for none.

    ``rows`` is a profile that has the table.
    """

    lengths: Lengths
    table: dict[int, Ints]
    rows: Ints
    offset: Ints
    cells: Any

    def array(self, arrays: Arrays, agent: int, row: int) -> tuple[list[int], Any]:
        """Jobs on an agent's machine in a profile, and her table with one axis for the lengths of each."""
        jobs = [n for n in company(arrays, agent, np.array([row]))[0].tolist() if n >= 0]
        number, counts = self.table[agent][row], self.lengths.count[jobs, arrays.plans.digit[row, jobs]]
        return jobs, self.cells[self.offset[number] : self.offset[number + 1]].reshape(counts)


def build_tables(
    arrays: Arrays,
    agents: Sequence[int],
    lengths: Lengths,
    which: NDArray[np.bool_],
    content: int = OWN_TIME,
    progress: Progress | None = None,
) -> Tables:
    """Fill the tables of these agents for all wanted profiles that have a plan.

    Raises TooLargeError, before any cell is computed, when they do not fit into memory.
    """
    rows = np.flatnonzero(which & arrays.plans.ready)
    keys = [_keys(arrays, agent, lengths, rows) for agent in agents]
    first, number = row_ids([np.concatenate(parts) for parts in zip(*keys, strict=True)])
    del keys  # as large as all the plans
    owner, at = np.divmod(first, max(len(rows), 1))
    representatives, focus = rows[at], np.asarray(agents, dtype=np.int64)[owner]
    sizes = np.ones(len(first), dtype=np.int64)
    for agent in agents:
        sizes[focus == agent] = table_sizes(arrays, agent, lengths, representatives[focus == agent])
    offset = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    if offset[-1] > MAX_CELLS:
        raise TooLargeError(
            f"one agent needs tables of {offset[-1]} cells; the limit is {MAX_CELLS}. "
            "Take a smaller domain, or a sample"
        )
    cells = np.zeros(int(offset[-1]), dtype=arrays.scale.dtype)
    kernel = fitting(fill_tables, arrays.scale.compiled, int(offset[-1]) * 20 * len(lengths.count))
    blank = Blank(representatives, focus, offset, cells)

    def work(first: int, last: int) -> None:
        kernel(first, last, content, arrays.runs, lengths, blank)

    for _, last in in_chunks(work, len(representatives), kernel):
        if progress is not None:
            progress(int(offset[last]), int(offset[-1]), "tables")
    table = {}
    for i, agent in enumerate(agents):
        table[agent] = np.full(len(which), -1, dtype=np.int64)
        table[agent][rows] = number[i * len(rows) : (i + 1) * len(rows)]
    return Tables(lengths, table, representatives, offset, cells)


def company(arrays: Arrays, focus: int, rows: Ints) -> Ints:
    """Jobs on the machine of ``focus`` in running order, padded with -1; shape (rows, agents)."""
    jobs: Ints = arrays.runs.order[rows, arrays.plans.place[rows, focus]]
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


def _keys(arrays: Arrays, focus: int, lengths: Lengths, rows: Ints) -> list[Ints]:
    """Columns that decide which table a profile needs."""
    plans = arrays.plans
    declared = sorted({b for own in plans.domain.universe for b in own})
    codes = np.zeros_like(lengths.kind)
    for n, own in enumerate(plans.domain.universe):
        codes[n, : len(own)] = [declared.index(b) for b in own]
    # one number for declaration and lengths: there are as many as agents times declarations, and penalties no more than
    # agents times profiles, so their product is far from overflowing for all that fits into memory
    pairs = row_ids([codes.reshape(-1), lengths.kind.reshape(-1)])[1].reshape(codes.shape)
    columns = [plans.place[rows, focus]]
    for jobs in company(arrays, focus, rows).T:
        d = plans.digit[rows, jobs]
        code = pairs[jobs, d] * (plans.penalty.max() + 2) + plans.penalty[rows, jobs] + 1
        columns.append(np.where(jobs < 0, -1, 2 * code + (jobs == focus)))
    return columns


def in_chunks(
    work: Callable[[int, int], None], n_items: int, kernel: object, chunk: int | None = None
) -> Iterator[tuple[int, int]]:
    """Do ``work(first, last)`` over all items; on all cores if its ``kernel`` is compiled, so that it holds no lock.

    The chunks come in order as they are done; whoever stops taking them waits for those under way and drops the rest.
    """
    size = chunk or max(1, n_items // 32)
    pieces = [(first, min(first + size, n_items)) for first in range(0, n_items, size)]
    if not isinstance(kernel, Kernel) or len(pieces) < 2:
        for piece in pieces:
            work(*piece)
            yield piece
        return
    from ...parallel.executors import cores  # heavy, and small work needs none

    with ThreadPoolExecutor(cores()) as pool:
        tasks = [pool.submit(work, *piece) for piece in pieces]
        try:
            for task, piece in zip(tasks, pieces, strict=True):
                task.result()
                yield piece
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
