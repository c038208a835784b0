"""Mixed equilibria of two players: all of them, against references that know no polytope walk."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from consortium.games.equilibria.mixed import MixedEquilibria, mixed_equilibria
from consortium.games.equilibria.mixed.vertices import most_vertices, vertices
from consortium.games.interchange import read_nfg
from consortium.games.normal_form import NormalFormGame
from consortium.support.errors import InputError, TooLargeError

STENGEL = Path(__file__).parent / "von-stengel-75.nfg"


def regrets(a: Any, b: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """Of costs, from the definition."""
    rows = [sum(a[i][j] * y[j] for j in range(len(y))) for i in range(len(x))]
    columns = [sum(b[i][j] * x[i] for i in range(len(x))) for j in range(len(y))]
    mine = sum(p * v for p, v in zip(x, rows, strict=True))
    other = sum(q * v for q, v in zip(y, columns, strict=True))
    return mine - min(rows), other - min(columns)


def solved(rows: list[list[Fraction]]) -> list[Fraction] | None:
    """The only solution of an augmented system, or ``None``."""
    n = len(rows[0]) - 1
    for column in range(n):
        pivot = next((r for r in range(column, len(rows)) if rows[r][column]), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [v / rows[column][column] for v in rows[column]]
        for r, row in enumerate(rows):
            if r != column and row[column]:
                rows[r] = [v - row[column] * h for v, h in zip(row, rows[column], strict=True)]
    return None if any(row[n] for row in rows[n:]) else [row[n] for row in rows[:n]]


def corners(costs: Sequence[Sequence[Any]]) -> set[tuple[Fraction, ...]]:
    """Mixes at corners of the best-response regions: every choice of equations that has one solution.

    ``costs``: of the player who responds, the mixing player's strategies as rows; the unknowns are the mix and the
    least cost, which is below the cost of every response.
    """
    m, n = len(costs), len(costs[0])
    bounds = [[Fraction(int(i == k)) for k in range(m)] + [Fraction(0), Fraction(0)] for i in range(m)]
    bounds += [[Fraction(costs[i][j]) for i in range(m)] + [Fraction(-1), Fraction(0)] for j in range(n)]
    whole = [Fraction(1)] * m + [Fraction(0), Fraction(1)]
    found = set()
    for chosen in itertools.combinations(bounds, m):
        point = solved([list(row) for row in (*chosen, whole)])
        if point is not None and all(sum(c * v for c, v in zip(row, point, strict=False)) >= 0 for row in bounds):
            found.add(tuple(point[:m]))
    return found


def extreme_equilibria(a: Any, b: Any) -> set[Any]:
    """Pairs of corners without regret."""
    firsts, seconds = corners(b), corners([list(row) for row in zip(*a, strict=True)])
    return {(x, y) for x in firsts for y in seconds if regrets(a, b, x, y) == (0, 0)}


def maximal_products(pairs: Sequence[Any]) -> set[tuple[int, ...]]:
    """Places of the products of a set of first and a set of second sides, all listed, that no larger one contains."""
    place = {pair: i for i, pair in enumerate(pairs)}
    firsts = sorted({x for x, _ in pairs})
    found = set()
    for size in range(1, len(firsts) + 1):
        for own in itertools.combinations(firsts, size):
            shared = [y for y in {y for _, y in pairs} if all((x, y) in place for x in own)]
            if shared:
                found.add(frozenset(place[x, y] for x in own for y in shared))
    return {tuple(sorted(one)) for one in found if not any(one < other for other in found)}


def connected(pairs: Sequence[Any]) -> int:
    """How many components the graph of the pairs has."""
    parts: list[set[Any]] = []
    for x, y in pairs:
        ends = {("x", x), ("y", y)}
        touched = [part for part in parts if part & ends]
        parts = [part for part in parts if part not in touched] + [ends.union(*touched)]
    return len(parts)


def random_games(count: int, seed: int) -> Iterator[tuple[list[list[Any]], list[list[Any]]]]:
    """Games of up to 4 strategies, half of them with many ties, some with duplicated rows, huge or broken costs."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        m, n = rng.integers(1, 4, 2) if number % 8 else (4, int(rng.integers(1, 5)))
        most = (2, 3, 8, 40)[number % 4]
        a, b = (rng.integers(-1, most, (m, n)).tolist() for _ in "ab")
        if number % 5 == 0:
            a[-1], b[-1] = a[0], b[0]
        unit: Any = 10**18 if number % 7 == 0 else Fraction(1, 3) if number % 7 == 1 else 1
        yield [[v * unit for v in row] for row in a], [[v * unit for v in row] for row in b]


def game(a: Any, b: Any, sense: Any = "cost") -> NormalFormGame:
    return NormalFormGame.from_arrays([np.array(a, dtype=object), np.array(b, dtype=object)], sense=sense)


def by_places(found: MixedEquilibria) -> set[tuple[int, ...]]:
    parts = found.components or tuple(((i,),) for i in range(len(found.equilibria)))
    return {subset for part in parts for subset in part}


