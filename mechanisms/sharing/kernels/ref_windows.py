"""Compiled REF for psi_sp, coalition by coalition through a window of time: the way of runs with many moments.

No coalition looks at a larger one, and a subset has a smaller mask. So each coalition in turn goes alone through all
its moments of a window, with its books at hand, and leaves its potentials at every unit of time to the larger ones:

    |C| P(C) = v(C) + sum over u of P(C without u),

``|C| + 1`` rows added, which a processor does for several units of time at once. Beside the starts and completions,
which every method has, a run takes about ``k 2**(k - 1)`` additions per unit of time, contended coalitions or not.

Masks with the same leading bits form a block. Blocks depend only on blocks with fewer leading bits, so those with
equally many can run at the same time (:mod:`.ref_run`); nothing that is computed depends on how many do.

Arithmetic: ``lcm(1..k) P`` is an integer, not negative, and below ``2**60`` (:func:`..ranges.potentials_fit`). The sum
above may wrap around 64 bits; dividing it by ``2**a`` times an odd number, ``2**a <= 16``, is a shift and a product
with the odd number's inverse modulo ``2**64``. That is right in the lowest ``64 - a`` bits, and no others are set.
"""

from __future__ import annotations

from typing import NamedTuple

from ....support.jit import jit, lean
from ..arrays import IntArray
from ..rules.books import LAST, PARTS, RUNNING, worth
from .coalitions import Constants, Keys, Sites, complete, decide, opens
from .events import NEXT_RELEASE, Jobs


class Window(NamedTuple):
    """Units of time that all coalitions go through together, and what they leave to each other."""

    begin: int
    end: int
    cells: IntArray  # lcm * potential of each mask at each unit of time, (2**k, end - begin or more)
    moments: IntArray  # 1 at each unit of time at which some coalition had an event
    odd: IntArray  # per size: inverse of its odd part
    twos: IntArray  # how often 2 divides it
    kept: IntArray  # and the bits of the quotient that are right


class Block(NamedTuple):
    """Masks with the same leading bits, and room to work for one thread."""

    first: int
    end: int
    known: IntArray
    keys: Keys


@jit
def next_release(jobs: Jobs, mask: int, i: int, end: int) -> int:
    """The first of the jobs from ``i`` on, in the order of release, that a member releases before ``end``; or none."""
    while i < jobs.times.size and jobs.times[i] < end:
        if mask >> jobs.owners[i] & 1:
            return i
        i += 1
    return jobs.times.size


@jit
def write_values(fixed: Constants, sites: Sites, window: Window, mask: int, since: int, until: int) -> None:
    """``lcm`` times the value of ``mask`` at the units of time in between, where it has no event."""
    whole, multiple = sites.whole, fixed.multiple
    d = since + fixed.step - whole[mask, LAST]
    value = multiple * worth(whole, mask, since + fixed.step)
    growth = multiple * (whole[mask, PARTS] + (d + 1) * whole[mask, RUNNING])
    more = multiple * whole[mask, RUNNING]
    row = window.cells[mask, since - window.begin : until - window.begin]  # loops over a view become vectors
    for c in range(row.size):
        row[c] = value
        value += growth
        growth += more


@jit
def add_potentials(fixed: Constants, window: Window, mask: int) -> None:
    """From values to potentials, at all units of time of the window."""
    row = window.cells[mask, : window.end - window.begin]
    rest = mask
    while rest:
        bit = rest & -rest
        other = window.cells[mask ^ bit, : row.size]
        for c in range(row.size):
            row[c] += other[c]
        rest ^= bit
    size = fixed.sizes[mask]
    odd, twos, kept = window.odd[size], window.twos[size], window.kept[size]
    for c in range(row.size):
        row[c] = (row[c] >> twos) * odd & kept


@jit
def go_through(jobs: Jobs, fixed: Constants, sites: Sites, window: Window, block: Block, mask: int) -> None:
    """All events of one coalition in the window."""
    known, keys = block.known, block.keys
    for u in range(jobs.machines.size):
        known[u] = sites.known[u]
    written = window.begin
    i = next_release(jobs, mask, sites.clock[NEXT_RELEASE], window.end)
    while True:
        t = sites.soonest[mask]
        if i < jobs.times.size:
            t = min(t, jobs.times[i])
        if t >= window.end:
            break
        write_values(fixed, sites, window, mask, written, t)
        written = t
        window.moments[t - window.begin] = 1
        if sites.soonest[mask] == t:
            complete(jobs, fixed, sites, mask, t)
        while i < jobs.times.size and jobs.times[i] == t:
            known[jobs.owners[i]] += 1
            i = next_release(jobs, mask, i + 1, window.end)
        if sites.free[mask] > 0 and opens(jobs, fixed, sites, known, mask, t):
            for u in range(jobs.machines.size):
                if mask >> u & 1:
                    keys.high[u] = window.cells[mask ^ (1 << u), t - window.begin]
            decide(jobs, fixed, sites, known, keys, mask, t)
    write_values(fixed, sites, window, mask, written, window.end)


@lean
def run_block(jobs: Jobs, fixed: Constants, sites: Sites, window: Window, block: Block) -> None:
    """Take the coalitions of one block through a window, subsets first."""
    for mask in range(max(block.first, 1), block.end):
        go_through(jobs, fixed, sites, window, block, mask)
        add_potentials(fixed, window, mask)
