"""What the profiles in a record of ``search`` prove, whatever the game.

Every profile in it is played again: what it costs everybody, that an equilibrium is one (:mod:`...games.checkers`,
which shares no code with the solvers), how far from one an approximate equilibrium is, that a cycle of best responses
is one. One equilibrium shows that there is one. That none is
better, worse or missing follows from no profile: it is proved where :class:`Limits` says so (a certificate, a trivial
bound), else what the record says only has to agree with the profiles in it.

Bounds of a search that was stopped follow from what is proved of all profiles. One equilibrium and any profile show
that the price of anarchy is at least their ratio. Everything else only has to agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ...games.checkers import epsilon, is_best_response_cycle, is_nash
from ...games.dynamics import best_response_dynamics
from ...games.protocol import Game, Outcome, Profile, costs_of, count_profiles, price, social_cost
from ...support.exact import Extended
from ...support.progress import Clock
from ..claims import LISTED, PARTS, PLAYED, SOCIAL, Claim, Comparisons, same
from ..records import jsonable
from .options import Search
from .setup import NEGATED, Setup


@dataclass(frozen=True)
class Limits:
    """What is proved of all profiles, not only of those in the record; ``None`` where nothing is."""

    none: bool = False  # there is no equilibrium
    # worst, best, optimum: no equilibrium costs more, none less; no profile costs less
    worst: Extended | None = None
    best: Extended | None = None
    optimum: Extended | None = None
    # epsilon, regret: no profile has a smaller one
    epsilon: Extended = Fraction(1)
    regret: Extended = Fraction(0)


def reader(game: Game) -> Callable[[Claim], Profile]:
    """How to read a profile that is written as a table by player. It raises InputError for what is none."""

    def read(claim: Claim) -> Profile:
        return tuple(part.one_of(game.strategies(k)) for k, part in enumerate(claim.by_name(game.players)))

    return read


@dataclass
class Proofs:
    """Proofs of one record; what the earlier ones establish, the later ones use."""

    record: Claim
    # setup, options: the game, and the options it was searched with
    setup: Setup
    read: Callable[[Claim], Profile]  # how a profile is read
    options: Search
    clock: Clock  # what is left when it ends stays unproved
    limits: Limits = field(default_factory=Limits)  # what is known of all profiles
    with_more: Callable[[Any], Any] = lambda row: row  # what the verb adds to the row of the dynamics
    # equilibria that were confirmed, and their social cost
    stable: dict[Profile, Extended] = field(default_factory=dict)
    proved: set[str] = field(default_factory=set)  # places of social costs beyond which there is proved to be nothing

    @property
    def game(self) -> Game:
        """The game that was searched."""
        return self.setup.game

    def head(self, record: Claim) -> Comparisons:
        """What the game itself says."""
        yield from record["players"].proves(list(self.game.players))
        yield from record["profiles"].proves(count_profiles(self.game))
        yield from record["sense"].proves(self.setup.sense)

    def played(self, claim: Claim) -> Outcome:
        """The profile that stands somewhere, with what it costs."""
        self.clock.check()
        profile = self.read(claim)
        social = Fraction(0) if self.setup.social else social_cost(self.game, profile)  # which is none, but a tuple
        return Outcome(profile, costs_of(self.game, profile), social)

    def equilibrium(self, claim: Claim, without: Sequence[str] = ()) -> Comparisons:
        """A profile that nobody gains by leaving, with what it costs."""
        here = self.played(claim["profile"])
        if not is_nash(self.game, here.profile):
            yield claim["profile"].wrong("somebody gains by another strategy")
            return
        self.stable[here.profile] = here.social_cost
        yield from claim.proves(self.setup.row(here), without)

    def extreme(self, claim: Claim, limit: Extended | None, beyond: Callable[..., Extended | None]) -> Comparisons:
        """The best or the worst equilibrium: an equilibrium, and none of the record is beyond it."""
        if not claim.present:
            return
        yield from self.equilibrium(claim, SOCIAL)
        yield from self.social(claim, limit, None if self.setup.social else beyond(self.stable.values(), default=None))

    def optimum(self, claim: Claim) -> Comparisons:
        """What the profile costs; no equilibrium of the record costs less."""
        if not claim.present:
            return
        here = self.played(claim["profile"])
        yield from claim.proves(self.setup.row(here), SOCIAL)
        least = None if self.setup.social else min([here.social_cost, *self.stable.values()])
        yield from self.social(claim, self.limits.optimum, least)

    def social(self, claim: Claim, limit: Extended | None, beyond: Extended | None) -> Comparisons:
        """The social cost of a profile that is said to be extreme: proved at the limit, else only played.

        ``beyond``: the most extreme one of the record, if it is a number.
        """
        here = self.played(claim["profile"])
        row = jsonable(self.setup.row(here))
        name = next(name for name in SOCIAL if name in row)
        if beyond is not None and beyond != here.social_cost:
            yield claim[name].wrong(jsonable(self.setup.sign * beyond))
        elif limit is not None and limit == here.social_cost and same(claim[name].value, row[name]):
            self.proved.add(claim.key)
            yield from claim[name].proves(row[name])
        else:
            yield from claim[name].agrees(row[name], PLAYED)

    def ends(self, bounds: Claim) -> tuple[Claim, Claim]:
        """The bounds on what the worst and the best cost, or on their welfare."""
        worst, best = NEGATED.values() if self.setup.sign < 0 else NEGATED
        return bounds[worst], bounds[best]

    def existence(self, claim: Claim) -> Comparisons:
        """One equilibrium shows that there is one."""
        if self.stable or self.limits.none:
            yield from claim.proves(bool(self.stable))

    def count(self, equilibria: Claim) -> Comparisons:
        """At least as many as the record shows."""
        count, exists = equilibria["count"], equilibria["exists"].value
        if count.present and isinstance(exists, bool) and exists != (count.whole() > 0):
            yield count.wrong(f"exists = {exists}")
        else:
            yield from counted(count, len(self.stable))
        classes = equilibria["classes"]
        if classes.present:
            least, most = min(1, len(self.stable)), count.whole() if count.present else 0
            yield from classes.requires(least <= classes.whole() <= most, f"from {least} to {most}", PLAYED)

    def price(self, claim: Claim, worst: Claim) -> Comparisons:
        """Social cost of an equilibrium over the optimum; a search that was stopped may leave it out."""
        best = self.record["optimum"]
        if worst.present and best.present and (claim.present or self.record["complete"].value is True):
            yield from self.ratio(claim, worst, best)

    def ratio(self, claim: Claim, worst: Claim, best: Claim) -> Comparisons:
        """Social cost of one profile over that of another."""
        top, bottom = (self.played(part["profile"]).social_cost for part in (worst, best))
        ratio = None if self.setup.social else price(top, bottom, self.setup.sense)
        if {worst.key, best.key} <= self.proved:
            yield from claim.proves(ratio)
        else:
            yield from claim.agrees(ratio, PARTS)

    def smallest(self, what: str, measure: Callable[[Game, Profile], Extended], limit: Extended) -> Comparisons:
        """Epsilon or regret at the profile where it is said to be smallest."""
        claim, at = self.record[f"smallest_{what}"], self.record[f"smallest_{what}_profile"]
        if not at.present:
            return
        measured = measure(self.game, self.played(at).profile)
        if not same(claim.value, jsonable(measured)):
            yield claim.wrong(jsonable(measured))
            yield at.wrong(f"{what} {jsonable(measured)}")
            return
        yield from at.proves(at.value)
        if measured > limit and self.stable and self.record["complete"].value is True:
            yield claim.wrong(f"there is an equilibrium, whose {what} is {jsonable(limit)}")
        elif measured == limit:
            yield from claim.proves(measured)
        else:
            yield from claim.agrees(measured, PLAYED)

    def dynamics(self, claim: Claim) -> Comparisons:
        """The dynamics once more, and that every step of a cycle is a best response."""
        if not claim.present:
            return
        cycle = claim["cycle"]
        if cycle.present and not is_best_response_cycle(self.game, [self.read(row) for row in cycle.rows()]):
            yield cycle.wrong("not every step is a best response that gains")
        else:
            run = best_response_dynamics(self.game, self.setup.start, clock=self.clock)
            if not run.complete:
                raise TimeoutError if self.clock.expired() else KeyboardInterrupt
            yield from claim.proves(self.with_more(self.setup.dynamics(run)))
            if (
                run.converged
                and is_nash(self.game, run.final.profile)
                and not self.record["equilibria"]["best"].present
            ):
                self.stable[run.final.profile] = run.final.social_cost

    def approximate(self, claim: Claim) -> Comparisons:
        """A profile within the epsilon asked for, with what it costs."""
        here = self.played(claim["profile"])
        measured = epsilon(self.game, here.profile)
        if self.options.epsilon is None or measured > self.options.epsilon:
            yield claim["profile"].wrong(f"epsilon {measured}")
        else:
            yield from claim.proves(self.setup.row(here))


def whole(rows: Claim, count: Claim, proofs: Proofs) -> Comparisons:
    """A list says nothing twice and has as many rows as were counted, or as were asked for; which, nothing proves."""
    keys = [repr(row["profile"].value) for row in rows.rows()]
    if len(set(keys)) < len(keys):
        yield rows.wrong("the same profile twice")
    elif rows.present:
        counted_all = proofs.record["complete"].value is True and count.present
        expected = min(count.whole(), proofs.options.list) if counted_all else len(keys)
        yield from rows.requires(len(keys) == expected, f"{expected} profiles", LISTED)


def counted(claim: Claim, least: int) -> Comparisons:
    """A count of at least so many."""
    if claim.present:
        yield from claim.requires(claim.whole() >= least, f"at least {least}", PLAYED)


def prove_bounds(claim: Claim, proofs: Proofs) -> Comparisons:
    """What is said to be proved of all equilibria has to be true of those in the record."""
    sign, stable = proofs.setup.sign, list(proofs.stable.values())
    worst, best = proofs.ends(claim)
    if worst.present:
        most, limit = sign * worst.extended(), proofs.limits.worst
        beyond = max(stable, default=most)
        yield from _end(worst, limit is not None and limit <= most, beyond <= most, sign * beyond)
    if best.present:
        least, limit = sign * best.extended(), proofs.limits.best
        beyond = min(stable, default=least)
        yield from _end(best, limit is not None and limit >= least, beyond >= least, sign * beyond)
    yield from _anarchy(claim, _ratio(max(stable, default=None), proofs), proofs)
    yield from _stability(claim, min(stable, default=None), proofs)
    low, high = claim["epsilon_at_least"], claim["epsilon_at_most"]
    if low.present:
        top = Fraction(1) if stable else high.extended() if high.present else low.extended()
        yield from low.requires(1 <= low.extended() <= top, f"1 to {top}", PLAYED)
    if high.present:
        yield from high.requires(high.extended() >= 1, "at least 1", PLAYED)


def _end(claim: Claim, proved: bool, fits: bool, beyond: Extended) -> Comparisons:
    """A bound on the social cost, or the welfare, of every equilibrium; ``beyond``: the most extreme one known."""
    yield from claim.proves(claim.value) if proved else claim.requires(fits, f"{beyond}", PLAYED)


def _ratio(stable: Extended | None, proofs: Proofs) -> Fraction | None:
    """The price that an equilibrium of the record makes with the record's optimum."""
    best = proofs.record["optimum"]
    if stable is None or not best.present:
        return None
    return price(stable, proofs.played(best["profile"]).social_cost, proofs.setup.sense)


