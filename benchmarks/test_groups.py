"""Coalitions of agents: the kernel beside running every case, per case, in the same run.

``python -m pytest benchmarks/test_groups.py --benchmark-enable -s`` prints what one case costs each way: the kernel on
all coalitions of four agents with four lengths, plans and tables included, and running on two lengths of the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from consortium.games.verification import Domain, check_groups
from consortium.games.verification.coalitions import GROUP_NOTIONS, Coalitions
from consortium.mechanisms.declaration import build
from consortium.scheduling.clusters import Cluster

GROUP = "all coalitions of 4 agents, 2 machines, vcg-postpone"
SECONDS: dict[str, float] = {}
"""Seconds per case."""


def domain(lengths: int) -> Domain:
    return Domain.of(range(1, lengths + 1), agents=4)


def everybody(notion: str) -> Coalitions:
    return Coalitions.of(4, notion, agents=4)


@pytest.fixture(scope="module", autouse=True)
def told() -> Iterator[None]:
    yield
    for name, seconds in SECONDS.items():
        print(f"\n{name:>22}: {seconds * 1e9:12,.0f} ns per case", end="")
    print()


@pytest.mark.benchmark(group=GROUP)
@pytest.mark.parametrize("notion", GROUP_NOTIONS)
def test_kernel(benchmark: Any, notion: str) -> None:
    rule = build("vcg-postpone", Cluster.of([1, 2]))
    check_groups(rule, domain(2), everybody(notion))  # compile
    found = benchmark.pedantic(lambda: check_groups(rule, domain(4), everybody(notion)), rounds=3, iterations=1)
    tried = sum(check.cases for check in found.checks)
    assert tried == 1_044_480
    SECONDS[f"kernel, {notion}"] = benchmark.stats.stats.median / tried if benchmark.stats else 0.0


@pytest.mark.benchmark(group=GROUP)
@pytest.mark.parametrize("notion", GROUP_NOTIONS)
def test_running(benchmark: Any, notion: str) -> None:
    rule = build("vcg-postpone", Cluster.of([1, 2]))
    found = benchmark.pedantic(
        lambda: check_groups(rule, domain(2), everybody(notion), method="general"), rounds=1, iterations=1
    )
    assert found.complete
    tried = sum(check.cases for check in found.checks)
    SECONDS[f"running, {notion}"] = benchmark.stats.stats.median / tried if benchmark.stats else 0.0
