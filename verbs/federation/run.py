"""The verbs on scenarios of kind ``federation``: ``run`` and ``search`` here, ``verify`` and ``compare`` beside it.

Each verb builds the rule of the scenario, calls the floor that answers, and names the results as the format says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...games.checkers import cost_and_best
from ...games.placement.cuts import Certificate
from ...games.protocol import Game, Profile, count_profiles, ratio, regret
from ...games.results import SearchResult
from ...games.search import choose_method
from ...games.search import search as search_equilibria
from ...mechanisms.federation import metrics
from ...mechanisms.federation.coordination import Coordination
from ...mechanisms.federation.local import local_makespans, local_totals
from ...mechanisms.federation.optimal import Optimal
from ...mechanisms.federation.pareto import degree
from ...mechanisms.federation.schedule import Schedule
from ...scenarios.federation import FederationSpec
from ...scenarios.scenario import Scenario
from ...scheduling.exact import Extended, rational
from ...scheduling.progress import Progress
from ..game.search import LISTED, search_answer
from ..records import Answer, Estimate
from .model import Model, by_host, judged_totals, local_constraint, model, placement_of, play, selfishness
from .verify import compare, verify

__all__ = ["compare", "estimate", "game", "run", "search", "verify"]


@dataclass(frozen=True)
class OrganizationRow:
    """One organization's part of a ``run`` record; everything but the name is ``None`` without jobs."""

    name: str
    local: Fraction | None = None
    makespan: Fraction | None = None
    total_completion: Fraction | None = None
    cost: Fraction | None = None
    lower_bound: Fraction | None = None
    stretch: Fraction | None = None
    epsilon: Extended | None = None
    regret: Extended | None = None


@dataclass(frozen=True)
class JobRow:
    """One job's part of a ``run`` record; ``job`` and ``machine`` count from 1, ``machine`` within the host."""

    organization: str
    job: int
    host: str
    machine: int
    start: Fraction
    end: Fraction


def run(
    scenario: Scenario,
    *,
    progress: Progress | None = None,
    list: int | None = None,
    time_limit: float | None = None,
) -> Answer:
    """Schedule the federation by its rule, or judge the placement of a coordination mechanism.

    Parameters
    ----------
    scenario
        The scenario.
    list
        At most so many jobs in the record; all by default.
    time_limit
        Seconds for ``rule = "optimal"``; when it strikes, the best schedule known is judged and ``optimum_at_least``
        is a proved bound.
    """
    m = model(scenario)
    played = play(m, time_limit)
    complete = played.optimum is None or played.optimum.complete
    body: dict[str, Any] = {}
    if played.schedule is None:
        body |= {"organizations": (), "social_cost": None, "lower_bound": metrics.lower_bound(m.federation)}
        body |= {"jain": None, "stretch": None, "cooperation": None, "local_constraint": None}
        body |= {"selfishness_restriction": None, "jobs": (), "feasible": False if complete else None}
    else:
        body |= _judged(m, played.schedule, list)
    if played.guess is not None:
        body["guess"] = played.guess
    if played.optimum is not None:
        body["optimum_at_least"] = played.optimum.lower if played.schedule is not None else None
        return Answer(method=played.optimum.method, body=body, complete=complete, verdict=played.schedule is not None)
    return Answer(method="policy" if isinstance(m.rule, Coordination) else "rule", body=body)


def _judged(m: Model, schedule: Schedule, limit: int | None) -> dict[str, Any]:
    """The fields of the record that a schedule determines."""
    federation, makespans = m.federation, schedule.makespans
    makespan_local = local_makespans(federation, m.spec.reference or "lpt")  # type: ignore[arg-type]  # a checked name
    jobs = tuple(
        JobRow(
            federation.names[slot.organization],
            slot.job + 1,
            federation.names[slot.host],
            slot.machine + 1,
            slot.start,
            slot.end,
        )
        for slot in schedule.slots()
    )
    body: dict[str, Any] = {
        "organizations": _rows(m, schedule),
        "social_cost": sum(schedule.totals, Fraction(0)) if m.total else schedule.makespan,
        "lower_bound": metrics.lower_bound(federation),
        "jain": metrics.jain(federation, makespans),
        "stretch": metrics.stretch(federation, makespans),
        "cooperation": degree(schedule, makespan_local),
        "local_constraint": local_constraint(m, schedule).holds,
        "selfishness_restriction": selfishness(m, schedule).holds,
        "jobs": jobs if limit is None else jobs[:limit],
    }
    if limit is not None and len(jobs) > limit:
        body["jobs_left_out"] = len(jobs) - limit
    return body


