"""What is shared: organizations with machines and queues of sequential jobs, in arrays.

Model: organization ``u`` owns ``machines[u] >= 0`` identical machines and a queue of jobs. A job has a release time
``r >= 0``, a length ``p >= 1`` (both integers of any size, one unit of time for all) and optionally a due date. A job
is known from its release on, its length only once it is completed. Inside an organization jobs are started first in,
first out: by release time, and among equal release times as listed. Machines are numbered organization after
organization.

A parallel job of ``w`` machines stands as ``w`` sequential copies in a row. Most rules start them one by one; which
rules can start them at once, :func:`.simulation.simulate` says. The estimate of a job is what a scheduler that plans
ahead believes its length to be.

All jobs stand in flat arrays, organization after organization in starting order, so that millions of jobs cost a few
tens of bytes each. Times are of any size: a column is int64 as long as a sum of two of its entries is, else of Python's
integers.

>>> two = SharingInstance.of([1, 1], [[(0, 3), (0, 4)], [(2, 1)]])
>>> two.n_organizations, two.n_machines, two.n_jobs
(2, 2, 3)
>>> two.queue(0)
[(0, 3), (0, 4)]
>>> wide = SharingInstance.of([2], [[(0, 1), Job(0, 5, machines=2)]])
>>> wide.queue(0), wide.width.tolist(), wide.number.tolist()
([(0, 1), (0, 5), (0, 5)], [1, 2, 2], [0, 1, 1])
>>> narrowed(np.array([1, 2], dtype=object)).dtype, narrowed(np.array([1, 2**70], dtype=object)).dtype
(dtype('int64'), dtype('O'))
>>> at_most(np.array([1, 2**70], dtype=object), 5).tolist()
[1, 5]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ...support.errors import InputError, TooLargeError
from .catalogue import COPIES_MAX, MACHINES_MAX, QOS_MAX

IntArray: TypeAlias = npt.NDArray[np.int64]
"""Integers of a kernel."""

AnyIntArray: TypeAlias = npt.NDArray[Any]
"""Integers, of dtype object where they may leave int64."""

NARROW: Final = 2**61
"""Largest time of an int64 column: a start and a length, and their sum, stay far from the end of int64."""


def narrowed(column: AnyIntArray) -> AnyIntArray:
    """A column of integers, as int64 where every entry is at most :data:`NARROW`."""
    if column.size and max(-int(column.min()), int(column.max())) > NARROW:
        return column.astype(object)
    return column.astype(np.int64, copy=False)


def at_most(column: AnyIntArray, high: int) -> AnyIntArray:
    """Entries, larger ones cut to ``high``, as int64 where that holds ``high`` (none is below ``-NARROW``)."""
    wide = high > NARROW
    cut: AnyIntArray = np.minimum(column.astype(object) if wide else column, high)
    return cut if wide else cut.astype(np.int64, copy=False)


class Job(NamedTuple):
    """A job as it is presented: ``machines`` for ``length``, believed to take ``estimate`` (``None``: its length).

    ``qos`` is the priority of its QOS (``None``: 0).

    >>> Job(0, 3, machines=2)
    Job(release=0, length=3, due=None, machines=2, estimate=None, qos=None)
    """

    release: int
    length: int
    due: int | None = None
    machines: int = 1
    estimate: int | None = None
    qos: int | None = None


@dataclass(frozen=True, eq=False)
class SharingInstance:
    """Organizations, machines and jobs. Build it with :meth:`of` or :meth:`from_columns`, which check and sort.

    Attributes
    ----------
    machines
        Machines of each organization, shape (k,).
    names
        Names of the organizations.
    first
        Jobs of organization ``u`` are ``first[u]:first[u + 1]``, shape (k + 1,).
    release, length
        Integer times per job, shape (n,); of dtype object where they may leave int64.
    due
        Due date per job (``None`` for a job without one), or ``None`` when no job has one.
    number
        Position of each job in its organization's list as it was given, from 0; one for all copies of a parallel job.
    width
        Machines of the parallel job that each job is a copy of, or ``None`` when every job takes one.
    estimate
        How long each job was believed to take, or ``None`` when nobody is wrong about any.
    since
        From when on each job waits, perhaps long before it is released to the pool; ``None``: from its release.
    used_before
        By half-life the machine time that each organization used before 0, as it counts beside a unit part done in the
        first unit of time; ``None`` or without the half-life: none.
    qos
        Priority of the QOS of each job, or ``None`` where every one is 0.
    """

    machines: tuple[int, ...]
    names: tuple[str, ...]
    first: IntArray
    release: AnyIntArray
    length: AnyIntArray
    due: AnyIntArray | None
    number: IntArray
    width: IntArray | None = None
    estimate: AnyIntArray | None = None
    since: AnyIntArray | None = None
    used_before: Mapping[int, tuple[int, ...]] | None = None
    qos: IntArray | None = None

    @classmethod
    def of(
        cls,
        machines: Sequence[int],
        jobs: Sequence[Sequence[Sequence[int] | Job]],
        names: Sequence[str] | None = None,
    ) -> SharingInstance:
        """Build from one list of ``(release, length)``, ``(release, length, due)`` or :class:`Job` per organization.

        Raises
        ------
        InputError
            When the two sequences differ in length, or a job has another form.

        Notes
        -----
        Where only some jobs have due dates, the others are never late.

        Examples
        --------
        >>> SharingInstance.of([1], [[(0, 1, 2), (0, 1)]]).due.tolist()
        [2, None]
        """
        if len(machines) != len(jobs):
            raise InputError(f"found {len(machines)} machine counts and {len(jobs)} job lists; expected as many")
        listed = [job for queue in jobs for job in queue]
        if odd := {len(job) for job in listed if not isinstance(job, Job)} - {2, 3}:
            raise InputError(f"a job is (release, length) or (release, length, due); found {max(odd)} numbers")
        flat = [job if isinstance(job, Job) else Job(*job) for job in listed]
        owner = [u for u, queue in enumerate(jobs) for _ in queue]
        for written, job in zip(listed, flat, strict=True):
            for value in job:
                if isinstance(value, bool) or not isinstance(value, int | np.integer | None):
                    raise InputError(f"job {tuple(written)}: found {value!r}; times are integers")
        release, length, due, width, estimate, qos = zip(*flat, strict=True) if flat else ((),) * len(Job._fields)
        return cls.from_columns(
            machines,
            owner,
            release,
            length,
            due if any(date is not None for date in due) else None,
            names,
            width if any(w != 1 for w in width) else None,
            [job.length if job.estimate is None else job.estimate for job in flat]
            if any(e is not None for e in estimate)
            else None,
            qos=[priority or 0 for priority in qos] if any(qos) else None,
        )

    @classmethod
    def from_columns(
        cls,
        machines: Sequence[int],
        owner: npt.ArrayLike,
        release: npt.ArrayLike,
        length: npt.ArrayLike,
        due: npt.ArrayLike | Sequence[int | None] | None = None,
        names: Sequence[str] | None = None,
        width: npt.ArrayLike | None = None,
        estimate: npt.ArrayLike | None = None,
        since: npt.ArrayLike | None = None,
        qos: npt.ArrayLike | None = None,
    ) -> SharingInstance:
        """Build from columns with one entry per job, in the order in which jobs are presented.

        ``owner`` holds organization numbers from 0; due dates in a list may be ``None``; ``width`` is the number of
        machines of each job, ``estimate`` the length it is believed to have, ``since`` the moment from which it waits,
        which may be negative, and ``qos`` the priority of its QOS. Memory is linear in the number of sequential jobs;
        TooLargeError beyond :data:`.catalogue.COPIES_MAX` copies of parallel ones.
        """
        counts = _machine_counts(machines)
        k = len(counts)
        who, r, p = _column(owner, "owner"), _column(release, "release"), _column(length, "length")
        d = None if due is None else _dates(due)
        w, e, s, q = (
            None if values is None else _column(values, name)
            for name, values in (("machines", width), ("estimate", estimate), ("since", since), ("qos", qos))
        )
        if any(column is not None and column.size != r.size for column in (who, p, d, w, e, s, q)):
            raise InputError("the columns differ in length")
        _check_range(who, 0, k - 1, "owner")
        _check_range(r, 0, None, "release")
        _check_range(p, 1, None, "length")
        _check_range(w, 1, MACHINES_MAX, "machines")
        _check_range(e, 1, None, "estimate")
        _check_range(q, 0, QOS_MAX, "qos")
        by_release = np.argsort(r, kind="stable")  # equal releases stay as presented
        order = by_release[np.argsort(who[by_release], kind="stable")]
        first = np.zeros(k + 1, dtype=np.int64)
        np.cumsum(np.bincount(who, minlength=k), out=first[1:])
        by_owner = np.argsort(who, kind="stable")
        number = np.empty(who.size, dtype=np.int64)
        number[by_owner] = np.arange(who.size) - np.repeat(first[:-1], np.diff(first))
        called = tuple(names) if names is not None else tuple(f"O{u + 1}" for u in range(k))
        if len(called) != k or len(set(called)) != k:
            raise InputError(f"found {len(called)} names; expected {k} different ones")
        number = number[order]
        if w is not None:
            copies = _copies(w[order])
            order, number = np.repeat(order, copies), np.repeat(number, copies)
            first = np.concatenate([[0], np.cumsum(copies)])[first]
        columns = (None if column is None else column[order] for column in (d, w, e, s, q))
        due_dates, widths, estimates, waiting, priorities = columns
        return cls(
            counts,
            called,
            first,
            r[order],
            p[order],
            due_dates,
            number,
            widths,
            estimates,
            waiting,
            qos=priorities,
        )

    @property
    def n_organizations(self) -> int:
        """Number of organizations."""
        return len(self.machines)

    @property
    def n_machines(self) -> int:
        """Machines of all organizations together."""
        return sum(self.machines)

    @property
    def n_jobs(self) -> int:
        """Number of jobs."""
        return int(self.release.size)

    @property
    def owner(self) -> IntArray:
        """Organization of each job, shape (n,)."""
        return np.repeat(np.arange(self.n_organizations, dtype=np.int64), np.diff(self.first))

    def used(self, half_life: int) -> tuple[int, ...]:
        """What each organization used before 0, with a half-life."""
        return (self.used_before or {}).get(half_life, (0,) * self.n_organizations)

    @property
    def waits_from(self) -> AnyIntArray:
        """From when on each job waits, shape (n,)."""
        return self.release if self.since is None else self.since

    def machine_owners(self, count: int) -> IntArray:
        """Organization of each of the first ``count`` machines, shape (count,)."""
        each = np.array(self.machines, dtype=np.int64)
        if count < self.n_machines:
            each = np.diff(np.minimum(np.cumsum(each), count), prepend=0)
        return np.repeat(np.arange(self.n_organizations, dtype=np.int64), each)

    @property
    def parallel_jobs(self) -> IntArray:
        """Jobs by their first copies, in flat order."""
        new = np.concatenate([[True], np.diff(self.number) != 0])[: self.n_jobs]  # copies of one job share a number
        new[self.first[:-1][np.diff(self.first) > 0]] = True
        return np.flatnonzero(new)

    @property
    def presented(self) -> IntArray:
        """Number of jobs of each organization as they were presented, parallel ones counted once, shape (k,)."""
        return np.diff(np.searchsorted(self.parallel_jobs, self.first))

    def queue(self, organization: int) -> list[tuple[int, ...]]:
        """Sequential jobs of one organization in starting order, as plain tuples."""
        span = slice(int(self.first[organization]), int(self.first[organization + 1]))
        columns = [self.release[span], self.length[span]] + ([] if self.due is None else [self.due[span]])
        return list(zip(*(column.tolist() for column in columns), strict=True))


def _machine_counts(machines: Sequence[int]) -> tuple[int, ...]:
    for u, count in enumerate(machines):
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
            raise InputError(f"machines of organization {u + 1}: found {count!r}; expected an integer of at least 0")
    if not len(machines):
        raise InputError("found no organization; expected at least one")
    if sum(int(m) for m in machines) > MACHINES_MAX:
        raise InputError(f"found {sum(int(m) for m in machines):,} machines; the limit is {MACHINES_MAX:,}")
    return tuple(int(m) for m in machines)


def _column(values: npt.ArrayLike, name: str) -> AnyIntArray:
    array = values if isinstance(values, np.ndarray) else np.array(values, dtype=object)  # numpy would guess float64
    if array.ndim != 1:
        raise InputError(f"{name}: found {array.ndim} dimensions; expected one entry per job")
    if array.dtype == object:
        for value in array:
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise InputError(f"{name}: found {value!r}; expected integers")
        array = np.array([int(value) for value in array], dtype=object)  # numpy's integers would wrap around
    elif array.size and not np.issubdtype(array.dtype, np.integer):
        raise InputError(f"{name}: found {array.dtype} values; expected integers")
    return narrowed(array)


def _copies(width: IntArray) -> IntArray:
    """Sequential jobs for each parallel one. Raises TooLargeError for too many together."""
    copies = int(width.sum(dtype=object)) if width.size else 0
    if copies > COPIES_MAX:
        raise TooLargeError(
            f"the jobs take {copies:,} machines together, counted once for each; at most {COPIES_MAX:,}"
        )
    return width


def _dates(values: npt.ArrayLike | Sequence[int | None]) -> AnyIntArray:
    """Due dates; those of a list may be ``None``."""
    if isinstance(values, np.ndarray):
        return _column(values, "due")
    dates = np.array(values, dtype=object)
    dated = np.array([date is not None for date in dates], dtype=np.bool_)
    if dated.all():
        return _column(dates, "due")
    dates[dated] = _column(dates[dated], "due")
    return dates


def _check_range(values: AnyIntArray | None, low: int, high: int | None, name: str) -> None:
    if values is None:
        return
    bad = np.flatnonzero(values < low if high is None else (values < low) | (values > high))
    if bad.size:
        where = int(bad[0])
        bounds = f"at least {low}" if high is None else f"{low} to {high}"
        raise InputError(f"{name} of job {where + 1}: found {int(values[where])}; expected {bounds}")
