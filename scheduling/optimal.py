"""Optimal efficient schedules for a welfare goal, with the tie rule as part of the answer.

Model: among all efficient schedules (ordered lists per machine, no idle time) the one whose ending times maximise the
goal. An allocation rule must be a function, so ties are settled by rule, not by accident:

* ``ties="sum"``: the smallest sum of ending times first, then the lexicographically smallest vector of places
  ``((machine of job 0, position), (machine of job 1, position), ...)``;
* ``ties="listed"``: only the latter.

``S(b)``, the smallest sum of ending times, is a matching: sort the multipliers ``i / c_m`` (``i = 1, 2, ...`` counts
from the end of machine ``m``), take the ``N`` smallest, and give the largest job the smallest multiplier.

>>> from consortium.scheduling.clusters import Cluster
>>> from consortium.scheduling.welfare import Makespan
>>> cluster = Cluster.of([1, 2])
>>> optimal_sum(cluster, [1, 2, 3])
Fraction(9, 2)
>>> optimal_allocation(cluster, [1, 2, 3], Makespan()).allocation.lists
((1,), (0, 2))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from .allocations import Allocation, allocations, n_allocations
from .clusters import Cluster, check_lengths
from .errors import TooLargeError, unknown_name
from .exact import Rational, scale
from .progress import Progress
from .welfare import Goal, SumOfTimes, Value

Ties: TypeAlias = Literal["sum", "listed"]
MAX_SCHEDULES = 500_000
"""Most schedules that the enumeration of an arbitrary goal goes through."""


@dataclass(frozen=True)
class Optimum:
    """An allocation with what is known of its value.

    Attributes
    ----------
    allocation
        The schedule found.
    value
        The goal at its ending times (maximised).
    lower, upper
        Bounds on the optimal value; ``lower`` is ``value``, and equal bounds mean that the value is optimal.
    proven
        Whether the allocation is the optimal one under the tie rule.
    method
        How it was found.
    """

    allocation: Allocation
    value: Value
    lower: Value
    upper: Value
    proven: bool
    method: str


def optimal_sum(cluster: Cluster, lengths: Sequence[Rational]) -> Fraction:
    """Smallest sum of ending times ``S(b)``, in units of time; 0 without jobs.

    >>> optimal_sum(Cluster.of([1]), [2, 3])
    Fraction(7, 1)
    """
    exact = check_lengths(lengths)
    work, work_unit = scale(exact)
    per_work, time_unit = scale([1 / power for power in cluster.powers])
    multipliers = sorted(i * q for q in per_work for i in range(1, len(work) + 1))
    total = sum(v * b for v, b in zip(multipliers, sorted(work, reverse=True), strict=False))
    return Fraction(total, work_unit * time_unit)


def sum_allocation(cluster: Cluster, lengths: Sequence[Rational]) -> Allocation:
    """The schedule with the smallest sum of ending times whose vector of places is lexicographically smallest.

    >>> sum_allocation(Cluster.of([1, 2]), [1, 1, 1]).lists
    ((0,), (1, 2))
    """
    return optimal_allocation(cluster, lengths, SumOfTimes(), ties="listed").allocation


def optimal_allocation(
    cluster: Cluster,
    lengths: Sequence[Rational],
    goal: Goal,
    ties: Ties = "sum",
    heuristic: bool = False,
    *,
    progress: Progress | None = None,
) -> Optimum:
    """The efficient schedule that maximises ``goal``; see the module's text for the tie rules.

    Raises
    ------
    TooLargeError
        Exact optimisation is out of reach at this size; raised before any work.
    InputError
        A length that is not positive.

    Examples
    --------
    >>> from consortium.scheduling.welfare import WeightedSum
    >>> optimal_allocation(Cluster.of([1]), [3, 3], WeightedSum((1, 9))).allocation.lists
    ((1, 0),)
    """
    if ties not in ("sum", "listed"):
        raise unknown_name("ties", ties, ("sum", "listed"))
    exact = check_lengths(lengths)
    size = n_allocations(len(exact), cluster.n_machines)
    if size > MAX_SCHEDULES:
        raise TooLargeError(
            f"goal {goal.id!r}: {len(exact)} jobs on {cluster.n_machines} machines have {size} schedules; "
            f"the limit of the enumeration is {MAX_SCHEDULES}"
        )
    return _enumerate(cluster, exact, goal, ties)


def _enumerate(cluster: Cluster, lengths: tuple[Fraction, ...], goal: Goal, ties: Ties) -> Optimum:
    best: tuple[Value, Fraction, Allocation] | None = None
    for lists in allocations(len(lengths), cluster.n_machines):
        allocation = Allocation(lists)
        ends = allocation.end_times(cluster, lengths)
        value, total = goal.value(ends), sum(ends, Fraction(0)) if ties == "sum" else Fraction(0)
        if (
            best is None
            or value > best[0]  # type: ignore[operator]
            or (value == best[0] and (total, allocation.places) < (best[1], best[2].places))
        ):
            best = value, total, allocation
    assert best is not None  # there is always at least one schedule
    return Optimum(best[2], best[0], best[0], best[0], True, "enumeration")
