"""What the methods for the smallest makespan share: the instance as integers, and what is known of it so far.

>>> state = Instance((3, 3, 2, 2, 2), (1, 1)).search(nodes=1_000)
>>> state.lower, state.upper, state.method, state.proved_by
(6, 6, 'search', 'counting')
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from ..support.exact import fits_int64
from .makespan_fill import affordable, best_fill, raised

MAX_CELLS: Final = 20_000
"""Jobs times machines beyond which only bounds and the longest-first schedule are computed."""
FEW: Final = 2_000
"""Placements that the search tries in Python: with integers beyond 64 bits, and first while nothing is compiled."""


@dataclass
class State:
    """What is known while methods work on an instance: integers, jobs longest first.

    ``walk`` is where the compiled search stands (:class:`.makespan_kernel.Walk`).
    """

    lower: int
    upper: int
    machine: Any
    method: str
    proved_by: str
    walk: Any

    def schedule(self, upper: int, machine: Any, method: str) -> None:
        """Take a better schedule."""
        if upper < self.upper:
            self.upper, self.machine, self.method = upper, machine, method

    def bound(self, lower: int, proved_by: str) -> None:
        """Take a better lower bound; more than the known makespan is no news."""
        if min(lower, self.upper) > self.lower:
            self.lower, self.proved_by = min(lower, self.upper), proved_by

    def search(self, improve: Callable[[int, int, Any, Any], int], nodes: int) -> None:
        """Let the search go on for so many placements, by ``improve(lower, upper, best, walk)``."""
        if self.lower == self.upper or nodes <= 0:
            return
        self.walk.at[1] = nodes
        best = self.machine.copy()
        self.schedule(int(improve(self.lower, self.upper, best, self.walk)), best, "search")
        if self.walk.at[0] < 0:
            self.bound(self.upper, "search")


@dataclass(frozen=True)
class Instance:
    """Integer work, longest first, and integer times per unit of work."""

    work: tuple[int, ...]
    per_work: tuple[int, ...]

    @property
    def fits(self) -> bool:
        """Whether the kernels' integers fit into 64 bits: makespans and their sums, room on all machines, tables.

        No bound that is tried exceeds the time of all work on the fastest machine, so each machine may have room for
        all of it, and a table of fillings one cell per job and unit of it.
        """
        most = max(2 * max(self.per_work), len(self.per_work), len(self.work) + 1)
        return fits_int64((sum(self.work) + 1) * most)

    @property
    def searchable(self) -> bool:
        """Whether the instance is small enough to search at all."""
        return len(self.work) * len(self.per_work) <= MAX_CELLS

    def makespan(self, machine: Sequence[int]) -> int:
        """Makespan of a machine per job."""
        load = [0] * len(self.per_work)
        for w, m in zip(self.work, machine, strict=True):
            load[int(m)] += w
        return max(x * q for x, q in zip(load, self.per_work, strict=True))

    def search(self, nodes: int) -> State:
        """Bounds, longest first, filled machines, and the compiled search with at most ``nodes`` placements."""
        import numpy as np

        from ..support.jit import fitting
        from . import makespan_kernel as kernel

        dtype: Any = np.int64 if self.fits else object
        work, per_work = np.array(self.work, dtype=dtype), np.array(self.per_work, dtype=dtype)
        if not self.searchable:
            nodes = 0
        n, machines = len(self.work), len(self.per_work)
        begin = fitting(kernel.begin, self.fits, 150 * n * machines)
        first, counted, upper, lower, machine, walk = begin(work, per_work, nodes)
        method = "longest-first" if upper == first else "search"
        state = State(int(lower), int(upper), machine, method, "counting" if lower == counted else "search", walk)
        if state.lower < state.upper and nodes > 0 and n > kernel.SMALL and affordable(self.work):
            state.bound(raised(self.work, self.per_work, state.lower, state.upper), "filling")
            filled = best_fill(self.work, self.per_work, state.lower, state.upper)
            if filled is not None:
                state.schedule(self.makespan(filled), np.array(filled, dtype=np.int64), "filling")
        few = min(nodes, FEW)
        tables = n * sum(self.work) // machines if n > kernel.SMALL else 0
        search = fitting(kernel.search, self.fits, few * machines + tables)
        state.search(partial(search, work, per_work), nodes if search is kernel.search else few)
        if search is not kernel.search and self.fits:
            state.search(partial(kernel.search, work, per_work), nodes - few)
        return state
