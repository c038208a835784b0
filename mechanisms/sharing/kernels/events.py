"""One schedule in progress: what every event loop of the pool shares, from arrays in to a schedule out.

A moment is processed as completions, releases, starts. An organization's row of the books is kept lazily: it holds for
the moment in its column ``LAST``, and time up to a later moment is accounted for when the row changes (:func:`accrue`)
or is read (:func:`worth`, :func:`used`). With ``R`` jobs running and ``U`` unit parts done, ``d`` units of time add
``d U + R d (d + 1) / 2`` to psi_sp and ``d R`` to the parts.

Times are shifted so that the first release is 0, jobs released at the end or later are left out, and lengths are cut
behind the end of the run; none of this changes a decision or a utility. A loop processes a chunk of some job events and
returns; between two chunks all state is in the arrays. Where numbers may leave int64 the same loops are run by the
interpreter on arrays of Python's integers (``method = "python"``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from ....support.interrupts import shielded
from ....support.jit import jit, plain, quickest
from ....support.progress import Progress
from ..instance import AnyIntArray, IntArray, SharingInstance, at_most, narrowed
from ..limits import origin

# columns of the books
PSI: Final = 0
PARTS: Final = 1  # unit parts done
RUNNING: Final = 2
LAST: Final = 3
POSITION: Final = 4  # next job in the flat arrays
RELEASED: Final = 5  # end of the released jobs in the flat arrays
COLUMNS: Final = 6

# entries of the clock
NEXT_RELEASE: Final = 0
HEAP: Final = 1
FREE: Final = 2
WAITING: Final = 3
STARTED: Final = 4
EVENT: Final = 5  # the last moment that the books were brought to, where they are brought to every one
NOW: Final = 6
DONE: Final = 7
SERVED: Final = 8  # whom the last start went to, -1 before the first
ENTRIES: Final = 9

CHUNK: int = 4_000_000
"""Job events (or elementary steps) of compiled code between two looks at the keyboard."""
SLOWER: Final = 1000
"""How many times fewer in Python's integers."""

G = TypeVar("G", bound=tuple[Any, ...])


class Jobs(NamedTuple):
    """The instance as kernels take it. Times count from ``origin``, the first release."""

    origin: int
    until: int
    first: IntArray  # jobs of an organization are first[u]:first[u + 1]
    length: IntArray
    waits_from: IntArray  # by which the first come is served first
    machines: IntArray  # of each organization
    member: IntArray  # whether an organization takes part
    order: IntArray  # jobs by release, ties by organization and queue
    times: IntArray  # their releases
    owners: IntArray  # and organizations


class Schedule(NamedTuple):
    """A schedule in progress. A key of the heap is ``end << shift | who``: who is an organization or a machine."""

    clock: IntArray
    rows: IntArray  # books, (k, COLUMNS)
    heap: IntArray
    shift: int
    start: IntArray  # the result: of each job, -1 before


@dataclass(frozen=True, eq=False)
class Coalitions:
    """What REF knows of every coalition at the end: index = bit mask, organization ``u`` is bit ``u``.

    Attributes
    ----------
    values
        v(C), shape (2**k,); object dtype when not int64.
    utilities
        psi_u(C), shape (2**k, k).
    """

    values: AnyIntArray
    utilities: AnyIntArray


class Run(NamedTuple):
    """One schedule as a simulator leaves it: starts (-1: none), how far and in which arithmetic it went."""

    start: AnyIntArray
    reached: int
    complete: bool
    method: str
    contribution: tuple[Fraction, ...] | None = None
    machine: IntArray | None = None
    coalitions: Coalitions | None = None


@jit
def push(heap: IntArray, base: int, size: int, key: int) -> None:
    """Add ``key`` to the binary heap of ``size`` entries that starts at ``heap[base]``; the caller counts."""
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        above = heap[base + parent]
        if above <= key:
            break
        heap[base + i] = above
        i = parent
    heap[base + i] = key


@jit
def pop(heap: IntArray, base: int, size: int) -> None:
    """Remove the smallest of ``size`` entries, ``heap[base]``; the caller read it before and counts after."""
    last = heap[base + size - 1]
    size -= 1
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and heap[base + child + 1] < heap[base + child]:
            child += 1
        below = heap[base + child]
        if below >= last:
            break
        heap[base + i] = below
        i = child
    heap[base + i] = last


