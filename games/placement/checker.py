r"""The placement game checked from its definition, sharing no code with the solvers.

Costs come from the schedule that :class:`~consortium.mechanisms.federation.coordination.Coordination` builds. For the
least cost that an organization could reach alone: with one machine per organization and makespans, a cost of at most
``c`` is reachable exactly when the jobs pack into the hosts, each host having room ``c`` minus what runs there before
the organization's last job; a plain depth-first search with memory decides that, and bisection finds the least ``c``.
Otherwise every placement of the organization's jobs is tried, exchangeable jobs not told apart.

>>> from consortium.agents.organizations import Federation
>>> from consortium.mechanisms.federation.coordination import Coordination
>>> cost_and_best(Federation.of([[4, 4, 4], [2, 2], []]), Coordination(), ((0, 0, 1), (1, 2), ()))[0]
(Fraction(8, 1), Fraction(6, 1))
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from ...agents.organizations import Federation, Placement
from ...mechanisms.federation.coordination import Coordination
from ...support.errors import TooLargeError
from ...support.exact import magnitude
from ..protocol import Profile

if TYPE_CHECKING:
    from .game import PlacementGame

MAX_TRIED = 2_000_000
Room: TypeAlias = int | None
"""Work that a host still takes; ``None`` while it has none of the jobs, which decide how much that is."""


def cost_and_best(
    federation: Federation, rule: Coordination, profile: Profile
) -> tuple[tuple[Fraction, Fraction], ...]:
    """Per organization its cost and the least cost over all placements of its own jobs, others fixed."""
    pairs = []
    for cost, best in judged(federation, rule, profile):
        if isinstance(best, TooLargeError):
            raise best
        pairs.append((cost, best))
    return tuple(pairs)


def judged(
    federation: Federation, rule: Coordination, profile: Profile
) -> Iterator[tuple[Fraction, Fraction | TooLargeError]]:
    """The same one by one; the error, not raised, where the least cost is out of reach.

    >>> [best for _, best in judged(Federation.of([[2, 2], [1]]), Coordination(), ((0, 0), (1,)))]
    [Fraction(3, 1), Fraction(1, 1)]
    """
    placement = federation.check_placement(profile)
    packing = rule.objective == "makespan" and all(m == 1 for m in federation.machines)
    search = _least_by_packing if packing else _least_by_trial
    for k, cost in enumerate(rule.costs(federation, placement)):
        try:
            yield cost, min(cost, search(federation, rule, placement, k))
        except TooLargeError as error:
            yield cost, error


def certify(game: PlacementGame, profile: Profile) -> tuple[tuple[Fraction, Fraction], ...]:
    """:func:`cost_and_best` of a profile of a game."""
    return cost_and_best(game.federation, game.rule, profile)


def _least_by_packing(federation: Federation, rule: Coordination, placement: Placement, player: int) -> Fraction:
    packing = _Packing(federation, rule, placement, player)
    low, high = 0, sum(federation.sizes[player])  # everything at home always fits
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if packing.fits(middle) else (middle + 1, high)
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
        self.ahead = {
            (i, host): sum(
                federation.sizes[k][j]
                for k, row in enumerate(placement)
                for j, where in enumerate(row)
                if where == host and k != player and host != player and (k == host or ranks[k][j] < ranks[player][i])
            )
            for i in self.jobs
            for host in self.hosts
        }

    def fits(self, limit: int) -> bool:
        """Whether all jobs can end by the limit."""
        known: dict[tuple[int, tuple[Room, ...]], bool] = {}
        rooms: tuple[Room, ...] = (None,) * len(self.hosts)
        if self.alike and self.jobs:
            rooms = tuple(sorted(limit - self.ahead[self.jobs[0], host] for host in self.hosts))
        try:
            return self._rest(0, rooms, limit, known)
        except RecursionError:  # a call per job
            raise TooLargeError(f"checking {self.name!r}: {len(self.jobs)} jobs are too many to pack") from None

    def _rest(
        self, done: int, room: tuple[Room, ...], limit: int, known: dict[tuple[int, tuple[Room, ...]], bool]
    ) -> bool:
        """Whether the jobs from number ``done`` on pack into what is left; answers are kept in ``known``."""
        if (done, room) not in known:
            self.tried += 1
            if self.tried > MAX_TRIED:
                raise TooLargeError(
                    f"checking {self.name!r}: {len(self.jobs)} jobs on {len(self.hosts)} hosts are not decided "
                    f"after {MAX_TRIED:,} partial packings"
                )
            found = done == len(self.jobs)
            for after in () if found else self._placed(done, room, limit):
                found = self._rest(done + 1, after, limit, known)
                if found:
                    break
            known[done, room] = found
        return known[done, room]

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


def _least_by_trial(federation: Federation, rule: Coordination, placement: Placement, player: int) -> Fraction:
    return min(
        rule.costs(federation, (*placement[:player], mine, *placement[player + 1 :]))[player]
        for mine in _distinct_placements(federation, rule, player)
    )


def _distinct_placements(federation: Federation, rule: Coordination, player: int) -> Iterator[tuple[int, ...]]:
    """Placements of the organization's jobs; of jobs of one size with neighbouring ranks only the sorted ones."""
    sizes, ranks = federation.sizes[player], rule.ranks(federation)[player]
    jobs = sorted(range(len(sizes)), key=lambda i: ranks[i])
    groups = [
        [i for i, _ in run]
        for _, run in itertools.groupby(
            ((i, (sizes[i], ranks[i] - place)) for place, i in enumerate(jobs)), key=lambda pair: pair[1]
        )
    ]
    choices = [list(itertools.combinations_with_replacement(range(len(federation)), len(g))) for g in groups]
    count = 1
    for own in choices:
        count *= len(own)
    if count > MAX_TRIED:
        who = federation.names[player]
        raise TooLargeError(f"checking {who!r}: {magnitude(count)} placements; the limit is {MAX_TRIED:,}")
    for picked in itertools.product(*choices):
        mine = [0] * len(sizes)
        for group, hosts in zip(groups, picked, strict=True):
            for i, host in zip(group, hosts, strict=True):
                mine[i] = host
        yield tuple(mine)
