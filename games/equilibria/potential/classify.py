"""Which classes of potential games a game is in, each with what shows it.

Here are the classes that only compare; :mod:`.differences` has exact and weighted potentials. ``P`` is an *ordinal*
potential if a move lowers it exactly when it lowers the mover's cost, a *generalized ordinal* one if it falls with
every gain. The first exists exactly if no ring of moves by which nobody loses has one by which somebody gains, the
second exactly if no ring consists of gains (the finite improvement property; Monderer and Shapley 1996, Voorneveld and
Norde 1997). A game is *weakly acyclic* if from every profile some gains lead to an equilibrium (Young 1993; better
replies, not only best ones); its best responses are *acyclic* if no ring consists of strict gains that are best
responses. Equal infinities are equal.

Graphs of moves have few edges however many strategies a player has: nodes are the profiles in C order and, beyond them,
nodes for the groups of equal cost in each *line* (a player and the others' choices). Between profiles the same paths
exist as if every move were an edge, up to profiles that lie between. The kernels read graphs as :func:`by_tail` has
them, :func:`path_lengths` with heads and tails exchanged.

>>> from consortium.games.normal_form import NormalFormGame
>>> game = NormalFormGame.from_arrays([[[0, 2], [1, 3]], [[0, 6], [3, 9]]], sense="cost")
>>> {name: verdict.holds for name, verdict in potentials(game).items()}["ordinal"]
True
>>> pennies = NormalFormGame.from_arrays([[[0, 1], [1, 0]], [[1, 0], [0, 1]]], sense="cost")
>>> generalized_ordinal(pennies).cycles, weakly_acyclic(pennies).trap
(((2, 0, 1, 3),), 0)

References
----------
D. Monderer, L. S. Shapley, "Potential games", Games and Economic Behavior 14, 1996.
M. Voorneveld, H. Norde, "A characterization of ordinal potential games", Games and Economic Behavior 19, 1997.
H. P. Young, "The evolution of conventions", Econometrica 61, 1993.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ....support.errors import TooLargeError
from ....support.exact import magnitude
from ....support.jit import jit, overwrite, quickest
from ....support.progress import Clock, Progress
from ...enumeration import Nodes, response_edges, strong_components
from ...normal_form import NormalFormGame
from ...protocol import Game, count_profiles
from .differences import Verdict, exact, weighted

MAX_CELLS: Final = 10_000_000
"""Profiles times players: a graph of moves has about twice as many edges."""
BYTES_PER_CELL: Final = 150


def by_tail(tails: Nodes, heads: Nodes, nodes: int) -> tuple[NDArray[np.int64], Nodes]:
    """``first`` and the heads in order of their tails: those of node ``v`` are ``heads[first[v]:first[v + 1]]``."""
    count = np.bincount(tails, minlength=nodes)
    return np.concatenate([[0], np.cumsum(count)]), heads[np.argsort(tails, kind="stable")]


@jit
def path_lengths(first: Any, tails: Any, out: Any) -> Any:
    """Edges of the longest path from every node, ``-1`` where a path never ends; ``out`` (out-degrees) is used up."""
    nodes = first.size - 1
    level = np.full(nodes, -1, np.int64)
    ready = np.empty(nodes, np.int64)
    count = 0
    for v in range(nodes):
        if out[v] == 0:
            level[v] = 0
            ready[count] = v
            count += 1
    done = 0
    while done < count:
        v = ready[done]
        done += 1
        for e in range(first[v], first[v + 1]):
            out[tails[e]] -= 1
            if out[tails[e]] == 0:  # v is the last of its heads, so the one of the highest level
                level[tails[e]] = level[v] + 1
                ready[count] = tails[e]
                count += 1
    return level


@jit
def breadth_first(first: Any, heads: Any, starts: Any) -> Any:
    """The node before each on a shortest path from the nearest start (``-1``: a start), and edges (``-1``: no path)."""
    nodes = first.size - 1
    previous, distance = np.full(nodes, -1, np.int64), np.full(nodes, -1, np.int64)
    ready = np.empty(nodes, np.int64)
    count = starts.size
    overwrite(ready, starts)
    distance[starts] = 0
    done = 0
    while done < count:
        v = ready[done]
        done += 1
        for e in range(first[v], first[v + 1]):
            if distance[heads[e]] < 0:
                previous[heads[e]], distance[heads[e]] = v, distance[v] + 1
                ready[count] = heads[e]
                count += 1
    return previous, distance


@dataclass(frozen=True, eq=False)
class Graph:
    """A directed graph; ``profiles`` of its ``nodes`` come first and are profiles."""

    tails: NDArray[np.int32]
    heads: NDArray[np.int32]
    nodes: int
    profiles: int

    @cached_property
    def components(self) -> NDArray[np.int32]:
        """The strong component of every node."""
        return strong_components(self.tails, self.heads, self.nodes)

    @cached_property
    def levels(self) -> NDArray[np.int64]:
        """Edges of the longest path from every node; ``-1`` where a path never ends."""
        out = np.bincount(self.tails, minlength=self.nodes)
        levels: NDArray[np.int64] = self._run(path_lengths)(*self._by_head, out)
        return levels

    def distances(self, ends: NDArray[np.int64]) -> NDArray[np.int64]:
        """Edges of the shortest path from every node to one of the ends; ``-1`` where there is none."""
        distances: NDArray[np.int64] = self._run(breadth_first)(*self._by_head, ends)[1]
        return distances

    def path(self, start: int, end: int) -> list[int]:
        """Profiles of a shortest path, both included. Raises ValueError where there is none."""
        before, _ = self._run(breadth_first)(*by_tail(self.tails, self.heads, self.nodes), np.array([start]))
        way = [end]
        while way[-1] != start:
            if before[way[-1]] < 0:
                raise ValueError(f"no path from {start} to {end}")
            way.append(int(before[way[-1]]))
        return [node for node in reversed(way) if node < self.profiles]

    def condensed(self) -> Graph:
        """The graph of the components."""
        tails, heads = self.components[self.tails], self.components[self.heads]
        between = tails != heads
        return Graph(tails[between], heads[between], int(self.components.max()) + 1, 0)

    def cycle(self) -> tuple[int, ...]:
        """A ring of profiles, of a graph in which some path never ends."""
        inside = np.flatnonzero(self.components[self.tails] == self.components[self.heads])
        start = self.tails[inside][self.tails[inside] < self.profiles][0]
        edge = inside[self.tails[inside] == start][0]
        return (int(start), *(p for p in self.path(int(self.heads[edge]), int(start)) if p != start))

    @cached_property
    def _by_head(self) -> tuple[NDArray[np.int64], Nodes]:
        return by_tail(self.heads, self.tails, self.nodes)

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


def ordinal(game: NormalFormGame) -> Verdict:
    """Whether there is an ordinal potential; refuted by a ring of moves by which nobody loses and somebody gains."""
    graph, (dearer, cheaper) = weak_gains(game)
    component = graph.components
    back = np.flatnonzero(component[dearer] == component[cheaper])
    if back.size:
        return Verdict(False, cycles=(tuple(graph.path(int(cheaper[back[0]]), int(dearer[back[0]]))),))
    return Verdict(True, graph.condensed().levels[component[: graph.profiles]])


def generalized_ordinal(game: NormalFormGame) -> Verdict:
    """Whether every sequence of gains ends; refuted by a ring of them."""
    return _acyclic(gains(game))


def acyclic_best_responses(game: NormalFormGame) -> Verdict:
    """Whether every sequence of best responses that gain ends; refuted by a ring of them."""
    size = game.social.size
    return _acyclic(Graph(*response_edges(game.table == game.best, np.arange(size)), size))


def weakly_acyclic(game: NormalFormGame) -> Verdict:
    """Whether gains can lead to an equilibrium from everywhere: the potential is the number that it takes."""
    graph = gains(game)
    leaves = np.bincount(graph.tails, minlength=graph.nodes)[: graph.profiles]
    steps = graph.distances(np.flatnonzero(leaves == 0))[: graph.profiles] // 2
    lost = np.flatnonzero(steps < 0)
    return Verdict(False, trap=int(lost[0])) if lost.size else Verdict(True, steps)


def _acyclic(graph: Graph) -> Verdict:
    """The potential is the largest number of moves that can follow."""
    moves = graph.levels[: graph.profiles]  # two edges each, by way of a node for a line or a group
    if (moves < 0).any():
        return Verdict(False, cycles=(graph.cycle(),))
    return Verdict(True, moves // 2)


DECIDED_BY: Final[Mapping[str, Callable[[NormalFormGame], Verdict]]] = MappingProxyType(
    {
        "exact": exact,
        "weighted": weighted,
        "ordinal": ordinal,
        "generalized_ordinal": generalized_ordinal,
        "weakly_acyclic": weakly_acyclic,
        "acyclic_best_responses": acyclic_best_responses,
    }
)
"""Each of the first five implies the next one; generalized ordinal games also have acyclic best responses, and games
with acyclic best responses are weakly acyclic."""


def potentials(
    game: NormalFormGame, clock: Clock | None = None, progress: Progress | None = None
) -> dict[str, Verdict]:
    """Verdicts by class, in the order of :data:`DECIDED_BY`; fewer when the clock runs out, or on Ctrl-C.

    A potential of one of the first four classes is one of all classes after it, and stands there again.
    Raises TooLargeError before any work.
    """
    check_cells(game)
    verdicts: dict[str, Verdict] = {}
    try:
        for number, (name, decide) in enumerate(DECIDED_BY.items()):
            if clock is not None and clock.expired():
                break
            if progress is not None:
                progress(number, len(DECIDED_BY), "kinds of potential")
            stronger = next((v for v in verdicts.values() if v.holds and v is not verdicts.get("weakly_acyclic")), None)
            if stronger is None or name == "weighted":
                verdicts[name] = decide(game)
            else:
                verdicts[name] = Verdict(True, stronger.potential, stronger.unit)
    except KeyboardInterrupt:
        pass
    return verdicts


def check_cells(game: Game) -> None:
    """Raise TooLargeError, with the numbers, for a game whose moves are too many for a graph."""
    cells = count_profiles(game) * len(game.players)
    if cells > MAX_CELLS:
        raise TooLargeError(
            f"potential: {magnitude(count_profiles(game))} profiles of {len(game.players)} players; the limit is "
            f"{MAX_CELLS:,} profiles times players, for whose moves a graph fits the memory"
        )
