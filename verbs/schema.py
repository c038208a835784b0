"""The JSON Schema of scenario files with the options of verbs, which the floor of files does not know."""

from __future__ import annotations

from typing import Any

from ..mechanisms.kinds import Verb
from ..scenarios.schema import schema as schema_of_files
from ..scheduling.loading import load
from .options import options_schema


def schema(kind: str | None = None) -> dict[str, Any]:
    """JSON Schema of one kind, or of all. Raises UnknownNameError for a wrong kind.

    >>> expect = schema("declaration")["properties"]["expect"]["properties"]
    >>> expect["search"]["properties"]["options"]["properties"]["time_limit"]["description"]
    'Stop after so long and print what is known.'
    """
    return schema_of_files(kind, _options)


def _options(verb: Verb) -> dict[str, Any]:
    return options_schema(load(verb.options))
