"""``search`` on scenarios of kind ``declaration``: equilibria of the declaration game at the true lengths."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...games.bayesian.equilibria import cost
from ...games.protocol import Outcome
from ...scenarios.scenario import Scenario
from ...scheduling.exact import Extended, rational
from ...scheduling.interrupts import noticed
from ...scheduling.progress import Clock, Progress
from ..game.search import Posed, SearchRecord, in_order, searched
from ..records import OPTIONAL
from .bayesian import BayesNashRow, bayes_nash_row, equilibria, known_prior
from .model import model
from .options import Search


@dataclass(frozen=True, kw_only=True)
class DeclarationSearchRecord(SearchRecord):
    """A search with what the prior adds, where it was asked for."""

    bayes_nash: BayesNashRow | None = field(default=None, metadata=OPTIONAL)


def search(scenario: Scenario, options: Search, progress: Progress | None = None) -> DeclarationSearchRecord:
    """Equilibria at the true lengths; dynamics start at the truth unless ``start`` says otherwise.

    With ``bayesian`` also those of strategies that tell for every likely length what to declare. They get what is left
    of a time limit, of which the rest of the search takes at most half.
    """
    asked, clock = posed(scenario, options), Clock(options.time_limit)
    row, complete = None, True
    if options.bayesian:
        refused(scenario, options)
    with noticed() as stopped:
        _, fields = searched(asked, _part(options), progress)
        if options.bayesian:
            m = model(scenario, options.mechanism)
            left = Clock(0) if stopped() else clock
            found = equilibria(m, known_prior(m, "bayesian"), left, progress)
            row, complete = bayes_nash_row(found, m.spec.names), found.complete
    fields["complete"] = fields["complete"] and complete
    return DeclarationSearchRecord(
        kind=scenario.kind, scenario=scenario.label, game=asked.game, bayes_nash=row, **fields
    )


def refused(scenario: Scenario, options: Search) -> tuple[float, int]:
    """Predicted seconds and bytes of the Bayes-Nash equilibria; raises before any work what their search raises."""
    m = model(scenario, options.mechanism)
    return cost(m.mechanism, m.domain(), known_prior(m, "bayesian"))


def _part(options: Search) -> Search:
    """The options of the search without a prior: half of the time where there is more to do."""
    if not options.bayesian or options.time_limit is None:
        return options
    return options.model_copy(update={"time_limit": options.time_limit / 2})


def posed(scenario: Scenario, options: Search) -> Posed:
    """The declaration game; a profile is a table of declarations by agent."""
    m = model(scenario, options.mechanism)
    game, names = m.game(), m.spec.names
    start = in_order(options.start, names)
    begin = m.lengths if start is None else tuple(rational(b, "start") for b in start)

    def social(outcome: Outcome) -> list[Extended]:
        return [-part for part in game.welfare(outcome.profile)]

    return Posed(game, begin, lambda p: dict(zip(names, p, strict=True)), None if game.numeric else social)
