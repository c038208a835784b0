"""The command line, as a process of its own prints and ends, without the second that a new interpreter takes to start.

Real processes are for what only they show (:file:`cli/test_streams.py`, :file:`cli/test_stopping.py`).
"""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from subprocess import CompletedProcess

from consortium.cli.app import ended


def command(*arguments: str, cwd: Path) -> CompletedProcess[str]:
    """What ``consortium`` with these arguments prints in a folder, and its exit code."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = ended(arguments)
    return CompletedProcess(arguments, code, *(_printed(stream) for stream in (out, err)))


def _printed(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()
