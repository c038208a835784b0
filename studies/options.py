"""Options of the function ``study``, and the estimate of its cost from a few tasks that are timed and not kept."""

from __future__ import annotations

import time
from typing import Annotated, Final

from ..parallel.executors import cores
from ..scenarios.fields import Text, Whole
from ..support.units import duration_text
from ..verbs.options import LIMITED, Field, Options, Path, Seconds, Switch
from ..verbs.records import Estimate
from .running import Shard, Where, outcome
from .study import Study


class Run(Options):
    """``study``."""

    store: Path | None = Field(None, description="SQLite file for the results; resumes what is in it.")
    full: Switch = Field(False, description="The full size that the file gives under [full].")
    processes: Annotated[int, Whole(1)] = Field(1, description="Worker processes of this machine.")
    cluster: Text | None = Field(None, description="Address of a Dask cluster, e.g. tcp://host:8786.")
    shard: Text | None = Field(None, description='"k/n": only every n-th task, beginning with the k-th.')
    time_limit: Seconds | None = Field(None, description=LIMITED)


TIMED: Final = 12
"""So many tasks are timed at most, spread evenly over the study."""
SECONDS: Final = 5.0
"""Of timing; the task under way then is the last."""


def estimate(study: Study, shard: Shard, where: Where) -> Estimate:
    """Number of tasks, and the seconds that they will take where they shall run."""
    tasks = shard.tasks(study.size)
    if not tasks:  # more shards than tasks
        return Estimate("study", "study", study.title, 0, "tasks", 0.0)
    chosen = tasks[:: max(1, len(tasks) // TIMED)][:TIMED]
    outcome(study.text, chosen[0])  # what is loaded and compiled once
    began, done = time.perf_counter(), 0
    for number in chosen:
        outcome(study.text, number)
        done += 1
        if time.perf_counter() - began > SECONDS:
            break
    each = (time.perf_counter() - began) / done
    workers = where.processes or cores()
    note = f"{duration_text(each)} a task, from {done} tasks timed here"
    note += f"; on {workers} process{'es' if workers > 1 else ''}" if where.cluster is None else "; on one worker"
    seconds = each * len(tasks) / (workers if where.cluster is None else 1)
    return Estimate("study", "study", study.title, len(tasks), "tasks", seconds, None, note)
