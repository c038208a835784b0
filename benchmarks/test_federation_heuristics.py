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

from consortium.mechanisms.federation import HEURISTICS, kernels, makespans
from consortium.workloads.federation import zipf_federations

Jobs = list[list[int]]


def instance(organizations: int, jobs: int) -> tuple[Any, Any, Jobs]:
    sizes, counts = zipf_federations(np.random.default_rng([organizations, jobs]), organizations, jobs)
    first = np.concatenate([[0], np.cumsum(counts[0])])
    rows = [sizes[0, a:b].tolist() for a, b in itertools.pairwise(first)]
    return sizes[0], first, rows


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


COMPILED = {"lpt-lpt": (kernels.LPT_LPT, kernels.LPT), "ilba": (kernels.ILBA, kernels.LPT)}
COMPILED |= {"spt-lpt": (kernels.SPT_LPT, kernels.SPT), "less-helped-first": (kernels.LESS_HELPED_FIRST, 2)}
PLAIN: dict[str, Callable[[Jobs], list[int]]] = {"lpt-lpt": plain_lpt_lpt, "ilba": plain_ilba}
SIZES = [(20, 100), (20, 1000), (20, 2000)]


@pytest.mark.parametrize(("organizations", "jobs"), SIZES)
@pytest.mark.parametrize("rule", list(COMPILED))
def test_compiled(benchmark: Any, rule: str, organizations: int, jobs: int) -> None:
    benchmark.group = f"{rule}, N = {organizations}, n = {jobs}"
    sizes, first, rows = instance(organizations, jobs)
    base = np.arange(organizations + 1)
    where, when = np.zeros(jobs, np.int64), np.zeros(jobs, np.int64)
    code, order = COMPILED[rule]
    benchmark(kernels.schedule, code, order, sizes, first, base, where, when)
    if rule in PLAIN:
        ends = [int((when + sizes)[a:b].max(initial=0)) for a, b in itertools.pairwise(first)]
        assert sum(ends) == pytest.approx(sum(PLAIN[rule](rows)), rel=0.02)  # other ties, same schedules otherwise


@pytest.mark.parametrize(("organizations", "jobs"), SIZES)
@pytest.mark.parametrize("rule", list(PLAIN))
def test_plain_python_with_heaps(benchmark: Any, rule: str, organizations: int, jobs: int) -> None:
    benchmark.group = f"{rule}, N = {organizations}, n = {jobs}"
    _, _, rows = instance(organizations, jobs)
    benchmark(PLAIN[rule], rows)


def test_one_cell_of_the_grid(benchmark: Any) -> None:
    """2,000 instances, four heuristics."""
    benchmark.group = "a cell of section 3.5: N = 20, n = 1000, 2,000 instances"
    sizes, counts = zipf_federations(np.random.default_rng(1), 20, 1000, 2000)
    benchmark.pedantic(lambda: [makespans(rule, sizes, counts) for rule in HEURISTICS], rounds=3, warmup_rounds=1)
