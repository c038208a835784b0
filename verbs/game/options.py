"""Options of ``search``, the same for every game."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any

from pydantic import PlainValidator, WithJsonSchema

from ...scenarios.fields import expected, number, number_schema
from ..options import LIMITED, CountOrNone, Field, Flag, NameText, Options, Seconds, Switch, parse_json


def _start(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, list | tuple):
        return tuple(value)
    raise expected("everybody's strategy, a table by name or a list in order")


def _factor(value: object) -> Fraction:
    what = "a factor >= 1: an integer, a decimal or a quoted fraction such as '3/2'"
    found = number(value, what)
    if found < 1:
        raise expected(what)
    return found


Factor = Annotated[Fraction, PlainValidator(_factor), WithJsonSchema(number_schema(1)), Flag("NUMBER")]
Start = Annotated[Any, PlainValidator(_start), WithJsonSchema({"type": ["object", "array"]}), Flag("JSON", parse_json)]


class Search(Options):
    """``search`` on any game."""

    method: NameText | None = Field(None, description="How to search; default: what fits the game.")
    list: CountOrNone = Field(10, description="Rows to list in long tables.")
    time_limit: Seconds | None = Field(None, description=LIMITED)
    epsilon: Factor | None = Field(None, description="List the epsilon-approximate equilibria, a factor >= 1.")
    mixed: Switch = Field(False, description="Also mixed equilibria (two players).")
    start: Start | None = Field(None, description="Start of the dynamics: everybody's strategy, '{\"ann\": 1, ...}'.")
