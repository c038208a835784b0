r"""Organizations that own machines and jobs, and federations of them.

Model (Cordeiro 2012, section 3.1): organization ``k`` owns ``m^(k) >= 1`` identical machines and a possibly empty
list of jobs, each with a length ``p_i^(k) > 0`` (a rational number of time units). A federation is a tuple of
organizations; ``M`` is the number of all machines, at most :data:`MAX_MACHINES`. A placement names, for every job, the
organization that hosts it.

Conventions: organizations, jobs and machines count from 0 in code and from 1 in messages. Machines of the
federation are numbered organization after organization. Lengths are exact; :attr:`Federation.sizes` are the same
lengths as integers in units of :attr:`Federation.unit`, the largest unit in which all are whole, and every schedule of
this package starts and ends jobs on that grid.

>>> fed = Federation.of([["1/2", "1/3"], [1]], machines=[1, 2])
>>> fed.sizes, fed.unit, fed.n_machines
(((3, 2), (6,)), Fraction(1, 6), 3)
>>> fed.home()
((0, 0), (1,))
>>> Federation.of([[2 * 10**30], [10**30]]).sizes
((2,), (1,))
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, TypeAlias, cast

from ..support.errors import InputError, check_name
from ..support.exact import Rational, is_symbolic, magnitude, rational, scale
from .users import Objective as Objective

Placement: TypeAlias = tuple[tuple[int, ...], ...]
"""``placement[k][i]`` is the organization that hosts job ``i`` of organization ``k``."""


MAX_MACHINES: Final = 100_000
"""Of all organizations together: rules keep lists of machines, about a kilobyte for each."""


@dataclass(frozen=True)
class Job:
    """One job: its length in time units, an optional name, an optional priority (1 is the highest)."""

    length: Fraction
    name: str | None = None
    priority: int | None = None

    def __post_init__(self) -> None:
        if self.length <= 0:
            who = "job" if self.name is None else f"job {self.name!r}"
            raise InputError(f"{who}: length = {self.length}; expected more than 0")


@dataclass(frozen=True)
class Organization:
    """An owner of at least one machine and of any number of jobs.

    >>> Organization("O1", machines=0)
    Traceback (most recent call last):
        ...
    consortium.support.errors.InputError: organization 'O1': machines = 0; expected at least 1
    """

    name: str
    jobs: tuple[Job, ...] = ()
    machines: int = 1

    def __post_init__(self) -> None:
        if self.machines < 1:
            raise InputError(f"organization {self.name!r}: machines = {self.machines}; expected at least 1")

    @property
    def lengths(self) -> tuple[Fraction, ...]:
        """Length of every job, as listed."""
        return tuple(job.length for job in self.jobs)


@dataclass(frozen=True)
class Federation:
    """Organizations that share their machines, in the order that every tie rule refers to."""

    organizations: tuple[Organization, ...]

    def __post_init__(self) -> None:
        if not self.organizations:
            raise InputError("organizations: found none; expected at least one")
        names = [org.name for org in self.organizations]
        for k, name in enumerate(names):
            if name in names[:k]:
                raise InputError(f"organizations[{k + 1}].name: {name!r} is the name of an earlier organization too")
        if self.n_machines > MAX_MACHINES:
            raise InputError(f"machines: found {magnitude(self.n_machines)} in all; the limit is {MAX_MACHINES:,}")

    @classmethod
    def of(
        cls,
        jobs: Sequence[Iterable[Rational | str]],
        machines: Sequence[int] | None = None,
        names: Sequence[str] | None = None,
        priorities: Sequence[Sequence[int]] | None = None,
    ) -> Federation:
        """Build a federation from plain lists of lengths.

        Parameters
        ----------
        jobs
            Lengths of the jobs of each organization (integers, fractions, or text such as ``"1/3"``).
        machines
            Machines of each organization; one each by default.
        names
            Names; ``O1``, ``O2``, ... by default.
        priorities
            Priority of each job, in the shape of ``jobs``; none by default.

        Examples
        --------
        >>> [org.name for org in Federation.of([[1], []]).organizations]
        ['O1', 'O2']
        """
        count = len(jobs)
        for what, values in (("machines", machines), ("names", names), ("priorities", priorities)):
            if values is not None and len(values) != count:
                raise InputError(f"{what}: found {len(values)} entries; expected one per organization ({count})")
        organizations = []
        for k, lengths in enumerate(jobs):
            exact = [rational(p, f"organizations[{k + 1}].jobs[{i + 1}]") for i, p in enumerate(lengths)]
            ranks: Sequence[int | None] = [None] * len(exact) if priorities is None else priorities[k]
            if len(ranks) != len(exact):
                raise InputError(f"priorities[{k + 1}]: found {len(ranks)} entries; expected {len(exact)}")
            listed = tuple(Job(p, priority=r) for p, r in zip(exact, ranks, strict=True))
            name = f"O{k + 1}" if names is None else names[k]
            organizations.append(Organization(name, listed, 1 if machines is None else machines[k]))
        return cls(tuple(organizations))

    def __str__(self) -> str:
        """Lengths and machines of everybody, for messages.

        >>> str(Federation.of([["1/2", 2], []], machines=[1, 3]))
        'O1: 1/2 2 on 1, O2: nothing on 3'
        """
        rows = ((org, " ".join(map(str, org.lengths)) or "nothing") for org in self.organizations)
        return ", ".join(f"{org.name}: {lengths} on {org.machines}" for org, lengths in rows)

    def __len__(self) -> int:
        """Return the number of organizations (``N``)."""
        return len(self.organizations)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the organizations, as listed."""
        return tuple(org.name for org in self.organizations)

    @property
    def machines(self) -> tuple[int, ...]:
        """Machines of each organization, ``m^(k)``."""
        return tuple(org.machines for org in self.organizations)

    @property
    def n_machines(self) -> int:
        """Machines of all organizations together, ``M``."""
        return sum(self.machines)

    @property
    def n_jobs(self) -> int:
        """Jobs of all organizations together, ``n``."""
        return sum(len(org.jobs) for org in self.organizations)

    @cached_property
    def _grid(self) -> tuple[tuple[tuple[int, ...], ...], Fraction]:
        rows = tuple(org.lengths for org in self.organizations)
        if is_symbolic(length for row in rows for length in row):  # no digits, so no grid: times are as they stand
            return cast("tuple[tuple[int, ...], ...]", rows), Fraction(1)
        flat, denominator = scale(length for row in rows for length in row)
        common = math.gcd(*flat) or 1
        sizes = (size // common for size in flat)
        return tuple(tuple(next(sizes) for _ in org.jobs) for org in self.organizations), Fraction(common, denominator)

    @property
    def sizes(self) -> tuple[tuple[int, ...], ...]:
        """Lengths as integers, in units of :attr:`unit`: ``sizes[k][i] * unit`` is the length of job ``i`` of ``k``."""
        return self._grid[0]

    @property
    def unit(self) -> Fraction:
        """Length of one grid unit: what all lengths are multiples of, the largest such."""
        return self._grid[1]

    def index(self, name: str, where: str = "organization") -> int:
        """Position of an organization by name; raises UnknownNameError with the nearest name."""
        check_name(where, name, self.names)
        return self.names.index(name)

    def home(self) -> Placement:
        """Return the placement of every job at home."""
        return tuple((k,) * len(org.jobs) for k, org in enumerate(self.organizations))

    def check_placement(self, placement: Sequence[Sequence[int]]) -> Placement:
        """Return ``placement`` as tuples; InputError unless it names one existing host per job."""
        if len(placement) != len(self):
            raise InputError(f"placement: found {len(placement)} organizations; expected {len(self)}")
        for org, hosts in zip(self.organizations, placement, strict=True):
            if len(hosts) != len(org.jobs):
                raise InputError(
                    f"placement.{org.name}: found {len(hosts)} hosts; expected one per job ({len(org.jobs)})"
                )
            for i, host in enumerate(hosts):
                if not 0 <= host < len(self):
                    raise InputError(f"placement.{org.name}[{i + 1}]: found {host}; expected 0 to {len(self) - 1}")
        return tuple(tuple(hosts) for hosts in placement)
