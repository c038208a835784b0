"""Parallel jobs kept whole in every verb of the pool: what is run, measured, said, proved and refused."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import consortium
from consortium.support.errors import InputError
from consortium.verbs.sharing.model import instance_of
from consortium.workloads import Log
from consortium.workloads.windows import Plan

from .logs import ask, assumptions

EASY = "backfilling/easy"


def mixed_log(limits: list[int] | None = None) -> Log:
    """Two groups on four processors; the third job needs them all, the fifth more than there are."""
    columns: dict[str, Any] = {
        "job": [1, 2, 3, 4, 5, 6],
        "submit": [0, 0, 1, 2, 3, 5000],
        "run": [100, 300, 50, 60, 70, 10],
        "allocated": [2, 1, 4, 1, 9, 1],
        "user": [1, 2, 1, 2, 2, 1],
        "group": [1, 2, 1, 2, 2, 1],
        "wait": [0] * 6,
    }
    if limits is not None:
        columns["limit"] = limits
    return Log(columns, name="mixed.swf")


PLAN = Plan(1000, 0, 4, "group", (2, 2), whole=True)


def test_a_window_knows_which_copies_are_one_job_and_leaves_out_what_never_fits() -> None:
    work = PLAN.window(mixed_log([200, -1, 50, 40, 70, 10]))
    assert work.job is not None
    assert work.job.tolist() == [1, 1, 2, 3, 3, 3, 3, 4]
    instance = instance_of(work)
    assert instance.width is not None
    assert instance.estimate is not None
    first = instance.parallel_jobs
    assert instance.width[first].tolist() == [1, 1, 2, 4]  # the group with most work is first
    assert instance.estimate[first].tolist() == [300, 40, 200, 50]  # what was requested, else the run time
    apart = instance_of(Plan(1000, 0, 4, "group", (2, 2)).window(mixed_log()))
    assert apart.width is None
    assert apart.n_jobs == 8 + 9


def test_what_is_left_of_a_running_job_has_what_is_left_of_its_estimate() -> None:
    work = Plan(1000, 50, 4, "group", (2, 2), busy=True, whole=True).window(mixed_log([200, -1, 50, 40, 70, 10]))
    assert work.estimate is not None
    assert work.length[[0, 2]].tolist() == [51, 251]
    assert work.estimate[[0, 2]].tolist() == [151, 251]


def test_an_audit_says_how_parallel_jobs_are_run() -> None:
    options = {"duration": 1000, "start": 0, "organizations": "group", "shares": [2, 2], "machines": 4, "seed": 1}
    asked = {"log": mixed_log([200, -1, 50, 40, 70, 10]), "rules": ["fifo", "ref"], "rule": "fifo", **options}
    copies, rigid, easy = (ask(**asked, parallel=way) for way in ("copies", "rigid", "easy"))
    assert [record.plan.parallel for record in (copies, rigid, easy)] == [None, "rigid", "easy"]
    assert "Parallel jobs were run as copies of one machine each, which need not start together" in assumptions(copies)
    told = " / ".join(assumptions(easy))
    assert "at once under fifo (with EASY backfilling); as copies of one machine each under ref" in told
    assert "1 of 6 jobs requested none and are planned with the one that they had" in told
    assert "1 of 6 jobs take more than the 4 machines and were left out of all windows" in told
    assert "The fair schedule, against which all are measured, runs parallel jobs as copies" in told
    assert "(the head of the queue waits)" in " / ".join(assumptions(rigid))
    assert "requested" not in " / ".join(assumptions(rigid))
    both = ask(**{**asked, "rules": ["fifo:parallel=rigid", "fifo"], "rule": "fifo"}, parallel="easy")
    said = "under fifo:parallel=rigid (the head of the queue waits) and fifo (with EASY backfilling)"
    assert said in " / ".join(assumptions(both))
    done = {row.rule: row.values["utilization"].value for row in both.rows}
    assert done["fifo"] == easy.rows[0].values["utilization"].value
    assert done["fifo:parallel=rigid"] == rigid.rows[0].values["utilization"].value


def test_where_no_run_time_is_requested_that_is_said() -> None:
    record = ask(log=mixed_log(), windows=1, machines=9, rules=["fifo"], rule="fifo", parallel="easy")
    assert any("does not say what run times were requested" in line for line in assumptions(record))


def test_a_log_of_sequential_jobs_says_nothing_of_parallel_ones() -> None:
    log = mixed_log()
    serial = Log(
        {**{name: log.column(name) for name in ("submit", "run", "user")}, "allocated": [1] * 6}, name="serial"
    )
    record = ask(log=serial, windows=1, organizations="user", machines=2, rules=["fifo"], rule="fifo", parallel="easy")
    assert not any("arallel" in line or "ackfilling" in line for line in assumptions(record))


def test_rules_are_compared_on_the_same_jobs_whole_and_as_copies() -> None:
    record = consortium.compare(EASY, rules=["fifo", "fifo:parallel=rigid", "fifo:parallel=copies", "ref"])
    delta = {row.rule: row.utility for row in record.organizations if row.name == "bob"}
    runs = {name: consortium.run(f"backfilling/{name}") for name in ("copies", "rigid", "easy")}
    bob = {name: run.organizations[1].utility for name, run in runs.items()}
    assert {name: [row.jobs for row in run.organizations] for name, run in runs.items()} == {
        "copies": [2 + 3, 2], "rigid": [2, 2], "easy": [2, 2]
    }  # fmt: skip
    assert delta["fifo"] == bob["easy"]
    assert delta["fifo:parallel=rigid"] == bob["rigid"]
    assert delta["fifo:parallel=copies"] == bob["copies"]
    with pytest.raises(InputError, match="organizations or jobs"):
        consortium.compare([EASY, "backfilling/wrong-estimates"])


def replayed(record: Any) -> list[Any]:
    return [row for _, _, row in consortium.check(record) if row.holds is False]


def test_replay_catches_a_job_that_starts_on_some_of_its_machines_only() -> None:
    data = json.loads(json.dumps(consortium.run(EASY).to_dict()))
    assert not replayed(data)
    late = json.loads(json.dumps(data))
    row = next(i for i, start in enumerate(late["schedule"]) if start[:3] == [10, 1, 2])
    late["schedule"][row][0] += 1
    late["ends"][row] += 1
    late["schedule"].insert(row + 2, late["schedule"].pop(row))
    late["ends"].insert(row + 2, late["ends"].pop(row))
    assert replayed(late)
    fewer = json.loads(json.dumps(data))
    del fewer["schedule"][row], fewer["ends"][row]
    assert replayed(fewer)


def test_moves_of_parallel_jobs_are_refused_in_a_sentence_and_of_sequential_ones_tried() -> None:
    with pytest.raises(
        InputError, match="parallel = 'easy' and jobs of several machines; expected jobs of one machine"
    ):
        consortium.verify(EASY)
    jobs = [{"machines": 2, "jobs": [[0, 2], [0, 3]]}, {"machines": 0, "jobs": [[1, 1]]}]
    data = {"format": 1, "kind": "sharing", "until": 6, "organizations": jobs}
    easy, copies = (
        consortium.verify({**data, "mechanism": {"rule": "fifo", "parallel": way}}) for way in ("easy", "copies")
    )
    assert easy.manipulation.max_gain == copies.manipulation.max_gain


def test_copies_in_a_window_are_the_same_jobs_for_ref() -> None:
    """Whole or not, the reference sees the same sequential jobs in the same order."""
    log = mixed_log([200, -1, 50, 40, 70, 10]).take(np.array([0, 1, 2, 3, 5]))
    whole, apart = (instance_of(Plan(1000, 0, 4, "group", (2, 2), whole=way).window(log)) for way in (True, False))
    for name in ("first", "release", "length"):
        assert getattr(whole, name).tolist() == getattr(apart, name).tolist()
