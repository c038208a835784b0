"""Linear programs in whole numbers whose origin is feasible: the simplex method on one table, compiled.

Maximise ``objective . x`` over ``x >= 0`` with ``rows . x <= rights``, all ``rights >= 0``. As in
:class:`.exact_lp.Tableau` the basic variables are written by the free ones, over one common denominator:
``unit * basic[i] = table[i, -1] - sum_j table[i, j] * free[j]``; line 0 of the table is the objective. Variables
are numbered first, then the rows' slacks. All divisions come out even (Edmonds; Bareiss), so nothing is rounded.

A kernel ends with 0 where a number grows beyond ``limit``, which keeps products within int64; then the same function
works on Python integers, without a limit. A steepest column enters at first; after some pivots the least index does
(Bland), so that it ends.

>>> best = maximum([1, 1], [[1, 2], [3, 1]], [4, 6])
>>> best.value, best.point, best.multipliers
(Fraction(14, 5), (Fraction(8, 5), Fraction(6, 5)), (Fraction(2, 5), Fraction(1, 5)))
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np

from ...support.jit import Ints, fitting, jit

LIMIT: Final = 2**31 - 1
"""Of numbers in a table of int64: a difference of two products fits."""
GROWN, UNBOUNDED, EMPTY = 0, -1, -2
"""What the kernels return in the place of a unit."""
STEEP: Final = 40
"""Pivots after which the least index enters or leaves."""


class Optimum(NamedTuple):
    """The best value, where it is, and multipliers of the rows whose sum with them proves that it is the best."""

    value: Fraction
    point: tuple[Fraction, ...]
    multipliers: tuple[Fraction, ...]


def maximum(objective: Sequence[int], rows: Sequence[Sequence[int]], rights: Sequence[int]) -> Optimum | None:
    """The largest ``objective . x`` over ``x >= 0`` with ``rows . x <= rights``; ``None`` where it is unbounded.

    Whole numbers of any size; ``rights`` are not negative.
    """
    n, m = len(objective), len(rows)
    lines = [[*(-c for c in objective), 0], *([*row, right] for row, right in zip(rows, rights, strict=True))]
    for small in (True, False):
        if small and max(abs(v) for line in lines for v in line) > LIMIT:
            continue
        table = np.array(lines, dtype=np.int64 if small else object).reshape(m + 1, n + 1)
        basic, free = np.arange(n - 1, n + m), np.arange(n)
        unit = fitting(maximise, small, (m + n) * m * n)(table, basic, free, 1, LIMIT if small else 0)
        if unit != GROWN:
            break
    if unit == UNBOUNDED:
        return None
    where = {int(v): i for i, v in enumerate(basic) if i}
    point = [Fraction(int(table[where[v], n]), int(unit)) if v in where else Fraction(0) for v in range(n)]
    outside = {int(v): j for j, v in enumerate(free)}
    prices = [Fraction(int(table[0, outside[v]]), int(unit)) if v in outside else Fraction(0) for v in range(n, n + m)]
    return Optimum(Fraction(int(table[0, n]), int(unit)), tuple(point), tuple(prices))


@jit
def maximise(table: Ints, basic: Ints, free: Ints, unit: int, limit: int) -> int:
    """Pivot until the objective is as large as it gets, in place; the unit then, ``GROWN`` or ``UNBOUNDED``."""
    pivots = 0
    last = table.shape[1] - 1
    while True:
        entering, least = -1, 0
        for j in range(last):
            value = table[0, j]
            if value < 0 and (
                entering < 0 or (pivots < STEEP and value < least) or (pivots >= STEEP and free[j] < free[entering])
            ):
                entering, least = j, value
        if entering < 0:
            return unit
        leaving = -1
        for i in range(1, table.shape[0]):
            value = table[i, entering]
            if value > 0:
                if leaving >= 0:
                    ahead = table[i, last] * table[leaving, entering] - table[leaving, last] * value
                if leaving < 0 or ahead < 0 or (ahead == 0 and basic[i] < basic[leaving]):
                    leaving = i
        if leaving < 0:
            return UNBOUNDED
        unit = pivot(table, basic, free, leaving, entering, unit, limit)
        if unit == GROWN:
            return GROWN
        pivots += 1


@jit
def reoptimise(table: Ints, basic: Ints, free: Ints, unit: int, limit: int) -> int:
    """Pivot until no basic variable is negative, where the objective was the best before rows were added; in place.

    The unit then, ``GROWN``, or ``EMPTY`` where nothing satisfies the rows.
    """
    pivots = 0
    last = table.shape[1] - 1
    while True:
        leaving = -1
        for i in range(1, table.shape[0]):
            if table[i, last] < 0 and (
                leaving < 0
                or (pivots < STEEP and table[i, last] < table[leaving, last])
                or (pivots >= STEEP and basic[i] < basic[leaving])
            ):
                leaving = i
        if leaving < 0:
            return unit
        entering = -1
        for j in range(last):
            value = -table[leaving, j]
            if value > 0:
                if entering >= 0:
                    ahead = table[0, j] * -table[leaving, entering] - table[0, entering] * value
                if entering < 0 or ahead < 0 or (ahead == 0 and free[j] < free[entering]):
                    entering = j
        if entering < 0:
            return EMPTY
        unit = pivot(table, basic, free, leaving, entering, unit, limit)
        if unit == GROWN:
            return GROWN
        pivots += 1


@jit
def pivot(table: Ints, basic: Ints, free: Ints, leaving: int, entering: int, unit: int, limit: int) -> int:
    """Let a row's and a column's variable change places, in place; the new unit, always positive, or ``GROWN``."""
    rows, columns = table.shape
    new: int = table[leaving, entering]
    sign = 1
    if new < 0:
        sign = -1
        new = -new
        for j in range(columns):
            table[leaving, j] = -table[leaving, j]
    largest = 0
    for i in range(rows):
        if i == leaving:
            continue
        factor = table[i, entering]
        if factor == 0 and new == unit:
            continue
        for j in range(columns):
            value = (new * table[i, j] - factor * table[leaving, j]) // unit
            table[i, j] = value
            if value > largest:
                largest = value
            elif -value > largest:
                largest = -value
        table[i, entering] = -sign * factor
    table[leaving, entering] = sign * unit
    inside = basic[leaving]
    basic[leaving] = free[entering]
    free[entering] = inside
    if limit > 0 and (largest > limit or new > limit):
        return GROWN
    return new
