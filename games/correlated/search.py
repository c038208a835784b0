"""The least and the largest expected social cost of correlated play, proved by multipliers.

Both are linear programs over distributions on profiles (Aumann 1974; Moulin and Vial 1978). Duplicate strategies are
merged (:mod:`.merging`), floats say which profiles and which incentive constraints matter (:mod:`.generation`), whole
numbers make that a distribution and multipliers (:mod:`.settling`), and the checker has the last word: what is called
proved is an equilibrium whose cost is the bound of the multipliers in the game as it was given.

Infinite costs: see :mod:`.cells`. The set of equilibria need not be closed then: a probability as small as one likes
may keep a player from a deviation that would cost her ``inf``. Distributions are looked for among those that need no
such help, bounds among all; where they differ nothing is proved, and both numbers are true.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...support.progress import Clock, Progress
from ..normal_form import NormalFormGame
from ..protocol import Profile
from .cells import Cells, playable
from .checker import Placed, bound, expected_cost, is_equilibrium
from .merging import Merged, merge
from .program import Program, open_rows
from .results import Concept, CorrelatedPlay, Distribution, Extreme, Multiplier, Side
from .settling import Settled, Settling


def correlated_play(
    game: NormalFormGame,
    concept: Concept,
    *,
    known: tuple[Profile, ...] = (),
    clock: Clock | None = None,
    progress: Progress | None = None,
) -> CorrelatedPlay:
    """Equilibria of least and largest expected social cost, with bounds.

    Parameters
    ----------
    game
        The game as a table.
    concept
        ``"coarse"`` or ``"correlated"``.
    known
        Pure equilibria that were met before; they are what is said when the time is too short for more.
    clock, progress
        A time limit, half of it for each side, and a receiver of reports. Ctrl-C ends the work as the limit does.

    >>> game = NormalFormGame.from_arrays([[[2, 4], [1, 3]], [[2, 1], [4, 3]]], sense="cost")
    >>> play = correlated_play(game, "coarse")
    >>> dict(play.worst.distribution), play.worst.social_cost, play.proved
    ({(1, 1): Fraction(1, 1)}, Fraction(6, 1), True)
    """
    clock = clock or Clock(None)
    merged, left = merge(game), clock.left()
    works = [_Work(merged, concept, "best"), _Work(merged, concept, "worst")]
    with suppress(KeyboardInterrupt):
        for work, own in zip(works, [Clock(None if left is None else left / 2), clock], strict=True):
            with suppress(TimeoutError):
                work.run(own, progress)
    best, worst = (_extreme(game, merged, work, known) for work in works)
    return CorrelatedPlay(concept, best, worst)


def _extreme(game: NormalFormGame, merged: Merged, work: _Work, known: tuple[Profile, ...]) -> Extreme | None:
    """One side as the checker sees it in the whole game; ``None`` where there is proved to be no equilibrium."""
    if work.empty:
        return None
    multipliers = _multipliers(merged, work.multipliers)
    offered: list[Distribution] = [{profile: Fraction(1)} for profile in known]
    offered += work.distributions
    fair = [(work.sign * expected_cost(game, p), p) for p in offered if is_equilibrium(game, p, work.concept)]
    cost, chosen = min(fair, key=lambda pair: pair[0], default=(None, {}))
    return Extreme(None if cost is None else work.sign * cost, chosen, multipliers, bound(game, multipliers, work.side))


def _multipliers(merged: Merged, placed: list[Placed]) -> tuple[Multiplier, ...]:
    """By strategies of the whole game: those of a recommendation once for each that it stands for."""
    return tuple(
        Multiplier(player, told, merged.game.labels[player][deviation], value)
        for player, place, deviation, value in placed
        for told in ((None,) if place is None else merged.alike[player][place])
    )


class _Work:
    """What is found of one side, whenever it is stopped."""

    def __init__(self, merged: Merged, concept: Concept, side: Side) -> None:
        self.game, self.concept, self.side = merged.game, concept, side
        self.sign = 1 if side == "best" else -1
        self.cells = Cells.of(merged.game)
        self.live = playable(self.cells)
        self.open = open_rows(self.cells, concept, self.live)
        self.distributions: list[Distribution] = []
        self.multipliers: list[Placed] = []
        self.empty = False

    def run(self, clock: Clock, progress: Progress | None) -> None:
        """Settle this side. Raises TimeoutError when the clock runs out."""
        social, huge = self.sign * self.cells.social, self.cells.social_huge
        low, high = ((social <= -huge).astype(np.bool_), (social >= huge).astype(np.bool_))
        if (self.live & low).any():
            found = self._settle(self.live & ~high, -low.astype(np.int64), None, clock, progress)
            if found.cost:
                return  # -inf has positive probability
        finite = self.live & ~low & ~high
        if finite.any():
            self._settle(finite, np.where(finite, social, 0), self.open, clock, progress, bounding=True)
            if self.open is not None and not self.distributions:
                self._settle(finite, np.where(finite, social, 0), None, clock, progress)
        if not self.distributions:
            nothing = np.zeros_like(social)
            self.empty = not self.live.any() or self._settle(self.live, nothing, self.open, clock, progress).empty
            if self.open is not None and not self.empty:
                self._settle(self.live, nothing, None, clock, progress)

    def _settle(
        self,
        columns: NDArray[np.bool_],
        price: NDArray[Any],
        left_out: NDArray[np.bool_] | None,
        clock: Clock,
        progress: Progress | None,
        bounding: bool = False,
    ) -> Settled:
        """What is certain of one program; an equilibrium joins the others, and where asked its multipliers count."""
        cells = replace(self.cells, social=price, unit=Fraction(1), social_unit=Fraction(1))
        program = Program(cells, self.concept, columns.reshape(-1), left_out)
        work = Settling(program, clock, progress)
        try:
            work.run()
        finally:
            known = work.known
            if known.weights is not None:
                met = {self.game.profile(s): weight for s, weight in known.weights.items()}
                if left_out is None or is_equilibrium(self.game, met, self.concept):
                    self.distributions.append(met)
            if bounding:
                unit = self.cells.social_unit / self.cells.unit
                self.multipliers = [(*row[:3], row[3] * unit) for row in program.placed(known.rows, known.multipliers)]
        return known
