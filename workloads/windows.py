"""Windows of a log as work to be shared: organizations with machines and sequential jobs over a span of time.

Model: a window takes the jobs submitted in ``[start, start + duration)``, shifts their times so that the window opens
at 0, gives each job to an organization and each organization its machines, and replaces a job of ``q`` processors by
``q`` sequential copies with the same release, adjacent in the queue. The cluster is empty when the window opens.

Or it is *busy*: then the log itself says which jobs ran and which waited at the opening. The window begins one second
before: at 0 the jobs that were running are released, with what was left of them, at 1, the opening, those that were
waiting, then the others. So every rule that leaves no machine idle starts all running jobs at once, where they fit, and
all rules open on the same busy machines without knowing of it. Waiting jobs keep the moment from which they wait. A job
whose start the log does not say counts as started when submitted, one that had not started when the log ended as
waiting until then.

Where parallel jobs are to be kept ``whole``, jobs of more processors than there are machines, which could never start
at once, are left out, and every job has an estimate (:func:`planned`).

Conventions: ``start`` counts seconds from the log's first submission. Random windows open at a uniform whole second
such that the window ends by the last submission. Window ``i`` of a plan draws from its own child of the seed, in this
order: opening, deal of the users, ranks of the machines; so it does not depend on how many windows are drawn, on
their order or on processes.

>>> from consortium.workloads import Log
>>> log = Log(columns={"submit": [100, 110, 160], "run": [30, 5, 9], "allocated": [1, 2, 1], "user": [4, 5, 4]})
>>> work = Plan(duration=50, start=0, organizations="user", shares=[1, 2]).window(log)
>>> work.names, work.machines, work.release.tolist(), work.length.tolist(), work.owner.tolist()
(('user 4', 'user 5'), (1, 2), [0, 10, 10], [30, 5, 5], [0, 1, 1])
"""

from __future__ import annotations

import math
from bisect import bisect_right, insort
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..support.errors import InputError, TooLargeError
from .log import IntArray, Log
from .partition import ANSWERS, Partition, Shares, by_column, deal_users, divide

Exact: TypeAlias = NDArray[Any]
"""Integers: int64 where they fit, else Python's."""
MAX_COPIES: Final = 50_000_000
"""Sequential jobs that one window may hold; at a few tens of bytes each, more would fill an ordinary memory."""
NEVER: Final = 2**61
"""A moment behind the end of all logs."""


@dataclass(frozen=True, eq=False)
class SharedWork:
    """Organizations, machines and sequential jobs over ``[0, until)``; the jobs in order of submission.

    Attributes
    ----------
    names, machines
        Per organization.
    owner, release, length
        Per sequential job, shape (n,): organization from 0, release (s), length (s).
    until
        End of the window (s).
    start
        Opening, in seconds after the log's first submission.
    job
        Number of the job in the log that each sequential job is a copy of, shape (n,).
    recorded
        Start of each sequential job by the log's own record (s, 0 if it ran before), shape (n,); ``None`` unless the
        log says how long every job of the window waited.
    part_of
        Of each sequential job the parallel job that it is a copy of (copies stand together), shape (n,); ``None`` where
        there are no parallel jobs.
    estimate
        The length that each was believed to have, shape (n,); ``None`` unless parallel jobs are kept whole.
    since
        From when on each waits, negative for those that waited before, shape (n,); ``None`` on an empty cluster.
    used_before
        By half-life the machine time that each organization used before 0, as it counts in the first second.
    qos
        The priority of each one's QOS, shape (n,); ``None`` where no rule looks at it.
    number
        Which window it is; all random choices in it depend on that.
    opening
        When the window opens: 0 on an empty cluster, 1 on a busy one, where what is released before was running.
    """

    names: tuple[str, ...]
    machines: tuple[int, ...]
    owner: IntArray
    release: IntArray
    length: IntArray
    until: int
    start: int = 0
    job: IntArray | None = None
    recorded: IntArray | None = None
    part_of: IntArray | None = None
    estimate: IntArray | None = None
    since: IntArray | None = None
    opening: int = 0
    number: int = 0
    used_before: Mapping[int, tuple[int, ...]] | None = None
    qos: IntArray | None = None

    def __len__(self) -> int:
        return int(self.release.size)

    @cached_property
    def order(self) -> IntArray:
        """The sequential jobs by organization, then by release: as an instance has them, shape (n,)."""
        return np.lexsort((self.release, self.owner))

    @property
    def submitted(self) -> NDArray[np.bool_]:
        """Which sequential jobs were submitted in the window, not before, shape (n,)."""
        return np.asarray((self.release if self.since is None else self.since) >= self.opening)

    @property
    def load(self) -> float:
        """Work submitted over what the machines can do in the window; a statistic, may exceed 1."""
        work = float(self.length[self.submitted].sum(dtype=np.float64))
        return work / (sum(self.machines) * (self.until - self.opening))

    def by_name(self) -> SharedWork:
        """The same work with the organizations in the order of their names, which ties of the rules go by."""
        order = np.argsort(self.names).tolist()
        used = {each: tuple(used[u] for u in order) for each, used in (self.used_before or {}).items()}
        return replace(
            self,
            names=tuple(self.names[u] for u in order),
            machines=tuple(self.machines[u] for u in order),
            owner=np.argsort(order)[self.owner],
            used_before=used or None,
        )

    def queues(self) -> list[list[list[int]]]:
        """``[release, length]`` per job, one list per organization, as a scenario lists them."""
        lists: list[list[list[int]]] = [[] for _ in self.names]
        for u, r, p in zip(self.owner.tolist(), self.release.tolist(), self.length.tolist(), strict=True):
            lists[u].append([r, p])
        return lists


