"""What a built-in mechanism promises with its options, its goal and its cluster; a test checks every claim.

They follow from what it does: a printed penalty keeps incentives only where it coincides with a safe one, a cut-off
stops large lies, a goal that rewards delay can cost the institution money, two rounds give up the margins and gain
rationality, and on one machine postponing alone makes the truth best. Nothing heavy is imported here.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> from consortium.scheduling.goals import Makespan
>>> "ex-post" in claims_of(build("evcg-renice", Cluster.of([1]), Makespan(), penalty="printed"))
False
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from .protocol import DeclarationMechanism

Alive: TypeAlias = Literal["run-on", "renice", "postpone", "kill"]
"""What happens to a job that is alive at its planned end."""
Payment: TypeAlias = Literal[
    "none", "vcg", "evcg", "verified", "verified-printed", "shapley-share", "equal-share", "full-time", "bystander",
    "designed",
]  # fmt: skip
AFTER_THE_RUN: frozenset[Payment] = frozenset({"verified", "verified-printed"})
INDEX_GOALS: frozenset[str] = frozenset({"sum", "weighted-sum"})
"""Goals that order the jobs of one machine by a number of each that does not fall with her declaration."""
_SHARES: frozenset[Payment] = frozenset({"shapley-share", "equal-share"})
_SLOW: frozenset[Payment] = frozenset({"equal-share", "full-time", "bystander"})
"""Payments under which time and money together grow no faster with a declaration than any machine works it off."""

CLAIMS: Final[Mapping[str, str]] = {
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

    A number as penalty promises nothing about the incentives of a VCG or EVCG rule, because whether it is safe depends
    on the declarations; a designed price promises what the job control alone does.
    """
    one: Any = getattr(mechanism, "one", mechanism)
    alive, goal, powers = one.tools.alive, one.goal, one.cluster.powers
    by_sum, optimal = goal.by_sum and one.allocate is None, one.allocate is None and not one.heuristic
    regular = optimal and (goal.regular or (goal.non_increasing and one.ties == "sum"))
    place = Setting(by_sum, len(set(powers)) == 1, len(powers) == 1, by_index(one))
    money = _money(one.payment, by_sum or regular, place) | _conduct(alive, one.cutoff is not None)
    incentives = _incentives(alive, one.payment, one.penalty, place)
    if one.price is not None and not one.price.for_all_lengths:
        money -= {"accepts-every-input"}
    elif mechanism is one:
        money |= _margins(alive)
    if mechanism is one:
        return incentives | money
    kept = incentives if getattr(mechanism, "holdback", None) == "repaired" else frozenset()
    rational = {"individually-rational"} | ({"individually-rational-any-others"} if alive == "postpone" else set())
    return kept | money | rational


def by_index(one: Any) -> bool:
    """Whether a mechanism in one round orders the jobs of one machine by an index of each, ties by a fixed order."""
    optimal = one.goal.by_sum or not one.heuristic
    return len(one.cluster.powers) == 1 and one.goal.id in INDEX_GOALS and one.allocate is None and optimal


class Setting(NamedTuple):
    """What claims depend on besides the rule itself."""

    by_sum: bool  # the allocation attains the smallest sum of output times
    identical: bool  # machines
    alone: bool  # one machine
    by_index: bool  # on it, see :func:`by_index`


def promised(alive: Alive, payment: Payment, penalty: object) -> frozenset[str]:
    """Those of every mechanism in one round for the goal ``sum`` that does this, without a cut-off."""
    place = Setting(by_sum=True, identical=False, alone=payment == "bystander", by_index=payment == "bystander")
    claims = _incentives(alive, payment, penalty, place) | _money(payment, True, place) | _conduct(alive, cutoff=False)
    return (claims | _margins(alive)) - ({"accepts-every-input"} | _MARGINS if payment == "designed" else set())


def _incentives(alive: Alive, payment: Payment, penalty: object, place: Setting) -> frozenset[str]:
    if alive == "kill":
        # who lies never gets her output, who is truthful always does: every joint lie costs a member all that she has,
        # which no other member's gain outweighs, whatever the goal, the machines and the others' declarations
        return _INCENTIVES | GROUPS
    if payment == "verified" and place.by_sum:
        return _INCENTIVES
    if alive == "postpone":
        return _postponed(payment, penalty, place)
    if payment in _SLOW:
        return frozenset({"ex-post"})
    if alive == "renice" and payment != "designed":
        safe = penalty in ("repaired", "repaired-common", "safe")
        printed_is_safe = penalty == "printed" and place.by_sum
        printed_is_safe |= penalty == "printed-common" and (place.by_sum or place.identical)
        return frozenset({"ex-post"}) if safe or printed_is_safe else frozenset()
    return frozenset()


def _postponed(payment: Payment, penalty: object, place: Setting) -> frozenset[str]:
    """Theorems 3, 4, 6 and 8 of the page on payments that balance; every named duration is safe for every goal."""
    if payment == "none":
        return _INCENTIVES if place.by_index else frozenset()
    if payment == "equal-share" and place.by_sum:
        groups = {"group-ex-post-all-gain", "group-ex-post-none-lose"}
        return _INCENTIVES | groups | ({"group-dominant-all-gain"} if place.alone else set())
    if payment in _SLOW or (payment != "designed" and isinstance(penalty, str)):
        return _INCENTIVES
    if payment == "shapley-share" and place.by_sum:
        return _INCENTIVES if place.alone else frozenset({"ex-post"})
    return frozenset()


def _money(payment: Payment, never_negative: bool, place: Setting) -> frozenset[str]:
    """``never_negative``: no planned time is beyond its part of the EVCG bill, for want of a better allocation."""
    if payment in AFTER_THE_RUN:
        # on one machine of L jobs, delays cancel between what agents bear and what they wait, and the gaps that CLOSE
        # takes from the bills are at most what L - 1 agents bear; the other machines only add: never below 0
        return _RENT if payment == "verified" else frozenset()
    if payment == "none":
        return _PAID | {"budget-balanced"}
    if payment == "bystander" or (payment in _SHARES and place.by_sum):
        return _RENT | {"budget-balanced", "priced-in-advance"}
    if payment == "vcg" or (payment == "evcg" and never_negative):
        return _PAID
    full_time = payment == "full-time" and (never_negative or place.alone)
    return _PAID if full_time else frozenset({"priced-in-advance"})


def _conduct(alive: Alive, cutoff: bool) -> frozenset[str]:
    just = {"feasible", *(["just"] if alive in ("kill", "postpone") else [])}
    return frozenset(just if cutoff else just | {"accepts-every-input"})


def _margins(alive: Alive) -> frozenset[str]:
    if alive == "run-on":
        return _MARGINS | _MARGINS_ANY
    if alive == "renice":
        return _MARGINS
    return frozenset({"upper-margin"} if alive == "postpone" else ())
