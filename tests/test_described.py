"""Everything that a user can write is described: keys and their values, rules, goals, options, commands, families."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from consortium.cli.app import app
from consortium.mechanisms.declaration.catalogue import PENALTIES, default_penalty
from consortium.mechanisms.kinds import GAME, KINDS, shipped_rules
from consortium.mechanisms.sharing.utilities import UTILITIES
from consortium.scenarios.fields import MEANINGS, REQUIRED, UNIT, WITHOUT
from consortium.scenarios.reader import shipped
from consortium.scenarios.schema import keys, keys_in, keys_of_rule, worded
from consortium.scheduling.goals import SHIPPED as GOALS
from consortium.scheduling.goals import goal_class, summary
from consortium.scheduling.welfare import parameters
from consortium.studies.blocks import plain_schema
from consortium.studies.blocks import schema as schema_of_studies
from consortium.support.loading import load
from consortium.verbs.options import Options
from consortium.verbs.schema import schema
from consortium.workloads.families import families

CONDITIONS = {"allOf", "if", "then", "else", "not", "contains", "propertyNames"}
RULES = [(kind.name, rule) for kind in KINDS for rule in shipped_rules(kind.name).values()]
SCHEMAS = {**{kind.name: schema(kind.name) for kind in KINDS}, "study": schema_of_studies()}


def every_key(found: Any, path: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """All keys that a file may have, wherever they stand; conditions only restrict them."""
    if isinstance(found, list):
        for part in found:
            yield from every_key(part, path)
    elif isinstance(found, Mapping):
        for word, inner in found.items():
            if word == "properties":
                for name, key in inner.items():
                    yield f"{path}.{name}", key
                    yield from every_key(key, f"{path}.{name}")
            elif word not in CONDITIONS:
                yield from every_key(inner, f"{path}/{word}" if word == "$defs" else path)


def names(key: Any) -> Iterator[Mapping[str, Any]]:
    """Lists of names that may be written for a key."""
    if isinstance(key, list):
        for part in key:
            yield from names(part)
    elif isinstance(key, Mapping):
        if "enum" in key:
            yield key
        for word in ("anyOf", "items", "additionalProperties"):
            yield from names(key.get(word, []))


@pytest.mark.parametrize("kind", SCHEMAS)
def test_every_key_is_described(kind: str) -> None:
    found = list(every_key(SCHEMAS[kind]))
    assert len(found) > 20
    assert [path for path, key in found if not str(key.get("description", "")).strip()] == []


@pytest.mark.parametrize("kind", SCHEMAS)
def test_every_key_must_be_given_or_says_what_holds_without_it(kind: str) -> None:
    told = keys_in(plain_schema()) if kind == "study" else keys(kind)
    assert [(key.block, key.key) for key in told if not key.default] == []


@pytest.mark.parametrize("kind", SCHEMAS)
def test_every_name_that_may_be_written_is_explained(kind: str) -> None:
    checked = 0
    for path, key in every_key(SCHEMAS[kind]):
        for listed in names(key) if ".expect." not in path else ():
            explained = listed.get(MEANINGS, [])
            assert [bool(about) for about in explained] == [True] * len(listed["enum"]), path
            checked += 1
    assert checked >= 2


@pytest.mark.parametrize(("kind", "rule"), RULES, ids=lambda value: getattr(value, "id", value))
def test_every_rule_tells_what_it_does_and_its_claims_are_words(kind: str, rule: Any) -> None:
    assert all((rule.summary, rule.details, rule.source))
    words = load(next(one.claims for one in KINDS if one.name == kind))
    assert all(words[claim] for claim in (*rule.claims, *rule.refuted))
    assert set(rule.refuted.values()) <= set(shipped())
    told = {key.key: key for key in keys_of_rule(kind, rule)}
    assert set(told) == rule.options
    if rule.id in PENALTIES:
        own = default_penalty(rule.id)
        assert told["penalty"].default == (f'"{own}"' if isinstance(own, str) else "0")
        chosen = "tool" in rule.options  # then a penalty may be a share or a wait
        assert (
            (set(told["penalty"].names) > set(PENALTIES[rule.id]))
            if chosen
            else told["penalty"].names == PENALTIES[rule.id]
        )


def test_a_key_is_described_as_the_rule_uses_it() -> None:
    def told(kind: str, rule: str, key: str) -> Any:
        return next(one for one in keys_of_rule(kind, shipped_rules(kind)[rule]) if one.key == key)

    assert told("federation", "coordination", "order").names
    named = told("federation", "priority-equilibrium", "order")
    assert (named.names, named.accepted, named.default) == ({}, "a list, each a text", "as listed")
    assert "waits" not in told("declaration", "evcg-renice", "penalty").meaning
    assert "share" not in told("declaration", "evcg-postpone", "penalty").meaning


def test_every_goal_utility_and_penalty_says_what_it_is() -> None:
    assert all(summary(goal_class(name)) for name in GOALS)
    assert all(one.summary for name in GOALS for one in parameters(goal_class(name)).values())
    assert all(UTILITIES[name].summary for name in UTILITIES)
    assert all(text for named in PENALTIES.values() for text in named.values())


def test_every_parameter_of_every_family_is_described() -> None:
    found = [(family, row) for family in families() for row in family.parameters.listed()]
    assert len(found) > 30
    assert [row["parameter"] for family, row in found if not (row["meaning"] and family.summary)] == []


def models() -> Iterator[type[Options]]:
    """Models of options: those of verbs, and the others of the package."""
    for kind in (*KINDS, GAME):
        yield from (load(verb.options) for verb in kind.verbs)
        if kind is not GAME:
            yield load(kind.importer).options
    for reference in ("verbs.check:Check", "studies.hunting.target:Hunt"):
        module, _, name = reference.partition(":")
        yield getattr(importlib.import_module(f"consortium.{module}"), name)


def test_every_option_is_described() -> None:
    found = [(model, name, info) for model in models() for name, info in model.model_fields.items()]
    assert len(found) > 60
    assert [(model.__module__, name) for model, name, info in found if not info.description] == []


def test_every_command_has_an_example_and_every_parameter_a_meaning() -> None:
    import typer

    def walk(command: Any, typed: str = "") -> Iterator[tuple[str, Any]]:
        yield typed, command
        if hasattr(command, "list_commands"):
            context = typer.Context(command)
            for name in command.list_commands(context):
                yield from walk(command.resolve_command(context, [name])[1], f"{typed} {name}".strip())

    found = dict(walk(typer.main.get_command(app)))
    assert {"run", "rules", "hunt", "study run"} <= set(found)
    assert [name for name, command in found.items() if "Example: consortium" not in (command.help or "")] == []
    for name, command in found.items():
        assert [p.name for p in command.params if p.name != "help" and not getattr(p, "help", "")] == [], name


def test_what_an_editor_shows_says_unit_default_and_rules() -> None:
    key = {"description": "wait", UNIT: "time", WITHOUT: "none", "x-used-by": {"rule": ["harsh"]}}
    assert worded(key) == "wait. Unit: time. Without it: none. Only with rule: harsh"
    assert worded({"description": "wait", WITHOUT: REQUIRED}) == "wait. Must be given"
    thresholds = SCHEMAS["multiuser"]["$defs"]["multiuser-MechanismBlock"]["properties"]["thresholds"]
    assert thresholds["description"].endswith("Unit: time. Must be given. Only with rule: edf, lst, lst-printed")
