"""Worst and best equilibria of a placement game, or the proof that there is none, without a table of profiles.

Solve "maximise (minimise) ``C_max`` over placements subject to what every equilibrium satisfies" (:mod:`.cuts_model`);
give every organization an exact best reply to the solution; where one gains, no equilibrium looks like this: add the
cut of that reply and solve again. When nobody gains the solution is the worst (best) equilibrium; when the constraints
contradict each other there is no pure equilibrium. Best-response dynamics from every solution supply equilibria on the
way, so only better ones are looked for. The smallest epsilon and the smallest regret of a game without equilibrium come
from the same cuts, relaxed, by bisection; the last step excludes everything strictly below the answer.

:class:`Extremes` alternates between solver and best replies; :mod:`.coalition_cuts` adds a question about coalitions.

The cuts are the certificate: :func:`replay` rebuilds the constraints from the game and the cuts alone and asks
the solver once more. One solver thread with a fixed seed, so the same question gets the same answer.

>>> from consortium.agents.organizations import Federation
>>> from consortium.games.placement.game import PlacementGame
>>> from consortium.games.search import search
>>> found = search(PlacementGame(Federation.of([[3, 1, 1], [3, 2], [1], [1]])), method="cuts")
>>> found.equilibria.worst.social_cost, found.price_of_anarchy, found.complete
(Fraction(4, 1), Fraction(4, 3), True)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction

from ...scheduling.cp_sat import solve
from ...support.errors import TooLargeError
from ...support.interrupts import noticed
from ..dynamics import Dynamics, best_response_dynamics
from ..protocol import Outcome, Profile, outcome
from ..results import Bounds, Equilibria, Findings, Options
from .best_reply import best_reply
from .bounds import longest_first_epsilon, price_bounds
from .certificate import Certificate, Claim, Cut, Direction, Slack
from .cuts_model import Model
from .game import PlacementGame

SEED = 0  # of the constraint solver


class Stopped(Exception):
    """The clock ran out or Ctrl-C came while the solver ran; ``bound`` is what it had proved of its objective."""

    def __init__(self, bound: float | None = None) -> None:
        super().__init__()
        self.bound = bound


@dataclass
class Extremes:
    """State of one search for the extremes among equilibria; social costs in units.

    Attributes
    ----------
    game, options
        What is searched, and how long.
    cuts
        Unilateral deviations that have excluded a solution.
    stable
        Those reached that are sought, with their social cost.
    optimum
        A placement of least social cost.
    limits
        None that is sought costs more than the one, or less than the other; empty before it is known.
    exists
        Whether there is one; ``None`` before it is known.
    rounds
        How often the solver has been asked.
    """

    game: PlacementGame
    options: Options
    cuts: dict[Cut, None] = field(default_factory=dict)
    stable: dict[Profile, int] = field(default_factory=dict)
    optimum: Outcome | None = None
    limits: dict[Direction, int] = field(default_factory=dict)
    exists: bool | None = None
    rounds: int = 0

    def solve(self, model: Model) -> tuple[bool, int, Profile | None]:
        """Whether the model has a solution, the solver's bound on its objective, and the profile.

        Raises Stopped when the clock or Ctrl-C ended the solver before it knew.
        """
        if self.options.clock.expired():
            raise Stopped
        if self.options.progress is not None:
            self.options.progress(self.rounds, None, f"rounds, {len(self.cuts)} cuts")
        self.rounds += 1
        answer = solve(model.cp, self.options.clock.left(), seed=SEED)
        if answer.status == "infeasible":
            return False, 0, None
        if not answer.ended:
            raise Stopped(answer.bound if answer.has_solution and model.cp.has_objective() else None)
        return True, round(answer.bound), model.read(answer.value)

    def find_optimum(self) -> None:
        """A placement of least ``C_max``: identical machines, so the unconstrained optimum as well."""
        model = Model(self.game, None)
        model.social_at_least(reached=False)
        total = sum(model.work)
        longest = max((max(row) for row in model.sizes if row), default=0)
        model.cp.add(model.social >= max(longest, -(-total // len(model.sizes))))
        model.cp.minimize(model.social)
        _, value, profile = self.solve(model)
        assert profile is not None  # some placement always exists
        self.optimum = outcome(self.game, profile)
        n = len(model.sizes)
        self.limits = {"worst": (2 * n - 1) * value // n, "best": value}

    def extreme(self, direction: Direction) -> None:
        """Prove the worst (best) equilibrium, or that there is none.

        Alternates between the solver's bound under the cuts known and the question whether an equilibrium sits exactly
        there, which needs no objective and is answered much faster.
        """
        worst = direction == "worst"
        self.try_dynamics(None, self.game.default_profile)
        while self.open(direction):
            model = self._beyond(direction)
            (model.cp.maximize if worst else model.cp.minimize)(model.social)
            try:
                feasible, bound, profile = self.solve(model)
            except Stopped as stop:
                if stop.bound is not None:  # a stopped solver still leaves it behind
                    self.limits[direction] = math.floor(stop.bound + 0.5) if worst else math.ceil(stop.bound - 0.5)
                raise
            if not feasible or profile is None:
                break
            self.limits[direction] = bound
            model.cp.clear_objective()  # type: ignore[no-untyped-call]
            model.cp.add(model.social == bound)
            while profile is not None and self.open(direction):
                self.learn(model, profile)
                _, _, profile = self.solve(model)
            if profile is None:
                self.limits[direction] = bound - 1 if worst else bound + 1
        self.exists = bool(self.stable)
        if self.exists:
            self.limits[direction] = self.incumbent(direction)

    def constrained(self) -> Model:
        """All constraints known."""
        return Model(self.game, cuts=self.cuts)

    def _beyond(self, direction: Direction) -> Model:
        """All cuts so far, and a social cost strictly better than the best equilibrium known."""
        model, limit, worst = self.constrained(), self.limits[direction], direction == "worst"
        model.social_at_least(reached=worst)
        model.cp.add(model.social <= limit if worst else model.social >= limit)
        if self.stable:
            best = self.incumbent(direction)
            model.cp.add(model.social >= best + 1 if worst else model.social <= best - 1)
        return model

    def open(self, direction: Direction) -> bool:
        """Whether an equilibrium beyond the best one known is still possible."""
        if not self.stable:
            return True
        best, limit = self.incumbent(direction), self.limits[direction]
        return best < limit if direction == "worst" else best > limit

    def incumbent(self, direction: Direction) -> int:
        """Social cost of the worst (best) one known; there is one."""
        return (max if direction == "worst" else min)(self.stable.values())

    def learn(self, model: Model, profile: Profile) -> None:
        """Add the cut of everybody who gains at a profile, or note the equilibrium; then follow best responses."""
        costs = self.game.costs(profile)
        nobody_gains = True
        for k in range(len(self.game.players)):
            reply = best_reply(self.game, k, profile)
            if self.game.costs((*profile[:k], reply, *profile[k + 1 :]))[k] < costs[k]:
                nobody_gains = False
                if (k, reply) not in self.cuts:
                    self.cuts[k, reply] = None
                    model.add_cut((k, reply))
        if nobody_gains:
            self.note_stable(model, profile)
        else:
            self.try_dynamics(model, profile)

    def try_dynamics(self, model: Model | None, profile: Profile) -> None:
        """Follow best responses for a while, and note the equilibrium where they end, if they do."""
        dynamics = self.play(profile)
        if dynamics.converged:
            self.note_stable(model, dynamics.final.profile)

    def play(self, profile: Profile) -> Dynamics:
        """Best responses for a while; Ctrl-C, which they answer with what they have, ends the search as well."""
        with noticed() as stopped:
            dynamics = best_response_dynamics(self.game, profile, max_rounds=50, clock=self.options.clock)
        if stopped():
            raise Stopped
        return dynamics

    def note_stable(self, model: Model | None, profile: Profile) -> None:
        """Note a profile at which best replies end; ``model`` is the one that is being solved, if any."""
        self.stable.setdefault(profile, self.units(self.game.social_cost(profile)))

    def units(self, value: Fraction) -> int:
        """A social cost in units."""
        return int(value / self.game.federation.unit)


_BISECT = Fraction(1, 50)  # below this gap between the bounds of epsilon, ask for the exact answer


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
    model = Model(game, claim.slack, claim.cuts)
    _beyond(model, claim.direction, claim.social)
    answer = solve(model.cp, seconds, seed=SEED, partial=False)
    if not answer.has_solution and not answer.ended:
        raise TimeoutError(f"the solver did not know after {seconds} seconds")
    return answer.status == "infeasible"


def cut_search(game: PlacementGame, options: Options) -> Findings:
    """Existence, worst and best equilibrium, optimum, smallest epsilon and regret, for :mod:`consortium.games.search`.

    Stopped early, it returns the worst and best equilibria known and proved bounds on all others.
    """
    run = _Run(game, options)
    return run.searched(run.extremes)


def relaxation(game: PlacementGame, options: Options) -> Findings:
    """The smallest epsilon and regret of a game that has no equilibrium, with the claims that prove them."""
    run = _Run(game, options, exists=False)
    return run.searched(run.relax)


@dataclass
class _Run(Extremes):
    """State of one search; social costs in units."""

    claims: list[Claim] = field(default_factory=list)
    epsilon: Fraction | None = None
    epsilon_at: Profile | None = None
    epsilon_above: Fraction = Fraction(1)
    regret: int | None = None
    regret_at: Profile | None = None

    def searched(self, steps: Callable[[], None]) -> Findings:
        """What some steps find, as far as they come."""
        complete = False
        with suppress(KeyboardInterrupt, Stopped):
            steps()
            complete = True
        return self.findings(complete)

    def extremes(self) -> None:
        """The optimum, and both extremes, or how near an equilibrium profiles come where there is none."""
        self.find_optimum()
        self.extreme("worst")
        if self.stable:
            self.extreme("best")
        else:
            self.relax()

    def extreme(self, direction: Direction) -> None:
        """Prove the worst (best) equilibrium, or that there is none, and claim it."""
        super().extreme(direction)
        social = self.incumbent(direction) if self.stable else None
        self.claims.append(Claim(direction, social, tuple(self.cuts)))

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
            model = Model(self.game, slack, self.cuts)
        except TooLargeError:
            raise Stopped from None
        while True:
            _, _, profile = self.solve(model)
            if profile is None:
                return False
            before = self.epsilon, self.regret
            count = len(self.cuts)
            self._rate(profile)
            for cut in list(self.cuts)[count:]:
                model.add_cut(cut)
            if len(self.cuts) == count or (self.epsilon, self.regret) != before:
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

    def findings(self, complete: bool) -> Findings:
        """Everything that is known, as a record."""
        unit, game = self.game.federation.unit, self.game
        ordered = sorted(self.stable, key=lambda p: (self.stable[p], p))
        listed = tuple(outcome(game, p) for p in ordered)
        equilibria = Equilibria(self.exists)
        if listed:
            equilibria = Equilibria(True, None, listed[0], listed[-1], listed[: self.options.limit])
            self.epsilon, self.epsilon_at, self.regret, self.regret_at = Fraction(1), ordered[0], 0, ordered[0]
        optimum = None if self.optimum is None else self.units(Fraction(self.optimum.social_cost))
        worst, highest = max(self.stable.values(), default=None), self.limits.get("worst")
        bounds = Bounds(
            None if highest is None else highest * unit,
            self.limits["best"] * unit if self.limits else None,
            self.epsilon_above,
            min(filter(None, (self.epsilon, longest_first_epsilon(game))), default=None),
            *price_bounds(len(game.players), worst, highest, optimum, optimum),
        )
        proved = complete or bool(listed)
        return Findings(
            equilibria,
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
