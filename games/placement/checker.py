"""The placement game and the trees of its searches checked from the definitions, sharing no code with the solvers.

*Profiles.* Costs come from the schedule that :class:`~consortium.mechanisms.federation.coordination.Coordination`
builds. For the least cost that an organization could reach alone: with one machine per organization and makespans, a
cost of at most ``c`` is reachable exactly when the jobs pack into the hosts, each host having room ``c`` minus what
runs there before the organization's last job; a plain depth-first search with memory decides that, and bisection finds
the least ``c``. Otherwise every placement of the organization's jobs is tried, exchangeable jobs not told apart.

>>> from consortium.agents.organizations import Federation
>>> from consortium.games.placement.game import PlacementGame
>>> cost_and_best(PlacementGame(Federation.of([[4, 4, 4], [2, 2], []])), ((0, 0, 1), (1, 2), ()))[0]
(Fraction(8, 1), Fraction(6, 1))

*Trees* are followed one decision after the other, and everything is done again, plainly: all ways to split an
organization's jobs into work at home and blocks for other hosts, best replies among them, what equilibria of a node can
keep at home, which placements cost what a best reply costs. A decision is right if what follows from it is complete: a
closed node has no equilibrium left, a split gives every home load to one half, a resolved organization has a child for
every placement, and a node that is the same as an earlier one is. Organizations are numbered by priority, numbers are
in units of ``federation.unit``, and ``r`` of a host is its home load and what organizations of higher priority placed
there.

>>> from consortium.games.placement.certificate import Tree
>>> sizes = ((2, 2), (1,))
>>> holds(sizes, Tree(4, None, 0, 1, "-")), holds(sizes, Tree(3, None, 0, 1, "-"))
(True, False)
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...agents.organizations import Federation, Placement
from ...mechanisms.federation.coordination import Coordination
from ...support.errors import TooLargeError
from ...support.exact import fits_int64, magnitude
from ...support.progress import Clock
from ..protocol import Profile
from .certificate import Closed, Decision, Resolved, Same, Split, Tree, read

if TYPE_CHECKING:
    from .game import PlacementGame

MAX_TRIED = 2_000_000
HARD = "whether an organization has a better placement is NP-complete already for two organizations"
"""Said where a check is out of reach; the proof is on the documentation's page "What is new here"."""
MOST = 25_000
"""Ways to split the jobs of one organization."""
MAX_BLOCKS = 4_000_000
"""Blocks in the ways of all organizations, and numbers that are remembered."""
MAX_HELD = 40_000_000
"""Home loads in the nodes of a tree that are kept at a time."""
MAX_NODES = 200_000
"""Twice as many as a record keeps."""
Room: TypeAlias = int | None
"""Work that a host still takes; ``None`` while it has none of the jobs, which decide how much that is."""


def cost_and_best(game: PlacementGame, profile: Profile) -> tuple[tuple[Fraction, Fraction], ...]:
    """Per organization its cost and the least cost over all placements of its own jobs, others fixed."""
    pairs = []
    for cost, best in judged(game.federation, game.rule, profile):
        if isinstance(best, Exception):
            raise best
        pairs.append((cost, best))
    return tuple(pairs)


def judged(
    federation: Federation, rule: Coordination, profile: Profile, clock: Clock | None = None
) -> Iterator[tuple[Fraction, Fraction | TooLargeError | TimeoutError]]:
    """The same one by one; the error, not raised, where the least cost is out of reach, or time is up.

    >>> [best for _, best in judged(Federation.of([[2, 2], [1]]), Coordination(), ((0, 0), (1,)))]
    [Fraction(3, 1), Fraction(1, 1)]
    """
    placement, clock = federation.check_placement(profile), clock or Clock(None)
    packing = rule.objective == "makespan" and all(m == 1 for m in federation.machines)
    search = _least_by_packing if packing else _least_by_trial
    for k, cost in enumerate(rule.costs(federation, placement)):
        try:
            clock.check()
            yield cost, min(cost, search(federation, rule, placement, k, clock))
        except (TooLargeError, TimeoutError) as error:
            yield cost, error


