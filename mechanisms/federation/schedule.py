"""Schedules of a federation, local ones among them, and what each organization gets from them.

*Model* (Cordeiro 2012, section 3.1): machines are identical, a started job runs to its end without interruption. The
makespan of organization ``k`` is ``C^(k)``, the largest completion time of its jobs (0 without jobs); the makespan of
the federation is ``C_max``, the largest ``C^(k)``.

Conventions: machines are numbered organization after organization from 0; starts are in units of
:attr:`Federation.unit`, integers for every rule of this family; makespans and totals are fractions in time units.

>>> fed = Federation.of([[2, 1], [1]])
>>> schedule = Schedule(fed, machine=((0, 1), (1,)), start=((0, 1), (0,)))
>>> schedule.makespans, schedule.makespan, schedule.placement
((Fraction(2, 1), Fraction(1, 1)), Fraction(2, 1), ((0, 1), (1,)))

*Local schedules*, the reference of local constraints, are list schedules of an organization's jobs on its own machines.
With several machines ``C_local^(k)`` depends on the order: by default longest first for makespans and shortest first
for sums (the optimum of P||sum C). Ties: the smaller job number first, the smallest machine first.

>>> Local().run(Federation.of([[1, 2], [3]])).makespans
(Fraction(3, 1), Fraction(3, 1))

*How good and how fair* (sections 3.4 and 3.5, written there for one machine per organization; ``M`` machines in all):

- ``LB = max(sum p / M, p_max)`` bounds every schedule, ``LB^(k)``, of the jobs of ``k`` alone, what ``k`` could reach;
- ``Stretch = max_k C^(k) / LB^(k)``;
- the Jain index of ``x_k = C^(k) / LB^(k)`` is ``(sum x)^2 / (N sum x^2)``, between ``1/N`` (unfair) and 1.

Organizations without jobs have no ratio and are not counted in ``N``.

>>> fed = Federation.of([[2, 2], [1]])
>>> lower_bound(fed), lower_bounds(fed), stretch(fed, [4, 1]), jain(fed, [4, 1])
(Fraction(5, 2), (Fraction(2, 1), Fraction(1, 1)), Fraction(2, 1), Fraction(9, 10))
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, TypeAlias

from ...agents.organizations import Federation, Placement
from ...scheduling.listing import ListName, job_order, place_in_order
from ...scheduling.metrics import jain as jain_index
from ...support.errors import InputError
from ...support.exact import Rational

JobId: TypeAlias = tuple[int, int]
"""Organization and job, both from 0."""
LocalOrder: TypeAlias = ListName
"""Order of a local list: longest first, shortest first, or as listed; ties by job number."""

ORDERS: tuple[LocalOrder, ...] = ("lpt", "spt", "listed")


@dataclass(frozen=True)
class Slot:
    """One job in a schedule; organizations, jobs and machines count from 0, times are in time units."""

    organization: int
    job: int
    host: int
    machine: int
    """Machine within the host, from 0."""
    start: Fraction
    end: Fraction


@dataclass(frozen=True)
class Schedule:
    """A complete schedule.

    Attributes
    ----------
    federation
        Whose jobs and machines.
    machine
        ``machine[k][i]``: machine of job ``i`` of organization ``k``, numbered over the federation from 0.
    start
        ``start[k][i]``: its start, in units of ``federation.unit``.

    Raises
    ------
    InputError
        If a job has no machine or no start, a machine does not exist, a start is negative, or two jobs overlap.
    """

    federation: Federation
    machine: tuple[tuple[int, ...], ...]
    start: tuple[tuple[Rational, ...], ...]

    def __post_init__(self) -> None:
        shape = [len(sizes) for sizes in self.federation.sizes]
        if [len(row) for row in self.machine] != shape or [len(row) for row in self.start] != shape:
            raise InputError(f"schedule: expected one machine and one start for each of {shape} jobs")
        busy: dict[int, list[tuple[Rational, Rational]]] = {}
        machines = self.federation.n_machines
        for k, sizes in enumerate(self.federation.sizes):
            for i, size in enumerate(sizes):
                where, begin = self.machine[k][i], self.start[k][i]
                if not 0 <= where < machines or begin < 0:
                    raise InputError(f"schedule: job {i + 1} of {self._name(k)} is on machine {where} at {begin}")
                busy.setdefault(where, []).append((begin, begin + size))
        for where, spans in busy.items():
            spans.sort()
            for (_, end), (begin, _) in itertools.pairwise(spans):
                if begin < end:
                    host, at = machine_owners(self.federation)[where], begin * self.federation.unit
                    number = where - first_machines(self.federation)[host] + 1
                    raise InputError(f"schedule: two jobs overlap on machine {number} of {self._name(host)} at {at}")

    @classmethod
    def of(cls, federation: Federation, places: Mapping[JobId, tuple[int, Rational]]) -> Schedule:
        """The schedule in which every job has this machine and start."""
        rows = [[places[k, i] for i in range(len(row))] for k, row in enumerate(federation.sizes)]
        machine = tuple(tuple(where for where, _ in row) for row in rows)
        return cls(federation, machine, tuple(tuple(begin for _, begin in row) for row in rows))

    def _name(self, k: int) -> str:
        return repr(self.federation.organizations[k].name)

    @cached_property
    def ends(self) -> tuple[tuple[Rational, ...], ...]:
        """Completion time of every job, in units of ``federation.unit``."""
        rows = zip(self.start, self.federation.sizes, strict=True)
        return tuple(tuple(s + p for s, p in zip(starts, sizes, strict=True)) for starts, sizes in rows)

    @property
    def latest(self) -> tuple[Rational, ...]:
        """``C^(k)`` of every organization in units of ``federation.unit``; 0 without jobs."""
        return tuple(max(row, default=0) for row in self.ends)

    @property
    def makespans(self) -> tuple[Fraction, ...]:
        """``C^(k)`` of every organization in time units; 0 without jobs."""
        return tuple(end * self.federation.unit for end in self.latest)

    @property
    def totals(self) -> tuple[Fraction, ...]:
        """Sum of the completion times of every organization's jobs."""
        return tuple(sum(row) * self.federation.unit for row in self.ends)

    @property
    def makespan(self) -> Fraction:
        """``C_max``."""
        return max(self.makespans)

    @property
    def placement(self) -> Placement:
        """The host of every job."""
        owner = machine_owners(self.federation)
        return tuple(tuple(owner[m] for m in row) for row in self.machine)

    def slots(self) -> tuple[Slot, ...]:
        """Every job with its host and times, organization after organization."""
        owner, first, unit = machine_owners(self.federation), first_machines(self.federation), self.federation.unit
        return tuple(
            Slot(k, i, owner[m], m - first[owner[m]], self.start[k][i] * unit, self.ends[k][i] * unit)
            for k, row in enumerate(self.machine)
            for i, m in enumerate(row)
        )


