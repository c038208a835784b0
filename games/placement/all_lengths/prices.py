"""The largest price of anarchy of all games of a shape: branch and bound over linear programs.

Scale lengths so that the least makespan is at most 1. For every placement and every term of what somebody pays there, a
tree maximises this term over all lengths for which the placement is an equilibrium. A node is a linear program: all
jobs together are at most ``N``, none is longer than 1, and what the path adds. If its optimum is no larger than the
value known, the node is a leaf, and the multipliers prove it. Else somebody has a better reply at the optimum: one of
the reply's terms must be at least all that is paid now, and there is a child for each. If nobody has, and the least
makespan there is at most 1, the optimum is a new value; else the longest job without a machine gets one: a child for
each machine that has jobs, and one for a machine that has none.

The maximum is over all lengths ``>= 0``, where a job without length keeps its host; :func:`near` tells whether
positive ones reach it, or come near.
"""

from __future__ import annotations

import pickle
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, product
from math import lcm
from typing import Any, Final, NamedTuple, Self

import numpy as np

from ....parallel.executors import executor
from ....scheduling.ready_times import placement
from ....support.jit import Ints, jit, overwrite, plain
from ....support.progress import Clock, Progress
from ...equilibria.simplex import GROWN, LIMIT, maximise, maximum
from . import regions
from .conditions import accumulate, term
from .cover import Search
from .points import Game, best_response, extremes, least_makespan, lengths_of

DONE, BEYOND, FULL = 1, 2, 3
"""What :func:`trees` answers besides ``GROWN``: its placements are done; one exceeds the value; the room is too small.
"""
REPLY, MACHINE, LEAF = map(ord, "DOL")
"""Kinds of nodes, as a certificate has them."""
OPEN, CLOSE, COMMA, QUOTE, ZERO, NEW_LINE = map(ord, '[],"0\n')
PLACEMENTS: Final = 256
"""Of a task."""
DEPTH: Final = 64
"""Of trees that there is room for at first."""
SMALL: Final = 1_000
"""Times as long as the length that is given to a job without length is the unit of the others."""
LEXICOGRAPHIC: Final = 10**6
"""Weight of the value beside the least length, in the search for a game that attains it."""


class Room(NamedTuple):
    """Scratch of a tree: rows and their right sides, the table of programs, and by depth what a node is.

    ``kind``, ``who``, ``at``, ``ends``, ``plan``: kind, organization or job, the child that is looked at, how many rows
    there were before, the reply's hosts. ``machine``: of each job, -1 without one. ``out``: trees as text, a line of
    JSON for each. ``sizes``: how much of ``out`` is used, the next placement, leaves; numerator and denominator of the
    value; the placement to end before.
    ``point``: differences where it was found, and their denominator; ``hosts`` its placement.
    """

    rows: Ints
    rights: Ints
    table: Ints
    basic: Ints
    free: Ints
    kind: Ints
    who: Ints
    at: Ints
    ends: Ints
    plan: Ints
    machine: Ints
    out: Ints
    sizes: Ints
    point: Ints
    hosts: Ints

    @classmethod
    def empty(cls, n: int, size: int, rows: int = 0, dtype: Any = np.int64) -> Self:
        """Room for ``n`` jobs and so many rows of their game, of ``size`` in each direction."""
        lines = 4 * size + n + rows  # at least those that a tree begins with
        shapes: list[tuple[tuple[int, ...], Any]] = [((lines, n), np.int64), ((lines,), np.int64)]
        shapes += [((lines + 1, n + 1), dtype), ((lines + 1,), np.int64), ((n,), np.int64)]
        shapes += [((size,), np.int64)] * 4 + [((size, n), np.int64), ((n,), np.int64), ((2**14 * size,), np.uint8)]
        shapes += [((6,), dtype), ((n + 1,), dtype), ((n,), np.int64)]
        return cls._make(np.zeros(*each) for each in shapes)


