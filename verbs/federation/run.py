"""``run``, ``verify`` and ``compare`` on scenarios of kind ``federation``: a schedule, judged.

``run`` says what everybody gets of it, ``verify`` whether it is an equilibrium, meets the constraints and keeps the
promises of the rule, ``compare`` puts those of several rules side by side.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Final

from ...agents.organizations import Placement
from ...games.dynamics import best_response
from ...games.equilibria.coalitions.checker import checked_size, first_deviation
from ...games.equilibria.coalitions.results import Deviation
from ...games.search import search
from ...mechanisms.federation import checkers
from ...mechanisms.federation import schedule as metrics
from ...mechanisms.federation.catalogue import JUDGED_BY
from ...mechanisms.federation.claims import CHECKS, check, judges
from ...mechanisms.federation.optimal import degree
from ...mechanisms.federation.schedule import Schedule, first_machines, local_makespans, local_totals, machine_owners
from ...mechanisms.kinds import RuleInfo
from ...scenarios.scenario import Scenario
from ...support.errors import InputError, TooLargeError, unknown_name
from ...support.exact import Extended
from ...support.progress import Clock, Progress
from ..compare import Variant, check_same, shared_fields, side_by_side, variants
from ..records import CompareRecord
from . import records
from .model import (
    Alone,
    Model,
    alone,
    by_host,
    judged_totals,
    local_constraint,
    model,
    play,
    selfishness,
    social_cost,
)
from .options import Compare, Run, Verify

PLAYED: Final = ("equilibrium", "coalition")
PROPERTIES: Final = ("local-constraint", "selfishness-restriction")
UNCHECKED: Final = "checker"
COLUMNS: Final = (
    *("social_cost", "local_constraint", "selfishness_restriction", "jain", "stretch"),
    *("best_equilibrium", "worst_equilibrium", "price_of_anarchy"),
)
ANARCHY_SECONDS: Final = 20.0
"""How long the price of anarchy of one coordination mechanism is searched, unless told."""


def run(scenario: Scenario, options: Run, progress: Progress | None = None) -> records.RunRecord:
    """Schedule the federation by its rule, or judge the placement of a coordination mechanism.

    When the time limit strikes ``rule = "optimal"``, the best schedule known is judged and ``optimum_at_least`` is a
    proved bound.
    """
    m, clock = model(scenario, options.mechanism), Clock(options.time_limit)
    played = play(m, options.time_limit, progress)
    head: dict[str, Any] = {
        "kind": scenario.kind,
        "scenario": scenario.label,
        "method": played.optimum.method if played.optimum is not None else "policy" if m.played else "rule",
        "complete": played.complete,
        "lower_bound": metrics.lower_bound(m.federation),
    }
    if played.schedule is None:
        feasible = False if played.complete else None
        return records.NoScheduleRecord(verdict=feasible, feasible=feasible, **head)
    judged = alone(m, clock)
    head["complete"] &= judged is None or all(row.best is not None for row in judged)
    jobs = _jobs(played.schedule, options.list)
    return records.RunRecord(
        organizations=_organizations(m, played.schedule, judged),
        jobs=jobs,
        jobs_left_out=m.federation.n_jobs - len(jobs) or None,
        guess=played.guess,
        optimum_at_least=None if played.optimum is None else played.optimum.lower,
        **_judged(m, played.schedule),
        **head,
    )


def _judged(m: Model, schedule: Schedule) -> dict[str, Any]:
    """The fields that tell of the schedule as a whole."""
    federation, makespans = m.federation, schedule.makespans
    bound = metrics.lower_bound(federation)
    return {
        **_compared(m, schedule),
        "over_lower_bound": max(makespans) / bound if bound else None,
        "sum_of_makespans": sum(makespans, Fraction(0)),
        "cooperation": degree(schedule, local_makespans(federation, m.reference("lpt"))),
    }


def _compared(m: Model, schedule: Schedule) -> dict[str, Any]:
    """Those of them that rules are compared by."""
    return {
        "social_cost": social_cost(m, schedule),
        "local_constraint": local_constraint(m, schedule).holds,
        "selfishness_restriction": selfishness(m, schedule).holds,
        "jain": metrics.jain(m.federation, schedule.makespans),
        "stretch": metrics.stretch(m.federation, schedule.makespans),
    }


def _jobs(schedule: Schedule, listed: int | None) -> tuple[records.JobRow, ...]:
    """The first so many jobs, organization after organization."""
    federation, unit = schedule.federation, schedule.federation.unit
    owner, first = machine_owners(federation), first_machines(federation)
    jobs = (
        (name, *job)
        for name, *row in zip(federation.names, schedule.machine, schedule.start, schedule.ends, strict=True)
        for job in zip(itertools.count(1), *row)
    )
    return tuple(
        records.JobRow(
            organization=name,
            job=number,
            host=federation.names[owner[machine]],
            machine=machine - first[owner[machine]] + 1,
            start=start * unit,
            end=end * unit,
        )
        for name, number, machine, start, end in itertools.islice(jobs, listed)
    )


def _organizations(m: Model, schedule: Schedule, judged: Sequence[Alone] | None) -> tuple[records.OrganizationRow, ...]:
    federation = m.federation
    if judged_totals(m)[0]:
        local = local_makespans(federation, m.reference("lpt"))
    else:
        local = local_totals(federation, m.reference("spt"))
    costs = schedule.totals if m.total else schedule.makespans
    bounds, stretches = metrics.lower_bounds(federation), metrics.stretches(federation, schedule.makespans)
    return tuple(
        records.OrganizationRow(
            name=org.name,
            local=local[k] * federation.unit,
            makespan=schedule.makespans[k],
            total_completion=schedule.totals[k],
            cost=costs[k],
            lower_bound=bounds[k],
            stretch=stretches[k],
            epsilon=None if judged is None else judged[k].epsilon,
            regret=None if judged is None else judged[k].regret,
            limit=None if judged is None else judged[k].limit,
        )
        if org.jobs
        else records.OrganizationRow(name=org.name)
        for k, org in enumerate(federation.organizations)
    )


def verify(scenario: Scenario, options: Verify, progress: Progress | None = None) -> records.VerifyRecord:
    """Whether the placement is an equilibrium, the constraints hold, and the rule keeps its promises here."""
    m = model(scenario, options.mechanism)
    property_name = asked_property(m, options.property)
    check_coalitions(m, options)
    clock = Clock(options.time_limit)
    schedule = play(m, options.time_limit, progress).schedule
    if schedule is None:
        raise InputError("verify: no schedule meets the constraints (or none was found within the limit)")
    findings = {"local-constraint": local_constraint(m, schedule), "selfishness-restriction": selfishness(m, schedule)}
    claims = _claims(m, schedule, options.time_limit, property_name)
    stable = equilibrium(scenario, m, options.mechanism is not None, clock) if m.played else None
    verdicts: dict[str, bool | None] = {name: finding.holds for name, finding in findings.items()}
    verdicts |= {name: claim.holds for name, claim in claims.items()}  # in the rule's own terms, if it promises one
    joint = coalition(scenario, m, options, clock)
    if stable is not None:
        verdicts["equilibrium"] = stable.holds
    if joint is not None:
        verdicts["coalition"] = joint.holds
    default = ["coalition"] if joint is not None else ["equilibrium"] if stable is not None else list(claims)
    counted = default if property_name is None else [property_name]
    return records.VerifyRecord(
        kind=scenario.kind,
        scenario=scenario.label,
        method="definition",
        complete=(_unchecked(m) or all(claim.holds is not None for claim in claims.values()))
        and all(verdicts.get(name, True) is not None for name in PLAYED),
        verdict=_all(verdicts[name] for name in counted),
        equilibrium=stable,
        coalition=joint,
        local_constraint=bool(findings["local-constraint"].holds),
        selfishness_restriction=bool(findings["selfishness-restriction"].holds),
        witnesses={name.replace("-", "_"): _witness(m, each) for name, each in findings.items() if not each.holds},
        claims=claims,
    )


def asked_property(m: Model, name: str | None) -> str | None:
    """The property whose verdict counts, as it is written. Raises UnknownNameError for one that there is not."""
    judged = (claim for claim in CHECKS if judges(claim, m.rule))
    names = dict.fromkeys((*(PLAYED if m.played else ()), *PROPERTIES, *m.claims, *judged))
    written = None if name is None else name.replace("_", "-")
    if written is not None and written not in names:
        raise unknown_name("property", written, names)
    return written


def _all(verdicts: Iterable[bool | None]) -> bool | None:
    """Whether all hold: refuted by one that fails, else open with one that is open."""
    listed = list(verdicts)
    return False if False in listed else None if None in listed else True


def _unchecked(m: Model) -> bool:
    """Whether there is no check of the rule's claims: another distribution announced them."""
    return m.entry is not None and m.entry.foreign


