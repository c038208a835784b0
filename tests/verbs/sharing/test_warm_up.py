"""What the cluster did is measured with the jobs that it had when a window opened; the rules on an empty cluster."""

from __future__ import annotations

import statistics
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from consortium.mechanisms.sharing.instance import SharingInstance
from consortium.mechanisms.sharing.simulation import simulate
from consortium.workloads import Log

from .logs import ask, busy_log, comparison, psi

RULES: dict[str, Any] = {"rules": ["fair-share", "recorded"], "rule": "recorded"}
UNTIL = 800


def jobs_of(log: Log, opening: int) -> list[tuple[int, int, int, int]]:
    """Group, release, length and recorded start of every sequential job, from the log's rows."""
    columns = (log.column(name).tolist() for name in ("submit", "wait", "run", "allocated", "group"))
    found = []
    for submit, wait, run, processors, group in zip(*columns, strict=True):
        start, end = submit + wait - opening, submit + wait + run - opening
        if not (submit - opening < UNTIL and (submit >= opening or end > 0)):
            continue
        left = run if submit >= opening else end - max(start, 0)
        found += [(group, max(0, submit - opening), left, max(0, start))] * processors
    return found


def test_recorded_is_measured_with_what_ran_or_waited() -> None:
    log = busy_log(7)
    record = ask(log=log, seed=2, **RULES)
    unfairness, late, parts = [], dict.fromkeys(("atlas", "cms", "bio"), 0), dict.fromkeys(("atlas", "cms", "bio"), 0)
    more = 0
    for row in record.windows:
        opening = int(log.submit.min()) + row.start
        listed = jobs_of(log, opening)
        more += len(listed) - row.jobs
        order = [next(g for g, name in log.labels["group"].items() if name == each) for each in names(record)]
        queues = [[job for job in listed if job[0] == group] for group in order]
        instance = SharingInstance.of([2, 2, 2], [[(job[1], job[2]) for job in queue] for queue in queues])
        fair = simulate(instance, rule="ref", until=UNTIL)
        done = [psi([job[3] for job in queue], [job[2] for job in queue], UNTIL) for queue in queues]
        unfairness.append(
            Fraction(sum(abs(a - int(b)) for a, b in zip(done, fair.utility, strict=True)), fair.total_parts)
        )
        for u, name in enumerate(names(record)):
            late[name] += int(fair.utility[u]) - done[u]
            parts[name] += fair.parts[u]
    assert more > 0
    (row,) = (row for row in record.rows if row["rule"] == "recorded")
    assert row["values"]["unfairness"].value == pytest.approx(statistics.fmean(unfairness))
    for organization in record.organizations:
        if organization.rule == "recorded":
            name = organization.name
            assert organization.delay is not None
            assert organization.delay.value == pytest.approx(late[name] / parts[name])
            assert organization.fair_parts == parts[name]
    (said,) = (line for line in comparison(record) if line.startswith("recorded is measured with"))
    assert f"({more / 4:,.0f} on average)" in said
    back = int((log.column("wait") + log.run).max())
    assert f"--warmup {back} " in said
    assert record.plan.warmup_recorded == back


def names(record: Any) -> list[str]:
    return [row.name for row in record.organizations if row.rule == "recorded"]


def test_the_rules_keep_the_empty_cluster() -> None:
    default, cold = ask(**RULES), ask(warmup=0, **RULES)
    rows = [{row["rule"]: row["values"]["unfairness"] for row in record.rows} for record in (default, cold)]
    assert rows[0]["fair-share"] == rows[1]["fair-share"]
    assert rows[0]["recorded"] != rows[1]["recorded"]
    assert [row.jobs for row in default.windows] == [row.jobs for row in cold.windows]
    assert cold.plan.warmup_recorded is None
    assert not any("is measured with" in line for line in comparison(cold))
    assert not any("than recorded" in line for line in comparison(default))  # on other jobs nothing is fairer


def test_a_warm_up_that_was_asked_for_holds_for_all() -> None:
    default = ask(**RULES)
    back = default.plan.warmup_recorded
    assert back is not None
    warm = ask(warmup=back, **RULES)
    assert warm.plan.warmup_recorded is None
    assert warm.windows[0].unfairness["recorded"] == default.windows[0].unfairness["recorded"]
    assert warm.windows[0].unfairness["fair-share"] != default.windows[0].unfairness["fair-share"]


def test_a_store_keeps_what_recorded_was_measured_against(tmp_path: Path) -> None:
    first = ask(store=tmp_path / "s", **RULES)
    again = ask(store=tmp_path / "s", **RULES)
    assert again.organizations == first.organizations
    assert comparison(again) == comparison(first)


def test_one_window_follows_recorded_on_its_own_jobs() -> None:
    """When it has opened, fewer are wanted in a window that began empty."""
    warm, cold = ask(series=True, start=900, **RULES).series, ask(series=True, start=900, warmup=0, **RULES).series
    assert warm is not None
    assert cold is not None
    assert (warm.rule, warm.times) == ("recorded", cold.times)
    assert warm.requested[0] > cold.requested[0]
