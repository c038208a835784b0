"""Stores of before, files of JSON lines, are taken over once: into a store in their place, the old file kept beside it.

The first line is what was asked, one line follows per finished window; what follows the last end of a line was cut
while it was written. What was asked did not tell one log from another of the same name and size: the windows are cut
anew from the log, and must be those that were measured.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import TypeAdapter

from ... import __version__
from ...parallel.differences import differences
from ...parallel.lock import writing
from ...parallel.outcomes import JSON, Columns, Outcome
from ...parallel.store import Store
from ...support.errors import InputError
from ...workloads.windows import SharedWork
from .results import WindowResult, read

BEGIN_ANEW: Final = "name another file, or delete this one to begin anew"
OLD: Final = ".old.jsonl"
"""What the name of a file that was taken over ends in."""
_QUESTION: Final = TypeAdapter(dict[str, Any])

T = TypeVar("T")


def take_over(
    path: Path,
    question: Mapping[str, JSON],
    before: Mapping[str, JSON],
    columns: Columns,
    outcome: Callable[[WindowResult], Outcome],
    window: Callable[[int], SharedWork],
) -> None:
    """Put a store in the place of a file of JSON lines; any other file, or none, is left alone.

    At every moment the path has one of both, so whoever is killed in between goes on with the next call.

    Parameters
    ----------
    question, columns
        Of the store that takes its place.
    before
        What the file of lines was asked, if it is the same question.
    outcome
        Makes of a window what a store keeps.
    window
        Makes window ``i`` of the log.

    Raises
    ------
    InputError
        Another question, another log, a line that cannot be read, a file that cannot be written, or another process
        that writes to it.
    """
    if not _has_lines(path):
        return
    try:
        with writing(path):
            if _has_lines(path):  # nobody has been faster
                results = _read(path, before)
                _check_log(path, results, window)
                _replace(path, question, columns, [*map(outcome, results)])
    except OSError as error:
        raise InputError(f"store {path}: cannot be written ({error.strerror or error})") from None


def _has_lines(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return file.read(1) == b"{"
    except OSError:
        return False  # whoever opens it next says why


def _read(path: Path, before: Mapping[str, JSON]) -> list[WindowResult]:
    *lines, cut = path.read_bytes().split(b"\n")
    asked = _parsed(_asked, lines[0] if lines else cut, path, 1)
    told = differences(asked, {"consortium": __version__, **before})
    if told:
        raise InputError(f"store {path} belongs to another question: {told}; name another file")
    done = [_parsed(read, line, path, number) for number, line in enumerate(lines[1:], 2)]
    return list({result.index: result for result in done}.values())


def _check_log(path: Path, results: Sequence[WindowResult], window: Callable[[int], SharedWork]) -> None:
    for result in results:
        work = window(result.index)
        found = (result.start, result.n_jobs, result.load, result.names, result.machines)
        if found != (work.start, len(work), work.load, work.names, work.machines):
            raise InputError(
                f"store {path} belongs to another log of the same name and size: window {result.index + 1} is another "
                f"one in it; name another file"
            )


def _replace(path: Path, question: Mapping[str, JSON], columns: Columns, outcomes: Sequence[Outcome]) -> None:
    fresh, old = path.with_name(path.name + ".new"), path.with_name(path.name + OLD)
    if old.exists() and not old.samefile(path):
        raise InputError(f"store {path}: is a file of JSON lines, to be kept as {old.name}; found that name taken")
    with Store.open(fresh, question, columns) as store:
        store.forget("done")  # of one who was killed here
        store.keep(outcomes)
    if not old.exists():
        os.link(path, old)
    fresh.replace(path)


def _asked(line: bytes) -> dict[str, Any]:
    return _QUESTION.validate_json(line, strict=True)


def _parsed(what: Callable[[bytes], T], line: bytes, path: Path, number: int) -> T:
    try:
        return what(line)
    except ValueError:
        shown, hint = ("what was asked", BEGIN_ANEW)
        if number > 1:
            shown, hint = "a finished window", "take this line out, and its window is measured again"
        raise InputError(
            f"store {path}: cannot be read as a store; line {number} does not tell {shown}; {hint}"
        ) from None
