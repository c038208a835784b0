"""Linear programs in whole numbers: every optimum carries its proof, and rows may be added afterwards."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consortium.games.equilibria.exact_lp import FILLED, solve_linear, solve_sparse
from consortium.games.equilibria.simplex import LIMIT, maximise, maximum, reoptimise
from consortium.support.jit import plain

SMALL = st.integers(-4, 5)


@st.composite
def programs(draw: st.DrawFn) -> tuple[list[int], list[list[int]], list[int]]:
    """Degenerate ones mostly: most right sides are 0."""
    n, m = draw(st.integers(1, 5)), draw(st.integers(0, 8))
    rows = draw(st.lists(st.lists(SMALL, min_size=n, max_size=n), min_size=m, max_size=m))
    rights = draw(st.lists(st.sampled_from([0, 0, 0, 1, 7]), min_size=m, max_size=m))
    return draw(st.lists(SMALL, min_size=n, max_size=n)), [*rows, [1] * n], [*rights, 6]


@given(programs(), st.sampled_from([1, 10**18]))
def test_an_optimum_is_proved_by_its_multipliers(program: tuple[list[int], list[list[int]], list[int]], k: int) -> None:
    objective, rows, rights = program
    best = maximum([k * c for c in objective], [[k * c for c in row] for row in rows], [k * c for c in rights])
    assert best is not None
    assert all(x >= 0 for x in (*best.point, *best.multipliers))
    for row, right in zip(rows, rights, strict=True):
        assert sum(a * x for a, x in zip(row, best.point, strict=True)) <= right
    assert sum(k * c * x for c, x in zip(objective, best.point, strict=True)) == best.value
    assert sum(k * right * m for right, m in zip(rights, best.multipliers, strict=True)) == best.value
    for j, c in enumerate(objective):
        assert sum(row[j] * m for row, m in zip(rows, best.multipliers, strict=True)) >= c


@given(programs(), st.lists(SMALL, min_size=5, max_size=5))
def test_a_row_that_comes_later_changes_nothing(
    program: tuple[list[int], list[list[int]], list[int]], late: list[int]
) -> None:
    objective, rows, rights = program
    n, m = len(objective), len(rows)
    row = [*late[:n]]
    whole = maximum(objective, [*rows, row], [*rights, 0])
    lines = [[*(-c for c in objective), 0], *([*each, right] for each, right in zip(rows, rights, strict=True))]
    table = np.array([*lines, [0] * (n + 1)], dtype=object)
    basic, free = np.arange(n - 1, n + m + 1), np.arange(n)
    unit = plain(maximise)(table[:-1], basic[:-1], free, 1, 0)
    for j, v in enumerate([*free.tolist(), -1]):
        table[-1, j] = unit * row[v] if 0 <= v < n else 0
    for i, v in enumerate(basic[:-1].tolist()):
        if i and v < n:
            table[-1] -= row[v] * table[i]
    unit = plain(reoptimise)(table, basic, free, unit, 0)
    assert whole is not None
    assert whole.value * unit == table[0, -1]


def test_without_an_end() -> None:
    assert maximum([1, -1], [[-1, 0]], [3]) is None


@pytest.mark.parametrize("entry", [LIMIT, 2**70])
def test_numbers_that_are_large(entry: int) -> None:
    best = maximum([entry, 1], [[entry, 1], [1, entry]], [entry, entry])
    assert best is not None
    assert best.value == entry


@pytest.mark.parametrize("bits", [3, 27, 30, 31, 32, 33, 61, 70])
def test_equations_with_numbers_of_half_a_word_a_word_and_more(bits: int) -> None:
    """Residues are added up in int64 as far as they fit, whatever the number of unknowns."""
    rng = random.Random(bits)
    for size in range(1, 9):
        matrix = np.array([[rng.getrandbits(bits) for _ in range(size)] for _ in range(size)], dtype=object)
        right = matrix @ np.array([rng.randint(-(10**6), 10**6) for _ in range(size)], dtype=object) * 7
        solved = solve_linear(3 * matrix, right, [Fraction(0)] * size)
        assert (3 * matrix @ np.array(solved, dtype=object) == right).all()


@given(st.lists(st.dictionaries(st.integers(0, 6), SMALL.filter(bool), max_size=3), max_size=9), st.integers(1, 10**20))
def test_sparse_equations_are_solved_and_free_unknowns_guessed(rows: list[dict[int, int]], scale: int) -> None:
    """A solution that exists; more equations than unknowns, or fewer."""
    point = [Fraction(scale + k, k + 1) for k in range(7)]
    unit = 5040 * scale
    right = [int(unit * sum((c * point[k] for k, c in row.items()), start=Fraction(0))) for row in rows]
    solved = solve_sparse(
        [{k: c * unit for k, c in row.items()} for row in rows], right, point.__getitem__, lambda: None
    )
    assert solved == {k: point[k] for row in rows for k in row}
    free = solve_sparse(rows, [0] * len(rows), lambda k: Fraction(k + 1, 3), lambda: None)
    assert free is not None
    assert all(sum(c * free[k] for k, c in row.items()) == 0 for row in rows)


def test_equations_that_are_not_sparse_are_given_up() -> None:
    full = [{k: 1 + (k == i) for k in range(FILLED + 1)} for i in range(2)]
    assert solve_sparse(full, [1, 1], lambda k: Fraction(0), lambda: None) is None
