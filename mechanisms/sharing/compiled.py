"""One decorator for compiled kernels, typed so that the functions keep their signatures.

Kernels check nothing: the modules that call them validate, copy and prove beforehand that no integer can overflow.
They are cached on disk next to the module.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt

IntArray: TypeAlias = npt.NDArray[np.int64]
AnyIntArray: TypeAlias = npt.NDArray[Any]
_F = TypeVar("_F", bound=Callable[..., Any])


def compiled(function: _F) -> _F:
    """Compile with numba on first call, without the interpreter, cached on disk."""
    return cast(_F, numba.njit(cache=True)(function))


@compiled
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


@compiled
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
