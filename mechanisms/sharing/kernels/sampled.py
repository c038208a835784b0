"""Schedules of many coalitions, each alone, and what they add to everybody's contribution at every moment.

A contribution is a sum of weights times values of coalitions, and a value is what the running jobs add up to, so a
contribution is known at every moment from one number per moment and organization: by how much the weighted number of
running jobs changes there. Every coalition's schedule is made once, from beginning to end, writes its starts and
completions into that table, and is forgotten. Nothing but the table is kept, whatever the number of coalitions.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ....support.jit import jit, lean
from ..arrays import AnyIntArray, IntArray
from ..rules.books import KNOWN, LAST, PARTS, POSITION, PSI, RUNNING, Books
from ..rules.rand import furthest_below
from .events import DONE, ENTRIES, FREE, NEXT_RELEASE, WAITING, Jobs, Schedule, begin, complete, next_moment, release
from .queue import choose

STEP: Final = 1
"""Values are compared one unit of time after a decision."""


class Wanted(NamedTuple):
    """Coalitions in the order in which they are run, and the entries of each: ``first[c]:first[c + 1]``."""

    member: AnyIntArray  # (coalitions, k)
    first: IntArray
    player: IntArray
    weight: IntArray


class Found(NamedTuple):
    """What schedules leave behind."""

    values: IntArray  # psi_sp of each coalition at the end
    change: IntArray  # (moments, k): weighted jobs that start less those that end; no moments, if not wanted


@jit
def reset(jobs: Jobs, books: Books, schedule: Schedule, member: AnyIntArray, c: int) -> None:
    """Empty books and machines of a coalition."""
    for i in range(ENTRIES):
        schedule.clock[i] = 0
    for u in range(jobs.machines.size):
        books.machines[u] = jobs.machines[u] * member[c, u]
        schedule.clock[FREE] += books.machines[u]
        books.rows[u, PSI] = books.rows[u, PARTS] = books.rows[u, RUNNING] = books.rows[u, LAST] = 0
        books.rows[u, POSITION] = books.rows[u, KNOWN] = jobs.first[u]
    books.served[0] = -1


@jit
def next_of_members(jobs: Jobs, schedule: Schedule, member: AnyIntArray, c: int) -> int:
    """Moment of the next completion, or release of a member's job."""
    clock = schedule.clock
    while clock[NEXT_RELEASE] < jobs.times.size and not member[c, jobs.owners[clock[NEXT_RELEASE]]]:
        clock[NEXT_RELEASE] += 1
    return int(next_moment(jobs, schedule))


@jit
def release_members(jobs: Jobs, books: Books, schedule: Schedule, member: AnyIntArray, c: int, t: int) -> None:
    """Make the members' jobs released at ``t`` known."""
    clock = schedule.clock
    while clock[NEXT_RELEASE] < jobs.times.size and jobs.times[clock[NEXT_RELEASE]] == t:
        u = jobs.owners[clock[NEXT_RELEASE]]
        if member[c, u]:
            books.rows[u, KNOWN] += 1
            clock[WAITING] += 1
        clock[NEXT_RELEASE] += 1


@jit
def record(jobs: Jobs, books: Books, wanted: Wanted, found: Found, c: int, u: int, t: int) -> None:
    """Note that ``u`` has just started a job at ``t``: its worth at the end, and when it runs."""
    left = jobs.until - t
    parts = min(jobs.length[books.rows[u, POSITION] - 1], left)
    found.values[c] += parts * (2 * left - parts + 1) // 2
    if found.change.shape[0] > 0:
        for entry in range(wanted.first[c], wanted.first[c + 1]):
            found.change[t, wanted.player[entry]] += wanted.weight[entry]
            found.change[t + parts, wanted.player[entry]] -= wanted.weight[entry]


@lean
def run_coalitions(
    begun: int, ended: int, rule: int, jobs: Jobs, books: Books, schedule: Schedule, wanted: Wanted, found: Found
) -> None:
    """The schedules of coalitions ``begun`` to ``ended`` under a queue rule; books and schedule are only used here.

    Where nobody waits for another, what is released starts at once, without asking the rule.
    """
    clock = schedule.clock
    for c in range(begun, ended):
        reset(jobs, books, schedule, wanted.member, c)
        t = next_of_members(jobs, schedule, wanted.member, c)
        while t < jobs.until:
            complete(books, schedule, t)
            waited, first = clock[WAITING], clock[NEXT_RELEASE]
            release_members(jobs, books, schedule, wanted.member, c, t)
            if waited == 0 and clock[WAITING] <= clock[FREE]:
                for i in range(first, clock[NEXT_RELEASE]):
                    if wanted.member[c, jobs.owners[i]]:
                        begin(jobs, books, schedule, jobs.owners[i], t)
                        record(jobs, books, wanted, found, c, jobs.owners[i], t)
            while clock[FREE] > 0 and clock[WAITING] > 0:
                u = choose(rule, books, t + STEP)
                begin(jobs, books, schedule, u, t)
                record(jobs, books, wanted, found, c, u, t)
            t = next_of_members(jobs, schedule, wanted.member, c)


class Followed(NamedTuple):
    """Contributions, times the number of orderings, as far as time has passed."""

    change: IntArray
    running: IntArray  # (k,): weighted jobs that run
    parts: IntArray  # weighted unit parts done
    phi: IntArray  # contributions
    passed: IntArray  # up to this moment, (1,)


@jit
def pass_time(followed: Followed, until: int) -> None:
    """Bring the contributions to a moment."""
    for t in range(followed.passed[0], until):
        for u in range(followed.phi.size):
            followed.running[u] += followed.change[t, u]
            followed.parts[u] += followed.running[u]
            followed.phi[u] += followed.parts[u]
    followed.passed[0] = max(until, followed.passed[0])


@lean
def pass_until(followed: Followed, until: int) -> None:
    """Bring the contributions to a moment."""
    pass_time(followed, until)


@lean
def run_chunk(budget: int, count: int, jobs: Jobs, books: Books, schedule: Schedule, followed: Followed) -> None:
    """Process moments before the end, about ``budget`` steps, serving whoever is furthest below its contribution."""
    clock = schedule.clock
    spent = 0
    t = next_moment(jobs, schedule)
    while t < jobs.until and spent < budget:
        spent += complete(books, schedule, t) + release(jobs, books, schedule, t)
        if 0 < clock[FREE] < clock[WAITING]:  # else everybody is served, in any order
            spent += t + STEP - followed.passed[0]
            pass_time(followed, t + STEP)
        while clock[FREE] > 0 and clock[WAITING] > 0:
            begin(jobs, books, schedule, furthest_below(books, followed.phi, count, t + STEP), t)
            spent += 1
        t = next_moment(jobs, schedule)
    clock[DONE] = t >= jobs.until