def _least_by_packing(
    federation: Federation, rule: Coordination, placement: Placement, player: int, clock: Clock
) -> Fraction:
    packing = _Packing(federation, rule, placement, player)
    low, high = 0, sum(federation.sizes[player])  # everything at home always fits
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if packing.fits(middle, clock) else (middle + 1, high)
    return low * federation.unit


class _Packing:
    """Whether an organization's jobs pack into the hosts, each with room for what ends by a limit."""

    def __init__(self, federation: Federation, rule: Coordination, placement: Placement, player: int) -> None:
        self.name, self.sizes, self.tried = federation.names[player], federation.sizes[player], 0
        self.hosts = range(len(federation))
        self.alike = rule.priority == "organizations"  # only the room of a host matters, not which host it is
        ranks = rule.ranks(federation)
        # lowest priority first: the first job put on a host decides how much runs before it
        self.jobs = sorted(range(len(self.sizes)), key=lambda i: (-ranks[player][i], -self.sizes[i]))
        if self.alike:  # every job waits for the same work: take the long ones first
            self.jobs.sort(key=lambda i: -self.sizes[i])
        others: list[list[tuple[float, int]]] = [[] for _ in self.hosts]
        for k, row in enumerate(placement):
            for j, host in enumerate(row):
                if player not in (k, host):  # the owner's jobs run first
                    others[host].append((-math.inf if k == host else ranks[k][j], federation.sizes[k][j]))
        self.ahead = {
            (i, host): sum(size for rank, size in others[host] if rank < ranks[player][i])
            for i in self.jobs
            for host in self.hosts
        }

    def fits(self, limit: int, clock: Clock) -> bool:
        """Whether all jobs can end by the limit."""
        decided: dict[tuple[int, tuple[Room, ...]], bool] = {}

        def remaining(done: int, room: tuple[Room, ...]) -> bool:
            """Whether the jobs from number ``done`` on pack into what is left."""
            if (done, room) not in decided:
                self.tried += 1
                clock.check()
                if self.tried > MAX_TRIED:
                    raise TooLargeError(
                        f"checking {self.name!r}: {len(self.jobs)} jobs on {len(self.hosts)} hosts are not decided "
                        f"after {MAX_TRIED:,} partial packings; {HARD}"
                    )
                fitting = done == len(self.jobs)
                for after in () if fitting else self._placed(done, room, limit):
                    fitting = remaining(done + 1, after)
                    if fitting:
                        break
                decided[done, room] = fitting
            return decided[done, room]

        rooms: tuple[Room, ...] = (None,) * len(self.hosts)
        if self.alike and self.jobs:
            rooms = tuple(sorted(limit - self.ahead[self.jobs[0], host] for host in self.hosts))
        try:
            return remaining(0, rooms)
        except RecursionError:  # a call per job
            raise TooLargeError(f"checking {self.name!r}: {len(self.jobs)} jobs are too many to pack; {HARD}") from None

    def _placed(self, done: int, room: tuple[Room, ...], limit: int) -> Iterator[tuple[Room, ...]]:
        """What is left after each way to place the next job; hosts that are alike are tried once."""
        i = self.jobs[done]
        if self.alike and sum(max(r or 0, 0) for r in room) < sum(self.sizes[j] for j in self.jobs[done:]):
            return
        tried: set[int] = set()
        for host, here in enumerate(room):
            left = (limit - self.ahead[i, host] if here is None else here) - self.sizes[i]
            if left < 0 or (self.alike and left in tried):
                continue
            tried.add(left)
            after = (*room[:host], left, *room[host + 1 :])
            yield tuple(sorted(after, key=lambda r: r or 0)) if self.alike else after


def _least_by_trial(
    federation: Federation, rule: Coordination, placement: Placement, player: int, clock: Clock
) -> Fraction:
    return min(
        rule.costs(federation, (*placement[:player], mine, *placement[player + 1 :]))[player]
        for mine in _distinct_placements(federation, rule, player, clock)
    )


