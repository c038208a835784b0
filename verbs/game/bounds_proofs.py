"""What a search that was stopped says of all equilibria, beside those in its record.

Bounds on social costs follow from what is proved of all profiles (:class:`.proofs.Limits`). One equilibrium and any
profile show that the price of anarchy is at least their ratio. Everything else only has to agree.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from ...games.protocol import price
from ...support.exact import Extended
from ..proving import Claim, Comparisons
from .evidence import PARTS, PLAYED

if TYPE_CHECKING:
    from .proofs import Proofs

COSTS: Final = ("worst_at_most", "best_at_least")
WELFARE: Final = ("worst_at_least", "best_at_most")


def prove_bounds(claim: Claim, proofs: Proofs) -> Comparisons:
    """What is said to be proved of all equilibria has to be true of those in the record."""
    sign, known = proofs.sign, list(proofs.stable.values())
    worst, best = (claim[name] for name in (WELFARE if sign < 0 else COSTS))
    if worst.given:
        most, limit = sign * worst.extended(), proofs.limits.worst
        beyond = max(known, default=most)
        yield from _end(worst, limit is not None and limit <= most, beyond <= most, sign * beyond)
    if best.given:
        least, limit = sign * best.extended(), proofs.limits.best
        beyond = min(known, default=least)
        yield from _end(best, limit is not None and limit >= least, beyond >= least, sign * beyond)
    yield from _anarchy(claim, _ratio(max(known, default=None), proofs), proofs)
    yield from _stability(claim, min(known, default=None), proofs)
    low, high = claim["epsilon_at_least"], claim["epsilon_at_most"]
    if low.given:
        top = Fraction(1) if known else high.extended() if high.given else low.extended()
        yield from low.requires(1 <= low.extended() <= top, f"1 to {top}", PLAYED)
    if high.given:
        yield from high.requires(high.extended() >= 1, "at least 1", PLAYED)


def _end(claim: Claim, proved: bool, fits: bool, beyond: Extended) -> Comparisons:
    """A bound on the social cost, or the welfare, of every equilibrium; ``beyond``: the most extreme one known."""
    yield from claim.proves(claim.value) if proved else claim.requires(fits, f"{beyond}", PLAYED)


def _ratio(stable: Extended | None, proofs: Proofs) -> Fraction | None:
    """The price that an equilibrium of the record makes with the record's optimum."""
    best = proofs.record["optimum"]
    if stable is None or not best.given:
        return None
    return price(stable, proofs.played(best["profile"]).social_cost, proofs.asked.sense)


def _anarchy(claim: Claim, found: Fraction | None, proofs: Proofs) -> Comparisons:
    """At least what the worst equilibrium in the record makes it; at most what no equilibrium and no profile passes."""
    low, high = claim["price_of_anarchy_at_least"], claim["price_of_anarchy_at_most"]
    if low.given and 1 <= low.extended() <= max(Fraction(1), found or 1):
        yield from low.proves(low.value)
    elif low.given:
        top = high.extended() if high.given else low.extended()
        yield from low.requires(1 <= low.extended() <= top, f"1 to {top}", PARTS)
    worst, least = proofs.limits.worst, proofs.limits.optimum
    beyond = None if worst is None or least is None else price(worst, least, proofs.asked.sense)
    if high.given and beyond is not None and beyond <= high.extended():
        yield from high.proves(high.value)
    elif high.given:
        yield from high.requires((found or 1) <= high.extended(), f"at least {found or 1}", PARTS)


def _stability(claim: Claim, stable: Extended | None, proofs: Proofs) -> Comparisons:
    """At most what the record's best equilibrium makes it, if its optimum is one or no profile costs less."""
    found, least = _ratio(stable, proofs), proofs.limits.optimum
    beyond = None if stable is None or least is None else price(stable, least, proofs.asked.sense)
    low, high = claim["price_of_stability_at_least"], claim["price_of_stability_at_most"]
    if low.given:
        top = min([end for end in (high.extended() if high.given else None, found) if end], default=low.extended())
        yield from low.requires(1 <= low.extended() <= top, f"1 to {top}", PARTS)
    if high.given and beyond is not None and beyond <= high.extended():
        yield from high.proves(high.value)
    elif high.given:
        yield from high.requires(high.extended() >= 1, "at least 1", PARTS)
