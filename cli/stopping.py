"""Ctrl-C and the signal that asks a process to end: at any moment of any command, imports included.

A signal is answered by a KeyboardInterrupt in the main thread. Long computations catch it and return what they have,
and :func:`consortium.cli.app.ended` answers it where nothing is known yet. Three places are no good for it. An import
that breaks off leaves half a module behind, and numpy's cannot be tried again; LLVM that is broken off while it loads
compiled code ends the process by a segmentation fault: there it waits until that is done.
And what is raised inside a callback from C, or while an object is finalized, gets lost with a traceback on the screen:
there it is raised once more.

This module is imported before anything else of the command line, so that it is ready early; it imports nothing heavy.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, Final, NoReturn

from ..support.interrupts import STOPPING

SOON: Final = 0.01
"""Seconds until it is tried again where it could not be raised."""
GRACE: Final = 5.0
"""Seconds after which work that still reports itself is stopped again: somebody has answered and gone on."""
IMPORTING: Final = "<frozen importlib._bootstrap>"
"""What Python calls the file of its import system."""
LLVM: Final = "llvmlite"
"""The package that loads compiled code: broken off between two of its lines it frees a module twice, and crashes."""


class Stops:
    """The signals that have asked this process to stop."""

    def __init__(self) -> None:
        self.by: str | None = None  # what stopped it: ``"Ctrl-C"``, ``"SIGTERM"``
        self._since = 0.0

    def arrived(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal."""
        self.by = "Ctrl-C" if number == signal.SIGINT else signal.Signals(number).name
        self._since = time.monotonic()
        self.interrupt(number, frame)

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """Raise KeyboardInterrupt, later where an import is under way or compiled code is being loaded."""
        if hasattr(signal, "setitimer"):
            while frame is not None:
                if frame.f_code.co_filename == IMPORTING or LLVM in frame.f_code.co_filename:
                    return self.retry()
                frame = frame.f_back
        raise KeyboardInterrupt(self.by)

    def retry(self) -> None:
        """Raise it in a moment; where there is no timer, it takes another Ctrl-C."""
        if hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, self.interrupt)
            signal.setitimer(signal.ITIMER_REAL, SOON)

    def answered(self) -> None:
        """Raise it no more: what was to be tried again is answered already."""
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)

    def insist(self) -> None:
        """Raise KeyboardInterrupt in work that goes on long after a signal."""
        if self.by is not None and time.monotonic() > self._since + GRACE:
            raise KeyboardInterrupt(self.by)


STOPS: Final = Stops()
"""Those of this process."""


def answer_signals() -> None:
    """Answer signals as :class:`Stops` does, in this process from now on; what is ignored (by ``nohup``) remains so."""
    for number in STOPPING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, STOPS.arrived)
    sys.unraisablehook = _raised_again(sys.unraisablehook)


def ignore_signals() -> None:
    """All is said and printed: nothing is left to stop."""
    for number in STOPPING:
        signal.signal(number, signal.SIG_IGN)


def leave(code: int) -> NoReturn:
    """End the process, all being printed; what is registered for its end (temporary folders, workers) is done.

    Python's ordinary way out takes every module apart, for longer than many an answer takes, and would pull the floor
    from under the solvers' threads that a stop leaves behind. It is taken only where other threads have work to end.
    """
    ignore_signals()
    if STOPS.by is not None or threading.active_count() == 1:
        atexit._run_exitfuncs()
        os._exit(code)
    sys.exit(code)


def _raised_again(otherwise: Callable[[Any], Any]) -> Callable[[Any], None]:
    def hook(lost: Any) -> None:
        if issubclass(lost.exc_type, KeyboardInterrupt):
            STOPS.retry()
        else:
            otherwise(lost)

    return hook
