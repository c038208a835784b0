"""How an organization can split its jobs into work at home and blocks elsewhere, and dynamics on such splits.

What a placement costs its organization depends on the pattern alone, given which block goes where: blocks sent to
distinct hosts, the largest to the host that is free first. Jobs of one length merge, and so do splits with equal sums.
All patterns of an organization add up to its work, so none is better than another whatever the others do.

>>> patterns((2, 1), 2)
((0, (2, 1)), (0, (3,)), (1, (2,)), (2, (1,)), (3, ()))

:class:`Runs` plays best-response dynamics on loads, many runs at once, for equilibria to begin with: a move is a
pattern with its largest block on the host that is free first. Of all patterns that cost the least one is drawn, so that
runs end at different equilibria. A step is one of numpy's for all runs that are still under way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...support.jit import Ints

MOST: Final = 25_000
"""Patterns of one organization; eight different jobs have at most 21,147."""
BITS: Final = 62
"""Home loads in one word of a set of them."""
Pattern: TypeAlias = tuple[int, tuple[int, ...]]
"""Work at home, and the blocks, largest first."""


class Splits(NamedTuple):
    """All patterns of all organizations, highest priority first; never modified."""

    work: Ints
    """Work of every organization."""
    shortest: Ints
    """Its shortest job; 0 without jobs."""
    homes: Ints
    """``homes[k, w]``: its different home loads, ascending, the last one repeated."""
    first: Ints
    """``first[k, w]:first[k, w + 1]`` of ``rows`` are the patterns with that home load."""
    rows: Ints
    """One pattern a row: its home load, and its blocks, filled up with zeros; by largest block within a home load."""

    @property
    def words(self) -> int:
        """Words that a set of home loads takes."""
        return -(-int(self.homes.shape[1]) // BITS)


@lru_cache(maxsize=256)
def patterns(sizes: tuple[int, ...], foreign: int) -> tuple[Pattern, ...] | None:
    """All patterns of jobs with so many foreign hosts, sorted; ``None`` beyond :data:`MOST` of them."""
    layer: set[Pattern] = {(0, ())}
    for size in sorted(sizes, reverse=True):
        following: set[Pattern] = set()
        for home, blocks in layer:
            following.add((home + size, blocks))
            for i, block in enumerate((*blocks, 0)[:foreign]):
                parts = sorted((*blocks[:i], block + size, *blocks[i + 1 :]), reverse=True)
                following.add((home, tuple(parts)))
            if len(following) > MOST:
                return None
        layer = following
    return tuple(sorted(layer))


def splits(sizes: tuple[tuple[int, ...], ...], dtype: type) -> Splits:
    """The patterns of organizations, listed by priority, as arrays; none of them has more than :data:`MOST`."""
    own = [patterns(tuple(sorted(row)), len(sizes) - 1) or () for row in sizes]
    homes = [sorted({home for home, _ in rows}) for rows in own]
    wide = max(map(len, homes))
    count, deep = sum(map(len, own)), max(1, max(len(blocks) for rows in own for _, blocks in rows))
    first = np.zeros((len(sizes), wide + 1), np.int64)
    table: Ints = np.zeros((count, 1 + deep), dtype)
    row = 0
    for k, rows in enumerate(own):
        first[k, 0] = row
        for home, blocks in sorted(rows, key=lambda pattern: (pattern[0], pattern[1][:1], pattern[1])):
            table[row, : 1 + len(blocks)] = home, *blocks
            row += 1
            first[k, homes[k].index(home) + 1 :] = row
    return Splits(
        np.array([sum(row) for row in sizes], dtype),
        np.array([min(row, default=0) for row in sizes], dtype),
        np.array([row + row[-1:] * (wide - len(row)) for row in homes], dtype),
        first,
        table,
    )


Numbers: TypeAlias = NDArray[np.int64]

ROUNDS: Final = 30
"""Rounds of one run; those that need more are given up."""
_MODULUS: Final = 2_147_483_647
_MULTIPLIER: Final = 48_271


class Generators:
    """A generator for every run (Lehmer's, as in C++'s ``minstd_rand``): the same numbers on every machine."""

    def __init__(self, seed: int, runs: int) -> None:
        self.state = 1 + (seed + np.arange(runs, dtype=np.int64)) * _MULTIPLIER % (_MODULUS - 1)
        for _ in range(3):  # neighbouring seeds are neighbours no longer
            self.some(np.arange(runs))

    def some(self, runs: Numbers, each: int = 1) -> Numbers:
        """So many numbers for each of some runs, below ``2**31 - 1``."""
        numbers = np.empty((runs.size, each), np.int64)
        for column in range(each):
            numbers[:, column] = self.state[runs] = self.state[runs] * _MULTIPLIER % _MODULUS
        return numbers


@dataclass
class Runs:
    """Runs of the dynamics on the patterns of one game.

    Attributes
    ----------
    splits
        The game.
    generators
        What is drawn.
    loads
        Shape (runs, organizations, hosts): where they are now.
    """

    splits: Splits
    generators: Generators
    loads: Ints

    @classmethod
    def at_random(cls, splits: Splits, seed: int, runs: int) -> Runs:
        """Every organization begins with one of its patterns, the blocks on hosts in random order."""
        hosts = splits.work.size
        made = cls(splits, Generators(seed, runs), np.zeros((runs, hosts, hosts), splits.work.dtype))
        everyone = np.arange(runs)
        for k in range(hosts):
            begin, end = int(splits.first[k, 0]), int(splits.first[k, -1])
            order = made._away(everyone, k, np.zeros((runs, hosts), np.int64))
            made._place(everyone, k, begin + made.generators.some(everyone)[:, 0] % (end - begin), order)
        return made

    @cached_property
    def _scratch(self) -> Ints:
        """Room for two numbers for every run and pattern; asking for it anew takes longer than filling it."""
        first = self.splits.first
        return np.empty((2, len(self.loads), int((first[:, -1] - first[:, 0]).max())), self.splits.work.dtype)

    @cached_property
    def _blocks(self) -> Ints:
        """The blocks of all patterns, the largest ones first; where there is none, what makes no host the last."""
        blocks = self.splits.rows.T[1:]
        return np.where(blocks > 0, blocks, -1 - self.splits.work.sum())

    def play(self) -> NDArray[np.bool_]:
        """Play in turn; which runs end at an equilibrium, the others are given up after :data:`ROUNDS`."""
        playing = np.arange(len(self.loads))
        for _ in range(ROUNDS):
            moved = np.zeros(playing.size, np.bool_)
            for k in range(self.splits.work.size):
                moved |= self._improve(playing, k)
            playing = playing[moved]
            if not playing.size:
                break
        ended = np.ones(len(self.loads), np.bool_)
        ended[playing] = False
        return ended

    def _improve(self, playing: Numbers, k: int) -> NDArray[np.bool_]:
        """One move of an organization in some runs; where it gains."""
        splits, loads = self.splits, self.loads[playing]
        begin, end = int(splits.first[k, 0]), int(splits.first[k, -1])
        ready = np.diagonal(loads, axis1=1, axis2=2) + loads[:, :k].sum(axis=1)
        ready[:, :k] -= np.diagonal(loads, axis1=1, axis2=2)[:, :k]  # counted twice
        away = np.where(loads[:, k] > 0, ready + loads[:, k], 0)
        away[:, k] = loads[:, k, k]
        order = self._away(playing, k, ready)
        soonest = np.take_along_axis(ready, order, axis=1)
        costs, later = self._scratch[:, : playing.size, : end - begin]
        costs[:] = splits.rows[begin:end, 0]
        for i in range(min(order.shape[1], len(self._blocks))):
            np.add(soonest[:, i : i + 1], self._blocks[i, begin:end], out=later)
            np.maximum(costs, later, out=costs)
        least = costs.min(axis=1)
        gains: NDArray[np.bool_] = (least < away.max(axis=1)).astype(np.bool_)
        if gains.any():
            run, row = np.nonzero(costs[gains] == least[gains, None])  # the best rows of every run, run after run
            count = np.bincount(run)
            nth = self.generators.some(playing[gains])[:, 0] % count
            self._place(playing[gains], k, begin + row[np.cumsum(count) - count + nth], order[gains])
        return gains

    def _away(self, runs: Numbers, k: int, ready: Ints) -> Numbers:
        """The other hosts in some runs, those that are free first before others, ties at random."""
        others = np.delete(np.arange(ready.shape[1]), k)
        drawn = np.argsort(self.generators.some(runs, others.size), axis=1, kind="stable")
        shuffled = others[drawn]
        sooner = np.argsort(np.take_along_axis(ready, shuffled, axis=1), axis=1, kind="stable")
        return np.take_along_axis(shuffled, sooner, axis=1)

    def _place(self, runs: Numbers, k: int, rows: Numbers, order: Numbers) -> None:
        """Place a pattern in each of some runs, its largest blocks on the first hosts of an order."""
        placed: Any = np.zeros((runs.size, self.splits.work.size), self.splits.work.dtype)
        wide = min(order.shape[1], len(self._blocks))
        np.put_along_axis(placed, order[:, :wide], self.splits.rows[rows, 1 : 1 + wide], axis=1)
        placed[:, k] = self.splits.rows[rows, 0]
        self.loads[runs, k] = placed
