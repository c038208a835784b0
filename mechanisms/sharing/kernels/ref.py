"""Compiled REF for psi_sp, moment by moment: Shapley values only where they decide something.

All coalitions go through the same moments, those with a completion in any of them or a release. Each contended one
(:mod:`.coalitions`) folds the values of its own subsets once for all members, in about ``2 * 2**|C|`` additions. What
that takes does not depend on the unit of time, so this is the way of runs with few moments among many units of time.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ....support.jit import jit, lean
from ..arrays import IntArray
from ..rules.books import worth
from ..shapley import fold
from .coalitions import LOW, Constants, Keys, Sites, complete, decide, opens
from .events import DONE, NEXT_RELEASE, NOW, Jobs

ENOUGH: Final = 32
"""Moments that tell how close together they are."""


class Sums(NamedTuple):
    """What is overwritten from moment to moment, and from coalition to coalition."""

    weights: IntArray  # (k + 1, k + 1), see fold_weights
    contended: IntArray
    values: IntArray  # values of this moment, valid where ``stamp`` names it
    stamp: IntArray
    scratch: IntArray  # (2, 2**k)
    total: IntArray  # (2, k)


@jit
def open_moment(jobs: Jobs, fixed: Constants, sites: Sites, contended: IntArray, t: int, touched: int) -> int:
    """Completions at ``t``, then every start that needs no choice; lists the contended coalitions, returns how many.

    ``touched`` is the mask of organizations with a release at ``t``.
    """
    count = 0
    for mask in range(1, sites.free.size):
        if sites.soonest[mask] == t:
            complete(jobs, fixed, sites, mask, t)
        elif sites.free[mask] == 0 or mask & touched == 0:
            continue
        if opens(jobs, fixed, sites, sites.known, mask, t):
            contended[count] = mask
            count += 1
    return count


@jit
def fold_subsets(fixed: Constants, sites: Sites, sums: Sums, mask: int, t: int) -> None:
    """``total[limb, b]``: weighted value of the strict subsets that contain the ``b``-th member of ``mask``.

    ``values`` caches the coalitions' values of this moment. With two limbs, the low 31 bits and the rest are folded as
    two games of their own: the sums are linear.
    """
    size = fixed.sizes[mask]
    i = 0
    subset = 0
    while subset != mask:
        if subset and sums.stamp[subset] != t:
            sums.stamp[subset] = t
            sums.values[subset] = worth(sites.whole, subset, t + fixed.step)
        weight = sums.weights[size - 1, fixed.sizes[subset]]
        if fixed.limbs == 2:
            sums.scratch[0, i] = weight * (sums.values[subset] >> 31)
            sums.scratch[1, i] = weight * (sums.values[subset] & LOW)
        else:
            sums.scratch[0, i] = weight * sums.values[subset]
        i += 1
        subset = (subset - mask) & mask
    sums.scratch[0, i] = 0
    sums.scratch[1, i] = 0
    fold(sums.scratch[0], size, sums.total[0])
    if fixed.limbs == 2:
        fold(sums.scratch[1], size, sums.total[1])


@jit
def decide_all(jobs: Jobs, fixed: Constants, sites: Sites, sums: Sums, keys: Keys, t: int, count: int) -> int:
    """Decide for the contended coalitions by their folded sums; returns the elementary steps that took."""
    spent = 0
    for i in range(count):
        mask = sums.contended[i]
        fold_subsets(fixed, sites, sums, mask, t)
        b = 0
        for u in range(jobs.machines.size):
            if mask >> u & 1:
                keys.high[u] = -sums.total[0, b]
                keys.low[u] = -sums.total[1, b]
                b += 1
        decide(jobs, fixed, sites, sites.known, keys, mask, t)
        spent += 3 << fixed.sizes[mask]
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
        sites.known[jobs.owners[i]] += 1
        touched |= 1 << jobs.owners[i]
        i += 1
    sites.clock[NEXT_RELEASE] = i
    return touched


@lean
def run_chunk(budget: int, jobs: Jobs, fixed: Constants, sites: Sites, sums: Sums, keys: Keys) -> None:
    """Process moments before the end, about ``10 * budget`` elementary steps; all state is in the arrays.

    Also done where windows should go on: enough moments, and at every other unit of time one.
    """
    spent = 0
    t = next_moment(jobs, sites)
    since, seen = t, 0
    while t < jobs.until and spent < 10 * budget:
        count = open_moment(jobs, fixed, sites, sums.contended, t, release(jobs, sites, t))
        spent += sites.free.size + 16
        if count > 0:
            spent += decide_all(jobs, fixed, sites, sums, keys, t, count)
        t = next_moment(jobs, sites)
        seen += 1
    crowded = t < fixed.windows and seen >= ENOUGH and 2 * seen >= t - since
    sites.clock[DONE] = t >= jobs.until or crowded
