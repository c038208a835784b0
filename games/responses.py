"""The best-response graph of a game given by its table: who moves where, and where play ends."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..scheduling.compiled import quickest
from . import enumeration_kernels as kernels
from .enumeration import best_costs
from .graphs import strong_components
from .normal_form import NormalFormGame

if TYPE_CHECKING:
    import networkx

IntArray: TypeAlias = NDArray[np.int64]


def sink_components(game: NormalFormGame, best: NDArray[Any] | None = None) -> list[IntArray]:
    """Sink components of the best-response graph: sets of profiles that best responses reach and never leave.

    An edge changes one player, who strictly gains and reaches her best-response cost. A pure equilibrium is a sink of
    one profile; without equilibria the sinks are where the dynamics end up cycling. Smallest first, then by number.
    Where best responses can lead from everywhere to an equilibrium, there is no other sink, and no graph is made.
    """
    least = best_costs(game) if best is None else best
    at_best = (game.table == least).reshape(len(game.players), -1)
    stable = np.flatnonzero(at_best.all(axis=0))
    leading = quickest(kernels.leading_to, at_best.size)
    if stable.size and leading(at_best, np.array(game.shape, dtype=np.int64), stable) == game.social.size:
        return list(stable[:, None])
    tails, heads, nodes = response_edges(game, least)
    component = strong_components(tails, heads, nodes)
    closed = np.ones(component.max() + 1, dtype=np.bool_)
    closed[component[tails[component[tails] != component[heads]]]] = False
    inside = np.flatnonzero(closed[component[: game.social.size]])
    order = inside[np.argsort(component[inside], kind="stable")]
    groups = np.split(order, np.flatnonzero(np.diff(component[order])) + 1)
    return sorted(groups, key=lambda g: (g.size, int(g[0])))


def response_edges(
    game: NormalFormGame, best: NDArray[Any] | None = None
) -> tuple[NDArray[np.int32], NDArray[np.int32], int]:
    """Best-response graph with one extra node per line (a player and everybody else's choices): tails, heads, nodes.

    A profile leads to the line of every player who gains, a line to its best cells: the same profiles reach each other
    as without lines, and every cell makes one edge per player, however many strategies she has.
    """
    least = best_costs(game) if best is None else best
    size = game.social.size
    profiles = np.arange(size, dtype=np.int32).reshape(game.shape)
    tails, heads = (np.empty(len(game.players) * size, dtype=np.int32) for _ in range(2))
    nodes = size
    for i, (own, cheapest) in enumerate(zip(game.table, least, strict=True)):
        one_cell = [*game.shape[:i], 1, *game.shape[i + 1 :]]
        lines = np.arange(nodes, nodes + math.prod(one_cell), dtype=np.int32).reshape(one_cell)
        nodes += lines.size
        at_best, mine = own == cheapest, slice(i * size, (i + 1) * size)
        np.copyto(tails[mine].reshape(game.shape), profiles)
        np.copyto(tails[mine].reshape(game.shape), lines, where=at_best)
        np.copyto(heads[mine].reshape(game.shape), lines)
        np.copyto(heads[mine].reshape(game.shape), profiles, where=at_best)
    return tails, heads, nodes


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
