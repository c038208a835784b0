"""Compiled REF for psi_sp: the schedules of all coalitions, and what a coalition does at a moment of its own.

Per coalition ``C`` (a bit mask) the value, its unit parts and running jobs are kept lazily; per coalition and member
the same plus the queue position, touched only when that member starts or completes a job. Completions lie in one flat
array of binary heaps. A coalition is *contended* when several members wait for fewer machines than jobs; every other
coalition starts all it can, in any order, because utilities do not depend on it. For contended ones

    argmin over u of psi_u(C) - phi_u(C)  =  argmin over u of psi_u(C) + P(C without u),

with P the potential of Hart and Mas-Colell, times lcm(1..k) to stay in integers. P needs the values of strict subsets
at the moment that is compared, after their own decisions: :mod:`.ref` finds it moment by moment, :mod:`.ref_windows`
for many units of time at once.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ....support.jit import jit
from ..arrays import IntArray
from ..rules.books import POSITION, RUNNING, bring, worth
from .events import Jobs
from .heap import pop, push

# columns of ``whole`` (per coalition) and of ``part`` (per coalition and member) beside those of the books
HEAP: Final = 4  # whole: entries in the heap
WHOLE_COLUMNS: Final = 5
PART_COLUMNS: Final = 5  # up to POSITION, which counts jobs started

SHIFT: Final = 5  # a heap key is end * 32 + organization
FAR: Final = 2**62
LOW: Final = 2**31 - 1


class Constants(NamedTuple):
    """What does not change during a run, beside the jobs."""

    step: int  # 1: compare values at t + 1, 0: at t
    limbs: int  # 2: numbers are split into two words of 31 bits and the rest
    multiple: int  # lcm(1..k)
    every: int  # whether starts are recorded for every coalition
    windows: int  # the moment before which windows are still worth starting
    sizes: IntArray  # members of each mask
    base: IntArray  # where the heap of each mask begins


class Sites(NamedTuple):
    """Schedules in progress, indexed by mask; ``part`` by ``mask * k + organization``."""

    clock: IntArray
    known: IntArray  # released jobs of each organization
    heap: IntArray
    whole: IntArray
    part: IntArray
    soonest: IntArray  # next completion, or FAR
    free: IntArray
    start: IntArray  # the result, a row per coalition or one for the grand one


class Keys(NamedTuple):
    """What is compared among the members of one coalition: ``high * 2**31 + low``, or ``high`` with one limb."""

    high: IntArray
    low: IntArray


@jit
def complete(jobs: Jobs, fixed: Constants, sites: Sites, mask: int, t: int) -> None:
    """Free the machines of ``mask`` whose jobs end at ``t``."""
    b = fixed.base[mask]
    size = sites.whole[mask, HEAP]
    bring(sites.whole, mask, t)
    while size > 0 and sites.heap[b] >> SHIFT == t:
        row = mask * jobs.machines.size + (sites.heap[b] & 15)
        bring(sites.part, row, t)
        sites.part[row, RUNNING] -= 1
        sites.whole[mask, RUNNING] -= 1
        pop(sites.heap, b, size)
        size -= 1
        sites.free[mask] += 1
    sites.whole[mask, HEAP] = size
    sites.soonest[mask] = sites.heap[b] >> SHIFT if size > 0 else FAR


@jit
def begin(jobs: Jobs, fixed: Constants, sites: Sites, mask: int, u: int, t: int) -> None:
    """Start the next job of ``u`` in ``mask`` at ``t``."""
    row = mask * jobs.machines.size + u
    bring(sites.part, row, t)
    bring(sites.whole, mask, t)
    job = jobs.first[u] + sites.part[row, POSITION]
    sites.part[row, RUNNING] += 1
    sites.part[row, POSITION] += 1
    sites.whole[mask, RUNNING] += 1
    sites.free[mask] -= 1
    if fixed.every:
        sites.start[mask, job] = t
    elif mask == sites.free.size - 1:
        sites.start[0, job] = t
    end = t + jobs.length[job]
    if end < jobs.until:
        push(sites.heap, fixed.base[mask], sites.whole[mask, HEAP], (end << SHIFT) | u)
        sites.whole[mask, HEAP] += 1
        if end < sites.soonest[mask]:
            sites.soonest[mask] = end


@jit
def opens(jobs: Jobs, fixed: Constants, sites: Sites, known: IntArray, mask: int, t: int) -> bool:
    """Whether ``mask`` is contended at ``t``; if it is not, it starts all it can."""
    k = jobs.machines.size
    part, free = sites.part, sites.free
    waiting = 0
    organizations = 0
    for u in range(k):
        if mask >> u & 1 and known[u] > part[mask * k + u, POSITION]:
            waiting += known[u] - part[mask * k + u, POSITION]
            organizations += 1
    if waiting == 0 or free[mask] == 0:
        return False
    if organizations > 1 and waiting > free[mask]:
        return True
    for u in range(k):
        if mask >> u & 1:
            while free[mask] > 0 and known[u] > part[mask * k + u, POSITION]:
                begin(jobs, fixed, sites, mask, u, t)
    return False


@jit
def decide(jobs: Jobs, fixed: Constants, sites: Sites, known: IntArray, keys: Keys, mask: int, t: int) -> None:
    """Start jobs of the member with the smallest key until machines or jobs run out; ties go to the lowest index.

    ``keys`` come with what is added to ``lcm * psi_u``.
    """
    k = jobs.machines.size
    high, low = keys
    two = fixed.limbs == 2
    for u in range(k):
        if mask >> u & 1:
            psi = worth(sites.part, mask * k + u, t + fixed.step)
            if two:
                total = low[u] + fixed.multiple * (psi & LOW)
                high[u] += fixed.multiple * (psi >> 31) + (total >> 31)
                low[u] = total & LOW
            else:
                high[u] += fixed.multiple * psi
    while sites.free[mask] > 0:
        best = -1
        for u in range(k):
            if mask >> u & 1 and known[u] > sites.part[mask * k + u, POSITION]:  # noqa: SIM102
                if best < 0 or high[u] < high[best] or (two and high[u] == high[best] and low[u] < low[best]):
                    best = u
        if best < 0:
            return
        begin(jobs, fixed, sites, mask, best, t)
        if fixed.step and two:
            total = low[best] + fixed.multiple
            high[best] += total >> 31
            low[best] = total & LOW
        elif fixed.step:
            high[best] += fixed.multiple
