"""The placement game: branch and bound and deviation cuts against size, beside enumeration where a table fits.

The families of Figure 5.5 of Cordeiro 2012: K - 1 organizations of 2K + 1 unit jobs (repaired: one job of K + 1 and K
unit jobs), one of {K + 1, K}, K of {1}. The price of anarchy 2K / (K + 1) is proved in every run.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from consortium.agents.organizations import Federation
from consortium.games.placement.game import PlacementGame
from consortium.games.search import search

COROLLARY_57 = [[35, 22, 22, 17, 13, 5], [14], [9], [42, 2]]


def family(k: int, printed: bool) -> PlacementGame:
    first = [1] * (2 * k + 1) if printed else [k + 1] + [1] * k
    return PlacementGame(Federation.of([list(first) for _ in range(k - 1)] + [[k + 1, k]] + [[1]] * k))


@pytest.mark.parametrize(
    ("method", "k"), [*(("branch-and-bound", k) for k in range(2, 7)), *(("cuts", k) for k in range(2, 6))]
)
@pytest.mark.parametrize("printed", [False, True], ids=["repaired", "printed"])
def test_price_of_anarchy(benchmark: Any, method: str, k: int, printed: bool) -> None:
    game = family(k, printed)
    benchmark.group = f"price of anarchy, K={k} {'printed' if printed else 'repaired'}"
    benchmark.extra_info["profiles"] = str(game.n_strategies(0) ** (k - 1) * game.n_strategies(k - 1) * (2 * k) ** k)
    rounds = 3 if k < 5 else 1
    found = benchmark.pedantic(search, args=(game, method), kwargs={"time_limit": 600}, rounds=rounds)
    assert found.complete
    assert found.price_of_anarchy == Fraction(2 * k, k + 1)


@pytest.mark.parametrize("printed", [False, True], ids=["repaired", "printed"])
def test_price_of_anarchy_by_enumeration(benchmark: Any, printed: bool) -> None:
    benchmark.group = f"price of anarchy, K=2 {'printed' if printed else 'repaired'}"
    found = benchmark.pedantic(search, args=(family(2, printed), "enumeration"), rounds=3, warmup_rounds=1)
    assert found.price_of_anarchy == Fraction(4, 3)


@pytest.mark.parametrize("method", ["branch-and-bound", "cuts", "enumeration"])
def test_no_equilibrium_of_corollary_57(benchmark: Any, method: str) -> None:
    benchmark.group = "corollary 5.7: no equilibrium among 4^10 placements"
    game = PlacementGame(Federation.of(COROLLARY_57))
    found = benchmark.pedantic(search, args=(game, method), rounds=3, warmup_rounds=1)
    assert found.equilibria.exists is False


SMALL = [[5, 4, 2], [3, 2], [2, 2]]  # 3^7 placements: small enough for a table


@pytest.mark.parametrize("method", ["branch-and-bound", "cuts", "enumeration"])
def test_small_game(benchmark: Any, method: str) -> None:
    benchmark.group = "small placement game, 3^7 placements"
    game = PlacementGame(Federation.of(SMALL))
    assert benchmark.pedantic(search, args=(game, method), rounds=3, warmup_rounds=1).equilibria.exists
