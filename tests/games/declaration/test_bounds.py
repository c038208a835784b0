"""Bounds on all outcomes beside playing every profile, and what a stopped search makes of them."""

from __future__ import annotations

import itertools
from fractions import Fraction as F

import pytest

import consortium
from consortium.games.declaration.bounds import bounds, largest_social_cost, least_social_cost
from consortium.games.declaration.game import DeclarationGame
from consortium.games.search import search
from consortium.mechanisms.declaration import build
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import LexicalMax, SumOfTimes
from consortium.support.errors import InputError

from .test_table import KINDS, drawn

LARGE = {
    "format": 1,
    "kind": "declaration",
    "cluster": {"powers": [1, 2]},
    "agents": [{"name": name, "length": length} for name, length in (("ann", 3), ("bob", 2), ("eve", 5))],
    "domain": {"declarations": list(range(1, 10))},
}


def found(seed: int) -> tuple[bool, bool]:
    """Which of the bounds a random game has; those that it has hold."""
    game = drawn(seed)
    least, most = least_social_cost(game), largest_social_cost(game)
    for profile in itertools.product(*(game.strategies(player) for player in range(len(game.lengths)))):
        try:
            cost = game.social_cost(profile) if least is not None or most is not None else 0
        except InputError:
            continue  # an absolute cut-off refuses the declaration
        assert least is None or least <= cost
        assert most is None or cost <= most
    assert (bounds(game, None).unbounded is None) == (least is not None and most is not None)
    return least is not None, most is not None


@pytest.mark.parametrize("rounds", [3, pytest.param(80, marks=pytest.mark.exhaustive)])
def test_no_profile_is_beyond_the_bounds(rounds: int) -> None:
    known = [found(seed) for seed in range(rounds * len(KINDS))]
    assert min(sum(side) for side in zip(*known, strict=True)) > len(known) // 4


def test_the_bounds_are_met() -> None:
    one = Cluster.of([1])
    game = DeclarationGame(build("light-vcg", one), (F(2), F(3)), ((F(9),), (F(1),)))
    assert least_social_cost(game) == game.social_cost((F(2), F(3))) == 7
    alone = DeclarationGame(build("vcg-renice", one, SumOfTimes(), penalty=F(1, 4)), (F(5),), ((F(1),),))
    assert largest_social_cost(alone) == alone.social_cost((F(1),)) == 17
    late = DeclarationGame(build("vcg-postpone", one, SumOfTimes(), penalty=F(6)), (F(5),), ((F(1),),))
    assert late.social_cost((F(1),)) == 11 <= largest_social_cost(late) == 15


@pytest.mark.parametrize(
    ("game", "said"),
    [
        (DeclarationGame(build("harsh", Cluster.of([1])), (F(2),), ((),)), "a job can be killed"),
        (DeclarationGame(build("light-vcg", Cluster.of([1]), LexicalMax()), (F(2),), ((),)), "no number"),
    ],
)
def test_a_missing_bound_is_explained(game: DeclarationGame, said: str) -> None:
    assert said in (bounds(game, None).unbounded or "")


@pytest.mark.parametrize("rule", ["light-vcg", "vcg-renice", "vcg-postpone"])
def test_a_search_stopped_before_its_table_is_filled_bounds_the_prices_from_both_sides(rule: str) -> None:
    stopped = consortium.search(LARGE | {"mechanism": {"rule": rule}}, time_limit=0)
    whole = consortium.search(LARGE | {"mechanism": {"rule": rule}, "domain": {"declarations": [1, 2, 3, 5]}})
    known = stopped.bounds
    assert (stopped.complete, known.unbounded, whole.equilibria.exists) == (False, None, True)
    assert known.best_at_least <= whole.equilibria.best.social_cost
    assert whole.equilibria.worst.social_cost <= known.worst_at_most
    assert 1 <= whole.price_of_anarchy <= known.price_of_anarchy_at_most


def test_why_there_is_no_bound_is_in_the_answer() -> None:
    stopped = consortium.search(LARGE | {"mechanism": {"rule": "harsh"}}, time_limit=0)
    assert "not bounded on both sides: a job can be killed" in str(stopped)
    assert search(DeclarationGame(build("harsh", Cluster.of([1])), (F(2),), ((),))).bounds is None
