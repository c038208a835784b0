"""Compiled best-response dynamics on loads from random placements: equilibria to begin with.

What an organization pays depends on loads alone, so a move is a pattern of :mod:`.patterns` with its largest block on
the host that is free first. Of all patterns that cost the least one is drawn, so that runs end at different equilibria.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from ....scheduling.compiled import inner, lean
from .patterns import Splits

ROUNDS: Final = 30
"""Rounds of one run; those that need more are given up."""
_MODULUS: Final = 2_147_483_647
_MULTIPLIER: Final = 48_271


class Room(NamedTuple):
    """What a run writes on: when hosts are free, the order in which an organization meets them, and what is placed."""

    ready: Any
    order: Any
    loads: Any
    drawn: Any

    @classmethod
    def of(cls, splits: Splits) -> Room:
        """Room for runs on these patterns."""
        hosts = splits.work.size
        return cls(
            np.zeros_like(splits.work),
            np.arange(hosts),
            np.zeros((hosts, hosts), splits.work.dtype),
            np.arange(hosts),
        )


@inner
def _draw(seed: Any, below: int) -> int:
    """A number below ``below``; the state of the generator moves on (Lehmer's, as in C++'s ``minstd_rand``)."""
    seed[0] = seed[0] * _MULTIPLIER % _MODULUS
    return int(seed[0] % below)


@inner
def _ready(loads: Any, k: int, ready: Any) -> None:
    """When every host is free for organization ``k``: its owner's work, then that of higher priorities."""
    for host in range(ready.size):
        ready[host] = loads[host, host]
        for other in range(k):
            if other != host:
                ready[host] += loads[other, host]


@inner
def _place(splits: Splits, row: int, k: int, order: Any, loads: Any) -> None:
    """Place a pattern, its largest blocks on the first hosts of an order."""
    for host in range(order.size):
        loads[k, host] = 0
    loads[k, k] = splits.home[row]
    i = 0
    for place in range(order.size):
        host = order[place]
        if host != k and i < splits.blocks.shape[1]:
            loads[k, host] = splits.blocks[row, i]
            i += 1


@inner
def _by_ready(ready: Any, order: Any, seed: Any) -> None:
    """Put hosts in ascending order of when they are free, ties at random."""
    for i in range(order.size - 1, 0, -1):
        j = _draw(seed, i + 1)
        order[i], order[j] = order[j], order[i]
    for i in range(1, order.size):
        host = order[i]
        j = i
        while j > 0 and ready[order[j - 1]] > ready[host]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = host


@inner
def _improve(splits: Splits, k: int, loads: Any, ready: Any, order: Any, seed: Any) -> bool:
    """One move of an organization; False when it gains by none."""
    _ready(loads, k, ready)
    now = loads[k, k]
    for host in range(ready.size):
        if host != k and loads[k, host] > 0:
            now = max(now, ready[host] + loads[k, host])
    _by_ready(ready, order, seed)
    best, found, ties = now, -1, 0
    for row in range(splits.first[k, 0], splits.first[k, splits.first.shape[1] - 1]):
        cost = splits.home[row]
        i = 0
        for place in range(order.size):
            host = order[place]
            if host == k:
                continue
            if i == splits.blocks.shape[1] or splits.blocks[row, i] == 0 or cost > best:
                break
            cost = max(cost, ready[host] + splits.blocks[row, i])
            i += 1
        if cost < best:
            best, found, ties = cost, row, 1
        elif cost == best and found >= 0:
            ties += 1
            if _draw(seed, ties) == 0:
                found = row
    if found < 0:
        return False
    _place(splits, found, k, order, loads)
    return True


@inner
def _follow(splits: Splits, seed: Any, loads: Any, room: Room) -> bool:
    """See :func:`follow`."""
    order = room.order
    for i in range(order.size):
        order[i] = i
    for _ in range(ROUNDS):
        moved = False
        for k in range(order.size):
            if _improve(splits, k, loads, room.ready, order, seed):
                moved = True
        if not moved:
            return True
    return False


@lean
def follow(splits: Splits, seed: Any, loads: Any, room: Room) -> bool:
    """Moves in turn from these loads, which are overwritten; whether they end at an equilibrium."""
    return _follow(splits, seed, loads, room)


@inner
def _draw_all(splits: Splits, seed: Any, room: Room) -> None:
    """A random pattern of every organization, on hosts in random order."""
    for k in range(room.drawn.size):
        rows = splits.first[k, splits.first.shape[1] - 1] - splits.first[k, 0]
        for host in range(room.ready.size):
            room.ready[host] = 0
        _by_ready(room.ready, room.drawn, seed)
        _place(splits, splits.first[k, 0] + _draw(seed, rows), k, room.drawn, room.loads)


@inner
def _largest(loads: Any) -> Any:
    """The largest load of a host."""
    largest = 0 * loads[0, 0]
    for host in range(loads.shape[1]):
        load = 0 * loads[0, 0]
        for k in range(loads.shape[0]):
            load += loads[k, host]
        largest = max(largest, load)
    return largest


@inner
def _keep(loads: Any, kept: Any) -> None:
    """Write the loads of all organizations into others."""
    for k in range(loads.shape[0]):
        for host in range(loads.shape[1]):
            kept[k, host] = loads[k, host]


@lean
def settle(splits: Splits, runs: int, seed: Any, best: Any, worst: Any, room: Room) -> tuple[int, Any, Any]:
    """Play from random placements; the loads of the best and the worst equilibrium met are written.

    Returns how many runs ended at an equilibrium, and the largest cost at the best and at the worst one.
    """
    for i in range(room.drawn.size):
        room.drawn[i] = i
    settled, low, high = 0, 0 * splits.work[0], 0 * splits.work[0]
    for _ in range(runs):
        _draw_all(splits, seed, room)
        if _follow(splits, seed, room.loads, room):
            social = _largest(room.loads)
            if settled == 0 or social < low:
                low = social
                _keep(room.loads, best)
            if settled == 0 or social > high:
                high = social
                _keep(room.loads, worst)
            settled += 1
    return settled, low, high
