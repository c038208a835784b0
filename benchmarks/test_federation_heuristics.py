"""Heuristics on the workload of section 3.5: compiled beside heap-based plain Python, same instances, same run.

Run with ``pytest benchmarks/test_federation_heuristics.py --benchmark-enable``.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from consortium.agents.organizations import Federation
from consortium.mechanisms.federation import HEURISTICS
from consortium.workloads.federation import zipf_federations

Jobs = list[list[int]]


def instance(organizations: int, jobs: int) -> Jobs:
    sizes, counts = zipf_federations(np.random.default_rng([organizations, jobs]), organizations, jobs)
    first = np.concatenate([[0], np.cumsum(counts[0])])
    return [sizes[0, a:b].tolist() for a, b in itertools.pairwise(first)]


def plain_lpt_lpt(rows: Jobs) -> list[int]:
    """LPT-LPT with heaps of machines and of unstarted jobs."""
    own = [sorted(range(len(row)), key=lambda i: -row[i]) for row in rows]
    pool = sorted((-p, k, i) for k, row in enumerate(rows) for i, p in enumerate(row))
    started = [[False] * len(row) for row in rows]
    head, ends, upcoming = 0, [0] * len(rows), [0] * len(rows)
    machines = [(0, m) for m in range(len(rows))]
    while machines:
        now, m = heapq.heappop(machines)
        free = [m]
        while machines and machines[0][0] == now:
            free.append(heapq.heappop(machines)[1])
        idle = []
        for m in free:
            while upcoming[m] < len(own[m]) and started[m][own[m][upcoming[m]]]:
                upcoming[m] += 1
            if upcoming[m] == len(own[m]):
                idle.append(m)
                continue
            i = own[m][upcoming[m]]
            started[m][i] = True
            ends[m] = max(ends[m], now + rows[m][i])
            heapq.heappush(machines, (now + rows[m][i], m))
        for m in idle:
            while head < len(pool) and started[pool[head][1]][pool[head][2]]:
                head += 1
            if head < len(pool):
                _, k, i = pool[head]
                started[k][i] = True
                ends[k] = max(ends[k], now + rows[k][i])
                heapq.heappush(machines, (now + rows[k][i], m))
    return ends


def plain_ilba(rows: Jobs) -> list[int]:
    """ILBA with a heap of machines; ties by machine."""
    ends = [0] * len(rows)
    heap: list[tuple[int, int]] = []
    for k in sorted(range(len(rows)), key=lambda k: sum(rows[k])):
        heapq.heappush(heap, (0, k))
        for p in sorted(rows[k], reverse=True):
            ready, m = heap[0]
            heapq.heapreplace(heap, (ready + p, m))
            ends[k] = max(ends[k], ready + p)
    return ends


PLAIN: dict[str, Callable[[Jobs], list[int]]] = {"lpt-lpt": plain_lpt_lpt, "ilba": plain_ilba}
SIZES = [(20, 100), (20, 1000), (20, 2000)]


@pytest.mark.parametrize(("organizations", "jobs"), SIZES)
@pytest.mark.parametrize("rule", list(HEURISTICS))
def test_compiled(benchmark: Any, rule: str, organizations: int, jobs: int) -> None:
    benchmark.group = f"{rule}, N = {organizations}, n = {jobs}"
    rows = instance(organizations, jobs)
    schedule = benchmark(HEURISTICS[rule]().run, Federation.of(rows))
    if rule in PLAIN:  # other ties, same schedules otherwise
        assert sum(schedule.makespans) == pytest.approx(sum(PLAIN[rule](rows)), rel=0.02)


@pytest.mark.parametrize(("organizations", "jobs"), SIZES)
@pytest.mark.parametrize("rule", list(PLAIN))
def test_plain_python_with_heaps(benchmark: Any, rule: str, organizations: int, jobs: int) -> None:
    benchmark.group = f"{rule}, N = {organizations}, n = {jobs}"
    benchmark(PLAIN[rule], instance(organizations, jobs))
