"""Arithmetic expressions in named quantities: parsed by hand, evaluated exactly, never run as code.

Grammar (the expression of a welfare goal)::

    sum     = product { ("+" | "-") product }
    product = signed { ("*" | "/") signed }
    signed  = { "-" | "+" } power
    power   = atom [ ("**" | "^") digit ]
    atom    = number | name | "(" sum ")" | ("min" | "max") "(" sum { "," sum } ")" | "abs" "(" sum ")"

so ``-x**2`` is ``-(x**2)``, exponents are the digits 0 to 9, and a power of a power needs parentheses. Numbers are
integers or decimals, read exactly.

Limits, checked while reading and reported with the column (from 1): 4,000 characters, 50 nested parentheses, and
degree 100, where a number or a name counts 1, a product adds and a power multiplies. And what is computed on the way to
a value must stay below 2^17 bits whatever cancels (:mod:`.expression_bits`), which is known before it is computed; so a
value cannot explode.

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
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

from ..support.errors import InputError, nearest
from ..support.exact import Extended, Symbolic, rational
from .expression_bits import Bits, bits, length

MAX_CHARACTERS: Final = 4_000
MAX_NESTING: Final = 50
MAX_DEGREE: Final = 100
MAX_BITS: Final = 13_288  # 4,000 digits; Python prints no integer beyond 4,300
MAX_WORK: Final = 2**17  # bits of what is computed on the way, of which not all may cancel
FUNCTIONS: Final = ("abs", "max", "min")

Node = tuple[Any, ...]
"""A tree: ("number", value), ("name", index), ("+", terms), ("*", factors), ("/", top, bottom, column), ("-", x),
("**", x, exponent), ("min" | "max" | "abs", arguments)."""


class _Undefined(ArithmeticError):
    """inf - inf and its like: the expression has no value."""


@dataclass(frozen=True)
class Expression:
    """A parsed expression; build it with :meth:`parse`.

    Two expressions are equal when their texts and their names are.
    """

    text: str
    names: tuple[str, ...]
    tree: Node = field(repr=False, compare=False)

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
        if not isinstance(text, str):
            raise InputError(f"{where}: found {type(text).__name__}; expected a text")
        found = cls(text, tuple(names), _Parser(text, names, where).parse())
        found._refuse_long(where)
        return found

    @cached_property
    def bits(self) -> Bits:
        """How long values may become, and what is computed on the way to them."""
        return bits(self.tree)

    def _refuse_long(self, where: str, numerators: int = 0, denominators: int = 0) -> None:
        size = self.bits.of(numerators, denominators)
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
            value = _evaluate(self.tree, quantities)
        except _Undefined:
            return -math.inf
        except ZeroDivisionError as error:
            shown = ", ".join(f"{name} = {q}" for name, q in zip(self.names[:8], quantities, strict=False))
            raise InputError(f"expression, column {error.args[0]}: division by zero where {shown}") from None
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
        try:
            return _linear(self.tree, len(self.names))
        except (_NotLinear, ZeroDivisionError):
            return None

    def degree(self) -> int | None:
        """Of the value as a polynomial in the names; None unless it is plainly one.

        Plainly: built from sums, products, powers and divisions by constants.

        >>> Expression.parse("a * (a + b) / 2", ["a", "b"]).degree()
        2
        >>> Expression.parse("max(a, b)", ["a", "b"]).degree() is None
        True
        """
        return _degree(self.tree)


class _NotLinear(Exception):
    """A node that is not plainly linear."""


class _Parser:
    """Recursive descent over the characters; depth is bounded by MAX_NESTING."""

    def __init__(self, text: str, names: Sequence[str], where: str) -> None:
        self.text, self.where, self.at, self.depth = text, where, 0, 0
        self.index = {name: i for i, name in enumerate(names)}

    def fail(self, message: str, at: int | None = None) -> InputError:
        return InputError(f"{self.where}, column {(self.at if at is None else at) + 1}: {message}")

    def parse(self) -> Node:
        if len(self.text) > MAX_CHARACTERS:
            raise self.fail(f"the text has {len(self.text)} characters; at most {MAX_CHARACTERS}", MAX_CHARACTERS)
        tree, _ = self.sum()
        if self.peek():
            raise self.fail(f"found {self.peek()!r}; expected an operator or the end")
        return tree

    def peek(self) -> str:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.text[self.at] if self.at < len(self.text) else ""

    def take(self, token: str) -> bool:
        self.peek()
        if self.text.startswith(token, self.at):
            self.at += len(token)
            return True
        return False

    def expect(self, token: str) -> None:
        if not self.take(token):
            raise self.fail(f"found {self.peek() or 'the end'!r}; expected {token!r}")

    def bounded(self, degree: int, at: int) -> int:
        if degree > MAX_DEGREE:
            raise self.fail(f"the degree is {degree} here; at most {MAX_DEGREE}", at)
        return degree

    def sum(self) -> tuple[Node, int]:
        term, degree = self.product()
        terms = [term]
        while (sign := self.peek()) in ("+", "-") and sign:
            self.at += 1
            term, more = self.product()
            terms.append(("-", term) if sign == "-" else term)
            degree = max(degree, more)
        return (terms[0] if len(terms) == 1 else ("+", tuple(terms))), degree

    def product(self) -> tuple[Node, int]:
        tree, degree = self.signed()
        factors = [tree]
        while (operator := self.peek()) in ("*", "/") and operator:
            at = self.at
            self.at += 1
            factor, more = self.signed()
            degree = self.bounded(degree + more, at)
            if operator == "*":
                factors.append(factor)
            else:
                factors = [("/", factors[0] if len(factors) == 1 else ("*", tuple(factors)), factor, at + 1)]
        return (factors[0] if len(factors) == 1 else ("*", tuple(factors))), degree

    def signed(self) -> tuple[Node, int]:
        negative = False
        while (sign := self.peek()) in ("+", "-") and sign:
            self.at += 1
            negative ^= sign == "-"
        tree, degree = self.power()
        return (("-", tree) if negative else tree), degree

    def power(self) -> tuple[Node, int]:
        tree, degree = self.atom()
        at = self.at
        if not (self.take("**") or self.take("^")):
            return tree, degree
        exponent = self.peek()
        after = self.text[self.at + 1 : self.at + 2]
        if not (exponent.isascii() and exponent.isdigit()) or after.isalnum() or after in (".", "_"):
            raise self.fail("the exponent must be one of the digits 0 to 9")
        self.at += 1
        if self.peek() == "^" or self.text.startswith("**", self.at):
            raise self.fail("a power of a power needs parentheses")
        return ("**", tree, int(exponent)), self.bounded(degree * max(1, int(exponent)), at)

    def atom(self) -> tuple[Node, int]:
        first, at = self.peek(), self.at
        if first == "(":
            return self.group(self.one)
        if first.isdigit() or first == ".":
            return self.number()
        if not (first.isalpha() or first == "_"):
            raise self.fail(f"found {first or 'the end'!r}; expected a number, a name or '('")
        while self.at < len(self.text) and (self.text[self.at].isalnum() or self.text[self.at] == "_"):
            self.at += 1
        name = self.text[at : self.at]
        if name in FUNCTIONS and self.peek() == "(":
            arguments, degree = self.group(self.several)
            if name == "abs" and len(arguments) != 1:
                raise self.fail(f"abs takes one argument; found {len(arguments)}", at)
            return (name, arguments), degree
        if name not in self.index:
            raise self.unknown(name, at)
        return ("name", self.index[name]), 1

    def unknown(self, name: str, at: int) -> InputError:
        known = sorted({*self.index, *FUNCTIONS})
        shown = ", ".join(known[:20]) + (f" and {len(known) - 20} more" if len(known) > 20 else "")
        name = name if len(name) <= 40 else name[:37] + "..."
        near = nearest(name, known)
        hint = f" Did you mean {near!r}?" if near else ""
        return self.fail(f"{name!r} is not known; known: {shown}.{hint}", at)

    def group(self, inside: Any) -> tuple[Any, int]:
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise self.fail(f"more than {MAX_NESTING} nested parentheses")
        self.expect("(")
        result: tuple[Any, int] = inside()
        self.expect(")")
        self.depth -= 1
        return result

    def one(self) -> tuple[Node, int]:
        return self.sum()

    def several(self) -> tuple[tuple[Node, ...], int]:
        tree, degree = self.sum()
        arguments = [tree]
        while self.take(","):
            tree, more = self.sum()
            arguments.append(tree)
            degree = max(degree, more)
        return tuple(arguments), degree

    def number(self) -> tuple[Node, int]:
        at = self.at
        while self.at < len(self.text) and (self.text[self.at].isalnum() or self.text[self.at] in "._"):
            signed = self.text[self.at] in "eE" and self.text[self.at + 1 : self.at + 2] in ("+", "-")
            self.at += 2 if signed else 1
        word = self.text[at : self.at]
        if not word.isascii() or "_" in word:
            raise self.fail(f"{word[:40]!r} is not a number", at)
        return ("number", rational(word, f"{self.where}, column {at + 1}")), 1


def _evaluate(node: Node, quantities: Sequence[Extended | int]) -> Extended:
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


def _linear(node: Node, n: int) -> tuple[Fraction, ...]:
    kind = node[0]
    if kind == "number":
        return (node[1], *[Fraction(0)] * n)
    if kind == "name":
        return tuple(Fraction(i == node[1] + 1) for i in range(n + 1))
    if kind == "+":
        return tuple(sum(column, Fraction(0)) for column in zip(*(_linear(t, n) for t in node[1]), strict=True))
    if kind == "-":
        return tuple(-c for c in _linear(node[1], n))
    if kind == "*":
        product = _linear(node[1][0], n)
        for factor in node[1][1:]:
            product = _times(product, _linear(factor, n))
        return product
    if kind == "/":
        bottom = _linear(node[2], n)
        if any(bottom[1:]):
            raise _NotLinear
        return tuple(c / bottom[0] for c in _linear(node[1], n))
    if kind == "**":
        base = _linear(node[1], n)
        if node[2] == 1 or not any(base[1:]):
            return base if node[2] == 1 else (base[0] ** node[2], *base[1:])
    raise _NotLinear


def _times(a: tuple[Fraction, ...], b: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    if any(a[1:]) and any(b[1:]):
        raise _NotLinear
    constant, other = (a[0], b) if not any(a[1:]) else (b[0], a)
    return tuple(constant * c for c in other)


def _degree(node: Node) -> int | None:
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
