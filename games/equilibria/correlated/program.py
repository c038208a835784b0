"""The linear program of correlated play: its constraints by number, its entries, and what is violated, on demand.

Columns are profiles in C order, rows are the constraints "who plays ``r`` gains nothing by ``a``": numbered player by
player, then by ``r`` (of a coarse equilibrium there is only one, "anything"), then by ``a``. Neither is ever listed as
a whole: a program of a million columns and as many rows gives the few that matter.

A gain of ``-inf`` counts 0 here: a distribution that satisfies the program is an equilibrium all the same. Rows with
such a gain prove nothing (:func:`.checker.bound`), so they can be left out.

Duplicate strategies are merged before. Two strategies of a player are duplicates when everybody's costs and the social
cost are the same with either, whatever the others play. An equilibrium that plays only the first of them is one of the
whole game: nobody gains by a duplicate what she does not gain by the strategy itself. Conversely every equilibrium
becomes one that costs as much when the first one is played for all. So the extremes are the same, and a multiplier of a
recommendation counts for its duplicates as well.

In floats (:class:`Generation`) HiGHS solves the program by rows and columns that are added as they are needed. A small
program is given whole. Of a large one the solver first sees some cheap profiles and, for each profile, the rows of
everybody's best replies to it. What comes out violates rows, and the multipliers leave columns too cheap; both are
added until neither is so. Rows may be violated at a price until there are columns enough, so there always is a
solution. Costs are scaled to at most 1. Nothing there is exact: :mod:`.search` makes proofs of what it offers.

>>> game = NormalFormGame.from_arrays([[[1, 1], [0, 0]]] * 2, sense="cost")
>>> merged = merge(game)
>>> merged.game.shape, merged.alike
((2, 1), (((0,), (1,)), ((0, 1),)))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack

from ....support.progress import Clock, Progress
from ...normal_form import NormalFormGame
from .checker import Placed, Weighed, weighed
from .results import Cells, Concept

Numbers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Program:
    """Minimise the expected social cost over all distributions on the columns that satisfy every row."""

    cells: Cells  # the game, in units of 1; its social costs are those to be minimised, finite on the columns
    concept: Concept  # which rows there are
    columns: NDArray[np.bool_]  # which profiles may be played, flat; there is at least one
    left_out: NDArray[np.bool_] | None = None  # rows that do not count, ``None`` for none

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Strategies of each player."""
        return self.cells.social.shape

    @cached_property
    def costs(self) -> NDArray[Any]:
        """Costs, flat for each player."""
        return self.cells.costs.reshape(len(self.shape), -1)

    @cached_property
    def price(self) -> NDArray[Any]:
        """What is minimised, flat."""
        return self.cells.social.reshape(-1)

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """By how much a profile's number changes with one strategy of each player."""
        return tuple(int(np.prod(self.shape[i + 1 :], dtype=np.int64)) for i in range(len(self.shape)))

    @cached_property
    def first_row(self) -> Numbers:
        """Number of the first row of each player, and of all rows."""
        return np.cumsum([0, *(m if self.concept == "coarse" else m * m for m in self.shape)])

    def size(self) -> int:
        """Entries of all columns that are not zero by definition."""
        return int(self.columns.sum()) * sum(self.shape)

    def strategy(self, player: int, columns: Numbers) -> Numbers:
        """What a player plays in these profiles."""
        return columns // self.strides[player] % self.shape[player]

    def deviations(self, player: int, columns: Numbers, strategies: Any) -> Numbers:
        """Numbers of the profiles with another strategy of the player."""
        return np.asarray(columns + (strategies - self.strategy(player, columns)) * self.strides[player])

    def rows_of(self, player: int, recommended: Any, deviation: Any) -> Numbers:
        """Numbers of rows; ``recommended`` is ignored for coarse equilibria."""
        before = 0 if self.concept == "coarse" else recommended * self.shape[player]
        return np.asarray(self.first_row[player] + before + deviation)

    def parts(self, rows: Numbers) -> list[tuple[int, Numbers, Numbers, Numbers]]:
        """Player, places among the given rows, recommendations (all -1 for coarse), deviations."""
        parts = []
        for player, m in enumerate(self.shape):
            places = np.flatnonzero((rows >= self.first_row[player]) & (rows < self.first_row[player + 1]))
            own = rows[places] - self.first_row[player]
            recommended = np.full(own.size, -1) if self.concept == "coarse" else own // m
            parts.append((player, places, recommended, own % m))
        return parts

    def placed(self, rows: Numbers, values: Sequence[Fraction]) -> list[Placed]:
        """Multipliers of these rows as checkers take them; zeros are left out."""
        return [
            (player, None if r < 0 else int(r), int(a), values[k])
            for player, places, recommended, deviation in self.parts(rows)
            for k, r, a in zip(places, recommended, deviation, strict=True)
            if values[k]
        ]

    def counts(self, rows: Numbers) -> Numbers:
        """Those of the rows that are not left out, each once."""
        unique = np.unique(rows)
        return unique if self.left_out is None else unique[~self.left_out[unique]]

    def entries(self, rows: Numbers, columns: Numbers) -> tuple[Numbers, Numbers, NDArray[Any]]:
        """Gains that may differ from 0: places among the rows, places among the columns, whole numbers."""
        at_rows, at_columns, gains = [], [], []
        for player, places, recommended, deviation in self.parts(rows):
            played = self.strategy(player, columns)
            order = np.argsort(played, kind="stable") if self.concept == "correlated" else np.arange(columns.size)
            ranked = played[order] if self.concept == "correlated" else np.full(columns.size, -1)
            low, high = np.searchsorted(ranked, recommended, "left"), np.searchsorted(ranked, recommended, "right")
            count = high - low
            row = np.repeat(np.arange(places.size), count)
            column = order[np.arange(row.size) - np.repeat(np.cumsum(count) - count - low, count)]
            at_rows.append(places[row])
            at_columns.append(column)
            gains.append(self.gains(player, columns[column], deviation[row]))
        return np.concatenate(at_rows), np.concatenate(at_columns), np.concatenate(gains)

    def gains(self, player: int, columns: Numbers, deviation: Any) -> NDArray[Any]:
        """What the player gains in each profile by a strategy; ``-inf`` counts 0."""
        own = self.costs[player]
        gains = own[columns] - own[self.deviations(player, columns, deviation)]
        return np.where(gains <= -self.cells.huge, 0, gains)

    def dense(self, rows: Numbers, columns: Numbers) -> NDArray[Any]:
        """The entries as a matrix of Python integers."""
        row, column, gains = self.entries(rows, columns)
        matrix = np.zeros((rows.size, columns.size), dtype=object)
        matrix[row, column] = gains.astype(object)
        return matrix

    def replies(self, columns: Numbers) -> Numbers:
        """Rows of everybody's best replies to these profiles: those that are violated where one is likely to be."""
        replies = [
            self.rows_of(i, self.strategy(i, columns), self._best[i][self.deviations(i, columns, 0)])
            for i in range(len(self.shape))
        ]
        return self.counts(np.concatenate(replies))

    @cached_property
    def _best(self) -> list[NDArray[Any]]:
        """First best reply of each player, at the profiles where she plays her first strategy."""
        best = []
        for i, own in enumerate(self.cells.costs):
            reply = np.zeros(self.shape, dtype=np.int64)
            reply[(*[slice(None)] * i, slice(0, 1))] = own.argmin(axis=i, keepdims=True)
            best.append(reply.reshape(-1))
        return best

    def violated(
        self,
        columns: Numbers,
        weights: NDArray[Any],
        measure: Callable[[int, NDArray[Any]], NDArray[Any]],
        tolerance: float,
        most: int,
    ) -> Numbers:
        """Rows that a distribution on these columns violates, at most so many for each recommendation.

        ``measure(player, gains)``: gains in the numbers that are weighed with the weights and compared with the
        tolerance, floats or Python integers.
        """
        violated = [np.zeros(0, dtype=np.int64)]
        used = np.asarray(weights > 0, dtype=np.bool_)
        columns, weights = columns[used], weights[used]
        for player, m in enumerate(self.shape):
            played = self.strategy(player, columns)
            gains = measure(player, self.gains(player, columns[:, None], np.arange(m)[None, :])) * weights[:, None]
            for recommended in [-1] if self.concept == "coarse" else np.unique(played):
                total = gains[played == recommended].sum(axis=0) if recommended >= 0 else gains.sum(axis=0)
                order = np.argsort(-total, kind="stable")[: int((total > tolerance).sum())]
                rows = self.rows_of(player, recommended, order)
                violated.append((rows if self.left_out is None else rows[~self.left_out[rows]])[:most])
        return np.concatenate(violated)

    def charged(self, rows: Numbers, values: Sequence[Fraction]) -> Weighed:
        """Price plus multipliers times gains at every profile, exactly."""
        return weighed(self.cells, self.columns.reshape(self.shape), self.placed(rows, values), "best")


