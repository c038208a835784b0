r"""The exact fairest point, without refinement.

Model: one machine, at most one total-completion user, a fairness function (:mod:`.fairness`) to minimise. By
Propositions 6.3 and 6.4 of Cordeiro 2012 an optimal schedule interleaves one block per makespan user with the other
user's jobs, shortest first; so a partial schedule is fixed, up to what it cost, by the set of blocks done and the
number of jobs done, which also fix the time. Dynamic programming over these ``2^k'' (n + 1)`` states keeps, per
state, the non-dominated pairs (key of the blocks so far, total completion time so far); where the key is linear in
the total one pair suffices. A pair is dropped as well when the best it could still become is worse than a solution in
hand.

The norm ``"max"`` is only weakly monotone. There the optimum is found first, by the same dynamic program, then the
users' values are fixed one after the other at their smallest value under that bound (bisection on
:class:`.LstKernel`).

Other communities (several machines, several total-completion users) are decided over their exact Pareto set where
that can be enumerated, and refused with the size otherwise.

Ties: equal keys go to the lexicographically smallest point. The answer is Pareto-optimal.

>>> answer = fairest(Community.of(("makespan", [2]), ("total-completion", [1, 1])))
>>> answer.outcome.point, answer.key, answer.outcome.method
((3, 5), Fraction(61, 4), 'dynamic-programming')
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Final, TypeAlias

from ...agents.users import Community, Point
from ...scheduling.errors import TooLargeError
from ...scheduling.progress import Progress
from .fairness import Fairness, Measure
from .latest import LstKernel
from .pareto import pareto_front
from .schedule import Outcome

MAX_STATES: Final = 2_000_000

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


def fairest(shared: Community, fairness: Fairness | None = None, progress: Progress | None = None) -> FairestResult:
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
    """
    measure = (fairness or Fairness()).bind(shared)
    if shared.machines > 1 or len(shared.completion_users) > 1:
        front = pareto_front(shared)
        point = min(front.points, key=lambda x: (measure.integer_key(x), x))
        outcome = front.outcome(point)
    else:
        point = fairest_point(shared, measure, progress)
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


def fairest_point(shared: Community, measure: Measure, progress: Progress | None = None) -> Point:
    """The fairest point of a community on one machine with at most one total-completion user."""
    states = n_states(shared)
    if states > MAX_STATES:
        raise TooLargeError(
            f"fairest: {len(shared.makespan_users)} makespan users and {sum(shared.n_jobs)} jobs give {states} "
            f"states; the limit is {MAX_STATES}; refine gives an answer with a certified gap"
        )
    table = _Table(shared, measure)
    point = table.solve(progress)
    return _smallest_under(table.kernel, measure, point) if measure.norm == "max" else point


