"""Any Dask cluster as a pool: one that Slurm or Kubernetes started, or ``dask scheduler`` and ``dask worker`` by hand.

The scheduler gives out again what a worker that was lost had taken. Workers must have our versions, because answers may
depend on them: each compares before it works, also one that joins late.
"""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

from ..support.errors import InputError
from ..support.loading import installed, instance_of
from .executors import LostWorkerError, NobodyThereError
from .outcomes import differing, versions

if TYPE_CHECKING:
    from distributed import Client

P = ParamSpec("P")
R = TypeVar("R")

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
    level = log.level
    log.setLevel(logging.CRITICAL)  # what it has to say of a lost connection, we say in a sentence
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
        log.setLevel(level)


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


class Cluster(Executor):
    """The executor of a Dask client."""

    def __init__(self, client: Client, address: str) -> None:
        self._client = client
        self._there = client.get_executor(pure=False)  # type: ignore[no-untyped-call]
        self._address = address
        self._workers, self._counted, self._seen = 0, -COUNTED, time.monotonic()

    @property
    def workers(self) -> int:
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