@jit
def _solve(objective: Ints, count: int, room: Room, limit: int) -> int:
    """The program of the first ``count`` rows, in ``room.table``; the unit."""
    n = objective.size
    for j in range(n):
        room.table[0, j] = -objective[j]
        room.free[j] = j
    room.table[0, n] = 0
    room.basic[0] = -1
    for i in range(count):
        for j in range(n):
            room.table[i + 1, j] = room.rows[i, j]
        room.table[i + 1, n] = room.rights[i]
        room.basic[i + 1] = n + i
    return maximise(room.table[: count + 1, : n + 1], room.basic, room.free, 1, limit)


@jit
def _child(game: Game, hosts: Ints, depth: int, room: Room) -> int:
    """Go to the next child of the node above ``depth``; how many rows there are then, 0 behind the last child."""
    n, jobs = game.start.size - 1, hosts.size
    d = depth - 1
    count, who = room.ends[d], room.who[d]
    room.at[d] += 1
    if room.kind[d] == MACHINE:
        used = 0
        room.machine[who] = -1
        for j in range(jobs):
            used = max(used, room.machine[j] + 1)
        if room.at[d] > min(used, n - 1):
            return 0
        room.machine[who] = room.at[d]
        for j in range(jobs):
            room.rows[count, j] = 1 if room.machine[j] == room.at[d] else 0
        accumulate(game, room.rows[count])
        room.rights[count] = 1
        return int(count + 1)
    reply = room.plan[d, : game.start[who + 1] - game.start[who]]
    form = room.rows[count + n]
    while room.at[d] < n and not term(game, who, hosts, reply, room.at[d], form):
        room.at[d] += 1
    if room.at[d] == n:
        return 0
    paid = hosts[game.start[who] : game.start[who + 1]]
    for host in range(n):
        if term(game, who, hosts, paid, host, room.rows[count]):
            for j in range(jobs):
                room.rows[count, j] -= form[j]
            room.rights[count] = 0
            count += 1
    return int(count)


@jit
def _branch(game: Game, hosts: Ints, lengths: Ints, unit: int, depth: int, count: int, room: Room) -> bool:
    """Make a node of the point; ``False`` where the placement is an equilibrium there and the least makespan is small.

    The reply that gains most in proportion, else the longest job without a machine.
    """
    n = game.start.size - 1
    best = np.zeros(hosts.size, np.int64)
    before, after, who = 1, 1, -1
    for a in range(n):
        now, least = best_response(game, a, hosts, lengths, best)
        if now * after > least * before:
            before, after, who = now, least, a
            overwrite(room.plan[depth], best[: game.start[a + 1] - game.start[a]])
    room.ends[depth], room.at[depth] = count, -1
    if who >= 0:
        room.kind[depth], room.who[depth] = REPLY, who
        return True
    if least_makespan(lengths, n) <= unit:
        return False
    for j in range(hosts.size):
        if room.machine[j] < 0 and (who < 0 or lengths[j] > lengths[who]):
            who = j
    room.kind[depth], room.who[depth] = MACHINE, who
    return True


@jit
def _put(code: int, room: Room) -> None:
    room.out[room.sizes[0]] = code
    room.sizes[0] += 1


@jit
def _put_number(number: int, room: Room) -> None:
    """Write a number and a comma."""
    digits, higher = 1, number // 10
    while higher:
        higher //= 10
        digits += 1
    end = room.sizes[0] + digits
    for at in range(end - 1, end - digits - 1, -1):
        room.out[at] = ZERO + number % 10
        number //= 10
    room.sizes[0] = end
    _put(COMMA, room)


@jit
def _put_end(room: Room) -> None:
    """End a list, and write a comma."""
    if room.out[room.sizes[0] - 1] == COMMA:
        room.sizes[0] -= 1
    _put(CLOSE, room)
    _put(COMMA, room)


@jit
def _begin(kind: int, number: int, room: Room) -> None:
    """Write the begin of a node."""
    for code in (OPEN, QUOTE, kind, QUOTE, COMMA):
        _put(code, room)
    _put_number(number, room)


@jit
def _put_hosts(hosts: Ints, room: Room) -> None:
    _put(OPEN, room)
    for host in hosts:
        _put_number(host, room)
    _put_end(room)


