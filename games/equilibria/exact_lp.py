"""Linear programs and linear systems in whole numbers.

A :class:`Tableau` writes basic variables in terms of the free ones, in integers over one common denominator, the last
pivot (Edmonds; Bareiss: all divisions come out even), so nothing is ever rounded. Vertices of polytopes
(:mod:`.mixed.vertices`) and programs on which floats fail (degenerate ones, and numbers of any size) are questions of
which pivots come next.

Linear systems are solved by p-adic lifting [Dix82]_, because pivots are too slow there (200 unknowns: 9 s against 0.2).
The system is inverted modulo a prime once; each step then adds a digit of the solution in base of that prime, and
rationals are read off when their digits suffice. Every solution returned satisfies the square system that was solved.
Thousands of equations with few unknowns each are eliminated one by one.

References
----------
.. [Dix82] J. Dixon, "Exact solution of linear equations using p-adic expansions", Numerische Mathematik 40, 1982.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from ...support.exact import fits_int64, scale

FILLED: Final = 1_000
"""Unknowns in the shortest row at which elimination of sparse equations gives up."""
PRIME: Final = 2**31 - 1
_HALF: Final = 16
"""Bits of the lower half of a residue: a product of a half and a residue, summed up, stays within int64."""


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
    """Optimal for the rows and columns of a program; without a distribution, a proof that none satisfies the rows."""

    # least expected price; without a distribution, what ``sum y_k gain_k(s)`` is at least, a positive number
    value: Fraction
    multipliers: list[Fraction]  # one for each row, in whole units
    weights: list[Fraction] | None  # probabilities of the columns, or ``None``


def solve_program(gains: NDArray[Any], price: NDArray[Any], listen: Callable[[], None]) -> Solution:
    """The distribution of least expected price under which no constraint gains.

    The dual is solved, because it needs no first phase: maximise ``v`` over ``v, y >= 0`` with ``v - sum y_k gain_k(s)
    <= price(s)`` for all profiles ``s``, where the least price is taken to be 0. Its own dual solution is the
    distribution. The least index enters and leaves (Bland), so that it ends.

    ``gains``: Python integers, one row per constraint ``sum of gains times weights <= 0``, one column per profile.
    ``listen`` is called before every pivot, and may raise to stop.

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
    not determine (or only appear not to, modulo the prime).

    >>> solve_linear(np.array([[2, 1], [4, 2], [0, 3]], dtype=object), np.array([1, 2, 1], dtype=object), [])
    [Fraction(1, 3), Fraction(1, 3)]
    >>> both = np.array([[2, 1], [4, 2]], dtype=object)
    >>> solve_linear(both, np.array([1, 2], dtype=object), [Fraction(0), Fraction(1, 2)])
    [Fraction(1, 4), Fraction(1, 2)]
    """
    _, order, columns = _eliminated(matrix, matrix.shape[1])
    rows = order[: len(columns)]  # the first ones that are independent
    determined = set(columns)
    values = {k: value for k, value in enumerate(guess) if k not in determined}
    numerators, denominator = scale(values.values())
    side = right[rows] * denominator
    for k, value in zip(values, numerators, strict=True):
        side = side - matrix[rows, k] * value
    for k, top in zip(columns, _lifted(matrix[rows][:, columns], side), strict=True):
        values[k] = top / denominator
    return [values[k] for k in range(matrix.shape[1])]


def solve_sparse(
    rows: Iterable[Mapping[int, int]], right: Iterable[int], guess: Callable[[int], Fraction], check: Callable[[], None]
) -> dict[int, Fraction] | None:
    """A solution of sparse equations, which may be many thousands; ``None`` where elimination fills them up.

    Elimination in integers: the shortest row next, and of it the unknown in the fewest others. Rows that contradict
    those before are not looked at. ``guess``: of an unknown that is not determined; ``check`` may raise at each step.

    >>> solve_sparse([{0: 2, 1: 1}, {0: 4, 1: 2}, {1: 3}], [1, 2, 1], lambda k: Fraction(0), lambda: None)
    {0: Fraction(1, 3), 1: Fraction(1, 3)}
    """
    left, sides = [dict(row) for row in rows], list(right)
    where: dict[int, set[int]] = {}
    for i, row in enumerate(left):
        for k in row:
            where.setdefault(k, set()).add(i)
    queue, pivots = [(len(row), i) for i, row in enumerate(left) if row], dict[int, int]()
    heapq.heapify(queue)
    while queue:
        size, i = heapq.heappop(queue)
        if size != len(row := left[i]) or i in pivots:
            continue  # it has changed since, and stands in the queue again
        if size > FILLED:
            return None
        check()
        for k in row:
            where[k].discard(i)
        pivots[i] = pivot = min(row, key=lambda k: (len(where[k]), k))
        for j in tuple(where[pivot]):
            sides[j] = _eliminate(left[j], row, pivot, sides[j], sides[i])
            for k in row:
                (where[k].add if k in left[j] else where[k].discard)(j)
            if left[j]:
                heapq.heappush(queue, (len(left[j]), j))
    values: dict[int, Fraction] = {}
    for i, pivot in reversed(pivots.items()):
        value = Fraction(sides[i])
        for k, c in left[i].items():
            if k != pivot:
                value -= c * (values[k] if k in values else values.setdefault(k, guess(k)))
        values[pivot] = value / left[i][pivot]
    return values


def _eliminate(row: dict[int, int], by: Mapping[int, int], pivot: int, right: int, side: int) -> int:
    """Take a multiple of another row from a row, in place, so that the pivot leaves it; the right side."""
    common = math.gcd(by[pivot], row[pivot])
    times, factor = by[pivot] // common, row[pivot] // common
    if times != 1:
        for k in row:
            row[k] *= times
    for k, c in by.items():
        if value := row.get(k, 0) - factor * c:
            row[k] = value
        else:
            row.pop(k, None)
    right = times * right - factor * side
    if abs(times) != 1 and (shared := math.gcd(right, *row.values())) > 1:
        for k in row:
            row[k] //= shared
        right //= shared
    return right


def _lifted(square: NDArray[Any], right: NDArray[Any]) -> list[Fraction]:
    """The solution of a system that can be inverted modulo the prime."""
    size = len(square)
    inverse = _eliminated(np.concatenate([square, np.eye(size, dtype=np.int64)], axis=1), size)[0][:, size:]
    exact = not fits_int64(int(np.abs(square).max(initial=0)) * PRIME * (size + 1), int(np.abs(right).max(initial=0)))
    narrow = square if exact else square.astype(np.int64)
    residue = right if exact else right.astype(np.int64)
    digits: list[NDArray[Any]] = []
    value, modulus, due = np.zeros(size, dtype=object), 1, 4
    enough = _digits(square, right)
    while True:
        digit = _times(inverse, np.asarray(residue % PRIME, dtype=np.int64))
        digits.append(digit)
        residue = (residue - narrow @ (digit.astype(object) if exact else digit)) // PRIME
        value, modulus = value + digit.astype(object) * modulus, modulus * PRIME
        if len(digits) >= min(due, enough):
            rationals = _rationals(value.tolist(), modulus)
            if rationals is not None:
                tops, common = rationals
                if (square @ np.array(tops, dtype=object) == right * common).all():
                    return [Fraction(top, common) for top in tops]
            if len(digits) >= enough:
                raise ArithmeticError("a linear system without a solution of the proven size")
            due *= 2


def _digits(square: NDArray[Any], right: NDArray[Any]) -> int:
    """How many digits any solution needs, by Hadamard's bound on its numerators and its denominator."""
    rows = [sum(int(x) ** 2 for x in (*row, last)) for row, last in zip(square.tolist(), right.tolist(), strict=True)]
    bits = sum(row.bit_length() for row in rows) + 2  # of the product of both, each at most the root of this product
    return bits // (PRIME.bit_length() - 1) + 1


