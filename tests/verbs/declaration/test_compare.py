"""``compare`` on kind ``declaration``: rules beside custom ones, and which penalty another rule takes over."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import consortium
from consortium.support.errors import InputError
from consortium.verbs import variants
from consortium.verbs.declaration.compare import LEAST_RENT, adapt

from .files import Queue, scenario


def test_compare_rows_and_own_mechanisms() -> None:
    rules = {"light-vcg": "light-vcg", "paid": "vcg-postpone", "mine": Queue()}
    data = consortium.compare(scenario(), rules=rules).to_dict()
    assert [row["rule"] for row in data["rows"]] == ["light-vcg", "paid", "mine", *LEAST_RENT]
    for row in data["rows"]:
        assert set(row) == {"rule", "scenario", "values", "complete"}
        assert list(row["values"]) == data["columns"]
    assert [row["values"]["dominant"] for row in data["rows"]] == [False, True, False, True, True]
    both = {"evcg-postpone": "evcg-postpone", "mine": Queue()}
    assert [row.rule for row in consortium.compare(scenario(), rules=both).rows] == [
        "evcg-postpone",
        "mine",
        *LEAST_RENT,
    ]
    assert consortium.estimate("compare", scenario(), rules=both).size == 2 * 16
    with pytest.raises(InputError, match="'harsh' is the name of a rule of the package"):
        consortium.compare(scenario(), rules={"harsh": Queue()})


def test_the_rule_of_a_file_stands_beside_others(tmp_path: Path) -> None:
    path = str(tmp_path / "designed.toml")
    consortium.design(scenario(), subject_to=["prices-nonnegative"], output=path)
    named = consortium.compare(scenario(), rules=["light-vcg", f"best={path}"])
    plain = consortium.compare(scenario(), rules={"best": path, "own": consortium.load(path).data["mechanism"]})
    rows = {row.rule: row.values for row in named.rows}
    assert [*rows][:2] == ["light-vcg", "best"]
    assert (rows["light-vcg"]["dominant"], rows["best"]["dominant"]) == (False, True)
    assert [row.values for row in plain.rows[:2]] == [rows["best"]] * 2
    record = json.loads(json.dumps(named.to_dict()))
    Path(path).unlink()  # the record has the rule itself
    assert not [row for _, _, row in consortium.check(record) if row.holds is not True]


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("mine.py", "expected a custom rule, as FILE.py:Name"),
        ("best=nowhere.toml", "nowhere.toml"),
        (" mine = nowhere.py:Mine", r"nowhere.py:Mine: there is no nowhere.py in"),
    ],
)
def test_what_names_no_rule_is_told(rule: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        consortium.compare(scenario(), rules=[rule])


def test_compare_carries_no_share_of_a_machine_over_as_a_time() -> None:
    given = consortium.load(scenario(mechanism={"rule": "vcg-renice", "penalty": "1/2"}))
    asked = {"vcg-postpone": {}, "vcg-postpone:penalty=1/2": "1/2", "evcg-renice": "1/2", "evcg-renice:penalty=1": 1}
    found = variants([given], {rule: rule for rule in asked}, adapt)
    assert [variant.scenario.data["mechanism"].get("penalty", {}) for variant in found] == list(asked.values())


def test_least_rents_stand_beside_the_rules_where_they_can() -> None:
    data = consortium.compare("agmon2003/5.2.1", rules=["light-vcg"]).to_dict()
    rents = {row["rule"]: row["values"]["rent_truthful"] for row in data["rows"]}
    assert rents == {"light-vcg": "31/10", "least-rent": 0, "least-rent-nonnegative": 0}
    elsewhere = scenario(domain={"lengths": [1, 3], "declarations": [1, 3]})  # the agents' own lengths are not in it
    none_exist = scenario("vcg-renice", domain={"lengths": [1, 2, 3], "declarations": [1, 2, 3]})
    for source in (elsewhere, none_exist, "agmon2003/4.4", "agmon2003/7.5.1"):
        assert not set(LEAST_RENT) & {row.rule for row in consortium.compare(source, rules=["harsh"]).rows}
