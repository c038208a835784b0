r"""Compiled list schedulers of a federation: ILBA, and the event loop of the three pulling heuristics.

The kernels run on int64 arrays when the total work fits int64. Where it does not, their plain twins (see
:mod:`.heuristics`) run on object arrays of Python integers: sizes only ever meet ``+``, ``-`` and
comparisons. Nothing is checked here. ``lists`` (n,) holds every organization's jobs in list
order, organization after organization.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...support.jit import Ints, jit, least


class Instance(NamedTuple):
    """A federation in arrays.

    ``sizes`` (n,) of all jobs, organization after organization; ``first`` (N+1,), where the jobs of each organization
    begin in it; ``base`` (N+1,), where its machines begin.
    """

    sizes: Ints
    first: Ints
    base: Ints


class Placed(NamedTuple):
    """The result, overwritten: the machine of each job and its start, both (n,)."""

    where: Ints
    when: Ints


@jit
def first_free(ready: Ints, low: int, high: int) -> int:
    """Which machine of ``low..high-1`` is free first, ties to the first."""
    first = low
    for m in range(low + 1, high):
        if ready[m] < ready[first]:
            first = m
    return first


@jit
def ilba(lists: Ints, instance: Instance, placed: Placed) -> None:
    """Organizations enter by local makespan; each inserts its list on the machines of those entered so far.

    Every job goes to the machine that is free first. Ties between organizations: by number; between machines: an own
    one, then by entry, then by number. The entering organization's machines are empty.
    """
    sizes, first, base = instance
    where, when = placed
    n_orgs, n_machines = first.size - 1, base[-1]
    ready = np.zeros(n_machines, sizes.dtype)
    local = np.zeros(n_orgs, sizes.dtype)
    for k in range(n_orgs):
        for j in lists[first[k] : first[k + 1]]:
            m = first_free(ready, base[k], base[k + 1])
            ready[m] += sizes[j]
            local[k] = max(local[k], ready[m])
    ready[:] = 0  # from here on by entry, as ``entered``, which holds the machines' numbers
    entered = np.empty(n_machines, np.int64)
    count = 0
    waiting = np.ones(n_orgs, np.bool_)
    for _ in range(n_orgs):
        k = -1
        for other in range(n_orgs):
            if waiting[other] and (k < 0 or local[other] < local[k]):
                k = other
        waiting[k] = False
        own = base[k + 1] - base[k]
        for m in range(own):
            entered[count + m] = base[k] + m
        for j in lists[first[k] : first[k + 1]]:
            m, other = first_free(ready, count, count + own), first_free(ready, 0, count)
            if ready[other] < ready[m]:
                m = other
            where[j], when[j] = entered[m], ready[m]
            ready[m] += sizes[j]
        count += own


@jit
def next_own(k: int, first: Ints, lists: Ints, started: Ints, upcoming: Ints) -> int:
    """Next unstarted job of an organization's list, -1 when there is none."""
    while upcoming[k] < first[k + 1] and started[lists[upcoming[k]]]:
        upcoming[k] += 1
    return lists[upcoming[k]] if upcoming[k] < first[k + 1] else -1


@jit
def event_loop(by_help: bool, lists: Ints, longest: Ints, instance: Instance, placed: Placed) -> None:
    """LPT-LPT and SPT-LPT (pull the longest job of all), or Less Helped First (``by_help``: of whom is helped least).

    At each instant every free machine whose owner has unstarted jobs starts the next of the owner's list; then every
    machine still free pulls a job, in machine order. ``helped`` grows as soon as a job starts abroad. ``longest``:
    every organization's jobs, the longest first.
    """
    sizes, first, base = instance
    n_jobs, n_orgs, n_machines = sizes.size, first.size - 1, base[-1]
    ready, helped = np.zeros(n_machines, sizes.dtype), np.zeros(n_orgs, sizes.dtype)
    home, owner = np.empty(n_machines, np.int64), np.empty(n_jobs, np.int64)
    for k in range(n_orgs):
        home[base[k] : base[k + 1]] = k
        owner[first[k] : first[k + 1]] = k
    started = np.zeros(n_jobs, np.bool_)
    upcoming, heads, left = first[:-1].copy(), first[:-1].copy(), n_jobs
    while left > 0:
        now = least(ready)
        for pulls in (False, True):
            for m in range(n_machines):
                if ready[m] != now or left == 0:
                    continue
                j = -1
                if not pulls:
                    j = next_own(home[m], first, lists, started, upcoming)
                elif by_help:
                    best = -1
                    for k in range(n_orgs):
                        less = best < 0 or helped[k] < helped[best]
                        if less and next_own(k, first, lists, started, upcoming) >= 0:
                            best = k
                    j = lists[upcoming[best]]
                else:
                    for k in range(n_orgs):
                        i = next_own(k, first, longest, started, heads)
                        if i >= 0 and (j < 0 or sizes[i] > sizes[j]):
                            j = i
                if j >= 0:
                    started[j], placed.where[j], placed.when[j] = True, m, now
                    ready[m] = now + sizes[j]
                    helped[owner[j]] += sizes[j] if pulls else 0 * sizes[j]
                    left -= 1
