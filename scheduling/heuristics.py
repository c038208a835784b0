"""Good schedules where the best one is out of reach, with a bound; deterministic.

Three starts are compared: ``A_Sigma``; the schedule that the first search of :mod:`.makespan` ends with; and, for
weighted goals, the jobs in the order of length over weight, each where it ends first. The best of them is improved by
moving one job or exchanging two, as long as that gains and the budget of trials lasts. Ties as in :mod:`.optimal` among
the schedules tried, which is no promise about the others.

>>> from consortium.scheduling.goals import Makespan
>>> allocation, upper = good_allocation(Cluster.of([1, 1]), [Fraction(b) for b in (3, 3, 2, 2, 2)], Makespan(), "sum")
>>> allocation.lists, upper
(((0, 1), (2, 3, 4)), Fraction(-6, 1))
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from .allocations import Allocation
from .clusters import Cluster
from .makespan import MakespanAnswer, smallest_makespan
from .sums import optimal_sum, sum_allocation
from .welfare import Goal, LeastTimes, Value

TRIALS = 2_000_000
"""Budget: schedules tried times jobs."""
NODES = 200_000
"""Budget of the search for a short schedule."""

Lists = tuple[tuple[int, ...], ...]


def good_allocation(
    cluster: Cluster, lengths: Sequence[Fraction], goal: Goal, ties: str = "sum"
) -> tuple[Allocation, Value]:
    """A schedule found by local search, and an upper bound on the optimal value.

    >>> from consortium.scheduling.goals import ExpressionGoal
    >>> goal = ExpressionGoal("-a*b", ("a", "b"))
    >>> good_allocation(Cluster.of([1]), [Fraction(2), Fraction(1)], goal)
    (Allocation(lists=((1, 0),)), inf)
    """

    def rank(lists: Lists) -> Any:
        allocation = Allocation(lists)
        ends = allocation.end_times(cluster, lengths)
        places = tuple((-machine, -position) for machine, position in allocation.places)
        return goal.value(ends), -sum(ends, Fraction(0)) if ties == "sum" else 0, places

    order, cost = range(len(lengths)), goal.cost(len(lengths))
    starts = [sum_allocation(cluster, lengths).lists, _short(cluster, lengths).allocation.lists]
    if cost is not None and cost.weights:
        weight = cost.weights
        smith = sorted(order, key=lambda j: (lengths[j] / weight[j] if weight[j] else math.inf, j))
        starts.append(_earliest_end(cluster, lengths, smith))
    lists = max(starts, key=rank)
    best, left = rank(lists), TRIALS // max(1, len(lengths))
    moved = True
    while moved and left > 0:
        moved = False
        for job in order:
            for trial in _moves(lists, job):
                left -= 1
                value = rank(trial)
                if value > best:
                    best, lists, moved = value, trial, True
            if left <= 0:
                break
    return Allocation(lists), upper_bound(cluster, lengths, goal)


def upper_bound(cluster: Cluster, lengths: Sequence[Fraction], goal: Goal) -> Value:
    """A value that no schedule exceeds; ``inf`` when nothing is known of the goal.

    >>> from consortium.scheduling.goals import LexicalMax
    >>> upper_bound(Cluster.of([1, 1]), [Fraction(3), Fraction(2)], LexicalMax())
    (Fraction(-3, 1), Fraction(-2, 1))
    """
    fastest = max(cluster.powers)
    alone = tuple(b / fastest for b in lengths)
    return goal.upper_bound(LeastTimes(alone, _short(cluster, lengths).lower, optimal_sum(cluster, lengths)))


def _short(cluster: Cluster, lengths: Sequence[Fraction]) -> MakespanAnswer:
    """A short schedule, without CP-SAT and so always the same."""
    return smallest_makespan(cluster, lengths, cp_sat=False, nodes=NODES)


def _earliest_end(cluster: Cluster, lengths: Sequence[Fraction], order: Sequence[int]) -> Lists:
    """Each job in turn to the machine on which it ends first, ties to the smallest index."""
    load = [Fraction(0)] * cluster.n_machines
    lists: list[list[int]] = [[] for _ in load]
    for job in order:
        m = min(range(len(load)), key=lambda m: ((load[m] + lengths[job]) / cluster.powers[m], m))
        load[m] += lengths[job]
        lists[m].append(job)
    return tuple(map(tuple, lists))


def _moves(lists: Lists, job: int) -> list[Lists]:
    """Every schedule with one job elsewhere, then every one in which it changes places with a later job."""
    without = [tuple(j for j in jobs if j != job) for jobs in lists]
    moves = []
    for m, jobs in enumerate(without):
        for position in range(len(jobs) + 1):
            changed = list(without)
            changed[m] = (*jobs[:position], job, *jobs[position:])
            if tuple(changed) != lists:
                moves.append(tuple(changed))
    for other in range(job + 1, sum(map(len, lists))):
        swap = {job: other, other: job}
        moves.append(tuple(tuple(swap.get(j, j) for j in jobs) for jobs in lists))
    return moves
