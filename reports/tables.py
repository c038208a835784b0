"""How records become tables: cells, heads and listings from the declared fields.

Each kind has a module ``reports/<kind>/tables.py`` with a function per verb that turns a record's dict into tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

from ..mechanisms.kinds import answered
from ..support.errors import printable as printable
from ..support.fields import columns as declared_columns
from ..support.loading import load
from ..support.units import duration_text
from .markup import Table


def tables_of(data: Mapping[str, Any]) -> list[Table]:
    """Tables of a record's dict, by kind and verb."""
    tables: list[Table] = load(answered(data["kind"], data["verb"]).tables)(data)
    return tables


def _hundredths(percent: float) -> float:
    """Two decimals; what rounds to 0 has no sign of a loss, and what is less than all is less than 100."""
    value = round(percent, 2) + 0.0
    return math.copysign(99.99, value) if abs(value) >= 100 > abs(percent) else value


FORMATS: Final[Mapping[str, Callable[[Any], str]]] = MappingProxyType(
    {
        "percent": lambda share: f"{100 * share:.4g} %",
        "share": lambda share: f"{100 * share:.1f} %",
        "signed": lambda percent: f"{_hundredths(percent):+.2f} %",
        "duration": duration_text,
    }
)
"""How a field's values are displayed whose format is one of these names."""