def _claims(m: Model, schedule: Schedule, time_limit: float | None, request: str | None) -> dict[str, records.ClaimRow]:
    """What the rule promises, and the claim that is asked about; without its check what another distribution says."""
    rows = {}
    for name in dict.fromkeys((*m.claims, *([request] if request in CHECKS and request not in PROPERTIES else []))):
        if (_unchecked(m) and name != request) or not judges(name, m.rule):
            rows[name] = records.ClaimRow(holds=None, witness=None, limit=UNCHECKED)
            continue
        finding = check(name, m.rule, schedule, time_limit)
        rows[name] = records.ClaimRow(
            holds=finding.holds, witness=None if finding.holds is not False else _witness(m, finding)
        )
    return rows


def _witness(m: Model, finding: checkers.Finding) -> records.WitnessRow:
    return records.WitnessRow.of(
        finding,
        organization=None if finding.organization is None else m.federation.names[finding.organization],
        job=None if finding.job is None else finding.job + 1,
    )


def equilibrium(scenario: Scenario, m: Model, own: bool, clock: Clock) -> records.EquilibriumRow:
    """Epsilon and regret of the placement, and the best reply of the organization that gains the largest factor.

    One organization that gains is enough to refute, whatever is open about the others.
    """
    rows = alone(m, clock) or ()
    factors = {k: row.epsilon for k, row in enumerate(rows) if row.epsilon is not None}
    regrets = [row.regret for row in rows if row.regret is not None]
    limit = next((row.limit for row in rows if row.limit), None)
    all_known = limit is None
    worst = max(factors, key=lambda k: factors[k], default=None)
    gains, witness = worst is not None and factors[worst] > 1, None
    if worst is not None and gains:
        try:
            witness = _gain(scenario, m, worst, rows[worst], own)
        except TooLargeError:
            limit = "size"
    return records.EquilibriumRow(
        holds=False if gains else True if all_known else None,
        epsilon=max(factors.values()) if all_known else None,
        regret=max(regrets) if all_known else None,
        witness=witness,
        limit=limit,
    )


