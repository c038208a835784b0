"""Options of ``search``, the same for every game."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any, Final

from pydantic import PlainValidator, WithJsonSchema

from ...games.equilibria.coalitions.results import NOTIONS as NOTIONS
from ...scenarios.fields import bounded, choice, expected, number, number_schema
from ..options import (
    LIMITED,
    Count,
    CountOrNone,
    Field,
    Flag,
    Memory,
    NameText,
    Options,
    Seconds,
    Seed,
    Switch,
    listed,
    parse_json,
)

CONCEPTS: Final = ("coarse", "correlated")
"""Equilibria of correlated play."""
BEST_RESPONSE: Final = "best-response"
DYNAMICS: Final = (BEST_RESPONSE, "best-response-with-inertia", "fictitious-play", "regret-matching")
"""Rules by which players go on from a profile."""
DRAWN: Final = ("best-response-with-inertia", "regret-matching")
"""Those by which players draw."""


def _start(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, list | tuple):
        return tuple(value)
    raise expected("everybody's strategy, a table by name or a list in order")


_factor = bounded(1, False, "a factor >= 1: an integer, a decimal or a quoted fraction such as '3/2'")


def _lambdas(value: object) -> tuple[Fraction, ...]:
    what = "numbers >= 0, one or a list: integers, decimals or quoted fractions such as '3/2'"
    lambdas = tuple(number(item, what) for item in (value if isinstance(value, list | tuple) else [value]))
    if not lambdas or min(lambdas) < 0:
        raise expected(what)
    return lambdas


Factor = Annotated[Fraction, PlainValidator(_factor), WithJsonSchema(number_schema(1)), Flag("NUMBER")]
NOTION: Final = f"When a deviation pays a coalition: {', '.join(NOTIONS[:-1])} or {NOTIONS[-1]}."
Lambdas = Annotated[
    tuple[Fraction, ...],
    PlainValidator(_lambdas),
    WithJsonSchema({"anyOf": [number_schema(0), {"type": "array", "items": number_schema(0), "minItems": 1}]}),
    Flag("NUMBER,NUMBER,...", listed),
]
Start = Annotated[Any, PlainValidator(_start), WithJsonSchema({"type": ["object", "array"]}), Flag("JSON", parse_json)]


class Search(Options):
    """``search`` on any game."""

    method: NameText | None = Field(None, description="How to search; default: what fits the game.", group="Equilibria")
    list: CountOrNone = Field(10, description="Rows to list in long tables.", group="Limits")
    time_limit: Seconds | None = Field(None, description=LIMITED, group="Limits")
    epsilon: Factor | None = Field(
        None, description="List the epsilon-approximate equilibria, a factor >= 1.", group="Equilibria"
    )
    mixed: Switch = Field(
        False, description="Also mixed equilibria, of more than two players by Gambit.", group="Equilibria"
    )
    start: Start | None = Field(
        None,
        description="Start of the dynamics: everybody's strategy, '{\"ann\": 1, ...}'.",
        group="Dynamics",
        rare=True,
    )
    coalitions: Count | None = Field(
        None, description="Also what coalitions of up to so many players leave stable.", group="Equilibria"
    )
    notion: Annotated[choice(*NOTIONS), Flag("NAME")] = Field(  # type: ignore[valid-type]
        "all-gain", description=NOTION, group="Equilibria", rare=True
    )
    correlated: Annotated[choice(*CONCEPTS), Flag("NAME")] | None = Field(  # type: ignore[valid-type]
        None,
        description="Also the best and worst correlated play: coarse or correlated equilibria.",
        group="Equilibria",
    )
    potential: Switch = Field(
        False, description="Also which kinds of potential the game has.", group="Equilibria", rare=True
    )
    quantal: Lambdas | None = Field(
        None, description="Also logit quantal responses, for these lambdas.", group="Equilibria", rare=True
    )
    dynamics: Annotated[choice(*DYNAMICS), Flag("NAME")] = Field(  # type: ignore[valid-type]
        BEST_RESPONSE, description=f"How players go on: {', '.join(DYNAMICS[:-1])} or {DYNAMICS[-1]}.", group="Dynamics"
    )
    max_bytes: Memory | None = Field(
        None, description="Largest table of all profiles, e.g. 8GiB; default: 4GiB.", group="Limits", rare=True
    )
    rounds: Count = Field(1000, description="Rounds of learning.", group="Dynamics", rare=True)
    seed: Seed = Field(0, description="Random seed of the players' choices.", group="Dynamics", rare=True)

    @property
    def table_limit(self) -> int:
        """Bytes that a table of all profiles may take."""
        from ...games.normal_form import MAX_BYTES

        return MAX_BYTES if self.max_bytes is None else self.max_bytes
