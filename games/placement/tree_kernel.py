"""Compiled search of the tree of branch and bound over home loads.

Organizations are numbered by priority. A node of stage ``k`` is a set of profiles: the organizations before ``k`` have
placed their jobs, every other one keeps one of a set of home loads at home. ``r`` of a host is its home load plus what
foreign organizations placed there.

:func:`explore` takes a node from the pile. :func:`narrow` takes from it the home loads that no equilibrium of the
window has; :func:`busy` closes it where not enough is left to keep the hosts busy. Then either the next organization
pays the same in the whole node: every placement that costs so much makes a child; or the home loads of one host are
halved. A node that differs from an earlier one only by who made the loads of hosts, or by costs so far that decide
nothing, is left out.

*Narrowing.* At the turn of an organization ``r`` of every other host lies between two bounds: what its own set and the
resolved organizations say, and what those before that turn may add, who end by their own bounds wherever they go. A
best reply to the least (largest) ``r`` bounds what it pays from below (above). It keeps no home load with which it pays
more; the payer of a window pays what it asks for only if every other host is busy long enough; and all work has to go
somewhere. Each bound is monotone in the others, so where it ends does not depend on the order.

*Keeping hosts busy.* The payer of a window pays what it asks for only if every other host is busy until the floor at
the payer's turn; and where no host may end late, what does not fit below a level has to be above it. On a host
everything runs without a gap, its own jobs first, and an organization that ends by its bound fills no time after that.
So take any level: above it, home loads, blocks cut off at their organization's bound, and what has been placed already
must together fill what is asked for. Small organizations fill nothing above the level where they end, however much work
they have. What they can fill has its kinks at the ends of organizations and of resolved hosts, so these are the levels
to look at.

int64 after a range proof by the caller, else Python integers through the plain form; words of sets and counters are
small in either.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from ...support.jit import Ints, jit, lean
from .patterns import BITS, Splits

TOP: Final = 0
NODES: Final = 1
WRITTEN: Final = 2
"""Counters: nodes that wait, nodes met, and numbers written to the journal (beyond its size: it is of no use)."""


class Window(NamedTuple):
    """Which equilibria are wanted: all costs at most ``most``, and the largest of them, or the payer's, ``least``."""

    least: Any
    most: Any
    payer: int
    """Whose cost must reach ``least``; -1: anybody's."""
    floor: Any
    """Least ``r`` of all other hosts at the payer's turn: below it, moving some job would cost less than ``least``."""
    every: bool = False
    """Whether every equilibrium is wanted, told apart by what everybody places where: else nodes that are like others
    for the organizations still to come are left out."""


class Nodes(NamedTuple):
    """The nodes that wait, the last one first."""

    stage: Any
    cost: Any
    """Largest cost so far, or the payer's."""
    keeps: Any
    """``keeps[node, k]``: the set of home loads, as words."""
    foreign: Any
    """``foreign[node, l]``: work placed on host ``l``."""
    most: Any
    """``most[node, k]``: bound on the cost of every organization not resolved."""
    last: Any
    """``last[node, l]``: what the organization of the stage before placed on host ``l``."""


class Seen(NamedTuple):
    """Nodes met before, by a hash of what the rest of the game depends on; newer ones replace older ones."""

    keys: Any
    cost: Any
    number: Any
    run: Any
    """Which call stored it; older ones do not count."""


class State(NamedTuple):
    """Everything that a call changes."""

    nodes: Nodes
    seen: Seen
    journal: Any
    loads: Any
    """``loads[k, l]``: what organization ``k`` placed on host ``l``, on the way to the node at hand."""
    at: Any
    """Counters."""


class Here(NamedTuple):
    """The node at hand, and room to work."""

    keeps: Any
    first: Any
    last: Any
    """The first and the last home load of every set."""
    foreign: Any
    most: Any
    low: Any
    high: Any
    """Bounds on ``r`` of every host, at the turn of an organization."""
    touched: Any
    """Whether an organization before that turn may send work to the host."""
    near: Any
    far: Any
    """The bounds of all hosts but one, each ascending."""
    chosen: Any
    """Host of every block."""
    taken: Any
    """Whether a host has a block."""
    whole: Any
    """The set of a host that is split."""
    key: Any


