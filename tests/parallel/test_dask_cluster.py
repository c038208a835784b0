"""A Dask cluster as a pool: a scheduler and a worker inside this process, which is quick to start."""

from __future__ import annotations

import logging
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from consortium.parallel import executors
from consortium.parallel.executors import LostWorkerError, NobodyThereError, executor
from consortium.parallel.outcomes import versions
from consortium.parallel.stream import streamed
from consortium.support.errors import InputError

distributed: Any = pytest.importorskip("distributed", reason="the extra `distributed` is not installed")


@pytest.fixture
def cluster() -> Iterator[Any]:
    settings = {"processes": False, "n_workers": 1, "threads_per_worker": 2, "dashboard_address": None}
    with distributed.LocalCluster(**settings, silence_logs=logging.CRITICAL) as cluster:
        yield cluster


BUSY: list[int] = []
"""How many others were at work when a task began."""
_at_work: list[int] = []


def noted(task: int) -> int:
    BUSY.append(len(_at_work))
    _at_work.append(task)
    time.sleep(0.0001)
    _at_work.remove(task)
    return task


def test_a_cluster_answers_every_task_once(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads of a worker take turns: what is kept between tasks is not made for more than one."""
    with executor(cluster=cluster.scheduler_address) as pool:
        assert pool.workers == 1
        assert sorted(streamed(pool, noted, range(500))) == list(range(500))
        assert set(BUSY) == {0}
        with pytest.raises(TypeError):
            list(streamed(pool, abs, ["a"]))
        first, second = pool.submit(time.sleep, 0.1), pool.submit(time.sleep, 1)
        assert second.cancel()
        assert first.result() is None
        monkeypatch.setattr(executors, "versions", lambda: {**versions(), "numpy": str(time.monotonic())})
        with pytest.raises(
            InputError, match=r"cluster: a worker on .* has numpy .* \(expected .*same versions everywhere"
        ):
            list(streamed(pool, abs, [1]))


def test_a_scheduler_that_goes_away_ends_the_stream_in_a_sentence(cluster: Any) -> None:
    address = cluster.scheduler_address

    def answers() -> None:
        with executor(cluster=address) as pool:
            for number, _ in enumerate(streamed(pool, time.sleep, [0.05] * 10_000)):
                if number == 1:
                    cluster.close()

    with pytest.raises(InputError, match=f"cluster {address}: the scheduler is gone"):
        answers()


def test_what_dask_logs_of_a_lost_scheduler_is_not_printed() -> None:
    """In a process that has not imported it before: importing it sets the levels of its logs."""
    code = (
        "import logging, sys; from consortium.parallel.executors import executor\n"
        "with executor(cluster=sys.argv[1]): logging.getLogger('distributed.client').error('lost')"
    )
    with distributed.LocalCluster(processes=False, n_workers=0, protocol="tcp", dashboard_address=None) as there:
        done = subprocess.run([sys.executable, "-c", code, there.scheduler_address], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:1", "nonsense://x:1", "tcp://no.such.host.invalid:8786", "", "tcp://"]
)
def test_where_no_scheduler_answers_a_sentence_says_so(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "PATIENCE", 0.3)
    with pytest.raises(InputError, match=f"cluster {address}: no scheduler answers there"), executor(cluster=address):
        pass


def test_the_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "installed", lambda _: False)
    missing = r"cluster tcp://a:1: the package distributed is not installed; .*consortium\[distributed\]"
    with pytest.raises(InputError, match=missing), executor(cluster="tcp://a:1"):
        pass


def test_a_cluster_without_workers_is_given_up_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that has lost all it had: what had come back stays."""
    monkeypatch.setattr(executors, "ALONE", 0.4)
    monkeypatch.setattr(executors, "COUNTED", 0.1)
    settings = {"processes": False, "n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    found = []

    def answers(address: str) -> None:
        with executor(cluster=address) as pool:
            for answer in streamed(pool, time.sleep, [0.3] * 10_000):
                found.append(answer)
                if len(found) == 1:
                    there.scale(0)

    with distributed.LocalCluster(**settings, silence_logs=logging.CRITICAL) as there:
        with pytest.raises(NobodyThereError, match=r"no worker for 0 seconds; expected `dask worker .*run it again"):
            answers(there.scheduler_address)
        assert found


def test_a_task_that_kills_workers_is_given_up_at_once() -> None:
    """Its scheduler has tried it on several of them."""
    from distributed.scheduler import KilledWorker

    class There:
        workers = 1

        def attended(self) -> None: ...

        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            done: Future[Any] = Future()
            done.set_exception(KilledWorker("task", "worker", 3))
            answer: Future[Any] = Future()
            executors.hand_over(done, answer, "tcp://a:1")
            return answer

    with pytest.raises(LostWorkerError, match="task 5: a worker of the cluster ended before it answered"):
        list(streamed(There(), abs, [5]))
