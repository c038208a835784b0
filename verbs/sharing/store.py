"""A store of finished windows: a file of JSON lines, from which the same question goes on where it stopped.

Its first line is what was asked (log, plan, rules); one line follows per finished window. The same question with the
same store resumes; another question with it is refused.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

from pydantic import TypeAdapter
from pydantic_core import to_json, to_jsonable_python

from ... import __version__
from ...scheduling.errors import InputError
from .windows import WindowResult

QUESTION: Final = TypeAdapter(dict[str, Any])
RESULT: Final = TypeAdapter(WindowResult)


T = TypeVar("T")


class Store:
    """Finished windows in a file; without a path, nothing is written."""

    def __init__(self, path: str | os.PathLike[str] | None, asked: Mapping[str, Any]) -> None:
        self.path = None if path is None else Path(path)
        self.asked: dict[str, Any] = to_jsonable_python({"consortium": __version__, **asked})
        self.finished: dict[int, WindowResult] = {}
        if self.path is not None and self.path.exists():
            self._read(self.path)

    def _read(self, path: Path) -> None:
        try:
            head, *lines = path.read_bytes().split(b"\n")
        except OSError as error:
            raise InputError(f"store {path}: cannot be read ({error.strerror or error})") from None
        asked = _parsed(QUESTION, head, path, 1) if head.strip() else self.asked
        # what follows the last newline was cut while it was written
        done = [_parsed(RESULT, line, path, number) for number, line in enumerate(lines[:-1], 2)]
        differing = sorted(key for key in {*asked, *self.asked} if asked.get(key) != self.asked.get(key))
        if differing:
            found = ", ".join(f"{key} = {asked.get(key)!r} (asked: {self.asked.get(key)!r})" for key in differing)
            raise InputError(f"store {path} belongs to another question: {found}; name another file")
        self.finished = {result.index: result for result in done}

    @contextmanager
    def writer(self) -> Iterator[Callable[[WindowResult], None]]:
        """A function that keeps a finished window, on disk at once if there is a path."""
        file = None if self.path is None else self._opened(self.path)

        def keep(result: WindowResult) -> None:
            self.finished[result.index] = result
            if file is not None:
                file.write(RESULT.dump_json(result) + b"\n")
                file.flush()

        try:
            yield keep
        finally:
            if file is not None:
                file.close()

    def _opened(self, path: Path) -> BinaryIO:
        """The file open for further lines, written anew without a last line that was cut."""
        lines = [to_json(self.asked), *map(RESULT.dump_json, self.finished.values())]
        fresh = path.with_name(path.name + ".new")
        try:
            fresh.write_bytes(b"".join(line + b"\n" for line in lines))
            fresh.replace(path)
            return path.open("ab")
        except OSError as error:
            raise InputError(f"store {path}: cannot be written ({error.strerror or error})") from None


def _parsed(what: TypeAdapter[T], line: bytes, path: Path, number: int) -> T:
    try:
        return what.validate_json(line, strict=True)
    except ValueError:
        shown = "what was asked" if number == 1 else "a finished window"
        raise InputError(f"store {path}: cannot be read as a store; line {number} does not tell {shown}") from None
