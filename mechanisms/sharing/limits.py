"""How large the numbers of a run can become, and which arithmetic is safe: known before it starts.

Utility grows with the square of time. Over ``T`` units of time on ``M`` machines no coalition's value
exceeds ``M T (T + 1) / 2``, and no coalition's value exceeds what all jobs would yield if each started at its release;
:func:`value_bound` is the smaller of the two. REF compares ``lcm(1..k-1)`` times potentials, which needs about 20 bits
more for sixteen organizations and 24 for eighteen. :func:`ref_arithmetic` and :func:`plain_needed` decide from these
bounds alone which arithmetic is safe, so no answer can wrap around.

>>> value_bound(SharingInstance.of([1], [[(0, 4)]]), until=4)  # parts worth 4 + 3 + 2 + 1
10
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from ...support.errors import TooLargeError
from ...support.exact import INT64_MAX
from .instance import NARROW, AnyIntArray, IntArray, SharingInstance, at_most
from .orderings import common_multiple

SPAN_MAX: Final = 2**31 - 1
"""Longest time span, from the first release to the end, that the compiled kernels take."""
BITS: Final = 24
"""Of a digit of decayed usage. A digit times a number of machines, or times a moment below ``2**31``, is far from the
end of int64."""
HALVINGS_MAX: Final = 100_000
"""Usage may halve at most so often in one run."""

LIMIT: Final = 2**32
"""Most bytes that a run may take."""
WORD: Final = 8
PER_JOB: Final = 16 * WORD
"""Columns of the instance, of a kernel and of the schedule."""
PER_MACHINE: Final = 3 * WORD
"""Owner, user, and place in the list of the free, where a rule names machines."""
PER_SCHEDULE: Final = 16 * WORD
"""Books of one coalition, and of each of its members."""


def origin(instance: SharingInstance, until: int) -> int:
    """First release before ``until`` (or ``until``): nothing happens earlier, and only differences of times matter.

    It is 0 where machine time was used before.
    """
    if instance.used_before:
        return 0
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
    return min(by_machines, exact_sum(terms))


def exact_sum(values: AnyIntArray) -> int:
    """Sum of non-negative integers; int64 ones in two limbs, which cannot overflow."""
    return (int((values >> 31).sum()) << 31) + int((values & (2**31 - 1)).sum())


def plain_needed(instance: SharingInstance, until: int, factor: int = 1) -> bool:
    """Whether ``factor`` times a value, or a moment, may leave int64, so that only Python's integers are safe."""
    span = until - origin(instance, until)
    return until > NARROW or span > SPAN_MAX or factor * value_bound(instance, until) > INT64_MAX


def ref_arithmetic(instance: SharingInstance, until: int) -> str:
    """Arithmetic for REF: ``"int64"``, ``"two-limbs"`` (two int64 per number) or ``"python"``.

    Both bounds on a value add up over members, and in a potential the weights of the coalitions that contain a member
    sum to 1. So a potential is within the bounds on a value, and at most ``k`` numbers of that size are added. Limbs of
    31 bits leave room for the same sums, times a harmonic number, of 18 organizations.
    """
    if plain_needed(instance, until, 2):
        return "python"
    k = instance.n_organizations
    largest = k * common_multiple(max(1, k - 1)) * (value_bound(instance, until) + 1)
    return "int64" if largest <= INT64_MAX else "two-limbs"


def running_at_most(instance: SharingInstance) -> IntArray:
    """Jobs that can run at once in the schedule of every coalition, by mask."""
    return np.minimum(over_members(instance.machines), over_members(np.diff(instance.first).tolist()))


def over_members(per_organization: Sequence[int]) -> IntArray:
    """Sum over the members of every coalition, by mask."""
    total = np.zeros(2 ** len(per_organization), dtype=np.int64)
    for u, x in enumerate(per_organization):
        total[1 << u : 2 << u] = total[: 1 << u] + x
    return total


def digits_behind(half_life: int) -> int:
    """Digits behind the point of a power: ``64 + 4 log2(half_life)`` bits or more.

    One unit of time changes a power by a part of ``1 / half_life``. Differences of differences of powers, which decide
    between organizations that ran alike, are smaller by this factor again and again.
    """
    return -(-(64 + 4 * half_life.bit_length()) // BITS)


def decayed_digits(half_life: int, span: int, instance: SharingInstance) -> int:
    """Digits of a number: for any sum over the jobs, and over what was used before, of powers times a moment.

    Raises TooLargeError where usage would halve more than :data:`HALVINGS_MAX` times.
    """
    halvings = (span + 2) // half_life
    if halvings > HALVINGS_MAX:
        raise TooLargeError(
            f"decay: usage would halve {halvings:,} times until the end, at most {HALVINGS_MAX:,}; "
            "give a longer half-life"
        )
    jobs = instance.n_jobs + sum(instance.used(half_life))
    bits = BITS * (digits_behind(half_life) + 1) + halvings + (span + 3).bit_length() + (2 * jobs + 2).bit_length()
    return bits // BITS + 2
