r"""Polynomials with exact coefficients, and where they vanish: the place of a comparison that changes its sign once.

A polynomial is the tuple of its coefficients, constant first; zeros at the end are allowed, so polynomials of one shape
compare coefficient by coefficient. Roots are told apart by Sturm's theorem: the number of distinct roots in ``(a, b]``
is the loss of sign changes along the chain of remainders from ``a`` to ``b``. A rational root is found exactly (with
the leading coefficient it makes an integer); an irrational one is enclosed.

>>> first_root((Fraction(-2), Fraction(0), Fraction(1)), Fraction(0), Fraction(4), Fraction(1, 2))
(Fraction(1, 1), Fraction(3, 2))
>>> first_root((Fraction(-9, 4), Fraction(0), Fraction(1)), Fraction(0), Fraction(4), Fraction(1, 2))
(Fraction(3, 2), Fraction(3, 2))
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, zip_longest
from typing import TypeAlias

from ..support.exact import Rational

Polynomial: TypeAlias = tuple[Fraction, ...]
Place: TypeAlias = tuple[Fraction, Fraction]
"""An open interval that holds a point, or the point twice where it is known."""
ZERO = Fraction(0)


def plus(p: Polynomial, q: Polynomial) -> Polynomial:
    """Their sum."""
    return tuple(a + b for a, b in zip_longest(p, q, fillvalue=ZERO))


def minus(p: Polynomial, q: Polynomial) -> Polynomial:
    """Their difference."""
    return tuple(a - b for a, b in zip_longest(p, q, fillvalue=ZERO))


def times(p: Polynomial, q: Polynomial) -> Polynomial:
    """Their product, of the length that the factors' lengths give, whatever their coefficients are.

    >>> times((Fraction(1), Fraction(1)), (Fraction(1), Fraction(0)))
    (Fraction(1, 1), Fraction(1, 1), Fraction(0, 1))
    """
    product = [ZERO] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            product[i + j] += a * b
    return tuple(product)


def at(p: Polynomial, x: Rational) -> Fraction:
    """The value at a point."""
    value = ZERO
    for coefficient in reversed(p):
        value = value * x + coefficient
    return value


def shifted(p: Polynomial, x: Rational) -> Polynomial:
    """Coefficients in powers of the distance from ``x``: these decide, in order, who is smaller just after ``x``.

    >>> shifted((Fraction(0), Fraction(0), Fraction(1)), 3)
    (Fraction(9, 1), Fraction(6, 1), Fraction(1, 1))
    """
    if len(p) == 2:
        return p[0] + p[1] * x, p[1]
    result = list(p)
    for i in range(len(p) - 1):
        for j in range(len(p) - 2, i - 1, -1):
            result[j] += result[j + 1] * x
    return tuple(result)


def first_root(p: Polynomial, low: Fraction, high: Fraction, width: Fraction) -> Place | None:
    """The first root in the open ``(low, high)``: the point where it is rational, else an interval up to ``width``.

    ``None`` when there is none, or ``p`` is zero everywhere.
    """
    if len(p) == 2:  # by far the most frequent
        if p[1] == 0:
            return None
        root = -p[0] / p[1]
        return (root, root) if low < root < high else None
    q = _trimmed(shifted(p, low))
    while q and q[0] == 0:  # roots at ``low`` itself
        q = q[1:]
    if _changes(q) == 0:
        return None
    if len(q) == 2:
        root = low - q[0] / q[1]
        return (root, root) if root < high else None
    chain = _chain(q)
    q = chain[0]
    top = high - low
    start, end = ZERO, top
    last = int(at(q, top) == 0)  # not one of ours, but counted
    if _count(chain, start, end) == last:
        return None
    while end - start > width or _count(chain, start, end) - (last if end == top else 0) > 1:
        start, end = _halved(chain, start, end, last if end == top else 0)
    exact = _rational(q, chain, start, end, last if end == top else 0)
    return (low + start, low + end) if exact is None else (low + exact, low + exact)


def _halved(chain: Sequence[Polynomial], start: Fraction, end: Fraction, last: int) -> tuple[Fraction, Fraction]:
    """The half of ``(start, end]`` with the first root, ``last`` of them at ``end`` and not meant."""
    middle = (start + end) / 2
    return (start, middle) if _count(chain, start, middle) else (middle, end)


def _rational(q: Polynomial, chain: Sequence[Polynomial], start: Fraction, end: Fraction, last: int) -> Fraction | None:
    """The only root in ``(start, end]``, but for ``last`` at ``end``, where it is rational."""
    common = math.lcm(*(c.denominator for c in q))
    leading = abs(int(q[-1] * common))
    top = end
    while (end - start) * leading >= 1:
        start, end = _halved(chain, start, end, last if end == top else 0)
    root = Fraction(math.floor(end * leading), leading)
    if root == top and last:
        root -= Fraction(1, leading)
    return root if start < root and at(q, root) == 0 else None


def _trimmed(p: Polynomial) -> Polynomial:
    end = len(p)
    while end and p[end - 1] == 0:
        end -= 1
    return p[:end]


def _changes(values: Sequence[Fraction]) -> int:
    """Changes of sign, zeros left out; of coefficients: no fewer than there are positive roots (Descartes)."""
    signs = [v > 0 for v in values if v != 0]
    return sum(a != b for a, b in pairwise(signs))


def _chain(p: Polynomial) -> list[Polynomial]:
    """Sturm's chain: ``p``, its derivative, and the remainders with their signs turned."""
    chain = [p, tuple(i * c for i, c in enumerate(p))[1:]]
    while len(chain[-1]) > 1:
        rest = _remainder(chain[-2], chain[-1])
        if not rest:
            break
        chain.append(tuple(-c for c in rest))
    common = chain[-1]  # beyond a constant: the multiple roots, which the chain then counts once
    return chain if len(common) == 1 else [_divided(each, common)[0] for each in chain]


def _remainder(p: Polynomial, q: Polynomial) -> Polynomial:
    return _trimmed(_divided(p, q)[1])


def _divided(p: Polynomial, q: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Quotient and rest; the last coefficient of ``q`` is not 0."""
    rest, quotient = list(p), [ZERO] * max(1, len(p) - len(q) + 1)
    while len(rest) >= len(q):
        place = len(rest) - len(q)
        factor = quotient[place] = rest[-1] / q[-1]
        for i, coefficient in enumerate(q):
            rest[place + i] -= factor * coefficient
        rest.pop()
    return tuple(quotient), tuple(rest)


def _count(chain: Sequence[Polynomial], start: Fraction, end: Fraction) -> int:
    """Distinct roots in ``(start, end]``; ``start`` is no multiple root."""
    return _changes([at(p, start) for p in chain]) - _changes([at(p, end) for p in chain])
