r"""Systems of linear inequalities with integer coefficients: a point, or multipliers that refute them.

Model: rows are vectors ``a`` over the coordinates ``z = (z_0, ..., z_k)``, and say ``a . z > 0`` (strict) or
``a . z >= 0``. Whoever means a point ``x = (z_1, ..., z_k) / z_0`` asks for ``z_0 > 0`` as a row.

An answer proves itself: a point satisfies every row; multipliers are not negative, add the rows up to nothing, and give
weight to a strict row (Motzkin's transposition theorem).

>>> system = Inequalities(2)
>>> above, below = system.row((-1, 1)), system.row((2, -1))  # x > 1 and x < 2
>>> first = system.row((1, 0))
>>> system.decide([first, above, below], [True, True, True])
Consistent(point=(2, 3))
>>> system.decide([first, above, ~above], [True, True, False])
Refuted(multipliers=(0, 1, 1))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd
from typing import Any, TypeAlias

import numpy as np

from ...scheduling.compiled import plain, quickest
from .simplex_kernel import REFUTED, TOO_WIDE, Tableau, decide
from .symbols import Vector


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
        self._table: Any = np.zeros((64, n_coordinates), dtype=np.int64)
        self._wide: set[int] = set()
        self._room = self._tableau(32, np.int64)

    def row(self, vector: Vector) -> int:
        """Take a row in and tell its number."""
        number = len(self.vectors)
        self.vectors.append(vector)
        if number == len(self._table):
            self._table = np.concatenate([self._table, np.zeros_like(self._table)])
        if max(map(abs, vector)) < 1 << 30:
            self._table[number] = vector
        else:
            self._wide.add(number)
        return number

    def decide(self, rows: Sequence[int], strict: Sequence[bool]) -> Answer:
        """A point that satisfies these rows, or multipliers that show that there is none."""
        self.questions += 1
        m, n = len(rows), self.n_coordinates
        if not (self._wide and any((row if row >= 0 else ~row) in self._wide for row in rows)):
            if m + n + 1 > self._room.cells.shape[1]:
                self._room = self._tableau(2 * m, np.int64)
            which, flags = np.array(rows, dtype=np.int64), np.array(strict, dtype=np.int64)
            status, _ = quickest(decide, m * (m + n))(self._table, which, flags, self._room, True)
            if status != TOO_WIDE:
                return _read(status, self._room, m, n)
        return self._decide_wide(rows, strict)

    def _decide_wide(self, rows: Sequence[int], strict: Sequence[bool]) -> Answer:
        """The same on Python's integers."""
        m, n = len(rows), self.n_coordinates
        vectors = [self.vectors[r] if r >= 0 else tuple([-a for a in self.vectors[~r]]) for r in rows]
        table: Any = np.empty((m, n), dtype=object)
        for j, vector in enumerate(vectors):
            table[j] = vector
        room = self._tableau(m, object)
        flags: Any = np.array([int(s) for s in strict], dtype=object)
        status, _ = plain(decide)(table, np.arange(m), flags, room, False)
        return _read(status, room, m, n)

    def _tableau(self, rows: int, dtype: Any) -> Tableau:
        n = self.n_coordinates
        return Tableau(np.zeros((n + 1, rows + n + 1), dtype=dtype), np.zeros(n + 1, dtype=np.int64))


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
