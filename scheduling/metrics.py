"""What compares schedules: fairness, and Pareto dominance between points of integers; exact.

>>> jain([1, 1, 2]), non_dominated([(1, 2), (1, 3), (0, 4)])
(Fraction(8, 9), ((0, 4), (1, 2)))
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from ..support.errors import InputError
from ..support.exact import Rational, fits_int64, rational, total


def jain(values: Sequence[Rational]) -> Fraction:
    """Jain's fairness index ``(sum x)**2 / (n * sum x**2)``: 1 when all are equal, ``1/n`` when one has everything.

    Raises InputError without values, for a negative one, and when all are 0.

    >>> jain([2, 2]), jain([1, 0])
    (Fraction(1, 1), Fraction(1, 2))
    """
    exact = [rational(x, f"values[{i}]") for i, x in enumerate(values, 1)]
    for i, x in enumerate(exact, 1):
        if x < 0:
            raise InputError(f"values[{i}]: found {x}; expected a number >= 0")
    squares = total([x * x for x in exact])
    if squares == 0:
        raise InputError("values: expected at least one number > 0")
    return total(exact) ** 2 / (len(exact) * squares)


Point: TypeAlias = tuple[int, ...]


def non_dominated(points: Iterable[Point]) -> tuple[Point, ...]:
    """The points that no other dominates (Cordeiro 2012, definition 2.6), each once, in lexicographic order.

    >>> non_dominated([(1, 2), (1, 3), (0, 4)])
    ((0, 4), (1, 2))
    """
    ordered = sorted(set(points))  # a dominating point comes earlier in lexicographic order
    width = len(ordered[0]) if ordered else 0
    if width <= 3:
        return tuple(_staircase(ordered, width))
    import numpy as np

    small = fits_int64(*(max(abs(x) for x in column) for column in zip(*ordered, strict=True)))
    table = np.array(ordered, np.int64 if small else object)
    kept: list[int] = []
    for row in range(len(ordered)):
        if not (table[kept] <= table[row]).all(axis=1).any():
            kept.append(row)
    return tuple(ordered[row] for row in kept)


def _staircase(ordered: Sequence[Point], width: int) -> Iterator[Point]:
    """Up to three coordinates: whoever comes earlier is no worse in the first, so a staircase of the others decides."""
    seconds: list[int] = []  # increasing, while their thirds decrease
    thirds: list[int] = []
    for point in ordered:
        second, third = point[1] if width > 1 else 0, point[2] if width > 2 else 0
        place = bisect_right(seconds, second)
        if place and thirds[place - 1] <= third:
            continue
        first = place - 1 if place and seconds[place - 1] == second else place
        last = place
        while last < len(thirds) and thirds[last] >= third:
            last += 1
        seconds[first:last], thirds[first:last] = [second], [third]
        yield point
