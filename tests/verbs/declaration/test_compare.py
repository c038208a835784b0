"""``compare`` on kind ``declaration``: rules beside custom ones, and which penalty another rule takes over."""

from __future__ import annotations

import pytest

import consortium
from consortium.support.errors import InputError
from consortium.verbs import variants
from consortium.verbs.declaration.compare import adapt

from .files import Queue, scenario


def test_compare_rows_and_own_mechanisms() -> None:
    rules = {"light-vcg": "light-vcg", "paid": "vcg-postpone", "mine": Queue()}
    data = consortium.compare(scenario(), rules=rules).to_dict()
    assert [row["rule"] for row in data["rows"]] == ["light-vcg", "paid", "mine"]
    for row in data["rows"]:
        assert set(row) == {"rule", "scenario", "values", "complete"}
        assert list(row["values"]) == data["columns"]
    assert [row["values"]["dominant"] for row in data["rows"]] == [False, True, False]
    both = {"evcg-postpone": "evcg-postpone", "mine": Queue()}
    assert [row.rule for row in consortium.compare(scenario(), rules=both).rows] == ["evcg-postpone", "mine"]
    assert consortium.estimate("compare", scenario(), rules=both).size == 2 * 16
    with pytest.raises(InputError, match="'harsh' is the name of a rule of the package"):
        consortium.compare(scenario(), rules={"harsh": Queue()})


def test_compare_carries_no_share_of_a_machine_over_as_a_time() -> None:
    given = consortium.load(scenario(mechanism={"rule": "vcg-renice", "penalty": "1/2"}))
    asked = {"vcg-postpone": {}, "vcg-postpone:penalty=1/2": "1/2", "evcg-renice": "1/2", "evcg-renice:penalty=1": 1}
    found = variants([given], {rule: rule for rule in asked}, adapt)
    assert [variant.scenario.data["mechanism"].get("penalty", {}) for variant in found] == list(asked.values())
