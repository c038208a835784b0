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
from typing import Final

import numpy as np

from ...support.jit import lean, quickest
from .arrays import AnyIntArray, IntArray
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


@lean
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


@lean
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
    """Shapley value of every player in the grand coalition, exact.

    int64 values of up to 22 players take the compiled fold, split into two limbs so that no sum can overflow; anything
    else takes the potentials in Python's integers.
    """
    k = (len(values) - 1).bit_length()
    multiple = common_multiple(k)
    try:
        array = np.asarray(values, dtype=np.int64)
    except OverflowError:
        array = None
    if array is None or k > FOLD_MAX or array.tolist()[:1] != [0]:
        potentials = scaled_potentials([int(v) for v in values])
        return [Fraction(potentials[-1] - potentials[-1 - (1 << u)], multiple) for u in range(k)]
    joining, leaving = _weights_by_size(k)
    sizes = np.zeros(len(array), dtype=np.int64)
    for u in range(k):
        sizes[1 << u : 2 << u] = sizes[: 1 << u] + 1
    with_player, others = [0] * k, 0
    for limb, shift in ((array >> 31, 31), (array & (2**31 - 1), 0)):
        containing = np.zeros(k, dtype=np.int64)
        quickest(fold, k << k)((joining + leaving)[sizes] * limb, k, containing)
        with_player = [total + (int(part) << shift) for total, part in zip(with_player, containing, strict=True)]
        others += int((leaving[sizes] * limb).sum()) << shift
    return [Fraction(total - others, multiple) for total in with_player]


FOLD_MAX: Final = 22
"""Most players for which ``lcm(1..k)`` times a harmonic number leaves room for a limb of 32 bits."""


def _weights_by_size(k: int) -> tuple[IntArray, IntArray]:
    """``lcm * (s - 1)! (k - s)! / k!`` and ``lcm * s! (k - s - 1)! / k!`` by size of the coalition, integers."""
    multiple = common_multiple(k)
    joining, leaving = np.zeros(k + 1, dtype=np.int64), np.zeros(k + 1, dtype=np.int64)
    for s in range(k + 1):
        if s > 0:
            joining[s] = multiple * factorial(s - 1) * factorial(k - s) // factorial(k)
        if s < k:
            leaving[s] = multiple * factorial(s) * factorial(k - s - 1) // factorial(k)
    return joining, leaving


def fold_weights(k: int) -> IntArray:
    """``weights[n, s] = lcm(1..k) (s - 1)! (n - s)! / n!`` for ``1 <= s <= n < k``: the potential's weights."""
    multiple = common_multiple(k)
    weights = np.zeros((k + 1, k + 1), dtype=np.int64)
    for n in range(1, k):
        for s in range(1, n + 1):
            weights[n, s] = multiple * factorial(s - 1) * factorial(n - s) // factorial(n)
    return weights
