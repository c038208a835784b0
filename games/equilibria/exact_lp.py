"""Linear programs and linear systems in whole numbers, by pivots of one tableau.

A :class:`Tableau` writes basic variables in terms of the free ones, in integers over one common denominator, the last
pivot (Edmonds; Bareiss: all divisions come out even), so nothing is ever rounded. Vertices of polytopes
(:mod:`.mixed.vertices`), programs on which floats fail (degenerate ones, and numbers of any size) and systems of linear
equations are questions of which pivots come next.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from numpy.typing import NDArray


@dataclass(frozen=True)
class Tableau:
    """Basic variables by the free ones: ``unit * basic[i] = rows[i][-1] - sum_j rows[i][j] * free[j]``.

    >>> Tableau([[2, 4]], [1], [0], 1).pivot(0, 0)  # x1 = 4 - 2 x0, so 2 x0 = 4 - x1
    Tableau(rows=[[1, 4]], basic=[0], free=[1], unit=2)
    """

    rows: list[list[int]]
    basic: list[int]
    free: list[int]
    unit: int

    def pivot(self, leaving: int, entering: int) -> Self:
        """The tableau where a row's variable and a column's change places; the row's entry there is not 0."""
        line, unit = self.rows[leaving], self.unit
        pivot = line[entering]
        rows = []
        for i, row in enumerate(self.rows):
            factor = row[entering]
            if i == leaving:
                new = line[:]
            elif factor:
                new = [(pivot * a - factor * b) // unit for a, b in zip(row, line, strict=True)]
            else:
                new = [pivot * a // unit for a in row]
            new[entering] = unit if i == leaving else -factor
            rows.append(new)
        basic, free = self.basic[:], self.free[:]
        basic[leaving], free[entering] = free[entering], basic[leaving]
        return type(self)(rows, basic, free, pivot)


@dataclass(frozen=True)
class Solution:
    """Optimal for the rows and columns of a program; or, without a distribution, a proof that none satisfies the rows.

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


def solve_program(gains: NDArray[Any], price: NDArray[Any], listen: Callable[[], None]) -> Solution:
    """The distribution of least expected price under which no constraint gains.

    The dual is solved, because it needs no first phase: maximise ``v`` over ``v, y >= 0`` with ``v - sum y_k gain_k(s)
    <= price(s)`` for all profiles ``s``, where the least price is taken to be 0. Its own dual solution is the
    distribution. The least index enters and leaves (Bland), so that it ends.

    Parameters
    ----------
    gains
        Python integers, one row per constraint ``sum of gains times weights <= 0``, one column per profile.
    price
        Python integers, one per profile.
    listen
        Called before every pivot; may raise to stop.

    >>> solution = solve_program(np.array([[1, -1]], dtype=object), np.array([0, 3], dtype=object), lambda: None)
    >>> solution.value, solution.weights, solution.multipliers
    (Fraction(3, 2), [Fraction(1, 2), Fraction(1, 2)], [Fraction(3, 2)])
    """
    n_rows, n_columns = gains.shape
    least = min(price.tolist())
    profiles = [[1, *(-g for g in own), p - least] for own, p in zip(gains.T.tolist(), price.tolist(), strict=True)]
    slacks = range(n_rows + 1, n_rows + 1 + n_columns)  # v is variable 0, the multipliers follow
    tableau = Tableau([[-1] + [0] * (n_rows + 1), *profiles], [-1, *slacks], list(range(n_rows + 1)), 1)
    while True:
        listen()
        objective, *rows = tableau.rows
        entering = min(((v, j) for j, v in enumerate(tableau.free) if objective[j] < 0), default=None)
        if entering is None:
            break
        column = entering[1]
        limiting = [i for i, row in enumerate(rows, 1) if row[column] > 0]
        if not limiting:
            ray = {tableau.free[column]: tableau.unit} | {
                v: -row[column] for v, row in zip(tableau.basic[1:], rows, strict=True)
            }
            return Solution(Fraction(ray.get(0, 0)), [Fraction(ray.get(k + 1, 0)) for k in range(n_rows)], None)
        leaving = min(limiting, key=lambda i: (Fraction(rows[i - 1][-1], rows[i - 1][column]), tableau.basic[i]))
        tableau = tableau.pivot(leaving, column)
    values = {v: Fraction(row[-1], tableau.unit) for v, row in zip(tableau.basic, tableau.rows, strict=True)}
    duals = {v: Fraction(tableau.rows[0][j], tableau.unit) for j, v in enumerate(tableau.free)}
    multipliers = [values.get(k, Fraction(0)) for k in range(1, n_rows + 1)]
    return Solution(values.get(0, Fraction(0)) + least, multipliers, [duals.get(s, Fraction(0)) for s in slacks])


def solve_linear(matrix: NDArray[Any], right: NDArray[Any], guess: Sequence[Fraction]) -> list[Fraction]:
    """A solution of the first independent equations; the others are not looked at.

    ``matrix``: Python integers, one row per equation. ``guess``: what an unknown is taken to be that the equations do
    not determine.

    >>> solve_linear(np.array([[2, 1], [4, 2], [0, 3]], dtype=object), np.array([1, 2, 1], dtype=object), [])
    [Fraction(1, 3), Fraction(1, 3)]
    >>> both = np.array([[2, 1], [4, 2]], dtype=object)
    >>> solve_linear(both, np.array([1, 2], dtype=object), [Fraction(0), Fraction(1, 2)])
    [Fraction(1, 4), Fraction(1, 2)]
    """
    n_equations, n_unknowns = matrix.shape
    rows = [[*own, last] for own, last in zip(matrix.tolist(), right.tolist(), strict=True)]
    equations = [n_unknowns + i for i in range(n_equations)]  # an equation's own variable is 0
    tableau = Tableau(rows, equations, list(range(n_unknowns)), 1)
    order = list(range(n_equations))
    solved = 0
    for unknown in range(n_unknowns):
        place = next((i for i in range(solved, n_equations) if tableau.rows[order[i]][unknown]), None)
        if place is not None:
            order[solved], order[place] = order[place], order[solved]
            tableau = tableau.pivot(order[solved], unknown)
            solved += 1
    values = {v: guess[v] for v in tableau.free if v < n_unknowns}
    scale = math.lcm(*(value.denominator for value in values.values()))
    whole = [(j, int(values[v] * scale)) for j, v in enumerate(tableau.free) if v in values]
    for i in order[:solved]:
        row = tableau.rows[i]
        top = row[-1] * scale - sum(row[j] * value for j, value in whole)
        values[tableau.basic[i]] = Fraction(top, tableau.unit * scale)
    return [values[v] for v in range(n_unknowns)]
