"""The JSON Schema of scenario files, generated from the field types and tables that the reader uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from ..mechanisms.kinds import Kind, Verb, names
from ..mechanisms.kinds import kind as find_kind
from .conditions import Schema, where
from .fields import REQUIRED, UNIT, USED_BY, WITHOUT, integer_schema
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
            "oneOf": [schema(name, options) for name in names()],
        }
    found: Schema = with_words(plain_schema(kind, options))
    return found


def plain_schema(kind: str, options: Callable[[Verb], Schema] = lambda verb: TABLE) -> Schema:
    """As :func:`schema` of one kind, with descriptions that say what a key means and nothing else."""
    entry = find_kind(kind)
    found: Schema = format_of(entry).file.model_json_schema(ref_template=f"#/$defs/{kind}-{{model}}")
    definitions = {f"{kind}-{name}": value for name, value in found.pop("$defs", {}).items()}
    found["title"] = f"consortium scenario of kind {kind}"
    head = {name: dict(key) for name, key in _HEAD.items()}
    head["kind"]["const"] = kind
    found["properties"] = {**head, **found["properties"], "expect": _expect(entry, options)}
    found["required"] = ["format", "kind", *found.get("required", [])]
    return {**found, "$id": f"consortium-{kind}", "$defs": definitions}


def _expect(kind: Kind, options: Callable[[Verb], Schema]) -> Schema:
    verbs = {
        name: TABLE | {"description": f"of the record of {name}"} | where(options=_of_verb(options(kind.verb(name))))
        for name in expectable(kind)
    }
    about = {"description": _EXPECTED, WITHOUT: "nothing is expected"}
    return {**TABLE, **about, "properties": verbs, "additionalProperties": False}


def _of_verb(options: Schema) -> Schema:
    return options | {"description": "options that the verb is asked with"}


def with_words(found: Any) -> Any:
    """The schema with :func:`worded` descriptions of all keys."""
    if isinstance(found, list):
        return [with_words(inner) for inner in found]
    if not isinstance(found, Mapping):
        return found
    schema = {word: with_words(inner) for word, inner in found.items()}
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
