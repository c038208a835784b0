"""``--dry-run`` of the verbs on scenarios of kind ``multiuser``: size of what the rule goes through."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...mechanisms.multiuser.fairest_point import check_states, n_states
from ...mechanisms.multiuser.grid import grid_axes
from ...mechanisms.multiuser.pareto import BUDGET, check_front, check_size, enumeration_size, n_points
from ...mechanisms.multiuser.refinement import MAX_CELLS
from ...scenarios.scenario import Scenario
from ...support.errors import TooLargeError
from .. import costs
from ..records import Estimate
from .options import Compare, Run
from .run import REFINED, Model, is_named, model, rows_to_be, without_rule

STATES = "states of the dynamic program"
PRICES = {
    "points": (costs.FRONT_POINT, costs.FRONT_POINT_BYTES),
    "partial schedules": (costs.PARTIAL_SCHEDULE, 10 * costs.POINT_BYTES),
    "splits of the jobs": (costs.SPLIT, costs.POINT_BYTES),
    "cells": (costs.CELL, costs.CELL_BYTES),
    "corners": (costs.CORNER, costs.POINT_BYTES),
    "jobs": (costs.SCHEDULED_JOB, costs.POINT_BYTES),
}
"""Seconds and bytes of each unit."""


def run(scenario: Scenario, options: Run) -> Estimate:
    """States, points, cells or jobs, whatever the rule goes through."""
    m = model(scenario, options.mechanism)
    effort = options.effort if options.time_limit is None else None
    size, unit, note = _size(m, effort)
    whole = Estimate("run", scenario.kind, scenario.label, size, unit, note=note)
    return costs.limited(_together(whole, [_price(m, effort)], m), options.time_limit)


def _price(m: Model, effort: int | None) -> tuple[float, float]:
    """Seconds and bytes of a rule alone."""
    size, unit, _ = _size(m, effort)
    if unit == STATES:
        return _dynamic_program(m)
    seconds, memory = PRICES[unit]
    if unit == "cells":
        cells = _cells(m)
        return sum(cells) * seconds, max(cells) * memory
    if unit == "partial schedules":  # points pile up with users, until the budget is spent
        seconds *= min(
            2.0 ** max(0, len(m.shared.users) - 3), BUDGET * (effort or 1) * costs.FRONT_STEP / (size * seconds)
        )
    return size * seconds + sum(m.shared.n_jobs) * costs.SCHEDULED_JOB, size * memory


def _cells(m: Model) -> list[float]:
    """Cells of each level of a refinement, as its discard rule leaves them; one beyond the limit is not begun."""
    axes = len(m.shared.makespan_users)
    most = math.inf if m.rule == "refine-printed" else costs.CELL_HALVINGS * axes
    halvings = [min(level * max(1.0, axes - costs.CELLS_LEFT), most) for level in range(m.spec.levels)]
    return [2.0**each for each in halvings if each <= math.log2(MAX_CELLS)]


def _together(whole: Estimate, prices: list[tuple[float, float]], m: Model) -> Estimate:
    """The estimate of rules, and of the fairest point that they are compared with where it is cheap."""
    prices = [*prices, *([_dynamic_program(m)] if m.compares_with_optimum else [])]
    seconds, memory = sum(each for each, _ in prices), max((each for _, each in prices), default=0)
    return costs.predicted(whole, costs.MULTIUSER if m.shared.machines == 1 else costs.PLAIN, seconds, int(memory))


def _dynamic_program(m: Model) -> tuple[float, float]:
    """Seconds and bytes of the fairest point, which other rules' points are compared with too."""
    if m.measure().norm == "max":
        return 0.0, 0.0
    states, users = n_states(m.shared), len(m.shared.makespan_users)
    labels = max(1.0, costs.USER_LABELS * users) if m.shared.completion_users else 1.0
    return states * users**2 * labels * costs.USER_STATE, states * costs.USER_STATE_BYTES


def _size(m: Model, effort: int | None) -> tuple[int, str, str]:
    """How much a rule goes through; raises TooLargeError where it refuses that."""
    shared, rule = m.shared, m.rule
    simple = shared.machines == 1 and len(shared.completion_users) <= 1
    if rule == "fairest" and simple:
        check_states(shared, effort or 1)
        return n_states(shared), STATES, ""
    if rule == "fairest":
        check_size(shared, effort)
        return (*enumeration_size(shared), MANY)
    if rule == "pareto" and m.spec.epsilon is None:
        check_front(shared, effort)
        points = n_points(shared)
        return (points, "points", "") if points is not None else (*enumeration_size(shared), MANY)
    if rule == "pareto":
        assert m.spec.epsilon is not None
        return math.prod(map(len, grid_axes(shared, m.spec.epsilon))), "corners", ""
    if rule in REFINED:
        axes = len(shared.makespan_users)
        cells = sum(1 << axes * level for level in range(m.spec.levels))
        return cells, "cells", "at most; the sound discard rule leaves far fewer"
    return sum(shared.n_jobs), "jobs", ""


MANY = (
    "partial points that pile up beyond a budget of steps end the search with what is known, which "
    "only the run can tell; effort (--effort) raises the budget"
)


def compare(scenarios: Sequence[Scenario], options: Compare) -> Estimate:
    """How many rows, and what they take together."""
    chosen, named = rows_to_be(scenarios, options), is_named(scenarios, options)
    prices = []
    for variant in chosen:
        try:
            prices.append(_price(model(variant.scenario, variant.own), options.effort))
        except TooLargeError:
            if named and options.time_limit is None:
                raise
    head = ("compare", scenarios[0].kind, scenarios[0].label)
    whole = _together(Estimate(*head, len(chosen), "rules"), prices, without_rule(scenarios[0]))
    return costs.limited(whole, options.time_limit)
