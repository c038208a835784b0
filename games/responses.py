"""The best-response graph of a game given by its table: who moves where, and where play ends.

:func:`reached` says which profiles best responses lead to, and which lead to given ones, breadth first along the lines
of the table. A line is one player's choices against fixed ones of everybody else. Her best responses lead from its
cells that are not best to those that are, so one pass serves both directions: from cells of one kind, here *near*, to
all cells of the other kind on the same line.

>>> at_best = np.array([[[False, True], [True, False]], [[True, False], [True, False]]])  # (player, row, column)
>>> reached(at_best, np.array([2])).tolist()  # leading to the profile in row 1, column 0
[True, True, True, True]
>>> reached(~at_best, np.array([2])).tolist()  # what follows it
[False, False, True, False]
"""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..support.jit import quickest
from .enumeration import best_costs
from .enumeration_kernels import reached as reached_in_loops
from .graphs import strong_components
from .normal_form import NormalFormGame

if TYPE_CHECKING:
    import networkx

IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]

_FEW = 10_000  # profiles whose graph is made at once
_PLAYS = 8
_STEPS = 1_000  # of a play; where one ends short of a sink, more follows from there, and nothing else changes


def sink_components(game: NormalFormGame, best: NDArray[Any] | None = None) -> list[IntArray]:
    """Sink components of the best-response graph: sets of profiles that best responses reach and never leave.

    An edge changes one player, who strictly gains and reaches her best-response cost. A pure equilibrium is a sink of
    one profile; without equilibria the sinks are where the dynamics end up cycling. Smallest first, then by number.

    The equilibria are known at once. From a profile that leads to none of them, long play ends in some sink: what
    follows from there is closed, so its sinks are the game's, and what leads to them is in no other sink. Only what is
    left after a few such plays is looked at as a graph.
    """
    at_best = game.table == (best_costs(game) if best is None else best)
    stable = np.flatnonzero(at_best.all(axis=0))
    sinks, leading = list(stable[:, None]), reached(at_best, stable)
    for _ in range(_PLAYS):
        if leading.size - leading.sum() <= _FEW:
            break
        end = _after_long_play(at_best, int(leading.argmin()))
        sinks_below = _sinks_among(at_best, np.flatnonzero(reached(~at_best, np.array([end]))))
        sinks += sinks_below
        leading |= reached(at_best, np.concatenate(sinks_below))
    sinks += _sinks_among(at_best, np.flatnonzero(~leading))
    return sorted(sinks, key=lambda sink: (sink.size, int(sink[0])))


def _after_long_play(at_best: BoolArray, place: int) -> int:
    """A profile that best responses of players drawn at random lead to; nobody rests on the way."""
    chance = random.Random(place)
    flat, sizes = at_best.reshape(len(at_best), -1), at_best.shape[1:]
    for _ in range(_STEPS):
        player = chance.choice(np.flatnonzero(~flat[:, place]).tolist())
        stride = math.prod(sizes[player + 1 :])
        line = place - place // stride % sizes[player] * stride + stride * np.arange(sizes[player])
        place = chance.choice(line[flat[player, line]].tolist())
    return place


def _sinks_among(at_best: BoolArray, places: IntArray) -> list[IntArray]:
    """The sinks in a set of profiles that best responses never leave, ascending."""
    if not places.size:
        return []
    tails, heads, nodes = response_edges(at_best, places)
    component = strong_components(tails, heads, nodes)
    closed = np.ones(component.max() + 1, dtype=np.bool_)
    closed[component[tails[component[tails] != component[heads]]]] = False
    inside = np.flatnonzero(closed[component[: places.size]])
    order = inside[np.argsort(component[inside], kind="stable")]
    return np.split(places[order], np.flatnonzero(np.diff(component[order])) + 1)


def response_edges(at_best: BoolArray, places: IntArray) -> tuple[NDArray[np.int32], NDArray[np.int32], int]:
    """Best responses among profiles that they never leave, with a node for every line: tails, heads, number of nodes.

    A line is a player and everybody else's choices. A profile leads to the line of every player who gains, a line to
    its best cells: the same profiles reach each other as without lines, and every cell makes one edge per player,
    however many strategies she has. The profiles, in the order given, are the first nodes.
    """
    tails: list[NDArray[np.int32]] = []
    heads: list[NDArray[np.int32]] = []
    nodes, stride = places.size, at_best[0].size
    here = np.arange(places.size, dtype=np.int32)
    for own, size in zip(at_best, at_best.shape[1:], strict=True):
        stride //= size
        first = places - places // stride % size * stride
        visited = np.zeros(own.size, np.bool_)
        visited[first] = True
        lines = (nodes - 1 + np.cumsum(visited, dtype=np.int32))[first]
        nodes += int(visited.sum())
        best = own.reshape(-1)[places]
        tails.append(np.where(best, lines, here))
        heads.append(np.where(best, here, lines))
    return np.concatenate(tails), np.concatenate(heads), nodes


def response_graph(game: NormalFormGame) -> networkx.DiGraph[Any]:
    """The best-response graph: nodes are profiles (labels), edges carry the ``player`` who moves; for small games."""
    import networkx

    graph: networkx.DiGraph[Any] = networkx.DiGraph()
    best = best_costs(game)
    for flat, place in enumerate(np.ndindex(*game.shape)):
        here = game.profile(flat)
        graph.add_node(here, costs=game.costs(here))
        for i, own in enumerate(game.labels):
            if game.table[(i, *place)] == best[(i, *place)]:
                continue
            for s, label in enumerate(own):
                if game.table[(i, *place[:i], s, *place[i + 1 :])] == best[(i, *place)]:
                    graph.add_edge(here, (*here[:i], label, *here[i + 1 :]), player=game.players[i])
    return graph


_FAR = 1_000  # distances: numpy is as fast as the kernel unless few profiles are at each


def reached(near: NDArray[np.bool_], places: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mask, flat, of the profiles that are reached from the given ones, these included.

    Parameters
    ----------
    near
        Shape (players, one axis per player): the cells that are left, each along its player's line. At best: what leads
        to the given profiles is reached. Not at best: what follows them.
    places
        Numbers of profiles in C order.
    """
    sizes = np.array(near.shape[1:], np.int64)
    flat = near.reshape(len(near), -1)
    flags = _reached(flat, sizes, places)
    return quickest(reached_in_loops, near.size)(flat, sizes, places) if flags is None else flags


def _reached(near: NDArray[np.bool_], sizes: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.bool_] | None:
    """What the kernel does, all profiles of one distance at once; ``None`` where there are too many distances."""
    visited, done = np.zeros(near.shape[1], np.bool_), np.zeros(near.shape, np.bool_)
    visited[places] = True
    latest = places
    for _ in range(_FAR):
        if not latest.size:
            return visited
        ends, stride = [], 1
        for own, seen, size in zip(near[::-1], done[::-1], sizes[::-1].tolist(), strict=True):
            there = latest[own[latest]]
            first = there - there // stride % size * stride
            first = np.unique(first[~seen[first]])
            seen[first] = True
            line = (first[:, None] + stride * np.arange(size)).reshape(-1)
            ends.append(line[~(own[line] | visited[line])])
            visited[ends[-1]] = True
            stride *= size
        latest = np.concatenate(ends)
    return None
