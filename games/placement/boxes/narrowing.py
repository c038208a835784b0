"""Compiled: which home loads no equilibrium of a node has, see :mod:`.state`.

At the turn of an organization ``r`` of every other host lies between two bounds: what its own set and the resolved
organizations say, and what those before that turn may add, who end by their own bounds wherever they go. A best reply
to the least (largest) ``r`` bounds what she pays from below (above). She keeps no home load with which she pays more;
the payer of a window pays what it asks for only if every other host is busy long enough; and all work has to go
somewhere. Each bound is monotone in the others, so where it ends does not depend on the order.

These are pieces of the kernel in :mod:`.tree`: numba's cache looks at that file alone, touch it after a change here.
"""

from __future__ import annotations

from typing import Any

from ....support.jit import piece
from .patterns import BITS, Splits
from .state import Here, Window


@piece
def has(keeps: Any, k: int, w: int) -> bool:
    """Whether a home load is in the set."""
    return bool((keeps[k, w // BITS] >> (w % BITS)) & 1)


@piece
def drop(keeps: Any, k: int, w: int) -> None:
    """Take a home load from the set."""
    keeps[k, w // BITS] &= ~(1 << (w % BITS))


@piece
def span(here: Here, k: int) -> bool:
    """Note the first and the last home load of a set that has become smaller; False when it is empty."""
    first, last = here.first[k], here.last[k]
    while first <= last and not has(here.keeps, k, first):
        first += 1
    while last > first and not has(here.keeps, k, last):
        last -= 1
    here.first[k], here.last[k] = first, last
    return bool(first <= last)


@piece
def _others(values: Any, k: int, into: Any) -> None:
    """The values of all hosts but ``k``, ascending."""
    m = 0
    for host in range(values.size):
        if host != k:
            x = values[host]
            i = m
            while i > 0 and into[i - 1] > x:
                into[i] = into[i - 1]
                i -= 1
            into[i] = x
            m += 1


@piece
def _pattern_cost(splits: Splits, row: int, ready: Any, limit: Any) -> Any:
    """What a pattern costs when the hosts are free at ``ready``, ascending; ``limit`` when not below it."""
    cost = splits.home[row]
    for i in range(splits.blocks.shape[1]):
        block = splits.blocks[row, i]
        if block == 0 or cost >= limit:
            break
        if ready[i] + block > cost:
            cost = ready[i] + block
    return min(cost, limit)


@piece
def _reply_cost(splits: Splits, k: int, ready: Any, limit: Any) -> Any:
    """Cost of a best reply; ``limit`` when not below it."""
    best = limit
    for place in range(splits.first[k, 0], splits.first[k, splits.first.shape[1] - 1]):
        row = splits.by_top[place]
        if splits.home[row] >= best or splits.blocks[row, 0] >= best:
            break
        best = _pattern_cost(splits, row, ready, best)
    return best


@piece
def _can_keep(splits: Splits, k: int, w: int, ready: Any, limit: Any) -> bool:
    """Whether the organization can end by ``limit`` with this home load."""
    for row in range(splits.first[k, w], splits.first[k, w + 1]):
        block = splits.blocks[row, 0]
        if block > 0 and ready[0] + block > limit:
            return False
        if _pattern_cost(splits, row, ready, limit + 1) <= limit:
            return True
    return False


@piece
def _keep_at_least(splits: Splits, here: Here, k: int, least: Any) -> bool:
    """Leave out the home loads below a bound; whether there were any."""
    w = here.first[k]
    if w > here.last[k] or splits.homes[k, w] >= least:
        return False
    while w <= here.last[k] and splits.homes[k, w] < least:
        drop(here.keeps, k, w)
        w += 1
    here.first[k] = w
    span(here, k)
    return True


@piece
def _raise_floor(splits: Splits, window: Window, here: Here) -> tuple[bool, bool]:
    """What the payer's turn demands of all other hosts: whether they can meet it, and whether a set has changed."""
    changed = False
    for host in range(here.low.size):
        if host != window.payer:
            if here.high[host] < window.floor:
                return False, False
            if here.low[host] < window.floor:
                here.low[host] = window.floor
                if not here.touched[host]:
                    changed |= _keep_at_least(splits, here, host, window.floor - here.foreign[host])
                    if here.first[host] > here.last[host]:
                        return False, False
    return True, changed


@piece
def _bound(splits: Splits, window: Window, here: Here, k: int, room: Any) -> Any:
    """Bounds on the cost of an organization at its turn: the lower one is returned, the upper one kept.

    ``room``: the work on all other hosts. The lower bound is larger than the upper one where nothing is left.
    """
    hosts = here.low.size
    _others(here.low, k, here.near)
    _others(here.high, k, here.far)
    left = room
    for i in range(hosts - 1):
        here.far[i] = min(here.far[i], left // (hosts - 1 - i))
        left -= here.near[i]
    top = min(here.most[k], window.most)
    if left < 0:
        return top + 1
    here.most[k] = _reply_cost(splits, k, here.far, top)
    return _reply_cost(splits, k, here.near, here.most[k] + 1)


@piece
def _filter(splits: Splits, here: Here, k: int) -> bool:
    """Leave out the home loads with which the organization pays more than its bound; whether there were any."""
    changed = False
    for w in range(here.first[k], here.last[k] + 1):
        if has(here.keeps, k, w) and not (
            splits.homes[k, w] <= here.most[k] and _can_keep(splits, k, w, here.near, here.most[k])
        ):
            drop(here.keeps, k, w)
            changed = True
    return changed


@piece
def _spread(splits: Splits, here: Here, k: int) -> None:
    """Where an organization can send work, and how much: it ends by its bound wherever it goes."""
    sent = splits.work[k] - splits.homes[k, here.first[k]]
    if sent > 0:
        for host in range(here.low.size):
            if host != k and here.low[host] + splits.shortest[k] <= here.most[k]:
                here.high[host] = max(here.high[host], min(here.most[k], here.high[host] + sent))
                here.touched[host] = 1


@piece
def reopen(splits: Splits, window: Window, here: Here) -> bool:
    """What the sets say of every host: False when one cannot end in time."""
    for host in range(here.low.size):
        here.low[host] = splits.homes[host, here.first[host]] + here.foreign[host]
        here.high[host] = splits.homes[host, here.last[host]] + here.foreign[host]
        here.touched[host] = 0
        if here.low[host] > window.most:
            return False
    return True


@piece
def _fill(splits: Splits, window: Window, here: Here, total: Any) -> tuple[bool, bool]:
    """All the work has to go somewhere: whether it can, and whether a set has changed."""
    missing = total
    for host in range(here.low.size):
        here.high[host] = min(here.high[host], window.most)
        missing -= here.high[host]
    if missing > 0:
        return False, False
    changed = False
    for host in range(here.low.size):
        if not here.touched[host]:
            changed |= _keep_at_least(splits, here, host, missing + here.high[host] - here.foreign[host])
            if here.first[host] > here.last[host]:
                return False, False
    return True, changed


@piece
def narrow(splits: Splits, window: Window, here: Here, stage: int, cost: Any) -> tuple[bool, Any]:
    """Leave out home loads until nothing changes.

    Returns whether an equilibrium of the window may be left, and a lower bound on the cost of the next organization.
    """
    hosts = here.low.size
    lowest = 0 * cost
    changed = True
    while changed:
        changed = False
        if not reopen(splits, window, here):
            return False, lowest
        placed, at_home = 0 * cost, 0 * cost  # before the turn of k: all its work, and what the others keep
        for host in range(hosts):
            if host < stage:
                placed += splits.work[host]
            else:
                at_home += splits.homes[host, here.last[host]]
        for k in range(stage, hosts):
            at_home -= splits.homes[k, here.last[k]]
            if k == window.payer and hosts > 1:
                able, changes = _raise_floor(splits, window, here)
                if not able:
                    return False, lowest
                changed |= changes
            low = _bound(splits, window, here, k, placed + at_home - here.foreign[k])
            if low > here.most[k]:
                return False, lowest
            if k == stage:
                lowest = low
            if _filter(splits, here, k):
                changed = True
                if not span(here, k):
                    return False, lowest
            _spread(splits, here, k)
            placed += splits.work[k]
        able, changes = _fill(splits, window, here, placed)
        if not able:
            return False, lowest
        changed |= changes
    top = cost
    for k in range(stage, hosts):
        if window.payer < 0 or window.payer == k:
            top = max(top, here.most[k])
    return top >= window.least, lowest
