"""Brute force for communities of users: every schedule, nothing clever, no code of the package but its model.

A community is (kinds, sizes, machines): kinds[u] is "makespan" or "total-completion", sizes[u] the job lengths.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement, permutations

from consortium.agents.users import Community


@cache
def points(kinds, sizes, machines=1):
    """Points of all schedules without idle time: every order of all jobs, cut into one sequence per machine."""
    jobs = [(u, p) for u, lengths in enumerate(sizes) for p in lengths]
    found = set()
    for order in set(permutations(jobs)):
        for cuts in combinations_with_replacement(range(len(jobs) + 1), machines - 1):
            ends = [[] for _ in kinds]
            for a, b in zip((0, *cuts), (*cuts, len(jobs)), strict=True):
                time = 0
                for u, p in order[a:b]:
                    time += p
                    ends[u].append(time)
            found.add(tuple(max(e) if kind == "makespan" else sum(e) for kind, e in zip(kinds, ends, strict=True)))
    return frozenset(found)


@cache
def pareto(kinds, sizes, machines=1):
    """Points that no other point dominates, by definition."""
    everything = points(kinds, sizes, machines)

    def beaten(x):
        return any(y != x and all(b <= a for a, b in zip(x, y, strict=True)) for y in everything)

    return frozenset(x for x in everything if not beaten(x))


def meets(point, limits):
    """Whether a point respects limits (None: no limit)."""
    return all(d is None or x <= d for x, d in zip(point, limits, strict=True))


def optimal_makespan(sizes, machines):
    """Smallest makespan over all assignments."""
    loads = {(0,) * machines}
    for p in sizes:
        loads = {tuple(sorted((*row[:i], row[i] + p, *row[i + 1 :]))) for row in loads for i in range(machines)}
    return min(max(row) for row in loads)


def community(kinds, sizes, machines=1):
    """The package's community of such users."""
    return Community.of(*zip(kinds, sizes, strict=True), machines=machines)
