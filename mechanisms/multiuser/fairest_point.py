"""The exact fairest point, without refinement.

Model: one machine, at most one total-completion user, a fairness function (:mod:`.fairness`) to minimise. By
Propositions 6.3 and 6.4 of Cordeiro 2012 an optimal schedule interleaves one block per makespan user with the other
user's jobs, shortest first; so a partial schedule is fixed, up to what it cost, by the set of blocks done and the
number of jobs done, which also fix the time. Dynamic programming over these ``2^k'' (n + 1)`` states keeps, per
state, the non-dominated pairs (key of the blocks so far, total completion time so far); where the key is linear in
the total one pair suffices. A pair is dropped as well when even the best completion of its state cannot make it as
good as a solution in hand (a short refinement and :func:`descend`, which halves the time of the table): for L^p norms
the total's term is bounded by a tangent, and that problem is solved backwards beforehand.

The norm ``"max"`` needs no table: whether everybody can stay below a value is one call of LST, so bisection finds the
optimum; being only weakly monotone it then takes the users' values one after the other as small as they can be.

Other communities (several machines, several total-completion users) are decided over their exact Pareto set where
that can be enumerated, and refused with the size otherwise.

Ties: equal keys go to the lexicographically smallest point. The answer is Pareto-optimal.

>>> answer = fairest(Community.of(("makespan", [2]), ("total-completion", [1, 1])))
>>> answer.outcome.point, answer.key, answer.outcome.method
((3, 5), Fraction(61, 4), 'dynamic-programming')
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from operator import itemgetter
from typing import Final, TypeAlias

from ...agents.users import Community, Point
from ...support.errors import TooLargeError
from ...support.interrupts import noticed
from ...support.progress import Progress
from .deadlines import LstKernel, Plan
from .fairness import Fairness, Measure
from .pareto import pareto_front
from .refinement import refine
from .schedule import Outcome


def descend(kernel: LstKernel, measure: Measure, start: Point) -> Point:
    """A point at least as fair as a Pareto-optimal one; ties keep the plan in hand."""
    plan: Plan | None = kernel.plan([start[u] for u in kernel.shared.makespan_users])
    assert plan is not None  # a reachable point meets itself
    best = measure.integer_key(kernel.reached(plan))
    improved = True
    while improved:
        improved = False
        for block in range(len(kernel.blocks)):
            for trial in _placements([step for step in plan if step[0] != block], block, len(kernel.prefix) - 1):
                key = measure.integer_key(kernel.reached(trial))
                if key < best:
                    best, plan, improved = key, trial, True
    return kernel.reached(plan)


def _placements(others: Plan, block: int, n: int) -> list[list[tuple[int, int]]]:
    """Every plan that puts one more block into a plan."""
    plans = []
    for place in range(len(others) + 1):
        low = others[place - 1][1] if place else 0
        high = others[place][1] if place < len(others) else n
        plans += [[*others[:place], (block, done), *others[place:]] for done in range(low, high + 1)]
    return plans


MAX_STATES: Final = 2_000_000
INCUMBENT_CELLS: Final = 100_000
SLOW_CELLS: Final = 2_000
TANGENTS: Final = (100, 85, 118, 70, 140, 60, 165, 50, 200, 40, 30, 20, 10)
"""Where the total-completion user's term is bounded by its tangent, in percent of the total of a good solution."""

Label: TypeAlias = tuple[int, int, Point]
"""Key of the blocks done, total completion so far, and the point so far (0 for a block that has not run)."""


@dataclass(frozen=True)
class FairestResult:
    """The fairest point with its schedule.

    Attributes
    ----------
    outcome
        Point and schedule; ``method`` is ``"dynamic-programming"`` or ``"enumeration"``.
    key, value
        Exact comparison key and the function itself (a float).
    """

    outcome: Outcome
    key: Fraction
    value: float


def fairest(
    shared: Community, fairness: Fairness | None = None, progress: Progress | None = None, effort: int | None = 1
) -> FairestResult:
    """Minimise a fairness function over all schedules, exactly.

    Parameters
    ----------
    shared
        Any community; beyond one machine with at most one total-completion user only while the Pareto set can be
        enumerated (TooLargeError with the size otherwise).
    fairness
        Default: the L2 norm of makespans and average completion times.
    progress
        Told the number of sets of blocks done.
    effort
        How many times the usual limits the caller allows; ``None``: as much as there is time for, where what is kept
        grows with time only.
    """
    measure = (fairness or Fairness()).bind(shared)
    if shared.machines > 1 or len(shared.completion_users) > 1:
        front = pareto_front(shared, effort, progress)
        point = min(front.points, key=lambda x: (measure.integer_key(x), x))
        outcome = front.outcome(point)
    else:
        point = fairest_point(shared, measure, progress, effort or 1)
        kernel = LstKernel(shared)  # at its own values as thresholds LST returns a Pareto-optimal point
        outcome = kernel.outcome([point[u] for u in shared.makespan_users], "dynamic-programming")
    key = measure.key(point)
    return FairestResult(outcome, key, measure.value(key))


