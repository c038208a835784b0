"""Tables as data: a title, columns, rows of text, a note. Drawn by rich on a terminal, as aligned text in a pipe.

Each kind of scenario has a module ``reports/<kind>.py`` with functions ``run``, ``search``, ...
that turn a record's dict into tables.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Table:
    """One table. ``columns`` may be empty for two-column facts without a header."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def tables_of(data: Mapping[str, Any]) -> list[Table]:
    """Tables of a record's dict, by kind and verb."""
    module = importlib.import_module(f".{data['kind']}.tables", __package__)
    found: list[Table] = getattr(module, data["verb"])(data)
    return found


def cell(value: Any) -> str:
    """Text of one value of a record's dict."""
    if value is None:
        return "-"
    if value is True:
        return "yes"
    if value is False:
        return "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {cell(item)}" for key, item in value.items()) or "-"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return " ".join(cell(item) for item in value) or "-"
    return str(value)


def shortened(text: str, limit: int = 96) -> str:
    """Text cut to ``limit`` characters, the cut marked."""
    return text if len(text) <= limit else text[: limit - 3] + "..."


def table(title: str, rows: Sequence[Mapping[str, Any]], columns: Sequence[str], note: str = "") -> Table:
    """Table of dicts: one column per key, headed by the key with spaces for underscores."""
    return Table(
        title,
        tuple(column.replace("_", " ") for column in columns),
        tuple(tuple(cell(row.get(column)) for column in columns) for row in rows),
        note,
    )


def facts(title: str, pairs: Sequence[tuple[str, Any]], note: str = "") -> Table:
    """Two columns of facts, without a header."""
    return Table(title, (), tuple((name, cell(value)) for name, value in pairs), note)


WIDE = 8
"""Columns beyond which a comparison is turned: one row per column of the record, one column per rule."""


def comparison(data: Mapping[str, Any]) -> list[Table]:
    """The table of a ``compare`` record: one row per rule (and scenario, if there are several), or turned when wide."""
    rows, title = data["rows"], f"compare: {data['scenario']}"
    several = len({row["scenario"] for row in rows}) > 1
    columns = list(data["columns"])
    if not all(row["complete"] for row in rows):
        columns.append("complete")
    values = [{**row["values"], "complete": row["complete"]} for row in rows]
    if len(columns) <= WIDE:
        head = ["rule", *(["scenario"] if several else [])]
        return [table(title, [{**row, **own} for row, own in zip(rows, values, strict=True)], [*head, *columns])]
    heads = [f"{row['rule']} ({row['scenario']})" if several else str(row["rule"]) for row in rows]
    turned = tuple((column.replace("_", " "), *(cell(own.get(column)) for own in values)) for column in columns)
    return [Table(title, ("", *heads), turned)]


def plain(table: Table) -> str:
    """The table as aligned text."""
    lines = [table.title] if table.title else []
    body = [table.columns, *table.rows] if table.columns else list(table.rows)
    widths = [
        max((len(row[i]) for row in body if i < len(row)), default=0) for i in range(max(map(len, body), default=0))
    ]
    for i, row in enumerate(body):
        lines.append("  " + "  ".join(text.ljust(widths[j]) for j, text in enumerate(row)).rstrip())
        if i == 0 and table.columns:
            lines.append("  " + "  ".join("-" * width for width in widths))
    if table.note:
        lines.append(f"  {table.note}")
    return "\n".join(lines)
