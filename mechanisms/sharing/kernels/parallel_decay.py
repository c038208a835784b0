"""Simulator of the fair shares with a half-life whose jobs take all their machines at once: both in one.

The queues of :mod:`.parallel`, the books of :mod:`..rules.decay`.
"""

from __future__ import annotations

from ....support.jit import lean
from ....support.progress import Progress
from ..instance import SharingInstance
from ..rules.books import RUNNING, Books
from ..rules.decay import AHEAD, Decay, least_decayed, look, raise_to, settle, settle_all
from ..rules.shares import UTILITY
from ..runs import Run
from .decay import MOMENT, new_decay
from .drive import drive, prepared, widened
from .events import DONE, FREE, WAITING, Jobs, Schedule, complete, next_moment, release
from .parallel import AT_WORK, Queue, close_queues, new_queue, open_queues, place
from .queue import CODES


@lean
def run_chunk(
    budget: int,
    rule: int,
    easy: bool,
    step: int,
    jobs: Jobs,
    books: Books,
    schedule: Schedule,
    queue: Queue,
    decay: Decay,
) -> None:
    """Process moments before the end until about ``budget`` job events have passed, as ``decay.run_chunk`` does."""
    clock = schedule.clock
    spent = 0
    t = next_moment(jobs, schedule)
    while t < jobs.until and spent < budget:
        ended = complete(books, schedule, t)
        spent += ended + release(jobs, books, schedule, t)
        decides = clock[FREE] > 0 and clock[WAITING] > 0
        if ended > 0 or decides:
            look(rule, decay, t)
            settle_all(rule, books, decay)
            spent += MOMENT
        if decides:
            raise_to(decay, AHEAD, t + step + 1 if rule == UTILITY else t + step)
            open_queues(jobs, schedule, queue, t)
            spent += queue.plan[AT_WORK]
            on = True
            while on and clock[FREE] > 0:
                u = least_decayed(rule, books, decay, t + step)
                on = u >= 0 and place(easy, jobs, books, schedule, queue, u, t)
                if on:
                    settle(rule, decay, u, books.rows[u, RUNNING])
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
    half_life: int,
    method: str,
    progress: Progress | None = None,
) -> Run:
    """Schedule by fair-share or utility-fair-share with a half-life, each job on all its machines at once."""
    jobs, books, schedule = prepared(instance, until, instance.n_organizations, method)
    queue = widened(new_queue(instance), method)
    decay = widened(new_decay(instance, jobs.until, half_life), method)
    arguments = (CODES[rule], easy, step, jobs, books, schedule, queue, decay)
    return drive(run_chunk, arguments, jobs, schedule, method, progress)
