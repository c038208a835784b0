r"""Schedules of a federation: where and when every job runs, and what each organization gets from it.

Model (Cordeiro 2012, section 3.1): machines are identical, a started job runs to its end without interruption. The
makespan of organization ``k`` is ``C^(k)``, the largest completion time of its jobs on any machine (0 without
jobs); the makespan of the federation is ``C_max``, the largest ``C^(k)``.

Conventions: machines are numbered organization after organization from 0; starts are in units of
:attr:`Federation.unit`, which are integers for every rule of this family (jobs start at sums of lengths); makespans and
totals are returned as fractions in time units.

>>> fed = Federation.of([[2, 1], [1]])
>>> schedule = Schedule(fed, machine=((0, 1), (1,)), start=((0, 1), (0,)))
>>> schedule.makespans, schedule.makespan, schedule.placement
((Fraction(2, 1), Fraction(1, 1)), Fraction(2, 1), ((0, 1), (1,)))
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from ...agents.organizations import Federation, Placement
from ...scheduling.listing import ListName
from ...support.errors import InputError
from ...support.exact import Rational

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

    def _name(self, k: int) -> str:
        return repr(self.federation.organizations[k].name)

    @cached_property
    def ends(self) -> tuple[tuple[Rational, ...], ...]:
        """Completion time of every job, in units of ``federation.unit``."""
        rows = zip(self.start, self.federation.sizes, strict=True)
        return tuple(tuple(s + p for s, p in zip(starts, sizes, strict=True)) for starts, sizes in rows)

    @property
    def makespans(self) -> tuple[Fraction, ...]:
        """``C^(k)`` of every organization; 0 without jobs."""
        return tuple(max(row, default=0) * self.federation.unit for row in self.ends)

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
    first, total = [], 0
    for count in federation.machines:
        first.append(total)
        total += count
    return tuple(first)
