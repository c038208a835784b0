"""Which machine each job of a schedule runs on, where the rule did not care."""

from __future__ import annotations

import numpy as np

from ....support.exact import fits_int64
from ....support.jit import lean, plain, quickest
from ..arrays import AnyIntArray, IntArray, at_most, narrowed
from ..instance import SharingInstance
from .heap import pop, push


def lowest_free_machines(instance: SharingInstance, start: AnyIntArray, started: IntArray, until: int) -> IntArray:
    """Machine of each job (-1 when not started): the lowest free one, for the jobs ``started`` in this order."""
    machine = np.full(start.size, -1, dtype=np.int64)
    if not started.size:
        return machine
    since, used = int(start[started[0]]), min(instance.n_machines, started.size)  # no machine behind these is lowest
    begun = narrowed(np.where(start >= 0, start - since, 0))
    length = at_most(instance.length, until - since)
    free, ends = np.arange(used, dtype=np.int64), np.zeros(used, dtype=np.int64)
    arrays = (started, begun, length, free, ends, machine)
    if fits_int64(2 * (until - since) << used.bit_length()):
        quickest(take_lowest, 2 * started.size * used.bit_length())(*arrays)
        return machine
    *_, machine = unlimited = [array.astype(object) for array in arrays]
    plain(take_lowest)(*unlimited)
    return machine.astype(np.int64)


@lean
def take_lowest(
    order: IntArray, start: IntArray, length: IntArray, free: IntArray, ends: IntArray, machine: IntArray
) -> None:
    """Give each job of ``order`` the lowest free machine; ``free`` and ``ends`` are heaps of all and of no machines."""
    n_free = free.size
    n_busy = 0
    shift = 1
    while 1 << shift < free.size:
        shift += 1
    for job in order:
        while n_busy > 0 and ends[0] >> shift <= start[job]:
            push(free, 0, n_free, ends[0] & ((1 << shift) - 1))
            pop(ends, 0, n_busy)
            n_free += 1
            n_busy -= 1
        machine[job] = free[0]
        pop(free, 0, n_free)
        n_free -= 1
        push(ends, 0, n_busy, ((start[job] + length[job]) << shift) | machine[job])
        n_busy += 1
