"""One door to all places where independent tasks are worked on: here, in processes of this machine, on a cluster.

>>> with executor() as pool:
...     pool.submit(abs, -1).result()
1
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Final, ParamSpec, Protocol, TypeVar
from weakref import WeakSet

from ..support.errors import ConsortiumError, InputError
from ..support.interrupts import blocked, shielded

P = ParamSpec("P")
R = TypeVar("R")

SPAWN: Final = multiprocessing.get_context("spawn")  # a fork would copy the threads of a progress bar half alive


class NobodyThereError(TimeoutError):
    """Tasks wait, and there has been no worker for so long that none is waited for any more."""


class LostWorkerError(ConsortiumError, BrokenExecutor):
    """A worker process has ended (killed, out of memory, crashed) before it answered; asked again it may answer.

    ``times`` is how often this has happened with the same question already.
    """

    def __init__(self, message: str, times: int = 1) -> None:
        super().__init__(message)
        self.times = times


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
        """Nothing: this process works itself."""


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


class Processes(Executor):
    """Worker processes of this machine, started one by one as there is work for them.

    Each has a thread in this process that speaks with it over a pipe of their own. No lock is shared between processes,
    so that one may be killed at any moment: only what it was given is lost, and the next task starts a new one. Ctrl-C
    and SIGTERM reach the parent alone, even where they are sent to the whole group, and no worker outlives its parent,
    however that ends.

    What a function raises is raised by its future, with the worker's traceback as a note; a worker that ends raises
    :class:`LostWorkerError` there, and the others go on.

    Parameters
    ----------
    workers
        How many at most.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._threads = ThreadPoolExecutor(workers)
        self._of_thread = threading.local()
        self._alive: WeakSet[_Worker] = WeakSet()  # each ends with its thread
        self._starting = threading.Lock()
        self._killed = False
        with shielded():
            resource_tracker.ensure_running()  # or the first process starts it, and lets Ctrl-C through again

    def attended(self) -> None:
        """Nothing: a worker that ends is replaced."""

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Ask the next free worker to call a function. Raises what pickle raises where it cannot be sent."""
        message = pickle.dumps((fn, args, kwargs))
        with shielded():  # Ctrl-C inside would leave a lock of the threads locked for ever
            return self._threads.submit(self._answer, message)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more work; the workers end when they have answered what they were asked."""
        self._threads.shutdown(wait, cancel_futures=cancel_futures)

    def kill(self) -> None:
        """End all workers now; what has not been answered never is."""
        with shielded():
            with self._starting:
                self._killed = True
                alive = list(self._alive)
                for worker in alive:
                    worker.process.kill()
            self._threads.shutdown(cancel_futures=True)  # threads that wait for an answer hear the end of their pipe
            for worker in alive:
                worker.process.join()

    def _answer(self, message: bytes) -> Any:
        """What the worker of this thread answers."""
        worker: _Worker | None = getattr(self._of_thread, "worker", None)
        if worker is None:
            worker = self._of_thread.worker = self._started()
        try:
            answer, error, trace = worker.answer(message)
        except (EOFError, OSError):
            del self._of_thread.worker
            self._alive.discard(worker)
            raise LostWorkerError(f"a worker process ended before it answered ({worker.end()})") from None
        if error is not None:
            error.add_note(f"In a worker process:\n{trace}")
            raise error
        return answer

    def _started(self) -> _Worker:
        with self._starting:
            if self._killed:
                raise LostWorkerError("the worker processes have been ended")
            try:
                worker = _Worker()
            except OSError as error:
                raise InputError(
                    f"processes: the system starts no more of them ({error.strerror or error}); "
                    f"{len(self._alive)} run; expected fewer than {self.workers}"
                ) from None
            self._alive.add(worker)
        try:
            worker.answer(pickle.dumps((os.getpid, (), {})))
        except (EOFError, OSError):
            self._alive.discard(worker)
            raise InputError(
                f"processes: a worker process ended while it was started ({worker.end()}); expected a script that "
                f'begins its work below `if __name__ == "__main__":`, or processes = 1'
            ) from None
        return worker


class _Worker:
    """One process and our end of its pipe: it ends when this end is closed."""

    def __init__(self) -> None:
        self._pipe, theirs = SPAWN.Pipe()
        with blocked():  # Ctrl-C goes to the whole process group; only the parent answers it
            self.process: BaseProcess = SPAWN.Process(target=_serve, args=(theirs,))
            self.process.start()
        theirs.close()

    def answer(self, message: bytes) -> tuple[Any, BaseException | None, str]:
        """What a message is answered, or what was raised there with its traceback. EOFError, OSError: it has ended."""
        self._pipe.send_bytes(message)
        answer: tuple[Any, BaseException | None, str] = pickle.loads(self._pipe.recv_bytes())
        return answer

    def end(self) -> str:
        """How it ended, in words."""
        self.process.join()
        code = self.process.exitcode or 0
        return f"by signal {-code}, {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def _serve(pipe: Connection[Any, Any]) -> None:
    """Answer what comes through the pipe until it is closed; the main function of a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # on systems where it cannot be blocked
    end_with_parent()
    try:
        while True:
            pipe.send_bytes(_answer(pipe.recv_bytes()))
    except (EOFError, OSError):
        return


def end_with_parent() -> None:
    """From now on this process ends when its parent does, however that ends, and in the middle of a computation."""
    threading.Thread(target=_wait_for_the_end, daemon=True).start()


def _wait_for_the_end() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _answer(message: bytes) -> bytes:
    try:
        function, args, kwargs = pickle.loads(message)
        return pickle.dumps((function(*args, **kwargs), None, ""))
    except BaseException as error:  # whatever ends a function must not end the worker
        trace = traceback.format_exc()
        try:
            answer = pickle.dumps((None, error, trace))
            pickle.loads(answer)  # some exceptions cannot be made again from what they say of themselves
        except Exception:
            answer = pickle.dumps((None, RuntimeError(f"{type(error).__name__}: {error}"), trace))
        return answer


def cores() -> int:
    """Processors that this process may use: those of its affinity, which ``taskset`` and batch systems set.

    >>> cores() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def travels(thing: object) -> bool:
    """Whether another process can be given an object; it may not find what stands in the main module.

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
