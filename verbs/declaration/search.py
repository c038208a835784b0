"""``search`` on scenarios of kind ``declaration``: equilibria of the declaration game at the true lengths."""

from __future__ import annotations

from typing import Any

from ...scenarios.scenario import Scenario
from ...scheduling.exact import rational
from ...scheduling.progress import Progress
from ..game.search import SearchRecord, in_order, run_search, search_fields
from .model import model
from .options import Search


def search(scenario: Scenario, options: Search, progress: Progress | None = None) -> SearchRecord:
    """Equilibria at the true lengths; dynamics start at the truth unless ``start`` says otherwise."""
    m = model(scenario, options.mechanism)
    game, names = m.game(), m.spec.names
    start = in_order(options.start, names)
    begin = m.lengths if start is None else tuple(rational(b, "start") for b in start)
    result = run_search(game, options, begin, progress)

    def social(outcome: Any) -> Any:
        return [-part for part in game.welfare(outcome.profile)]

    fields = search_fields(result, lambda p: dict(zip(names, p, strict=True)), None if game.numeric else social)
    return SearchRecord(kind=scenario.kind, scenario=scenario.label, game=game, **fields)
