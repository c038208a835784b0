"""``verify`` on scenarios of kind ``federation``: equilibrium, joint deviations, constraints, promises."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from ...agents.organizations import Placement
from ...games.dynamics import best_response
from ...games.equilibria.coalitions.checker import checked_size, first_deviation
from ...games.equilibria.coalitions.results import Deviation
from ...mechanisms.federation import checkers
from ...mechanisms.federation.claims import check
from ...mechanisms.federation.schedule import Schedule
from ...scenarios.scenario import Scenario
from ...support.errors import InputError, TooLargeError, unknown_name
from ...support.exact import Extended
from ...support.progress import Clock, Progress
from .model import Alone, Model, alone, by_host, local_constraint, model, play, selfishness
from .options import Verify
from .records import ClaimRow, CoalitionRow, EquilibriumRow, GainRow, JointGainRow, VerifyRecord, WitnessRow

PLAYED: Final = ("equilibrium", "coalition")
PROPERTIES: Final = ("local-constraint", "selfishness-restriction")
UNCHECKED: Final = "checker"


def verify(scenario: Scenario, options: Verify, progress: Progress | None = None) -> VerifyRecord:
    """Whether the placement is an equilibrium, the constraints hold, and the rule keeps its promises here."""
    m = model(scenario, options.mechanism)
    property_name = asked_property(m, options.property)
    check_coalitions(m, options)
    clock = Clock(options.time_limit)
    schedule = play(m, options.time_limit, progress).schedule
    if schedule is None:
        raise InputError("verify: no schedule meets the constraints (or none was found within the limit)")
    findings = {"local-constraint": local_constraint(m, schedule), "selfishness-restriction": selfishness(m, schedule)}
    claims = _claims(m, schedule, options.time_limit)
    stable = equilibrium(scenario, m, own=options.mechanism is not None) if m.played else None
    verdicts: dict[str, bool | None] = {name: finding.holds for name, finding in findings.items()}
    verdicts |= {name: claim.holds for name, claim in claims.items()}  # in the rule's own terms, if it promises one
    joint = coalition(scenario, m, options, clock)
    if stable is not None:
        verdicts["equilibrium"] = stable.holds
    if joint is not None:
        verdicts["coalition"] = joint.holds
    default = ["coalition"] if joint is not None else ["equilibrium"] if stable is not None else list(claims)
    counted = default if property_name is None else [property_name]
    return VerifyRecord(
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
        witnesses=witnesses(m, findings),
        claims=claims,
    )


def witnesses(m: Model, findings: Mapping[str, checkers.Finding]) -> dict[str, WitnessRow]:
    """Who breaks each of the constraints that fail."""
    return {name.replace("-", "_"): _witness(m, finding) for name, finding in findings.items() if not finding.holds}


def asked_property(m: Model, name: str | None) -> str | None:
    """The property whose verdict counts, as it is written. Raises UnknownNameError for one that there is not."""
    names = (*(PLAYED if m.played else ()), *PROPERTIES, *m.claims)
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


def _claims(m: Model, schedule: Schedule, time_limit: float | None) -> dict[str, ClaimRow]:
    if _unchecked(m):
        return {name: ClaimRow(holds=None, witness=None, limit=UNCHECKED) for name in m.claims}
    checked = {name: check(name, m.rule, schedule, time_limit) for name in m.claims}
    return {
        name: ClaimRow(holds=finding.holds, witness=None if finding.holds is not False else _witness(m, finding))
        for name, finding in checked.items()
    }


def _witness(m: Model, finding: checkers.Finding) -> WitnessRow:
    return WitnessRow(
        organization=None if finding.organization is None else m.federation.names[finding.organization],
        job=None if finding.job is None else finding.job + 1,
        value=finding.value,
        bound=finding.bound,
    )


def equilibrium(scenario: Scenario, m: Model, own: bool) -> EquilibriumRow:
    """Epsilon and regret of the placement, and the best reply of the organization that gains the largest factor.

    One organization that gains is enough to refute, whatever is open about the others.
    """
    rows = alone(m) or ()
    factors = {k: row.epsilon for k, row in enumerate(rows) if row.epsilon is not None}
    regrets = [row.regret for row in rows if row.regret is not None]
    settled = len(factors) == len(rows)
    worst = max(factors, key=lambda k: factors[k], default=None)
    gains, witness = worst is not None and factors[worst] > 1, None
    limit = None if settled else "size"
    if worst is not None and gains:
        try:
            witness = _gain(scenario, m, worst, rows[worst], own)
        except TooLargeError:
            limit = "size"
    return EquilibriumRow(
        holds=False if gains else True if settled else None,
        epsilon=max(factors.values()) if settled else None,
        regret=max(regrets) if settled else None,
        witness=witness,
        limit=limit,
    )


def _gain(scenario: Scenario, m: Model, player: int, row: Alone, own: bool) -> GainRow:
    """The best reply; a rule of one's own cannot be written into a scenario, so nothing replays."""
    placement, name = m.spec.placement, m.federation.names[player]
    better = (*placement[:player], best_response(m.game(), player, placement)[0], *placement[player + 1 :])

    def replay(hosts: Placement, cost: Extended | None) -> dict[str, Any]:
        claim = {"run": {"organizations": {name: {"cost": cost}}}}
        return scenario.variant({"placement": by_host(m.spec, hosts)}, claim)

    return GainRow(
        organization=name,
        placement=tuple(by_host(m.spec, better)[name]),
        cost=row.cost,
        better=row.best,
        replay=() if own else (replay(placement, row.cost), replay(better, row.best)),
    )


def check_coalitions(m: Model, options: Verify) -> None:
    """Raise InputError for coalitions where nobody places jobs, or what needs them where nobody asked for them."""
    if options.coalitions is not None and not m.played:
        raise InputError("coalitions: only under coordination, or a policy of one's own, do organizations place jobs")
    if options.coalitions is None and options.property == "coalition":
        raise InputError("property: 'coalition' needs coalitions = K, the most members that a coalition has")
    if options.coalitions is None and "notion" in options.model_fields_set:
        raise InputError(f"notion: found {options.notion!r} without coalitions; expected coalitions = K, or no notion")


def coalition(scenario: Scenario, m: Model, options: Verify, clock: Clock) -> CoalitionRow | None:
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
    return CoalitionRow(
        notion=options.notion,
        size=size,
        holds=None if limit is not None else deviation is None,
        witness=None if deviation is None else _joint_gain(scenario, m, deviation, own=options.mechanism is not None),
        limit=limit,
    )


def _joint_gain(scenario: Scenario, m: Model, deviation: Deviation, own: bool) -> JointGainRow:
    """The deviation; a rule of one's own cannot be written into a scenario, so nothing replays."""
    before, after = m.spec.placement, deviation.applied(m.spec.placement)
    members = tuple(m.federation.names[i] for i in deviation.members)

    def named(costs: Sequence[Extended]) -> dict[str, Extended]:
        return dict(zip(members, costs, strict=True))

    def replay(hosts: Placement, costs: Sequence[Extended]) -> dict[str, Any]:
        claim = {"run": {"organizations": {name: {"cost": cost} for name, cost in named(costs).items()}}}
        return scenario.variant({"placement": by_host(m.spec, hosts)}, claim)

    return JointGainRow(
        members=members,
        placement=by_host(m.spec, after),
        costs_before=named(deviation.costs_before),
        costs_after=named(deviation.costs_after),
        replay=() if own else (replay(before, deviation.costs_before), replay(after, deviation.costs_after)),
    )
