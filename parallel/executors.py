"""One door to all places where independent tasks are worked on: here, in processes of this machine, on a cluster.

>>> with executor() as pool:
...     pool.submit(abs, -1).result()
1
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import ParamSpec, Protocol, TypeVar

from ..support.errors import InputError
from .processes import Processes

P = ParamSpec("P")
R = TypeVar("R")


class Pool(Protocol):
    """An executor of :mod:`concurrent.futures` that knows how many tasks it works on at once."""

    @property
    def workers(self) -> int:
        """How many now; a cluster may grow and shrink."""

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Have a function called."""

    def attended(self) -> None:
        """Nothing, while tasks that wait may hope for a worker; else raise :class:`NobodyThereError`."""


class InProcess(Executor):
    """Work in this process: what is submitted is done before it returns, and Ctrl-C breaks it off."""

    workers = 1

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Call a function."""
        future: Future[R] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future

    def attended(self) -> None:
        """Nothing: the worker is who asks."""


@contextmanager
def executor(processes: int = 1, *, cluster: str | None = None) -> Iterator[Pool]:
    """A pool for the time of a block; when it is left, nothing that it has started goes on.

    Parameters
    ----------
    processes
        Worker processes of this machine; with 1 the work is done in this process.
    cluster
        Address of the scheduler of a Dask cluster (``"tcp://host:8786"``), whose workers do all the work. They must
        have the versions of this process, and each works on one batch at a time.

    Raises
    ------
    InputError
        Fewer than one process; no cluster at the address, or one that cannot be used.
    """
    if cluster is not None:
        from .dask_cluster import connected

        with connected(cluster) as there:
            yield there
    elif processes < 1:
        raise InputError(f"processes: found {processes}; expected an integer >= 1")
    elif processes == 1:
        yield InProcess()
    else:
        pool = Processes(processes)
        try:
            yield pool
        finally:
            pool.kill()
