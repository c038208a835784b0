"""Whether a placement game has a pure equilibrium, for hundreds of thousands of small games.

One machine per organization, makespans. Written from the definition and apart from the package's solvers: a round of
best responses in which nobody gains ends at an equilibrium. Games whose runs all go on are few; those are searched.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import consortium
from consortium.support.jit import jit

Jobs = tuple[tuple[int, ...], ...]
STARTS, ROUNDS = 50, 40


def has_equilibrium(jobs: Sequence[Sequence[int]], priority: str) -> bool:
    """Best responses from home and from random placements; where they never end, the whole search."""
    rows = [sorted(row, reverse=True) for row in jobs]
    sizes = np.array([size for row in rows for size in row], np.int64)
    first = np.cumsum([0, *map(len, rows)])
    return bool(settles(sizes, first, priority == "jobs")) or searched(rows, priority)


def searched(jobs: Sequence[Sequence[int]], priority: str) -> bool:
    rows = [{"jobs": list(row)} for row in jobs]
    rule = {"rule": "coordination", "priority": priority}
    found = consortium.search({"format": 1, "kind": "federation", "organizations": rows, "mechanism": rule}, list=1)
    assert found.equilibria.exists is not None
    return bool(found.equilibria.exists)


@jit
def settles(sizes: Any, first: Any, by_jobs: bool, starts: int = STARTS) -> bool:
    """Whether a run of best responses ends; sizes organization after organization, each longest first."""
    hosts, n = first.size - 1, sizes.size
    owner, rank, host = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    for k in range(hosts):
        owner[first[k] : first[k + 1]] = k
    for j in range(n):
        for i in range(n):
            if (sizes[i] > sizes[j] or (sizes[i] == sizes[j] and i < j)) if by_jobs else i < j:
                rank[j] += 1
    np.random.seed(0)
    for start in range(starts):
        for j in range(n):
            host[j] = owner[j] if start == 0 else np.random.randint(hosts)
        for _ in range(ROUNDS):
            moved = False
            for k in range(hosts):
                moved |= reply(sizes, owner, rank, host, first, k)
            if not moved:
                return True
    return False


@jit
def cost(sizes: Any, owner: Any, rank: Any, host: Any, hosts: int, k: int) -> int:
    """When the last job of an organization ends: a host runs its own jobs first, then the foreign ones by rank."""
    latest = 0
    for at in range(hosts):
        last = -1
        for j in range(sizes.size):
            if owner[j] == k and host[j] == at:
                last = max(last, rank[j])
        if last < 0:
            continue
        end = 0
        for j in range(sizes.size):
            if host[j] == at and (owner[j] == at or (k != at and rank[j] <= last)):
                end += sizes[j]
        latest = max(latest, end)
    return latest


@jit
def reply(sizes: Any, owner: Any, rank: Any, host: Any, first: Any, k: int) -> bool:
    """Move an organization's jobs where they cost it least, if that is less; equal jobs in the order of their hosts."""
    hosts, low, high = first.size - 1, first[k], first[k + 1]
    best, least = host.copy(), cost(sizes, owner, rank, host, hosts, k)
    moved = False
    host[low:high] = 0
    while True:
        now = cost(sizes, owner, rank, host, hosts, k)
        if now < least:
            best[:], least, moved = host, now, True
        j = high - 1
        while j >= low and host[j] == hosts - 1:
            j -= 1
        if j < low:
            break
        host[j] += 1
        for i in range(j + 1, high):
            host[i] = host[i - 1] if sizes[i] == sizes[i - 1] else 0
    host[:] = best
    return moved


def partitions(work: int, longest: int) -> Iterator[tuple[int, ...]]:
    if work == 0:
        yield ()
    for length in range(min(work, longest), 0, -1):
        yield from ((length, *rest) for rest in partitions(work - length, length))


def federations(organizations: int, work: int) -> Iterator[Jobs]:
    """Every federation of so much work, jobs told apart by their lengths."""
    if organizations == 0:
        if work == 0:
            yield ()
        return
    for own in range(work + 1):
        others = list(federations(organizations - 1, work - own))
        for row in partitions(own, own):
            yield from ((row, *rest) for rest in others)
