"""Arithmetic expressions in named quantities: evaluated exactly, never run as code.

The language is :data:`consortium.support.expressions.ARITHMETIC`: numbers, names, ``+ - * /``, powers with a digit,
``min``, ``max`` and ``abs``; so ``-x**2`` is ``-(x**2)``, and a power of a power needs parentheses.

Limits: those of the reader; degree 100, where a number or a name counts 1, a product adds and a power multiplies; and
what is computed on the way to a value must stay below 2^17 bits whatever cancels (:meth:`Expression.bits`), which is
known before it is computed. So a value cannot explode.

Infinite quantities (a job that never ends): sums, products, quotients and powers follow the extended reals, and a
finite number over ``inf`` is 0. Where those give nothing (``inf - inf``, ``0 * inf``, ``inf / inf``) the whole
expression is ``-inf``: an outcome that cannot be valued counts as the worst. A division by zero is an error.

>>> from fractions import Fraction
>>> e = Expression.parse("-(ann + 9*bob)", ["ann", "bob"])
>>> e.value([Fraction(2), Fraction(1, 3)])
Fraction(-5, 1)
>>> Expression.parse("__import__('os')", ["ann"])
Traceback (most recent call last):
    ...
consortium.support.errors.InputError: expression, column 1: '__import__' is not known; known: abs, ann, max, min.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from ..support.errors import InputError
from ..support.exact import Extended, Symbolic
from ..support.expressions import ARITHMETIC, Tree, read

MAX_DEGREE: Final = 100
MAX_BITS: Final = 13_288  # 4,000 digits; Python prints no integer beyond 4,300
MAX_WORK: Final = 2**17  # bits of what is computed on the way, of which not all may cancel


class _Undefined(ArithmeticError):
    """inf - inf and its like: the expression has no value."""


@dataclass(frozen=True)
class Expression:
    """A parsed expression; build it with :meth:`parse`.

    Two expressions are equal when their texts and their names are.
    """

    text: str
    names: tuple[str, ...]
    tree: Tree = field(repr=False, compare=False)
    _bits_of: dict[tuple[int, int], int] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def parse(cls, text: str, names: Sequence[str], where: str = "expression") -> Expression:
        """Read ``text`` in the given names; ``where`` opens the messages.

        Raises
        ------
        InputError
            Anything outside the grammar or beyond the limits, with its column.

        Examples
        --------
        >>> Expression.parse("min(a, b) ** 2 / 4", ["a", "b"]).value([6, 4])
        Fraction(4, 1)
        """
        expression = cls(text, tuple(names), read(text, names, ARITHMETIC, where))
        _check_degree(expression.tree, where)
        expression._refuse_long(where)
        return expression

    def bits(self, numerators: int = 0, denominators: int = 0) -> int:
        """Bound on the bits of all that is computed, of quantities with at most so many above and below.

        Sums multiply denominators: nothing is said of what cancels.

        >>> Expression.parse("a / b + a", ["a", "b"]).bits(10, 1)
        25
        """
        if (numerators, denominators) not in self._bits_of:
            self._bits_of[numerators, denominators] = max(_bits(self.tree, numerators, denominators))
        return self._bits_of[numerators, denominators]

    def _refuse_long(self, where: str, numerators: int = 0, denominators: int = 0) -> None:
        size = self.bits(numerators, denominators)
        if size > MAX_WORK:
            raise InputError(
                f"{where}: found a value of up to {size * 30103 // 100000:,} digits; "
                f"expected at most {MAX_WORK * 30103 // 100000:,} digits on the way to a value"
            )

    def value(self, quantities: Sequence[Extended | int]) -> Extended:
        """Exact value with ``quantities[i]`` for the i-th name; ``inf`` allowed, see the module's text.

        >>> Expression.parse("1 / a - b", ["a", "b"]).value([math.inf, 2])
        Fraction(-2, 1)
        >>> Expression.parse("a - b", ["a", "b"]).value([math.inf, math.inf])
        -inf
        """
        # numbers that stand for many have no digits to grow long
        finite = [q for q in quantities if not isinstance(q, float | Symbolic)]
        self._refuse_long(
            "expression",
            max((q.numerator.bit_length() for q in finite), default=0),
            max((length(q.denominator) for q in finite), default=0),
        )
        try:
            value = _evaluate(self.tree, dict(zip(self.names, quantities, strict=False)))
        except _Undefined:
            return -math.inf
        except ZeroDivisionError as error:
            text = ", ".join(f"{name} = {q}" for name, q in zip(self.names[:8], quantities, strict=False))
            raise InputError(f"expression, column {error.args[0]}: division by zero where {text}") from None
        if isinstance(value, float | Symbolic):
            return value
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
            raise InputError("expression: the value has more than 4,000 digits")
        return value

    def linear(self) -> tuple[Fraction, ...] | None:
        """Coefficients ``(constant, one per name)`` when the expression is plainly linear in its names, else None.

        Plainly: built from sums, products with constants and divisions by constants.

        >>> Expression.parse("2 - (a + 9*b) / 3", ["a", "b"]).linear()
        (Fraction(2, 1), Fraction(-1, 3), Fraction(-3, 1))
        >>> Expression.parse("max(a, b)", ["a", "b"]).linear() is None
        True
        """
        if self.degree() not in (0, 1):
            return None
        none = [Fraction(0)] * len(self.names)
        try:
            constant = Fraction(self.value(none))
            at_one = [self.value([*none[:i], Fraction(1), *none[i + 1 :]]) for i in range(len(none))]
        except InputError:  # a division by zero
            return None
        return constant, *(Fraction(value) - constant for value in at_one)

    def degree(self) -> int | None:
        """Of the value as a polynomial in the names; None unless it is plainly one.

        Plainly: built from sums, products, powers and divisions by constants.

        >>> Expression.parse("a * (a + b) / 2", ["a", "b"]).degree()
        2
        >>> Expression.parse("max(a, b)", ["a", "b"]).degree() is None
        True
        """
        return _degree(self.tree)


def _check_degree(node: Tree, where: str) -> int:
    """Of a node as the limit counts it. Raises InputError beyond the limit."""
    if node[0] in ("number", "name"):
        return 1
    if node[0] == "-":
        return _check_degree(node[1], where)
    if node[0] == "**":
        degree = _check_degree(node[1], where) * max(1, int(node[2]))
    elif node[0] == "/":
        degree = _check_degree(node[1], where) + _check_degree(node[2], where)
    else:
        parts = [_check_degree(part, where) for part in node[1]]
        degree = sum(parts) if node[0] == "*" else max(parts)
    if degree > MAX_DEGREE:
        raise InputError(f"{where}, column {node[-1]}: the degree is {degree} here; at most {MAX_DEGREE}")
    return degree


def _evaluate(node: Tree, quantities: Mapping[str, Extended | int]) -> Extended:
    kind = node[0]
    if kind == "number":
        return node[1]  # type: ignore[no-any-return]
    if kind == "name":
        q = quantities[node[1]]
        return q if isinstance(q, float) else Fraction(q)
    if kind == "-":
        return -_evaluate(node[1], quantities)
    if kind == "**":
        return _power(_evaluate(node[1], quantities), node[2])
    if kind == "/":
        return _quotient(_evaluate(node[1], quantities), _evaluate(node[2], quantities), node[3])
    values = [_evaluate(part, quantities) for part in node[1]]
    if kind == "+":
        return _sum(values)
    if kind == "*":
        return _product(values)
    if kind == "abs":
        return -values[0] if values[0] < 0 else values[0]
    return min(values) if kind == "min" else max(values)


def _sum(values: list[Extended]) -> Extended:
    infinite = {v for v in values if isinstance(v, float)}
    if len(infinite) > 1:
        raise _Undefined
    return infinite.pop() if infinite else sum(values, Fraction(0))


def _product(values: list[Extended]) -> Extended:
    if any(isinstance(v, float) for v in values):
        if any(v == 0 for v in values):
            raise _Undefined
        return math.inf if sum(v < 0 for v in values) % 2 == 0 else -math.inf
    return math.prod(values, start=Fraction(1))


def _quotient(top: Extended, bottom: Extended, column: int) -> Extended:
    if bottom == 0:
        raise ZeroDivisionError(column)
    if isinstance(bottom, float):
        if isinstance(top, float):
            raise _Undefined
        return Fraction(0)
    if isinstance(top, float):
        return top if bottom > 0 else -top
    return top / bottom


def _power(base: Extended, exponent: int) -> Extended:
    if exponent == 0:
        return Fraction(1)
    if isinstance(base, float):
        return base if exponent % 2 else math.inf
    return base**exponent  # a Fraction, because the exponent is an int


def _degree(node: Tree) -> int | None:
    kind = node[0]
    if kind in ("number", "name"):
        return int(kind == "name")
    if kind == "-":
        return _degree(node[1])
    if kind in ("+", "*"):
        parts = [degree for part in node[1] if (degree := _degree(part)) is not None]
        return None if len(parts) < len(node[1]) else max(parts) if kind == "+" else sum(parts)
    if kind == "**":
        base = _degree(node[1])
        return None if base is None else base * int(node[2])
    return _degree(node[1]) if kind == "/" and _degree(node[2]) == 0 else None


def length(denominator: int) -> int:
    """Bits of a denominator; 1 has none, which lets whole numbers add up to whole numbers."""
    return denominator.bit_length() if denominator > 1 else 0


def _bits(node: Tree, above: int, below: int) -> tuple[int, int]:
    """Bounds on the bits of numerator and denominator, of quantities with at most so many."""
    match node[0]:
        case "number":
            return node[1].numerator.bit_length(), length(node[1].denominator)
        case "name":
            return above, below
        case "-":
            return _bits(node[1], above, below)
        case "**":
            factor = max(1, node[2])  # the base is computed in any case
            top, bottom = _bits(node[1], above, below)
            return factor * top, factor * bottom
        case "/":
            (top, bottom), (under, over) = _bits(node[1], above, below), _bits(node[2], above, below)
            return top + over, bottom + under
    tops, bottoms = zip(*(_bits(part, above, below) for part in node[1]), strict=True)
    if node[0] == "*":
        return sum(tops), sum(bottoms)
    if node[0] == "+":
        return max(tops) + sum(bottoms) + len(tops).bit_length(), sum(bottoms)
    return max(tops), max(bottoms)
