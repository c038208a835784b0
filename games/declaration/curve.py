r"""An agent's utility as a function of what she declares, everything else fixed: exact pieces, kinks and jumps.

Model. The others' declarations and everybody's true lengths are fixed; ``U(x)`` is the agent's utility when she
declares ``x``. For the built-in rules, in one round or two, it is piecewise linear. The range is cut into cells on
which it is concave (:mod:`.cells`), and the pieces of a cell are proved by evaluations (:mod:`.pieces`). Goals whose
values are polynomials in the end times (squared deviation, expressions without ``min``, ``max``, ``abs`` and division
by names) may change the allocation at an irrational declaration: that is told as an interval that holds it.

For all other goals, heuristics, allocations and mechanisms of one's own, breakpoints are enclosed by evaluation alone
(:mod:`.enclosure`); then ``proved`` is False too.

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
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...mechanisms.declaration.protocol import DeclarationMechanism, play
from ...scheduling.errors import InputError
from ...scheduling.exact import INF, Extended
from ...scheduling.progress import Progress, limited
from .cells import Situation, cells, margin, marks, situation
from .enclosure import enclosed
from .pieces import Piece, Utility, concave, merged

__all__ = ["Curve", "Piece", "curve"]


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
        Open intervals of which nothing is known: each holds a breakpoint whose place is irrational or was not found,
        or was not reached; empty when ``exact``.
    exact
        Whether every piece and breakpoint is proved.
    complete
        Whether the whole range was looked at.
    proved
        Whether the pieces are proved, and none of the breakpoints is missing; else they are what evaluations show.
    """

    agent: int
    truth: Fraction
    pieces: tuple[Piece, ...]
    points: tuple[tuple[Fraction, Extended], ...]
    isolated: tuple[tuple[Fraction, Fraction], ...] = ()
    exact: bool = True
    complete: bool = True
    proved: bool = True

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
        """First of ``points`` with the largest utility; a supremum that is only approached does not count."""
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


def check_range(low: Fraction, high: Fraction) -> None:
    """Raise InputError for an empty or non-positive range."""
    if not 0 < low < high:
        raise InputError(f"curve: found the range from {low} to {high}; expected 0 < from < to")


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
        Largest width of an interval with one breakpoint whose place is not exact; default a millionth of the range.
    progress
        Receiver of progress reports.
    time_limit
        Seconds; when they are over, or on Ctrl-C, what was not reached is isolated.

    Raises
    ------
    InputError
        For an empty or non-positive range.
    """
    check_range(low, high)

    def utility(x: Fraction) -> Extended:
        outcome = play(mechanism, (*declared[:agent], x, *declared[agent + 1 :]), lengths, values)
        assert outcome.utilities is not None  # play() fills them in
        return outcome.utilities[agent]

    truth = Fraction(lengths[agent])
    step = (high - low) / 10**6 if width is None else width
    reports = limited(progress, time_limit)
    of = situation(mechanism, lengths, declared, agent)
    if of is not None:
        return _proved(of, utility, low, high, step, reports)
    within = sorted(x for x in marks(mechanism, lengths, declared, agent) if low < x < high)
    seen = enclosed(utility, [low, *within, high], step, reports)
    return Curve(agent, truth, seen.pieces, seen.points, seen.isolated, False, seen.complete, proved=False)


def _proved(
    of: Situation, utility: Utility, low: Fraction, high: Fraction, width: Fraction, progress: Progress | None
) -> Curve:
    """Cell by cell, from low to high; what was not reached is one interval."""
    points = {low: utility(low), high: utility(high)}
    pieces: list[Piece] = []
    isolated: list[tuple[Fraction, Fraction]] = []
    reached = low
    try:
        for done, cell in enumerate(cells(of, low, high, width, progress)):
            if progress:
                progress(done, None, "cells of the curve")
            found = concave(utility, cell.low, cell.high, margin(of, cell.low, cell.high)) if cell.known else []
            points |= {x: utility(x) for x in (cell.high, *(p.high for p in found))}
            pieces += found
            if not cell.known:
                isolated.append((cell.low, cell.high))
            reached = cell.high
    except KeyboardInterrupt:
        pass  # what is done is proved; the rest is one interval of which nothing is known
    pieces = [piece for piece in pieces if piece.high <= reached]  # and of the cell that was begun, nothing is kept
    complete = reached == high
    if not complete:
        isolated.append((reached, high))
    told = merged(pieces, points)
    ends = {low, high, *(p.high for p in told), *(x for pair in isolated for x in pair)}
    return Curve(
        of.agent,
        of.lengths[of.agent],
        tuple(told),
        tuple((x, points[x]) for x in sorted(ends)),
        tuple(isolated),
        exact=not isolated,
        complete=complete,
    )
