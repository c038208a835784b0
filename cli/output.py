"""Printing: rich tables on a terminal, plain text in a pipe, JSON on request, errors on stderr."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from ..mechanisms.kinds import typed
from ..reports.markup import Table, draw, text
from ..reports.sentences import summary
from ..reports.tables import facts, table, tables_of
from ..support.errors import printable
from ..support.progress import Progress, bar
from ..support.status import ending
from ..support.units import duration_text, memory_text
from .stopping import STOPS

if TYPE_CHECKING:
    from ..verbs.records import Record


def show_tables(tables: Sequence[Table]) -> None:
    """Draw tables with rich on a terminal, else as text."""
    if not sys.stdout.isatty():
        print(text(tables))
        return
    from rich.console import Console

    console = Console()
    for each in tables:
        draw(console, each)


COMMANDS: Final = re.compile("[\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What JSON and TOML leave raw although a terminal may obey it, or an output refuse it."""


def escaped(text: str) -> str:
    r"""A JSON or TOML document that says the same and commands no terminal.

    >>> escaped('"\x9b2J"')
    '"\\u009b2J"'
    """
    return COMMANDS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def show_json(data: Any) -> None:
    """Print one JSON document."""
    document = escaped(json.dumps(data, indent=2, ensure_ascii=False))
    try:
        document.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:  # JSON has its own way to write what the stream cannot
        document = escaped(json.dumps(data, indent=2))
    print(document)


def show_rows(
    title: str, rows: Sequence[Mapping[str, Any]], columns: Sequence[str], as_json: bool, note: str = ""
) -> None:
    """Print a listing as JSON, or these columns of it as a table."""
    if as_json:
        show_json(rows)
    else:
        show_tables([table(title, rows, columns, note)])


def show_record(record: Record, as_json: bool) -> None:
    """Print a record as JSON, or as sentences and tables."""
    data = record.to_dict()
    if as_json:
        show_json(data)
    else:
        show_sentences(summary(data))
        show_tables(tables_of(data))
    if end := ending(record.complete, record.status):
        fail(f"\n{end}")


def show_sentences(sentences: Sequence[str]) -> None:
    """Print what stands before the tables."""
    if sentences:
        print("\n".join(sentences), end="\n\n")


def show_estimate(data: dict[str, Any], as_json: bool) -> None:
    """Print an estimate."""
    if as_json:
        show_json(data)
        return
    rows = [("size", f"{data['size']:,} {data['unit']}")]
    if data["seconds"] is not None:
        rows.append(("estimated time", duration_text(data["seconds"])))
    if data["memory_bytes"] is not None:
        rows.append(("estimated memory", memory_text(data["memory_bytes"])))
    show_tables([facts(f"dry run: {typed(data['verb'])} {data['scenario']}", rows, data["note"])])


def fail(text: str) -> None:
    """Print an error for people on stderr."""
    print(printable(text), file=sys.stderr)


@contextmanager
def progress_bar(label: str, every: float | None = None) -> Iterator[Progress]:
    """A receiver of reports: it draws a bar on stderr when that is a terminal, and ends work that outlives Ctrl-C.

    Where there is no terminal, it prints a line after so many seconds, ``every`` of them; by default none.
    """
    with bar(label, every) as drawn:

        def report(done: int, total: int | None, note: str = "") -> None:
            STOPS.insist()
            drawn(done, total, note)

        yield report
