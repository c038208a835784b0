"""The verbs on scenarios of kind ``sharing``.

What stands behind a scenario is built by :mod:`.sharing_model`, which reads the job log that ``[trace]`` names; each
verb names the results as the format documents them. ``compare`` has a module of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from ...games.sharing.manipulation import MOVES, ManipulationResult, best_manipulation
from ...games.sharing.utility_axioms import UTILITIES as AXIOM_UTILITIES
from ...games.sharing.utility_axioms import AxiomVerdict, check_axioms
from ...mechanisms.sharing.catalogue import REF_MAX
from ...mechanisms.sharing.instance import SharingInstance
from ...mechanisms.sharing.outcome import SharingOutcome, throughput
from ...mechanisms.sharing.simulation import simulate
from ...scenarios.scenario import Scenario
from ...scenarios.sharing import RuleSpec, SharingSpec
from ...scheduling.errors import InputError, nearest, unknown_name
from ...scheduling.exact import Rational
from ...scheduling.progress import Progress
from ..records import Answer, Estimate, Statistic
from .compare import compare
from .model import Setting, arguments, draws, measured, plan, reference, setting
from .windows import choices

__all__ = ["arguments", "compare", "estimate", "plan", "run", "setting", "verify"]

LISTED: Final = 100
"""Rows of a schedule that a record lists unless told otherwise."""

COALITIONS_LISTED: Final = 6
"""Up to so many organizations the value of every coalition is part of a REF record."""

AXIOMS: Final = ("starting times", "number of tasks", "strategy resistance")
STARTS_PER_SECOND: Final = 2_000_000


# --- run ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OrganizationRow:
    """One organization's part of a ``run`` record; ``parts`` is the machine time that its jobs got."""

    name: str
    machines: int
    jobs: int
    utility: Rational
    contribution: Fraction | None
    parts: int


def run(scenario: Scenario, *, progress: Progress | None = None, list: int = LISTED, measure: bool = True) -> Answer:
    """Schedule the jobs by the scenario's rule.

    ``list``: rows of the schedule to list; ``measure``: also run REF and say how far from it the schedule is.
    """
    found = setting(scenario)
    outcome = simulate(
        found.instance, until=found.until, progress=progress, **arguments(scenario.spec.mechanism, scenario.seed)
    )
    instance = found.instance
    body: dict[str, Any] = {
        "until": outcome.until,
        "organizations": _organization_rows(outcome),
        "value": outcome.value,
        **measured(outcome, reference(instance, outcome.until, outcome, progress) if measure else None),
        "utilization": outcome.utilization,
        "schedule": outcome.schedule[:list],
        "ends": (outcome.start + instance.length)[outcome.started][:list].tolist(),
        "schedule_left_out": max(0, len(outcome.schedule) - list),
    }
    if outcome.coalitions is not None and instance.n_organizations <= COALITIONS_LISTED:
        body["coalitions"] = _coalition_rows(outcome)
    if found.work is not None:
        body["window"] = {
            "log": found.log,
            "start": found.work.start,
            "duration": found.until,
            "load": Statistic(found.work.load),
        }
    seed = (scenario.seed or 0) if draws(scenario) else None
    return Answer(outcome.method, body, complete=outcome.complete, seed=seed)


def _organization_rows(outcome: SharingOutcome) -> tuple[OrganizationRow, ...]:
    instance = outcome.instance
    return tuple(
        OrganizationRow(
            name,
            instance.machines[u],
            int(instance.first[u + 1] - instance.first[u]),
            outcome.utility[u],
            None if outcome.contribution is None else outcome.contribution[u],
            outcome.parts[u],
        )
        for u, name in enumerate(instance.names)
    )


def _coalition_rows(outcome: SharingOutcome) -> list[dict[str, Any]]:
    """Value of every coalition; its name joins the members' names by ``+``."""
    assert outcome.coalitions is not None
    names = outcome.instance.names
    return [
        {
            "name": "+".join(name for u, name in enumerate(names) if mask >> u & 1),
            "value": outcome.coalitions.values[mask],
        }
        for mask in range(1, 2 ** len(names))
    ]


