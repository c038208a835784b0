"""DIRECTCONTR, corrected and printed: serve whoever gave most machine time beyond what it received.

Two books have the same columns: the rows of the schedule say what an organization received as owner of jobs,
``contributed`` what it gave as owner of machines, which have numbers here. Both are brought to every event together,
because a machine's owner and a job's owner share its time. The printed rule exchanges the two inside its loop over
machines, forgets jobs that end at the event, and counts a started job as a finished part.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....support.jit import fitting, jit, lean
from ....support.progress import Progress
from ..instance import AnyIntArray, IntArray, SharingInstance
from .events import (
    COLUMNS,
    DONE,
    EVENT,
    FREE,
    HEAP,
    NOW,
    PARTS,
    PSI,
    RUNNING,
    STARTED,
    WAITING,
    Jobs,
    Run,
    Schedule,
    drive,
    end_at,
    next_moment,
    pop,
    prepared,
    push,
    release,
    take_job,
    waits,
    widened,
)


class Machines(NamedTuple):
    """Machines by number: whose, free or busy, and what their owners gave."""

    owner: IntArray
    contributed: IntArray  # books of the owners of machines
    free: IntArray  # a heap where the lowest is taken, else an unordered list
    user: IntArray  # whose job runs on a busy machine
    bits: AnyIntArray  # 32 random bits per start; none: the lowest free machine
    used: IntArray  # the result: of each job, -1 before


@lean
def pass_time(received: IntArray, contributed: IntArray, d: int, printed: bool) -> None:
    """Credit the ``d`` units of time since the previous event to owners of jobs and of machines."""
    if d == 0:
        return
    block = d * (d + 1) // 2
    for u in range(received.shape[0]):
        received_now = received[u, RUNNING] * block
        contributed_now = contributed[u, RUNNING] * block
        received[u, PSI] += d * received[u, PARTS] + (contributed_now if printed else received_now)
        contributed[u, PSI] += d * contributed[u, PARTS] + (received_now if printed else contributed_now)
        received[u, PARTS] += d * received[u, RUNNING]
        contributed[u, PARTS] += d * contributed[u, RUNNING]


@jit
def most_owed(received: IntArray, contributed: IntArray, step: int) -> int:
    """Who waits with the largest contributed minus received, ``step`` later; ties go to the lowest index."""
    best = -1
    most = 0
    for u in range(contributed.shape[0]):
        if waits(received, u):
            balance = contributed[u, PSI] - received[u, PSI]
            if step:
                balance += contributed[u, PARTS] + contributed[u, RUNNING] - received[u, PARTS] - received[u, RUNNING]
            if best < 0 or balance > most:
                best = u
                most = balance
    return best


@jit
def take_machine(clock: IntArray, free: IntArray, bits: AnyIntArray) -> int:
    """Remove a free machine: the lowest or a random one."""
    count = clock[FREE]
    clock[FREE] -= 1
    if bits.size == 0:
        machine = free[0]
        pop(free, 0, count)
        return int(machine)
    at = bits[clock[STARTED]] * count >> 32
    machine = free[at]
    free[at] = free[count - 1]
    return int(machine)


@jit
def observe(printed: bool, schedule: Schedule, machines: Machines, t: int) -> int:
    """Bring both books to ``t`` and free the machines whose jobs end, lowest number first; returns how many.

    The printed rule forgets the last units of jobs that end.
    """
    clock, heap, rows, contributed = schedule.clock, schedule.heap, schedule.rows, machines.contributed
    before, d = clock[FREE], t - clock[EVENT]
    clock[EVENT] = t
    if not printed:
        pass_time(rows, contributed, d, printed)
    while clock[HEAP] > 0 and heap[0] >> schedule.shift == t:
        machine = heap[0] & ((1 << schedule.shift) - 1)
        pop(heap, 0, clock[HEAP])
        clock[HEAP] -= 1
        rows[machines.user[machine], RUNNING] -= 1
        contributed[machines.owner[machine], RUNNING] -= 1
        if machines.bits.size == 0:
            push(machines.free, 0, clock[FREE], machine)
        else:
            machines.free[clock[FREE]] = machine
        clock[FREE] += 1
    if printed:
        pass_time(rows, contributed, d, printed)
    return int(clock[FREE] - before)


@lean
def run_chunk(budget: int, printed: bool, step: int, jobs: Jobs, schedule: Schedule, machines: Machines) -> None:
    """Process moments up to the end, at most ``budget`` job events; all state is in the arrays."""
    clock = schedule.clock
    spent = 0
    t = next_moment(jobs, schedule)
    while t < jobs.until and spent < budget:
        spent += observe(printed, schedule, machines, t) + release(jobs, schedule, t)
        while clock[FREE] > 0 and clock[WAITING] > 0:
            machine = take_machine(clock, machines.free, machines.bits)
            u = most_owed(schedule.rows, machines.contributed, step)
            job = take_job(schedule, u, t)
            giver = machines.owner[machine]
            machines.contributed[giver, RUNNING] += 1
            if printed:
                schedule.rows[u, PARTS] += 1
                machines.contributed[giver, PARTS] += 1
            machines.used[job] = machine
            machines.user[machine] = u
            if t + jobs.length[job] <= jobs.until:
                end_at(schedule, t + jobs.length[job], machine)
            spent += 1
        t = next_moment(jobs, schedule)
    if t >= jobs.until:
        observe(printed, schedule, machines, t)
        clock[DONE] = 1


def run(
    instance: SharingInstance,
    until: int,
    step: int,
    printed: bool,
    bits: npt.NDArray[np.uint32],
    method: str,
    progress: Progress | None = None,
) -> Run:
    """Schedule by contributions. ``bits``: 32 random bits per job, or none to take the lowest free machine."""
    m = instance.n_machines if bits.size else min(instance.n_machines, instance.n_jobs)  # behind these none is lowest
    jobs, schedule = prepared(instance, until, m, method)
    schedule.clock[FREE] = m
    machines = widened(
        Machines(
            owner=instance.machine_owners(m),
            contributed=np.zeros((instance.n_organizations, COLUMNS), dtype=np.int64),
            free=np.arange(m + 1, dtype=np.int64),
            user=np.zeros(m, dtype=np.int64),
            bits=bits,
            used=np.full(instance.n_jobs, -1, dtype=np.int64),
        ),
        method,
    )
    ran = drive(run_chunk, (printed, step, jobs, schedule, machines), jobs, schedule, method, progress)
    if not ran.complete:  # time from the last event to the moment reached
        left = schedule.clock[NOW] - schedule.clock[EVENT]
        fitting(pass_time, method != "python", schedule.rows.size)(schedule.rows, machines.contributed, left, printed)
    return ran._replace(
        contribution=tuple(Fraction(int(x)) for x in machines.contributed[:, PSI]),
        machine=machines.used.astype(np.int64, copy=False),
    )