def _gain(scenario: Scenario, m: Model, player: int, row: Alone, own: bool) -> records.GainRow:
    """The best reply; a rule of one's own cannot be written into a scenario, so nothing replays."""
    placement, name = m.spec.placement, m.federation.names[player]
    better = (*placement[:player], best_response(m.game(), player, placement)[0], *placement[player + 1 :])
    steps = ((placement, {name: row.cost}), (better, {name: row.best}))
    return records.GainRow(
        organization=name,
        placement=tuple(by_host(m.spec, better)[name]),
        cost=row.cost,
        better=row.best,
        replay=() if own else tuple(_replay(scenario, m, *step) for step in steps),
    )


def _replay(scenario: Scenario, m: Model, placement: Placement, costs: Mapping[str, Extended | None]) -> dict[str, Any]:
    """The scenario at a placement, which expects what some organizations pay there."""
    claim = {"run": {"organizations": {name: {"cost": cost} for name, cost in costs.items()}}}
    return scenario.variant({"placement": by_host(m.spec, placement)}, claim)


def check_coalitions(m: Model, options: Verify) -> None:
    """Raise InputError for coalitions where nobody places jobs, or what needs them where nobody asked for them."""
    if options.coalitions is not None and not m.played:
        raise InputError("coalitions: only under coordination, or a policy of one's own, do organizations place jobs")
    if options.coalitions is None and options.property == "coalition":
        raise InputError("property: 'coalition' needs coalitions = K, the most members that a coalition has")
    if options.coalitions is None and "notion" in options.model_fields_set:
        raise InputError(f"notion: found {options.notion!r} without coalitions; expected coalitions = K, or no notion")


