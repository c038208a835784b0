"""What the ``coalitions`` of a ``search`` record prove: the profiles called stable are; one shows that there is one.

Every deviation of every coalition is tried from them by :mod:`...games.equilibria.coalitions.checker`, which shares no
code with the solvers. That none is better, worse or missing follows from no profile: where the pure equilibria are
proved to have no more extreme cost, or not to exist, it is proved as theirs, else the record only has to agree with its
own profiles.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from ...games.equilibria.coalitions.checker import checked_size, first_deviation, is_strong
from ...games.protocol import price
from ...support.exact import Extended
from ...support.loading import load_for
from ..expect import Comparison
from ..proving import Claim, Comparisons, attempt
from .evidence import PARTS, PLAYED, SOCIAL

if TYPE_CHECKING:
    from .proofs import Limits, Proofs

CERTIFICATES: Final[Mapping[str, str]] = MappingProxyType(
    {".games.placement.game:PlacementGame": ".verbs.federation.coalitions:narrowed"}
)
"""By class of games: ``(certificate, proofs, size) -> (comparisons, limits)``, limits for all stable profiles."""


def prove(claim: Claim, proofs: Proofs) -> Comparisons:
    """All of them, in the order in which one builds on another."""
    if not claim.given:
        yield claim.wrong("coalitions were asked about")
        return
    options, size = proofs.options, checked_size(proofs.game, proofs.options.coalitions)
    yield from attempt(claim["notion"], lambda at: at.proves(options.notion))
    yield from attempt(claim["size"], lambda at: at.proves(size))
    rows, limits = _limits(claim["certificate"], proofs, size)
    yield from rows
    stable: list[Extended] = []  # social costs of those that are
    best, worst = claim["best"], claim["worst"]
    for row in (best, worst):
        yield from attempt(row, _stable, row, proofs, size, stable)
    social = not proofs.asked.social
    yield from attempt(best, _social, best, proofs, limits.best, min(stable, default=None) if social else None)
    yield from attempt(worst, _social, worst, proofs, limits.worst, max(stable, default=None) if social else None)
    yield from attempt(
        claim["exists"], _existence, claim, proofs, size, bool(stable) or (False if limits.none else None)
    )
    yield from attempt(claim["count"], _count, claim, proofs, len(stable))
    for name, row in (("price_of_anarchy", worst), ("price_of_stability", best)):
        yield from attempt(claim[name], _price, claim[name], row, claim, proofs)
    yield from attempt(claim["bounds"], _bounds, claim["bounds"], proofs, stable)


def _stable(claim: Claim, proofs: Proofs, size: int, stable: list[Extended]) -> Comparisons:
    """No coalition gains by leaving the profile; what it costs everybody."""
    if not claim.given:
        return
    here = proofs.played(claim["profile"])
    found = first_deviation(proofs.game, here.profile, size, proofs.options.notion, proofs.clock)
    if found is not None:
        members = ", ".join(proofs.game.players[i] for i in found.members)
        yield claim["profile"].wrong(f"it pays {members} to leave")
        return
    stable.append(here.social_cost)
    yield from claim.proves(proofs.asked.row(here), SOCIAL)


def _social(claim: Claim, proofs: Proofs, limit: Extended | None, beyond: Extended | None) -> Comparisons:
    """No pure equilibrium is beyond a proved limit, so no stable profile is."""
    if claim.given:
        yield from proofs.social(claim, limit, beyond)


def _limits(certificate: Claim, proofs: Proofs, size: int) -> tuple[list[Comparison], Limits]:
    """What is proved of all stable profiles: what is of the equilibria, and what a certificate adds."""
    if not certificate.given:
        return [], proofs.limits
    narrowed = load_for(proofs.game, CERTIFICATES)
    if narrowed is None:
        return [certificate.wrong("nothing of the kind proves anything about this game")], proofs.limits
    found: tuple[list[Comparison], Limits] = narrowed(certificate, proofs, size)
    return found


def _existence(claim: Claim, proofs: Proofs, size: int, known: bool | None) -> Comparisons:
    """One stable profile shows that there is one; no equilibrium of the record may be another where there is none."""
    exists = claim["exists"]
    if known is not None:
        yield from exists.proves(known)
    elif exists.value is False:
        notion, clock = proofs.options.notion, proofs.clock
        others = (p for p in proofs.stable if is_strong(proofs.game, p, size, notion, clock))
        yield from exists.requires(next(others, None) is None, "true", PLAYED)
    elif exists.value is True and not (claim["best"].given or claim["worst"].given):
        yield exists.wrong("no profile that shows it")


def _count(claim: Claim, proofs: Proofs, shown: int) -> Comparisons:
    """At least those shown, at most the pure equilibria, and none exactly where none exists."""
    count, exists, most = claim["count"], claim["exists"].value, proofs.record["equilibria"]["count"]
    if not count.given:
        return
    if exists != (count.whole() > 0):
        yield count.wrong(f"exists = {exists}")
        return
    least = min(shown, 1)
    fits = least <= count.whole() and (not most.given or count.whole() <= most.whole())
    yield from count.requires(fits, f"{least} to {most.value if most.given else 'any number'}", PLAYED)


def _price(claim: Claim, row: Claim, found: Claim, proofs: Proofs) -> Comparisons:
    """The social cost of a stable profile over the optimum."""
    optimum = proofs.record["optimum"]
    if not (row.given and optimum.given) or found["complete"].value is not True:
        if claim.given:
            yield claim.wrong("no price without a stable profile and an optimum, or from a search that was stopped")
        return
    top, bottom = (proofs.played(part["profile"]).social_cost for part in (row, optimum))
    ratio: Fraction | None = None if proofs.asked.social else price(top, bottom, proofs.asked.sense)
    if {row.key, optimum.key} <= proofs.proved:
        yield from claim.proves(ratio)
    else:
        yield from claim.agrees(ratio, PARTS)


def _bounds(claim: Claim, proofs: Proofs, stable: list[Extended]) -> Comparisons:
    """What is said to be proved of all stable profiles has to be true of those in the record."""
    sign = -1 if proofs.asked.sense == "payoff" else 1
    names = ("worst_at_least", "best_at_most") if sign < 0 else ("worst_at_most", "best_at_least")
    worst, best = (claim[name] for name in names)
    if worst.given:
        fits = all(cost <= sign * worst.extended() for cost in stable)
        yield from worst.requires(fits, f"beyond {sign * max(stable, default=0)}", PLAYED)
    if best.given:
        fits = all(cost >= sign * best.extended() for cost in stable)
        yield from best.requires(fits, f"beyond {sign * min(stable, default=0)}", PLAYED)
    for name in ("price_of_anarchy_at_most", "price_of_stability_at_least"):
        if claim[name].given:
            yield from claim[name].requires(claim[name].extended() >= 1, "at least 1", PARTS)
