"""Users who share machines: every fast path beside a plain one that gives the same answer, in the same run.

Run with ``pytest benchmarks/test_multiuser.py --benchmark-enable``. Lengths are log-normal (median 1,100 s), as the run
times of a real log roughly are; every comparison asserts that both sides agree before it is timed.
"""

from __future__ import annotations

from itertools import combinations_with_replacement, permutations

import numpy as np
import pytest

from consortium.agents.users import Community
from consortium.mechanisms.multiuser import Fairness, LstKernel, fairest, lst, pareto_set, refine, refine_printed

M, S = "makespan", "total-completion"


def community(users: int, jobs: int, seed: int = 1) -> Community:
    """``users - 1`` makespan users and one total-completion user, ``jobs`` jobs each."""
    rng = np.random.default_rng(seed)

    def lengths() -> list[int]:
        return [max(1, int(x)) for x in rng.lognormal(7, 1.2, jobs)]

    return Community.of(*[(M, lengths()) for _ in range(users - 1)], (S, lengths()))


def due_rows(shared: Community, rows: int, seed: int = 2) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.integers(shared.work // 4, shared.work + 1, (rows, len(shared.makespan_users)))


# --- LST: 6 users, 1,000 jobs of the total-completion user -----------------------------------------------------------


def lst_backwards(blocks: list[int], jobs: list[int], due: list[int]) -> int | None:
    """The rule as it is stated: from the end, the block due latest if it may end here, else the longest job."""
    time, waiting = sum(blocks) + sum(jobs), sorted(jobs)
    left, total = set(range(len(blocks))), 0
    while left or waiting:
        fit = [b for b in left if due[b] >= time]
        if fit:
            last = max(fit, key=lambda b: (due[b], b))
            left.remove(last)
            time -= blocks[last]
        elif waiting:
            total += time
            time -= waiting.pop()
        else:
            return None
    return total


@pytest.fixture(scope="module")
def large() -> Community:
    rng = np.random.default_rng(3)
    blocks = [[int(x)] for x in rng.integers(1000, 50_000, 5)]
    return Community.of(*[(M, b) for b in blocks], (S, [int(x) for x in rng.integers(1, 400, 1000)]))


@pytest.mark.benchmark(group="LST, 1,000 jobs and 6 users: one thousand threshold vectors")
@pytest.mark.parametrize("way", ["all at once", "single calls", "plain"])
def test_lst(benchmark, large, way) -> None:
    kernel, due = LstKernel(large), due_rows(large, 1000)
    blocks, jobs = kernel.blocks, list(large.sizes[-1])
    feasible, _, sums = kernel.solve(due)
    for row in range(0, 1000, 50):
        assert lst_backwards(blocks, jobs, due[row].tolist()) == (int(sums[row]) if feasible[row] else None)
    rows = due.tolist()
    ways = {
        "all at once": lambda: kernel.solve(due),
        "single calls": lambda: [kernel.point(row) for row in rows],
        "plain": lambda: [lst_backwards(blocks, jobs, row) for row in rows],
    }
    benchmark.pedantic(ways[way], rounds=3 if way == "plain" else 20, iterations=1, warmup_rounds=1)


@pytest.mark.benchmark(group="LST, 1,000 jobs and 6 users: a million threshold vectors")
def test_lst_million(benchmark, large) -> None:
    kernel, due = LstKernel(large), due_rows(large, 1_000_000)
    kernel.solve(due[:1])
    benchmark.pedantic(kernel.solve, (due,), rounds=3, iterations=1)


# --- the fairest point -----------------------------------------------------------------------------------------------


def fairest_by_enumeration(shared: Community) -> object:
    measure = Fairness().bind(shared)
    return min(measure.key(point) for point in pareto_set(shared))


@pytest.mark.benchmark(group="fairest of 4 users, 40 jobs each (74,046 Pareto points)")
@pytest.mark.parametrize("way", ["dynamic program", "closed-form Pareto set"])
def test_fairest_against_the_pareto_set(benchmark, way) -> None:
    shared = community(4, 40)
    assert fairest(shared).key == fairest_by_enumeration(shared)
    function = fairest if way == "dynamic program" else fairest_by_enumeration
    benchmark.pedantic(function, (shared,), rounds=3, iterations=1)


@pytest.mark.benchmark(group="fairest of 5 users")
@pytest.mark.parametrize("jobs", [20, 100], ids=["100 jobs in all", "100 jobs each"])
def test_fairest(benchmark, jobs) -> None:
    benchmark.pedantic(fairest, (community(5, jobs),), rounds=3, iterations=1)


# --- the refinement --------------------------------------------------------------------------------------------------


@pytest.mark.benchmark(group="refinement, 4 users, 60 jobs each, 7 levels")
@pytest.mark.parametrize("way", ["sound rule, LST", "sound rule, printed LST", "as printed"])
def test_refinement(benchmark, way) -> None:
    shared = community(4, 60)
    ways = {
        "sound rule, LST": lambda: refine(shared, levels=7),
        "sound rule, printed LST": lambda: refine(shared, levels=7, solver="lst-printed"),
        "as printed": lambda: refine_printed(shared, levels=7),
    }
    best = fairest(shared)
    result = benchmark.pedantic(ways[way], rounds=1, iterations=1, warmup_rounds=1)
    assert result.key >= best.key
    benchmark.extra_info["cells"] = [level.cells for level in result.levels]
    benchmark.extra_info["above the fairest, %"] = 100 * (result.value / best.value - 1)
    benchmark.extra_info["certified gap, %"] = [None if x.gap is None else 100 * x.gap for x in result.levels]


# --- the Pareto set --------------------------------------------------------------------------------------------------


def pareto_by_definition(shared: Community) -> set[tuple[int, ...]]:
    """Every order of all jobs, then everything that nothing dominates."""
    jobs = [(u, p) for u, sizes in enumerate(shared.sizes) for p in sizes]
    points = set()
    for order in permutations(jobs):
        time, ends = 0, [0] * len(shared.users)
        for u, p in order:
            time += p
            ends[u] = ends[u] + time if u in shared.completion_users else time
        points.add(tuple(ends))
    return {x for x in points if not any(y != x and all(b <= a for a, b in zip(x, y, strict=True)) for y in points)}


@pytest.mark.benchmark(group="Pareto set of 3 users, 8 jobs")
@pytest.mark.parametrize("way", ["closed form", "every schedule"])
def test_pareto(benchmark, way) -> None:
    shared = Community.of((M, [4, 9]), (M, [5, 2]), (S, [1, 3, 6, 8]))
    assert set(pareto_set(shared)) == pareto_by_definition(shared)
    benchmark.pedantic(
        pareto_set if way == "closed form" else pareto_by_definition, (shared,), rounds=2, iterations=1, warmup_rounds=0
    )


def test_small_cases_agree_before_anything_is_timed() -> None:
    """The plain rule above and the package, on every threshold vector of a small community."""
    shared = Community.of((M, [2]), (M, [3]), (S, [1, 2, 2]))
    for limits in combinations_with_replacement(range(1, 11), 2):
        point = lst(shared, [*limits, None]).point
        assert lst_backwards([2, 3], [1, 2, 2], list(limits)) == (point and point[2])
