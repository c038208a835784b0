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

from .compiled import IntArray, compiled, pop, push
from .shapley import fold

# columns of ``whole`` (per coalition) and of ``part`` (per coalition and member)
PSI: Final = 0
PARTS: Final = 1
RUNNING: Final = 2
LAST: Final = 3
HEAP: Final = 4  # whole: entries in the heap
STARTED: Final = 5  # whole: jobs started
POSITION: Final = 4  # part: jobs started
# entries of ``state``
NEXT_RELEASE: Final = 0
NOW: Final = 1
DONE: Final = 2
CONTENDED: Final = 3
MOMENTS: Final = 4
PASSES: Final = 5

SHIFT: Final = 4  # a heap key is end * 16 + organization
FAR: Final = 2**62
LOW: Final = 2**31 - 1


class Plan(NamedTuple):
    """What does not change during a run. Times count from the first release."""

    k: int
    step: int  # 1: compare values at t + 1, 0: at t
    until: int
    limbs: int  # 2: numbers are split into two words of 31 bits and the rest
    potentials: int  # whether the pass over all potentials is proved to fit
    multiple: int  # lcm(1..k)
    every: int  # whether starts are recorded for every coalition
    first: IntArray
    length: IntArray
    release_time: IntArray
    release_owner: IntArray
    weights: IntArray  # (k + 1, k + 1), see fold_weights
    sizes: IntArray  # members of each mask
    base: IntArray  # where the heap of each mask begins


class Sites(NamedTuple):
    """Schedules in progress, indexed by mask; ``part`` by ``mask * k + organization``."""

    known: IntArray  # released jobs of each organization
    heap: IntArray
    whole: IntArray
    part: IntArray
    soonest: IntArray  # next completion, or FAR
    free: IntArray
    start: IntArray
    contended: IntArray
    values: IntArray  # values of this moment, valid where ``stamp`` names it
    stamp: IntArray
    potentials: IntArray
    scratch: IntArray  # (2, 2**k)
    sums: IntArray  # (2, k)
    high: IntArray  # keys of the members of the coalition in hand: high * 2**31 + low
    low: IntArray
    state: IntArray


