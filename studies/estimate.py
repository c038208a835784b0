"""What a study will cost, from a few of its tasks that are timed here; nothing of them is kept."""

from __future__ import annotations

import time
from typing import Final

from ..parallel.processes import cores
from ..support.units import duration_text
from ..verbs.records import Estimate
from .running import Shard, Where
from .study import Study
from .tasks import outcome

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
