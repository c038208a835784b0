"""A Dask cluster of this machine, as one starts it by hand: a scheduler and two workers, all of them processes."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


@contextmanager
def local_cluster(folder: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """The address of its scheduler. ``environment``: of all its processes."""
    pytest.importorskip("distributed", reason="the extra `distributed` is not installed")
    known = folder / "scheduler.json"
    common = [f"--scheduler-file={known}", "--no-dashboard"]
    quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment, "cwd": folder}
    dask = [sys.executable, "-m", "dask"]
    processes = [
        subprocess.Popen([*dask, "scheduler", "--host=127.0.0.1", "--port=0", *common], **quiet),
        subprocess.Popen([*dask, "worker", "--nworkers=2", "--nthreads=1", *common], **quiet),
    ]
    try:
        while not known.exists():
            time.sleep(0.05)
        yield json.loads(known.read_text())["address"]
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            process.wait()
