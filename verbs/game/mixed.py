"""Mixed equilibria as a record of ``search`` writes them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...games.equilibria.mixed.profiles import MixedEquilibria, MixedEquilibrium
from ...games.equilibria.mixed.vertices import most_vertices
from ...games.protocol import Game, Sense, count_strategies
from ..costs import GAMBIT, VERTEX
from .records import MixedEquilibriumRow, MixedRow


def mixed_row(found: MixedEquilibria, players: Sequence[str], sense: Sense) -> MixedRow:
    """What was found, in the words of the game."""
    return MixedRow(
        method=found.method,
        complete=found.complete,
        equilibria=tuple(_row(profile, players, sense) for profile in found.equilibria),
        components=None if found.components is None else numbered(found.components),
        approximate=tuple(_row(profile, players, sense) for profile in found.approximate) or None,
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
