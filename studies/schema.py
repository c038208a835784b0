"""The JSON Schema of study files, generated from the tables that the reader uses.

>>> schema()["properties"]["kind"]["const"], "replicates" in schema()["properties"]
('study', True)
"""

from __future__ import annotations

from typing import Any, Final

from ..scenarios.fields import WITHOUT, named
from ..scenarios.schema import with_words
from .blocks import VERSION, HeadBlock, PlotBlock, StopBlock
from .measures import PERCENTILES, STATISTICS
from .reader import KIND

_FREE: Final = {"type": "object"}
_COLUMNS: Final = {"type": "object", "additionalProperties": {"type": "array", "minItems": 1}}
_STATISTIC: Final = {"anyOf": [named(STATISTICS), {"type": "string", "pattern": PERCENTILES}]}
_FAMILY: Final = {
    "title": "FamilyBlock",
    "properties": {"name": {"type": "string", "description": "name of a family of the base's kind"}},
    "required": ["name"],
}
_TABLES: Final = {
    "options": _FREE
    | {"description": "options of the verb; with several verbs a table for each", WITHOUT: "the verb's defaults"},
    "base": _FREE | {"description": "a scenario written out, or scenario = its path or its shipped name"},
    "family": _FREE
    | _FAMILY
    | {"description": "a random family that fills the base, with its parameters", WITHOUT: "the base as it is"},
    "vary": _COLUMNS
    | {
        "description": "values of paths of the scenario, of family.PARAMETER and options.NAME: the grid",
        WITHOUT: "one cell",
    },
    "together": {
        "type": "array",
        "items": _COLUMNS,
        "description": "columns of equal length that vary together: each table is one axis of the grid",
        WITHOUT: "none",
    },
    "measures": _FREE
    | {
        "additionalProperties": {"type": "string"},
        "description": "by name a path into the record, with several verbs VERB:PATH",
        WITHOUT: "none",
    },
    "statistics": _FREE
    | {
        "additionalProperties": {"type": "array", "items": _STATISTIC, "minItems": 1},
        "description": "by name of a measure what is told of it, per group: statistics, or percentiles such as p90",
        WITHOUT: "none",
    },
    "full": _FREE
    | {"description": "keys and tables as they are in the full size, which --full asks for", WITHOUT: "one size"},
}


def plain_schema() -> dict[str, Any]:
    """As :func:`schema`, with descriptions that say what a key means and nothing else."""
    found = HeadBlock.model_json_schema()
    found["title"] = "consortium study"
    found["$id"] = "consortium-study"
    found["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    found["properties"] = {
        "format": {"const": VERSION, "description": "version of the format"},
        "kind": {"const": KIND, "description": "that it is a study"},
        **found["properties"],
        **_TABLES,
        "stop": StopBlock.model_json_schema()
        | {"description": "a hunt: what is looked for", WITHOUT: "every task is done"},
        "plots": {
            "type": "array",
            "items": PlotBlock.model_json_schema(),
            "description": "figures of the measures",
            WITHOUT: "none",
        },
    }
    found["required"] = ["format", "kind", "base", *found["required"]]
    return found


def schema() -> dict[str, Any]:
    """JSON Schema of study files; what the names in it refer to, it cannot say."""
    found: dict[str, Any] = with_words(plain_schema())
    return found