# --- verify ---------------------------------------------------------------------------------------------------------


def verify(
    scenario: Scenario,
    *,
    progress: Progress | None = None,
    organization: str | None = None,
    property: str | None = None,
    limit: int = 3,
    cuts: int = 32,
    t_max: int = 3,
) -> Answer:
    """Whether an organization can gain by presenting its jobs otherwise, and what its utility promises.

    Parameters
    ----------
    organization
        Name of the one that manipulates; default: each in turn.
    property
        Whose verdict counts, and the only move tried if it is one: ``split``, ``merge``, ``delay``, ``pad``; default
        ``manipulation`` (all moves). Or an axiom of the utility: ``starting-times``, ``number-of-tasks``,
        ``strategy-resistance``.
    limit
        Delays and paddings up to so many units of time.
    cuts
        At most so many ways, evenly spaced, to split each job.
    t_max
        The axioms are checked on all schedules up to this moment.
    """
    axiom_names = [axiom.replace(" ", "-") for axiom in AXIOMS]
    known = ("manipulation", *MOVES, *axiom_names)
    if property is not None and property not in known:
        raise unknown_name("property", property, known)
    if limit < 1 or cuts < 1 or not 1 <= t_max <= 5:
        raise InputError(f"found limit {limit}, cuts {cuts}, t_max {t_max}; expected at least 1, 1, and 1 to 5")
    rule: RuleSpec = scenario.spec.mechanism
    axioms = check_axioms(AXIOM_UTILITIES[rule.utility], t_max=t_max)
    body: dict[str, Any] = {
        "manipulation": None,
        "utility": rule.utility,
        "axioms": {axiom.replace(" ", "_"): _axiom(axioms[axiom]) for axiom in AXIOMS},
    }
    complete, holds = True, True
    if rule.utility == "psi-sp" and property not in axiom_names:
        moves = MOVES if property in (None, "manipulation") else (str(property),)
        body["manipulation"], complete = _manipulation(scenario, organization, moves, limit, cuts, progress)
        holds = body["manipulation"]["holds"]
    elif property not in axiom_names and property is not None:
        raise InputError(f"property: {property} is judged in psi-sp; this scenario's utility is {rule.utility}")
    verdict = axioms[AXIOMS[axiom_names.index(property)]].holds if property in axiom_names else holds
    if body["manipulation"] is None and property is None:
        verdict = all(found.holds for found in axioms.values())
    seed = (scenario.seed or 0) if draws(scenario) else None
    return Answer("enumeration", body, complete=complete, seed=seed, verdict=verdict)


def _axiom(found: AxiomVerdict) -> dict[str, Any]:
    example = None
    if found.witness is not None:
        example = {
            "moment": found.witness.moment,
            "schedules": found.witness.schedules,
            "values": found.witness.values,
        }
    return {"holds": found.holds, "cases": found.cases, "counterexample": example}


def _manipulation(
    scenario: Scenario,
    organization: str | None,
    moves: Sequence[str],
    limit: int,
    cuts: int,
    progress: Progress | None,
) -> tuple[dict[str, Any], bool]:
    found = setting(scenario)
    names = found.instance.names
    if organization is not None and organization not in names:
        near = nearest(organization, names)
        hint = f" Did you mean {near!r}?" if near else ""
        raise InputError(f"organization: {organization!r} is not one of {', '.join(names)}.{hint}")
    results: list[ManipulationResult] = []
    for u, name in enumerate(names):
        if organization in (None, name):
            results.append(
                best_manipulation(
                    found.instance,
                    u,
                    until=found.until,
                    moves=moves,
                    limit=limit,
                    cuts=cuts,
                    progress=progress,
                    **arguments(scenario.spec.mechanism, scenario.seed),
                )
            )
            if not results[-1].complete:
                break
    complete = all(r.complete for r in results) and (organization is not None or len(results) == len(names))
    tried = [r for r in results if r.gain is not None]
    best = max(tried, key=lambda r: (r.gain or 0, -r.organization), default=None)
    gains = best is not None and best.gain is not None and best.gain > 0
    row: dict[str, Any] = {
        "holds": not gains,
        "organization": None if best is None else names[best.organization],
        "move": None if best is None else best.move,
        "cases": sum(r.cases for r in results),
        "max_gain": None if best is None else best.gain,
        "witness": _witness(scenario, found, best) if best is not None and gains else None,
    }
    if len(results) > 1:
        row["each"] = [
            {"name": names[r.organization], "cases": r.cases, "move": r.move, "max_gain": r.gain} for r in results
        ]
    return row, complete


