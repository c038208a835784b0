"""One case tried: through the command's entry function, or as a process; and what is wrong with the way it ended."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
import time
import traceback
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import typer

from consortium.cli import app as command_line
from consortium.cli import verbs

from .material import Case

CODES = frozenset({0, 1, 2, 3})
ROOT = Path(__file__).resolve().parents[3]
LONG = 5.0
"""Seconds that no case may take, of the processor in this process."""
PATIENCE = 3.0
"""Such seconds after which Ctrl-C is pressed: a valid scenario may ask for a lot, but it stops when it is told to."""

WAITED = 15.0
"""Seconds on the clock after which Ctrl-C is pressed for a process, which may have to compile first."""


def put_together_once() -> None:
    """Keep the parsers of the commands, which a process makes once and many calls in one process would make anew."""
    command_line.app = typer.main.get_command(command_line.app)  # type: ignore[assignment]  # is called the same way
    verbs.command = cache(verbs.command)
    vars(command_line)["BUILDERS"] = {name: cache(builder) for name, builder in command_line.BUILDERS.items()}


@dataclass(frozen=True)
class Ending:
    """Exit code (``None``: an exception escaped), what was printed, how long it took, whether Ctrl-C was pressed."""

    code: int | None
    stdout: str
    stderr: str
    seconds: float
    stopped: bool = False

    @property
    def wrong(self) -> str:
        """What must not be, in a few words; empty if nothing."""
        if self.code is None or "Traceback (most recent call last)" in self.stderr:
            return "exception: " + self.stderr.strip().rpartition("\n")[2][:200]
        if self.code not in CODES:
            return f"exit code {self.code}: {self.stderr.strip()[-200:]}"
        if self.code == 2 and not self.stderr.strip():
            return "bad input without a word"
        if "RuntimeWarning" in self.stderr:
            return "a RuntimeWarning on stderr"
        return f"{self.seconds:.1f} s" if self.seconds > LONG else ""


def place(case: Case, folder: Path) -> None:
    """Put the case's files, and nothing else, into a folder."""
    for old in folder.iterdir():
        old.unlink()
    for name, content in case.files.items():
        (folder / name).write_bytes(content)


def in_process(case: Case, folder: Path) -> Ending:
    """Call the entry function in the folder; RuntimeWarnings are errors, streams hold UTF-8 and nothing else."""
    place(case, folder)
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors=how) for how in ("strict", "backslashreplace")]
    stdin = io.TextIOWrapper(io.BytesIO(case.stdin), encoding="utf-8")
    before, arguments, given = time.process_time(), sys.argv, sys.stdin
    code: int | None = None
    pressed: list[int] = []

    def press(number: int, _: object) -> None:
        pressed.append(number)
        signal.raise_signal(signal.SIGINT)

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs are started without
    signal.signal(signal.SIGPROF, press)
    signal.setitimer(signal.ITIMER_PROF, PATIENCE, PATIENCE)
    try:
        sys.argv, sys.stdin = ["consortium", *case.arguments], stdin
        with (
            contextlib.chdir(folder),
            contextlib.redirect_stdout(streams[0]),
            contextlib.redirect_stderr(streams[1]),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("error", RuntimeWarning)
            sys.exit(command_line.ended(sys.argv[1:]))
    except SystemExit as ending:
        code = ending.code if isinstance(ending.code, int) else 0 if ending.code is None else -1
    except BaseException:
        traceback.print_exc(file=streams[1])
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.argv, sys.stdin = arguments, given
    shown = []
    for stream in streams:
        stream.flush()
        shown.append(stream.buffer.getvalue().decode())  # type: ignore[attr-defined]
    return Ending(code, shown[0], shown[1], time.process_time() - before, bool(pressed))


def as_process(case: Case, folder: Path) -> Ending:
    """Start the command in the folder; what takes longer than :data:`WAITED` is stopped, and has to stop soon."""
    place(case, folder)
    environment = os.environ | {"PYTHONPATH": str(ROOT / ".types"), "PYTHONWARNINGS": "default::RuntimeWarning"}
    signal.signal(signal.SIGINT, signal.default_int_handler)  # else a background job's processes ignore it too
    started = subprocess.Popen(
        [sys.executable, "-m", "consortium", *case.arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, env=environment,
    )  # fmt: skip
    seconds, stopped = 0.0, False
    try:
        said = started.communicate(case.stdin, timeout=WAITED)
    except subprocess.TimeoutExpired:
        before, stopped = time.perf_counter(), True
        started.send_signal(signal.SIGINT)
        said = started.communicate(timeout=120)
        seconds = time.perf_counter() - before
    stdout, stderr = (text.decode(errors="replace") for text in said)
    return Ending(started.returncode, stdout, stderr, seconds, stopped)
