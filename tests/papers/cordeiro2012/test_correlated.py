"""Correlated play in the thesis's games: what is paid on average without a pure equilibrium, or by learners."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

import consortium
from consortium.games.equilibria.correlated import correlated_play
from consortium.games.normal_form import NormalFormGame
from consortium.games.placement.game import PlacementGame
from consortium.verbs.federation.model import model


def extremes(name: str, concept: str) -> tuple[Any, Any]:
    found = consortium.search(name, correlated=concept, list=0).correlated
    assert found.best.proved
    assert found.worst.proved
    return found.best.social_cost, found.worst.social_cost


@pytest.mark.paper("Cordeiro 2012, section 5.2")
def test_every_correlated_equilibrium_of_the_smallest_game_without_a_pure_one_costs_the_same() -> None:
    assert extremes("cordeiro2012/section-5.2-small", "correlated") == (Fraction(55, 12), Fraction(55, 12))


@pytest.mark.paper("Cordeiro 2012, figure 5.5")
def test_learners_pay_more_than_any_pure_equilibrium_in_figure_5_5() -> None:
    record = consortium.search("cordeiro2012/figure-5.5-k2", correlated="coarse", list=0)
    assert record.price_of_anarchy == Fraction(4, 3)
    assert record.correlated.price_of_total_anarchy == Fraction(292, 183)


@pytest.mark.exhaustive
@pytest.mark.paper("Cordeiro 2012, Corollary 5.7")
@pytest.mark.parametrize(
    ("name", "concept", "costs"),
    [
        ("corollary-5.7", "coarse", (Fraction(1193, 25), Fraction(835, 17))),
        ("corollary-5.7", "correlated", (48, 48)),
        ("corollary-5.7-control", "coarse", (48, 48)),
        ("corollary-5.7-control", "correlated", (48, 48)),
    ],
)
def test_what_is_played_where_there_is_no_pure_equilibrium(name: str, concept: str, costs: Any) -> None:
    assert extremes(f"cordeiro2012/{name}", concept) == costs


class UnitJobs:
    """Organizations with two equal jobs, which are not told apart: a strategy is where the two of them go."""

    def __init__(self, game: PlacementGame) -> None:
        self.game, self.players = game, tuple(game.players)

    def strategies(self, player: int) -> Sequence[Any]:
        hosts = range(len(self.players))
        return list(itertools.combinations_with_replacement(hosts, 2))

    def costs(self, profile: Any) -> Sequence[Any]:
        return self.game.costs(profile)

    def social_cost(self, profile: Any) -> Any:
        return max(self.costs(profile))


@pytest.mark.paper("Cordeiro 2012, Theorem 5.8")
@pytest.mark.parametrize(
    ("n", "price"),
    [
        (2, Fraction(4, 3)),
        (3, Fraction(3, 2)),
        pytest.param(4, Fraction(5, 3), marks=pytest.mark.exhaustive),
        pytest.param(5, Fraction(15, 8), marks=[pytest.mark.exhaustive, pytest.mark.timeout(1200)]),
    ],
)
def test_the_bound_of_theorem_5_8_does_not_hold_for_learners(n: int, price: Fraction) -> None:
    """Every pure equilibrium is optimal; the worst coarse correlated one is above 2 - 1/N for five organizations."""
    scenario = {
        "format": 1,
        "kind": "federation",
        "organizations": [{"jobs": [1, 1]}] * n,
        "mechanism": {"rule": "coordination", "priority": "organizations"},
    }
    game = NormalFormGame.from_game(UnitJobs(model(consortium.load(scenario), None).game()))
    worst = correlated_play(game, "coarse").worst
    assert worst is not None
    assert worst.proved
    assert worst.social_cost == 2 * price
    assert (price > 2 - Fraction(1, n)) == (n == 5)
