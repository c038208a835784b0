"""The smallest sum of ending times at 100,000 jobs on 1,000 machines, and goals by dynamic programming over subsets.

The baselines do the same exact work in the plainest way: a heap of the machines' next multipliers as Fractions for the
sum, and every order of the jobs in partitions for the weighted sum, on an instance small enough for it.

Run with ``pytest benchmarks/test_optimal_sum.py --benchmark-enable``.
"""

from __future__ import annotations

import heapq
import random
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from consortium.scheduling.allocations import Allocation
from consortium.scheduling.clusters import Cluster, integer_times
from consortium.scheduling.goals import (
    LexicalMax,
    Makespan,
    SquaredDeviation,
    SumOfTimes,
    WeightedMakespan,
    WeightedSum,
)
from consortium.scheduling.optimal import by_kernel, optimal_allocation
from consortium.scheduling.sums import optimal_sum, sum_allocation, sum_places
from consortium.scheduling.welfare import Goal

RNG = random.Random("benchmark of sums")
JOBS = [RNG.randint(1, 10**6) for _ in range(100_000)]
FRACTIONS = [Fraction(RNG.randint(1, 10**6), RNG.choice([1, 2, 4, 10])) for _ in range(100_000)]
MACHINES = Cluster.of([RNG.randint(1, 4) for _ in range(1_000)])
FOURTEEN = [RNG.randint(1, 1000) for _ in range(14)]
WEIGHTS = tuple(RNG.randint(1, 9) for _ in range(14))
THREE = Cluster.of([1, "3/2", 2])


def heap_of_multipliers(cluster: Cluster, lengths: list[int]) -> Fraction:
    heap = [(1 / c, m, 1) for m, c in enumerate(cluster.powers)]
    heapq.heapify(heap)
    total = Fraction(0)
    for b in sorted(lengths, reverse=True):
        value, m, i = heap[0]
        total += value * b
        heapq.heapreplace(heap, ((i + 1) / cluster.powers[m], m, i + 1))
    return total


@pytest.mark.parametrize("lengths", [JOBS, FRACTIONS], ids=["integers", "fractions"])
def test_sum_of_a_hundred_thousand(benchmark: Any, lengths: Any) -> None:
    benchmark.group = "S(b), 100,000 jobs on 1,000 machines"
    assert benchmark(optimal_sum, MACHINES, lengths) > 0


def test_sum_of_a_hundred_thousand_plainly(benchmark: Any) -> None:
    benchmark.group = "S(b), 100,000 jobs on 1,000 machines"
    assert benchmark.pedantic(heap_of_multipliers, (MACHINES, JOBS), rounds=1) == optimal_sum(MACHINES, JOBS)


def test_allocation_of_a_hundred_thousand(benchmark: Any) -> None:
    """``A_Sigma``, the lexicographically smallest of the optimal schedules."""
    benchmark.group = "A_Sigma(b), 100,000 jobs on 1,000 machines"
    allocation = benchmark.pedantic(sum_allocation, (MACHINES, JOBS), rounds=3)
    assert sum(allocation.end_times(MACHINES, JOBS)) == optimal_sum(MACHINES, JOBS)


def places_by_lists(cluster: Cluster, lengths: list[int]) -> Allocation:
    """The same schedule without the kernel."""
    return Allocation.from_places(sum_places(lengths, integer_times(cluster)[0]), cluster.n_machines)


def test_allocation_of_a_hundred_thousand_by_lists(benchmark: Any) -> None:
    benchmark.group = "A_Sigma(b), 100,000 jobs on 1,000 machines"
    assert benchmark.pedantic(places_by_lists, (MACHINES, JOBS), rounds=1) == sum_allocation(MACHINES, JOBS)


@pytest.mark.parametrize("lengths", [JOBS, FRACTIONS], ids=["integers", "fractions"])
def test_optimum_of_a_hundred_thousand(benchmark: Any, lengths: Any) -> None:
    """The schedule with its value, as every goal's optimum is asked for."""
    benchmark.group = "optimum of the sum, 100,000 jobs on 1,000 machines"
    optimal_allocation(MACHINES, JOBS, SumOfTimes())  # compiled before it is timed
    assert benchmark.pedantic(optimal_allocation, (MACHINES, lengths, SumOfTimes()), rounds=5).proven


def plain_optimum(cluster: Cluster, lengths: list[int]) -> Fraction:
    """Schedule and value with a Fraction for each job."""
    ends = [Fraction(0)] * len(lengths)
    for power, machine in zip(cluster.powers, places_by_lists(cluster, lengths).lists, strict=True):
        work = Fraction(0)
        for job in machine:
            work += lengths[job]
            ends[job] = work / power
    return -sum(ends, Fraction(0))


def test_optimum_of_a_hundred_thousand_plainly(benchmark: Any) -> None:
    benchmark.group = "optimum of the sum, 100,000 jobs on 1,000 machines"
    found = benchmark.pedantic(plain_optimum, (MACHINES, JOBS), rounds=1)
    assert found == optimal_allocation(MACHINES, JOBS, SumOfTimes()).value


def forget() -> None:
    """Answers are remembered, which is not what is measured."""
    by_kernel.cache_clear()


GOALS: list[Goal] = [
    WeightedSum(WEIGHTS),
    WeightedMakespan(WEIGHTS),
    SquaredDeviation(500),
    Makespan(),
    LexicalMax(),
]


@pytest.mark.parametrize("goal", GOALS, ids=lambda goal: goal.id)
def test_fourteen_jobs_on_three_machines(benchmark: Any, goal: Goal) -> None:
    benchmark.group = "optimal schedule with ties, 14 jobs on 3 machines"
    optimal_allocation(THREE, FOURTEEN, goal)  # compiled before it is timed
    assert benchmark.pedantic(optimal_allocation, (THREE, FOURTEEN, goal), setup=forget, rounds=5).proven


def smith_partitions(lengths: list[int], weights: tuple[int, ...], powers: tuple[Fraction, ...]) -> Fraction:
    """Weighted sum by all partitions, each machine in Smith's order."""
    order = sorted(range(len(lengths)), key=lambda j: Fraction(lengths[j], weights[j]))
    best = None
    for machine_of in product(range(len(powers)), repeat=len(lengths)):
        load, cost = [0] * len(powers), Fraction(0)
        for j in order:
            m = machine_of[j]
            load[m] += lengths[j]
            cost += weights[j] * load[m] / powers[m]
        best = cost if best is None else min(best, cost)
    assert best is not None
    return best


def test_nine_jobs_on_three_machines(benchmark: Any) -> None:
    benchmark.group = "weighted sum, 9 jobs on 3 machines"
    benchmark.pedantic(optimal_allocation, (THREE, FOURTEEN[:9], WeightedSum(WEIGHTS[:9])), setup=forget, rounds=50)


def test_nine_jobs_on_three_machines_plainly(benchmark: Any) -> None:
    benchmark.group = "weighted sum, 9 jobs on 3 machines"
    found = benchmark.pedantic(smith_partitions, (FOURTEEN[:9], WEIGHTS[:9], THREE.powers), rounds=1)
    assert found == -optimal_allocation(THREE, FOURTEEN[:9], WeightedSum(WEIGHTS[:9])).value  # type: ignore[operator]
