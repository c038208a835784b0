"""How long the exact value of an expression may become, known before it is computed.

The numerator and the denominator of every part have at most ``c + s*n + t*d`` bits, where ``s`` and ``t`` bound those
of the quantities; the three coefficients follow from the tree once. Sums multiply denominators: nothing is said of what
cancels.

>>> from consortium.scheduling.expressions import Expression
>>> Expression.parse("a / b + a", ["a", "b"]).bits
Bits(constant=2, per_numerator=2, per_denominator=3)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any


@dataclass(frozen=True)
class Bits:
    """A bound ``constant + per_numerator * s + per_denominator * t``."""

    constant: int = 0
    per_numerator: int = 0
    per_denominator: int = 0

    def __add__(self, other: Bits) -> Bits:
        return self._with(other, int.__add__)

    def __or__(self, other: Bits) -> Bits:
        """A bound of whichever is longer."""
        return self._with(other, max)

    def times(self, factor: int) -> Bits:
        """Of a power."""
        return Bits(factor * self.constant, factor * self.per_numerator, factor * self.per_denominator)

    def of(self, numerators: int, denominators: int) -> int:
        """The bound where quantities have at most so many bits above and below."""
        return self.constant + self.per_numerator * numerators + self.per_denominator * denominators

    def _with(self, other: Bits, combine: Any) -> Bits:
        return Bits(
            combine(self.constant, other.constant),
            combine(self.per_numerator, other.per_numerator),
            combine(self.per_denominator, other.per_denominator),
        )


def length(denominator: int) -> int:
    """Bits of a denominator; 1 has none, which lets whole numbers add up to whole numbers."""
    return denominator.bit_length() if denominator > 1 else 0


def bits(tree: tuple[Any, ...]) -> Bits:
    """A bound of everything that is computed with a tree of :mod:`consortium.scheduling.expressions`."""
    top, bottom = _parts(tree)
    return top | bottom


def _parts(node: tuple[Any, ...]) -> tuple[Bits, Bits]:
    """Bounds of numerator and denominator."""
    match node[0]:
        case "number":
            return Bits(node[1].numerator.bit_length()), Bits(length(node[1].denominator))
        case "name":
            return Bits(per_numerator=1), Bits(per_denominator=1)
        case "-":
            return _parts(node[1])
        case "**":
            top, bottom = _parts(node[1])
            factor = max(1, node[2])  # the base is computed in any case
            return top.times(factor), bottom.times(factor)
        case "/":
            (top, bottom), (under, over) = _parts(node[1]), _parts(node[2])
            return top + over, bottom + under
        case "*":
            parts = [_parts(part) for part in node[1]]
            return _total(top for top, _ in parts), _total(bottom for _, bottom in parts)
        case "+":
            parts = [_parts(part) for part in node[1]]
            bottom = _total(bottom for _, bottom in parts)
            return reduce(Bits.__or__, (top for top, _ in parts)) + bottom + Bits(len(parts).bit_length()), bottom
    parts = [_parts(part) for part in node[1]]
    return reduce(Bits.__or__, (top for top, _ in parts)), reduce(Bits.__or__, (bottom for _, bottom in parts))


def _total(parts: Iterable[Bits]) -> Bits:
    return reduce(Bits.__add__, parts)
