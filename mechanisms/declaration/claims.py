"""What a built-in mechanism promises with its options, its goal and its cluster; a test checks every claim.

The catalogue lists the claims of each rule with default options and the goal ``sum``; here they follow the options:
a printed penalty keeps incentives only where it coincides with a safe one, a cut-off stops large lies, a goal that
rewards delay can cost the institution money, two rounds give up the margins and gain rationality.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> from consortium.scheduling.goals import Makespan
>>> "ex-post" in claims_of(build("evcg-renice", Cluster.of([1]), Makespan(), penalty="printed"))
False
"""

from __future__ import annotations

from .catalogue import GROUPS
from .one_round import AFTER_THE_RUN, OneRound
from .two_rounds import TwoRounds

_MARGINS = frozenset({"upper-margin", "lower-margin"})
_MARGINS_ANY = frozenset({"upper-margin-any-others", "lower-margin-any-others"})
_INCENTIVES = frozenset({"dominant", "ex-post"})
_RENT = frozenset({"rent-nonnegative", "rent-nonnegative-in-equilibrium"})
_PAID = _RENT | {"payments-nonnegative"}


def claims_of(mechanism: OneRound | TwoRounds) -> frozenset[str]:
    """Names of :data:`.catalogue.CLAIMS` that hold for this mechanism, whatever the declarations and lengths.

    A number as penalty promises nothing about incentives, because whether it is safe depends on the declarations.
    """
    if isinstance(mechanism, OneRound):
        return _incentives(mechanism) | _money(mechanism) | _conduct(mechanism) | _margins(mechanism)
    one = mechanism.one
    claims = _money(one) | _conduct(one)
    if mechanism.holdback == "repaired":
        claims |= _incentives(one)
    claims |= {"individually-rational"}
    if one.tools.alive == "postpone":
        claims |= {"individually-rational-any-others"}
    return claims


def _by_sum(mechanism: OneRound) -> bool:
    return mechanism.goal.by_sum and mechanism.allocate is None


def _incentives(mechanism: OneRound) -> frozenset[str]:
    tool, penalty = mechanism.tools.alive, mechanism.penalty
    if tool == "kill":
        # who lies never gets her output, who is truthful always does: every joint lie costs a member all that she has,
        # which no other member's gain outweighs, whatever the goal, the machines and the others' declarations
        return _INCENTIVES | GROUPS
    if mechanism.payment == "verified" and _by_sum(mechanism):
        return _INCENTIVES
    if tool == "postpone" and mechanism.payment != "none" and isinstance(penalty, str):
        return _INCENTIVES  # every named duration is safe for every goal
    if tool == "renice":
        identical = len(set(mechanism.cluster.powers)) == 1
        safe = penalty in ("repaired", "repaired-common", "safe")
        printed_is_safe = (penalty == "printed" and _by_sum(mechanism)) or (
            penalty == "printed-common" and (_by_sum(mechanism) or identical)
        )
        return frozenset({"ex-post"}) if safe or printed_is_safe else frozenset()
    return frozenset()


def _money(mechanism: OneRound) -> frozenset[str]:
    if mechanism.payment in AFTER_THE_RUN:
        # on one machine of L jobs, delays cancel between what agents bear and what they wait, and the gaps that CLOSE
        # takes from the bills are at most what L - 1 agents bear; the other machines only add: never below 0
        return _RENT if mechanism.payment == "verified" else frozenset()
    claims = frozenset({"priced-in-advance"})
    if mechanism.payment == "none":
        return claims | _PAID | {"budget-balanced"}
    if mechanism.payment == "vcg":
        return claims | _PAID
    optimal = mechanism.allocate is None and not mechanism.heuristic
    regular_enough = mechanism.goal.regular or (mechanism.goal.non_increasing and mechanism.ties == "sum")
    return claims | _PAID if _by_sum(mechanism) or (optimal and regular_enough) else claims


def _conduct(mechanism: OneRound) -> frozenset[str]:
    claims = set()
    if mechanism.tools.alive in ("kill", "postpone"):
        claims.add("just")
    if mechanism.cutoff is None:
        claims.add("accepts-every-input")
    return frozenset(claims)


def _margins(mechanism: OneRound) -> frozenset[str]:
    tool = mechanism.tools.alive
    if tool == "run-on":
        return _MARGINS | _MARGINS_ANY
    if tool == "renice":
        return _MARGINS
    return frozenset({"upper-margin"} if tool == "postpone" else ())