def cell(value: Any, format: str = "") -> str:  # as the field's declaration calls it
    """Text of one value of a record's dict, long fractions rounded, in the format that its field declares.

    >>> cell("97053946/661947783"), cell(["3/7", None, True]), cell(1200, ","), cell(0.125, "percent")
    ('~0.146619', '3/7 - yes', '1,200', '12.5 %')
    """
    if value is None:
        return "-"
    if value is True:
        return "yes"
    if value is False:
        return "no"
    if isinstance(value, str):
        return _readable(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {cell(item, format)}" for key, item in value.items()) or "-"
    if isinstance(value, Sequence):
        return " ".join(cell(item, format) for item in value) or "-"
    if format:
        return FORMATS[format](value) if format in FORMATS else f"{value:{format}}"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def all_printable(value: Any) -> Any:
    """The same for every text of a record's dict, keys included."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        return {all_printable(key): all_printable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [all_printable(item) for item in value]
    return value


READABLE: Final = 12
"""Fractions of more characters are shown as decimals; ``--json`` has them exact."""


def rounded(value: Fraction) -> str:
    """Six digits of an exact number, marked ``~``; beyond what floats hold too.

    >>> rounded(Fraction(1, 7)), rounded(Fraction(10**20)), rounded(Fraction(10**400))
    ('~0.142857', '~1e+20', '~1.00000e+400')
    """
    try:
        near = float(value)
    except OverflowError:
        near = 0.0
    if near or not value:
        return f"~{near:.6g}"
    return f"~{Decimal(value.numerator) / Decimal(value.denominator):.5e}"


def _readable(text: str) -> str:
    """A long fraction as a decimal of six digits, marked ``~``, where these show its whole part; else the text."""
    if len(text) > READABLE:
        top, slash, bottom = text.partition("/")
        if slash and top.lstrip("-").isdecimal() and bottom.isdecimal():
            number = Fraction(int(top), int(bottom))
            return rounded(number) if abs(number) < 10**6 else text
    return text


def more(count: int, hint: str = "") -> str:
    """The note of what a table does not list; empty when nothing is missing.

    >>> more(1200), more(3, "--list N lists more"), more(0)
    ('1,200 more not listed', '3 more not listed; --list N lists more', '')
    """
    if count <= 0:
        return ""
    return f"{count:,} more not listed" + (f"; {hint}" if hint else "")


def counted(count: int, noun: str) -> str:
    """A number of things in words.

    >>> counted(1, "case"), counted(1200, "case")
    ('1 case', '1,200 cases')
    """
    return f"{count:,} {noun}" + ("s" if count != 1 else "")


def shortened(text: str, limit: int = 96) -> str:
    """Text cut to ``limit`` characters, the cut marked."""
    return text if len(text) <= limit else text[: limit - 3] + "..."


def table(
    title: str, rows: Sequence[Mapping[str, Any]], columns: Sequence[str], note: str = "", of: type | None = None
) -> Table:
    """Table of dicts: one column per key, with head and format as the class of rows ``of`` declares them.

    What no class declares is headed by its key with spaces for underscores.
    """
    declared = [(key, *_head(key, of)) for key in columns]
    return Table(
        title,
        tuple(label for _, label, _ in declared),
        tuple(tuple(cell(row.get(key), format) for key, _, format in declared) for row in rows),
        note,
    )


def _head(key: str, of: type | None) -> tuple[str, str]:
    """Label and format of a field."""
    column = None if of is None else declared_columns(of).get(key)
    return (key.replace("_", " "), "") if column is None else (column.label, column.format)


LISTED: Final = 40
"""Rows of a long listing that are shown; the others are counted, drawn, and in ``--json``."""


def listing(
    title: str,
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[str],
    left_out: int | None = 0,
    of: type | None = None,
) -> Table:
    """The first rows of a long table, and how many there are besides; ``left_out`` are those not even in ``rows``."""
    hint = "--list N with --json shows them" if left_out else "--json shows them"
    return table(title, rows[:LISTED], columns, more(max(0, len(rows) - LISTED) + (left_out or 0), hint), of)


def pairs_of(data: Mapping[str, Any], of: type, keys: Iterable[str]) -> list[tuple[str, Any]]:
    """Facts: labels and values of fields of a record, or of a part of it, those left out that it has not."""
    heads = ((key, *_head(key, of)) for key in keys if key in data)
    return [(label, cell(data[key], format)) for key, label, format in heads]


def facts(title: str, pairs: Sequence[tuple[str, Any]], note: str = "") -> Table:
    """Two columns of facts, without a header."""
    return Table(title, (), tuple((name, cell(value)) for name, value in pairs), note)


def is_number(value: Any) -> bool:
    """Whether a value of a record's dict is a number: an integer, a float, or the text of a fraction or infinity.

    >>> [is_number(value) for value in (1, "-3/2", "inf", True, "3/", "one")]
    [True, True, True, False, False, False]
    """
    if isinstance(value, str):
        top, slash, bottom = value.partition("/")
        exact = top.removeprefix("-").isdecimal() and (bottom.isdecimal() or not slash)
        return exact or value in ("inf", "-inf")
    return isinstance(value, int | float) and not isinstance(value, bool)


def row_names(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the rows of a ``compare`` record are called: by their rules, and by their scenarios where these differ."""
    several = len({row["scenario"] for row in rows}) > 1
    return [f"{row['rule']} ({row['scenario']})" if several else str(row["rule"]) for row in rows]


WIDE: Final = 8
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
    turned = tuple((column.replace("_", " "), *(cell(own.get(column)) for own in values)) for column in columns)
    return [Table(title, ("", *row_names(rows)), turned)]


def hunted(data: Mapping[str, Any]) -> list[Table]:
    """What was hunted, how long, and how small the instance is that breaks the claim or has the largest value."""
    what = data["claim"] or data["measure"]
    pairs = [("status of the claim", data["claim_status"]), ("broken", data["broken"])]
    if not data["claim"]:
        pairs = [("largest value found", data.get("largest"))]
    pairs += [
        ("instances tried", f"{data['instances']:,} ({data['valid']:,} that the rule takes)"),
        ("rounds finished", data["rounds"]),
    ]
    size = data["size"]
    if size is not None:
        pairs += [
            ("size", f"{size['players']} players, {size['jobs']} jobs, total work {size['work']}"),
            ("local minimum", data["minimal"]),
            ("smaller ones tried", data["shrinking"]),
        ]
    elif data["nearest"] is not None:
        pairs.append(("nearest miss", data["nearest"]))
    return [facts(f"hunt: {data['rule']}, {what}", pairs, data.get("note") or "")]


def rule_tables(data: Mapping[str, Any]) -> list[Table]:
    """Tables of a :class:`consortium.verbs.rules.RulePage`, from its dict."""
    pairs = [("what it does", data["details"]), ("theorem", data["theorem"]), ("source", data["source"])]
    pairs.append(("shipped scenarios", ", ".join(data["scenarios"])))
    listed = [
        facts(f"{data['rule']}: {data['summary']}", [("kind", data["kind"]), *(pair for pair in pairs if pair[1])])
    ]
    if data["keys"]:
        listed.append(table("keys of [mechanism]", data["keys"], ["key", "accepted", "default", "unit", "meaning"]))
    names = [{"key": key["key"], "value": name, "meaning": about}
             for key in data["keys"] for name, about in key["names"].items()]  # fmt: skip
    if names:
        listed.append(table("values of these keys", names, ["key", "value", "meaning"]))
    if data["claims"]:
        listed.append(table("claims", data["claims"], ["claim", "status", "how", "meaning"]))
    return listed
