"""The ten rules by name, what they promise and what they must not have; nothing heavy is imported here.

``claims`` are those of a rule with its default options and the goal ``sum``, on every cluster and for every profile;
:func:`consortium.mechanisms.declaration.claims.claims_of` tells them for other options and goals. ``refuted`` names
the shipped scenario in which the rule fails.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ..registry import RuleInfo

RENICE_PENALTIES: tuple[str, ...] = ("repaired", "repaired-common", "printed", "printed-common", "safe")
POSTPONE_PENALTIES: tuple[str, ...] = ("exact", "tight", "printed", "printed-common", "printed-absolute", "static-end")
CUTOFFS: tuple[str, ...] = ("difference", "absolute")
HOLDBACKS: tuple[str, ...] = ("repaired", "printed")
PENALTIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "vcg-renice": RENICE_PENALTIES,
        "evcg-renice": RENICE_PENALTIES,
        "vcg-postpone": POSTPONE_PENALTIES,
        "evcg-postpone": POSTPONE_PENALTIES,
        "postpone-unpaid": POSTPONE_PENALTIES,
    }
)
"""Named penalties by rule, the default first; a number or a list of numbers is possible too. Other rules take none."""

CUTOFF_NEEDED: Mapping[str, str] = MappingProxyType(
    {
        "tight": "difference",
        "printed": "difference",
        "printed-common": "difference",
        "printed-absolute": "absolute",
    }
)
"""The kind of cut-off without which a postpone penalty has no value."""

SUM_ONLY: frozenset[str] = frozenset({"vcg-renice", "vcg-postpone"})
"""Rules that exist for the goal ``sum`` only."""

SUM_PENALTY: Final = "static-end"
"""The postpone penalty that is enough for the goal ``sum`` only."""

CLAIMS: Mapping[str, str] = MappingProxyType(
    {
        "dominant": "the truth is a best reply to all declarations and lengths of the others",
        "ex-post": "the truth is a best reply to truthful others",
        "group-dominant-all-gain": "no coalition all gains by a joint lie, whatever the others do",
        "group-dominant-none-lose": "no coalition gains by a joint lie without a loser in it, whatever the others do",
        "group-dominant-total": "no coalition gains in sum by a joint lie, whatever the others do",
        "group-ex-post-all-gain": "no coalition all gains by a joint lie to truthful others",
        "group-ex-post-none-lose": "no coalition gains by a joint lie to truthful others without a loser in it",
        "group-ex-post-total": "no coalition gains in sum by a joint lie to truthful others",
        "rent-nonnegative": "the payments never sum to less than 0",
        "rent-nonnegative-in-equilibrium": "the payments of the truthful never sum to less than 0",
        "payments-nonnegative": "nobody is ever paid",
        "budget-balanced": "the payments always sum to 0",
        "priced-in-advance": "payments depend on the declarations alone",
        "just": "a truthful agent never gets her output later than planned (Definition 4.7)",
        "upper-margin": "declaring slightly too much costs little, others truthful",
        "lower-margin": "declaring slightly too little costs little, others truthful",
        "upper-margin-any-others": "declaring slightly too much costs little, whatever others do (Definition 4.6)",
        "lower-margin-any-others": "declaring slightly too little costs little, whatever others do (Definition 4.6)",
        "accepts-every-input": "nothing is refused or stopped for its size",
        "individually-rational": "a truthful agent among truthful others never ends below 0",
        "individually-rational-any-others": "a truthful agent never ends below 0",
    }
)
"""Every claim that a rule can make, in words."""

_RENT = frozenset({"rent-nonnegative", "rent-nonnegative-in-equilibrium"})
_PAID = _RENT | {"payments-nonnegative"}
_UNPAID = _PAID | {"budget-balanced"}
_ALWAYS = frozenset({"priced-in-advance", "accepts-every-input"})
_MARGINS = frozenset({"upper-margin", "lower-margin"})
_MARGINS_ANY = frozenset({"upper-margin-any-others", "lower-margin-any-others"})
_DOMINANT = frozenset({"dominant", "ex-post"})
GROUPS: frozenset[str] = frozenset(claim for claim in CLAIMS if claim.startswith("group-"))
"""Claims about coalitions of every size, those of one agent included."""
_RENICE = frozenset({"ex-post"}) | _PAID | _ALWAYS | _MARGINS
_POSTPONE = frozenset({"just", "upper-margin"}) | _DOMINANT | _PAID | _ALWAYS
_RENICE_OPTIONS = frozenset({"penalty", "rounds", "holdback"})
_POSTPONE_OPTIONS = _RENICE_OPTIONS | {"cutoff"}


def _no_group(scenario: str) -> dict[str, str]:
    """A joint lie by which all members gain, to truthful others, refutes every claim about coalitions."""
    return dict.fromkeys(sorted(GROUPS), scenario)


_FACTORY = ".mechanisms.declaration.factory:build"

RULES: tuple[RuleInfo, ...] = (
    RuleInfo(
        id="straightforward",
        summary="no payments; jobs run on until done",
        source="Agmon 2003, 3.4",
        claims=_UNPAID | _ALWAYS | _MARGINS | _MARGINS_ANY,
        refuted={
            "dominant": "agmon2003/3.4.1",
            "ex-post": "agmon2003/3.4.1",
            "just": "agmon2003/7.4-straightforward",
            "individually-rational": "agmon2003/3.4.1",
            **_no_group("agmon2003/3.4.1"),
        },
        factory=_FACTORY,
    ),
    RuleInfo(
        id="light-vcg",
        summary="VCG payments; jobs run on until done",
        source="Agmon 2003, 5.2.1",
        claims=_PAID | _ALWAYS | _MARGINS | _MARGINS_ANY,
        refuted={
            "dominant": "agmon2003/5.2.1",
            "ex-post": "agmon2003/5.2.2",
            "budget-balanced": "agmon2003/5.2.2",
            "just": "agmon2003/7.4-light-vcg",
            "individually-rational": "agmon2003/5.2.2",
            **_no_group("agmon2003/5.2.2"),
        },
        factory=_FACTORY,
    ),
    RuleInfo(
        id="harsh",
        summary="no payments; whoever lies never gets her output",
        source="Agmon 2003, 5.3.1",
        claims=_UNPAID | _ALWAYS | _DOMINANT | GROUPS | {"just"},
        refuted={
            "upper-margin": "agmon2003/5.3.1",
            "lower-margin": "agmon2003/5.3.1",
            "upper-margin-any-others": "agmon2003/5.3.1",
            "lower-margin-any-others": "agmon2003/5.3.1",
            "individually-rational": "agmon2003/5.3.1",
        },
        factory=_FACTORY,
    ),
    RuleInfo(
        id="vcg-renice",
        summary="VCG payments; a job beyond its declaration runs on at a reduced share",
        source="Agmon 2003, 5.3.2, Theorem 5.5",
        options=_RENICE_OPTIONS,
        claims=_RENICE,
        refuted={
            "dominant": "agmon2003/5.5-not-dominant",
            "budget-balanced": "agmon2003/5.5-not-dominant",
            "just": "agmon2003/7.4-vcg-renice",
            "upper-margin-any-others": "agmon2003/7.3-vcg-renice",
            "lower-margin-any-others": "agmon2003/7.3-vcg-renice",
            "individually-rational": "agmon2003/5.5-not-dominant",
            **_no_group("two-friends/vcg-renice"),
        },
        factory=_FACTORY,
    ),
    RuleInfo(
        id="vcg-postpone",
        summary="VCG payments; the rest of a job beyond its declaration is postponed",
        source="Agmon 2003, 5.3.2, Theorem 5.9",
        options=_POSTPONE_OPTIONS,
        claims=_POSTPONE,
        refuted={
            "budget-balanced": "agmon2003/7.3-vcg-postpone",
            "lower-margin": "agmon2003/7.3-vcg-postpone",
            "upper-margin-any-others": "agmon2003/7.3-vcg-postpone",
            "lower-margin-any-others": "agmon2003/7.3-vcg-postpone",
            "individually-rational": "agmon2003/7.3-vcg-postpone",
            **_no_group("two-friends/vcg-postpone"),
        },
        factory=_FACTORY,
    ),
    RuleInfo(
        id="evcg-renice",
        summary="EVCG payments, any goal; a job beyond its declaration runs on at a reduced share",
        source="Agmon 2003, 6.3, Theorem 6.6",
        options=_RENICE_OPTIONS,
        claims=_RENICE,
        refuted={
            "dominant": "agmon2003/6.6-not-dominant",
            "budget-balanced": "agmon2003/6.6-not-dominant",
            "just": "agmon2003/7.4-evcg-renice",
            "upper-margin-any-others": "agmon2003/7.3-evcg-renice",
            "lower-margin-any-others": "agmon2003/7.3-evcg-renice",
            "individually-rational": "agmon2003/6.6-not-dominant",
            **_no_group("two-friends/evcg-renice"),
        },
        factory=_FACTORY,
    ),
    RuleInfo(
        id="evcg-postpone",
        summary="EVCG payments, any goal; the rest of a job beyond its declaration is postponed",
        source="Agmon 2003, 6.4, Theorem 6.8",
        options=_POSTPONE_OPTIONS,
        claims=_POSTPONE,
        refuted={
            "budget-balanced": "agmon2003/7.3-evcg-postpone",
            "lower-margin": "agmon2003/7.3-evcg-postpone",
            "upper-margin-any-others": "agmon2003/7.3-evcg-postpone",
            "lower-margin-any-others": "agmon2003/7.3-evcg-postpone",
            "individually-rational": "agmon2003/7.3-evcg-postpone",
            **_no_group("two-friends/evcg-postpone"),
        },
        factory=_FACTORY,
    ),
    RuleInfo(
        id="postpone-unpaid",
        summary="no payments; the rest of a job beyond its declaration is postponed",
        source="Agmon 2003, 5.4",
        options=frozenset({"penalty", "cutoff"}),
        claims=_UNPAID | _ALWAYS | {"just", "upper-margin"},
        refuted={
            "dominant": "agmon2003/5.4.1",
            "ex-post": "agmon2003/5.4.1",
            "lower-margin": "agmon2003/7.3-postpone-unpaid",
            "upper-margin-any-others": "agmon2003/7.3-postpone-unpaid",
            "lower-margin-any-others": "agmon2003/7.3-postpone-unpaid",
            "individually-rational": "agmon2003/5.4.1",
            **_no_group("agmon2003/5.4.1"),
        },
        factory=_FACTORY,
    ),
    RuleInfo(
        id="verified",
        summary="paid after the run: each agent bears everybody's output times had the others been truthful",
        source="Agmon 2003, 4.4, repaired",
        claims=_DOMINANT | _MARGINS | _MARGINS_ANY | _RENT | {"accepts-every-input"},
        refuted={
            "payments-nonnegative": "agmon2003/4.4-off-equilibrium",
            "budget-balanced": "agmon2003/4.4-off-equilibrium",
            "priced-in-advance": "agmon2003/4.4-off-equilibrium",
            "just": "agmon2003/4.4-off-equilibrium",
            "individually-rational": "agmon2003/4.4-off-equilibrium",
            **_no_group("two-friends/verified"),
        },
        factory=_FACTORY,
    ),
    RuleInfo(
        id="verified-printed",
        summary="paid after the run, by the printed formula",
        source="Agmon 2003, 4.4",
        claims=_MARGINS | _MARGINS_ANY | {"accepts-every-input"},
        refuted={
            "dominant": "agmon2003/4.4-printed",
            "ex-post": "agmon2003/4.4-printed",
            "rent-nonnegative": "agmon2003/4.4-printed-off-equilibrium",
            "rent-nonnegative-in-equilibrium": "agmon2003/4.4-printed-one-agent",
            "payments-nonnegative": "agmon2003/4.4-printed-off-equilibrium",
            "budget-balanced": "agmon2003/4.4-printed-off-equilibrium",
            "priced-in-advance": "agmon2003/4.4-printed-off-equilibrium",
            "just": "agmon2003/4.4-printed-off-equilibrium",
            "individually-rational": "agmon2003/4.4-printed",
            **_no_group("agmon2003/4.4-printed"),
        },
        factory=_FACTORY,
    ),
)
