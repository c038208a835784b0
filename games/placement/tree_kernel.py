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

int64 after a range proof by the caller, else Python integers through the plain form. Few arrays with named rows, in one
named tuple: numba takes a good part of a second for every function, more for every array that it is handed.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from ...support.jit import jit, lean
from .patterns import BITS

STAGE: Final = 0
COST: Final = 1
FOREIGN: Final = 2
BOUND: Final = 3
LAST: Final = 4
KEEPS: Final = 5
"""Rows of a node, a column for every host: the stage, and the largest cost so far or the payer's, both in the first
column; work placed on the host; bound on the cost of its organization; what the organization of the stage before placed
there; and the set of home loads of its organization, as words from this row on."""

WORK: Final = 0
SHORTEST: Final = 1
FIRST: Final = 2
FINAL: Final = 3
LOW: Final = 4
HIGH: Final = 5
TOUCHED: Final = 6
NEAR: Final = 7
FAR: Final = 8
CHOSEN: Final = 9
TAKEN: Final = 10
NOTES: Final = 11
"""Rows of notes on the node at hand, a column for every host: work of its organization and its shortest job; first and
last home load of its set; bounds on ``r`` at the turn of an organization; whether one before that turn may send work
there. Then room to work: the bounds of all hosts but one, each ascending; the host of every block; whether a host has
a block. The last one counts the rows."""

TOP: Final = 0
NODES: Final = 1
WRITTEN: Final = 2
"""Counters: nodes that wait, nodes met, and numbers written to the journal (beyond its size: it is of no use)."""

EXHAUSTED: Final = 0
STABLE: Final = 1
UNFINISHED: Final = 2
FULL: Final = 3
"""How a call ends: no equilibrium in the window, one found, its nodes used up, no room for all children of a node."""
CLOSED: Final = 0
SPLIT: Final = 1
RESOLVED: Final = 2
SAME: Final = 3
"""What the journal says of a node, with two numbers: the host that is split and the middle; the cost of the next
organization and the number of its placements, which follow; the number of the earlier node."""
RUN: Final = 0
NUMBER: Final = 1
PAID: Final = 2
KEY: Final = 3
"""Columns of a node that was met: which call met it, older ones do not count; its number; its cost; and, from this
column on, what the rest of the game depends on."""
_PRIME: Final = 2_147_483_647
_FACTOR: Final = 1_000_003
_PROBES: Final = 8


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


class State(NamedTuple):
    """The patterns of a game, see :class:`.patterns.Splits`, which are read, and everything that a call changes."""

    rows: Any
    first: Any
    homes: Any
    here: Any
    """The node at hand: rows by what they say, columns by host."""
    notes: Any
    nodes: Any
    """The nodes that wait, the last one first."""
    seen: Any
    """Nodes met before, by a hash of what the rest of the game depends on; newer ones replace older ones. The last row
    is room for the node at hand."""
    journal: Any
    loads: Any
    """``loads[k, l]``: what organization ``k`` placed on host ``l``, on the way to the node at hand."""
    count: Any
    """Counters."""


