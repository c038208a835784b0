"""Placement games of a shape at one point: what everybody pays, best responses, equilibria, the least makespan.

Kernels on ``hosts``, the host of each job, and ``lengths``, whole numbers; jobs are numbered as in
:class:`.shapes.Shape`. What runs before a foreign job on a host is said by one matrix for either priority
(:func:`game_of`).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from ....support.jit import Ints, jit, overwrite
from ....support.progress import Clock
from .shapes import Shape

ROUNDS: Final = 60
"""Of best responses, after which dynamics are given up."""
AT_ONCE: Final = 200_000
"""Placements that are looked at between two looks at the clock."""


class Game(NamedTuple):
    """A shape, and which equilibria are meant.

    ``owner``: of each job. ``start``: the first job of each organization, and the number of all. ``ahead[i, j]``:
    whether job ``i`` runs before the foreign job ``j`` on a host that owns neither. An organization may pay ``num /
    den`` times its best response; with ``most[0] > 0`` only placements count whose makespan is at most ``most[0] /
    most[1]`` times the least one. ``fixed``: which jobs need not leave home where an equilibrium is looked for.

    With a custom policy, ``until[l, s, a]`` has, as bits, those of the jobs ``s`` on host ``l`` that run up to the last
    one of organization ``a``; empty without one. ``rows``: forms of differences that are not negative for the lengths
    meant; where ``strict``, they are positive.
    """

    owner: Ints
    start: Ints
    ahead: Ints
    num: int
    den: int
    most: Ints
    fixed: Ints
    until: Ints
    rows: Ints
    strict: Ints


def game_of(shape: Shape, num: int = 1, den: int = 1, most: tuple[int, int] = (0, 1)) -> Game:
    """The arrays of a shape, for ``num / den``-approximate equilibria of makespans that are small enough.

    >>> game_of(Shape((2, 1))).ahead.tolist()
    [[0, 0, 1], [0, 0, 1], [0, 0, 0]]
    """
    owner = np.array(shape.owners, dtype=np.int64)
    rank = owner if shape.ranks is None else np.array([r for row in shape.ranks for r in row], dtype=np.int64)
    return Game(
        owner,
        np.array(shape.starts, dtype=np.int64),
        (rank[:, None] < rank[None, :]).astype(np.int64),
        num,
        den,
        np.array(most, dtype=np.int64),
        np.array([int(num == den and shape.jobs[a] == 1) for a in shape.owners], dtype=np.int64),
        np.zeros((0, 0, 0), np.int64),
        np.zeros((0, owner.size), np.int64),
        np.zeros(0, np.int64),
    )


def lengths_of(game: Game, point: Ints) -> Ints:
    """Lengths of all jobs from their differences."""
    ends = pairwise(game.start.tolist())
    return np.array([point[i:end].sum() for start, end in ends for i in range(start, end)], dtype=np.int64)


@jit
def queued(game: Game, a: int, hosts: Ints, strategy: Ints, host: int) -> int:
    """The jobs on a host up to organization ``a``'s last one, as bits, where a policy orders them; 0 if it has none.

    ``strategy`` has its hosts, the others' jobs are where ``hosts`` says.
    """
    there, used = 0, False
    for j in range(hosts.size):
        own = game.owner[j] == a
        if (strategy[j - game.start[a]] if own else hosts[j]) == host:
            there |= 1 << j
            used = used or own
    return int(game.until[host, there, a]) if used else 0


@jit
def _paid_in_order(game: Game, a: int, hosts: Ints, strategy: Ints, lengths: Ints) -> int:
    """What organization ``a`` pays for a strategy where a policy orders the jobs."""
    cost = 0
    for host in range(game.start.size - 1):
        jobs, work = queued(game, a, hosts, strategy, host), 0
        for j in range(hosts.size):
            if jobs >> j & 1:
                work += lengths[j]
        cost = max(cost, work)
    return cost


@jit
def bases(game: Game, a: int, hosts: Ints, lengths: Ints, base: Ints) -> None:
    """``base[l, i]``: the work on host ``l`` that runs before organization ``a``'s job ``i`` there, in place."""
    first = game.start[a]
    for host in range(base.shape[0]):
        for i in range(game.start[a + 1] - first):
            total = 0
            if host != a:
                for j in range(hosts.size):
                    if hosts[j] == host and game.owner[j] != a and (game.owner[j] == host or game.ahead[j, first + i]):
                        total += lengths[j]
            base[host, i] = total


