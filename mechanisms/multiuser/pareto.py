"""The exact Pareto set of a community: in closed form, or by dynamic programming over sets of jobs while that is small.

Model (Cordeiro 2012, section 2.2): the set of points of schedules that no other schedule's point dominates.

On one machine with at most one total-completion user it is known in closed form: EVERY interleaving of the ``k''``
blocks, in any order, with the shortest-first sequence of the ``n`` jobs is Pareto-optimal, and nothing else is; so
there are exactly ``(n + 1)(n + 2)...(n + k'')`` points (``k''!`` without the total-completion user). The reason: in
schedules without idle time ``sum of W_u C_u + sum of p_j C_j`` is constant.

Otherwise it is enumerated. Every Pareto-optimal POINT has a schedule in which each machine runs a makespan user's jobs
one after the other and a total-completion user's jobs shortest first (the first is false for every Pareto-optimal
*schedule* when there are two machines or more, against the wording of Proposition 6.3). So on one machine the last
thing to run is the whole block of a makespan user or the longest remaining job of a total-completion user, and what is
left is a smaller instance; machines are added one at a time, makespans joining by maximum and totals by sum. Both steps
are monotone, so dominated partial points can be dropped at once. Jobs of one user with equal lengths are not told
apart. Communities that are too large are refused with the size.

>>> pareto_set(Community.of(("makespan", [2]), ("total-completion", [1, 1])))
((2, 7), (3, 5), (4, 3))
>>> pareto_set(Community.of(("total-completion", [1, 3]), ("total-completion", [2])))
((5, 6), (7, 3), (9, 2))
>>> search = Enumeration(Community.of(("makespan", [1, 1]), ("makespan", [1, 2]), machines=2))
>>> search.points(), search.outcome((3, 2)).point
(((1, 3), (3, 2)), (3, 2))
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations_with_replacement, permutations
from typing import Final, TypeAlias

from ...agents.users import Community, Point
from ...scheduling.metrics import non_dominated
from ...support.errors import InputError, TooLargeError
from ...support.progress import Progress
from .deadlines import LstKernel
from .schedule import Outcome

MAX_POINTS: Final = 1_000_000
MAX_STATES: Final = 20_000
MAX_PAIRS: Final = 400_000
MAX_JOBS: Final = 500
BUDGET: Final = 20_000_000
"""Steps (some tenths of a microsecond each) after which a set that turns out too large is given up."""
REPORTED: Final = 100_000
"""Steps between two reports."""

Counts: TypeAlias = tuple[int, ...]
"""How many jobs of each class (user, length) are in a set of jobs."""


def enumeration_size(shared: Community) -> tuple[int, str]:
    """How much an :class:`Enumeration` has to go through, and what it counts.

    >>> enumeration_size(Community.of(("total-completion", [1, 2]), ("total-completion", [3])))
    (6, 'partial schedules')
    """
    if shared.machines == 1:  # a block leaves as a whole, a total-completion user's jobs longest first
        sizes = [n + 1 if u in shared.completion_users else 2 for u, n in enumerate(shared.n_jobs)]
        return math.prod(sizes), "partial schedules"
    counts = Counter((u, p) for u, sizes in enumerate(shared.sizes) for p in sizes).values()
    return math.prod((c + 1) * (c + 2) // 2 for c in counts), "splits of the jobs"


def check_size(shared: Community, effort: int | None = 1) -> None:
    """Raise TooLargeError when there are too many sets of jobs to go through, even with ``effort`` times the limit.

    ``None``: as many as there is time for.
    """
    n_jobs = sum(shared.n_jobs)
    count, what = enumeration_size(shared) if n_jobs <= MAX_JOBS else (n_jobs, "jobs")
    limit = MAX_STATES if shared.machines == 1 else MAX_PAIRS
    if what == "jobs" or (effort is not None and count > limit * effort):
        most, more = (MAX_JOBS, "") if what == "jobs" else (limit * (effort or 1), "raise effort (--effort), or ")
        raise TooLargeError(
            f"the Pareto set of {n_jobs} jobs of {len(shared.users)} users on "
            f"{shared.machines} machine(s) needs {count:,} {what}; the limit is {most:,}; "
            f"{more}multimixed gives a point within a proved factor of everybody's best"
        )


class BudgetSpentError(TooLargeError):
    """More partial points piled up than the caller allows, which nobody could tell before the work."""


class Enumeration:
    """All Pareto-optimal points of a community, with a schedule for each.

    Raises TooLargeError on construction when there are too many sets of jobs, and BudgetSpentError later when too many
    partial points pile up; ``effort`` is how many times as much the caller allows, ``None`` without a limit.
    ``progress`` receives the steps.
    """

    def __init__(self, shared: Community, effort: int | None = 1, progress: Progress | None = None) -> None:
        self.shared = shared
        counted = Counter((u, p) for u, sizes in enumerate(shared.sizes) for p in sizes)
        self.classes = sorted(counted)
        self.full: Counts = tuple(counted[c] for c in self.classes)
        self.of_user = [[i for i, (u, _) in enumerate(self.classes) if u == v] for v in range(len(shared.users))]
        check_size(shared, effort)
        self._most = None if effort is None else BUDGET * effort
        self._spent, self._told, self._progress = 0, 0, progress
        self.used = min(shared.machines, sum(self.full))  # more machines than jobs stay empty
        self._one: dict[Counts, dict[Point, tuple[Counts, Point]]] = {}
        self._many: dict[tuple[int, Counts], dict[Point, tuple[Counts, Point, Point]]] = {}

    def points(self) -> tuple[Point, ...]:
        """The Pareto set in lexicographic order."""
        return tuple(sorted(self._on(self.used, self.full)))

    def _spend(self, steps: int) -> None:
        self._spent += steps
        if self._most is not None and self._spent > self._most:
            raise BudgetSpentError(
                f"the Pareto set of {sum(self.shared.n_jobs)} jobs of {len(self.shared.users)} users has too many "
                f"partial points; the limit is {self._most:,} steps; raise effort (--effort), or multimixed gives a "
                "single point within a proved factor of everybody's best"
            )
        if self._progress is not None and self._spent >= self._told:
            self._told = self._spent + REPORTED
            self._progress(self._spent, self._most, "steps")

    def _best(self, points: Collection[Point]) -> tuple[Point, ...]:
        """The non-dominated ones, charged by what finding them takes."""
        kept = non_dominated(points)
        self._spend(len(points) * (10 if len(self.shared.users) <= 3 else 30 + len(kept) // 15))
        return kept

    def _alone(self, jobs: Counts) -> dict[Point, tuple[Counts, Point]]:
        """Pareto set of some jobs on one machine; each point with what remains before the last piece, and its point."""
        if jobs in self._one:
            return self._one[jobs]
        if not any(jobs):
            return {(0,) * len(self.shared.users): (jobs, ())}
        end = sum(c * p for c, (_, p) in zip(jobs, self.classes, strict=True))
        points: dict[Point, tuple[Counts, Point]] = {}
        for u, classes in enumerate(self.of_user):
            here = [i for i in classes if jobs[i]]
            if not here:
                continue
            remaining = list(jobs)
            if u in self.shared.completion_users:
                remaining[here[-1]] -= 1  # classes of a user are sorted by length: the last is the longest
            else:
                for i in here:
                    remaining[i] = 0
            left = tuple(remaining)
            for point in self._alone(left):
                points[(*point[:u], point[u] + end, *point[u + 1 :])] = (left, point)
        self._one[jobs] = {point: points[point] for point in self._best(points)}
        return self._one[jobs]

    def _on(self, machines: int, jobs: Counts) -> dict[Point, tuple[Counts, Point, Point]]:
        """Pareto set of some jobs on several machines; each point with the last machine's jobs and both parts."""
        key = (machines, jobs)
        if key in self._many:
            return self._many[key]
        points: dict[Point, tuple[Counts, Point, Point]] = {}
        if machines == 1:
            points = {point: (jobs, point, ()) for point in self._alone(jobs)}
        else:
            for mine in self._parts(jobs):
                others = tuple(a - b for a, b in zip(jobs, mine, strict=True))
                ours, theirs = self._alone(mine), self._on(machines - 1, others)
                self._spend(10 * len(ours) * len(theirs))
                for one in ours:
                    for other in theirs:
                        points[self._join(one, other)] = (mine, one, other)
            points = {point: points[point] for point in self._best(points)}
        self._many[key] = points
        return points

    def _join(self, one: Point, other: Point) -> Point:
        sums = self.shared.completion_users
        return tuple(a + b if u in sums else max(a, b) for u, (a, b) in enumerate(zip(one, other, strict=True)))

    def _parts(self, jobs: Counts) -> list[Counts]:
        """Sub-multisets that hold a job of the first class present (machines are alike, so one of them must)."""
        first = next((i for i, c in enumerate(jobs) if c), None)
        parts: list[Counts] = [()]
        for i, count in enumerate(jobs):
            parts = [(*part, c) for part in parts for c in range(1 if i == first else 0, count + 1)]
        return parts

    def outcome(self, point: Point) -> Outcome:
        """A schedule of a Pareto-optimal point."""
        unused = [[j for j, p in enumerate(self.shared.sizes[u]) if p == length] for u, length in self.classes]
        sequences: list[list[tuple[int, int]]] = []
        jobs, target = self.full, point
        for machines in range(self.used, 0, -1):
            mine, one, other = self._on(machines, jobs)[target]
            sequences.append(self._sequence(mine, one, unused))
            jobs, target = tuple(a - b for a, b in zip(jobs, mine, strict=True)), other
        return Outcome.of(self.shared, sequences, "enumeration")

    def _sequence(self, jobs: Counts, point: Point, unused: list[list[int]]) -> list[tuple[int, int]]:
        """Running order on one machine; takes the job numbers it uses from ``unused``."""
        backwards: list[tuple[int, int]] = []
        while any(jobs):
            left, before = self._alone(jobs)[point]
            for i, (u, _) in enumerate(self.classes):
                backwards += [(u, unused[i].pop()) for _ in range(jobs[i] - left[i])]
            jobs, point = left, before
        return backwards[::-1]


