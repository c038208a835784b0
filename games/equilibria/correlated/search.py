"""The least and the largest expected social cost of correlated play, proved by multipliers.

Both are linear programs over distributions on profiles (Aumann 1974; Moulin and Vial 1978). Duplicate strategies are
merged, floats say which profiles and which incentive constraints matter (:mod:`.program`), whole numbers make that a
distribution and multipliers, and the checker has the last word: what is called proved is an equilibrium whose cost is
the bound of the multipliers in the game as it was given.

From floats to proofs: the profiles that floats give weight, and the rows that they find tight, make a linear system
whose solution is the distribution; the rows with multipliers and the profiles that are as cheap as any make one for the
multipliers. Both are solved exactly and looked at in whole numbers: every row, every profile. What turns out to be
violated joins the program. Where floats mislead, the simplex method goes on in whole numbers (:mod:`..exact_lp`) from
the rows and profiles that seemed to matter. Systems that are too large for this are rounded; their bound is a bound all
the same.

Infinite costs: see :mod:`.results`. The set of equilibria need not be closed then: a probability as small as one likes
may keep a player from a deviation that would cost her ``inf``. Distributions are looked for among those that need no
such help, bounds among all; where they differ nothing is proved, and both numbers are true.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ....support.exact import scale
from ....support.progress import Clock, Progress
from ...normal_form import NormalFormGame
from ...protocol import Profile
from ..exact_lp import Solution, solve_linear, solve_program
from .checker import Placed, Weighed, bound, expected_cost, is_equilibrium
from .program import Generation, Merged, Numbers, Program, merge, open_rows
from .results import Cells, Concept, CorrelatedPlay, Distribution, Extreme, Multiplier, Side, playable


def correlated_play(
    game: NormalFormGame,
    concept: Concept,
    *,
    equilibria: tuple[Profile, ...] = (),
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
    equilibria
        Pure equilibria; they are the answer when the time is too short for more.
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
    best, worst = (_extreme(game, merged, work, equilibria) for work in works)
    return CorrelatedPlay(concept, best, worst)


def _extreme(game: NormalFormGame, merged: Merged, work: _Work, equilibria: tuple[Profile, ...]) -> Extreme | None:
    """One side as the checker sees it in the whole game; ``None`` where there is proved to be no equilibrium."""
    if work.empty:
        return None
    multipliers = _multipliers(merged, work.multipliers)
    offered: list[Distribution] = [{profile: Fraction(1)} for profile in equilibria]
    offered += work.distributions
    fair = [(work.sign * expected_cost(game, p), p) for p in offered if is_equilibrium(game, p, work.concept)]
    cost, chosen = min(fair, key=lambda pair: pair[0], default=(None, {}))
    return Extreme(None if cost is None else work.sign * cost, chosen, multipliers, bound(game, multipliers, work.side))


def _multipliers(merged: Merged, placed: list[Placed]) -> tuple[Multiplier, ...]:
    """By strategies of the whole game: those of a recommendation once for each that it stands for."""
    return tuple(
        Multiplier(player, recommended, merged.game.labels[player][deviation], value)
        for player, place, deviation, value in placed
        for recommended in ((None,) if place is None else merged.alike[player][place])
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
            proved = self._solve(self.live & ~high, -low.astype(np.int64), None, clock, progress)
            if proved.cost:
                return  # -inf has positive probability
        finite = self.live & ~low & ~high
        if finite.any():
            self._solve(finite, np.where(finite, social, 0), self.open, clock, progress, bounding=True)
            if self.open is not None and not self.distributions:
                self._solve(finite, np.where(finite, social, 0), None, clock, progress)
        if not self.distributions:
            nothing = np.zeros_like(social)
            self.empty = not self.live.any() or self._solve(self.live, nothing, self.open, clock, progress).empty
            if self.open is not None and not self.empty:
                self._solve(self.live, nothing, None, clock, progress)

    def _solve(
        self,
        columns: NDArray[np.bool_],
        price: NDArray[Any],
        left_out: NDArray[np.bool_] | None,
        clock: Clock,
        progress: Progress | None,
        bounding: bool = False,
    ) -> Proof:
        """What is certain of one program; an equilibrium joins the others, and multipliers count if ``bounding``."""
        cells = replace(self.cells, social=price, unit=Fraction(1), social_unit=Fraction(1))
        program = Program(cells, self.concept, columns.reshape(-1), left_out)
        work = Exactness(program, clock, progress)
        try:
            work.run()
        finally:
            proof = work.proof
            if proof.weights is not None:
                played = {self.game.profile(s): weight for s, weight in proof.weights.items()}
                if left_out is None or is_equilibrium(self.game, played, self.concept):
                    self.distributions.append(played)
            if bounding:
                unit = self.cells.social_unit / self.cells.unit
                self.multipliers = [(*row[:3], row[3] * unit) for row in program.placed(proof.rows, proof.multipliers)]
        return proof


LARGEST_SYSTEM: Final = 500
"""Unknowns of a system that is solved exactly."""
LARGEST_DICTIONARY: Final = 30_000
"""Cells of a program that the simplex method solves in whole numbers."""
SMALL: Final = 1000
"""Cells of a program that needs no floats."""
_ROUNDS = 3
_POSITIVE = 1e-9
_TIGHT = 1e-7
_SIMPLE = 1000  # denominators of what equations leave open
_ROUNDINGS = (1, 12, _SIMPLE)


@dataclass
class Proof:
    """What is certain of a program."""

    weights: dict[int, Fraction] | None = None  # a distribution by number of the profile, ``None`` if none was found
    cost: Fraction | None = None  # its price
    # rows, multipliers: what the bound follows from
    rows: Numbers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    multipliers: Sequence[Fraction] = ()
    # no distribution that satisfies the rows has a lower price; ``None`` before anything is known
    bound: Fraction | None = None
    empty: bool = False  # whether none satisfies them, which is proved

    @property
    def done(self) -> bool:
        """Whether nothing is left to find."""
        return self.empty or (self.cost is not None and self.cost == self.bound)


class Exactness:
    """Work on one program; ``proof`` is what is certain so far, whenever it is stopped."""

    def __init__(self, program: Program, clock: Clock, progress: Progress | None) -> None:
        self.program, self.clock, self.progress = program, clock, progress
        self.proof = Proof()

    def run(self) -> None:
        """Settle the program, as far as it can be. Raises TimeoutError when the clock runs out."""
        self.bounded(np.zeros(0, dtype=np.int64), [])
        columns, n_rows = np.flatnonzero(self.program.columns), int(self.program.first_row[-1])
        if (columns.size + 1) * (n_rows + 2) <= SMALL:
            self.whole_numbers(columns, self.program.counts(np.arange(n_rows)))
            return
        floats = Generation(self.program)
        for _ in range(_ROUNDS):
            try:
                floats.run(self.clock, self.progress)
            finally:
                self.rounded(floats)
            if not floats.optimal:
                break
            columns, rows = self.exact(floats)
            if self.proof.done or not columns.size + rows.size:
                break
            floats.add(columns, rows)
        if not self.proof.done:
            self.whole_numbers(*_mattering(floats))

    def exact(self, floats: Generation) -> tuple[Numbers, Numbers]:
        """Both systems; columns and rows that their solutions leave too cheap or violate."""
        nothing = np.zeros(0, dtype=np.int64)
        columns = rows = nothing
        played = np.flatnonzero(floats.weights > _POSITIVE)
        weighed = np.flatnonzero(floats.multipliers > _POSITIVE)
        tight = np.flatnonzero(floats.slack < _TIGHT)
        cheap = np.flatnonzero(floats.reduced < _TIGHT)
        if played.size <= LARGEST_SYSTEM:
            order = np.concatenate([weighed, np.setdiff1d(tight, weighed)])
            near = [Fraction(float(p)).limit_denominator(_SIMPLE) for p in floats.weights[played]]
            rows = self._distribution(floats.rows[order], floats.columns[played], near)
        if weighed.size <= LARGEST_SYSTEM:
            order = np.concatenate([played, np.setdiff1d(cheap, played)])
            near = [y.limit_denominator(_SIMPLE) for y in floats.whole_multipliers(weighed)]
            columns = self._multipliers(floats.rows[weighed], floats.columns[order], near)
        return np.setdiff1d(columns, floats.columns), np.setdiff1d(rows, floats.rows)

    def _distribution(self, rows: Numbers, columns: Numbers, near: list[Fraction]) -> Numbers:
        """Weights of the columns that make the rows tight; rows that they violate."""
        matrix = np.concatenate([np.ones((1, columns.size), dtype=object), self.program.dense(rows, columns)])
        right = np.array([1] + [0] * rows.size, dtype=object)
        return self.feasible(columns, solve_linear(matrix, right, near))

    def _multipliers(self, rows: Numbers, columns: Numbers, near: list[Fraction]) -> Numbers:
        """Multipliers of the rows that make the columns equally cheap; a column that is cheaper with them."""
        one = -np.ones((columns.size, 1), dtype=object)
        matrix = np.concatenate([one, self.program.dense(rows, columns).T], axis=1)
        right = np.array([-int(price) for price in self.program.price[columns]], dtype=object)
        return self.bounded(rows, solve_linear(matrix, right, [Fraction(0), *near])[1:])

    def feasible(self, columns: Numbers, weights: Sequence[Fraction]) -> Numbers:
        """Take note of a distribution if it is one that satisfies every row; else rows that it violates."""
        if min(weights) < 0 or sum(weights) != 1:
            return np.zeros(0, dtype=np.int64)
        numerators, denominator = scale(weights)
        whole = np.array(numerators, dtype=object)
        violated = self.program.violated(columns, whole, lambda _, gains: gains.astype(object), 0, 1)
        cost = Fraction(int(whole @ self.program.price[columns].astype(object)), denominator)
        if not violated.size and (self.proof.cost is None or cost < self.proof.cost):
            chosen = {int(s): w for s, w in zip(columns, weights, strict=True) if w}
            self.proof.weights, self.proof.cost = chosen, cost
        return violated

    def bounded(self, rows: Numbers, values: Sequence[Fraction]) -> Numbers:
        """Take note of the bound that multipliers give if it is the best; a profile that keeps it low."""
        if min(values, default=Fraction(0)) < 0:
            return np.zeros(0, dtype=np.int64)
        charged = self.program.charged(rows, values)
        where, least = _lowest(charged)
        bound = least * charged.unit
        if self.proof.bound is None or bound > self.proof.bound:
            self.proof.bound, self.proof.rows, self.proof.multipliers = bound, rows, values
        return where

    def rounded(self, floats: Generation) -> None:
        """What the multipliers of floats prove when they are rounded to simple fractions."""
        weighed = np.flatnonzero(floats.multipliers > _POSITIVE)
        if floats.optimal and weighed.size <= LARGEST_SYSTEM:
            return  # they will be made exact
        for limit in _ROUNDINGS:
            self.bounded(floats.rows[weighed], [y.limit_denominator(limit) for y in floats.whole_multipliers(weighed)])

    def whole_numbers(self, columns: Numbers, rows: Numbers) -> None:
        """Go on in whole numbers, as long as the program stays small enough."""
        while columns.size and (columns.size + 1) * (rows.size + 2) <= LARGEST_DICTIONARY:
            gains = self.program.dense(rows, columns)
            solution = solve_program(gains, self.program.price[columns].astype(object), self._listen)
            if solution.weights is None:
                cheaper = self._against(rows, solution)
                if not cheaper.size:
                    self.proof.empty = True
                    return
                columns = np.union1d(columns, cheaper)
                continue
            used = np.array([w != 0 for w in solution.weights])
            violated = self.feasible(columns[used], [w for w in solution.weights if w])
            cheaper = self.bounded(rows, solution.multipliers)
            if self.proof.done:
                return
            columns, rows = np.union1d(columns, cheaper), np.union1d(rows, violated)

    def _against(self, rows: Numbers, ray: Solution) -> Numbers:
        """A profile that a proof that there is no distribution does not cover."""
        cells = replace(self.program.cells, social=np.zeros_like(self.program.cells.social))
        where, least = _lowest(replace(self.program, cells=cells).charged(rows, ray.multipliers))
        return where[:0] if least > 0 else where

    def _listen(self) -> None:
        self.clock.check()
        if self.progress is not None:
            self.progress(0, None, "exact pivots")


def _lowest(charged: Weighed) -> tuple[Numbers, int]:
    """The first of the finite profiles that cost least, alone in an array, and what it costs."""
    where = np.flatnonzero(charged.finite)
    values = charged.values.reshape(-1)[where]
    lowest = int(np.argmin(values))
    return where[[lowest]], int(values[lowest])


def _mattering(floats: Generation) -> tuple[Numbers, Numbers]:
    """Columns and rows that seemed tight."""
    tight = (floats.slack < _TIGHT) | (floats.multipliers > 0)
    return floats.columns[(floats.reduced < _TIGHT) | (floats.weights > 0)], floats.rows[tight]
