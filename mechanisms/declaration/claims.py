"""What a built-in mechanism promises with its options, its goal and its cluster; a test checks every claim.

They follow from what it does: a printed penalty keeps incentives only where it coincides with a safe one, a cut-off
stops large lies, a goal that rewards delay can cost the institution money, two rounds give up the margins and gain
rationality. Nothing heavy is imported here.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> from consortium.scheduling.goals import Makespan
>>> "ex-post" in claims_of(build("evcg-renice", Cluster.of([1]), Makespan(), penalty="printed"))
False
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from .protocol import DeclarationMechanism

Alive: TypeAlias = Literal["run-on", "renice", "postpone", "kill"]
"""What happens to a job that is alive at its planned end."""
Payment: TypeAlias = Literal["none", "vcg", "evcg", "verified", "verified-printed"]
AFTER_THE_RUN: frozenset[Payment] = frozenset({"verified", "verified-printed"})

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
        "feasible": "a schedule on the cluster can keep all output times",
        "individually-rational": "a truthful agent among truthful others never ends below 0",
        "individually-rational-any-others": "a truthful agent never ends below 0",
    }
)
"""Every claim that a rule can make, in words."""
GROUPS: frozenset[str] = frozenset(claim for claim in CLAIMS if claim.startswith("group-"))
"""Claims about coalitions of every size, those of one agent included."""
_MARGINS = frozenset({"upper-margin", "lower-margin"})
_MARGINS_ANY = frozenset({"upper-margin-any-others", "lower-margin-any-others"})
_INCENTIVES = frozenset({"dominant", "ex-post"})
_RENT = frozenset({"rent-nonnegative", "rent-nonnegative-in-equilibrium"})
_PAID = _RENT | {"payments-nonnegative", "priced-in-advance"}


def claims_of(mechanism: DeclarationMechanism) -> frozenset[str]:
    """Names of :data:`CLAIMS` that hold for this mechanism, whatever the declarations and lengths.

    A number as penalty promises nothing about incentives, because whether it is safe depends on the declarations.
    """
    one: Any = getattr(mechanism, "one", mechanism)
    alive, goal = one.tools.alive, one.goal
    by_sum, optimal = goal.by_sum and one.allocate is None, one.allocate is None and not one.heuristic
    regular = optimal and (goal.regular or (goal.non_increasing and one.ties == "sum"))
    money = _money(one.payment, by_sum or regular) | _conduct(alive, one.cutoff is not None)
    incentives = _incentives(alive, one.payment, one.penalty, by_sum, len(set(one.cluster.powers)) == 1)
    if mechanism is one:
        return incentives | money | _margins(alive)
    kept = incentives if getattr(mechanism, "holdback", None) == "repaired" else frozenset()
    rational = {"individually-rational"} | ({"individually-rational-any-others"} if alive == "postpone" else set())
    return kept | money | rational


def promised(alive: Alive, payment: Payment, penalty: str | None) -> frozenset[str]:
    """Those of every mechanism in one round for the goal ``sum`` that does this, without a cut-off."""
    claims = _incentives(alive, payment, penalty, by_sum=True, identical=False) | _money(payment, never_negative=True)
    return claims | _conduct(alive, cutoff=False) | _margins(alive)


def _incentives(alive: Alive, payment: Payment, penalty: object, by_sum: bool, identical: bool) -> frozenset[str]:
    if alive == "kill":
        # who lies never gets her output, who is truthful always does: every joint lie costs a member all that she has,
        # which no other member's gain outweighs, whatever the goal, the machines and the others' declarations
        return _INCENTIVES | GROUPS
    if payment == "verified" and by_sum:
        return _INCENTIVES
    if alive == "postpone" and payment != "none" and isinstance(penalty, str):
        return _INCENTIVES  # every named duration is safe for every goal
    if alive == "renice":
        safe = penalty in ("repaired", "repaired-common", "safe")
        printed_is_safe = (penalty == "printed" and by_sum) or (penalty == "printed-common" and (by_sum or identical))
        return frozenset({"ex-post"}) if safe or printed_is_safe else frozenset()
    return frozenset()


def _money(payment: Payment, never_negative: bool) -> frozenset[str]:
    """``never_negative``: no planned time is beyond its part of the EVCG bill, for want of a better allocation."""
    if payment in AFTER_THE_RUN:
        # on one machine of L jobs, delays cancel between what agents bear and what they wait, and the gaps that CLOSE
        # takes from the bills are at most what L - 1 agents bear; the other machines only add: never below 0
        return _RENT if payment == "verified" else frozenset()
    if payment == "none":
        return _PAID | {"budget-balanced"}
    return _PAID if payment == "vcg" or never_negative else frozenset({"priced-in-advance"})


def _conduct(alive: Alive, cutoff: bool) -> frozenset[str]:
    just = {"feasible", *(["just"] if alive in ("kill", "postpone") else [])}
    return frozenset(just if cutoff else just | {"accepts-every-input"})


def _margins(alive: Alive) -> frozenset[str]:
    if alive == "run-on":
        return _MARGINS | _MARGINS_ANY
    if alive == "renice":
        return _MARGINS
    return frozenset({"upper-margin"} if alive == "postpone" else ())
