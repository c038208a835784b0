"""Systems of linear inequalities with integer coefficients: a point, or multipliers that refute them.

Model: rows are vectors ``a`` over the coordinates ``z = (z_0, ..., z_k)``, and say ``a . z > 0`` (strict) or
``a . z >= 0``. Whoever means a point ``x = (z_1, ..., z_k) / z_0`` asks for ``z_0 > 0`` as a row.

An answer proves itself: a point satisfies every row; multipliers are not negative, add the rows up to nothing, and give
weight to a strict row (Motzkin's transposition theorem). Phase one of the simplex method looks for multipliers with the
weights of strict rows adding up to 1; when there are none, the dual values of the last tableau are a point. Every entry
is an integer over one common denominator, the last pivot (Edmonds): all divisions come out even. The least index enters
and leaves (Bland), so that it ends.

>>> system = Inequalities(2)
>>> above, below = system.row((-1, 1)), system.row((2, -1))  # x > 1 and x < 2
>>> first = system.row((1, 0))
>>> system.decide([first, above, below], [True, True, True])
Consistent(point=(2, 3))
>>> system.decide([first, above, ~above], [True, True, False])
Refuted(multipliers=(0, 1, 1))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import gcd
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from ...support.jit import Ints, jit, lean, plain, quickest
from .symbols import Vector

CONSISTENT: Final = 0
REFUTED: Final = 1
TOO_WIDE: Final = 2
"""A product might not fit 64 bits."""


class Tableau(NamedTuple):
    """Room for one question with at most as many rows as columns of ``cells`` allow.

    ``cells``: one row per coordinate and one for the strict rows; one column per inequality, one per coordinate, and
    the right side. ``basis``: the inequality that is basic in each row, -1 for none.
    """

    cells: Ints
    basis: Ints


@jit
def _pivot(cells: Ints, row: int, column: int, width: int, before: Any) -> Any:
    """Make ``column`` the unit vector of ``row``; ``before`` is the common denominator, the new one is returned."""
    pivot = cells[row, column]
    for i in range(cells.shape[0]):
        if i != row:
            factor = cells[i, column]
            if factor != 0:
                for j in range(width):
                    cells[i, j] = (cells[i, j] * pivot - factor * cells[row, j]) // before
            elif pivot != before:
                for j in range(width):
                    if cells[i, j] != 0:
                        cells[i, j] = cells[i, j] * pivot // before
    return pivot


@jit
def _wide(cells: Ints, width: int) -> bool:
    for i in range(cells.shape[0]):
        for j in range(width):
            if abs(cells[i, j]) > 1_000_000_000:
                return True
    return False


@jit
def _leaving(cells: Ints, basis: Ints, entering: int, width: int) -> int:
    """The row of least quotient, the strict rows' before all others and then that of the least basic inequality."""
    n = basis.size - 1
    leaving = n
    for i in range(n):
        if basis[i] >= 0 and cells[i, entering] > 0:
            here = cells[i, width - 1] * cells[leaving, entering]
            best = cells[leaving, width - 1] * cells[i, entering]
            if here < best or (here == best and leaving < n and basis[i] < basis[leaving]):
                leaving = i
    return leaving


@lean
def decide(rows: Ints, which: Ints, strict: Ints, tableau: Tableau, narrow: bool) -> tuple[int, int]:
    """Answer, and the number of pivots.

    rows: (R, n), all inequalities known; which: (m,), the ``j``-th of the question is row ``which[j]``, negated where
    it is ``-1 - row``; strict: (m,) 0 or 1. The tableau is overwritten: refuted, its right side holds the multipliers
    of ``basis``; consistent, its last row holds minus the solution in the columns of the coordinates.
    """
    cells, basis = tableau.cells, tableau.basis
    m, n = which.size, rows.shape[1]
    width = m + n + 1
    for j in range(m):
        row = which[j]
        for i in range(n):
            cells[i, j] = rows[row, i] if row >= 0 else -rows[-1 - row, i]
        cells[n, j] = strict[j]
    for i in range(n + 1):
        for j in range(m, width):
            cells[i, j] = 0
        cells[i, m + i] = 1  # for i == n: the right side
        basis[i] = -1
    before = cells[n, width - 1]
    pivots, i = 0, 0
    while True:
        row, column = -1, -1
        if i < n:  # first every coordinate's equation gets a basic inequality, if it has any
            for j in range(m):
                if cells[i, j] != 0:
                    row, column = i, j
                    break
            i += 1
            if row < 0:
                continue
        else:
            for j in range(m):
                if cells[n, j] > 0:
                    column = j
                    break
            if column < 0:
                return CONSISTENT, pivots
            row = _leaving(cells, basis, column, width)
        if narrow and _wide(cells, width):
            return TOO_WIDE, pivots
        if cells[row, column] < 0:
            for k in range(width):
                cells[row, k] = -cells[row, k]
        before = _pivot(cells, row, column, width, before)
        basis[row] = column
        pivots += 1
        if row == n:
            return REFUTED, pivots