def random_start(log: Log, duration: int, rng: np.random.Generator) -> int:
    """A uniform opening such that a window of ``duration`` ends by the last submission; 0 if the log is shorter."""
    span = int(log.submit.max() - log.submit.min())
    return int(rng.integers(0, span - duration + 1)) if span > duration else 0


def planned(log: Log) -> IntArray:
    """Run time that each job was believed to have: as requested, or the run time itself where nothing was (s)."""
    limit = log.column("limit")
    return np.where(limit > 0, limit, log.run)


def cut(log: Log, owners: Partition, machines: tuple[int, ...], start: int, plan: Plan) -> SharedWork:
    """The window of a plan that opens ``start`` seconds after the first submission.

    Parameters
    ----------
    log
        Jobs that can be replayed, sorted by submission.
    owners
        Organization of every job of ``log``.
    machines
        Machines of every organization.
    plan
        How long the window is, and what is noted of it.

    Raises
    ------
    InputError
        No duration, a window before the first submission, or machines that do not match the organizations;
        TooLargeError for more than :data:`MAX_COPIES` sequential copies.
    """
    duration, busy = plan.duration, plan.busy
    if duration < 1 or start <= -duration:
        raise InputError(f"window: found start {start}, duration {duration}; expected > -{duration}, >= 1")
    if len(machines) != len(owners):
        raise InputError(f"found {len(machines)} machine counts for {len(owners)} organizations")
    opening = int(log.submit.min()) + start
    index = jobs_of(log, opening, duration, busy)
    if plan.whole:
        index = index[log.processors[index] <= sum(machines)]
    copies = _copies(log, index)
    zero = opening - busy  # the moment from which the replay counts
    since, began = log.submit[index] - zero, _began(log)[index] - zero
    done = np.where(began < busy, -began, 0)  # seconds run before
    release = np.where(began < busy, 0, np.maximum(since, busy)) if busy else since
    starts_known = bool(((log.column("wait")[index] >= 0) | log.waiting[index]).all())
    columns = {
        "owner": owners.owner[index],
        "release": release,
        "length": log.run[index] - done,
        "job": log.job[index],
        "recorded": np.maximum(began, 0) if starts_known else None,
        "part_of": index,
        "estimate": np.maximum(planned(log)[index] - done, 1) if plan.whole else None,
        "since": since if busy else None,
        "qos": None if plan.qos is None else _priorities(log, plan.qos)[index],
    }
    copied: dict[str, Any] = {
        name: None if column is None else np.repeat(column, copies) for name, column in columns.items()
    }
    used = {half_life: _used_before(log, owners, zero, half_life) for half_life in plan.half_lives}
    return SharedWork(
        owners.names,
        machines,
        until=duration + busy,
        start=start,
        opening=int(busy),
        used_before=used or None,
        **copied,
    )


