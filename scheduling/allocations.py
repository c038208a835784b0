"""Efficient schedules: an ordered list of jobs per machine, run one after the other from time 0 without gaps.

Model: job ``n`` of length ``b_n`` on machine ``m`` ends at ``E_n`` = (sum of the lengths on its machine up to and
including ``n``) / ``c_m`` (Agmon 2003, definitions 3.3 and 3.6). Jobs, machines and positions count from 0.

>>> from consortium.scheduling.clusters import Cluster
>>> allocation = Allocation(((1, 0), (2,)))
>>> allocation.end_times(Cluster.of([1, 2]), [3, 1, 4])
(Fraction(4, 1), Fraction(1, 1), Fraction(2, 1))
>>> allocation.places, allocation.jobs_to_end
(((0, 1), (0, 0), (1, 0)), (1, 2, 1))
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations, permutations

from ..support.errors import InputError
from ..support.exact import Rational
from .clusters import Cluster

Places = tuple[tuple[int, int], ...]
"""One (machine, position) per job, in the order of the jobs."""


@dataclass(frozen=True)
class Allocation:
    """An efficient schedule.

    Parameters
    ----------
    lists
        Per machine the numbers of its jobs in the order in which they run. Every job ``0 .. n-1`` stands in exactly
        one list; machines may be empty.

    Raises
    ------
    InputError
        The lists are not a partition of ``range(n)``.

    Examples
    --------
    >>> Allocation(((0,), (0,)))
    Traceback (most recent call last):
        ...
    consortium.support.errors.InputError: lists: found the jobs [0, 0]; expected every number from 0 to 1 once
    """

    lists: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        jobs = list(chain.from_iterable(self.lists))
        if set(jobs) != set(range(len(jobs))):
            jobs.sort()
            text = str(jobs[:12]) if len(jobs) <= 12 else str(jobs[:12])[:-1] + ", ...]"
            raise InputError(f"lists: found the jobs {text}; expected every number from 0 to {len(jobs) - 1} once")
        object.__setattr__(self, "lists", tuple(map(tuple, self.lists)))

    @classmethod
    def from_places(cls, places: Sequence[tuple[int, int]], n_machines: int) -> Allocation:
        """Schedule in which job ``n`` runs on machine ``places[n][0]``, at position ``places[n][1]`` of its list.

        >>> Allocation.from_places([(0, 1), (0, 0)], n_machines=2).lists
        ((1, 0), ())
        """
        lists: list[list[tuple[int, int]]] = [[] for _ in range(n_machines)]
        for job, (machine, position) in enumerate(places):
            lists[machine].append((position, job))
        return cls(tuple(tuple(job for _, job in sorted(machine)) for machine in lists))

    @property
    def n_jobs(self) -> int:
        """Number of jobs.

        >>> Allocation(((1, 0), ())).n_jobs
        2
        """
        return sum(map(len, self.lists))

    @cached_property
    def places(self) -> Places:
        """(machine, position) of every job.

        >>> Allocation(((1, 0), (2,))).places
        ((0, 1), (0, 0), (1, 0))
        """
        places = [(0, 0)] * self.n_jobs
        for m, machine in enumerate(self.lists):
            for position, job in enumerate(machine):
                places[job] = (m, position)
        return tuple(places)

    @cached_property
    def jobs_to_end(self) -> tuple[int, ...]:
        """Per job the number of jobs from it, included, to the end of its machine: ``f_n`` of definition 3.30.

        >>> Allocation(((1, 0), (2,))).jobs_to_end
        (1, 2, 1)
        """
        return tuple(len(self.lists[machine]) - position for machine, position in self.places)

    def end_times(self, cluster: Cluster, lengths: Sequence[Rational]) -> tuple[Fraction, ...]:
        """Ending time ``E_n`` of every job when it has the given length (work), in units of time.

        Raises InputError when the numbers of machines or jobs differ.

        >>> Allocation(((0, 1),)).end_times(Cluster.of(["1/2"]), [1, 2])
        (Fraction(2, 1), Fraction(6, 1))
        """
        if cluster.n_machines != len(self.lists):
            raise InputError(f"cluster: found {cluster.n_machines} machines; the allocation has {len(self.lists)}")
        if len(lengths) != self.n_jobs:
            raise InputError(f"lengths: found {len(lengths)}; the allocation has {self.n_jobs} jobs")
        ends = [Fraction(0)] * self.n_jobs
        for power, machine in zip(cluster.powers, self.lists, strict=True):
            work = Fraction(0)
            for job in machine:
                work += lengths[job]
                ends[job] = work / power
        return tuple(ends)


def n_allocations(n_jobs: int, n_machines: int) -> int:
    """Number of efficient schedules: (N + M - 1)! / (M - 1)!.

    >>> n_allocations(3, 2), n_allocations(0, 4)
    (24, 1)
    """
    return math.perm(n_machines + n_jobs - 1, n_jobs)


def allocations(n_jobs: int, n_machines: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Every efficient schedule as lists of jobs per machine; each order of all jobs, cut into ``M`` pieces.

    >>> list(allocations(1, 2))
    [((0,), ()), ((), (0,))]
    >>> sum(1 for _ in allocations(3, 2)) == n_allocations(3, 2)
    True
    """
    cuts = [
        (0, *(bar - i for i, bar in enumerate(bars)), n_jobs)
        for bars in combinations(range(n_jobs + n_machines - 1), n_machines - 1)
    ][::-1]
    for order in permutations(range(n_jobs)):
        for cut in cuts:
            yield tuple(order[cut[m] : cut[m + 1]] for m in range(n_machines))
