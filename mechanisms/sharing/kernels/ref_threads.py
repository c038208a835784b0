"""REF window after window while these hold many moments, their blocks of coalitions shared out over threads.

A window holds :data:`CELLS` potentials or :data:`COLUMNS` units of time, whichever is more: the table of potentials
takes 512 bytes per coalition where these are many. Ctrl-C waits for the end of a window, so that none is torn.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Final

import numpy as np

from ....parallel.executors import cores
from ....support.interrupts import shielded
from ....support.progress import Clock, Progress
from .coalitions import Constants, Keys, Sites
from .events import NEXT_RELEASE, NOW, Jobs
from .ref_windows import Block, Window, run_block

CELLS: Final = 2**17
"""Potentials in a window: a megabyte, which stays near a processor where coalitions are few."""
COLUMNS: Final = 64
"""Fewest units of time in a window."""
SHARES: Final = 16
"""Blocks per thread: with few of them, threads would wait for the last block of each level."""
LEAST: int = 9
"""Bits of the masks in a block that are at least left, so that handing it to a thread is worth while."""
FEW: int = 8
"""Units of time per moment from which on moment by moment is the quicker way."""
REPORT: Final = 0.2
"""Seconds between two reports of progress."""


def go_through_windows(
    jobs: Jobs, fixed: Constants, sites: Sites, threads: int, progress: Progress | None, columns: int = 0
) -> bool:
    """Run to the end, or to where moments are few; False where Ctrl-C stopped it. ``NOW`` says where that is.

    ``threads`` 0 stands for all cores, ``columns`` 0 for windows of a size that fits.
    """
    threads = threads or cores()
    columns = columns or max(COLUMNS, CELLS // fixed.sizes.size)
    cells = np.zeros((fixed.sizes.size, columns), dtype=np.int64)
    levels = _levels(jobs.machines.size, threads)
    divisors = _divisors(fixed)
    quiet, complete = Clock(REPORT), True
    try:
        with ThreadPoolExecutor(threads) as pool:
            while (begin := _next_moment(jobs, sites)) < jobs.until:
                if progress is not None and quiet.expired():
                    progress(begin, jobs.until, "time simulated")
                    quiet = Clock(REPORT)
                seen = np.zeros(columns, dtype=np.int64)
                window = Window(begin, min(begin + columns, jobs.until), cells, seen, *divisors)
                with shielded():
                    for level in levels:
                        list(pool.map(lambda block, now=window: run_block(jobs, fixed, sites, now, block), level))
                    _release(jobs, sites, window.end)
                if seen.sum() * FEW < window.end - begin:
                    break
    except KeyboardInterrupt:  # between two windows
        complete = False
    sites.clock[NOW] = _next_moment(jobs, sites)
    return complete


def _levels(k: int, threads: int) -> list[list[Block]]:
    """Blocks in the order of their leading bits' number: what stands in one list can run at the same time."""
    leading = max(0, min(k - LEAST, (SHARES * threads).bit_length() - 1)) if threads > 1 else 0
    levels: list[list[Block]] = [[] for _ in range(leading + 1)]
    for block in range(2**leading):
        room = np.zeros((3, k), dtype=np.int64)
        ends = block << (k - leading), (block + 1) << (k - leading)
        levels[block.bit_count()].append(Block(*ends, room[0], Keys(*room[1:])))
    return levels


def _divisors(fixed: Constants) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How to divide by each size what is a multiple of it, modulo 2**64; see :mod:`.ref_windows`."""
    odd, twos, kept = np.zeros((3, fixed.sizes[-1] + 1), dtype=np.int64)
    for size in range(1, odd.size):
        twos[size] = (size & -size).bit_length() - 1
        inverse = pow(size >> int(twos[size]), -1, 2**64)
        odd[size] = inverse - (inverse >> 63 << 64)
        kept[size] = (1 << (64 - int(twos[size]))) - 1 if twos[size] else -1
    return odd, twos, kept


def _next_moment(jobs: Jobs, sites: Sites) -> int:
    """Moment of the next completion in any coalition or release, at most the end."""
    released = sites.clock[NEXT_RELEASE]
    return min(jobs.until, int(sites.soonest.min()), *map(int, jobs.times[released : released + 1]))


def _release(jobs: Jobs, sites: Sites, end: int) -> None:
    """Make the jobs released before ``end`` known to the next window."""
    first, last = sites.clock[NEXT_RELEASE], np.searchsorted(jobs.times, end)
    sites.known[:] += np.bincount(jobs.owners[first:last], minlength=sites.known.size)
    sites.clock[NEXT_RELEASE] = last
