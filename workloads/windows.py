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

from dataclasses import dataclass
from typing import Final

import numpy as np

from ..support.errors import InputError, TooLargeError
from .columns import IntArray
from .log import Log
from .partition import Partition, Shares, by_column, deal_users, divide

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
    known = bool((log.column("wait")[index] >= 0).all())
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
    recorded = began if known else None
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
