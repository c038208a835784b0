r"""An agent's utility as a function of what she declares, everything else fixed: exact pieces, kinks and jumps.

Model. The others' declarations and everybody's true lengths are fixed; ``U(x)`` is the agent's utility when she
declares ``x``. Where all that the code does with a declaration is to add, compare and multiply by constants, which the
built-in rules do in one round or two, utility is piecewise linear and symbolic execution finds every piece
(:mod:`.pieces`). Goals whose values are polynomials in the end times may change the allocation at an irrational
declaration: that is reported as an interval that holds it.

Code that does something else (heuristics, products, digits, a memory) has its breakpoints enclosed by evaluation alone;
then ``proved`` is False, and ``note`` says why.

>>> from fractions import Fraction as F
>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> light = curve(build("light-vcg", Cluster.of([1])), (F(2), F(1)), (F(2), F(1)), 0, F(1, 2), F(3))
>>> [(str(p.low), str(p.high), str(p.slope), str(p.at_low)) for p in light.pieces]
[('1/2', '1', '-1', '-7/2'), ('1', '2', '0', '-4'), ('2', '3', '-1', '-4')]
>>> light.best
(Fraction(1, 2), Fraction(-7, 2))
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ...mechanisms.declaration.protocol import DeclarationMechanism, ImpossibleError
from ...mechanisms.declaration.two_rounds import one_round_of
from ...support.errors import InputError, MechanismError, TooLargeError
from ...support.exact import INF, Extended
from ...support.loading import optional
from ...support.progress import Progress, limited
from .pieces import Enclosure, Piece, UtilityProgram, degree_of, enclosed, execute, runs

__all__ = ["Curve", "Piece", "curve"]


@dataclass(frozen=True)
class Curve(Enclosure):
    """Utility against declaration.

    Attributes
    ----------
    agent
        Whose, from 0.
    truth
        Her length.
    proved
        Whether the pieces are proved, and none of the breakpoints is missing; else they are what evaluations show.
    note
        Why they are not.
    """

    agent: int
    truth: Fraction
    proved: bool = True
    note: str = ""

    @property
    def exact(self) -> bool:
        """Whether every piece and breakpoint is proved."""
        return self.proved and not self.isolated

    @property
    def jumps(self) -> tuple[Fraction, ...]:
        """Where the utility is not continuous, of the breakpoints inside."""
        values = dict(self.points)
        return tuple(
            left.high
            for left, right in itertools.pairwise(self.pieces)
            if left.high == right.low and not left.at_high == values[left.high] == right.at_low
        )

    @property
    def best(self) -> tuple[Fraction, Extended]:
        """The point of largest utility: the truth if it ties, else the smallest declaration; no limit counts."""
        return max(self.points, key=lambda point: (point[1], point[0] == self.truth, -point[0]))

    def piecewise(self) -> Any:
        """The curve as a sympy ``Piecewise`` in the symbol ``x``; points first, then the open pieces."""
        sympy = optional("sympy", "formulas")

        x = sympy.Symbol("x", real=True)
        cases = [(_sympy(u), sympy.Eq(x, _sympy(at))) for at, u in self.points]
        cases += [
            (_sympy(p.at_low) + _sympy(p.slope) * (x - _sympy(p.low)), (x > _sympy(p.low)) & (x < _sympy(p.high)))
            for p in self.pieces
        ]
        return sympy.Piecewise(*cases)


def _sympy(value: Extended) -> Any:
    sympy = optional("sympy", "formulas")

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

    program = UtilityProgram(mechanism, lengths, declared, agent, values, degree_of(mechanism))
    step = (high - low) / 10**6 if width is None else width
    reports, truth = limited(progress, time_limit), Fraction(lengths[agent])
    at_truth = {truth: program.utility(truth)} if low <= truth <= high else {}  # first: after Ctrl-C nothing is run
    try:
        whole = _executed(program, low, high, step, reports)
    except ImpossibleError:
        raise
    except (MechanismError, TooLargeError) as error:
        within = sorted(x for x in marks(mechanism, lengths, declared, agent) if low < x < high)
        seen = enclosed(program.utility, [low, *within, high], step, reports)
        whole = Curve(**vars(seen), agent=agent, truth=truth, proved=False, note=str(error))
    return replace(whole, points=tuple(sorted({**dict(whole.points), **at_truth}.items())))


def _executed(
    program: UtilityProgram, low: Fraction, high: Fraction, width: Fraction, progress: Progress | None
) -> Curve:
    """By symbolic execution, from low to high; what was not reached is one interval."""
    utility = program.utility
    points = {low: utility(low), high: utility(high)}
    pieces: list[Piece] = []
    isolated: list[tuple[Fraction, Fraction]] = []
    reached = low
    try:
        for piece in execute(program, low, high, width, progress):
            end = piece.high if isinstance(piece, Piece) else piece[1]
            points[end] = utility(end)
            if isinstance(piece, Piece):
                pieces.append(piece)
            else:
                isolated.append(piece)
            reached = end
    except KeyboardInterrupt:
        pass  # what is done is proved; the rest is one interval of which nothing is known
    pieces = merge([piece for piece in pieces if piece.high <= reached], points)
    if reached < high:
        isolated.append((reached, high))
    ends = {low, high, *(p.high for p in pieces), *(x for pair in isolated for x in pair)}
    return Curve(
        tuple(pieces),
        tuple(isolated),
        tuple((x, points[x]) for x in sorted(ends)),
        complete=reached == high,
        agent=program.agent,
        truth=Fraction(program.lengths[program.agent]),
    )


def merge(pieces: list[Piece], points: Mapping[Fraction, Extended]) -> list[Piece]:
    """Neighbouring pieces on one line, with the point between them on it, are one piece."""
    together = runs(pieces, lambda a, b: a.high == b.low and b.continues(a, points[b.low]))
    return [Piece(run[0].low, run[-1].high, run[0].at_low, run[0].slope) for run in together]


def marks(mechanism: Any, lengths: Sequence[Fraction], declared: Sequence[Fraction], agent: int) -> set[Fraction]:
    """Declarations at which lengths, declarations and cut-offs alone make a mechanism change what it does.

    Of any mechanism; the cut-off is known of those of the package. Declarations of the others are compared with hers,
    and her own length with what she declares; a custom mechanism may compare her with any length.
    """
    others = {b for k, b in enumerate(declared) if k != agent}
    numbers = {*lengths, *others}
    one = one_round_of(mechanism)
    if one is not None and one.cutoff is not None:
        bound = Fraction(one.cutoff.bound)
        if one.cutoff.kind == "absolute":
            numbers.add(bound)
        else:
            numbers |= {b + bound for b in others} | {b - bound for b in (*others, lengths[agent])}
    return {Fraction(x) for x in numbers}
