"""Graphs of envy: what may be left out of a program."""

from __future__ import annotations

import math
from fractions import Fraction as F
from itertools import product
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from consortium.games.design.envy import Graphs


@given(st.data())
def test_edges_left_out_follow_from_those_kept(data: st.DataObject) -> None:
    """Shortest ways are the same, ties and edges without end included; there are no negative cycles."""
    size = data.draw(st.integers(2, 6))
    truths = sorted(data.draw(st.sets(st.integers(0, size - 1), min_size=1)))
    heights = data.draw(st.lists(st.integers(-3, 3), min_size=size, max_size=size))
    weight, edge = np.zeros((1, len(truths), size), dtype=np.int64), np.zeros((1, len(truths), size), dtype=bool)
    for i, v in product(range(len(truths)), range(size)):
        if v != truths[i] and data.draw(st.integers(0, 4)):
            edge[0, i, v] = True
            weight[0, i, v] = heights[truths[i]] - heights[v] + data.draw(st.integers(0, 2))
    nodes = tuple(map(F, range(1, size + 1)))
    graphs = Graphs(0, ((F(0),),), nodes, tuple(truths), weight, edge, 1, lambda *_: (F(0),))
    kept = graphs.essential
    assert not (kept & ~edge).any()
    assert _shortest(graphs, kept) == _shortest(graphs, edge)


def _shortest(graphs: Graphs, edge: Any) -> dict[tuple[int, int], float]:
    size = len(graphs.nodes)
    ways = {(u, v): 0.0 if u == v else math.inf for u, v in product(range(size), repeat=2)}
    for _, i, v in np.argwhere(edge).tolist():
        u = graphs.truths[i]
        ways[u, v] = min(ways[u, v], float(graphs.weight[0, i, v]))
    for k, u, v in product(range(size), repeat=3):
        ways[u, v] = min(ways[u, v], ways[u, k] + ways[k, v])
    return ways
