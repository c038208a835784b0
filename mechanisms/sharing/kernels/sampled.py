"""RAND and REF sampled: who is furthest below its contribution is served; schedules of sampled coalitions tell it.

*RAND.* A simplified schedule is greedy and oldest first, so it takes its members' jobs in one fixed order (release,
then organization, then queue) and needs no books per organization. It does not depend on the real schedule and is
advanced only when the real schedule must choose.

*Sampled.* Any queue rule serves inside coalitions. A contribution is a sum of weights times values of coalitions, and a
value is what the running jobs add up to, so a contribution is known at every moment from one number per moment and
organization: by how much the weighted number of running jobs changes there. Every coalition's schedule is made once,
from beginning to end, enters its starts and completions into that table, and is forgotten. Nothing but the table is
kept, whatever the number of coalitions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np

from ....parallel.executors import cores
from ....support.interrupts import shielded
from ....support.jit import fitting, jit, lean
from ....support.progress import Progress
from ..instance import AnyIntArray, IntArray, SharingInstance
from ..limits import origin
from ..orderings import WeightedCoalitions
from .events import (
    CHUNK,
    COLUMNS,
    DONE,
    FREE,
    LAST,
    POSITION,
    RELEASED,
    RUNNING,
    SERVED,
    WAITING,
    Jobs,
    Run,
    Schedule,
    accrue,
    advance,
    begin,
    complete,
    drive,
    jobs_of,
    moments,
    new_schedule,
    next_moment,
    pop,
    prepared,
    push,
    release,
    waits,
    widened,
    worth,
    zeros,
)
from .queues import CODES, UNCONTENDED
from .queues import run_chunk as run_queue

# columns of a simplified schedule after those of the books up to ``LAST``
IDLE: Final = 4  # free machines
HEAP: Final = 5
NEXT: Final = 6  # position in the list of jobs by release

STEP: Final = 1
"""Values of sampled coalitions are compared one unit of time after a decision."""
FOREVER: Final = 2**62


class Simple(NamedTuple):
    """Simplified schedules in progress, one row per coalition."""

    member: IntArray  # whether an organization belongs to a coalition, (coalitions, k)
    weights: IntArray  # of a coalition's value in a contribution, (coalitions, k)
    rows: IntArray
    heap: IntArray  # ends of running jobs
    base: IntArray  # where the heap of each coalition begins


@lean
def assess(jobs: Jobs, simple: Simple, phi: IntArray, t: int, at: int) -> int:
    """Run simplified schedules through all decisions up to ``t``, write ``phi`` of ``at``; returns the steps taken."""
    rows, heap = simple.rows, simple.heap
    n = jobs.order.size
    spent = rows.shape[0]
    phi[:] = 0
    for c in range(rows.shape[0]):
        base = simple.base[c]
        while True:
            i = rows[c, NEXT]
            while i < n and not simple.member[c, jobs.owners[i]]:
                i += 1
            rows[c, NEXT] = i
            ready = jobs.times[i] if i < n else jobs.until
            size = rows[c, HEAP]
            first_end = heap[base] if size > 0 else jobs.until
            now = max(ready, rows[c, LAST])
            if size > 0 and first_end <= t and (first_end <= now or rows[c, IDLE] == 0):
                accrue(rows, c, first_end)
                rows[c, RUNNING] -= 1
                rows[c, IDLE] += 1
                pop(heap, base, size)
                rows[c, HEAP] = size - 1
                continue
            if i >= n or now > t or rows[c, IDLE] == 0:
                break
            accrue(rows, c, now)
            rows[c, RUNNING] += 1
            rows[c, IDLE] -= 1
            rows[c, NEXT] = i + 1
            spent += 1
            end = now + jobs.length[jobs.order[i]]
            if end < jobs.until:
                push(heap, base, size, end)
                rows[c, HEAP] = size + 1
        value = worth(rows, c, at)
        for u in range(phi.size):
            phi[u] += simple.weights[c, u] * value
    return int(spent)


class Followed(NamedTuple):
    """What sampled coalitions do, as far as time has passed."""

    change: IntArray
    running: IntArray  # (k,): weighted jobs that run
    parts: IntArray  # weighted unit parts done
    passed: IntArray  # up to this moment, (1,)


@lean
def pass_time(followed: Followed, phi: IntArray, until: int) -> None:
    """Bring contributions, times the number of orderings, to a moment."""
    for t in range(followed.passed[0], until):
        for u in range(phi.size):
            followed.running[u] += followed.change[t, u]
            followed.parts[u] += followed.running[u]
            phi[u] += followed.parts[u]
    followed.passed[0] = max(until, followed.passed[0])


@lean
def run_chunk(
    budget: int,
    count: int,
    step: int,
    jobs: Jobs,
    schedule: Schedule,
    phi: IntArray,
    simple: Simple | None,
    followed: Followed | None,
) -> None:
    """Serve whoever has least psi_sp minus contribution, before the end and for about ``budget`` steps.

    ``phi`` is ``count`` times the contributions, which one of the last two tells. All state is in the arrays. Ties go
    to the lowest index. Compiled without what is ``None``.
    """
    clock = schedule.clock
    spent = 0
    t = next_moment(jobs, schedule)
    while t < jobs.until and spent < budget:
        spent += complete(schedule, t) + release(jobs, schedule, t)
        if 0 < clock[FREE] < clock[WAITING]:  # else everybody is served, in any order
            if simple is not None:
                spent += assess(jobs, simple, phi, t, t + step)
            if followed is not None:
                spent += t + step - followed.passed[0]
                pass_time(followed, phi, t + step)
        while clock[FREE] > 0 and clock[WAITING] > 0:
            begin(jobs, schedule, furthest_below(schedule, phi, count, t + step), t)
            spent += 1
        t = next_moment(jobs, schedule)
    clock[DONE] = t >= jobs.until


@jit
def furthest_below(schedule: Schedule, phi: IntArray, count: int, at: int) -> int:
    """Who waits with least psi_sp minus contribution at ``at``; ties go to the lowest index."""
    best = -1
    least = 0
    for u in range(phi.size):
        if waits(schedule.rows, u):
            excess = count * worth(schedule.rows, u, at) - phi[u]
            if best < 0 or excess < least:
                best = u
                least = excess
    return best


def rand(
    instance: SharingInstance,
    sample: WeightedCoalitions,
    until: int,
    step: int,
    method: str,
    progress: Progress | None = None,
) -> Run:
    """RAND: schedule by contributions over coalitions, comparing values at ``t + step``."""
    jobs, schedule = prepared(instance, until, instance.n_organizations, method)
    simple = widened(_new_simple(instance, sample), method)
    phi = zeros(instance.n_organizations, method)
    arguments = (sample.orderings, step, jobs, schedule, phi, simple, None)
    ran = drive(run_chunk, arguments, jobs, schedule, method, progress)
    end = ran.reached - jobs.origin
    events = simple.rows.shape[0] * 2 * instance.n_jobs
    fitting(assess, method != "python", events)(jobs, simple, phi, end - 1, end)
    return ran._replace(contribution=tuple(Fraction(int(x), sample.orderings) for x in phi))


def _new_simple(instance: SharingInstance, sample: WeightedCoalitions) -> Simple:
    member = sample.member.astype(np.int64)
    rows = np.zeros((len(member), COLUMNS + 1), dtype=np.int64)
    rows[:, IDLE] = member @ np.array(instance.machines, dtype=np.int64)
    room = np.minimum(rows[:, IDLE], instance.n_jobs) + 1
    return Simple(
        member=member,
        weights=sample.weights(),
        rows=rows,
        heap=np.zeros(int(room.sum()), dtype=np.int64),
        base=np.cumsum(room) - room,
    )


class Entries(NamedTuple):
    """WeightedCoalitions in the order in which they are run, and the entries of each: ``first[c]:first[c + 1]``."""

    member: AnyIntArray  # (coalitions, k)
    first: IntArray
    player: IntArray
    weight: IntArray


class Sums(NamedTuple):
    """What schedules leave behind."""

    values: AnyIntArray  # psi_sp of each coalition at the end
    change: IntArray  # (moments, k): weighted jobs that start less those that end; no moments, if not needed


@jit
def reset(machines: IntArray, jobs: Jobs, schedule: Schedule, member: AnyIntArray, c: int) -> None:
    """Empty books and machines of a coalition."""
    clock, rows = schedule.clock, schedule.rows
    clock[:] = 0
    rows[:] = 0
    clock[SERVED] = -1
    for u in range(machines.size):
        jobs.member[u] = 1 if member[c, u] else 0
        jobs.machines[u] = machines[u] if member[c, u] else 0
        clock[FREE] += jobs.machines[u]
        rows[u, POSITION] = rows[u, RELEASED] = jobs.first[u]


@jit
def add_up(jobs: Jobs, schedule: Schedule, entries: Entries, sums: Sums, c: int) -> None:
    """Enter what a coalition's schedule is worth at the end, and when its jobs run."""
    for u in range(jobs.machines.size):
        for job in range(jobs.first[u], schedule.rows[u, POSITION]):
            t = schedule.start[job]
            left = jobs.until - t
            parts = min(jobs.length[job], left)
            sums.values[c] += parts * (2 * left - parts + 1) // 2
            if sums.change.shape[0] > 0:
                for entry in range(entries.first[c], entries.first[c + 1]):
                    sums.change[t, entries.player[entry]] += entries.weight[entry]
                    sums.change[t + parts, entries.player[entry]] -= entries.weight[entry]


