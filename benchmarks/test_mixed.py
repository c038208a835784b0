"""All equilibria of sixty small games of two players, 2 by 2 to 5 by 5: ours beside Gambit, QuantEcon and nashpy.

Gambit enumerates vertices in rationals as we do, and recomputes nothing; QuantEcon's and nashpy's enumerations are in
floats. Every program gets the games in its own form beforehand.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from consortium.games.equilibria.mixed import mixed_equilibria
from consortium.games.interchange import quantecon_arrays, to_nashpy, to_nfg
from consortium.games.normal_form import NormalFormGame

GROUP = "all equilibria of 60 small games"


@cache
def games() -> tuple[NormalFormGame, ...]:
    rng = np.random.default_rng(60)
    sizes = [(2 + k % 4, 2 + k // 4 % 4) for k in range(60)]
    return tuple(
        NormalFormGame.from_arrays([rng.integers(0, 1000, size) for _ in "ab"], sense="payoff") for size in sizes
    )


@cache
def ours() -> list[int]:
    return [len(mixed_equilibria(game).equilibria) for game in games()]


def test_ours(benchmark: Any) -> None:
    benchmark.group = GROUP
    found = benchmark(lambda: [mixed_equilibria(game) for game in games()])
    assert all(answer.complete for answer in found)


def test_gambit(benchmark: Any, tmp_path: Any) -> None:
    gambit = pytest.importorskip("pygambit")
    benchmark.group = GROUP
    theirs = []
    for number, game in enumerate(games()):
        file = tmp_path / f"{number}.nfg"
        file.write_text(to_nfg(game))
        theirs.append(gambit.read_nfg(str(file)))
    found = benchmark.pedantic(
        lambda: [gambit.nash.enummixed_solve(game, rational=True) for game in theirs], rounds=3, warmup_rounds=1
    )
    assert [len(answer.equilibria) for answer in found] == ours()


def test_quantecon(benchmark: Any) -> None:
    theory = pytest.importorskip("quantecon").game_theory
    benchmark.group = GROUP
    theirs = [
        theory.NormalFormGame([theory.Player(own.astype(float)) for own in quantecon_arrays(game)]) for game in games()
    ]
    found = benchmark(lambda: [theory.vertex_enumeration(game) for game in theirs])
    assert [len(answer) for answer in found] == ours()


def test_nashpy(benchmark: Any) -> None:
    benchmark.group = GROUP
    theirs = [to_nashpy(game) for game in games()]
    found = benchmark.pedantic(lambda: [list(game.vertex_enumeration()) for game in theirs], rounds=1, warmup_rounds=0)
    assert len(found) == len(theirs)  # payoffs below 0 or ties would make it miss some
