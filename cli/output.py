"""Printing: rich tables on a terminal, plain text in a pipe, JSON on request, errors on stderr."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from ..reports.tables import Table, draw, facts, tables_of, text
from ..scheduling.errors import printable
from ..scheduling.progress import Progress
from ..scheduling.status import INCOMPLETE
from ..scheduling.units import duration_text, memory_text
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
    for table in tables:
        draw(console, table)


COMMANDS: Final = re.compile("[\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What JSON and TOML leave raw although a terminal may obey it, or an output refuse it."""


def escaped(text: str) -> str:
    r"""A JSON or TOML document that says the same and commands no terminal.

    >>> escaped('"\x9b2J"')
    '"\\u009b2J"'
    """
    return COMMANDS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def show_json(data: Any) -> None:
    """Print one JSON document."""
    document = escaped(json.dumps(data, indent=2, ensure_ascii=False))
    try:
        document.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:  # JSON has its own way to write what the stream cannot
        document = escaped(json.dumps(data, indent=2))
    print(document)


def show_record(record: Record, as_json: bool) -> None:
    """Print a record as JSON or as tables."""
    data = record.to_dict()
    if as_json:
        show_json(data)
    else:
        show_tables(tables_of(data))
    if record.unfinished:
        fail(f"\n{INCOMPLETE}")


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
    show_tables([facts(f"dry run: {data['verb']} {data['scenario']}", rows, data["note"])])


def fail(text: str) -> None:
    """Print an error for people on stderr."""
    print(printable(text), file=sys.stderr)


class Lines:
    """Plain lines about progress: what is done, how many a second, and the time that is left at that rate."""

    def __init__(self, label: str, every: float | None) -> None:
        self.label, self.every = label, every
        self._last = self._began = time.monotonic()
        self._before: int | None = None

    def report(self, done: int, total: int | None, note: str = "") -> None:
        """Print a line when it is time for one."""
        now = time.monotonic()
        if self._before is None:
            self._before = done  # of work that goes on, what was there already says nothing of the rate
        if self.every is None or now < self._last + self.every:
            return
        self._last = now
        rate = (done - self._before) / (now - self._began)
        parts = [
            f"{done:,}" if total is None else f"{done:,} of {total:,}",
            *([note] if note else []),
            f"{rate:.3g} a second",
        ]
        if total is not None and rate > 0:
            parts.append(f"{duration_text((total - done) / rate)} left")
        fail(f"{self.label}: {', '.join(parts)}")


@contextmanager
def progress_bar(label: str, every: float | None = None) -> Iterator[Progress]:
    """A receiver of reports: it draws a bar on stderr when that is a terminal, and ends work that outlives Ctrl-C.

    Where there is no terminal, it prints a line after so many seconds, ``every`` of them; by default none.
    """
    if not sys.stderr.isatty():
        lines = Lines(label, every)

        def line(done: int, total: int | None, note: str = "") -> None:
            STOPS.insist()
            lines.report(done, total, note)

        yield line
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None, rate="")

        def report(done: int, total: int | None, note: str = "") -> None:
            STOPS.insist()
            speed = bar.tasks[0].speed  # of the last half minute
            rate = "" if speed is None else f"{speed:.3g} a second"
            bar.update(task, completed=done, total=total, description=printable(f"{label} {note}".rstrip()), rate=rate)

        yield report
