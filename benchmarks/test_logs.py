"""Reading job logs: our reader beside plain Python, numpy and pandas on the same file, in the same run.

The file is the RICC log (447,794 jobs) where ``CONSORTIUM_TRACES`` has it, else a synthetic one of the same size.
Run with ``pytest benchmarks/test_logs.py --benchmark-enable``.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from consortium.workloads import Log, Plan, cut, deal_users, read_log, write_swf

N_JOBS = 447_794
NAME = "RICC-2010-2.swf.gz"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    real = Path(os.environ.get("CONSORTIUM_TRACES", "")) / NAME
    if os.environ.get("CONSORTIUM_TRACES") and real.exists():
        return real
    rng = np.random.default_rng(1)
    columns = {
        "job": np.arange(1, N_JOBS + 1),
        "submit": np.sort(rng.integers(0, 13_000_000, N_JOBS)),
        "run": rng.integers(1, 250_000, N_JOBS),
        "allocated": rng.integers(1, 100, N_JOBS),
        "user": rng.integers(1, 177, N_JOBS),
    }
    made = tmp_path_factory.mktemp("logs") / "synthetic.swf.gz"
    write_swf(Log(columns, header={"MaxProcs": ("8192",)}), made)
    return made


def plain_python(path: Path) -> int:
    runs = []
    with gzip.open(path, "rt") as file:
        for line in file:
            if not line.startswith(";") and line.strip():
                runs.append([int(float(field)) for field in line.split()][3])
    return sum(run > 0 for run in runs)


def with_numpy(path: Path) -> int:
    table = np.loadtxt(path, comments=";", dtype=np.float64)
    return int((table[:, 3] > 0).sum())


def with_pandas(path: Path) -> int:
    import pandas

    frame = pandas.read_csv(path, comment=";", sep=r"\s+", header=None, compression="gzip")
    return int((frame[3] > 0).sum())


READERS: dict[str, Callable[[Path], int]] = {
    "consortium": lambda path: len(read_log(path)),
    "numpy.loadtxt": with_numpy,
    "pandas.read_csv": with_pandas,
    "plain Python": plain_python,
}


@pytest.mark.benchmark(group="read a log of 447,794 jobs")
@pytest.mark.parametrize("reader", READERS)
def test_reading(benchmark: Any, path: Path, reader: str) -> None:
    if reader == "pandas.read_csv":
        pytest.importorskip("pandas")
    found = benchmark.pedantic(READERS[reader], args=(path,), rounds=3 if reader == "consortium" else 1)
    assert found == len(read_log(path))


@pytest.mark.benchmark(group="a window of a log")
@pytest.mark.parametrize("duration", [50_000, 500_000])
def test_window(benchmark: Any, path: Path, duration: int) -> None:
    log = read_log(path)
    benchmark(Plan(duration=duration, machines=8192, seed=1).window, log)


@pytest.mark.benchmark(group="a whole log as sequential copies")
def test_whole_log(benchmark: Any, path: Path) -> None:
    log = read_log(path)
    owners = deal_users(log, 5, np.random.default_rng(1))
    span = int(log.submit[-1] - log.submit[0]) + 1
    work = benchmark.pedantic(cut, args=(log, owners, (1, 1, 1, 1, 1), 0, span), rounds=2)
    assert len(work) == int(log.processors.sum())
