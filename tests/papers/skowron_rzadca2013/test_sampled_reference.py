"""Unfairness by sampling against exact REF on windows of two real logs: the error is inside the stated bound."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from consortium.mechanisms.sharing.outcome import measures
from consortium.mechanisms.sharing.sampled import Sample, sampled_reference
from consortium.mechanisms.sharing.simulation import simulate
from consortium.verbs.sharing.model import instance_of
from consortium.workloads.reading import read_log
from consortium.workloads.windows import Plan

LOGS = {"LPC-EGEE-2004-1.2-cln.swf.gz": (70, 50_000, 4), "RICC-2010-2.swf.gz": (8192, 20_000, 1)}
"""Machines, seconds of a window, and how many windows."""


@pytest.mark.exhaustive
@pytest.mark.parametrize("k", [5, 8, 10, 14])
@pytest.mark.parametrize("name", LOGS)
def test_errors_on_logs_lie_inside_the_bound(name: str, k: int) -> None:
    path = Path(os.environ.get("CONSORTIUM_TRACES", "traces")) / name
    if not path.exists():
        pytest.skip(f"{name} is not here")
    log = read_log(path)
    machines, duration, windows = LOGS[name]
    plan = Plan(duration, machines=machines, organizations=k, seed=0)
    for index in range(windows):
        work = plan.window(log, index)
        instance = instance_of(work)
        exact = simulate(instance, rule="ref", until=work.until)
        found = sampled_reference(instance, work.until, Sample(), np.random.default_rng(index))
        pairs = zip(found.outcome.contribution or (), exact.contribution or (), strict=True)
        bound = found.sampling + found.order
        assert float(sum(abs(a - b) for a, b in pairs)) <= bound + 1e-9 * float(exact.value)
        fair_share = simulate(instance, rule="fair-share", until=work.until)
        off = abs(measures(fair_share, found.outcome).unfairness - measures(fair_share, exact).unfairness)
        assert float(off) * exact.total_parts <= bound + 1e-9 * float(exact.value)
