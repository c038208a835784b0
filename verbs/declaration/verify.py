"""``verify`` on scenarios of kind ``declaration``: incentive checks and properties, each failure with its replay.

Every case of ``[domain]`` is tried, alone, by the odds of a ``[prior]``, and by coalitions where they are asked about.
Without ``[domain]`` every agent may have and declare any length of the file. Lengths and declarations that are keys are
written as exact numbers: ``"3"`` or ``"3/2"``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from ...games.verification.check import audit
from ...games.verification.coalitions import Coalitions, GroupWitness
from ...games.verification.cost import Budget
from ...games.verification.domain import Profile
from ...games.verification.results import (
    MARGINS,
    PROPERTIES,
    BayesianCheck,
    ByConcept,
    Check,
    PropertyWitness,
    Witness,
)
from ...scenarios.scenario import Scenario
from ...support.errors import InputError
from ...support.exact import Extended
from ...support.progress import Progress
from . import records
from .model import Witnesses, model, refuse_impossible, replay_of
from .options import BAYESIAN, GROUP_PROPERTIES, Verify, verified_property


def verify(scenario: Scenario, options: Verify, progress: Progress | None = None) -> records.VerifyRecord:
    """Incentive compatibility and the other properties, by enumeration of ``[domain]``.

    Raises InputError for a domain that is an interval, which ``prove`` takes.
    """
    main = verified_property(options)
    m = model(scenario, options.mechanism)
    domain = m.domain()
    prior = m.known_prior(f"property {main!r}") if main == BAYESIAN else m.prior()
    coalitions = coalitions_of(options, domain.n_agents)
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
        goal=m.welfare_goal,
        coalitions=coalitions,
    )
    incentives, properties = audited.incentives, audited.properties
    if main != "feasible":
        refuse_impossible(m, properties.feasible.witness)
    expected, groups = audited.bayesian, audited.groups
    witnesses = Witnesses(scenario, m, replayable=options.mechanism is None)
    true = zip(m.spec.names, m.lengths, domain.lengths, strict=True)
    joint = {} if groups is None else {check.name: check for check in groups.checks}
    verdicts = {
        "dominant": incentives.dominant.holds,
        "ex-post": incentives.ex_post.holds,
        BAYESIAN: None if expected is None else expected.holds,
        **{name: joint[concept].holds for name, concept in GROUP_PROPERTIES.items() if concept in joint},
        **{name.replace("_", "-"): getattr(properties, name).holds for name in PROPERTIES},
    }
    left_open = expected is not None and not expected.complete
    concept = {"dominant": incentives.dominant, "ex-post": incentives.ex_post}.get(main)
    inexact = {name.replace("_", "-") for name in PROPERTIES if not getattr(properties, name).exact}
    return records.VerifyRecord(
        kind=scenario.kind,
        scenario=scenario.label,
        method=incentives.dominant.method,
        exact=main not in inexact if concept is None else concept.exact,
        complete=audited.complete
        or (main == "feasible" and verdicts[main] is False)  # and so nothing else was begun
        or (properties.complete and not (incentives.stopped or left_open) and verdicts[main] is not None),
        seed=options.seed if options.sample is not None else None,
        verdict=verdicts[main],
        dominant=_incentive(incentives.dominant, witnesses),
        ex_post=_incentive(incentives.ex_post, witnesses),
        bayesian=None if expected is None else _bayesian(expected, m.spec.names),
        properties={
            **{name: _property(getattr(properties, name), witnesses) for name in PROPERTIES},
            "any_others": {name: _property(properties.any_others[name], witnesses) for name in MARGINS},
        },
        group=None if coalitions is None or groups is None else _group(groups, coalitions, witnesses),
        domain=records.DomainRow(
            lengths=witnesses.by_name(domain.lengths),
            declarations=witnesses.by_name(domain.declarations),
            left_out={name: length for name, length, tried in true if length not in tried} or None,
        ),
    )


def _incentive(check: Check[Witness], witnesses: Witnesses) -> records.IncentiveRow:
    return records.IncentiveRow.of(check, witness=None if check.witness is None else witnesses.lie(check.witness))


def _property(check: Check[PropertyWitness], witnesses: Witnesses) -> records.PropertyRow:
    witness = None if check.witness is None else witnesses.failure(check.name, check.witness)
    return records.PropertyRow.of(check, witness=witness)


def _bayesian(check: BayesianCheck, names: Sequence[str]) -> records.BayesianRow:
    """Expectations under the prior; ``None`` is what is no number, or not known."""

    def keyed(own: Mapping[Fraction, Mapping[Fraction, Any]]) -> dict[str, dict[str, Any]]:
        return {str(x): {str(b): utility for b, utility in row.items()} for x, row in own.items()}

    witness, expected = check.witness, check.expected
    return records.BayesianRow.of(
        check,
        witness=None if witness is None else records.InterimRow.of(witness, agent=names[witness.agent]),
        interim={name: keyed(own) for name, own in zip(names, check.interim, strict=True)},
        least_interim_utility=check.least,
        expected=None
        if expected is None
        else records.ExpectedRow.of(expected, utilities=dict(zip(names, expected.utilities, strict=True))),
    )


def coalitions_of(options: Verify, agents: int) -> Coalitions | None:
    """The coalitions that are asked about. Raises InputError where the options do not fit together."""
    if options.coalitions is None:
        if (main := verified_property(options)) in GROUP_PROPERTIES:
            raise InputError(f"property: found {main!r} without coalitions; expected coalitions = 2, or their sizes")
        if "notion" in options.model_fields_set:
            raise InputError(f"notion: found {options.notion!r} without coalitions; expected coalitions = 2, or sizes")
        return None
    return Coalitions.of(options.coalitions, options.notion, agents=agents)


def _group(
    groups: ByConcept[Check[GroupWitness] | None], coalitions: Coalitions, witnesses: Witnesses
) -> records.GroupRow:
    def concept(check: Check[GroupWitness] | None) -> records.GroupConceptRow:
        assert check is not None  # verify asks for both
        witness = None if check.witness is None else _joint_lie(check.witness, coalitions, witnesses)
        return records.GroupConceptRow.of(check, witness=witness)

    return records.GroupRow.of(coalitions, dominant=concept(groups.dominant), ex_post=concept(groups.ex_post))


def _joint_lie(witness: GroupWitness, coalitions: Coalitions, witnesses: Witnesses) -> records.GroupLieRow:
    """A joint lie that pays, the truth of its members first among what replays it."""
    every = witnesses.m.spec.names
    names = [every[n] for n in witness.members]
    truth = dict(zip(names, witness.utilities_truth, strict=True))
    lie = dict(zip(names, witness.utilities_lie, strict=True))

    def replay(declared: Profile, utilities: Mapping[str, Extended]) -> dict[str, Any]:
        claim = {"agents": {name: {"utility": utility} for name, utility in utilities.items()}}
        return replay_of(witnesses.scenario, witnesses.m, declared, witness.lengths, claim)

    transfers = None
    if coalitions.notion == "total":
        transfers = tuple(
            records.TransferRow(from_=every[one.payer], to=every[one.payee], amount=one.amount)
            for one in witness.transfers()
        )
    return records.GroupLieRow(
        members=tuple(names),
        lengths=witnesses.by_name(witness.lengths),
        declarations=witnesses.by_name(witness.declarations),
        utilities_truth=truth,
        utilities_lie=lie,
        transfers=transfers,
        replay=(replay(witness.truthful, truth), replay(witness.declarations, lie)) if witnesses.replayable else (),
    )