@jit
def has(node: Any, k: int, w: int) -> bool:
    """Whether a home load is in the set."""
    return bool((node[KEEPS + w // BITS, k] >> (w % BITS)) & 1)


@jit
def drop(node: Any, k: int, w: int) -> None:
    """Take a home load from the set."""
    node[KEEPS + w // BITS, k] &= ~(1 << (w % BITS))


@jit
def _copy(source: Any, target: Any) -> None:
    """Copy a node."""
    for row in range(source.shape[0]):
        for host in range(source.shape[1]):
            target[row, host] = source[row, host]


@jit
def _trim(state: State, k: int, least: Any) -> bool:
    """Leave out home loads below a bound, and note the first and the last one left; whether any was left out."""
    here, notes = state.here, state.notes
    first, final = notes[FIRST, k], notes[FINAL, k]
    changed = False
    while first <= final and (state.homes[k, first] < least or not has(here, k, first)):
        if has(here, k, first):
            drop(here, k, first)
            changed = True
        first += 1
    while final > first and not has(here, k, final):
        final -= 1
    notes[FIRST, k], notes[FINAL, k] = first, final
    return changed


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
def _reply(state: State, k: int, begin: int, end: int, ready: Any, limit: Any, enough: Any) -> Any:
    """Cost of a best reply with one of the home loads ``begin..end``; ``limit`` when not below it.

    The other hosts are free at ``ready``, ascending. Any cost of at most ``enough`` will do.
    """
    rows, best = state.rows, limit
    for w in range(begin, end):
        home = state.homes[k, w]
        if home >= best:
            break
        for row in range(state.first[k, w], state.first[k, w + 1]):
            cost = home
            for i in range(1, rows.shape[1]):
                block = rows[row, i]
                if block == 0 or cost >= best:
                    break
                cost = max(cost, ready[i - 1] + block)
            if cost < best:
                best = cost
                if best <= enough:
                    return best
            elif rows[row, 1] > 0 and ready[0] + rows[row, 1] >= best:  # later rows have longer blocks
                break
    return best


@jit
def _turn(state: State, k: int, room: Any) -> tuple[Any, bool]:
    """Bound what an organization pays at its turn, and leave out home loads with which it pays more.

    ``room``: the work on all other hosts. Returns a lower bound on its cost, beyond the upper one where nothing is
    left, and whether home loads were left out. Then other hosts may have its work, but none later than its bound.
    """
    here, notes, homes = state.here, state.notes, state.homes
    hosts, near, far = here.shape[1], notes[NEAR], notes[FAR]
    _others(notes[LOW], k, near)
    _others(notes[HIGH], k, far)
    left = room
    for i in range(hosts - 1):
        far[i] = min(far[i], left // (hosts - 1 - i))
        left -= near[i]
    if left < 0:
        return here[BOUND, k] + 1, False
    nothing = 0 * room
    most = _reply(state, k, 0, homes.shape[1], far, here[BOUND, k], nothing)
    here[BOUND, k] = most
    low = _reply(state, k, 0, homes.shape[1], near, most + 1, nothing)
    if low > most:
        return low, False
    changed = False
    for w in range(notes[FIRST, k], notes[FINAL, k] + 1):
        if has(here, k, w) and _reply(state, k, w, w + 1, near, most + 1, most) > most:
            drop(here, k, w)
            changed = True
    if changed:
        _trim(state, k, homes[k, 0])
        if notes[FIRST, k] > notes[FINAL, k]:
            return most + 1, True
    sent = notes[WORK, k] - homes[k, notes[FIRST, k]]
    if sent > 0:
        for host in range(hosts):
            if host != k and notes[LOW, host] + notes[SHORTEST, k] <= most:
                notes[HIGH, host] = max(notes[HIGH, host], min(most, notes[HIGH, host] + sent))
                notes[TOUCHED, host] = 1
    return low, changed


@jit
def reopen(state: State, window: Window) -> bool:
    """What the sets say of every host: False when one cannot end in time."""
    here, notes, homes = state.here, state.notes, state.homes
    for host in range(here.shape[1]):
        notes[LOW, host] = homes[host, notes[FIRST, host]] + here[FOREIGN, host]
        notes[HIGH, host] = homes[host, notes[FINAL, host]] + here[FOREIGN, host]
        notes[TOUCHED, host] = 0
        if notes[LOW, host] > window.most:
            return False
    return True


@jit
def _demand(state: State, host: int, least: Any) -> int:
    """Leave out what makes a host end too early that nobody can have sent work: 1 if anything, -1 if everything."""
    notes = state.notes
    if notes[TOUCHED, host] or not _trim(state, host, least - state.here[FOREIGN, host]):
        return 0
    return 1 if notes[FIRST, host] <= notes[FINAL, host] else -1


@jit
def _round(state: State, window: Window, stage: int) -> tuple[int, Any]:
    """One round over all organizations that have not placed their jobs: 1 where home loads were left out, -1 where all.

    Returns a lower bound on the cost of the next organization as well.
    """
    here, notes, homes = state.here, state.notes, state.homes
    hosts, changes = here.shape[1], 0
    lowest = 0 * here[COST, 0]
    placed, at_home = lowest, lowest  # before the turn of k: all its work, and what the others keep
    for host in range(hosts):
        if host < stage:
            placed += notes[WORK, host]
        else:
            at_home += homes[host, notes[FINAL, host]]
    for k in range(stage, hosts):
        at_home -= homes[k, notes[FINAL, k]]
        for host in range(hosts if k == window.payer else 0):  # what the payer's turn demands of all others
            if host != k and notes[LOW, host] < window.floor:
                change = -1 if notes[HIGH, host] < window.floor else _demand(state, host, window.floor)
                if change < 0:
                    return -1, lowest
                changes += change
                notes[LOW, host] = window.floor
        low, changed = _turn(state, k, placed + at_home - here[FOREIGN, k])
        if low > here[BOUND, k]:
            return -1, lowest
        if k == stage:
            lowest = low
        changes += changed
        placed += notes[WORK, k]
    for host in range(hosts):  # all the work has to go somewhere
        notes[HIGH, host] = min(notes[HIGH, host], window.most)
        placed -= notes[HIGH, host]
    for host in range(hosts):
        change = -1 if placed > 0 else _demand(state, host, placed + notes[HIGH, host])
        if change < 0:
            return -1, lowest
        changes += change
    return min(1, changes), lowest


@jit
def narrow(state: State, window: Window, stage: int) -> tuple[bool, Any]:
    """Leave out home loads until nothing changes.

    Returns whether an equilibrium of the window may be left, and a lower bound on the cost of the next organization.
    """
    here = state.here
    top = here[COST, 0]
    changed, lowest = 1, 0 * top
    while changed:
        if not reopen(state, window):
            return False, lowest
        changed, lowest = _round(state, window, stage)
        if changed < 0:
            return False, lowest
    for k in range(stage, here.shape[1]):
        if window.payer < 0 or window.payer == k:
            top = max(top, here[BOUND, k])
    return bool(top >= window.least), lowest


@jit
def _filled(state: State, k: int, level: Any, ceiling: Any) -> Any:
    """How much time between two levels an organization can fill, on all hosts together: it fills none after its end."""
    here, notes, rows = state.here, state.notes, state.rows
    room = min(here[BOUND, k], ceiling) - level
    best = 0 * ceiling
    for w in range(notes[FIRST, k], notes[FINAL, k] + 1):
        if has(here, k, w):
            own = max(0 * ceiling, min(state.homes[k, w] + here[FOREIGN, k], ceiling) - level)
            if room <= 0:
                best = max(best, own)
                continue
            for row in range(state.first[k, w], state.first[k, w + 1]):
                filled = own
                for i in range(1, rows.shape[1]):
                    filled += min(rows[row, i], room)
                best = max(best, filled)
    return best


@jit
def _can_fill(state: State, stage: int, turn: int, level: Any, ceiling: Any, missing: Any) -> bool:
    """Whether so much time between two levels can be filled before the turn of an organization, on all other hosts."""
    here, notes = state.here, state.notes
    for k in range(here.shape[1]):
        if missing <= 0:
            return True
        if stage <= k < turn:
            missing -= _filled(state, k, level, ceiling)
        elif k != turn:
            top = state.homes[k, notes[FINAL, k]] + here[FOREIGN, k]
            missing -= max(0 * ceiling, min(top, ceiling) - level)
    return bool(missing <= 0)


@jit
def busy(state: State, window: Window, stage: int) -> bool:
    """Whether the hosts can be as busy as the window asks, after :func:`narrow` has left the node alive."""
    here, notes = state.here, state.notes
    hosts, floor, most = here.shape[1], window.floor, window.most
    total = 0 * most
    for k in range(hosts):
        total += notes[WORK, k]
    for k in range(hosts):
        level = here[BOUND, k] if k >= stage else state.homes[k, notes[FIRST, k]] + here[FOREIGN, k]
        if stage <= window.payer != k and level < floor:
            missing = (hosts - 1) * (floor - level)
            if not _can_fill(state, stage, window.payer, level, floor, missing):
                return False
        if most < total and level < most:
            missing = total
            for host in range(hosts):
                missing -= min(level, notes[HIGH, host])
            if not _can_fill(state, stage, hosts, level, most, missing):
                return False
    return True


@jit
def _write(state: State, decision: int, first: Any, second: Any) -> None:
    """Write what becomes of a node to the journal while there is room."""
    journal, written = state.journal, state.count[WRITTEN]
    if written + 3 <= journal.size:
        journal[written], journal[written + 1], journal[written + 2] = decision, first, second
    state.count[WRITTEN] = written + 3


@jit
def _hash(state: State, key: Any, stage: int) -> int:
    """Write down what the rest of the game depends on; its hash.

    Resolved hosts are no more than machines that are free at some time, so it does not matter which is which.
    """
    here, hosts = state.here, state.here.shape[1]
    words = here.shape[0] - KEEPS
    key[KEY] = stage
    for host in range(stage):
        x = state.notes[LOW, host]
        i = KEY + host
        while i > KEY and key[i] > x:
            key[i + 1] = key[i]
            i -= 1
        key[i + 1] = x
    for host in range(stage, hosts):
        key[KEY + 1 + host] = here[FOREIGN, host]
    for host in range(hosts):
        for word in range(words):
            key[KEY + 1 + hosts + host * words + word] = here[KEEPS + word, host] if host >= stage else 0
    digest = 0 * key[KEY]
    for i in range(KEY, key.size):
        digest = (digest * _FACTOR + key[i]) % _PRIME
    return int(digest)


@jit
def _earlier(state: State, window: Window, stage: int, cost: Any, run: int) -> int:
    """Number of an earlier node that decides this one, else -1, and this one is noted.

    The earlier one had no equilibrium whose largest cost, with its own costs so far, lay in the window. Nor has this
    one, unless its costs so far reach the window's least and those of the earlier one did not.
    """
    seen = state.seen
    slots = seen.shape[0] - 1
    key = seen[slots]
    start = _hash(state, key, stage) & (slots - 1)
    key[RUN], key[NUMBER], key[PAID] = run, state.count[NODES] - 1, cost
    slot = start
    for probe in range(_PROBES):
        place = (start + probe) & (slots - 1)
        if seen[place, RUN] != run:
            slot = place
            break
        i = KEY
        while i < key.size and seen[place, i] == key[i]:
            i += 1
        if i == key.size:
            if cost < window.least or seen[place, PAID] >= window.least:
                return int(seen[place, NUMBER])
            slot = place
            break
    for i in range(key.size):
        seen[slot, i] = key[i]
    return -1


@jit
def _halve(state: State, stage: int) -> None:
    """Two children: the home loads of one host above and below the middle of those that matter."""
    here, notes = state.here, state.notes
    host, middle = -1, 0 * here[COST, 0]
    for other in range(here.shape[1]):
        top = min(notes[HIGH, other], here[BOUND, stage] - notes[SHORTEST, stage] + 1)
        if other != stage and notes[LOW, other] < top and (host < 0 or notes[LOW, other] < notes[LOW, host]):
            host = other
            middle = (notes[LOW, other] + top) // 2 - here[FOREIGN, other]
    _write(state, SPLIT, host, middle)
    for above in (False, True):  # the last one is taken first
        node = state.nodes[state.count[TOP]]
        _copy(here, node)
        for w in range(notes[FIRST, host], notes[FINAL, host] + 1):
            if (state.homes[host, w] > middle) != above:
                drop(node, host, w)
        state.count[TOP] += 1


@jit
def _next_host(state: State, stage: int, row: int, i: int, every: bool) -> int:
    """The next host on which block ``i`` of a pattern ends in time, -1 when there is none.

    Of equal blocks the earlier one is on the earlier host; of resolved hosts that are free at the same time the first
    ones are taken first, unless every equilibrium is wanted.
    """
    notes, rows = state.notes, state.rows
    block, start = rows[row, i], notes[CHOSEN, i] + 1
    if start == 0 and i > 1 and rows[row, i - 1] == block:
        start = notes[CHOSEN, i - 1] + 1
    for host in range(start, state.here.shape[1]):
        if host == stage or notes[TAKEN, host] or notes[LOW, host] + block > state.here[BOUND, stage]:
            continue
        twin = False
        if host < stage and not every:
            for other in range(host):
                if not notes[TAKEN, other] and notes[LOW, other] == notes[LOW, host]:
                    twin = True
                    break
        if not twin:
            return host
    return -1


@jit
def _child(state: State, stage: int, row: int, cost: Any) -> None:
    """The child in which an organization places the blocks of a pattern on the chosen hosts."""
    notes, rows, node = state.notes, state.rows, state.nodes[state.count[TOP]]
    _copy(state.here, node)
    node[STAGE, 0], node[COST, 0] = stage + 1, cost
    for host in range(node.shape[1]):
        node[LAST, host] = 0
    node[LAST, stage] = rows[row, 0]
    for i in range(1, rows.shape[1]):
        if rows[row, i] == 0:
            break
        host = notes[CHOSEN, i]
        node[LAST, host] = rows[row, i]
        node[FOREIGN, host] += rows[row, i]
    written = state.count[WRITTEN]
    state.count[WRITTEN] += node.shape[1]
    for host in range(node.shape[1]):
        if written + host < state.journal.size:
            state.journal[written + host] = node[LAST, host]
        if host == stage or node[LAST, host] > 0:
            limit = node[BOUND, stage] - node[FOREIGN, host]
            for w in range(notes[FIRST, host], notes[FINAL, host] + 1):
                home = state.homes[host, w]
                gone = home != rows[row, 0] if host == stage else home > limit
                if gone:
                    drop(node, host, w)
    state.count[TOP] += 1


@jit
def _place(state: State, stage: int, row: int, cost: Any, every: bool) -> bool:
    """A child for every way to place the blocks of a pattern; False without room."""
    notes = state.notes
    deep = 0
    for i in range(1, state.rows.shape[1]):
        notes[CHOSEN, i] = -1
        deep += state.rows[row, i] > 0
    for host in range(state.here.shape[1]):
        notes[TAKEN, host] = 0
    i = 1
    while i >= 1:
        if i > deep:
            if state.count[TOP] >= state.nodes.shape[0]:
                return False
            _child(state, stage, row, cost)
            i -= 1
            continue
        if notes[CHOSEN, i] >= 0:
            notes[TAKEN, notes[CHOSEN, i]] = 0
        notes[CHOSEN, i] = _next_host(state, stage, row, i, every)
        if notes[CHOSEN, i] < 0:
            i -= 1
        else:
            notes[TAKEN, notes[CHOSEN, i]] = 1
            i += 1
    return True


@jit
def _resolve(state: State, window: Window, stage: int) -> bool:
    """A child for every placement of the organization that costs what a best reply costs; False without room."""
    here, notes = state.here, state.notes
    after = here[COST, 0]
    if window.payer < 0 or window.payer == stage:
        after = max(after, here[BOUND, stage])
    _write(state, RESOLVED, here[BOUND, stage], 0)
    children, before = state.count[WRITTEN] - 1, state.count[TOP]
    for w in range(notes[FIRST, stage], notes[FINAL, stage] + 1):
        if has(here, stage, w):
            for row in range(state.first[stage, w], state.first[stage, w + 1]):
                if not _place(state, stage, row, after, window.every):
                    return False
    if children < state.journal.size:
        state.journal[children] = state.count[TOP] - before
    return True


@lean
def explore(state: State, window: Window, run: int, budget: int) -> int:
    """Go on with the nodes that wait, at most ``budget`` of them; found: ``loads`` is an equilibrium of the window."""
    here, notes, count = state.here, state.notes, state.count
    hosts = here.shape[1]
    while count[TOP] > 0:
        if budget == 0:
            return UNFINISHED
        if count[TOP] + 2 > state.nodes.shape[0]:
            return FULL
        budget -= 1
        count[TOP] -= 1
        count[NODES] += 1
        _copy(state.nodes[count[TOP]], here)
        stage, cost = here[STAGE, 0], here[COST, 0]
        for k in range(hosts):
            if stage > 0:
                state.loads[stage - 1, k] = here[LAST, k]
            notes[FIRST, k], notes[FINAL, k] = 0, state.homes.shape[1] - 1
            _trim(state, k, state.homes[k, 0])
        alive, lowest = narrow(state, window, stage)
        if not (alive and busy(state, window, stage)):
            _write(state, CLOSED, 0, 0)
            continue
        if stage == hosts:
            return STABLE
        reopen(state, window)
        earlier = -1 if window.every else _earlier(state, window, stage, cost, run)
        if earlier >= 0:
            _write(state, SAME, earlier, 0)
        elif lowest < here[BOUND, stage]:
            _halve(state, stage)
        elif not _resolve(state, window, stage):
            return FULL
    return EXHAUSTED
