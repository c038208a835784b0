r"""Coordination mechanisms: every organization runs its own jobs first, then foreign ones by priority.

Model (Cordeiro 2012, section 5.1): the strategy of organization ``k`` is a host for each of its jobs. The policy of
a host schedules its own jobs first, then the foreign jobs by priority, as one list schedule on its machines. The
cost of ``k`` is its makespan ``C^(k)`` and the social cost is ``C_max``; with the objective ``total-completion``
the cost is the sum of the completion times of its jobs and the social cost is the sum over all organizations.

Priorities. ``organizations``: one rank per organization (``order``, highest first; as listed by default); jobs of
one organization follow each other longest first (shortest first with ``total-completion``). ``jobs``: one rank per job,
all different: ``longest`` or ``shortest`` first (ties by organization, then job), ``listed`` (organization after
organization), or ``given`` (the jobs' own numbers).

Ties and orders that the thesis leaves open: own jobs run longest first (shortest first with ``total-completion``),
ties by job number; the list schedule takes the machine that is free first, ties by number. With one machine per
organization the order among own jobs, and among jobs of one organization under ``organizations``, changes no
makespan; with more it does.

>>> fed = Federation.of([[2, 2], [1]])
>>> rule = Coordination()
>>> rule.costs(fed, ((0, 1), (1,)))
(Fraction(3, 1), Fraction(1, 1))
>>> rule.social_cost(fed, ((0, 1), (1,)))
Fraction(3, 1)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal, TypeAlias

from ...agents.organizations import Federation, Objective, Placement
from ...scheduling.listing import job_order
from ...support.errors import InputError, check_name
from .catalogue import JOB_ORDERS, OBJECTIVES, PRIORITIES
from .schedule import JobId, Schedule, run_queues

Priority: TypeAlias = Literal["organizations", "jobs"]


class HostPolicy(ABC):
    """What makes a schedule of a placement: every host takes the jobs placed with it in an order of its own.

    Each job in turn starts on the host's machine that is free first, ties by number.
    """

    objective: Objective
    """What an organization minimises."""

    @abstractmethod
    def queues(self, federation: Federation, placement: Placement) -> Sequence[Sequence[JobId]]:
        """Per host the jobs placed there, in the order in which its machines take them."""

    def run(self, federation: Federation, placement: Sequence[Sequence[int]] | None = None) -> Schedule:
        """Schedule that the hosts' policies make of a placement (default: every job at home)."""
        hosts = federation.home() if placement is None else federation.check_placement(placement)
        return run_queues(federation, self.queues(federation, hosts))

    def costs(self, federation: Federation, placement: Sequence[Sequence[int]] | None = None) -> tuple[Fraction, ...]:
        """Cost of every organization in a placement; 0 without jobs."""
        schedule = self.run(federation, placement)
        return schedule.makespans if self.objective == "makespan" else schedule.totals

    def social_cost(self, federation: Federation, placement: Sequence[Sequence[int]] | None = None) -> Fraction:
        """Largest cost (makespan) or the sum of the costs (total completion)."""
        costs = self.costs(federation, placement)
        return max(costs) if self.objective == "makespan" else sum(costs, Fraction(0))


