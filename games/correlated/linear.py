"""Exact solutions of linear systems in whole numbers, by p-adic lifting [Dix82]_.

The system is inverted modulo a prime once; each step then adds a digit of the solution in base of that prime, and
rationals are read off when their digits suffice. Every solution returned satisfies the square system that was solved.

References
----------
.. [Dix82] J. Dixon, "Exact solution of linear equations using p-adic expansions", Numerische Mathematik 40, 1982.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...support.exact import fits_int64

PRIME: Final = 2**31 - 1
_HALF: Final = 16
"""Bits of the lower half of a residue: a product of a half and a residue, summed up, stays within int64."""


def solve(matrix: NDArray[Any], right: NDArray[Any], guess: Sequence[Fraction]) -> list[Fraction]:
    """A solution of the first independent equations; the others are not looked at.

    ``matrix``: Python integers, one row per equation. ``guess``: what an unknown is taken to be that the equations do
    not settle (or only appear not to, modulo the prime).

    >>> solve(np.array([[2, 1], [4, 2], [0, 3]], dtype=object), np.array([1, 2, 1], dtype=object), [])
    [Fraction(1, 3), Fraction(1, 3)]
    >>> solve(np.array([[2, 1], [4, 2]], dtype=object), np.array([1, 2], dtype=object), [Fraction(0), Fraction(1, 2)])
    [Fraction(1, 4), Fraction(1, 2)]
    """
    rows, columns = _independent(matrix)
    settled = set(columns)
    values = {k: value for k, value in enumerate(guess) if k not in settled}
    scale = math.lcm(*(value.denominator for value in values.values()))
    known = right[rows] * scale
    for k, value in values.items():
        known = known - matrix[rows, k] * int(value * scale)
    for k, top in zip(columns, _lifted(matrix[np.ix_(rows, columns)], known), strict=True):
        values[k] = top / scale
    return [values[k] for k in range(matrix.shape[1])]


def _lifted(square: NDArray[Any], known: NDArray[Any]) -> list[Fraction]:
    """The solution of a system that can be inverted modulo the prime."""
    inverse, size = _inverse(square), len(square)
    exact = not fits_int64(int(np.abs(square).max(initial=0)) * PRIME * (size + 1), int(np.abs(known).max(initial=0)))
    narrow = square if exact else square.astype(np.int64)
    rest = known if exact else known.astype(np.int64)
    digits: list[NDArray[Any]] = []
    value, modulus, due = np.zeros(size, dtype=object), 1, 4
    enough = _digits(square, known)
    while True:
        digit = _times(inverse, np.asarray(rest % PRIME, dtype=np.int64))
        digits.append(digit)
        rest = (rest - narrow @ (digit.astype(object) if exact else digit)) // PRIME
        value, modulus = value + digit.astype(object) * modulus, modulus * PRIME
        if len(digits) >= min(due, enough):
            found = _rationals(value.tolist(), modulus)
            if found is not None and _solves(square, known, *found):
                return [Fraction(top, found[1]) for top in found[0]]
            if len(digits) >= enough:
                raise ArithmeticError("a linear system without a solution of the proven size")
            due *= 2


def _digits(square: NDArray[Any], right: NDArray[Any]) -> int:
    """How many digits any solution needs, by Hadamard's bound on its numerators and its denominator."""
    rows = [sum(int(x) ** 2 for x in (*row, last)) for row, last in zip(square.tolist(), right.tolist(), strict=True)]
    bits = sum(row.bit_length() for row in rows) + 2  # of the product of both, each at most the root of this product
    return bits // (PRIME.bit_length() - 1) + 1


def _independent(matrix: NDArray[Any]) -> tuple[list[int], list[int]]:
    """The first rows and the first columns, in their order, that are independent modulo the prime."""
    rest = np.asarray(matrix % PRIME, dtype=np.int64)
    order, columns = np.arange(rest.shape[0]), list[int]()
    for column in range(rest.shape[1]):
        top = len(columns)
        candidates = np.flatnonzero(rest[top:, column])
        if not candidates.size:
            continue
        pivot = top + int(candidates[0])
        for array in (rest, order):
            array[[top, pivot]] = array[[pivot, top]]
        line = rest[top, column:] * pow(int(rest[top, column]), -1, PRIME) % PRIME
        below = top + 1 + np.flatnonzero(rest[top + 1 :, column])
        rest[below, column:] = (rest[below, column:] - rest[below, column, None] * line) % PRIME
        columns.append(column)
    return [int(k) for k in order[: len(columns)]], columns


def _inverse(square: NDArray[Any]) -> NDArray[np.int64]:
    """Inverse of an invertible matrix modulo the prime."""
    size = square.shape[0]
    both = np.concatenate([np.asarray(square % PRIME, dtype=np.int64), np.eye(size, dtype=np.int64)], axis=1)
    for column in range(size):
        pivot = column + int(np.flatnonzero(both[column:, column])[0])
        both[[column, pivot]] = both[[pivot, column]]
        both[column] = both[column] * pow(int(both[column, column]), -1, PRIME) % PRIME
        others = np.flatnonzero(both[:, column])
        others = others[others != column]
        both[others] = (both[others] - both[others, column, None] * both[column]) % PRIME
    return both[:, size:]


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
            found = _rational(residue * common % modulus, modulus, limit)
            if found is None:
                return None
            top, factor = found
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


def _solves(square: NDArray[Any], right: NDArray[Any], tops: list[int], common: int) -> bool:
    return bool((square @ np.array(tops, dtype=object) == right * common).all())
