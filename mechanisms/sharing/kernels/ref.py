"""Compiled REF for psi_sp: every coalition's schedule, Shapley values only where they decide something.

Per coalition ``C`` (a bit mask) the value, its unit parts and running jobs are kept lazily; per coalition and member
the same plus the queue position, touched only when that member starts or completes a job. Completions lie in one flat
array of binary heaps. At a moment, a coalition is *contended* when several members wait for fewer machines than jobs;
every other coalition starts all it can, in any order, because utilities do not depend on it. For contended ones

    argmin over u of psi_u(C) - phi_u(C)  =  argmin over u of psi_u(C) + P(C without u),

with P the potential of Hart and Mas-Colell, times lcm(1..k) to stay in integers. Either one pass computes the
potentials of all coalitions, with the decisions in between, or each contended coalition folds the values of its own
subsets once for all members; the cheaper of the two is taken at every moment. Subsets have smaller masks, so they are
final when a coalition is reached.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ....scheduling.compiled import inner, lean
from ..arrays import IntArray
from ..rules.books import POSITION, RUNNING, bring, worth
from ..shapley import fold
from .events import DONE, NEXT_RELEASE, NOW, Jobs
from .heap import pop, push

# columns of ``whole`` (per coalition) and of ``part`` (per coalition and member) beside those of the books
HEAP: Final = 4  # whole: entries in the heap
WHOLE_COLUMNS: Final = 5
PART_COLUMNS: Final = 5  # up to POSITION, which counts jobs started

SHIFT: Final = 4  # a heap key is end * 16 + organization
FAR: Final = 2**62
LOW: Final = 2**31 - 1


class Constants(NamedTuple):
    """What does not change during a run, beside the jobs."""

    step: int  # 1: compare values at t + 1, 0: at t
    limbs: int  # 2: numbers are split into two words of 31 bits and the rest
    potentials: int  # whether the pass over all potentials is proved to fit
    multiple: int  # lcm(1..k)
    every: int  # whether starts are recorded for every coalition
    weights: IntArray  # (k + 1, k + 1), see fold_weights
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
    contended: IntArray
    values: IntArray  # values of this moment, valid where ``stamp`` names it
    stamp: IntArray
    potentials: IntArray
    scratch: IntArray  # (2, 2**k)
    sums: IntArray  # (2, k)
    high: IntArray  # keys of the members of the coalition in hand: high * 2**31 + low
    low: IntArray


@inner
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


@inner
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


@inner
def open_moment(jobs: Jobs, fixed: Constants, sites: Sites, t: int, touched: int) -> int:
    """Completions at ``t``, then every start that needs no choice; lists the contended coalitions, returns how many.

    ``touched`` is the mask of organizations with a release at ``t``.
    """
    k = jobs.machines.size
    known, part, free = sites.known, sites.part, sites.free
    count = 0
    for mask in range(1, free.size):
        if sites.soonest[mask] == t:
            complete(jobs, fixed, sites, mask, t)
        elif free[mask] == 0 or mask & touched == 0:
            continue
        waiting = 0
        organizations = 0
        for u in range(k):
            if mask >> u & 1 and known[u] > part[mask * k + u, POSITION]:
                waiting += known[u] - part[mask * k + u, POSITION]
                organizations += 1
        if waiting == 0 or free[mask] == 0:
            continue
        if organizations > 1 and waiting > free[mask]:
            sites.contended[count] = mask
            count += 1
            continue
        for u in range(k):
            if mask >> u & 1:
                while free[mask] > 0 and known[u] > part[mask * k + u, POSITION]:
                    begin(jobs, fixed, sites, mask, u, t)
    return count


@inner
def fold_subsets(jobs: Jobs, fixed: Constants, sites: Sites, mask: int, t: int) -> None:
    """``sums[limb, b]``: weighted value of the strict subsets that contain the ``b``-th member of ``mask``.

    ``values`` caches the coalitions' values of this moment. With two limbs, the low 31 bits and the rest are folded as
    two games of their own: the sums are linear.
    """
    size = fixed.sizes[mask]
    i = 0
    subset = 0
    while subset != mask:
        if subset and sites.stamp[subset] != t:
            sites.stamp[subset] = t
            sites.values[subset] = worth(sites.whole, subset, t + fixed.step)
        weight = fixed.weights[size - 1, fixed.sizes[subset]]
        if fixed.limbs == 2:
            sites.scratch[0, i] = weight * (sites.values[subset] >> 31)
            sites.scratch[1, i] = weight * (sites.values[subset] & LOW)
        else:
            sites.scratch[0, i] = weight * sites.values[subset]
        i += 1
        subset = (subset - mask) & mask
    sites.scratch[0, i] = 0
    sites.scratch[1, i] = 0
    fold(sites.scratch[0], size, sites.sums[0])
    if fixed.limbs == 2:
        fold(sites.scratch[1], size, sites.sums[1])


@inner
def decide(jobs: Jobs, fixed: Constants, sites: Sites, mask: int, t: int) -> None:
    """Start jobs of the member with the smallest key until machines or jobs run out; ties go to the lowest index.

    ``high`` and ``low`` come with what is added to ``lcm * psi_u``.
    """
    k = jobs.machines.size
    high, low = sites.high, sites.low
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
            if mask >> u & 1 and sites.known[u] > sites.part[mask * k + u, POSITION]:  # noqa: SIM102
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


@inner
def pass_potentials(jobs: Jobs, fixed: Constants, sites: Sites, t: int, count: int) -> None:
    """Potentials of all coalitions in the order of masks, deciding for each contended one when it is reached."""
    potentials = sites.potentials
    i = 0
    for mask in range(1, sites.free.size):
        total = 0
        rest = mask
        while rest:
            bit = rest & -rest
            total += potentials[mask ^ bit]
            rest ^= bit
        if sites.contended[i] == mask:
            for u in range(jobs.machines.size):
                if mask >> u & 1:
                    sites.high[u] = potentials[mask ^ (1 << u)]
            decide(jobs, fixed, sites, mask, t)
            i += 1
            if i == count:
                return
        potentials[mask] = (total + fixed.multiple * worth(sites.whole, mask, t + fixed.step)) // fixed.sizes[mask]


@inner
def decide_by_folding(jobs: Jobs, fixed: Constants, sites: Sites, t: int, count: int) -> None:
    """Decide for each contended coalition from the folded sums over its own subsets."""
    for i in range(count):
        mask = sites.contended[i]
        fold_subsets(jobs, fixed, sites, mask, t)
        b = 0
        for u in range(jobs.machines.size):
            if mask >> u & 1:
                sites.high[u] = -sites.sums[0, b]
                sites.low[u] = -sites.sums[1, b]
                b += 1
        decide(jobs, fixed, sites, mask, t)


@inner
def next_moment(jobs: Jobs, sites: Sites) -> int:
    """Moment of the next completion in any coalition or release, at most the end; also in the clock's ``NOW``."""
    t = jobs.until
    if sites.clock[NEXT_RELEASE] < jobs.times.size:
        t = min(t, jobs.times[sites.clock[NEXT_RELEASE]])
    for mask in range(1, sites.free.size):
        t = min(t, sites.soonest[mask])
    sites.clock[NOW] = t
    return t


