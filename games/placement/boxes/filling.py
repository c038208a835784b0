"""Compiled: whether organizations can keep the hosts as busy as an equilibrium of a window needs, see :mod:`.state`.

The payer of a window pays what it asks for only if every other host is busy until the floor at the payer's turn; and
where no host may end late, what does not fit below a level has to be above it. On a host everything runs without a gap,
its own jobs first, and an organization that ends by its bound fills no time after that. So take any level: above it,
home loads, blocks cut off at their organization's bound, and what has been placed already must together fill what is
asked for. Small organizations fill nothing above the level where they end, however much work they have. What they can
fill has its kinks at the ends of organizations and of resolved hosts, so these are the levels to look at.

These are pieces of the kernel in :mod:`.tree`: numba's cache looks at that file alone, touch it after a change here.
"""

from __future__ import annotations

from typing import Any

from ....support.jit import piece
from .narrowing import has
from .patterns import Splits
from .state import Here, Window


@piece
def _filled(splits: Splits, here: Here, k: int, level: Any, ceiling: Any) -> Any:
    """How much time between two levels an organization can fill, on all hosts together: nobody does after her end."""
    room = min(here.most[k], ceiling) - level
    best = 0 * ceiling
    for w in range(here.first[k], here.last[k] + 1):
        if has(here.keeps, k, w):
            own = max(0 * ceiling, min(splits.homes[k, w] + here.foreign[k], ceiling) - level)
            if room <= 0:
                best = max(best, own)
                continue
            for row in range(splits.first[k, w], splits.first[k, w + 1]):
                filled = own
                for i in range(splits.blocks.shape[1]):
                    filled += min(splits.blocks[row, i], room)
                best = max(best, filled)
    return best


@piece
def _can_fill(splits: Splits, here: Here, stage: int, turn: int, level: Any, ceiling: Any, missing: Any) -> bool:
    """Whether so much time between two levels can be filled before the turn of an organization, on all other hosts."""
    for k in range(here.low.size):
        if missing <= 0:
            return True
        if stage <= k < turn:
            missing -= _filled(splits, here, k, level, ceiling)
        elif k != turn:
            top = splits.homes[k, here.last[k]] + here.foreign[k]
            missing -= max(0 * ceiling, min(top, ceiling) - level)
    return bool(missing <= 0)


@piece
def busy(splits: Splits, window: Window, here: Here, stage: int) -> bool:
    """Whether the hosts can be as busy as the window asks, after :func:`.narrowing.narrow` has left the node alive."""
    hosts, floor, most = here.low.size, window.floor, window.most
    total = 0 * most
    for k in range(hosts):
        total += splits.work[k]
    for k in range(hosts):
        level = here.most[k] if k >= stage else splits.homes[k, here.first[k]] + here.foreign[k]
        if stage <= window.payer != k and level < floor:
            missing = (hosts - 1) * (floor - level)
            if not _can_fill(splits, here, stage, window.payer, level, floor, missing):
                return False
        if most < total and level < most:
            missing = total
            for host in range(hosts):
                missing -= min(level, here.high[host])
            if not _can_fill(splits, here, stage, hosts, level, most, missing):
                return False
    return True
