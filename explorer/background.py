"""Long answers: a verb in a process of its own, which says how far it is and can be stopped with what it knows.

A thread would share the interpreter with the page, which then answers late, and not all work ends when it is asked to.
A process is first stopped like by Ctrl-C, and the verb tells what it has; one that does not end is killed.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Final

from ..parallel.processes import end_with_parent
from ..support.errors import ConsortiumError
from ..support.progress import Progress
from ..verbs import dispatch
from .view import View

SPAWN: Final = multiprocessing.get_context("spawn")
PATIENCE: Final = 15.0
"""Seconds from the stop until a process that still works is killed."""
OFTEN: Final = 0.1
"""Seconds between two reports of progress."""


@dataclass(frozen=True)
class Question:
    """A verb, and what is looked at."""

    verb: str
    view: View

    @property
    def command(self) -> str:
        """The command line that asks the same."""
        return self.view.command(self.verb)


class Work:
    """A question under way.

    Attributes
    ----------
    said
        The last word about how far it is.
    answer
        The record's dict once it has come.
    trouble
        Why there is none, where none will come.
    """

    def __init__(self, question: Question) -> None:
        self.said, self.trouble = "starting", ""
        self.answer: Mapping[str, Any] | None = None
        self._stopped: float | None = None
        self._pipe, theirs = SPAWN.Pipe()
        self._process = SPAWN.Process(target=_work, args=(theirs, question), daemon=True)
        self._process.start()
        theirs.close()

    def stop(self) -> None:
        """Ask for what is known. Asked again, or after :data:`PATIENCE`, the process is killed."""
        if self._stopped is not None:
            self._process.kill()
        elif self._process.pid is not None and self._process.is_alive():
            self._stopped, self.said = time.monotonic(), "stopping"
            os.kill(self._process.pid, signal.SIGINT)

    def close(self) -> None:
        """End it at once; nobody wants the answer."""
        self._process.kill()

    def look(self) -> bool:
        """Take in what the process has said; whether it has ended."""
        try:
            while self._pipe.poll():
                kind, content = self._pipe.recv()
                setattr(self, kind, content)
        except (EOFError, OSError):
            if self.answer is None and not self.trouble:
                self.trouble = "Stopped before there was an answer."
        if self._stopped is not None and time.monotonic() > self._stopped + PATIENCE:
            self._process.kill()
        return self.answer is not None or bool(self.trouble)


def _work(pipe: Connection, question: Question) -> None:
    """What the process does."""
    end_with_parent()
    try:
        record = dispatch.ask(question.verb, question.view.scenario, {}, progress=_reporter(pipe))
        pipe.send(("answer", record.to_dict()))
    except ConsortiumError as error:
        pipe.send(("trouble", str(error)))
    except KeyboardInterrupt:
        pipe.send(("trouble", "Stopped before there was an answer."))
    except MemoryError:
        pipe.send(("trouble", "There is not enough memory for this."))
    except Exception as error:
        pipe.send(("trouble", f"an error of consortium itself, {type(error).__name__}: {error}"))


def _reporter(pipe: Connection) -> Progress:
    """A receiver of progress that tells the page, now and then."""
    last = 0.0

    def report(done: int, total: int | None, note: str = "") -> None:
        nonlocal last
        if time.monotonic() >= last + OFTEN:
            last = time.monotonic()
            part = f"{done:,}" if total is None else f"{done:,} of {total:,}"
            pipe.send(("said", f"{note}: {part}" if note else part))

    return report
