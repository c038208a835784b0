"""Coalition games against definitions: orders of arrival, all pairs of coalitions, all coalitions."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.games import CoalitionGame, banzhaf, in_core, is_convex, is_monotone, shapley, shapley_everywhere
from consortium.games.sharing.values import potentials
from consortium.support.errors import InputError, TooLargeError

numbers = st.one_of(st.integers(-(10**4), 10**4), st.fractions(-5, 5, max_denominator=7), st.integers(-(2**70), 2**70))


@st.composite
def games(draw: st.DrawFn, most: int = 4) -> list[Fraction]:
    n = draw(st.integers(1, most))
    return [Fraction(0)] + [Fraction(draw(numbers)) for _ in range(2**n - 1)]


def by_orders(values: list[Fraction], mask: int) -> dict[int, Fraction]:
    players = [i for i in range(len(values).bit_length() - 1) if mask >> i & 1]
    total = dict.fromkeys(players, Fraction(0))
    orders = list(permutations(players))
    for order in orders:
        before = 0
        for i in order:
            total[i] += values[before | 1 << i] - values[before]
            before |= 1 << i
    return {i: x / len(orders) for i, x in total.items()}


@settings(max_examples=60, deadline=None, derandomize=True)
@given(games())
def test_shapley_values_of_every_coalition(values: list[Fraction]) -> None:
    game = CoalitionGame.of(values)
    everywhere = dict(shapley_everywhere(game))
    assert len(everywhere) == len(values) - 1
    for mask, phi in everywhere.items():
        assert phi == by_orders(values, mask)
    assert shapley(game) == tuple(by_orders(values, game.everybody).values())


@settings(max_examples=60, deadline=None, derandomize=True)
@given(games())
def test_potential(values: list[Fraction]) -> None:
    """What each player adds to the potential sums to the value."""
    p = potentials(CoalitionGame.of(values))
    for mask in range(1, len(values)):
        assert sum(p[mask] - p[mask ^ 1 << i] for i in range(4) if mask >> i & 1) == values[mask]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(games())
def test_banzhaf(values: list[Fraction]) -> None:
    n = len(values).bit_length() - 1
    for i, found in enumerate(banzhaf(CoalitionGame.of(values))):
        added = [values[s | 1 << i] - values[s] for s in range(2**n) if not s >> i & 1]
        assert found == sum(added, Fraction(0)) / len(added)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(games(), st.data())
def test_core(values: list[Fraction], data: st.DataObject) -> None:
    n = len(values).bit_length() - 1
    game = CoalitionGame.of(values)
    division = [Fraction(data.draw(numbers)) for _ in range(n)]
    if data.draw(st.booleans()):
        division[-1] = values[-1] - sum(division[:-1])
    excess = {s: values[s] - sum(division[i] for i in range(n) if s >> i & 1) for s in range(len(values))}
    found = in_core(game, division)
    assert found.holds == (excess[len(values) - 1] == 0 and max(excess.values()) <= 0)
    if not found.holds:
        assert found.coalition is not None
        assert found.amount == excess[found.coalition] != 0


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(st.integers(0, 3), min_size=7, max_size=7))
def test_convex_and_monotone(values: list[int]) -> None:
    """Against all pairs of coalitions; values are sums of small steps so that both answers occur."""
    v = [0, *values]
    for s in range(1, 8):
        v[s] += sum(v[s ^ 1 << i] for i in range(3) if s >> i & 1) // 2
    game = CoalitionGame.of(v)
    convex = is_convex(game)
    assert convex.holds == all(v[s | t] + v[s & t] >= v[s] + v[t] for s in range(8) for t in range(8))
    if convex.coalition is not None and convex.other is not None:
        s, t = convex.coalition, convex.other
        assert convex.amount == v[s] + v[t] - v[s | t] - v[s & t] > 0
    else:
        assert in_core(game, shapley(game)).holds
    monotone = is_monotone(game)
    assert monotone.holds == all(v[s] <= v[t] for s in range(8) for t in range(8) if s & t == s)


def test_ways_to_say_the_same_game() -> None:
    by_list = CoalitionGame.of([0, 1, 2, 5])
    assert CoalitionGame.of({(0,): 1, (1,): 2, (0, 1): 5}) == by_list
    assert CoalitionGame.of({1: 1, 2: 2, 3: 5}) == by_list
    assert CoalitionGame.of(lambda s: {0: 0, 1: 1 + (0 not in s), 2: 5}[len(s)], 2) == by_list
    assert CoalitionGame.of(np.array([0, 1, 2, 5])) == by_list
    assert CoalitionGame.of({(0, 1): "1/2"}, 3).value((0, 1)) == Fraction(1, 2)
    assert by_list.value(3) == 5


def test_twenty_players_compiled_and_exact() -> None:
    """An additive game plus a majority game: known in closed form."""
    n = 20
    masks = np.arange(2**n)
    sizes = sum((masks >> i) & 1 for i in range(n))
    worth = sum(((masks >> i) & 1) * (i + 1) for i in range(n)) + 1000 * (sizes > n // 2)
    game = CoalitionGame.of(worth)
    assert shapley(game) == tuple(Fraction(i + 1) + Fraction(1000, n) for i in range(n))


@pytest.mark.parametrize(
    ("source", "n", "said"),
    [
        ([0, 1, 2], None, "expected 2\\*\\*n"),
        ([1, 1], None, "nobody"),
        ({(0, 5): 1}, 3, "names player 5"),
        ([0, 0.5], None, "float"),
        ([0, 1], 2, "expected 2\\*\\*2"),
        (lambda s: len(s), None, "needs the number"),
    ],
)
def test_bad_games(source: object, n: int | None, said: str) -> None:
    with pytest.raises(InputError, match=said):
        CoalitionGame.of(source, n)  # type: ignore[arg-type]


def test_too_many_players() -> None:
    with pytest.raises(TooLargeError, match="limit"):
        CoalitionGame.of(lambda s: len(s), 40)
    with pytest.raises(InputError, match="expected 2"):
        in_core(CoalitionGame.of([0, 1, 2, 5]), [1])
