r"""What coalitions leave stable: the best and the worst profile that none of them upsets, and what they cost everybody.

:func:`search_coalitions` goes on from a search for pure equilibria, since every stable profile is one. It takes the
table of all profiles where that is small, else the solver that :mod:`...registry` has for such games, else the table
while memory lasts. That no profile is stable is an answer, not an error. The best and the worst profile of a table are
looked over by :mod:`.checker`, which shares no code with it.

In a table Nash equilibria come first, then coalition after coalition. For a coalition, the profiles that still stand
are compared with the other cells of their *slice*, everything that the members can do while the rest of the profile,
the *context*, stays. Under ``any-gains``, and under ``total`` where all costs are finite, what counts is the least that
a slice costs each member, or all of them together. Under the other notions each profile, those of a context that cost
the members the same only once, is held against the cells that cost no member more than some profile of the context does
(``total``: against all cells).

Under ``any-gains`` only the largest coalitions are asked: what pays one of its members pays a larger one with members
who keep their strategies.

The k-strong prices of anarchy and stability are over the optimum of all profiles (Andelman, Feldman, Mansour 2009).

>>> from consortium.agents.organizations import Federation
>>> from consortium.games.placement.game import PlacementGame
>>> from consortium.games.search import search
>>> game = PlacementGame(Federation.of([[5, 4], [2], [3, 5]]))
>>> pure = search(game)
>>> [search_coalitions(game, k, "all-gain", result=pure).exists for k in (1, 2)]
[True, False]
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ....support.errors import ContradictionError, TooLargeError, unknown_name
from ....support.exact import INF, Extended
from ....support.progress import Clock, Progress
from ...enumeration import extremes, pure_equilibria
from ...normal_form import COMFORTABLE, HUGE, MAX_BYTES, NormalFormGame, table_bytes
from ...protocol import Game, outcome, price
from ...registry import ability
from ...results import Bounds, SearchResult
from .checker import checked_size, is_strong
from .results import NOTIONS, CoalitionSearch, Notion


def search_coalitions(
    game: Game,
    size: int,
    notion: Notion = "all-gain",
    *,
    result: SearchResult,
    arrays: Callable[[], NormalFormGame] | None = None,
    clock: Clock | None = None,
    progress: Progress | None = None,
) -> CoalitionSearch:
    """The profiles that no coalition of at most ``size`` players upsets.

    Parameters
    ----------
    game
        Any game.
    size
        Most members of a coalition, at least 1; more than there are players is everybody.
    notion
        When a deviation pays a coalition, see :mod:`.results`.
    result
        What a search for pure equilibria has found.
    arrays
        Makes, or has, the table of all profiles; default: it is made where it is needed.
    clock, progress
        Time limit, and receiver of progress reports. Stopped early, or by Ctrl-C, the answer has proved bounds.

    Raises
    ------
    InputError
        ``size`` is less than 1.
    UnknownNameError
        There is no such notion.
    TooLargeError
        The table would not fit, and nothing else answers.
    """
    most, clock = checked_size(game, size), Clock(None) if clock is None else clock
    if notion not in NOTIONS:
        raise unknown_name("notion", notion, NOTIONS)
    if result.equilibria.exists is False:
        return CoalitionSearch(notion, most, exists=False, count=0)
    if table_bytes(game) > COMFORTABLE:
        solver = ability(game, "search_coalitions")
        try:
            if solver is not None:
                answer: CoalitionSearch = solver(game, most, notion, result, clock, progress)
                return answer
        except TooLargeError:
            if table_bytes(game) > MAX_BYTES:
                raise
    make = arrays or (lambda: NormalFormGame.from_game(game, progress=progress, clock=clock))
    try:
        return _by_table(game, make(), most, notion, result, clock, progress)
    except (KeyboardInterrupt, TimeoutError):
        return _stopped(result, most, notion, *_nash_bounds(result))


def _by_table(
    game: Game,
    arrays: NormalFormGame,
    size: int,
    notion: Notion,
    result: SearchResult,
    clock: Clock,
    progress: Progress | None,
) -> CoalitionSearch:
    """The answer from all profiles."""
    left = stable_profiles(arrays, size, notion, progress, clock)
    if not left.places.size:
        return CoalitionSearch(notion, size, exists=False, count=0)
    best, worst = (outcome(game, arrays.profile(place)) for place in extremes(arrays, left.places))
    if not left.complete:
        return _stopped(result, size, notion, worst.social_cost, best.social_cost)
    for stable in (best, worst):
        if not is_strong(arrays, stable.profile, size, notion):
            raise ContradictionError(f"coalitions: {stable.profile!r} was claimed to be stable; a coalition gains")
    return CoalitionSearch(
        notion,
        size,
        exists=True,
        count=len(left.places),
        best=best,
        worst=worst,
        price_of_anarchy=_price(worst.social_cost, result),
        price_of_stability=_price(best.social_cost, result),
    )


def _price(social: Extended | None, result: SearchResult) -> Fraction | None:
    return None if result.optimum is None else price(social, result.optimum.social_cost, result.sense)


def _nash_bounds(result: SearchResult) -> tuple[Extended | None, Extended | None]:
    """The most and the least that a pure equilibrium costs, where that is proved."""
    nash = result.equilibria
    if result.complete and nash.worst is not None and nash.best is not None:
        return nash.worst.social_cost, nash.best.social_cost
    return (None, None) if result.bounds is None else (result.bounds.worst_at_most, result.bounds.best_at_least)


def _stopped(
    result: SearchResult, size: int, notion: Notion, most: Extended | None, least: Extended | None
) -> CoalitionSearch:
    """No stable profile is known yet; none costs more than ``most`` or less than ``least``."""
    bounds = Bounds(
        worst_at_most=most,
        best_at_least=least,
        price_of_anarchy_at_most=_price(most, result),
        price_of_stability_at_least=_price(least, result),
    )
    return CoalitionSearch(notion, size, exists=None, complete=False, bounds=bounds)


# --- in a table -----------------------------------------------------------------------------------------------------

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

    >>> game = NormalFormGame.from_arrays([[[2, 0], [1, 1]], [[2, 1], [0, 1]]], sense="payoff")
    >>> [game.profile(i) for i in stable_profiles(game, 1, "all-gain").places]
    [(0, 0), (1, 1)]
    >>> [game.profile(i) for i in stable_profiles(game, 2, "all-gain").places]
    [(0, 0)]
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
            clock.check()
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
            clock.check()
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
