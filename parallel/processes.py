"""Worker processes of this machine: Ctrl-C reaches the parent alone, and they end with the block that uses them.

>>> with workers(1) as results:
...     list(results(abs, iter([-1, 2])))
[1, 2]
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from ..scheduling.interrupts import shielded
from ..scheduling.progress import Clock

if TYPE_CHECKING:
    from multiprocessing.pool import Pool

T = TypeVar("T")
R = TypeVar("R")

HEARD: Final = 0.1
"""Seconds within which Ctrl-C is heard while an answer is waited for."""


class Results(Protocol):
    """Answers of the workers."""

    def __call__(
        self, function: Callable[[T], R], tasks: Iterable[T], *, ordered: bool = False, clock: Clock | None = None
    ) -> Iterator[R]:
        """What ``function`` says of each task, as it comes or in the order of the tasks.

        Raises TimeoutError when the clock expires while the next answer is waited for.
        """


@contextmanager
def workers(
    processes: int, initializer: Callable[..., object] | None = None, initargs: tuple[Any, ...] = ()
) -> Iterator[Results]:
    """Worker processes for the time of a block; with one, the work is done in this process.

    Parameters
    ----------
    processes
        How many.
    initializer, initargs
        Called in each worker before its first task.
    """
    if processes <= 1:
        if initializer is not None:
            initializer(*initargs)
        yield _here
        return
    import multiprocessing
    from multiprocessing import resource_tracker

    context = multiprocessing.get_context("spawn")  # a fork would copy the threads of a progress bar half alive
    resource_tracker.ensure_running()  # or the pool does, and lets Ctrl-C through to the workers
    with ExitStack() as stack:
        with shielded():  # Ctrl-C goes to the whole process group; only the parent answers it
            pool = context.Pool(processes, initializer, initargs)
            stack.callback(_end, pool)

        def there(
            function: Callable[[T], R], tasks: Iterable[T], *, ordered: bool = False, clock: Clock | None = None
        ) -> Iterator[R]:
            with shielded():
                answers: Any = pool.imap(function, tasks) if ordered else pool.imap_unordered(function, tasks)
            while True:
                left = None if clock is None else clock.left()
                try:
                    # what Ctrl-C breaks off inside the pool may leave a lock of its threads locked for ever
                    with shielded():
                        answer = answers.next(HEARD if left is None else min(HEARD, left))
                except StopIteration:
                    return
                except multiprocessing.TimeoutError:
                    if left is not None and left <= HEARD:
                        raise TimeoutError from None
                else:
                    yield answer

        yield there


def _end(pool: Pool) -> None:
    with shielded():
        pool.terminate()


def _here(
    function: Callable[[T], R], tasks: Iterable[T], *, ordered: bool = False, clock: Clock | None = None
) -> Iterator[R]:
    for task in tasks:
        if clock is not None and clock.expired():
            raise TimeoutError
        yield function(task)


def cores() -> int:
    """Processors of this machine."""
    return os.cpu_count() or 1


def travels(thing: object) -> bool:
    """Whether another process can be given an object. One that cannot find its class would wait for ever.

    >>> travels(1), travels(lambda: 1)
    (True, False)
    """
    if getattr(thing, "__module__", None) == "__main__":
        return False
    try:
        pickle.dumps(thing)
    except Exception:  # whatever the object's own methods raise
        return False
    return True
