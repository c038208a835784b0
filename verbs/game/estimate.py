"""``--dry-run`` of a search on a game that is no scenario."""

from __future__ import annotations

from typing import Any

from ...games.protocol import count_profiles
from ...games.search import planned_method
from ..records import Estimate
from .options import Search
from .search import as_game, label_of


def search(source: Any, options: Search) -> Estimate:
    """Size of the space, and the method that would be used."""
    game = as_game(source)
    method, why = planned_method(game, options.method)
    label = label_of(source)
    return Estimate("search", "game", label, count_profiles(game), "profiles", note=f"method {method}: {why}")
