"""``verify`` on scenarios of kind ``declaration``: incentive checks and properties, each failure with its replay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from ...games.verification.cost import Budget
from ...games.verification.domain import Domain
from ...games.verification.everything import audit
from ...games.verification.results import MARGINS, PROPERTIES, IncentiveCheck, PropertyCheck
from ...scenarios.scenario import Scenario
from ...support.exact import Extended
from ...support.progress import Progress
from ..records import OPTIONAL, Record, Row
from .bayesian import BayesianRow, bayesian_row, goal_of, known_prior
from .groups import GroupRow, asked_coalitions, group_row, group_verdicts
from .model import model
from .options import BAYESIAN, Verify, asked_property
from .witnesses import LieRow, Shown


@dataclass(frozen=True, kw_only=True)
class IncentiveRow(Row):
    """Whether the truth is a best reply, in one of the two senses; ``holds`` is ``None`` where it is open."""

    holds: bool | None
    cases: int
    total: int | None
    max_gain: Extended | None
    note: str | None
    witness: LieRow | None


@dataclass(frozen=True, kw_only=True)
class PropertyRow(Row):
    """One property on the domain; its witness names the case and the numbers that disagree."""

    holds: bool | None
    cases: int
    witness: Mapping[str, Any] | None


@dataclass(frozen=True, kw_only=True)
class DomainRow(Row):
    """What was tried: lengths and declarations by agent."""

    lengths: Mapping[str, tuple[Fraction, ...]]
    declarations: Mapping[str, tuple[Fraction, ...]]


@dataclass(frozen=True, kw_only=True)
class VerifyRecord(Record):
    """Incentive compatibility and the other properties; ``properties["any_others"]`` is for Definition 4.6."""

    verb: ClassVar[str] = "verify"
    main: ClassVar[str] = "verdicts"
    dominant: IncentiveRow
    ex_post: IncentiveRow
    bayesian: BayesianRow | None = field(default=None, metadata=OPTIONAL)
    properties: Mapping[str, Any]
    group: GroupRow | None = field(default=None, metadata=OPTIONAL)
    domain: DomainRow


def verify(scenario: Scenario, options: Verify, progress: Progress | None = None) -> VerifyRecord:
    """Incentive compatibility and the other properties, by enumeration of ``[domain]``.

    Without ``[domain]`` every agent may have and declare any length of the file. Raises InputError for a domain that is
    an interval, which ``prove`` takes.
    """
    wanted = asked_property(options)
    m = model(scenario, options.mechanism)
    domain, prior = m.domain(), known_prior(m, f"property {wanted!r}") if wanted == BAYESIAN else m.prior()
    coalitions = asked_coalitions(options, domain.n_agents)
    audited = audit(
        m.mechanism,
        domain,
        method=options.method,
        sample=options.sample,
        seed=options.seed,
        values=m.values,
        progress=progress,
        time_limit=options.time_limit,
        budget=Budget.of(options.time_limit, options.max_bytes),
        prior=prior,
        goal=goal_of(m),
        coalitions=coalitions,
    )
    expected, groups = audited.bayesian, audited.groups
    found, properties = audited.incentives, audited.properties
    shown = Shown(scenario, m, own=options.mechanism is not None)
    verdicts = {
        "dominant": found.dominant.holds,
        "ex-post": found.ex_post.holds,
        BAYESIAN: None if expected is None else expected.holds,
        **group_verdicts(groups),
        **{name.replace("_", "-"): getattr(properties, name).holds for name in PROPERTIES},
    }
    left_open = expected is not None and not expected.complete
    asked_for = {"dominant": found.dominant, "ex-post": found.ex_post}.get(wanted)
    inexact = {name.replace("_", "-") for name in PROPERTIES if not getattr(properties, name).exact}
    return VerifyRecord(
        kind=scenario.kind,
        scenario=scenario.label,
        method=found.dominant.method,
        exact=wanted not in inexact if asked_for is None else asked_for.exact,
        # a reduction that leaves the other concept open is complete once it has settled the one that was asked for
        complete=audited.complete
        or (properties.complete and not (found.stopped or left_open) and verdicts[wanted] is not None),
        seed=options.seed if options.sample is not None else None,
        verdict=verdicts[wanted],
        open=asked_for is not None and asked_for.open,
        dominant=incentive(found.dominant, shown),
        ex_post=incentive(found.ex_post, shown),
        bayesian=None if expected is None else bayesian_row(expected, m.spec.names),
        properties={
            **{name: property_row(getattr(properties, name), shown) for name in PROPERTIES},
            "any_others": {name: property_row(properties.any_others[name], shown) for name in MARGINS},
        },
        group=None if coalitions is None or groups is None else group_row(groups, coalitions, shown),
        domain=domain_row(domain, shown),
    )


def domain_row(domain: Domain, shown: Shown) -> DomainRow:
    """What is tried."""
    return DomainRow(lengths=shown.by_name(domain.lengths), declarations=shown.by_name(domain.declarations))


def incentive(check: IncentiveCheck, shown: Shown) -> IncentiveRow:
    """Incentive compatibility in one sense."""
    return IncentiveRow(
        holds=check.holds,
        cases=check.cases,
        total=check.total,
        max_gain=check.max_gain,
        note=check.note or None,
        witness=None if check.witness is None else shown.lie(check.witness),
    )


def property_row(check: PropertyCheck, shown: Shown) -> PropertyRow:
    """One property."""
    witness = None if check.witness is None else shown.failure(check.name, check.witness)
    return PropertyRow(holds=check.holds, cases=check.cases, witness=witness)
