"""How large the integers of a run can become, and how many jobs can run at once, proved before the run starts.

Utility grows with the square of time. Over ``T`` units of time on ``M`` machines no coalition's value exceeds
``M T (T + 1) / 2``, and no coalition's value exceeds what all jobs would yield if each started at its release;
:func:`value_bound` is the smaller of the two. REF compares ``lcm(1..k)`` times Shapley values, which needs about 20
bits more for sixteen organizations and 24 for eighteen. :func:`ref_arithmetic`, :func:`potentials_fit` and
:func:`plain_needed` decide from these bounds alone which arithmetic is safe, so no answer can wrap around.

>>> from .instance import SharingInstance
>>> value_bound(SharingInstance.of([1], [[(0, 4)]]), until=4)  # parts worth 4 + 3 + 2 + 1
10
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import numpy as np

from ...support.exact import INT64_MAX
from .arrays import NARROW, IntArray, at_most
from .instance import SharingInstance

SPAN_MAX: Final = 2**31 - 1
"""Longest time span, from the first release to the end, that the compiled kernels take."""


def origin(instance: SharingInstance, until: int) -> int:
    """First release before ``until`` (or ``until``): nothing happens earlier, and only differences of times matter."""
    return min(int(instance.release.min()), until) if instance.n_jobs else until


def value_bound(instance: SharingInstance, until: int) -> int:
    """Upper bound on every utility and every coalition's value at ``until`` under any schedule."""
    span = until - origin(instance, until)
    by_machines = instance.n_machines * span * (span + 1) // 2
    if span > SPAN_MAX:
        return by_machines
    left = (until - at_most(instance.release, until)).astype(np.int64, copy=False)
    parts = np.minimum(at_most(instance.length, span), left)
    terms = parts * (2 * left - parts + 1) // 2  # below 2**62, because left < 2**31
    by_jobs = (int((terms >> 31).sum()) << 31) + int((terms & (2**31 - 1)).sum())
    return min(by_machines, by_jobs)


def common_multiple(k: int) -> int:
    """Least common multiple of 1..k: it makes every Shapley value and potential of an integer game an integer."""
    return math.lcm(*range(1, k + 1))


def harmonic(n: int) -> Fraction:
    """1 + 1/2 + ... + 1/n."""
    return sum((Fraction(1, i) for i in range(1, n + 1)), Fraction(0))


def plain_needed(instance: SharingInstance, until: int, factor: int = 1) -> bool:
    """Whether ``factor`` times a value, or a moment, may leave int64, so that only Python's integers are safe."""
    span = until - origin(instance, until)
    return until > NARROW or span > SPAN_MAX or factor * value_bound(instance, until) > INT64_MAX


def ref_arithmetic(instance: SharingInstance, until: int) -> str:
    """Arithmetic for REF: ``"int64"``, ``"two-limbs"`` (two int64 per number) or ``"python"``.

    A folded sum stays below ``lcm * H(k - 1)`` values; it is subtracted from ``lcm`` times a utility, and neither is
    negative. Two limbs of 31 bits
    hold every intermediate result for up to 18 organizations as long as a value itself fits.
    """
    k = instance.n_organizations
    if plain_needed(instance, until, 2):
        return "python"
    scaled = common_multiple(k) * max(harmonic(k - 1), Fraction(1)) * (value_bound(instance, until) + 1)
    return "int64" if scaled <= INT64_MAX else "two-limbs"


def potentials_fit(instance: SharingInstance, until: int) -> bool:
    """Whether the windows of REF are right in int64: ``lcm(1..k)`` times every potential is below ``2**60``.

    Both bounds on a value add up over members, and the weights of the coalitions that contain a member sum to 1, so
    that a potential is within the bounds on a value.
    """
    return common_multiple(instance.n_organizations) * (value_bound(instance, until) + 1) < 2**60


def running_at_most(instance: SharingInstance) -> IntArray:
    """Jobs that can run at once in the schedule of every coalition, by mask."""
    return np.minimum(over_members(instance.machines), over_members(np.diff(instance.first).tolist()))


def over_members(per_organization: Sequence[int]) -> IntArray:
    """Sum over the members of every coalition, by mask."""
    total = np.zeros(2 ** len(per_organization), dtype=np.int64)
    for u, x in enumerate(per_organization):
        total[1 << u : 2 << u] = total[: 1 << u] + x
    return total
