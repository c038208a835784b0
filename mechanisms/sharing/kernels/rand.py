"""Simulator of RAND: a real schedule that follows contributions counted on simplified schedules.

A simplified schedule is greedy and oldest first, so it takes its members' jobs in one fixed order (release, then
organization, then queue). It does not depend on the real schedule and is advanced only when the real schedule must
choose.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np

from ....support.jit import fitting, jit, lean
from ....support.progress import Progress
from ..arrays import IntArray
from ..instance import SharingInstance
from ..orderings import Watched
from ..rules.books import LAST, RUNNING, Books, bring
from ..rules.rand import contributions, furthest_below
from ..runs import Run
from .drive import drive, prepared, widened
from .events import DONE, FREE, WAITING, Jobs, Schedule, begin, complete, next_moment, release
from .heap import pop, push

# columns of a simplified schedule after those of the books up to ``LAST``
IDLE: Final = 4  # free machines
HEAP: Final = 5
NEXT: Final = 6  # position in the list of jobs by release
COLUMNS: Final = 7


class Simple(NamedTuple):
    """Simplified schedules in progress, one row per coalition."""

    member: IntArray  # whether an organization belongs to a coalition, (coalitions, k)
    weights: IntArray  # of a coalition's value in a contribution, (coalitions, k)
    divisor: int  # what the weighted sums are divided by
    rows: IntArray
    heap: IntArray  # ends of running jobs
    base: IntArray  # where the heap of each coalition begins
    phi: IntArray  # the result: count times the contributions, (k,)


@jit
def catch_up(jobs: Jobs, simple: Simple, c: int, t: int) -> int:
    """Run the simplified schedule ``c`` through all its decisions at moments up to ``t``; returns the starts."""
    rows, heap, base = simple.rows, simple.heap, simple.base[c]
    n = jobs.order.size
    started = 0
    while True:
        i = rows[c, NEXT]
        while i < n and not simple.member[c, jobs.owners[i]]:
            i += 1
        rows[c, NEXT] = i
        ready = jobs.times[i] if i < n else jobs.until
        size = rows[c, HEAP]
        first_end = heap[base] if size > 0 else jobs.until
        at = max(ready, rows[c, LAST])
        if size > 0 and first_end <= t and (first_end <= at or rows[c, IDLE] == 0):
            bring(rows, c, first_end)
            rows[c, RUNNING] -= 1
            rows[c, IDLE] += 1
            pop(heap, base, size)
            rows[c, HEAP] = size - 1
            continue
        if i >= n or at > t or rows[c, IDLE] == 0:
            return started
        bring(rows, c, at)
        rows[c, RUNNING] += 1
        rows[c, IDLE] -= 1
        rows[c, NEXT] = i + 1
        started += 1
        end = at + jobs.length[jobs.order[i]]
        if end < jobs.until:
            push(heap, base, size, end)
            rows[c, HEAP] = size + 1


@lean
def assess(jobs: Jobs, simple: Simple, t: int, at: int) -> int:
    """Bring ``phi`` to ``at``, after all decisions up to ``t``; returns the steps that took."""
    spent = simple.rows.shape[0]
    for c in range(simple.rows.shape[0]):
        spent += catch_up(jobs, simple, c, t)
    contributions(simple.rows, simple.weights, at, simple.phi)
    return int(spent)


@lean
def run_chunk(budget: int, step: int, jobs: Jobs, books: Books, schedule: Schedule, simple: Simple) -> None:
    """Process moments before the end, about ``budget`` steps; all state is in the arrays."""
    clock = schedule.clock
    spent = 0
    t = next_moment(jobs, schedule)
    while t < jobs.until and spent < budget:
        spent += complete(books, schedule, t) + release(jobs, books, schedule, t)
        if 0 < clock[FREE] < clock[WAITING]:  # else everybody is served, in any order
            spent += assess(jobs, simple, t, t + step)
        while clock[FREE] > 0 and clock[WAITING] > 0:
            begin(jobs, books, schedule, furthest_below(books, simple.phi, simple.divisor, t + step), t)
            spent += 1
        t = next_moment(jobs, schedule)
    clock[DONE] = t >= jobs.until


def run(
    instance: SharingInstance, watched: Watched, until: int, step: int, method: str, progress: Progress | None = None
) -> Run:
    """Schedule by contributions over the coalitions of ``watched``, comparing values at ``t + step``."""
    jobs, books, schedule = prepared(instance, until, instance.n_organizations, method)
    simple = widened(_new_simple(instance, watched), method)
    ran = drive(run_chunk, (step, jobs, books, schedule, simple), jobs, schedule, method, progress)
    end = ran.reached - jobs.origin
    events = simple.rows.shape[0] * 2 * instance.n_jobs
    fitting(assess, method != "python", events)(jobs, simple, end - 1, end)
    return ran._replace(contribution=tuple(Fraction(int(x), watched.count) for x in simple.phi))


def _new_simple(instance: SharingInstance, watched: Watched) -> Simple:
    k = instance.n_organizations
    member = np.array([[mask >> u & 1 for u in range(k)] for mask in watched.masks], dtype=np.int64)
    rows = np.zeros((len(watched.masks), COLUMNS), dtype=np.int64)
    rows[:, IDLE] = member @ np.array(instance.machines, dtype=np.int64)
    room = np.minimum(rows[:, IDLE], instance.n_jobs) + 1
    return Simple(
        member=member,
        weights=watched.weights,
        divisor=watched.count,
        rows=rows,
        heap=np.zeros(int(room.sum()), dtype=np.int64),
        base=np.cumsum(room) - room,
        phi=np.zeros(k, dtype=np.int64),
    )
