"""Which profiles best responses lead to, and which lead to given ones: breadth first along the lines of a table.

A line is one player's choices against fixed ones of everybody else. Her best responses lead from its cells that are
not best to those that are, so one walk serves both directions: from cells of one kind, here *near*, to all cells of the
other kind on the same line.

>>> at_best = np.array([[[False, True], [True, False]], [[True, False], [True, False]]])  # (player, row, column)
>>> reached(at_best, np.array([2])).tolist()  # leading to the profile in row 1, column 0
[True, True, True, True]
>>> reached(~at_best, np.array([2])).tolist()  # what follows it
[False, False, True, False]
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..support.jit import quickest
from . import enumeration_kernels as kernels

IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]

_FAR = 1_000  # distances: numpy is as fast as the kernel unless few profiles are at each


def reached(near: BoolArray, places: IntArray) -> BoolArray:
    """Mask, flat, of the profiles that are reached from the given ones, these included.

    Parameters
    ----------
    near
        Shape (players, one axis per player): the cells that are left, each along its player's line. At best: what leads
        to the given profiles is reached. Not at best: what follows them.
    places
        Numbers of profiles in C order.
    """
    sizes = np.array(near.shape[1:], np.int64)
    flat = near.reshape(len(near), -1)
    known = _reached(flat, sizes, places)
    return quickest(kernels.reached, near.size)(flat, sizes, places) if known is None else known


def _reached(near: BoolArray, sizes: IntArray, places: IntArray) -> BoolArray | None:
    """What the kernel does, all profiles of one distance at once; ``None`` where there are too many distances."""
    met, walked = np.zeros(near.shape[1], np.bool_), np.zeros(near.shape, np.bool_)
    met[places] = True
    latest = places
    for _ in range(_FAR):
        if not latest.size:
            return met
        found, stride = [], 1
        for own, seen, size in zip(near[::-1], walked[::-1], sizes[::-1].tolist(), strict=True):
            there = latest[own[latest]]
            first = there - there // stride % size * stride
            first = np.unique(first[~seen[first]])
            seen[first] = True
            line = (first[:, None] + stride * np.arange(size)).reshape(-1)
            found.append(line[~(own[line] | met[line])])
            met[found[-1]] = True
            stride *= size
        latest = np.concatenate(found)
    return None
