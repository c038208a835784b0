"""A toy study, run as a script that tests kill: ``toy_study.py STORE N (PROCESSES | ADDRESS) SECONDS``."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from functools import partial

from consortium.parallel.executors import Pool, executor
from consortium.parallel.outcomes import Columns, Outcome
from consortium.parallel.store import Store
from consortium.parallel.stream import streamed

COLUMNS = Columns(varied=("n",), measures=("draw", "even"))


def work(task: int, seconds: float = 0.0) -> Outcome:
    """One task; what it finds depends on its number only, and now and then it takes ten times as long."""
    time.sleep(seconds * (1 if task % 50 else 10))
    rng = random.Random(task)
    draw = rng.getrandbits(80)
    measures = {"draw": draw, "even": draw % 2 == 0} if task % 7 else {}
    record = str(rng.getrandbits(2000))
    return Outcome(
        task, "done" if measures else "failed", 0.0, draw, 0, f"{draw:x}", {"n": task % 3}, measures, None, record
    )


def study(path: str, n_tasks: int, pool: AbstractContextManager[Pool], seconds: float = 0.0) -> Iterator[int]:
    """Work on what is missing in the store; how many have been kept now and then."""
    with Store.open(path, {"toy": n_tasks}, COLUMNS) as store, pool as workers:
        finished = store.finished()
        yield len(finished)
        missing = (task for task in range(n_tasks) if task not in finished)
        for found in streamed(workers, partial(work, seconds=seconds), missing):
            store.keep([found])
            yield 1


if __name__ == "__main__":
    path, n_tasks, where, seconds = sys.argv[1:]
    pool = executor(int(where)) if where.isdigit() else executor(cluster=where)
    for kept in study(path, int(n_tasks), pool, float(seconds)):
        print(kept, flush=True)
