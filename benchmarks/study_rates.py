"""How fast a study is beside bare loops of ``consortium.search`` and beside joblib, on the same small placement games.

``python -m benchmarks.study_rates [TASKS] [--ways bare,processes]`` prints a row for each way: two processes each, wall
seconds, processor seconds of all processes (starting them included), and the rate of the first way divided into its
own. Processor seconds are what to compare on a machine that does other things too.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import deque
from functools import partial
from pathlib import Path

import joblib
import numpy as np

import consortium
from consortium.studies import reader
from consortium.studies.running import Where, outcome, run
from consortium.studies.store import opened
from consortium.workloads.families import filling

BASE = {"format": 1, "kind": "federation", "mechanism": {"rule": "coordination", "priority": "organizations"}}
FAMILY = {"organizations": 3, "jobs": 2, "longest": 9}
PROCESSES = 2


def study(tasks: int) -> reader.Study:
    """Prices of anarchy of federations of three organizations with two jobs each."""
    return reader.load({
        "format": 1, "kind": "study", "verb": "search", "seed": 1, "replicates": tasks, "base": BASE,
        "family": {"name": "uniform-jobs", **FAMILY},
        "measures": {"anarchy": "price_of_anarchy", "exists": "equilibria.exists"},
    })  # fmt: skip


def bare(tasks: int, store: Path) -> None:
    """A script's loop over half of the tasks, whose twin runs at the same time; nothing is kept."""
    draw = filling(BASE, "uniform-jobs", FAMILY)
    for task in range(tasks // PROCESSES):
        consortium.search(draw(np.random.default_rng(task)))


def with_joblib(tasks: int, store: Path) -> None:
    """The tasks of the study, given out by joblib and thrown away."""
    given = (joblib.delayed(partial(outcome, study(tasks).text))(k) for k in range(1, tasks + 1))
    deque(joblib.Parallel(PROCESSES, return_as="generator_unordered")(given), maxlen=0)


def processes(tasks: int, store: Path) -> None:
    """A study with two processes."""
    with opened(study(tasks), store) as results:
        run(results.study, results.store, where=Where(processes=PROCESSES))


def dask(tasks: int, store: Path) -> None:
    """A study on a local Dask cluster of two workers."""
    from distributed import LocalCluster

    cluster = LocalCluster(PROCESSES, threads_per_worker=1, dashboard_address=None)  # type: ignore[no-untyped-call]
    with cluster, opened(study(tasks), store) as results:
        run(results.study, results.store, where=Where(cluster=cluster.scheduler_address))


WAYS = {"bare": bare, "joblib": with_joblib, "processes": processes, "dask": dask}


def measured(way: str, tasks: int, folder: Path) -> tuple[float, float]:
    """Wall seconds and processor seconds of a way in processes of its own."""
    command = [sys.executable, "-m", "benchmarks.study_rates", str(tasks), "--only", way, "--store"]
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    running = [subprocess.Popen([*command, str(folder / f"{way}-{i}.db")])
               for i in range(PROCESSES if way == "bare" else 1)]  # fmt: skip
    if any(process.wait() for process in running):
        raise SystemExit(f"{way} has failed")
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", type=int, nargs="?", default=100_000)
    parser.add_argument("--only", choices=WAYS)
    parser.add_argument("--ways", default=",".join(WAYS), help="what to run, in this order (default: everything)")
    parser.add_argument("--store", type=Path)
    given = parser.parse_args()
    if given.only:
        WAYS[given.only](given.tasks, given.store)
        return
    print("| way | wall s | processor s | tasks a wall s | processor ms a task | share of the bare rate | store MB |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        first = None
        for way in given.ways.split(","):
            wall, spent = measured(way, given.tasks, Path(name))
            first = spent if first is None else first
            store = Path(name) / f"{way}-0.db"
            size = f"{os.path.getsize(store) / 1e6:.1f}" if store.exists() else ""
            print(
                f"| {way} | {wall:.0f} | {spent:.1f} | {given.tasks / wall:.0f} | {1000 * spent / given.tasks:.2f} "
                f"| {first / spent:.2f} | {size} |", flush=True,
            )  # fmt: skip


if __name__ == "__main__":
    main()
