"""``--dry-run`` of a search on a game that is no scenario."""

from __future__ import annotations

from typing import Any

from ...games.normal_form import NormalFormGame, table_bytes
from ...games.protocol import count_profiles
from ...games.search import prepared
from ..costs import GAME, TABLE_CELL, predicted
from ..records import Estimate
from .analyses import predicted_cost
from .learning import seconds_of
from .options import Search
from .search import as_game, label_of


def search(source: Any, options: Search) -> Estimate:
    """Size of the space, and the method that would be used."""
    game = as_game(source, options.floats)
    method, why = prepared(game, options.method, mixed=options.mixed, max_bytes=options.table_limit)
    size = count_profiles(game)
    size_only = Estimate("search", "game", label_of(source), size, "profiles", note=f"method {method}: {why}")
    more, memory = predicted_cost(game, options)
    seconds = size * (len(game.players) + 1) * TABLE_CELL + more
    timed = 0.0 if isinstance(game, NormalFormGame) else size * seconds_of(game)  # of arrays there is nothing to fill
    if options.time_limit is not None:
        seconds, timed = min(seconds, options.time_limit), min(timed, options.time_limit)
    return predicted(size_only, GAME, seconds, max(memory, table_bytes(game)), timed)
