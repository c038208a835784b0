"""A game as a search asks about it, and how its outcomes are written in records.

Costs of a game that is given in payoffs are negated payoffs; its records hold payoffs and welfare.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, TypeVar

from ...games.dynamics import Dynamics
from ...games.normal_form import NormalFormGame
from ...games.protocol import Game, Outcome, Profile, Sense, sense_of
from ...games.results import Bounds
from ...support.exact import Extended
from ...support.progress import Clock, Progress
from ..records import Row
from .options import Search
from .records import DynamicsRow, OutcomeRow

R = TypeVar("R", bound=Row)
NEGATED: Final = {"worst_at_most": "worst_at_least", "best_at_least": "best_at_most"}
"""Bounds on social costs, and what they are of welfare."""


@dataclass(frozen=True)
class Setup:
    """A game as a search asks about it, and how its outcomes are written."""

    game: Game
    start: Sequence[Any] | None  # where dynamics start; ``None`` where the game says so
    profile: Callable[[Profile], Any]  # how a profile is written
    # how the social cost of an outcome is written; ``None`` for a number
    social: Callable[[Outcome], Any] | None = None

    @property
    def sense(self) -> Sense:
        """``"payoff"`` where costs are negated payoffs."""
        return sense_of(self.game)

    def table(self, options: Search, clock: Clock, progress: Progress | None) -> NormalFormGame:
        """The table of all profiles. Raises TooLargeError, or TimeoutError when the clock runs out."""
        most = options.table_limit
        return NormalFormGame.from_game(self.game, max_bytes=most, progress=progress, clock=clock)

    @property
    def sign(self) -> int:
        """-1 where the record has payoffs, which are negated costs."""
        return -1 if self.sense == "payoff" else 1

    def worth(self, name: str, cost: Extended) -> dict[str, Any]:
        """A cost of everybody under its name in records: as welfare where the game has payoffs."""
        return {f"{name}_{'welfare' if self.sign < 0 else 'cost'}": self.sign * cost}

    def worths(self, costs: Sequence[Any]) -> dict[str, Any]:
        """Everybody's costs under their name in records: as payoffs where the game has these."""
        return {"payoffs" if self.sign < 0 else "costs": tuple(self.sign * cost for cost in costs)}

    def row(self, outcome: Outcome) -> OutcomeRow:
        """An outcome as records write it."""
        row = (
            self.worth("social", outcome.social_cost) if self.social is None else {"social_cost": self.social(outcome)}
        )
        for name, costs in self.worths(outcome.costs).items():
            row[name] = dict(zip(self.game.players, costs, strict=True))
        return OutcomeRow(profile=self.profile(outcome.profile), **row)

    def shared(self, kind: type, result: object) -> dict[str, Any]:
        """Fields of a row or record that a result has under the same names; prices where social costs are numbers."""

        def written(name: str) -> Any:
            value = None if self.social and name.startswith("price_of_") else getattr(result, name)
            if isinstance(value, tuple):
                return tuple(self.row(one) if isinstance(one, Outcome) else one for one in value)
            return self.row(value) if isinstance(value, Outcome) else value

        return {field.name: written(field.name) for field in fields(kind) if hasattr(result, field.name)}

    def bounds(self, kind: type[R], proved: Bounds | None) -> R | None:
        """What is proved although a search stopped early: of social costs that are numbers, or of welfare."""
        if proved is None or self.social:
            return None
        row = self.shared(kind, proved)
        for cost, welfare in NEGATED.items() if self.sign < 0 else ():
            row |= {cost: None, welfare: None if row[cost] is None else -row[cost]}
        return kind(**row)

    def dynamics(self, run: Dynamics) -> DynamicsRow:
        """A run of best-response dynamics as records write it."""
        cycle = None if run.cycle is None else tuple(map(self.profile, run.cycle))
        start, final = self.profile(run.start), self.profile(run.final.profile)
        return DynamicsRow(**self.shared(DynamicsRow, run) | {"start": start, "cycle": cycle, "final": final})
