"""The verbs on scenarios of kind ``multiuser``.

:func:`community` and :func:`fairness` build the objects of the lower floors from a checked scenario, :func:`solve`
applies its rule, and each verb names the results as the format documents them. Values and times are in the scenario's
own unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from ...agents.users import Community, Point, User
from ...mechanisms.multiuser.bounds import nadir, zenith
from ...mechanisms.multiuser.catalogue import FAIRNESS_RULES
from ...mechanisms.multiuser.earliest import edf
from ...mechanisms.multiuser.enumeration import enumeration_size
from ...mechanisms.multiuser.fairest_point import fairest, fairest_point, n_states
from ...mechanisms.multiuser.fairness import Fairness, Measure, fairness_metrics
from ...mechanisms.multiuser.grid import pareto_grid
from ...mechanisms.multiuser.latest import lst
from ...mechanisms.multiuser.multi import multicmax, multimixed, multimixed_ratios, multisum
from ...mechanisms.multiuser.pareto import n_points, pareto_front
from ...mechanisms.multiuser.printed import lst_printed
from ...mechanisms.multiuser.refinement import RefineResult, refine, refine_printed
from ...mechanisms.multiuser.schedule import Outcome
from ...mechanisms.registry import rules as known_rules
from ...scenarios.multiuser import MultiuserSpec
from ...scenarios.problems import ScenarioError
from ...scenarios.reader import load
from ...scenarios.scenario import Scenario
from ...scheduling.errors import InputError, TooLargeError, unknown_name
from ...scheduling.progress import Progress
from ..records import Answer, Estimate, Statistic

LISTED: Final = 100
"""Points of a Pareto set that a record lists unless told otherwise."""

ZENITH_SECONDS: Final = 1.0
"""How long a user's optimal makespan alone may take before the record leaves it out."""

CHEAP_STATES: Final = 20_000
"""Up to so many states the exact optimum is computed beside any answer, to say how far from fairest it is."""

DRAWN_BOXES: Final = 600
"""Boxes of a refinement are recorded, for the picture, when there are at most so many and at most two axes."""


def community(spec: MultiuserSpec) -> Community:
    """Users and machines of a scenario."""
    users = tuple(User(u.name, u.objective, u.jobs) for u in spec.users)
    return Community(users, spec.machines)


def fairness(spec: MultiuserSpec) -> Fairness:
    """The fairness function of a scenario; the default one for rules without ``[fairness]``."""
    given = spec.fairness
    return Fairness(given.norm, given.values, given.relative_to, given.weights or None)


# --- rules ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Solution:
    """What a rule gives: an outcome, or a set of points; ``refined`` for the refinement."""

    outcome: Outcome
    points: tuple[Point, ...] | None = None
    grid: dict[str, Any] | None = None
    refined: RefineResult | None = None


def solve(
    shared: Community, spec: MultiuserSpec, time_limit: float | None = None, progress: Progress | None = None
) -> Solution:
    """Apply the scenario's rule."""
    rule = spec.rule
    if time_limit is not None and rule not in ("refine", "refine-printed"):
        raise InputError(f"time_limit: rule {rule!r} takes none; refine and refine-printed do")
    if rule in ("edf", "lst", "lst-printed"):
        function = {"edf": edf, "lst": lst, "lst-printed": lst_printed}[rule]
        limits = spec.thresholds or (None,) * len(spec.users)
        return Solution(function(shared, limits, spec.ties))
    if rule == "multisum":
        return Solution(multisum(shared))
    if rule == "multicmax":
        return Solution(multicmax(shared, spec.local))
    if rule == "multimixed":
        return Solution(multimixed(shared, spec.local, spec.improve))
    if rule == "fairest":
        return Solution(fairest(shared, fairness(spec), progress).outcome)
    if rule == "pareto":
        return _pareto(shared, spec, progress)
    result = _refined(shared, spec, time_limit, progress)
    return Solution(result.outcome, refined=result)


def _refined(
    shared: Community, spec: MultiuserSpec, time_limit: float | None, progress: Progress | None
) -> RefineResult:
    given = fairness(spec)
    drawn = len(shared.makespan_users) <= 2
    if spec.rule == "refine-printed":
        return refine_printed(shared, given, spec.levels, spec.ties, time_limit, drawn, progress)
    return refine(
        shared,
        given,
        spec.levels,
        spec.ties,
        time_limit=time_limit,
        keep_boxes=drawn,
        progress=progress,
    )


def _pareto(shared: Community, spec: MultiuserSpec, progress: Progress | None) -> Solution:
    if spec.epsilon is None:
        front = pareto_front(shared)
        return Solution(Outcome(None, (), front.method), front.points)
    grid = pareto_grid(shared, spec.epsilon, spec.ties, progress=progress)
    outcome = Outcome(None, (), "grid", exact=False, complete=grid.complete)
    ratios = None if grid.ratios is None else dict(zip(spec.names, grid.ratios, strict=True))
    return Solution(outcome, grid.points, {"corners": grid.corners, "ratios": ratios})


