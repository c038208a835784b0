"""Extremes of correlated play and the bounds that prove them, against the definitions, on random games full of ties."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from consortium.games.equilibria.correlated import bound, correlated_play, expected_cost, is_equilibrium
from consortium.games.equilibria.correlated.program import merge
from consortium.games.normal_form import NormalFormGame
from consortium.support.errors import InputError
from consortium.support.progress import Clock

from . import correlated_reference as reference

CONCEPTS = ("coarse", "correlated")
INF = float("inf")


def random_game(rng: np.random.Generator, most: int, infinite: float = 0.0) -> NormalFormGame:
    """Few players, few numbers, copies of strategies, any social cost, sometimes numbers beyond 64 bits."""
    while True:
        shape = tuple(int(m) for m in rng.integers(1, 5, rng.integers(1, 4)))
        if np.prod(shape) <= most:
            break
    arrays = rng.integers(0, int(rng.integers(2, 9)), (len(shape) + 1, *shape)).astype(object)
    for axis, m in enumerate(shape):
        if rng.random() < 0.3:
            arrays = np.take(arrays, rng.integers(m, size=m), axis=axis + 1)
    if rng.random() < 0.2:
        arrays = arrays * 10**18 + rng.integers(0, 2, arrays.shape).astype(object)
    elif rng.random() < 0.2:
        arrays = arrays * Fraction(1, int(rng.integers(1, 9)))
    arrays[:-1][rng.random(arrays[:-1].shape) < infinite] = INF
    sense: Any = "cost" if infinite else rng.choice(["cost", "payoff"])
    social: Any = arrays[-1] if rng.random() < 0.5 else "sum"
    return NormalFormGame.from_arrays(list(arrays[:-1]), sense=sense, social=social)


def compare(seed: int, most: int) -> None:
    rng = np.random.default_rng(seed)
    game = random_game(rng, most)
    for concept in CONCEPTS:
        play = correlated_play(game, concept)
        rows = len(reference.constraints(game, concept))
        for sign, side, found in ((1, "best", play.best), (-1, "worst", play.worst)):
            assert found.proved
            assert reference.is_equilibrium(game, found.distribution, concept)
            assert is_equilibrium(game, found.distribution, concept)
            assert len(found.distribution) <= rows + 1
            assert all(m.value >= 0 for m in found.multipliers)  # so no equilibrium is beyond the bound
            assert bound(game, found.multipliers, side) == plain_bound(game, found.multipliers, sign)
            assert found.social_cost == plain_bound(game, found.multipliers, sign)


def plain_bound(game: NormalFormGame, multipliers: Any, sign: int) -> Fraction:
    """The least of social cost plus weighted gains over all profiles, as it is written down."""
    return sign * min(
        sign * Fraction(game.social_cost(s))
        + sum(
            m.value * reference.gain(game, s, m.player, m.deviation)
            for m in multipliers
            if m.recommended in (None, s[m.player])
        )
        for s in itertools.product(*game.labels)
    )


@pytest.mark.parametrize("small", [0, 1000])
@pytest.mark.parametrize("start", [0, pytest.param(1000, marks=[pytest.mark.exhaustive, pytest.mark.timeout(3000)])])
def test_extremes_are_equilibria_that_attain_their_bounds(start: int, small: int, monkeypatch: Any) -> None:
    """By floats that are made exact, and in whole numbers from the beginning."""
    monkeypatch.setattr("consortium.games.equilibria.correlated.search.SMALL", small)
    for seed in range(start, start + (7 if start == 0 else 1000)):
        compare(seed, 10 if start == 0 else 20)


@pytest.mark.parametrize("start", [0, pytest.param(1000, marks=pytest.mark.exhaustive)])
def test_infinite_costs_are_what_the_definition_says(start: int) -> None:
    """Whatever is found is an equilibrium, the bound holds for it, and none is missed where one is said not to be."""
    unsettled = 0
    for seed in range(start, start + (20 if start == 0 else 2000)):
        rng = np.random.default_rng(seed)
        game = random_game(rng, most=12, infinite=0.25)
        pure = [
            s for s in itertools.product(*game.labels) if reference.is_equilibrium(game, {s: Fraction(1)}, "coarse")
        ]
        for concept in CONCEPTS:
            play = correlated_play(game, concept)
            assert (play.best is None) == (play.worst is None)
            assert not (pure and play.best is None)
            for sign, found in ((1, play.best), (-1, play.worst)):
                if found is None:
                    continue
                unsettled += not found.proved
                if found.social_cost is not None:
                    assert reference.is_equilibrium(game, found.distribution, concept)
                    assert sign * found.social_cost >= sign * found.bound
                for s in pure:
                    assert sign * found.bound <= sign * game.social_cost(s)
                    if found.proved:
                        assert sign * found.social_cost <= sign * game.social_cost(s)
    assert unsettled < (14 if start == 0 else 1300)


@pytest.mark.parametrize("unit", [1, Fraction(1, 3), 10**18, 10**30])
def test_copies_of_strategies_are_one_whatever_the_size_of_numbers(unit: Any) -> None:
    """Equal numbers beyond 64 bits are objects of their own."""
    rows = [[3, 1], [2, 2], [3, 1]]
    costs = [[[Fraction(cell) * unit for cell in row] for row in rows] for _ in range(2)]
    assert merge(NormalFormGame.from_arrays(costs, sense="cost")).alike == (((0, 2), (1,)), ((0,), (1,)))


def test_a_distribution_that_somebody_gains_by_leaving_is_none(thinning: int) -> None:
    """Random distributions: the checker and the plain definition say the same."""
    rng, seen = np.random.default_rng(5), set()
    for _ in range(150 // thinning):
        game = random_game(rng, most=9, infinite=0.1)
        profiles = list(itertools.product(*game.labels))
        weights = rng.integers(0, 3, len(profiles))
        weights[int(rng.integers(len(profiles)))] += 1
        p = {s: Fraction(int(w), int(weights.sum())) for s, w in zip(profiles, weights, strict=True)}
        for concept in CONCEPTS:
            verdict = is_equilibrium(game, p, concept)
            assert verdict == reference.is_equilibrium(game, p, concept)
            seen.add((concept, verdict))
    assert len(seen) == 4


def test_what_is_no_distribution_is_refused() -> None:
    game = NormalFormGame.from_arrays([[1, 2]], sense="cost")
    for p, told in (({(0,): Fraction(1, 2)}, "add up to 1/2"), ({(0,): Fraction(2), (1,): Fraction(-1)}, "at least 0")):
        with pytest.raises(InputError, match=told):
            is_equilibrium(game, p, "coarse")
    with pytest.raises(InputError, match="no strategy 7"):
        expected_cost(game, {(7,): Fraction(1)})


def test_without_time_the_bound_is_proved_and_a_known_equilibrium_is_told() -> None:
    game = NormalFormGame.from_arrays([[[2, 4], [1, 3]], [[2, 1], [4, 3]]], sense="cost")
    play = correlated_play(game, "coarse", equilibria=((1, 1),), clock=Clock(0))
    for side in (play.best, play.worst):
        assert side.distribution == {(1, 1): Fraction(1)}
    assert (play.best.bound, play.worst.bound) == (4, 6)
    assert (play.best.proved, play.worst.proved) == (False, True)


def test_ctrl_c_leaves_bounds(monkeypatch: Any) -> None:
    def press(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("consortium.games.equilibria.correlated.program.Generation.run", press)
    rng = np.random.default_rng(2)
    game = NormalFormGame.from_arrays(list(rng.integers(1, 9, (3, 6, 7, 8))), sense="cost")
    play = correlated_play(game, "coarse")
    assert play.worst is not None
    assert (play.best.social_cost, play.best.bound) == (None, game.social.min())
    assert not play.proved


@pytest.mark.parametrize("concept", CONCEPTS)
def test_a_table_that_is_not_given_whole_has_the_same_extremes(concept: Any, monkeypatch: Any) -> None:
    """By rows and columns as they are needed, and in whole numbers alone."""
    rng = np.random.default_rng(8)
    game = NormalFormGame.from_arrays(list(rng.integers(0, 9, (3, 5, 4, 6))), sense="cost")
    whole = correlated_play(game, concept)
    monkeypatch.setattr("consortium.games.equilibria.correlated.program.WHOLE", 0)
    monkeypatch.setattr("consortium.games.equilibria.correlated.program._FIRST", 3)
    grown = correlated_play(game, concept)
    for one, other in ((whole.best, grown.best), (whole.worst, grown.worst)):
        assert one.proved
        assert (one.social_cost, one.bound) == (other.social_cost, other.bound)