def n_states(shared: Community) -> int:
    """Number of states of the dynamic program.

    >>> n_states(Community.of(("makespan", [2]), ("makespan", [3]), ("total-completion", [1, 1])))
    12
    """
    return (1 << len(shared.makespan_users)) * (1 + sum(shared.n_jobs[u] for u in shared.completion_users))


def check_states(shared: Community, effort: int = 1) -> None:
    """Raise TooLargeError when the dynamic program has too many states, even for ``effort`` times the limit."""
    states = n_states(shared)
    if states > MAX_STATES * effort:
        raise TooLargeError(
            f"fairest: {len(shared.makespan_users)} makespan users and {sum(shared.n_jobs)} jobs give {states:,} "
            f"states; the limit is {MAX_STATES * effort:,}; raise effort (--effort), or refine gives an answer with a "
            "certified gap"
        )


def fairest_point(shared: Community, measure: Measure, progress: Progress | None = None, effort: int = 1) -> Point:
    """The fairest point of a community on one machine with at most one total-completion user."""
    check_states(shared, effort)
    if measure.norm == "max":
        return _smallest_maximum(LstKernel(shared), measure)
    return _Table(shared, measure, progress).solve()


def _final(measure: Measure, owner: int | None) -> Callable[[int, int], int]:
    """How the total-completion user's term joins the key of the blocks; the innermost step, hence a closure."""
    if owner is None:
        return lambda cost, total: cost
    factor, power = measure.coefficients[owner], measure.power
    if measure.norm == "geometric":
        return lambda cost, total: cost * factor * total
    return lambda cost, total: cost + int((factor * total) ** power)


