"""Filling machines to the brim: a lower bound, and where jobs are many for each machine a schedule that meets it.

The bound: by ``t`` no machine does more work than the largest sum of jobs that its capacity holds. The schedule: one
machine after the other gets jobs of the largest such sum, long ones first; what that leaves over is short and fills the
last machines. Sums of jobs are the bits of one integer, so a machine costs as many shifts as jobs are left.

>>> fill((5, 4, 3, 3, 3), (1, 1), 9, fastest=True)
[0, 0, 1, 1, 1]
>>> fill((5, 5, 5), (1, 1), 9, fastest=True) is None
True
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

AFFORDABLE: Final = 10**8
"""Jobs times work up to which machines are filled, which takes some hundredths of a second."""
TRIES: Final = 8
"""Bounds that are tried."""


def affordable(work: Sequence[int]) -> bool:
    """Whether the sums of these jobs are few enough to be kept."""
    return len(work) * sum(work) <= AFFORDABLE


def raised(work: Sequence[int], per_work: Sequence[int], lower: int, upper: int) -> int:
    """The first bound from ``lower`` on by which the machines, each for itself, could do all work; at most ``upper``.

    >>> raised((8, 8), (1, 3), 12, 16)
    16
    """
    sums = 1
    for w in work:
        sums |= sums << w
    total = sum(work)
    while lower < upper:
        t = (lower + upper) // 2
        if sum((sums & ((2 << t // q) - 1)).bit_length() - 1 for q in per_work) >= total:
            upper = t
        else:
            lower = t + 1
    return lower


def fill(work: Sequence[int], per_work: Sequence[int], t: int, *, fastest: bool) -> list[int] | None:
    """A machine for each job such that all end by ``t``, or None where filling leaves jobs over.

    Among the sets of the largest sum a machine gets the lexicographically first.

    Parameters
    ----------
    work, per_work
        Integer work, longest first, and time per unit of work of each machine.
    t
        The bound, in the unit of the two together.
    fastest
        Whether machines are filled in the order of speed, fastest or slowest first.
    """
    machine, rest = [-1] * len(work), list(range(len(work)))
    slack = sum(t // q for q in per_work) - sum(work)
    for m in sorted(range(len(per_work)), key=lambda m: per_work[m], reverse=not fastest):
        capacity = t // per_work[m]
        sums = [1]  # bit s: some of the last jobs have the sum s
        for job in reversed(rest):
            sums.append((sums[-1] | sums[-1] << work[job]) & ((2 << capacity) - 1))
        left = sums.pop().bit_length() - 1
        slack -= capacity - left
        if slack < 0:
            return None
        kept = []
        for job in rest:
            after = sums.pop()
            if left >= work[job] and after >> (left - work[job]) & 1:
                machine[job] = m
                left -= work[job]
            else:
                kept.append(job)
        rest = kept
    return machine


def best_fill(work: Sequence[int], per_work: Sequence[int], lower: int, upper: int) -> list[int] | None:
    """Machines of the best schedule that filling finds, better than ``upper``, or None.

    The lower bound is tried first, then what lies half-way between the bounds that failed and those that were met.
    """
    found, most = None, upper
    t = lower
    for _ in range(TRIES):
        if not lower <= t < most:
            break
        machine = fill(work, per_work, t, fastest=True) or fill(work, per_work, t, fastest=False)
        if machine is None:
            lower = t + 1
        else:
            found, most = machine, t
        t = (lower + most) // 2
    return found