def _rows(m: Model, schedule: Schedule) -> tuple[OrganizationRow, ...]:
    federation = m.federation
    reference: Any = m.spec.reference
    if m.total or not judged_totals(m)[0]:
        local = local_totals(federation, reference or "spt")
    else:
        local = local_makespans(federation, reference or "lpt")
    costs = schedule.totals if m.total else schedule.makespans
    best = cost_and_best(m.game(), m.spec.placement) if isinstance(m.rule, Coordination) else None
    rows = []
    for k, org in enumerate(federation.organizations):
        if not org.jobs:
            rows.append(OrganizationRow(org.name))
            continue
        rows.append(
            OrganizationRow(
                org.name,
                local[k] * federation.unit,
                schedule.makespans[k],
                schedule.totals[k],
                costs[k],
                metrics.lower_bounds(federation)[k],
                metrics.stretches(federation, schedule.makespans)[k],
                None if best is None else ratio(*best[k]),
                None if best is None else regret(*best[k]),
            )
        )
    return tuple(rows)


def search(
    scenario: Scenario,
    *,
    progress: Progress | None = None,
    method: str | None = None,
    list: int = LISTED,
    time_limit: float | None = None,
    epsilon: Any = None,
    mixed: bool = False,
    start: Mapping[str, Any] | None = None,
) -> Answer:
    """Equilibria of the placement game; dynamics start with every job at home unless ``start`` says otherwise."""
    m = model(scenario)
    spec = m.spec
    result = search_equilibria(
        m.game(),
        method,
        limit=list,
        time_limit=time_limit,
        epsilon=None if epsilon is None else rational(epsilon, "epsilon"),
        mixed=mixed,
        start=None if start is None else placement_of(spec, start),
        progress=progress,
    )

    def strategy(hosts: Any) -> Any:
        return [spec.names[h] for h in hosts]

    answer = search_answer(result, lambda profile: by_host(spec, profile), strategy=strategy)
    unconstrained = None
    if not m.total:
        best = Optimal().solve(m.federation, time_limit)
        unconstrained = best.lower if best.complete else None
    body: dict[str, Any] = {}
    for key, value in answer.body.items():
        body[key] = _certificate(scenario, value, result) if key == "certificate" else value
        if key == "optimum":
            body["unconstrained_optimum"] = unconstrained
        if key == "dynamics" and value is not None and value["cycle"] is not None:
            claim = {"options": {"start": value["cycle"][0]}, "dynamics": {"converged": False}}
            body[key] = {**value, "replay": [scenario.variant({}, {"search": claim})]}
    return Answer(method=answer.method, body=body, exact=answer.exact, complete=answer.complete)


def _certificate(scenario: Scenario, certificate: Certificate, result: SearchResult) -> dict[str, Any]:
    """What the cuts prove, by name, and scenarios that repeat the verdicts.

    A claim says: no placement in which nobody gains by the listed moves (beyond ``factor`` and ``addend``) has a social
    cost ``above`` (``below``) the one given; without one, there is no such placement at all.
    """
    spec: FederationSpec = scenario.spec
    side = {"worst": "above", "best": "below"}
    claims = [
        {
            "no_equilibrium": "at all" if claim.social is None else side[claim.direction],
            "social_cost": None if claim.social is None else claim.social * spec.federation.unit,
            "factor": Fraction(claim.slack.num, claim.slack.den),
            "addend": claim.slack.add * spec.federation.unit,
            "strict": claim.slack.strict,
            "moves": [
                {"organization": spec.names[k], "placement": [spec.names[h] for h in hosts]} for k, hosts in claim.cuts
            ],
        }
        for claim in certificate.claims
    ]
    known = result.equilibria
    verdict: dict[str, Any] = {"options": {"method": "cuts"}, "equilibria": {"exists": known.exists}}
    replay = [scenario.variant({}, {"search": verdict})] if result.complete else []
    for found in {o.profile: o for o in (known.best, known.worst) if o is not None}.values():
        claim = {"verify": {"equilibrium": {"holds": True}}, "run": {"social_cost": found.social_cost}}
        replay.append(scenario.variant({"placement": by_host(spec, found.profile)}, claim))
    return {"claims": claims, "replay": replay}


def game(scenario: Scenario) -> tuple[Game, Callable[[Profile], str]]:
    """The placement game of a scenario, and a short text for a profile: hosts by number, organizations apart."""

    def label(profile: Profile) -> str:
        return " | ".join("".join(str(h + 1) for h in hosts) if hosts else "-" for hosts in profile)

    return model(scenario).game(), label


def estimate(verb: str, scenario: Scenario, **options: Any) -> Estimate:
    """Size and predicted cost of a verb."""
    m = model(scenario)
    if verb in ("search", "compare") and isinstance(m.rule, Coordination):
        placement = m.game()
        method, why = choose_method(placement) if options.get("method") is None else (options["method"], "asked for")
        return Estimate(
            verb, scenario.kind, scenario.label, count_profiles(placement), "placements", note=f"method {method}: {why}"
        )
    if verb == "search":
        m.game()  # raises: a central rule is no game
    each = len(options.get("rules") or (1,))
    return Estimate(verb, scenario.kind, scenario.label, m.federation.n_jobs * each, "jobs to schedule")
