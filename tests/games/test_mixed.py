"""Mixed equilibria: exact regrets, and completeness against a reference that solves every pair of supports."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.games.mixed import mixed_equilibria
from consortium.games.normal_form import NormalFormGame
from consortium.scheduling.errors import InputError, TooLargeError


def regrets(a: Any, b: Any, x: Any, y: Any) -> tuple[Any, Any]:
    rows = [sum(a[i][j] * y[j] for j in range(len(y))) for i in range(len(x))]
    columns = [sum(b[i][j] * x[i] for i in range(len(x))) for j in range(len(y))]
    mine = sum(p * v for p, v in zip(x, rows, strict=True))
    other = sum(q * v for q, v in zip(y, columns, strict=True))
    return mine - min(rows), other - min(columns)


def reference(a: Any, b: Any) -> set[Any] | None:
    """All equilibria by sympy on every pair of supports; ``None`` for a degenerate game."""
    m, n = len(a), len(a[0])
    found = set()
    for k, h in itertools.product(range(1, m + 1), range(1, n + 1)):
        for own, other in itertools.product(itertools.combinations(range(m), k), itertools.combinations(range(n), h)):
            x, y, u, v = sympy.symbols(f"x:{k}"), sympy.symbols(f"y:{h}"), *sympy.symbols("u v")  # type: ignore[misc]
            equations = [sum(a[i][j] * q for j, q in zip(other, y, strict=True)) - u for i in own]
            equations += [sum(b[i][j] * p for i, p in zip(own, x, strict=True)) - v for j in other]
            equations += [sum(x) - 1, sum(y) - 1]
            for solution in sympy.linsolve(equations, *x, *y, u, v):
                if any(s.free_symbols for s in solution):
                    return None
                values = [Fraction(int(s.p), int(s.q)) for s in solution]
                if min(values[: k + h]) <= 0:
                    continue
                mix = [Fraction(0)] * m, [Fraction(0)] * n
                for i, p in zip(own, values[:k], strict=True):
                    mix[0][i] = p
                for j, q in zip(other, values[k : k + h], strict=True):
                    mix[1][j] = q
                if regrets(a, b, *mix) == (0, 0):
                    found.add((tuple(mix[0]), tuple(mix[1])))
    return found


@settings(max_examples=12, deadline=None, derandomize=True)
@given(data=st.data())
def test_all_equilibria_of_small_games(data: st.DataObject) -> None:
    m, n = data.draw(st.sampled_from([(2, 2), (2, 3), (3, 2)]))
    cells = st.lists(st.lists(st.integers(0, 40), min_size=n, max_size=n), min_size=m, max_size=m)
    a, b = data.draw(cells), data.draw(cells)
    found = mixed_equilibria(NormalFormGame.from_arrays([a, b], sense="cost"))
    for e in found.equilibria:
        assert e.regrets == regrets(a, b, *e.strategies)
        assert e.exact == (e.regrets == (0, 0))
        assert [sum(s) for s in e.strategies] == [1, 1]
    expected = reference(a, b)
    if expected is not None:
        assert found.complete
        assert {e.strategies for e in found.equilibria} == expected


def test_degenerate_games_are_not_called_complete() -> None:
    found = mixed_equilibria(NormalFormGame.from_arrays([[[1, 1], [1, 1]], [[1, 1], [1, 1]]], sense="cost"))
    assert not found.complete
    assert "degenerate" in found.note
    assert all(e.exact for e in found.equilibria)
    assert len(found.equilibria) >= 4


def test_rock_paper_scissors_with_large_payoffs() -> None:
    """Payoffs far apart and shifted: the equilibrium is exactly (1/3, 1/3, 1/3)."""
    base = 10**12
    a = [[base, base - 7, base + 7], [base + 7, base, base - 7], [base - 7, base + 7, base]]
    b = [list(row) for row in zip(*a, strict=True)]
    found = mixed_equilibria(NormalFormGame.from_arrays([a, b], sense="payoff"))
    third = (Fraction(1, 3),) * 3
    assert [e.strategies for e in found.equilibria] == [(third, third)]
    assert found.complete
    assert found.equilibria[0].costs == (-base, -base)


def test_beyond_the_sweep_regrets_stay_exact() -> None:
    """Coordination on seven places: nashpy's answers only, each judged in rationals."""
    a = [[7 + i if i == j else 0 for j in range(6)] for i in range(6)]
    found = mixed_equilibria(NormalFormGame.from_arrays([a, a], sense="payoff"))
    assert not found.complete
    assert {e.strategies[0] for e in found.equilibria if e.exact} >= {
        tuple(Fraction(int(i == j)) for i in range(6)) for j in range(6)
    }
    assert len(found.equilibria) == 2**6 - 1


def test_refusals() -> None:
    with pytest.raises(InputError, match="found 1 players; expected 2"):
        mixed_equilibria(NormalFormGame.from_arrays([[1, 2]], sense="cost"))
    with pytest.raises(InputError, match="'p1' has an infinite cost"):
        mixed_equilibria(NormalFormGame.from_arrays([[[float("inf")]], [[1]]], sense="cost"))
    with pytest.raises(TooLargeError, match="the limit is 20 in all"):
        mixed_equilibria(NormalFormGame.from_arrays([[[0] * 11] * 11] * 2, sense="cost"))