@inner
def release(jobs: Jobs, sites: Sites, t: int) -> int:
    """Make the jobs released at ``t`` known; returns the mask of their organizations."""
    touched = 0
    i = sites.clock[NEXT_RELEASE]
    while i < jobs.times.size and jobs.times[i] == t:
        sites.known[jobs.owners[i]] += 1
        touched |= 1 << jobs.owners[i]
        i += 1
    sites.clock[NEXT_RELEASE] = i
    return touched


@inner
def decide_all(jobs: Jobs, fixed: Constants, sites: Sites, t: int, count: int) -> int:
    """Decide for the contended coalitions in the cheaper way; returns the elementary steps that took."""
    k = jobs.machines.size
    pass_cost = (k + 6) << (k - 1)
    fold_cost = 0
    for i in range(count):
        fold_cost += 3 << fixed.sizes[sites.contended[i]]
    if fixed.potentials and pass_cost < fold_cost:
        pass_potentials(jobs, fixed, sites, t, count)
        return pass_cost
    decide_by_folding(jobs, fixed, sites, t, count)
    return fold_cost


@lean
def run_chunk(budget: int, jobs: Jobs, fixed: Constants, sites: Sites) -> None:
    """Process moments before the end, about ``10 * budget`` elementary steps; all state is in the arrays."""
    spent = 0
    t = next_moment(jobs, sites)
    while t < jobs.until and spent < 10 * budget:
        count = open_moment(jobs, fixed, sites, t, release(jobs, sites, t))
        spent += sites.free.size + 16
        if count > 0:
            spent += decide_all(jobs, fixed, sites, t, count)
        t = next_moment(jobs, sites)
    sites.clock[DONE] = t >= jobs.until
