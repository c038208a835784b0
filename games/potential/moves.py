"""Graphs of moves over the table of a game, with few edges however many strategies a player has.

Nodes are the profiles in C order and, beyond them, nodes for the groups of equal cost in each *line* (a player and the
others' choices): between profiles the same walks exist as if every move were an edge, up to profiles that lie between.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...support.jit import quickest
from ..graphs import by_tail, strong_components
from ..normal_form import NormalFormGame
from . import kernels


@dataclass(frozen=True, eq=False)
class Graph:
    """A directed graph; ``profiles`` of its ``nodes`` come first and are profiles."""

    tails: NDArray[np.int32]
    heads: NDArray[np.int32]
    nodes: int
    profiles: int

    @cached_property
    def components(self) -> NDArray[np.int64]:
        """The strong component of every node."""
        return strong_components(self.tails, self.heads, self.nodes)

    @cached_property
    def levels(self) -> NDArray[np.int64]:
        """Edges of the longest walk from every node; ``-1`` where a walk never ends."""
        out = np.bincount(self.tails, minlength=self.nodes)
        found: NDArray[np.int64] = self._run(kernels.levels)(*self._by_head, out)
        return found

    def distances(self, ends: NDArray[np.int64]) -> NDArray[np.int64]:
        """Edges of the shortest walk from every node to one of the ends; ``-1`` where there is none."""
        found: NDArray[np.int64] = self._run(kernels.distances)(*self._by_head, ends)
        return found

    def walk(self, start: int, end: int) -> list[int]:
        """Profiles of a shortest walk, both included. Raises ValueError where there is none."""
        before = self._run(kernels.before)(*by_tail(self.tails, self.heads, self.nodes), start)
        way = [end]
        while way[-1] != start:
            if before[way[-1]] < 0:
                raise ValueError(f"no walk from {start} to {end}")
            way.append(int(before[way[-1]]))
        return [node for node in reversed(way) if node < self.profiles]

    def condensed(self) -> Graph:
        """The graph of the components."""
        tails, heads = self.components[self.tails], self.components[self.heads]
        between = tails != heads
        return Graph(tails[between], heads[between], int(self.components.max()) + 1, 0)

    def cycle(self) -> tuple[int, ...]:
        """A ring of profiles, of a graph in which some walk never ends."""
        inside = np.flatnonzero(self.components[self.tails] == self.components[self.heads])
        start = self.tails[inside][self.tails[inside] < self.profiles][0]
        edge = inside[self.tails[inside] == start][0]
        return (int(start), *(p for p in self.walk(int(self.heads[edge]), int(start)) if p != start))

    @cached_property
    def _by_head(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        count = np.bincount(self.heads, minlength=self.nodes)
        return np.concatenate([[0], np.cumsum(count)]), self.tails[np.argsort(self.heads, kind="stable")]

    def _run(self, kernel: Any) -> Any:
        return quickest(kernel, self.nodes + self.tails.size)


@dataclass(frozen=True, eq=False)
class _Lines:
    """All lines of one player, cheapest first: profiles, and for each the node of its group; groups count up."""

    profiles: NDArray[np.int32]
    groups: NDArray[np.int32]

    @property
    def dearer(self) -> NDArray[np.bool_]:
        """Where a group begins that is not the cheapest of its line."""
        above = np.zeros(self.groups.shape, np.bool_)
        above[:, 1:] = self.groups[:, 1:] != self.groups[:, :-1]
        return above


def _lines(game: NormalFormGame) -> Iterator[_Lines]:
    numbers = np.arange(game.social.size, dtype=np.int32).reshape(game.shape)
    first = game.social.size
    for i, own in enumerate(game.table):
        size = game.shape[i]
        costs = np.moveaxis(own, i, -1).reshape(-1, size)
        order = np.argsort(costs, axis=1, kind="stable")
        costs = np.take_along_axis(costs, order, axis=1)
        within = np.zeros(costs.shape, np.int32)
        within[:, 1:] = np.cumsum(costs[:, 1:] != costs[:, :-1], axis=1)
        groups = first + np.arange(len(costs), dtype=np.int32)[:, None] * size + within
        yield _Lines(np.take_along_axis(np.moveaxis(numbers, i, -1).reshape(-1, size), order, axis=1), groups)
        first += costs.size


def _graph(game: NormalFormGame, tails: list[NDArray[Any]], heads: list[NDArray[Any]]) -> Graph:
    nodes = game.social.size * (1 + len(game.players))
    return Graph(np.concatenate(tails), np.concatenate(heads), nodes, game.social.size)


def gains(game: NormalFormGame) -> Graph:
    """Moves by which somebody strictly gains: from a group to the node of the next cheaper one, from there into it."""
    tails, heads = [], []
    for lines in _lines(game):
        costly = lines.groups != lines.groups[:, :1]
        tails.append(lines.profiles[costly])
        heads.append(lines.groups[costly] - 1)
        entered = lines.groups != lines.groups[:, -1:]  # nobody gains by entering the dearest group
        tails.append(lines.groups[entered])
        heads.append(lines.profiles[entered])
    return _graph(game, tails, heads)


def weak_gains(game: NormalFormGame) -> tuple[Graph, NDArray[np.int32]]:
    """Moves by which the mover does not lose, and of each step between groups two profiles: the dearer, the cheaper."""
    tails, heads, steps = [], [], []
    for lines in _lines(game):
        tails += [lines.profiles.reshape(-1), lines.groups.reshape(-1), lines.groups[lines.dearer]]
        heads += [lines.groups.reshape(-1), lines.profiles.reshape(-1), lines.groups[lines.dearer] - 1]
        row, column = np.nonzero(lines.dearer)
        steps.append(np.stack([lines.profiles[row, column], lines.profiles[row, column - 1]]))
    return _graph(game, tails, heads), np.concatenate(steps, axis=1)