def _price(cost: Extended | None, least: Extended | None, proofs: Proofs) -> Fraction | None:
    return None if cost is None or least is None else price(cost, least, proofs.setup.sense)


def _at_most(claim: Claim, proved: Fraction | None, least: Fraction | int) -> Comparisons:
    """An upper bound of a price: proved where what is proved of all profiles makes it no larger."""
    if claim.present and proved is not None and proved <= claim.extended():
        yield from claim.proves(claim.value)
    elif claim.present:
        yield from claim.requires(claim.extended() >= least, f"at least {least}", PARTS)


def _anarchy(claim: Claim, ratio: Fraction | None, proofs: Proofs) -> Comparisons:
    """At least what the worst equilibrium in the record makes it; at most what no equilibrium and no profile passes."""
    low, high = claim["price_of_anarchy_at_least"], claim["price_of_anarchy_at_most"]
    if low.present and 1 <= low.extended() <= max(Fraction(1), ratio or 1):
        yield from low.proves(low.value)
    elif low.present:
        top = high.extended() if high.present else low.extended()
        yield from low.requires(1 <= low.extended() <= top, f"1 to {top}", PARTS)
    yield from _at_most(high, _price(proofs.limits.worst, proofs.limits.optimum, proofs), ratio or 1)


def _stability(claim: Claim, stable: Extended | None, proofs: Proofs) -> Comparisons:
    """At most what the record's best equilibrium makes it, if its optimum is one or no profile costs less."""
    ratio = _ratio(stable, proofs)
    low, high = claim["price_of_stability_at_least"], claim["price_of_stability_at_most"]
    if low.present:
        top = min([end for end in (high.extended() if high.present else None, ratio) if end], default=low.extended())
        yield from low.requires(1 <= low.extended() <= top, f"1 to {top}", PARTS)
    yield from _at_most(high, _price(stable, proofs.limits.optimum, proofs), 1)
