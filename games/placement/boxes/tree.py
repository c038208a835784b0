"""Compiled search of the tree of boxes, see :mod:`.search` and, for its terms, :mod:`.state`.

:func:`.narrowing.narrow` takes from a node what no equilibrium of the window can keep at home; :func:`.filling.busy`
closes it where not enough is left to keep the hosts busy. Then either the next organization pays the same in the whole
node: every placement that costs so much makes a child; or the home loads of one host are halved. A node that differs
from an earlier one only by who made the loads of hosts, or by costs so far that decide nothing, is left out.

int64 after a range proof by the caller, else Python integers through the plain form; words of sets and counters are
small in either.
"""

from __future__ import annotations

from typing import Any, Final

from ....support.jit import lean, piece
from .filling import busy
from .narrowing import drop, has, narrow, reopen, span
from .patterns import BITS, Splits
from .state import NODES, TOP, WRITTEN, Here, Nodes, State, Window

EXHAUSTED: Final = 0
FOUND: Final = 1
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


@piece
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


@piece
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


@piece
def _write(state: State, number: Any) -> None:
    """Write a number to the journal while there is room."""
    if state.at[WRITTEN] < state.journal.size:
        state.journal[state.at[WRITTEN]] = number
    state.at[WRITTEN] += 1


@piece
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
    found = 0 * key[0]
    for i in range(key.size):
        found = (found * _FACTOR + key[i]) % _PRIME
    return int(found)


@piece
def _met(state: State, window: Window, here: Here, stage: int, cost: Any, run: int) -> int:
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


@piece
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


@piece
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


@piece
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


@piece
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


@piece
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
            return FOUND
        reopen(splits, window, here)
        earlier = -1 if window.every else _met(state, window, here, stage, cost, run)
        if earlier >= 0:
            _write(state, SAME)
            _write(state, earlier)
        elif lowest < here.most[stage]:
            _halve(splits, state, here, stage, cost)
        elif not _resolve(splits, window, state, here, stage, cost):
            return FULL
    return EXHAUSTED
