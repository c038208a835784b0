"""The JSON Schema of scenario files, generated from the field types and tables that the reader uses.

:func:`keys` is the same for people: every key of a file in a table.

>>> [key.key for key in keys("declaration") if key.block == "agents"]
['name', 'length', 'declares', 'strategy', 'value']
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from ..mechanisms.kinds import Kind, RuleInfo, Verb, names
from ..mechanisms.kinds import kind as find_kind
from ..support.loading import usable
from ..support.schema import describe_schema
from .blocks import keys_of
from .conditions import PRESENT, Schema, where
from .fields import IN_PLACE, MEANINGS, REQUIRED, UNIT, USED_BY, WITHOUT, integer_schema
from .reader import SEED_MAX, VERSION, expectable, format_of

_TEXT: Final = {"type": ["string", "null"], "pattern": r"\S"}
TABLE: Final = {"type": "object"}
_EXPECTED: Final = (
    "values of the records of verbs, by paths into what `--json` prints, such as agents.ann.payment; "
    "`consortium check` compares them, and asks with the options in a table [expect.VERB.options]"
)
_HEAD: Final[Mapping[str, Schema]] = MappingProxyType(
    {
        "format": {"const": VERSION, "description": "version of the format"},
        "kind": {"description": "who plays under what"},
        "title": {**_TEXT, "description": "for people: what the file shows", WITHOUT: "the file's name"},
        "source": {**_TEXT, "description": "for people: paper and section", WITHOUT: "none"},
        "seed": {
            **integer_schema(0, SEED_MAX),
            "description": "root of all random choices, where a rule or a verb makes some",
            WITHOUT: "0",
        },
    }
)
"""The keys of every scenario."""


def schema(kind: str | None = None, options: Callable[[Verb], Schema] = lambda verb: TABLE) -> Schema:
    """JSON Schema of one kind, or of all (``oneOf`` by kind).

    A key's ``description`` says all that is known of it: what it means, its unit, what holds without it, with which
    rules it is used. The parts stand beside it, under words of :mod:`.fields` that validators ignore.

    Parameters
    ----------
    kind
        Its name. Raises UnknownNameError for a wrong one.
    options
        What is known of ``[expect.VERB.options]``, which this floor does not know.

    >>> schema("declaration")["properties"]["kind"]["const"]
    'declaration'
    """
    if kind is None:
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "consortium scenario",
            "oneOf": [*usable(names(), lambda name: schema(name, options)).values()],
        }
    whole: Schema = with_words(plain_schema(kind, options))
    return whole


def plain_schema(kind: str, options: Callable[[Verb], Schema] = lambda verb: TABLE) -> Schema:
    """As :func:`schema` of one kind, with descriptions that say what a key means and nothing else."""
    entry = find_kind(kind)
    whole: Schema = format_of(entry).file.model_json_schema(ref_template=f"#/$defs/{kind}-{{model}}")
    definitions = {f"{kind}-{name}": value for name, value in whole.pop("$defs", {}).items()}
    whole["title"] = f"consortium scenario of kind {kind}"
    head = {name: dict(key) for name, key in _HEAD.items()}
    head["kind"]["const"] = kind
    whole["properties"] = {**head, **whole["properties"], "expect": _expect(entry, options)}
    whole["required"] = ["format", "kind", *whole.get("required", [])]
    return {**whole, "$id": f"consortium-{kind}", "$defs": definitions}


def _expect(kind: Kind, options: Callable[[Verb], Schema]) -> Schema:
    verbs = {
        name: TABLE
        | {"description": f"of the record of {name}"}
        | where(options=options(kind.verb(name)) | {"description": "options that the verb is asked with"})
        for name in expectable(kind)
    }
    about = {"description": _EXPECTED, WITHOUT: "nothing is expected"}
    return {**TABLE, **about, "properties": verbs, "additionalProperties": False}


def with_words(part: Any) -> Any:
    """The schema with :func:`worded` descriptions of all keys."""
    if isinstance(part, list):
        return [with_words(inner) for inner in part]
    if not isinstance(part, Mapping):
        return part
    schema = {word: with_words(inner) for word, inner in part.items()}
    for name, key in schema.get("properties", {}).items():
        schema["properties"][name] = key | {"description": worded(key)} if "description" in key else key
    return schema


def worded(key: Schema) -> str:
    """What an editor shows of a key.

    >>> worded({"description": "private length", UNIT: "work", USED_BY: {"rule": ["edf", "lst"]}})
    'private length. Unit: work. Only with rule: edf, lst'
    """
    parts = [key["description"]]
    parts += [f"Unit: {key[UNIT]}"] if UNIT in key else []
    if WITHOUT in key:
        parts.append("Must be given" if key[WITHOUT] == REQUIRED else f"Without it: {key[WITHOUT]}")
    parts += [f"Only with {chooser}: {', '.join(users)}" for chooser, users in key.get(USED_BY, {}).items()]
    return ". ".join(parts)


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
    for branch in own:
        for name, key in branch.get("properties", {}).items():
            properties[name] = (properties[name] if key == PRESENT else _notes(properties[name])) | key
    required = {name for branch in own for name in branch.get("required", ())}
    narrowed = {"properties": {n: key for n, key in properties.items() if n in used}, "required": required}
    return [key for key in _block(narrowed, "mechanism", False, definitions) if key.block == "mechanism"]


def _notes(key: Schema) -> Schema:
    """What is known of a key besides what it accepts."""
    return {word: key[word] for word in ("description", "default", UNIT, WITHOUT, USED_BY) if word in key}


def _about(condition: Schema, rule: str) -> bool:
    """Whether a condition asks for this rule and nothing else."""
    keys = condition.get("properties", {})
    return set(keys) == {"rule"} and rule in keys["rule"].get("enum", ())


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
        if IN_PLACE in key:
            yield from ((name, inner["description"]) for name, inner in key["properties"].items())
        yield from _names(key.get("anyOf", []))
        yield from _names(key.get("items", []))


def _tables(key: Schema, definitions: Mapping[str, Schema]) -> Iterator[tuple[Schema, bool]]:
    """Tables that may stand for a key, and whether in a list."""
    for part in key.get("anyOf", [key]):
        if part.get("type") == "array":
            yield from ((table, True) for table, _ in _tables(part.get("items", {}), definitions))
        elif "$ref" in part:
            yield definitions[part["$ref"].rpartition("/")[2]], False
        elif "properties" in part and IN_PLACE not in part:
            yield part, False
