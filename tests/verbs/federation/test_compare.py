"""Comparisons of rules on the same organizations."""

from __future__ import annotations

from fractions import Fraction

import pytest

import consortium
from consortium.support.errors import InputError, UnknownNameError

from .files import scenario


def test_compare_rules_and_scenarios():
    data = scenario([[3, 3], [1, 1, 1], [1, 1, 1]], rule="coordination", priority="organizations")
    rules = ["coordination", "local", "ilba", "relaxed-2", "tomos", "priority-equilibrium", "optimal"]
    record = consortium.compare(data, rules=rules)
    assert [row["rule"] for row in record.rows] == rules
    assert record.columns == (
        "social_cost", "local_constraint", "selfishness_restriction", "jain", "stretch", "price_of_anarchy",
    )  # fmt: skip
    assert record.rows[0]["values"]["price_of_anarchy"] == Fraction(3, 2)
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