@jit
def _put_branch(game: Game, depth: int, room: Room) -> None:
    """Write the node of a depth."""
    who = room.who[depth]
    _begin(room.kind[depth], who, room)
    if room.kind[depth] == REPLY:
        _put_hosts(room.plan[depth, : game.start[who + 1] - game.start[who]], room)
    _put_end(room)


@jit
def _put_leaf(unit: int, room: Room) -> None:
    """Write a leaf: the rows' multipliers, by their numbers."""
    _begin(LEAF, unit, room)
    _put(OPEN, room)
    n, last = room.free.size, -1
    while True:
        column = -1
        for j in range(n):
            better = column < 0 or room.free[j] < room.free[column]
            if room.free[j] >= n and room.free[j] > last and room.table[0, j] != 0 and better:
                column = j
        if column < 0:
            break
        last = room.free[column]
        _put(OPEN, room)
        _put_number(last - n, room)
        _put_number(room.table[0, column], room)
        _put_end(room)
    _put_end(room)
    _put_end(room)


@jit
def tree(game: Game, hosts: Ints, objective: Ints, fixed: bool, writing: bool, room: Room, limit: int) -> int:
    """The tree of one term of a placement: ``DONE``, or ``BEYOND`` where the value is ``fixed`` and too small."""
    n, jobs = game.start.size - 1, hosts.size
    lengths = np.zeros(jobs, np.int64)
    count, depth = _first_rows(game, room), 0
    down = True
    while True:
        if not down:
            if depth == 0:
                return DONE
            count = _child(game, hosts, depth, room)
            if count == 0:
                depth -= 1
                continue
        down = False
        if (
            count + n + 2 > room.rights.size
            or depth + 1 >= room.kind.size
            or room.sizes[0] + (jobs + 2) * (3 * jobs + 20) > room.out.size  # Hadamard's bound of digits
        ):
            return FULL
        unit = _solve(objective, count, room, limit)
        if unit == GROWN:
            return GROWN
        if room.table[0, jobs] * room.sizes[4] > room.sizes[3] * unit:
            for j in range(jobs):
                lengths[j] = 0
            for i in range(1, count + 1):
                if room.basic[i] < jobs:
                    lengths[room.basic[i]] = room.table[i, jobs]
            for j in range(jobs - 2, -1, -1):
                if game.owner[j] == game.owner[j + 1]:
                    lengths[j] += lengths[j + 1]
            if _branch(game, hosts, lengths, unit, depth, count, room):
                depth += 1
                if writing:
                    _put_branch(game, depth - 1, room)
                continue
            for j in range(jobs):
                follows = j + 1 < jobs and game.owner[j] == game.owner[j + 1]
                room.point[j] = lengths[j] - (lengths[j + 1] if follows else 0)
            room.point[jobs] = unit
            room.sizes[3], room.sizes[4] = room.table[0, jobs], unit
            overwrite(room.hosts, hosts)
            if fixed:
                return BEYOND
        room.sizes[2] += 1
        if writing:
            _put_leaf(unit, room)


@jit
def _first_rows(game: Game, room: Room) -> int:
    """All jobs together are at most ``N``, no job is longer than 1, and the game's own; how many rows these are."""
    n, jobs = game.start.size - 1, game.owner.size
    for j in range(jobs):
        room.rows[0, j] = 1
        room.machine[j] = -1
    accumulate(game, room.rows[0])
    room.rights[0] = n
    count = 1
    for a in range(n):
        if game.start[a] < game.start[a + 1]:
            for j in range(jobs):
                room.rows[count, j] = 1 if game.owner[j] == a else 0
            room.rights[count] = 1
            count += 1
    for row in game.rows:
        for j in range(jobs):
            room.rows[count, j] = -row[j]
        room.rights[count] = 0
        count += 1
    return int(count)


