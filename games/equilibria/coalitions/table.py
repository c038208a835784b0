"""Which profiles of a table no coalition upsets: Nash equilibria first, then coalition after coalition.

For a coalition, the profiles that still stand are compared with the other cells of their *slice*, everything that the
members can do while the rest of the profile, the *context*, stays; a context is visited once, however many profiles
stand in it, and not at all where none does. Under ``any-gains``, and under ``total`` where all costs are finite, what
counts is the least that a slice costs each member, or all of them together. Under the other notions every cell is held
against those that stand, or, for a pair of players with long slices, one running minimum over
the cells sorted by the first member's cost says it of all (:func:`_upset_pairs`).

Under ``any-gains`` only the largest coalitions are asked: what pays one of its members pays a larger one with members
who keep their strategies.

>>> game = NormalFormGame.from_arrays([[[2, 0], [1, 1]], [[2, 1], [0, 1]]], sense="payoff")
>>> [game.profile(i) for i in stable_profiles(game, 1, "all-gain").places]
[(0, 0), (1, 1)]
>>> [game.profile(i) for i in stable_profiles(game, 2, "all-gain").places]
[(0, 0)]

In the kernels a slice holds profile ``base + offset`` for each of the coalition's ``offsets``. A pass goes from context
to context and strikes out of ``standing`` what a deviation of the coalition upsets. Cells are int64 as
:mod:`...normal_form` proves them (sums of one cell per player stay below ``2**59``), or Python integers and infinities
with the plain functions. ``huge`` is what an infinite difference reaches: ``2**60``, or ``inf``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....support.exact import INF
from ....support.jit import jit, lean, plain
from ....support.progress import Clock, Progress
from ...enumeration import pure_equilibria
from ...normal_form import HUGE, INFINITE, NormalFormGame
from .results import ALL_GAIN, CODES, TOTAL, Notion

_STEPS: Final = 1 << 24
"""Cells that a compiled pass looks at in one call, a fraction of a second, so Ctrl-C and time limits are heard."""
_PLAIN_STEPS: Final = 1 << 12
"""The same in Python's integers."""
_LONG: Final = 1 << 10
"""Cells from which the slice of a pair is sorted, if ..."""
_MANY: Final = 64
"""... so many profiles of it stand."""


@dataclass(frozen=True)
class Standing:
    """Profiles that no coalition is known to upset.

    Attributes
    ----------
    places
        Their numbers in C order, ascending.
    complete
        Whether every coalition was asked, so that none does upset them.
    """

    places: NDArray[np.int64]
    complete: bool


def stable_profiles(
    game: NormalFormGame, k: int, notion: Notion, progress: Progress | None = None, clock: Clock | None = None
) -> Standing:
    """The profiles from which no deviation of at most ``k`` players pays.

    Ctrl-C and the end of the clock leave those that still stand. They raise KeyboardInterrupt and TimeoutError only
    before the Nash equilibria are known.
    """
    nash = pure_equilibria(game, clock)
    coalitions = _Coalitions(game, notion, nash)
    try:
        coalitions.ask(k, progress, Clock(None) if clock is None else clock)
    except (KeyboardInterrupt, TimeoutError):
        return Standing(coalitions.left(), complete=False)
    return Standing(coalitions.left(), complete=True)