def _distinct_placements(
    federation: Federation, rule: Coordination, player: int, clock: Clock
) -> Iterator[tuple[int, ...]]:
    """Placements of the organization's jobs; of jobs of one size with neighbouring ranks only the sorted ones."""
    sizes, ranks = federation.sizes[player], rule.ranks(federation)[player]
    jobs = sorted(range(len(sizes)), key=lambda i: ranks[i])
    groups = [
        [i for i, _ in run]
        for _, run in itertools.groupby(
            ((i, (sizes[i], ranks[i] - place)) for place, i in enumerate(jobs)), key=lambda pair: pair[1]
        )
    ]
    count = math.prod(math.comb(len(federation) + len(g) - 1, len(g)) for g in groups)
    if count > MAX_TRIED:
        who = federation.names[player]
        raise TooLargeError(f"checking {who!r}: {magnitude(count)} placements; the limit is {MAX_TRIED:,}; {HARD}")
    choices = (itertools.combinations_with_replacement(range(len(federation)), len(g)) for g in groups)
    for picked in itertools.product(*choices):
        clock.check()
        mine = [0] * len(sizes)
        for group, hosts in zip(groups, picked, strict=True):
            for i, host in zip(group, hosts, strict=True):
                mine[i] = host
        yield tuple(mine)


Way: TypeAlias = tuple[int, tuple[int, ...]]
"""Work at home, and what goes to other hosts, one block each, largest first."""


def holds(sizes: tuple[tuple[int, ...], ...], tree: Tree, clock: Clock | None = None) -> bool:
    """Whether the decisions prove what the tree says of organizations with these jobs.

    Raises TimeoutError when the clock runs out before, TooLargeError when it takes too much memory, InputError for a
    text that is none of decisions.
    """
    return tree.decisions is not None and _Check(sizes, tree, clock or Clock(None)).follow(tree.decisions)


@dataclass(frozen=True)
class _Box:
    """Profiles in which the organizations before ``stage`` have placed their jobs."""

    stage: int
    cost: int  # largest one of an organization before that, or the payer's
    keeps: tuple[tuple[int, ...], ...]  # per organization the home loads that are possible
    foreign: tuple[int, ...]  # work that those before placed on every host, apart from the host's own
    most: tuple[int, ...]  # per organization a bound on its cost in any equilibrium

    @property
    def low(self) -> list[int]:
        """Least ``r`` of every host."""
        return [min(own) + sent for own, sent in zip(self.keeps, self.foreign, strict=True)]

    @property
    def remaining(self) -> object:
        """All that the organizations still to place their jobs can notice."""
        machines = tuple(sorted(self.low[: self.stage]))
        return self.stage, machines, self.keeps[self.stage :], self.foreign[self.stage :]


