"""A half-life, as ``[mechanism]`` and ``audit`` take it: Slurm's ``PriorityDecayHalfLife``."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import PlainValidator, WithJsonSchema

from ..mechanisms.sharing.catalogue import HALF_LIFE_MAX
from ..support.units import seconds_of
from .fields import expected, integer_schema

_WHAT: Final = "a whole number >= 1, or a text like '7d', '36h' or '7-0' (days-hours)"


def half_life(value: object) -> int:
    """Read units of time, seconds where a text says days or hours, or raise the validator's error."""
    found = seconds_of(value) if isinstance(value, str) else value
    if isinstance(found, bool) or not isinstance(found, int) or found < 1:
        raise expected(_WHAT)
    if found > HALF_LIFE_MAX:
        raise expected(f"{_WHAT}, at most {HALF_LIFE_MAX}")
    return found


HalfLife = Annotated[
    int,
    PlainValidator(half_life),
    WithJsonSchema({"anyOf": [integer_schema(1, HALF_LIFE_MAX), {"type": "string", "minLength": 1}]}),
]
"""How long past usage takes to count half."""
