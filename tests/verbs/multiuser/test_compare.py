"""Comparisons of rules on the same users."""

from __future__ import annotations

import pytest

import consortium
from consortium.support.errors import InputError, UnknownNameError

from .files import scenario


def test_compare_over_rules_shares_users_and_fairness() -> None:
    data = scenario("fairest", ("M", [3]), ("M", [5]), ("S", [1, 2, 2]), fairness={"norm": "max"})
    record = consortium.compare(data, rules=["lst", "lst-printed", "multimixed", "fairest"])
    assert record.columns == ("point", "fairness_key", "fairness", "over_optimum", "jain", "min_max")
    rows = {row["rule"]: row["values"] for row in record.rows}
    assert rows["lst"]["point"] == (8, 13, 9)
    assert rows["lst"]["fairness_key"] == 13
    assert rows["fairest"]["point"] == (4, 9, 25)
    assert rows["fairest"]["over_optimum"].value == 0
    assert rows["lst"]["over_optimum"].value == pytest.approx(4 / 9)


def test_compare_leaves_ties_out_where_a_rule_has_none() -> None:
    data = scenario("lst", ("M", [3]), ("S", [1, 2]))
    data["mechanism"] |= {"thresholds": [6, "none"], "ties": "work"}
    record = consortium.compare(data, rules=["lst", "pareto", "pareto:epsilon=1/2"])
    assert [row["rule"] for row in record.rows] == ["lst", "pareto", "pareto:epsilon=1/2"]


def test_compare_without_rules_takes_all_that_fit() -> None:
    mixed = consortium.compare(scenario("fairest", ("M", [3]), ("S", [1, 2])))
    assert [row["rule"] for row in mixed.rows] == [
        "lst",
        "lst-printed",
        "multimixed",
        "fairest",
        "refine",
        "refine-printed",
    ]
    spans = consortium.compare(scenario("fairest", ("M", [3]), ("M", [1, 2]), machines=2))
    assert [row["rule"] for row in spans.rows] == [
        "edf", "multicmax", "multimixed", "fairest", "refine", "refine-printed",
    ]  # fmt: skip
    large = consortium.compare(scenario("multisum", ("S", range(1, 200)), ("S", range(1, 200))))
    assert [(row["rule"], row["complete"]) for row in large.rows] == [
        ("multisum", True), ("multimixed", True), ("fairest", False),
    ]  # fmt: skip
    assert not large.complete


def test_compare_over_scenarios_wants_the_same_users() -> None:
    one = scenario("fairest", ("M", [3]), ("S", [1, 2]))
    same = scenario("multimixed", ("M", [3]), ("S", [1, 2]))
    other = scenario("multimixed", ("M", [3]), ("S", [1, 3]))
    assert [row["rule"] for row in consortium.compare([same, one]).rows] == ["multimixed", "fairest"]
    with pytest.raises(InputError, match="has other users or machines"):
        consortium.compare([one, other])
    both = consortium.compare([one, same], rules=["fairest", "multimixed"])
    assert [row["rule"] for row in both.rows] == ["fairest", "multimixed"] * 2
    with pytest.raises(UnknownNameError, match="rules: 'fairst' is not known"):
        consortium.compare(one, rules=["fairst"])
    with pytest.raises(InputError, match="the only objective of rule = 'edf'"):
        consortium.compare(one, rules=["edf"])
