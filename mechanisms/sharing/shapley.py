"""Shapley values of a game that is an array over coalitions.

Model: coalition ``C`` is a bit mask, player ``u`` is bit ``u``; ``values[C]`` is an integer and ``values[0] == 0``. The
Shapley value of a player is the mean over all orderings of what it adds to those before it, and so a weighted sum of
values in which a weight depends on the coalition's size and on whether the player belongs to it. Everything is exact;
the least common multiple of 1..k makes all weights integers.

>>> shapley_values([0, 0, 0, 1])  # two players who need each other
[Fraction(1, 2), Fraction(1, 2)]
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import factorial, lcm

from .instance import AnyIntArray


def common_multiple(k: int) -> int:
    """Least common multiple of 1..k: it makes every Shapley value and potential of an integer game an integer."""
    return lcm(*range(1, k + 1))


def weights_by_size(k: int) -> tuple[list[int], list[int]]:
    """``lcm * (s - 1)! (k - s)! / k!`` for members and ``lcm * s! (k - s - 1)! / k!`` for others, by size ``s``."""
    multiple, every = common_multiple(k), factorial(k)
    joining = [multiple * factorial(s - 1) * factorial(k - s) // every if s else 0 for s in range(k + 1)]
    leaving = [multiple * factorial(s) * factorial(k - s - 1) // every if s < k else 0 for s in range(k + 1)]
    return joining, leaving


def shapley_values(values: Sequence[int] | AnyIntArray) -> list[Fraction]:
    """Shapley value of every player in the grand coalition, in integers of any size."""
    k = (len(values) - 1).bit_length()
    by_size = [[0] * (k + 1) for _ in range(k)]  # sums of values of coalitions with a player
    total = [0] * (k + 1)
    for mask, value in enumerate(map(int, values)):
        size = mask.bit_count()
        total[size] += value
        for u in range(k):
            if mask >> u & 1:
                by_size[u][size] += value
    joining, leaving = weights_by_size(k)
    without = sum(x * weight for x, weight in zip(total, leaving, strict=True))
    both = [a + b for a, b in zip(joining, leaving, strict=True)]
    shares = [sum(x * weight for x, weight in zip(sums, both, strict=True)) - without for sums in by_size]
    return [Fraction(share, common_multiple(k)) for share in shares]