@dataclass(frozen=True)
class Coordination(HostPolicy):
    """Own jobs first, then foreign jobs by priority of their organizations or by priority of the jobs.

    Attributes
    ----------
    priority
        Who has a rank: ``"organizations"`` or ``"jobs"``.
    order
        Organizations by name, highest first (default: as listed), or one of ``longest`` (default), ``shortest``,
        ``listed``, ``given`` for jobs.
    objective
        What an organization minimises.
    """

    id: ClassVar[str] = "coordination"
    priority: Priority = "organizations"
    order: tuple[str, ...] | str | None = None
    objective: Objective = "makespan"

    def __post_init__(self) -> None:
        check_name("priority", self.priority, PRIORITIES)
        check_name("objective", self.objective, OBJECTIVES)
        if self.priority == "organizations" and isinstance(self.order, str):
            raise InputError(f"order = {self.order!r}; expected the names of the organizations, highest first")
        if self.priority == "jobs" and self.order is not None:
            if not isinstance(self.order, str):
                raise InputError(f"order = {list(self.order)!r}; expected one of {', '.join(JOB_ORDERS)}")
            check_name("order", self.order, JOB_ORDERS)

    def ranks(self, federation: Federation) -> tuple[tuple[int, ...], ...]:
        """Rank of every job among all jobs (0 runs first); a strict order, ties broken as the module says.

        >>> Coordination("jobs", "shortest").ranks(Federation.of([[3, 1], [2]]))
        ((2, 0), (1,))
        """
        sizes = federation.sizes
        jobs = [(k, i) for k, row in enumerate(sizes) for i in range(len(row))]
        if self.priority == "organizations":
            rank = organization_ranks(federation, self.order)
            longest = 1 if self.objective == "makespan" else -1
            jobs.sort(key=lambda job: (rank[job[0]], -longest * sizes[job[0]][job[1]], job[1]))
        elif self.order == "given":
            priorities = given_priorities(federation)
            jobs.sort(key=lambda job: priorities[job[0]][job[1]])
        elif self.order != "listed":
            sign = 1 if self.order == "shortest" else -1
            jobs.sort(key=lambda job: (sign * sizes[job[0]][job[1]], job))
        position = {job: r for r, job in enumerate(jobs)}
        return tuple(tuple(position[k, i] for i in range(len(row))) for k, row in enumerate(sizes))

    def queues(self, federation: Federation, placement: Placement) -> list[list[JobId]]:
        """Own jobs longest first (shortest first for total completion), then foreign ones by rank."""
        ranks, queues = self.ranks(federation), []
        own_order: Literal["lpt", "spt"] = "lpt" if self.objective == "makespan" else "spt"
        for host, jobs in enumerate(placed_with(placement)):
            own = [(host, i) for i in job_order(federation.sizes[host], own_order) if placement[host][i] == host]
            foreign = [job for job in jobs if job[0] != host]
            queues.append(own + sorted(foreign, key=lambda job: ranks[job[0]][job[1]]))
        return queues


def placed_with(placement: Placement) -> list[list[JobId]]:
    """The jobs placed with each host, by organization and number."""
    placed: list[list[JobId]] = [[] for _ in placement]
    for k, row in enumerate(placement):
        for i, host in enumerate(row):
            placed[host].append((k, i))
    return placed


def organization_ranks(federation: Federation, order: Sequence[str] | None = None) -> tuple[int, ...]:
    """Rank of every organization, 0 the highest; ``order`` lists all names, highest first (default: as listed).

    >>> organization_ranks(Federation.of([[1], [1]]), ["O2", "O1"])
    (1, 0)
    """
    if order is None:
        return tuple(range(len(federation)))
    positions = [federation.index(name, f"order[{r + 1}]") for r, name in enumerate(order)]
    missing = [name for k, name in enumerate(federation.names) if k not in positions]
    if missing or len(positions) != len(federation):
        reason = f"{', '.join(missing)} missing" if missing else "a name twice"
        raise InputError(f"order = {list(order)!r}: {reason}; expected every organization once")
    return tuple(positions.index(k) for k in range(len(federation)))


def free_from(federation: Federation, hosts: Sequence[Sequence[int]], rank: Sequence[int], k: int) -> list[int]:
    """When each machine is free for ``k``, one each: 0 at home, else after its owner's jobs and those of higher rank.

    >>> free_from(Federation.of([[2], [3], [4]]), ((1,), (1,), (0,)), (0, 1, 2), 2)
    [0, 5, 0]
    """
    starts = [0] * len(federation)
    for other, row in enumerate(hosts):
        for i, host in enumerate(row):
            if host != k and (host == other or rank[other] < rank[k]):
                starts[host] += federation.sizes[other][i]
    return starts


def given_priorities(federation: Federation) -> tuple[tuple[int, ...], ...]:
    """The jobs' own priorities (1 is the highest); InputError if one is missing or two are equal."""
    seen: dict[int, str] = {}
    rows = []
    for k, org in enumerate(federation.organizations):
        row = []
        for i, job in enumerate(org.jobs):
            where = f"organizations[{k + 1}].jobs[{i + 1}].priority"
            if job.priority is None:
                raise InputError(f"{where}: missing; order = 'given' expects a priority for every job")
            if job.priority in seen:
                raise InputError(f"{where}: {job.priority} is the priority of {seen[job.priority]} too")
            seen[job.priority] = where.removesuffix(".priority")
            row.append(job.priority)
        rows.append(tuple(row))
    return tuple(rows)
