"""Runs of the pool: records, windows of logs, seeds, numbers of any size."""

from __future__ import annotations

import json
import tracemalloc
from fractions import Fraction

import pytest

import consortium
from consortium.api import estimate
from consortium.reports.figures import figure_of, save_record
from consortium.reports.markup import text
from consortium.reports.tables import tables_of
from consortium.support.errors import InputError, TooLargeError
from consortium.verbs.sharing.model import plan

from .files import scenario


def test_record_of_ref() -> None:
    record = consortium.run(scenario()).to_dict()
    assert (record["method"], record["exact"], record["complete"]) == ("int64", True, True)
    assert "seed" not in record
    assert record["organizations"] == [
        {"name": "n1", "machines": 1, "jobs": 2, "utility": 46, "contribution": 44, "parts": 7},
        {"name": "n2", "machines": 1, "jobs": 1, "utility": 17, "contribution": 19, "parts": 2},
    ]
    assert record["value"] == 63
    assert (record["delta"], record["p_tot"], record["unfairness"]) == (0, 9, 0)
    assert record["utilization"] == "1/2"
    assert record["schedule"] == [[0, 1, 1, 1], [0, 2, 1, 2], [2, 1, 2, 2]]
    assert record["ends"] == [3, 2, 6]
    assert {row["name"]: row["value"] for row in record["coalitions"]} == {"n1": 42, "n2": 17, "n1+n2": 63}
    json.dumps(record)


def test_record_of_other_rules() -> None:
    fifo = consortium.run(scenario("fifo")).to_dict()
    assert [row["contribution"] for row in fifo["organizations"]] == [None, None]
    assert "coalitions" not in fifo
    assert [row["utility"] for row in fifo["organizations"]] == [54, 11]
    assert (fifo["delta"], fifo["unfairness"]) == (8 + 6, "14/9")
    direct = consortium.run(scenario("direct-contribution")).to_dict()
    assert direct["seed"] == 0
    listed = consortium.run(scenario("direct-contribution", machine_order="listed")).to_dict()
    assert "seed" not in listed
    assert sum(row["contribution"] for row in listed["organizations"]) == listed["value"]
    assert consortium.run(scenario("fifo"), measure=False).delta is None


def starts(record) -> list[tuple[int, int, int, int]]:
    """Rows (start, organization, job, end) of a record's schedule."""
    return [(start, u, job, end) for (start, u, job, _), end in zip(record.schedule, record.ends, strict=True)]


def test_times_enter_negated() -> None:
    record = consortium.run(scenario(utility="flow-time"))
    assert [row.utility for row in record.organizations] == [-7, -5]
    psi = [sum(9 - t for start, u, _, end in starts(record) if u == n for t in range(start, end)) for n in (1, 2)]
    assert record.value == sum(psi) == 65  # the format: the sum of psi, not of what the organizations care about
    fair = consortium.run(scenario())
    assert record.delta == sum(abs(mine - row.utility) for mine, row in zip(psi, fair.organizations, strict=True)) == 14
    tardy = scenario(organizations=((1, [(0, 3, 1)]),), utility="tardiness")
    assert consortium.run(tardy).organizations[0].utility == -2


def test_long_schedules_are_cut() -> None:
    record = consortium.run(scenario("fifo"), list=1)
    assert (len(record.schedule), record.schedule_left_out, len(record.ends)) == (1, 2, 1)


def test_too_many_organizations_for_ref() -> None:
    many = scenario("fifo", organizations=((1, [(0, 1)]),) * 19)
    record = consortium.run(many)
    assert (record.delta, record.reference) == (None, None)
    assert record.value == 19 * 9
    with pytest.raises(TooLargeError, match="limit is 18"):
        consortium.run(many, overrides={"mechanism.rule": "ref"})


