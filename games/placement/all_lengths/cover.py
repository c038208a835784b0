"""A cover: regions of all lengths of a shape, in each of them a placement that is an equilibrium.

From all lengths on, each region gets a placement that is an equilibrium in its middle and is cut along the forms of
the placement's cell (:mod:`.regions`): what they cut off are regions of their own, what is left is a leaf. Only regions
with an interior are looked at. That is enough: a placement's costs are continuous, so regions are closed, and a union
of finitely many closed sets that leaves nothing with an interior out is everything, ties and equal lengths included.

The search goes in *pieces*, each ending after so many leaves with the regions that are still open. The largest part is
cut off first, which is best by far for large covers; to cut off the smallest first is better for some small ones, so
both orders take turns until one ends, or the covers are large. What a piece finds follows from where it begins, and the
cover from that, however many processes share the pieces.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from math import gcd
from typing import Any, Final, ParamSpec, TypeAlias, TypeVar

import numpy as np

from ....parallel.executors import Pool, executor
from ....support.jit import Ints, plain
from ....support.progress import Clock, Progress
from ...equilibria.simplex import GROWN, LIMIT
from . import regions
from .conditions import FULL, Store, add_placement
from .points import Game, found_by_play, found_in_order, game_of, least_makespan, lengths_of
from .shapes import Shape

TRIED: Final = 3
"""Candidates, those with the smallest cells, of which is counted how many parts they leave."""
LARGE: Final = 36
"""Bits that a coordinate of a point may have; a form's value then is within int64."""
STARTS: Final = 6
"""Of best responses, before all placements are looked at."""
CHUNK: Final = 20_000
"""Placements that are looked at in one call."""
LEAVES: Final = 500
"""Of a piece."""
AT_ONCE: Final = 8
"""Pieces of a turn, which processes share."""
TOGETHER: Final = 5_000
"""Leaves of each order after which only the one that begins with the largest parts goes on."""

NUMBERS: Final[tuple[tuple[Any, int], ...]] = ((np.int64, LIMIT), (object, 0))
"""Of linear programs, with their limit: Python integers where int64 does not suffice."""

P = ParamSpec("P")
R = TypeVar("R")
Node: TypeAlias = tuple[str, tuple[Any, ...]]
"""``S`` and a form, ``E`` and pairs of a row and its multiplier, ``Q`` and hosts."""


@dataclass(frozen=True)
class Region:
    """Forms that are not negative, in the order of the path that leads here.

    ``needed``: the numbers of those that others do not imply. ``share``: of all lengths, as regions are counted.
    """

    rows: tuple[tuple[int, ...], ...] = ()
    needed: tuple[int, ...] = ()
    share: float = 1.0


@dataclass
class Piece:
    """A part of a cover: its nodes in order, an open region in the place of what is missing.

    ``places``: the placements that are known where it ends. ``refuted``: lengths for which there is no equilibrium.
    """

    nodes: list[Node | Region] = field(default_factory=list)
    places: tuple[tuple[int, ...], ...] = ()
    leaves: int = 0
    refuted: tuple[int, ...] | None = None

    @property
    def open(self) -> list[Region]:
        """What is missing."""
        return [node for node in self.nodes if isinstance(node, Region)]


