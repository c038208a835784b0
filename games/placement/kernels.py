r"""Compiled loops of the placement game: what a placement costs, and the best reply of one organization.

Conventions: jobs are numbered organization after organization; ``host[j]`` is the organization that runs job ``j``.
All numbers are integers in units of ``Federation.unit``; the callers prove that ``n`` times the total work fits int64
before they use the compiled forms (else they call the ``.py_func`` of each on Python integers).

Best reply with one machine per organization. Against fixed others, job ``i`` of organization ``k`` on host ``l`` ends
no earlier than ``base[i, h]`` (the host's own jobs and the foreign jobs of higher priority) plus everything that ``k``
itself sends there, so host ``l`` is left at ``max base over k's jobs there + their sum``: the makespan on parallel
machines with starting times, solved by branch and bound. Several machines per organization, or sums of completion
times: what ``k`` gets on a host depends only on which of its jobs are there, so the best reply is a partition of the
jobs into hosts, found by dynamic programming over subsets.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True)
def finish(host: Any, sizes: Any, owner: Any, first: Any, own_order: Any, ranked: Any, ready: Any, ends: Any) -> None:
    """Completion time of every job, written to ``ends``.

    ``first[l]:first[l + 1]`` are host ``l``'s machines, ``own_order`` all jobs in the order of their owners' queues,
    ``ranked`` all jobs by priority; ``ready`` is scratch space, one cell per machine.
    """
    ready[:] = 0
    for own in (True, False):
        for j in own_order if own else ranked:
            place = host[j]
            if (owner[j] == place) != own:
                continue
            best = first[place]
            for m in range(first[place] + 1, first[place + 1]):
                if ready[m] < ready[best]:
                    best = m
            ready[best] += sizes[j]
            ends[j] = ready[best]


@njit(cache=True)
def tabulate(
    sizes: Any,
    owner: Any,
    first: Any,
    own_order: Any,
    ranked: Any,
    total: bool,
    table: Any,
    social: Any,
    start: int,
    stop: int,
) -> None:
    """Costs of the profiles start..stop: a profile's number is its hosts read as digits, base the number of hosts."""
    n, hosts = sizes.size, first.size - 1
    players = table.shape[0]
    host, ends = np.zeros(n, np.int64), np.zeros(n, sizes.dtype)
    ready = np.zeros(first[hosts], sizes.dtype)
    rest = start
    for j in range(n - 1, -1, -1):
        host[j] = rest % hosts
        rest //= hosts
    for place in range(start, stop):
        finish(host, sizes, owner, first, own_order, ranked, ready, ends)
        for k in range(players):
            table[k, place] = 0
        for j in range(n):
            k = owner[j]
            if total:
                table[k, place] += ends[j]
            elif ends[j] > table[k, place]:
                table[k, place] = ends[j]
        worst = table[0, place]
        for k in range(1, players):
            if total:
                worst += table[k, place]
            elif table[k, place] > worst:
                worst = table[k, place]
        social[place] = worst
        j = n - 1
        while j >= 0 and host[j] == hosts - 1:
            host[j] = 0
            j -= 1
        if j >= 0:
            host[j] += 1


@njit(cache=True)
def branch(
    sizes: Any, base: Any, load: Any, top: Any, upper: Any, target: Any, constant: bool, max_nodes: int
) -> tuple[Any, Any, int]:
    """Cheapest hosts for jobs that are still free, by branch and bound.

    Parameters
    ----------
    sizes, base
        Free jobs, longest first, shape ``(n,)``, and their bases, ``(n, hosts)``.
    load, top
        Work already placed per host, and the largest base of the jobs placed there (-1: none); overwritten.
    upper, target
        Only costs below ``upper`` count; stop as soon as one is at most ``target``.
    constant
        Whether every column of ``base`` is constant (priority to organizations).
    max_nodes
        Give up after so many nodes.

    Returns
    -------
    cost, hosts, nodes
        Least cost found (``upper`` when none), its hosts, and the nodes visited (more than ``max_nodes``: given up).
    """
    n, hosts = base.shape
    best, answer = upper, np.full(n, -1, np.int64)
    choice = np.full(n + 1, -1, np.int64)
    before_top = np.zeros(n + 1, base.dtype)
    before_cost = np.zeros(n + 2, base.dtype)
    rest = np.zeros(n + 1, base.dtype)
    floor = np.zeros((n + 1, hosts), base.dtype)  # least base among the jobs still free
    for i in range(n - 1, -1, -1):
        rest[i] = rest[i + 1] + sizes[i]
        for h in range(hosts):
            floor[i, h] = base[i, h] if i == n - 1 or base[i, h] < floor[i + 1, h] else floor[i + 1, h]
    cost = base[0, 0] * 0
    for h in range(hosts):
        if top[h] >= 0 and top[h] + load[h] > cost:
            cost = top[h] + load[h]
    before_cost[0] = cost
    nodes = i = 0
    while i >= 0:
        if i == n:
            if before_cost[n] < best:
                best = before_cost[n]
                answer[:] = choice[:n]
            i -= 1
        elif choice[i] < 0:  # just arrived: can the free work fit below the best cost?
            nodes += 1
            room = rest[i] * 0
            for h in range(hosts):
                ends = top[h] + load[h] if top[h] >= 0 else floor[i, h]
                if best - 1 > ends:
                    room += best - 1 - ends
            if room < rest[i] or before_cost[i] >= best:
                i -= 1
        if best <= target or nodes > max_nodes:
            break
        if i < 0 or i == n:
            continue
        if choice[i] >= 0:  # take the job back
            load[choice[i]] -= sizes[i]
            top[choice[i]] = before_top[i]
        moved = False
        for h in range(choice[i] + 1, hosts):
            high = base[i, h] if base[i, h] > top[h] else top[h]
            ends = high + load[h] + sizes[i]
            if ends >= best:
                continue
            twin = False
            for other in range(h):
                if constant:
                    same = (base[i, other] if base[i, other] > top[other] else top[other]) + load[other] + sizes[
                        i
                    ] == ends
                else:
                    same = top[other] == top[h] and load[other] == load[h]
                    for later in range(i, n):
                        same = same and base[later, other] == base[later, h]
                if same:
                    twin = True
                    break
            if twin:
                continue
            before_top[i] = top[h]
            load[h] += sizes[i]
            top[h] = high
            choice[i] = h
            before_cost[i + 1] = ends if ends > before_cost[i] else before_cost[i]
            moved = True
            break
        if moved:
            i += 1
            choice[i] = -1
        else:
            choice[i] = -1
            i -= 1
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