@jit
def paid(game: Game, a: int, hosts: Ints, strategy: Ints, lengths: Ints, base: Ints, load: Ints, top: Ints) -> int:
    """What organization ``a`` pays for a strategy, the host of each of its jobs; ``load`` and ``top`` are scratch."""
    if game.until.size > 0:
        return _paid_in_order(game, a, hosts, strategy, lengths)
    first = game.start[a]
    for host in range(load.size):
        load[host], top[host] = -1, 0  # a job without length keeps its host
    for i in range(game.start[a + 1] - first):
        host = strategy[i]
        load[host] = max(load[host], 0) + lengths[first + i]
        if base[host, i] > top[host]:
            top[host] = base[host, i]
    cost = 0
    for host in range(load.size):
        if load[host] >= 0 and load[host] + top[host] > cost:
            cost = load[host] + top[host]
    return cost


@jit
def advance(strategy: Ints, count: int, n: int) -> bool:
    """The next strategy of ``count`` jobs on ``n`` hosts, in place; whether there is one."""
    for i in range(count):
        strategy[i] += 1
        if strategy[i] < n:
            return True
        strategy[i] = 0
    return False


@jit
def best_response(game: Game, a: int, hosts: Ints, lengths: Ints, best: Ints) -> tuple[int, int]:
    """What organization ``a`` pays, and what for its best response, which is put into ``best``: the first of equals."""
    n, count, first = game.start.size - 1, game.start[a + 1] - game.start[a], game.start[a]
    base = np.zeros((n, count), np.int64)
    load, top, strategy = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(count, np.int64)
    for i in range(count):
        strategy[i] = best[i] = hosts[first + i]
    bases(game, a, hosts, lengths, base)
    now = least = paid(game, a, hosts, strategy, lengths, base, load, top)
    going = count > 0
    strategy[:] = 0
    while going:
        cost = paid(game, a, hosts, strategy, lengths, base, load, top)
        if cost < least:
            least = cost
            overwrite(best, strategy)
        going = advance(strategy, count, n)
    return now, least


@jit
def is_meant(game: Game, hosts: Ints, lengths: Ints, optimum: int) -> bool:
    """Whether a placement is an equilibrium of the kind that is meant, its makespan small enough beside the least."""
    best = np.zeros(hosts.size, np.int64)
    worst = 0
    for a in range(game.start.size - 1):
        now, least = best_response(game, a, hosts, lengths, best)
        if now * game.den > least * game.num:
            return False
        worst = max(worst, now)
    return bool(game.most[0] == 0 or worst * game.most[1] <= game.most[0] * optimum)


@jit
def converges(game: Game, hosts: Ints, lengths: Ints) -> bool:
    """Let organizations in turn play best responses, in place, while one gains; whether it ends soon."""
    n = game.start.size - 1
    best = np.zeros(hosts.size, np.int64)
    quiet, a = 0, 0
    for _ in range(ROUNDS * n):
        now, least = best_response(game, a, hosts, lengths, best)
        if now * game.den > least * game.num:
            overwrite(hosts[game.start[a] :], best[: game.start[a + 1] - game.start[a]])
            quiet = 0
        else:
            quiet += 1
        if quiet >= n:
            return True
        a = (a + 1) % n
    return False


@jit
def found_by_play(game: Game, lengths: Ints, optimum: int, starts: int, hosts: Ints) -> bool:
    """Whether best responses from home, or from one of so many other starts, end in what is meant; put into ``hosts``.

    The starts follow from the lengths. Single jobs stay at home where equilibria are meant without a factor: some best
    response keeps them there.
    """
    n = game.start.size - 1
    state = 12345
    for j in range(hosts.size):
        state = (state * 1103515245 + lengths[j] + 12345) % 2147483648
    for start in range(starts):
        for j in range(hosts.size):
            state = (state * 1103515245 + 12345) % 2147483648
            home = start == 0 or game.fixed[j] == 1
            hosts[j] = game.owner[j] if home else (state >> 16) % n
        if converges(game, hosts, lengths) and is_meant(game, hosts, lengths, optimum):
            return True
    return False


