"""Checks of federations: equilibria, claims of central rules, witnesses that replay."""

from __future__ import annotations

import json

import pytest

import consortium
from consortium.support.errors import UnknownNameError

from .files import scenario


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
