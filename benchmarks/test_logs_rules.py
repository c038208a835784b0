"""A whole log under each rule: 214,322 jobs of the LPC log on 70 machines, in job events per second.

A job has two events, its start and its completion (its release is not counted). The log comes from
``CONSORTIUM_TRACES``; without it a synthetic one of the same size stands in. The last group doubles the number of jobs
to show that time and memory grow linearly. Run with ``pytest benchmarks/test_logs_rules.py --benchmark-enable``.
"""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from consortium.mechanisms.sharing.instance import SharingInstance
from consortium.mechanisms.sharing.simulation import simulate
from consortium.workloads import Bags, Plan, SharedWork, poisson_bags, read_log

NAME = "LPC-EGEE-2004-1.2-cln.swf.gz"
POLYNOMIAL = (
    "fifo",
    "round-robin",
    "fair-share",
    "utility-fair-share",
    "current-fair-share",
    "direct-contribution",
    "direct-contribution-printed",
    "rand",
)


def instance_of(work: SharedWork) -> SharingInstance:
    return SharingInstance.from_columns(work.machines, work.owner, work.release, work.length, names=work.names)


@pytest.fixture(scope="module")
def whole() -> tuple[SharingInstance, int]:
    folder = os.environ.get("CONSORTIUM_TRACES", "")
    if folder and (Path(folder) / NAME).exists():
        log = read_log(Path(folder) / NAME)
        span = int(log.submit[-1] - log.submit[0]) + 1
        work = Plan(duration=span, start=0, machines=70, seed=1).window(log)
    else:
        work = poisson_bags(np.random.default_rng(1), Bags(duration=9_000_000))
        span = work.until
    return instance_of(work), span + 1_000_000


@pytest.mark.benchmark(group="a whole log, 70 machines, 5 organizations")
@pytest.mark.parametrize("rule", POLYNOMIAL)
def test_whole_log(benchmark: Any, whole: tuple[SharingInstance, int], rule: str) -> None:
    instance, until = whole
    simulate(SharingInstance.of([1, 1], [[(0, 1)], [(0, 2)]]), rule=rule, until=5)  # compiled before the clock runs
    outcome = benchmark.pedantic(simulate, args=(instance,), kwargs={"rule": rule, "until": until}, rounds=3)
    events = 2 * int((outcome.start >= 0).sum())
    assert events == 2 * instance.n_jobs
    if benchmark.stats:
        benchmark.extra_info["job events per second"] = round(events / benchmark.stats.stats.min)


@pytest.mark.benchmark(group="fair share, jobs doubled")
@pytest.mark.parametrize("doublings", range(4))
def test_growth(benchmark: Any, doublings: int) -> None:
    bags = Bags(duration=2_000_000 * 2**doublings)
    instance = instance_of(poisson_bags(np.random.default_rng(2), bags))
    tracemalloc.start()
    simulate(instance, rule="fair-share", until=bags.duration)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    benchmark.pedantic(simulate, args=(instance,), kwargs={"rule": "fair-share", "until": bags.duration}, rounds=3)
    benchmark.extra_info["jobs"] = instance.n_jobs
    benchmark.extra_info["peak bytes per job"] = round(peak / instance.n_jobs)
