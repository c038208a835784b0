"""Open linear pieces of a function of one number, and those of a concave one, proved by few evaluations.

A concave function that is on the chord at an interior point is linear there, so three evaluations prove a piece, and
where two proved pieces meet is a kink, exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from ...support.errors import InputError
from ...support.exact import INF, Extended

Utility: TypeAlias = Callable[[Fraction], Extended]
Line: TypeAlias = tuple[Fraction, Fraction]
"""Slope and value at 0."""
DEPTH = 60
"""Halvings before a search for a linear stretch gives up; never reached by a piecewise-linear function."""


@dataclass(frozen=True)
class Piece:
    """``U(x) = at_low + slope * (x - low)`` for ``low < x < high``; ``at_low`` is the limit from the right.

    A stretch on which the agent never gets her output has ``at_low = -inf`` and slope 0.
    """

    low: Fraction
    high: Fraction
    at_low: Extended
    slope: Fraction

    def value(self, x: Fraction) -> Extended:
        """The line at ``x``."""
        return self.at_low + self.slope * (x - self.low)

    @property
    def at_high(self) -> Extended:
        """Limit from the left at ``high``."""
        return self.value(self.high)


def concave(utility: Utility, a: Fraction, b: Fraction, margin: Fraction) -> list[Piece]:
    """Pieces of a concave piecewise-linear function on the open ``(a, b)``, linear within ``margin`` of both ends."""
    first, last = _line(utility, a + margin / 2, a + margin), _line(utility, b - margin, b - margin / 2)
    if first is None or last is None:
        return [Piece(a, b, -INF, Fraction(0))]
    corners: list[tuple[Fraction, Line]] = []
    _between(utility, (a + margin, first), (b - margin, last), corners)
    pieces, start, line = [], a, first
    for x, following in corners:
        pieces.append(Piece(start, x, _at(line, start), line[0]))
        start, line = x, following
    return [*pieces, Piece(start, b, _at(line, start), line[0])]


def _at(line: Line, x: Fraction) -> Fraction:
    return line[1] + line[0] * x


def _line(utility: Utility, x: Fraction, y: Fraction) -> Line | None:
    """The line through two points of the function; ``None`` where the agent gets nothing."""
    u, v = utility(x), utility(y)
    if u == -INF or v == -INF:
        return None
    slope = Fraction(v - u) / (y - x)
    return slope, Fraction(u) - slope * x


def _between(
    utility: Utility, left: tuple[Fraction, Line], right: tuple[Fraction, Line], corners: list[tuple[Fraction, Line]]
) -> None:
    """Append the corners between two points of known lines, each with the line that follows, in order."""
    first, (y, last) = left[1], right
    if first == last:
        return
    corner = (last[1] - first[1]) / (first[0] - last[0])
    if utility(corner) == _at(first, corner):  # concave and on both lines: nothing in between
        corners.append((corner, last))
        return
    middle = _stretch(utility, corner, y)
    _between(utility, left, (corner, middle), corners)
    if middle != last:
        _between(utility, (corner, middle), right, corners)


def _stretch(utility: Utility, x: Fraction, y: Fraction) -> Line:
    """The line on which the function leaves ``x`` to the right: three points on a chord prove it."""
    step = (y - x) / 2
    for _ in range(DEPTH):
        line = _line(utility, x, x + step)
        if line is not None and utility(x + step / 2) == _at(line, x + step / 2):
            return line
        step /= 2
    raise InputError(f"curve: no linear stretch found at {x}; the utility is not piecewise linear there")


def merged(pieces: list[Piece], points: Mapping[Fraction, Extended]) -> list[Piece]:
    """Neighbouring pieces on one line, with the point between them on it, are one piece."""
    result: list[Piece] = []
    for piece in pieces:
        last = result[-1] if result else None
        if (
            last is not None
            and last.high == piece.low
            and last.slope == piece.slope
            and last.at_high == piece.at_low == points[piece.low]
        ):
            result[-1] = Piece(last.low, piece.high, last.at_low, last.slope)
        else:
            result.append(piece)
    return result
