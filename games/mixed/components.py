r"""Components of the set of equilibria of two players, from its extreme points.

The extreme equilibria are pairs ``(x, y)`` of vertices of the two best-response polytopes: edges of a bipartite graph.
A set ``X`` of first vertices and a set ``Y`` of second ones make only equilibria when every pair is an edge; then so
does every pair from their convex hulls. The maximal such ``X x Y`` are the maximal Nash subsets, they cover all
equilibria, and the connected components of the graph are those of the set of equilibria [ARSS10]_.

References
----------
.. [ARSS10] D. Avis, G. Rosenberg, R. Savani, B. von Stengel, "Enumeration of Nash equilibria for two-player games",
   Economic Theory 42, 2010.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeAlias

Pair: TypeAlias = tuple[Hashable, Hashable]


def components(pairs: Sequence[Pair]) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Each component as its maximal Nash subsets, each as the places of its extreme points; all sorted.

    >>> components([("a", "u"), ("a", "v"), ("b", "v"), ("c", "w")])
    (((0, 1), (1, 2)), ((3,),))
    """
    place = {pair: i for i, pair in enumerate(pairs)}
    columns: dict[Hashable, set[Hashable]] = {}
    for x, y in pairs:
        columns.setdefault(x, set()).add(y)
    closed: set[frozenset[Hashable]] = set()  # every meeting of some neighbourhoods: the second sides of maximal sets
    for own in map(frozenset, columns.values()):
        closed |= {own} | {own & other for other in closed if own & other}
    subsets = sorted(
        tuple(sorted(place[x, y] for x, own in columns.items() if shared <= own for y in shared)) for shared in closed
    )
    return tuple(tuple(subsets[i] for i in group) for group in _connected(subsets, pairs))


def _connected(subsets: Sequence[tuple[int, ...]], pairs: Sequence[Pair]) -> list[list[int]]:
    """Places of the subsets by component, in the order of their first: two that share a vertex are connected."""
    groups: list[tuple[set[tuple[int, Hashable]], list[int]]] = []
    for i, subset in enumerate(subsets):
        ends = {(side, pairs[k][side]) for k in subset for side in (0, 1)}
        touched = [group for group in groups if group[0] & ends]
        merged = sorted([i, *(k for group in touched for k in group[1])])
        groups = [group for group in groups if group not in touched]
        groups.append((ends.union(*(group[0] for group in touched)), merged))
    return sorted(group[1] for group in groups)
