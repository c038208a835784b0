"""List scheduling on integers, compiled: what kernels share; :func:`.listing.place_in_order` is its definition.

Nothing is checked. Ties go to the first machine.

>>> import numpy as np
>>> ready = np.zeros(2, dtype=np.int64)
>>> makespan_in_order(np.array([3, 2, 2, 1]), ready), ready.tolist()
(4, [4, 4])
"""

from __future__ import annotations

from ..support.jit import Ints, jit


@jit
def first_free(ready: Ints, low: int, high: int) -> int:
    """Which machine of ``low..high-1`` is free first: the one to which a list schedule gives its next job."""
    first = low
    for m in range(low + 1, high):
        if ready[m] < ready[first]:
            first = m
    return first


@jit
def makespan_in_order(lengths: Ints, ready: Ints) -> int:
    """Largest ready time after the jobs are placed as they stand; ``ready`` (m,) is overwritten.

    It counts even where no job went. Time O(n m), nothing is allocated.
    """
    for length in lengths:
        ready[first_free(ready, 0, ready.size)] += length
    last: int = ready[0]
    for m in range(1, ready.size):
        last = max(last, ready[m])
    return last
