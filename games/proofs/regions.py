"""Regions of lengths in which a lie pays: all of them, each by exact inequalities, and what the lie gains there.

The cells in which the claim "the lie does not pay" fails are all there is. In each of them the gain is one form of the
numbers. Cells with the same gain whose union is one set of inequalities are joined, and what follows from the others is
left out, so that a region is a short list: exactly where its lies pay, but for what holds of all lengths anyway.

Sets of inequalities ``A`` and ``B`` have as their union one set, if any, that of the inequalities of either that hold
on the other: it is the union where no point of it violates an inequality of ``A`` and one of ``B`` (Bemporad, Fukuda
and Torrisi 2001, Computational Geometry 18).

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> prover = Prover(build("straightforward", Cluster.of([1])), 2, Lengths())
>>> for region in regions(prover, "ex-post", Clock(None)).lies:
...     print(region.agent, region.where, region.gain_text, region.most)
0 ('theta2 < theta1', 'b1 <= theta2') theta2 1
1 ('b2 < theta1', 'theta1 <= theta2') theta1 1
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import inf, lcm
from operator import mul
from typing import Final

from ...support.exact import Extended, scale
from ...support.polygons import Line, Polygon, crop, size, square, within
from ...support.progress import Clock, Progress
from ..equilibria.simplex import maximum
from ..verification.results import Witness
from .execution import Entry
from .exploration import Cell, Exploration
from .feasibility import point_of
from .prover import Prover
from .questions import Lengths, Question, Rows
from .symbols import Vector, primitive, written

FAR: Final = 3
"""The plane of two numbers goes up to so many times the others' sum before it is cropped."""
MOST_BEYOND: Final = 2
"""Regions are joined where each has at most so many inequalities that do not hold at a point of the other."""
MOST_CELLS: Final = 20_000
"""Cells of a question that are looked at for regions."""
MOST_JOINED: Final = 60
"""More cells of a question are no short list, joined or not."""


@dataclass(frozen=True)
class Region:
    """Where a lie of an agent pays: an agent's number, from 0, inequalities, gain, and the largest share of length.

    ``most``: the least number that the gain is nowhere more than so many times the liar's length; infinite where there
    is none. Rows and gain are in the coordinates of the question; ``point``: one of its points.
    """

    question: Question
    rows: Rows
    gain: Entry
    most: Extended
    point: Vector

    @property
    def agent(self) -> int:
        """Who lies."""
        assert self.question.agent is not None
        return self.question.agent

    @property
    def names(self) -> tuple[str, ...]:
        """Coordinates after the constant: ``theta1`` is the length of the first agent, ``b1`` what she declares."""
        return tuple(name.replace("lie", "b") for name in self.question.names)

    @property
    def where(self) -> tuple[str, ...]:
        """The inequalities as texts."""
        return tuple(dict.fromkeys(self._row(row, strict) for row, strict in self.rows))

    @property
    def gain_text(self) -> str:
        """What the lie gains, as a text."""
        if not isinstance(self.gain, tuple):
            return str(self.gain)
        return _text(*self.gain, self.names)

    def _row(self, row: Vector, strict: bool) -> str:
        """``2 b1 < theta2`` of a row that is above zero, ``=`` where it cannot be above zero."""
        right = tuple([max(a, 0) for a in row])
        left = tuple([max(-a, 0) for a in row])
        sign = "<" if strict else "<="
        if not strict and (tuple([-a for a in row]), False) in self.rows:
            left, right, sign = *sorted((left, right), reverse=True), "="
        return f"{_text(left, 1, self.names)} {sign} {_text(right, 1, self.names)}"

    def slice(self, place: Sequence[Fraction | None], whole: Polygon) -> Polygon:
        """The part of a plane that is in it; ``place``: a number for all coordinates but the two that are free."""
        unit = lcm(*(value.denominator for value in place if value is not None))
        free = [j for j, value in enumerate(place, 1) if value is None]
        lines = list[Line]()
        for row, strict in self.rows:
            total = row[0] + sum(a * value for a, value in zip(row[1:], place, strict=True) if value is not None)
            x, y = (row[j] * unit for j in free)
            if x or y:
                lines.append((x, y, int(total * unit)))
            elif total < 0 or (strict and total == 0):
                return ()
        return within(whole, lines)[0]


