"""The plane of two lengths, all others fixed: which placement is an equilibrium where, in exact polygons.

What makes a placement an equilibrium are forms of the lengths, lines in the plane. A polygon is cut along those that
tell, at a point inside, why a placement is an equilibrium or why it is none; what is left of it is so everywhere. Of
the equilibria at a point of the largest part that has none yet, the one that covers most of all such parts comes next,
so that few placements are named. Where no placement is an equilibrium at the point, the part is cut along the lines
that tell why, of every placement.

>>> areas = plane(Shape((2, 1, 1)), (("x", 1), ("y",), (1,)))
>>> [(area.hosts, str(area.share)) for area in areas]
[((0, 2, 1, 2), '11/15'), ((0, 1, 1, 2), '4/15')]
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Final, TypeAlias

import numpy as np

from ....support.exact import Rational, scale
from ....support.jit import plain
from ....support.polygons import Corner, Line, Polygon, crop, halves, inside, size, square, within
from ....support.progress import Clock, Progress
from ...equilibria.simplex import LIMIT
from .cover import STARTS, Search
from .points import found_by_play, found_in_order, game_of, next_placement
from .shapes import Shape

X, Y = "x", "y"
CANDIDATES: Final = 12
"""Equilibria at a point, of which the one that covers most is taken."""
PARTS: Final = 400
"""Parts that are looked at; what is left then is not decided."""
MOST_PLACEMENTS: Final = 20_000
"""Of which is told why none is an equilibrium."""

Rows: TypeAlias = Sequence[Sequence[Rational | str]]
"""Lengths by organization, the longest first, two of them :data:`X` and :data:`Y`."""


@dataclass
class Area:
    """Where a placement is an equilibrium: its host of each job, ``None`` where none is, and convex polygons.

    ``share``: of the plane.
    """

    hosts: tuple[int, ...] | None
    polygons: list[Polygon] = field(default_factory=list)
    share: Fraction = Fraction(0)


def plane(shape: Shape, rows: Rows, clock: Clock | None = None, progress: Progress | None = None) -> list[Area]:
    """Where in the plane which placement is an equilibrium, the largest areas first, then where none is.

    Of parts that nothing is told of, time was over, or they are too small or the placements too many. ``rows`` are in
    the shape's order; the free lengths keep their places in it, and have an end where only small ones are different.
    """
    search, clock = _Plane(shape, rows), clock or Clock(None)
    areas, nowhere = list[Area](), Area(None)
    parts = [search.whole]
    with suppress(KeyboardInterrupt):
        for done in range(PARTS):
            if not parts or clock.expired():
                break
            part = max(parts, key=size)
            point = inside(part)
            candidates = search.equilibria(point)
            if candidates:
                cut = {hosts: search.split(hosts, parts) for hosts in candidates}
                best = max(cut, key=lambda hosts: (sum(map(size, cut[hosts][0])), search.at_home(hosts)))
                stable, parts = cut[best]
                areas.append(Area(best, stable))
            else:
                left, others = search.without(part, point)
                nowhere.polygons += [left] if left else []
                parts = [other for other in parts if other is not part] + others
            if progress is not None:
                progress(done + 1, None, f"parts of the plane, {len(parts):,} left")
    return search.cropped([*areas, nowhere])


def usual(lengths: Sequence[Sequence[Rational]]) -> Rows | None:
    """These lengths, the longest ones of the two organizations with most jobs free; ``None`` without two jobs.

    >>> usual([(1,), (2, 1), (3, 2, 1)])
    [[1], ['x', 1], ['y', 2, 1]]
    """
    rows: list[list[Rational | str]] = [list(row) for row in lengths]
    first = sorted(range(len(rows)), key=lambda k: -len(rows[k]))[:2]
    places = [(k, 0) for k in sorted(first) if rows[k]]
    if len(places) == 1:
        places = [(places[0][0], i) for i in range(len(rows[first[0]]))][:2]
    for (k, i), name in zip(places, (X, Y), strict=False):
        rows[k][i] = name
    return rows if len(places) == 2 else None


class _Plane:
    """A shape's placements and their forms as lines. Lengths are in units in which those that are fixed are whole."""

    def __init__(self, shape: Shape, rows: Rows) -> None:
        self.game = game_of(shape)
        self._search = Search(self.game)
        whole, self.unit = scale([value for row in rows for value in row if not isinstance(value, str)])
        numbers = iter(whole)
        free = {X: (1, 0, 0), Y: (0, 1, 0)}
        lines = [[free[v] if isinstance(v, str) else (0, 0, next(numbers)) for v in row] for row in rows]
        self._lengths = np.array([line for row in lines for line in row], dtype=object)
        pairs = [pair for row in lines for pair in itertools.pairwise([*row, (0, 0, 0)])]
        self._differences = np.array([[a - b for a, b in zip(*pair, strict=True)] for pair in pairs], dtype=object)
        self._lines: dict[int, Line] = {}
        self.end = Fraction(3 * max(1, sum(whole)))
        self.whole = square(self.end)
        for line in self._differences.tolist():
            self.whole, _ = halves(self.whole, line)

    def at_home(self, hosts: Sequence[int]) -> int:
        """How many jobs are."""
        return int((self.game.owner == hosts).sum())

    def equilibria(self, point: Corner) -> list[tuple[int, ...]]:
        """Some placements that are equilibria at a point; those of single jobs at home, if there are any."""
        lengths = self._lengths @ np.array(_whole(point), dtype=object)
        stable = list[tuple[int, ...]]()
        if lengths.sum() > LIMIT:
            return stable
        n, lengths = self.game.start.size - 1, lengths.astype(np.int64)
        hosts = np.where(self.game.fixed, self.game.owner, 0)
        if n ** int((self.game.fixed == 0).sum()) > MOST_PLACEMENTS:
            return [tuple(hosts.tolist())] if found_by_play(self.game, lengths, 0, STARTS, hosts) else []
        while len(stable) < CANDIDATES and found_in_order(self.game, lengths, 0, hosts, MOST_PLACEMENTS):
            stable.append(tuple(hosts.tolist()))
            if not plain(next_placement)(self.game, hosts):
                break
        return stable

    def split(self, hosts: Sequence[int], polygons: Iterable[Polygon]) -> tuple[list[Polygon], list[Polygon]]:
        """The parts of polygons where a placement is an equilibrium, and where it is none."""
        place, sides, waiting = self._place(hosts), (list[Polygon](), list[Polygon]()), list(polygons)
        while waiting:
            polygon = waiting.pop()
            holds, lines = self._why(place, inside(polygon))
            polygon, others = within(polygon, lines)
            waiting += others
            if polygon:
                sides[not holds].append(polygon)
        return sides

    def without(self, polygon: Polygon, point: Corner) -> tuple[Polygon, list[Polygon]]:
        """The part of a polygon around a point in which no placement is an equilibrium, and the others.

        Empty where the placements are too many, or one is an equilibrium that was not found.
        """
        n, jobs, lines = self.game.start.size - 1, self.game.owner.size, dict[Line, None]()
        if n**jobs > MOST_PLACEMENTS:
            return (), []
        for hosts in itertools.product(range(n), repeat=jobs):
            holds, why = self._why(self._place(hosts), point)
            if holds:
                return (), []
            lines |= dict.fromkeys(why)
        return within(polygon, lines)

    def cropped(self, areas: Sequence[Area]) -> list[Area]:
        """The areas up to where lines cross and a margin, in units of the lengths, with their shares."""
        edges = crop([polygon for area in areas for polygon in area.polygons], self.end)
        whole, _ = within(self.whole, edges)
        for area in areas:
            parts = [part for polygon in area.polygons if (part := within(polygon, edges)[0])]
            area.share = sum(map(size, parts), Fraction(0)) / size(whole)
            area.polygons = [tuple((x / self.unit, y / self.unit) for x, y in part) for part in parts]
        return sorted((area for area in areas if area.polygons), key=lambda area: (area.hosts is None, -area.share))

    def _place(self, hosts: Sequence[int]) -> int:
        self._search.begin([hosts])
        return self._search.places[0]

    def _why(self, place: int, point: Corner) -> tuple[bool, list[Line]]:
        """Whether a placement is an equilibrium at a point, and lines: where none is negative it is as well, or not."""
        store, lines, (u, v, unit) = self._search.store, list[Line](), _whole(point)
        for group in range(store.places[place], store.places[place + 1]):
            right, wrong = list[tuple[int, list[Line]]](), list[Line]()
            for choice in range(store.groups[group], store.groups[group + 1]):
                own = [self._line(k) for k in store.entries[store.choices[choice] : store.choices[choice + 1]].tolist()]
                least, line = min((a * u + b * v + c * unit, (a, b, c)) for a, b, c in own)
                if least < 0:
                    wrong.append((-line[0], -line[1], -line[2]))
                else:
                    right.append((least, own))
            if not right:
                return False, wrong
            lines += max(right)[1]
        return True, lines

    def _line(self, number: int) -> Line:
        """A form of the store in the plane."""
        if number not in self._lines:
            a, b, c = (self._search.store.forms[number].astype(object) @ self._differences).tolist()
            self._lines[number] = a, b, c
        return self._lines[number]


def _whole(point: Corner) -> tuple[int, int, int]:
    """A point in a unit in which it is whole, and the unit."""
    unit = lcm(*(value.denominator for value in point))
    return int(point[0] * unit), int(point[1] * unit), unit
