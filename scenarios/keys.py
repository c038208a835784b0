"""The keys of a scenario file in a table: what the JSON Schema says, for people.

>>> [key.key for key in keys("declaration") if key.block == "agents"]
['name', 'length', 'declares', 'strategy', 'value']
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..mechanisms.registry import RuleInfo
from ..support.schema import describe_schema
from .conditions import PRESENT, Schema
from .fields import IN_PLACE, MEANINGS, REQUIRED, UNIT, USED_BY, WITHOUT
from .mechanism import keys_of
from .schema import plain_schema


@dataclass(frozen=True)
class Key:
    """One key.

    Attributes
    ----------
    block
        Where it stands: ``"cluster"``, ``"organizations.jobs"``, empty at the top of a file.
    key
        Its name.
    accepted
        What may be written.
    default
        What holds without it, or that it must be given.
    unit
        Of its numbers; empty without one.
    meaning
        What it is.
    used_by
        By which values of which other key it is used; empty where by all.
    names
        What each name that may be written means.
    listed
        Whether the block is a list of tables.
    """

    block: str
    key: str
    accepted: str
    default: str
    unit: str
    meaning: str
    used_by: Mapping[str, Sequence[str]] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    listed: bool = False


def keys(kind: str) -> list[Key]:
    """Every key of the files of a kind, block by block. Raises UnknownNameError for a wrong kind.

    Keys of ``[expect]`` are those of records, and are not among them.
    """
    return keys_in(plain_schema(kind))


def keys_in(schema: Schema) -> list[Key]:
    """Every key that a JSON Schema of a whole file describes."""
    return list(_block(schema, "", False, schema.get("$defs", {})))


def keys_of_rule(kind: str, rule: RuleInfo) -> list[Key]:
    """The keys of ``[mechanism]`` that a rule uses, with what its own conditions say of them."""
    whole = plain_schema(kind)
    definitions = whole["$defs"]
    ((block, _),) = _tables(whole["properties"]["mechanism"], definitions)
    own = [c["then"] for c in block.get("allOf", ()) if "then" in c and _about(c["if"], rule.id)]
    used, properties = keys_of(rule), dict(block["properties"])
    for said in own:
        for name, key in said.get("properties", {}).items():
            properties[name] = (properties[name] if key == PRESENT else _told(properties[name])) | key
    required = {name for said in own for name in said.get("required", ())}
    narrowed = {"properties": {n: key for n, key in properties.items() if n in used}, "required": required}
    return [key for key in _block(narrowed, "mechanism", False, definitions) if key.block == "mechanism"]


def _told(key: Schema) -> Schema:
    """What is said of a key besides what it accepts."""
    return {word: key[word] for word in ("description", "default", UNIT, WITHOUT, USED_BY) if word in key}


def _about(condition: Schema, rule: str) -> bool:
    """Whether a condition asks for this rule and nothing else."""
    asked = condition.get("properties", {})
    return set(asked) == {"rule"} and rule in asked["rule"].get("enum", ())


def _block(schema: Schema, block: str, listed: bool, definitions: Mapping[str, Schema]) -> Iterator[Key]:
    """The keys of one table, then those of the tables in it."""
    required = schema.get("required", ())
    for name, key in schema["properties"].items():
        yield Key(
            block, name, describe_schema(key), REQUIRED if name in required else _default(key), key.get(UNIT, ""),
            key.get("description", ""), key.get(USED_BY, {}), dict(_names(key)), listed,
        )  # fmt: skip
    for name, key in schema["properties"].items():
        if not (block == "" and name == "expect"):
            for inner, many in _tables(key, definitions):
                yield from _block(inner, f"{block}.{name}" if block else name, many, definitions)


def _default(key: Schema) -> str:
    if WITHOUT in key:
        return str(key[WITHOUT])
    return "" if key.get("default") is None else json.dumps(key["default"])


def _names(key: Any) -> Iterator[tuple[str, str]]:
    """Names that may be written and what each means, keys of a table written in place among them."""
    if isinstance(key, list):
        for part in key:
            yield from _names(part)
    elif isinstance(key, Mapping):
        yield from zip(key.get("enum", ()), key.get(MEANINGS, ()), strict=False)
        if _in_place(key):
            yield from ((name, inner["description"]) for name, inner in key["properties"].items())
        yield from _names(key.get("anyOf", []))
        yield from _names(key.get("items", []))


def _in_place(key: Mapping[str, Any]) -> bool:
    """Whether it is a small table written in one line, as in ``{ scale = 2 }``."""
    return IN_PLACE in key


def _tables(key: Schema, definitions: Mapping[str, Schema]) -> Iterator[tuple[Schema, bool]]:
    """Tables that may stand for a key, and whether in a list."""
    for part in key.get("anyOf", [key]):
        if part.get("type") == "array":
            yield from ((table, True) for table, _ in _tables(part.get("items", {}), definitions))
        elif "$ref" in part:
            yield definitions[part["$ref"].rpartition("/")[2]], False
        elif "properties" in part and not _in_place(part):
            yield part, False
