"""Which profiles of a table no coalition upsets: Nash equilibria first, then coalition after coalition.

For a coalition, the profiles that still stand are compared with the other cells of their *slice*, everything that the
members can do while the rest of the profile, the *context*, stays. Under ``any-gains``, and under ``total`` where all
costs are finite, what counts is the least that a slice costs each member, or all of them together. Under the other
notions each profile, those of a context that cost the members the same only once, is held against the cells that cost
no member more than some profile of the context does (``total``: against all cells).

Under ``any-gains`` only the largest coalitions are asked: what pays one of its members pays a larger one with members
who keep their strategies.

>>> game = NormalFormGame.from_arrays([[[2, 0], [1, 1]], [[2, 1], [0, 1]]], sense="payoff")
>>> [game.profile(i) for i in stable_profiles(game, 1, "all-gain").places]
[(0, 0), (1, 1)]
>>> [game.profile(i) for i in stable_profiles(game, 2, "all-gain").places]
[(0, 0)]
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ....support.exact import INF
from ....support.progress import Clock, Progress
from ...enumeration import pure_equilibria
from ...normal_form import HUGE, NormalFormGame
from .results import Notion

_CELLS: Final = 1 << 20
"""Cells that are looked at together, a fraction of a second, so Ctrl-C and time limits are heard."""


@dataclass(frozen=True)
class Standing:
    """Profiles that no coalition is known to upset."""

    places: NDArray[np.int64]  # their numbers in C order, ascending
    complete: bool  # whether every coalition was asked, so that none does upset them


def stable_profiles(
    game: NormalFormGame, k: int, notion: Notion, progress: Progress | None = None, clock: Clock | None = None
) -> Standing:
    """The profiles from which no deviation of at most ``k`` players pays.

    Ctrl-C and the end of the clock leave those that still stand. They raise KeyboardInterrupt and TimeoutError only
    before the Nash equilibria are known.
    """
    places, n = pure_equilibria(game, clock), len(game.players)
    floor = game.table.reshape(n, -1).min(axis=1)
    sizes = range(2, k + 1) if notion != "any-gains" else range(max(2, k), k + 1)
    coalitions = [members for size in sizes for members in itertools.combinations(range(n), size)]
    try:
        for number, members in enumerate(coalitions):
            if progress is not None:
                progress(number, len(coalitions), "coalitions asked")
            if not places.size:
                break
            upset = _Coalition(game, members, notion, floor).upset(places, clock or Clock(None))
            places = places[~upset]
    except (KeyboardInterrupt, TimeoutError):
        return Standing(places, complete=False)
    return Standing(places, complete=True)


class _Coalition:
    """A coalition in a table; ``floor`` is the least that each player ever pays."""

    def __init__(self, game: NormalFormGame, members: tuple[int, ...], notion: Notion, floor: NDArray[Any]) -> None:
        self.notion, self.huge = notion, HUGE if game.narrow else INF
        self.costs = [game.table[i].reshape(-1) for i in members]
        self.floor = floor[list(members)]
        self.strides = [(math.prod(game.shape[i + 1 :]), game.shape[i]) for i in members]
        self.offsets = np.zeros(1, dtype=np.int64)
        for stride, size in self.strides:
            self.offsets = (self.offsets[:, None] + np.arange(size) * stride).reshape(-1)

    def upset(self, places: NDArray[np.int64], clock: Clock) -> NDArray[np.bool_]:
        """Which of the profiles a deviation upsets. Raises TimeoutError when the clock runs out."""
        upset = np.zeros(places.size, dtype=np.bool_)
        above = np.array([own[places] for own in self.costs]) > self.floor[:, None]
        able = np.flatnonzero(above.all(axis=0) if self.notion == "all-gain" else above.any(axis=0))
        if not able.size:
            return upset
        base = places[able] - sum(places[able] // stride % size * stride for stride, size in self.strides)
        contexts, context = np.unique(base, return_inverse=True)
        order = np.argsort(context, kind="stable")
        step = max(1, _CELLS // self.offsets.size)
        for start in range(0, contexts.size, step):
            if clock.expired():
                raise TimeoutError("coalitions: the time limit")
            first, last = np.searchsorted(context[order], [start, start + step])
            here = able[order[first:last]]
            slices = contexts[start : start + step, None] + self.offsets
            before = [own[places[here]] for own in self.costs]
            upset[here] = self._pays(
                before, [own[slices] for own in self.costs], context[order[first:last]] - start, clock
            )
        return upset

    def _pays(
        self, before: list[NDArray[Any]], after: list[NDArray[Any]], row: NDArray[np.int64], clock: Clock
    ) -> NDArray[np.bool_]:
        """Whether some deviation pays, for each profile.

        ``before``: what the profiles cost each member; ``after``: what their slices do, a row for each context;
        ``row``: the profile's.
        """
        if self.notion == "total" and not any((np.abs(own) >= self.huge).any() for own in after):
            before, after = [sum(before[1:], before[0])], [sum(after[1:], after[0])]
        if self.notion == "any-gains" or len(after) == 1:
            lower = [own.min(axis=1)[row] < cost for cost, own in zip(before, after, strict=True)]
            return np.asarray(np.logical_or.reduce(lower), dtype=np.bool_)
        if self.notion != "total":
            fits = np.ones(after[0].shape, dtype=np.bool_)
            for cost, own in zip(before, after, strict=True):
                highest = own.min(axis=1)
                np.maximum.at(highest, row, cost)
                fits &= (own <= highest[:, None]).astype(np.bool_)
            after = [own[:, fits.any(axis=0)] for own in after]
        same = np.arange(row.size)
        if before[0].dtype == np.int64:
            _, first, same = np.unique([row, *before], axis=1, return_index=True, return_inverse=True)
            row, before = row[first], [cost[first] for cost in before]
        paid = np.zeros(row.size, dtype=np.bool_)
        step = max(1, _CELLS // max(1, after[0].shape[1]))
        for start in range(0, row.size, step):
            if clock.expired():
                raise TimeoutError("coalitions: the time limit")
            part = slice(start, start + step)
            cells = [own[row[part]] for own in after]
            paid[part] = self._paid([cost[part, None] for cost in before], cells).any(axis=1)
        return paid[same.reshape(-1)]

    def _paid(self, before: Sequence[NDArray[Any]], after: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
        """Whether the deviation to each cell pays, from the definition (:mod:`.results`)."""
        pairs = list(zip(before, after, strict=True))
        if self.notion == "all-gain":
            return np.asarray(np.logical_and.reduce([new < old for old, new in pairs]), dtype=np.bool_)
        if self.notion == "none-lose":
            kept = np.logical_and.reduce([new <= old for old, new in pairs])
            return np.asarray(kept & np.logical_or.reduce([new < old for old, new in pairs]), dtype=np.bool_)
        gains = [np.where(new == old, 0, old) - np.where(new == old, 0, new) for old, new in pairs]
        lost = np.logical_or.reduce([gain <= -self.huge for gain in gains])
        won = np.logical_or.reduce([gain >= self.huge for gain in gains])
        finite = sum(np.where(np.abs(gain) >= self.huge, 0, gain) for gain in gains)
        return np.asarray(~lost.astype(np.bool_) & (won.astype(np.bool_) | (finite > 0)), dtype=np.bool_)
