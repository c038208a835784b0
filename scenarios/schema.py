"""The JSON Schema of scenario files, generated from the field types and tables that the reader uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..mechanisms.kinds import Kind, Verb, names
from ..mechanisms.kinds import kind as find_kind
from .conditions import Schema, where
from .fields import integer_schema
from .reader import SEED_MAX, VERSION, expectable, format_of

_TEXT: Final = {"type": ["string", "null"], "pattern": r"\S"}
TABLE: Final = {"type": "object"}


def schema(kind: str | None = None, options: Callable[[Verb], Schema] = lambda verb: TABLE) -> Schema:
    """JSON Schema of one kind, or of all (``oneOf`` by kind).

    Parameters
    ----------
    kind
        Its name. Raises UnknownNameError for a wrong one.
    options
        What is known of ``[expect.VERB.options]``, which this floor does not know.

    >>> schema("declaration")["properties"]["kind"]
    {'const': 'declaration'}
    """
    if kind is None:
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "consortium scenario",
            "oneOf": [schema(name, options) for name in names()],
        }
    entry = find_kind(kind)
    found: Schema = format_of(entry).file.model_json_schema(ref_template=f"#/$defs/{kind}-{{model}}")
    definitions = {f"{kind}-{name}": value for name, value in found.pop("$defs", {}).items()}
    found["title"] = f"consortium scenario of kind {kind}"
    found["properties"] = {
        "format": {"const": VERSION},
        "kind": {"const": kind},
        "title": _TEXT,
        "source": _TEXT,
        "seed": integer_schema(0, SEED_MAX),
        **found["properties"],
        "expect": _expect(entry, options),
    }
    found["required"] = ["format", "kind", *found.get("required", [])]
    return {**found, "$id": f"consortium-{kind}", "$defs": definitions}


def _expect(kind: Kind, options: Callable[[Verb], Schema]) -> Schema:
    verbs = {name: TABLE | where(options=options(kind.verb(name))) for name in expectable(kind)}
    return {**TABLE, "properties": verbs, "additionalProperties": False}
