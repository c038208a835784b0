r"""Finding, opening and reading log files of any format, with clear words for everything that can be wrong with one.

A relative name is looked up in the folder given (by default the current one), then in every folder of the environment
variable ``CONSORTIUM_TRACES``.

>>> import tempfile
>>> path = Path(tempfile.mkdtemp()) / "tiny.swf"
>>> _ = path.write_text("1 0 -1 60 2 -1 -1 2 -1 -1 1 7 3 -1 1 -1 -1 -1\n")
>>> log = read_log(path)
>>> log.name, len(log), log.processors.tolist()
('tiny.swf', 1, [2])
"""

from __future__ import annotations

import gzip
import os
import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Final, Literal, cast

from ..support.errors import InputError, nearest
from .log import Log, replayable
from .sacct import parse_sacct
from .swf import newlines, parse_swf

TRACES: Final = "CONSORTIUM_TRACES"
STDIN: Final = "-"
BLOCK: Final = 1 << 20  # about a cache; larger blocks read more slowly
LINE_MAX: Final = 1 << 20
"""Longest line of a log, in bytes; the longest of a real one has some thousands. It bounds the memory of reading."""
_JOB_COLUMN: Final = re.compile(rb"(?i)\bjobid(?:raw)?\b")
_SEPARATOR: Final = re.compile(rb"[,;:\t]")
_ALIEN: Final = (
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"PK\x03\x04", "zip"),
    (b"7z\xbc\xaf'\x1c", "7-zip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x1f\x9d", "compress (.Z)"),
    (b"\x7fELF", "an executable"),
    (b"\x89PNG", "an image"),
    (b"%PDF", "a PDF"),
)


def read_log(path: str | Path, folder: str | Path | None = None, zero: Literal["drop", "one"] = "drop") -> Log:
    """Read a job log of any known format and keep the jobs that can be replayed, sorted by submission.

    Parameters
    ----------
    path
        An SWF file or a dump of ``sacct -P``, plain or gzip; a relative name is looked up in ``folder`` (default: the
        current one), then in the folders of ``$CONSORTIUM_TRACES``; ``-`` is the standard input.
    zero
        What a run time of 0 means: ``"drop"`` the job, or count it as ``"one"`` second.

    Raises
    ------
    InputError
        The file cannot be found or read, is of no known format, or holds no job that can be replayed.
    """
    file = find_log(path, folder)
    name = "standard input" if str(path) == STDIN else file.name
    parts = whole_lines(blocks(file), name)
    first = next(parts, b"")
    if not first.strip():
        raise InputError(f"{name}: the file is empty; expected a job log")
    parse = parse_sacct if _is_sacct(first, file) else parse_swf
    return replayable(parse(chain([first], parts), name), zero)


def _is_sacct(first: bytes, path: Path) -> bool:
    """Whether the first line that is no comment holds the separator of ``sacct -P``; refused is sacct without it."""
    lines = (line.strip() for line in first.split(b"\n"))
    head = next((line for line in lines if line and not line.startswith(b";")), b"")
    if b"|" not in head and _JOB_COLUMN.search(head):
        other = _SEPARATOR.search(head)
        what = (
            f"separated by {other[0].decode()!r}, which stands in values too" if other else "of a fixed width, cut off"
        )
        raise InputError(f"{path}: looks like sacct with columns {what}; expected '|' between them: use sacct -P")
    return b"|" in head


def read_swf(path: str | Path) -> Log:
    """Read an SWF file, plain or gzip, exactly as written: all well-formed jobs in file order.

    Raises
    ------
    InputError
        The file is missing, a directory, unreadable, binary, a damaged gzip, or holds no job.
    """
    return parse_swf(whole_lines(blocks(path), Path(path).name), Path(path).name)


def read_sacct(path: str | Path) -> Log:
    """Read a dump, plain or gzip. Raises InputError for a file that cannot be read or is no dump."""
    return parse_sacct(whole_lines(blocks(path), Path(path).name), Path(path).name)


