"""Numbers that compare schedules: lower bounds and fairness indices, exact.

>>> makespan_lower_bound([3, 2, 2], 2), jain([1, 1, 2])
(Fraction(7, 2), Fraction(8, 9))
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..support.errors import InputError
from ..support.exact import Rational, rational, total
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