def _eliminated(matrix: NDArray[Any], width: int) -> tuple[NDArray[np.int64], NDArray[np.int64], list[int]]:
    """Gauss and Jordan's elimination of the first columns modulo the prime: what is left, order of the rows, pivots."""
    left = np.asarray(matrix % PRIME, dtype=np.int64)
    order, columns = np.arange(left.shape[0]), list[int]()
    for column in range(width):
        top = len(columns)
        candidates = top + np.flatnonzero(left[top:, column])
        if not candidates.size:
            continue
        for array in (left, order):
            array[[top, candidates[0]]] = array[[candidates[0], top]]
        left[top] = left[top] * pow(int(left[top, column]), -1, PRIME) % PRIME
        others = np.flatnonzero(left[:, column])
        others = others[others != top]
        left[others, column:] = (left[others, column:] - left[others, column, None] * left[top, column:]) % PRIME
        columns.append(column)
    return left, order, columns


def _times(matrix: NDArray[np.int64], vector: NDArray[np.int64]) -> NDArray[np.int64]:
    """Their product modulo the prime, in halves."""
    high, low = matrix >> _HALF, matrix & ((1 << _HALF) - 1)
    return np.asarray(((high @ vector % PRIME << _HALF) + low @ vector) % PRIME)


def _rationals(residues: list[int], modulus: int) -> tuple[list[int], int] | None:
    """Numerators over one common denominator, where all are small beside the modulus."""
    limit = math.isqrt(modulus // 2)
    tops, common = list[int](), 1
    for residue in residues:
        top = residue * common % modulus
        top = top - modulus if top > modulus // 2 else top
        if abs(top) > limit:
            small = _rational(residue * common % modulus, modulus, limit)
            if small is None:
                return None
            top, factor = small
            tops, common = [t * factor for t in tops], common * factor
        tops.append(top)
    return tops, common


def _rational(residue: int, modulus: int, limit: int) -> tuple[int, int] | None:
    """Numerator and denominator of at most the limit that give the residue, by Euclid's algorithm."""
    (last, here), (before, factor) = (modulus, residue), (0, 1)
    while here > limit:
        quotient = last // here
        last, here = here, last - quotient * here
        before, factor = factor, before - quotient * factor
    if not 0 < abs(factor) <= limit:
        return None
    return (here, factor) if factor > 0 else (-here, -factor)
