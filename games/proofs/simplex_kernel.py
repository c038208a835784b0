"""Phase one of the simplex method on integers: are these linear inequalities consistent?

The rows ``a_j . z > 0`` or ``>= 0`` have no common solution ``z`` exactly if multipliers ``y >= 0`` exist with
``sum y_j a_j = 0`` that give weight to a strict row (Motzkin's transposition theorem). The kernel looks for such ``y``
with the weights of strict rows adding up to 1; when there is none, the multipliers of the last tableau are a ``z``.

Every entry is kept as an integer over one common denominator, the last pivot (Edmonds): all divisions come out even.
The least index enters and leaves (Bland), so that it ends.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from ...support.jit import Ints, inlined, lean

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


@inlined
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


@inlined
def _wide(cells: Ints, width: int) -> bool:
    for i in range(cells.shape[0]):
        for j in range(width):
            if abs(cells[i, j]) > 1_000_000_000:
                return True
    return False


@inlined
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