class _Program:
    """The linear program of a region, solved in int64 with a limit, or in Python integers."""

    def __init__(self, rows: Ints, region: Region, dtype: Any, limit: int) -> None:
        m, n = len(region.needed), rows.shape[1]
        self.rows, self.region, self.dtype, self.limit = rows, region, dtype, limit
        self.table = np.zeros((m + 2, n + 2), dtype)
        self.basic, self.free = np.zeros(m + 2, np.int64), np.zeros(n + 1, np.int64)
        needed = np.array(region.needed, dtype=np.int64)
        self.unit = self._run(regions.middle)(rows.astype(dtype), needed, self.table, self.basic, self.free, limit)

    def _run(self, kernel: Callable[P, R]) -> Callable[P, R]:
        return kernel if self.limit else plain(kernel)

    def why(self) -> tuple[tuple[int, int], ...]:
        """Rows and multipliers that prove that there is no interior."""
        why = np.zeros(len(self.region.needed), self.dtype)
        self._run(regions.multipliers)(self.table, self.free, why)
        return _pairs(why, self.region.needed)

    def point(self) -> Ints:
        """A point of the interior in whole numbers, in the middle or near it."""
        point = [int(self.table[0, -1])] * self.rows.shape[1]
        for variable, line in zip(self.basic[1:], self.table[1:], strict=True):
            if 1 <= variable <= len(point):
                point[variable - 1] += int(line[-1])
        common = gcd(*point)
        point = [value // common for value in point]
        size = 16
        while max(point) >= 1 << size:  # rounded to fewer digits, as long as it is inside
            rounded = np.array([(value << size) // max(point) + 1 for value in point], dtype=np.int64)
            if size >= LARGE or (self.rows @ rounded > 0).all():
                return rounded
            size += 4
        return np.array(point, dtype=np.int64)

    def parts(self, cell: Ints, store: Store) -> tuple[int, regions.Room]:
        """What the forms of a cell leave where they are negative: how many parts with an interior, plus 1; which."""
        lines, columns = self.table.shape
        room = regions.Room(
            np.zeros((lines + 1, columns), self.dtype),
            np.zeros(lines + 1, np.int64),
            np.zeros(columns - 1, np.int64),
            np.zeros((cell.size, 2), self.dtype),
            np.zeros((cell.size, lines - 1), self.dtype),
        )
        live = self._run(regions.parts)(
            cell,
            store._replace(forms=store.forms.astype(self.dtype, copy=False)),
            self.table,
            self.basic,
            self.free,
            self.unit,
            room,
            self.limit,
        )
        return int(live), room


class Search:
    """What is kept of a game of all lengths while regions are searched: conditions of placements, and scratch."""

    def __init__(self, game: Game) -> None:
        self.game, self.n = game, game.owner.size
        self.store = Store.empty(self.n)
        self._cells = np.zeros((TRIED + 1, len(self.store.forms)), np.int64)
        self.places: list[int] = []
        self._numbers: dict[tuple[int, ...], int] = {}
        self.point = np.zeros(self.n, np.int64)

    def candidates(self) -> tuple[tuple[int, ...], ...]:
        """The placements that are candidates now."""
        return tuple(tuple(self.store.hosts[place].tolist()) for place in self.places)

    def piece(
        self, region: Region, places: Sequence[Sequence[int]], smallest: bool, leaves: int, stop: Callable[[], bool]
    ) -> Piece:
        """Search a region from these candidates on, for so many leaves or until it is to stop."""
        self.begin(places)
        piece, waiting = Piece(), list[Node | Region]([region])
        while waiting:
            item = waiting.pop()
            if not isinstance(item, Region):
                piece.nodes.append(item)
                piece.leaves += item[0] != "S"
            elif piece.leaves >= leaves or stop():
                piece.nodes.append(item)
            else:
                nodes, piece.refuted = self.look(item, smallest)
                if piece.refuted is not None:
                    break
                waiting += reversed(nodes)
        piece.places = self.candidates()
        return piece

    def begin(self, places: Sequence[Sequence[int]]) -> None:
        """Take these placements as candidates, and no others."""
        self.places = []
        for hosts in places:
            self.add(hosts)

    def add(self, hosts: Sequence[int]) -> None:
        """One candidate more."""
        key = tuple(hosts)
        while (place := self._numbers.get(key, FULL)) == FULL:
            place = int(add_placement(self.game, np.array(hosts, dtype=np.int64), self.store))
            if place == FULL:
                self.store = self.store.grown()
                self._cells = np.zeros((TRIED + 1, len(self.store.forms)), np.int64)
            self._numbers[key] = place
        if place not in self.places:
            self.places.append(place)

    def middle(self, region: Region) -> tuple[int, ...] | None:
        """Differences of lengths in a region, in the middle or near it; ``None`` where it has no interior."""
        programs = (_Program(self._rows(region), region, *numbers) for numbers in NUMBERS)
        program = next(each for each in programs if each.unit != GROWN)
        return tuple(program.point().tolist()) if program.table[0, -1] else None

    def _rows(self, region: Region) -> Ints:
        return np.array(region.rows, dtype=np.int64).reshape(len(region.rows), self.n)

    def look(self, region: Region, smallest: bool) -> tuple[list[Node | Region], tuple[int, ...] | None]:
        """The nodes of a region up to its leaf, with regions for what is cut off; or lengths without an equilibrium."""
        rows = self._rows(region)
        for dtype, limit in NUMBERS:
            program = _Program(rows, region, dtype, limit)
            if program.unit == GROWN:
                continue
            if not program.table[0, -1]:
                return [("E", program.why())], None
            self.point = program.point()
            tried, sizes, cells = self._candidates(rows)
            if tried[0] < 0:
                hosts = self._another()
                if hosts is None:
                    return [], tuple(self.point.tolist())
                self.add(hosts.tolist())
                tried, sizes, cells = self._candidates(rows)
            cut = [program.parts(cells[k, : sizes[k]], self.store) for k in range(TRIED) if tried[k] >= 0]
            if all(live != GROWN for live, _ in cut):
                k = min(range(len(cut)), key=lambda k: cut[k][0])
                return self._cut(region, int(tried[k]), cells[k, : sizes[k]], cut[k][1], smallest), None
        raise AssertionError("Python integers do not grow too large")

    def _candidates(self, rows: Ints) -> tuple[Ints, Ints, Ints]:
        """Known placements that are equilibria at the point, with cells."""
        tried, sizes = np.zeros(TRIED, np.int64), np.zeros(TRIED, np.int64)
        cells = self._cells
        active = np.array(self.places, dtype=np.int64)
        regions.candidates(active, self.point, rows, self.store, tried, sizes, cells)
        return tried, sizes, cells

    def _another(self) -> Ints | None:
        """A placement that is what is meant at the point, or ``None`` where there is none."""
        lengths, hosts = lengths_of(self.game, self.point), np.zeros(self.n, np.int64)
        optimum = least_makespan(lengths, self.game.start.size - 1) if self.game.most[0] > 0 else 0
        if found_by_play(self.game, lengths, optimum, STARTS, hosts):
            return hosts
        hosts = np.where(self.game.fixed, self.game.owner, 0)
        while (code := found_in_order(self.game, lengths, optimum, hosts, CHUNK)) < 0:
            pass
        return hosts if code else None

    def _cut(self, region: Region, place: int, cell: Ints, parts: regions.Room, smallest: bool) -> list[Node | Region]:
        """The nodes of a region that is cut along a cell: the parts with an interior by their size, then the others."""
        forms = [*map(tuple, self.store.forms[cell].tolist())]
        size = [num / den for num, den in parts.slack.tolist()]
        live = [k for k, value in enumerate(size) if value]
        live.sort(key=lambda k: size[k] if smallest else -size[k])
        share = region.share / (len(live) + 1)
        rows, needed = region.rows, region.needed
        nodes: list[Node | Region] = []
        for k in live:
            away = tuple(-c for c in forms[k])
            nodes += [("S", forms[k]), Region((*rows, away), (*needed, len(rows)), share)]
            rows, needed = (*rows, forms[k]), (*needed, len(rows))
        for k, value in enumerate(size):
            if not value:
                nodes += [("S", forms[k]), ("E", _pairs(parts.whys[k], (*region.needed, len(rows))))]
                rows = (*rows, forms[k])
        nodes.append(("Q", tuple(self.store.hosts[place].tolist())))
        return nodes


class Cover:
    """A cover that grows, turn by turn.

    Attributes
    ----------
    leaves
        So far.
    refuted
        Differences of lengths for which there is no equilibrium; ``None``: none is known.
    """

    def __init__(self, search: Search, smallest: bool) -> None:
        self._search, self.smallest = search, smallest
        self.root = Region(tuple(map(tuple, search.game.rows.tolist())), tuple(range(len(search.game.rows))))
        self.open = [self.root]
        self.leaves = 0
        self.refuted: tuple[int, ...] | None = None
        self._pieces: dict[int, Piece] = {}
        self._places: dict[tuple[int, ...], None] = {}

    @property
    def done(self) -> float:
        """The share of all lengths that is decided."""
        return 1 - sum(region.share for region in self.open)

    def middles(self) -> Iterator[tuple[int, ...]]:
        """Differences of lengths in open regions, the next one first."""
        return (point for region in self.open if (point := self._search.middle(region)) is not None)

    def turn(self, pool: Pool, clock: Clock) -> None:
        """Search the first open regions, each for one piece."""
        now, others = self.open[:AT_ONCE], self.open[AT_ONCE:]
        places = tuple(self._places)
        if pool.workers == 1:
            pieces = [self._search.piece(each, places, self.smallest, LEAVES, clock.expired) for each in now]
        else:
            question = pickle.dumps(self._search.game), places, self.smallest, clock.left()
            futures = [pool.submit(_piece, each, *question) for each in now]
            pieces = [future.result() for future in futures]
        for region, piece in zip(now, pieces, strict=True):
            self.leaves += piece.leaves
            self.refuted = self.refuted or piece.refuted
            self._places |= dict.fromkeys(piece.places)
            self._pieces[id(region)] = piece
        self.open = [*(region for piece in pieces for region in piece.open), *others]  # at once: Ctrl-C loses nothing

    def nodes(self) -> Iterator[Node]:
        """All nodes, each before what follows from it."""
        waiting: list[Node | Region] = [self.root]
        while waiting:
            item = waiting.pop()
            if isinstance(item, Region):
                waiting += reversed(self._pieces[id(item)].nodes)
            else:
                yield item


def cover(game: Game, clock: Clock, progress: Progress | None = None, processes: int = 1) -> Cover:
    """Search until all lengths are covered, or some refute it, or it is time to stop: then regions are open.

    Parameters
    ----------
    game
        Which equilibria are meant, see :class:`.points.Game`.
    clock
        When to stop; Ctrl-C does as well.
    progress
        Takes reports of the leaves.
    processes
        Worker processes; the cover is the same with any number of them.

    >>> from .points import game_of
    >>> from .shapes import Shape
    >>> small = cover(game_of(Shape((2, 1, 1))), Clock(None))
    >>> small.leaves, small.done, next(small.nodes())
    (8, 1, ('S', (1, 0, -1, 0)))
    """
    search = Search(game)
    orders = [Cover(search, False), Cover(search, True)]
    with executor(processes) as pool:
        while True:
            if min(order.leaves for order in orders) > TOGETHER:
                orders = orders[:1]
            order, interrupted = min(orders, key=lambda order: order.leaves), True
            with suppress(KeyboardInterrupt):
                order.turn(pool, clock)
                interrupted = False
            if progress is not None:
                progress(sum(each.leaves for each in orders), None, f"{order.done:.0%} of all lengths")
            if not order.open or order.refuted is not None:
                return order
            if interrupted or clock.expired():
                return max(orders, key=lambda order: order.done)


@lru_cache(maxsize=1)
def _searching(game: bytes) -> Search:
    return Search(pickle.loads(game))


def _piece(
    region: Region, game: bytes, places: Sequence[Sequence[int]], smallest: bool, seconds: float | None
) -> Piece:
    return _searching(game).piece(region, places, smallest, LEAVES, Clock(seconds).expired)


def _pairs(multipliers: Ints, rows: Sequence[int]) -> tuple[tuple[int, int], ...]:
    return tuple([(row, m) for row, m in zip(rows, multipliers.tolist(), strict=True) if m])


LEFTOVER_LEAVES: Final = 200
"""Leaves of a cover whose open regions are where a game without equilibrium may still be."""


@lru_cache(maxsize=256)
def leftover(shape: Shape, leaves: int = LEFTOVER_LEAVES) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """A game of each region that is open after so many leaves, the next region first; one without equilibrium alone.

    >>> leftover(Shape((3, 2, 1, 1)), 10)[0]
    ((7, 5, 4), (12, 4), (5,), (9,))
    """
    search = Search(game_of(shape))
    piece = search.piece(Region(), (), False, leaves, lambda: False)
    points = map(search.middle, piece.open) if piece.refuted is None else [piece.refuted]
    return tuple(shape.lengths(point) for point in points if point is not None)
