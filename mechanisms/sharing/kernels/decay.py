"""Simulator of the fair shares with a half-life: the events of :mod:`.queue`, books of :mod:`..rules.decay`."""

from __future__ import annotations

from typing import Final

import numpy as np

from ....support.jit import lean
from ....support.progress import Progress
from ..instance import SharingInstance
from ..powers import steps, width
from ..rules.books import RUNNING, Books
from ..rules.decay import AHEAD, ROWS, Decay, least_decayed, look, raise_to, settle, settle_all
from ..rules.shares import UTILITY
from ..runs import Run
from .drive import drive, prepared, widened
from .events import DONE, FREE, WAITING, Jobs, Schedule, begin, complete, next_moment, release
from .queue import CODES

MOMENT: Final = 16
"""Job events that take about as long as the powers of one moment."""


@lean
def run_chunk(budget: int, rule: int, step: int, jobs: Jobs, books: Books, schedule: Schedule, decay: Decay) -> None:
    """Process moments before the end until about ``budget`` job events have passed: as ``queue.run_chunk``."""
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
        while clock[FREE] > 0 and clock[WAITING] > 0:
            u = least_decayed(rule, books, decay, t + step)
            begin(jobs, books, schedule, u, t)
            settle(rule, decay, u, books.rows[u, RUNNING])
            spent += 1
        t = next_moment(jobs, schedule)
    clock[DONE] = t >= jobs.until


def run(
    instance: SharingInstance,
    rule: str,
    until: int,
    step: int,
    half_life: int,
    method: str,
    progress: Progress | None = None,
) -> Run:
    """Schedule by fair-share or utility-fair-share with a half-life, comparing at ``t + step``."""
    jobs, books, schedule = prepared(instance, until, instance.n_organizations, method)
    decay = widened(new_decay(instance, jobs.until, half_life), method)
    return drive(run_chunk, (CODES[rule], step, jobs, books, schedule, decay), jobs, schedule, method, progress)


def new_decay(instance: SharingInstance, span: int, half_life: int) -> Decay:
    """Books of nothing used."""
    tables, k = steps(half_life, span), instance.n_organizations
    n, digits = tables.shape[2], width(half_life, span, instance.n_jobs)
    return Decay(
        half_life=half_life,
        steps=tables,
        mantissa=np.zeros(n, dtype=np.int64),
        product=np.zeros(2 * n, dtype=np.int64),
        numbers=np.zeros((ROWS, digits), dtype=np.int64),
        settled=np.zeros((k, 2, digits), dtype=np.int64),
        seen=np.zeros(k, dtype=np.int64),
    )
