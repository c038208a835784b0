"""Compiled passes over the flat table of a game, see :mod:`.enumeration`.

int64 cells only, as :mod:`.normal_form` proves them. No product of two cells is ever formed: fractions are compared by
Euclid's algorithm, so nothing can overflow.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..scheduling.loops import overwrite
from ..support.jit import jit
from .normal_form import HUGE


@jit
def equilibria(table: Any, sizes: Any, start: int, stop: int) -> Any:
    """Flat numbers of the pure equilibria among rows start..stop of the last player.

    table: (n, profiles). A row is one choice of everybody else; its cheapest cells for the last player are the only
    candidates, and the other players' lines are left at the first better cell.
    """
    n, width = sizes.size, sizes[-1]
    places = np.empty(16, np.int64)
    count = 0
    last = table[n - 1]
    for row in range(start, stop):
        base = row * width
        best = last[base]
        for j in range(1, width):
            if last[base + j] < best:
                best = last[base + j]
        for j in range(width):
            if last[base + j] != best:
                continue
            place = base + j
            stride = width
            stable = True
            for i in range(n - 2, -1, -1):
                mine = table[i, place]
                first = place - (place // stride) % sizes[i] * stride
                for s in range(sizes[i]):
                    if table[i, first + s * stride] < mine:
                        stable = False
                        break
                if not stable:
                    break
                stride *= sizes[i]
            if stable:
                if count == places.size:
                    wider = np.empty(2 * count, np.int64)
                    overwrite(wider, places)
                    places = wider
                places[count] = place
                count += 1
    return places[:count]


@jit
def _less(a: int, b: int, c: int, d: int) -> bool:
    """Whether ``a/b < c/d`` for positive b, d and non-negative a, c, by Euclid's algorithm: no product is formed."""
    while True:
        q, r = a // b, c // d
        if q != r:
            return bool(q < r)
        a, c = a - q * b, c - r * d
        if c == 0:
            return False
        if a == 0:
            return True
        a, b, c, d = d, c, b, a  # a/b < c/d below one: compare the reciprocals the other way round


@jit
def _worst_ratio(table: Any, best: Any, place: int, cap_top: int, cap_bottom: int, strict: bool) -> tuple[int, int]:
    """Largest cost/best of the players at a profile as a fraction; (0, 0) when it reaches the cap or is infinite.

    ``strict``: reaching the cap (cap_top/cap_bottom, or none when cap_bottom is 0) is already too much.
    """
    top: Any = np.int64(1)  # of a plain 1 numba would compile forms of its own
    bottom: Any = top
    for i in range(table.shape[0]):
        c, b = table[i, place], best[i, place]
        if c == b:
            continue
        if b <= 0 or c - b >= HUGE:
            return 0, 0
        if _less(top, bottom, c, b):
            top, bottom = c, b
    if cap_bottom == 0:
        return top, bottom
    enough = _less(top, bottom, cap_top, cap_bottom) if strict else not _less(cap_top, cap_bottom, top, bottom)
    return (top, bottom) if enough else (0, 0)


@jit
def least_ratio(table: Any, best: Any, start: int, stop: int, top: int, bottom: int) -> tuple[int, int, int]:
    """Least epsilon below top/bottom (bottom 0: no bound) in start..stop and the first profile with it, or -1."""
    where = -1
    for place in range(start, stop):
        c, b = _worst_ratio(table, best, place, top, bottom, True)
        if b != 0:
            top, bottom, where = c, b, place
    return top, bottom, where


@jit
def within_ratio(table: Any, best: Any, start: int, stop: int, top: int, bottom: int) -> Any:
    """Mask of the profiles in start..stop whose epsilon is at most top/bottom."""
    out = np.zeros(stop - start, np.bool_)
    for place in range(start, stop):
        out[place - start] = _worst_ratio(table, best, place, top, bottom, False)[1] != 0
    return out


@jit
def reached(near: Any, sizes: Any, places: Any) -> Any:
    """Mask of the profiles that are reached from the given ones, see :mod:`.reachability`.

    near: (n, profiles). A line is passed once per player, at the first of its near cells.
    """
    n, profiles = near.shape
    visited, finished = np.zeros(profiles, np.bool_), np.zeros(near.shape, np.bool_)
    waiting = np.empty(profiles, np.int64)
    count = 0
    for place in places:
        visited[place] = True
        waiting[count] = place
        count += 1
    done = 0
    while done < count:
        place = waiting[done]
        done += 1
        stride = 1
        for i in range(n - 1, -1, -1):
            first = place - (place // stride) % sizes[i] * stride
            if near[i, place] and not finished[i, first]:
                finished[i, first] = True
                for s in range(sizes[i]):
                    other = first + s * stride
                    if not near[i, other] and not visited[other]:
                        visited[other] = True
                        waiting[count] = other
                        count += 1
            stride *= sizes[i]
    return visited
