r"""The worst or the best of the placements that satisfy constraints found on the way.

Solve "maximise (minimise) ``C_max`` over placements subject to the constraints known" (:mod:`.cuts_model`), ask whether
the solution is what is looked for, and add a constraint that excludes it where it is not. :class:`Extremes` does that
for the equilibria of :mod:`.cuts`, for which exact best replies answer; :mod:`.coalitions.search` asks about coalitions
as well. Best-response dynamics from every solution supply equilibria on the way, so only better ones are looked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from ...scheduling.cp_sat import solve
from ...support.interrupts import noticed
from ..asking import outcome
from ..dynamics import Dynamics, best_response_dynamics
from ..protocol import Outcome, Profile
from ..results import Options
from .best_reply import best_reply
from .cuts_model import Cut, Model

if TYPE_CHECKING:
    from .game import PlacementGame

Direction = Literal["worst", "best"]
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
    known
        Those met that are looked for, with their social cost.
    optimum
        A placement of least social cost.
    highest, lowest
        None that is looked for costs more, none less.
    exists
        Whether there is one; ``None`` before it is known.
    rounds
        How often the solver has been asked.
    """

    game: PlacementGame
    options: Options
    cuts: dict[Cut, None] = field(default_factory=dict)
    known: dict[Profile, int] = field(default_factory=dict)
    optimum: Outcome | None = None
    highest: int | None = None
    lowest: int | None = None
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
            raise Stopped(answer.bound if answer.found and model.cp.has_objective() else None)
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
        self.highest, self.lowest = (2 * n - 1) * value // n, value

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
            feasible, bound, profile = self._optimise(model, direction)
            if not feasible or profile is None:
                break
            self._set_limit(direction, bound)
            model.cp.clear_objective()  # type: ignore[no-untyped-call]
            model.cp.add(model.social == bound)
            while profile is not None and self.open(direction):
                self.learn(model, profile)
                _, _, profile = self.solve(model)
            if profile is None:
                self._set_limit(direction, bound - 1 if worst else bound + 1)
        self.exists = bool(self.known)
        best = self.incumbent(direction)
        if best is not None:
            self._set_limit(direction, best)

    def _optimise(self, model: Model, direction: Direction) -> tuple[bool, int, Profile | None]:
        """Solve with an objective; a stopped solver still leaves its bound behind."""
        try:
            return self.solve(model)
        except Stopped as stop:
            if stop.bound is not None:
                worst = direction == "worst"
                self._set_limit(direction, math.floor(stop.bound + 0.5) if worst else math.ceil(stop.bound - 0.5))
            raise

    def constrained(self) -> Model:
        """All constraints known."""
        model = Model(self.game)
        for cut in self.cuts:
            model.add_cut(cut)
        return model

    def _beyond(self, direction: Direction) -> Model:
        """All cuts so far, and a social cost strictly better than the best equilibrium known."""
        model = self.constrained()
        best, limit = self.incumbent(direction), self._limit(direction)
        worst = direction == "worst"
        model.social_at_least(reached=worst)
        model.cp.add(model.social <= limit if worst else model.social >= limit)
        if best is not None:
            model.cp.add(model.social >= best + 1 if worst else model.social <= best - 1)
        return model

    def _limit(self, direction: Direction) -> int:
        limit = self.highest if direction == "worst" else self.lowest
        assert limit is not None  # find_optimum came first
        return limit

    def _set_limit(self, direction: Direction, value: int) -> None:
        if direction == "worst":
            self.highest = value
        else:
            self.lowest = value

    def open(self, direction: Direction) -> bool:
        """Whether an equilibrium beyond the best one known is still possible."""
        best, limit = self.incumbent(direction), self._limit(direction)
        return best is None or (best < limit if direction == "worst" else best > limit)

    def incumbent(self, direction: Direction) -> int | None:
        """Social cost of the worst (best) one known."""
        return (max if direction == "worst" else min)(self.known.values(), default=None)

    def learn(self, model: Model, profile: Profile) -> None:
        """Add the cut of everybody who gains at a profile, or note the equilibrium; then follow best responses."""
        costs = self.game.costs(profile)
        stable = True
        for k in range(len(self.game.players)):
            reply = best_reply(self.game, k, profile)
            if self.game.costs((*profile[:k], reply, *profile[k + 1 :]))[k] < costs[k]:
                stable = False
                if (k, reply) not in self.cuts:
                    self.cuts[k, reply] = None
                    model.add_cut((k, reply))
        if stable:
            self.settled(model, profile)
        else:
            self.try_dynamics(model, profile)

    def try_dynamics(self, model: Model | None, profile: Profile) -> None:
        """Follow best responses for a while; an equilibrium met is one."""
        found = self.play(profile)
        if found.converged:
            self.settled(model, found.final.profile)

    def play(self, profile: Profile) -> Dynamics:
        """Best responses for a while; Ctrl-C, which they answer with what they have, ends the search as well."""
        with noticed() as stopped:
            found = best_response_dynamics(self.game, profile, max_rounds=50, clock=self.options.clock)
        if stopped():
            raise Stopped
        return found

    def settled(self, model: Model | None, profile: Profile) -> None:
        """Somebody's best replies end here; ``model`` is the one that is being solved, if any."""
        self.known.setdefault(profile, self.units(self.game.social_cost(profile)))

    def units(self, value: Fraction) -> int:
        """A social cost in units."""
        return int(value / self.game.federation.unit)
