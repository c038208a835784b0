"""The JSON Schema of scenario files, generated from the field types that the reader uses."""

from __future__ import annotations

import importlib
from typing import Any

from ..scheduling.errors import unknown_name
from .reader import FORMAT, VERBS, built_kinds


def schema(kind: str | None = None) -> dict[str, Any]:
    """JSON Schema of one kind, or of all (``oneOf`` by kind). Raises UnknownNameError for a wrong kind.

    >>> schema("declaration")["properties"]["kind"]
    {'const': 'declaration'}
    """
    if kind is None:
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "consortium scenario",
            "oneOf": [schema(name) for name in built_kinds()],
        }
    if kind not in built_kinds():
        raise unknown_name("kind", kind, built_kinds())
    module = importlib.import_module(f".{kind}", __package__)
    found: dict[str, Any] = module.FILE.model_json_schema(ref_template=f"#/$defs/{kind}-{{model}}")
    definitions = {f"{kind}-{name}": value for name, value in found.pop("$defs", {}).items()}
    found["title"] = f"consortium scenario of kind {kind}"
    found["properties"] = {
        "format": {"const": FORMAT},
        "kind": {"const": kind},
        "title": {"type": "string"},
        "source": {"type": "string"},
        "seed": {"type": "integer", "minimum": 0},
        **found["properties"],
        "expect": {
            "type": "object",
            "properties": {verb: {"type": "object"} for verb in VERBS},
            "additionalProperties": False,
        },
    }
    found["required"] = ["format", "kind", *found.get("required", [])]
    return {**found, "$id": f"consortium-{kind}", "$defs": definitions}