def _priorities(log: Log, qos: Mapping[str, int]) -> IntArray:
    """The priority of each job's QOS; 0 where none is known."""
    codes, places = np.unique(log.column("queue"), return_inverse=True)
    return np.array([qos.get(log.label("queue", code), 0) for code in codes.tolist()], dtype=np.int64)[places]


def _copies(log: Log, index: IntArray) -> IntArray:
    """How many sequential jobs each of these is. Raises TooLargeError for more than a window may hold."""
    copies = log.processors[index]
    total = float(copies.sum(dtype=np.float64))
    if total > MAX_COPIES:
        at = int(copies.argmax())
        raise TooLargeError(
            f"{log.name}: the window holds {total:,.0f} sequential copies, job {log.column('job')[index[at]]} alone "
            f"{copies[at]:,}; the limit is {MAX_COPIES:,}. "
            "Choose a shorter duration, or smaller weights where jobs are weighed"
        )
    return copies


def _used_before(log: Log, owners: Partition, zero: int, half_life: int) -> tuple[int, ...]:
    """Machine time that each organization used before ``zero``, each second weighed as it counts in the next one."""
    number = int(np.searchsorted(log.submit, zero))
    begun = np.minimum(_began(log)[:number] - zero, 0)
    ran = np.minimum(ends_of(log)[:number] - zero, 0) - begun
    rate = math.log(2) / half_life
    parts = np.exp(rate * begun) * np.expm1(rate * ran) / math.expm1(rate) * log.processors[:number]
    return tuple(round(used) for used in np.bincount(owners.owner[:number], parts, len(owners)).tolist())


def jobs_of(log: Log, opening: int, duration: int, busy: bool) -> IntArray:
    """Places in the log of the jobs of a window that opens at this moment, in order of submission.

    Those that ran or waited at the opening are looked for as far back as any job took from its submission to its end.
    """
    ends = ends_of(log)
    before = _longest(log) if busy else 0
    bounds = np.searchsorted(log.submit, [opening - before, opening, opening + duration])
    index = np.arange(bounds[0], bounds[2])
    return np.asarray(index[(index >= bounds[1]) | (ends[index] > opening)])


@lru_cache(maxsize=ANSWERS)  # windows of one log ask the same
def _began(log: Log) -> IntArray:
    """When each job started; at :data:`NEVER` where it had not when the log ended."""
    return np.asarray(np.where(log.waiting, NEVER, log.submit + np.maximum(log.column("wait"), 0)))


@lru_cache(maxsize=ANSWERS)
def ends_of(log: Log) -> IntArray:
    """When each job ended; at :data:`NEVER` where it had not begun when the log ended."""
    return np.asarray(np.where(log.waiting, NEVER, _began(log) + log.run))


@lru_cache(maxsize=ANSWERS)
def last_event(log: Log) -> int:
    """The last moment that the log knows of: of a submission or an end, or when it was made."""
    ends = ends_of(log)
    return int(max(log.submit.max(), ends[ends < NEVER].max(initial=0), log.end))


@lru_cache(maxsize=ANSWERS)
def _longest(log: Log) -> int:
    """The longest time from a submission to the end of the job; of those that never started to the end of the log."""
    ends = np.where(log.waiting, max(int(log.submit.max()), log.end), ends_of(log))
    return int((ends - log.submit).max())


