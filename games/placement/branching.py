"""Compiled searches for the best reply of one organization, see :mod:`.best_reply`.

With one machine per organization and fixed others, job ``i`` of organization ``k`` on host ``l`` ends no earlier than
``base[i, l]`` (the host's own jobs and the foreign jobs of higher priority) plus everything that ``k`` itself sends
there, so host ``l`` is left at ``max base over k's jobs there + their sum``: the makespan on parallel machines with
starting times, solved by branch and bound. Several machines per organization, or sums of completion times: what ``k``
gets on a host depends only on which of its jobs are there, so the best reply is a partition of the jobs into hosts,
found by dynamic programming over subsets.

int64 after a range proof by the caller, else Python integers through the plain form of each.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...scheduling.loops import overwrite
from ...support.jit import jit


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


@jit
def _remaining(sizes: Any, base: Any) -> tuple[Any, Any]:
    """Work of the jobs from each one on, and their least base on every host."""
    n, hosts = base.shape
    rest, floor = np.zeros(n + 1, base.dtype), base.copy()
    for i in range(n - 1, -1, -1):
        rest[i] = rest[i + 1] + sizes[i]
        if i < n - 1:
            for h in range(hosts):
                floor[i, h] = min(floor[i, h], floor[i + 1, h])
    return rest, floor


@jit
def _reached(load: Any, top: Any) -> Any:
    """When the last host with jobs ends."""
    cost = 0 * load[0]
    for h in range(load.size):
        if top[h] >= 0:
            cost = max(cost, top[h] + load[h])
    return cost


@jit
def _room(load: Any, top: Any, floor: Any, i: int, limit: Any) -> Any:
    """Work that fits on all hosts by ``limit``; hosts without jobs start at the least base from job ``i`` on."""
    room = 0 * limit
    for h in range(load.size):
        ends = top[h] + load[h] if top[h] >= 0 else floor[i, h]
        if limit > ends:
            room += limit - ends
    return room


@jit
def _alike(base: Any) -> Any:
    """``alike[i, h, l]``: whether hosts ``h`` and ``l`` have the same bases from job ``i`` on."""
    n, hosts = base.shape
    alike = np.ones((n + 1, hosts, hosts), np.bool_)
    for i in range(n - 1, -1, -1):
        for h in range(hosts):
            for other in range(hosts):
                alike[i, h, other] = alike[i + 1, h, other] and base[i, h] == base[i, other]
    return alike


@jit
def _next_host(base: Any, load: Any, top: Any, alike: Any, constant: bool, start: int, latest: Any) -> int:
    """First host from ``start`` on that is free by ``latest`` and no twin of an earlier one, else -1.

    Twins are the same for this job and all that follow: free at the same time where bases are constant, else with the
    same work and the same bases. ``base`` and ``alike`` are the rows of the job.
    """
    for h in range(start, load.size):
        free = max(base[h], top[h]) + load[h]
        if free > latest:
            continue
        twin = False
        for other in range(h):
            if constant:
                twin = max(base[other], top[other]) + load[other] == free
            else:
                twin = alike[h, other] and top[other] == top[h] and load[other] == load[h]
            if twin:
                break
        if not twin:
            return h
    return -1


@jit
def branch(jobs: Jobs, hosts: Hosts, upper: Any, target: Any, max_nodes: int) -> tuple[Any, Any, int]:
    """Cheapest hosts for the jobs, by branch and bound in depth.

    Only costs below ``upper`` count; stops as soon as one is at most ``target``, or after ``max_nodes`` nodes.

    Returns
    -------
    cost, hosts, nodes
        Least cost found (``upper`` when none), its hosts, and the nodes visited (more than ``max_nodes``: given up).
    """
    sizes, base, constant = jobs
    load, top = hosts
    n = sizes.size
    best, answer = upper, np.full(n, -1, np.int64)
    choice = np.full(n + 1, -1, np.int64)
    top_before = np.zeros(n + 1, base.dtype)
    cost_before = np.zeros(n + 1, base.dtype)
    rest, floor = _remaining(sizes, base)
    alike = _alike(base)
    cost_before[0] = _reached(load, top)
    nodes = i = 0
    while i >= 0:
        if i == n:
            if cost_before[n] < best:
                best = cost_before[n]
                overwrite(answer, choice[:n])
            i -= 1
        elif choice[i] < 0:  # just arrived: can the free work fit below the best cost?
            nodes += 1
            if cost_before[i] >= best or _room(load, top, floor, i, best - 1) < rest[i]:
                i -= 1
        if best <= target or nodes > max_nodes:
            break
        if i < 0:
            continue
        if choice[i] >= 0:  # take the job back
            load[choice[i]] -= sizes[i]
            top[choice[i]] = top_before[i]
        choice[i] = _next_host(base[i], load, top, alike[i], constant, choice[i] + 1, best - 1 - sizes[i])
        h = choice[i]
        if h < 0:
            i -= 1
            continue
        top_before[i] = top[h]
        top[h] = max(top[h], base[i, h])
        load[h] += sizes[i]
        cost_before[i + 1] = max(cost_before[i], top[h] + load[h])
        i += 1
        choice[i] = -1
    return best, answer, nodes


@jit
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
