"""Exact numbers: rationals at the surface, integers in kernels, and ``inf`` for what never ends.

Conventions: a quantity is a :class:`fractions.Fraction`. The only float that may stand for an exact quantity is
``math.inf`` (or its negative): the output time of a job that is never completed and what follows from it. Compiled
kernels take integers: :func:`scale` brings a list of rationals to one common denominator, and :func:`fits_int64`
is asked with a proven bound before any int64 kernel runs, so wrap-around cannot happen silently.

>>> from fractions import Fraction
>>> scale([Fraction(1, 2), Fraction(2, 3), Fraction(1)])
((3, 4, 6), 6)
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final, TypeAlias

from .errors import InputError, quote

Rational: TypeAlias = int | Fraction
"""What exact functions accept."""

Extended: TypeAlias = Fraction | float
"""A rational, or ``math.inf`` / ``-math.inf``; never another float."""

INF: Final = math.inf
INT64_MAX: Final = 2**63 - 1


class Symbolic(Fraction):
    """A number that stands for many: it adds, compares and scales as they do, and has no digits.

    Functions that go over to integers ask :func:`is_symbolic` first and take a way without digits.
    """

    __slots__ = ()

    def first_least(self, costs: Sequence[Fraction], then: Sequence[Fraction]) -> int:
        """As :func:`first_least` for numbers of which this is one; a kind that can ask all at once says how."""
        return _first_least(costs, then)


def is_symbolic(values: Iterable[object]) -> bool:
    """Whether any of these numbers stands for many.

    >>> is_symbolic([1, Fraction(1, 2)])
    False
    """
    return any(issubclass(kind, Symbolic) for kind in set(map(type, values)))


def first_least(costs: Sequence[Fraction], then: Sequence[Fraction]) -> int:
    """Index of the least cost; among equal ones that of the least second number, and among those the first.

    Numbers that stand for many are compared all at once, by one question instead of a running best.

    >>> first_least([Fraction(2), Fraction(1), Fraction(1)], [Fraction(0), Fraction(5), Fraction(4)])
    2
    """
    symbolic = next((cost for cost in costs if isinstance(cost, Symbolic)), None)
    return _first_least(costs, then) if symbolic is None else symbolic.first_least(costs, then)


def _first_least(costs: Sequence[Fraction], then: Sequence[Fraction]) -> int:
    return min(range(len(costs)), key=lambda k: (costs[k], then[k]))


def rational(value: object, where: str = "value") -> Fraction:
    """Read one exact number: int, Fraction, Decimal, any other rational type, or text such as ``"3/2"`` or ``"0.1"``.

    Floats are refused, because ``0.1`` is not 1/10; booleans are refused, because they are not numbers here.

    >>> rational("3/2"), rational(4)
    (Fraction(3, 2), Fraction(4, 1))
    >>> rational(0.5, "length")
    Traceback (most recent call last):
        ...
    consortium.support.errors.InputError: length: found the float 0.5; write '1/2', an int or a Fraction
    """
    if isinstance(value, bool):
        raise InputError(f"{where}: found {quote(value)}; expected a number")
    if isinstance(value, int | Fraction):
        return Fraction(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"{where}: found {value!r}; expected a finite number")
        hint = str(Fraction(value).limit_denominator(10**6))
        raise InputError(f"{where}: found the float {value!r}; write {hint!r}, an int or a Fraction")
    if isinstance(value, str | Decimal):
        return _parse(value, where)
    if isinstance(value, numbers.Rational):  # numpy's and sympy's; as Python integers, which never overflow
        return Fraction(int(value.numerator), int(value.denominator))
    raise InputError(f"{where}: found {quote(value)}; expected an integer, a decimal or a fraction such as '3/2'")


def _parse(value: str | Decimal, where: str) -> Fraction:
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise InputError(f"{where}: found {value}; expected a finite number")
        if len(value.as_tuple().digits) > 1000 or abs(value.adjusted()) > 1000:
            raise InputError(f"{where}: the number has more than 1,000 digits or an exponent beyond 1,000")
        return Fraction(value)
    text = value if len(value) <= 40 else value[:37] + "..."
    numerator, slash, denominator = value.strip().partition("/")
    try:
        if len(value) > 2002:
            raise InputError(f"{where}: the number {text!r} has more than 1,000 digits")
        top, bottom = Decimal(numerator), Decimal(denominator) if slash else Decimal(1)
        if slash and not (numerator.strip().lstrip("+-").isdigit() and denominator.strip().isdigit()):
            raise ArithmeticError
    except ArithmeticError:
        raise InputError(f"{where}: found {text!r}; expected a number such as 2, 0.1 or '3/2'") from None
    if bottom == 0:
        raise InputError(f"{where}: found {text!r}; the denominator is zero")
    return _parse(top, where) / _parse(bottom, where)


def scale(values: Iterable[Rational]) -> tuple[tuple[int, ...], int]:
    """Integers and the common denominator ``d`` with ``values[i] == integers[i] / d``; ``d`` is 1 for no values."""
    ratios = [(v if type(v) in (int, Fraction) else Fraction(v)).as_integer_ratio() for v in values]
    denominator = math.lcm(*{bottom for _, bottom in ratios})
    return tuple(top * (denominator // bottom) for top, bottom in ratios), denominator


def fits_int64(*bounds: int) -> bool:
    """Whether every proven bound on an absolute value lies within int64."""
    return all(abs(b) <= INT64_MAX for b in bounds)


def magnitude(number: int) -> str:
    """A whole number for messages: its digits, or beyond 24 of them the power of ten that it is about.

    >>> magnitude(2**30), magnitude(10**40)
    ('1,073,741,824', 'about 10^40')
    """
    if abs(number) < 10**24:
        return f"{number:,}"
    return f"about 10^{round(abs(number).bit_length() * math.log10(2) - 0.5)}"


def total(values: Sequence[Rational]) -> Fraction:
    """Exact sum, ``Fraction(0)`` for no values (the builtin would return the int 0)."""
    return sum(map(Fraction, values), Fraction(0))


def extended_total(values: Sequence[Extended]) -> Extended:
    """Exact sum of quantities of which some may be ``inf``; none is ``-inf``.

    >>> extended_total([Fraction(1), INF]), extended_total([])
    (inf, Fraction(0, 1))
    """
    return INF if any(isinstance(v, float) for v in values) else sum(values, Fraction(0))
