"""``--quantal``: logit quantal response equilibria, as statistics."""

from __future__ import annotations

from typing import Final

from ...games.equilibria.mixed.quantal import quantal_responses
from ...games.protocol import Game, count_profiles, count_strategies
from ..costs import QUANTAL_STEP, QUANTAL_STEPS
from ..records import Statistic
from .options import Search
from .records import QuantalRow, ResponseRow
from .topic import Answer, Asking

CONCEPT: Final = "logit"


def answer(asking: Asking) -> Answer:
    """The equilibria for every lambda asked for, or as many as there was time for."""
    asked = asking.options.quantal
    assert asked is not None  # or nobody would ask
    try:
        found = quantal_responses(asking.arrays, asked, progress=asking.progress, clock=asking.clock)
    except (TimeoutError, KeyboardInterrupt):
        return Answer(QuantalRow(concept=CONCEPT, complete=False, responses=()), False)
    payoff, rows = asking.posed.sense == "payoff", []
    for response in found:
        worth = tuple(Statistic(-cost if payoff else cost) for cost in response.costs)
        rows.append(
            ResponseRow(
                lambda_=response.precision,
                probabilities={
                    player: tuple(map(Statistic, mix))
                    for player, mix in zip(asking.game.players, response.strategies, strict=True)
                },
                **{"payoffs" if payoff else "costs": worth},
                regrets=tuple(map(Statistic, response.regrets)),
                error=Statistic(response.error),
            )
        )
    complete = len(found) == len(set(asked))
    return Answer(QuantalRow(concept=CONCEPT, complete=complete, responses=tuple(rows)), complete)


def cost(game: Game, options: Search) -> tuple[float, int]:
    """Steps along the branch, each of some Newton steps: tables contracted, a linear system solved."""
    strategies = sum(count_strategies(game, player) for player in range(len(game.players)))
    cells = count_profiles(game) * len(game.players) ** 2
    fixed, per_cell, per_cube = QUANTAL_STEP
    return QUANTAL_STEPS * (fixed + per_cell * cells + per_cube * strategies**3), 16 * (strategies + 1) ** 2