@jit
def accrue(rows: IntArray, u: int, t: int) -> None:
    """Let time pass for one row up to ``t``."""
    d = t - rows[u, LAST]
    if d > 0:
        rows[u, PSI] += d * rows[u, PARTS] + rows[u, RUNNING] * (d * (d + 1) // 2)
        rows[u, PARTS] += d * rows[u, RUNNING]
        rows[u, LAST] = t


@jit
def worth(rows: IntArray, u: int, at: int) -> int:
    """psi_sp of one row at ``at``, not earlier than its last update."""
    d = at - rows[u, LAST]
    return int(rows[u, PSI] + d * rows[u, PARTS] + rows[u, RUNNING] * (d * (d + 1) // 2))


@jit
def used(rows: IntArray, u: int, at: int) -> int:
    """Unit parts of one row at ``at``."""
    return int(rows[u, PARTS] + (at - rows[u, LAST]) * rows[u, RUNNING])


@jit
def waits(rows: IntArray, u: int) -> bool:
    """Whether ``u`` has a released job that has not started."""
    return bool(rows[u, RELEASED] > rows[u, POSITION])


@jit
def next_moment(jobs: Jobs, schedule: Schedule) -> int:
    """Moment of the next completion or release, at most the end; also in the clock's ``NOW``."""
    clock = schedule.clock
    t = jobs.until
    if clock[NEXT_RELEASE] < jobs.times.size:
        t = min(t, jobs.times[clock[NEXT_RELEASE]])
    if clock[HEAP] > 0:
        t = min(t, schedule.heap[0] >> schedule.shift)
    clock[NOW] = t
    return t


@jit
def complete(schedule: Schedule, t: int) -> int:
    """Free the machines whose jobs end at ``t``; returns how many. Keys name organizations."""
    clock, heap, rows = schedule.clock, schedule.heap, schedule.rows
    before = clock[FREE]
    while clock[HEAP] > 0 and heap[0] >> schedule.shift == t:
        u = heap[0] & ((1 << schedule.shift) - 1)
        pop(heap, 0, clock[HEAP])
        clock[HEAP] -= 1
        accrue(rows, u, t)
        rows[u, RUNNING] -= 1
        clock[FREE] += 1
    return int(clock[FREE] - before)


@jit
def release(jobs: Jobs, schedule: Schedule, t: int) -> int:
    """Make the members' jobs released at ``t`` known; returns how many jobs were looked at."""
    clock = schedule.clock
    before = clock[NEXT_RELEASE]
    while clock[NEXT_RELEASE] < jobs.times.size and jobs.times[clock[NEXT_RELEASE]] == t:
        u = jobs.owners[clock[NEXT_RELEASE]]
        schedule.rows[u, RELEASED] += jobs.member[u]
        clock[WAITING] += jobs.member[u]
        clock[NEXT_RELEASE] += 1
    return int(clock[NEXT_RELEASE] - before)


@jit
def take_job(schedule: Schedule, u: int, t: int) -> int:
    """Start the first waiting job of ``u`` at ``t`` on a machine that the caller gives; returns the job."""
    clock, rows = schedule.clock, schedule.rows
    job = rows[u, POSITION]
    rows[u, POSITION] += 1
    rows[u, RUNNING] += 1
    schedule.start[job] = t
    clock[SERVED] = u
    clock[WAITING] -= 1
    clock[STARTED] += 1
    return int(job)


@jit
def end_at(schedule: Schedule, end: int, who: int) -> None:
    """Remember a completion to come."""
    push(schedule.heap, 0, schedule.clock[HEAP], (end << schedule.shift) | who)
    schedule.clock[HEAP] += 1


@jit
def begin(jobs: Jobs, schedule: Schedule, u: int, t: int) -> None:
    """Start the first waiting job of ``u`` at ``t`` on any free machine."""
    accrue(schedule.rows, u, t)
    job = take_job(schedule, u, t)
    schedule.clock[FREE] -= 1
    if t + jobs.length[job] < jobs.until:
        end_at(schedule, t + jobs.length[job], u)


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
        waits_from=release if instance.since is None else at_most(instance.since, until) - since,
        machines=np.array(instance.machines, dtype=np.int64),
        member=np.ones(instance.n_organizations, dtype=np.int64),
        order=order,
        times=release[order],
        owners=instance.owner[order],
    )


def new_schedule(instance: SharingInstance, names: int) -> Schedule:
    """An empty schedule; keys of its heap name one of so many organizations or machines."""
    clock = np.zeros(ENTRIES, dtype=np.int64)
    clock[FREE], clock[SERVED] = instance.n_machines, -1
    rows = np.zeros((instance.n_organizations, COLUMNS), dtype=np.int64)
    rows[:, POSITION] = rows[:, RELEASED] = instance.first[:-1]
    heap = np.zeros(min(instance.n_machines, instance.n_jobs) + 1, dtype=np.int64)
    return Schedule(clock, rows, heap, max(1, (names - 1).bit_length()), np.full(instance.n_jobs, -1, dtype=np.int64))


def widened(group: G, method: str) -> G:
    """A group of arrays, as arrays of Python's integers where int64 does not suffice."""
    if method != "python":
        return group
    return group.__class__(*(x.astype(object) if isinstance(x, np.ndarray) else x for x in group))


def zeros(size: int, method: str) -> AnyIntArray:
    """So many zeros, of Python's integers where int64 does not suffice."""
    return np.zeros(size, dtype=object if method == "python" else np.int64)


def prepared(instance: SharingInstance, until: int, names: int, method: str) -> tuple[Jobs, Schedule]:
    """Jobs and schedule of a run that begins; ``names`` as for :func:`new_schedule`."""
    return widened(jobs_of(instance, until), method), widened(new_schedule(instance, names), method)


def advance(
    kernel: Callable[..., None],
    arguments: tuple[Any, ...],
    clock: IntArray,
    until: int,
    method: str,
    progress: Progress | None,
    first: int = 0,
) -> bool:
    """Call ``kernel(budget, *arguments)`` until it is done; returns whether it was, or stopped by Ctrl-C.

    ``first``: steps of the first moment, which no budget divides.
    """
    few = max(1, CHUNK // SLOWER)
    chunk = plain(kernel) if method == "python" else quickest(kernel, max(few, first))
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
    shifted = np.where(start >= 0, start + jobs.origin, start)
    return narrowed(shifted) if shifted.dtype == object else shifted
