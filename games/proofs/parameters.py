"""Which values of a number in a mechanism are safe, exactly: a design question, answered for all lengths at once.

The number is one more symbol. Wherever a statement fails, the cell in which it does is a polyhedron: all its values of
the number (:func:`reach`) are unsafe, and taken out; what is left is looked at again, until it is proved. So the safe
and the unsafe values are :class:`Interval` s with exact ends, whatever they look like.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> from consortium.scheduling.goals import WeightedSum
>>> rule = build("evcg-postpone", Cluster.of([1]), WeightedSum((1, 9)), penalty=1)
>>> safe = safe_values(placed(rule, "penalty", 2), "p", agents=2, up_to=3)
>>> str(safe)
'p >= 8/3'
>>> safe.refutations[0].value, safe.refutations[0].witness.gain > 0
(Fraction(93, 35), True)
>>> whole = Interval(Fraction(0), None, low_included=False)
>>> [str(part) for part in whole.without(Interval(Fraction(1), Fraction(2), high_included=False))]
['0 < x < 1', 'x >= 2']
>>> rows = [((1, 0, 0), True), ((0, 1, -2), False), ((3, 0, -1), True), ((0, 0, 1), True)]  # x >= 2 y, 0 < y < 3
>>> str(reach(rows, 1)), str(reach(rows, 2))
('x > 0', '0 < x < 3')
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from typing import Any

from ...support.errors import InputError, MechanismError
from ...support.exact import Rational, rational
from ...support.progress import Clock, Progress
from ..verification.results import PropertyWitness, Witness
from .execution import Code, Node, Tree
from .exploration import CELLS, CTRL_C, MAX_CELLS, TIME, Exploration, Explored
from .feasibility import point_of
from .programs import Family, Make, placed
from .prover import Prover
from .questions import Lengths, Question, Run, bound_row
from .statements import ALWAYS
from .symbols import Vector

__all__ = ["Refutation", "SafeValues", "placed", "safe_values"]


Row = tuple[Vector, bool]
"""A vector and whether it is above zero, else at least zero."""


@dataclass(frozen=True)
class Interval:
    """All numbers from ``low`` to ``high`` (``None``: no end, and none included); see the module."""

    low: Fraction
    high: Fraction | None
    low_included: bool = True
    high_included: bool = True

    def __post_init__(self) -> None:
        if self.high is None:
            object.__setattr__(self, "high_included", False)

    def __str__(self) -> str:
        return self.written("x")

    def written(self, name: str) -> str:
        """The interval as a condition on a name."""
        if self.low == self.high:
            return f"{name} = {self.low}"
        if self.high is None:
            return f"{name} {'>=' if self.low_included else '>'} {self.low}"
        signs = ["<=" if included else "<" for included in (self.low_included, self.high_included)]
        return f"{self.low} {signs[0]} {name} {signs[1]} {self.high}"

    def __contains__(self, x: Fraction) -> bool:
        above = self.low < x or (self.low == x and self.low_included)
        return above and (self.high is None or x < self.high or (x == self.high and self.high_included))

    @property
    def empty(self) -> bool:
        """Whether no number is in it."""
        if self.high is None or self.low < self.high:
            return False
        return self.low > self.high or not (self.low_included and self.high_included)

    def without(self, part: Interval) -> tuple[Interval, ...]:
        """What is left and right of a part of it."""
        left = Interval(self.low, part.low, self.low_included, not part.low_included)
        parts = [left]
        if part.high is not None:
            parts.append(Interval(part.high, self.high, not part.high_included, self.high_included))
        return tuple(one for one in parts if not one.empty)

    def positive(self) -> Interval:
        """The part of it above zero, perhaps empty."""
        return Interval(self.low, self.high, self.low_included and self.low > 0, self.high_included)

    def within(self, low: Fraction, high: Fraction | None) -> Interval:
        """The part of it from one number to another."""
        start, from_included = (self.low, self.low_included) if low <= self.low else (low, True)
        if high is None or (self.high is not None and self.high <= high):
            return Interval(start, self.high, from_included, self.high_included)
        return Interval(start, high, from_included, True)

    def rows(self, coordinate: int, n_coordinates: int) -> tuple[Row, ...]:
        """The interval as inequalities on a coordinate."""
        rows = [(bound_row(self.low, coordinate, n_coordinates), not self.low_included)]
        if self.high is not None:
            rows.append((bound_row(self.high, coordinate, n_coordinates, -1), not self.high_included))
        return tuple(rows)

    def simplest(self) -> Fraction:
        """The number in it with the smallest denominator, and of those the smallest.

        >>> str(Interval(Fraction(13, 5), Fraction(8, 3), high_included=False).simplest())
        '13/5'
        >>> str(Interval(Fraction(13, 5), Fraction(8, 3), False, False).simplest())
        '21/8'
        """
        denominator = 1
        while True:
            top = floor(self.low * denominator)
            for x in (Fraction(top, denominator), Fraction(top + 1, denominator)):
                if x in self:
                    return x
            denominator += 1


def joined(intervals: Iterable[Interval]) -> tuple[Interval, ...]:
    """The union of intervals that do not overlap, in order, those that touch made one.

    >>> zero = Fraction(0)
    >>> [str(one) for one in joined([Interval(zero, None, low_included=False), Interval(zero, zero)])]
    ['x >= 0']
    """
    union: list[Interval] = []
    for one in sorted(intervals, key=lambda one: (one.low, not one.low_included)):
        last = union[-1] if union else None
        if last is not None and last.high == one.low and (last.high_included or one.low_included):
            union[-1] = Interval(last.low, one.high, last.low_included, one.high_included)
        else:
            union.append(one)
    return tuple(union)


def reach(rows: Sequence[Row], coordinate: int) -> Interval:
    """All values of ``z_coordinate / z_0`` over the points that satisfy the rows; there must be one, with ``z_0 > 0``.

    An end is where multipliers prove that no point goes further and a point of the closure is: both are found together,
    as one system (strong duality).
    """
    low, high = (_extreme(rows, coordinate, sign) for sign in (-1, 1))
    assert low is not None  # coordinates are positive
    attained = [end is not None and at(rows, coordinate, end) is not None for end in (low, high)]
    return Interval(low, high, *attained)


def at(rows: Sequence[Row], coordinate: int, value: Fraction) -> Vector | None:
    """A point that satisfies the rows, with this value of a coordinate."""
    n = len(rows[0][0])
    return point_of([*rows, *Interval(value, value).rows(coordinate, n)])


def _extreme(rows: Sequence[Row], coordinate: int, sign: int) -> Fraction | None:
    """The largest (1) or smallest (-1) value over the closure of the cell; None where there is none.

    ``(z, y)`` with ``A z >= 0``, ``y >= 0`` and ``A^T y = sign (z_j e_0 - z_0 e_j)``: then ``y / z_0`` proves that no
    point of the cell has a larger ``sign * z_j / z_0`` than this one.
    """
    n, m = len(rows[0][0]), len(rows)
    question = [((1, *[0] * (n + m - 1)), True)]
    question += [((*vector, *[0] * m), False) for vector, _ in rows]
    question += [(tuple([0] * (n + r) + [1] + [0] * (m - r - 1)), False) for r in range(m)]
    for i in range(n):
        balance = [0] * n + [vector[i] for vector, _ in rows]
        if i == 0:
            balance[coordinate] -= sign
        elif i == coordinate:
            balance[0] += sign
        question += [(tuple(balance), False), (tuple([-a for a in balance]), False)]
    point = point_of(question)
    return None if point is None else Fraction(point[coordinate], point[0])


@dataclass(frozen=True)
class Refutation:
    """A value of the number at which the statement fails, and where; nobody is safe there."""

    value: Fraction
    witness: Witness | PropertyWitness


@dataclass(frozen=True)
class SafeValues:
    """For which values of a number a statement holds.

    Attributes
    ----------
    symbol, statement
        What is asked.
    safe, unsafe
        Proved and refuted values, in order. They are exact: both are everything there is but for ``open``.
    refused
        Values of which the mechanism cannot be made.
    open
        Values not decided, for want of time or cells.
    refutations
        At every end of a safe interval beyond which values are unsafe, one of them, as near as asked for.
    scope
        For whom it is said, in one sentence.
    cells, lemmas
        Cells looked at and refutations found, in all.
    limit
        What left something open, as of a :class:`.exploration.Verdict`.
    """

    symbol: str
    statement: str
    safe: tuple[Interval, ...]
    unsafe: tuple[Interval, ...]
    refused: tuple[Interval, ...]
    open: tuple[Interval, ...]
    refutations: tuple[Refutation, ...]
    scope: str
    cells: int
    lemmas: int
    limit: str

    @property
    def interval(self) -> Interval | None:
        """The safe values, where they are one interval and all is decided."""
        return self.safe[0] if len(self.safe) == 1 and not self.open else None

    def __str__(self) -> str:
        return " or ".join(one.written(self.symbol) for one in self.safe) or f"no {self.symbol}"


def safe_values(
    make: Make,
    symbol: str = "p",
    *,
    agents: int = 3,
    concept: str = "dominant",
    up_to: Rational | None = None,
    lengths: Lengths | None = None,
    start: Rational = 0,
    end: Rational | None = None,
    near: Rational = Fraction(1, 100),
    max_cells: int = MAX_CELLS,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> SafeValues:
    """Find the values of a number with which a mechanism does what is asked, for all lengths.

    Parameters
    ----------
    make
        From the number to the mechanism, custom or of the package; :func:`placed` makes one from a rule.
    symbol
        How the number is called.
    start, end
        Values looked at, both included, none below 0; no ``end``: all from ``start`` on.
    near
        How far beyond an end of the safe values one that fails may be reported.
    agents, concept, up_to, lengths, max_cells, time_limit, progress
        As for :func:`.prover.prove`; valuations are what the made mechanism says, else 0.

    Returns
    -------
    SafeValues
        All values decided, or with some open when a limit was reached or Ctrl-C came.

    Raises
    ------
    InputError
        An empty range; NotPiecewiseLinear when the code does with the number, or with a length, what is not
        piecewise linear (products of the two among them), with the line.
    MechanismError
        The mechanism fails, keeps state or is random.
    """
    low, high = rational(start, "start"), None if end is None else rational(end, "end")
    if low < 0 or (high is not None and high < low) or rational(near, "near") <= 0 or agents < 1:
        raise InputError(
            f"{symbol}: found start {low}, end {high}, near {near} and {agents} agents; expected 0 <= start <= end, "
            "near > 0 and at least 1 agent"
        )
    family = Family((symbol,), make)
    meant = lengths or Lengths(end=None if up_to is None else rational(up_to, "up_to"))
    search = _Search(family, agents, concept, meant, Clock(time_limit), progress, max_cells)
    search.decide(Interval(low, high))
    return search.result(rational(near))


@dataclass(frozen=True)
class _Failing:
    """Unsafe values, and how to show it at each of them: the rows of a cell, or at a single value the witness."""

    values: Interval
    question: Question | None = None
    rows: Sequence[Row] = ()
    witness: Witness | PropertyWitness | None = None


@dataclass
class _Search:
    """Values decided so far."""

    family: Family
    agents: int
    statement: str
    lengths: Lengths
    clock: Clock
    progress: Progress | None
    max_cells: int
    safe: list[Interval] = field(default_factory=list)
    failing: list[_Failing] = field(default_factory=list)
    refused: list[Interval] = field(default_factory=list)
    open: list[Interval] = field(default_factory=list)
    prover: Prover | None = None
    cells: int = 0
    judged: int = 0
    lemmas: int = 0
    why: str = ""

    def decide(self, values: Interval) -> None:
        """Everything about these values; zero, which no symbol is, by itself."""
        positive = values.positive()
        makeable = [] if positive.empty else self._makeable(positive)
        if makeable:
            self.prover = self._prover(makeable[0].simplest(), self.family)
            left, questions = makeable, self.prover.request(self.statement).questions()
            cells, judged = self.cells, self.judged
            self.prover.probe(questions)

            def fails(*cell: Any) -> None:
                self.failing.append(_Failing(*cell))

            for question in questions:
                left = self._divide(question, self.prover.tree, left, fails)
            if left and not self.why:
                self.prover.confirm(Explored(questions, cells=self.cells - cells, judged=self.judged - judged))
            (self.open if self.why else self.safe).extend(left)
        if Fraction(0) in values:
            self._zero()

    def _prover(self, number: Fraction, family: Family | None = None) -> Prover:
        made, worth = self.family.at((number,), self.agents)
        return Prover(made, self.agents, self.lengths, worth, family=family)

    def _zero(self) -> None:
        zero = Interval(Fraction(0), Fraction(0))
        try:
            prover = self._prover(Fraction(0))
        except MechanismError:
            raise
        except InputError:
            self.refused.append(zero)
            return
        self.prover = self.prover or prover
        proof = prover.prove(
            self.statement, self.clock, self.progress, max_cells=self.max_cells - self.cells, processes=1
        )
        self.cells += proof.cells
        self.lemmas += proof.lemmas
        if proof.holds is None:
            self.open.append(zero)
            self.why = self.why or proof.limit
        elif proof.holds:
            self.safe.append(zero)
        else:
            self.failing.append(_Failing(zero, witness=proof.witness))

    def _makeable(self, values: Interval) -> list[Interval]:
        """The values for which the mechanism can be made."""

        def make(x: Sequence[Any]) -> tuple[()]:
            self.family.make(*x)
            return ()

        def is_refused(leaves: Sequence[Node]) -> Sequence[Vector]:
            return (ALWAYS,) if leaves[0].results is None else ()

        positive = (((1, 0), True), ((0, 1), True))
        question = Question(None, "", self.family.names, positive, (Run((0, 1)),), is_refused)
        tree = Tree(Code(self.family.names, make))
        return self._divide(question, tree, [values], lambda part, *_: self.refused.append(part))

    def _divide(
        self, question: Question, tree: Tree, intervals: Sequence[Interval], fail: Callable[..., None]
    ) -> list[Interval]:
        """The values of which a question holds; parts of which it does not go ``beside``, with their cell.

        After a limit was reached, those not refuted are returned too.
        """
        holding, waiting = [], list(intervals)
        coordinate, n = question.n_coordinates - 1, question.n_coordinates
        while waiting:
            values = waiting.pop()
            exploration = Exploration(question, (tree,), values.rows(coordinate, n))
            self._explore(exploration)
            if exploration.failed is None:
                holding.append(values)
                continue
            rows = exploration.failed.rows
            part = reach(rows, coordinate)
            fail(part, question, rows)
            waiting += values.without(part)
        return sorted(holding, key=lambda one: one.low)

    def _explore(self, exploration: Exploration) -> None:
        try:
            done = exploration.explore(self.clock, self.progress, self.max_cells - self.cells)
            limit = TIME if self.clock.expired() else CELLS
        except KeyboardInterrupt:
            done, limit, self.max_cells = False, CTRL_C, self.cells  # which also ends what would follow
        if not done and exploration.failure is None:
            self.why = self.why or limit
        self.cells += exploration.cells
        self.judged += exploration.judged
        self.lemmas += len(exploration.lemmas)

    def result(self, near: Fraction) -> SafeValues:
        """What was found."""
        safe = joined(self.safe)
        return SafeValues(
            symbol=self.family.names[0],
            statement=self.statement,
            safe=safe,
            unsafe=joined(one.values for one in self.failing),
            refused=joined(self.refused),
            open=joined(self.open),
            refutations=self._refutations(safe, near),
            scope="" if self.prover is None else self.prover.scope,
            cells=self.cells,
            lemmas=self.lemmas,
            limit=self.why,
        )

    def _refutations(self, safe: Sequence[Interval], near: Fraction) -> tuple[Refutation, ...]:
        """One beyond every end of the safe values that has unsafe ones beyond it; any one where none are safe."""
        refutations = [] if safe else [self._refutation(one, one.values) for one in self.failing[:1]]
        for part, one in itertools.product(safe, self.failing):
            if one.values.high == part.low:
                refutations.append(self._refutation(one, one.values.within(part.low - near, None)))
            elif part.high is not None and one.values.low == part.high:
                refutations.append(self._refutation(one, one.values.within(part.high, part.high + near)))
        return tuple(sorted(refutations, key=lambda one: one.value))

    def _refutation(self, failing: _Failing, values: Interval) -> Refutation:
        """The statement fails at the simplest of some of the values."""
        if failing.question is None:
            assert failing.witness is not None
            return Refutation(failing.values.low, failing.witness)
        value = values.simplest()
        point = at(failing.rows, failing.question.n_coordinates - 1, value)
        assert point is not None
        assert self.prover is not None
        return Refutation(value, self.prover.witness(self.statement, failing.question, point))