def guarantees(shared: Community, spec: MultiuserSpec) -> tuple[Fraction | None, ...]:
    """Proved factor over each user's value alone, for the MULTI rules."""
    if spec.rule not in ("multicmax", "multisum", "multimixed"):
        return (None,) * len(spec.users)
    return multimixed_ratios(shared, spec.local)


# --- run ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class UserRow:
    """One user's part of a ``run`` record."""

    name: str
    objective: str
    value: Fraction | None
    zenith: Fraction | None
    nadir: Fraction
    guarantee: Fraction | None


@dataclass(frozen=True)
class JobRow:
    """One job of the schedule, numbers from 1."""

    user: str
    job: int
    machine: int
    start: Fraction
    end: Fraction


def run(
    scenario: Scenario,
    *,
    progress: Progress | None = None,
    list: int = LISTED,
    time_limit: float | None = None,
) -> Answer:
    """Apply the rule once. ``list``: points of a Pareto set to list; ``time_limit``: seconds, for the refinement."""
    spec: MultiuserSpec = scenario.spec
    shared = community(spec)
    found = solve(shared, spec, time_limit, progress)
    measure = fairness(spec).bind(shared)
    body: dict[str, Any] = {
        "users": _users(shared, spec, found.outcome.point),
        "feasible": None if found.points is not None else found.outcome.point is not None,
        "point": in_time(shared, found.outcome.point),
        "jobs": tuple(
            JobRow(spec.names[s.user], s.job + 1, s.machine + 1, shared.in_time(s.start), shared.in_time(s.end))
            for s in found.outcome.slots
        ),
        "pareto": None,
        "fairness": _fairness(shared, measure, spec, found),
        "metrics": metrics(measure, found.outcome.point),
    }
    if found.points is not None:
        body["pareto"] = [in_time(shared, point) for point in found.points[:list]]
        body["pareto_count"] = len(found.points)
        body["pareto_left_out"] = max(0, len(found.points) - list)
    if found.grid is not None:
        body["grid"] = found.grid
    outcome = found.outcome
    return Answer(method=outcome.method, body=body, exact=outcome.exact, complete=outcome.complete)


def in_time(shared: Community, point: Point | None) -> tuple[Fraction, ...] | None:
    """A point in the scenario's unit of time."""
    return None if point is None else tuple(shared.in_time(x) for x in point)


def metrics(measure: Measure, point: Point | None) -> dict[str, Fraction | None] | None:
    """Jain's index, min-max ratio and variance of what the users enter the fairness function with."""
    return None if point is None else fairness_metrics(measure.values(point))


def _users(shared: Community, spec: MultiuserSpec, point: Point | None) -> tuple[UserRow, ...]:
    try:
        best: Point | None = zenith(shared, ZENITH_SECONDS)
    except TooLargeError:  # an optimal makespan on several machines may be out of reach; everything else is not
        best = None
    worst = nadir(shared)
    return tuple(
        UserRow(
            user.name,
            user.objective,
            None if point is None else shared.in_time(point[u]),
            None if best is None else shared.in_time(best[u]),
            shared.in_time(worst[u]),
            guarantee,
        )
        for u, (user, guarantee) in enumerate(zip(spec.users, guarantees(shared, spec), strict=True))
    )


def optimum(shared: Community, measure: Measure) -> Fraction | None:
    """Smallest key of all schedules where that is cheap to compute, else ``None``."""
    if shared.machines > 1 or len(shared.completion_users) > 1 or n_states(shared) > CHEAP_STATES:
        return None
    return measure.key(fairest_point(shared, measure))


def _fairness(shared: Community, measure: Measure, spec: MultiuserSpec, found: Solution) -> dict[str, Any] | None:
    point = found.outcome.point
    if point is None:
        return None
    key = measure.key(point)
    proved = spec.rule == "fairest" or (found.refined is not None and found.refined.proved)
    best = key if proved else optimum(shared, measure)
    body: dict[str, Any] = {
        "norm": measure.norm,
        "key": key,
        "value": Statistic(measure.value(key)),
        "optimum_key": best,
        "over_optimum": over(measure, key, best),
        "levels": None,
    }
    if found.refined is not None:
        body["proved"] = proved
        body["improvement"] = Statistic(found.refined.improvement)
        body["levels"] = _levels(shared, found.refined)
    return body


def over(measure: Measure, key: Fraction, best: Fraction | None) -> Statistic | None:
    """How far a value lies above the optimum: 0 is fairest, 0.1 is ten percent above."""
    if best is None:
        return None
    return Statistic(measure.ratio(key, best) - 1)


def _levels(shared: Community, result: RefineResult) -> list[dict[str, Any]]:
    draw = sum(level.cells for level in result.levels) <= DRAWN_BOXES
    rows = []
    for level in result.levels:
        row: dict[str, Any] = {
            "level": level.level,
            "cells": level.cells,
            "active": level.active,
            "key": level.key,
            "value": Statistic(level.value),
            "point": in_time(shared, level.point),
            "bound": level.bound,
            "gap": None if level.gap is None else Statistic(level.gap),
            "proved": level.proved,
        }
        if draw and level.boxes:
            row["boxes"] = [
                {"low": in_time(shared, box.low), "high": in_time(shared, box.high), "fate": box.fate}
                for box in level.boxes
            ]
        rows.append(row)
    return rows


