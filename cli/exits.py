"""How a command ends: its exit code, and one sentence for whatever ended it before there was a record."""

from __future__ import annotations

from typing import Any, Final

from ..support.errors import ConsortiumError, described, missing, unknown_name
from ..support.loading import PACKAGE, origin
from ..support.status import Status
from .stopping import STOPS
from .streams import StreamError

DONE: Final = 0
"""Done, or what was asked holds."""
REFUTED: Final = 1
"""What was asked does not hold."""
BAD_INPUT: Final = 2
"""Bad input, or a file, stream or folder that cannot be read or written."""
STOPPED: Final = 3
"""Stopped by a limit or a signal before a complete answer."""
BROKEN: Final = 4
"""An error of ours."""

NO_ANSWER: Final = "Stopped by {} before there was an answer."
REPORT: Final = (
    "please report it to the maintainers with the command, the files it reads, `consortium --version` and what the "
    "command prints with --debug"
)

EPILOG: Final = (
    "Exit codes: 0 done, or it holds; 1 refuted; 2 bad input, or a file or stream that cannot be read or written; "
    "3 stopped by a limit or Ctrl-C, what is known is printed; 4 an error of the program (--debug shows where)."
)
"""What ``--help`` says of them."""


def exit_code(status: Status) -> int:
    """The exit code of an answer with this status.

    >>> exit_code(Status.PROVED), exit_code(Status.REFUTED), exit_code(Status.SAMPLED)
    (0, 1, 3)
    """
    return {Status.PROVED: DONE, Status.REFUTED: REFUTED}.get(status, STOPPED)


def judged(error: BaseException) -> tuple[int, str]:
    """Exit code and sentence.

    A signal that came before explains every other error, since it may have struck anywhere. Errors of the machine, and
    of what others wrote, are not ours: what a rule of another distribution raises is told with its line.
    """
    if isinstance(error, StreamError):
        return BAD_INPUT, f"error: {error}"
    if STOPS.by is not None or (isinstance(error, KeyboardInterrupt) and not foreign(error)):
        return STOPPED, NO_ANSWER.format(STOPS.by or "Ctrl-C")
    if hasattr(error, "format_message"):
        return BAD_INPUT, f"error: {_refusal(error)}"
    if isinstance(error, ConsortiumError):
        return BAD_INPUT, f"error: {error}"
    if isinstance(error, MemoryError):
        return BAD_INPUT, f"error: not enough memory{_in_brackets(str(error))}{_notes(error)}"
    if isinstance(error, OSError):
        where = ": ".join(str(name) for name in (error.filename, error.filename2) if name is not None)
        return BAD_INPUT, f"error: {where or 'the machine'}: {error.strerror or error}{_notes(error)}"
    kind, ours, (package, place) = type(error).__name__, "an error of consortium itself", origin(error)
    if package != PACKAGE:
        return BAD_INPUT, f"error: {package}: failed with {described(error)} ({place}){_notes(error)}"
    return BROKEN, f"error: {ours}, {kind}{_in_brackets(str(error))} at {place}{_notes(error)}; {REPORT}"


def _refusal(error: Any) -> str:
    """What the argument parser refuses, in the words of every other door."""
    command, name = error.ctx.command, type(error).__name__
    if name == "NoSuchOption":
        options = [option for each in command.get_params(error.ctx) for option in each.opts if option[:2] == "--"]
        return str(unknown_name(f"option of {error.ctx.command_path}", error.option_name, options))
    if name == "MissingParameter" and error.param is not None:
        option = error.param.param_type_name == "option"
        label = f"option {error.param.opts[0]}" if option else f"argument {error.param.metavar or error.param.name}"
        return missing(label, error.param.help or "")
    return str(error.format_message())


def foreign(error: BaseException) -> bool:
    """Whether it happened in the code of another distribution, which an entry point announces."""
    return origin(error)[0] != PACKAGE


def _notes(error: BaseException) -> str:
    """What was noted of an error; not the traceback of a worker process, which --debug shows."""
    return "".join(f"; {note}" for note in getattr(error, "__notes__", ()) if "\n" not in note)


def _in_brackets(text: str) -> str:
    return f" ({text})" if text else ""