@jit
def trees(game: Game, fixed: bool, writing: bool, room: Room, limit: int) -> int:
    """The trees of all terms of the next placements: ``DONE``, or what ended it; then its placement begins anew."""
    n, jobs = game.start.size - 1, game.owner.size
    hosts, objective = np.zeros(jobs, np.int64), np.zeros(jobs, np.int64)
    while room.sizes[1] < room.sizes[5]:
        number, used, before = room.sizes[1], room.sizes[0], room.sizes[2]
        for j in range(jobs):
            hosts[j] = number % n
            number //= n
        for a in range(n):
            for host in range(n):
                if term(game, a, hosts, hosts[game.start[a] : game.start[a + 1]], host, objective):
                    if writing:
                        _put(OPEN, room)
                        _put_hosts(hosts, room)
                        _put_number(a, room)
                        _put_number(host, room)
                        _put(OPEN, room)
                    code = tree(game, hosts, objective, fixed, writing, room, limit)
                    if code == BEYOND:
                        return BEYOND
                    if code != DONE:
                        room.sizes[0], room.sizes[2] = used, before
                        return code
                    if writing:
                        _put_end(room)
                        _put_end(room)
                        _put(NEW_LINE, room)
        room.sizes[1] += 1
    return DONE


@dataclass(frozen=True)
class Price:
    """What some placements show.

    Attributes
    ----------
    value
        No equilibrium of theirs costs more, as a multiple of the least makespan; if ``beyond``, one costs as much.
    leaves
        Of their trees.
    point, hosts
        Differences of lengths for which an equilibrium costs as much, and the equilibrium; empty if that is not known.
    roots
        As a certificate has them: of each a line, with a comma.
    """

    value: Fraction
    leaves: int
    point: tuple[Fraction, ...] = ()
    hosts: tuple[int, ...] = ()
    beyond: bool = False
    roots: bytes = b""


def _task(packed: bytes, first: int, last: int, value: Fraction, fixed: bool, writing: bool) -> Price:
    """The trees of placements from ``first`` to before ``last``."""
    game: Game = pickle.loads(packed)
    price, roots, code, size, at = Price(value, 0), list[bytes](), DONE, DEPTH, first
    while at < last and not price.beyond:
        exact = code == GROWN or price.value.numerator > LIMIT
        room = Room.empty(game.owner.size, size, len(game.rows), object if exact else np.int64)
        room.sizes[:] = 0, at, 0, *price.value.as_integer_ratio(), at + 1 if exact else last
        code = (plain(trees) if exact else trees)(game, fixed, writing, room, 0 if exact else LIMIT)
        if code == FULL and room.sizes[1] == at:
            size *= 2
        at = int(room.sizes[1])
        roots.append(room.out[: room.sizes[0]].tobytes())
        price = replace(price, leaves=price.leaves + int(room.sizes[2]), beyond=code == BEYOND)
        if unit := int(room.point[-1]):
            point = tuple(Fraction(int(x), unit) for x in room.point[:-1])
            value = Fraction(int(room.sizes[3]), int(room.sizes[4]))
            price = replace(price, value=value, point=point, hosts=tuple(room.hosts.tolist()))
    return replace(price, roots=b"".join(roots))


def branch_and_bound(
    game: Game,
    value: Fraction,
    fixed: bool,
    writing: bool,
    clock: Clock,
    progress: Progress | None = None,
    processes: int = 1,
) -> Price | None:
    """The trees of all placements; ``None`` where it was stopped.

    Parameters
    ----------
    game
        Of a shape.
    value
        No smaller value is looked for.
    fixed
        End at the first game beyond it; else raise it.
    writing
        Keep the trees.
    clock, progress, processes
        As in :func:`.cover.cover`.

    >>> from .points import game_of
    >>> from .shapes import Shape
    >>> price = branch_and_bound(game_of(Shape((2, 1, 1))), Fraction(1), False, False, Clock(None))
    >>> price.value, price.hosts
    (Fraction(3, 2), (1, 0, 1, 2))
    """
    whole = (game.start.size - 1) ** game.owner.size
    packed, price, roots = pickle.dumps(game), Price(value, 0), list[bytes]()
    starts = range(0, whole, PLACEMENTS)
    with executor(processes) as pool, suppress(KeyboardInterrupt):
        for at in range(0, len(starts), pool.workers):
            futures = [
                pool.submit(_task, packed, first, min(first + PLACEMENTS, whole), price.value, fixed, writing)
                for first in starts[at : at + pool.workers]
            ]
            for each in (future.result() for future in futures):
                better = each if each.point and each.value > price.value else price
                price = replace(better, leaves=price.leaves + each.leaves, roots=b"")
                roots.append(each.roots)
                if each.beyond and fixed:
                    return price
            if progress is not None:
                progress(starts[at], whole, f"{price.leaves:,} leaves")
            if clock.expired():
                return None
        return replace(price, roots=b"".join(roots))
    return None


