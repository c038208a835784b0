"""Worst and best placement that no coalition upsets, or the proof that there is none, without a table of profiles.

*Constraints* (:class:`CoalitionModel`), beside those of the equilibria: a fixed joint placement ``d`` of a coalition
``S`` costs member ``i`` the largest of its ends: on a host ``h`` that it uses in ``d``, ``end[i, h]`` is a number from
``d`` plus what the others place there ahead of it, which is linear in the variables of :mod:`.cuts_model`. Where ``d``
does not pay, with ``C[i]`` the costs of the placement looked for,

* ``all-gain``: some member's ``C[i]`` is at most one of its ends;
* ``none-lose``: some member's ``C[i]`` is below one of its ends, or everybody's is at most one of its ends;
* ``total``: the sum of the ``C[i]`` is at most a sum of ends, one of each member;
* ``any-gains``: everybody's ``C[i]`` is at most one of its ends.

All of this bounds costs from above, so that the model may keep its costs from below only.

*Search*: that of :mod:`.cuts` with one more question: where nobody gains alone, does a coalition of at most ``k``
organizations gain by a joint placement (:mod:`.joint_deviations`)? If so, that placement is a cut for all profiles.
What pays under a stronger notion pays as well and makes better cuts, so deviations are sought from ``all-gain`` on.
Playing a deviation and then best responses often leads to a stable placement.

The equilibria known from the search before bound everything: a placement that no coalition upsets is one. What is
proved beside that is that no placement whose social cost lies in a window is stable, see
:class:`~.certificate.Exclusion`.

>>> from consortium.agents.organizations import Federation
>>> from consortium.games.placement.game import PlacementGame
>>> from consortium.games.search import search
>>> from consortium.support.progress import Clock
>>> game = PlacementGame(Federation.of([[5, 4], [2], [3, 5]]))
>>> found = coalition_search(game, 2, "all-gain", search(game, method="cuts"), Clock(None))
>>> found.exists, [(claim.least, claim.most, claim.equilibria) for claim in found.certificate]
(False, [(8, 8, 2)])
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any, Final, get_args

from ...mechanisms.federation.schedule import sharp_ratio
from ...scheduling.cp_sat import solve
from ...support.errors import TooLargeError
from ...support.progress import Clock, Progress
from ..equilibria.coalitions.results import CoalitionSearch, Deviation, Notion, deviated, pays
from ..protocol import Outcome, Profile, outcome, price
from ..results import Bounds, Options, SearchResult
from .branch_and_bound import by_branch_and_bound
from .certificate import Cut, Exclusion, JointCut
from .cuts import SEED, Extremes, Stopped
from .cuts_model import Model, by_cuts
from .game import PlacementGame
from .joint_deviations import smallest_deviation
from .tree_search import TooManyError, equilibria


class CoalitionModel(Model):
    """The constraints for one game and notion; joint cuts are added as they are found."""

    def __init__(self, game: PlacementGame, notion: Notion, cuts: Iterable[Cut], joint: Iterable[JointCut]) -> None:
        super().__init__(game, cuts=cuts)
        self.notion = notion
        for deviation in joint:
            self.add_joint(deviation)

    def within(self, least: int, most: int) -> None:
        """Demand a social cost from ``least`` to ``most``."""
        self.social_at_least(reached=True)
        self.cp.add(self.social >= least)
        for load in self.load:
            self.cp.add(load <= most)

    def add_joint(self, cut: JointCut) -> None:
        """Demand that a joint placement does not pay its coalition."""
        ends = {k: self._ends(k, dict(cut)) for k, _ in cut}
        if self.notion == "all-gain":
            self.cp.add_bool_or([pick for k, own in ends.items() for pick in self._picks(self.cost[k], own)])
        elif self.notion == "any-gains":
            for k, own in ends.items():
                self.cp.add_bool_or(self._picks(self.cost[k], own))
        elif self.notion == "none-lose":
            nobody_gains = self.cp.new_bool_var("")
            losses = [pick for k, own in ends.items() for pick in self._picks(self.cost[k] + 1, own)]
            self.cp.add_bool_or([nobody_gains, *losses])
            for k, own in ends.items():
                self.cp.add_bool_or([~nobody_gains, *self._picks(self.cost[k], own)])
        else:
            reached = {k: self.cp.new_int_var(0, sum(self.work), "") for k in ends}
            for k, own in ends.items():
                self.cp.add_bool_or(self._picks(reached[k], own))
            self.cp.add(sum(self.cost[k] for k in ends) <= sum(reached.values()))

    def _picks(self, cost: Any, ends: Iterable[Any]) -> list[Any]:
        """One Boolean for each end, which is true only where the cost is at most that end."""
        picks = []
        for end in ends:
            pick = self.cp.new_bool_var("")
            self.cp.add(cost <= end).only_enforce_if(pick)
            picks.append(pick)
        return picks

    def _ends(self, k: int, deviation: dict[int, tuple[int, ...]]) -> list[Any]:
        """When each host is done with the last job of member ``k`` after a joint deviation; 0 without jobs."""
        placement = deviation[k]
        ends: list[Any] = [] if placement else [0]
        for host in sorted(set(placement)):
            end: Any = sum(size for size, there in zip(self.sizes[k], placement, strict=True) if there == host)
            if host != k:
                last = max(self.block_of[k, i] for i, there in enumerate(placement) if there == host)
                end += sum(
                    self.sizes[j][i]
                    for j, moved in deviation.items()
                    for i, there in enumerate(moved)
                    if there == host and j != k and (j == host or self.block_of[j, i] < last)
                )
                ahead = (
                    b
                    for b, (owner, _) in enumerate(self.blocks)
                    if owner not in deviation and (owner == host or b < last)
                )
                end += self._sent(ahead, host)
            ends.append(end)
        return ends


NODES: Final = 200_000
"""Boxes among which equilibria are listed, half a second; more equilibria are left to cuts."""
LISTED: Final = 2_000
"""Equilibria that are judged one by one."""
STARTS: Final = 10
"""Random placements from which dynamics look for stable ones before cuts are asked."""
STEPS: Final = 8
"""Deviations that are played in turn from an equilibrium."""


def refuted(game: PlacementGame, notion: Notion, claim: Exclusion, clock: Clock | None = None) -> bool:
    """Whether what a claim excludes is excluded again, from the game and the deviations alone.

    Raises TimeoutError when that was not known in time.
    """
    clock = Clock(None) if clock is None else clock
    if claim.equilibria is not None:
        profiles = list(equilibria(game, claim.least, claim.most, clock))
        upset = [upsetting(game, notion, claim.joint, profile) is not None for profile in profiles]
        return len(profiles) == claim.equilibria and all(upset)
    model = CoalitionModel(game, notion, claim.cuts, claim.joint)
    model.within(claim.least, claim.most)
    answer = solve(model.cp, clock.left(), seed=SEED, partial=False)
    if not answer.has_solution and not answer.ended:
        raise TimeoutError("coalitions: the time limit")
    return answer.status == "infeasible"


def upsetting(game: PlacementGame, notion: Notion, joint: Iterable[JointCut], profile: Profile) -> JointCut | None:
    """The first of some joint deviations that pays at a placement, played by the game."""
    before = _costs(game, profile)
    for cut in joint:
        after = _costs(game, deviated(profile, [k for k, _ in cut], [placement for _, placement in cut]))
        if pays(notion, [before[k] for k, _ in cut], [after[k] for k, _ in cut]):
            return cut
    return None


def _costs(game: PlacementGame, profile: Profile) -> list[int]:
    """Makespans in units."""
    return [max(ends, default=0) for ends in game.ends(profile)]


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
    coverage = by_cuts(game)
    if not coverage.covered:
        raise TooLargeError(
            f"coalitions: {coverage.why}: only the table of all profiles answers, which is too large here"
        )
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
    """State of one search; social costs in units. ``stable``: the stable placements reached."""

    size: int
    notion: Notion
    joint: dict[JointCut, None] = field(default_factory=dict)
    upset: dict[Profile, JointCut] = field(default_factory=dict)
    claims: list[Exclusion] = field(default_factory=list)
    none: bool = False
    """There is not even an equilibrium."""

    def begin(self, result: SearchResult) -> None:
        """What the equilibria say."""
        if result.equilibria.exists is False:
            self.none = True
        self.optimum = result.optimum
        if self.none and self.optimum is not None:
            return
        if self.optimum is None:
            self.find_optimum()
        else:
            best = self.units(Fraction(self.optimum.social_cost))
            worst = math.floor(sharp_ratio(self.game.federation.machines) * best)
            self.limits = {"worst": worst, "best": best}
        self._narrow(result)
        for extreme in (result.equilibria.worst, result.equilibria.best):
            if extreme is not None:
                self.note_stable(None, extreme.profile)

    def _narrow(self, result: SearchResult) -> None:
        """No stable placement is beyond the worst or the best equilibrium."""
        equilibria, bounds = result.equilibria, result.bounds
        low, high = self.window
        if result.complete and equilibria.worst is not None and equilibria.best is not None:
            worst, best = equilibria.worst.social_cost, equilibria.best.social_cost
        elif bounds is not None and bounds.worst_at_most is not None and bounds.best_at_least is not None:
            worst, best = bounds.worst_at_most, bounds.best_at_least
        else:
            return
        self.limits = {"best": max(low, self.units(Fraction(best))), "worst": min(high, self.units(Fraction(worst)))}

    @property
    def window(self) -> tuple[int, int]:
        """Least and largest social cost that a stable placement may have."""
        return self.limits["best"], self.limits["worst"]

    def prove(self) -> None:
        """The worst and the best stable placement, or that there is none."""
        if self.none or not (self.open("worst") or self.open("best")):
            return
        low, high = self.window
        listed = self._list()
        if listed is None:
            self._dynamics()
            self.extreme("worst")
        self._claim(self.incumbent("worst") + 1 if self.stable else low, high, listed)
        if self.stable:
            if listed is None:
                self.extreme("best")
            self._claim(low, self.incumbent("best") - 1, listed)

    def _list(self) -> dict[Profile, int] | None:
        """Judge every equilibrium, one for all with the same loads: their social costs. ``None``: they are too many."""
        if not by_branch_and_bound(self.game).covered:
            return None
        low, high = self.window
        costs: dict[Profile, int] = {}
        clock, progress = self.options.clock, self.options.progress
        try:
            for profile in equilibria(self.game, low, high, clock, progress, NODES):
                costs[profile] = max(_costs(self.game, profile))
                if len(costs) > LISTED:
                    return None
                self._judge(profile, costs[profile])
        except TooManyError:
            return None
        self.limits["worst"] = self.incumbent("worst") if self.stable else low - 1
        self.limits["best"] = self.incumbent("best") if self.stable else high + 1
        return costs

    def _judge(self, profile: Profile, social: int) -> None:
        """Note an equilibrium that no coalition upsets, or the deviation; one between those known says nothing new."""
        if self.stable and min(self.stable.values()) <= social <= max(self.stable.values()):
            return
        cut = upsetting(self.game, self.notion, self.joint, profile)
        if cut is not None:
            self.upset[profile] = cut
        elif (deviation := self._deviation(profile)) is None:
            super().note_stable(None, profile)
        else:
            self._cut(None, profile, deviation)

    def _dynamics(self) -> None:
        """Look for stable placements from everything at home and from random placements."""
        draw, hosts = Random(SEED), range(len(self.game.players))
        self.try_dynamics(None, self.game.default_profile)
        for _ in range(STARTS):
            if not (self.open("worst") or self.open("best")):
                return
            self.try_dynamics(None, tuple(tuple(draw.choice(hosts) for _ in row) for row in self.game.federation.sizes))

    def _claim(self, least: int, most: int, listed: dict[Profile, int] | None) -> None:
        """What the deviations known exclude, by the solver or, where every equilibrium was listed, one by one."""
        if least > most:
            return
        if listed is None:
            self.claims.append(Exclusion(least, most, tuple(self.cuts), tuple(self.joint)))
            return
        profiles = [profile for profile, social in listed.items() if least <= social <= most]
        joint = dict.fromkeys(self.upset[profile] for profile in profiles)
        self.claims.append(Exclusion(least, most, (), tuple(joint), len(profiles)))

    def constrained(self) -> Model:
        """All constraints known, and no social cost beyond the bounds."""
        model = CoalitionModel(self.game, self.notion, self.cuts, self.joint)
        low, high = self.window
        for load in model.load:
            model.cp.add(load <= high)
        model.cp.add(model.social >= low)
        return model

    def note_stable(self, model: Model | None, profile: Profile) -> None:
        """Note a placement that no coalition upsets; else play the deviation and the best responses to it, in turn."""
        for _ in range(STEPS):
            if profile in self.stable or profile in self.upset:
                return
            deviation = self._deviation(profile)
            if deviation is None:
                super().note_stable(model, profile)
                return
            self._cut(model, profile, deviation)
            played = self.play(deviation.applied(profile))
            if not played.converged:
                return
            profile = played.final.profile

    def _cut(self, model: Model | None, profile: Profile, deviation: Deviation) -> None:
        """Note what upsets a placement: a constraint on all of them."""
        cut = tuple(zip(deviation.members, deviation.strategies, strict=True))
        self.upset[profile] = cut
        if cut not in self.joint:
            self.joint[cut] = None
            if isinstance(model, CoalitionModel):
                model.add_joint(cut)

    def _deviation(self, profile: Profile) -> Deviation | None:
        """A joint deviation that pays, under the strongest demand that one meets."""
        for notion in get_args(Notion):
            deviation = smallest_deviation(self.game, profile, self.size, notion, self.options.clock)
            if deviation is not None or notion == self.notion:
                return deviation
        raise AssertionError(f"no such notion: {self.notion}")

    def findings(self, complete: bool) -> CoalitionSearch:
        """Everything that is known, as a record."""
        ordered = [outcome(self.game, p) for p in sorted(self.stable, key=lambda p: (self.stable[p], p))]
        best, worst = (ordered[0], ordered[-1]) if ordered else (None, None)
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
            certificate=tuple(self.claims),
        )

    def _price(self, stable: Outcome | None) -> Fraction | None:
        if stable is None or self.optimum is None:
            return None
        return price(stable.social_cost, self.optimum.social_cost)

    def _bounds(self) -> Bounds:
        """What is proved of all stable placements."""
        unit = self.game.federation.unit
        best, worst = (cost * unit for cost in self.window) if self.limits else (None, None)
        optimum = None if self.optimum is None else self.optimum.social_cost
        return Bounds(
            worst_at_most=worst,
            best_at_least=best,
            price_of_anarchy_at_most=price(worst, optimum),
            price_of_stability_at_least=price(best, optimum),
        )
