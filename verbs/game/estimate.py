"""``--dry-run`` of a search on a game that is no scenario."""

from __future__ import annotations

import time
from typing import Any

from ...games.normal_form import NormalFormGame, table_bytes
from ...games.protocol import Game, count_profiles
from ...games.search import prepared
from ..costs import GAME, TABLE_CELL, predicted
from ..records import Estimate
from .analyses import predicted_cost
from .options import Search
from .search import as_game, label_of


def search(source: Any, options: Search) -> Estimate:
    """Size of the space, and the method that would be used."""
    game = as_game(source, options.floats)
    method, why = prepared(game, options.method, mixed=options.mixed, max_bytes=options.table_limit)
    size = count_profiles(game)
    size_only = Estimate("search", "game", label_of(source), size, "profiles", note=f"method {method}: {why}")
    more, memory = predicted_cost(game, options)
    seconds, timed = size * (len(game.players) + 1) * TABLE_CELL + more, _filling(game, size)
    if options.time_limit is not None:
        seconds, timed = min(seconds, options.time_limit), min(timed, options.time_limit)
    return predicted(size_only, GAME, seconds, max(memory, table_bytes(game)), timed)


def _filling(game: Game, size: int) -> float:
    """Seconds until the table of costs is filled: one profile is timed, of arrays there is nothing to fill."""
    if isinstance(game, NormalFormGame):
        return 0.0
    first = tuple(game.strategies(player)[0] for player in range(len(game.players)))
    game.costs(first)  # not timed: the first one may load and compile
    began = time.process_time()
    game.costs(first)
    return (time.process_time() - began) * size
