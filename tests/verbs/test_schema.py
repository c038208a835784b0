"""Fields of records: each says what it means, and the schemas made of that hold for every shipped record."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

import consortium
from consortium.mechanisms.kinds import GAME, KINDS, Kind, Verb
from consortium.support.fields import UNITS, Column, col, columns, row
from consortium.verbs.claims import ABSENT, at
from consortium.verbs.dispatch import ask
from consortium.verbs.records import Record
from consortium.verbs.rows import Row
from consortium.verbs.schema import field_types, misspelt, record_classes, record_schema

VERBS = [(kind, verb) for kind in (*KINDS, GAME) for verb in kind.verbs]
NAMED = [f"{kind.name}-{verb.name}" for kind, verb in VERBS]


def parts(of: type[Row]) -> Iterator[type[Row]]:
    """A class of rows and those its fields are made of."""
    yield of
    for kind in field_types(of).values():
        yield from (part for inner in rows_in(kind) for part in parts(inner))


def rows_in(kind: Any) -> Iterator[type[Row]]:
    if isinstance(kind, type) and issubclass(kind, Row):
        yield kind
    for inner in getattr(kind, "__args__", ()):
        yield from rows_in(inner)


@pytest.mark.parametrize(("kind", "verb"), VERBS, ids=NAMED)
def test_every_field_says_what_it_means(kind: Kind, verb: Verb) -> None:
    silent = [
        f"{part.__name__}.{key}"
        for each in record_classes(verb)
        for part in parts(each)
        for key, column in columns(part).items()
        if not column.meaning or column.unit not in UNITS
    ]
    assert silent == []
    jsonschema.Draft202012Validator.check_schema(record_schema(kind.name, verb.name))


@pytest.mark.parametrize(("kind", "verb"), VERBS, ids=NAMED)
def test_types_of_fields_can_be_asked_for(kind: Kind, verb: Verb) -> None:
    for each in record_classes(verb):
        assert all(typing.get_type_hints(part) for part in parts(each))


def test_a_schema_refuses_a_misspelt_field() -> None:
    written = consortium.search("agmon2003/5.2.1").to_dict()
    validator = jsonschema.Draft202012Validator(consortium.schema("declaration", "search"))
    assert not list(validator.iter_errors(written))
    for wrong in (written | {"prise": 1}, written | {"equilibria": written["equilibria"] | {"cuont": 1}}):
        assert list(validator.iter_errors(wrong))


def test_schemas_of_files_and_of_records_have_one_door() -> None:
    assert consortium.schema("federation")["properties"]["kind"]["const"] == "federation"
    assert consortium.schema("study") != consortium.schema()
    assert consortium.schema("sharing", "audit gaming") == record_schema("sharing", "audit_gaming")
    for wrong, message in (
        (("federatoin",), "Did you mean 'federation'"),
        (("federation", "serch"), "Did you mean 'search'"),
        ((None, "search"), "kind: None is not known"),
        (("game",), "has no files"),
    ):
        with pytest.raises(consortium.ConsortiumError, match=message):
            consortium.schema(*wrong)


def test_help_lists_what_fields_mean() -> None:
    for column in columns(record_classes(dict(zip(NAMED, VERBS, strict=True))["federation-run"][1])[0]).values():
        assert f"{column.name}\n        {column.text}" in str(consortium.run("minimal/federation").__doc__)


def test_what_is_declared_is_read_back() -> None:
    @row
    class Part(Row):
        """A part."""

        from_: int = col("where it begins", unit="s", format=",", label="from here")
        note: str | None = col("reason", optional=True, default=None)
        game: object = col("the game", hidden=True, default=None)

    assert columns(Part) == {
        "from": Column("from", "from_", "where it begins", "from here", "s", ","),
        "note": Column("note", "note", "reason", "note", optional=True),
    }
    with pytest.raises(dataclasses.FrozenInstanceError):
        Part(from_=1).from_ = 2  # type: ignore[misc]
    with pytest.raises(TypeError):
        Part()  # type: ignore[call-arg]


def test_a_record_that_says_something_else_has_not_the_schema() -> None:
    record: Record = consortium.run("minimal/federation")
    data, check = record.to_dict(), jsonschema.Draft202012Validator(record_schema("federation", "run")).is_valid
    assert check(data)
    assert not check({**data, "lower_bound": 0.5})
    assert not check({**data, "jobs": [{}]})
    assert not check({key: value for key, value in data.items() if key != "jain"})


def places(value: Any, path: str = "") -> Iterator[str]:
    """Every place of a record's dict as ``[expect]`` writes it, what is in lists by number."""
    items = enumerate(value, 1) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    for step, item in items:
        place = f"{path}.{step}" if path else str(step)
        yield place
        yield from places(item, place)


@pytest.mark.parametrize(
    ("name", "verb"),
    [
        ("agmon2003/5.2.1", "run"),
        ("agmon2003/5.2.1", "verify"),
        ("cordeiro2012/theorem-4.5", "compare"),
        ("cordeiro2012/theorem-4.5", "verify"),
        ("cordeiro2012/proposition-6.6-printed", "run"),
    ],
)
def test_every_place_of_a_record_is_known_and_its_misspelling_is_not(name: str, verb: str) -> None:
    record = ask(verb, [name] if verb == "compare" else name, {}).to_dict()
    record.pop("request", None)
    kind = str(record["kind"])
    assert [place for place in places(record) if misspelt(kind, verb, place) is not None] == []
    assert all(misspelt(kind, verb, f"{name}x") == name for name in record)


@pytest.mark.parametrize(
    ("path", "near"),
    [("jobs.0.start", "jobs.1.start"), ("jobs[0].start", "jobs.1.start"), ("jobs[2].start", "jobs.2.start")],
)
def test_places_in_lists_are_counted_from_1(path: str, near: str) -> None:
    """A path that counts from 0 is told as one that leads to a value."""
    assert misspelt("federation", "run", path) == near
    record = consortium.run("cordeiro2012/theorem-4.5").to_dict()
    assert (at(record, path), at(record, near)) == (ABSENT, record["jobs"][int(near[5]) - 1]["start"])
