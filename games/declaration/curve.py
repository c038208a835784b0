r"""An agent's utility as a function of what she declares, everything else fixed: exact pieces, kinks and jumps.

Model. The others' declarations and everybody's true lengths are fixed; ``U(x)`` is the agent's utility when she
declares ``x``. For the built-in rules, in one round or two, it is piecewise linear. The range is cut into cells on
which it is concave (:mod:`.cells`), and the pieces of a cell are proved by evaluations (:mod:`.pieces`). Goals whose
values are polynomials in the end times (squared deviation, expressions without ``min``, ``max``, ``abs`` and division
by names) may change the allocation at an irrational declaration: that is told as an interval that holds it.

With other goals, and with allocation rules and mechanisms of one's own, the code is walked where all it does is to add,
compare and multiply by constants (:mod:`.walked`): exact too. Code that does something else (heuristics, products,
digits, a memory) has its breakpoints enclosed by evaluation alone (:mod:`.enclosure`); then ``proved`` is False, and
``note`` says why.

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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from ...mechanisms.declaration.protocol import DeclarationMechanism
from ...support.errors import InputError, MechanismError, TooLargeError
from ...support.exact import INF, Extended
from ...support.progress import Progress, limited
from .cells import Cell, Situation, cells, margin, marks, situation
from .enclosure import enclosed
from .pieces import Piece, Utility, concave, merged
from .walked import UtilityProgram, walked

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
    note
        Why they are not.
    """

    agent: int
    truth: Fraction
    pieces: tuple[Piece, ...]
    points: tuple[tuple[Fraction, Extended], ...]
    isolated: tuple[tuple[Fraction, Fraction], ...] = ()
    exact: bool = True
    complete: bool = True
    proved: bool = True
    note: str = ""

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

    program = UtilityProgram(mechanism, lengths, declared, agent, values)
    truth = Fraction(lengths[agent])
    step = (high - low) / 10**6 if width is None else width
    reports = limited(progress, time_limit)
    of = situation(mechanism, lengths, declared, agent)
    if of is not None:
        return _proved(_by_cells(of, program.utility, low, high, step, reports), program, low, high)
    try:
        return _proved(_by_walking(program, low, high, reports), program, low, high)
    except (MechanismError, TooLargeError) as error:
        note = str(error)
    within = sorted(x for x in marks(mechanism, lengths, declared, agent) if low < x < high)
    seen = enclosed(program.utility, [low, *within, high], step, reports)
    return Curve(agent, truth, seen.pieces, seen.points, seen.isolated, False, seen.complete, proved=False, note=note)


Part: TypeAlias = tuple[Cell, list[Piece]]
"""The next part of the range, and its pieces; none where nothing is known."""


def _by_cells(
    of: Situation, utility: Utility, low: Fraction, high: Fraction, width: Fraction, progress: Progress | None
) -> Iterator[Part]:
    for done, cell in enumerate(cells(of, low, high, width, progress)):
        if progress:
            progress(done, None, "cells of the curve")
        yield cell, concave(utility, cell.low, cell.high, margin(of, cell.low, cell.high)) if cell.known else []


def _by_walking(program: UtilityProgram, low: Fraction, high: Fraction, progress: Progress | None) -> Iterator[Part]:
    for piece in walked(program, program.utility, low, high, progress):
        yield Cell(piece.low, piece.high), [piece]


def _proved(parts: Iterator[Part], program: UtilityProgram, low: Fraction, high: Fraction) -> Curve:
    """Part by part, from low to high; what was not reached is one interval."""
    utility = program.utility
    points = {low: utility(low), high: utility(high)}
    pieces: list[Piece] = []
    isolated: list[tuple[Fraction, Fraction]] = []
    reached = low
    try:
        for cell, found in parts:
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
        program.agent,
        Fraction(program.lengths[program.agent]),
        tuple(told),
        tuple((x, points[x]) for x in sorted(ends)),
        tuple(isolated),
        exact=not isolated,
        complete=complete,
    )
