"""``--dry-run`` of the verbs on scenarios of kind ``federation``: jobs to schedule, or placements to search."""

from __future__ import annotations

from collections.abc import Sequence

from ...games.protocol import count_profiles
from ...games.search import planned_method
from ...scenarios.scenario import Scenario
from ...scheduling.errors import TooLargeError
from ..compare import variants
from ..records import Estimate
from .compare import adapt
from .model import model
from .options import Compare, Run, Search, Verify

JOBS = "jobs to schedule"


def run(scenario: Scenario, options: Run) -> Estimate:
    """Every job once."""
    return Estimate("run", scenario.kind, scenario.label, scenario.spec.federation.n_jobs, JOBS)


def verify(scenario: Scenario, options: Verify) -> Estimate:
    """Every job once."""
    return Estimate("verify", scenario.kind, scenario.label, scenario.spec.federation.n_jobs, JOBS)


def search(scenario: Scenario, options: Search) -> Estimate:
    """Placements, and the method that would be used."""
    game = model(scenario, options.mechanism).game()
    method, why = planned_method(game, options.method)
    note = f"method {method}: {why}"
    return Estimate("search", scenario.kind, scenario.label, count_profiles(game), "placements", note=note)


def compare(scenarios: Sequence[Scenario], options: Compare) -> Estimate:
    """The placements of the games among the rows; without any, the jobs of all rows."""
    rows = [model(v.scenario, v.own) for v in variants(scenarios, options.rules, adapt)]
    games = [m.game() for m in rows if m.played]
    head = ("compare", scenarios[0].kind, scenarios[0].label)
    if not games:
        return Estimate(*head, sum(m.federation.n_jobs for m in rows), JOBS)
    try:
        method, why = planned_method(games[0])
        note = f"method {method}: {why}"
    except TooLargeError as error:  # the price of anarchy stays open, the rest of the row does not
        note = str(error)
    return Estimate(*head, sum(map(count_profiles, games)), "placements", note=note)
