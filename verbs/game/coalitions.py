"""``search --coalitions K``: which profiles no coalition of up to K players upsets, and what they cost everybody."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from ...games.equilibria.coalitions.checker import checked_size
from ...games.equilibria.coalitions.results import CoalitionSearch
from ...games.equilibria.coalitions.search import search_coalitions
from ...games.normal_form import COMFORTABLE, table_bytes
from ...games.protocol import Game, Outcome, count_profiles
from ...games.results import Bounds, SearchResult
from ...support.loading import load_for
from ...support.progress import Clock, Progress
from ..costs import COALITION_CELL, COALITION_CUTS, COALITION_PROFILE_BYTES
from .options import Search
from .records import CoalitionsRow, StableBoundsRow

if TYPE_CHECKING:
    from .records import OutcomeRow
    from .search import Setup

CERTIFICATES: Final[Mapping[str, str]] = MappingProxyType(
    {".games.placement.game:PlacementGame": ".verbs.federation.coalitions:certificate"}
)
"""By class of games: ``(game, certificate) -> Row``, how records write what a solver without a table has proved."""


def answer(
    setup: Setup, options: Search, result: SearchResult, clock: Clock, progress: Progress | None
) -> tuple[Any, bool]:
    """What coalitions leave stable."""
    assert options.coalitions is not None  # it is asked for
    stable = search_coalitions(
        setup.game,
        options.coalitions,
        options.notion,
        result=result,
        arrays=lambda: setup.table(options, clock, progress),
        clock=clock,
        progress=progress,
    )
    return row(setup, stable), stable.complete


def row(setup: Setup, result: CoalitionSearch) -> CoalitionsRow:
    """The answer as records write it; prices where social costs are numbers."""

    def outcome_row(outcome: Outcome | None) -> OutcomeRow | None:
        return None if outcome is None else setup.row(outcome)

    return CoalitionsRow(
        notion=result.notion,
        size=result.size,
        exists=result.exists,
        count=result.count,
        best=outcome_row(result.best),
        worst=outcome_row(result.worst),
        price_of_anarchy=None if setup.social else result.price_of_anarchy,
        price_of_stability=None if setup.social else result.price_of_stability,
        complete=result.complete,
        bounds=None if result.bounds is None or setup.social else _bounds(result.bounds, setup),
        certificate=None if result.certificate is None else _certificate(setup.game, result.certificate),
    )


def _certificate(game: Game, certificate: Any) -> Any:
    """What a solver without a table has proved, as the kind of the game writes it."""
    write = load_for(game, CERTIFICATES)
    return None if write is None else write(game, certificate)


def _bounds(proved: Bounds, setup: Setup) -> StableBoundsRow:
    worst, best = proved.worst_at_most, proved.best_at_least
    if setup.sense == "payoff":
        named = {"worst_at_least": None if worst is None else -worst, "best_at_most": None if best is None else -best}
    else:
        named = {"worst_at_most": worst, "best_at_least": best}
    return StableBoundsRow(
        price_of_anarchy_at_most=proved.price_of_anarchy_at_most,
        price_of_stability_at_least=proved.price_of_stability_at_least,
        **named,
    )


def predicted_cost(game: Game, options: Search) -> tuple[float, int]:
    """Seconds and bytes: each coalition looks at every profile once, or cuts are collected where there is no table."""
    assert options.coalitions is not None  # it is asked for
    n, profiles = len(game.players), count_profiles(game)
    if table_bytes(game) > COMFORTABLE:
        return COALITION_CUTS, 0
    coalitions = sum(math.comb(n, size) for size in range(1, checked_size(game, options.coalitions) + 1))
    return profiles * coalitions * COALITION_CELL, table_bytes(game) + profiles * COALITION_PROFILE_BYTES