@lean
def run_coalitions(
    begun: int,
    ended: int,
    rule: int,
    machines: IntArray,
    jobs: Jobs,
    schedule: Schedule,
    entries: Entries,
    sums: Sums,
) -> None:
    """The schedules of coalitions ``begun`` to ``ended`` under a queue rule; jobs and schedule are only used here."""
    for c in range(begun, ended):
        reset(machines, jobs, schedule, entries.member, c)
        run_queue(FOREVER, rule, UNCONTENDED, STEP, jobs, schedule, None, None, None)
        add_up(jobs, schedule, entries, sums, c)


def values_of(
    instance: SharingInstance,
    sampled: WeightedCoalitions,
    until: int,
    rule: str,
    method: str,
    *,
    change: IntArray | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> AnyIntArray:
    """Value at ``until`` of each coalition where it serves its members by ``rule``.

    To ``change`` is added what they give to contributions, see :class:`Sums`. ``threads`` 0 stands for all cores.
    Raises KeyboardInterrupt when interrupted.
    """
    first = np.searchsorted(sampled.coalition, np.arange(len(sampled.member) + 1))
    entries = Entries(sampled.member, first, sampled.player, sampled.weight)
    kernel = fitting(run_coalitions, method != "python", len(sampled.member) * (instance.n_jobs + 1))
    table = np.zeros((0, instance.n_organizations), dtype=np.int64) if change is None else change
    values = np.zeros(len(sampled.member), dtype=object if method == "python" else np.int64)
    machines = np.array(instance.machines, dtype=np.int64)
    workers = []
    for worker in range(threads or cores()):
        jobs = widened(jobs_of(instance, until), method)
        schedule = widened(new_schedule(instance, instance.n_organizations), method)
        workers.append((jobs, schedule, Sums(values, np.zeros_like(table) if worker else table)))

    def work(worker: int, begun: int, ended: int) -> None:
        jobs, schedule, sums = workers[worker]
        kernel(begun, ended, CODES[rule], machines, jobs, schedule, entries, sums)

    work(0, 0, 0)  # compiled once, here
    with ThreadPoolExecutor(len(workers)) as pool:
        for bounds in _rounds(len(values), len(workers), max(1, CHUNK // (instance.n_jobs + 1))):
            with shielded():
                list(pool.map(work, range(len(workers)), bounds[:-1], bounds[1:]))
            if progress is not None:
                progress(bounds[-1], len(values), "coalitions")
    for _, _, sums in workers[1:]:
        table += sums.change
    return values


def _rounds(n: int, workers: int, each: int) -> Iterator[list[int]]:
    """Bounds of what the workers do at a time: at most ``each`` coalitions a worker."""
    for begun in range(0, n, workers * each):
        ended = min(n, begun + workers * each)
        yield [begun + (ended - begun) * worker // workers for worker in range(workers + 1)]


@dataclass(frozen=True, eq=False)
class Contributions:
    """What the schedules of coalitions add up to, and the schedule that serves by it.

    Contributions are times ``count``, the number of orderings; for ``change`` see :class:`Sums`.
    """

    instance: SharingInstance
    change: IntArray
    count: int
    until: int
    method: str

    def _begun(self) -> tuple[IntArray, Followed]:
        """Contributions of nothing, and what they follow."""
        k, method = self.instance.n_organizations, self.method
        return zeros(k, method), Followed(self.change, zeros(k, method), zeros(k, method), zeros(1, method))

    def starts(self) -> AnyIntArray:
        """Starts of the schedule that serves whoever is furthest below its contribution.

        Raises KeyboardInterrupt when interrupted.
        """
        jobs, schedule = prepared(self.instance, self.until, self.instance.n_organizations, self.method)
        phi, followed = self._begun()
        arguments = (self.count, STEP, jobs, schedule, phi, None, followed)
        if not advance(run_chunk, arguments, schedule.clock, jobs.until, self.method, None):
            raise KeyboardInterrupt
        return moments(jobs, schedule.start)

    def at(self, times: Sequence[int]) -> list[list[int]]:
        """The contributions at moments in increasing order, a list each."""
        phi, followed = self._begun()
        since = origin(self.instance, self.until)
        run, contributions = fitting(pass_time, self.method != "python", self.change.size), []
        for t in times:
            run(followed, phi, max(0, t - since))
            contributions.append([int(x) for x in phi])
        return contributions
