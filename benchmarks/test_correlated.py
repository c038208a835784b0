"""Extremes of coarse correlated play: ours, exact and proved, beside a plain linear program in floats.

The plain program is the whole matrix given to scipy's linprog: an answer in floats, and nothing that proves it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from consortium.games.equilibria.correlated import correlated_play
from consortium.games.normal_form import NormalFormGame

SHAPES = {"3x8": (8,) * 3, "4x8": (8,) * 4, "3x24": (24,) * 3}


def game_of(name: str) -> NormalFormGame:
    """Random costs below 100."""
    rng = np.random.default_rng(len(SHAPES[name]))
    return NormalFormGame.from_arrays([rng.integers(0, 100, SHAPES[name]) for _ in SHAPES[name]], sense="cost")


def in_floats(game: NormalFormGame, sign: int) -> float:
    """The whole matrix, one row per player and strategy."""
    gains = [
        (own - np.take(own, [a], axis=player)).reshape(-1)
        for player, own in enumerate(game.table)
        for a in range(game.shape[player])
    ]
    size = game.social.size
    found = linprog(
        sign * game.social.reshape(-1),
        A_ub=np.array(gains),
        b_ub=np.zeros(len(gains)),
        A_eq=np.ones((1, size)),
        b_eq=[1.0],
        method="highs",
    )
    return sign * float(found.fun)


@pytest.mark.parametrize("name", SHAPES)
def test_ours(benchmark: Any, name: str) -> None:
    benchmark.group = f"coarse correlated play {name}"
    game = game_of(name)
    found = benchmark.pedantic(correlated_play, args=(game, "coarse"), rounds=3, warmup_rounds=1)
    assert found.proved
    assert float(found.best.social_cost) == pytest.approx(in_floats(game, 1))


@pytest.mark.parametrize("name", SHAPES)
def test_linprog(benchmark: Any, name: str) -> None:
    benchmark.group = f"coarse correlated play {name}"
    game = game_of(name)
    best, worst = benchmark.pedantic(lambda: [in_floats(game, sign) for sign in (1, -1)], rounds=3, warmup_rounds=1)
    assert best <= worst + 1e-6
