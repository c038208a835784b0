"""List scheduling on integers, compiled; :func:`consortium.scheduling.listing.list_schedule` is its definition.

No checks: the caller scales to integers and proves with :func:`consortium.scheduling.exact.fits_int64` that
``max(ready) + sum(lengths) * max(per_work)`` fits. Importing this module imports numba.

>>> import numpy as np
>>> ready = np.zeros(2, dtype=np.int64)
>>> machine, start = place_in_order(np.array([3, 2, 2, 1]), np.ones(2, dtype=np.int64), ready)
>>> machine.tolist(), start.tolist(), ready.tolist()
([0, 1, 1, 0], [0, 0, 2, 3], [4, 4])
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .compiled import compiled

Ints: TypeAlias = npt.NDArray[np.int64]


@compiled
def place_in_order(lengths: Ints, per_work: Ints, ready: Ints) -> tuple[Ints, Ints]:
    """Machine and start of every job, jobs taken as they stand, each to the machine that is free first.

    Parameters
    ----------
    lengths
        Shape (n,), in the order of the list.
    per_work
        Shape (m,): units of time per unit of work of each machine; all 1 for identical machines.
    ready
        Shape (m,): when each machine is free; overwritten with when it is free again.

    Ties go to the smallest machine index. Time O(n m), no allocation but the two answers.
    """
    n = lengths.size
    machine = np.empty(n, dtype=np.int64)
    start = np.empty(n, dtype=np.int64)
    for job in range(n):
        first = 0
        for m in range(1, ready.size):
            if ready[m] < ready[first]:
                first = m
        machine[job] = first
        start[job] = ready[first]
        ready[first] += lengths[job] * per_work[first]
    return machine, start


@compiled
def makespan_in_order(lengths: Ints, per_work: Ints, ready: Ints) -> int:
    """Largest ready time after the list is placed; ``ready`` is overwritten, and counts even where no job went.

    Arguments as for :func:`place_in_order`; nothing is allocated.
    """
    for job in range(lengths.size):
        first = 0
        for m in range(1, ready.size):
            if ready[m] < ready[first]:
                first = m
        ready[first] += lengths[job] * per_work[first]
    last: int = ready[0]
    for m in range(1, ready.size):
        last = max(last, ready[m])
    return last
