r"""The exact Pareto set of a community.

Model (Cordeiro 2012, section 2.2): the set of points of schedules that no other schedule's point dominates.

On one machine with at most one total-completion user it is known in closed form: EVERY interleaving of the ``k''``
blocks, in any order, with the shortest-first sequence of the ``n`` jobs is Pareto-optimal, and nothing else is; so
there are exactly ``(n + 1)(n + 2)...(n + k'')`` points (``k''!`` without the total-completion user). The reason: in
schedules without idle time ``sum of W_u C_u + sum of p_j C_j`` is constant.

Otherwise the set is computed by :mod:`.enumeration` while that is small, and refused with the size where it is not.

>>> pareto_set(Community.of(("makespan", [2]), ("total-completion", [1, 1])))
((2, 7), (3, 5), (4, 3))
>>> pareto_set(Community.of(("total-completion", [1, 3]), ("total-completion", [2])))
((5, 6), (7, 3), (9, 2))
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations_with_replacement, permutations
from typing import Final

from ...agents.users import Community, Point
from ...support.errors import InputError, TooLargeError
from ...support.progress import Progress
from .enumeration import REPORTED, Enumeration, check_size
from .latest import LstKernel
from .schedule import Outcome

MAX_POINTS: Final = 1_000_000


@dataclass(frozen=True)
class ParetoFront:
    """The Pareto set of a community.

    Attributes
    ----------
    points
        In lexicographic order, in units.
    method
        ``"closed-form"`` or ``"enumeration"``.
    """

    points: tuple[Point, ...]
    method: str
    _schedule: Callable[[Point], Outcome] = field(repr=False, compare=False)

    def outcome(self, point: Point) -> Outcome:
        """A schedule that reaches a point of the set; InputError for another point."""
        if point not in self.points:
            raise InputError(f"point {point} is not in the Pareto set of {len(self.points)} points")
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
    return ParetoFront(points, "closed-form", partial(_by_lst, kernel))


def reported(points: Iterable[Point], total: int | None, progress: Progress | None) -> Iterator[Point]:
    """The same points; now and then the number so far is told."""
    for done, point in enumerate(points):
        if progress is not None and done % (REPORTED // 10) == 0:
            progress(done, total, "points")
        yield point


def pareto_set(shared: Community) -> tuple[Point, ...]:
    """Points of :func:`pareto_front`."""
    return pareto_front(shared).points


def _by_lst(kernel: LstKernel, point: Point) -> Outcome:
    # with a Pareto-optimal point's own values as thresholds LST returns that point
    return kernel.outcome([point[u] for u in kernel.shared.makespan_users], "closed-form")


def _closed_form(kernel: LstKernel) -> Iterator[Point]:
    """Every interleaving of the blocks with the shortest-first sequence, once."""
    n, total = len(kernel.prefix) - 1, sum(kernel.prefix)
    for order in permutations(range(len(kernel.blocks))):
        for before in combinations_with_replacement(range(n + 1), len(order)):
            ends, work, waiting = [0] * len(order), 0, total
            for column, done in zip(order, before, strict=True):
                work += kernel.blocks[column]
                ends[column] = kernel.prefix[done] + work
                waiting += kernel.blocks[column] * (n - done)
            yield kernel.assemble(ends, waiting)
