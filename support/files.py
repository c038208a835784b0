"""Texts that are read and files that are written: one door for each, with a sentence for whatever goes wrong.

A text is UTF-8 (a byte order mark is left out) and has a largest size; of an endless file no more than that is read.
``"-"`` is standard input. What cannot be read is one :class:`UnreadableError`, whatever the reason. A path that cannot
be written is refused before any work is done, so that an answer of an hour is not lost to a misspelt folder.

>>> read_text("no-such-file", "a scenario file")
Traceback (most recent call last):
    ...
consortium.support.files.UnreadableError: no-such-file: found No such file or directory; expected a scenario file
>>> check_destination("no-such-folder/anarchy.svg", "figure")
Traceback (most recent call last):
    ...
consortium.support.errors.InputError: figure no-such-folder/anarchy.svg: cannot be written (no folder no-such-folder)
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import sys
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TextIO

from .errors import InputError, quote

STDIN: Final = "-"
MAX_BYTES: Final = 64 * 2**20


class UnreadableError(InputError):
    """A text cannot be read: ``where``, the ``problem`` there, and what was ``expected``."""

    def __init__(self, where: str, problem: str, expected: str) -> None:
        self.where, self.problem, self.expected = where, problem, expected
        super().__init__(f"{where}: found {problem}; expected {expected}")


def read_text(path: str | os.PathLike[str], expected: str, limit: int = MAX_BYTES) -> str:
    """The text behind a path, or on standard input; a pipe can be read once.

    Parameters
    ----------
    path
        Of a file, a pipe or a device, gzipped where its name ends in ``.gz``; ``"-"`` for standard input.
    expected
        What should be there, for the error: ``"a scenario file"``.
    limit
        Bytes that it may have.

    Raises
    ------
    UnreadableError
        Whatever keeps it from being read: no such file, a folder, no permission, too many bytes, another encoding.
    """
    name = name_of(path)
    try:
        data = _stdin(limit) if os.fspath(path) == STDIN else _file(path, limit)
    except (OSError, ValueError, EOFError, zlib.error) as error:
        # ValueError: a name that no file system takes, a stream that is closed; the last two: a damaged archive
        problem = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise UnreadableError(name, problem, expected) from None
    if len(data) > limit:
        raise UnreadableError(name, f"more than {limit:,} bytes", f"{expected} of at most {limit:,} bytes")
    if os.fspath(path) == STDIN and not data:
        raise UnreadableError(name, "nothing", f"{expected}; what is there can be read once")
    return _decoded(data, name, expected)


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


def _decoded(data: bytes, name: str, expected: str) -> str:
    if data.startswith(b"SQLite format 3\0"):
        store = "a store (a database of SQLite: windows of an audit, which audit trend reads, or results of a study)"
        raise UnreadableError(name, store, f"{expected} in UTF-8")
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) or b"\0" in data[:100]:
        raise UnreadableError(name, "UTF-16, UTF-32 or no text", f"{expected} in UTF-8")
    try:
        return data.removeprefix(BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableError(f"{name}: byte {error.start}", "no UTF-8", f"{expected} in UTF-8") from None


def check_destination(path: object, what: str, endings: Sequence[str] = (), *, folder: bool = False) -> None:
    """Raise InputError unless a file can be written there.

    Parameters
    ----------
    path
        Where; anything that is no path is refused in a sentence too.
    what
        What shall be written, or the option that says where: ``"figure"``, ``"--output"``.
    endings
        Those that the name may have, in lower case with their dot; none: any.
    folder
        Whether it is a folder that files are written into; it is made where there is none.
    """
    if not isinstance(path, str | os.PathLike) or not os.fspath(path):
        raise InputError(f"{what}: found {quote(path)}; expected the path of a {'folder' if folder else 'file'}")
    text = os.fsdecode(path)
    if endings and not text.lower().endswith(tuple(endings)):
        *others, last = endings
        one = f"{', '.join(others)} or {last}" if others else last
        raise InputError(f"{what} {text}: expected a file name that ends in {one}")
    why = unwritable(text, folder=folder)
    if why is not None:
        raise InputError(f"{what} {text}: cannot be written ({why})")


@contextmanager
def writing_errors(where: str | os.PathLike[str]) -> Iterator[None]:
    """Errors of the system inside the block as InputError: what cannot be written, and why."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{os.fspath(where)}: cannot be written ({error.strerror or error})") from None


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text as it is, in UTF-8. Raises InputError when it cannot be written."""
    with writing_errors(path):
        Path(path).write_text(text, encoding="utf-8", newline="")


def write_packed(path: str | os.PathLike[str], text: str) -> None:
    """Write a text in UTF-8, gzipped where the name ends in ``.gz``: the same text gives the same bytes."""
    data = text.encode()
    if os.fsdecode(path).endswith(".gz"):
        packed = io.BytesIO()
        with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as file:
            file.write(data)
        data = packed.getvalue()
    Path(path).write_bytes(data)


def unwritable(path: str, *, folder: bool = False) -> str | None:
    """Why a file (or files in a folder) cannot be written there; ``None`` where nothing is seen to be in the way.

    >>> unwritable("."), unwritable("results.csv"), unwritable("new/results", folder=True)
    ('it is a folder', None, None)
    """
    place = Path(path)
    try:
        with suppress(FileNotFoundError):
            os.stat(path)  # unlike what follows, it says what is wrong with a name that no file system takes
        if place.is_dir() and not folder:
            return "it is a folder"
        if place.exists() and not place.is_dir() and folder:
            return "it is no folder"
        if place.exists():
            return None if os.access(place, os.W_OK) else "permission denied"
        parent = next(above for above in place.parents if above.exists()) if folder else place.parent
        if not parent.is_dir():
            return f"no folder {parent}"
        return None if os.access(parent, os.W_OK | os.X_OK) else f"permission denied in {parent}"
    except (OSError, ValueError) as error:
        return getattr(error, "strerror", None) or str(error)


NUMBER: Final = re.compile(r"~?[-+]?(?:\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?:/\d+)?|inf)", re.ASCII)
"""A number as tables show it."""
FORMULA: Final = re.compile("[-=+@\t\r\n\uff0d\uff1d\uff0b\uff20]")
"""What spreadsheets take for the beginning of a formula, numbers excepted."""


def write_csv(rows: Iterable[Iterable[object]], stream: TextIO) -> None:
    """Write rows as lines of comma-separated values; a text that a spreadsheet would compute begins with an apostrophe.

    >>> write_csv([("agent", "pays"), ("=1+1", "-3/2"), ("-1+cmd|' /C calc'!A0", -2), ("+", "-")], sys.stdout)
    agent,pays
    '=1+1,-3/2
    '-1+cmd|' /C calc'!A0,-2
    '+,-
    """
    csv.writer(stream, lineterminator="\n").writerows(map(_harmless, row) for row in rows)


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """The text that :func:`write_csv` writes."""
    out = io.StringIO()
    write_csv(rows, out)
    return out.getvalue()


def _harmless(entry: object) -> object:
    text = isinstance(entry, str) and FORMULA.match(entry) and entry != "-" and not NUMBER.fullmatch(entry)
    return f"'{entry}" if text else entry