class _Check:
    """One tree of one game."""

    def __init__(self, sizes: tuple[tuple[int, ...], ...], tree: Tree, clock: Clock) -> None:
        self.tree, self.clock, self.work = tree, clock, [sum(row) for row in sizes]
        self.held = 0  # home loads in the nodes that are kept
        self.n, self.total = len(sizes), sum(self.work)
        self.most = self.total if tree.most is None else tree.most
        self.shortest = [min(row, default=0) for row in sizes]
        self.ways: list[list[Way]] = []
        for row in sizes:
            self.ways.append(sorted(_ways(tuple(sorted(row)), self.n - 1)))
            if sum(map(len, self.ways)) * self.n > MAX_BLOCKS:
                raise TooLargeError(f"following a tree: the jobs make more than {MAX_BLOCKS:,} blocks")
        dtype = np.int64 if fits_int64((self.n + 2) * (self.total + 1)) else object
        self.home = [np.array([home for home, _ in ways], dtype) for ways in self.ways]
        self.blocks = [
            np.array([(*row, *(0,) * (self.n - 1 - len(row))) for _, row in ways], dtype).reshape(len(ways), self.n - 1)
            for ways in self.ways
        ]
        cached = MAX_BLOCKS // max(1, *map(len, self.ways))  # each is as long as the ways are many
        self.costs = lru_cache(maxsize=min(4096, cached))(self._costs)
        self.away = lru_cache(maxsize=min(4096, cached // 8))(self._away)

    def follow(self, decisions: str) -> bool:
        """Whether every decision is right and nothing is left to decide."""
        homes = tuple(tuple(sorted({home for home, _ in ways})) for ways in self.ways)
        waiting: list[Iterator[_Box]] = [iter([_Box(0, 0, homes, (0,) * self.n, (self.most,) * self.n)])]
        words = decisions.split(maxsplit=MAX_NODES)
        if len(words) > MAX_NODES:
            raise TooLargeError(f"following a tree: found more than {MAX_NODES:,} decisions")
        again = {int(word[1:]) for word in words if re.fullmatch(r"=\d{1,9}", word)}
        visited: dict[int, _Box] = {}  # those of them in which an equilibrium may be
        for number, decision in enumerate(read(decisions)):
            following = _next(waiting)
            narrowed = None if following is None else self.narrow(following)
            if narrowed is None and (following is None or not isinstance(decision, Closed)):
                return False
            if narrowed is None:
                continue
            box, lowest = narrowed
            children = self._children(box, lowest, decision, visited)
            if children is None:
                return False
            waiting.append(children)
            size = sum(map(len, box.keeps)) + 100
            if number in again:
                visited[number] = box
                self.held += size
            if self.held + size * len(waiting) > MAX_HELD:
                raise TooLargeError(f"following a tree: its nodes keep more than {MAX_HELD:,} home loads")
        return _next(waiting) is None

    def _children(
        self, box: _Box, lowest: int, decision: Decision, visited: Mapping[int, _Box]
    ) -> Iterator[_Box] | None:
        """What a decision leaves to be decided of a box in which an equilibrium may be; ``None`` if it is wrong."""
        if box.stage == self.n:
            return None
        if isinstance(decision, Split):
            return _halves(box, decision)
        if isinstance(decision, Resolved):
            return self._placed(box, lowest, decision)
        earlier = visited.get(decision.node) if isinstance(decision, Same) else None
        if earlier is None or earlier.remaining != box.remaining:
            return None
        return iter(()) if box.cost < self.tree.least or earlier.cost >= self.tree.least else None

    # what equilibria can look like

    def narrow(self, box: _Box) -> tuple[_Box, int] | None:
        """The box without home loads that no equilibrium of the window has, and a lower bound on the next cost.

        ``None`` when no equilibrium is left.
        """
        while True:
            self.clock.check()
            smaller = self._once(box)
            if smaller is None:
                return None
            same = smaller[0].keeps == box.keeps
            box, lowest, high = smaller
            if same:
                break
        if not self._reach(box, high):
            return None
        paid = [box.most[k] for k in range(box.stage, self.n) if self.tree.payer in (None, k)]
        return (box, lowest) if max([box.cost, *paid]) >= self.tree.least else None

    def _once(self, box: _Box) -> tuple[_Box, int, list[int]] | None:
        """One round over all organizations that have not placed their jobs; how late every host may end as well."""
        if not all(box.keeps):
            return None
        keeps, most, low = [*map(list, box.keeps)], list(box.most), box.low
        high = [max(own) + sent for own, sent in zip(box.keeps, box.foreign, strict=True)]
        quiet = set(range(self.n))  # hosts to which nobody can have sent work since the box began
        lowest = 0
        if max(low) > self.most:
            return None
        for k in range(box.stage, self.n):
            if k == self.tree.payer and not self._busy(box, keeps, low, high, quiet):
                return None
            near = sorted(low[:k] + low[k + 1 :])
            far = sorted(high[:k] + high[k + 1 :])
            room = sum(self.work[:k]) - box.foreign[k] + sum(max(own) for own in keeps[k + 1 :])
            if sum(near) > room:
                return None
            for i in range(self.n - 1):
                far[i] = min(far[i], (room - sum(near[:i])) // (self.n - 1 - i))
            most[k] = min(most[k], self.most, int(self.costs(k, tuple(far)).min()))
            costs = self.costs(k, tuple(near))
            if costs.min() > most[k]:
                return None
            if k == box.stage:
                lowest = int(costs.min())
            able = set(self.home[k][costs <= most[k]].tolist())
            keeps[k] = [home for home in keeps[k] if home in able]
            if not keeps[k]:
                return None
            sent = self.work[k] - min(keeps[k])
            for host in range(self.n):
                if sent and host != k and low[host] + self.shortest[k] <= most[k]:
                    high[host] = max(high[host], min(most[k], high[host] + sent))
                    quiet.discard(host)
        high = [min(h, self.most) for h in high]
        for host in quiet:
            least = self.total - sum(high) + high[host] - box.foreign[host]  # the other hosts cannot take more
            keeps[host] = [home for home in keeps[host] if home >= least]
        if sum(high) < self.total or not all(keeps):
            return None
        return replace(box, keeps=tuple(map(tuple, keeps)), most=tuple(most)), lowest, high

    def _reach(self, box: _Box, high: list[int]) -> bool:
        """Whether all hosts can be as busy as the window asks, above each of some levels.

        At the payer's turn all others are busy until some time; in the end what is not below a level is above it.
        """
        payer, n = self.tree.payer, self.n
        floor = 0 if payer is None or payer < box.stage else self._floor(payer)
        for k, (low, most) in enumerate(zip(box.low, box.most, strict=True)):
            level = low if k < box.stage else most
            if payer is not None and k != payer and level < floor:
                missing = (n - 1) * (floor - level)
                if self._filled(box, payer, level, floor) < missing:
                    return False
            if self.most < self.total and level < self.most:
                missing = self.total - sum(min(level, end) for end in high)
                if self._filled(box, n, level, self.most) < missing:
                    return False
        return True

    def _filled(self, box: _Box, turn: int, level: int, ceiling: int) -> int:
        """Most time between two levels that is filled before an organization's turn, on all hosts but its own.

        An organization fills none after its own end; its jobs are split as fills the most.
        """
        filled = 0
        for k, (own, sent) in enumerate(zip(box.keeps, box.foreign, strict=True)):
            if box.stage <= k < turn:
                away = self.away(k, max(0, min(box.most[k], ceiling) - level))
                filled += max(max(0, min(home + sent, ceiling) - level) + away[home] for home in own)
            elif k != turn:
                filled += max(0, min(own[-1] + sent, ceiling) - level)
        return filled

    def _away(self, k: int, room: int) -> dict[int, int]:
        """Most that the organization's blocks fill by its home load, each at most so much."""
        filled: dict[int, int] = {}
        for home, away in zip(
            self.home[k].tolist(), np.minimum(self.blocks[k], room).sum(axis=1).tolist(), strict=True
        ):
            filled[home] = max(away, filled.get(home, 0))
        return filled

    def _floor(self, payer: int) -> int:
        """Until when all other hosts are busy at the payer's turn, at most 0 where no cost is below the window.

        Else moving some of her jobs would bring her cost below it.
        """
        least, work = self.tree.least, self.work[payer]
        return least - min((home for home, _ in self.ways[payer] if home > work - least), default=work)

    def _busy(self, box: _Box, keeps: list[list[int]], low: list[int], high: list[int], quiet: set[int]) -> bool:
        """At the payer's turn, moving some of her jobs to any other host must not bring her cost below the window."""
        payer = self.tree.payer
        assert payer is not None  # it is her turn
        floor = self._floor(payer)
        for host in range(self.n):
            if host == payer:
                continue
            if high[host] < floor:
                return False
            low[host] = max(low[host], floor)
            if host in quiet:
                keeps[host] = [home for home in keeps[host] if home + box.foreign[host] >= floor]
                if not keeps[host]:
                    return False
        return True

    def _costs(self, k: int, ready: tuple[int, ...]) -> NDArray[np.int64]:
        """What every way to split the organization's jobs costs, when other hosts are free at ``ready``, ascending."""
        blocks = self.blocks[k]
        ends = np.where(blocks > 0, blocks + np.array(ready, blocks.dtype), 0)
        costs: NDArray[np.int64] = np.maximum(self.home[k], ends.max(axis=1, initial=0))
        return costs

    # what follows from a decision

    def _placed(self, box: _Box, lowest: int, decision: Resolved) -> Iterator[_Box] | None:
        """The children of a resolved organization; ``None`` when its cost is not settled, or a placement is missing."""
        k, low = box.stage, box.low
        if not lowest == box.most[k] == decision.cost:
            return None
        if any(len(row) != self.n for row in decision.placements):
            return None
        listed: set[tuple[tuple[int, int, int], ...]] = set()
        for row in decision.placements:
            self.clock.check()
            listed.add(_alike(row, low, k))
        for home, blocks in self.ways[k]:
            if home in box.keeps[k] and home <= decision.cost:
                for row in self._rows(k, home, blocks, low, decision.cost):
                    if _alike(row, low, k) not in listed:
                        return None
        return (self._after(box, row, decision.cost) for row in decision.placements)

    def _rows(self, k: int, home: int, blocks: tuple[int, ...], low: list[int], cost: int) -> Iterator[tuple[int, ...]]:
        """Every way to put the blocks on different hosts so that they end by ``cost``."""

        def remaining(row: tuple[int, ...], left: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
            if not left:
                yield row
                return
            self.clock.check()
            for host in range(self.n):
                if host != k and not row[host] and low[host] + left[0] <= cost:
                    yield from remaining((*row[:host], left[0], *row[host + 1 :]), left[1:])

        start = [0] * self.n
        start[k] = home
        return remaining(tuple(start), blocks)

    def _after(self, box: _Box, row: tuple[int, ...], cost: int) -> _Box:
        """The box in which the next organization has placed its jobs."""
        k = box.stage
        foreign = tuple(sent + (0 if host == k else row[host]) for host, sent in enumerate(box.foreign))
        keeps = tuple(
            tuple(
                home for home in own if (home == row[k] if host == k else not row[host] or home + foreign[host] <= cost)
            )
            for host, own in enumerate(box.keeps)
        )
        counts = self.tree.payer in (None, k)
        return replace(box, stage=k + 1, cost=max(box.cost, cost) if counts else box.cost, keeps=keeps, foreign=foreign)


def _next(waiting: list[Iterator[_Box]]) -> _Box | None:
    """The first box that is still to be followed, ``None`` where there is none; iterators that have ended are left."""
    while waiting:
        box = next(waiting[-1], None)
        if box is not None:
            return box
        waiting.pop()
    return None


def _halves(box: _Box, decision: Split) -> Iterator[_Box] | None:
    """Both halves of a split host, none of them empty."""
    if not 0 <= decision.host < len(box.keeps):
        return None
    own = box.keeps[decision.host]
    parts = [tuple(h for h in own if h > decision.at), tuple(h for h in own if h <= decision.at)]
    if not all(parts):
        return None
    before, after = box.keeps[: decision.host], box.keeps[decision.host + 1 :]
    return (replace(box, keeps=(*before, part, *after)) for part in parts)


def _alike(row: tuple[int, ...], low: list[int], stage: int) -> tuple[tuple[int, int, int], ...]:
    """The same for placements that differ only in which of the resolved hosts that are free at one time has what."""
    return tuple(
        sorted((-1 if host < stage else host, low[host] if host < stage else 0, load) for host, load in enumerate(row))
    )


def _ways(sizes: tuple[int, ...], foreign: int) -> set[Way]:
    """All ways to split jobs into work at home and at most ``foreign`` blocks."""
    ways: set[Way] = {(0, ())}
    for size in sizes:
        at_home = {(home + size, blocks) for home, blocks in ways}
        away = {
            (home, tuple(sorted((*blocks[:i], block + size, *blocks[i + 1 :]), reverse=True)))
            for home, blocks in ways
            for i, block in enumerate((*blocks, 0)[:foreign])
        }
        ways = at_home | away
        if len(ways) > MOST:
            raise TooLargeError(f"following a tree: {len(sizes)} jobs can be split in more than {MOST:,} ways")
    return ways
