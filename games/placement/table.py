"""What placements cost, one at a time and all of them in a table: schedules by kernels, or sums of vectors.

Conventions: jobs are numbered organization after organization; ``host[j]`` is the organization that runs job ``j``.
All numbers are integers in units of ``Federation.unit``; the callers prove that ``n`` times the total work fits int64
before they use the compiled forms (else they call the plain form of each on Python integers).

The kernels schedule every profile on any number of machines, and look at every job twice in each. Where every host has
one machine (:func:`filled`), a job ends after what runs before it, whatever the order of that. So the jobs before a job
that is on host ``h`` say, each for itself, how much later it ends: by their size if they are on ``h`` too. Its ends at
all profiles are an outer sum of such vectors, one axis per job, and an organization's costs are the largest of its
jobs' ends, or their sum. Every sum is one call of numpy, and axes of jobs that do not matter are never written out:
about twice a profile for every job, and nothing to compile.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...support.jit import jit, lean


class Instance(NamedTuple):
    """A federation and its queues; never modified."""

    sizes: Any
    owner: Any
    first: Any
    """``first[l]:first[l + 1]`` are the machines of host ``l``."""
    queues: Any
    """All jobs in the order of their owners' queues."""
    ranked: Any
    """All jobs by priority."""


class Placed(NamedTuple):
    """A placement and what it leads to, overwritten; made by the callers, for a kernel without arrays of its own."""

    host: Any
    ends: Any
    """Completion time of every job."""
    ready: Any
    """When each machine is free."""

    @classmethod
    def of(cls, host: Any, instance: Instance) -> Placed:
        """Room for one placement."""
        dtype = instance.sizes.dtype
        return cls(host, np.zeros(host.size, dtype), np.zeros(instance.first[-1], dtype))


@jit
def _finish(instance: Instance, placed: Placed) -> None:
    """What :func:`finish` does, as a piece of every kernel here."""
    sizes, owner, first, queues, ranked = instance
    host, ends, ready = placed
    ready[:] = 0
    for own in (True, False):
        for j in queues if own else ranked:
            place = host[j]
            if (owner[j] == place) != own:
                continue
            best = first[place]
            for m in range(first[place] + 1, first[place + 1]):
                if ready[m] < ready[best]:
                    best = m
            ready[best] += sizes[j]
            ends[j] = ready[best]


@lean
def finish(instance: Instance, placed: Placed) -> None:
    """Completion time of every job, written to ``ends``."""
    _finish(instance, placed)


@lean
def tabulate(instance: Instance, total: bool, placed: Placed, table: Any, social: Any, start: int, stop: int) -> None:
    """Costs of the profiles start..stop: a profile's number is its hosts read as digits, base the number of hosts."""
    n, hosts = instance.sizes.size, instance.first.size - 1
    host = placed.host
    digits = start
    for j in range(n - 1, -1, -1):
        host[j] = digits % hosts
        digits //= hosts
    for place in range(start, stop):
        _finish(instance, placed)
        social[place] = _costs(instance.owner, placed.ends, total, table[:, place])
        j = n - 1
        while j >= 0 and host[j] == hosts - 1:
            host[j] = 0
            j -= 1
        if j >= 0:
            host[j] += 1


@lean
def line(instance: Instance, total: bool, placed: Placed, first: int, stop: int, costs: Any) -> None:
    """Costs of the organization that owns the jobs first..stop, one for each way to place them, hosts read as digits.

    The other jobs stay where they are; the digits first..stop of ``host`` are counted up from 0 to 0 again.
    """
    hosts = instance.first.size - 1
    host, ends = placed.host, placed.ends
    host[first:stop] = 0
    for place in range(costs.size):
        _finish(instance, placed)
        for j in range(first, stop):
            if total:
                costs[place] += ends[j]
            elif ends[j] > costs[place]:
                costs[place] = ends[j]
        j = stop - 1
        while j >= first and host[j] == hosts - 1:
            host[j] = 0
            j -= 1
        if j >= first:
            host[j] += 1


@jit
def _costs(owner: Any, ends: Any, total: bool, costs: Any) -> Any:
    """Write every organization's cost: the sum (``total``) or the last of its jobs' ends; returns the social cost."""
    costs[:] = 0
    social = costs[0]
    for j in range(owner.size):
        if total:
            costs[owner[j]] += ends[j]
            social += ends[j]
        else:
            costs[owner[j]] = max(costs[owner[j]], ends[j])
            social = max(social, ends[j])
    return social


