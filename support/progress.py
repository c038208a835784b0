"""How long work reports itself without knowing a terminal.

A function that may run long takes ``progress: Progress | None = None`` and calls it now and then (a few times a
second at most) with what is done and, where known, the total. Ctrl-C arrives as :class:`KeyboardInterrupt`: the
outermost loop of a long computation catches it and returns what it has, marked ``complete=False``. Compiled kernels
therefore run in chunks of a fraction of a second.
"""

from __future__ import annotations

import time
from typing import Protocol, TypeAlias


class Progress(Protocol):
    """Receiver of progress reports."""

    def __call__(self, done: int, total: int | None, note: str = "") -> None:
        """Take a report: ``done`` of ``total`` units (``None`` when unknown), with a short note."""


ProgressLike: TypeAlias = Progress | bool | None
"""What callers may give: a receiver, ``True`` for a bar (see :mod:`.progress_bars`), or nothing."""


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