# --- compare --------------------------------------------------------------------------------------------------------

COLUMNS: Final = ("point", "fairness_key", "fairness", "over_optimum", "jain", "min_max")


def compare(
    scenarios: Sequence[Scenario], *, progress: Progress | None = None, rules: Sequence[str] | None = None
) -> Answer:
    """Point and fairness under several rules.

    One scenario: under ``rules`` (default: every rule that is defined for its users and gives one point); thresholds,
    where the scenario has none, are left open. Several: each under its own rule, over the same users. The fairness
    function is that of the first scenario whose rule uses one.
    """
    if len(scenarios) > 1 and rules is not None:
        raise InputError("rules: give them with one scenario, or several scenarios without them")
    variants = _variants(scenarios[0], rules) if len(scenarios) == 1 else list(scenarios)
    first = community(variants[0].spec)
    specs: list[MultiuserSpec] = [v.spec for v in variants]
    for scenario, spec in zip(variants, specs, strict=True):
        if community(spec) != first:
            raise InputError(f"compare: {scenario.label} has other users or machines than {variants[0].label}")
    measured = next((spec for spec in (scenarios[0].spec, *specs) if spec.rule in FAIRNESS_RULES), specs[0])
    measure = fairness(measured).bind(first)
    best, rows = optimum(first, measure), []
    for i, (scenario, spec) in enumerate(zip(variants, specs, strict=True)):
        if progress is not None:
            progress(i, len(specs), spec.rule)
        rows.append(_row(first, measure, best, scenario, spec, named=rules is not None or len(scenarios) > 1))
    return Answer("comparison", {"columns": COLUMNS, "rows": rows}, complete=all(row["complete"] for row in rows))


def _variants(scenario: Scenario, rules: Sequence[str] | None) -> list[Scenario]:
    """The scenario under each rule, options kept where the rule uses them."""
    known = known_rules("multiuser")
    for rule in rules or ():
        if rule not in known:
            raise unknown_name("rules", rule, known)
    found = []
    for rule in rules if rules is not None else [r for r in known if r != "pareto"]:
        options = {k: v for k, v in scenario.data["mechanism"].items() if k in known[rule].options}
        if "thresholds" in known[rule].options:
            options.setdefault("thresholds", ["none"] * len(scenario.spec.users))
        changes: dict[str, Any] = {"mechanism": {"rule": rule, **options}, "title": scenario.label}
        if rule not in FAIRNESS_RULES:
            changes["fairness"] = None
        try:
            found.append(load(scenario.variant(changes)))
        except ScenarioError:
            if rules is not None:
                raise
    if not found:
        raise InputError("compare: no rule given")
    return found


def _row(
    shared: Community, measure: Measure, best: Fraction | None, scenario: Scenario, spec: MultiuserSpec, named: bool
) -> dict[str, Any]:
    try:
        outcome = solve(shared, spec).outcome
    except TooLargeError:
        if named:
            raise
        outcome = Outcome(None, (), "too large", complete=False)
    values: dict[str, Any] = dict.fromkeys(COLUMNS)
    if outcome.point is not None:
        key = measure.key(outcome.point)
        found = fairness_metrics(measure.values(outcome.point))
        values = {
            "point": in_time(shared, outcome.point),
            "fairness_key": key,
            "fairness": Statistic(measure.value(key)),
            "over_optimum": over(measure, key, best),
            "jain": found["jain"],
            "min_max": found["min_max"],
        }
    return {"rule": spec.rule, "scenario": scenario.label, "values": values, "complete": outcome.complete}


# --- dry run --------------------------------------------------------------------------------------------------------


def estimate(verb: str, scenario: Scenario, **options: Any) -> Estimate:
    """Size of what the rule goes through."""
    spec: MultiuserSpec = scenario.spec
    shared = community(spec)
    size, unit, note = sum(shared.n_jobs), "jobs", ""
    simple = shared.machines == 1 and len(shared.completion_users) <= 1
    if verb == "compare":
        size, unit = len(options.get("rules") or known_rules("multiuser")), "rules"
    elif spec.rule == "fairest" and simple:
        size, unit = n_states(shared), "states of the dynamic program"
    elif spec.rule in ("pareto", "fairest") and spec.epsilon is None:
        known = n_points(shared)
        size, unit = (known, "points") if known is not None else enumeration_size(shared)
    elif spec.rule in ("refine", "refine-printed"):
        axes = len(shared.makespan_users)
        size, unit = sum(1 << axes * level for level in range(spec.levels)), "cells"
        note = "at most; the sound discard rule leaves far fewer"
    elif spec.rule == "pareto":
        unit, note = "jobs", "the grid's corners are counted, and refused beyond two million, before any is solved"
    return Estimate(verb, scenario.kind, scenario.label, size, unit, note=note)
