"""A federation's schedule, judged: runs, equilibria and witnesses that replay, comparisons of rules."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

import consortium
from consortium.support.errors import InputError, UnknownNameError

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


def test_verify_of_an_equilibrium_and_of_none():
    stable = consortium.verify(scenario([[2, 2], [1], []], placement={"O1": ["O1", "O3"]}))
    assert stable.verdict
    assert stable.to_dict()["equilibrium"] == {"holds": True, "epsilon": 1, "regret": 0, "witness": None}
    record = consortium.verify(scenario([[2, 2], [1], []]))
    assert not record.verdict
    witness = record.equilibrium["witness"]
    assert (witness.organization, witness.placement, witness.cost, witness.better) == ("O1", ("O1", "O3"), 4, 2)
    assert (record.equilibrium["epsilon"], record.equilibrium["regret"]) == (2, 2)
    rows = consortium.check(json.loads(json.dumps(record.to_dict())))
    assert {place for place, _, _ in rows} == {"record"}
    played = consortium.check(witness.replay)
    assert len(played) == 2
    assert all(row.holds for _, _, row in [*rows, *played])
    assert consortium.verify(scenario([[2, 2], [1], []]), property="local-constraint").verdict


def test_verify_of_central_rules():
    record = consortium.verify(scenario([[13] * 4, [3] * 4, [], []], rule="relaxed-2-printed"))
    assert record.equilibrium is None
    assert record.claims["cooperation"]["holds"]
    late = consortium.verify(scenario([[6], [3, 2, 6]], [1, 2], rule="spt-lpt"), property="local-constraint")
    assert late.to_dict()["witnesses"] == {
        "local_constraint": {"organization": "O2", "job": None, "value": 8, "bound": 6}
    }
    assert late.verdict is True  # the rule's claim of that name: against the local schedule that it started from
    exact = consortium.verify(scenario([[4, 4, 4], [2, 2], []], rule="priority-equilibrium", solver="exact"))
    assert not exact.verdict
    assert exact.claims["approximate-equilibrium"]["witness"]["bound"] == 6
    with pytest.raises(UnknownNameError, match="own-jobs-first"):
        consortium.verify(scenario([[1]]), property="own-job-first")


def test_the_local_constraint_is_judged_on_what_the_objective_counts() -> None:
    """The first one's short job waits abroad: all is done as early as at home, but the sum of the ends is larger."""
    file = {
        "format": 1,
        "kind": "federation",
        "organizations": [{"name": "a", "jobs": [1, 4]}, {"name": "b", "jobs": [4]}],
        "mechanism": {
            "rule": "coordination",
            "objective": "total-completion",
            "order": ["b", "a"],
            "priority": "organizations",
        },
        "placement": {"a": ["b", "a"], "b": ["b"]},
    }
    for objective, holds in (("makespan", True), ("total-completion", False)):
        record = consortium.verify(file, overrides={"mechanism.objective": objective})
        assert record.local_constraint is holds


def test_compare_rules_and_scenarios():
    data = scenario([[3, 3], [1, 1, 1], [1, 1, 1]], rule="coordination", priority="organizations")
    rules = ["coordination", "local", "ilba", "relaxed-2", "tomos", "priority-equilibrium", "optimal"]
    record = consortium.compare(data, rules=rules)
    assert [row["rule"] for row in record.rows] == rules
    assert record.columns == (
        "social_cost", "local_constraint", "selfishness_restriction", "jain", "stretch", "best_equilibrium",
        "worst_equilibrium", "price_of_anarchy",
    )  # fmt: skip
    game, values = consortium.search(data), record.rows[0]["values"]
    ends = (game.equilibria.best.social_cost, game.equilibria.worst.social_cost, game.price_of_anarchy)
    assert (values["best_equilibrium"], values["worst_equilibrium"], values["price_of_anarchy"]) == ends
    assert ends[2] == Fraction(3, 2)
    assert record.rows[1]["values"]["price_of_anarchy"] is None
    assert [row["values"]["social_cost"] for row in record.rows][-1] == 4
    both = consortium.compare([data, {**data, "mechanism": {"rule": "local"}}])
    assert [row["rule"] for row in both.rows] == ["coordination", "local"]
    with pytest.raises(InputError, match="has other organizations than"):
        consortium.compare([data, scenario([[1]])])
    with pytest.raises(UnknownNameError, match="Did you mean 'ilba'"):
        consortium.compare(data, rules=["ilbo"])


def test_compare_leaves_out_what_a_rule_does_not_use():
    jobs = [[{"length": 2, "priority": 2}], [{"length": 1, "priority": 1}]]
    data = scenario(jobs, rule="coordination", priority="jobs", order="given")
    record = consortium.compare(data, rules=["coordination", "priority-equilibrium", "optimal"])
    assert [row["values"]["social_cost"] for row in record.rows] == [2, 2, 2]
