"""Weights of trackable resources, as ``[trace]`` and ``audit`` take them: Slurm's ``TRESBillingWeights``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import PlainValidator, WithJsonSchema

from ..support.errors import InputError
from ..workloads.billing import SEVERAL, SINGLE, factor, is_resource, likely
from .conditions import Schema
from .fields import expected, number

_WHAT: Final = 'weights >= 0 by resource, not all 0, like { cpu = 1, mem = "0.25G", "gres/gpu" = 10 }'


def weights(value: object) -> dict[str, str]:
    """Read billing units per unit of each resource, or raise the validator's error; names in lower case."""
    if not isinstance(value, Mapping) or not value:
        raise expected(_WHAT)
    found: dict[str, str] = {}
    for given, weight in value.items():
        name = given.strip().lower() if isinstance(given, str) else ""
        if not is_resource(name):
            known = ", ".join((*SINGLE, *(f"{group}..." for group in SEVERAL)))
            raise expected(f"{_WHAT}; {str(given)[:40]!r} is none of the resources {known}", likely(name))
        if name in found:
            raise expected(f"{_WHAT}; {name} stands there twice")
        found[name] = _weight(name, weight)
    if not any(factor(name, weight) for name, weight in found.items()):
        raise expected(_WHAT)
    return found


def _weight(name: str, value: object) -> str:
    """A weight as a text that :func:`factor` reads."""
    text = value.strip() if isinstance(value, str) else str(number(value, _WHAT))
    try:
        factor(name, text)
    except InputError as error:
        raise expected(f"{_WHAT}; {error}") from None
    return text


_SCHEMA: Final[Schema] = {
    "type": "object",
    "minProperties": 1,
    "additionalProperties": {
        "anyOf": [
            {"type": "number", "minimum": 0},
            {"type": "string", "pattern": r"^\s*[0-9]{1,30}(\.[0-9]{1,30}|/0*[1-9][0-9]{0,29})?[KMGTPkmgtp]?\s*$"},
        ]
    },
}

Weights = Annotated[dict[str, str], PlainValidator(weights), WithJsonSchema(_SCHEMA)]
"""Billing units per unit of each resource, by name."""


def shortest(found: Mapping[str, str]) -> dict[str, Any]:
    """Weights as a file says them: whole numbers without quotes."""
    return {name: int(weight) if weight.isdecimal() else weight for name, weight in found.items()}