def near(game: Game, price: Price, parts: int = 1_000) -> tuple[tuple[int, ...], bool] | None:
    """Differences of positive lengths that have a value, or come as near as one likes, and whether they have it.

    ``None`` where neither is shown; near is one of so many parts of the way. The placement is looked at that was found,
    and the worst equilibrium where what has no length there is given a little.
    """
    scale = lcm(*(x.denominator for x in price.point))
    point = np.array([int(x * scale) for x in price.point], dtype=np.int64)
    lasts = game.start[1:][np.diff(game.start) > 0] - 1
    if (point[lasts] > 0).all() and (game.rows @ point >= game.strict).all():
        return tuple(point.tolist()), True
    nearby = point * SMALL
    nearby[lasts] += point[lasts] == 0
    worst, best = np.zeros(point.size, np.int64), np.zeros(point.size, np.int64)
    extremes(game, lengths_of(game, nearby), worst, best)
    for there, hosts in ((point, np.array(price.hosts, dtype=np.int64)), (nearby, worst)):
        if answer := _on_cell(game, there, hosts, price.value, parts):
            return answer
    return None


def _on_cell(game: Game, point: Ints, hosts: Ints, value: Fraction, parts: int) -> tuple[tuple[int, ...], bool] | None:
    """The same for one placement: it is an equilibrium where no form of its cell at the point is negative.

    The least makespan is at most 1 where no machine of a best schedule of the point has more. The value is attained if
    positive lengths satisfy this and have it; it is approached if some satisfy it, on the way from them to lengths that
    have it, some perhaps 0.
    """
    n, machines = game.owner.size, game.start.size - 1
    search = Search(game)
    search.add(hosts.tolist())
    search.store.sizes[5] += 1
    cell = np.zeros(len(search.store.forms), np.int64)
    count = regions.cell_of(0, point, np.zeros((0, n), np.int64), search.store, cell)
    rows = [[0, *(-int(c) for c in search.store.forms[number])] for number in cell[:count]]
    rights = [0] * len(rows)
    lengths = lengths_of(game, point).tolist()
    order = sorted((j for j in range(n) if lengths[j]), key=lambda j: -lengths[j])
    host = dict(zip(order, placement([lengths[j] for j in order], [[0] * machines] * len(order)), strict=True))
    for machine in range(machines):
        form = np.array([host.get(j, 0) == machine for j in range(n)], dtype=np.int64)
        plain(accumulate)(game, form)
        rows.append([0, *form.tolist()])
        rights.append(1)
    for start, end in pairwise(game.start.tolist()):
        if start < end:  # the shortest length is positive
            rows.append([1, *(-int(j == end - 1) for j in range(n))])
            rights.append(0)
    for row, strict in zip(game.rows.tolist(), game.strict.tolist(), strict=True):
        rows.append([strict, *(-c for c in row)])
        rights.append(0)
    terms, form = list[list[int]](), np.zeros(n, np.int64)
    for a, machine in product(range(machines), repeat=2):
        if plain(term)(game, a, hosts, hosts[game.start[a] : game.start[a + 1]], machine, form):
            terms.append(form.tolist())
    best = max(terms, key=lambda form: sum(c * int(x) for c, x in zip(form, point, strict=True)))
    positive = maximum([1] + [0] * n, rows, rights)
    optimum = maximum([1, *(LEXICOGRAPHIC * c for c in best)], rows, rights)
    if positive is None or optimum is None or not positive.point[0]:
        return None
    if sum((c * x for c, x in zip(best, optimum.point[1:], strict=True)), Fraction(0)) != value:
        return None
    attained = optimum.point[0] > 0
    there = [x if attained else x + (y - x) / parts for x, y in zip(optimum.point[1:], positive.point[1:], strict=True)]
    scale = lcm(*(x.denominator for x in there))
    return tuple(int(x * scale) for x in there), attained
