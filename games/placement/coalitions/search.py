r"""Worst and best placement that no coalition upsets, or the proof that there is none, without a table of profiles.

The constraint search of :mod:`..cuts` with one more question: where nobody gains alone, does a coalition of at most
``k`` organizations gain by a joint placement (:mod:`.separation`)? If so, that placement is a cut for all profiles
(:mod:`.model`). What pays under a stronger demand pays as well and makes better cuts, so deviations are asked for from
``all-gain`` on. Playing a deviation and then best responses often leads to a stable placement.

The equilibria known from the search before bound everything: a placement that no coalition upsets is one. What is
proved beside that is that no placement whose social cost lies in a window is stable, see :class:`Exclusion`.

>>> from consortium.agents.organizations import Federation
>>> from consortium.games.placement.game import PlacementGame
>>> from consortium.games.search import search
>>> from consortium.scheduling.progress import Clock
>>> game = PlacementGame(Federation.of([[5, 4], [2], [3, 5]]))
>>> found = coalition_search(game, 2, "all-gain", search(game, method="cuts"), Clock(None))
>>> found.exists, [(claim.least, claim.most) for claim in found.certificate.claims]
(False, [(8, 8)])
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Final, get_args

from ....scheduling.cp_sat import solve
from ....scheduling.errors import TooLargeError
from ....scheduling.progress import Clock, Progress
from ...asking import outcome
from ...coalitions.results import CoalitionSearch, Deviation, Notion, StableBounds
from ...protocol import Outcome, Profile, price
from ...results import Options, SearchResult
from ..coverage import by_cuts
from ..cuts_model import Cut, Model
from ..extremes import SEED, Extremes, Stopped
from .model import CoalitionModel, JointCut
from .separation import smallest_deviation

if TYPE_CHECKING:
    from ..game import PlacementGame

STARTS: Final = 20
"""Random placements from which dynamics look for stable ones first."""
STEPS: Final = 8
"""Deviations that are played in turn from an equilibrium."""


@dataclass(frozen=True)
class Exclusion:
    """No placement that no coalition upsets has a social cost from ``least`` to ``most``.

    Attributes
    ----------
    least, most
        In units of ``federation.unit``.
    cuts, joint
        The deviations, of one organization and of several, that the claim rests on.
    """

    least: int
    most: int
    cuts: tuple[Cut, ...]
    joint: tuple[JointCut, ...]


@dataclass(frozen=True)
class Certificate:
    """What the search has proved beside what is known of the equilibria."""

    claims: tuple[Exclusion, ...]


def refuted(game: PlacementGame, notion: Notion, claim: Exclusion, seconds: float | None = None) -> bool:
    """Whether the solver refutes what a claim excludes, from the game and the deviations alone.

    Raises TimeoutError when it did not know after the limit.
    """
    if claim.least > claim.most:
        return True
    model = CoalitionModel(game, notion, claim.cuts, claim.joint)
    model.within(claim.least, claim.most)
    answer = solve(model.cp, seconds, seed=SEED, partial=False)
    if not answer.found and not answer.ended:
        raise TimeoutError(f"the solver did not know after {seconds} seconds")
    return answer.status == "infeasible"


def coalition_search(
    game: PlacementGame,
    size: int,
    notion: Notion,
    result: SearchResult,
    clock: Clock,
    progress: Progress | None = None,
) -> CoalitionSearch:
    """The placements that no coalition of at most ``size`` organizations upsets.

    Parameters
    ----------
    game
        One machine per organization, makespans.
    size, notion
        What coalitions there are, and when a deviation pays one.
    result
        What the search for equilibria has found, complete or not.
    clock, progress
        Time limit, and receiver of progress reports. Stopped early, or by Ctrl-C, it returns the worst and best stable
        placements known and proved bounds on all others.

    Raises
    ------
    TooLargeError
        Another game, or lengths beyond the constraint solver; no work was done.
    """
    said = by_cuts(game)
    if not said.covered:
        raise TooLargeError(f"coalitions: {said.why}: only the table of all profiles answers, which is too large here")
    run = _Run(game, Options(0, None, clock, progress, 0), size=size, notion=notion)
    complete = False
    try:
        run.begin(result)
        run.prove()
        complete = True
    except (KeyboardInterrupt, TimeoutError, Stopped):
        pass
    return run.findings(complete)


@dataclass(kw_only=True)
class _Run(Extremes):
    """State of one search; social costs in units. ``known``: the stable placements met."""

    size: int
    notion: Notion
    joint: dict[JointCut, None] = field(default_factory=dict)
    upset: set[Profile] = field(default_factory=set)
    claims: list[Exclusion] = field(default_factory=list)
    none: bool = False
    """There is not even an equilibrium."""

    def begin(self, result: SearchResult) -> None:
        """What the equilibria say, and stable placements near the ones known."""
        if result.equilibria.exists is False:
            self.none = True
        self.optimum = result.optimum
        if self.none and self.optimum is not None:
            return
        if self.optimum is None:
            self.find_optimum()
        else:
            n, best = len(self.game.players), self.units(Fraction(self.optimum.social_cost))
            self.highest, self.lowest = (2 * n - 1) * best // n, best  # Theorem 5.8
        self._narrow(result)
        for profile in self._starts(result):
            if not (self.open("worst") or self.open("best")):
                return
            self.try_dynamics(None, profile)

    def _narrow(self, result: SearchResult) -> None:
        """No stable placement is beyond the worst or the best equilibrium."""
        known, bounds = result.equilibria, result.bounds
        assert self.highest is not None and self.lowest is not None  # the optimum came first
        if result.complete and known.worst is not None and known.best is not None:
            worst, best = known.worst.social_cost, known.best.social_cost
        elif bounds is not None and bounds.worst_at_most is not None and bounds.best_at_least is not None:
            worst, best = bounds.worst_at_most, bounds.best_at_least
        else:
            return
        self.highest = min(self.highest, self.units(Fraction(worst)))
        self.lowest = max(self.lowest, self.units(Fraction(best)))

    def _starts(self, result: SearchResult) -> Iterator[Profile]:
        """Equilibria known, everything at home, and random placements."""
        known = result.equilibria
        yield from (found.profile for found in (known.worst, known.best, *known.listed) if found is not None)
        yield self.game.default_profile
        draw, hosts = Random(SEED), range(len(self.game.players))
        for _ in range(STARTS):
            yield tuple(tuple(draw.choice(hosts) for _ in row) for row in self.game.federation.sizes)

    def prove(self) -> None:
        """The worst and the best stable placement, or that there is none."""
        if self.none:
            return
        assert self.highest is not None and self.lowest is not None  # begun
        low, high = self.lowest, self.highest
        self.extreme("worst")
        worst = self.incumbent("worst")
        self._claim(low if worst is None else worst + 1, high)
        if worst is not None:
            self.extreme("best")
            best = self.incumbent("best")
            assert best is not None  # there is a worst one
            self._claim(low, best - 1)

    def _claim(self, least: int, most: int) -> None:
        if least <= most:
            self.claims.append(Exclusion(least, most, tuple(self.cuts), tuple(self.joint)))

    def constrained(self) -> Model:
        """All constraints known, and no social cost beyond the bounds."""
        model = CoalitionModel(self.game, self.notion, self.cuts, self.joint)
        assert self.highest is not None and self.lowest is not None  # the optimum came first
        for load in model.load:
            model.cp.add(load <= self.highest)
        model.cp.add(model.social >= self.lowest)
        return model

    def settled(self, model: Model | None, profile: Profile) -> None:
        """Note a placement that no coalition upsets; else play the deviation and the best responses to it, in turn."""
        for _ in range(STEPS):
            if profile in self.known or profile in self.upset:
                return
            found = self._deviation(profile)
            if found is None:
                super().settled(model, profile)
                return
            self.upset.add(profile)
            self._cut(model, found)
            played = self.play(found.applied(profile))
            if not played.converged:
                return
            profile = played.final.profile

    def _cut(self, model: Model | None, found: Deviation) -> None:
        """A new constraint; what pays one organization has been excluded by another one."""
        cut = tuple(zip(found.members, found.strategies, strict=True))
        if cut not in self.joint:
            self.joint[cut] = None
            if isinstance(model, CoalitionModel):
                model.add_joint(cut)

    def _deviation(self, profile: Profile) -> Deviation | None:
        """A joint deviation that pays, under the strongest demand that one meets."""
        for notion in get_args(Notion):
            found = smallest_deviation(self.game, profile, self.size, notion, self.options.clock)
            if found is not None or notion == self.notion:
                return found
        raise AssertionError(f"no such notion: {self.notion}")

    def findings(self, complete: bool) -> CoalitionSearch:
        """Everything that is known, as a record."""
        ordered = sorted(self.known, key=lambda profile: (self.known[profile], profile))
        best, worst = (
            outcome(self.game, p) if ordered else None for p in (*ordered[:1], *ordered[-1:]) or (None, None)
        )
        return CoalitionSearch(
            self.notion,
            self.size,
            exists=True if ordered else False if complete else None,
            best=best,
            worst=worst,
            price_of_anarchy=self._price(worst) if complete else None,
            price_of_stability=self._price(best) if complete else None,
            complete=complete,
            bounds=None if complete else self._bounds(),
            certificate=Certificate(tuple(self.claims)),
        )

    def _price(self, stable: Outcome | None) -> Fraction | None:
        if stable is None or self.optimum is None:
            return None
        return price(stable.social_cost, self.optimum.social_cost)

    def _bounds(self) -> StableBounds:
        """What is proved of all stable placements."""
        unit = self.game.federation.unit
        worst = None if self.highest is None else self.highest * unit
        best = None if self.lowest is None else self.lowest * unit
        optimum = None if self.optimum is None else self.optimum.social_cost
        return StableBounds(worst, best, price(worst, optimum), price(best, optimum))
