r"""What coalitions leave stable: the best and the worst profile that none of them upsets, and what they cost everybody.

:func:`search_coalitions` goes on from a search for pure equilibria, since every stable profile is one. It takes the
table of all profiles where that is small (:mod:`.table`), else the solver that :mod:`...registry` has for such
games, else the table while memory lasts. That no profile is stable is an answer, not an error. The best and the worst
profile of a table are looked over by :mod:`.checker`, which shares no code with it.

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

from collections.abc import Callable
from fractions import Fraction

from ....support.errors import TooLargeError, unknown_name
from ....support.exact import Extended
from ....support.progress import Clock, Progress
from ...enumeration import extremes
from ...normal_form import COMFORTABLE, MAX_BYTES, NormalFormGame, table_bytes
from ...protocol import Game, outcome, price
from ...registry import ability
from ...results import Bounds, SearchResult
from ...search import ContradictionError
from .checker import checked_size, is_strong
from .results import NOTIONS, CoalitionSearch, Notion
from .table import stable_profiles


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
