"""Logit equilibria: fixed points by the definition, known closed forms, and Gambit's where it is installed."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import consortium
from consortium.games.equilibria.mixed import quantal_responses
from consortium.games.normal_form import NormalFormGame
from consortium.support.errors import InputError
from consortium.support.progress import Clock

SHAPES = [(3,), (1, 3), (2, 2), (4, 3), (2, 2, 2), (3, 1, 2), (2, 2, 2, 2)]


def logit(arrays: Any, mixes: Any, player: int, precision: float) -> list[float]:
    """The response of a player of payoffs, from the definition."""
    values = [0.0] * arrays[player].shape[player]
    for cell in itertools.product(*map(range, arrays[player].shape)):
        others = math.prod(mixes[k][s] for k, s in enumerate(cell) if k != player)
        values[cell[player]] += others * float(arrays[player][cell])
    weights = [math.exp(precision * (v - max(values))) for v in values]
    return [w / sum(weights) for w in weights]


@pytest.mark.parametrize(("count", "seed"), [(2, 1), pytest.param(150, 2, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("shape", SHAPES)
def test_everybody_responds_to_the_others(shape: tuple[int, ...], count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(count):
        arrays = [rng.integers(-5, 5, shape) for _ in shape]
        asked = [Fraction(0), Fraction(1, 3), Fraction(2), Fraction(30)]
        found = quantal_responses(NormalFormGame.from_arrays(arrays, sense="payoff"), asked)
        assert [response.precision for response in found] == asked
        for response in found:
            for k, mix in enumerate(response.strategies):
                expected = logit(arrays, response.strategies, k, float(response.precision))
                assert mix == pytest.approx(expected, abs=1e-10)
            assert response.error < 1e-10
            assert min(response.regrets) >= 0


def test_what_fits_the_scale_of_costs() -> None:
    """Lambda is per unit of cost: costs times 10^18 with lambda over 10^18 change nothing."""
    arrays = [np.array([[9, 0], [0, 1]], dtype=object), np.array([[0, 1], [1, 0]], dtype=object)]
    (small,) = quantal_responses(NormalFormGame.from_arrays(arrays, sense="payoff"), [Fraction(3)])
    large = NormalFormGame.from_arrays([own * 10**18 for own in arrays], sense="payoff")
    (scaled,) = quantal_responses(large, [Fraction(3, 10**18)])
    for mix, expected in zip(scaled.strategies, small.strategies, strict=True):
        assert mix == pytest.approx(expected)
    assert scaled.costs == pytest.approx([cost * 1e18 for cost in small.costs])


def test_the_first_equilibrium_of_a_symmetric_game_stays_in_the_middle() -> None:
    """The branch from lambda 0 goes straight through the point where the others leave it."""
    same = np.eye(2, dtype=int)
    found = quantal_responses(NormalFormGame.from_arrays([same, same], sense="payoff"), [Fraction(1), Fraction(9)])
    assert [response.strategies for response in found] == [((0.5, 0.5), (0.5, 0.5))] * 2


def test_the_branch_is_followed_as_far_as_there_is_time() -> None:
    game = NormalFormGame.from_arrays([[[9, 0], [0, 1]], [[0, 1], [1, 0]]], sense="payoff")
    asked = [Fraction(5), Fraction(0)]
    assert [r.precision for r in quantal_responses(game, asked, clock=Clock(0))] == [0]
    assert [r.precision for r in quantal_responses(game, [Fraction(10**400)])] == []  # beyond what floats tell apart

    def interrupt(done: int, total: int | None, note: str = "") -> None:
        raise KeyboardInterrupt

    assert [r.precision for r in quantal_responses(game, asked, progress=interrupt)] == [0]


def test_refusals() -> None:
    game = [np.array([[1, 0], [0, 1]]), np.array([[0, 1], [1, 0]])]
    for wrong in ([], -1, [1, "-1/2"], 0.5, "x"):
        with pytest.raises(InputError, match="expected numbers >= 0"):
            consortium.search(game, quantal=wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="'p1' has an infinite cost"):
        quantal_responses(NormalFormGame.from_arrays([[[float("inf")]], [[1]]], sense="cost"), [Fraction(1)])
    with pytest.raises(InputError, match="'p1' has a cost beyond 1e307"):
        quantal_responses(NormalFormGame.from_arrays([[0, 10**400]], sense="cost"), [Fraction(1)])


def test_one_lambda_or_several_in_the_record() -> None:
    game = [np.array([[1, 0], [0, 1]]), np.array([[0, 1], [1, 0]])]
    one, several = consortium.search(game, quantal="3/2"), consortium.search(game, quantal=[2, "3/2", 2])
    assert (one.complete, one.quantal.complete, several.quantal.complete) == (True, True, True)
    told = json.loads(json.dumps(several.to_dict()["quantal"]))
    assert [row["lambda"] for row in told["responses"]] == ["3/2", 2]
    assert told["responses"][0] == one.to_dict()["quantal"]["responses"][0]
