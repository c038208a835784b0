"""A store of finished windows: a file of JSON lines, from which the same question goes on where it stopped.

Its first line is what was asked (log, plan, rules); one line follows per finished window. The same question with the
same store resumes; another question with it is refused, and so is a second process while the first one writes. What
follows the last end of a line was cut while it was written (a killed process, a full disk) and is taken back.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, Final, TypeVar

from pydantic import TypeAdapter
from pydantic_core import to_json, to_jsonable_python

from ... import __version__
from ...scheduling.errors import InputError
from .windows import WindowResult

QUESTION: Final = TypeAdapter(dict[str, Any])
RESULT: Final = TypeAdapter(WindowResult)
BEGIN_ANEW: Final = "name another file, or delete this one to begin anew"

T = TypeVar("T")


class Store:
    """Finished windows, in memory and, from entering the context to leaving it, in a file; no path: in memory only.

    Attributes
    ----------
    finished
        Results by the number of their window.
    failure
        Why a result could not be written, in a sentence; it is in :attr:`finished` all the same.
    """

    def __init__(self, path: str | os.PathLike[str] | None, asked: Mapping[str, Any]) -> None:
        self.path = None if path is None else Path(path)
        self.asked: dict[str, Any] = to_jsonable_python({"consortium": __version__, **asked})
        self.finished: dict[int, WindowResult] = {}
        self.failure: str | None = None
        self._file: FileIO | None = None

    def __enter__(self) -> Store:
        if self.path is None:
            return self
        try:
            self._file = _opened(self.path)
            self._read(self._file)
        except OSError as error:
            self.__exit__()
            raise InputError(f"store {self.path}: cannot be written ({error.strerror or error})") from None
        except InputError:
            self.__exit__()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def keep(self, result: WindowResult) -> None:
        """Keep a finished window, on disk at once if there is a path."""
        self.finished[result.index] = result
        if self._file is None:
            return
        try:
            _write(self._file, RESULT.dump_json(result) + b"\n")
        except OSError as error:
            self.failure = f"store {self.path}: cannot be written ({error.strerror or error})"

    def _read(self, file: FileIO) -> None:
        """What the file holds; a last line that was cut is taken out of it, a file of nothing gets its first line."""
        assert self.path is not None
        first = to_json(self.asked) + b"\n"
        *lines, cut = file.readall().split(b"\n")
        if not lines and first.startswith(cut):  # only a beginning of our own: nobody else's file is overwritten
            file.truncate(0)
            file.seek(0)
            _write(file, first)
            return
        self._check_question(_parsed(QUESTION, lines[0] if lines else cut, self.path, 1))
        done = [_parsed(RESULT, line, self.path, number) for number, line in enumerate(lines[1:], 2)]
        self.finished = {result.index: result for result in done}
        file.truncate(file.seek(-len(cut), os.SEEK_END))

    def _check_question(self, asked: dict[str, Any]) -> None:
        differing = sorted(key for key in {*asked, *self.asked} if asked.get(key) != self.asked.get(key))
        if differing:
            found = ", ".join(f"{key} = {asked.get(key)!r} (asked: {self.asked.get(key)!r})" for key in differing)
            raise InputError(f"store {self.path} belongs to another question: {found}; name another file")


def _opened(path: Path) -> FileIO:
    """The file, made where there is none, for this process alone as long as it is open."""
    if path.exists() and not stat.S_ISREG(path.stat().st_mode):
        raise InputError(f"store {path}: cannot be written (not a file); expected the path of a file")
    file = FileIO(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+")
    try:
        _lock(file, path)
    except BaseException:
        file.close()
        raise
    return file


def _lock(file: FileIO, path: Path) -> None:
    if sys.platform == "win32":  # no advisory locks: two writers are not noticed
        return
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(f"store {path}: another process is writing to it; wait for it, or name another file") from None
    except OSError:  # a file system without locks
        return


def _write(file: FileIO, line: bytes) -> None:
    """All of a line; nothing is buffered, so that a full disk is noticed here and not when the file is closed."""
    rest = memoryview(line)
    while rest:
        rest = rest[file.write(rest) :]


def _parsed(what: TypeAdapter[T], line: bytes, path: Path, number: int) -> T:
    try:
        return what.validate_json(line, strict=True)
    except ValueError:
        shown, hint = ("what was asked", BEGIN_ANEW)
        if number > 1:
            shown, hint = "a finished window", "take this line out, and its window is measured again"
        raise InputError(
            f"store {path}: cannot be read as a store; line {number} does not tell {shown}; {hint}"
        ) from None
