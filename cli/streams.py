"""Standard output and standard error as the machine gives them: closed, full, left by their reader, in any encoding.

Every command prints as if nothing could happen. A reader who leaves a pipe ends the printing, not the command: files
that were asked for are still written, and the exit code is that of the answer. A stream that cannot be written raises
an error of the package. What the encoding of a stream lacks is printed escaped.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from ..support.errors import InputError


class StreamError(InputError):
    """A standard stream cannot be written."""


class Guarded(io.RawIOBase):
    """The bytes of a stream; after the first failure they go nowhere, or what is buffered would fail again at exit."""

    def __init__(self, raw: io.RawIOBase, name: str) -> None:
        self._raw, self._name, self._lost = raw, name, False

    def write(self, data: Any) -> int | None:
        """Write to the stream behind; how many bytes were taken."""
        if not self._lost:
            try:
                return self._raw.write(data)
            except BrokenPipeError:
                self._lost = True
            except OSError as error:
                self._lost = True
                raise StreamError(f"{self._name}: cannot be written ({error.strerror or error})") from None
        return len(data)

    def writable(self) -> bool:
        """Always."""
        return True

    def fileno(self) -> int:
        """As the stream behind."""
        return self._raw.fileno()

    def isatty(self) -> bool:
        """As the stream behind."""
        return self._raw.isatty()


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Guard both streams until the block is left. Raises StreamError at once where standard output is closed.

    A file that is opened then would take the number of the closed stream, and get what others print; a closed standard
    error, on which no answer is printed, becomes one that leads nowhere, here and in the processes that are started.
    """
    out, err = sys.stdout, sys.stderr
    if out is None:
        raise StreamError("standard output: is closed; expected one that is open, or >/dev/null")
    if err is None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.set_inheritable(nowhere, True)
        err = open(nowhere, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout, sys.stderr = _guarded(out, "standard output"), _guarded(err, "standard error")
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, err


def _guarded(stream: TextIO, name: str) -> TextIO:
    """The stream behind a guard; one that has no bytes behind it (a caller's StringIO) as it is."""
    buffer = getattr(stream, "buffer", None)
    if buffer is None:
        return stream
    raw = getattr(buffer, "raw", buffer)  # unbuffered streams (python -u) have no other
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(Guarded(raw, name)),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=getattr(stream, "line_buffering", False),
        write_through=getattr(stream, "write_through", False),
    )
