"""REF against the papers' loop, compiled: every moment, every coalition, every subset of it, every member of that.

    pytest benchmarks/test_fair_ref.py --benchmark-enable --benchmark-group-by=group

The loop visits the same moments as the package (those with a completion in some coalition or a release), so the ratio
compares the ``k 3^k`` of the papers with lazy decisions and shared potentials, not time units with events.
"""

from __future__ import annotations

from math import factorial

import numba
import numpy as np
import pytest

from consortium.mechanisms.sharing import SharingInstance, simulate
from consortium.mechanisms.sharing.orderings import common_multiple

UNTIL = 50_000


def zipf(k: int, machines: int) -> list[int]:
    """At least one machine each, the rest by Zipf's law, largest remainders first."""
    weights = np.array([1 / (i + 1) for i in range(k)])
    wanted = weights / weights.sum() * (machines - k)
    counts = np.floor(wanted).astype(int)
    for i in np.argsort(counts - wanted, kind="stable")[: machines - k - counts.sum()]:
        counts[i] += 1
    return (counts + 1).tolist()


def bags(k: int, machines: int, until: int = UNTIL, load: float = 0.95, mean: float = 3300.0) -> SharingInstance:
    """Bags of jobs of exponential length released together, at a load of 0.95; always the same."""
    rng = np.random.default_rng(k * 100_003 + machines)
    n = int(load * machines * until / mean)
    n_bags = max(1, n // 8)
    release, owner = np.sort(rng.integers(0, until, n_bags)), rng.integers(0, k, n_bags)
    bag = rng.integers(0, n_bags, n)
    length = np.maximum(1, rng.exponential(mean, n)).astype(np.int64)
    return SharingInstance.from_columns(zipf(k, machines), owner[bag], release[bag], length)


@numba.njit
def faithful(k, until, first, release, length, machines, multiple, factorials, max_moments):
    """Figures 1 and 3, corrected to look at t + 1, in integers scaled by ``lcm(1..k)``.

    Returns the starts of the grand coalition, its utilities at the end, and how many moments were processed.
    """
    n_masks = 1 << k
    n_machines = machines.sum()
    ends = np.full((n_masks, n_machines), until, dtype=np.int64)
    on = np.full((n_masks, n_machines), -1, dtype=np.int64)
    position = np.zeros((n_masks, k), dtype=np.int64)
    psi = np.zeros((n_masks, k), dtype=np.int64)
    parts = np.zeros((n_masks, k), dtype=np.int64)
    running = np.zeros((n_masks, k), dtype=np.int64)
    n_running = np.zeros(n_masks, dtype=np.int64)
    capacity = np.zeros(n_masks, dtype=np.int64)
    size = np.zeros(n_masks, dtype=np.int64)
    value = np.zeros(n_masks, dtype=np.int64)
    for mask in range(n_masks):
        for u in range(k):
            if mask >> u & 1:
                capacity[mask] += machines[u]
                size[mask] += 1
    by_size = np.argsort(size * n_masks + np.arange(n_masks))
    known = np.zeros(k, dtype=np.int64)
    start = np.full(length.size, -1, dtype=np.int64)
    phi = np.zeros(k, dtype=np.int64)
    last = 0
    moments = 0
    while True:
        t = until
        for u in range(k):
            if first[u] + known[u] < first[u + 1]:
                t = min(t, release[first[u] + known[u]])
        for mask in range(1, n_masks):
            for m in range(n_running[mask]):
                t = min(t, ends[mask, m])
        d = t - last
        for mask in range(1, n_masks):
            for u in range(k):
                psi[mask, u] += d * parts[mask, u] + running[mask, u] * (d * (d + 1) // 2)
                parts[mask, u] += d * running[mask, u]
        last = t
        if t >= until or moments >= max_moments:
            return start, psi[n_masks - 1].copy(), moments
        moments += 1
        for u in range(k):
            while first[u] + known[u] < first[u + 1] and release[first[u] + known[u]] <= t:
                known[u] += 1
        for i in range(1, n_masks):
            mask = by_size[i]
            m = 0
            while m < n_running[mask]:
                if ends[mask, m] == t:
                    running[mask, on[mask, m]] -= 1
                    n_running[mask] -= 1
                    ends[mask, m] = ends[mask, n_running[mask]]
                    on[mask, m] = on[mask, n_running[mask]]
                else:
                    m += 1
            value[mask] = 0
            for u in range(k):
                value[mask] += psi[mask, u] + parts[mask, u] + running[mask, u]
            for u in range(k):  # UpdateVals: k 3^k over all coalitions
                phi[u] = 0
            n = size[mask]
            subset = mask
            while subset:
                weight = multiple * factorials[size[subset] - 1] * factorials[n - size[subset]] // factorials[n]
                for u in range(k):
                    if subset >> u & 1:
                        phi[u] += weight * (value[subset] - value[subset ^ (1 << u)])
                subset = (subset - 1) & mask
            while n_running[mask] < capacity[mask]:
                best = -1
                best_key = 0
                for u in range(k):
                    if mask >> u & 1 and position[mask, u] < known[u]:
                        key = multiple * (psi[mask, u] + parts[mask, u] + running[mask, u]) - phi[u]
                        if best < 0 or key < best_key:
                            best = u
                            best_key = key
                if best < 0:
                    break
                job = first[best] + position[mask, best]
                position[mask, best] += 1
                running[mask, best] += 1
                ends[mask, n_running[mask]] = t + length[job]
                on[mask, n_running[mask]] = best
                n_running[mask] += 1
                value[mask] += 1
                if mask == n_masks - 1:
                    start[job] = t


def run_faithful(instance: SharingInstance, until: int, max_moments: int = 2**62):
    """The loop on an instance, for at most so many moments."""
    k = instance.n_organizations
    factorials = np.array([factorial(i) for i in range(k + 1)], dtype=np.int64)
    machines = np.array(instance.machines, dtype=np.int64)
    return faithful(
        k,
        until,
        instance.first,
        instance.release,
        instance.length,
        machines,
        common_multiple(k),
        factorials,
        max_moments,
    )


def test_the_loop_and_the_package_agree() -> None:
    for k in (2, 4, 6):
        instance = bags(k, 12, 6_000, mean=300.0)
        start, psi, _ = run_faithful(instance, 6_000)
        outcome = simulate(instance, rule="ref", until=6_000)
        assert outcome.start.tolist() == start.tolist()
        assert outcome.utility == tuple(psi.tolist())


@pytest.mark.benchmark(group="REF: 10 organizations, 70 machines, 50,000 units of time")
@pytest.mark.parametrize("how", ["package", "loop of the papers"])
def test_ten_organizations(benchmark, how: str) -> None:
    instance = bags(10, 70)
    small = bags(10, 70, 500)
    if how == "package":
        simulate(small, rule="ref", until=500)
        result = benchmark.pedantic(lambda: simulate(instance, rule="ref", until=UNTIL), rounds=5)
        assert result.complete
    else:
        run_faithful(small, 500)
        _, psi, moments = benchmark.pedantic(lambda: run_faithful(instance, UNTIL), rounds=1)
        benchmark.extra_info["moments"] = moments
        assert tuple(psi.tolist()) == simulate(instance, rule="ref", until=UNTIL).utility


@pytest.mark.benchmark(group="REF: growth with organizations, 70 machines")
@pytest.mark.parametrize("k", [3, 5, 8, 10, 12, 14, 16, 18])
def test_growth_with_organizations(benchmark, k: int) -> None:
    instance = bags(k, 70)
    simulate(bags(3, 70, 500), rule="ref", until=500)
    outcome = benchmark.pedantic(lambda: simulate(instance, rule="ref", until=UNTIL), rounds=3 if k < 12 else 1)
    benchmark.extra_info["jobs"] = instance.n_jobs
    assert outcome.complete


@pytest.mark.benchmark(group="REF: growth with machines (and jobs), 5 organizations")
@pytest.mark.parametrize("machines", [70, 280, 1120, 2560, 8192])
def test_growth_with_machines(benchmark, machines: int) -> None:
    instance = bags(5, machines)
    simulate(bags(3, 70, 500), rule="ref", until=500)
    outcome = benchmark.pedantic(lambda: simulate(instance, rule="ref", until=UNTIL), rounds=3)
    benchmark.extra_info["jobs"] = instance.n_jobs
    assert outcome.complete


@pytest.mark.benchmark(group="REF: growth with jobs, 5 organizations, 140 machines")
@pytest.mark.parametrize("days", [1, 10, 100])
def test_growth_with_jobs(benchmark, days: int) -> None:
    until = 86_400 * days
    instance = bags(5, 140, until)
    simulate(bags(3, 70, 500), rule="ref", until=500)
    outcome = benchmark.pedantic(lambda: simulate(instance, rule="ref", until=until), rounds=3)
    benchmark.extra_info["jobs"] = instance.n_jobs
    assert outcome.complete