def coalition(scenario: Scenario, m: Model, options: Verify, clock: Clock) -> records.CoalitionRow | None:
    """The first coalition that gains, or that there is none; ``None`` where nobody asked."""
    if options.coalitions is None:
        return None
    game, placement = m.game(), m.spec.placement
    size = checked_size(game, options.coalitions)
    deviation, limit = None, None
    try:
        deviation = first_deviation(game, placement, size, options.notion, clock)
    except TooLargeError:
        limit = "size"
    except (TimeoutError, KeyboardInterrupt):
        limit = "time"
    return records.CoalitionRow(
        notion=options.notion,
        size=size,
        holds=None if limit is not None else deviation is None,
        witness=None if deviation is None else _joint_gain(scenario, m, deviation, own=options.mechanism is not None),
        limit=limit,
    )


def _joint_gain(scenario: Scenario, m: Model, deviation: Deviation, own: bool) -> records.JointGainRow:
    """The deviation; a rule of one's own cannot be written into a scenario, so nothing replays."""
    before, after = m.spec.placement, deviation.applied(m.spec.placement)
    members = tuple(m.federation.names[i] for i in deviation.members)
    costs = [dict(zip(members, paid, strict=True)) for paid in (deviation.costs_before, deviation.costs_after)]
    return records.JointGainRow(
        members=members,
        placement=by_host(m.spec, after),
        costs_before=costs[0],
        costs_after=costs[1],
        replay=() if own else tuple(_replay(scenario, m, *step) for step in zip((before, after), costs, strict=True)),
    )


def compare(scenarios: Sequence[Scenario], options: Compare, progress: Progress | None = None) -> CompareRecord:
    """Cost, constraints, fairness and price of anarchy of several rules on the same organizations.

    A coordination mechanism is judged at its placement; the social costs of its best and worst equilibrium and its
    price of anarchy are those of the whole game. The time limit is each row's; what it leaves open is ``None``, and the
    row incomplete.
    """
    check_same(scenarios, lambda scenario: scenario.spec.names, "organizations")
    row = partial(_row, time_limit=options.time_limit, progress=progress)
    rows, complete = side_by_side(variants(scenarios, options.rules), row, progress)
    return CompareRecord(
        method="side by side",
        **shared_fields(scenarios, COLUMNS, rows, complete),
    )


def adapt(scenario: Scenario, rule: RuleInfo, options: dict[str, Any]) -> Mapping[str, Any]:
    """Another rule, judged as before; values that it does not understand, and priorities that it does not read, go."""
    judged = {key: value for key, value in scenario.data["mechanism"].items() if key in JUDGED_BY}
    if rule.id == "priority-equilibrium" and not isinstance(options.get("order", []), list | tuple):
        del options["order"]
    if rule.id == "optimal" and not {"local", "local-total"} & set(options.get("constraints", ())):
        options.pop("cooperation", None)
    changes: dict[str, Any] = {"mechanism": {"rule": rule.id, **judged, **options}}
    if not (rule.id == "coordination" and options.get("order") == "given"):
        changes["organizations"] = [_without_priorities(org) for org in scenario.data["organizations"]]
    return changes


def _without_priorities(organization: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in organization.items() if key != "priorities"}
    if isinstance(kept["jobs"], int):
        return kept
    jobs = [
        {key: value for key, value in job.items() if key != "priority"} if isinstance(job, Mapping) else job
        for job in kept["jobs"]
    ]
    return {**kept, "jobs": jobs}


def _row(variant: Variant, time_limit: float | None, progress: Progress | None) -> tuple[Mapping[str, Any], bool]:
    m, clock = model(variant.scenario, variant.own), Clock(time_limit)
    played = play(m, clock.left(), progress)
    values: dict[str, Any] = dict.fromkeys(COLUMNS)
    if played.schedule is None:
        return values, played.complete
    values |= _compared(m, played.schedule)
    if not m.played:
        return values, played.complete
    limit = ANARCHY_SECONDS if time_limit is None else clock.left()
    try:
        result = search(m.game(), limit=0, time_limit=limit, progress=progress)
    except TooLargeError:  # the rest of the row is known all the same
        return values, False
    if result.complete:
        ends = {"best": result.equilibria.best, "worst": result.equilibria.worst}
        values |= {f"{name}_equilibrium": one.social_cost for name, one in ends.items() if one is not None}
    return values | {"price_of_anarchy": result.price_of_anarchy}, result.complete
