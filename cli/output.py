"""Printing: rich tables on a terminal, plain text in a pipe, JSON on request, errors on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ..reports.tables import Table, facts, plain, tables_of
from ..scheduling.progress import Progress

DONE, REFUTED, BAD_INPUT, STOPPED = 0, 1, 2, 3


def show_tables(tables: Sequence[Table]) -> None:
    """Draw tables with rich on a terminal, else as text."""
    if not sys.stdout.isatty():
        print("\n\n".join(plain(table) for table in tables))
        return
    from rich.console import Console
    from rich.table import Table as RichTable

    console = Console()
    for table in tables:
        drawn = RichTable(
            title=table.title or None,
            show_header=bool(table.columns),
            title_justify="left",
            caption=table.note or None,
            caption_justify="left",
        )
        for i in range(max((len(row) for row in (table.columns, *table.rows)), default=0)):
            drawn.add_column(table.columns[i] if i < len(table.columns) else "", overflow="fold")
        for row in table.rows:
            drawn.add_row(*row)
        console.print(drawn, markup=False)


def show_json(data: Any) -> None:
    """Print one JSON document."""
    print(json.dumps(data, indent=2, ensure_ascii=False))


def show_record(data: Mapping[str, Any], as_json: bool) -> None:
    """Print a record's dict as JSON or as tables."""
    if as_json:
        show_json(data)
        return
    show_tables(tables_of(data))
    if not data["complete"]:
        print("\nIncomplete: stopped by a limit or by Ctrl-C; what is above is what is known.", file=sys.stderr)


def show_estimate(data: dict[str, Any], as_json: bool) -> None:
    """Print an estimate."""
    if as_json:
        show_json(data)
        return
    rows = [("size", f"{data['size']:,} {data['unit']}")]
    if data["seconds"] is not None:
        rows.append(("estimated time", f"{data['seconds']:.3g} s"))
    if data["memory_bytes"] is not None:
        rows.append(("estimated memory", f"{data['memory_bytes'] / 2**20:,.1f} MiB"))
    show_tables([facts(f"dry run: {data['verb']} {data['scenario']}", rows, data["note"])])


def fail(text: str) -> None:
    """Print an error for people on stderr."""
    print(text, file=sys.stderr)


@contextmanager
def progress_bar(label: str) -> Iterator[Progress | None]:
    """A progress bar on stderr when it is a terminal, else nothing."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)

        def report(done: int, total: int | None, note: str = "") -> None:
            bar.update(task, completed=done, total=total, description=f"{label} {note}".rstrip())

        yield report
