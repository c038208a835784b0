"""Compiled searches for the best reply of one organization, see :mod:`.best_reply`.

With one machine per organization and fixed others, job ``i`` of organization ``k`` on host ``l`` ends no earlier than
``base[i, l]`` (the host's own jobs and the foreign jobs of higher priority) plus everything that ``k`` itself sends
there, so host ``l`` is left at ``max base over k's jobs there + their sum``: the makespan on parallel machines with
starting times, solved by branch and bound. Several machines per organization, or sums of completion times: what ``k``
gets on a host depends only on which of its jobs are there, so the best reply is a partition of the jobs into hosts,
found by dynamic programming over subsets.

int64 after a range proof by the caller, else Python integers through the ``.py_func`` of each.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numba.extending import register_jitable


class Jobs(NamedTuple):
    """The jobs to place, longest first; never modified."""

    sizes: Any
    """Shape ``(n,)``."""
    base: Any
    """Shape ``(n, hosts)``."""
    constant: bool
    """Whether every column of ``base`` is constant (priority to organizations)."""


class Hosts(NamedTuple):
    """What has been placed so far; overwritten."""

    load: Any
    """Work per host."""
    top: Any
    """Largest base of the jobs there, -1 without any."""


@register_jitable
def _remaining(jobs: Jobs) -> tuple[Any, Any]:
    """Work of the jobs from each one on, and their least base on every host."""
    n, hosts = jobs.base.shape
    rest, floor = np.zeros(n + 1, jobs.base.dtype), jobs.base.copy()
    for i in range(n - 1, -1, -1):
        rest[i] = rest[i + 1] + jobs.sizes[i]
        if i < n - 1:
            for h in range(hosts):
                floor[i, h] = min(floor[i, h], floor[i + 1, h])
    return rest, floor


@register_jitable
def _room(hosts: Hosts, floor: Any, limit: Any) -> Any:
    """Work that fits on all hosts by ``limit``; ``floor``: where a host without jobs would start."""
    room = 0 * limit
    for h in range(hosts.load.size):
        ends = hosts.top[h] + hosts.load[h] if hosts.top[h] >= 0 else floor[h]
        if limit > ends:
            room += limit - ends
    return room


@register_jitable
def _end(jobs: Jobs, hosts: Hosts, i: int, h: int) -> Any:
    """When host ``h`` ends with job ``i`` added."""
    return max(jobs.base[i, h], hosts.top[h]) + hosts.load[h] + jobs.sizes[i]


@register_jitable
def _has_twin(jobs: Jobs, hosts: Hosts, i: int, h: int) -> bool:
    """Whether an earlier host is the same for job ``i`` and all that follow, so that it was tried already."""
    for other in range(h):
        if jobs.constant:
            same = _end(jobs, hosts, i, other) == _end(jobs, hosts, i, h)
        else:
            same = hosts.top[other] == hosts.top[h] and hosts.load[other] == hosts.load[h]
            for later in range(i, jobs.sizes.size):
                same = same and jobs.base[later, other] == jobs.base[later, h]
        if same:
            return True
    return False


@register_jitable
def _next_host(jobs: Jobs, hosts: Hosts, i: int, start: int, best: Any) -> int:
    """First host from ``start`` on where job ``i`` ends below ``best`` and which has no twin; -1 for none."""
    for h in range(start, hosts.load.size):
        if _end(jobs, hosts, i, h) < best and not _has_twin(jobs, hosts, i, h):
            return h
    return -1


@register_jitable
def _reached(hosts: Hosts) -> Any:
    """When the last host with jobs ends."""
    cost = 0 * hosts.load[0]
    for h in range(hosts.load.size):
        if hosts.top[h] >= 0:
            cost = max(cost, hosts.top[h] + hosts.load[h])
    return cost


@njit(cache=True)
def branch(jobs: Jobs, hosts: Hosts, upper: Any, target: Any, max_nodes: int) -> tuple[Any, Any, int]:
    """Cheapest hosts for the jobs, by branch and bound in depth.

    Only costs below ``upper`` count; stops as soon as one is at most ``target``, or after ``max_nodes`` nodes.

    Returns
    -------
    cost, hosts, nodes
        Least cost found (``upper`` when none), its hosts, and the nodes visited (more than ``max_nodes``: given up).
    """
    n = jobs.sizes.size
    best, answer = upper, np.full(n, -1, np.int64)
    choice = np.full(n + 1, -1, np.int64)
    top_before = np.zeros(n + 1, jobs.base.dtype)
    cost_before = np.zeros(n + 2, jobs.base.dtype)
    rest, floor = _remaining(jobs)
    cost_before[0] = _reached(hosts)
    nodes = i = 0
    while i >= 0:
        if i == n:
            if cost_before[n] < best:
                best = cost_before[n]
                answer[:] = choice[:n]
            i -= 1
        elif choice[i] < 0:  # just arrived: can the free work fit below the best cost?
            nodes += 1
            if cost_before[i] >= best or _room(hosts, floor[i], best - 1) < rest[i]:
                i -= 1
        if best <= target or nodes > max_nodes:
            break
        if i < 0:
            continue
        if choice[i] >= 0:  # take the job back
            hosts.load[choice[i]] -= jobs.sizes[i]
            hosts.top[choice[i]] = top_before[i]
        h = _next_host(jobs, hosts, i, choice[i] + 1, best)
        choice[i] = h
        if h < 0:
            i -= 1
            continue
        cost_before[i + 1] = max(cost_before[i], _end(jobs, hosts, i, h))
        top_before[i] = hosts.top[h]
        hosts.top[h] = max(hosts.top[h], jobs.base[i, h])
        hosts.load[h] += jobs.sizes[i]
        i += 1
        choice[i] = -1
    return best, answer, nodes


@njit(cache=True)
def partition(values: Any, total: bool) -> Any:
    """Least cost of splitting all jobs among the hosts: ``values[l, set]`` is what host ``l`` makes of a set of jobs.

    Costs of different hosts are added (``total``) or the largest counts. A negative value means not allowed; so does
    a negative answer.
    """
    hosts, count = values.shape
    best = values[0].copy()
    for h in range(1, hosts):
        new = np.full(count, -1, values.dtype)
        for whole in range(count):
            part = whole
            while True:
                here, other = values[h, part], best[whole ^ part]
                if here >= 0 and other >= 0:
                    cost = here + other if total else max(here, other)
                    if new[whole] < 0 or cost < new[whole]:
                        new[whole] = cost
                if part == 0:
                    break
                part = (part - 1) & whole
        best = new
    return best[count - 1]
