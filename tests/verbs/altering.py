"""Changing single claims of a record, and asking whether a row is about one of them."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping
from typing import Any


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


def changed(data: Mapping[str, Any], key: str, value: Any) -> dict[str, Any]:
    """A copy of a record that says something else in one place."""
    return replaced(data, places(data)[key], value)


def replaced(data: Mapping[str, Any], steps: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """The same, by the steps to the place; it may be a whole table."""
    found = copy.deepcopy(dict(data))
    here: Any = found
    for step in steps[:-1]:
        here = here[step]
    here[steps[-1]] = value
    return found


def with_altered(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    """A copy of a record with one leaf altered."""
    here: Any = data
    for step in places(data)[key]:
        here = here[step]
    return changed(data, key, altered(here))


def places(value: Any, key: str = "", steps: tuple[Any, ...] = ()) -> dict[str, tuple[Any, ...]]:
    """Every leaf's key with the steps to it: names may hold dots and brackets."""
    found: dict[str, tuple[Any, ...]] = {}
    if isinstance(value, Mapping) and value:
        for name, item in value.items():
            place = f"{key}.{name}" if key else str(name)
            if name == "replay":
                found[place] = (*steps, name)
            elif place != "request":
                found |= places(item, place, (*steps, name))
    elif isinstance(value, list) and value:
        for i, item in enumerate(value):
            found |= places(item, f"{key}[{i + 1}]", (*steps, i))
    else:
        found[key] = steps
    return found


def field_of(key: str) -> str:
    """A leaf's key without the numbers in it."""
    return re.sub(r"\[[0-9]+\]", "[]", key)


def of_each_field(keys: Iterable[str]) -> list[str]:
    """One leaf for each field: the last of those that differ only in their number."""
    return list({field_of(key): key for key in keys}.values())


def covers(one: str, key: str) -> bool:
    """Whether a row is about this leaf, a part of it, or about what it is a part of."""
    return one == key or key.startswith((f"{one}.", f"{one}[")) or one.startswith((f"{key}.", f"{key}["))
