"""Conditions between keys: which go together, and what one says of the others.

A :class:`Condition` is declared once, next to the fields of its block (:meth:`.fields.Block.conditions`). The JSON
Schema has it as ``if`` and ``then``, and the reader goes through the same words to find what does not fit, where, and
which sentence says what was expected.

>>> condition = Condition(with_values(rule=one_of(["harsh"])), without("penalty"), "no penalty with rule = 'harsh'")
>>> condition.schema["then"]
{'properties': {'penalty': {'type': 'null'}}}
>>> problems = Problems()
>>> check([condition], {"rule": "harsh", "penalty": 2}, "mechanism", problems)
>>> print(problems.noted[0])
mechanism.penalty: found 2; expected no penalty with rule = 'harsh'

What such a schema cannot say: that names are known, that lists are equally long, how two values compare.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from ..support.errors import nearest
from .problems import MISSING, Problems, within

Schema: TypeAlias = dict[str, Any]
Failure: TypeAlias = tuple[str, object, Schema]
"""Where a value does not fit, the value, and what it does not fit."""

PRESENT: Final[Schema] = {"not": {"type": "null"}}
"""Any value; from Python, ``None`` is none."""


@dataclass(frozen=True)
class Condition:
    """Where the keys of a table fit ``when``, they fit ``then``.

    Attributes
    ----------
    when, then
        In the words of a JSON Schema.
    expected
        What a reader of errors is told, or how that is made from the table; empty where only editors are told, because
        the check of a value says more.
    at
        Path of the key to blame, below the table; empty for the one that does not fit.
    value
        What was found, from the table, where it is not the value.
    once
        Whether the first place that does not fit speaks for all.
    """

    when: Schema
    then: Schema
    expected: str | Callable[[Any], str] = ""
    at: str = ""
    value: Callable[[Any], object] | None = None
    once: bool = False

    @property
    def schema(self) -> Schema:
        """As the JSON Schema says it."""
        return {"if": self.when, "then": self.then} if self.when else self.then


def one_of(values: Iterable[str]) -> Schema:
    """One of these texts."""
    return {"enum": sorted(values)}


def where(**keys: Schema) -> Schema:
    """Each of these keys fits its schema, where it is there."""
    return {"properties": keys}


def with_values(**keys: Schema) -> Schema:
    """Each of these keys is there and fits its schema."""
    return {"properties": keys, "required": list(keys)}


def with_keys(*keys: str) -> Schema:
    """All of these keys are there."""
    return with_values(**dict.fromkeys(keys, PRESENT))


def without(*keys: str) -> Schema:
    """None of these keys is there."""
    return where(**{key: {"type": "null"} for key in keys})


def every(item: Schema) -> Schema:
    """Each item of a list fits the schema."""
    return {"items": item}


# --- the reader's side ----------------------------------------------------------------------------------------------


def check(conditions: Iterable[Condition], table: Mapping[str, Any], path: str, problems: Problems) -> None:
    """Note what the conditions refuse in a table; what rests on a value that has a problem is not judged."""
    conditions = [each for each in conditions if each.expected]
    if not conditions:
        return
    bad, noted = [problem.path for problem in problems.noted], set[str]()

    def doubtful(place: str, whole: bool) -> bool:
        return any(within(place, each) or (whole and within(each, place)) for each in bad)

    for condition in conditions:
        if not fits(condition.when, table):
            continue
        keys = (*_keys_of(condition.when, table, path, True), *_keys_of(condition.then, table, path, False))
        if any(doubtful(place, whole) for place, whole in keys):
            continue
        for place, value, schema in failures(condition.then, table, path):
            names = schema.get("enum", ())
            near = nearest(value, names) if isinstance(value, str) else None
            if condition.at:
                place, value, near = _below(path, condition.at), _at(table, condition.at), None
            if place not in noted and not doubtful(place, False):
                what = condition.expected if isinstance(condition.expected, str) else condition.expected(table)
                problems.add(place, value if condition.value is None else condition.value(table), what, near)
                noted.add(place)
            if condition.once or condition.at:
                break


def fits(schema: Schema, value: object) -> bool:
    """Whether a value fits a schema of the words of this module."""
    return next(failures(schema, value, ""), None) is None


_TYPES: Final[Mapping[str, Any]] = {
    "object": Mapping,
    "array": (list, tuple),
    "null": type(None),
    "string": str,
    "integer": int,
}


def failures(schema: Schema, value: object, path: str) -> Iterator[Failure]:
    """Every innermost place where a value does not fit a schema."""
    if (
        ("enum" in schema and value not in schema["enum"])
        or ("const" in schema and value != schema["const"])
        or ("pattern" in schema and not (isinstance(value, str) and re.search(schema["pattern"], value)))
        or ("not" in schema and fits(schema["not"], value))
        or ("anyOf" in schema and not any(fits(part, value) for part in schema["anyOf"]))
    ):
        yield path, value, schema
    if "type" in schema and not isinstance(value, _TYPES[schema["type"]]):
        keys = schema.get("required", ())  # a number that stands for a table has none of its keys
        yield from ((_below(path, key), MISSING, schema) for key in keys)
        if not keys:
            yield path, value, schema
    for part in schema.get("allOf", ()):
        yield from failures(part, value, path)
    if "if" in schema and fits(schema["if"], value):
        yield from failures(schema["then"], value, path)
    if isinstance(value, Mapping):
        yield from _in_table(schema, value, path)
    elif isinstance(value, list | tuple):
        yield from _in_list(schema, value, path)


def _in_table(schema: Schema, table: Mapping[str, Any], path: str) -> Iterator[Failure]:
    missing = [key for key in schema.get("required", ()) if table.get(key) is None]
    yield from ((_below(path, key), MISSING, schema) for key in missing)
    for key, part in schema.get("properties", {}).items():
        if key not in missing and table.get(key) is not None:
            yield from failures(part, table[key], _below(path, key))
    names, items = schema.get("propertyNames"), schema.get("additionalProperties")
    if (
        (names is not None and not all(fits(names, key) for key in table))
        or (items is not None and not all(fits(items, item) for item in table.values()))
        or len(table) < schema.get("minProperties", 0)
    ):
        yield path, table, schema


def _in_list(schema: Schema, items: list[Any] | tuple[Any, ...], path: str) -> Iterator[Failure]:
    if len(items) < schema.get("minItems", 0):
        yield path, items, schema
    if "items" in schema:
        for i, item in enumerate(items):
            yield from failures(schema["items"], item, f"{path}[{i + 1}]")
    if schema.get("uniqueItems"):
        for i, item in enumerate(items):
            if item in items[:i]:
                yield f"{path}[{i + 1}]", item, schema
    if "contains" in schema:
        fitting = [i for i, item in enumerate(items) if fits(schema["contains"], item)]
        if len(fitting) < schema.get("minContains", 1):
            yield path, items, schema
        keys = schema["contains"].get("properties", {})
        for i in fitting[schema.get("maxContains", len(items)) :]:
            for key in keys:  # the key that makes it one too many
                yield _below(f"{path}[{i + 1}]", key), items[i][key], schema


def _keys_of(schema: Schema, value: object, path: str, items: bool) -> Iterator[tuple[str, bool]]:
    """Paths of the keys that a schema asks about, and whether all of what stands there counts, or only that it does.

    Keys of the items of a list are among them only where ``items``; else each is judged by itself.
    """
    for word in ("not", "if", "then"):
        if word in schema:
            yield from _keys_of(schema[word], value, path, items)
    for word in ("allOf", "anyOf"):
        for part in schema.get(word, ()):
            yield from _keys_of(part, value, path, items)
    parts = {**dict.fromkeys(schema.get("required", ()), PRESENT), **schema.get("properties", {})}
    for key, part in parts.items():
        item = value.get(key) if isinstance(value, Mapping) else None
        inner = list(_keys_of(part, item, _below(path, key), items))
        if inner or "items" in part:
            yield from inner
        else:
            yield _below(path, key), part not in (PRESENT, {"type": "null"})
    if isinstance(value, list | tuple):
        for word in ("contains", "items") if items else ("contains",):
            if word in schema:
                for i, item in enumerate(value):
                    yield from _keys_of(schema[word], item, f"{path}[{i + 1}]", items)


def _below(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _at(table: Any, path: str) -> object:
    for key in path.split("."):
        table = table.get(key, MISSING) if isinstance(table, Mapping) else MISSING
    return table