@dataclass(frozen=True)
class ParetoFront:
    """The Pareto set of a community, or an approximation of it.

    Attributes
    ----------
    points
        In lexicographic order, in units.
    method
        ``"closed-form"``, ``"enumeration"`` or ``"grid"`` (:mod:`.grid`).
    corners
        Number of different threshold vectors that a grid has solved.
    ratios
        Proved factor of a grid's approximation for each user.
    complete
        Whether all corners were solved; an interrupted grid proves no ratio.
    """

    points: tuple[Point, ...]
    method: str
    _schedule: Callable[[Point], Outcome] = field(repr=False, compare=False)
    corners: int | None = None
    ratios: tuple[Fraction, ...] | None = None
    complete: bool = True

    def outcome(self, point: Point) -> Outcome:
        """A schedule that reaches a point of the set; InputError for another point."""
        if point not in self.points:
            raise InputError(f"point {point} is not one of the {len(self.points)} points of the set")
        return self._schedule(point)


def n_points(shared: Community) -> int | None:
    """Size of the Pareto set where it is known without computing it, else ``None``.

    >>> n_points(Community.of(("makespan", [2]), ("makespan", [5]), ("total-completion", [1, 1])))
    12
    """
    if shared.machines > 1 or len(shared.completion_users) > 1:
        return None
    n = sum(shared.n_jobs[u] for u in shared.completion_users)
    return math.perm(n + len(shared.makespan_users), len(shared.makespan_users))


