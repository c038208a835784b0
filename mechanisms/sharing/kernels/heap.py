"""A binary heap in a slice of an array, so that many heaps fit into one."""

from __future__ import annotations

from ....support.jit import jit
from ..arrays import IntArray


@jit
def push(heap: IntArray, base: int, size: int, key: int) -> None:
    """Add ``key`` to the binary heap of ``size`` entries that starts at ``heap[base]``; the caller counts."""
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        above = heap[base + parent]
        if above <= key:
            break
        heap[base + i] = above
        i = parent
    heap[base + i] = key


@jit
def pop(heap: IntArray, base: int, size: int) -> None:
    """Remove the smallest of ``size`` entries, ``heap[base]``; the caller read it before and counts after."""
    last = heap[base + size - 1]
    size -= 1
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and heap[base + child + 1] < heap[base + child]:
            child += 1
        below = heap[base + child]
        if below >= last:
            break
        heap[base + i] = below
        i = child
    heap[base + i] = last
