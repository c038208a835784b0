"""Simulator of the queues whose jobs take all their machines at once: rigid, and with EASY backfilling.

Decisions are taken when a job ends or is released. The rule names an organization, again and again, and its first
waiting job starts if enough machines are free. *Rigid*: the first job that does not fit is the head of the queue; it
waits, and everybody behind it. *EASY* (Lifka 1995) reserves for it instead the earliest moment at which enough machines
will be free, should the running jobs end as estimated, and sets it aside. The rule is asked on about the others, each
organization with its next job: one starts if it fits and either ends by the reserved moment, as estimated, or takes
machines only that the head leaves over then; else it is set aside too. At the next decision nothing is set aside or
reserved. A job that runs longer than estimated is expected to end one unit of time later, whenever one looks.

A decision costs a look at the running jobs, and with EASY at the waiting ones while a machine is free.

Sources: D. Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995; A. Mu'alem, D. Feitelson, "Utilization,
predictability, workloads, and user runtime estimates in scheduling the IBM SP2 with backfilling", IEEE TPDS 12, 2001.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ....support.jit import jit, lean
from ....support.progress import Progress
from ..arrays import AnyIntArray, IntArray
from ..instance import SharingInstance
from ..rules.books import POSITION, Books
from ..runs import Run
from .drive import drive, prepared, widened
from .events import DONE, FREE, WAITING, Jobs, Schedule, begin, complete, next_moment, release
from .queue import CODES, choose

# entries of ``plan``
AT_WORK: Final = 0  # running jobs
RESERVED: Final = 1  # moment of the reservation, -1: none
SPARE: Final = 2  # machines that the head leaves over at that moment


class Queue(NamedTuple):
    """Waiting and running parallel jobs, each by its first copy. Books point to the next job that the rule may name."""

    width: IntArray  # machines at once
    estimate: AnyIntArray
    following: IntArray  # the next waiting job in the queue of its organization
    heads: IntArray  # the first one of each organization
    aside: IntArray  # the last one set aside at this decision, -1: none
    ends: AnyIntArray  # estimated ends of the running jobs, ascending
    running: IntArray  # and the jobs
    plan: AnyIntArray


@jit
def forget_ended(jobs: Jobs, schedule: Schedule, queue: Queue, t: int) -> None:
    """Strike what has ended from the list of running jobs."""
    kept = 0
    for i in range(queue.plan[AT_WORK]):
        job = queue.running[i]
        if schedule.start[job] + jobs.length[job] > t:
            queue.running[kept] = job
            queue.ends[kept] = queue.ends[i]
            kept += 1
    queue.plan[AT_WORK] = kept


@jit
def start_all(jobs: Jobs, books: Books, schedule: Schedule, queue: Queue, u: int, t: int) -> None:
    """Start every copy of the job that the books of ``u`` point to, and note its estimated end."""
    job = books.rows[u, POSITION]
    for _ in range(queue.width[job]):
        begin(jobs, books, schedule, u, t)
    books.rows[u, POSITION] = queue.following[job]
    if queue.aside[u] < 0:
        queue.heads[u] = queue.following[job]
    else:
        queue.following[queue.aside[u]] = queue.following[job]
    end = t + queue.estimate[job]
    i = queue.plan[AT_WORK]
    while i > 0 and queue.ends[i - 1] > end:
        queue.ends[i] = queue.ends[i - 1]
        queue.running[i] = queue.running[i - 1]
        i -= 1
    queue.ends[i] = end
    queue.running[i] = job
    queue.plan[AT_WORK] += 1


@jit
def reserve(queue: Queue, free: int, width: int, t: int) -> None:
    """Note when ``width`` machines will be free as far as estimates say, and how many more."""
    spare = free - width
    moment = t
    for i in range(queue.plan[AT_WORK]):
        end = max(queue.ends[i], t + 1)
        if spare >= 0 and end > moment:
            break
        spare += queue.width[queue.running[i]]
        moment = end
    queue.plan[RESERVED] = moment
    queue.plan[SPARE] = spare


@jit
def admits(queue: Queue, job: int, free: int, t: int) -> bool:
    """Whether a job fits, and does not delay the head of the queue."""
    width = queue.width[job]
    if width > free:
        return False
    if queue.plan[RESERVED] < 0 or t + queue.estimate[job] <= queue.plan[RESERVED]:
        return True
    if width > queue.plan[SPARE]:
        return False
    queue.plan[SPARE] -= width
    return True


@jit
def open_queues(jobs: Jobs, schedule: Schedule, queue: Queue, t: int) -> None:
    """Nothing is set aside or reserved when a decision begins."""
    forget_ended(jobs, schedule, queue, t)
    queue.plan[RESERVED] = -1
    for u in range(queue.heads.size):
        queue.aside[u] = -1


@jit
def place(easy: bool, jobs: Jobs, books: Books, schedule: Schedule, queue: Queue, u: int, t: int) -> bool:
    """Start the next job of ``u`` or set it aside; returns whether the rule is asked on."""
    job = books.rows[u, POSITION]
    if admits(queue, job, schedule.clock[FREE], t):
        start_all(jobs, books, schedule, queue, u, t)
        return True
    if queue.plan[RESERVED] < 0:
        reserve(queue, schedule.clock[FREE], queue.width[job], t)
    queue.aside[u] = job
    books.rows[u, POSITION] = queue.following[job]
    return easy


@jit
def close_queues(books: Books, queue: Queue) -> None:
    """Whoever was set aside waits at the head again."""
    for u in range(queue.heads.size):
        books.rows[u, POSITION] = queue.heads[u]


@lean
def run_chunk(
    budget: int, rule: int, easy: bool, step: int, jobs: Jobs, books: Books, schedule: Schedule, queue: Queue
) -> None:
    """Process moments before the end until about ``budget`` job events have passed, as ``queue.run_chunk`` does."""
    clock = schedule.clock
    spent = 0
    t = next_moment(jobs, schedule)
    while t < jobs.until and spent < budget:
        spent += complete(books, schedule, t) + release(jobs, books, schedule, t)
        if clock[FREE] > 0 and clock[WAITING] > 0:
            open_queues(jobs, schedule, queue, t)
            spent += queue.plan[AT_WORK]
            on = True
            while on and clock[FREE] > 0:
                u = choose(rule, books, t + step)
                on = u >= 0 and place(easy, jobs, books, schedule, queue, u, t)
                spent += 1
            close_queues(books, queue)
        t = next_moment(jobs, schedule)
    clock[DONE] = t >= jobs.until


def run(
    instance: SharingInstance,
    rule: str,
    easy: bool,
    until: int,
    step: int,
    method: str,
    progress: Progress | None = None,
) -> Run:
    """Schedule by a queue rule, each job on all its machines at once, with EASY backfilling or without."""
    jobs, books, schedule = prepared(instance, until, instance.n_organizations, method)
    queue = widened(new_queue(instance), method)
    arguments = (CODES[rule], easy, step, jobs, books, schedule, queue)
    return drive(run_chunk, arguments, jobs, schedule, method, progress)


def new_queue(instance: SharingInstance) -> Queue:
    """Everything waits. Estimates are not cut behind the end of the run, because they are compared with each other."""
    width = np.ones(instance.n_jobs, dtype=np.int64) if instance.width is None else instance.width
    at_once = min(instance.n_machines, instance.n_jobs) + 1
    return Queue(
        width=width,
        estimate=instance.length if instance.estimate is None else instance.estimate,
        following=np.arange(instance.n_jobs, dtype=np.int64) + width,
        heads=instance.first[:-1].copy(),
        aside=np.full(instance.n_organizations, -1, dtype=np.int64),
        ends=np.zeros(at_once, dtype=np.int64),
        running=np.zeros(at_once, dtype=np.int64),
        plan=np.zeros(3, dtype=np.int64),
    )
