"""Compiled loops of the placement game: what a placement costs, one at a time and all of them in a table.

Conventions: jobs are numbered organization after organization; ``host[j]`` is the organization that runs job ``j``.
All numbers are integers in units of ``Federation.unit``; the callers prove that ``n`` times the total work fits int64
before they use the compiled forms (else they call the plain form of each on Python integers).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...scheduling.compiled import compiled


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


@compiled
def finish(instance: Instance, host: Any, ready: Any, ends: Any) -> None:
    """Completion time of every job, written to ``ends``; ``ready`` is scratch space, one cell per machine."""
    sizes, owner, first, queues, ranked = instance
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


@compiled
def tabulate(instance: Instance, total: bool, table: Any, social: Any, start: int, stop: int) -> None:
    """Costs of the profiles start..stop: a profile's number is its hosts read as digits, base the number of hosts."""
    n, hosts = instance.sizes.size, instance.first.size - 1
    host, ends = np.zeros(n, np.int64), np.zeros(n, instance.sizes.dtype)
    ready = np.zeros(instance.first[hosts], instance.sizes.dtype)
    rest = start
    for j in range(n - 1, -1, -1):
        host[j] = rest % hosts
        rest //= hosts
    for place in range(start, stop):
        finish(instance, host, ready, ends)
        social[place] = _settle(instance.owner, ends, total, table[:, place])
        j = n - 1
        while j >= 0 and host[j] == hosts - 1:
            host[j] = 0
            j -= 1
        if j >= 0:
            host[j] += 1


@compiled
def line(instance: Instance, total: bool, host: Any, first: int, stop: int, costs: Any) -> None:
    """Costs of the organization that owns the jobs first..stop, one for each way to place them, hosts read as digits.

    The other jobs stay where ``host`` has them; its digits first..stop are counted up from 0 to 0 again.
    """
    hosts = instance.first.size - 1
    ends = np.zeros(host.size, instance.sizes.dtype)
    ready = np.zeros(instance.first[hosts], instance.sizes.dtype)
    host[first:stop] = 0
    for place in range(costs.size):
        finish(instance, host, ready, ends)
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


@compiled
def _settle(owner: Any, ends: Any, total: bool, costs: Any) -> Any:
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
