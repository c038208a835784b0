r"""Linear pieces of an agent's utility in what she declares: proved by symbolic execution, or enclosed by evaluation.

*Symbolic execution.* The declaration is a symbol, all else a constant; the code runs on it as it is
(:mod:`..proofs.execution`). Just after a number, every comparison of the code comes out one way and the utility is one
line; both hold up to the first root of a form that was compared. The execution goes on there, so that no breakpoint is
missed, and each is an exact number. The code is run on plain numbers too, inside every piece and at all its ends.

A goal that is a polynomial in the output times (squared deviation, expressions without ``min``, ``max``, ``abs`` and
division by names) compares polynomials: then the powers of the declaration are symbols too. Such a root may be
irrational; an interval holds it, and the execution goes on behind it.

*Enclosure*, where the code does something else. A stretch between two marks is taken for straight when nine points on
it, unevenly spaced, are on one line; else it is halved, the widest first, until it is narrow. Every breakpoint is
reported as an interval, also where it seems to be at a mark: points tell where a function is not straight, never where
it breaks. Between two points something may be missed, so nothing here is proved.

>>> seen = enclosed(lambda x: x if x < 1 else Fraction(0), [Fraction(0), Fraction(1), Fraction(2)], Fraction(1, 100))
>>> [(str(p.low), str(p.high), str(p.slope)) for p in seen.pieces]
[('0', '799/800', '1'), ('801/800', '2', '0')]
>>> seen.isolated
((Fraction(799, 800), Fraction(801, 800)),)
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Any, TypeAlias, TypeVar

from ...mechanisms.declaration.protocol import DeclarationMechanism, play
from ...mechanisms.declaration.two_rounds import one_round_of, refuse_table
from ...support.errors import MechanismError
from ...support.exact import INF, Extended
from ...support.loading import optional
from ...support.progress import Progress
from ..proofs.execution import Entry, Place, Tree, implied
from ..proofs.programs import silent
from ..proofs.symbols import NotPiecewiseLinear, Vector

T = TypeVar("T")
Utility: TypeAlias = Callable[[Fraction], Extended]
MAX_DEGREE = 8
"""Of the polynomials that are compared; sums of squares have 2."""
PARTS = 8
"""Into how many parts each stretch between two marks is cut before any is looked at."""
MAX_TRIED = 50_000
"""Evaluations after which the rest is left enclosed: no piecewise-linear curve that one could read needs as many."""
INSIDE = tuple(Fraction(k, 97) for k in (1, 5, 19, 37, 53, 78, 96))
"""Where a stretch is looked at besides close to its ends; uneven, so that no rhythm hides a kink."""


@dataclass(frozen=True)
class Piece:
    """``U(x) = at_low + slope * (x - low)`` for ``low < x < high``; ``at_low`` is the limit from the right.

    A stretch on which the agent never gets her output has ``at_low = -inf`` and slope 0. One number is a piece with
    both ends there; ``high`` may be infinite where all numbers are asked about.
    """

    low: Fraction
    high: Any
    at_low: Extended
    slope: Fraction = Fraction(0)

    def value(self, x: Fraction) -> Extended:
        """The line at ``x``."""
        return self.at_low + self.slope * (x - self.low)

    @property
    def at_high(self) -> Extended:
        """Limit from the left at ``high``."""
        return self.value(self.high) if self.slope else self.at_low

    @property
    def supremum(self) -> Extended:
        """What the utility comes near to, or has."""
        return max(self.at_low, self.at_high)

    def continues(self, before: Piece, between: Extended | None) -> bool:
        """Whether it is on one line with the piece before it, and with the point between them."""
        return before.slope == self.slope and before.at_high == self.at_low == between

    @property
    def middle(self) -> Fraction:
        """Half-way; twice as far (1 from 0) where there is no end."""
        return (self.low + Fraction(self.high)) / 2 if self.high < INF else 2 * self.low or Fraction(1)

    def beyond(self, utility: Extended) -> Fraction:
        """A number nearer to the end at which the line is highest than all that give at most ``utility``."""
        x = self.middle
        while self.value(x) <= utility:
            if self.slope > 0 and self.high == INF:
                x *= 2
            else:
                x = (x + (Fraction(self.high) if self.slope > 0 else self.low)) / 2
        return x


# symbolic execution ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class UtilityProgram:
    """An agent's utility as code on one symbol, her declaration, and its powers up to ``degree``.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> one = (Fraction(1), Fraction(3))
    >>> program = UtilityProgram(build("light-vcg", Cluster.of([1])), one, one, 0)
    >>> [(str(piece.low), str(piece.high), str(piece.slope)) for piece in execute(program, Fraction(1, 2), Fraction(5))]
    [('1/2', '1', '-1'), ('1', '3', '-2'), ('3', '5', '-1')]
    """

    mechanism: DeclarationMechanism
    lengths: Sequence[Fraction]
    declared: Sequence[Fraction]
    agent: int
    values: Sequence[Fraction] | None = None
    degree: int = 1

    def __post_init__(self) -> None:
        refuse_table(self.mechanism, "declarations")

    @property
    def names(self) -> tuple[str, ...]:
        """The declaration and its powers."""
        return ("x", *(f"x**{k}" for k in range(2, self.degree + 1)))

    @property
    def powers(self) -> bool:
        """Whether the symbols are the powers of one number."""
        return self.degree > 1

    def run(self, x: Sequence[Any]) -> tuple[Any]:
        """Without welfare, which compares times that matter to nobody."""
        return (self._utility(silent(self.mechanism), x[0]),)

    def utility(self, x: Fraction) -> Any:
        """The utility at one declaration."""
        return self._utility(self.mechanism, x)

    def _utility(self, mechanism: DeclarationMechanism, x: Any) -> Any:
        profile = (*self.declared[: self.agent], x, *self.declared[self.agent + 1 :])
        utilities = play(mechanism, profile, self.lengths, self.values).utilities
        assert utilities is not None  # play() fills them in
        return utilities[self.agent]

    def just_after(self, x: Fraction) -> Place:
        """The place infinitely near a number, above it: the powers of ``x + e``, by powers of ``e``."""
        d, top, bottom = self.degree, x.numerator, x.denominator
        return tuple(
            tuple([comb(j, k) * top ** (j - k) * bottom ** (d - j + k) if k <= j else 0 for j in range(d + 1)])
            for k in range(d + 1)
        )


def degree_of(mechanism: object) -> int:
    """Of the polynomials that the goal of a mechanism compares; 1 where nothing else is known."""
    one = one_round_of(mechanism)
    degree = None if one is None else one.goal.degree
    return degree if degree is not None and 1 <= degree <= MAX_DEGREE else 1


def execute(
    program: UtilityProgram,
    low: Fraction,
    high: Extended,
    width: Fraction = Fraction(1),
    progress: Progress | None = None,
) -> Iterator[Piece | tuple[Fraction, Fraction]]:
    """The open pieces of ``(low, high)``, in order; neighbours may be on one line.

    Two numbers are an interval of at most ``width`` that holds a breakpoint at an irrational number. ``low`` may be 0
    and ``high`` infinite: forms are compared just after a number, and the last of their roots ends the execution.

    Raises
    ------
    MechanismError
        The code is not piecewise linear, or no function of its numbers.
    InputError
        The mechanism refuses a declaration.
    """
    tree, x = Tree(program), low
    while x < high:
        if progress:
            progress(tree.leaves, None, "pieces of the curve")
        tests, results, _, _ = tree.path(*program.just_after(x))
        forms = {form for test, answer in tests for form, _ in implied(test, answer)}
        begin, end = _first_root(forms, x, high, width)
        if x < begin:
            yield _piece(program, results, x, begin)
        if begin < end:
            yield Fraction(begin), Fraction(end)
        if end == INF:
            break
        x = Fraction(end)
    tree.audit()


def _piece(program: UtilityProgram, results: tuple[Entry, ...] | None, low: Fraction, high: Extended) -> Piece:
    """The line that a leaf says, compared with the code at a plain number inside."""
    middle = low + 1 if high == INF else (low + Fraction(high)) / 2
    utility = program.utility(middle)
    if results is None:
        raise MechanismError(f"the code refuses a declaration of {middle} at one time, and takes it at another")
    piece = Piece(low, high, *_at_low(results[0], low))
    if piece.value(middle) != utility:
        raise MechanismError(f"the code gives two answers for a declaration of {middle}")
    return piece


def _at_low(entry: Entry, low: Fraction) -> tuple[Extended, Fraction]:
    """The limit from the right at the lower end, and the slope."""
    if isinstance(entry, str):
        return float(entry), Fraction(0)
    assert entry is not None  # a utility always exists
    (constant, slope, *curved), bottom = entry
    if any(curved):
        raise NotPiecewiseLinear("not piecewise linear: a utility with a power of a symbolic number")
    return Fraction(constant, bottom) + Fraction(slope, bottom) * low, Fraction(slope, bottom)


def _first_root(forms: set[Vector], low: Fraction, high: Extended, width: Fraction) -> tuple[Extended, Extended]:
    """Where in the open ``(low, high)`` the first of some polynomials vanishes; ``high`` twice where none does.

    A rational root twice, or up to ``width`` an interval that holds an irrational one, and no other.
    """
    lines = [form for form in forms if not any(form[2:])]
    roots = [Fraction(-a, b) for a, b, *_ in lines if b]
    curved: list[Any] = []  # without rational roots
    for factor in {factor for form in forms if any(form[2:]) for factor in _factors(form)}:
        if factor.degree() > 1:
            curved.append(factor)
        elif factor.degree() == 1:
            roots.append(Fraction(-int(factor.nth(0)), int(factor.nth(1))))
    begin, end = low, min((root for root in roots if low < root < high), default=high)
    if not curved:
        return end, end
    inside = {factor: n for factor in curved if (n := _n_roots(factor, begin, Fraction(end)))}
    if not inside:
        return end, end
    while end - begin > width or sum(inside.values()) > 1:
        middle = (begin + Fraction(end)) / 2
        left = {factor: n for factor in inside if (n := _n_roots(factor, begin, middle))}
        begin, end, inside = (begin, middle, left) if left else (middle, end, inside)
    return begin, end


@lru_cache(maxsize=10_000)
def _factors(form: Vector) -> tuple[Any, ...]:
    """The irreducible factors of a polynomial, as sympy has them."""
    sympy = optional("sympy", "formulas")

    return tuple(factor for factor, _ in sympy.Poly(form[::-1], sympy.Symbol("x"), domain="ZZ").factor_list()[1])


def _n_roots(factor: Any, low: Fraction, high: Fraction) -> int:
    """Real roots of an irreducible polynomial between two numbers."""
    sympy = optional("sympy", "formulas")

    return int(factor.count_roots(*(sympy.Rational(x.numerator, x.denominator) for x in (low, high))))


# enclosure ------------------------------------------------------------------------------------------------------------


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
    values: dict[Fraction, Extended] = field(default_factory=dict)

    def value(self, x: Fraction) -> Extended:
        if x not in self.values:
            self.values[x] = self.utility(x)
        return self.values[x]

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
        before, after = left.line, right.line
        return before is not None and after is not None and after.continues(before, self.values.get(right.low))


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
        while waiting and len(search.values) < MAX_TRIED:
            if progress:
                progress(len(search.values), None, "declarations tried")
            low, high = waiting[0].low, waiting[0].high
            middle = (low + high) / 2
            stretch_seen = search.seen(low, high)
            if stretch_seen.line is None and high - low > width / 2:
                search.value(middle)
                waiting += [_Stretch(low, middle), _Stretch(middle, high)]
            else:
                done.append(stretch_seen)
            waiting.popleft()
    except KeyboardInterrupt:
        pass  # the stretches that wait are reported as intervals
    # Ctrl-C may have come while a stretch was replaced: of two that begin alike the finer one tells more.
    finest: dict[Fraction, _Stretch] = {}
    for stretch in sorted([*done, *waiting], key=lambda s: (s.low, s.high, s.line is None)):
        finest.setdefault(stretch.low, stretch)
    return _as_enclosure(search, list(finest.values()), set(marks), complete=not waiting)


def _as_enclosure(search: _Search, stretches: list[_Stretch], marks: set[Fraction], complete: bool) -> Enclosure:
    """Pieces that end a little before every breakpoint, and the intervals between them."""
    pieces: list[Piece] = []
    isolated: list[tuple[Fraction, Fraction]] = []
    first, last = stretches[0].low, stretches[-1].high
    reached = first
    for run in runs(stretches, search.joins):
        line = run[0].line
        if line is None:
            continue
        low, high = run[0].low, run[-1].high
        if low != first or search.values.get(low) != line.at_low:
            low += run[0].edge
        if high != last or search.values.get(high) != line.value(high):
            high -= run[-1].edge
        if reached < low:
            isolated.append((reached, low))
        pieces.append(Piece(low, high, line.value(low), line.slope))
        reached = high
    if reached < last:
        isolated.append((reached, last))
    within = {x for x in marks if any(a < x < b for a, b in isolated)}
    ends = {x for p in pieces for x in (p.low, p.high)} | {x for pair in isolated for x in pair}
    best = max(search.values, key=lambda x: (search.values[x], -x), default=first)
    places = sorted(x for x in {first, last, *within, *ends, best} if x in search.values)
    return Enclosure(tuple(pieces), tuple(isolated), tuple((x, search.values[x]) for x in places), complete)


def runs(parts: Sequence[T], joined: Callable[[T, T], bool]) -> list[list[T]]:
    """Neighbours that are joined, together."""
    together: list[list[T]] = []
    for part in parts:
        if together and joined(together[-1][-1], part):
            together[-1].append(part)
        else:
            together.append([part])
    return together
