"""Answers of a tab: quick ones from a thread, long ones from processes that can be stopped or killed.

The page itself, which all tabs share, never waits: nothing that reads a file or grows with a scenario is done in it. A
thread shares the interpreter with the page, which then answers late, and cannot be ended: it is given up after
:data:`LATE` seconds. The process of a long question is first stopped like by Ctrl-C, so that the verb answers with what
it has; one that does not end is killed.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, Final, ParamSpec, TypeVar
from weakref import WeakSet

from ..parallel.executors import SPAWN, LostWorkerError, Processes, end_with_parent, started
from ..reports.tables import tables_of
from ..support.errors import ConsortiumError, described
from ..support.interrupts import reachable
from ..support.progress import Progress
from ..verbs import dispatch
from .drawing import as_html
from .view import View

P = ParamSpec("P")
R = TypeVar("R")

LONG: Final = 6.0
"""Seconds, the start of a process included, from which on an answer is expected to take long."""
LARGE: Final = 2**14
"""Letters of a scenario file from which on no thread answers, whatever is estimated."""
LATE: Final = 15.0
"""Seconds after which nobody waits for a thread any more."""
TOO_LATE: Final = 3.0
"""Seconds after which what follows on an earlier answer is given up."""
QUICK: Final = 0.2
"""Seconds for which the page keeps back what it could show before an answer."""


class StoppedError(ConsortiumError):
    """Somebody did not want the answer any more."""


class LateError(ConsortiumError):
    """There has been no answer for too long."""


class Desk:
    """The answers of one tab; its process is started when it is first needed."""

    def __init__(self) -> None:
        self._processes: Processes | None = None
        self._under_way = 0
        self._since = 0.0
        DESKS.add(self)

    async def run(self, function: Callable[[View], R], view: View, verb: str = "run", **options: Any) -> R:
        """What a function that asks a verb answers: from a thread where the verb is estimated to be quick."""
        if len(view.file) <= LARGE:
            estimate = await in_thread(partial(dispatch.estimate, verb, view.scenario, view.options(verb) | options))
            if estimate.seconds is None or estimate.seconds <= LONG:
                return await in_thread(function, view)
        return await self.ask(function, view)

    async def ask(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """What a function answers in the process. Raises StoppedError where it was stopped, or what it raises."""
        if self._processes is None:
            self._processes = Processes(1)
        if not self._under_way:
            self._since = time.monotonic()
        self._under_way += 1
        try:
            return await asyncio.wrap_future(self._processes.submit(function, *args, **kwargs))
        except (LostWorkerError, asyncio.CancelledError):
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise  # not the answer is stopped but who waits for it, as at the end of the server
            raise StoppedError("Stopped.") from None
        finally:
            self._under_way -= 1

    def stop_if_busy(self, seconds: float = 0.0) -> None:
        """End what has been under way in the process for so long: the answer would come too late."""
        if self._under_way and time.monotonic() >= self._since + seconds:
            self.stop()

    def stop(self) -> None:
        """End what is under way."""
        if self._processes is not None:
            self._processes.kill()
            self._processes = None


DESKS: Final[WeakSet[Desk]] = WeakSet()
"""Those of all tabs, also of tabs that have gone a moment ago: their processes would be waited for at the end."""


async def in_thread(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """What a function answers in a thread that nobody waits for when the server ends, nor after :data:`LATE` seconds.

    Raises LateError then: a file on a disk that is gone, say, may never be read.

    Those of :func:`asyncio.to_thread` are waited for without limit, by the loop and once more by the interpreter: under
    load what was estimated as quick would hold up Ctrl-C for as long as it takes.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[R] = loop.create_future()

    def tell(resolve: Callable[[Any], None], value: Any) -> None:
        if not answer.done():  # nor cancelled, as at the end of the server
            resolve(value)

    def work() -> None:
        resolution: tuple[Callable[[Any], None], Any]
        try:
            resolution = (answer.set_result, function(*args, **kwargs))
        except BaseException as error:  # whatever it is belongs to who waits
            resolution = (answer.set_exception, error)
        with suppress(RuntimeError):  # the loop has been closed: nobody waits
            loop.call_soon_threadsafe(tell, *resolution)

    threading.Thread(target=work, daemon=True).start()
    try:
        return await asyncio.wait_for(answer, LATE)
    except TimeoutError:
        if not answer.cancelled():
            raise  # what the function itself has raised
        raise LateError(f"no answer within {LATE:.0f} seconds") from None