@jit
def next_placement(game: Game, hosts: Ints) -> bool:
    """The next placement, in place, in which single jobs stay where they are, as for :func:`found_by_play`; if any."""
    for j in range(hosts.size):
        if game.fixed[j] == 0:
            hosts[j] += 1
            if hosts[j] < game.start.size - 1:
                return True
            hosts[j] = 0
    return False


@jit
def found_in_order(game: Game, lengths: Ints, optimum: int, hosts: Ints, placements: int) -> int:
    """Go on through placements from ``hosts``, so many of them: 1 at the first that is meant, 0 behind the last, -1."""
    for _ in range(placements):
        if is_meant(game, hosts, lengths, optimum):
            return 1
        if not next_placement(game, hosts):
            return 0
    return -1


@jit
def _extremes(game: Game, lengths: Ints, placements: int, hosts: Ints, values: Ints, worst: Ints, best: Ints) -> bool:
    """Go on with so many placements from ``hosts``; whether there are more. ``values``: see :func:`extremes`."""
    n, jobs = game.start.size - 1, lengths.size
    reply = np.zeros(jobs, np.int64)
    largest, least, num, den = values[0], values[1], values[2], values[3]
    going = True
    while going and placements > 0:
        placements -= 1
        cost, high, low = 0, 1, 1
        for a in range(n):
            now, other = best_response(game, a, hosts, lengths, reply)
            cost = max(cost, now)
            if now * low > high * other:
                high, low = now, other
            if num >= 0 and high * den >= num * low and high * game.den > low * game.num:
                break
        if num < 0 or high * den < num * low:
            num, den = high, low
        if high * game.den <= low * game.num:
            if cost > largest:
                largest = cost
                overwrite(worst, hosts)
            if least < 0 or cost < least:
                least = cost
                overwrite(best, hosts)
        going = advance(hosts, jobs, n)
    values[0], values[1], values[2], values[3] = largest, least, num, den
    return going


def extremes(
    game: Game, lengths: Ints, worst: Ints, best: Ints, clock: Clock | None = None
) -> tuple[int, int, int, int]:
    """Over all placements: the largest and the least makespan of what is meant, -1 where there is none, and the least
    epsilon, as numerator and denominator. The placements of the former are put into ``worst`` and ``best``.

    The clock ends it as Ctrl-C does, by KeyboardInterrupt.
    """
    hosts, values = np.zeros(lengths.size, np.int64), np.array([-1, -1, -1, 1])
    while _extremes(game, lengths, AT_ONCE, hosts, values, worst, best):
        if clock is not None and clock.expired():
            raise KeyboardInterrupt("the time limit")
    largest, least, num, den = values.tolist()
    return largest, least, num, den


@jit
def least_makespan(lengths: Ints, machines: int) -> int:
    """The least makespan of all schedules of jobs on equal machines, by branch and bound, the longest job first."""
    jobs = np.zeros(lengths.size, np.int64)
    load, place = np.zeros(machines, np.int64), np.zeros(jobs.size, np.int64)
    total = 0
    for i in range(jobs.size):
        total += lengths[i]
        place[i] = -1
        k = i
        while k > 0 and jobs[k - 1] < lengths[i]:
            jobs[k] = jobs[k - 1]
            k -= 1
        jobs[k] = lengths[i]
    bound = -(-total // machines)
    if jobs.size > 0 and jobs[0] > bound:
        bound = int(jobs[0])
    best: int = total
    j = 0
    while j >= 0 and best > bound:
        if j == jobs.size:
            best = 0
            for value in load:
                if value > best:
                    best = int(value)
            j -= 1
            continue
        at = place[j]
        if at >= 0:
            load[at] -= jobs[j]
        at += 1
        while at < machines and load[at] + jobs[j] >= best:
            at += 1
        if at == machines or (at > 0 and load[at - 1] == 0):  # a second empty machine is like the first
            place[j] = -1
            j -= 1
        else:
            place[j] = at
            load[at] += jobs[j]
            j += 1
    return best
