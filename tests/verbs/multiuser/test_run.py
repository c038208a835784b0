"""Runs of communities: fields, limits, refusals, dry runs."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any, NoReturn

import pytest

import consortium
from consortium.support.errors import InputError, TooLargeError

from .files import scenario


def test_record_of_the_fairest_point() -> None:
    record = consortium.run(scenario("fairest", ("M", [2]), ("S", [1, 1]))).to_dict()
    assert (record["method"], record["exact"], record["complete"], record["feasible"]) == (
        "dynamic-programming", True, True, True,
    )  # fmt: skip
    assert record["point"] == [3, 5]
    assert record["users"] == [
        {"name": "n1", "objective": "makespan", "value": 3, "zenith": 2, "nadir": 4, "guarantee": None},
        {"name": "n2", "objective": "total-completion", "value": 5, "zenith": 3, "nadir": 7, "guarantee": None},
    ]
    assert [(j["user"], j["job"], j["machine"], j["start"], j["end"]) for j in record["jobs"]] == [
        ("n1", 1, 1, 1, 3), ("n2", 1, 1, 0, 1), ("n2", 2, 1, 3, 4),
    ]  # fmt: skip
    assert record["fairness"]["key"] == record["fairness"]["optimum_key"] == "61/4"
    assert record["fairness"]["value"] == pytest.approx(15.25**0.5)
    assert record["fairness"]["over_optimum"] == 0
    assert record["metrics"] == {"jain": "121/122", "min_max": "5/6", "variance": "1/8"}
    assert record["pareto"] is None
    json.dumps(record)


def test_rational_lengths_come_back_in_their_own_unit() -> None:
    record = consortium.run(scenario("lst", ("M", ["1/2"]), ("S", ["1/3", "1/3"]), thresholds=["5/6", "none"]))
    assert record.point == (Fraction(5, 6), Fraction(3, 2))
    assert record.jobs[0].end == Fraction(5, 6)
    assert record.users[1].zenith == 1
    assert record.users[1].nadir == 2


def test_thresholds_that_cannot_be_met() -> None:
    record = consortium.run(scenario("edf", ("M", [2]), ("M", [3]), thresholds=[4, 4])).to_dict()
    assert record["feasible"] is False
    assert record["point"] is None
    assert record["jobs"] == []
    assert record["fairness"] is None
    assert record["users"][0]["value"] is None


def test_pareto_sets_are_listed_up_to_a_limit_with_a_count() -> None:
    data = scenario("pareto", ("M", [3]), ("M", [5]), ("S", [1, 2, 2]))
    record = consortium.run(data)
    assert (record.pareto_count, record.pareto_left_out, len(record.pareto)) == (20, 0, 20)
    assert record.feasible is None
    cut = consortium.run(data, list=3)
    assert (cut.pareto_count, cut.pareto_left_out) == (20, 17)
    assert cut.pareto == record.pareto[:3]


def test_grid_is_marked_as_approximate() -> None:
    record = consortium.run(scenario("pareto", ("M", [1]), ("M", [4]), ("S", [2]), epsilon=1))
    assert (record.method, record.exact) == ("grid", False)
    assert dict(record.grid) == {"corners": 3, "ratios": {"n1": 2, "n2": 2, "n3": 1}}


def test_refinement_carries_its_levels_and_boxes_for_a_drawing() -> None:
    record = consortium.run(scenario("refine", ("M", [3]), ("M", [5]), ("S", [1, 2, 2]), levels=9)).to_dict()
    levels = record["fairness"]["levels"]
    assert [level["level"] for level in levels] == list(range(1, len(levels) + 1))
    assert levels[-1]["proved"] is record["fairness"]["proved"] is record["exact"] is True
    assert levels[-1]["gap"] == 0
    assert levels[0]["boxes"] == [{"low": [3, 5], "high": [13, 13], "fate": "split"}]
    assert record["fairness"]["improvement"] == pytest.approx(1 - levels[-1]["value"] / levels[0]["value"])
    four = scenario("refine", ("M", [3]), ("M", [5]), ("M", [4]), ("S", [1]))
    assert "boxes" not in consortium.run(four).to_dict()["fairness"]["levels"][0]


def test_refinement_stopped_by_time_is_incomplete() -> None:
    data = scenario("refine", ("M", [300]), ("M", [501]), ("S", [101, 207, 222]), levels=30)
    record = consortium.run(data, time_limit=0)
    assert not record.complete
    assert len(record.fairness.levels) == 1


THREE_MACHINES = (("M", [5, 8, 13, 21, 2]), ("M", [7, 3, 11, 17, 4]), ("S", [6, 9, 1, 12, 10]))
"""Fourteen million splits of the jobs: too many to enumerate."""


@pytest.mark.parametrize("rule", ["pareto", "fairest"])
def test_what_cannot_be_enumerated_is_refused_with_ways_out_that_exist(rule: str) -> None:
    """The message names ``effort`` and multimixed; with a time limit there is a partial answer instead."""
    data = scenario(rule, *THREE_MACHINES, machines=3)
    with pytest.raises(
        TooLargeError, match=r"needs 14,348,907 splits .* raise effort \(--effort\), or multimixed"
    ) as refused:
        consortium.run(data)
    assert "the limit is 400,000" in str(refused.value)
    with pytest.raises(TooLargeError, match="the limit is 1,200,000"):
        consortium.run(data, effort=3)
    assert consortium.estimate("run", data, effort=40).size == 14_348_907


def test_a_pareto_set_that_is_stopped_has_no_points_and_says_so() -> None:
    record = consortium.run(scenario("pareto", *THREE_MACHINES, machines=3), time_limit=0.05)
    assert (record.complete, str(record.status), record.pareto, record.point, record.feasible) == (
        False, "stopped", None, None, None,
    )  # fmt: skip
    assert all(row.zenith <= row.nadir for row in record.users)
    assert all(row.holds is not False for _, _, row in consortium.check(record.to_dict(), time_limit=0.1))


def test_a_fairest_point_that_is_stopped_is_a_schedule_of_multimixed() -> None:
    data = scenario("fairest", *THREE_MACHINES, machines=3)
    record = consortium.run(data, time_limit=0.05)
    known = consortium.run(data, overrides={"mechanism.rule": "multimixed", "fairness": None})
    assert (record.complete, record.exact, str(record.status)) == (False, False, "stopped")
    assert (record.point, record.jobs) == (known.point, known.jobs)
    assert (record.fairness.optimum_key, record.fairness.over_optimum) == (None, None)
    assert all(row.holds is not False for _, _, row in consortium.check(record.to_dict(), time_limit=0.1))


def test_what_was_stopped_does_not_begin_to_search_the_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    def begun(*args: Any) -> NoReturn:
        raise AssertionError("the optimum is searched")

    monkeypatch.setattr("consortium.verbs.multiuser.run.fairest_point", begun)
    record = consortium.run(scenario("refine", ("M", [300]), ("M", [501]), ("S", [101, 207]), levels=30), time_limit=0)
    assert (record.complete, record.fairness.optimum_key, record.fairness.over_optimum) == (False, None, None)


def test_a_time_limit_that_is_not_reached_changes_nothing() -> None:
    for rule in ("fairest", "pareto", "multimixed"):
        data = scenario(rule, ("M", [4]), ("M", [1, 2]), ("S", [1, 1]))
        limited, free = consortium.run(data, time_limit=60), consortium.run(data)
        assert {**limited.to_dict(), "request": None} == {**free.to_dict(), "request": None}


def test_guarantees_of_the_multi_rules_and_an_unknown_optimum() -> None:
    record = consortium.run(scenario("multimixed", ("M", [4]), ("M", [1, 2]), ("S", [1, 1]), machines=2))
    assert [row.guarantee for row in record.users] == [Fraction(7, 2), Fraction(7, 4), 3]
    assert record.fairness["optimum_key"] is None
    assert record.fairness["over_optimum"] is None


def test_weights_and_references_reach_the_function() -> None:
    data = scenario(
        "fairest", ("M", [2]), ("S", [1, 1]), fairness={"norm": 1, "relative_to": "zenith", "weights": [1, "1/2"]}
    )
    record = consortium.run(data)
    assert record.point == (2, 7)
    assert record.fairness["key"] == 1 + Fraction(1, 2) * Fraction(7, 3)


def test_what_is_out_of_reach_says_so() -> None:
    with pytest.raises(TooLargeError, match="multimixed gives a point"):
        consortium.run(scenario("fairest", ("S", [1] * 200), ("S", [2] * 200)))


@pytest.mark.parametrize(
    ("rule", "options", "size", "unit"),
    [
        ("fairest", {}, 12, "states of the dynamic program"),
        ("pareto", {}, 12, "points"),
        ("refine", {"levels": 3}, 21, "cells"),
        ("multimixed", {}, 4, "jobs"),
    ],
)
def test_dry_run(rule, options, size, unit) -> None:
    from consortium.api import estimate

    found = estimate("run", scenario(rule, ("M", [3]), ("M", [5]), ("S", [1, 2]), **options))
    assert (found.size, found.unit) == (size, unit)


@pytest.mark.parametrize("verb", ["search", "verify"])
def test_verbs_that_the_kind_does_not_have(verb) -> None:
    with pytest.raises(InputError, match=f"{verb}: scenarios of kind 'multiuser' have no such verb"):
        getattr(consortium, verb)(scenario("fairest", ("M", [3])))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            scenario("fairest", ("M", [10**900]), ("S", [1]), fairness={"norm": 5}),
            r"keys would have up to \d+ digits; the limit is 3600",
        ),
        (scenario("pareto", ("M", [10**900]), ("S", [10**900]), epsilon="1/1000000"), "steps; the limit is 5000"),
        (
            scenario("pareto", ("S", range(1, 9)), ("S", range(2, 9)), ("S", range(3, 9)), machines=3),
            "splits of the jobs",
        ),
        (scenario("pareto", ("S", [1]), ("S", range(1, 600))), "needs 600 jobs; the limit is 500"),
    ],
)
def test_sizes_out_of_reach_are_refused_with_a_reason(data, message) -> None:
    with pytest.raises(TooLargeError, match=message):
        consortium.run(data)


@pytest.mark.parametrize("rule", ["pareto", "fairest"])
def test_a_budget_that_nobody_can_foresee_leaves_what_is_known(rule, monkeypatch) -> None:
    """The estimate promises an answer, and says of what sort: the run is stopped, as by a time limit, not refused."""
    monkeypatch.setattr("consortium.mechanisms.multiuser.pareto.BUDGET", 100)
    data = scenario(rule, ("S", range(1, 9)), ("S", range(2, 10)))
    assert "end the search with what is known" in consortium.estimate("run", data).note
    found = consortium.run(data)
    assert not found.complete
    assert (found.pareto, found.fairness is None) == (None, rule == "pareto")
    assert consortium.run(data, effort=10_000).complete
    compared = consortium.compare(data, rules=["fairest", "multimixed"])
    assert [row.complete for row in compared.rows] == [False, True]
    assert not compared.complete
    assert all(row.holds is not False for _, _, row in consortium.check(found.to_dict()))


def test_numbers_beyond_floats_stay_exact() -> None:
    record = consortium.run(scenario("fairest", ("M", [2 * 10**400]), ("S", [10**400, 10**400]))).to_dict()
    assert record["point"] == [3 * 10**400, 5 * 10**400]
    assert record["fairness"]["over_optimum"] == 0
    assert record["fairness"]["value"] == "inf"  # the only inexact field: no float is large enough
    json.dumps(record)
    refined = consortium.run(scenario("refine", ("M", [2 * 10**400]), ("S", [10**400, 10**400]), levels=2)).to_dict()
    assert refined["fairness"]["improvement"] == pytest.approx(1 - (65 / 73) ** 0.5, rel=1e-3)


def test_more_machines_than_jobs() -> None:
    """MULTIMIXED puts everybody's first job on the first machine; the others know better."""
    users = (("M", [2, 3]), ("S", [1]))
    assert consortium.run(scenario("multimixed", *users, machines=100_000, local="exact")).point == (4, 1)
    assert consortium.run(scenario("fairest", *users, machines=100_000)).point == (3, 1)
    assert consortium.run(scenario("pareto", *users, machines=100_000)).pareto == ((3, 1),)


def test_long_fractions_are_shortened_in_tables_only() -> None:
    from consortium.reports.tables import tables_of

    record = consortium.compare(scenario("fairest", ("M", [10007]), ("M", [20011]), ("S", [307, 4001])))
    shown = tables_of(record.to_dict())[0]
    assert any(text.startswith("~") for row in shown.rows for text in row)
    assert isinstance(record.rows[0]["values"]["jain"], Fraction)