async def soon(answer: Coroutine[Any, Any, R], before: Callable[[], None]) -> R:
    """An answer; ``before`` is called at once where it does not come at once.

    A quick answer and what is shown before it then reach the browser in one message, and the page is laid out once.
    """
    task = asyncio.ensure_future(answer)
    done, _ = await asyncio.wait({task}, timeout=QUICK)
    if not done:
        before()
    return await task


class Latest:
    """Work that is wanted again and again, as while a slider moves: done for the last wish, never twice at a time.

    Whoever wishes waits until the work has been done for the wish, or for a later one.
    """

    def __init__(self, work: Callable[[], Awaitable[None]]) -> None:
        self._work, self._wanted = work, False
        self._idle = asyncio.Event()
        self._idle.set()

    async def __call__(self) -> None:
        """Do it, or have it done once more when what is under way is done."""
        self._wanted = True
        if not self._idle.is_set():
            await self._idle.wait()
            return
        self._idle.clear()
        try:
            while self._wanted:
                self._wanted = False
                await self._work()
        finally:
            self._idle.set()


PATIENCE: Final = 15.0
"""Seconds from the stop until a process that still works is killed."""
OFTEN: Final = 0.1
"""Seconds between two reports of progress."""


class Work:
    """A verb asked of what is looked at, under way.

    ``status``: the last word about how far it is; ``answer, tables``: the record's dict, and its tables as HTML, once
    they have come; ``trouble``: why there is none, where none will come.
    """

    def __init__(self, verb: str, view: View) -> None:
        self.verb, self.status, self.tables, self.trouble = verb, "starting", "", ""
        self.answer: Mapping[str, Any] | None = None
        self._stopped: float | None = None
        self._pipe, theirs = SPAWN.Pipe()
        self._process = started(_work, theirs, verb, view, daemon=True)
        theirs.close()

    def stop(self) -> None:
        """Ask for what is known. Asked again, or after :data:`PATIENCE`, the process is killed."""
        if self._stopped is not None:
            self._process.kill()
        elif self._process.pid is not None and self._process.is_alive():
            self._stopped, self.status = time.monotonic(), "stopping"
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


def _work(pipe: Connection, verb: str, view: View) -> None:
    end_with_parent()
    try:
        reachable()
        record = dispatch.ask(verb, view.scenario, view.options(verb), progress=_reporter(pipe))
        message: tuple[str, Any] = "answer", record.to_dict()
        pipe.send(("tables", as_html(tables_of(message[1]))))
    except ConsortiumError as error:
        message = "trouble", str(error)
    except KeyboardInterrupt:
        message = "trouble", "Stopped before there was an answer."
    except MemoryError:
        message = "trouble", "There is not enough memory for this."
    except Exception as error:
        message = "trouble", f"an error of consortium itself, {described(error)}"
    with suppress(OSError):  # the page has gone
        pipe.send(message)


def _reporter(pipe: Connection) -> Progress:
    """A receiver of progress that tells the page, now and then."""
    last = 0.0

    def report(done: int, total: int | None, note: str = "") -> None:
        nonlocal last
        if time.monotonic() >= last + OFTEN:
            last = time.monotonic()
            part = f"{done:,}" if total is None else f"{done:,} of {total:,}"
            pipe.send(("status", f"{note}: {part}" if note else part))

    return report
