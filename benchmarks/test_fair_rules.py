"""The rules that need no coalitions: job events per second on one core, growth with jobs and organizations.

    pytest benchmarks/test_fair_rules.py --benchmark-enable --benchmark-group-by=group

A job event is a release, start or completion. The baseline is the same rule in Python's integers, which the package
keeps for numbers beyond int64.
"""

from __future__ import annotations

import numpy as np
import pytest

from consortium.mechanisms.sharing import SharingInstance, simulate
from consortium.mechanisms.sharing.kernels import queues

RULES = [
    "fair-share",
    "utility-fair-share",
    "current-fair-share",
    "round-robin",
    "fifo",
    "direct-contribution",
    "direct-contribution-printed",
    "rand",
]


def stream(k: int, machines: int, n: int, load: float = 0.95) -> tuple[SharingInstance, int]:
    """Poisson arrivals, exponential lengths of an hour on average."""
    rng = np.random.default_rng(n + k)
    length = np.maximum(1, rng.exponential(3600.0, n)).astype(np.int64)
    until = int(length.sum() / (load * machines))
    counts = [machines // k + (u < machines % k) for u in range(k)]
    return SharingInstance.from_columns(
        counts, rng.integers(0, k, n), np.sort(rng.integers(0, until, n)), length
    ), until


@pytest.mark.benchmark(group="a million jobs, 5 organizations, 140 machines")
@pytest.mark.parametrize("rule", RULES)
def test_a_million_jobs(benchmark, rule: str) -> None:
    instance, until = stream(5, 140, 1_000_000)
    small, end = stream(5, 140, 1000)
    simulate(small, rule=rule, until=end)
    outcome = benchmark.pedantic(lambda: simulate(instance, rule=rule, until=until), rounds=3)
    events = instance.n_jobs + 2 * int((outcome.start >= 0).sum())
    benchmark.extra_info["million job events per second"] = events / benchmark.stats.stats.min / 1e6


@pytest.mark.benchmark(group="fair share, 20,000 jobs: compiled and in Python's integers")
@pytest.mark.parametrize("how", ["compiled", "python"])
def test_compiled_against_python(benchmark, how: str) -> None:
    instance, until = stream(5, 140, 20_000)
    if how == "compiled":
        benchmark.pedantic(lambda: simulate(instance, rule="fair-share", until=until), rounds=5, warmup_rounds=1)
    else:
        benchmark.pedantic(lambda: queues.run(instance, "fair-share", "copies", until, 1, None, "python"), rounds=1)


@pytest.mark.benchmark(group="fair share: growth with jobs, 5 organizations, 140 machines")
@pytest.mark.parametrize("n", [10_000, 100_000, 1_000_000, 4_000_000])
def test_growth_with_jobs(benchmark, n: int) -> None:
    instance, until = stream(5, 140, n)
    simulate(*stream(5, 140, 1000)[:1], rule="fair-share", until=100)
    outcome = benchmark.pedantic(lambda: simulate(instance, rule="fair-share", until=until), rounds=2)
    assert outcome.complete


@pytest.mark.benchmark(group="fair share: growth with organizations, 200,000 jobs, 1,000 machines")
@pytest.mark.parametrize("k", [2, 5, 20, 100, 500])
def test_growth_with_organizations(benchmark, k: int) -> None:
    instance, until = stream(k, 1000, 200_000)
    simulate(*stream(5, 140, 1000)[:1], rule="fair-share", until=100)
    outcome = benchmark.pedantic(lambda: simulate(instance, rule="fair-share", until=until), rounds=2)
    assert outcome.complete