@compiled
def bring(rows: IntArray, i: int, t: int) -> None:
    """Let time pass up to ``t`` for one row."""
    d = t - rows[i, LAST]
    if d > 0:
        rows[i, PSI] += d * rows[i, PARTS] + rows[i, RUNNING] * (d * (d + 1) // 2)
        rows[i, PARTS] += d * rows[i, RUNNING]
        rows[i, LAST] = t


@compiled
def at(rows: IntArray, i: int, t: int) -> int:
    """Value of one row at ``t``, not earlier than its last update."""
    d = t - rows[i, LAST]
    return int(rows[i, PSI] + d * rows[i, PARTS] + rows[i, RUNNING] * (d * (d + 1) // 2))


@compiled
def complete(plan: Plan, sites: Sites, mask: int, t: int) -> None:
    """Free the machines of ``mask`` whose jobs end at ``t``."""
    b = plan.base[mask]
    size = sites.whole[mask, HEAP]
    bring(sites.whole, mask, t)
    while size > 0 and sites.heap[b] >> SHIFT == t:
        row = mask * plan.k + (sites.heap[b] & 15)
        bring(sites.part, row, t)
        sites.part[row, RUNNING] -= 1
        sites.whole[mask, RUNNING] -= 1
        pop(sites.heap, b, size)
        size -= 1
        sites.free[mask] += 1
    sites.whole[mask, HEAP] = size
    sites.soonest[mask] = sites.heap[b] >> SHIFT if size > 0 else FAR


@compiled
def begin(plan: Plan, sites: Sites, mask: int, u: int, t: int) -> None:
    """Start the next job of ``u`` in ``mask`` at ``t``."""
    row = mask * plan.k + u
    bring(sites.part, row, t)
    bring(sites.whole, mask, t)
    job = plan.first[u] + sites.part[row, POSITION]
    sites.part[row, RUNNING] += 1
    sites.part[row, POSITION] += 1
    sites.whole[mask, RUNNING] += 1
    sites.whole[mask, STARTED] += 1
    sites.free[mask] -= 1
    if plan.every:
        sites.start[mask, job] = t
    elif mask == sites.free.size - 1:
        sites.start[0, job] = t
    end = t + plan.length[job]
    if end < plan.until:
        push(sites.heap, plan.base[mask], sites.whole[mask, HEAP], (end << SHIFT) | u)
        sites.whole[mask, HEAP] += 1
        if end < sites.soonest[mask]:
            sites.soonest[mask] = end


@compiled
def open_moment(plan: Plan, sites: Sites, t: int, touched: int) -> int:
    """Completions at ``t``, then every start that needs no choice; lists the contended coalitions, returns how many.

    ``touched`` is the mask of organizations with a release at ``t``.
    """
    k = plan.k
    known, part, free = sites.known, sites.part, sites.free
    count = 0
    for mask in range(1, free.size):
        if sites.soonest[mask] == t:
            complete(plan, sites, mask, t)
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
                    begin(plan, sites, mask, u, t)
    return count


@compiled
def fold_subsets(plan: Plan, sites: Sites, mask: int, t: int) -> None:
    """``sums[limb, b]``: weighted value of the strict subsets that contain the ``b``-th member of ``mask``.

    ``values`` caches the coalitions' values of this moment. With two limbs, the low 31 bits and the rest are folded as
    two games of their own: the sums are linear.
    """
    size = plan.sizes[mask]
    moment = sites.state[MOMENTS]
    i = 0
    subset = 0
    while subset != mask:
        if subset and sites.stamp[subset] != moment:
            sites.stamp[subset] = moment
            sites.values[subset] = at(sites.whole, subset, t + plan.step)
        weight = plan.weights[size - 1, plan.sizes[subset]]
        if plan.limbs == 2:
            sites.scratch[0, i] = weight * (sites.values[subset] >> 31)
            sites.scratch[1, i] = weight * (sites.values[subset] & LOW)
        else:
            sites.scratch[0, i] = weight * sites.values[subset]
        i += 1
        subset = (subset - mask) & mask
    sites.scratch[0, i] = 0
    sites.scratch[1, i] = 0
    fold(sites.scratch[0], size, sites.sums[0])
    if plan.limbs == 2:
        fold(sites.scratch[1], size, sites.sums[1])


@compiled
def decide(plan: Plan, sites: Sites, mask: int, t: int) -> None:
    """Start jobs of the member with the smallest key until machines or jobs run out; ties go to the lowest index.

    ``high`` and ``low`` come with what is added to ``lcm * psi_u``.
    """
    k = plan.k
    high, low = sites.high, sites.low
    two = plan.limbs == 2
    for u in range(k):
        if mask >> u & 1:
            psi = at(sites.part, mask * k + u, t + plan.step)
            if two:
                total = low[u] + plan.multiple * (psi & LOW)
                high[u] += plan.multiple * (psi >> 31) + (total >> 31)
                low[u] = total & LOW
            else:
                high[u] += plan.multiple * psi
    while sites.free[mask] > 0:
        best = -1
        for u in range(k):
            if mask >> u & 1 and sites.known[u] > sites.part[mask * k + u, POSITION]:  # noqa: SIM102
                if best < 0 or high[u] < high[best] or (two and high[u] == high[best] and low[u] < low[best]):
                    best = u
        if best < 0:
            return
        begin(plan, sites, mask, best, t)
        if plan.step and two:
            total = low[best] + plan.multiple
            high[best] += total >> 31
            low[best] = total & LOW
        elif plan.step:
            high[best] += plan.multiple


@compiled
def pass_potentials(plan: Plan, sites: Sites, t: int, count: int) -> None:
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
            for u in range(plan.k):
                if mask >> u & 1:
                    sites.high[u] = potentials[mask ^ (1 << u)]
            decide(plan, sites, mask, t)
            i += 1
            if i == count:
                return
        potentials[mask] = (total + plan.multiple * at(sites.whole, mask, t + plan.step)) // plan.sizes[mask]


@compiled
def decide_by_folding(plan: Plan, sites: Sites, t: int, count: int) -> None:
    """Decide for each contended coalition from the folded sums over its own subsets."""
    for i in range(count):
        mask = sites.contended[i]
        fold_subsets(plan, sites, mask, t)
        b = 0
        for u in range(plan.k):
            if mask >> u & 1:
                sites.high[u] = -sites.sums[0, b]
                sites.low[u] = -sites.sums[1, b]
                b += 1
        decide(plan, sites, mask, t)


@compiled
def run_chunk(plan: Plan, sites: Sites, budget: int) -> None:
    """Process moments before the end, about ``budget`` elementary steps; all state is in the arrays."""
    state = sites.state
    spent = 0
    pass_cost = (plan.k + 6) << (plan.k - 1)
    while True:
        t = plan.until
        if state[NEXT_RELEASE] < plan.release_time.size:
            t = min(t, plan.release_time[state[NEXT_RELEASE]])
        for mask in range(1, sites.free.size):
            t = min(t, sites.soonest[mask])
        state[NOW] = t
        if t >= plan.until:
            state[DONE] = 1
            return
        if spent >= budget:
            return
        touched = 0
        while state[NEXT_RELEASE] < plan.release_time.size and plan.release_time[state[NEXT_RELEASE]] == t:
            u = plan.release_owner[state[NEXT_RELEASE]]
            sites.known[u] += 1
            touched |= 1 << u
            state[NEXT_RELEASE] += 1
        state[MOMENTS] += 1
        count = open_moment(plan, sites, t, touched)
        spent += sites.free.size + 16
        if count == 0:
            continue
        state[CONTENDED] += count
        fold_cost = 0
        for i in range(count):
            fold_cost += 3 << plan.sizes[sites.contended[i]]
        if plan.potentials and pass_cost < fold_cost:
            state[PASSES] += 1
            pass_potentials(plan, sites, t, count)
            spent += pass_cost
        else:
            decide_by_folding(plan, sites, t, count)
            spent += fold_cost
