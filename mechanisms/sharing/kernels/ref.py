"""Compiled REF for psi_sp: schedules of all coalitions, moment by moment, potentials only where they decide something.

Per coalition ``C`` (a bit mask) the value, its unit parts and running jobs are kept lazily; per coalition and member
the same plus the queue position, touched only when that member starts or completes a job. Completions lie in one flat
array of binary heaps. All coalitions go through the same moments, those with a completion in any of them or a release.
A coalition is *contended* when several members wait for fewer machines than jobs; every other coalition starts all it
can, in any order, because utilities do not depend on it. For contended ones

    argmin over u of psi_u(C) - phi_u(C)  =  argmin over u of psi_u(C) + P(C without u),

with P the potential of Hart and Mas-Colell, ``|S| P(S) = v(S) + sum over u of P(S without u)``, times
``lcm(1..k-1)`` to stay in integers. It needs the values of strict subsets at the moment that is compared, after their
own decisions; these have smaller masks. Potentials of a moment are computed once, for subsets of contended coalitions
only. That takes most of the time from a dozen organizations on; up to ten, sharing potentials between units of time
or threads gains nothing.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ....support.jit import jit, lean
from ....support.progress import Progress
from ..instance import IntArray, SharingInstance
from ..limits import over_members, running_at_most
from ..orderings import common_multiple
from .events import (
    DONE,
    ENTRIES,
    LAST,
    NEXT_RELEASE,
    NOW,
    PARTS,
    POSITION,
    PSI,
    RUNNING,
    Coalitions,
    Jobs,
    Run,
    accrue,
    advance,
    jobs_of,
    moments,
    pop,
    push,
    worth,
)

HEAP: Final = 4  # column of ``whole`` beside those of the books: entries in the heap
SHIFT: Final = 5  # a heap key is end * 32 + organization
FAR: Final = 2**62
LOW: Final = 2**31 - 1


class Constants(NamedTuple):
    """What does not change during a run. Times count from the first release."""

    k: int
    until: int
    first: IntArray  # jobs of an organization are first[u]:first[u + 1]
    length: IntArray
    step: int  # 1: compare values at t + 1, 0: at t
    limbs: int  # 2: numbers are split into two words, of 31 bits and the rest
    multiple: int  # lcm(1..k - 1)
    sizes: IntArray  # members of each mask
    base: IntArray  # where the heap of each mask begins


class Sites(NamedTuple):
    """Schedules in progress, indexed by mask; ``part`` by ``mask * k + organization``."""

    clock: IntArray
    released: IntArray  # released jobs of each organization
    heap: IntArray
    whole: IntArray
    part: IntArray
    soonest: IntArray  # next completion, or FAR
    free: IntArray
    start: IntArray  # the result: of each job in the grand coalition, -1 before


class Work(NamedTuple):
    """What is overwritten from moment to moment. Numbers have a high and a low limb, or the first only."""

    contended: IntArray
    stamp: IntArray  # the moment whose potential stands in the next
    potential: IntArray  # (2, 2**k)
    keys: IntArray  # (2, k): what is compared among the members of one coalition


@jit
def complete(fixed: Constants, sites: Sites, mask: int, t: int) -> None:
    """Free the machines of ``mask`` whose jobs end at ``t``."""
    b = fixed.base[mask]
    size = sites.whole[mask, HEAP]
    accrue(sites.whole, mask, t)
    while size > 0 and sites.heap[b] >> SHIFT == t:
        row = mask * fixed.k + (sites.heap[b] & 31)
        accrue(sites.part, row, t)
        sites.part[row, RUNNING] -= 1
        sites.whole[mask, RUNNING] -= 1
        pop(sites.heap, b, size)
        size -= 1
        sites.free[mask] += 1
    sites.whole[mask, HEAP] = size
    sites.soonest[mask] = sites.heap[b] >> SHIFT if size > 0 else FAR


@jit
def begin(fixed: Constants, sites: Sites, mask: int, u: int, t: int) -> None:
    """Start the next job of ``u`` in ``mask`` at ``t``."""
    row = mask * fixed.k + u
    accrue(sites.part, row, t)
    accrue(sites.whole, mask, t)
    job = fixed.first[u] + sites.part[row, POSITION]
    sites.part[row, RUNNING] += 1
    sites.part[row, POSITION] += 1
    sites.whole[mask, RUNNING] += 1
    sites.free[mask] -= 1
    if mask == sites.free.size - 1:
        sites.start[job] = t
    end = t + fixed.length[job]
    if end < fixed.until:
        push(sites.heap, fixed.base[mask], sites.whole[mask, HEAP], (end << SHIFT) | u)
        sites.whole[mask, HEAP] += 1
        if end < sites.soonest[mask]:
            sites.soonest[mask] = end


@jit
def is_contended(fixed: Constants, sites: Sites, mask: int, t: int) -> bool:
    """Whether ``mask`` is contended at ``t``; if it is not, it starts all it can."""
    k = fixed.k
    released, part, free = sites.released, sites.part, sites.free
    waiting = 0
    organizations = 0
    for u in range(k):
        if mask >> u & 1 and released[u] > part[mask * k + u, POSITION]:
            waiting += released[u] - part[mask * k + u, POSITION]
            organizations += 1
    if waiting == 0 or free[mask] == 0:
        return False
    if organizations > 1 and waiting > free[mask]:
        return True
    for u in range(k):
        if mask >> u & 1:
            while free[mask] > 0 and released[u] > part[mask * k + u, POSITION]:
                begin(fixed, sites, mask, u, t)
    return False


@jit
def fill_potentials(fixed: Constants, sites: Sites, work: Work, mask: int, t: int) -> None:
    """Potentials of the strict subsets of ``mask``, in increasing order, those of this moment that are missing."""
    stamp, potential = work.stamp, work.potential
    two = fixed.limbs == 2
    subset = -mask & mask
    while subset != mask:
        if stamp[subset] != t:
            stamp[subset] = t
            value = worth(sites.whole, subset, t + fixed.step)
            high = fixed.multiple * (value >> 31 if two else value)
            low = fixed.multiple * (value & LOW)
            left = subset
            while left:
                bit = left & -left
                high += potential[0, subset ^ bit]
                if two:
                    low += potential[1, subset ^ bit]
                left ^= bit
            potential[0, subset] = high // fixed.sizes[subset]  # exact, as all Shapley weights are
            if two:
                potential[1, subset] = low // fixed.sizes[subset]
        subset = (subset - mask) & mask


@jit
def decide(fixed: Constants, sites: Sites, work: Work, mask: int, t: int) -> None:
    """Start jobs of the member with the smallest key until machines or jobs run out; ties go to the lowest index."""
    k, multiple = fixed.k, fixed.multiple
    high, low = work.keys[0], work.keys[1]
    two = fixed.limbs == 2
    for u in range(k):
        if mask >> u & 1:
            psi = worth(sites.part, mask * k + u, t + fixed.step)
            if two:
                total = work.potential[1, mask ^ 1 << u] + multiple * (psi & LOW)
                high[u] = work.potential[0, mask ^ 1 << u] + multiple * (psi >> 31) + (total >> 31)
                low[u] = total & LOW
            else:
                high[u] = work.potential[0, mask ^ 1 << u] + multiple * psi
    while sites.free[mask] > 0:
        best = -1
        for u in range(k):
            if mask >> u & 1 and sites.released[u] > sites.part[mask * k + u, POSITION]:  # noqa: SIM102
                if best < 0 or high[u] < high[best] or (two and high[u] == high[best] and low[u] < low[best]):
                    best = u
        if best < 0:
            return
        begin(fixed, sites, mask, best, t)
        if fixed.step and two:
            total = low[best] + multiple
            high[best] += total >> 31
            low[best] = total & LOW
        elif fixed.step:
            high[best] += multiple


@jit
def decide_all(fixed: Constants, sites: Sites, work: Work, t: int, count: int) -> int:
    """Decide for the first ``count`` contended coalitions; returns about the elementary steps that took."""
    k = fixed.k
    spent = 0
    for i in range(count):
        mask = work.contended[i]
        missing = False
        for u in range(k):
            if mask >> u & 1 and work.stamp[mask ^ 1 << u] != t:
                missing = True
        if missing:
            fill_potentials(fixed, sites, work, mask, t)
            spent += 3 << fixed.sizes[mask]
        decide(fixed, sites, work, mask, t)
    return spent


@jit
def next_moment(jobs: Jobs, sites: Sites) -> int:
    """Moment of the next completion in any coalition or release, at most the end; also in the clock's ``NOW``."""
    t = jobs.until
    if sites.clock[NEXT_RELEASE] < jobs.times.size:
        t = min(t, jobs.times[sites.clock[NEXT_RELEASE]])
    for mask in range(1, sites.free.size):
        t = min(t, sites.soonest[mask])
    sites.clock[NOW] = t
    return t


