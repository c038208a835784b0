"""Worker processes: what they answer, what of them can be lost, and that none is left behind."""

from __future__ import annotations

import math
import operator
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from consortium.parallel.executors import LostWorkerError, Processes, cores, travels
from consortium.support.errors import InputError
from consortium.support.progress import Clock

ROOT = Path(__file__).resolve().parents[2]
in_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")


@pytest.fixture(scope="module")
def pool() -> Iterator[Processes]:
    pool = Processes(1)
    yield pool
    pool.kill()


def script(folder: Path, text: str) -> subprocess.Popen[str]:
    """A script that runs apart, in a process group of its own."""
    path = folder / "script.py"
    path.write_text(textwrap.dedent(text))
    return subprocess.Popen(
        [sys.executable, str(path)],
        env=os.environ | {"PYTHONPATH": str(ROOT / ".types")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def ends(pid: int, seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.01)
    return not alive(pid)


def test_functions_are_called_elsewhere(pool: Processes) -> None:
    assert pool.submit(math.comb, 5, 2).result() == 10
    assert pool.submit(os.getpid).result() != os.getpid()
    assert list(pool.map(abs, [-1, 2])) == [1, 2]


def test_what_is_raised_comes_back_with_its_traceback(pool: Processes) -> None:
    with pytest.raises(ValueError, match="x not in list") as caught:
        pool.submit(operator.call, partial(exec, "raise ValueError('x not in list')")).result()
    assert "In a worker process:\nTraceback" in caught.value.__notes__[0]
    with pytest.raises(SystemExit):
        pool.submit(sys.exit, 3).result()
    assert pool.submit(abs, -1).result() == 1


def test_an_error_that_cannot_be_made_again_comes_back_in_words(pool: Processes) -> None:
    with pytest.raises(RuntimeError, match=r"^E: x"):
        pool.submit(operator.call, partial(exec, "class E(Exception):\n  pass\nraise E('x')")).result()


def test_a_lost_worker_loses_what_it_was_asked_only(pool: Processes) -> None:
    first = pool.submit(os.getpid).result()
    with pytest.raises(LostWorkerError, match=r"ended before it answered \(by signal 9, SIGKILL\)"):
        pool.submit(operator.call, partial(os.kill, first, signal.SIGKILL)).result()
    with pytest.raises(LostWorkerError, match=r"exit code 7"):
        pool.submit(os._exit, 7).result()
    assert pool.submit(os.getpid).result() not in (first, os.getpid())


def test_workers_do_not_hear_what_stops_their_parent(pool: Processes) -> None:
    worker = pool.submit(os.getpid).result()
    for number in (signal.SIGINT, signal.SIGTERM):
        os.kill(worker, number)
    assert pool.submit(os.getpid).result() == worker


def test_what_is_defined_inside_a_function_does_not_travel(pool: Processes) -> None:
    class Inner:
        pass

    assert travels(Clock(1))
    assert not travels(Inner())
    with pytest.raises((AttributeError, pickle.PicklingError), match="local object"):  # the second since 3.14
        pool.submit(Inner)


@in_proc
def test_a_killed_pool_is_gone_in_the_middle_of_its_work() -> None:
    pool = Processes(1)
    worker = pool.submit(os.getpid).result()
    running, waiting = pool.submit(time.sleep, 60), pool.submit(abs, 1)
    while not running.running():
        time.sleep(0.01)
    begin = time.monotonic()
    pool.kill()
    assert time.monotonic() - begin < 1
    assert not alive(worker)
    assert isinstance(running.exception(), LostWorkerError)
    assert waiting.cancelled() or isinstance(waiting.exception(), LostWorkerError)


@in_proc
def test_workers_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    """One that waits and one in the middle of a computation."""
    process = script(
        tmp_path,
        """
        import os, time
        from consortium.parallel.executors import Processes

        if __name__ == "__main__":
            pool = Processes(2)
            slow = pool.submit(time.sleep, 60)
            print(*{pool.submit(os.getpid).result()}, *(w.process.pid for w in pool._alive), flush=True)
            time.sleep(60)
        """,
    )
    assert process.stdout
    workers = {int(pid) for pid in process.stdout.readline().split()}
    assert len(workers) == 2
    process.kill()
    assert all(ends(pid) for pid in workers)
    process.communicate()


def test_a_script_that_forgets_its_pool_ends(tmp_path: Path) -> None:
    process = script(
        tmp_path,
        """
        from consortium.parallel.executors import Processes

        if __name__ == "__main__":
            pool = Processes(1)
            print(pool.submit(abs, -5).result())
        """,
    )
    assert process.communicate(timeout=30) == ("5\n", "")


def test_a_script_without_a_guard_is_told_so(tmp_path: Path) -> None:
    process = script(
        tmp_path,
        """
        from consortium.parallel.executors import Processes

        pool = Processes(1)
        try:
            pool.submit(abs, -5).result()
        except ValueError as error:
            print(error)
        """,
    )
    out, _ = process.communicate(timeout=30)
    assert 'expected a script that begins its work below `if __name__ == "__main__":`' in out


def test_a_system_without_room_for_processes_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("consortium.parallel.executors.SPAWN.Process", full)
    pool = Processes(1)
    with pytest.raises(InputError, match="processes: the system starts no more of them"):
        pool.submit(abs, 1).result()
    pool.kill()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity on this system")
def test_cores_are_those_that_the_process_may_use() -> None:
    """As ``taskset -c 0`` and batch systems limit them."""
    before = os.sched_getaffinity(0)
    assert cores() == len(before)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert cores() == 1
    finally:
        os.sched_setaffinity(0, before)
