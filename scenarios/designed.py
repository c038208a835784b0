"""Designed payments in files of kind ``declaration``: an expression for everybody or one each, or a table of
declaration profiles.

A row of a table names every agent; an allocation lists each machine's agents in order, by name or by number from 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, PlainValidator, WithJsonSchema

from ..support.errors import InputError
from .blocks import check_agents, join
from .fields import NAME_SCHEMA, Block, Listing, Number, Positive, Whole, described, expected, word
from .problems import Problems, Words

if TYPE_CHECKING:
    from ..mechanisms.declaration.prices import Table


def _who(value: object) -> str | int:
    if isinstance(value, str):
        return word(value)
    try:
        return Whole(1).read(value)
    except ValueError:
        raise expected("an agent's name, or her number from 1") from None


Who = Annotated[
    str | int,
    PlainValidator(_who),
    WithJsonSchema({"anyOf": [NAME_SCHEMA, {"type": "integer", "minimum": 1}]}),
]


class RowBlock(Block):
    """One of ``[[mechanism.table]]``."""

    declarations: dict[str, Positive] = described(..., "what everybody declares", unit="work")
    payments: dict[str, Number] = described(..., "what everybody then pays; negative: receives", unit="time")
    allocation: Listing[Listing[Who]] | None = described(
        None, "each machine's agents in order, by name or by number", without="the best one for the goal"
    )


def _row(value: object) -> object:
    if isinstance(value, Mapping) and "lottery" in value:
        raise expected("a row without lottery: a rule that runs has one allocation for every profile")
    return value


Rows = Listing[Annotated[RowBlock, BeforeValidator(_row)]]


def _price(value: object) -> object:
    if isinstance(value, str) or (
        isinstance(value, Mapping) and value and all(isinstance(each, str) for each in (*value, *value.values()))
    ):
        return value
    raise expected("an expression (text), or a table with an expression for every agent")


Prices = Annotated[
    str | Mapping[str, str],
    PlainValidator(_price),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1},
            ]
        }
    ),
]


def read_price(
    price: str | Mapping[str, str] | None, names: Sequence[str], problems: Problems
) -> str | tuple[str, ...] | None:
    """The expression of everybody's payment, or one each in the agents' order; note what is wrong with them."""
    if price is None or not names:
        return None
    at = "mechanism.price"
    by_agent = price if isinstance(price, Mapping) else {}
    if by_agent:
        check_agents(by_agent, names, at, problems, "an expression for every agent")
    texts = {join(at, name): text for name, text in by_agent.items()} or {at: str(price)}
    for path, text in texts.items():
        check_expression(text, path, len(names), problems)
    if problems.about(at):
        return None
    return price if isinstance(price, str) else tuple(price[name] for name in names)


def check_expression(text: str, path: str, n_agents: int, problems: Problems, otherwise: str = "") -> None:
    """Note what is wrong with an expression; ``otherwise``: what could be in its place."""
    from ..mechanisms.declaration.prices import Formula  # most files have none

    try:
        Formula(text, "").check(n_agents)
    except InputError as error:
        what = f"{otherwise}a piecewise-linear expression in S, W, E, own, all and other(k)"
        problems.add(path, text, f"{what} ({str(error).lstrip(':, ')})")


def read_table(
    rows: Sequence[RowBlock] | None, names: Sequence[str], n_machines: int, problems: Problems
) -> Table | None:
    """The rows in the agents' order; on problems note all of them and return ``None``."""
    if rows is None or not names:
        return None
    from ..mechanisms.declaration.prices import Table

    listed: list[dict[str, Any]] = []
    for i, row in enumerate(rows):
        for key, amounts in (("declarations", row.declarations), ("payments", row.payments)):
            path = join("mechanism", "table", i, key)
            check_agents(amounts, names, path, problems, "a number for every agent")
        ordered = {name: row.declarations.get(name) for name in names}
        listed.append({"declarations": ordered, "payments": row.payments, "allocation": row.allocation})
    if problems.about("mechanism.table"):
        return None
    try:
        table = Table.of(listed)
        table.check(n_machines)
    except InputError as error:
        path, _, what = str(error).partition(": ")
        value, _, expectation = what.removeprefix("found ").partition("; expected ")
        problems.add(path, Words(value), expectation)
        return None
    return table
