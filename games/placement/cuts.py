r"""Worst and best equilibria of a placement game, or the proof that there is none, without a table of profiles.

Solve "maximise (minimise) ``C_max`` over placements subject to what every equilibrium satisfies" (:mod:`.cuts_model`);
give every organization an exact best reply to the solution; where one gains, no equilibrium looks like this: add the
cut of that reply and solve again. When nobody gains the solution is the worst (best) equilibrium; when the constraints
contradict each other there is no pure equilibrium. Best-response dynamics from every solution supply equilibria on the
way, so only better ones are looked for. The smallest epsilon and the smallest regret of a game without equilibrium come
from the same cuts, relaxed, by bisection; the last step excludes everything strictly below the answer.

The cuts found are the certificate: :func:`replay` rebuilds the constraints from the game and the cuts alone and asks
the solver once more. One solver thread with a fixed seed, so the same question gets the same answer.

>>> from consortium.agents.organizations import Federation
>>> from consortium.games.placement.game import PlacementGame
>>> from consortium.games.search import search
>>> found = search(PlacementGame(Federation.of([[3, 1, 1], [3, 2], [1], [1]])), method="cuts")
>>> found.equilibria.worst.social_cost, found.price_of_anarchy, found.complete
(Fraction(4, 1), Fraction(4, 3), True)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from ...scheduling.cp_sat import solve
from ...support.errors import TooLargeError
from ..asking import outcome
from ..protocol import Profile
from ..results import Bounds, Equilibria, Findings, Options
from .best_reply import best_reply
from .cuts_model import NASH, Cut, Model, Slack
from .extremes import SEED, Direction, Extremes, Stopped
from .prices import price_bounds

if TYPE_CHECKING:
    from .game import PlacementGame

_BISECT = Fraction(1, 50)  # below this gap between the bounds of epsilon, ask for the exact answer


@dataclass(frozen=True)
class Claim:
    """One thing that the cuts prove: no profile satisfies ``slack`` with a social cost beyond ``social``.

    Attributes
    ----------
    direction
        ``"worst"``: none costs more than ``social``; ``"best"``: none costs less. With ``social = None``: none at all.
    social
        In units of ``federation.unit``.
    slack
        Which approximate equilibria are meant; the exact ones by default.
    cuts
        The deviations used.
    """

    direction: Direction
    social: int | None
    cuts: tuple[Cut, ...]
    slack: Slack = NASH


@dataclass(frozen=True)
class Certificate:
    """The claims behind a complete constraint search, see :func:`replay`."""

    claims: tuple[Claim, ...]


def replay(game: PlacementGame, certificate: Certificate) -> bool:
    """Whether the solver refutes again, from the game and the cuts alone, what every claim excludes.

    >>> from consortium.agents.organizations import Federation
    >>> from consortium.games.placement.game import PlacementGame
    >>> from consortium.games.search import search
    >>> game = PlacementGame(Federation.of([[2, 2], [1]]))
    >>> replay(game, search(game, method="cuts").certificate)
    True
    """
    return all(refuted(game, claim) for claim in certificate.claims)


def refuted(game: PlacementGame, claim: Claim, seconds: float | None = None) -> bool:
    """Whether the solver refutes what one claim excludes. Raises TimeoutError when it did not know after the limit."""
    model = Model(game, claim.slack)
    for cut in claim.cuts:
        model.add_cut(cut)
    _beyond(model, claim.direction, claim.social)
    answer = solve(model.cp, seconds, seed=SEED, partial=False)
    if not answer.found and not answer.ended:
        raise TimeoutError(f"the solver did not know after {seconds} seconds")
    return answer.status == "infeasible"


def cut_search(game: PlacementGame, options: Options) -> Findings:
    """Existence, worst and best equilibrium, optimum, smallest epsilon and regret, for :mod:`consortium.games.search`.

    Stopped early, it returns the worst and best equilibria known and proved bounds on all others.
    """
    run = _Run(game, options)
    complete = False
    try:
        run.find_optimum()
        run.extreme("worst")
        if run.known:
            run.extreme("best")
        else:
            run.relax()
        complete = True
    except (KeyboardInterrupt, Stopped):
        pass
    return run.findings(complete)


def relaxation(game: PlacementGame, options: Options) -> Findings:
    """The smallest epsilon and regret of a game that has no equilibrium, with the claims that prove them."""
    run = _Run(game, options, exists=False)
    complete = False
    try:
        run.relax()
        complete = True
    except (KeyboardInterrupt, Stopped):
        pass
    return run.findings(complete)


@dataclass
class _Run(Extremes):
    """State of one search; social costs in units."""

    claims: list[Claim] = field(default_factory=list)
    epsilon: Fraction | None = None
    epsilon_at: Profile | None = None
    epsilon_above: Fraction = Fraction(1)
    regret: int | None = None
    regret_at: Profile | None = None

    def extreme(self, direction: Direction) -> None:
        """Prove the worst (best) equilibrium, or that there is none, and claim it."""
        super().extreme(direction)
        self.claims.append(Claim(direction, self.incumbent(direction), tuple(self.cuts)))

    # approximate equilibria, when there is no exact one

    def relax(self) -> None:
        """Smallest epsilon and smallest regret, by bisection on relaxed cuts."""
        cycle = self.play(self.game.default_profile).cycle or ()
        for profile in (self.game.default_profile, *cycle):
            self._rate(profile)
        while True:
            assert self.epsilon is not None  # the profile at home has one
            gap = self.epsilon - self.epsilon_above
            goal = ((self.epsilon + self.epsilon_above) / 2).limit_denominator(1000) if gap > _BISECT else self.epsilon
            slack = Slack(goal.numerator, goal.denominator, strict=True)
            if self._below(slack):
                continue
            self.epsilon_above = goal
            if goal == self.epsilon:
                self.claims.append(Claim("worst", None, tuple(self.cuts), slack))
                break
        above = 1  # no profile has a smaller regret
        while self.regret is not None and above < self.regret:
            goal_regret = (above + self.regret + 1) // 2
            if not self._below(Slack(add=goal_regret - 1)):
                above = goal_regret
        assert self.regret is not None
        self.claims.append(Claim("worst", None, tuple(self.cuts), Slack(add=self.regret - 1)))

    def _below(self, slack: Slack) -> bool:
        """Look for a profile within the slack; rate what is met. False when there is provably none.

        Raises Stopped where the slack's fraction is beyond the solver; what is proved until then stays.
        """
        try:
            model = Model(self.game, slack)
        except TooLargeError:
            raise Stopped from None
        for cut in self.cuts:
            model.add_cut(cut)
        while True:
            _, _, profile = self.solve(model)
            if profile is None:
                return False
            before = self.epsilon, self.regret
            known = len(self.cuts)
            self._rate(profile)
            for cut in list(self.cuts)[known:]:
                model.add_cut(cut)
            if len(self.cuts) == known or (self.epsilon, self.regret) != before:
                return True

    def _rate(self, profile: Profile) -> None:
        """Epsilon and regret of a profile, from exact best replies, which become cuts."""
        costs = self.game.costs(profile)
        epsilon, regret = Fraction(1), Fraction(0)
        for k, cost in enumerate(costs):
            reply = best_reply(self.game, k, profile)
            best = self.game.costs((*profile[:k], reply, *profile[k + 1 :]))[k]
            if best < cost:
                self.cuts[k, reply] = None
                epsilon, regret = max(epsilon, cost / best), max(regret, cost - best)
        if self.epsilon is None or epsilon < self.epsilon:
            self.epsilon, self.epsilon_at = epsilon, profile
        if self.regret is None or self.units(regret) < self.regret:
            self.regret, self.regret_at = self.units(regret), profile

    def _prices(self) -> tuple[Fraction | None, Fraction | None]:
        """Bounds on the price of anarchy."""
        optimum = None if self.optimum is None else self.units(Fraction(self.optimum.social_cost))
        worst = max(self.known.values(), default=None)
        return price_bounds(len(self.game.players), worst, self.highest, optimum, optimum)

    def findings(self, complete: bool) -> Findings:
        """Everything that is known, as a record."""
        unit, game = self.game.federation.unit, self.game
        ordered = sorted(self.known, key=lambda p: (self.known[p], p))
        listed = tuple(outcome(game, p) for p in ordered)
        known = Equilibria(self.exists)
        if listed:
            known = Equilibria(True, None, listed[0], listed[-1], listed[: self.options.limit])
            self.epsilon, self.epsilon_at, self.regret, self.regret_at = Fraction(1), ordered[0], 0, ordered[0]
        bounds = Bounds(
            None if self.highest is None else self.highest * unit,
            None if self.lowest is None else self.lowest * unit,
            self.epsilon_above,
            self.epsilon,
            *self._prices(),
        )
        proved = complete or bool(listed)
        return Findings(
            known,
            optimum=self.optimum,
            smallest_epsilon=self.epsilon if proved else None,
            smallest_epsilon_at=outcome(game, self.epsilon_at) if self.epsilon_at and proved else None,
            smallest_regret=self.regret * unit if self.regret is not None and proved else None,
            smallest_regret_at=outcome(game, self.regret_at) if self.regret_at and proved else None,
            bounds=None if complete else bounds,
            certificate=Certificate(tuple(self.claims)),
            complete=complete,
        )


def _beyond(model: Model, direction: Direction, social: int | None) -> None:
    """Demand a social cost beyond a claimed extreme."""
    model.social_at_least(reached=direction == "worst")
    if social is not None:
        model.cp.add(model.social >= social + 1 if direction == "worst" else model.social <= social - 1)
