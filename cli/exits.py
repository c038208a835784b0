"""How a command ends: the exit codes, and the words for those ends that no record tells of."""

from __future__ import annotations

from typing import Final

from ..support.status import Status

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
