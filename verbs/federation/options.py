"""Options of the verbs on scenarios of kind ``federation``."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any, Final

from pydantic import PlainValidator, WithJsonSchema

from ...scenarios.fields import bounded, choice, expected, number, number_schema
from ..game.options import NOTION, NOTIONS
from ..game.options import Search as GameSearch
from ..options import (
    COMPARED,
    LIMITED,
    WORKERS,
    Count,
    CountOrNone,
    Field,
    Flag,
    NameText,
    Options,
    Path,
    Rules,
    Seconds,
    Seed,
    WithRule,
    Workers,
)

SHAPE_PROPERTIES: Final = ("pure-equilibrium", "price-of-anarchy", "price-of-stability", "epsilon", "ratio")
"""What ``prove`` asks of jobs of any lengths; the last one of central rules."""


class Run(WithRule):
    """``run``."""

    list: CountOrNone | None = Field(None, description="Jobs to list; default: all of them.", group="Limits")
    time_limit: Seconds | None = Field(None, description=LIMITED, group="Limits")


class Search(WithRule, GameSearch):
    """``search``."""


class Verify(WithRule):
    """``verify``."""

    property: NameText | None = Field(
        None,
        description="Whose verdict counts: coalition, equilibrium, local-constraint, selfishness-restriction, or a "
        "claim; default: of a coordination mechanism the equilibrium, or what coalitions do where they are asked "
        "about, else all claims that the rule makes.",
        group="Question",
    )
    coalitions: Count | None = Field(
        None, description="Also whether a coalition of up to so many organizations gains.", group="Question"
    )
    notion: Annotated[choice(*NOTIONS), Flag("NAME")] = Field(  # type: ignore[valid-type]
        "all-gain", description=NOTION, group="Question", rare=True
    )
    time_limit: Seconds | None = Field(None, description=LIMITED, group="Limits")


Bound = Annotated[
    Fraction, PlainValidator(bounded(1, False, "a number >= 1")), WithJsonSchema(number_schema(1)), Flag("NUMBER")
]


AUTO: Final = "auto"
FREE: Final = ("x", "y")
"""Lengths of a plane that are free."""


def _plane(value: object) -> object:
    what = f"{AUTO!r}, or lengths such as 'x, 2; y, 1; 3': by organization, the longest first, x and y free"
    if value == AUTO:
        return value
    rows = [row.split(",") for row in value.split(";")] if isinstance(value, str) else value
    if not isinstance(rows, list | tuple) or not all(isinstance(row, list | tuple) for row in rows):
        raise expected(what)
    cells = [
        [item.strip() if isinstance(item, str) else item for item in row if item != "" or len(row) > 1] for row in rows
    ]
    read = tuple(tuple(item if item in FREE else number(item, what) for item in row) for row in cells)
    flat = [item for row in read for item in row]
    if any(flat.count(name) != 1 for name in FREE) or any(isinstance(v, Fraction) and v <= 0 for v in flat):
        raise expected(what)
    return read


Plane = Annotated[Any, PlainValidator(_plane), WithJsonSchema({}), Flag("LENGTHS", drawing=AUTO)]


class Prove(WithRule):
    """``prove``."""

    property: Annotated[choice(*SHAPE_PROPERTIES), Flag("NAME")] | None = Field(  # type: ignore[valid-type]
        None,
        description=f"What to prove: {', '.join(SHAPE_PROPERTIES[:-1])}, or of a central rule {SHAPE_PROPERTIES[-1]}; "
        "default: pure-equilibrium, of a central rule ratio.",
        group="Question",
    )
    at_most: Bound | None = Field(
        None,
        description="Is the price, ratio or least epsilon at most so much? Default: how large it is.",
        group="Question",
    )
    method: Annotated[choice("auto", "cover"), Flag("NAME")] = Field(  # type: ignore[valid-type]
        "auto", description="cover: no theorem answers, only a tree of regions.", group="Question", rare=True
    )
    plane: Plane | None = Field(
        None,
        description="Also which placement is an equilibrium where in a plane of two lengths, x and y, as --plot does: "
        "lengths such as 'x, 2; y, 1; 3', by organization, the longest first; auto: for pure-equilibrium, if the shape "
        "is small, the longest jobs of two organizations.",
        group="Output",
    )
    certificate: Path | None = Field(
        None, description="Write the certificate here (.json or .json.gz); no theorem answers then."
    )
    processes: Workers = Field(1, description=WORKERS, group="Limits")
    time_limit: Seconds | None = Field(None, description=LIMITED, group="Limits")


class Compare(Options):
    """``compare``."""

    rules: Rules | None = Field(None, description=COMPARED, group="Question")
    time_limit: Seconds | None = Field(
        None,
        description="Stop each row's search after so long; default: 20 seconds for a price of anarchy.",
        group="Limits",
    )


def _machines(value: object) -> int | tuple[int, ...]:
    several: list[Any] = list(value) if isinstance(value, list | tuple) else [value]
    if not several or any(isinstance(v, bool) or not isinstance(v, int) or v < 1 for v in several):
        raise expected("a number of machines, at least 1, or a list of such numbers")
    return tuple(several) if isinstance(value, list | tuple) else int(several[0])


def _counts(text: str) -> object:
    """``3`` or ``2,1,1`` on the command line."""
    parts = [part.strip() for part in text.split(",")]
    numbers = [int(part) if part.isdecimal() else part for part in parts]
    return numbers[0] if len(numbers) == 1 else numbers


Machines = Annotated[Any, PlainValidator(_machines), WithJsonSchema({}), Flag("N|N,N,...", _counts)]
"""Machines of each organization: one number for all, or a list."""


class Import(Options):
    """``import``: organizations with some of their real jobs."""

    organizations: Count = Field(4, description="How many organizations.", group="Scenario")
    jobs: Count = Field(5, description="Jobs of each, all of hers if she has fewer.", group="Scenario")
    machines: Machines = Field(1, description="Machines of each; with shares, in total.", group="Scenario")
    shares: Annotated[choice("equal", "zipf"), Flag("HOW")] | None = Field(  # type: ignore[valid-type]
        None, description="Divide the total equally, or by Zipf's law with the most active first.", group="Scenario"
    )
    rule: NameText = Field("coordination", description="The mechanism's rule to start with.", group="Scenario")
    by: NameText = Field("group", description="Whose jobs: user, group, queue, partition or account.", group="Jobs")
    unit: Count = Field(1, description="Seconds per unit of length, rounded up.", group="Jobs", rare=True)
    seed: Seed | None = Field(None, description="Random seed; without one the documented choice is made.", group="Jobs")
