"""Text that somebody else wrote: the one door through which files, pipes and standard input are read.

A text is UTF-8 (a byte order mark is left out) and has a largest size; of an endless file no more than that is read.
``"-"`` is standard input. What cannot be read is one :class:`UnreadableError`, whatever the reason.

>>> read_text("no-such-file", "a scenario file")
Traceback (most recent call last):
    ...
consortium.support.texts.UnreadableError: no-such-file: found No such file or directory; expected a scenario file
"""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from typing import Final

from .errors import InputError

STDIN: Final = "-"
MAX_BYTES: Final = 64 * 2**20


class UnreadableError(InputError):
    """A text cannot be read: ``where``, what was ``found`` there, and what was ``expected``."""

    def __init__(self, where: str, found: str, expected: str) -> None:
        self.where, self.found, self.expected = where, found, expected
        super().__init__(f"{where}: found {found}; expected {expected}")


def read_text(path: str | os.PathLike[str], wanted: str, limit: int = MAX_BYTES) -> str:
    """The text behind a path, or on standard input; a pipe can be read once.

    Parameters
    ----------
    path
        Of a file, a pipe or a device, gzipped where its name ends in ``.gz``; ``"-"`` for standard input.
    wanted
        What should be there, for the error: ``"a scenario file"``.
    limit
        Bytes that it may have.

    Raises
    ------
    UnreadableError
        Whatever keeps it from being read: no such file, a folder, no permission, too many bytes, another encoding.
    """
    shown = name_of(path)
    try:
        data = _stdin(limit) if os.fspath(path) == STDIN else _file(path, limit)
    except (OSError, ValueError, EOFError, zlib.error) as error:
        # ValueError: a name that no file system takes, a stream that is closed; the last two: a damaged archive
        raise UnreadableError(shown, getattr(error, "strerror", None) or str(error), wanted) from None
    if len(data) > limit:
        raise UnreadableError(shown, f"more than {limit:,} bytes", f"{wanted} of at most {limit:,} bytes")
    if os.fspath(path) == STDIN and not data:
        raise UnreadableError(shown, "nothing", f"{wanted}; what is there can be read once")
    return _decoded(data, shown, wanted)


def name_of(path: str | os.PathLike[str]) -> str:
    """How a source of text is called in messages: its path, short enough for a line."""
    text = os.fsdecode(path)
    if text == STDIN:
        return "standard input"
    return text if len(text) <= 200 else text[:197] + "..."


def _stdin(limit: int) -> bytes:
    if sys.stdin is None:
        return b""
    return sys.stdin.buffer.read(limit + 1)


def _file(path: str | os.PathLike[str], limit: int) -> bytes:
    with gzip.open(path) if os.fsdecode(path).endswith(".gz") else open(path, "rb") as file:
        return file.read(limit + 1)


def _decoded(data: bytes, shown: str, wanted: str) -> str:
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) or b"\0" in data[:100]:
        raise UnreadableError(shown, "UTF-16, or no text", f"{wanted} in UTF-8")
    try:
        return data.removeprefix(BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableError(f"{shown}: byte {error.start}", "no UTF-8", f"{wanted} in UTF-8") from None
