"""The rules that look at the books only: one event loop, in which the least key per share is served.

fifo, round-robin and the three fair shares differ in the :func:`key` of an organization and in whether it is taken per
machine that the organization owns. One without machines has no share and comes last, those among themselves by their
keys. Ties go to the lowest organization. With a half-life, keys are those of :mod:`.decay`; fair-tree and multifactor
decide as :mod:`.trees` says. A start or completion costs a logarithm of the machines plus one look at each
organization.

*Copies*: a job of several machines is that many sequential ones. Otherwise it takes all its machines at once. Decisions
are taken when a job ends or is released. The rule names an organization, again and again, and its first waiting job
starts if enough machines are free. *Rigid*: the first job that does not fit is the head of the queue; it waits, and
everybody behind it. *EASY* (Lifka 1995) reserves for it instead the earliest moment at which enough machines will be
free, should the running jobs end as estimated, and sets it aside. The rule goes on with the others, each
organization with its next job: one starts if it fits and either ends by the reserved moment, as estimated, or takes
machines only that the head leaves over then; else it is set aside too. At the next decision nothing is set aside or
reserved. A job that runs longer than estimated is expected to end one unit of time later, whenever one looks. A
decision costs a look at the running jobs, and with EASY at the waiting ones while a machine is free.

Sources: D. Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995; A. Mu'alem, D. Feitelson, "Utilization,
predictability, workloads, and user runtime estimates in scheduling the IBM SP2 with backfilling", IEEE TPDS 12, 2001.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ....support.jit import jit, lean
from ....support.progress import Progress
from ..instance import AnyIntArray, IntArray, SharingInstance
from .decay import AHEAD, MOMENT, Decay, enter, enter_before, least_decayed, look, new_decay, raise_to
from .events import (
    DONE,
    FREE,
    NEXT_RELEASE,
    POSITION,
    RUNNING,
    SERVED,
    WAITING,
    Jobs,
    Run,
    Schedule,
    begin,
    complete,
    drive,
    next_moment,
    prepared,
    release,
    used,
    waits,
    widened,
    worth,
)
from .trees import Tree, first_in_tree

# rules
TIME: Final = 0
UTILITY: Final = 1
JOBS: Final = 2
FIFO: Final = 3
ROUND_ROBIN: Final = 4
FAIR_TREE: Final = 5
MULTIFACTOR: Final = 6
CODES: Final = {
    "fair-share": TIME,
    "utility-fair-share": UTILITY,
    "current-fair-share": JOBS,
    "fifo": FIFO,
    "round-robin": ROUND_ROBIN,
    "fair-tree": FAIR_TREE,
    "multifactor": MULTIFACTOR,
}

# ways to start jobs
COPIES: Final = 0
RIGID: Final = 1
EASY: Final = 2
UNCONTENDED: Final = 3  # copies; where nobody waits for another, jobs start by release without asking the rule
WAYS: Final = {"copies": COPIES, "rigid": RIGID, "easy": EASY}

# entries of ``plan``
AT_WORK: Final = 0  # running jobs
RESERVED: Final = 1  # moment of the reservation, -1: none
SPARE: Final = 2  # machines that the head leaves over at that moment

WORD: Final = 31
LOW: Final = 2**31 - 1


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
def key(rule: int, jobs: Jobs, schedule: Schedule, u: int, at: int) -> int:
    """What ``u`` is compared by at moment ``at``."""
    rows = schedule.rows
    if rule == TIME:
        return used(rows, u, at)
    if rule == UTILITY:
        return worth(rows, u, at)
    if rule == JOBS:
        return int(rows[u, RUNNING])
    if rule == FIFO:
        return int(jobs.waits_from[rows[u, POSITION]])
    places = u - schedule.clock[SERVED] - 1
    return int(places if places >= 0 else places + jobs.machines.size)


@jit
def less_per_share(a: int, b: int, c: int, d: int) -> bool:
    """Whether ``a / b < c / d`` for non-negative a, c, where 0 shares are more than anything.

    The products are compared in two words of 31 bits, so they cannot leave int64 for b, d below 2**31; Python's
    integers of any size give the same answer.
    """
    if b == 0:
        return d == 0 and a < c
    if d == 0:
        return True
    low1 = (a & LOW) * d
    low2 = (c & LOW) * b
    high1 = (a >> WORD) * d + (low1 >> WORD)
    high2 = (c >> WORD) * b + (low2 >> WORD)
    if high1 != high2:
        return high1 < high2
    return (low1 & LOW) < (low2 & LOW)


@jit
def choose(rule: int, jobs: Jobs, schedule: Schedule, at: int) -> int:
    """The waiting organization with the least key at moment ``at``, per share for the fair shares; -1: nobody waits."""
    per_share = rule <= JOBS
    best = -1
    least = 0
    for u in range(jobs.machines.size):
        if waits(schedule.rows, u):
            has = key(rule, jobs, schedule, u, at)
            if best >= 0 and per_share:
                less = less_per_share(has, jobs.machines[u], least, jobs.machines[best])
            else:
                less = best < 0 or has < least
            if less:
                best = u
                least = has
    return best


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
def start_all(jobs: Jobs, schedule: Schedule, queue: Queue, u: int, t: int) -> None:
    """Start every copy of the job that the books of ``u`` point to, and note its estimated end."""
    job = schedule.rows[u, POSITION]
    for _ in range(queue.width[job]):
        begin(jobs, schedule, u, t)
    schedule.rows[u, POSITION] = queue.following[job]
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
def place(way: int, jobs: Jobs, schedule: Schedule, queue: Queue, u: int, t: int) -> bool:
    """Start the next job of ``u`` or set it aside; returns whether the rule goes on."""
    job = schedule.rows[u, POSITION]
    if admits(queue, job, schedule.clock[FREE], t):
        start_all(jobs, schedule, queue, u, t)
        return True
    if queue.plan[RESERVED] < 0:
        reserve(queue, schedule.clock[FREE], queue.width[job], t)
    queue.aside[u] = job
    schedule.rows[u, POSITION] = queue.following[job]
    return way == EASY


@jit
def decide(
    rule: int,
    way: int,
    at: int,
    jobs: Jobs,
    schedule: Schedule,
    queue: Queue | None,
    decay: Decay | None,
    tree: Tree | None,
    t: int,
) -> int:
    """Start jobs at ``t`` while a machine is free and somebody waits who may start; returns the steps that took."""
    clock, rows = schedule.clock, schedule.rows
    spent = 0
    if queue is not None:  # nothing is set aside or reserved when a decision begins
        forget_ended(jobs, schedule, queue, t)
        spent += queue.plan[AT_WORK]
        queue.plan[RESERVED] = -1
        queue.aside[:] = -1
    if decay is not None:
        raise_to(decay, AHEAD, at + 1 if rule == UTILITY else at)
    going_on = True
    while going_on and clock[FREE] > 0 and clock[WAITING] > 0:
        if tree is not None:
            if queue is not None:
                u = first_in_tree(jobs, schedule, decay, tree, queue.width, at)
            else:
                u = first_in_tree(jobs, schedule, decay, tree, None, at)
        elif decay is not None:
            u = least_decayed(rule == UTILITY, jobs, schedule, decay, at)
        else:
            u = choose(rule, jobs, schedule, at)
        if queue is not None:
            going_on = u >= 0 and place(way, jobs, schedule, queue, u, t)
        else:
            begin(jobs, schedule, u, t)
        if decay is not None and going_on:
            enter(rule == UTILITY, decay, u, rows[u, RUNNING])
        spent += 1
    if queue is not None:  # whoever was set aside waits at the head again
        for u in range(queue.heads.size):
            rows[u, POSITION] = queue.heads[u]
    return int(spent)


@lean
def run_chunk(
    budget: int,
    rule: int,
    way: int,
    step: int,
    jobs: Jobs,
    schedule: Schedule,
    queue: Queue | None,
    decay: Decay | None,
    tree: Tree | None,
) -> None:
    """Process moments before the end until about ``budget`` job events have passed; all state is in the arrays.

    On return the clock's ``DONE`` says whether the end was reached and ``NOW`` the next moment that is not processed.
    Compiled without what is ``None``.
    """
    clock = schedule.clock
    spent = 0
    t = next_moment(jobs, schedule)
    while t < jobs.until and spent < budget:
        ended = complete(schedule, t)
        waited, first = clock[WAITING], clock[NEXT_RELEASE]
        spent += ended + release(jobs, schedule, t)
        if way == UNCONTENDED and waited == 0 and clock[WAITING] <= clock[FREE]:
            for i in range(first, clock[NEXT_RELEASE]):
                if jobs.member[jobs.owners[i]]:
                    begin(jobs, schedule, jobs.owners[i], t)
        decides = clock[FREE] > 0 and clock[WAITING] > 0
        if decay is not None and (ended > 0 or decides):
            look(rule == UTILITY, decay, t)
            for u in range(jobs.machines.size):
                enter(rule == UTILITY, decay, u, schedule.rows[u, RUNNING])
            spent += MOMENT
        if decides:
            spent += decide(rule, way, t + step, jobs, schedule, queue, decay, tree, t)
        t = next_moment(jobs, schedule)
    clock[DONE] = t >= jobs.until


def run(
    instance: SharingInstance,
    rule: str,
    parallel: str,
    until: int,
    step: int,
    half_life: int | None,
    tree: Tree | None,
    method: str,
    progress: Progress | None = None,
) -> Run:
    """Schedule by a rule of :data:`CODES`, comparing at ``t + step``, with half-life and tree where it takes one."""
    jobs, schedule = prepared(instance, until, instance.n_organizations, method)
    way = COPIES if instance.width is None else WAYS[parallel]  # of sequential jobs none waits beside a free machine
    queue = None if way == COPIES else widened(new_queue(instance), method)
    decay = None if half_life is None else widened(new_decay(instance, jobs.until, half_life), method)
    if decay is not None and half_life is not None and CODES[rule] != UTILITY:
        enter_before(decay, instance.used(half_life))
    tree = None if tree is None else widened(tree, method)
    arguments = (CODES[rule], way, step, jobs, schedule, queue, decay, tree)
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