def machine_owners(federation: Federation) -> tuple[int, ...]:
    """Owner of every machine of the federation."""
    return tuple(k for k, count in enumerate(federation.machines) for _ in range(count))


def first_machines(federation: Federation) -> tuple[int, ...]:
    """Number of each organization's first machine."""
    return tuple(itertools.accumulate(federation.machines, initial=0))[:-1]


@dataclass(frozen=True)
class Local:
    """No cooperation: each organization list-schedules its own jobs on its own machines."""

    id: ClassVar[str] = "local"
    local_order: LocalOrder = "lpt"

    def run(self, federation: Federation) -> Schedule:
        """Schedule every job at home."""
        return local_schedule(federation, self.local_order)


def local_schedule(federation: Federation, order: LocalOrder = "lpt") -> Schedule:
    """Every organization's list schedule in the given order on its own machines."""
    rows = enumerate(federation.sizes)
    return run_queues(federation, [[(k, i) for i in job_order(row, order, "local_order")] for k, row in rows])


def run_queues(
    federation: Federation, queues: Sequence[Sequence[JobId]], machines: Sequence[int] | None = None
) -> Schedule:
    """Every queue as a list schedule on machines of its own: so many, by default those of each organization."""
    places, first = {}, 0
    for queue, count in zip(queues, machines or federation.machines, strict=True):
        placed = place_in_order([federation.sizes[k][i] for k, i in queue], [0] * count)
        places.update({job: (first + m, start) for job, (m, start, _) in zip(queue, placed, strict=True)})
        first += count
    return Schedule.of(federation, places)


