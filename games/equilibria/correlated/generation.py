"""The program in floats, by rows and columns that are added as they are needed; HiGHS solves what there is.

A small program is given whole. Of a large one the solver first sees some cheap profiles and, for each profile, the rows
of everybody's best replies to it. What comes out violates rows, and the multipliers leave columns too cheap; both are
added until neither is so. Rows may be violated at a price until there are columns enough, so there always is a
solution. Costs are scaled to at most 1. Nothing here is exact: :mod:`.search` makes proofs of what this offers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack

from ....support.progress import Clock, Progress
from .program import Numbers, Program

WHOLE: Final = 100_000
"""Entries of a program that is given to the solver at once."""
TOLERANCE: Final = 1e-9
_FIRST = 250
_MOST_COLUMNS = 2000  # added for each player at a time
_MOST_ROWS = 10  # added for each recommendation at a time
_PENALTIES = (1e2, 1e4, 1e6)


@dataclass
class Generation:
    """What is known of a program in floats: the columns and rows so far, a distribution and multipliers on them.

    ``span, spans``: the unit of the price, and of each player's cost.
    """

    program: Program
    # columns, weights, reduced: profiles, probabilities, and by how much each is dearer than it would have to be
    columns: Numbers = field(init=False)
    # rows, multipliers, slack: constraints, their multipliers, and by how much each is satisfied; all scaled
    rows: Numbers = field(init=False)
    weights: NDArray[Any] = field(init=False)
    reduced: NDArray[Any] = field(init=False)
    multipliers: NDArray[Any] = field(init=False)
    slack: NDArray[Any] = field(init=False)
    optimal: bool = False  # whether, as far as floats can tell, no other column or row matters

    def __post_init__(self) -> None:
        program = self.program
        every = np.flatnonzero(program.columns)
        prices = program.price[every]
        self.span = max(1, int(prices.max()) - int(prices.min()))
        self._price = np.full(program.price.size, np.inf)
        self._price[every] = _scaled(prices - prices.min(), self.span)
        finite = [own[np.abs(own) < program.cells.huge] for own in program.costs]
        self.spans = [max(1, int(own.max()) - int(own.min())) if own.size else 1 for own in finite]
        if program.size() <= WHOLE:
            self.columns, self.rows = every, program.counts(np.arange(program.first_row[-1]))
        else:
            cheap = every[np.argsort(self._price[every], kind="stable")[:_FIRST]]
            self.columns = np.union1d(cheap, every[:: max(1, every.size // _FIRST)])
            self.rows = program.replies(self.columns)
        self.weights = self.reduced = np.zeros(self.columns.size)
        self.multipliers = self.slack = np.zeros(self.rows.size)

    def run(self, clock: Clock, progress: Progress | None) -> None:
        """Solve until nothing is left to add, or the solver gives up. Raises TimeoutError when the clock runs out."""
        self.optimal = False
        for penalty in _PENALTIES:
            while (solved := self._solve(penalty, clock)) is False:
                self._grow()
                if progress is not None:
                    progress(self.columns.size, None, "profiles in the linear program")
            if solved is None or self._violation <= TOLERANCE:
                self.optimal = solved is not None
                return

    def add(self, columns: Numbers, rows: Numbers) -> None:
        """Columns and rows that are known to matter, with the rows of best replies to the columns."""
        columns = np.setdiff1d(columns, self.columns)
        rows = np.setdiff1d(np.concatenate([rows, self.program.replies(columns)]), self.rows)
        self.columns, self.rows = np.concatenate([self.columns, columns]), np.concatenate([self.rows, rows])
        self.weights, self.reduced = (np.append(own, np.zeros(columns.size)) for own in (self.weights, self.reduced))
        self.multipliers, self.slack = (np.append(own, np.zeros(rows.size)) for own in (self.multipliers, self.slack))

    def whole_multipliers(self, places: Numbers) -> list[Fraction]:
        """The multipliers of some rows in units of the program, as exact as floats are."""
        unit = {int(k): Fraction(self.span, self.spans[i]) for i, at, _, _ in self.program.parts(self.rows) for k in at}
        return [Fraction(float(self.multipliers[k])) * unit[int(k)] for k in places]

    def _solve(self, penalty: float, clock: Clock) -> bool | None:
        """Solve what there is; whether nothing is left to add, ``None`` where the solver gives up.

        Rows may be violated for a penalty.
        """
        if clock.expired():
            raise TimeoutError("correlated play")
        matrix, left, n_rows = self._matrix(), clock.left(), self.rows.size
        solution = linprog(
            np.concatenate([self._price[self.columns], np.full(n_rows, penalty)]),
            A_ub=hstack([matrix, -eye_array(n_rows)]).tocsr(),
            b_ub=np.zeros(n_rows),
            A_eq=np.concatenate([np.ones(self.columns.size), np.zeros(n_rows)])[None, :],
            b_eq=[1.0],
            method="highs-ds",
            options={} if left is None else {"time_limit": max(left, 0.01)},
        )
        if solution.status != 0:
            return None
        self.weights, over = np.split(solution.x, [self.columns.size])
        self._violation = float(over.max(initial=0.0))
        self.multipliers = np.maximum(0.0, -solution.ineqlin.marginals)
        self.slack = -(matrix @ self.weights)
        self._charged = self._charge()
        self._cheap = float(solution.fun) - TOLERANCE
        self.reduced = self._charged[self.columns] - float(solution.fun)
        self._missing = self._violated()
        return not self._missing.size and bool((self._charged >= self._cheap).all())

    def _matrix(self) -> csr_array:
        """Scaled gains of the columns, one row per constraint."""
        row, column, gains = self.program.entries(self.rows, self.columns)
        entries = np.zeros(row.size)
        for player, places, _, _ in self.program.parts(self.rows):
            own = np.isin(row, places)
            entries[own] = _scaled(gains[own], self.spans[player])
        return csr_array((entries, (row, column)), shape=(self.rows.size, self.columns.size))

    def _violated(self) -> Numbers:
        """Rows that the solution violates and that are not yet there."""
        weights = np.where(self.weights > TOLERANCE, self.weights, 0.0)
        violated = self.program.violated(
            self.columns, weights, lambda player, gains: _scaled(gains, self.spans[player]), TOLERANCE, _MOST_ROWS
        )
        return np.setdiff1d(violated, self.rows)

    def _charge(self) -> NDArray[Any]:
        """Price plus multipliers times gains, at every profile; ``inf`` where it may not be played."""
        program, used = self.program, self.multipliers > 0
        rows, multipliers = self.rows[used], self.multipliers[used]
        if not program.cells.infinite:
            return np.asarray(self._price + self._charges(rows, multipliers).reshape(-1))
        total, every = self._price.copy(), np.flatnonzero(program.columns)
        for row, multiplier in zip(rows, multipliers, strict=True):
            one = row[None]
            _, column, gains = program.entries(one, every)
            player = next(player for player, places, _, _ in program.parts(one) if places.size)
            total[every[column]] += multiplier * _scaled(gains, self.spans[player])
        return total

    def _charges(self, rows: Numbers, multipliers: NDArray[Any]) -> NDArray[Any]:
        """Multipliers times gains at every profile of a game of finite costs, one product of matrices per player."""
        total: NDArray[Any] = np.zeros(self.program.shape)
        for player, places, recommended, deviation in self.program.parts(rows):
            own = np.moveaxis(self._costs[player], player, 0)
            flat = own.reshape(own.shape[0], -1)
            kinds = 1 if self.program.concept == "coarse" else own.shape[0]
            where = (np.maximum(recommended, 0), deviation)
            weights = csr_array((multipliers[places], where), shape=(kinds, own.shape[0]))
            change = weights.sum(axis=1).reshape(kinds, 1) * flat - weights @ flat
            total += np.moveaxis(change.reshape(own.shape), 0, player)
        return total

    @cached_property
    def _costs(self) -> list[NDArray[Any]]:
        """Costs of each player, between 0 and 1."""
        return [_scaled(own - own.min(), span) for own, span in zip(self.program.cells.costs, self.spans, strict=True)]

    def _grow(self) -> None:
        """Add what the last solution misses: rows it violates, and for each strategy the cheapest profile."""
        charged = self._charged.reshape(self.program.shape)
        numbers = np.arange(charged.size).reshape(charged.shape)
        columns = []
        for player, m in enumerate(charged.shape):
            lines = np.moveaxis(charged, player, 0).reshape(m, -1)
            best = lines.argmin(axis=1)
            least = lines[np.arange(m), best]
            order = np.argsort(least, kind="stable")[: min(_MOST_COLUMNS, int((least < self._cheap).sum()))]
            columns.append(np.moveaxis(numbers, player, 0).reshape(m, -1)[order, best[order]])
        self.add(np.unique(np.concatenate(columns)), self._missing)


def _scaled(numbers: NDArray[Any], unit: int) -> NDArray[Any]:
    """Whole numbers in a unit that is not much smaller than them, as floats, however large both are."""
    if unit.bit_length() < 1000:
        return np.asarray(numbers.astype(float) / float(unit))
    return np.asarray((numbers * 2**64 // unit).astype(float) / 2.0**64)
