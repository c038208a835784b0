"""The JSON Schema of study files, generated from the tables that the reader uses.

>>> schema()["properties"]["kind"], "replicates" in schema()["properties"]
({'const': 'study'}, True)
"""

from __future__ import annotations

from typing import Any, Final

from .blocks import VERSION, HeadBlock, PlotBlock, StopBlock
from .reader import KIND

_FREE: Final = {"type": "object"}
_COLUMNS: Final = {"type": "object", "additionalProperties": {"type": "array", "minItems": 1}}
_TABLES: Final = {
    "options": _FREE | {"description": "options of the verb; with several verbs a table for each"},
    "base": _FREE | {"description": "a scenario, or scenario = its path or its shipped name"},
    "family": _FREE
    | {
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
        "description": "a random family that fills the base, with its parameters",
    },
    "vary": _COLUMNS | {"description": "values of paths of the scenario, of family.PARAMETER and options.NAME"},
    "together": {"type": "array", "items": _COLUMNS, "description": "columns that vary together"},
    "measures": _FREE
    | {"additionalProperties": {"type": "string"}, "description": "paths into the record, or VERB:PATH"},
    "statistics": _FREE
    | {
        "additionalProperties": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "description": "statistics of measures, per group",
    },
    "full": _FREE | {"description": "keys and tables in the full size"},
}


def schema() -> dict[str, Any]:
    """JSON Schema of study files; what the names in it refer to, it cannot say."""
    found = HeadBlock.model_json_schema()
    found["title"] = "consortium study"
    found["$id"] = "consortium-study"
    found["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    found["properties"] = {
        "format": {"const": VERSION},
        "kind": {"const": KIND},
        **found["properties"],
        **_TABLES,
        "stop": StopBlock.model_json_schema(),
        "plots": {"type": "array", "items": PlotBlock.model_json_schema()},
    }
    found["required"] = ["format", "kind", "base", *found["required"]]
    return found
