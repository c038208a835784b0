"""The placement game: every organization chooses where each of its jobs runs.

Model (Cordeiro 2012, section 5.1): organization ``k`` owns ``m^(k) >= 1`` machines and a possibly empty list of jobs.
A strategy is one host per job, a profile is a placement. Every host runs its own jobs first, then the foreign ones by
priority, as one list schedule on its machines (:class:`~consortium.mechanisms.federation.coordination.Coordination`
has the order of every queue and every tie). The cost of ``k`` is its makespan ``C^(k)``, the social cost ``C_max``;
with the objective ``total-completion`` both are sums of completion times. An organization without jobs costs 0.

Strategy sets are not restricted: nothing forbids a move that hurts others. "Everything at home" costs an organization
at most its local makespan, so in every equilibrium nobody does worse than alone.

Strategies are tuples of hosts, counted from 0, in lexicographic order; *the* best response is the first one. Costs are
exact, computed on integers.

>>> from consortium.agents.organizations import Federation
>>> game = PlacementGame(Federation.of([[2, 2], [1]]))
>>> game.costs(((0, 1), (1,))), game.social_cost(((0, 0), (1,)))
((Fraction(3, 1), Fraction(1, 1)), Fraction(4, 1))

Under a custom coordination policy (:class:`PolicyGame`) the policy says who goes first, job by job and in Python: there
is no table of priorities and nothing to compile, so solvers go through all profiles. A host's schedule depends on
nothing but the jobs placed with it, so the policy is called once for each set of jobs.

>>> from consortium.mechanisms.federation.coordination import Coordination
>>> class OwnersFirst:
...     def order(self, host, jobs):
...         return sorted(jobs, key=lambda job: (job.organization != host, job.organization))
>>> fed = Federation.of([[2, 2], [1]])
>>> policy = PolicyGame(fed, CustomPolicy(OwnersFirst()))
>>> policy.costs(((0, 1), (1,))) == Coordination().costs(fed, ((0, 1), (1,)))
True
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...agents.organizations import Federation, Placement
from ...mechanisms.federation.coordination import Coordination
from ...mechanisms.federation.custom import CustomPolicy
from ...mechanisms.federation.schedule import JobId
from ...scheduling.listing import ListName, job_order, place_in_order
from ...support.errors import TooLargeError
from ...support.exact import magnitude
from ...support.progress import Clock, Progress
from ..normal_form import FINITE, NormalFormGame
from ..protocol import Profile
from . import table

MAX_LISTED = 1_000_000
"""Strategies of one organization that may be listed one by one."""
TABULATED = 1 << 18
"""Profiles tabulated at once: a fraction of a second, so that Ctrl-C and time limits are heard."""


@dataclass(frozen=True)
class Placements(ABC):
    """Base of the games in which organizations place their jobs; a strategy is one host per job."""

    federation: Federation
    rule: Coordination | CustomPolicy
    limit: ClassVar[str] = f"the limit is {MAX_LISTED:,}"

    @property
    def players(self) -> tuple[str, ...]:
        """Names of the organizations."""
        return self.federation.names

    @property
    def total(self) -> bool:
        """Whether sums of completion times count instead of makespans."""
        return self.rule.objective == "total-completion"

    @cached_property
    def default_profile(self) -> Placement:
        """Where dynamics start: everything at home."""
        return self.federation.home()

    def n_strategies(self, player: int) -> int:
        """Number of placements of the organization's jobs."""
        return int(len(self.federation) ** len(self.federation.sizes[player]))

    def strategies(self, player: int) -> tuple[tuple[int, ...], ...]:
        """All placements of the organization's jobs, in lexicographic order; TooLargeError beyond a million."""
        if self.n_strategies(player) > MAX_LISTED:
            raise TooLargeError(
                f"strategies of {self.players[player]!r}: found {magnitude(self.n_strategies(player))}; {self.limit}"
            )
        return tuple(itertools.product(range(len(self.federation)), repeat=len(self.federation.sizes[player])))

    def ends(self, placement: Placement) -> list[list[int]]:
        """Completion times of every organization's jobs, in units; the placement is not checked."""
        here: list[list[JobId]] = [[] for _ in self.players]
        for k, row in enumerate(placement):
            for i, host in enumerate(row):
                here[host].append((k, i))
        ends = [[0] * len(row) for row in placement]
        for host, jobs in enumerate(here):
            for (k, i), end in self._ends(host, jobs).items():
                ends[k][i] = end
        return ends

    @abstractmethod
    def _ends(self, host: int, jobs: list[JobId]) -> dict[JobId, int]:
        """Completion times, in units, of the jobs placed with a host."""

    def _scheduled(self, host: int, queue: Sequence[JobId]) -> dict[JobId, int]:
        """Completion times, in units, of jobs that a host takes as they stand."""
        sizes = [self.federation.sizes[k][i] for k, i in queue]
        placed = place_in_order(sizes, [0] * self.federation.organizations[host].machines)
        return {job: end for job, (_, _, end) in zip(queue, placed, strict=True)}

    def costs(self, profile: Profile) -> tuple[Fraction, ...]:
        """Makespan, or sum of completion times, of every organization; InputError for an unknown host."""
        ends = self.ends(self.federation.check_placement(profile))
        combine = sum if self.total else lambda row: max(row, default=0)
        return tuple(combine(row) * self.federation.unit for row in ends)

    def social_cost(self, profile: Profile) -> Fraction:
        """``C_max``, or the sum of all completion times."""
        costs = self.costs(profile)
        return sum(costs, Fraction(0)) if self.total else max(costs)


