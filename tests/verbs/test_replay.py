"""``replay``: no claim of a record can be altered without notice."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import pytest

import consortium
from consortium.verbs import claims
from consortium.verbs.asked import question
from consortium.verbs.proving import leaves

from ..reports.cases import CASES, record


@pytest.fixture(scope="module")
def stored(tmp_path_factory) -> Any:
    """``stored(name)``: the record of a case of the tests of tables, as a file would hold it."""

    @cache
    def ask(name: str) -> str:
        return json.dumps(record(name, tmp_path_factory.mktemp("log")).to_dict())

    return lambda name: json.loads(ask(name))


def altered(value: Any) -> Any:
    """Another value of the same sort, near enough to be believed."""
    if value is None:
        return 1
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return "71/73" if value[:1].isdigit() else f"{value}x"
    return {"extra": 1} if isinstance(value, Mapping) else [*value, 1]


def with_altered(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    """A copy of a record with one leaf altered."""
    changed = copy.deepcopy(dict(data))
    here: Any = changed
    steps = places(data)[key]
    for step in steps[:-1]:
        here = here[step]
    here[steps[-1]] = altered(here[steps[-1]])
    return changed


def places(value: Any, key: str = "", steps: tuple[Any, ...] = ()) -> dict[str, tuple[Any, ...]]:
    """Every leaf's key with the steps to it: names may hold dots and brackets."""
    found: dict[str, tuple[Any, ...]] = {}
    if isinstance(value, Mapping) and value:
        for name, item in value.items():
            place = f"{key}.{name}" if key else str(name)
            if name == "replay":
                found[place] = (*steps, name)
            elif place != "asked":
                found |= places(item, place, (*steps, name))
    elif isinstance(value, list) and value:
        for i, item in enumerate(value):
            found |= places(item, f"{key}[{i + 1}]", (*steps, i))
    else:
        found[key] = steps
    return found


@pytest.mark.parametrize("name", CASES)
def test_an_honest_record_is_confirmed(stored, name):
    rows = [row for _, _, row in consortium.replay(stored(name))]
    assert rows
    assert not [row for row in rows if row.holds is False]
    assert all(row.note for row in rows if row.holds is None)


def of_each_field(keys: Iterable[str]) -> list[str]:
    """One leaf for each field: the last of those that differ only in their number."""
    return list({re.sub(r"\[[0-9]+\]", "[]", key): key for key in keys}.values())


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("choice", [of_each_field, pytest.param(list, marks=pytest.mark.exhaustive)])
def test_every_altered_field_is_caught_or_listed(stored, name, choice, monkeypatch):
    data = stored(name)
    again = claims.ask_again(question(data, "record"), data["complete"], 60) if data.get("asked") else None
    monkeypatch.setattr(claims, "ask_again", lambda *_: again)
    for key in choice(dict(leaves(data))):
        try:
            rows = consortium.replay(with_altered(data, key))
        except consortium.ConsortiumError:
            continue  # it is no record any more
        assert [row for _, _, row in rows if row.holds is not True and covers(row.key, key)], key


def covers(one: str, key: str) -> bool:
    """Whether a row is about this leaf, a part of it, or about what it is a part of."""
    return one == key or key.startswith((f"{one}.", f"{one}[")) or one.startswith((f"{key}.", f"{key}["))
