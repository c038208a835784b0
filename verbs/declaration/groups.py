"""Coalitions in ``verify`` and ``compare``: what is asked, and the joint lie that pays, with the runs that show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from ...games.verification.domain import Profile
from ...games.verification.groups_check import Groups
from ...games.verification.results import Coalitions, GroupCheck, GroupWitness
from ...support.errors import InputError
from ...support.exact import Extended
from ..records import OPTIONAL, Row
from .options import GROUP_PROPERTIES, Verify, asked_property
from .witnesses import Shown, replay_of

TWO_FRIENDS: Final = Coalitions((2,), "all-gain", ("ex-post",))
"""What the column ``two_friends`` of ``compare`` asks: no two agents both gain by a joint lie to truthful others."""


@dataclass(frozen=True, kw_only=True)
class TransferRow(Row):
    """A side payment after the lie."""

    from_: str
    to: str
    amount: Fraction


@dataclass(frozen=True, kw_only=True)
class GroupLieRow(Row):
    """A joint lie that pays; utilities are the members', ``transfers`` are side payments after which all of them gain.

    Transfers are there for the notion ``total`` only.
    """

    members: tuple[str, ...]
    lengths: Mapping[str, Fraction]
    declarations: Mapping[str, Fraction]
    utilities_truth: Mapping[str, Extended]
    utilities_lie: Mapping[str, Extended]
    transfers: tuple[TransferRow, ...] | None = field(default=None, metadata=OPTIONAL)
    replay: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, kw_only=True)
class GroupConceptRow(Row):
    """Whether no joint lie pays, in one of the two senses."""

    holds: bool | None
    cases: int
    max_gain: Extended | None
    witness: GroupLieRow | None


@dataclass(frozen=True, kw_only=True)
class GroupRow(Row):
    """Group strategyproofness."""

    notion: str
    sizes: tuple[int, ...]
    dominant: GroupConceptRow
    ex_post: GroupConceptRow


def asked_coalitions(options: Verify, agents: int) -> Coalitions | None:
    """The coalitions that are asked about. Raises InputError where the options do not fit together."""
    if options.coalitions is None:
        if (wanted := asked_property(options)) in GROUP_PROPERTIES:
            raise InputError(f"property: found {wanted!r} without coalitions; expected coalitions = 2, or their sizes")
        if "notion" in options.model_fields_set:
            raise InputError(f"notion: found {options.notion!r} without coalitions; expected coalitions = 2, or sizes")
        return None
    return Coalitions.of(options.coalitions, options.notion, agents=agents)


def group_row(groups: Groups, coalitions: Coalitions, shown: Shown) -> GroupRow:
    """Both concepts."""
    assert groups.dominant is not None  # verify asks for both
    assert groups.ex_post is not None
    return GroupRow(
        notion=coalitions.notion,
        sizes=coalitions.sizes,
        dominant=_concept(groups.dominant, coalitions, shown),
        ex_post=_concept(groups.ex_post, coalitions, shown),
    )


def group_verdicts(groups: Groups | None) -> dict[str, bool | None]:
    """Verdicts by name of the property."""
    found = {} if groups is None else {check.concept: check for check in groups.checks}
    return {name: found[concept].holds for name, concept in GROUP_PROPERTIES.items() if concept in found}


def _concept(check: GroupCheck, coalitions: Coalitions, shown: Shown) -> GroupConceptRow:
    return GroupConceptRow(
        holds=check.holds,
        cases=check.cases,
        max_gain=check.max_gain,
        witness=None if check.witness is None else group_lie(check.witness, coalitions, shown),
    )


def group_lie(witness: GroupWitness, coalitions: Coalitions, shown: Shown) -> GroupLieRow:
    """A joint lie that pays."""
    names = [shown.m.spec.names[n] for n in witness.members]
    truth = dict(zip(names, witness.utilities_truth, strict=True))
    lie = dict(zip(names, witness.utilities_lie, strict=True))
    return GroupLieRow(
        members=tuple(names),
        lengths=shown.by_name(witness.lengths),
        declarations=shown.by_name(witness.declarations),
        utilities_truth=truth,
        utilities_lie=lie,
        transfers=_transfers(witness, shown) if coalitions.notion == "total" else None,
        replay=()
        if shown.own
        else (_replay(witness, witness.truthful, truth, shown), _replay(witness, witness.declarations, lie, shown)),
    )


def _replay(
    witness: GroupWitness, declared: Profile, utilities: Mapping[str, Extended], shown: Shown
) -> Mapping[str, Any]:
    claim = {"agents": {name: {"utility": utility} for name, utility in utilities.items()}}
    return replay_of(shown.scenario, shown.m, declared, witness.lengths, claim)


def _transfers(witness: GroupWitness, shown: Shown) -> tuple[TransferRow, ...]:
    names = shown.m.spec.names
    return tuple(
        TransferRow(from_=names[one.payer], to=names[one.payee], amount=one.amount) for one in witness.transfers()
    )
