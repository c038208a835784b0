"""All pure equilibria of random integer games: ours beside numpy, QuantEcon and, where installed, Gambit.

Every program gets the game in its own form beforehand; only the search is timed. QuantEcon and Gambit run on the sizes
that they finish in seconds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from consortium.games.enumeration import pure_equilibria
from consortium.games.interchange import quantecon_arrays, to_nfg
from consortium.games.normal_form import NormalFormGame

SIZES = {"3x8": (8,) * 3, "4x16": (16,) * 4, "6x8": (8,) * 6, "5x16": (16,) * 5}
SLOW = {"6x8", "5x16"}


def planted(name: str) -> NormalFormGame:
    """Random payoffs below 1000 with one planted equilibrium, so that every search finds something."""
    shape = SIZES[name]
    rng = np.random.default_rng(len(shape))
    arrays = [rng.integers(0, 1000, shape) for _ in shape]
    for array in arrays:
        array[(0,) * len(shape)] = 1000
    return NormalFormGame.from_arrays(arrays, sense="payoff")


def by_numpy(table: Any) -> Any:
    """The plain baseline: one minimum per player."""
    stable = np.ones(table.shape[1:], bool)
    for k, own in enumerate(table):
        stable &= own == own.min(axis=k, keepdims=True)
    return np.flatnonzero(stable)


@pytest.mark.parametrize("name", SIZES)
def test_ours(benchmark: Any, name: str) -> None:
    benchmark.group = f"pure equilibria {name}"
    game = planted(name)
    found = benchmark(pure_equilibria, game)
    assert found.tolist() == by_numpy(game.table).tolist()


@pytest.mark.parametrize("name", SIZES)
def test_numpy(benchmark: Any, name: str) -> None:
    benchmark.group = f"pure equilibria {name}"
    assert 0 in benchmark(by_numpy, planted(name).table)


@pytest.mark.parametrize("name", [n for n in SIZES if n not in SLOW])
def test_quantecon(benchmark: Any, name: str) -> None:
    theory = pytest.importorskip("quantecon").game_theory
    benchmark.group = f"pure equilibria {name}"
    game = planted(name)
    theirs = theory.NormalFormGame([theory.Player(a.astype(float)) for a in quantecon_arrays(game)])
    found = benchmark.pedantic(theory.pure_nash_brute, args=(theirs,), rounds=3, warmup_rounds=1)
    assert len(found) == pure_equilibria(game).size


@pytest.mark.parametrize("name", [n for n in SIZES if n not in SLOW])
def test_gambit(benchmark: Any, name: str, tmp_path: Any) -> None:
    gambit = pytest.importorskip("pygambit")
    benchmark.group = f"pure equilibria {name}"
    game = planted(name)
    file = tmp_path / "game.nfg"
    file.write_text(to_nfg(game))
    theirs = gambit.read_nfg(str(file))
    found = benchmark.pedantic(gambit.nash.enumpure_solve, args=(theirs,), rounds=3, warmup_rounds=1)
    assert len(found.equilibria) == pure_equilibria(game).size
