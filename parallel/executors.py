"""One door to all places where independent tasks are worked on: here, in processes of this machine, on a cluster.

>>> with executor() as pool:
...     pool.submit(abs, -1).result()
1

Any Dask cluster as a pool: one that Slurm or Kubernetes started, or ``dask scheduler`` and ``dask worker`` by hand.

The scheduler gives out again what a worker that was lost had taken. Workers must have our versions, because answers may
depend on them: each compares before it works, also one that joins late.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import pickle
import signal
import socket
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar
from weakref import WeakSet

from ..support.errors import ConsortiumError, InputError, described
from ..support.interrupts import blocked, shielded
from ..support.loading import ORIGIN, installed, instance_of, origin
from .outcomes import differing, versions

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


class Pool(Executor):
    """An executor of :mod:`concurrent.futures` that knows how many tasks it works on at once.

    ``workers``: how many now; a cluster may grow and shrink.
    """

    workers: int

    def attended(self) -> None:
        """Nothing, while tasks that wait may hope for a worker; else raise :class:`NobodyThereError`."""


class InProcess(Pool):
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


class Processes(Pool):
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
            answer, error, raised = worker.answer(message)
        except (EOFError, OSError):
            del self._of_thread.worker
            self._alive.discard(worker)
            raise LostWorkerError(f"a worker process ended before it answered ({worker.end()})") from None
        if error is not None:
            trace, vars(error)[ORIGIN] = raised
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
        self.process = started(_serve, theirs)
        theirs.close()

    def answer(self, message: bytes) -> tuple[Any, BaseException | None, Any]:
        """What a message is answered, or what was raised, with traceback and origin. EOFError, OSError: it ended."""
        self._pipe.send_bytes(message)
        answer: tuple[Any, BaseException | None, Any] = pickle.loads(self._pipe.recv_bytes())
        return answer

    def end(self) -> str:
        """How it ended, in words."""
        self.process.join()
        code = self.process.exitcode or 0
        return f"by signal {-code}, {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def started(main: Callable[..., None], *args: Any, daemon: bool = False) -> BaseProcess:
    """Start a process that Ctrl-C, which goes to the whole process group, does not reach: the parent answers it.

    Where it is to be stopped by its parent nevertheless, it calls :func:`~consortium.support.interrupts.reachable`.
    """
    with shielded():
        resource_tracker.ensure_running()  # or the first process starts it, and lets Ctrl-C through again
    with blocked():
        process: BaseProcess = SPAWN.Process(target=main, args=args, daemon=daemon)
        process.start()
    return process


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

    def wait() -> None:
        parent = multiprocessing.parent_process()
        assert parent is not None
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _answer(message: bytes) -> bytes:
    try:
        function, args, kwargs = pickle.loads(message)
        return pickle.dumps((function(*args, **kwargs), None, None))
    except BaseException as error:  # whatever ends a function must not end the worker
        raised = traceback.format_exc(), origin(error)
        try:
            answer = pickle.dumps((None, error, raised))
            pickle.loads(answer)  # some exceptions cannot be made again from what they say of themselves
        except Exception:
            answer = pickle.dumps((None, RuntimeError(described(error)), raised))
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


if TYPE_CHECKING:
    from distributed import Client


PATIENCE: Final = 10
"""Seconds within which the scheduler must answer when it is asked for the first time."""
COUNTED: Final = 2.0
"""Seconds after which the workers are counted again."""
ALONE: Final = 60.0
"""Seconds without any worker after which none is waited for: those of a batch system may come late."""


@contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """The cluster at an address for the time of a block. Raises InputError where there is none that can be used."""
    if not installed("distributed"):
        raise InputError(
            f"cluster {address}: the package distributed is not installed; expected it here and on the cluster "
            f"(pip install 'consortium[distributed]')"
        )
    log = logging.getLogger("distributed.client")
    log.disabled = True  # what it says of a lost connection, we say in a sentence; importing it sets its level
    try:
        try:
            client = _client(address)
        except (OSError, ValueError, ImportError) as error:
            raise InputError(
                f"cluster {address}: no scheduler answers there ({error}); expected the address that `dask scheduler` "
                f"prints, such as tcp://host:8786"
            ) from None
        with client:
            yield Cluster(client, address)
    finally:
        log.disabled = False


def _client(address: str) -> Client:
    """A client that is connected, or the error of its class; then nothing is left of it that could still be closed.

    Else Python closes it whenever it is collected, perhaps while another client begins, and both wait for ever.
    """
    from distributed import Client

    client = Client.__new__(Client)
    try:
        client.__init__(address, timeout=PATIENCE, set_as_default=False)  # type: ignore[misc]
    except BaseException:
        client.status = "closed"
        raise
    return client


class Cluster(Pool):
    """The executor of a Dask client."""

    def __init__(self, client: Client, address: str) -> None:
        self._client = client
        self._there = client.get_executor(pure=False)  # type: ignore[no-untyped-call]
        self._address = address
        self._workers, self._counted, self._seen = 0, -COUNTED, time.monotonic()

    @property
    def workers(self) -> int:  # type: ignore[override]
        """Worker processes now, at least one: tasks wait for the first."""
        return max(1, self._count())

    def _count(self) -> int:
        """Workers there are, as of a moment ago."""
        if time.monotonic() - self._counted > COUNTED and self._client.status == "running":
            self._workers = len(self._client.nthreads())  # type: ignore[no-untyped-call]
            self._counted = time.monotonic()
            if self._workers:
                self._seen = self._counted
        return self._workers

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Have a function called by a worker; a cluster that is gone raises InputError."""
        if self._client.status != "running":
            raise _gone(self._address)
        answer: Future[R] = Future()
        there = self._there.submit(_call, dict(versions()), fn, args, kwargs)
        there.add_done_callback(lambda done: hand_over(done, answer, self._address))
        answer.add_done_callback(lambda done: there.cancel() if done.cancelled() else None)
        return answer

    def attended(self) -> None:
        """Raise NobodyThereError when there has been no worker for :data:`ALONE` seconds."""
        if not self._count() and time.monotonic() - self._seen > ALONE:
            raise NobodyThereError(
                f"cluster {self._address}: no worker for {ALONE:.0f} seconds; expected `dask worker {self._address}` "
                f"on at least one machine (run it again to go on)"
            )

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more work."""
        self._there.shutdown(wait and not cancel_futures)


def hand_over(done: Future[Any], answer: Future[Any], address: str) -> None:
    """Answer a future as Dask's own is answered; what is special of Dask is said as an error of the package."""
    if not answer.set_running_or_notify_cancel():
        return
    try:
        answer.set_result(done.result())
    except CancelledError:
        answer.set_exception(_gone(address))
    except Exception as error:
        if instance_of(error, "distributed.scheduler:KilledWorker"):
            times = 1 + int(getattr(error, "allowed_failures", 0))
            error = LostWorkerError("a worker of the cluster ended before it answered", times)
        answer.set_exception(error)


def _gone(address: str) -> InputError:
    return InputError(f"cluster {address}: the scheduler is gone; expected one that runs until the end")


def _call(theirs: Mapping[str, str], function: Callable[..., R], args: tuple[Any, ...], kwargs: dict[str, Any]) -> R:
    """In a worker: call a function, if the answer is the same as in the process that asks."""
    if odd := differing(theirs, versions()):
        text = ", ".join(f"{name} {ours} (expected {caller})" for name, (caller, ours) in odd.items())
        raise InputError(
            f"cluster: a worker on {socket.gethostname()} has {text}; expected the same versions everywhere"
        )
    return function(*args, **kwargs)
