r"""An agent's utility as a function of what she declares, everything else fixed: exact pieces, kinks and jumps.

Model. The others' declarations and everybody's true lengths are fixed; ``U(x)`` is the agent's utility when she
declares ``x``. For the built-in rules in one round it is piecewise linear, and every breakpoint is found exactly:

1. Where the allocation, the order of sizes behind S(b), or the comparison of a length with a declaration or a cut-off
   changes, is computed: sizes and cut-offs directly, changes of the allocation by :mod:`.switches`.
2. Between two neighbours of these points the plan is linear in ``x`` and the run only adds and takes maxima, so output
   times are convex and utility is concave. A concave function that is on the chord at an interior point is linear
   there, so three evaluations prove a piece, and where two proved pieces meet is a kink, exactly.

For goals whose comparisons are not piecewise linear, two rounds, or a mechanism of one's own, breakpoints are enclosed
in intervals of a stated width by evaluation alone; then ``exact`` is False.

>>> from fractions import Fraction as F
>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> found = curve(build("light-vcg", Cluster.of([1])), (F(2), F(1)), (F(2), F(1)), 0, F(1, 2), F(3))
>>> [(str(p.low), str(p.high), str(p.slope), str(p.at_low)) for p in found.pieces]
[('1/2', '1', '-1', '-7/2'), ('1', '2', '0', '-4'), ('2', '3', '-1', '-4')]
>>> found.best
(Fraction(1, 2), Fraction(-7, 2))
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.protocol import DeclarationMechanism, play
from ...scheduling.errors import InputError
from ...scheduling.exact import INF, Extended
from ...scheduling.progress import Clock, Progress
from .switches import covers, switches

Utility = Callable[[Fraction], Extended]
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


@dataclass(frozen=True)
class Curve:
    """Utility against declaration.

    Attributes
    ----------
    agent
        Whose, from 0.
    truth
        Her length.
    pieces
        Open linear pieces, in order; with ``isolated`` they cover ``(low, high)``.
    points
        ``(x, U(x))`` at the ends and at every breakpoint; differs from the limits where utility jumps.
    isolated
        Intervals that hold at least one breakpoint whose place is not known exactly; empty when ``exact``.
    exact
        Whether every piece and breakpoint is proved.
    complete
        Whether the whole range was looked at.
    """

    agent: int
    truth: Fraction
    pieces: tuple[Piece, ...]
    points: tuple[tuple[Fraction, Extended], ...]
    isolated: tuple[tuple[Fraction, Fraction], ...] = ()
    exact: bool = True
    complete: bool = True

    @property
    def jumps(self) -> tuple[Fraction, ...]:
        """Where the utility is not continuous, of the breakpoints inside."""
        known = dict(self.points)
        return tuple(
            left.high
            for left, right in itertools.pairwise(self.pieces)
            if left.high == right.low and not left.at_high == known[left.high] == right.at_low
        )

    @property
    def best(self) -> tuple[Fraction, Extended]:
        """First breakpoint or end of largest utility; a supremum that is only approached does not count."""
        return max(self.points, key=lambda point: (point[1], -point[0]))

    def piecewise(self) -> Any:
        """The curve as a sympy ``Piecewise`` in the symbol ``x``; points first, then the open pieces."""
        import sympy

        x = sympy.Symbol("x", real=True)
        cases = [(_sympy(u), sympy.Eq(x, _sympy(at))) for at, u in self.points]
        cases += [
            (_sympy(p.at_low) + _sympy(p.slope) * (x - _sympy(p.low)), (x > _sympy(p.low)) & (x < _sympy(p.high)))
            for p in self.pieces
        ]
        return sympy.Piecewise(*cases)


def _sympy(value: Extended) -> Any:
    import sympy

    return -sympy.oo if value == -INF else sympy.Rational(Fraction(value).numerator, Fraction(value).denominator)


def curve(
    mechanism: DeclarationMechanism,
    lengths: Sequence[Fraction],
    declared: Sequence[Fraction],
    agent: int,
    low: Fraction,
    high: Fraction,
    *,
    values: Sequence[Fraction] | None = None,
    width: Fraction | None = None,
    progress: Progress | None = None,
    time_limit: float | None = None,
) -> Curve:
    """Utility of one agent for every declaration in ``[low, high]``.

    Parameters
    ----------
    mechanism
        Anything with ``run(declared, lengths)``.
    lengths, declared
        Everybody's true lengths and declarations (hers is replaced).
    agent
        From 0.
    low, high
        ``0 < low < high``.
    values
        V_n; default the mechanism's, else 0.
    width
        Largest width of an isolating interval where breakpoints are not exact; default a millionth of the range.
    progress
        Receiver of progress reports.
    time_limit
        Seconds; when they are over, or on Ctrl-C, the range not reached is one isolated interval. A curve by enclosure
        does not stop.

    Raises
    ------
    InputError
        For an empty or non-positive range.
    """
    if not 0 < low < high:
        raise InputError(f"curve: found the range from {low} to {high}; expected 0 < from < to")

    def utility(x: Fraction) -> Extended:
        outcome = play(mechanism, (*declared[:agent], x, *declared[agent + 1 :]), lengths, values)
        assert outcome.utilities is not None  # play() fills them in
        return outcome.utilities[agent]

    truth = Fraction(lengths[agent])
    if not (isinstance(mechanism, OneRound) and covers(mechanism, len(lengths))):
        step = (high - low) / 10**6 if width is None else width
        return _enclosed(utility, agent, truth, low, high, step)
    clock, reached = Clock(time_limit), low
    pieces: list[Piece] = []
    try:
        cells = list(itertools.pairwise(_cuts(mechanism, lengths, declared, agent, low, high, progress)))
        for done, (a, b) in enumerate(cells):
            if clock.expired():
                break
            if progress:
                progress(done, len(cells), "cells of the curve")
            pieces += _concave(utility, a, b, _margin(mechanism, lengths, declared, agent, a, b))
            reached = b
    except KeyboardInterrupt:
        pass  # what is done is exact; the rest is one interval of which nothing is known
    merged = _merged(pieces, utility) if pieces else []
    places = [low, *(p.high for p in merged), *([high] if reached < high else [])]
    rest = ((reached, high),) if reached < high else ()
    points = tuple((x, utility(x)) for x in places)
    return Curve(agent, truth, tuple(merged), points, rest, exact=not rest, complete=not rest)


# --- the exact curve of a built-in rule -----------------------------------------------------------------------------


def _cuts(
    mechanism: OneRound,
    lengths: Sequence[Fraction],
    declared: Sequence[Fraction],
    agent: int,
    low: Fraction,
    high: Fraction,
    progress: Progress | None,
) -> list[Fraction]:
    """Ends, and every point where the structure of plan or run may change, sorted."""
    others = [b for k, b in enumerate(declared) if k != agent]
    found = {low, high, Fraction(lengths[agent]), *others}
    if mechanism.cutoff is not None:
        bound = Fraction(mechanism.cutoff.bound)
        if mechanism.cutoff.kind == "difference":
            found |= {b + bound for b in others} | {b - bound for b in others} | {lengths[agent] - bound}
        else:
            found.add(bound)
    found |= set(switches(mechanism, declared, agent, low, high, progress))
    return sorted(x for x in found if low <= x <= high)


def _margin(
    mechanism: OneRound,
    lengths: Sequence[Fraction],
    declared: Sequence[Fraction],
    agent: int,
    a: Fraction,
    b: Fraction,
) -> Fraction:
    """A distance from either end of the cell ``(a, b)`` within which no kink can lie.

    Kinks are where two output times cross. Each is a sum of at most ``4 N + 4`` terms (works over powers and shares,
    penalties, planned times), linear in ``x``, whose values at ``a`` and ``b`` are multiples of ``1/D``: sums that
    differ there differ by at least ``1/D``, and their difference changes no faster than twice the sum of the slopes.
    """
    third = (b - a) / 3
    plans = [mechanism.plan((*declared[:agent], x, *declared[agent + 1 :])) for x in (a + third, b - third)]
    rises = [
        ((v - u) / third, u)
        for first, second in ((plans[0].penalties, plans[1].penalties), (plans[0].planned, plans[1].planned))
        for u, v in zip(first, second, strict=True)
        if u is not None and v is not None
    ]
    lines = [(slope, u - slope * third, u + 2 * slope * third) for slope, u in rises]
    shares = [1 / s for s in plans[0].penalties if s] if mechanism.tools.alive == "renice" else []
    rates = [1 / c for c in mechanism.cluster.powers]
    bound = [] if mechanism.cutoff is None else [Fraction(mechanism.cutoff.bound)]
    numbers = [*lengths, *declared, a, b, *shares, *rates, *bound, *(v for line in lines for v in line)]
    common = math.lcm(*(Fraction(v).denominator for v in numbers)) ** 3  # products of at most three of them
    steepest = max(rates) * max([Fraction(1), *shares]) + max([Fraction(0), *(abs(line[0]) for line in lines)])
    terms = 4 * len(lengths) + 4
    return min((b - a) / 8, Fraction(1) / (4 * terms * terms * steepest * common))


def _concave(utility: Utility, a: Fraction, b: Fraction, margin: Fraction) -> list[Piece]:
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


Line = tuple[Fraction, Fraction]
"""Slope and value at 0."""


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


def _merged(pieces: list[Piece], utility: Utility) -> list[Piece]:
    """Neighbouring pieces on one line, with the point between them on it, are one piece."""
    result: list[Piece] = []
    for piece in pieces:
        if result:
            last = result[-1]
            same = last.slope == piece.slope and last.at_high == piece.at_low == utility(piece.low)
            if same:
                result[-1] = Piece(last.low, piece.high, last.at_low, last.slope)
                continue
        result.append(piece)
    return result


# --- enclosing breakpoints by evaluation alone ----------------------------------------------------------------------


def _enclosed(utility: Utility, agent: int, truth: Fraction, low: Fraction, high: Fraction, width: Fraction) -> Curve:
    known: dict[Fraction, Extended] = {}

    def value(x: Fraction) -> Extended:
        if x not in known:
            known[x] = utility(x)
        return known[x]

    pieces: list[Piece] = []
    isolated: list[tuple[Fraction, Fraction]] = []
    ends = sorted({low, high, *([truth] if low < truth < high else [])})
    stack = list(itertools.pairwise(ends))[::-1]
    while stack:
        a, b = stack.pop()
        piece = _straight(value, a, b)
        if piece is not None:
            pieces.append(piece)
        elif b - a <= width:
            isolated.append((a, b))
        else:
            stack += [((a + b) / 2, b), (a, (a + b) / 2)]
    merged = _merged_inexact(pieces)
    places = sorted({*ends, *(x for p in merged for x in (p.low, p.high))})
    return Curve(
        agent, truth, tuple(merged), tuple((x, value(x)) for x in places), tuple(_joined(isolated)), exact=False
    )


def _straight(value: Utility, a: Fraction, b: Fraction) -> Piece | None:
    """A piece on ``(a, b)`` if seven points inside are on one line (unevenly spaced: no rhythm hides a kink)."""
    inside = [a + (b - a) * Fraction(k, 97) for k in (1, 5, 19, 37, 53, 78, 96)]
    values = [value(x) for x in inside]
    if all(v == -INF for v in values):
        return Piece(a, b, -INF, Fraction(0))
    if any(v == -INF for v in values):
        return None
    slope = Fraction(values[-1] - values[0]) / (inside[-1] - inside[0])
    start = Fraction(values[0]) - slope * (inside[0] - a)
    on_line = all(start + slope * (x - a) == v for x, v in zip(inside, values, strict=True))
    return Piece(a, b, start, slope) if on_line else None


def _merged_inexact(pieces: list[Piece]) -> list[Piece]:
    result: list[Piece] = []
    for piece in pieces:
        last = result[-1] if result else None
        if last and last.high == piece.low and last.slope == piece.slope and last.at_high == piece.at_low:
            result[-1] = Piece(last.low, piece.high, last.at_low, last.slope)
        else:
            result.append(piece)
    return result


def _joined(intervals: list[tuple[Fraction, Fraction]]) -> list[tuple[Fraction, Fraction]]:
    result: list[tuple[Fraction, Fraction]] = []
    for a, b in intervals:
        if result and result[-1][1] == a:
            result[-1] = (result[-1][0], b)
        else:
            result.append((a, b))
    return result
