"""How long work reports its progress, without knowing who looks at it, and is stopped by a time limit.

A function that may run long takes ``progress: Progress | None = None`` and calls it now and then (a few times a
second at most) with what is done and, where known, the total. Ctrl-C arrives as :class:`KeyboardInterrupt`: the
outermost loop of a long computation catches it and returns what it has, marked ``complete=False``. Compiled kernels
therefore run in chunks of a fraction of a second.

For people, ``True`` is a bar on a terminal or in a notebook, and lines of text elsewhere (:func:`received`).
"""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Protocol, TypeAlias

from .errors import InputError, printable, quote
from .loading import installed
from .units import duration_text

EVERY: Final = 10.0
"""Seconds between two lines, for somebody who asked for progress where no bar can be drawn."""


class Progress(Protocol):
    """Receiver of progress reports."""

    def __call__(self, done: int, total: int | None, note: str = "") -> None:
        """Take a report: ``done`` of ``total`` units (``None`` when unknown), with a short note."""


ProgressLike: TypeAlias = Progress | bool | None
"""What callers may give: a receiver, ``True`` for a bar (see :func:`received`), or nothing."""


class Clock:
    """A time limit in seconds; ``None`` never expires.

    >>> Clock(None).expired()
    False
    >>> Clock(0).expired()
    True
    """

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    def expired(self) -> bool:
        """Whether the limit has passed."""
        return self._end is not None and time.monotonic() >= self._end

    def check(self) -> None:
        """Raise TimeoutError once the limit has passed."""
        if self.expired():
            raise TimeoutError("the time limit")

    def left(self) -> float | None:
        """Seconds left (at least 0), or ``None`` without a limit."""
        return None if self._end is None else max(0.0, self._end - time.monotonic())


def limited(progress: Progress | None, seconds: float | None) -> Progress | None:
    """The receiver with a time limit: work that reports itself when the limit has passed is stopped like by Ctrl-C.

    >>> try:
    ...     limited(None, 0)(1, 2)
    ... except KeyboardInterrupt as stop:
    ...     print(stop)
    the time limit
    """
    if seconds is None:
        return progress
    clock = Clock(seconds)

    def report(done: int, total: int | None, note: str = "") -> None:
        if progress is not None:
            progress(done, total, note)
        if clock.expired():
            raise KeyboardInterrupt("the time limit")

    return report


@contextmanager
def received(progress: ProgressLike, label: str) -> Iterator[Progress | None]:
    """What a caller gives as ``progress``, as a receiver of reports: ``True`` draws a bar for as long as this lasts.

    >>> with received(None, "search") as progress:
    ...     print(progress)
    None

    Raises
    ------
    InputError
        For anything but ``True``, ``False``, ``None`` and what can be called.
    """
    if progress is True:
        with bar(label, EVERY) as receiver:
            yield receiver
    elif progress is None or progress is False:
        yield None
    elif callable(progress):
        yield progress
    else:
        raise InputError(
            f"progress: found {quote(progress)}; expected True for a bar, or a function of (done, total, note)"
        )


class Lines:
    """Plain lines about progress: what is done, how many a second lately, and the time that is left at that rate.

    Lately is since the line before the last two: tasks in order may grow, and the first ones say little of the last.
    """

    def __init__(self, label: str, every: float | None) -> None:
        self.label, self.every = label, every
        self._last = self._began = time.monotonic()
        self._lines: deque[tuple[float, int]] = deque(maxlen=3)

    def report(self, done: int, total: int | None, note: str = "") -> None:
        """Print a line when it is time for one."""
        now = time.monotonic()
        if not self._lines:
            self._lines.append((self._began, done))  # of work that goes on, what was there says nothing of the rate
        if self.every is None or now < self._last + self.every:
            return
        self._last = now
        since, before = self._lines[0]
        rate = (done - before) / (now - since)
        self._lines.append((now, done))
        parts = [
            f"{done:,}" if total is None else f"{done:,} of {total:,}",
            *([note] if note else []),
            f"{rate:.3g} a second",
        ]
        if total is not None and rate > 0:
            parts.append(f"{duration_text((total - done) / rate)} left at this rate")
        print(printable(f"{self.label}: {', '.join(parts)}"), file=sys.stderr)


@contextmanager
def bar(label: str, every: float | None = None) -> Iterator[Progress]:
    """A receiver that draws a bar: on stderr when that is a terminal, a widget in a notebook with ``ipywidgets``.

    Elsewhere it prints a line on stderr after so many seconds, ``every`` of them; by default none.
    """
    if not sys.stderr.isatty() and not _notebook():
        yield Lines(label, every).report
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
    with Bar(*columns, console=Console(stderr=True), transient=True) as drawn:
        task = drawn.add_task(label, total=None, rate="")

        def report(done: int, total: int | None, note: str = "") -> None:
            speed = drawn.tasks[0].speed  # of the last half minute
            rate = "" if speed is None else f"{speed:.3g} a second"
            about = printable(f"{label} {note}".rstrip())
            drawn.update(task, completed=done, total=total, description=about, rate=rate)

        yield report


def _notebook() -> bool:
    """Whether this runs in a notebook that can show a widget."""
    if "IPython" not in sys.modules or not installed("ipywidgets"):
        return False
    from rich.console import Console

    return Console().is_jupyter