def open_rows(cells: Cells, concept: Concept, live: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """Rows with a gain of ``-inf`` at some playable profile; ``None`` for none."""
    if not cells.infinite:
        return None
    numbers = []
    for player, own in enumerate(cells.costs):
        axes = tuple(i for i in range(live.ndim) if i != player or concept == "coarse")
        lost = [
            (live & (own - np.take(own, [a], axis=player) <= -cells.huge).astype(np.bool_)).any(axis=axes)
            for a in range(own.shape[player])
        ]
        numbers.append(np.array(lost).T.reshape(-1))  # by recommendation, then by deviation
    rows = np.concatenate(numbers)
    return rows if rows.any() else None


@dataclass(frozen=True)
class Merged:
    """A game without duplicates, and for each player and each strategy left the strategies it stands for."""

    game: NormalFormGame
    alike: tuple[tuple[tuple[Any, ...], ...], ...]


def merge(game: NormalFormGame) -> Merged:
    """The game with the first of each set of duplicates."""
    table, social, alike = game.table, game.social, []
    for player, labels in enumerate(game.labels):
        classes: dict[Any, list[int]] = {}
        for k in range(len(labels)):
            key = (_key(np.take(table, [k], axis=player + 1)), _key(np.take(social, [k], axis=player)))
            classes.setdefault(key, []).append(k)
        alike.append(tuple(tuple(labels[k] for k in same) for same in classes.values()))
        if len(classes) < len(labels):
            first = [same[0] for same in classes.values()]
            table, social = np.take(table, first, axis=player + 1), np.take(social, first, axis=player)
    labels = tuple(tuple(same[0] for same in own) for own in alike)
    merged = NormalFormGame(game.players, labels, table, game.denominator, social, game.social_denominator, game.sense)
    return Merged(merged, tuple(alike))


def _key(cells: NDArray[Any]) -> Any:
    """Something that is equal for equal cells."""
    return cells.tobytes() if cells.dtype != object else tuple(cells.reshape(-1).tolist())


# --- in floats ------------------------------------------------------------------------------------------------------

WHOLE: Final = 100_000
"""Entries of a program that is given to the solver at once."""
TOLERANCE: Final = 1e-9
_FIRST = 250
_MOST_COLUMNS = 2000  # added for each player at a time
_MOST_ROWS = 10  # added for each recommendation at a time
_PENALTIES = (1e2, 1e4, 1e6)


class Generation:
    """What is known of a program in floats: the columns and rows so far, a distribution and multipliers on them.

    ``columns, weights, reduced``: profiles, probabilities, and by how much each is dearer than it would have to be;
    ``rows, multipliers, slack``: constraints, their multipliers, and by how much each is satisfied; all scaled.
    ``span, spans``: the unit of the price, and of each player's cost. ``optimal``: whether, as far as floats can tell,
    no other column or row matters.
    """

    def __init__(self, program: Program) -> None:
        self.program, self.optimal = program, False
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
        clock.check()
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
