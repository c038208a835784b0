"""Rounds of learning and kinds of potential: ours beside plain loops over the same table.

The loops are what one would write at first: dictionaries of sums for regret matching, a graph with every gain as an
edge for the finite improvement property. Both sides get the table beforehand.
"""

from __future__ import annotations

import itertools
from typing import Any

import networkx
import numpy as np
import pytest

from consortium.games.equilibria.learning.play import below, play
from consortium.games.equilibria.potential.classify import generalized_ordinal
from consortium.games.normal_form import NormalFormGame

SHAPES = {"3x8": (8,) * 3, "2x64": (64,) * 2}
ROUNDS = 300


def random_game(name: str) -> NormalFormGame:
    """Costs below 1000."""
    shape, rng = SHAPES[name], np.random.default_rng(1)
    return NormalFormGame.from_arrays([rng.integers(0, 1000, shape) for _ in shape], sense="cost")


def matched(costs: list[Any], shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Regret matching, strategy by strategy; draws are those of the package."""
    rng, here, trail = np.random.default_rng(0), (0,) * len(shape), []
    fixed, paid = [[0] * m for m in shape], [0] * len(shape)
    for _ in range(ROUNDS):
        trail.append(here)
        following = []
        for k, m in enumerate(shape):
            paid[k] += costs[k][here]
            for a in range(m):
                fixed[k][a] += costs[k][(*here[:k], a, *here[k + 1 :])]
            saved = [max(paid[k] - sum_, 0) for sum_ in fixed[k]]
            total = sum(saved)
            shared = int(np.gcd.reduce(saved)) or 1
            ticket = below(rng, total // shared) if total else 0
            bounds = list(itertools.accumulate(gain // shared for gain in saved))
            following.append(next(a for a in range(m) if bounds[a] > ticket) if total else here[k])
        here = tuple(following)
    return trail


def no_ring(costs: list[Any], shape: tuple[int, ...]) -> bool:
    """Whether the graph of all gains is acyclic."""
    graph = networkx.DiGraph()
    for here in itertools.product(*map(range, shape)):
        for k, m in enumerate(shape):
            for a in range(m):
                there = (*here[:k], a, *here[k + 1 :])
                if costs[k][there] < costs[k][here]:
                    graph.add_edge(here, there)
    return bool(networkx.is_directed_acyclic_graph(graph))


def plain(game: NormalFormGame) -> list[Any]:
    """The table as dictionaries."""
    return [{p: int(own[p]) for p in itertools.product(*map(range, game.shape))} for own in game.table]


@pytest.mark.parametrize("name", SHAPES)
def test_regret_matching(benchmark: Any, name: str) -> None:
    benchmark.group = f"regret matching {name}"
    game = random_game(name)
    found = benchmark(play, game, "regret-matching", (0,) * len(game.shape), ROUNDS)
    assert list(found.trail) == matched(plain(game), game.shape)


@pytest.mark.parametrize("name", SHAPES)
def test_regret_matching_by_a_loop(benchmark: Any, name: str) -> None:
    benchmark.group = f"regret matching {name}"
    game = random_game(name)
    benchmark(matched, plain(game), game.shape)


@pytest.mark.parametrize("name", SHAPES)
def test_finite_improvement(benchmark: Any, name: str) -> None:
    benchmark.group = f"finite improvement property {name}"
    game = random_game(name)
    assert benchmark(generalized_ordinal, game).holds == no_ring(plain(game), game.shape)


@pytest.mark.parametrize("name", SHAPES)
def test_finite_improvement_by_a_graph_of_all_gains(benchmark: Any, name: str) -> None:
    benchmark.group = f"finite improvement property {name}"
    game = random_game(name)
    benchmark(no_ring, plain(game), game.shape)
