r"""An approximate Pareto set from a geometric grid of thresholds.

Model (Cordeiro 2012, section 6.1, after Papadimitriou and Yannakakis 2000): thresholds ``z (1 + epsilon)^j``, ``j =
1..q``, between the zenith ``z`` and the nadir bound of each makespan user, floored and clipped at the bound; a
constrained solver (:mod:`.deadlines`) at every corner; the answers that no other answer dominates. With ``q`` the
smallest number of steps that reaches the bound the last interval is neither empty nor inverted, as it is in the
printed decomposition, which has one more.

The set approximates the Pareto set within (Definition 6.1)

* ``1 + epsilon`` for makespan users and 1 for the total-completion user with the corrected LST;
* ``1 + epsilon`` for everybody with EDF on one machine, ``(2 - 1/m)(1 + epsilon)`` with list-EDF on ``m``.

With the printed LST, which is not offered, it need not: blocks {1}, {4} and a job of length 2 with epsilon = 1 leave
(1, 7, 3) without a 2-approximation.

>>> shared = Community.of(("makespan", [1]), ("makespan", [4]), ("total-completion", [2]))
>>> pareto_grid(shared, 1).points
((1, 7, 3), (3, 7, 2))
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import islice, product
from typing import Final

import numpy as np

from ...agents.users import Community, Point
from ...scheduling.metrics import non_dominated
from ...support.errors import InputError, TooLargeError
from ...support.exact import INT64_MAX, Rational, rational
from ...support.progress import Progress
from .catalogue import Ties
from .deadlines import Solver, constrained_solver
from .pareto import ParetoFront
from .schedule import nadir, point_from, zenith_low

MAX_CORNERS: Final = 2_000_000
MAX_STEPS: Final = 5_000
CHUNK: Final = 50_000


def axis(low: int, high: int, epsilon: Fraction) -> list[int]:
    """Floors of ``low (1 + epsilon)^j``, ``j = 1..q``, clipped at ``high``, each once; ``[high]`` when they are equal.

    >>> axis(2, 9, Fraction(1)), axis(3, 3, Fraction(1))
    ([4, 8, 9], [3])
    """
    floors = {high}
    value = low * (1 + epsilon)
    while value < high:
        floors.add(math.floor(value))
        value *= 1 + epsilon
    return sorted(floors)


def pareto_grid(
    shared: Community,
    epsilon: Rational | str,
    ties: Ties = "index",
    progress: Progress | None = None,
) -> ParetoFront:
    """Approximate the Pareto set by a grid of thresholds with ratio ``1 + epsilon``.

    Parameters
    ----------
    shared
        Makespan users on any number of machines, or one total-completion user beside them on one machine; InputError
        otherwise.
    epsilon
        More than 0.
    progress
        Told the number of corners solved. Ctrl-C returns the answers so far, ``complete=False``.

    Raises
    ------
    TooLargeError
        When the grid has more than two million corners; the message names their number.
    """
    ratio = rational(epsilon, "epsilon")
    axes = grid_axes(shared, ratio)
    solver = constrained_solver(shared, "pareto with epsilon", ties)
    corners = math.prod(map(len, axes))
    due: dict[Point, tuple[int, ...]] = {}
    solved, complete = 0, True
    try:
        every = product(*axes)
        while chunk := list(islice(every, CHUNK)):
            _solve(shared, solver, chunk, due)
            solved += len(chunk)
            if progress is not None:
                progress(solved, corners, "corners")
    except KeyboardInterrupt:
        complete = False
    points = non_dominated(due)
    factor = (1 + ratio) * (1 if shared.machines == 1 else 2 - Fraction(1, shared.machines))
    ratios = tuple(factor if u in shared.makespan_users else Fraction(1) for u in range(len(shared.users)))
    proved = ratios if complete else None
    return ParetoFront(points, "grid", lambda point: solver.outcome(due[point], "grid"), solved, proved, complete)


def grid_axes(shared: Community, ratio: Fraction) -> list[list[int]]:
    """Values at which each makespan user's axis is cut; InputError or TooLargeError for an epsilon that will not do."""
    if ratio <= 0:
        raise InputError(f"epsilon: found {ratio}; expected more than 0")
    low, high = zenith_low(shared), nadir(shared)
    _check_axes(shared, low, high, ratio)
    axes = [axis(low[u], high[u], ratio) for u in shared.makespan_users]
    corners = math.prod(map(len, axes))
    if corners > MAX_CORNERS:
        raise TooLargeError(f"the grid has {corners} corners; the limit is {MAX_CORNERS}; take a larger epsilon")
    return axes


def _check_axes(shared: Community, low: Point, high: Point, ratio: Fraction) -> None:
    """Refuse an epsilon so small that the axes alone are too long, before computing any of their values."""
    step = 1 + ratio
    per = math.log1p(ratio) if ratio < 1 else math.log(step.numerator) - math.log(step.denominator)
    spans = [math.log(high[u]) - math.log(low[u]) for u in shared.makespan_users]
    steps = [0.0 if span == 0 else span / per if per else math.inf for span in spans]
    if max(steps, default=0) > MAX_STEPS:
        raise TooLargeError(
            f"epsilon = {ratio}: an axis of the grid has about {max(steps):.3g} steps; the limit is {MAX_STEPS}"
        )


def _solve(shared: Community, solver: Solver, chunk: list[tuple[int, ...]], due: dict[Point, tuple[int, ...]]) -> None:
    """Answers of some corners, each point with the first corner that gave it."""
    fits = max(map(max, chunk)) <= INT64_MAX
    feasible, ends, sums = solver.solve(np.array(chunk, np.int64 if fits else object))
    for row in np.flatnonzero(feasible):
        due.setdefault(point_from(shared, ends[row], sums[row]), chunk[row])
