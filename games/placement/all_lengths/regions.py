"""One region of lengths: its middle, a placement that is an equilibrium there, and where it ceases to be one.

A region is a cone of differences ``x >= 0`` on which some forms, its *rows*, are not negative. Its middle is a point
from which all of them are as far from 0 as possible: a linear program whose origin is feasible. A region without
interior is left out, and the multipliers of its rows say why.

The *cell* of a placement at a point is a list of forms; where none is negative it is an equilibrium. The region is cut
by them one after the other: the part where a form is not positive is a region of its own, and the search goes on where
no form is negative.
"""

from __future__ import annotations

from typing import NamedTuple

from ....support.jit import Ints, lean
from ...equilibria.simplex import GROWN, maximise, reoptimise
from .conditions import Store, above, implied_by


class Room(NamedTuple):
    """Where the programs of a region's parts are solved, and what is known of each.

    ``slack``: a numerator and a denominator of how far the part's middle is inside, 0 without interior; then its
    multipliers are a line of ``whys``, the part's own row the last.
    """

    table: Ints
    basic: Ints
    free: Ints
    slack: Ints
    whys: Ints


@lean
def middle(rows: Ints, needed: Ints, table: Ints, basic: Ints, free: Ints, limit: int) -> int:
    """Solve the program of a region: ``t`` as large as possible, all rows and coordinates at least ``t``, their sum at
    most 1. The unit, or ``GROWN``. The variables are ``t`` and what the coordinates are above it.
    """
    n, m = rows.shape[1], needed.size
    for i in range(m + 2):
        for j in range(n + 2):
            table[i, j] = 1 if i == 1 else 0
    table[0, 0] = -1
    table[1, 0] = n
    for k in range(m):
        total = 0
        for j in range(n):
            value = rows[needed[k], j]
            table[k + 2, j + 1] = -value
            total += value
        table[k + 2, 0] = 1 - total
    for j in range(n + 1):
        free[j] = j
    basic[0] = -1
    for k in range(m + 1):
        basic[k + 1] = n + 1 + k
    return maximise(table[: m + 2, : n + 2], basic, free, 1, limit)


@lean
def with_row(form: Ints, table: Ints, basic: Ints, free: Ints, unit: int, size: int, limit: int) -> int:
    """Solve it once more with ``form <= 0`` as the row after the first ``size`` lines; the unit, or ``GROWN``."""
    n = form.size
    total = 0
    for value in form:
        total += value
    width = n + 2
    for j in range(width):
        table[size, j] = 0
    for j in range(n + 1):
        v = free[j]
        if v <= n:
            table[size, j] = unit * ((1 + total) if v == 0 else form[v - 1])
    for i in range(1, size):
        v = basic[i]
        if v <= n:
            factor = (1 + total) if v == 0 else form[v - 1]
            if factor != 0:
                for j in range(width):
                    table[size, j] -= factor * table[i, j]
    basic[size] = n + size
    return reoptimise(table[: size + 1, :width], basic, free, unit, limit)


@lean
def multipliers(table: Ints, free: Ints, out: Ints) -> None:
    """Multipliers of the rows whose sum proves that a region has no interior, put into ``out``."""
    n = free.size - 1
    for k in range(out.size):
        out[k] = 0
    for j in range(n + 1):
        if free[j] > n + 1:
            out[free[j] - n - 2] = table[0, j]


@lean
def _value(number: int, point: Ints, store: Store) -> int:
    """A form at the region's point."""
    if store.stamp[number] != store.sizes[5]:
        store.stamp[number] = store.sizes[5]
        store.inside[number] = -1
        total = 0
        for j in range(point.size):
            total += store.forms[number, j] * point[j]
        store.value[number] = total
    return int(store.value[number])


@lean
def _inside(number: int, rows: Ints, store: Store) -> bool:
    """Whether a row alone shows that a form, whose value is known, is not negative in the region."""
    if store.inside[number] < 0:
        store.inside[number] = 0
        for k in range(rows.shape[0]):
            if above(store.forms[number], rows[k]):
                store.inside[number] = 1
                break
    return bool(store.inside[number] == 1)


@lean
def _holds(choice: int, point: Ints, store: Store) -> bool:
    """Whether no form of a choice is negative at the point."""
    for entry in range(store.choices[choice], store.choices[choice + 1]):
        if _value(store.entries[entry], point, store) < 0:
            return False
    return True