def _witness(scenario: Scenario, found: Setting, result: ManipulationResult) -> dict[str, Any]:
    """The move, what it changes, and two runs that show it. Jobs count from 1 in starting order."""
    assert result.best is not None
    assert result.gain is not None
    name = found.instance.names[result.organization]
    presented = [list(job[:2]) for job in result.best.jobs]
    queues = [[list(job[:2]) for job in found.instance.queue(u)] for u in range(found.instance.n_organizations)]
    changed = [presented if u == result.organization else queue for u, queue in enumerate(queues)]
    return {
        "organization": name,
        "move": result.best.move,
        "job": result.best.job + 1,
        "amount": result.best.amount or None,
        "jobs": presented,
        "utility_as_is": result.utility,
        "utility_with_move": result.utility + result.gain,
        "gain": result.gain,
        "replay": [_explicit(scenario, found, queues), _explicit(scenario, found, changed)],
    }


def _explicit(scenario: Scenario, found: Setting, queues: Sequence[Sequence[Sequence[int]]]) -> dict[str, Any]:
    """A scenario with its jobs written out, expecting the utilities that the checker saw (as presented)."""
    instance = found.instance
    presented = SharingInstance.of(instance.machines, queues, instance.names)
    outcome = simulate(presented, until=found.until, **arguments(scenario.spec.mechanism, scenario.seed))
    organizations = [
        {"name": name, "machines": instance.machines[u], "jobs": [list(job) for job in queues[u]]}
        for u, name in enumerate(instance.names)
    ]
    worth = dict(zip(instance.names, throughput(outcome), strict=True))
    expected = {"organizations": {name: {"utility": utility} for name, utility in worth.items()}}
    changes = {"until": found.until, "organizations": organizations, "trace": None}
    return scenario.variant(changes, expect={"run": expected})


# --- dry run --------------------------------------------------------------------------------------------------------


def estimate(verb: str, scenario: Scenario, **options: Any) -> Estimate:
    """Job starts over all schedules that a verb goes through."""
    found = setting(scenario)
    k, jobs = found.instance.n_organizations, found.instance.n_jobs
    spec: SharingSpec = scenario.spec
    every = jobs * (1 << max(0, min(k, REF_MAX) - 1))
    one = every if spec.mechanism.rule == "ref" else jobs
    if verb == "run":
        size = one if spec.mechanism.rule == "ref" else one + every
    elif verb == "verify":
        split = int(np.minimum(found.instance.length - 1, options.get("cuts", 32)).sum())
        size = one * (1 + split + jobs * (1 + 2 * options.get("limit", 3)))
    else:
        windows = 1 if spec.trace is None or spec.trace.start is not None else spec.trace.windows
        size = windows * (every + jobs * (31 + len(choices(options.get("rules")))))
    heaps = min(found.instance.n_machines, jobs) << max(0, min(k, REF_MAX) - 1)
    return Estimate(
        verb,
        scenario.kind,
        scenario.label,
        size,
        "job starts",
        size / STARTS_PER_SECOND,
        8 * heaps,
        f"jobs: {jobs:,}, organizations: {k}, machines: {found.instance.n_machines:,}; memory: REF's coalitions",
    )