def scratch(splits: Splits, key: int) -> Here:
    """Room to work for one game."""
    hosts = splits.work.size

    def count(size: int) -> Ints:
        return np.zeros(size, np.int64)

    def load() -> Ints:
        return np.zeros_like(splits.work)

    return Here(
        keeps=np.zeros((hosts, splits.words), np.int64),
        first=count(hosts),
        last=count(hosts),
        foreign=load(),
        most=load(),
        low=load(),
        high=load(),
        touched=count(hosts),
        near=load(),
        far=load(),
        chosen=count(splits.blocks.shape[1]),
        taken=count(hosts),
        whole=count(splits.words),
        key=np.zeros(key, splits.work.dtype),
    )


@jit
def has(keeps: Any, k: int, w: int) -> bool:
    """Whether a home load is in the set."""
    return bool((keeps[k, w // BITS] >> (w % BITS)) & 1)


@jit
def drop(keeps: Any, k: int, w: int) -> None:
    """Take a home load from the set."""
    keeps[k, w // BITS] &= ~(1 << (w % BITS))


@jit
def span(here: Here, k: int) -> bool:
    """Note the first and the last home load of a set that has become smaller; False when it is empty."""
    first, last = here.first[k], here.last[k]
    while first <= last and not has(here.keeps, k, first):
        first += 1
    while last > first and not has(here.keeps, k, last):
        last -= 1
    here.first[k], here.last[k] = first, last
    return bool(first <= last)


@jit
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


@jit
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


@jit
def _reply_cost(splits: Splits, k: int, ready: Any, limit: Any) -> Any:
    """Cost of a best reply; ``limit`` when not below it."""
    best = limit
    for place in range(splits.first[k, 0], splits.first[k, splits.first.shape[1] - 1]):
        row = splits.by_top[place]
        if splits.home[row] >= best or splits.blocks[row, 0] >= best:
            break
        best = _pattern_cost(splits, row, ready, best)
    return best


@jit
def _can_keep(splits: Splits, k: int, w: int, ready: Any, limit: Any) -> bool:
    """Whether the organization can end by ``limit`` with this home load."""
    for row in range(splits.first[k, w], splits.first[k, w + 1]):
        block = splits.blocks[row, 0]
        if block > 0 and ready[0] + block > limit:
            return False
        if _pattern_cost(splits, row, ready, limit + 1) <= limit:
            return True
    return False


@jit
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


@jit
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


@jit
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


@jit
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


@jit
def _spread(splits: Splits, here: Here, k: int) -> None:
    """Where an organization can send work, and how much: it ends by its bound wherever it goes."""
    sent = splits.work[k] - splits.homes[k, here.first[k]]
    if sent > 0:
        for host in range(here.low.size):
            if host != k and here.low[host] + splits.shortest[k] <= here.most[k]:
                here.high[host] = max(here.high[host], min(here.most[k], here.high[host] + sent))
                here.touched[host] = 1


@jit
def reopen(splits: Splits, window: Window, here: Here) -> bool:
    """What the sets say of every host: False when one cannot end in time."""
    for host in range(here.low.size):
        here.low[host] = splits.homes[host, here.first[host]] + here.foreign[host]
        here.high[host] = splits.homes[host, here.last[host]] + here.foreign[host]
        here.touched[host] = 0
        if here.low[host] > window.most:
            return False
    return True


@jit
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


@jit
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


@jit
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


@jit
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


@jit
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


EXHAUSTED: Final = 0
STABLE: Final = 1
UNFINISHED: Final = 2
FULL: Final = 3
"""How a call ends: no equilibrium in the window, one found, its nodes used up, no room for all children of a node."""
CLOSED: Final = 0
SPLIT: Final = 1
RESOLVED: Final = 2
SAME: Final = 3
"""What the journal says of a node."""
_PRIME: Final = 2_147_483_647
_FACTOR: Final = 1_000_003
_PROBES: Final = 8


@jit
def _take(splits: Splits, nodes: Nodes, node: int, here: Here, loads: Any) -> None:
    """Copy a node to work on it."""
    stage = nodes.stage[node]
    for k in range(here.low.size):
        here.foreign[k], here.most[k] = nodes.foreign[node, k], nodes.most[node, k]
        if stage > 0:
            loads[stage - 1, k] = nodes.last[node, k]
        for word in range(here.keeps.shape[1]):
            here.keeps[k, word] = nodes.keeps[node, k, word]
        here.first[k], here.last[k] = 0, splits.homes.shape[1] - 1
        span(here, k)


@jit
def _push(state: State, here: Here, stage: int, cost: Any) -> int:
    """Put a copy of the node at hand on the pile; its place."""
    nodes, node = state.nodes, state.at[TOP]
    nodes.stage[node], nodes.cost[node] = stage, cost
    for k in range(here.low.size):
        nodes.foreign[node, k], nodes.most[node, k] = here.foreign[k], here.most[k]
        if stage > 0:
            nodes.last[node, k] = state.loads[stage - 1, k]
        for word in range(here.keeps.shape[1]):
            nodes.keeps[node, k, word] = here.keeps[k, word]
    state.at[TOP] += 1
    return int(node)


@jit
def _write(state: State, number: Any) -> None:
    """Write a number to the journal while there is room."""
    if state.at[WRITTEN] < state.journal.size:
        state.journal[state.at[WRITTEN]] = number
    state.at[WRITTEN] += 1


@jit
def _key(here: Here, stage: int) -> int:
    """Write down what the rest of the game depends on; its hash.

    Resolved hosts are no more than machines that are free at some time, so it does not matter which is which.
    """
    key, hosts, words = here.key, here.low.size, here.keeps.shape[1]
    key[0] = stage
    for host in range(stage):
        x = here.low[host]
        i = host
        while i > 0 and key[i] > x:
            key[i + 1] = key[i]
            i -= 1
        key[i + 1] = x
    for host in range(stage, hosts):
        key[1 + host] = here.foreign[host]
    for host in range(hosts):
        for word in range(words):
            key[1 + hosts + host * words + word] = here.keeps[host, word] if host >= stage else 0
    digest = 0 * key[0]
    for i in range(key.size):
        digest = (digest * _FACTOR + key[i]) % _PRIME
    return int(digest)


@jit
def _earlier(state: State, window: Window, here: Here, stage: int, cost: Any, run: int) -> int:
    """Number of an earlier node that settles this one, else -1, and this one is noted.

    The earlier one had no equilibrium whose largest cost, with its own costs so far, lay in the window. Nor has this
    one, unless its costs so far reach the window's least and those of the earlier one did not.
    """
    seen = state.seen
    mask = seen.number.size - 1
    start = _key(here, stage) & mask
    slot = start
    for probe in range(_PROBES):
        place = (start + probe) & mask
        if seen.run[place] != run:
            slot = place
            break
        same = True
        for i in range(here.key.size):
            if seen.keys[place, i] != here.key[i]:
                same = False
                break
        if same:
            if cost < window.least or seen.cost[place] >= window.least:
                return int(seen.number[place])
            slot = place
            break
    for i in range(here.key.size):
        seen.keys[slot, i] = here.key[i]
    seen.cost[slot] = cost
    seen.number[slot] = state.at[NODES] - 1
    seen.run[slot] = run
    return -1


@jit
def _halve(splits: Splits, state: State, here: Here, stage: int, cost: Any) -> None:
    """Two children: the home loads of one host above and below the middle of those that matter."""
    host = -1
    middle = 0 * cost
    for other in range(here.low.size):
        top = min(here.high[other], here.most[stage] - splits.shortest[stage] + 1)
        if other != stage and here.low[other] < top and (host < 0 or here.low[other] < here.low[host]):
            host = other
            middle = (here.low[other] + top) // 2 - here.foreign[other]
    _write(state, SPLIT)
    _write(state, host)
    _write(state, middle)
    for word in range(here.whole.size):
        here.whole[word] = here.keeps[host, word]
    first, last = here.first[host], here.last[host]
    for above in (False, True):  # the last one is taken first
        for word in range(here.whole.size):
            here.keeps[host, word] = here.whole[word]
        for w in range(first, last + 1):
            if (splits.homes[host, w] > middle) != above:
                drop(here.keeps, host, w)
        _push(state, here, stage, cost)


@jit
def _next_host(splits: Splits, here: Here, stage: int, row: int, i: int, limit: Any, every: bool) -> int:
    """The next host that takes block ``i`` of a pattern by the limit, -1 when there is none.

    Of equal blocks the earlier one is on the earlier host; of resolved hosts that are free at the same time the first
    ones are taken first, unless every equilibrium is wanted.
    """
    chosen, taken = here.chosen, here.taken
    block = splits.blocks[row, i]
    start = chosen[i] + 1
    if chosen[i] < 0 and i > 0 and splits.blocks[row, i - 1] == block:
        start = chosen[i - 1] + 1
    for host in range(start, here.low.size):
        if host == stage or taken[host] or here.low[host] + block > limit:
            continue
        twin = False
        if host < stage and not every:
            for other in range(host):
                if not taken[other] and here.low[other] == here.low[host]:
                    twin = True
                    break
        if not twin:
            return host
    return -1


@jit
def _child(splits: Splits, state: State, here: Here, stage: int, row: int, cost: Any) -> None:
    """The child in which an organization places the blocks of a pattern on the chosen hosts."""
    node = _push(state, here, stage + 1, cost)
    nodes, last = state.nodes, state.nodes.last
    for host in range(here.low.size):
        last[node, host] = 0
    last[node, stage] = splits.home[row]
    for w in range(here.first[stage], here.last[stage] + 1):
        if splits.homes[stage, w] != splits.home[row]:
            nodes.keeps[node, stage, w // BITS] &= ~(1 << (w % BITS))
    for i in range(splits.blocks.shape[1]):
        block = splits.blocks[row, i]
        if block == 0:
            break
        host = here.chosen[i]
        last[node, host] = block
        nodes.foreign[node, host] += block
        limit = here.most[stage] - nodes.foreign[node, host]
        for w in range(here.first[host], here.last[host] + 1):
            if splits.homes[host, w] > limit:
                nodes.keeps[node, host, w // BITS] &= ~(1 << (w % BITS))
    for host in range(here.low.size):
        _write(state, last[node, host])


@jit
def _place(splits: Splits, state: State, here: Here, stage: int, row: int, cost: Any, every: bool) -> bool:
    """A child for every way to place the blocks of a pattern; False without room."""
    chosen, taken = here.chosen, here.taken
    depth = 0
    for i in range(splits.blocks.shape[1]):
        chosen[i] = -1
        depth += splits.blocks[row, i] > 0
    for host in range(taken.size):
        taken[host] = 0
    i = 0
    while i >= 0:
        if i == depth:
            if state.at[TOP] >= state.nodes.stage.size:
                return False
            _child(splits, state, here, stage, row, cost)
            i -= 1
            continue
        if chosen[i] >= 0:
            taken[chosen[i]] = 0
        chosen[i] = _next_host(splits, here, stage, row, i, here.most[stage], every)
        if chosen[i] < 0:
            i -= 1
        else:
            taken[chosen[i]] = 1
            i += 1
    return True


@jit
def _resolve(splits: Splits, window: Window, state: State, here: Here, stage: int, cost: Any) -> bool:
    """A child for every placement of the organization that costs what a best reply costs; False without room."""
    after = cost
    if window.payer < 0 or window.payer == stage:
        after = max(cost, here.most[stage])
    _write(state, RESOLVED)
    _write(state, here.most[stage])
    children = state.at[WRITTEN]
    _write(state, 0)
    before = state.at[TOP]
    for w in range(here.first[stage], here.last[stage] + 1):
        if has(here.keeps, stage, w):
            for row in range(splits.first[stage, w], splits.first[stage, w + 1]):
                if not _place(splits, state, here, stage, row, after, window.every):
                    return False
    if children < state.journal.size:
        state.journal[children] = state.at[TOP] - before
    return True


@lean
def explore(splits: Splits, window: Window, state: State, here: Here, run: int, budget: int) -> int:
    """Go on with the nodes that wait, at most ``budget`` of them; found: ``loads`` is an equilibrium of the window."""
    hosts = here.low.size
    nodes, at = state.nodes, state.at
    while at[TOP] > 0:
        if budget == 0:
            return UNFINISHED
        if at[TOP] + 2 > nodes.stage.size:
            return FULL
        budget -= 1
        at[TOP] -= 1
        at[NODES] += 1
        stage, cost = nodes.stage[at[TOP]], nodes.cost[at[TOP]]
        _take(splits, nodes, at[TOP], here, state.loads)
        alive, lowest = narrow(splits, window, here, stage, cost)
        if not (alive and busy(splits, window, here, stage)):
            _write(state, CLOSED)
            continue
        if stage == hosts:
            return STABLE
        reopen(splits, window, here)
        earlier = -1 if window.every else _earlier(state, window, here, stage, cost, run)
        if earlier >= 0:
            _write(state, SAME)
            _write(state, earlier)
        elif lowest < here.most[stage]:
            _halve(splits, state, here, stage, cost)
        elif not _resolve(splits, window, state, here, stage, cost):
            return FULL
    return EXHAUSTED
