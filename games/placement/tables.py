"""Compiled loops of the placement game: what a placement costs, one at a time and all of them in a table.

Conventions: jobs are numbered organization after organization; ``host[j]`` is the organization that runs job ``j``.
All numbers are integers in units of ``Federation.unit``; the callers prove that ``n`` times the total work fits int64
before they use the compiled forms (else they call the plain form of each on Python integers).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...support.jit import inlined, lean


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


@inlined
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
    rest = start
    for j in range(n - 1, -1, -1):
        host[j] = rest % hosts
        rest //= hosts
    for place in range(start, stop):
        _finish(instance, placed)
        social[place] = _settle(instance.owner, placed.ends, total, table[:, place])
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


@inlined
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
