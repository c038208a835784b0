"""Drive an event loop: arrays in, chunks of a fraction of a second, a schedule out.

Times are shifted so that the first release is 0, jobs released at the end or later are left out, and lengths are cut
behind the end of the run; none of this changes a decision or a utility. Where numbers may leave int64 the same kernels
are run by the interpreter on arrays of Python's integers (``method = "python"``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import numpy as np

from ....support.interrupts import shielded
from ....support.jit import plain, quickest
from ....support.progress import Progress
from ..arrays import AnyIntArray, IntArray, at_most, narrowed
from ..instance import SharingInstance
from ..ranges import origin
from ..rules.books import COLUMNS, KNOWN, POSITION, Books
from ..runs import Run
from .events import DONE, ENTRIES, FREE, NOW, Jobs, Schedule

CHUNK: int = 4_000_000
"""Job events (or elementary steps) of compiled code between two looks at the keyboard."""

SLOWER: Final = 1000
"""How many times fewer in Python's integers."""

G = TypeVar("G", bound=tuple[Any, ...])


def widened(group: G, method: str) -> G:
    """A group of arrays, as arrays of Python's integers where int64 does not suffice."""
    if method != "python":
        return group
    return group.__class__(*(x.astype(object) if isinstance(x, np.ndarray) else x for x in group))


def jobs_of(instance: SharingInstance, until: int) -> Jobs:
    """The instance as kernels take it; see the module."""
    since = origin(instance, until)
    release = at_most(instance.release, until) - since
    order = np.argsort(release, kind="stable")
    order = order[release[order] < until - since]
    return Jobs(
        origin=since,
        until=until - since,
        first=instance.first,
        length=at_most(instance.length, until - since + 1),  # still running at the end
        release=release,
        machines=np.array(instance.machines, dtype=np.int64),
        order=order,
        times=release[order],
        owners=instance.owner[order],
    )


def new_books(jobs: Jobs) -> Books:
    """Books of nothing done."""
    rows = np.zeros((jobs.machines.size, COLUMNS), dtype=np.int64)
    rows[:, POSITION] = rows[:, KNOWN] = jobs.first[:-1]
    return Books(rows, jobs.machines, jobs.release, np.array([-1], dtype=np.int64))


def new_schedule(instance: SharingInstance, names: int) -> Schedule:
    """An empty schedule; keys of its heap name one of so many organizations or machines."""
    clock = np.zeros(ENTRIES, dtype=np.int64)
    clock[FREE] = instance.n_machines
    heap = np.zeros(min(instance.n_machines, instance.n_jobs) + 1, dtype=np.int64)
    return Schedule(clock, heap, max(1, (names - 1).bit_length()), np.full(instance.n_jobs, -1, dtype=np.int64))


def prepared(instance: SharingInstance, until: int, names: int, method: str) -> tuple[Jobs, Books, Schedule]:
    """Jobs, books and schedule of a run that begins; ``names`` as for :func:`new_schedule`."""
    jobs = widened(jobs_of(instance, until), method)
    return jobs, widened(new_books(jobs), method), widened(new_schedule(instance, names), method)


def advance(
    kernel: Callable[..., None],
    arguments: tuple[Any, ...],
    clock: IntArray,
    until: int,
    method: str,
    progress: Progress | None,
) -> bool:
    """Call ``kernel(budget, *arguments)`` until it is done; returns whether it was, or stopped by Ctrl-C."""
    few = max(1, CHUNK // SLOWER)
    chunk = plain(kernel) if method == "python" else quickest(kernel, few)
    try:
        while True:
            if chunk is kernel:
                kernel(CHUNK, *arguments)
            else:
                shielded()(chunk)(few, *arguments)  # so that no moment is torn
            if clock[DONE]:
                return True
            if method != "python":
                chunk = kernel
            if progress is not None:
                progress(int(clock[NOW]), until, "time simulated")
    except KeyboardInterrupt:
        return False


def drive(
    kernel: Callable[..., None],
    arguments: tuple[Any, ...],
    jobs: Jobs,
    schedule: Schedule,
    method: str,
    progress: Progress | None,
) -> Run:
    """Run a kernel of one schedule to the end, or to where Ctrl-C stopped it."""
    complete = advance(kernel, arguments, schedule.clock, jobs.until, method, progress)
    reached = jobs.until if complete else int(schedule.clock[NOW])
    return Run(moments(jobs, schedule.start), reached + jobs.origin, complete, method)


def moments(jobs: Jobs, start: AnyIntArray) -> AnyIntArray:
    """A kernel's starts as moments of the instance."""
    found = np.where(start >= 0, start + jobs.origin, start)
    return narrowed(found) if found.dtype == object else found
