"""Columns of whole numbers, kept in as few bytes as they need and shown as int64.

A log of millions of jobs has many columns that nobody looks at, and few of its numbers need eight bytes. A column takes
the width of its widest number until it is asked for; from then on it is an array of int64, in which sums and products
can be formed without a thought.

>>> columns = Columns({"run": narrow([60, -1]), "user": narrow([7, 12702668417572])})
>>> columns.kept("run").dtype, columns["run"].dtype, columns.kept("run").dtype
(dtype('int8'), dtype('int64'), dtype('int64'))
>>> columns["user"].tolist()
[7, 12702668417572]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]
AnyWidth: TypeAlias = NDArray[Any]
"""Of int8, int16, int32 or int64."""

_WIDTHS: Final = tuple((np.iinfo(w).min, np.iinfo(w).max, w) for w in (np.int8, np.int16, np.int32))


def narrow(values: Iterable[int] | AnyWidth) -> AnyWidth:
    """The numbers as narrow as they allow, read-only: a copy, unless nobody else can write to the array as it is.

    >>> narrow([1, 128]).dtype, narrow([]).dtype
    (dtype('int16'), dtype('int8'))
    """
    given = values if isinstance(values, np.ndarray) and values.dtype.kind == "i" else np.array(values, dtype=np.int64)
    low, high = (int(given.min()), int(given.max())) if given.size else (0, 0)
    width = next((width for least, most, width in _WIDTHS if least <= low and high <= most), np.int64)
    column = given.astype(width, copy=given.flags.writeable or not given.flags.owndata)
    column.setflags(write=False)
    return column


class Columns(Mapping[str, IntArray]):
    """Arrays of int64 by name, read-only; each is made of a :func:`narrow` one when it is first asked for."""

    def __init__(self, columns: Mapping[str, AnyWidth]) -> None:
        self._kept = dict(columns)

    def __getitem__(self, name: str) -> IntArray:
        column = self._kept[name]
        if column.dtype != np.int64:
            column = column.astype(np.int64)
            column.setflags(write=False)
            self._kept[name] = column
        return column

    def __iter__(self) -> Iterator[str]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def kept(self, name: str) -> AnyWidth:
        """A column as it is kept: to select and to copy, not to compute with."""
        return self._kept[name]
