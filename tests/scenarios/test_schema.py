"""The JSON Schema that the code generates accepts what the reader accepts and sees plain mistakes."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import jsonschema
import pytest

from consortium.scenarios.problems import ScenarioError
from consortium.scenarios.reader import built_kinds, load, shipped
from consortium.scenarios.schema import schema


def as_json(value: Any) -> Any:
    """What an editor sees of a TOML file: decimals are JSON numbers."""
    return json.loads(json.dumps(value, default=lambda v: float(v) if isinstance(v, Decimal | Fraction) else str(v)))


def validator(kind: str | None = None) -> Any:
    return jsonschema.Draft202012Validator(schema(kind))


@pytest.mark.parametrize("kind", [None, *built_kinds()])
def test_it_is_a_schema(kind: str | None) -> None:
    jsonschema.Draft202012Validator.check_schema(schema(kind))


@pytest.mark.parametrize("name", shipped())
def test_shipped_scenarios_fit(name: str) -> None:
    scenario = load(name)
    validator(scenario.kind).validate(as_json(dict(scenario.data)))
    validator().validate(as_json(dict(scenario.data)))


VALID: dict[str, Any] = {
    "format": 1,
    "kind": "declaration",
    "cluster": {"powers": [1, "3/2", 0.5]},
    "agents": [{"length": 1, "strategy": {"scale": 2}}, {"length": "1/2", "strategy": "best-reply", "value": -1}],
    "mechanism": {"rule": "evcg-postpone", "penalty": ["1/2", 0], "cutoff": {"difference": 1}},
    "domain": {"lengths": [1, 2], "declarations": {"a1": [1]}},
}


@pytest.mark.parametrize(
    ("block", "value"),
    [
        ("format", 2),
        ("kind", "declarations"),
        ("titel", "x"),
        ("cluster", {"powers": []}),
        ("cluster", {"powers": ["fast"]}),
        ("agents", []),
        ("agents", [{"name": "ann"}]),
        ("agents", [{"length": 1, "strategy": "truthfull"}]),
        ("mechanism", {"rule": "vcg-renise"}),
        ("mechanism", {}),
        ("mechanism", {"rule": "harsh", "rounds": 3}),
        ("welfare", {"goal": "makspan"}),
        ("welfare", {"order": 2}),
        ("welfare", {"goal": "makespan", "order": 0}),
        ("welfare", {"goal": "makespan", "weights": {"a1": 1, "a2": 1}}),
        ("welfare", {"goal": "weighted-sum"}),
        ("expect", {"serch": {}}),
    ],
)
def test_mistakes_are_seen_by_schema_and_reader(block: str, value: Any) -> None:
    jsonschema.validate(as_json(VALID), schema("declaration"))
    broken = {**VALID, block: value}
    assert not validator("declaration").is_valid(as_json(broken))
    with pytest.raises(ScenarioError):
        load({**broken, "cluster": {"powers": [1]}} if block != "cluster" else broken)
