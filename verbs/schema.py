"""The JSON Schema of scenario files with the options of verbs, which the floor of files does not know."""

from __future__ import annotations

from typing import Any

from ..mechanisms.kinds import Verb
from ..scenarios.schema import schema as schema_of_files
from ..support.loading import load
from .options import Options, flag_of


def schema(kind: str | None = None) -> dict[str, Any]:
    """JSON Schema of one kind, or of all. Raises UnknownNameError for a wrong kind.

    >>> expect = schema("declaration")["properties"]["expect"]["properties"]
    >>> expect["search"]["properties"]["options"]["properties"]["time_limit"]["description"]
    'Stop after so long and print what is known.'
    """
    return schema_of_files(kind, _options)


def _options(verb: Verb) -> dict[str, Any]:
    """Options that a scenario file may give."""
    model: type[Options] = load(verb.options)
    found = model.model_json_schema()
    allowed = {name for name, info in model.model_fields.items() if "file" in flag_of(info).doors}
    found["properties"] = {name: value for name, value in found.get("properties", {}).items() if name in allowed}
    return found