def find_log(name: str | Path, folder: str | Path | None = None) -> Path:
    """Path of a log: as given if absolute, else in ``folder``, else in a folder of ``$CONSORTIUM_TRACES``.

    ``-`` stays what it is, the standard input.

    Raises
    ------
    InputError
        Not found; the message names the places tried and the nearest file there.
    """
    if str(name) == STDIN:
        return Path(STDIN)
    relative = Path(name).expanduser()
    places = [Path(folder) if folder is not None else Path()]
    places += [Path(place) for place in os.environ.get(TRACES, "").split(os.pathsep) if place]
    tried = [relative] if relative.is_absolute() else [place / relative for place in places]
    for path in tried:
        try:
            if path.exists():
                return path
        except (OSError, ValueError) as error:  # a name too long, a NUL in it
            raise InputError(f"log {str(name)[:200]!r}: {error}") from None
    folders = {path.parent for path in tried if path.parent.is_dir()}
    near = nearest(relative.name, [entry.name for place in folders for entry in place.iterdir()])
    hint = f" Did you mean {near!r}?" if near else ""
    more = "" if os.environ.get(TRACES) else f" A folder of logs can be named in the environment variable {TRACES}."
    raise InputError(f"log {str(name)!r} not found; tried {', '.join(map(str, tried))}.{hint}{more}")


class _Seen:
    """A stream some bytes of which were looked at; pipes cannot be wound back."""

    def __init__(self, stream: BinaryIO, look: int) -> None:
        self._stream = stream
        self.head = self._left = stream.read(look)

    def read(self, size: int = -1) -> bytes:
        if not self._left:
            return self._stream.read(size)
        size = len(self._left) if size < 0 else size
        part, self._left = self._left[:size], self._left[size:]
        return part


def blocks(path: str | Path, size: int = BLOCK) -> Iterator[bytes]:
    """The decompressed content in blocks of about ``size`` bytes, without a leading byte order mark.

    ``-`` is the standard input. Raises InputError for a file that is missing, a directory, unreadable, of a foreign
    compressed format, or a gzip that is cut or damaged.
    """
    where, done = Path(path), 0
    try:
        with nullcontext(sys.stdin.buffer) if str(path) == STDIN else where.open("rb") as stream:
            raw = _Seen(stream, 8)
            for start, what in _ALIEN:
                if raw.head.startswith(start):
                    raise InputError(f"{where}: looks like {what}; expected a log as plain text or gzip")
            zipped = raw.head.startswith(b"\x1f\x8b")
            text = gzip.GzipFile(fileobj=cast(BinaryIO, raw), mode="rb") if zipped else raw
            for part in iter(lambda: text.read(size), b""):
                yield part.removeprefix(b"\xef\xbb\xbf") if not done else part
                done += len(part)
    except IsADirectoryError:
        raise InputError(f"{where}: is a directory; expected a log file") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(
            f"{where}: damaged gzip after {done:,} bytes of text ({error}); get the file again, "
            "because the jobs behind the damage are lost"
        ) from None
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{where}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def whole_lines(parts: Iterable[bytes], name: str | Path = "log") -> Iterator[bytes]:
    r"""Blocks cut again at newlines: each but the last ends with one.

    >>> list(whole_lines([b"a\nb", b"c", b"d\ne"]))
    [b'a\n', b'bcd\n', b'e']

    Raises InputError for a line of more than :data:`LINE_MAX` bytes, or a byte 0.
    """
    tail, line = b"", 1
    for part in parts:
        text = tail + part
        first, last = text.find(b"\n"), text.rfind(b"\n") + 1
        if first > LINE_MAX:
            raise _endless(name, line)
        whole, tail = text[:last], text[last:]
        if whole:
            yield _readable(whole, name, line)
            line += newlines(whole)
        if len(tail) > LINE_MAX:
            raise _endless(name, line)
    if tail:
        yield _readable(tail, name, line)


def _readable(text: bytes, name: str | Path, line: int) -> bytes:
    if b"\0" in text:
        line += text[: text.index(0)].count(10)
        raise InputError(f"{name}: byte 0 in line {line:,}: a binary file? Expected a log as text or gzip")
    return text


def _endless(name: str | Path, line: int) -> InputError:
    what = "expected a log, with one job in a line"
    return InputError(f"{name}: line {line:,} is longer than {LINE_MAX:,} bytes; {what}")
