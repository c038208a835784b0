"""Convex polygons with exact corners: cut along lines, measured, a point inside.

>>> triangle, rest = halves(square(Fraction(1)), (1, -1, 0))  # where x >= y, and where x <= y
>>> [(str(x), str(y)) for x, y in triangle], size(rest)
([('0', '0'), ('1', '0'), ('1', '1')], Fraction(1, 1))
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from fractions import Fraction
from typing import Final, TypeAlias

Corner: TypeAlias = tuple[Fraction, Fraction]
Polygon: TypeAlias = tuple[Corner, ...]
Line: TypeAlias = tuple[int, int, int]
"""Coefficients of x, of y and of 1; where it is not negative is a half-plane."""
MARGIN: Final = Fraction(5, 4)
"""How much more of the plane is shown than the part where lines cross, where nothing bounds it."""


def square(end: Fraction) -> Polygon:
    """Where both coordinates are from 0 to an end."""
    return tuple((end * x, end * y) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1)))


def crop(polygons: Iterable[Polygon], end: Fraction) -> list[Line]:
    """Lines within which polygons of a square up to ``end`` are shown: up to where they have corners and a margin."""
    tops = [max(corner) for polygon in polygons for corner in polygon]
    top, unit = (max((one for one in tops if 0 < one < end), default=end) * MARGIN).as_integer_ratio()
    return [(-unit, 0, top), (0, -unit, top)]


def size(polygon: Polygon) -> Fraction:
    """Twice the area."""
    return abs(sum((x * v - u * y for (x, y), (u, v) in _sides(polygon)), Fraction(0)))


def inside(polygon: Polygon) -> Corner:
    """A point inside a convex polygon, in the middle as nearly as halves, quarters and so on allow."""
    middle = [sum(values, Fraction(0)) / len(polygon) for values in zip(*polygon, strict=True)]
    for digits in itertools.count():
        p, q = (Fraction(round(value * 2**digits), 2**digits) for value in middle)
        turns = [(u - x) * (q - y) - (v - y) * (p - x) for (x, y), (u, v) in _sides(polygon)]
        if min(turns) > 0 or max(turns) < 0:
            return p, q
    raise AssertionError("counting does not end")


def halves(polygon: Polygon, line: Line) -> tuple[Polygon, Polygon]:
    """The parts of a convex polygon where a line is not negative, and where it is not positive; empty without area."""
    values = [line[0] * x + line[1] * y + line[2] for x, y in polygon]
    if min(values) >= 0:
        return polygon, ()
    if max(values) <= 0:
        return (), polygon
    above, below = list[Corner](), list[Corner]()
    for k, ((x, y), value) in enumerate(zip(polygon, values, strict=True)):
        (u, v), before = polygon[k - 1], values[k - 1]
        if value * before < 0:
            share = Fraction(before) / (before - value)
            above.append((u + share * (x - u), v + share * (y - v)))
            below.append(above[-1])
        above += [(x, y)] if value >= 0 else []
        below += [(x, y)] if value <= 0 else []
    return tuple(above), tuple(below)


def _sides(polygon: Polygon) -> Iterable[tuple[Corner, Corner]]:
    return zip(polygon, (*polygon[1:], *polygon[:1]), strict=True)


def within(polygon: Polygon, lines: Iterable[Line]) -> tuple[Polygon, list[Polygon]]:
    """The part of a convex polygon where no line is negative, and the others."""
    others = list[Polygon]()
    for line in dict.fromkeys(lines):
        polygon, other = halves(polygon, line)
        others += [other] if other else []
        if not polygon:
            break
    return polygon, others
