"""Strong components and shortest walks against the definitions: who reaches whom, in how many steps."""

from __future__ import annotations

import numpy as np

from consortium.games.equilibria.potential.classify import breadth_first
from consortium.games.graphs import by_tail, strong_components
from consortium.support.jit import plain


def distances(edges: set[tuple[int, int]], start: int) -> dict[int, int]:
    """Steps from a node to each that it reaches, one step after another."""
    found, last = {start: 0}, {start}
    while last:
        last = {head for tail, head in edges if tail in last} - set(found)
        found |= dict.fromkeys(last, max(found.values()) + 1)
    return found


def test_components_reach_each_other_and_walks_are_shortest(thinning: int) -> None:
    rng = np.random.default_rng(13)
    for _ in range(3000 // thinning):
        nodes = int(rng.integers(1, 9))
        tails, heads = rng.integers(0, nodes, (2, rng.integers(0, 2 * nodes)))
        edges = set(zip(tails.tolist(), heads.tolist(), strict=True))
        away = [distances(edges, v) for v in range(nodes)]
        component = strong_components(tails, heads, nodes)
        for v in range(nodes):
            assert {w for w in range(nodes) if component[w] == component[v]} == {w for w in away[v] if v in away[w]}
        assert set(component.tolist()) == set(range(component.max() + 1))
        assert (component[tails] >= component[heads]).all()
        before, steps = plain(breadth_first)(*by_tail(tails, heads, nodes), np.array([0]))
        assert {w: steps[w] for w in range(nodes) if steps[w] >= 0} == away[0]
        assert {w for w in range(nodes) if before[w] >= 0} == set(away[0]) - {0}
        assert all((before[w], w) in edges and away[0][before[w]] == away[0][w] - 1 for w in away[0] if w)


def test_compiled_and_interpreted_components_are_numbered_alike() -> None:
    rng = np.random.default_rng(14)
    tails, heads = rng.integers(0, 500, (2, 700))
    compiled = strong_components(np.tile(tails, 300), np.tile(heads, 300), 500)  # more edges than are interpreted
    assert compiled.tolist() == strong_components(tails, heads, 500).tolist()