class _Table:
    """The dynamic program: one row of states per set of blocks, one column per number of shortest jobs run."""

    def __init__(self, shared: Community, measure: Measure, progress: Progress | None) -> None:
        self.shared, self.measure, self.report = shared, measure, progress or (lambda done, total, note="": None)
        self.kernel = LstKernel(shared)
        self.blocks, self.prefix = self.kernel.blocks, self.kernel.prefix
        self.users, self.owner = shared.makespan_users, self.kernel.owner
        self.n, self.whole = len(self.prefix) - 1, (1 << len(self.blocks)) - 1
        self.works = [sum(b for c, b in enumerate(self.blocks) if mask >> c & 1) for mask in range(self.whole + 1)]
        self.final = _final(measure, self.owner)
        """Integer key of all users from that of the blocks and the total completion time."""
        self.linear = measure.norm in (1, "mean") or self.owner is None
        start = self.incumbent()
        self.bound = measure.integer_key(start)
        self.lines = [] if measure.norm == "geometric" else self._lines(start)

    def incumbent(self) -> Point:
        """A good solution: a short refinement, then descent."""
        if not self.blocks:
            return (sum(self.prefix),)
        most = INCUMBENT_CELLS if self.kernel.fits else SLOW_CELLS
        with noticed() as stopped:
            refined = refine(self.shared, self.measure, levels=6, max_cells=most)
        if stopped():
            raise KeyboardInterrupt  # which the refinement has answered
        return descend(self.kernel, self.measure, refined.levels[-1].point)

    def solve(self) -> Point:
        """Best point; equal keys lexicographically."""
        layer: dict[int, list[list[Label]]] = {}  # sets of one block less: all that a row looks back at
        done = 0
        for size in range(len(self.blocks) + 1):
            following: dict[int, list[list[Label]]] = {}
            for chosen in combinations(range(len(self.blocks)), size):
                mask = sum(1 << c for c in chosen)
                following[mask] = self._row(mask, layer)
                done += 1
                self.report(done, self.whole + 1, "sets of blocks")
            layer = following
        return min((self.final(cost, total), point) for cost, total, point in layer[self.whole][-1])[1]

    def _row(self, mask: int, rows: dict[int, list[list[Label]]]) -> list[list[Label]]:
        """States with the blocks of ``mask`` done."""
        measure, combine = self.measure, self.measure.combine
        inside = [c for c in range(len(self.blocks)) if mask >> c & 1]
        row: list[list[Label]] = []
        for j in range(self.n + 1):
            time = self.works[mask] + self.prefix[j]
            steps: list[_Step] = []  # labels before their points are written out
            if not mask and not j:
                steps.append((measure.neutral, 0, (0,) * len(self.shared.users), -1, 0))
            if j and self.owner is not None:
                steps += [(a, b + time, x, self.owner, b + time) for a, b, x in row[j - 1]]
            for c in inside:
                u = self.users[c]
                term = measure.term(u, time)
                steps += [(combine(a, term), b, x, u, time) for a, b, x in rows[mask ^ (1 << c)][j]]
            row.append(self._best(self._alive(steps, mask, j)))
        return row

    def _alive(self, steps: list[_Step], mask: int, j: int) -> list[_Step]:
        """Labels that can still become as good as the solution in hand."""
        bound, final = self.bound, self.final
        if self.measure.norm == "geometric":
            ahead, total_ahead = self._least_ahead(mask, j)
            return [x for x in steps if final(x[0] * ahead, x[1] + total_ahead) <= bound]
        for slope, constants in self.lines:
            constant = constants[mask][j]
            steps = [x for x in steps if x[0] + slope * x[1] + constant <= bound]
        return steps

    def _lines(self, start: Point) -> list[tuple[int, list[list[int]]]]:
        """Tangent bounds at totals around that of the solution in hand, nearest first; one is exact for linear keys."""
        if self.owner is None or self.linear:
            return [self._line(0)]
        return [self._line(max(1, start[self.owner] * percent // 100)) for percent in TANGENTS]

    def _line(self, total: int) -> tuple[int, list[list[int]]]:
        """Tangent bound: slope, and a constant per state.

        The total-completion user's term is convex, so it is nowhere below its tangent at ``total``; with the tangent
        in its place the best completion of every state is an ordinary shortest path, found backwards.
        """
        measure, slope, offset = self.measure, 0, 0
        if self.owner is not None:
            factor, power = measure.coefficients[self.owner], measure.power
            slope = power * factor**power * total ** (power - 1)
            offset = (factor * total) ** power - slope * total
        constants: list[list[int]] = [[] for _ in range(self.whole + 1)]
        for mask in range(self.whole, -1, -1):
            self.report(0, self.whole + 1, "sets of blocks")
            outside = [c for c in range(len(self.blocks)) if not mask >> c & 1]
            row = [0] * (self.n + 1)
            for j in range(self.n, -1, -1):
                time = self.works[mask] + self.prefix[j]
                ways = [
                    measure.term(self.users[c], time + self.blocks[c]) + constants[mask | 1 << c][j] for c in outside
                ]
                if j < self.n:
                    ways.append(slope * (self.works[mask] + self.prefix[j + 1]) + row[j + 1])
                row[j] = min(ways) if ways else offset
            constants[mask] = row
        return slope, constants

    def _least_ahead(self, mask: int, j: int) -> tuple[int, int]:
        """Least product of the blocks still to come and, apart from it, least total of the jobs still to come."""
        time = self.works[mask] + self.prefix[j]
        outside = [c for c in range(len(self.blocks)) if not mask >> c & 1]
        product = math.prod(self.measure.coefficients[self.users[c]] for c in outside)
        for block in sorted(self.blocks[c] for c in outside):  # the i-th to end has at least the i shortest before it
            time += block
            product *= time
        return product, sum(self.works[mask] + p for p in self.prefix[j + 1 :])

    def _best(self, steps: list[_Step]) -> list[Label]:
        """Labels that can still win: the smallest where the key is linear, else the non-dominated ones."""
        if self.linear:
            steps.sort(key=lambda x: self.final(x[0], x[1]))
            equal = [x for x in steps if self.final(x[0], x[1]) == self.final(steps[0][0], steps[0][1])]
            return [min((_written(x) for x in equal), key=itemgetter(2))] if steps else []
        steps.sort(key=itemgetter(0, 1))
        kept: list[Label] = []
        for step in steps:
            if not kept or step[1] < kept[-1][1]:
                kept.append(_written(step))
            elif step[:2] == kept[-1][:2]:
                kept[-1] = min(kept[-1], _written(step))  # equal in both: the smaller point
        return kept


_Step: TypeAlias = tuple[int, int, Point, int, int]
"""A label whose point still lacks the last change: (key, total, point before, user, her value); user -1 for none."""


def _written(step: _Step) -> Label:
    cost, total, point, user, value = step
    return cost, total, point if user < 0 else (*point[:user], value, *point[user + 1 :])


def _smallest_maximum(kernel: LstKernel, measure: Measure) -> Point:
    """Smallest largest value, and under it the lexicographically smallest point.

    Whether limits on everybody can be met is one call of LST: bisection on the largest value, then on each user's own.
    """
    shared = kernel.shared

    def reached(limits: Sequence[int]) -> Point | None:
        point = kernel.point([limits[u] for u in shared.makespan_users])
        late = point is None or (kernel.owner is not None and point[kernel.owner] > limits[kernel.owner])
        return None if late else point

    start = kernel.point([shared.work] * len(shared.makespan_users))
    assert start is not None  # nobody has a real limit
    factors = measure.coefficients
    top = _bisect(0, measure.integer_key(start), lambda key: reached([key // a for a in factors]) is not None)
    limits = [top // a for a in factors]
    for u in range(len(limits)):
        now = reached(limits)
        assert now is not None
        if u == kernel.owner:  # LST makes it as small as the limits allow
            limits[u] = now[u]
        else:
            before, after = limits[:u], limits[u + 1 :]
            limits[u] = _bisect(0, now[u], lambda x, a=before, b=after: reached([*a, x, *b]) is not None)  # type: ignore[misc]
    return tuple(limits)


def _bisect(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Smallest integer in ``low..high`` for which a monotone condition holds; it holds at ``high``."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
