"""Every shipped scenario loads, carries expectations, and meets them, and its records have their schemas."""

from __future__ import annotations

import functools
from typing import Any

import jsonschema
import pytest

import consortium
from consortium.scenarios.reader import load, shipped
from consortium.verbs import check as checking
from consortium.verbs.dispatch import ask
from consortium.verbs.records import Record
from consortium.verbs.schema import record_schema


@functools.cache
def validator(kind: str, verb: str) -> jsonschema.Draft202012Validator:
    schema = record_schema(kind, verb)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


SLOW = {
    "cordeiro2012/figure-5.5-k3-repaired-none-lose",  # on the page on federations, too
    "shapes/no-theorem",  # the largest cover; that of five jobs is like it
}
NAMES = [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in shipped()]


@pytest.mark.parametrize("name", NAMES)
def test_expectations_hold(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    records: list[Record] = []

    def kept(*words: Any, **options: Any) -> Record:
        records.append(ask(*words, **options))
        return records[-1]

    monkeypatch.setattr(checking, "ask", kept)
    scenario = load(name)
    assert scenario.title, "a shipped scenario has a title"
    assert scenario.source, "and says where it is from"
    rows = consortium.check([name])
    assert rows, "a shipped scenario carries at least one expectation"
    assert [f"{verb} {c.key}: expected {c.expected}, found {c.actual}" for _, verb, c in rows if not c.holds] == []
    assert [record.verb for record in records] == list(scenario.expect)
    for record in records:
        errors = [error.message[:200] for error in validator(scenario.kind, record.verb).iter_errors(record.to_dict())]
        assert errors == [], record.verb


@pytest.mark.parametrize("name", shipped())
def test_a_shipped_scenario_survives_writing_and_reading(name: str) -> None:
    from consortium.scenarios.reader import parse_text
    from consortium.scenarios.toml import dumps

    scenario = load(name)
    if "trace" in scenario.data:
        pytest.skip("names a log that is not shipped")
    again = load(parse_text(dumps(scenario.to_dict())))
    assert again.spec == scenario.spec


def test_shipped_scenarios_are_listed_in_order() -> None:
    names = shipped()
    assert names == sorted(names)
    assert len(set(names)) == len(names)