def check_front(shared: Community, effort: int | None = 1) -> None:
    """Raise TooLargeError, naming the size, where :func:`pareto_front` does before any work."""
    size = n_points(shared)
    if size is None:
        check_size(shared, effort)
    elif effort is not None and size > MAX_POINTS * effort:
        raise TooLargeError(
            f"the Pareto set has {size:,} points; the limit is {MAX_POINTS * effort:,}; raise effort (--effort), or "
            "give epsilon for a grid of them"
        )


def pareto_front(shared: Community, effort: int | None = 1, progress: Progress | None = None) -> ParetoFront:
    """The exact Pareto set with a schedule for each point.

    Raises TooLargeError, naming the size, when the closed form has more than a million points or the community is too
    large to enumerate.
    """
    check_front(shared, effort)
    if n_points(shared) is None:
        search = Enumeration(shared, effort, progress)
        return ParetoFront(search.points(), "enumeration", search.outcome)
    kernel = LstKernel(shared)
    points = tuple(sorted(reported(_closed_form(kernel), n_points(shared), progress)))
    # with a Pareto-optimal point's own values as thresholds LST returns that point
    return ParetoFront(
        points, "closed-form", lambda point: kernel.outcome([point[u] for u in shared.makespan_users], "closed-form")
    )


def reported(points: Iterable[Point], total: int | None, progress: Progress | None) -> Iterator[Point]:
    """The same points; now and then the number so far is reported."""
    for done, point in enumerate(points):
        if progress is not None and done % (REPORTED // 10) == 0:
            progress(done, total, "points")
        yield point


def pareto_set(shared: Community) -> tuple[Point, ...]:
    """Points of :func:`pareto_front`."""
    return pareto_front(shared).points


def _closed_form(kernel: LstKernel) -> Iterator[Point]:
    """Every interleaving of the blocks with the shortest-first sequence, once."""
    for order in permutations(range(len(kernel.blocks))):
        for before in combinations_with_replacement(range(len(kernel.prefix)), len(order)):
            yield kernel.reached(tuple(zip(order, before, strict=True)))
