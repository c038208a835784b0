"""Mixed equilibria, and logit quantal responses as statistics: what ``search`` says of players who mix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from ...games.equilibria.mixed.profiles import MixedEquilibria, MixedEquilibrium
from ...games.equilibria.mixed.quantal import quantal_responses
from ...games.equilibria.mixed.vertices import most_vertices
from ...games.protocol import Game, Sense, count_profiles, count_strategies
from ...games.results import SearchResult
from ...support.progress import Clock, Progress
from ..costs import GAMBIT, QUANTAL_STEP, QUANTAL_STEPS, VERTEX
from ..records import Statistic
from .options import Search
from .records import MixedEquilibriumRow, MixedRow, QuantalRow, ResponseRow

if TYPE_CHECKING:
    from .search import Setup


def mixed_row(result: MixedEquilibria, players: Sequence[str], sense: Sense) -> MixedRow:
    """What was found, in the words of the game."""
    return MixedRow(
        method=result.method,
        complete=result.complete,
        equilibria=tuple(_row(profile, players, sense) for profile in result.equilibria),
        components=None if result.components is None else numbered(result.components),
        approximate=tuple(_row(profile, players, sense) for profile in result.approximate) or None,
    )


def numbered(components: Sequence[Sequence[Sequence[int]]]) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Places in a list as numbers from 1."""
    return tuple(tuple(tuple(place + 1 for place in subset) for subset in part) for part in components)


def mixed_cost(game: Game) -> tuple[float, int]:
    """Seconds and bytes: vertices of two polytopes, far fewer than they might have; or Gambit's processes."""
    shape = [count_strategies(game, player) for player in range(len(game.players))]
    choosing = [size for size in shape if size > 1]
    if len(choosing) > 2:
        return GAMBIT[0] + GAMBIT[1] * math.prod(2**size - 1 for size in choosing), 0
    m, n = [*choosing, 1, 1][:2]
    each, cell = VERTEX
    usual = math.comb(m + n, n) ** 0.57
    count = min(usual, most_vertices(m, n)) + min(usual, most_vertices(n, m))
    return count * (each + cell * m * n), int(count * m * n * 40)


def _row(profile: MixedEquilibrium, players: Sequence[str], sense: Sense) -> MixedEquilibriumRow:
    worth = tuple(-cost for cost in profile.costs) if sense == "payoff" else profile.costs
    return MixedEquilibriumRow(
        probabilities=dict(zip(players, profile.strategies, strict=True)),
        **{"payoffs" if sense == "payoff" else "costs": worth},
        regrets=profile.regrets,
        exact=profile.exact,
    )


CONCEPT: Final = "logit"


def answer(
    setup: Setup, options: Search, result: SearchResult, clock: Clock, progress: Progress | None
) -> tuple[Any, bool]:
    """The equilibria for every lambda asked for, or as many as there was time for."""
    lambdas = options.quantal
    assert lambdas is not None  # or nobody would ask
    try:
        equilibria = quantal_responses(setup.table(options, clock, progress), lambdas, progress=progress, clock=clock)
    except (TimeoutError, KeyboardInterrupt):
        return QuantalRow(concept=CONCEPT, complete=False, responses=()), False
    payoff, rows = setup.sense == "payoff", []
    for response in equilibria:
        worth = tuple(Statistic(-cost if payoff else cost) for cost in response.costs)
        rows.append(
            ResponseRow(
                lambda_=response.precision,
                probabilities={
                    player: tuple(map(Statistic, mix))
                    for player, mix in zip(setup.game.players, response.strategies, strict=True)
                },
                **{"payoffs" if payoff else "costs": worth},
                regrets=tuple(map(Statistic, response.regrets)),
                error=Statistic(response.error),
            )
        )
    complete = len(equilibria) == len(set(lambdas))
    return QuantalRow(concept=CONCEPT, complete=complete, responses=tuple(rows)), complete


def cost(game: Game, options: Search) -> tuple[float, int]:
    """Steps along the branch, each of some Newton steps: tables contracted, a linear system solved."""
    strategies = sum(count_strategies(game, player) for player in range(len(game.players)))
    cells = count_profiles(game) * len(game.players) ** 2
    fixed, per_cell, per_cube = QUANTAL_STEP
    return QUANTAL_STEPS * (fixed + per_cell * cells + per_cube * strategies**3), 16 * (strategies + 1) ** 2
