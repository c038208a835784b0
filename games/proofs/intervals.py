"""Intervals of one number, each end included or not, and how far a coordinate goes within a cell.

>>> whole = Interval(Fraction(0), None, low_included=False)
>>> [str(part) for part in whole.without(Interval(Fraction(1), Fraction(2), high_included=False))]
['0 < x < 1', 'x >= 2']
>>> rows = [((1, 0, 0), True), ((0, 1, -2), False), ((3, 0, -1), True), ((0, 0, 1), True)]  # x >= 2 y, 0 < y < 3
>>> str(reach(rows, 1)), str(reach(rows, 2))
('x > 0', '0 < x < 3')
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from .feasibility import Consistent, Inequalities
from .symbols import Vector

Row = tuple[Vector, bool]
"""A vector and whether it is above zero, else at least zero."""


@dataclass(frozen=True)
class Interval:
    """All numbers from ``low`` to ``high`` (``None``: no end); see the module."""

    low: Fraction
    high: Fraction | None
    low_included: bool = True
    high_included: bool = True

    def __str__(self) -> str:
        return self.written("x")

    def written(self, name: str) -> str:
        """The interval as a condition on a name."""
        if self.low == self.high:
            return f"{name} = {self.low}"
        if self.high is None:
            return f"{name} {'>=' if self.low_included else '>'} {self.low}"
        signs = ["<=" if included else "<" for included in (self.low_included, self.high_included)]
        return f"{self.low} {signs[0]} {name} {signs[1]} {self.high}"

    def __contains__(self, x: Fraction) -> bool:
        above = self.low < x or (self.low == x and self.low_included)
        return above and (self.high is None or x < self.high or (x == self.high and self.high_included))

    @property
    def empty(self) -> bool:
        """Whether no number is in it."""
        if self.high is None or self.low < self.high:
            return False
        return self.low > self.high or not (self.low_included and self.high_included)

    def without(self, part: Interval) -> tuple[Interval, ...]:
        """What is left and right of a part of it."""
        left = Interval(self.low, part.low, self.low_included, not part.low_included)
        found = [left]
        if part.high is not None:
            found.append(Interval(part.high, self.high, not part.high_included, self.high_included))
        return tuple(one for one in found if not one.empty)

    def positive(self) -> Interval:
        """The part of it above zero, perhaps empty."""
        return Interval(self.low, self.high, self.low_included and self.low > 0, self.high_included)

    def within(self, low: Fraction, high: Fraction | None) -> Interval:
        """The part of it from one number to another."""
        start, from_included = (self.low, self.low_included) if low <= self.low else (low, True)
        if high is None or (self.high is not None and self.high <= high):
            return Interval(start, self.high, from_included, self.high_included)
        return Interval(start, high, from_included, True)

    def rows(self, coordinate: int, n_coordinates: int) -> tuple[Row, ...]:
        """The interval as inequalities on a coordinate."""
        found = [(_ratio_row(self.low, coordinate, n_coordinates, 1), not self.low_included)]
        if self.high is not None:
            found.append((_ratio_row(self.high, coordinate, n_coordinates, -1), not self.high_included))
        return tuple(found)

    def simplest(self) -> Fraction:
        """The number in it with the smallest denominator, and of those the smallest.

        >>> str(Interval(Fraction(13, 5), Fraction(8, 3), high_included=False).simplest())
        '13/5'
        >>> str(Interval(Fraction(13, 5), Fraction(8, 3), False, False).simplest())
        '21/8'
        """
        denominator = 1
        while True:
            top = floor(self.low * denominator)
            for x in (Fraction(top, denominator), Fraction(top + 1, denominator)):
                if x in self:
                    return x
            denominator += 1


def joined(intervals: Iterable[Interval]) -> tuple[Interval, ...]:
    """The union of intervals that do not overlap, in order, those that touch made one.

    >>> zero = Fraction(0)
    >>> [str(one) for one in joined([Interval(zero, None, low_included=False), Interval(zero, zero)])]
    ['x >= 0']
    """
    found: list[Interval] = []
    for one in sorted(intervals, key=lambda one: (one.low, not one.low_included)):
        last = found[-1] if found else None
        if last is not None and last.high == one.low and (last.high_included or one.low_included):
            found[-1] = Interval(last.low, one.high, last.low_included, one.high_included)
        else:
            found.append(one)
    return tuple(found)


def reach(rows: Sequence[Row], coordinate: int) -> Interval:
    """All values of ``z_coordinate / z_0`` over the points that satisfy the rows; there must be one, with ``z_0 > 0``.

    An end is where multipliers prove that no point goes further and a point of the closure is: both are found together,
    as one system (strong duality).
    """
    low, high = (_extreme(rows, coordinate, sign) for sign in (-1, 1))
    assert low is not None  # coordinates are positive
    attained = [end is not None and at(rows, coordinate, end) is not None for end in (low, high)]
    return Interval(low, high, *attained)


def at(rows: Sequence[Row], coordinate: int, value: Fraction) -> Vector | None:
    """A point that satisfies the rows, with this value of a coordinate."""
    n = len(rows[0][0])
    system = Inequalities(n)
    asked = [*rows, *Interval(value, value).rows(coordinate, n)]
    answer = system.decide([system.row(vector) for vector, _ in asked], [strict for _, strict in asked])
    return answer.point if isinstance(answer, Consistent) else None


def _extreme(rows: Sequence[Row], coordinate: int, sign: int) -> Fraction | None:
    """The largest (1) or smallest (-1) value over the closure of the cell; None where there is none.

    ``(z, y)`` with ``A z >= 0``, ``y >= 0`` and ``A^T y = sign (z_j e_0 - z_0 e_j)``: then ``y / z_0`` proves that no
    point of the cell has a larger ``sign * z_j / z_0`` than this one.
    """
    n, m = len(rows[0][0]), len(rows)
    system = Inequalities(n + m)
    asked = [((1, *[0] * (n + m - 1)), True)]
    asked += [((*vector, *[0] * m), False) for vector, _ in rows]
    asked += [(tuple([0] * (n + r) + [1] + [0] * (m - r - 1)), False) for r in range(m)]
    for i in range(n):
        balance = [0] * n + [vector[i] for vector, _ in rows]
        if i == 0:
            balance[coordinate] -= sign
        elif i == coordinate:
            balance[0] += sign
        asked += [(tuple(balance), False), (tuple([-a for a in balance]), False)]
    answer = system.decide([system.row(vector) for vector, _ in asked], [strict for _, strict in asked])
    return Fraction(answer.point[coordinate], answer.point[0]) if isinstance(answer, Consistent) else None


def _ratio_row(bound: Fraction, coordinate: int, n_coordinates: int, sign: int) -> Vector:
    """``sign * (z_j - bound z_0)`` with integers."""
    vector = [0] * n_coordinates
    vector[0], vector[coordinate] = -sign * bound.numerator, sign * bound.denominator
    return tuple(vector)
