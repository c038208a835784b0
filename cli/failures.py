"""What ended a command too early, as one sentence for people and an exit code."""

from __future__ import annotations

import traceback
from pathlib import Path

from ..support.errors import ConsortiumError
from ..support.loading import PACKAGE, extension_packages
from .exits import BAD_INPUT, BROKEN, NO_ANSWER, REPORT, STOPPED
from .stopping import STOPS
from .streams import StreamError


def judged(error: BaseException) -> tuple[int, str]:
    """Exit code and sentence.

    A signal that came before explains every other error, since it may have struck anywhere. Errors of the machine, and
    of what others wrote, are not ours: what a rule of another distribution raises is told with its line.
    """
    if isinstance(error, StreamError):
        return BAD_INPUT, f"error: {error}"
    if isinstance(error, KeyboardInterrupt) or STOPS.by is not None:
        return STOPPED, NO_ANSWER.format(STOPS.by or "Ctrl-C")
    if isinstance(error, ConsortiumError):
        return BAD_INPUT, f"error: {error}"
    if isinstance(error, MemoryError):
        return BAD_INPUT, f"error: not enough memory{_in_brackets(str(error))}{_notes(error)}"
    if isinstance(error, OSError):
        where = ": ".join(str(name) for name in (error.filename, error.filename2) if name is not None)
        return BAD_INPUT, f"error: {where or 'the machine'}: {error.strerror or error}{_notes(error)}"
    kind, ours, (package, place) = type(error).__name__, "an error of consortium itself", _origin(error)
    if package != PACKAGE:
        return BAD_INPUT, f"error: {package}: failed with {kind}: {error} ({place}){_notes(error)}"
    return BROKEN, f"error: {ours}, {kind}{_in_brackets(str(error))} at {place}{_notes(error)}; {REPORT}"


def _origin(error: BaseException) -> tuple[str, str]:
    """The package where it happened, ours or one that announces extensions, and the line there."""
    packages = {PACKAGE, *extension_packages()}
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package in packages:
            return package, f"line {line} of {Path(frame.f_code.co_filename).name}"
    return PACKAGE, "an unknown place"


def _notes(error: BaseException) -> str:
    return "".join(f"; {note}" for note in getattr(error, "__notes__", ()))


def _in_brackets(text: str) -> str:
    return f" ({text})" if text else ""
