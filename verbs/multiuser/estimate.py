"""``--dry-run`` of the verbs on scenarios of kind ``multiuser``: size of what the rule goes through."""

from __future__ import annotations

from collections.abc import Sequence

from ...mechanisms.multiuser.enumeration import enumeration_size
from ...mechanisms.multiuser.fairest_point import n_states
from ...mechanisms.multiuser.pareto import n_points
from ...scenarios.scenario import Scenario
from ..records import Estimate
from .compare import rows_to_be
from .model import REFINED, Model, model
from .options import Compare, Run

CORNERS = "the grid's corners are counted, and refused beyond two million, before any is solved"


def run(scenario: Scenario, options: Run) -> Estimate:
    """States, points, cells or jobs, whatever the rule goes through."""
    size, unit, note = _size(model(scenario, options.mechanism))
    return Estimate("run", scenario.kind, scenario.label, size, unit, note=note)


def _size(m: Model) -> tuple[int, str, str]:
    shared, rule = m.shared, m.rule
    simple = shared.machines == 1 and len(shared.completion_users) <= 1
    if rule == "fairest" and simple:
        return n_states(shared), "states of the dynamic program", ""
    if rule == "fairest" or (rule == "pareto" and m.spec.epsilon is None):
        known = n_points(shared)
        return (known, "points", "") if known is not None else (*enumeration_size(shared), "")
    if rule in REFINED:
        axes = len(shared.makespan_users)
        cells = sum(1 << axes * level for level in range(m.spec.levels))
        return cells, "cells", "at most; the sound discard rule leaves far fewer"
    return sum(shared.n_jobs), "jobs", CORNERS if rule == "pareto" else ""


def compare(scenarios: Sequence[Scenario], options: Compare) -> Estimate:
    """How many rows."""
    size = len(rows_to_be(scenarios, options))
    return Estimate("compare", scenarios[0].kind, scenarios[0].label, size, "rules")