@jit
def release(jobs: Jobs, sites: Sites, t: int) -> int:
    """Make the jobs released at ``t`` known; returns the mask of their organizations."""
    touched = 0
    i = sites.clock[NEXT_RELEASE]
    while i < jobs.times.size and jobs.times[i] == t:
        sites.released[jobs.owners[i]] += 1
        touched |= 1 << jobs.owners[i]
        i += 1
    sites.clock[NEXT_RELEASE] = i
    return touched


@lean
def run_chunk(budget: int, jobs: Jobs, fixed: Constants, sites: Sites, work: Work) -> None:
    """Process moments before the end, about ``10 * budget`` elementary steps; all state is in the arrays."""
    spent = 0
    t = next_moment(jobs, sites)
    while t < jobs.until and spent < 10 * budget:
        touched = release(jobs, sites, t)
        count = 0
        for mask in range(1, sites.free.size):
            if sites.soonest[mask] == t:
                complete(fixed, sites, mask, t)
            elif sites.free[mask] == 0 or mask & touched == 0:
                continue
            if is_contended(fixed, sites, mask, t):
                work.contended[count] = mask
                count += 1
        spent += sites.free.size + 16 + decide_all(fixed, sites, work, t, count)
        t = next_moment(jobs, sites)
    sites.clock[DONE] = t >= jobs.until


