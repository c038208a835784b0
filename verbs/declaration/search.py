"""``search`` on scenarios of kind ``declaration``: equilibria of the declaration game at the true lengths."""

from __future__ import annotations

from ...games.protocol import Outcome
from ...scenarios.scenario import Scenario
from ...scheduling.exact import Extended, rational
from ...scheduling.progress import Progress
from ..game.search import Posed, SearchRecord, in_order, searched
from .model import model
from .options import Search


def search(scenario: Scenario, options: Search, progress: Progress | None = None) -> SearchRecord:
    """Equilibria at the true lengths; dynamics start at the truth unless ``start`` says otherwise."""
    asked = posed(scenario, options)
    _, fields = searched(asked, options, progress)
    return SearchRecord(kind=scenario.kind, scenario=scenario.label, game=asked.game, **fields)


def posed(scenario: Scenario, options: Search) -> Posed:
    """The declaration game; a profile is a table of declarations by agent."""
    m = model(scenario, options.mechanism)
    game, names = m.game(), m.spec.names
    start = in_order(options.start, names)
    begin = m.lengths if start is None else tuple(rational(b, "start") for b in start)

    def social(outcome: Outcome) -> list[Extended]:
        return [-part for part in game.welfare(outcome.profile)]

    return Posed(game, begin, lambda p: dict(zip(names, p, strict=True)), None if game.numeric else social)
