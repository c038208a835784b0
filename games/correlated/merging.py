"""Strategies that never make a difference are told apart no more.

Two strategies of a player are duplicates when everybody's costs and the social cost are the same with either, whatever
the others play. An equilibrium that plays only the first of them is one of the whole game: nobody gains by a duplicate
what she does not gain by the strategy itself. Conversely every equilibrium becomes one that costs as much when the
first one is played for all. So the extremes are the same, and a multiplier of a recommendation counts for its
duplicates as well.

>>> game = NormalFormGame.from_arrays([[[1, 1], [0, 0]]] * 2, sense="cost")
>>> merged = merge(game)
>>> merged.game.shape, merged.alike
((2, 1), (((0,), (1,)), ((0, 1),)))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..normal_form import NormalFormGame


@dataclass(frozen=True)
class Merged:
    """A game without duplicates, and for each player and each strategy left the strategies it stands for."""

    game: NormalFormGame
    alike: tuple[tuple[tuple[Any, ...], ...], ...]


def merge(game: NormalFormGame) -> Merged:
    """The game with the first of each set of duplicates."""
    table, social, alike = game.table, game.social, []
    for player, labels in enumerate(game.labels):
        classes: dict[Any, list[int]] = {}
        for k in range(len(labels)):
            key = (_key(np.take(table, [k], axis=player + 1)), _key(np.take(social, [k], axis=player)))
            classes.setdefault(key, []).append(k)
        alike.append(tuple(tuple(labels[k] for k in same) for same in classes.values()))
        if len(classes) < len(labels):
            first = [same[0] for same in classes.values()]
            table, social = np.take(table, first, axis=player + 1), np.take(social, first, axis=player)
    labels = tuple(tuple(same[0] for same in own) for own in alike)
    merged = NormalFormGame(game.players, labels, table, game.denominator, social, game.social_denominator, game.sense)
    return Merged(merged, tuple(alike))


def _key(cells: NDArray[Any]) -> Any:
    """Something that is equal for equal cells."""
    return cells.tobytes() if cells.dtype != object else tuple(cells.reshape(-1).tolist())
