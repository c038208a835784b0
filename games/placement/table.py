"""What placements cost, in a table of all profiles or of what one organization can do.

Conventions: jobs are numbered organization after organization; ``host[j]`` is the organization that runs job ``j``.
Numbers are integers in units of ``Federation.unit``: int64 where the caller proves that ``n`` times the total work fits
it, else Python's.

A host's schedule depends on nothing but the jobs placed with it, so :func:`on_host` makes the schedules of all sets of
jobs: one job more doubles them. What a profile costs is looked up there, host by host.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Cells: TypeAlias = NDArray[Any]
"""int64, or Python integers in an object array."""


class Jobs(NamedTuple):
    """The jobs of a federation, and where each stands."""

    sizes: Cells
    owner: NDArray[np.int64]
    order: NDArray[np.int64]
    """``order[l]``: all jobs in the order in which host ``l`` runs them."""
    machines: tuple[int, ...]
    """Of every host."""


def on_host(
    jobs: Jobs, host: int, free: Sequence[int], fixed: Collection[int], total: bool, owners: Sequence[int]
) -> Cells:
    """What organizations pay for their jobs on a host, for every set of the free jobs there.

    ``free`` jobs may be there, ``fixed`` ones are; ``total``: completion times are added, else the last one counts. Of
    the answer, ``[i, set]`` is what ``owners[i]`` pays; bit ``b`` of a set says whether ``free[b]`` is there.
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


def filled(jobs: Jobs, total: bool, table: Cells, social: Cells, most: int) -> Iterator[int]:
    """Write the costs of all profiles, part by part; before each part, how many profiles have been written.

    ``total``: whether costs are sums of completion times, else the last of them; ``table``, ``social``: zeros of shapes
    (organizations, profiles) and (profiles,); ``most``: profiles of a part.
    """
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
