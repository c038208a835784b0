"""Strong components of a directed graph, of ten nodes or of ten million.

scipy and networkx have them as well, but importing either takes longer than most of the games that people try.

>>> strong_components(np.array([0, 1, 1]), np.array([1, 0, 2]), nodes=3)
array([1, 1, 0])
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..support.jit import lean, quickest

Nodes: TypeAlias = NDArray[np.int32] | NDArray[np.int64]

_STEP = 3
"""Steps of an ordinary kernel that a look at a node or an edge is worth."""


def by_tail(tails: Nodes, heads: Nodes, nodes: int) -> tuple[NDArray[np.int64], Nodes]:
    """``first`` and the heads in order of their tails: those of node ``v`` are ``heads[first[v]:first[v + 1]]``."""
    count = np.bincount(tails, minlength=nodes)
    return np.concatenate([[0], np.cumsum(count)]), heads[np.argsort(tails, kind="stable")]


def strong_components(tails: Nodes, heads: Nodes, nodes: int) -> NDArray[np.int64]:
    """The number of every node's strong component; edges between components lead to smaller numbers.

    Parameters
    ----------
    tails, heads
        Ends of the edges, which may repeat.
    nodes
        How many there are.
    """
    first, ordered = by_tail(tails, heads, nodes)
    component, number = np.full(nodes, -1), np.full(nodes, -1)
    visits = _Visits(component, number, first.copy(), *(np.empty(nodes, np.int64) for _ in range(3)))
    quickest(_components, _STEP * (nodes + tails.size))(first, ordered, visits)
    return component


class _Visits(NamedTuple):
    """What is known of every node; overwritten."""

    component: Any
    """-1 until it is known."""
    number: Any
    """Place in the order of the first visits, -1 before."""
    edge: Any
    """The next edge to follow."""
    low: Any
    """Smallest number of an open node that is known to be reached."""
    path: Any
    """From the root to where the search is."""
    unassigned: Any
    """Visited, in order."""


@lean
def _components(first: Any, heads: Any, visits: _Visits) -> None:
    """Tarjan's algorithm (SIAM Journal on Computing 1, 1972), its recursion kept in ``path``."""
    nodes = first.size - 1
    component, number, edge, low, path, unassigned = visits
    n_components, visited, top = 0, 0, 0
    for root in range(nodes):
        path[0] = root
        depth = 1 if number[root] < 0 else 0
        while depth > 0:
            v = path[depth - 1]
            if number[v] < 0:
                number[v] = low[v] = visited
                visited += 1
                unassigned[top] = v
                top += 1
            if edge[v] < first[v + 1]:
                w = heads[edge[v]]
                edge[v] += 1
                if number[w] < 0:
                    path[depth] = w
                    depth += 1
                elif component[w] < 0:
                    low[v] = min(low[v], number[w])
                continue
            depth -= 1
            if depth > 0:
                low[path[depth - 1]] = min(low[path[depth - 1]], low[v])
            if low[v] == number[v]:  # nothing before v is reached: what came after it is its component
                while component[v] < 0:
                    top -= 1
                    component[unassigned[top]] = n_components
                n_components += 1