class Block(NamedTuple):
    """Jobs of one organization with neighbouring priorities: no foreign job comes between them."""

    owner: int
    jobs: dict[int, list[int]]
    """By length, ascending: jobs of one length are exchangeable."""


@dataclass(frozen=True)
class PlacementGame(Placements):
    """The game that a coordination mechanism makes of a federation.

    Attributes
    ----------
    federation
        Organizations with machines and jobs.
    rule
        Priorities and objective.
    """

    rule: Coordination = field(default_factory=Coordination)

    def __post_init__(self) -> None:
        self.ranks  # noqa: B018  (a wrong order or a missing priority is reported now, not in the middle of a search)

    @property
    def single(self) -> bool:
        """Whether every organization has one machine and minimises its makespan: costs are then sums of loads."""
        return not self.total and all(m == 1 for m in self.federation.machines)

    @cached_property
    def ranks(self) -> tuple[tuple[int, ...], ...]:
        """Rank of every job among all, 0 the highest priority."""
        return self.rule.ranks(self.federation)

    @cached_property
    def by_priority(self) -> tuple[int, ...]:
        """The organizations by their job of highest priority; those without jobs last."""
        return tuple(
            sorted(range(len(self.federation)), key=lambda k: min(self.ranks[k], default=self.federation.n_jobs))
        )

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Runs of neighbouring priorities of one owner, highest first; each as long as it can be."""
        blocks: list[Block] = []
        ranked = sorted((r, k, i) for k, row in enumerate(self.ranks) for i, r in enumerate(row))
        for _, k, i in ranked:
            if not blocks or blocks[-1].owner != k:
                blocks.append(Block(k, {}))
            blocks[-1].jobs.setdefault(self.federation.sizes[k][i], []).append(i)
        return tuple(Block(k, {size: sorted(jobs) for size, jobs in kinds.items()}) for k, kinds in blocks)

    def _ends(self, host: int, jobs: list[JobId]) -> dict[JobId, int]:
        """Completion times, in units, of the jobs placed with a host."""
        return self._scheduled(host, sorted(jobs, key=self._position[host].__getitem__))

    @cached_property
    def _position(self) -> list[dict[JobId, int]]:
        """Place of every job in the order of every host: its own queue, then the others by rank."""
        sizes = self.federation.sizes
        order: ListName = "spt" if self.total else "lpt"
        ranked = sorted((rank, k, i) for k, row in enumerate(self.ranks) for i, rank in enumerate(row))
        queues = [
            [(host, i) for i in job_order(row, order)] + [(k, i) for _, k, i in ranked if k != host]
            for host, row in enumerate(sizes)
        ]
        return [{job: place for place, job in enumerate(queue)} for queue in queues]

    def tabulate(self, progress: Progress | None = None, clock: Clock | None = None) -> NormalFormGame:
        """All profiles as one exact table, without listing labels' costs one by one."""
        players = len(self.federation)
        size = players**self.federation.n_jobs
        jobs = self._jobs
        costs, social = np.zeros((players, size), jobs.sizes.dtype), np.zeros(size, jobs.sizes.dtype)
        for done in table.filled(jobs, self.total, costs, social, TABULATED):
            if clock is not None and clock.expired():
                raise TimeoutError(f"tabulated {done} of {size} profiles")
            if progress is not None and size > TABULATED:
                progress(done, size, "profiles tabulated")
        labels = tuple(self.strategies(k) for k in range(players))
        shape = tuple(map(len, labels))
        per_unit = 1 / self.federation.unit
        return NormalFormGame(
            self.players, labels, costs.reshape(players, *shape), per_unit, social.reshape(shape), per_unit
        )

    def n_classes(self, numbers: NDArray[np.int64]) -> int:
        """How many of these profiles are left when jobs that nobody can tell apart are not told apart.

        These are equal jobs of one organization with neighbouring priorities, which priority to organizations gives to
        all its equal jobs. ``numbers`` are places in the table; where a profile is, all that differ from it only by an
        exchange of such jobs are, as among the equilibria. Each class is counted at its profile with hosts ascending.

        >>> from consortium.agents.organizations import Federation
        >>> game = PlacementGame(Federation.of([[2, 2], [1]]))
        >>> game.n_classes(np.arange(8))  # both jobs at home, one, or none; and two hosts for the third job
        6
        """
        sizes, players = self.federation.sizes, len(self.federation)
        number = {job: i for i, job in enumerate((k, i) for k, row in enumerate(sizes) for i in range(len(row)))}
        ranked = sorted(number, key=lambda job: self.ranks[job[0]][job[1]])

        def host(job: tuple[int, int]) -> NDArray[np.int64]:
            digits: NDArray[np.int64] = numbers // players ** (len(number) - 1 - number[job]) % players
            return digits

        first = np.ones(len(numbers), bool)
        for one, other in itertools.pairwise(ranked):
            if one[0] == other[0] and sizes[one[0]][one[1]] == sizes[other[0]][other[1]]:
                first &= host(one) <= host(other)
        return int(first.sum())

    def line(self, player: int, profile: Profile) -> NDArray[Any]:
        """What every placement of an organization's jobs would cost it, in units, the others' jobs as they are."""
        costs: NDArray[Any] = np.zeros(self.n_strategies(player), self._jobs.sizes.dtype)
        if costs.size == 1:  # there is nothing to choose
            ends = self.ends(self.federation.check_placement(profile))[player]
            costs[0] = sum(ends) if self.total else max(ends, default=0)
        else:
            table.by_placement([paid[None] for paid in self.on_hosts(player, profile)], self.total, costs[None])
        return costs

    def on_hosts(self, player: int, profile: Profile) -> list[NDArray[Any]]:
        """What an organization pays on every host, by the set of its jobs there, the others' jobs as they are.

        Bit ``i`` of a set says whether job ``i`` is in it; numbers are in units.
        """
        placed = [host for row in self.federation.check_placement(profile) for host in row]
        first = sum(map(len, profile[:player]))
        own = range(first, first + len(profile[player]))
        others = [
            {job for job, at in enumerate(placed) if at == host and job not in own}
            for host in range(len(self.federation))
        ]
        return [
            table.on_host(self._jobs, h, own, others[h], self.total, [player])[0] for h in range(len(self.federation))
        ]

    @property
    def line_unit(self) -> Fraction:
        """What 1 in a line stands for."""
        return self.federation.unit

    @property
    def line_bound(self) -> int | None:
        """No placement costs an organization more, in units; ``None`` in Python's integers."""
        return self.federation.n_jobs * sum(map(sum, self.federation.sizes)) if self.compiled else None

    @cached_property
    def compiled(self) -> bool:
        """Whether int64 is enough for the kernels: no job ends after all the work, so no sum over jobs or over hosts

        that they form, and no sum of costs in a table, exceeds this bound.
        """
        work = sum(map(sum, self.federation.sizes))
        return (self.federation.n_jobs + len(self.federation)) * (work + 1) < FINITE

    @cached_property
    def _jobs(self) -> table.Jobs:
        """The federation as tables read it."""
        fed = self.federation
        jobs = [(k, i) for k, row in enumerate(fed.sizes) for i in range(len(row))]
        number = {job: j for j, job in enumerate(jobs)}
        return table.Jobs(
            np.array([fed.sizes[k][i] for k, i in jobs], dtype=np.int64 if self.compiled else object),
            np.array([k for k, _ in jobs], dtype=np.int64),
            np.array([[number[job] for job in position] for position in self._position], np.int64),
            fed.machines,
        )


@dataclass(frozen=True)
class PolicyGame(Placements):
    """The game that a custom coordination policy makes of a federation.

    Attributes
    ----------
    federation
        Organizations with machines and jobs.
    rule
        The policy.
    """

    rule: CustomPolicy
    limit: ClassVar[str] = f"a custom policy is played by trying them, at most {MAX_LISTED:,}"

    @cached_property
    def _seen(self) -> dict[tuple[int, tuple[JobId, ...]], dict[JobId, int]]:
        """Completion times found so far, by host and jobs."""
        return {}

    def _ends(self, host: int, jobs: list[JobId]) -> dict[JobId, int]:
        """Completion times, in units, of the jobs placed with a host."""
        here = tuple(jobs)
        if (host, here) not in self._seen:
            self._seen[host, here] = self._scheduled(host, self.rule.queue(self.federation, host, here))
        return self._seen[host, here]
