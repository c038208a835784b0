r"""Refinement by hyperrectangles: better and better fair points, with a certified gap.

Model (Cordeiro 2012, section 6.3): the box between zenith and nadir bound, over the makespan users only, is cut level
by level. At level ``t`` every axis has ``2^(t-1)`` cells cut at geometric means, so corner ``a`` of ``M = 2^(t-1)``
is ``floor(z^((M-a)/M) N^(a/M))``, computed exactly by nested integer square roots; the integer box of a cell runs
from ``floor(lower) + 1`` (``z`` itself in the first cell) to ``floor(upper)``. Level 1 is the root box: the solver at
the nadir bound, the thesis's baseline. Each level solves all its cells at their upper corner, drops those that cannot
be met, updates the best point, and only then drops empty boxes and boxes that cannot improve; the rest is cut in
``2^k''`` (the printed ``2^k`` would cut the axis of the total-completion user too). Answers may lie outside their box
and are kept.

Discard rule. Sound: drop a box if and only if ``f(low corner, total completion of the answer at the HIGH corner) >=
best``, because no schedule in the box has a smaller total. With an exact solver, no box left means that the best
point is optimal, and the smallest bound over the boxes left certifies how far it can be from optimal. The thesis's
introduction (section 6.3) says "fairness at the zenith point of the box", which is sound too, but its algorithm says
to drop a box when the *result of the solver at the low corner* is not better than the best. That result has the
largest total of the box, is no bound, and loses the optimum for good: block {2} and jobs {1, 1} stop at (2, 7) with
key 65/4 where (3, 5) has 61/4. It does not exist at all where the low corner cannot be met, nearly always at first;
such boxes are kept here. :func:`refine_printed` runs that rule with the thesis's wording of LST.

Ties: equal keys go to the lexicographically smallest of the points found.

>>> shared = Community.of(("makespan", [2]), ("total-completion", [1, 1]))
>>> result = refine(shared, levels=4)
>>> result.outcome.point, result.proved, [(x.level, x.cells, x.key) for x in result.levels]
((3, 5), True, [(1, 1, Fraction(73, 4)), (2, 2, Fraction(65, 4)), (3, 2, Fraction(61, 4))])
>>> refine_printed(shared, levels=4).outcome.point
(2, 7)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...agents.users import Community, Point
from ...support.errors import InputError, check_name
from ...support.exact import fits_int64
from ...support.progress import Clock, Progress
from .catalogue import Ties
from .deadlines import LstKernel, Rows, Solver, constrained_solver
from .fairness import Fairness, Measure
from .schedule import Outcome, nadir, point_from, zenith_low

Discard: TypeAlias = Literal["sound", "printed", "printed-strict"]
DISCARDS: Final[tuple[Discard, ...]] = ("sound", "printed", "printed-strict")

MAX_CELLS: Final = 4_000_000
MAX_SLOW_CELLS: Final = 40_000
"""Cells per level where the solver is slow: several machines, or lengths beyond 64 bits."""
CHUNK: Final = 20_000


@dataclass(frozen=True)
class Box:
    """A cell over the makespan users, integers in units: corners of its integer box and what became of it.

    ``fate``: ``"split"``, ``"infeasible"`` (upper corner cannot be met), ``"empty"`` (no integer point), ``"bounded"``
    (discarded by the rule).
    """

    low: tuple[int, ...]
    high: tuple[int, ...]
    fate: str


@dataclass(frozen=True)
class Level:
    """State after one level.

    Attributes
    ----------
    level
        1 is the solver at the nadir bound.
    cells
        Cells solved at this level.
    active
        Cells left to be cut.
    key, value, point
        Best so far: exact key, the function as a float, the point.
    bound
        Smallest key that any schedule can have, as far as is proved; ``None`` for the printed rule, which proves
        nothing.
    gap
        ``value / (value of the bound) - 1``, a float; ``None`` with ``bound``.
    proved
        Whether the best point is proved optimal.
    boxes
        The cells, when asked for.
    """

    level: int
    cells: int
    active: int
    key: Fraction
    value: float
    point: Point
    bound: Fraction | None
    gap: float | None
    proved: bool
    boxes: tuple[Box, ...] = ()


@dataclass(frozen=True)
class RefineResult:
    """What the refinement found.

    Attributes
    ----------
    outcome
        Best point and its schedule; ``complete`` is ``False`` when a limit or Ctrl-C stopped it before ``levels``.
    key, value
        Its key and fairness.
    levels
        One entry per finished level; the list ends at the level that leaves no box.
    improvement
        ``1 - f(best) / f(level 1)``, a float: how much the refinement gained over the solver at the nadir bound.
    """

    outcome: Outcome
    key: Fraction
    value: float
    levels: tuple[Level, ...]
    improvement: float

    @property
    def proved(self) -> bool:
        """Whether the point is proved optimal."""
        return self.levels[-1].proved


def refine(
    shared: Community,
    fairness: Fairness | Measure | None = None,
    levels: int = 6,
    ties: Ties = "index",
    discard: Discard = "sound",
    solver: Literal["lst", "lst-printed"] = "lst",
    time_limit: float | None = None,
    max_cells: int | None = None,
    keep_boxes: bool = False,
    progress: Progress | None = None,
) -> RefineResult:
    """Search fair points by refinement.

    Parameters
    ----------
    shared
        Makespan users on any number of machines, or one total-completion user beside them on one machine; InputError
        otherwise. On several machines the solver is approximate, and nothing is ever called proved.
    fairness
        Default: the L2 norm of makespans and average completion times. A bound one is taken as it is.
    levels
        At least 1.
    ties
        Order of equal thresholds; at the nadir bound all are equal, so it decides the baseline.
    discard
        ``"sound"``; ``"printed"``, the thesis's rule; ``"printed-strict"``, the same without discarding equals.
    solver
        ``"lst"`` or the thesis's wording, ``"lst-printed"``; without a total-completion user both are EDF.
    time_limit
        Seconds; checked every 20,000 cells.
    max_cells
        A level with more cells is not begun; by default four million, or 40,000 where the solver is slow.
    keep_boxes
        Record every cell (for figures).
    progress
        Told the cells solved at the current level. Ctrl-C returns what is known, once level 1 is done.
    """
    if levels < 1:
        raise InputError(f"levels: found {levels}; expected at least 1")
    check_name("discard", discard, DISCARDS)
    check_name("solver", solver, ("lst", "lst-printed"))
    chosen = constrained_solver(shared, "refine", ties, printed=solver == "lst-printed")
    measure = fairness if isinstance(fairness, Measure) else (fairness or Fairness()).bind(shared)
    search = _Refinement(shared, chosen, measure, discard, keep_boxes)
    quick = isinstance(chosen, LstKernel) and chosen.fits
    limit = max_cells if max_cells is not None else MAX_CELLS if quick else MAX_SLOW_CELLS
    return search.result(search.run(levels, limit, Clock(time_limit), progress))


def refine_printed(
    shared: Community,
    fairness: Fairness | None = None,
    levels: int = 6,
    ties: Ties = "index",
    **options: Any,
) -> RefineResult:
    """:func:`refine`, with its other options, as the thesis words it: its discard rule, its LST. Certifies nothing."""
    return refine(shared, fairness, levels, ties, discard="printed", solver="lst-printed", **options)


class _Refinement:
    """Cells of the current level (lower corner numbers per axis) and the best answer so far."""

    def __init__(self, shared: Community, solver: Solver, measure: Measure, discard: Discard, keep: bool) -> None:
        self.shared, self.solver, self.measure, self.discard, self.keep = shared, solver, measure, discard, keep
        low, high = zenith_low(shared), nadir(shared)
        self.ends = [(low[u], high[u]) for u in shared.makespan_users]
        self.cells: NDArray[np.int64] = np.zeros((1, len(self.ends)), np.int64)
        self.levels: list[Level] = []
        self.best: tuple[int, Point, tuple[int, ...]] | None = None
        # no value exceeds the work, or as many times the work as she has jobs; the low corner of an empty box does by 1
        worst = [shared.work * (n if u in shared.completion_users else 1) + 1 for u, n in enumerate(shared.n_jobs)]
        small = fits_int64(
            len(worst) * max(measure.term(u, w) for u, w in enumerate(worst)), measure.integer_key(worst)
        )
        self.dtype: type = np.int64 if small and fits_int64(*worst) else object

    def run(self, levels: int, max_cells: int, clock: Clock, progress: Progress | None) -> bool:
        """Level after level; ``False`` when cells, time or Ctrl-C ended it. Ctrl-C before any level is raised."""
        try:
            while len(self.levels) < levels and len(self.cells):
                halves = len(self.ends) if self.levels else 0
                if len(self.cells) << halves > max_cells:  # before they are made: one cell has 2^k'' parts
                    return False
                self._split(halves)
                if not self.level(clock, progress):
                    return False
        except KeyboardInterrupt:
            if not self.levels:
                raise
            return False
        return True

    def level(self, clock: Clock, progress: Progress | None) -> bool:
        """Solve, judge and split the cells of one level; ``False`` when the time limit stopped it half-way."""
        number = len(self.levels) + 1
        corners = [geometric_corners(z, n, number - 1) for z, n in self.ends]
        lower = self._corners([c[:-1] for c in corners])
        upper = self._corners([c[1:] for c in corners])
        lowest = lower + (self.cells > 0)  # the integer box starts above the lower corner, except in the first cell
        feasible = np.zeros(len(upper), bool)
        sums: Rows = np.zeros(len(upper), self.dtype)
        for begin in range(0, len(upper), CHUNK):
            if self.levels and clock.expired():
                return False
            part = slice(begin, begin + CHUNK)
            feasible[part], ends, totals = self.solver.solve(upper[part])
            sums[part] = totals
            self._update(feasible[part], ends, totals, upper[part])
            if progress is not None:
                progress(min(begin + CHUNK, len(upper)), len(upper), f"cells of level {number}")
        full = (lowest <= upper).all(axis=1)
        bounds = self._keys(lowest, sums)
        worth = bounds < self._best()[0] if self.discard == "sound" else self._printed_rule(lower)
        active = feasible & full & np.asarray(worth, bool)
        boxes: tuple[Box, ...] = ()
        if self.keep:
            fates = np.select([~feasible, ~full, ~active], ["infeasible", "empty", "bounded"], "split")
            boxes = tuple(
                Box(tuple(map(int, a)), tuple(map(int, b)), str(f))
                for a, b, f in zip(lowest, upper, fates, strict=True)
            )
        self._record(number, active, bounds, boxes)
        self.cells = self.cells[active]
        return True

    @property
    def certifies(self) -> bool:
        """Whether the bounds of the boxes left are bounds: the rule sound, the totals at high corners the smallest."""
        return self.discard == "sound" and (self.solver.exact or not self.shared.completion_users)

    def _best(self) -> tuple[int, Point, tuple[int, ...]]:
        assert self.best is not None  # the nadir bound can always be met, so level 1 finds a point
        return self.best

    def _corners(self, values: Sequence[Sequence[int]]) -> Rows:
        """Coordinates of one corner of every cell."""
        columns: list[Rows] = [np.array(axis, self.dtype)[self.cells[:, i]] for i, axis in enumerate(values)]
        return np.stack(columns, axis=1)

    def _keys(self, ends: Rows, sums: Rows) -> Rows:
        """Integer keys of rows of makespans with total completions."""
        measure, users = self.measure, list(self.shared.makespan_users)
        terms: list[Rows] = [
            (np.asarray(ends[:, i], self.dtype) * measure.coefficients[u]) ** measure.power for i, u in enumerate(users)
        ]
        for u in self.shared.completion_users:
            terms.append((np.asarray(sums, self.dtype) * measure.coefficients[u]) ** measure.power)
        table = np.stack(terms)
        if measure.norm == "max":
            return table.max(axis=0)  # type: ignore[no-any-return]
        return table.prod(axis=0) if measure.norm == "geometric" else table.sum(axis=0)  # type: ignore[no-any-return]

    def _update(self, feasible: NDArray[np.bool_], ends: Rows, sums: Rows, due: Rows) -> None:
        rows = np.flatnonzero(feasible)
        if not len(rows):
            return
        keys = self._keys(ends[rows], sums[rows])
        smallest = keys.min()
        for row in rows[keys == smallest]:
            point = point_from(self.shared, ends[row], sums[row])
            candidate = (int(smallest), point, tuple(map(int, due[row])))
            if self.best is None or candidate[:2] < self.best[:2]:
                self.best = candidate

    def _printed_rule(self, lower: Rows) -> NDArray[np.bool_]:
        """Keep unless the solver's result at the low corner exists and is not better than the best."""
        feasible, ends, sums = self.solver.solve(lower)
        keys, best = self._keys(ends, sums), self._best()[0]
        keep: NDArray[np.bool_] = np.asarray(keys < best if self.discard == "printed" else keys <= best, bool)
        return keep | ~feasible

    def _record(self, number: int, active: NDArray[np.bool_], bounds: Rows, boxes: tuple[Box, ...]) -> None:
        key, point, _ = self._best()
        exact, value = self.measure.exact(key), self.measure.value(self.measure.exact(key))
        left = int(active.sum())
        bound = gap = None
        if self.certifies:
            bound = self.measure.exact(min(key, int(bounds[active].min())) if left else key)
            gap = self.measure.ratio(exact, bound) - 1
        proved = not left and self.certifies and self.solver.exact
        self.levels.append(Level(number, len(active), left, exact, value, point, bound, gap, proved, boxes))

    def _split(self, halves: int) -> None:
        offsets = np.array(list(product((0, 1), repeat=halves)), np.int64)
        if halves:
            self.cells = (2 * self.cells[:, None, :] + offsets[None, :, :]).reshape(-1, halves)

    def result(self, complete: bool) -> RefineResult:
        """The best point with its schedule."""
        key, _, due = self._best()
        outcome = self.solver.outcome(due, "refine" if self.discard == "sound" else "refine-printed")
        exact = self.measure.exact(key)
        outcome = replace(outcome, exact=self.levels[-1].proved, complete=complete)
        gained = 1 - self.measure.ratio(exact, self.levels[0].key)
        return RefineResult(outcome, exact, self.measure.value(exact), tuple(self.levels), gained)


def geometric_corners(low: int, high: int, halvings: int) -> list[int]:
    """Floors of ``low^((M-a)/M) high^(a/M)``, ``a = 0..M = 2^halvings``, exactly.

    The floor of a root of order ``2^h`` is ``h`` nested floors of square roots.

    >>> geometric_corners(2, 32, 2), geometric_corners(1, 4, 1)
    ([2, 4, 8, 16, 32], [1, 2, 4])
    """
    cells = 1 << halvings
    corners = []
    for a in range(cells + 1):
        common = math.gcd(a, cells)
        order = cells // common
        value: int = low ** (order - a // common) * high ** (a // common)
        while order > 1:
            value, order = math.isqrt(value), order // 2
        corners.append(value)
    return corners
