"""The best-response graph of a game given by its table: who moves where, and where play ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .enumeration import best_costs
from .normal_form import NormalFormGame

if TYPE_CHECKING:
    import networkx

IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
Nodes: TypeAlias = NDArray[np.int32] | NDArray[np.int64]


def sink_components(game: NormalFormGame, best: NDArray[Any] | None = None) -> list[IntArray]:
    """Sink components of the best-response graph: sets of profiles that best responses reach and never leave.

    An edge changes one player, who strictly gains and reaches her best-response cost. A pure equilibrium is a sink of
    one profile; without equilibria the sinks are where the dynamics end up cycling. Smallest first, then by number.

    The equilibria are known at once; only what leads to none of them is looked at as a graph.
    """
    at_best = game.table == (best_costs(game) if best is None else best)
    stable = np.flatnonzero(at_best.all(axis=0))
    sinks = [*stable[:, None], *_sinks_among(at_best, np.flatnonzero(~reached(at_best, stable)))]
    return sorted(sinks, key=lambda sink: (sink.size, int(sink[0])))


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


def strong_components(tails: Nodes, heads: Nodes, nodes: int) -> NDArray[np.int32]:
    """The number of every node's strong component in a directed graph, given by the ends of its edges."""
    from scipy.sparse import csr_array  # loaded only for games with cycles: 0.4 s
    from scipy.sparse.csgraph import connected_components

    edges = csr_array((np.ones(tails.size, np.bool_), (tails, heads)), shape=(nodes, nodes))
    labels: NDArray[np.int32] = connected_components(edges, connection="strong")[1]
    return labels


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


def reached(at_best: BoolArray, places: IntArray) -> BoolArray:
    """Mask, flat, of the profiles from which best responses lead to the given ones, these included.

    Breadth first along the lines of the table: a line is one player's choices against fixed ones of everybody else, and
    all its cells that are not best lead to those that are.

    Parameters
    ----------
    at_best
        Shape (players, one axis per player): where the player's strategy is a best response.
    places
        Numbers of profiles in C order.

    >>> at_best = np.array([[[False, True], [True, False]], [[True, False], [True, False]]])
    >>> reached(at_best, np.array([2])).tolist()  # leading to the profile in row 1, column 0
    [True, True, True, True]
    """
    flat, sizes = at_best.reshape(len(at_best), -1), at_best.shape[1:]
    visited, done = np.zeros(flat.shape[1], np.bool_), np.zeros(flat.shape, np.bool_)
    visited[places] = True
    latest = places
    while latest.size:
        ends, stride = [], 1
        for own, passed, size in zip(flat[::-1], done[::-1], sizes[::-1], strict=True):
            there = latest[own[latest]]
            first = there - there // stride % size * stride
            first = np.unique(first[~passed[first]])
            passed[first] = True
            line = (first[:, None] + stride * np.arange(size)).reshape(-1)
            ends.append(line[~(own[line] | visited[line])])
            visited[ends[-1]] = True
            stride *= size
        latest = np.concatenate(ends)
    return visited
