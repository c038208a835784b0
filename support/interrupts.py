"""Ctrl-C where a plain ``except KeyboardInterrupt`` does not do: between two computations, and while processes start.

A long computation catches Ctrl-C itself and returns what it has, so whoever runs several of them in turn would not hear
of it: :func:`noticed` tells her. Processes that are being started must not be lost half-way: :func:`shielded` makes
Ctrl-C wait. Both also stand for what else stops a command (the signal that asks a process to end), and in other threads
than the main one, where Python never raises KeyboardInterrupt, both do nothing.

>>> import signal
>>> with noticed() as stopped:
...     try:
...         signal.raise_signal(signal.SIGINT)
...     except KeyboardInterrupt:
...         pass
>>> stopped()
True
"""

from __future__ import annotations

import dis
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Any, TypeAlias, TypeVar, cast

T = TypeVar("T")

Handler: TypeAlias = Callable[[int, FrameType | None], Any]

STOPPING = (signal.SIGINT, signal.SIGTERM)
"""Signals that stop a command: Ctrl-C, and what ``kill`` and batch systems send first."""
_BREAKING = (*STOPPING, *((signal.SIGALRM,) if hasattr(signal, "SIGALRM") else ()))
"""Signals whose handlers may break off what runs: a Ctrl-C that could not be answered at once comes again by timer."""


def stops(error: BaseException) -> bool:
    """Whether an error asks the work to stop: a signal or a limit of ours, not a KeyboardInterrupt of code we call.

    Python raises a signal's between any two instructions of what runs; code that raises its own is at a ``raise``.
    """
    trace = error.__traceback__
    if trace is None or not isinstance(error, KeyboardInterrupt):
        return isinstance(error, KeyboardInterrupt)
    while trace.tb_next is not None:
        trace = trace.tb_next
    code, package = trace.tb_frame.f_code, str(trace.tb_frame.f_globals.get("__name__")).partition(".")[0]
    own = dis.opname[code.co_code[trace.tb_lasti]] == "RAISE_VARARGS"
    return not own or package in (__package__.partition(".")[0], "asyncio")  # whose handlers of signals raise it


@contextmanager
def noticed() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C has come inside the block, even if somebody there has answered it.

    One that came earlier and could not be answered then comes again inside, by timer.
    """
    came = False

    def note(handler: Handler, number: int, frame: FrameType | None) -> None:
        nonlocal came
        came = True
        handler(number, frame)

    with _through(note):
        yield lambda: came


@contextmanager
def shielded() -> Iterator[None]:
    """Ctrl-C waits until the block is left; a process or a thread started inside does not get it at all."""
    waiting: list[tuple[Handler, int, FrameType | None]] = []
    try:
        with _through(lambda handler, number, frame: waiting.append((handler, number, frame))), blocked():
            yield
    finally:
        for handler, number, frame in waiting[:1]:
            handler(number, frame)


@contextmanager
def _through(answer: Callable[[Handler, int, FrameType | None], None]) -> Iterator[None]:
    """Signals go to ``answer``, together with the handler that stood there before; what was ignored remains so."""
    replaced: dict[int, Handler] = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for number in _BREAKING:
                if callable(handler := signal.getsignal(number)):
                    replaced[number] = handler
                    signal.signal(number, partial(answer, handler))
        yield
    finally:
        for replaced_number, handler in replaced.items():
            signal.signal(replaced_number, handler)


@contextmanager
def blocked() -> Iterator[None]:
    """Processes and threads started inside never get Ctrl-C or SIGTERM. Windows has nothing of the kind."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def heard(work: Callable[[], T]) -> T:
    """What ``work`` answers, whose foreign code hears no Ctrl-C: it works in a thread, and is left alone there.

    >>> heard(lambda: 2 + 2)
    4
    """
    answers: SimpleQueue[tuple[T | None, BaseException | None]] = SimpleQueue()

    def ended() -> None:
        try:
            answers.put((work(), None))
        except BaseException as error:
            answers.put((None, error))

    with blocked():
        threading.Thread(target=ended, daemon=True).start()
    while True:
        with suppress(Empty):
            answer, error = answers.get(timeout=0.2)  # a wait without an end hears no signal on every system
            if error is not None:
                raise error
            return cast("T", answer)


def reachable() -> None:
    """From now on a process that was started inside :func:`blocked` gets the signals that are sent to it alone.

    What was sent to it before comes now.
    """
    if hasattr(signal, "pthread_sigmask"):
        os.setpgid(0, 0)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
