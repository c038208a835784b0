"""Arrays of this room, which do not import numba, so that describing a pool stays quick: types, and how wide they are.

Times are of any size. A column is int64 as long as a sum of two of its entries is, else of Python's integers.

>>> narrowed(np.array([1, 2], dtype=object)).dtype, narrowed(np.array([1, 2**70], dtype=object)).dtype
(dtype('int64'), dtype('O'))
>>> at_most(np.array([1, 2**70], dtype=object), 5).tolist()
[1, 5]
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

IntArray: TypeAlias = npt.NDArray[np.int64]
"""Integers of a kernel."""

AnyIntArray: TypeAlias = npt.NDArray[Any]
"""Integers, of dtype object where they may leave int64."""

NARROW: Final = 2**61
"""Largest time of an int64 column: a start and a length, and their sum, stay far from the end of int64."""


def narrowed(column: AnyIntArray) -> AnyIntArray:
    """A column of integers, as int64 where every entry is at most :data:`NARROW`."""
    if column.size and max(-int(column.min()), int(column.max())) > NARROW:
        return column.astype(object)
    return column.astype(np.int64, copy=False)


def at_most(column: AnyIntArray, high: int) -> AnyIntArray:
    """Entries, larger ones cut to ``high``, as int64 where that holds ``high`` (none is below ``-NARROW``)."""
    wide = high > NARROW
    cut: AnyIntArray = np.minimum(column.astype(object) if wide else column, high)
    return cut if wide else cut.astype(np.int64, copy=False)