def run(instance: SharingInstance, until: int, step: int, method: str, progress: Progress | None) -> Run:
    """REF for psi_sp with the arithmetic ``"int64"`` or ``"two-limbs"``, comparing values at ``t + step``."""
    k, n_masks = instance.n_organizations, 2**instance.n_organizations
    jobs = jobs_of(instance, until)
    fixed = Constants(
        k=k,
        until=jobs.until,
        first=jobs.first,
        length=jobs.length,
        step=step,
        limbs=2 if method == "two-limbs" else 1,
        multiple=common_multiple(max(1, k - 1)),
        sizes=over_members([1] * k),
        base=np.concatenate([[0], np.cumsum(running_at_most(instance))]),
    )
    sites = Sites(
        clock=_zeros(ENTRIES),
        released=_zeros(k),
        heap=_zeros(int(fixed.base[-1]) + 1),
        whole=_zeros(n_masks, HEAP + 1),
        part=_zeros(n_masks * k, POSITION + 1),
        soonest=np.full(n_masks, FAR, dtype=np.int64),
        free=over_members(instance.machines),
        start=np.full(jobs.length.size, -1, dtype=np.int64),
    )
    stamp = np.full(n_masks, -1, dtype=np.int64)
    work = Work(_zeros(n_masks), stamp, _zeros(2, n_masks), _zeros(2, k))
    opening = n_masks * int((jobs.times == jobs.times[0]).sum()) if jobs.times.size else 0  # all run on a busy cluster
    complete = advance(run_chunk, (jobs, fixed, sites, work), sites.clock, jobs.until, method, progress, opening)
    moment = jobs.until if complete else int(sites.clock[NOW])
    for rows in (sites.whole, sites.part):
        d = moment - rows[:, LAST]
        rows[:, PSI] += d * rows[:, PARTS] + rows[:, RUNNING] * (d * (d + 1) // 2)
    coalitions = Coalitions(sites.whole[:, PSI], sites.part[:, PSI].reshape(-1, k))
    return Run(moments(jobs, sites.start), moment + jobs.origin, complete, method, coalitions=coalitions)


def _zeros(*shape: int) -> IntArray:
    return np.zeros(shape, dtype=np.int64)