@dataclass(frozen=True)
class Regions:
    """Regions in which lies pay, all there are if ``complete``."""

    lies: tuple[Region, ...]
    complete: bool

    @property
    def most(self) -> Extended:
        """The least number that no lie gains more than so many times the liar's length; infinite: there is none."""
        return max((region.most for region in self.lies), default=Fraction(0))


def regions(prover: Prover, concept: str, clock: Clock, progress: Progress | None = None) -> Regions:
    """Everywhere that a lie pays, agent by agent; what a limit or Ctrl-C leaves is not complete."""
    lies = list[Region]()
    with suppress(TimeoutError, KeyboardInterrupt):
        for question in _questions(prover, concept):
            cells = Exploration(question, (prover.tree,)).failures(clock, progress, MOST_CELLS)
            lies += _joined([_region(question, cell) for cell in cells], prover.lengths, clock)
        return Regions(tuple(lies), complete=True)
    return Regions(tuple(lies), complete=False)


def region_of(prover: Prover, concept: str, witness: Witness) -> Region:
    """The region around a lie that pays."""
    n, below = witness.agent, witness.lie < witness.length
    question = next(one for one in _questions(prover, concept) if one.agent == n and (one.side == "below") == below)
    values = numbers_of(witness)
    point = primitive(scale([1, *(values[name] for name in question.names)])[0])
    return _reduced(_region(question, Exploration(question, (prover.tree,)).failing_at(point)), prover.lengths)


def numbers_of(witness: Witness) -> dict[str, Fraction]:
    """The numbers of a lie by the names of its question's coordinates."""
    values = {f"b{k}": b for k, b in enumerate(witness.declarations, 1)}
    values |= {f"theta{k}": theta for k, theta in enumerate(witness.lengths, 1)}
    return values | {f"lie{witness.agent + 1}": witness.lie}


def plane(lies: Sequence[Region], witness: Witness, lengths: Lengths) -> list[tuple[Region, Polygon, Fraction]]:
    """Regions of a liar in the plane of length and declaration, all other numbers those of a witness, with their share.

    Regions that are no more than a line there are left out.
    """
    values, free = numbers_of(witness), (f"theta{witness.agent + 1}", f"lie{witness.agent + 1}")
    mine = [region for region in lies if region.agent == witness.agent]
    fixed = [values[name] for name in (mine[0].question.names if mine else ()) if name not in free]
    end = FAR * sum(fixed, witness.length + witness.lie) if lengths.end is None else lengths.end
    whole = square(end)
    if lengths.start:
        top, unit = lengths.start.as_integer_ratio()
        whole, _ = within(whole, [(unit, 0, -top), (0, unit, -top)])
    parts = [
        (region, region.slice([None if name in free else values[name] for name in region.question.names], whole))
        for region in mine
    ]
    if lengths.end is None:
        edges = crop([part for _, part in parts if part], end)
        whole, _ = within(whole, edges)
        parts = [(region, within(part, edges)[0] if part else part) for region, part in parts]
    return [(region, part, size(part) / size(whole)) for region, part in parts if part and size(part)]


def _questions(prover: Prover, concept: str) -> tuple[Question, ...]:
    """About every agent, as no agents were alike, whether any gain is too much."""
    return replace(prover.request(concept), anonymous=False, at_most=Fraction(0)).questions()


