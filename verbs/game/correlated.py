"""``search --correlated``: the least and the largest expected social cost of correlated play."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from ...games.equilibria.correlated.results import CorrelatedPlay, Extreme, Side
from ...games.normal_form import NormalFormGame, check_table_size, table_bytes
from ...games.protocol import Game, count_profiles, price
from ...games.results import SearchResult
from ...support.errors import InputError
from ...support.exact import INF
from ...support.progress import Clock, Progress
from ..costs import TABLE_CELL
from .options import Search
from .records import CorrelatedRow, ExtremeRow, MultiplierRow, ProbabilityRow

if TYPE_CHECKING:
    from .search import Setup

_PASSES = 100  # over the table, as far as they can be counted: the linear programs between them are small
UNBOUNDED: Final[Mapping[Side, float]] = {"best": -INF, "worst": INF}
"""The bounds of what was stopped before it had any."""


def answer(
    setup: Setup, options: Search, result: SearchResult, clock: Clock, progress: Progress | None
) -> tuple[Any, bool]:
    """The row of the record. Raises InputError where social costs are no numbers, TooLargeError without a table."""
    from ...games.equilibria.correlated.search import correlated_play  # loads the linear solver

    check(setup)
    concept: Any = options.correlated
    try:
        arrays = setup.table(options, clock, progress)
    except (KeyboardInterrupt, TimeoutError):
        best, worst = (Extreme(None, {}, (), bound) for bound in UNBOUNDED.values())
        nothing = CorrelatedPlay(concept, best, worst)
        return correlated_row(setup, nothing, None), False
    profiles = [equilibrium.profile for equilibrium in (result.equilibria.best, result.equilibria.worst) if equilibrium]
    play = correlated_play(arrays, concept, equilibria=tuple(profiles), clock=clock, progress=progress)
    return correlated_row(setup, play, arrays), play.proved


def check(setup: Setup) -> None:
    """Raise InputError where social costs are no numbers: they have no expectation."""
    if setup.social is not None:
        raise InputError("correlated: the welfare of this game is a list of numbers; an expectation needs one number")


def correlated_row(setup: Setup, play: CorrelatedPlay, arrays: NormalFormGame | None) -> CorrelatedRow:
    """What was found, as records write it; the optimum is that of the table, if there was time for one."""
    worst, total = play.worst, None
    if arrays is not None and play.concept == "coarse" and worst is not None and worst.proved:
        optimum = arrays.social_cost(arrays.profile(int(arrays.social.argmin())))
        total = price(worst.social_cost, optimum, setup.sense)
    return CorrelatedRow(
        concept=play.concept,
        best=None if play.best is None else _extreme(setup, play.best),
        worst=None if worst is None else _extreme(setup, worst),
        price_of_total_anarchy=total,
    )


def _extreme(setup: Setup, extreme: Extreme) -> ExtremeRow:
    written = writer(setup)
    sign, word = (-1, "social_welfare") if setup.sense == "payoff" else (1, "social_cost")
    cost = {} if extreme.social_cost is None else {word: sign * extreme.social_cost}
    return ExtremeRow(
        **cost,
        distribution=tuple(
            ProbabilityRow(profile=setup.profile(profile), probability=probability)
            for profile, probability in sorted(extreme.distribution.items(), key=lambda item: -item[1])
        ),
        multipliers=tuple(
            MultiplierRow(
                player=setup.game.players[m.player],
                recommended=None if m.recommended is None else written(m.player, m.recommended),
                deviation=written(m.player, m.deviation),
                multiplier=m.value,
            )
            for m in extreme.multipliers
        ),
        bound=sign * extreme.bound,
        proved=extreme.proved,
    )


def writer(setup: Setup) -> Callable[[int, Any], Any]:
    """One player's strategy as it stands in the profiles of the record."""
    first = tuple(setup.game.strategies(player)[0] for player in range(len(setup.game.players)))

    def written(player: int, strategy: Any) -> Any:
        whole = setup.profile((*first[:player], strategy, *first[player + 1 :]))
        return whole[setup.game.players[player]] if isinstance(whole, Mapping) else strategy

    return written


def cost(game: Game, options: Search) -> tuple[float, int]:
    """Seconds and bytes: some dozens of passes over the table. Raises TooLargeError without one."""
    check_table_size(game, options.table_limit)
    return count_profiles(game) * (len(game.players) + 1) * _PASSES * TABLE_CELL, 3 * table_bytes(game)
