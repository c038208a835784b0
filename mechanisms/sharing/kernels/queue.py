"""Simulator of the rules that look at the books only: fifo, round robin and the three fair shares.

A start or completion costs a logarithm of the machines plus one look at each organization.
"""

from __future__ import annotations

from typing import Final

from ....support.jit import jit, lean
from ....support.progress import Progress
from ..instance import SharingInstance
from ..rules.books import Books
from ..rules.shares import JOBS, TIME, UTILITY, least_per_share
from ..rules.turns import next_in_turn, oldest_first
from ..runs import Run
from .drive import drive, prepared
from .events import DONE, FREE, WAITING, Jobs, Schedule, begin, complete, next_moment, release

FIFO: Final = 3
ROUND_ROBIN: Final = 4
CODES: Final = {
    "fair-share": TIME,
    "utility-fair-share": UTILITY,
    "current-fair-share": JOBS,
    "fifo": FIFO,
    "round-robin": ROUND_ROBIN,
}


@jit
def choose(rule: int, books: Books, at: int) -> int:
    """The waiting organization that a rule serves next."""
    if rule == FIFO:
        return oldest_first(books)
    if rule == ROUND_ROBIN:
        return next_in_turn(books)
    return least_per_share(rule, books, at)


@lean
def run_chunk(budget: int, rule: int, step: int, jobs: Jobs, books: Books, schedule: Schedule) -> None:
    """Process moments before the end until ``budget`` job events have passed; all state is in the arrays.

    On return the clock's ``DONE`` says whether the end was reached and ``NOW`` the next moment that is not processed.
    """
    clock = schedule.clock
    spent = 0
    t = next_moment(jobs, schedule)
    while t < jobs.until and spent < budget:
        spent += complete(books, schedule, t) + release(jobs, books, schedule, t)
        while clock[FREE] > 0 and clock[WAITING] > 0:
            begin(jobs, books, schedule, choose(rule, books, t + step), t)
            spent += 1
        t = next_moment(jobs, schedule)
    clock[DONE] = t >= jobs.until


def run(
    instance: SharingInstance, rule: str, until: int, step: int, method: str, progress: Progress | None = None
) -> Run:
    """Schedule by a rule of :data:`CODES`, comparing values at ``t + step``."""
    jobs, books, schedule = prepared(instance, until, instance.n_organizations, method)
    return drive(run_chunk, (CODES[rule], step, jobs, books, schedule), jobs, schedule, method, progress)
