"""What placements cost, in a table of all profiles or of what one organization can do.

Conventions: jobs are numbered organization after organization; ``host[j]`` is the organization that runs job ``j``.
Numbers are integers in units of ``Federation.unit``: int64 where the caller proves that ``n`` times the total work fits
it, else Python's.

A host's schedule depends on nothing but the jobs placed with it, so :func:`on_host` makes the schedules of all sets of
jobs: one job more doubles them. What a profile costs is looked up there, host by host.

Where every host has one machine (:func:`filled`), a job ends after what runs before it, whatever the order of that. So
the jobs before a job that is on host ``h`` say, each for itself, how much later it ends: by their size if they are on
``h`` too. Its ends at all profiles are an outer sum of such vectors, one axis per job, and an organization's costs are
the largest of its jobs' ends, or their sum. Axes of jobs that do not matter are never written out: half to a sixth of
the time of looking up.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Cells: TypeAlias = NDArray[Any]
"""int64, or Python integers in an object array."""

MAX_JOBS: Final = 30
"""One axis each, and numpy takes 32."""


class Jobs(NamedTuple):
    """The jobs of a federation, and where each stands."""

    sizes: Cells
    owner: NDArray[np.int64]
    order: NDArray[np.int64]
    """``order[l]``: all jobs in the order in which host ``l`` runs them."""
    machines: tuple[int, ...]
    """Of every host."""

    def before(self, job: int, host: int) -> NDArray[np.bool_]:
        """Which jobs run before a job on a host, if they are there."""
        first = np.zeros(self.sizes.size, np.bool_)
        first[self.order[host, : self.order[host].tolist().index(job)]] = True
        return first


def on_host(
    jobs: Jobs, host: int, free: Sequence[int], fixed: Collection[int], total: bool, owners: Sequence[int]
) -> Cells:
    """What organizations pay for their jobs on a host, for every set of the free jobs there.

    Parameters
    ----------
    jobs, host
        The jobs of a federation, and one of its hosts.
    free, fixed
        Jobs that may be there, and jobs that are.
    total
        Whether completion times are added, else the last one counts.
    owners
        Whose costs are wanted.

    Returns
    -------
    costs
        ``costs[i, set]`` are those of ``owners[i]``; bit ``b`` of a set says whether ``free[b]`` is there.
    """
    ready: Cells = np.zeros((1, jobs.machines[host]), jobs.sizes.dtype)
    costs: Cells = np.zeros((len(owners), 1), jobs.sizes.dtype)
    doubled: list[int] = []
    for job in jobs.order[host].tolist():
        first = 0
        if job in free:
            doubled.append(free.index(job))
            first = len(ready)
            ready, costs = np.concatenate([ready, ready]), np.concatenate([costs, costs], axis=1)
        elif job not in fixed:
            continue
        later = ready[first:]
        place = np.arange(len(later)), later.argmin(axis=1)
        later[place] += jobs.sizes[job]
        if jobs.owner[job] in owners:
            paid = costs[owners.index(jobs.owner[job]), first:]
            (np.add if total else np.maximum)(paid, later[place], out=paid)
    axes = [len(free) - doubled.index(b) for b in reversed(range(len(free)))]
    cube: Cells = costs.reshape(len(owners), *(2,) * len(free)).transpose(0, *axes)
    return cube.reshape(costs.shape)


def by_placement(paid: Sequence[Cells], total: bool, costs: Cells) -> None:
    """Costs of organizations for each way to place some jobs, hosts read as digits.

    ``paid[l]``: what they pay on host ``l``, by the set of these jobs that is there; ``costs``: zeros, overwritten.
    """
    hosts, n = len(paid), paid[0].shape[1].bit_length() - 1
    for host, rows in enumerate(paid):
        there = np.zeros(1, np.int64)
        for bit in range(n):
            there = (there[:, None] + (np.arange(hosts) == host) * (1 << bit)).ravel()
        for own, row in zip(costs, rows, strict=True):
            (np.add if total else np.maximum)(own, row[there], out=own)


def looked_up(jobs: Jobs, total: bool, table: Cells, social: Cells, most: int) -> Iterator[int]:
    """What :func:`filled` does, for any machines."""
    hosts, n = len(table), jobs.sizes.size
    fixed = next(count for count in range(n + 1) if max(2, hosts) ** (n - count) <= most)
    step = hosts ** (n - fixed)
    for part, lead in enumerate(np.ndindex((hosts,) * fixed)):
        yield part * step
        costs = table[:, part * step : (part + 1) * step]
        paid = [
            on_host(jobs, h, range(fixed, n), [j for j, at in enumerate(lead) if at == h], total, range(hosts))
            for h in range(hosts)
        ]
        by_placement(paid, total, costs)
        (np.add if total else np.maximum).reduce(costs, axis=0, out=social[part * step : (part + 1) * step])


def filled(jobs: Jobs, total: bool, table: Cells, social: Cells, most: int) -> Iterator[int]:
    """Write the costs of all profiles, part by part; before each part, how many profiles have been written.

    Parameters
    ----------
    jobs
        Those of at least one organization, of one machine each, at most ``MAX_JOBS`` of them.
    total
        Whether costs are sums of completion times, else the last of them.
    table, social
        Zeros of shapes (organizations, profiles) and (profiles,).
    most
        Profiles of a part, unless all places of two jobs are more.
    """
    hosts, n = len(table), jobs.sizes.size
    most = max(most, hosts**2)  # where hosts are many, parts of one axis would be a call of numpy for every profile
    fixed = next(count for count in range(n + 1) if hosts ** (n - count) <= most)
    shape = (hosts,) * n
    costs, sums = table.reshape(hosts, *shape), social.reshape(shape)
    add = np.add if total else np.maximum
    for part, lead in enumerate(np.ndindex(shape[:fixed])):
        yield part * hosts ** (n - fixed)
        here = costs[(slice(None), *lead)]
        for job, owner in enumerate(jobs.owner.tolist()):
            for host in range(hosts) if job >= fixed else lead[job : job + 1]:
                place = () if job < fixed else (*(slice(None),) * (job - fixed), host)
                there = here[(owner, *place, ...)]
                add(there, _ends(jobs, job, host, lead, hosts), out=there)
        add.reduce(here, axis=0, out=sums[(*lead, ...)])


def _ends(jobs: Jobs, job: int, host: int, lead: tuple[int, ...], hosts: int) -> Cells:
    """When a job on a host ends: one axis per job that is left, its own left out; 1 long where a job does not matter.

    The last axes are added first, so that every sum runs along whole rows.
    """
    sizes, fixed = jobs.sizes, len(lead)
    before = jobs.before(job, host)
    left = [other for other in range(fixed, sizes.size) if other != job]
    fixed_work = sum(size for size, is_before, at in zip(sizes, before, lead, strict=False) if is_before and at == host)
    ends = np.full((1,) * len(left), sizes[job] + fixed_work, sizes.dtype)
    for axis, other in reversed(list(enumerate(left))):
        if before[other]:
            later = np.zeros((hosts,) + (1,) * (len(left) - 1 - axis), sizes.dtype)
            later[host] = sizes[other]
            ends = ends + later
    return ends
