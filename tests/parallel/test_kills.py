"""Killed at any moment and asked again, a store holds what it holds without that; so it does when a worker is lost."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from consortium.parallel.executors import executor
from consortium.parallel.outcomes import Outcome
from consortium.parallel.store import Store
from consortium.support.errors import InputError

from ..dask_cluster import local_cluster
from .toy_study import COLUMNS, study, work

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = os.environ | {"PYTHONPATH": f"{ROOT / '.types'}{os.pathsep}{Path(__file__).parent}"}
N_TASKS = 2000


def started(store: Path, where: str, seconds: float) -> subprocess.Popen[str]:
    command = [sys.executable, str(Path(__file__).with_name("toy_study.py")), str(store), str(N_TASKS), where]
    return subprocess.Popen(
        [*command, str(seconds)],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        text=True,
    )


def kept(store: Path) -> list[Outcome]:
    with Store.read(store) as found:
        return list(found.outcomes(records=True))


SLOW = 0.002
"""Seconds a task, so that a process that is killed is in the middle of them even on a fast machine."""
EXPECTED = [work(task) for task in range(N_TASKS)]


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.exhaustive)])
def test_a_store_is_whole_after_five_kills(processes: int, tmp_path: Path) -> None:
    """While it is written it is read by anybody, written by nobody else; of a killed process no lock remains."""
    path, rng, known = tmp_path / "results.db", random.Random(processes), 0
    for _ in range(5):
        process = started(path, str(processes), SLOW)
        assert process.stdout
        assert int(process.stdout.readline()) >= known
        with pytest.raises(InputError, match=f"process {process.pid} on .* is writing to it"):
            list(study(str(path), N_TASKS, executor()))
        known = len(kept(path))
        time.sleep(0.25 * rng.random())
        process.kill()
        process.communicate()
        found = kept(path)
        assert found == [EXPECTED[outcome.task] for outcome in found]
        assert len(found) >= known
    assert known < N_TASKS
    assert sum(study(str(path), N_TASKS, executor())) == N_TASKS
    assert kept(path) == EXPECTED
    assert os.listdir(tmp_path) == ["results.db"]


def test_a_disk_that_is_full_loses_nothing_that_was_kept(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="limits of file sizes")
    path, limits = tmp_path / "results.db", resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill(store: Store) -> None:
        for first in range(0, N_TASKS, 10):
            store.keep(EXPECTED[first : first + 10])

    try:
        with Store.open(path, {"toy": N_TASKS}, COLUMNS) as store:
            resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, limits[1]))
            with pytest.raises(
                InputError, match=r"results.db: the disk takes no more \(.*\); what was kept before is safe"
            ):
                fill(store)
            known = len(store.finished())
            assert list(store.outcomes(records=True)) == EXPECTED[:known]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert 100 < known < N_TASKS
    assert kept(path) == EXPECTED[:known]
    assert sum(study(str(path), N_TASKS, executor())) == N_TASKS
    assert kept(path) == EXPECTED


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[str]:
    """The address of a scheduler with two workers, all of them processes."""
    with local_cluster(tmp_path, ENVIRONMENT) as address:
        yield address


@pytest.mark.exhaustive
def test_a_store_is_whole_after_a_worker_of_a_cluster_was_killed(cluster: str, tmp_path: Path) -> None:
    from distributed import Client

    path = tmp_path / "results.db"
    process = started(path, cluster, 0.002)
    assert process.stdout
    assert process.stdout.readline() == "0\n"
    known = 0
    while known < N_TASKS // 4:
        known += int(process.stdout.readline())
    with Client(cluster, set_as_default=False) as client:
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
    process.communicate()
    assert process.returncode == 0
    assert kept(path) == EXPECTED