def test_a_window_of_a_log(traced) -> None:
    record = consortium.run(traced, overrides={"mechanism.rule": "fifo"})
    assert record.seed == 3
    assert sum(row.machines for row in record.organizations) == 3  # as the log's header says
    assert record.window["log"] == "log.swf"
    fair = consortium.run(traced, overrides={"mechanism.rule": "ref"})
    utilities = [row.utility for row in record.organizations], [row.utility for row in fair.organizations]
    delta = sum(abs(mine - best) for mine, best in zip(*utilities, strict=True))
    p_tot = sum(row.parts for row in fair.organizations)
    assert (record.delta, record.p_tot, record.unfairness) == (delta, p_tot, Fraction(delta, p_tot))
    assert delta > 0
    assert consortium.run(traced, overrides={"mechanism.rule": "fifo"}).to_dict() == record.to_dict()
    fixed = consortium.run(traced, overrides={"trace.start": 0, "trace.organizations": "group"})
    assert fixed.window["start"] == 0
    assert len(fixed.organizations) == 3


def test_a_log_that_is_not_there(traced) -> None:
    with pytest.raises(InputError, match="Did you mean 'log"):
        consortium.run(traced, overrides={"trace.file": "lag.swf"})


def test_machines_that_nobody_uses_cost_nothing() -> None:
    """A thousand million of them: no array has their length, in no rule that lets the lowest free one work."""
    many = scenario("fifo", organizations=((10**9, [(0, 3), (0, 4)]), (10**9, [(0, 2)])))
    few = scenario("fifo", organizations=((2, [(0, 3), (0, 4)]), (2, [(0, 2)])))
    assert abs(estimate("run", many).memory_bytes - estimate("run", few).memory_bytes) < 10**5
    listed = {"mechanism": {"rule": "direct-contribution", "machine_order": "listed"}}
    figure_of(consortium.run(scenario("fifo")))  # loads what is loaded once
    consortium.run(scenario("fifo"), overrides=listed)
    tracemalloc.start()
    try:
        record = consortium.run(many)
        consortium.run(many, overrides=listed)
        figure_of(record)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [row[3] for row in record.schedule] == [1, 2, 3]
    assert peak < 100 << 20


def test_numbers_beyond_floats_are_shown_and_drawn(tmp_path) -> None:
    huge = 10**400
    data = scenario("ref", organizations=((1, [(0, huge), (0, 4)]), (1, [(0, 2)])), until=9)
    save_record(consortium.run(data), tmp_path / "near.svg")
    later = data | {"until": 3 * huge}
    record = consortium.run(later)
    assert str(record.organizations[0].utility) in text(tables_of(record.to_dict()))
    for verb in (consortium.verify, consortium.compare):
        assert text(tables_of(verb(later).to_dict()))
        assert figure_of(verb(later))
    with pytest.raises(InputError, match="cannot be drawn"):
        save_record(consortium.run(later), tmp_path / "far.svg")


def test_windows_come_from_the_scenarios_seed(traced) -> None:
    assert plan(consortium.load(traced)).seed == 3


def test_a_time_limit_stops_like_ctrl_c(traced, tmp_path) -> None:
    assert consortium.run(scenario(), time_limit=3600).complete
    stopped = consortium.verify(scenario(), time_limit=0)
    assert (stopped.complete, str(stopped.status)) == (False, "stopped")
    assert consortium.verify(scenario(), time_limit=0, property="number-of-tasks").complete  # nothing to stop
    assert consortium.compare(scenario(), time_limit=0).rows == ()
    assert not consortium.compare(traced, time_limit=0).complete


def test_a_seed_in_the_place_of_the_scenarios() -> None:
    data = scenario("rand", organizations=((2, [(0, 2)] * 5), (1, [(0, 3)] * 5), (1, [(1, 1)] * 4)), samples=1)
    schedules = {seed: consortium.run(data, seed=seed).schedule for seed in range(6)}
    assert len(set(schedules.values())) > 1
    assert schedules[4] == consortium.run({**data, "seed": 4}).schedule
    found = consortium.verify(data, seed=4)
    assert found.seed == 4
    assert all(row.holds for _, _, row in consortium.check(found))
