"""Records: frozen to the bottom, copied and sent as equals, written as JSON, with the status they deserve."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
import pickle
from collections.abc import Iterator
from enum import Enum
from fractions import Fraction
from typing import Any

import pytest

import consortium
from consortium.cli.exits import exit_code
from consortium.support.fields import col
from consortium.verbs.records import Frozen, Record, Row, Statistic, jsonable

from ..reports.cases import CASES, PRISONERS, cluster, federation, record

FROZEN = (str, int, Fraction, bool, type(None), float, Statistic)


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Record]:
    return {name: record(name, tmp_path_factory.mktemp("log")) for name in CASES}


def parts(value: Any, where: str) -> Iterator[tuple[str, Any]]:
    """Whatever a value is made of, with its place; fields for Python only are left out."""
    yield where, value
    if isinstance(value, Row):
        for f in dataclasses.fields(value):
            if not f.metadata.get("hidden"):
                yield from parts(getattr(value, f.name), f"{where}.{f.name}")
    elif isinstance(value, Frozen):
        for key in value:
            yield from parts(value[key], f"{where}[{key!r}]")
    elif isinstance(value, tuple):
        for i, item in enumerate(value):
            yield from parts(item, f"{where}[{i}]")


def assert_frozen(record: Record) -> None:
    for where, value in parts(record, "record"):
        assert isinstance(value, Row | Frozen | Enum) or type(value) in (*FROZEN, tuple), (where, type(value))
        if isinstance(value, Row):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(value, dataclasses.fields(value)[0].name, None)
        if isinstance(value, Frozen):
            with pytest.raises(TypeError):
                value["new"] = 1  # type: ignore[index]
            with pytest.raises(AttributeError):
                value.new = 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", CASES)
def test_nothing_inside_can_be_changed(name: str, records: dict[str, Record]) -> None:
    assert_frozen(records[name])


def test_what_a_stopped_search_proves_is_a_row() -> None:
    found = consortium.search(federation("coordination"), method="cuts", time_limit=0)
    assert found.bounds["epsilon_at_least"] == 1
    assert_frozen(found)


@pytest.mark.parametrize("name", CASES)
def test_copies_are_equal_and_hash_alike(name: str, records: dict[str, Record]) -> None:
    found = records[name]
    for twin in (pickle.loads(pickle.dumps(found)), copy.copy(found), copy.deepcopy(found)):
        assert twin == found
        assert hash(twin) == hash(found)
        assert (twin.status, twin.to_dict()) == (found.status, found.to_dict())


@pytest.mark.parametrize("name", CASES)
def test_the_dict_is_json_and_names_the_fields(name: str, records: dict[str, Record]) -> None:
    found = records[name]
    data = found.to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert list(data) == ["verb", *found.keys()]
    assert (data["verb"], data["kind"]) == (CASES[name].verb, found.kind)


@pytest.mark.parametrize(
    ("verb", "source", "options", "status", "code"),
    [
        ("run", cluster("harsh"), {}, "proved", 0),
        ("verify", cluster("harsh"), {}, "proved", 0),
        ("verify", cluster("light-vcg"), {}, "refuted", 1),
        ("verify", cluster("light-vcg"), {"sample": 200}, "refuted", 1),
        ("verify", cluster("harsh"), {"sample": 200}, "sampled", 3),
        ("verify", cluster("vcg-renice"), {"property": "ex-post"}, "proved", 0),
        ("verify", cluster("vcg-renice"), {"property": "ex-post", "time_limit": 0}, "stopped", 3),
        ("verify", cluster("vcg-postpone"), {"time_limit": 0}, "stopped", 3),
        ("verify", federation("coordination"), {}, "refuted", 1),
        ("search", federation("coordination"), {}, "proved", 0),
        ("search", federation("coordination"), {"time_limit": 0}, "stopped", 3),
    ],
)  # fmt: skip
def test_status_and_exit_code(verb: str, source: Any, options: dict[str, Any], status: str, code: int) -> None:
    found = getattr(consortium, verb)(source, **options)
    assert (str(found.status), exit_code(found.status)) == (status, code)


def test_an_open_answer_is_not_called_stopped(capsys: pytest.CaptureFixture[str]) -> None:
    from consortium.cli.output import show_record

    refused = consortium.search(PRISONERS, correlated="coarse", potential=True, max_bytes=100)
    assert (str(refused.status), refused.complete) == ("open", False)
    show_record(refused, as_json=False)
    assert "Incomplete" not in capsys.readouterr().err
    show_record(consortium.verify(cluster("vcg-postpone"), time_limit=0), as_json=False)
    assert "Incomplete" in capsys.readouterr().err


def test_options_are_recorded_in_the_order_of_their_names() -> None:
    """Whoever asks the same question gets the same bytes, in whatever order the options are given."""
    given: dict[str, Any] = {"time_limit": 60, "method": "enumeration", "list": 3}
    for order in (given, dict(reversed(given.items()))):
        record = consortium.search("agmon2003/5.2.1", **order).to_dict()
        assert list(record["request"]["options"]) == sorted(given)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Part(Row):
    name: str
    at: Fraction
    pieces: tuple[tuple[Fraction, Any], ...]
    note: str | None = col("a remark", optional=True, default=None)


@pytest.mark.parametrize("n", [0, 1, 2, 30])
def test_rows_are_written_field_by_field(n: int) -> None:
    """What is optional is left out of those rows alone that have nothing of it."""
    rows = tuple(
        Part(
            name=f"part {i}",
            at=Fraction(i, 6),
            pieces=tuple((Fraction(j + 1, 2), [math.inf, 3, "x", None][(i + j) % 4]) for j in range(i % 3)),
            note=None if i % 2 else "late",
        )
        for i in range(n)
    )
    plain = [{key: jsonable(row[key]) for key in row.keys()} for row in rows]  # noqa: SIM118
    assert jsonable(rows) == jsonable(list(rows)) == plain
    assert ["note" in row for row in plain] == [i % 2 == 0 for i in range(n)]
    assert pickle.loads(pickle.dumps(rows)) == rows


def test_a_misspelt_field_or_verb_is_told_the_nearest() -> None:
    record = consortium.run("minimal/federation")
    with pytest.raises(AttributeError, match=r"has no field 'social_cst'; it has .*\. Did you mean 'social_cost'\?"):
        record.social_cst  # noqa: B018
    with pytest.raises(AttributeError, match=r"has no attribute 'serach'; did you mean 'search'\?"):
        consortium.serach  # type: ignore[attr-defined]  # noqa: B018
    assert not hasattr(consortium, "__no_such_thing__")