@lean
def holds_here(place: int, point: Ints, store: Store) -> bool:
    """Whether a placement is what is meant at the point."""
    for group in range(store.places[place], store.places[place + 1]):
        good = False
        for choice in range(store.groups[group], store.groups[group + 1]):
            if _holds(choice, point, store):
                good = True
                break
        if not good:
            return False
    return True


@lean
def _news(choice: int, rows: Ints, store: Store, cell: Ints, count: int) -> int:
    """How many forms of a choice neither a row nor a form of the cell implies."""
    new = 0
    for entry in range(store.choices[choice], store.choices[choice + 1]):
        number = store.entries[entry]
        if not _inside(number, rows, store) and not implied_by(number, cell, 0, count, store):
            new += 1
    return new


@lean
def cell_of(place: int, point: Ints, rows: Ints, store: Store, cell: Ints) -> int:
    """Forms that make a placement what is meant, none negative at the point, put into ``cell``; how many.

    Groups with one possible choice come first. Of several the one with the fewest new forms is taken, of such the one
    that is farthest from being wrong.
    """
    count = 0
    for several in range(2):
        for group in range(store.places[place], store.places[place + 1]):
            possible, best, fewest, farthest = 0, -1, 0, 0
            for choice in range(store.groups[group], store.groups[group + 1]):
                if not _holds(choice, point, store):
                    continue
                possible += 1
                if several == 0 and possible > 1:
                    break
                new = _news(choice, rows, store, cell, count)
                slack = -1
                for entry in range(store.choices[choice], store.choices[choice + 1]):
                    value = store.value[store.entries[entry]]
                    if slack < 0 or value < slack:
                        slack = value
                if best < 0 or new < fewest or (new == fewest and slack > farthest):
                    best, fewest, farthest = choice, new, slack
                if new == 0:
                    break
            if fewest == 0 or (several == 0) != (possible == 1):
                continue
            for entry in range(store.choices[best], store.choices[best + 1]):
                number = store.entries[entry]
                if store.inside[number] != 1 and not implied_by(number, cell, 0, count, store):
                    cell[count] = number
                    count += 1
    kept = 0
    for i in range(count):  # a later form may imply an earlier one
        if not implied_by(cell[i], cell, i + 1, count, store):
            cell[kept] = cell[i]
            kept += 1
    return kept


@lean
def candidates(active: Ints, point: Ints, rows: Ints, store: Store, tried: Ints, sizes: Ints, cells: Ints) -> None:
    """Of the active placements that are what is meant at the point, those with the smallest cells.

    Put into ``tried``, -1 where there are no more, ``sizes`` and the lines of ``cells``, whose last line is scratch.
    """
    many = tried.size
    store.sizes[5] += 1
    for k in range(many):
        tried[k] = -1
    for place in active:
        if holds_here(place, point, store):
            count = cell_of(place, point, rows, store, cells[many])
            k = many
            while k > 0 and (tried[k - 1] < 0 or count < sizes[k - 1]):
                k -= 1
            if k < many:
                for i in range(many - 1, k, -1):
                    tried[i], sizes[i] = tried[i - 1], sizes[i - 1]
                    for j in range(sizes[i]):
                        cells[i, j] = cells[i - 1, j]
                tried[k], sizes[k] = place, count
                for j in range(count):
                    cells[k, j] = cells[many, j]


@lean
def parts(cell: Ints, store: Store, table: Ints, basic: Ints, free: Ints, unit: int, room: Room, limit: int) -> int:
    """How many parts of a region, which the forms of a cell leave where they are negative, have an interior.

    One more, that is. ``table``, ``basic``, ``free``, ``unit``: of the region's program. The answer is ``GROWN`` where
    numbers are too large.
    """
    lines, columns = basic.size, free.size + 1
    live = 0
    for k in range(cell.size):
        for i in range(lines):
            room.basic[i] = basic[i]
            for j in range(columns):
                room.table[i, j] = table[i, j]
        for j in range(free.size):
            room.free[j] = free[j]
        now = with_row(store.forms[cell[k]], room.table, room.basic, room.free, unit, lines, limit)
        if now <= 0:
            return GROWN
        room.slack[k, 0], room.slack[k, 1] = room.table[0, columns - 1], now
        if room.slack[k, 0] > 0:
            live += 1
        else:
            multipliers(room.table, room.free, room.whys[k])
    return live + 1
