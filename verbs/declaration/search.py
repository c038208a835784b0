"""``search`` on scenarios of kind ``declaration``: equilibria of the declaration game at the true lengths."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...games.verification.equilibria import cost
from ...scenarios.scenario import Scenario
from ...support.interrupts import noticed
from ...support.progress import Clock, Progress
from ..game.records import SearchRecord
from ..game.search import searched
from ..records import OPTIONAL
from .bayesian import BayesNashRow, bayes_nash_row, equilibria, known_prior
from .model import model
from .options import REAL, Search
from .posing import posed
from .real import fields_over_reals


@dataclass(frozen=True, kw_only=True)
class DeclarationSearchRecord(SearchRecord):
    """A search with what the prior adds, where it was asked for."""

    bayes_nash: BayesNashRow | None = field(default=None, metadata=OPTIONAL)


def search(scenario: Scenario, options: Search, progress: Progress | None = None) -> DeclarationSearchRecord:
    """Equilibria at the true lengths; dynamics start at the truth unless ``start`` says otherwise.

    With ``bayesian`` also those of strategies that tell for every likely length what to declare. They get what is left
    of a time limit, of which the rest of the search takes at most half. Dynamics over all numbers are alone
    (:mod:`.real`).
    """
    if options.dynamics == REAL:
        fields = fields_over_reals(scenario, options, progress)
        return DeclarationSearchRecord(kind=scenario.kind, scenario=scenario.label, **fields)
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