def _region(question: Question, cell: Cell) -> Region:
    """A cell as a region, with everything that is known of it."""
    assert question.gain is not None
    gain = question.gain(cell.leaves)
    most: Extended = inf
    if isinstance(gain, tuple):
        top, bottom = gain
        form = [*top, *[0] * (question.n_coordinates - len(top))]
        own = [int(j == 1) for j in range(question.n_coordinates)]  # the liar's length is the first coordinate
        rows = [[-a for a in row] for row, _ in cell.rows if min(row) < 0]
        best = maximum(form, [*rows, own], [0] * len(rows) + [1])
        most = inf if best is None else best.value / bottom
    return Region(question, cell.rows, gain, most, cell.point)


def _reduced(region: Region, lengths: Lengths) -> Region:
    """The same without what follows from the rest and from what all lengths are; long rows go first."""
    always = lengths.rows(region.question.n_coordinates)
    strict = {row: any(one == row and sharp for one, sharp in region.rows) for row, _ in region.rows}
    rows = [(row, sharp) for row, sharp in strict.items() if (row, sharp) not in always]
    for row in sorted(rows, key=lambda row: (-sum(map(bool, row[0])), -sum(map(abs, row[0])), row)):
        others = [one for one in rows if one != row]
        if _follows(row, [*always, *others]):
            rows = others
    return replace(region, rows=tuple(rows))


def _joined(lies: Iterable[Region], lengths: Lengths, clock: Clock) -> list[Region]:
    """The same places, in fewer regions where some are one."""
    left = [_reduced(region, lengths) for region in lies]
    done = list[Region]()
    while 0 < len(left) <= MOST_JOINED - len(done):
        one = left.pop(0)
        for k, other in enumerate(left):
            clock.check()
            if union := _union(one, other, lengths) or _union(other, one, lengths):
                left[k] = union
                break
        else:
            done.append(one)
    return done + left


def _union(one: Region, other: Region, lengths: Lengths) -> Region | None:
    """Both as one region with the gain of the second; None where they are none, or the first has another gain."""
    always, beyond = lengths.rows(one.question.n_coordinates), list[list[tuple[Vector, bool]]]()
    kept = list[tuple[Vector, bool]]()
    if one.gain != other.gain:  # equal numbers may be written otherwise
        if not isinstance(one.gain, tuple) or not isinstance(other.gain, tuple):
            return None
        (top, bottom), (form, unit) = one.gain, other.gain
        apart = tuple([a * unit - b * bottom for a, b in zip(top, form, strict=True)])
        equal = (apart, False), _not((apart, True))
        if sum(map(mul, apart, one.point)) or not all(_follows(row, [*always, *one.rows]) for row in equal):
            return None
    if isinstance(other.gain, tuple):
        kept.append((primitive(other.gain[0]), True))
    for mine, others in ((one, other), (other, one)):
        far = [row for row in mine.rows if sum(map(mul, row[0], others.point)) < row[1]]
        if len(far) > MOST_BEYOND:
            return None
        there = [*always, *others.rows]
        far += [row for row in mine.rows if row not in far and not _follows(row, there)]
        kept += [row for row in mine.rows if row not in far]
        kept += [(row, False) for row, strict in far if strict and _follows((row, False), there)]
        beyond.append(far)
    if any(point_of([*always, *kept, _not(a), _not(b)]) for a, b in product(*beyond)):
        return None
    rows = tuple(dict.fromkeys(kept))
    return _reduced(replace(other, rows=rows, most=max(one.most, other.most)), lengths)


def _text(top: Vector, bottom: int, names: Sequence[str]) -> str:
    """A form as a text, what is added first."""
    order = sorted(range(len(names)), key=lambda j: top[j + 1] < 0)
    return written((top[0], *[top[j + 1] for j in order]), bottom, [names[j] for j in order]).replace("*", " ")


def _follows(row: tuple[Vector, bool], rows: Sequence[tuple[Vector, bool]]) -> bool:
    """Whether one inequality follows from others."""
    return point_of([*rows, _not(row)]) is None


def _not(row: tuple[Vector, bool]) -> tuple[Vector, bool]:
    vector, strict = row
    return tuple([-a for a in vector]), not strict
