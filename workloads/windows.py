"""Windows of a log as work to be shared: organizations with machines and sequential jobs over a span of time.

Model: a window takes the jobs submitted in ``[start, start + duration)``, shifts their times so that the window opens
at 0, gives each job to an organization and each organization its machines, and replaces a job of ``q`` processors by
``q`` sequential copies with the same release, adjacent in the queue. The cluster is empty when the window opens,
unless a warm-up is asked for: then the jobs that, by the log's own record, were waiting or running at the opening are
released at 0, running ones with what was left of them.

Which copies are one parallel job is noted where it is asked for (``whole``). Then jobs of more processors than there
are machines, which could never start at once, are left out, and every job has an estimate (:func:`planned`).

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

from bisect import bisect_right, insort
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..support.errors import InputError, TooLargeError
from ..support.exact import fits_int64
from .log import IntArray, Log
from .partition import Partition, Shares, by_column, deal_users, divide

Exact: TypeAlias = NDArray[Any]
"""Integers: int64 where they fit, else Python's."""
MAX_COPIES: Final = 50_000_000
"""Sequential jobs that one window may hold; at a few tens of bytes each, more would fill an ordinary memory."""


@dataclass(frozen=True, eq=False)
class SharedWork:
    """Organizations, machines and sequential jobs over ``[0, until)``; the jobs in order of presentation.

    Attributes
    ----------
    names, machines
        Per organization.
    owner, release, length
        Per sequential job, shape (n,): organization from 0, release (s after the opening), length (s).
    until
        Length of the window (s).
    start
        Opening, in seconds after the log's first submission.
    job
        Number of the job in the log that each sequential job is a copy of, shape (n,).
    recorded
        Start of each sequential job by the log's own record (s after the opening, 0 if before it), shape (n,);
        ``None`` unless the log says how long every job of the window waited.
    part_of, estimate
        Of each sequential job the parallel job that it is a copy of (copies stand together), and the length that it was
        believed to have, both shape (n,); ``None`` unless asked for.
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

    def __len__(self) -> int:
        return int(self.release.size)

    @property
    def load(self) -> float:
        """Work released over what the machines can do in the window; a statistic, may exceed 1."""
        return float(self.length.sum(dtype=np.float64)) / (sum(self.machines) * self.until)

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


def cut(
    log: Log,
    owners: Partition,
    machines: tuple[int, ...],
    start: int,
    duration: int,
    warmup: int = 0,
    whole: bool = False,
) -> SharedWork:
    """The window that opens ``start`` seconds after the first submission and lasts ``duration``.

    Parameters
    ----------
    log
        Jobs that can be replayed, sorted by submission.
    owners
        Organization of every job of ``log``.
    machines
        Machines of every organization.
    warmup
        Look back so many seconds for jobs that were submitted before the opening and, by the log's record, not yet
        completed: released at 0, ahead of the window's own jobs, with what was left of their run time. A job whose
        waiting time is unknown counts as started when submitted.
    whole
        Note which copies are one job and how long it was believed to run, and leave out jobs too wide for the machines.

    Raises
    ------
    InputError
        No duration, a negative start or warm-up, or machines that do not match the organizations.
    TooLargeError
        More than :data:`MAX_COPIES` sequential copies.
    """
    if duration < 1 or start < 0 or warmup < 0:
        raise InputError(
            f"window: found start {start}, duration {duration}, warm-up {warmup}; expected >= 0, >= 1, >= 0"
        )
    if len(machines) != len(owners):
        raise InputError(f"found {len(machines)} machine counts for {len(owners)} organizations")
    opening = int(log.submit.min()) + start
    bounds = np.searchsorted(log.submit, [opening - warmup, opening, opening + duration])
    index = np.arange(bounds[0], bounds[2])
    all_waits_known = bool((log.column("wait")[index] >= 0).all())
    began = log.submit[index] + np.maximum(log.column("wait")[index], 0) - opening
    done = np.where(index < bounds[1], np.maximum(-began, 0), 0)  # seconds run before the opening
    length = log.run[index] - done
    left = length > 0
    if whole:
        left &= log.processors[index] <= sum(machines)
    estimate = np.maximum(planned(log)[index] - done, 1)[left] if whole else None
    index, length, began = index[left], length[left], np.maximum(began, 0)[left]
    copies = log.processors[index]
    total = float(copies.sum(dtype=np.float64))
    if total > MAX_COPIES:
        raise TooLargeError(
            f"{log.name}: the window holds {total:,.0f} sequential copies; the limit is {MAX_COPIES:,}. "
            "Choose a shorter duration, or smaller weights where jobs are weighed"
        )
    release = np.maximum(log.submit[index] - opening, 0)
    columns = (owners.owner[index], release, length, log.job[index], began)
    owner, release, length, job, began = (np.repeat(column, copies) for column in columns)
    recorded = began if all_waits_known else None
    part_of = None if estimate is None else np.repeat(index, copies)
    estimate = None if estimate is None else np.repeat(estimate, copies)
    return SharedWork(owners.names, machines, owner, release, length, duration, start, job, recorded, part_of, estimate)


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
    warmup, whole
        See :func:`cut`.
    seed
        Root of all random choices.
    """

    duration: int
    start: int | None = None
    machines: int | None = None
    organizations: int | str = 5
    shares: Shares = "zipf"
    limit: int | None = None
    warmup: int = 0
    seed: int = 0
    whole: bool = False

    def window(self, log: Log, index: int = 0) -> SharedWork:
        """Window number ``index`` (from 0): same log, plan and index, same window."""
        return self.drawn(log, np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(index,))))

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
        return cut(log, owners, machines, start, self.duration, self.warmup, self.whole)


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
    opening moves on it changes only where a job enters or leaves, so all openings are looked at, not some. Jobs that a
    warm-up takes over are not in it. Openings are whole seconds after the log's first submission.

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
    sums = np.concatenate([[0], np.cumsum(_work(log))])
    work = sums[np.searchsorted(submit, opens + duration)] - sums[np.searchsorted(submit, opens)]
    return Submitted(duration, opens, np.diff(opens, append=last + 1), work)


def _work(log: Log) -> Exact:
    """Of every job; Python's integers where all together might not fit."""
    run, processors = log.run, log.processors
    if fits_int64(int(run.max()) * int(processors.max()) * len(log)):
        return run * processors
    return run.astype(object) * processors


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
