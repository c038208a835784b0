"""Compiled passes of one coalition over the flat table of a game, see :mod:`.table`.

A *context* is what everybody else plays; its *slice* holds the members' joint strategies, profile ``base + offset`` for
each of the coalition's ``offsets``. A pass goes from context to context, those in which a profile still stands, and
strikes out of ``standing`` what a deviation of the coalition upsets.

int64 cells as :mod:`..normal_form` proves them (sums of one cell per player stay below ``2**59``), or Python integers
and infinities with the plain functions. ``huge`` is what an infinite difference reaches: ``2**60``, or ``inf``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...support.jit import jit, lean
from .results import ALL_GAIN, TOTAL


class Coalition(NamedTuple):
    """A coalition in a table; only ``standing`` is modified."""

    table: Any
    """Costs, ``(players, profiles)``."""
    members: Any
    """Numbers of the players."""
    strides: Any
    """Per member, how far her next strategy lies in the flat table."""
    sizes: Any
    """Per member, how many strategies she has."""
    offsets: Any
    """Of all joint strategies."""
    standing: Any
    """Whether no deviation is known that upsets the profile."""


class State(NamedTuple):
    """Where a pass is, so that it can be left and taken up again."""

    met: Any
    """By base of a context: the number of the last pass that met it."""
    live: Any
    """The profiles of the open context that still stand."""
    at: Any
    """The next candidate, base and next offset of the open context, profiles in ``live`` (0: no context is open)."""


@jit
def _opened(coalition: Coalition, state: State, candidates: Any, mark: int) -> bool:
    """Open the context of the next candidate whose context was not met in this pass; False after the last one."""
    strides, sizes, offsets, standing = coalition.strides, coalition.sizes, coalition.offsets, coalition.standing
    met, live, at = state
    while at[0] < candidates.size:
        base = candidates[at[0]]
        at[0] += 1
        for k in range(sizes.size):
            base -= base // strides[k] % sizes[k] * strides[k]
        if met[base] == mark:
            continue
        met[base] = mark
        count = 0
        for offset in offsets:
            if standing[base + offset]:
                live[count] = base + offset
                count += 1
        at[1], at[2], at[3] = base, 0, count
        if count:
            return True
    return False


@jit
def _upsets(coalition: Coalition, notion: int, huge: Any, cell: int, place: int) -> bool:
    """Whether the deviation from ``place`` to ``cell`` pays the members."""
    table, members = coalition.table, coalition.members
    some = won = False
    total = 0
    for i in members:
        old, new = table[i, place], table[i, cell]
        if new == old:
            if notion == ALL_GAIN:
                return False
            continue
        gain = old - new
        if gain <= -huge or (notion != TOTAL and gain < 0):
            return False
        if gain >= huge:
            won = True
        else:
            total += gain
        some = True
    return some and (won or total > 0)


@jit
def _within(coalition: Coalition, notion: int, top: Any, cell: int) -> bool:
    """Whether the cell may upset anything: nobody's cost there is beyond (``all-gain``: is) the most in ``top``."""
    table, members = coalition.table, coalition.members
    for k in range(members.size):
        cost = table[members[k], cell]
        if cost > top[k] or (cost == top[k] and notion == ALL_GAIN):
            return False
    return True


@jit
def _raise_to(coalition: Coalition, live: Any, count: int, top: Any) -> None:
    """The most that each member pays in a live profile, written to ``top``."""
    table, members = coalition.table, coalition.members
    for k in range(members.size):
        top[k] = table[members[k], live[0]]
        for position in range(1, count):
            if table[members[k], live[position]] > top[k]:
                top[k] = table[members[k], live[position]]


@lean
def by_pairs(
    coalition: Coalition, state: State, candidates: Any, mark: int, notion: int, huge: Any, top: Any, steps: int
) -> bool:
    """Every cell of a slice beside every profile of it that stands; False when so many steps were not enough.

    ``top`` is scratch space, a cell per member: a cell in which one pays more than in all live profiles is left at once
    (not under ``total``); what live profiles cost at most is found anew when half of them are gone.
    """
    live, at, offsets, standing = state.live, state.at, coalition.offsets, coalition.standing
    known = 0  # how many were live when ``top`` was found
    while True:
        if at[3] == 0:
            if not _opened(coalition, state, candidates, mark):
                return True
            known = 0
            steps -= offsets.size
        while at[2] < offsets.size and at[3] > 0:
            if steps <= 0:
                return False
            if notion != TOTAL and (known == 0 or 2 * at[3] <= known):
                known = at[3]
                _raise_to(coalition, live, known, top)
            cell = at[1] + offsets[at[2]]
            at[2] += 1
            steps -= 1
            if notion != TOTAL and not _within(coalition, notion, top, cell):
                continue
            steps -= at[3]
            position = 0
            while position < at[3]:
                if _upsets(coalition, notion, huge, cell, live[position]):
                    standing[live[position]] = False
                    at[3] -= 1
                    live[position] = live[at[3]]
                else:
                    position += 1
        at[3] = 0


@jit
def _together(coalition: Coalition, cell: int) -> Any:
    """What a cell costs the members together."""
    table, members = coalition.table, coalition.members
    cost = table[members[0], cell]
    for k in range(1, members.size):
        cost += table[members[k], cell]
    return cost


@jit
def _least_so_far(coalition: Coalition, together: bool, cell: int, first: bool, least: Any) -> None:
    """Take a cell into account in the least that each member pays, or all together in the first place."""
    table, members = coalition.table, coalition.members
    if together:
        cost = _together(coalition, cell)
        if first or cost < least[0]:
            least[0] = cost
        return
    for k in range(members.size):
        cost = table[members[k], cell]
        if first or cost < least[k]:
            least[k] = cost


@jit
def _at_least(coalition: Coalition, together: bool, place: int, least: Any) -> bool:
    """Whether a profile costs each member, or all together, the least."""
    table, members = coalition.table, coalition.members
    if together:
        return bool(_together(coalition, place) == least[0])
    for k in range(members.size):  # noqa: SIM110  (numba compiles no generator)
        if table[members[k], place] != least[k]:
            return False
    return True


@lean
def by_least(
    coalition: Coalition, state: State, candidates: Any, mark: int, together: bool, least: Any, steps: int
) -> bool:
    """Strike out what costs some member, or all of them together, more than another cell of the slice.

    False when so many steps were not enough. ``least``: scratch space, a cell per member, kept between calls.
    """
    live, at, offsets, standing = state.live, state.at, coalition.offsets, coalition.standing
    while True:
        if at[3] == 0:
            if not _opened(coalition, state, candidates, mark):
                return True
            steps -= offsets.size
        while at[2] < offsets.size:
            if steps <= 0:
                return False
            _least_so_far(coalition, together, at[1] + offsets[at[2]], at[2] == 0, least)
            at[2] += 1
            steps -= 1
        for position in range(at[3]):
            if not _at_least(coalition, together, live[position], least):
                standing[live[position]] = False
        at[3] = 0
