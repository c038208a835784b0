"""What a JSON Schema accepts, in words for errors and tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_KINDS: Final = {
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "string": "a text",
    "exact": "an exact number, such as 2 or '3/2',",
}
_BOUNDS: Final = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}


def describe_schema(schema: Mapping[str, Any]) -> str:
    """What a JSON Schema accepts, in words.

    A table that is defined elsewhere is called a table; a number that may be written as a text is called a number.

    >>> describe_schema({"anyOf": [{"type": "integer", "minimum": 1, "maximum": 9}, {"type": "null"}]})
    'an integer from 1 to 9'
    >>> describe_schema({"type": "array", "items": {"type": "number", "exclusiveMinimum": 0}})
    'a list, each a number > 0'
    >>> describe_schema({"type": "object", "properties": {"scale": {"type": "number"}}, "maxProperties": 1})
    '{ scale = a number }'
    """
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(describe_schema(part) for part in _parts(schema["anyOf"])))
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return ("one of " if len(values) > 1 else "") + ", ".join(map(repr, values))
    what = schema.get("type")
    if isinstance(what, list):
        return describe_schema({**schema, "type": next(each for each in what if each != "null")})
    if what == "array":
        return _list(schema)
    if what in _KINDS:
        return _bounded(_KINDS[schema.get("format", what)], schema)
    return "anything" if what is None and "$ref" not in schema else _table(schema)


def _parts(parts: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Those that say something new: no null, and no text that is a number written out."""
    number = any(part.get("type") == "number" for part in parts)
    return [p for p in parts if p.get("type") != "null" and not (number and p.get("type") == "string")]


def _list(schema: Mapping[str, Any]) -> str:
    if "prefixItems" in schema:
        return f"[{', '.join(describe_schema(item) for item in schema['prefixItems'])}]"
    return f"a list, each {describe_schema(schema['items'])}" if "items" in schema else "a list"


def _table(schema: Mapping[str, Any]) -> str:
    keys, others = schema.get("properties", {}), schema.get("additionalProperties")
    if keys and schema.get("maxProperties") == 1:
        return " or ".join(f"{{ {name} = {describe_schema(key)} }}" for name, key in keys.items())
    if keys:
        return f"a table {{ {', '.join(keys)} }}"
    return f"a table, each {describe_schema(others)}" if isinstance(others, Mapping) else "a table"


def _bounded(what: str, schema: Mapping[str, Any]) -> str:
    if "minimum" in schema and "maximum" in schema:
        return f"{what} from {_bound(schema['minimum'])} to {_bound(schema['maximum'])}"
    bounds = " and ".join(f"{sign} {_bound(schema[key])}" for key, sign in _BOUNDS.items() if key in schema)
    return f"{what} {bounds}" if bounds else what


def _bound(bound: float) -> str:
    return f"{int(bound) if bound == int(bound) else bound:,}"
