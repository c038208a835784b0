"""What compares schedules: lower bounds, fairness, and Pareto dominance between points of integers; exact.

>>> makespan_lower_bound([3, 2, 2], 2), jain([1, 1, 2])
(Fraction(7, 2), Fraction(8, 9))
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from ..support.errors import InputError
from ..support.exact import Rational, fits_int64, rational, total
from .clusters import Cluster, check_lengths


def work_bound(lengths: Sequence[Rational], machines: int | Cluster) -> Fraction:
    """Total work over total power: no schedule ends earlier. ``machines``: a cluster, or how many of power 1.

    >>> work_bound([3, 2], Cluster.of([1, "3/2"]))
    Fraction(2, 1)
    """
    cluster = machines if isinstance(machines, Cluster) else Cluster.of([1] * machines)
    return total(check_lengths(lengths)) / total(cluster.powers)


def makespan_lower_bound(lengths: Sequence[Rational], machines: int | Cluster) -> Fraction:
    """Largest over ``k`` of the ``k`` longest jobs' work over the power of the ``k`` fastest machines; 0 without jobs.

    The last term, with all jobs and machines, is the work bound. On identical machines of power 1 it is
    ``max(sum / M, longest)``.

    >>> makespan_lower_bound([5, 1], 3)
    Fraction(5, 1)
    >>> makespan_lower_bound([4, 4], Cluster.of([4, 1]))
    Fraction(8, 5)
    """
    exact = sorted(check_lengths(lengths), reverse=True)
    if isinstance(machines, int) and machines > 0:  # no need to make a cluster of them
        return max([total(exact) / machines, *exact[:1]])
    cluster = machines if isinstance(machines, Cluster) else Cluster.of([1] * machines)
    powers = sorted(cluster.powers, reverse=True)
    best = total(exact) / total(powers)
    work = power = Fraction(0)
    for length, speed in zip(exact, powers, strict=False):
        work, power = work + length, power + speed
        best = max(best, work / power)
    return best


def jain(values: Sequence[Rational]) -> Fraction:
    """Jain's fairness index ``(sum x)**2 / (n * sum x**2)``: 1 when all are equal, ``1/n`` when one has everything.

    Raises InputError without values, for a negative one, and when all are 0.

    >>> jain([2, 2]), jain([1, 0])
    (Fraction(1, 1), Fraction(1, 2))
    """
    exact = [rational(x, f"values[{i}]") for i, x in enumerate(values, 1)]
    for i, x in enumerate(exact, 1):
        if x < 0:
            raise InputError(f"values[{i}]: found {x}; expected a number >= 0")
    squares = total([x * x for x in exact])
    if squares == 0:
        raise InputError("values: expected at least one number > 0")
    return total(exact) ** 2 / (len(exact) * squares)


Point: TypeAlias = tuple[int, ...]


def non_dominated(points: Iterable[Point]) -> tuple[Point, ...]:
    """The points that no other dominates (Cordeiro 2012, definition 2.6), each once, in lexicographic order.

    >>> non_dominated([(1, 2), (1, 3), (0, 4)])
    ((0, 4), (1, 2))
    """
    ordered = sorted(set(points))  # a dominating point comes earlier in lexicographic order
    width = len(ordered[0]) if ordered else 0
    if width <= 3:
        return tuple(_staircase(ordered, width))
    import numpy as np

    small = fits_int64(*(max(abs(x) for x in column) for column in zip(*ordered, strict=True)))
    table = np.array(ordered, np.int64 if small else object)
    kept: list[int] = []
    for row in range(len(ordered)):
        if not (table[kept] <= table[row]).all(axis=1).any():
            kept.append(row)
    return tuple(ordered[row] for row in kept)


def _staircase(ordered: Sequence[Point], width: int) -> Iterator[Point]:
    """Up to three coordinates: whoever comes earlier is no worse in the first, so a staircase of the others decides."""
    seconds: list[int] = []  # increasing, while their thirds decrease
    thirds: list[int] = []
    for point in ordered:
        second, third = point[1] if width > 1 else 0, point[2] if width > 2 else 0
        place = bisect_right(seconds, second)
        if place and thirds[place - 1] <= third:
            continue
        first = place - 1 if place and seconds[place - 1] == second else place
        last = place
        while last < len(thirds) and thirds[last] >= third:
            last += 1
        seconds[first:last], thirds[first:last] = [second], [third]
        yield point