Cells: TypeAlias = NDArray[Any]
"""int64, or Python integers in an object array."""

MAX_JOBS: Final = 30
"""One axis each, and numpy takes 32."""


class Queued(NamedTuple):
    """The jobs of one-machine hosts: shape (jobs,), as in :class:`~.tables.Instance`, and where each stands."""

    sizes: Cells
    owner: NDArray[np.int64]
    in_queue: NDArray[np.int64]
    """Place among its owner's jobs at home; only the order counts."""
    in_rank: NDArray[np.int64]
    """Place among the foreign jobs."""

    @classmethod
    def of(cls, instance: Instance) -> Queued:
        """What the kernels read, the other way round."""
        return cls(instance.sizes, instance.owner, np.argsort(instance.queues), np.argsort(instance.ranked))

    def before(self, job: int, host: int) -> NDArray[np.bool_]:
        """Which jobs run before a job on a host, if they are there: its owner's, then the others by priority."""
        mine: NDArray[np.bool_] = self.owner == host
        earlier = self.in_queue < self.in_queue[job] if mine[job] else self.in_rank < self.in_rank[job]
        first: NDArray[np.bool_] = mine & earlier if mine[job] else mine | earlier
        first[job] = False
        return first


def filled(instance: Instance, total: bool, table: Cells, social: Cells, most: int) -> Iterator[int]:
    """Write the costs of all profiles, part by part; before each part, how many profiles have been written.

    Parameters
    ----------
    instance
        A federation of at least one organization, of one machine each, with at most ``MAX_JOBS`` jobs.
    total
        Whether costs are sums of completion times, else the last of them.
    table, social
        Zeros of shapes (organizations, profiles) and (profiles,), as :func:`~.tables.tabulate` takes them.
    most
        Profiles of a part, unless all places of two jobs are more.
    """
    hosts, n = len(table), instance.sizes.size
    most = max(most, hosts**2)  # where hosts are many, parts of one axis would be a call of numpy for every profile
    fixed = next(count for count in range(n + 1) if hosts ** (n - count) <= most)
    shape = (hosts,) * n
    costs, sums = table.reshape(hosts, *shape), social.reshape(shape)
    queued = Queued.of(instance)
    for part, lead in enumerate(np.ndindex(shape[:fixed])):
        yield part * hosts ** (n - fixed)
        fill(queued, total, lead, costs[(slice(None), *lead)], sums[(*lead, ...)])


def fill(queued: Queued, total: bool, lead: tuple[int, ...], table: Cells, social: Cells) -> None:
    """Costs of all profiles in which the first jobs are on the hosts ``lead``.

    Parameters
    ----------
    queued
        The jobs.
    total
        Whether costs are sums of completion times, else the last of them.
    lead
        Hosts of the first jobs.
    table
        Shape (hosts, hosts, ..., hosts), one axis per organization and one per job that is left; zeros, overwritten.
    social
        The same without the first axis.
    """
    fixed = len(lead)
    add = np.add if total else np.maximum
    for job, owner in enumerate(queued.owner.tolist()):
        costs = table[owner, ...]
        for host in range(len(table)) if job >= fixed else lead[job : job + 1]:
            there = costs if job < fixed else costs[(slice(None),) * (job - fixed) + (host, ...)]
            add(there, _ends(queued, job, host, lead, len(table)), out=there)
    add.reduce(table, axis=0, out=social)


def _ends(queued: Queued, job: int, host: int, lead: tuple[int, ...], hosts: int) -> Cells:
    """When a job on a host ends: one axis per job that is left, its own left out; 1 long where a job does not matter.

    The last axes are added first, so that every sum runs along whole rows.
    """
    sizes, fixed = queued.sizes, len(lead)
    before = queued.before(job, host)
    left = [other for other in range(fixed, sizes.size) if other != job]
    fixed_work = sum(size for size, is_before, at in zip(sizes, before, lead, strict=False) if is_before and at == host)
    ends = np.full((1,) * len(left), sizes[job] + fixed_work, sizes.dtype)
    for axis, other in reversed(list(enumerate(left))):
        if before[other]:
            later = np.zeros((hosts,) + (1,) * (len(left) - 1 - axis), sizes.dtype)
            later[host] = sizes[other]
            ends = ends + later
    return ends
