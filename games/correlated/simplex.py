"""The simplex method in whole numbers, for programs on which floats fail: degenerate ones, and numbers of any size.

The dual is solved, because it needs no first phase: maximise ``v`` over ``v, y >= 0`` with ``v - sum y_k gain_k(s) <=
price(s)`` for all profiles ``s``, where the least price is taken to be 0. Its own dual solution is the distribution.
A dictionary of integers over one common denominator, the last pivot (Edmonds; Bareiss: all divisions come out even);
the least index enters and leaves (Bland), so that it ends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Solution:
    """Optimal for the rows and columns given; or, without a distribution, a proof that none satisfies the rows.

    Attributes
    ----------
    value
        Least expected price; without a distribution, what ``sum y_k gain_k(s)`` is at least, a positive number.
    multipliers
        One for each row, in whole units.
    weights
        Probabilities of the columns, or ``None``.
    """

    value: Fraction
    multipliers: list[Fraction]
    weights: list[Fraction] | None


def solve(gains: NDArray[Any], price: NDArray[Any], listen: Callable[[], None]) -> Solution:
    """Solve one program.

    Parameters
    ----------
    gains
        Python integers, one row per constraint ``sum of gains times weights <= 0``, one column per profile.
    price
        Python integers, one per profile.
    listen
        Called before every pivot; may raise to stop.

    >>> solution = solve(np.array([[1, -1]], dtype=object), np.array([0, 3], dtype=object), lambda: None)
    >>> solution.value, solution.weights, solution.multipliers
    (Fraction(3, 2), [Fraction(1, 2), Fraction(1, 2)], [Fraction(3, 2)])
    """
    n_rows, n_columns = gains.shape
    least = min(price.tolist())
    table = np.zeros((n_columns + 1, n_rows + 2), dtype=object)  # row 0: the objective; last column: values
    table[0, 0] = -1
    table[1:, 0] = 1
    table[1:, 1:-1] = -gains.T
    table[1:, -1] = price - least
    free = list(range(n_rows + 1))  # v, then the multipliers; slacks of the profiles follow
    basic = [-1, *range(n_rows + 1, n_rows + 1 + n_columns)]
    unit = 1
    while True:
        listen()
        entering = (
            min((free[j], j) for j in range(n_rows + 1) if table[0, j] < 0) if (table[0, :-1] < 0).any() else None
        )
        if entering is None:
            break
        column = entering[1]
        row = _leaving(table, column, basic)
        if row is None:
            ray = {free[column]: unit} | {v: -table[i, column] for i, v in enumerate(basic) if i}
            return Solution(Fraction(ray.get(0, 0)), [Fraction(ray.get(k + 1, 0)) for k in range(n_rows)], None)
        pivot = table[row, column]
        _pivot(table, row, column, unit)
        free[column], basic[row], unit = basic[row], free[column], pivot
    values = {v: Fraction(table[i, -1], unit) for i, v in enumerate(basic) if i}
    duals = {v: Fraction(table[0, j], unit) for j, v in enumerate(free)}
    weights = [duals.get(n_rows + 1 + s, Fraction(0)) for s in range(n_columns)]
    return Solution(
        values.get(0, Fraction(0)) + least, [values.get(k + 1, Fraction(0)) for k in range(n_rows)], weights
    )


def _leaving(table: NDArray[Any], column: int, basic: list[int]) -> int | None:
    """Row of the least ratio, among equals that of the least variable; ``None`` where nothing limits."""
    limiting = [i for i in range(1, len(basic)) if table[i, column] > 0]
    return min(limiting, key=lambda i: (Fraction(table[i, -1], table[i, column]), basic[i]), default=None)


def _pivot(table: NDArray[Any], row: int, column: int, unit: int) -> None:
    """Exchange a basic and a free variable; entries stay integers over the pivot as the new unit."""
    line, side = table[row].copy(), table[:, column].copy()
    pivot = line[column]
    table[:] = (table * pivot - np.outer(side, line)) // unit
    table[row] = line
    table[:, column] = -side
    table[row, column] = unit
