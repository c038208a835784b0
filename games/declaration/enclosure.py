r"""Breakpoints of a function of one number, enclosed by evaluation alone: for a mechanism of which nothing is known.

A stretch between two marks is taken for straight when nine points on it, unevenly spaced, are on one line; else it is
halved, the widest first, until it is narrow. Every breakpoint found is told as an interval, also where it seems to be
at a mark: points tell where a function is not straight, never where it breaks. Between two points tried something may
be missed, so nothing here is proved.

>>> found = enclosed(lambda x: x if x < 1 else Fraction(0), [Fraction(0), Fraction(1), Fraction(2)], Fraction(1, 100))
>>> [(str(p.low), str(p.high), str(p.slope)) for p in found.pieces]
[('0', '799/800', '1'), ('801/800', '2', '0')]
>>> found.isolated
((Fraction(799, 800), Fraction(801, 800)),)
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from ...support.exact import INF, Extended
from ...support.progress import Progress
from .pieces import Piece, Utility

PARTS = 8
"""Into how many parts each stretch between two marks is cut before any is looked at."""
MAX_TRIED = 50_000
"""Evaluations after which the rest is left enclosed: no piecewise-linear curve that one could read needs as many."""
INSIDE = tuple(Fraction(k, 97) for k in (1, 5, 19, 37, 53, 78, 96))
"""Where a stretch is looked at besides close to its ends; uneven, so that no rhythm hides a kink."""


@dataclass(frozen=True)
class Enclosure:
    """What was seen.

    Attributes
    ----------
    pieces
        Open stretches that look straight, in order.
    isolated
        Intervals in which the function breaks, or that were not looked at closely enough; with ``pieces`` they cover
        the range.
    points
        ``(x, f(x))`` at all ends of pieces, at the marks in ``isolated``, and at the best place tried.
    complete
        Whether no interval is wider for want of time.
    """

    pieces: tuple[Piece, ...]
    isolated: tuple[tuple[Fraction, Fraction], ...]
    points: tuple[tuple[Fraction, Extended], ...]
    complete: bool


@dataclass(frozen=True)
class _Stretch:
    """A part of the range; ``line`` where it looks straight, but for ``edge`` at either end."""

    low: Fraction
    high: Fraction
    edge: Fraction = Fraction(0)
    line: Piece | None = None


@dataclass
class _Search:
    utility: Utility
    width: Fraction
    known: dict[Fraction, Extended] = field(default_factory=dict)

    def value(self, x: Fraction) -> Extended:
        if x not in self.known:
            self.known[x] = self.utility(x)
        return self.known[x]

    def seen(self, low: Fraction, high: Fraction) -> _Stretch:
        """The stretch with its line, if it looks straight."""
        edge = min(self.width, high - low) / 8
        inside = [low + edge, *(low + (high - low) * part for part in INSIDE), high - edge]
        values = [self.value(x) for x in inside]
        if all(v == -INF for v in values):
            return _Stretch(low, high, edge, Piece(low, high, -INF, Fraction(0)))
        if any(v == -INF for v in values):
            return _Stretch(low, high)
        slope = Fraction(values[-1] - values[0]) / (inside[-1] - inside[0])
        piece = Piece(low, high, values[0] - slope * (inside[0] - low), slope)
        on_line = all(piece.value(x) == v for x, v in zip(inside, values, strict=True))
        return _Stretch(low, high, edge, piece) if on_line else _Stretch(low, high)

    def joins(self, left: _Stretch, right: _Stretch) -> bool:
        """Whether two neighbours and the point between them look like one straight stretch."""
        if left.line is None or right.line is None or left.line.slope != right.line.slope:
            return False
        return bool(left.line.at_high == right.line.at_low == self.known.get(right.low))


def enclosed(
    utility: Utility, marks: Sequence[Fraction], width: Fraction, progress: Progress | None = None
) -> Enclosure:
    """Look at a function from the first mark to the last.

    Parameters
    ----------
    utility
        The function.
    marks
        Increasing; where it may break, besides the ends of the range.
    width
        Largest width of an interval with one breakpoint.
    progress
        Told about points tried. On Ctrl-C, from it too, what was not looked at is enclosed.
    """
    search = _Search(utility, width)
    search.value(marks[0])
    search.value(marks[-1])
    waiting = deque(
        _Stretch(a + (b - a) * k / PARTS, a + (b - a) * (k + 1) / PARTS)
        for a, b in itertools.pairwise(marks)
        for k in range(PARTS)
    )
    done: list[_Stretch] = []
    try:
        for x in (*marks, *(part.high for part in waiting)):
            search.value(x)
        while waiting and len(search.known) < MAX_TRIED:
            if progress:
                progress(len(search.known), None, "declarations tried")
            low, high = waiting[0].low, waiting[0].high
            middle = (low + high) / 2
            found = search.seen(low, high)
            if found.line is None and high - low > width / 2:
                search.value(middle)
                waiting += [_Stretch(low, middle), _Stretch(middle, high)]
            else:
                done.append(found)
            waiting.popleft()
    except KeyboardInterrupt:
        pass  # the stretches that wait are told as intervals
    # Ctrl-C may have come while a stretch was replaced: of two that begin alike the finer one tells more.
    finest: dict[Fraction, _Stretch] = {}
    for stretch in sorted([*done, *waiting], key=lambda s: (s.low, s.high, s.line is None)):
        finest.setdefault(stretch.low, stretch)
    return _told(search, list(finest.values()), set(marks), complete=not waiting)


def _told(search: _Search, stretches: list[_Stretch], marks: set[Fraction], complete: bool) -> Enclosure:
    """Pieces that end a little before every breakpoint, and the intervals between them."""
    pieces: list[Piece] = []
    isolated: list[tuple[Fraction, Fraction]] = []
    first, last = stretches[0].low, stretches[-1].high
    reached = first
    for run in _runs(search, stretches):
        line = run[0].line
        if line is None:
            continue
        low, high = run[0].low, run[-1].high
        if low != first or search.known.get(low) != line.at_low:
            low += run[0].edge
        if high != last or search.known.get(high) != line.value(high):
            high -= run[-1].edge
        if reached < low:
            isolated.append((reached, low))
        pieces.append(Piece(low, high, line.value(low), line.slope))
        reached = high
    if reached < last:
        isolated.append((reached, last))
    within = {x for x in marks if any(a < x < b for a, b in isolated)}
    ends = {x for p in pieces for x in (p.low, p.high)} | {x for pair in isolated for x in pair}
    best = max(search.known, key=lambda x: (search.known[x], -x), default=first)
    places = sorted(x for x in {first, last, *within, *ends, best} if x in search.known)
    return Enclosure(tuple(pieces), tuple(isolated), tuple((x, search.known[x]) for x in places), complete)


def _runs(search: _Search, stretches: list[_Stretch]) -> list[list[_Stretch]]:
    """Neighbours that look like one straight stretch, together."""
    runs: list[list[_Stretch]] = []
    for stretch in stretches:
        if runs and search.joins(runs[-1][-1], stretch):
            runs[-1].append(stretch)
        else:
            runs.append([stretch])
    return runs
