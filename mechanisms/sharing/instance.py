"""What is shared: organizations with machines and queues of sequential jobs, in arrays.

Model: organization ``u`` owns ``machines[u] >= 0`` identical machines and a queue of jobs. A job has a release time
``r >= 0``, a length ``p >= 1`` (both integers, one unit of time for all) and optionally a due date. A job is known from
its release on, its length only once it is completed. Inside an organization jobs are started first in, first out: by
release time, and among equal release times in the order given. Machines are numbered organization after organization.

All jobs stand in flat arrays, organization after organization in starting order, so that millions of jobs cost a few
tens of bytes each.

>>> two = SharingInstance.of([1, 1], [[(0, 3), (0, 4)], [(2, 1)]])
>>> two.n_organizations, two.n_machines, two.n_jobs
(2, 2, 3)
>>> two.queue(0)
[(0, 3), (0, 4)]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ...scheduling.errors import InputError
from .arrays import IntArray

TIME_MAX: Final = 2**61
"""Largest release, length or due date that is accepted."""


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
        Integer times per job, shape (n,).
    due
        Due date per job, or ``None`` when no job has one.
    number
        Position of each job in its organization's list as it was given, from 0.
    """

    machines: tuple[int, ...]
    names: tuple[str, ...]
    first: IntArray
    release: IntArray
    length: IntArray
    due: IntArray | None
    number: IntArray

    @classmethod
    def of(
        cls,
        machines: Sequence[int],
        jobs: Sequence[Sequence[Sequence[int]]],
        names: Sequence[str] | None = None,
    ) -> SharingInstance:
        """Build from one list of ``(release, length)`` or ``(release, length, due)`` per organization.

        Raises
        ------
        InputError
            When the two sequences differ in length, or a job has another form.

        Notes
        -----
        Where only some jobs have due dates, the others are never late.

        Examples
        --------
        >>> SharingInstance.of([1], [[(0, 1, 2), (0, 1)]]).due.tolist() == [2, TIME_MAX]
        True
        """
        if len(machines) != len(jobs):
            raise InputError(f"found {len(machines)} machine counts and {len(jobs)} job lists; expected as many")
        widths = {len(job) for queue in jobs for job in queue}
        if not widths <= {2, 3}:
            raise InputError(f"a job is (release, length) or (release, length, due); found {max(widths)} numbers")
        flat = [tuple(job) for queue in jobs for job in queue]
        owner = [u for u, queue in enumerate(jobs) for _ in queue]
        for job in flat:
            for value in job:
                if isinstance(value, bool) or not isinstance(value, int | np.integer):
                    raise InputError(f"job {job}: found {value!r}; times are integers")
                if abs(value) > TIME_MAX:
                    raise InputError(f"job {job}: found {value}; times are at most 2**61")
        if len(widths) > 1:
            flat = [job if len(job) == 3 else (*job, TIME_MAX) for job in flat]
        columns = np.array(flat, dtype=np.int64).reshape(len(flat), max(widths, default=2))
        return cls.from_columns(
            machines,
            np.array(owner, dtype=np.int64),
            columns[:, 0],
            columns[:, 1],
            columns[:, 2] if 3 in widths else None,
            names,
        )

    @classmethod
    def from_columns(
        cls,
        machines: Sequence[int],
        owner: npt.ArrayLike,
        release: npt.ArrayLike,
        length: npt.ArrayLike,
        due: npt.ArrayLike | None = None,
        names: Sequence[str] | None = None,
    ) -> SharingInstance:
        """Build from columns with one entry per job, in the order in which jobs are presented.

        ``owner`` holds organization numbers from 0. Copies; memory is linear in the number of jobs.
        """
        counts = _machine_counts(machines)
        k = len(counts)
        who, r, p = _column(owner, "owner"), _column(release, "release"), _column(length, "length")
        d = None if due is None else _column(due, "due")
        if not who.size == r.size == p.size or (d is not None and d.size != r.size):
            raise InputError("the columns differ in length")
        _check_range(who, 0, k - 1, "owner")
        _check_range(r, 0, TIME_MAX, "release")
        _check_range(p, 1, TIME_MAX, "length")
        if d is not None:
            _check_range(d, -TIME_MAX, TIME_MAX, "due")
        order = np.lexsort((r, who))  # stable: equal releases stay as presented
        first = np.zeros(k + 1, dtype=np.int64)
        np.cumsum(np.bincount(who, minlength=k), out=first[1:])
        by_owner = np.argsort(who, kind="stable")
        number = np.empty(who.size, dtype=np.int64)
        number[by_owner] = np.arange(who.size) - np.repeat(first[:-1], np.diff(first))
        called = tuple(names) if names is not None else tuple(f"O{u + 1}" for u in range(k))
        if len(called) != k or len(set(called)) != k:
            raise InputError(f"found {len(called)} names; expected {k} different ones")
        return cls(counts, called, first, r[order], p[order], None if d is None else d[order], number[order])

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

    @property
    def machine_owner(self) -> IntArray:
        """Organization of each machine, shape (n_machines,)."""
        return np.repeat(np.arange(self.n_organizations, dtype=np.int64), np.array(self.machines, dtype=np.int64))

    def queue(self, organization: int) -> list[tuple[int, ...]]:
        """Jobs of one organization in starting order, as plain tuples."""
        span = slice(int(self.first[organization]), int(self.first[organization + 1]))
        columns = [self.release[span], self.length[span]] + ([] if self.due is None else [self.due[span]])
        return list(zip(*(column.tolist() for column in columns), strict=True))


def _machine_counts(machines: Sequence[int]) -> tuple[int, ...]:
    for u, count in enumerate(machines):
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
            raise InputError(f"machines of organization {u + 1}: found {count!r}; expected an integer of at least 0")
    if not len(machines):
        raise InputError("found no organization; expected at least one")
    if sum(int(m) for m in machines) >= 2**31:
        raise InputError("found 2**31 machines or more")
    return tuple(int(m) for m in machines)


def _column(values: npt.ArrayLike, name: str) -> IntArray:
    array = np.asarray(values)
    if array.ndim != 1:
        raise InputError(f"{name}: found {array.ndim} dimensions; expected one entry per job")
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise InputError(f"{name}: found {array.dtype} values; expected integers")
    if array.dtype == np.uint64 and array.size and int(array.max()) > TIME_MAX:
        raise InputError(f"{name}: found {int(array.max())}; expected at most 2**61")
    return array.astype(np.int64)


def _check_range(values: IntArray, low: int, high: int, name: str) -> None:
    bad = np.flatnonzero((values < low) | (values > high))
    if bad.size:
        where = int(bad[0])
        raise InputError(f"{name} of job {where + 1}: found {int(values[where])}; expected {low} to {high}")
