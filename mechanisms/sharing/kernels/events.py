"""The events of one schedule, which all event loops share: the next moment, completions, releases and starts."""

from __future__ import annotations

from typing import Final, NamedTuple

from ....support.jit import jit
from ..arrays import IntArray
from ..rules.books import KNOWN, POSITION, RUNNING, Books, bring
from .heap import pop, push

# entries of ``clock``
NEXT_RELEASE: Final = 0
HEAP: Final = 1
FREE: Final = 2
WAITING: Final = 3
STARTED: Final = 4
EVENT: Final = 5  # the last moment that the books were brought to, where they are brought to every one
NOW: Final = 6
DONE: Final = 7
ENTRIES: Final = 8


class Jobs(NamedTuple):
    """The instance as kernels take it. Times count from ``origin``, the first release."""

    origin: int
    until: int
    first: IntArray  # jobs of an organization are first[u]:first[u + 1]
    length: IntArray
    release: IntArray
    machines: IntArray  # of each organization
    order: IntArray  # jobs by release, ties by organization and queue
    times: IntArray  # their releases
    owners: IntArray  # and organizations


class Schedule(NamedTuple):
    """A schedule in progress. A key of the heap is ``end << shift | who``: who is an organization or a machine."""

    clock: IntArray
    heap: IntArray
    shift: int
    start: IntArray  # the result: of each job, -1 before


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
def complete(books: Books, schedule: Schedule, t: int) -> int:
    """Free the machines whose jobs end at ``t``; returns how many. Keys name organizations."""
    clock, heap = schedule.clock, schedule.heap
    before = clock[FREE]
    while clock[HEAP] > 0 and heap[0] >> schedule.shift == t:
        u = heap[0] & ((1 << schedule.shift) - 1)
        pop(heap, 0, clock[HEAP])
        clock[HEAP] -= 1
        bring(books.rows, u, t)
        books.rows[u, RUNNING] -= 1
        clock[FREE] += 1
    return int(clock[FREE] - before)


@jit
def release(jobs: Jobs, books: Books, schedule: Schedule, t: int) -> int:
    """Make the jobs released at ``t`` known; returns how many."""
    clock = schedule.clock
    before = clock[NEXT_RELEASE]
    while clock[NEXT_RELEASE] < jobs.times.size and jobs.times[clock[NEXT_RELEASE]] == t:
        books.rows[jobs.owners[clock[NEXT_RELEASE]], KNOWN] += 1
        clock[NEXT_RELEASE] += 1
    clock[WAITING] += clock[NEXT_RELEASE] - before
    return int(clock[NEXT_RELEASE] - before)


@jit
def take_job(books: Books, schedule: Schedule, u: int, t: int) -> int:
    """Start the first waiting job of ``u`` at ``t`` on a machine that the caller gives; returns the job."""
    clock = schedule.clock
    job = books.rows[u, POSITION]
    books.rows[u, POSITION] += 1
    books.rows[u, RUNNING] += 1
    books.served[0] = u
    schedule.start[job] = t
    clock[WAITING] -= 1
    clock[STARTED] += 1
    return int(job)


@jit
def end_at(schedule: Schedule, end: int, who: int) -> None:
    """Remember a completion to come."""
    push(schedule.heap, 0, schedule.clock[HEAP], (end << schedule.shift) | who)
    schedule.clock[HEAP] += 1


@jit
def begin(jobs: Jobs, books: Books, schedule: Schedule, u: int, t: int) -> None:
    """Start the first waiting job of ``u`` at ``t`` on any free machine."""
    bring(books.rows, u, t)
    job = take_job(books, schedule, u, t)
    schedule.clock[FREE] -= 1
    if t + jobs.length[job] < jobs.until:
        end_at(schedule, t + jobs.length[job], u)
