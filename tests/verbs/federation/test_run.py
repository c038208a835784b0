"""Runs of federations: fields, values on small instances, limits."""

from __future__ import annotations

import consortium

from .files import scenario


def test_run_of_a_placement():
    record = consortium.run(scenario([["1/2", 2], [1], []], placement={"O1": ["O2", "O1"]})).to_dict()
    first, second, third = record["organizations"]
    assert first == {
        "name": "O1", "local": "5/2", "makespan": 2, "total_completion": "7/2", "cost": 2, "lower_bound": 2,
        "stretch": 1, "epsilon": 1, "regret": 0,
    }  # fmt: skip
    assert second["makespan"] == 1
    assert set(third.values()) == {"O3", None}
    assert record["jobs"][0] == {
        "organization": "O1", "job": 1, "host": "O2", "machine": 1, "start": 1, "end": "3/2",
    }  # fmt: skip
    assert (record["social_cost"], record["lower_bound"], record["jain"]) == (2, 2, 1)
    assert (record["local_constraint"], record["selfishness_restriction"]) == (True, True)
    assert record["complete"]
    assert "guess" not in record


def test_run_judges_with_the_reference_and_reading_asked_for():
    jobs = [[6], [3, 2, 6]]
    for reference, holds in ((None, False), ("spt", True), ("listed", True)):
        options = {} if reference is None else {"reference": reference}
        record = consortium.run(scenario(jobs, [1, 2], rule="spt-lpt", **options))
        assert record.local_constraint is holds
    idle = scenario([[1, 5], [2], [2]], rule="coordination", selfishness="printed")
    assert consortium.run(idle).selfishness_restriction


def test_total_completion_is_its_own_cost_and_constraint():
    data = scenario([[1, 3], [1]], rule="coordination", objective="total-completion")
    record = consortium.run(data)
    assert [row.cost for row in record.organizations] == [5, 1]
    assert [row.local for row in record.organizations] == [5, 1]
    assert record.social_cost == 6
    longest = consortium.run(scenario([[1, 3], [1]], rule="lpt-lpt"))
    assert longest.organizations[0].local == 4
    found = consortium.search(data)
    assert found.method == "enumeration"
    assert found.equilibria["best"]["social_cost"] == 6
    assert found.unconstrained_optimum is None


def test_run_of_relaxed_optimal_and_lists():
    assert consortium.run(scenario([[2, 1], [1]], rule="relaxed-2")).guess == 2
    best = consortium.run(scenario([[3, 3], [1, 1, 1], [1, 1, 1]], rule="optimal", constraints=["local"]))
    assert (best.social_cost, best.optimum_at_least, best.method) == (5, 5, "assignment")
    cut = consortium.run(scenario([[3, 3], [1, 1, 1]], rule="local"), list=2)
    assert (len(cut.jobs), cut.jobs_left_out) == (2, 3)


def test_an_impossible_optimum_is_an_answer_and_exit_code_1():
    """Longest first, {4} and {1, 1, 1, 1} end by 4; the least total, 12, has a job in front of the 4."""
    jobs, machines = [[1, 1, 1, 1, 4]], [2]
    data = scenario(jobs, machines, rule="optimal", constraints=["local", "local-total"])
    record = consortium.run(data)
    assert (record.complete, record.verdict, record.feasible, record.social_cost) == (True, False, False, None)
    alone = consortium.run(scenario(jobs, machines, rule="optimal", constraints=["local"]))
    assert (alone.complete, alone.local_constraint) == (True, True)


def test_limits_of_run_and_compare_say_incomplete():
    """Sixteen unit-like jobs in several groups: nothing is settled by bounds, so a limit of 0 leaves it open."""
    jobs = [[7, 7, 6, 6], [5, 5, 5], [4, 4, 3], [2, 1]]
    data = scenario(jobs, rule="optimal", constraints=["local-total", "selfish"])
    record = consortium.run(data, time_limit=0)
    assert record.social_cost > record.optimum_at_least
    assert (record.complete, str(record.status)) == (False, "stopped")
    assert consortium.verify(data, time_limit=0).local_constraint is not None  # the best schedule known is judged
    compared = consortium.compare(data, rules=["optimal", "local"], time_limit=0)
    assert [(row["rule"], row["complete"]) for row in compared.rows] == [("optimal", False), ("local", True)]
    assert not compared.complete
