"""Words for what a JSON Schema says of several keys at once: which go together, and what one says of the others.

A block's conditions (:meth:`.fields.Block.conditions`) stand beside the checks of its reader and use the same tables.
What such a schema cannot say: that names are unique or known, that lists are equally long, how two values compare.

>>> when(given(rule=one_of(["harsh"])), without("penalty"))["then"]
{'properties': {'penalty': {'type': 'null'}}}
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any, Final, TypeAlias

Schema: TypeAlias = dict[str, Any]

PRESENT: Final[Schema] = {"not": {"type": "null"}}
"""Any value; from Python, ``None`` is none."""


def one_of(values: Iterable[str]) -> Schema:
    """One of these texts."""
    return {"enum": sorted(values)}


def where(**keys: Schema) -> Schema:
    """Each of these keys fits its schema, where it is there."""
    return {"properties": keys}


def given(**keys: Schema) -> Schema:
    """Each of these keys is there and fits its schema."""
    return {"properties": keys, "required": list(keys)}


def with_keys(*keys: str) -> Schema:
    """All of these keys are there."""
    return given(**dict.fromkeys(keys, PRESENT))


def without(*keys: str) -> Schema:
    """None of these keys is there."""
    return where(**{key: {"type": "null"} for key in keys})


def when(condition: Schema, then: Schema, otherwise: Schema | None = None) -> Schema:
    """One schema or the other."""
    return {"if": condition, "then": then} | ({} if otherwise is None else {"else": otherwise})


def exclusive(*keys: str) -> Schema:
    """At most one of these keys is there."""
    return {"allOf": [{"not": with_keys(*pair)} for pair in combinations(keys, 2)]}


def every(item: Schema) -> Schema:
    """Each item of a list fits the schema."""
    return {"items": item}
