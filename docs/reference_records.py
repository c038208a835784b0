"""Write the pages of records: every field of every record, as its class declares it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from types import NoneType
from typing import Any, get_args

from pieces import sentence, table

from consortium.mechanisms.kinds import GAME, KINDS, Kind
from consortium.support.fields import Column, columns
from consortium.verbs.records import Record
from consortium.verbs.rows import Row, Statistic
from consortium.verbs.schema import field_types, record_classes

WORDS = {bool: "true or false", int: "integer", str: "text", Fraction: "exact number", float: "infinity"}
WORDS |= {Statistic: "statistic", NoneType: "none", Any: "any"}


def pages() -> dict[str, str]:
    """Markdown of a page for every kind, by file name."""
    return {f"records-{kind.name}": records_page(kind) for kind in (*KINDS, GAME)}


def records_page(kind: Kind) -> str:
    """The records of a kind: fields that all share, then those of every verb with the rows they are made of."""
    lines = [
        f"# Records: {kind.name}",
        "",
        f"{sentence(kind.summary)} What every field of a record means; `--json` prints them under the same names, and",
        f'`consortium schema {kind.name} VERB` as a JSON Schema. An exact number is an integer or `"p/q"` in JSON.',
        "Fields in italics are left out where there is nothing to say.",
        "",
        "## Every record",
        "",
        *fields_table(Record),
        "",
    ]
    for verb in kind.verbs:
        lines += [f"## {verb.name}", ""]
        seen: set[type] = {Record}
        for each in record_classes(verb):
            lines += section(each, seen)
    return "\n".join(lines)


def section(of: type[Row], seen: set[type]) -> Iterator[str]:
    """A class of rows, then those of its fields that were not seen before."""
    seen.add(of)
    summary = (of.__doc__ or "").split("\n\n")[0].replace("\n    ", " ")
    yield from (f"**{of.__name__}.** {summary.replace('``', '`')}", "", *fields_table(of), "")
    for kind in field_types(of).values():
        for part in rows_in(kind):
            if part not in seen:
                yield from section(part, seen)


def rows_in(kind: Any) -> Iterator[type[Row]]:
    """Classes of rows that a type is made of."""
    if isinstance(kind, type) and issubclass(kind, Row):
        yield kind
    for inner in get_args(kind):
        yield from rows_in(inner)


def fields_table(of: type[Row]) -> Iterator[str]:
    """The fields of a class of rows; of a record those that not every record has."""
    types = field_types(of)
    own = columns(of) if of is Record or not issubclass(of, Record) else {
        key: column for key, column in columns(of).items() if key not in columns(Record)
    }  # fmt: skip
    return table(("field", "type", "meaning"), [line(column, types[key]) for key, column in own.items()])


def line(column: Column, kind: Any) -> tuple[str, str, str]:
    """A field in its table."""
    name = f"*`{column.key}`*" if column.optional else f"`{column.key}`"
    return name, words(kind), sentence(column.text)


def words(kind: Any) -> str:
    """A type as a reader of JSON sees it."""
    inner = get_args(kind)
    if kind in WORDS:
        return WORDS[kind]
    if isinstance(kind, type) and issubclass(kind, Row):
        return kind.__name__
    if not inner:
        return "any"
    name = getattr(kind, "__origin__", None)
    if name is None:  # a union
        return " or ".join(dict.fromkeys(words(each) for each in inner if each is not NoneType))
    if name is tuple and inner[-1] is not ...:
        return f"[{', '.join(map(words, inner))}]"
    return f"by name: {words(inner[1])}" if len(inner) == 2 and inner[1] is not ... else f"list: {words(inner[0])}"
