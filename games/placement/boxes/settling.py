"""Best-response dynamics on loads, many runs at once: equilibria to begin with.

What an organization pays depends on loads alone, so a move is a pattern of :mod:`.patterns` with its largest block on
the host that is free first. Of all patterns that cost the least one is drawn, so that runs end at different equilibria.
A step is one of numpy's for all runs that are still under way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .patterns import Splits

if TYPE_CHECKING:
    from ....support.jit import Ints

Numbers: TypeAlias = NDArray[np.int64]

ROUNDS: Final = 30
"""Rounds of one run; those that need more are given up."""
_MODULUS: Final = 2_147_483_647
_MULTIPLIER: Final = 48_271


class Draws:
    """A generator for every run (Lehmer's, as in C++'s ``minstd_rand``): the same numbers on every machine."""

    def __init__(self, seed: int, runs: int) -> None:
        self.state = 1 + (seed + np.arange(runs, dtype=np.int64)) * _MULTIPLIER % (_MODULUS - 1)
        for _ in range(3):  # neighbouring seeds are neighbours no longer
            self.some(np.arange(runs))

    def some(self, runs: Numbers, each: int = 1) -> Numbers:
        """So many numbers for each of some runs, below ``2**31 - 1``."""
        found = np.empty((runs.size, each), np.int64)
        for column in range(each):
            found[:, column] = self.state[runs] = self.state[runs] * _MULTIPLIER % _MODULUS
        return found


@dataclass
class Runs:
    """Runs of the dynamics on the patterns of one game.

    Attributes
    ----------
    splits
        The game.
    draws
        What is drawn.
    loads
        Shape (runs, organizations, hosts): where they are now.
    """

    splits: Splits
    draws: Draws
    loads: Ints

    @classmethod
    def at_random(cls, splits: Splits, seed: int, runs: int) -> Runs:
        """Every organization begins with one of its patterns, the blocks on hosts in random order."""
        hosts = splits.work.size
        made = cls(splits, Draws(seed, runs), np.zeros((runs, hosts, hosts), splits.work.dtype))
        everyone = np.arange(runs)
        for k in range(hosts):
            begin, end = int(splits.first[k, 0]), int(splits.first[k, -1])
            order = made._away(everyone, k, np.zeros((runs, hosts), np.int64))
            made._place(everyone, k, begin + made.draws.some(everyone)[:, 0] % (end - begin), order)
        return made

    @cached_property
    def _scratch(self) -> Ints:
        """Room for two numbers for every run and pattern; asking for it anew takes longer than filling it."""
        first = self.splits.first
        return np.empty((2, len(self.loads), int((first[:, -1] - first[:, 0]).max())), self.splits.work.dtype)

    @cached_property
    def _blocks(self) -> Ints:
        """The blocks of all patterns, the largest ones first; where there is none, what makes no host the last."""
        blocks = self.splits.blocks.T
        return np.where(blocks > 0, blocks, -1 - self.splits.work.sum())

    def settled(self) -> NDArray[np.bool_]:
        """Play in turn; which runs end at an equilibrium, the others are given up after :data:`ROUNDS`."""
        playing = np.arange(len(self.loads))
        for _ in range(ROUNDS):
            moved = np.zeros(playing.size, np.bool_)
            for k in range(self.splits.work.size):
                moved |= self._improve(playing, k)
            playing = playing[moved]
            if not playing.size:
                break
        found = np.ones(len(self.loads), np.bool_)
        found[playing] = False
        return found

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
        costs[:] = splits.home[begin:end]
        for i in range(min(order.shape[1], splits.blocks.shape[1])):
            np.add(soonest[:, i : i + 1], self._blocks[i, begin:end], out=later)
            np.maximum(costs, later, out=costs)
        least = costs.min(axis=1)
        gains: NDArray[np.bool_] = (least < away.max(axis=1)).astype(np.bool_)
        if gains.any():
            run, row = np.nonzero(costs[gains] == least[gains, None])  # the best rows of every run, run after run
            count = np.bincount(run)
            nth = self.draws.some(playing[gains])[:, 0] % count
            self._place(playing[gains], k, begin + row[np.cumsum(count) - count + nth], order[gains])
        return gains

    def _away(self, runs: Numbers, k: int, ready: Ints) -> Numbers:
        """The other hosts in some runs, those that are free first before others, ties at random."""
        others = np.delete(np.arange(ready.shape[1]), k)
        drawn = np.argsort(self.draws.some(runs, others.size), axis=1, kind="stable")
        shuffled = others[drawn]
        sooner = np.argsort(np.take_along_axis(ready, shuffled, axis=1), axis=1, kind="stable")
        return np.take_along_axis(shuffled, sooner, axis=1)

    def _place(self, runs: Numbers, k: int, rows: Numbers, order: Numbers) -> None:
        """Place a pattern in each of some runs, its largest blocks on the first hosts of an order."""
        placed: Any = np.zeros((runs.size, self.splits.work.size), self.splits.work.dtype)
        wide = min(order.shape[1], self.splits.blocks.shape[1])
        np.put_along_axis(placed, order[:, :wide], self.splits.blocks[rows, :wide], axis=1)
        placed[:, k] = self.splits.home[rows]
        self.loads[runs, k] = placed