class _Table:
    """The dynamic program: one row of states per set of blocks, one column per number of shortest jobs run."""

    def __init__(self, shared: Community, measure: Measure) -> None:
        self.shared, self.measure = shared, measure
        self.kernel = LstKernel(shared)
        self.blocks, self.prefix = self.kernel.blocks, self.kernel.prefix
        self.users = shared.makespan_users
        self.owner = self.kernel.owner
        self.linear = measure.norm in (1, "mean") or self.owner is None
        self.n = len(self.prefix) - 1
        tail = [0] * (self.n + 1)
        for j in range(self.n - 1, -1, -1):
            tail[j] = tail[j + 1] + self.prefix[j + 1]
        self.tail = tail
        """Completion times of the jobs from ``j`` on if no block ran at all."""

    def final(self, cost: int, total: int) -> int:
        """Integer key of all users from that of the blocks and the total completion time."""
        if self.owner is None:
            return cost
        return int(self.measure.combine(cost, self.measure.term(self.owner, total)))

    def incumbent(self) -> int:
        """Key of a good solution: two rounds of moving one threshold at a time, about 24 tries each."""
        due = [self.shared.work] * len(self.blocks)  # can always be met
        best = self._key_at(due)
        assert best is not None
        for column in 2 * sorted(range(len(due)), key=self.blocks.__getitem__):
            candidates = [prefix + self.blocks[column] for prefix in self.prefix]
            for limit in [*candidates[:: max(1, len(candidates) // 24)], self.shared.work]:
                trial = [*due[:column], limit, *due[column + 1 :]]
                key = self._key_at(trial)
                if key is not None and key < best:
                    best, due = key, trial
        return best

    def _key_at(self, due: Sequence[int]) -> int | None:
        point = self.kernel.point(due)
        return None if point is None else self.measure.integer_key(point)

    def solve(self, progress: Progress | None) -> Point:
        """Best point; ties lexicographically (for ``max``: some best point)."""
        bound = self.incumbent()
        rows: dict[int, list[list[Label]]] = {}
        for mask in range(1 << len(self.blocks)):  # every subset comes before its supersets
            rows[mask] = self._row(mask, rows, bound)
            if progress is not None:
                progress(mask + 1, 1 << len(self.blocks), "sets of blocks")
        best = min((self.final(cost, total), point) for cost, total, point in rows[(1 << len(self.blocks)) - 1][-1])
        return best[1]

    def _row(self, mask: int, rows: dict[int, list[list[Label]]], bound: int) -> list[list[Label]]:
        """States with the blocks of ``mask`` done."""
        measure, owner = self.measure, self.owner
        inside = [c for c in range(len(self.blocks)) if mask >> c & 1]
        open_blocks = [c for c in range(len(self.blocks)) if not mask >> c & 1]
        work = sum(self.blocks[c] for c in inside)
        row: list[list[Label]] = []
        for j in range(self.n + 1):
            time = work + self.prefix[j]
            labels: list[Label] = []
            if not mask and not j:
                labels.append((measure.neutral, 0, (0,) * len(self.shared.users)))
            if j and owner is not None:
                for cost, total, point in row[j - 1]:
                    labels.append((cost, total + time, (*point[:owner], total + time, *point[owner + 1 :])))
            for c in inside:
                u = self.users[c]
                term = measure.term(u, time)
                for cost, total, point in rows[mask ^ (1 << c)][j]:
                    labels.append((measure.combine(cost, term), total, (*point[:u], time, *point[u + 1 :])))
            ahead = reduce(
                measure.combine,
                (measure.term(self.users[c], time + self.blocks[c]) for c in open_blocks),
                measure.neutral,
            )
            rest = self.tail[j] + work * (self.n - j)
            labels = [x for x in labels if self.final(measure.combine(x[0], ahead), x[1] + rest) <= bound]
            row.append(self._best(labels))
        return row

    def _best(self, labels: list[Label]) -> list[Label]:
        """Labels that can still win: the smallest where the key is linear, else the non-dominated ones."""
        if not labels:
            return []
        if self.linear:
            return [min(labels, key=lambda x: (self.final(x[0], x[1]), x[2]))]
        kept: list[Label] = []
        for label in sorted(labels):
            if not kept or label[1] < kept[-1][1]:
                kept.append(label)
        return kept


def _smallest_under(kernel: LstKernel, measure: Measure, point: Point) -> Point:
    """Lexicographically smallest point whose weighted values do not exceed those of ``point`` anywhere."""
    shared = kernel.shared
    top = measure.integer_key(point)
    limits = [top // a for a in measure.coefficients]

    def feasible(trial: Sequence[int]) -> Point | None:
        reached = kernel.point([trial[u] for u in shared.makespan_users])
        if reached is None or (kernel.owner is not None and reached[kernel.owner] > trial[kernel.owner]):
            return None
        return reached

    for u in range(len(shared.users)):
        reached = feasible(limits)
        assert reached is not None  # the given point meets the limits, and each step keeps them feasible
        if u == kernel.owner:
            limits[u] = reached[u]
            continue
        low, high = 0, reached[u]
        while low < high:
            middle = (low + high) // 2
            if feasible([*limits[:u], middle, *limits[u + 1 :]]) is None:
                low = middle + 1
            else:
                high = middle
        limits[u] = low
    return tuple(limits)
