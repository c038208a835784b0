"""Shapley values of a game given by an array over coalitions.

Model: coalition ``C`` is a bit mask, player ``u`` is bit ``u``; ``values[C]`` is an integer and ``values[0] == 0``. The
potential of Hart and Mas-Colell, ``|C| P(C) = v(C) + sum of P(C without u)``, gives the Shapley values of all players
in all coalitions at once: ``phi_u(C) = P(C) - P(C without u)``. ``lcm(1..k) * P`` is always an integer.

>>> shapley_values([0, 0, 0, 1])  # two players who need each other
[Fraction(1, 2), Fraction(1, 2)]

References
----------
S. Hart, A. Mas-Colell, "Potential, value, and consistency", Econometrica 57, 1989.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import factorial

import numpy as np

from .compiled import AnyIntArray, IntArray, compiled
from .ranges import common_multiple


def scaled_potentials(values: Sequence[int]) -> list[int]:
    """``lcm(1..k) * P(C)`` for every coalition, in Python's integers of any size."""
    k = (len(values) - 1).bit_length()
    multiple = common_multiple(k)
    potentials = [0] * len(values)
    for mask in range(1, len(values)):
        total, rest, size = multiple * int(values[mask]), mask, 0
        while rest:
            bit = rest & -rest
            total += potentials[mask ^ bit]
            rest ^= bit
            size += 1
        potentials[mask] = total // size  # exact: a known divisibility of Shapley weights
    return potentials


@compiled
def fill_potentials(values: IntArray, multiple: int, potentials: IntArray) -> None:
    """Compiled :func:`scaled_potentials`; the caller proves that ``k * lcm * H(k) * max |v|`` fits int64."""
    for mask in range(1, values.size):
        total = multiple * values[mask]
        rest = mask
        size = 0
        while rest:
            bit = rest & -rest
            total += potentials[mask ^ bit]
            rest ^= bit
            size += 1
        potentials[mask] = total // size


@compiled
def fold(weighted: IntArray, members: int, containing: IntArray) -> None:
    """Sums over the subsets that contain each member, all members in about ``2 * 2**members`` additions.

    ``weighted[i]`` belongs to the subset whose bits are ``i``; on return ``containing[b]`` is the sum over all ``i``
    with bit ``b``. Overwrites ``weighted``.
    """
    for b in range(members - 1, -1, -1):
        half = 1 << b
        total = 0
        for i in range(half):
            x = weighted[half + i]
            total += x
            weighted[i] += x
        containing[b] = total


def shapley_values(values: Sequence[int] | AnyIntArray) -> list[Fraction]:
    """Shapley value of every player in the grand coalition, exact, by sums per coalition size.

    Works for any integers; int64 arrays are split into limbs so that the sums cannot overflow.
    """
    k = (len(values) - 1).bit_length()
    masks = np.arange(len(values), dtype=np.int64)
    sizes = np.zeros(len(values), dtype=np.int64)
    for u in range(k):
        sizes += (masks >> u) & 1
    array = np.asarray(values)
    limbs = [(array, 0)] if array.dtype == object else [(array >> 31, 31), (array & (2**31 - 1), 0)]

    def by_size(chosen: AnyIntArray) -> list[int]:
        sums = [0] * (k + 1)
        for s in range(1, k + 1):
            at = chosen & (sizes == s)
            sums[s] = sum(int(limb[at].sum()) << shift for limb, shift in limbs)
        return sums

    everybody = by_size(masks >= 0)
    result = []
    for u in range(k):
        with_u = by_size((masks >> u) & 1 == 1)
        total = 0
        for s in range(1, k + 1):
            total += factorial(s - 1) * factorial(k - s) * with_u[s]
            if s < k:
                total -= factorial(s) * factorial(k - s - 1) * (everybody[s] - with_u[s])
        result.append(Fraction(total, factorial(k)))
    return result


def fold_weights(k: int) -> IntArray:
    """``weights[n, s] = lcm(1..k) (s - 1)! (n - s)! / n!`` for ``1 <= s <= n < k``: the potential's weights."""
    multiple = common_multiple(k)
    weights = np.zeros((k + 1, k + 1), dtype=np.int64)
    for n in range(1, k):
        for s in range(1, n + 1):
            weights[n, s] = multiple * factorial(s - 1) * factorial(n - s) // factorial(n)
    return weights
