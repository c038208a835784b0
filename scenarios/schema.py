"""The JSON Schema of scenario files, generated from the field types that the reader uses."""

from __future__ import annotations

from typing import Any

from ..mechanisms.kinds import kind as find_kind
from ..mechanisms.kinds import names
from .reader import VERSION, expectable, format_of


def schema(kind: str | None = None) -> dict[str, Any]:
    """JSON Schema of one kind, or of all (``oneOf`` by kind). Raises UnknownNameError for a wrong kind.

    >>> schema("declaration")["properties"]["kind"]
    {'const': 'declaration'}
    """
    if kind is None:
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "consortium scenario",
            "oneOf": [schema(name) for name in names()],
        }
    entry = find_kind(kind)
    found: dict[str, Any] = format_of(entry).file.model_json_schema(ref_template=f"#/$defs/{kind}-{{model}}")
    definitions = {f"{kind}-{name}": value for name, value in found.pop("$defs", {}).items()}
    found["title"] = f"consortium scenario of kind {kind}"
    found["properties"] = {
        "format": {"const": VERSION},
        "kind": {"const": kind},
        "title": {"type": "string"},
        "source": {"type": "string"},
        "seed": {"type": "integer", "minimum": 0},
        **found["properties"],
        "expect": {
            "type": "object",
            "properties": {verb: {"type": "object"} for verb in expectable(entry)},
            "additionalProperties": False,
        },
    }
    found["required"] = ["format", "kind", *found.get("required", [])]
    return {**found, "$id": f"consortium-{kind}", "$defs": definitions}