def compare(count: int, seed: int) -> None:
    for a, b in random_games(count, seed):
        found = mixed_equilibria(game(a, b))
        assert found.complete, (a, b)
        pairs = [e.strategies for e in found.equilibria]
        assert pairs == sorted(extreme_equilibria(a, b)), (a, b)
        assert {e.regrets for e in found.equilibria} == {(0, 0)}
        assert by_places(found) == maximal_products(pairs), (a, b)
        assert (found.components is None) == all(len(subset) == 1 for subset in maximal_products(pairs))
        assert found.components is None or len(found.components) == connected(pairs)
        flipped = mixed_equilibria(game([[-v for v in row] for row in a], [[-v for v in row] for row in b], "payoff"))
        assert flipped == found


@pytest.mark.parametrize(("count", "seed"), [(40, 1), pytest.param(6000, 2, marks=pytest.mark.exhaustive)])
def test_every_equilibrium_of_small_games(count: int, seed: int) -> None:
    compare(count, seed)


def test_von_stengels_game_has_75_equilibria() -> None:
    """More than the 2^6 - 1 of a coordination game."""
    found = mixed_equilibria(read_nfg(STENGEL))
    assert (len(found.equilibria), found.complete, found.components) == (75, True, None)
    assert all(e.exact for e in found.equilibria)


def test_the_degenerate_game_of_a_textbook() -> None:
    """B. von Stengel, chapter 3 of Algorithmic Game Theory, 2007: one equilibrium, and a segment of others."""
    found = mixed_equilibria(game([[3, 3], [2, 5], [0, 6]], [[3, 3], [2, 6], [3, 1]], "payoff"))
    third = Fraction(1, 3)
    assert [e.strategies for e in found.equilibria] == [
        ((0, third, 2 * third), (third, 2 * third)),
        ((1, 0, 0), (2 * third, third)),
        ((1, 0, 0), (1, 0)),
    ]
    assert found.components == (((0,),), ((1, 2),))


def test_one_player_takes_what_is_best_for_her() -> None:
    found = mixed_equilibria(NormalFormGame.from_arrays([[2, 1, 1]], sense="cost"))
    assert [e.strategies for e in found.equilibria] == [((0, 0, 1),), ((0, 1, 0),)]
    assert (found.complete, found.components) == (True, (((0, 1),),))


def test_players_without_a_choice_do_not_count() -> None:
    """Matching pennies with two onlookers: still two players, exactly."""
    pennies = np.array([[1, -1], [-1, 1]]).reshape(1, 2, 1, 2)
    found = mixed_equilibria(NormalFormGame.from_arrays([0 * pennies, pennies, 5 + pennies, -pennies], sense="cost"))
    half = (Fraction(1, 2),) * 2
    assert [e.strategies for e in found.equilibria] == [((1,), half, (1,), half)]
    assert found.equilibria[0].costs == (0, 0, 5, 0)
    nobody = mixed_equilibria(NormalFormGame.from_arrays([[[[1]]], [[[2]]], [[[3]]]], sense="cost"))
    assert [e.strategies for e in nobody.equilibria] == [((1,), (1,), (1,))]


@pytest.mark.parametrize(("coordinates", "inequalities"), [(1, 3), (3, 1), (3, 4), (4, 4), (5, 3)])
def test_no_polytope_has_more_vertices_than_it_can(coordinates: int, inequalities: int) -> None:
    rng = np.random.default_rng(coordinates)
    for _ in range(20):
        matrix = rng.integers(1, 9, (inequalities, coordinates)).tolist()
        found = list(vertices(matrix))
        assert len({vertex.tight for vertex in found}) == len(found) <= most_vertices(coordinates, inequalities)


def test_what_was_found_is_kept_when_it_is_stopped() -> None:
    """Some vertices of both polytopes suffice for some equilibria."""
    large = read_nfg(STENGEL)

    def interrupt(done: int, total: int | None, note: str = "") -> None:
        if done:
            raise KeyboardInterrupt

    stopped = mixed_equilibria(large, progress=interrupt)
    assert (stopped.complete, stopped.stopped, stopped.components) == (False, True, None)
    assert 0 < len(stopped.equilibria) < 75
    assert all(e.exact for e in stopped.equilibria)
    out_of_time = mixed_equilibria(large, time_limit=0)
    assert (out_of_time.complete, out_of_time.stopped, out_of_time.equilibria) == (False, True, ())


def test_refusals() -> None:
    with pytest.raises(InputError, match="'p1' has an infinite cost"):
        mixed_equilibria(NormalFormGame.from_arrays([[[float("inf")]], [[1]]], sense="cost"))
    with pytest.raises(TooLargeError, match="the limit is 30 in all"):
        mixed_equilibria(NormalFormGame.from_arrays([[[0] * 16] * 15] * 2, sense="cost"))
    with pytest.raises(TooLargeError, match="found 4,913 profiles; the limit is 4,096"):
        mixed_equilibria(NormalFormGame.from_arrays([[[[0] * 17] * 17] * 17] * 3, sense="cost"))
