"""Simulator of DIRECTCONTR, corrected and printed: books of giving and getting, machines with names.

Both books are brought to every event, because a machine's owner and a job's owner share its time.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....support.jit import fitting, jit, lean
from ....support.progress import Progress
from ..arrays import AnyIntArray, IntArray
from ..instance import SharingInstance
from ..rules.books import COLUMNS, PARTS, PSI, RUNNING, Books
from ..rules.direct import most_owed, pass_time
from ..runs import Run
from .drive import drive, prepared, widened
from .events import (
    DONE,
    EVENT,
    FREE,
    HEAP,
    NOW,
    STARTED,
    WAITING,
    Jobs,
    Schedule,
    end_at,
    next_moment,
    release,
    take_job,
)
from .heap import pop, push


class Machines(NamedTuple):
    """Machines by number: whose, free or busy, and what their owners gave."""

    owner: IntArray
    given: IntArray  # books of the owners of machines
    free: IntArray  # a heap where the lowest is taken, else an unordered list
    user: IntArray  # whose job runs on a busy machine
    draws: AnyIntArray  # 32 random bits per start; none: the lowest free machine
    used: IntArray  # the result: of each job, -1 before


@jit
def free_machines(books: Books, schedule: Schedule, machines: Machines, t: int) -> int:
    """Free the machines whose jobs end at ``t``, lowest number first; returns how many."""
    clock, heap = schedule.clock, schedule.heap
    before = clock[FREE]
    while clock[HEAP] > 0 and heap[0] >> schedule.shift == t:
        machine = heap[0] & ((1 << schedule.shift) - 1)
        pop(heap, 0, clock[HEAP])
        clock[HEAP] -= 1
        books.rows[machines.user[machine], RUNNING] -= 1
        machines.given[machines.owner[machine], RUNNING] -= 1
        if machines.draws.size == 0:
            push(machines.free, 0, clock[FREE], machine)
        else:
            machines.free[clock[FREE]] = machine
        clock[FREE] += 1
    return int(clock[FREE] - before)


@jit
def take_machine(schedule: Schedule, machines: Machines) -> int:
    """Remove a free machine: the lowest or a random one."""
    clock, free = schedule.clock, machines.free
    count = clock[FREE]
    clock[FREE] -= 1
    if machines.draws.size == 0:
        machine = free[0]
        pop(free, 0, count)
        return int(machine)
    at = machines.draws[clock[STARTED]] * count >> 32
    machine = free[at]
    free[at] = free[count - 1]
    return int(machine)


@jit
def observe(printed: bool, books: Books, schedule: Schedule, machines: Machines, t: int) -> int:
    """Bring both books to ``t`` and free machines; the printed rule forgets the last units of jobs that end."""
    clock = schedule.clock
    d = t - clock[EVENT]
    clock[EVENT] = t
    if not printed:
        pass_time(books.rows, machines.given, d, printed)
    count = free_machines(books, schedule, machines, t)
    if printed:
        pass_time(books.rows, machines.given, d, printed)
    return count


@jit
def serve(printed: bool, step: int, jobs: Jobs, books: Books, schedule: Schedule, machines: Machines, t: int) -> None:
    """Give a free machine to whoever is owed most."""
    machine = take_machine(schedule, machines)
    u = most_owed(books, machines.given, step)
    job = take_job(books, schedule, u, t)
    giver = machines.owner[machine]
    machines.given[giver, RUNNING] += 1
    if printed:
        books.rows[u, PARTS] += 1
        machines.given[giver, PARTS] += 1
    machines.used[job] = machine
    machines.user[machine] = u
    if t + jobs.length[job] <= jobs.until:
        end_at(schedule, t + jobs.length[job], machine)


@lean
def run_chunk(
    budget: int, printed: bool, step: int, jobs: Jobs, books: Books, schedule: Schedule, machines: Machines
) -> None:
    """Process moments up to the end, at most ``budget`` job events; all state is in the arrays."""
    clock = schedule.clock
    spent = 0
    t = next_moment(jobs, schedule)
    while t < jobs.until and spent < budget:
        spent += observe(printed, books, schedule, machines, t) + release(jobs, books, schedule, t)
        while clock[FREE] > 0 and clock[WAITING] > 0:
            serve(printed, step, jobs, books, schedule, machines, t)
            spent += 1
        t = next_moment(jobs, schedule)
    if t >= jobs.until:
        observe(printed, books, schedule, machines, t)
        clock[DONE] = 1


def run(
    instance: SharingInstance,
    until: int,
    step: int,
    printed: bool,
    draws: npt.NDArray[np.uint32],
    method: str,
    progress: Progress | None = None,
) -> Run:
    """Schedule by contributions. ``draws``: 32 random bits per job, or none to take the lowest free machine."""
    m = instance.n_machines if draws.size else min(instance.n_machines, instance.n_jobs)  # behind these none is lowest
    jobs, books, schedule = prepared(instance, until, m, method)
    schedule.clock[FREE] = m
    machines = widened(
        Machines(
            owner=instance.machine_owners(m),
            given=np.zeros((instance.n_organizations, COLUMNS), dtype=np.int64),
            free=np.arange(m + 1, dtype=np.int64),
            user=np.zeros(m, dtype=np.int64),
            draws=draws,
            used=np.full(instance.n_jobs, -1, dtype=np.int64),
        ),
        method,
    )
    ran = drive(run_chunk, (printed, step, jobs, books, schedule, machines), jobs, schedule, method, progress)
    if not ran.complete:  # time from the last event to the moment reached
        rest = schedule.clock[NOW] - schedule.clock[EVENT]
        fitting(pass_time, method != "python", books.rows.size)(books.rows, machines.given, rest, printed)
    return ran._replace(
        contribution=tuple(Fraction(int(x)) for x in machines.given[:, PSI]),
        machine=machines.used.astype(np.int64, copy=False),
    )
