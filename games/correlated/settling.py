"""From floats to proofs: an exact distribution and exact multipliers for one linear program.

The profiles that floats give weight, and the rows that they find tight, make a linear system whose solution is the
distribution; the rows with multipliers and the profiles that are as cheap as any make one for the multipliers. Both
are solved exactly (:mod:`.linear`) and looked at in whole numbers: every row, every profile. What turns out to be
violated joins the program. Where floats mislead, the simplex method goes on in whole numbers (:mod:`.simplex`) from
the rows and profiles that seemed to matter. Systems that are too large for this are rounded; their bound is a bound all
the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

import numpy as np

from ...support.progress import Clock, Progress
from . import linear, simplex
from .generation import Generation
from .program import Numbers, Program

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
class Settled:
    """What is certain of a program.

    Attributes
    ----------
    weights
        A distribution by number of the profile, ``None`` if none was met.
    cost
        Its price.
    rows, multipliers
        What the bound follows from.
    bound
        No distribution that satisfies the rows has a lower price; ``None`` before anything is known.
    empty
        Whether none satisfies them, which is proved.
    """

    weights: dict[int, Fraction] | None = None
    cost: Fraction | None = None
    rows: Numbers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    multipliers: Sequence[Fraction] = ()
    bound: Fraction | None = None
    empty: bool = False

    @property
    def done(self) -> bool:
        """Whether nothing is left to find."""
        return self.empty or (self.cost is not None and self.cost == self.bound)


class Settling:
    """Work on one program; ``known`` is what is certain so far, whenever it is stopped."""

    def __init__(self, program: Program, clock: Clock, progress: Progress | None) -> None:
        self.program, self.clock, self.progress = program, clock, progress
        self.known = Settled()

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
            if self.known.done or not columns.size + rows.size:
                break
            floats.add(columns, rows)
        if not self.known.done:
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
        return self.feasible(columns, linear.solve(matrix, right, near))

    def _multipliers(self, rows: Numbers, columns: Numbers, near: list[Fraction]) -> Numbers:
        """Multipliers of the rows that make the columns equally cheap; a column that is cheaper with them."""
        one = -np.ones((columns.size, 1), dtype=object)
        matrix = np.concatenate([one, self.program.dense(rows, columns).T], axis=1)
        right = np.array([-int(price) for price in self.program.price[columns]], dtype=object)
        return self.bounded(rows, linear.solve(matrix, right, [Fraction(0), *near])[1:])

    def feasible(self, columns: Numbers, weights: Sequence[Fraction]) -> Numbers:
        """Take note of a distribution if it is one that satisfies every row; else rows that it violates."""
        if min(weights) < 0 or sum(weights) != 1:
            return np.zeros(0, dtype=np.int64)
        scale = math.lcm(*(w.denominator for w in weights))
        whole = np.array([int(w * scale) for w in weights], dtype=object)
        violated = self.program.violated(columns, whole, lambda _, gains: gains.astype(object), 0, 1)
        cost = Fraction(int(whole @ self.program.price[columns].astype(object)), scale)
        if not violated.size and (self.known.cost is None or cost < self.known.cost):
            chosen = {int(s): w for s, w in zip(columns, weights, strict=True) if w}
            self.known.weights, self.known.cost = chosen, cost
        return violated

    def bounded(self, rows: Numbers, values: Sequence[Fraction]) -> Numbers:
        """Take note of the bound that multipliers give if it is the best; a profile that keeps it low."""
        if min(values, default=Fraction(0)) < 0:
            return np.zeros(0, dtype=np.int64)
        charged = self.program.charged(rows, values)
        where = np.flatnonzero(charged.finite)
        least = charged.values.reshape(-1)[where]
        lowest = int(np.argmin(least))
        bound = int(least[lowest]) * charged.unit
        if self.known.bound is None or bound > self.known.bound:
            self.known.bound, self.known.rows, self.known.multipliers = bound, rows, values
        return where[[lowest]]

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
            solution = simplex.solve(gains, self.program.price[columns].astype(object), self._listen)
            if solution.weights is None:
                cheaper = self._against(rows, solution)
                if not cheaper.size:
                    self.known.empty = True
                    return
                columns = np.union1d(columns, cheaper)
                continue
            used = np.array([w != 0 for w in solution.weights])
            violated = self.feasible(columns[used], [w for w in solution.weights if w])
            cheaper = self.bounded(rows, solution.multipliers)
            if self.known.done:
                return
            columns, rows = np.union1d(columns, cheaper), np.union1d(rows, violated)

    def _against(self, rows: Numbers, ray: simplex.Solution) -> Numbers:
        """A profile that a proof that there is no distribution does not cover."""
        cells = replace(self.program.cells, social=np.zeros_like(self.program.cells.social))
        gains = replace(self.program, cells=cells).charged(rows, ray.multipliers)
        where = np.flatnonzero(gains.finite)
        least = gains.values.reshape(-1)[where]
        lowest = int(np.argmin(least))
        covered = int(least[lowest]) > 0
        return where[[]] if covered else where[[lowest]]

    def _listen(self) -> None:
        if self.clock.expired():
            raise TimeoutError("correlated play")
        if self.progress is not None:
            self.progress(0, None, "exact pivots")


def _mattering(floats: Generation) -> tuple[Numbers, Numbers]:
    """Columns and rows that seemed tight."""
    tight = (floats.slack < _TIGHT) | (floats.multipliers > 0)
    return floats.columns[(floats.reduced < _TIGHT) | (floats.weights > 0)], floats.rows[tight]
