"""``verify`` on scenarios of kind ``federation``: the equilibrium, the constraints, and what the rule promises."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from ...agents.organizations import Placement
from ...games.dynamics import best_response
from ...mechanisms.federation import checkers
from ...mechanisms.federation.claims import ClaimResult, check
from ...mechanisms.federation.schedule import Schedule
from ...scenarios.scenario import Scenario
from ...support.errors import InputError, TooLargeError, unknown_name
from ...support.exact import Extended
from ...support.progress import Clock, Progress
from .coalition import check_asked, coalition
from .model import Alone, Model, alone, by_host, local_constraint, model, play, selfishness
from .options import Verify
from .records import ClaimRow, EquilibriumRow, GainRow, VerifyRecord, WitnessRow

PLAYED: Final = ("equilibrium", "coalition")
PROPERTIES: Final = ("local-constraint", "selfishness-restriction")
UNCHECKED: Final = "checker"


def verify(scenario: Scenario, options: Verify, progress: Progress | None = None) -> VerifyRecord:
    """Whether the placement is an equilibrium, the constraints hold, and the rule keeps its promises here."""
    m = model(scenario, options.mechanism)
    wanted = asked_property(m, options.property)
    check_asked(m, options)
    clock = Clock(options.time_limit)
    schedule = play(m, options.time_limit, progress).schedule
    if schedule is None:
        raise InputError("verify: no schedule meets the constraints (or none was found within the limit)")
    found = {"local-constraint": local_constraint(m, schedule), "selfishness-restriction": selfishness(m, schedule)}
    claims = _claims(m, schedule, options.time_limit)
    stable = equilibrium(scenario, m, own=options.mechanism is not None) if m.played else None
    verdicts: dict[str, bool | None] = {name: finding.holds for name, finding in found.items()}
    verdicts |= {name: claim.holds for name, claim in claims.items()}  # in the rule's own terms, if it promises one
    joint = coalition(scenario, m, options, clock)
    if stable is not None:
        verdicts["equilibrium"] = stable.holds
    if joint is not None:
        verdicts["coalition"] = joint.holds
    default = ["coalition"] if joint is not None else ["equilibrium"] if stable is not None else list(claims)
    counted = default if wanted is None else [wanted]
    return VerifyRecord(
        kind=scenario.kind,
        scenario=scenario.label,
        method="definition",
        complete=(_unchecked(m) or all(claim.holds is not None for claim in claims.values()))
        and all(verdicts.get(name, True) is not None for name in PLAYED),
        verdict=_all(verdicts[name] for name in counted),
        equilibrium=stable,
        coalition=joint,
        local_constraint=found["local-constraint"].holds,
        selfishness_restriction=found["selfishness-restriction"].holds,
        witnesses=witnesses(m, found),
        claims=claims,
    )


def witnesses(m: Model, found: Mapping[str, checkers.Finding]) -> dict[str, WitnessRow]:
    """Who breaks each of the constraints that fail."""
    return {name.replace("-", "_"): _witness(m, finding) for name, finding in found.items() if not finding.holds}


def asked_property(m: Model, name: str | None) -> str | None:
    """The property whose verdict counts, as it is written. Raises UnknownNameError for one that there is not."""
    known = (*(PLAYED if m.played else ()), *PROPERTIES, *m.claims)
    wanted = None if name is None else name.replace("_", "-")
    if wanted is not None and wanted not in known:
        raise unknown_name("property", wanted, known)
    return wanted


def _all(verdicts: Iterable[bool | None]) -> bool | None:
    """Whether all hold: refuted by one that fails, else open with one that is open."""
    found = list(verdicts)
    return False if False in found else None if None in found else True


def _unchecked(m: Model) -> bool:
    """Whether there is no check of the rule's claims: another distribution announced them."""
    return m.entry is not None and m.entry.foreign


def _claims(m: Model, schedule: Schedule, time_limit: float | None) -> dict[str, ClaimRow]:
    if _unchecked(m):
        return {name: ClaimRow(holds=None, witness=None, limit=UNCHECKED) for name in m.claims}
    checked = {name: check(name, m.rule, schedule, time_limit) for name in m.claims}
    return {name: _claim(m, result) for name, result in checked.items()}


def _claim(m: Model, result: ClaimResult) -> ClaimRow:
    finding = result.finding
    return ClaimRow(holds=result.holds, witness=None if finding is None or finding.holds else _witness(m, finding))


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