def run_by_deadline(
    federation: Federation, machines: Sequence[Sequence[JobId]], deadlines: Sequence[int] | None = None
) -> Schedule:
    """Run the jobs on every machine by deadline, then organization, then job, without idle time.

    Without deadlines the organizations follow each other by their total work.
    """
    key = [sum(row) for row in federation.sizes] if deadlines is None else deadlines
    queues = [sorted(jobs, key=lambda job: (key[job[0]], job)) for jobs in machines]
    return run_queues(federation, queues, [1] * len(queues))


def local_makespans(federation: Federation, order: LocalOrder = "lpt") -> tuple[int, ...]:
    """``C_local^(k)`` in grid units, 0 without jobs.

    >>> local_makespans(Federation.of([[2, 3, 2], []], machines=[2, 1]))
    (4, 0)
    """
    return tuple(map(int, local_schedule(federation, order).latest))


def local_totals(federation: Federation, order: LocalOrder = "spt") -> tuple[int, ...]:
    """Sum of the local completion times of every organization, in grid units."""
    return tuple(int(sum(row)) for row in local_schedule(federation, order).ends)


def lower_bound(federation: Federation) -> Fraction:
    """``LB`` of the whole federation; 0 without jobs."""
    return _bound([size for sizes in federation.sizes for size in sizes], federation)


def lower_bounds(federation: Federation) -> tuple[Fraction, ...]:
    """``LB^(k)`` of every organization on all machines; 0 without jobs."""
    return tuple(_bound(sizes, federation) for sizes in federation.sizes)


def _bound(sizes: Sequence[int], federation: Federation) -> Fraction:
    """What jobs of these sizes need on all machines: integers, as long lists of fractions would take most of a run."""
    machines = federation.n_machines
    return Fraction(max(sum(sizes), machines * max(sizes, default=0)), machines) * federation.unit


def stretches(federation: Federation, makespans: Sequence[Rational]) -> tuple[Fraction | None, ...]:
    """``C^(k) / LB^(k)`` of every organization, ``None`` without jobs."""
    rows = zip(federation.organizations, makespans, lower_bounds(federation), strict=True)
    return tuple(Fraction(c) / bound if org.jobs else None for org, c, bound in rows)


def stretch(federation: Federation, makespans: Sequence[Rational]) -> Fraction | None:
    """Largest stretch; ``None`` when nobody has a job."""
    return max((x for x in stretches(federation, makespans) if x is not None), default=None)


def jain(federation: Federation, makespans: Sequence[Rational]) -> Fraction | None:
    """Jain index of ``C^(k) / LB^(k)``; ``None`` when nobody has a job.

    It is the squared mean over the mean of the squares (the thesis calls it "first moment to second moment").
    """
    values = [x for x in stretches(federation, makespans) if x is not None]
    return jain_index(values) if values else None


def sharp_ratio(machines: Sequence[int]) -> Fraction:
    """The largest ``C_max / OPT`` of equilibria of the placement game, for organizations with so many machines.

    ``max(2M/(M + 1), 2 - 1/(M - m))`` for ``M`` machines in all and ``m`` of who has fewest. With one machine each also
    the largest ratio of LPT-LPT and, with lists longest first, of ILBA and Less Helped First. The proofs are on the
    documentation's page "What is new here".

    >>> [str(sharp_ratio(machines)) for machines in ([1, 1], [1, 1, 1, 1], [2, 2], [2, 1, 1])]
    ['4/3', '5/3', '8/5', '5/3']
    """
    total, least = sum(machines), min(machines)
    if total == least:  # nobody has a choice; longest first is within 4/3 - 1/(3M) of the least makespan
        return Fraction(4, 3) - Fraction(1, 3 * total)
    return max(Fraction(2 * total, total + 1), 2 - Fraction(1, total - least))