class _Coalitions:
    """Asks coalitions; what they upset is struck out of ``standing``."""

    def __init__(self, game: NormalFormGame, notion: Notion, nash: NDArray[np.int64]) -> None:
        self.game, self.notion, self.candidates = game, notion, nash
        self.n, self.size = len(game.players), game.social.size
        self.table = game.table.reshape(self.n, -1)
        self.strides = [math.prod(game.shape[i + 1 :]) for i in range(self.n)]
        self.standing = np.zeros(self.size, dtype=np.bool_)
        self.standing[nash] = True
        self.visited = np.zeros(self.size, dtype=np.int32)
        above = self.table[:, nash] > self.table.min(axis=1)[:, None]
        self.open_to = nash[above.any(axis=0)]
        self.above = above[:, above.any(axis=0)]

    @cached_property
    def finite(self) -> bool:
        """Whether no cost is infinite."""
        if self.game.narrow:
            return max(int(self.table.max()), -int(self.table.min())) < INFINITE
        return not any(isinstance(cell, float) for cell in self.table.reshape(-1))

    def left(self) -> NDArray[np.int64]:
        """Numbers of the profiles that stand."""
        return self.candidates[self.standing[self.candidates]]

    def open(self, members: tuple[int, ...]) -> NDArray[np.int64]:
        """Those that the coalition may upset: who pays the least that she ever does gains nothing."""
        combine = np.logical_and if self.notion == "all-gain" else np.logical_or
        able: NDArray[np.bool_] = combine.reduce(self.above[list(members)])
        places: NDArray[np.int64] = self.open_to[able & self.standing[self.open_to]]
        return places

    def ask(self, k: int, progress: Progress | None, clock: Clock) -> None:
        """Every coalition of 2 to ``k`` players. Raises TimeoutError when the clock runs out."""
        sizes = range(2, k + 1) if self.notion != "any-gains" else range(max(2, k), k + 1)
        coalitions = [members for size in sizes for members in itertools.combinations(range(self.n), size)]
        for mark, members in enumerate(coalitions, 1):
            if progress is not None:
                progress(mark - 1, len(coalitions), "coalitions asked")
            candidates = self.open(members)
            if not candidates.size:
                continue
            for _ in self._pieces(members, candidates, mark):
                if clock.expired():
                    raise TimeoutError(f"{mark} of {len(coalitions)} coalitions")

    def _pieces(self, members: tuple[int, ...], candidates: NDArray[np.int64], mark: int) -> Iterator[None]:
        """Ask one coalition, and pause now and then."""
        sizes = [self.game.shape[i] for i in members]
        offsets = np.zeros(1, dtype=np.int64)
        for i, size in zip(members, sizes, strict=True):
            offsets = (offsets[:, None] + np.arange(size, dtype=np.int64) * self.strides[i]).reshape(-1)
        dominance = self.notion in ("all-gain", "none-lose")
        if dominance and len(members) == 2 and offsets.size >= _LONG and candidates.size >= _MANY:
            yield from self._sorted(members, candidates, offsets)
            return
        who, strides = np.array(members, dtype=np.int64), np.array([self.strides[i] for i in members], dtype=np.int64)
        coalition = Coalition(self.table, who, strides, np.array(sizes), offsets, self.standing)
        live = np.empty(self.candidates.size, dtype=np.int64)  # all that stand may meet in one slice
        state = State(self.visited, live, np.zeros(4, dtype=np.int64))
        scratch = np.zeros(len(members), dtype=self.table.dtype)
        steps = _STEPS if self.game.narrow else _PLAIN_STEPS
        while not self._run(coalition, state, candidates, mark, scratch, steps):
            yield
        yield

    def _run(
        self,
        coalition: Coalition,
        state: State,
        candidates: NDArray[np.int64],
        mark: int,
        scratch: NDArray[Any],
        steps: int,
    ) -> bool:
        """One piece of a pass; whether it was the last."""
        narrow, together = self.game.narrow, self.notion == "total"
        if self.notion == "any-gains" or (together and self.finite):
            least = by_least if narrow else plain(by_least)
            return least(coalition, state, candidates, mark, together, scratch, steps)
        pairs, huge = (by_pairs, HUGE) if narrow else (plain(by_pairs), INF)
        return pairs(coalition, state, candidates, mark, CODES[self.notion], huge, scratch, steps)

    def _sorted(
        self, members: tuple[int, ...], candidates: NDArray[np.int64], offsets: NDArray[np.int64]
    ) -> Iterator[None]:
        """Ask a pair with long slices, sorted: a pause after each context."""
        digits = [candidates // self.strides[i] % self.game.shape[i] * self.strides[i] for i in members]
        bases = candidates - digits[0] - digits[1]
        for base in np.unique(bases):
            first, second = (self.table[i][base + offsets] for i in members)
            upset = _upset_pairs(first, second, self.notion == "none-lose")
            self.standing[base + offsets[upset]] = False
            yield


def _upset_pairs(first: NDArray[Any], second: NDArray[Any], weakly: bool) -> NDArray[np.bool_]:
    """Which of these pairs of costs another one beats: in both (``weakly``: in one, and in none it is beaten).

    Sorted by the first cost, a pair is beaten in both if the least second cost among those before its group of equal
    first costs is less than its own.

    >>> _upset_pairs(np.array([1, 2, 2, 3]), np.array([3, 2, 3, 2]), weakly=True).tolist()
    [False, False, True, True]
    >>> _upset_pairs(np.array([1, 2, 2, 3]), np.array([3, 2, 3, 2]), weakly=False).tolist()
    [False, False, False, False]
    """
    values, group = np.unique(first, return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(values.size))
    least = np.minimum.reduceat(second[order], starts)  # of each group
    before = np.minimum.accumulate(least)[np.maximum(group - 1, 0)]
    earlier = group > 0
    if not weakly:
        return np.asarray(earlier & (before < second))
    return np.asarray((earlier & (before <= second)) | (least[group] < second))


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

    visited: Any
    """By base of a context: the number of the last pass that visited it."""
    live: Any
    """The profiles of the open context that still stand."""
    at: Any
    """The next candidate, base and next offset of the open context, profiles in ``live`` (0: no context is open)."""


@jit
def _opened(coalition: Coalition, state: State, candidates: Any, mark: int) -> bool:
    """Open the context of the next candidate whose context was not visited in this pass; False after the last one."""
    strides, sizes, offsets, standing = coalition.strides, coalition.sizes, coalition.offsets, coalition.standing
    visited, live, at = state
    while at[0] < candidates.size:
        base = candidates[at[0]]
        at[0] += 1
        for k in range(sizes.size):
            base -= base // strides[k] % sizes[k] * strides[k]
        if visited[base] == mark:
            continue
        visited[base] = mark
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
    before = 0  # how many were live when ``top`` was found
    while True:
        if at[3] == 0:
            if not _opened(coalition, state, candidates, mark):
                return True
            before = 0
            steps -= offsets.size
        while at[2] < offsets.size and at[3] > 0:
            if steps <= 0:
                return False
            if notion != TOTAL and (before == 0 or 2 * at[3] <= before):
                before = at[3]
                _raise_to(coalition, live, before, top)
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