@dataclass(frozen=True)
class Consistent:
    """A point that satisfies every row."""

    point: Vector


@dataclass(frozen=True)
class Refuted:
    """One multiplier >= 0 per row of the question."""

    multipliers: Vector


Answer: TypeAlias = Consistent | Refuted


class Inequalities:
    """The rows that may occur in questions, each known by its number; ``~number`` is the row negated.

    Parameters
    ----------
    n_coordinates
        Length of a row.
    """

    def __init__(self, n_coordinates: int) -> None:
        self.n_coordinates = n_coordinates
        self.vectors: list[Vector] = []
        self.questions = 0
        self._narrow, self._exact = (_Kept(n_coordinates, dtype) for dtype in (np.int64, object))
        self._wide: set[int] = set()

    def row(self, vector: Vector) -> int:
        """Take a row in and tell its number."""
        number = len(self.vectors)
        self.vectors.append(vector)
        self._exact.write(number, vector)
        if max(map(abs, vector)) < 1 << 30:
            self._narrow.write(number, vector)
        else:
            self._wide.add(number)
        return number

    def decide(self, rows: Sequence[int], strict: Sequence[bool]) -> Answer:
        """A point that satisfies these rows, or multipliers that show that there is none."""
        self.questions += 1
        m, n = len(rows), self.n_coordinates
        run = plain(decide)
        if not (self._wide and any((row if row >= 0 else ~row) in self._wide for row in rows)):
            run = quickest(decide, m * (m + n))
            if run is decide:
                status = self._narrow.ask(run, rows, strict)
                if status != TOO_WIDE:
                    return _read(status, self._narrow.room, m, n)
                run = plain(decide)
        return _read(self._exact.ask(run, rows, strict), self._exact.room, m, n)


class _Kept:
    """Rows as the kernel takes them, and a tableau for its questions.

    In int64 for its compiled form; in Python's integers, which hold any number, for the interpreter, which is quicker
    with them.
    """

    def __init__(self, n_coordinates: int, dtype: Any) -> None:
        self.n_coordinates, self.dtype = n_coordinates, dtype
        self.table: Any = np.zeros((64, n_coordinates), dtype)
        self.room = self._tableau(32)

    def write(self, number: int, vector: Vector) -> None:
        """Row ``number``; the numbers only grow."""
        while number >= len(self.table):
            self.table = np.concatenate([self.table, np.zeros_like(self.table)])
        self.table[number] = vector

    def ask(self, run: Callable[..., tuple[int, int]], rows: Sequence[int], strict: Sequence[bool]) -> int:
        """What a form of the kernel answers; ``room`` has the rest."""
        if len(rows) + self.n_coordinates + 1 > self.room.cells.shape[1]:
            self.room = self._tableau(2 * len(rows))
        flags: Any = np.array([int(s) for s in strict], self.dtype)
        status, _ = run(self.table, np.array(rows, np.int64), flags, self.room, self.dtype is not object)
        return status

    def _tableau(self, rows: int) -> Tableau:
        n = self.n_coordinates
        return Tableau(np.zeros((n + 1, rows + n + 1), self.dtype), np.zeros(n + 1, np.int64))


def _read(status: int, room: Tableau, m: int, n: int) -> Answer:
    """What the last tableau says, in smallest integers."""
    if status == REFUTED:
        found = [0] * m
        for i, j in enumerate(room.basis.tolist()):
            if j >= 0:
                found[j] = int(room.cells[i, m + n])
        return Refuted(_smallest(found))
    return Consistent(_smallest([-int(a) for a in room.cells[n, m : m + n].tolist()]))


def _smallest(vector: Sequence[int]) -> Vector:
    common = gcd(*vector)
    return tuple([a // common for a in vector]) if common > 1 else tuple(vector)