@dataclass(frozen=True)
class Plan:
    """How windows are made from a log: everything but the log.

    Attributes
    ----------
    duration
        Seconds.
    start
        Seconds after the first submission; ``None`` for random openings.
    machines
        Machines together; ``None`` for what the log's header states, or the sum of a list of shares.
    organizations
        A number (users are shuffled and dealt) or ``"user"``, ``"group"``, ``"queue"``, ``"partition"``, ``"account"``.
    shares
        ``"zipf"``, ``"equal"`` or machines per organization.
    limit
        With a column: at most so many organizations, the rest together as ``others``.
    busy
        Open with the jobs that ran and those that waited, see the module; else on an empty cluster.
    seed
        Root of all random choices.
    whole
        Note how long each job was believed to run, and leave out jobs too wide for the machines.
    half_lives
        Note what was used before with these half-lives; nothing is known of before the log began.
    qos
        Note the priority of each job's QOS (its queue), by name.
    """

    duration: int
    start: int | None = None
    machines: int | None = None
    organizations: int | str = 5
    shares: Shares = "zipf"
    limit: int | None = None
    busy: bool = False
    seed: int = 0
    whole: bool = False
    half_lives: tuple[int, ...] = ()
    qos: Mapping[str, int] | None = None

    def window(self, log: Log, index: int = 0) -> SharedWork:
        """Window number ``index`` (from 0): same log, plan and index, same window."""
        work = self.drawn(log, np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(index,))))
        return replace(work, number=index)

    def drawn(self, log: Log, rng: np.random.Generator) -> SharedWork:
        """The window of a generator's state, whatever the plan's seed."""
        start = random_start(log, self.duration, rng) if self.start is None else self.start
        if isinstance(self.organizations, str):
            owners = by_column(log, self.organizations, self.limit)
        else:
            owners = deal_users(log, self.organizations, rng)
        total = self.machines
        if total is None and isinstance(self.shares, str):
            total = log.max_processors()
        machines = divide(total, len(owners), self.shares, rng)
        if self.busy and isinstance(self.organizations, str) and isinstance(self.shares, str):
            by_name = np.argsort(np.argsort(owners.names))  # not by work, which is another in each part of a log
            machines = tuple(machines[place] for place in by_name.tolist())
        return cut(log, owners, machines, start, self)


@dataclass(frozen=True, eq=False)
class Submitted:
    """The work of windows of ``duration``: ``work[i]`` in each of the ``seconds[i]`` that open from ``first[i]`` on."""

    duration: int
    first: IntArray
    seconds: IntArray
    work: Exact


def submitted(log: Log, duration: int, first: int, last: int) -> Submitted:
    """The work of every window that opens from ``first`` to ``last``, both included; the log sorted by submission.

    The work of a window of ``duration`` seconds is that of the jobs submitted in it, run time by processors. As the
    opening moves on it changes only where a job enters or leaves, so all openings are looked at, not some. Jobs that
    ran or waited before are not in it. Openings are whole seconds after the log's first submission.

    >>> log = Log({"submit": [0, 10, 12, 40], "run": [5, 5, 5, 5], "allocated": [1, 1, 2, 1]})
    >>> windows = submitted(log, 5, 0, 35)
    >>> list(zip(windows.first.tolist(), windows.seconds.tolist(), windows.work.tolist()))
    [(0, 1, 5), (1, 5, 0), (6, 2, 5), (8, 3, 15), (11, 2, 10), (13, 23, 0)]
    >>> busiest(windows, 2), at_least(windows, 10)[0].tolist()
    ([8, 0], [8, 11])
    """
    submit = log.submit - int(log.submit.min())
    changes = np.concatenate([[first], submit + 1, submit - (duration - 1)])
    opens = np.unique(changes[(changes >= first) & (changes <= last)])
    sums = np.concatenate([[0], np.cumsum(log.work)])
    work = sums[np.searchsorted(submit, opens + duration)] - sums[np.searchsorted(submit, opens)]
    return Submitted(duration, opens, np.diff(opens, append=last + 1), work)


def busiest(windows: Submitted, number: int) -> list[int]:
    """Openings of the fullest windows, no two of which overlap, fullest first; fewer if no more have any work.

    The fullest is taken, then the fullest of those that leave it alone, and so on; of equal ones the earliest.
    """
    taken: list[int] = []
    opens: list[int] = []
    for i in np.argsort(-windows.work, kind="stable").tolist():
        if not windows.work[i]:
            break
        opening, end = int(windows.first[i]), int(windows.first[i] + windows.seconds[i])
        while (opening := _free(taken, opening, windows.duration)) < end:
            insort(taken, opening)
            opens.append(opening)
            if len(opens) == number:
                return opens
    return opens


def _free(taken: list[int], opening: int, duration: int) -> int:
    """The first opening from this one on whose window overlaps none that is taken; these are sorted."""
    while True:
        i = bisect_right(taken, opening)
        if i and taken[i - 1] + duration > opening:
            opening = taken[i - 1] + duration
        elif i < len(taken) and taken[i] < opening + duration:
            opening = taken[i] + duration
        else:
            return opening


def at_least(windows: Submitted, work: int) -> tuple[IntArray, IntArray]:
    """Where windows of at least so much work open: from where on, and for how many seconds."""
    full = np.asarray(windows.work >= work, dtype=np.bool_)
    return windows.first[full], windows.seconds[full]
