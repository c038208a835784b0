"""Systems of linear inequalities with integer coefficients: a point, or multipliers that refute them.

Model: rows are vectors ``a`` over the coordinates ``z = (z_0, ..., z_k)``, and say ``a . z > 0`` (strict) or
``a . z >= 0``. Whoever means a point ``x = (z_1, ..., z_k) / z_0`` asks for ``z_0 > 0`` as a row.

An answer proves itself: a point satisfies every row; multipliers are not negative, add the rows up to nothing, and give
weight to a strict row (Motzkin's transposition theorem). Phase one of the simplex method looks for multipliers with the
weights of strict rows adding up to 1; when there are none, the dual values of the last tableau are a point. Equations
are kept in small integers. The least index enters and leaves (Bland), so that it ends.

>>> system = Inequalities(2)
>>> above, below = system.row((-1, 1)), system.row((2, -1))  # x > 1 and x < 2
>>> first = system.row((1, 0))
>>> system.decide([first, above, below], [True, True, True])
Consistent(point=(2, 3))
>>> system.decide([first, above, ~above], [True, True, False])
Refuted(multipliers=(0, 1, 1))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd, lcm
from typing import Final, TypeAlias

from .symbols import Vector, primitive


@dataclass(frozen=True)
class Consistent:
    """A point that satisfies every row."""

    point: Vector


@dataclass(frozen=True)
class Refuted:
    """One multiplier >= 0 per row of the question."""

    multipliers: Vector


Answer: TypeAlias = Consistent | Refuted
LARGE: Final = 10**6
"""Coefficients that are worth making smaller."""


class Inequalities:
    """The rows that may occur in questions, each known by its number; ``~number`` is the row negated."""

    def __init__(self, n_coordinates: int) -> None:
        self.n_coordinates = n_coordinates
        self.vectors: list[Vector] = []
        self._negated: list[Vector] = []
        self._units = [tuple([int(i == j) for i in range(n_coordinates)]) for j in range(n_coordinates)]

    def row(self, vector: Vector) -> int:
        """Take a row in; its number."""
        self.vectors.append(vector)
        self._negated.append(tuple([-a for a in vector]))
        return len(self.vectors) - 1

    def decide(self, rows: Sequence[int], strict: Sequence[bool]) -> Answer:
        """A point that satisfies these rows, or multipliers that show that there is none."""
        vectors = [self.vectors[row] if row >= 0 else self._negated[~row] for row in rows]
        tableau = _Tableau(vectors, strict, self.n_coordinates)
        n = self.n_coordinates
        if vectors[:n] == self._units and all(strict[:n]):
            tableau.take_units(vectors)
        else:
            for equation in range(n):  # each gets a basic multiplier, if it has any
                column = tableau.least(equation, positive=False)
                if column is not None:
                    tableau.pivot(equation, column)
        while (column := tableau.least(-1, positive=True)) is not None:
            equation = tableau.leaving(column)
            tableau.pivot(equation, column)
            if equation == n:
                return Refuted(tableau.multipliers())
        return Consistent(tableau.point())


class _Tableau:
    """Equations of the multipliers: one per coordinate, ``sum y_j a_j = 0``, and one that strict rows weigh 1.

    Each begins with a slack of its own as its basic variable. Multipliers are numbered from 0, the slack of equation
    ``i`` is ``-1 - i``. ``cells``: per equation the coefficients of the variables that are not basic, then the right
    side; ``outside`` and ``basis`` say which variables these are, ``weights`` the coefficient of each basic one.
    """

    def __init__(self, vectors: Sequence[Vector], strict: Sequence[bool], n_coordinates: int) -> None:
        self.n_rows = len(vectors)
        self.cells = [[*row, 0] for row in (zip(*vectors, strict=True) if vectors else [()] * n_coordinates)]
        self.cells.append([*map(int, strict), 1])
        self.outside = list(range(self.n_rows))
        self.basis = [-1 - i for i in range(n_coordinates + 1)]
        self.weights = [1] * (n_coordinates + 1)

    def take_units(self, vectors: Sequence[Vector]) -> None:
        """Make the first rows basic, which say that every coordinate is positive: all these pivots at once."""
        n = len(self.cells) - 1
        self.basis[:n], self.outside[:n] = self.outside[:n], self.basis[:n]
        last = self.cells[-1]
        last[:n] = [-1] * n
        for j in range(n, self.n_rows):
            last[j] -= sum(vectors[j])

    def least(self, equation: int, positive: bool) -> int | None:
        """The column of the least multiplier that an equation has, or has with a positive coefficient."""
        best = None
        for column, (name, a) in enumerate(zip(self.outside, self.cells[equation], strict=False)):
            if a and name >= 0 and (a > 0 or not positive) and (best is None or name < self.outside[best]):
                best = column
        return best

    def leaving(self, column: int) -> int:
        """The equation of least quotient: the strict rows' before all others, then that of the least multiplier."""
        cells, basis, last = self.cells, self.basis, len(self.cells) - 1
        best = last
        for i in range(last):
            if basis[i] >= 0 and cells[i][column] > 0:
                here, there = cells[i][-1] * cells[best][column], cells[best][-1] * cells[i][column]
                if here < there or (here == there and best < last and basis[i] < basis[best]):
                    best = i
        return best

    def pivot(self, row: int, column: int) -> None:
        """Exchange the basic variable of an equation and that of a column."""
        cells, weights = self.cells, self.weights
        own, weight = cells[row], weights[row]
        if own[column] < 0:
            own, weight = [-a for a in own], -weight
        pivot = own[column]
        for i, other in enumerate(cells):
            factor = other[column]
            if factor and i != row:
                new = [a * pivot - factor * b for a, b in zip(other, own, strict=True)]
                new[column] = -factor * weight
                weights[i] *= pivot
                if weights[i] > LARGE:
                    common = gcd(weights[i], *new)
                    new = [a // common for a in new]
                    weights[i] //= common
                cells[i] = new
        own[column], weights[row] = weight, pivot
        cells[row] = own
        self.basis[row], self.outside[column] = self.outside[column], self.basis[row]

    def point(self) -> Vector:
        """The dual values of the coordinates' equations."""
        values = dict(zip(self.outside, self.cells[-1], strict=False))
        return primitive([-values.get(-1 - i, 0) for i in range(len(self.cells) - 1)])

    def multipliers(self) -> Vector:
        """The basic solution."""
        common = lcm(*self.weights)
        values = {
            name: row[-1] * (common // weight)
            for name, row, weight in zip(self.basis, self.cells, self.weights, strict=True)
        }
        return primitive([values.get(k, 0) for k in range(self.n_rows)])


def point_of(rows: Sequence[tuple[Vector, bool]]) -> Vector | None:
    """A point at which each vector is above zero (True) or at least zero (False), None if there is none."""
    system = Inequalities(len(rows[0][0]))
    answer = system.decide([system.row(vector) for vector, _ in rows], [strict for _, strict in rows])
    return answer.point if isinstance(answer, Consistent) else None
