"""Who owns what: jobs of a log to organizations, and machines to organizations.

Model: an organization is a set of users who share a queue and own machines together. Logs name users, groups, queues,
partitions or accounts; a :class:`Partition` gives every job of a log the number of its organization. Accounts may lie
within others (:mod:`.slurm`). Logs do not say who paid for the machines, so machines are given: by Zipf's law,
equally, or as a list.

Conventions: organizations count from 0, in an order that is part of the result; every random choice takes ``rng``.

>>> zipf(70, 5), equal(7, 3)
((31, 15, 10, 8, 6), (3, 2, 2))
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal, TypeAlias

import numpy as np

from ..support.errors import InputError, unknown_name
from .log import OWNERS, IntArray, Log

Shares: TypeAlias = Literal["zipf", "equal"] | Sequence[int]
"""How machines are divided: by Zipf's law, equally, or a number per organization."""

OTHERS: Final = "others"
ANSWERS: Final = 8
"""Answers about logs that are kept, the last ones."""


@dataclass(frozen=True, eq=False)
class Partition:
    """Organizations of a log: their names, and the organization of every job (shape (n,), from 0)."""

    names: tuple[str, ...]
    owner: IntArray

    def __len__(self) -> int:
        return len(self.names)


def deal_users(log: Log, n_organizations: int, rng: np.random.Generator) -> Partition:
    """Shuffle the log's users and deal them round-robin to organizations ``O1``, ``O2``, ...

    All jobs without a known user count as one user. The deal depends on the whole log, not on a window of it.

    Raises
    ------
    InputError
        Fewer users than organizations, or no organization.
    """
    users, inverse = _coded(log, "user")
    if not 1 <= n_organizations <= users.size:
        raise InputError(
            f"organizations: found {n_organizations}; expected 1 to {users.size}, the distinct users in {log.name}"
        )
    seat = np.empty(users.size, dtype=np.int64)
    seat[rng.permutation(users.size)] = np.arange(users.size) % n_organizations
    return Partition(tuple(f"O{u + 1}" for u in range(n_organizations)), seat[inverse])


@lru_cache(maxsize=ANSWERS)  # windows of one log ask the same, and each answer sorts all its jobs
def _coded(log: Log, column: str) -> tuple[IntArray, IntArray]:
    """The codes of a column, increasing, and for each job the place of its code among them."""
    codes, inverse = np.unique(log.kept(column), return_inverse=True)
    return codes.astype(np.int64), inverse


@lru_cache(maxsize=ANSWERS)
def by_column(log: Log, column: str, limit: int | None = None) -> Partition:
    """One organization per user, group, queue, partition or account, in decreasing order of work.

    Work is processors times run time; equal work in order of the code. With ``limit``, only that many organizations:
    the largest ``limit - 1`` and one called ``others`` for the rest (none when there are at most ``limit``).

    Raises
    ------
    InputError
        The column is unknown (-1) for all jobs, or the limit is below 1; UnknownNameError for another column.
    """
    if column not in OWNERS:
        raise unknown_name("organizations", column, OWNERS)
    if limit is not None and limit < 1:
        raise InputError(f"number of organizations: found {limit}; expected at least 1")
    codes, inverse = _coded(log, column)
    if codes.tolist() in ([], [-1]):
        columns = ", ".join(owner for owner in OWNERS if (log.column(owner) >= 0).any())
        raise InputError(f"{log.name} does not say the {column} of its jobs; known columns: {columns or 'none'}")
    each = log.work
    work = np.zeros(codes.size, dtype=each.dtype)
    np.add.at(work, inverse, each)
    rank = np.empty(codes.size, dtype=np.int64)
    order = np.argsort(-work, kind="stable")
    rank[order] = np.arange(codes.size)
    names = unique_names([log.label(column, int(codes[i])) for i in order])
    if limit is not None and codes.size > limit:
        names = unique_names([*names[: limit - 1], OTHERS])
        rank = np.minimum(rank, limit - 1)
    owner = rank[inverse]
    owner.setflags(write=False)  # shared by all who ask
    return Partition(tuple(names), owner)


def of_partition(log: Log, name: str) -> Log:
    """The jobs of one partition; the header no longer says how many machines there were.

    Raises
    ------
    UnknownNameError
        For a name that the log does not have; InputError where it names none.
    """
    column = log.column("partition")
    names = {log.label("partition", int(code)): code for code in np.unique(column[column >= 0])}
    if not names:
        raise InputError(f"{log.name} does not say the partition of its jobs")
    if name not in names:
        raise unknown_name("partition", name, names)
    places = np.flatnonzero(column == names[name])
    header = {key: values for key, values in log.header.items() if key not in ("MaxProcs", "MaxNodes")}
    note = f"only the jobs of the partition {name}: {places.size:,} of {len(log):,}"
    report = replace(log.report, kept=places.size, notes=(*log.report.notes, note))
    return replace(log, header=header).take(places, report)


def unique_names(names: Sequence[str]) -> list[str]:
    """The names with repetitions numbered: ``a, a`` becomes ``a, a (2)``.

    >>> unique_names(["a", "b", "a", "a"])
    ['a', 'b', 'a (2)', 'a (3)']
    """
    taken: set[str] = set()
    return [free_name(name, taken) for name in names]


def free_name(name: str, taken: set[str], numbered: str = "{} ({})") -> str:
    """The name, numbered from 2 on where it is taken; now it is.

    >>> free_name("a", {"a", "a_2"}, "{}_{}")
    'a_3'
    """
    free, n = name, 1
    while free in taken:
        n += 1
        free = numbered.format(name, n)
    taken.add(free)
    return free


def zipf(machines: int, n_organizations: int, exponent: int = 1) -> tuple[int, ...]:
    """Machines of the organizations of rank 1, 2, ... in proportion to ``1 / rank**exponent``, by largest remainder.

    Equal remainders go to the better rank. Everybody gets at least one machine, taken from whoever has most (ties: from
    the worst of these ranks, so that a better rank never has less).

    >>> zipf(5, 4)
    (2, 1, 1, 1)
    """
    _enough(machines, n_organizations)
    powers = [(rank + 1) ** exponent for rank in range(n_organizations)]
    common = math.lcm(*powers)
    machines_of = list(apportioned(machines, [common // power for power in powers]))
    for rank in range(n_organizations):
        if not machines_of[rank]:
            machines_of[len(machines_of) - 1 - machines_of[::-1].index(max(machines_of))] -= 1
            machines_of[rank] = 1
    return tuple(machines_of)


def apportioned(machines: int, weights: Sequence[int]) -> tuple[int, ...]:
    """Machines in proportion to weights, not all 0, by largest remainder; equal remainders go to whoever is first.

    >>> apportioned(10, [1, 1, 1]), apportioned(8192, [40, 30, 30])
    ((4, 3, 3), (3277, 2458, 2457))
    """
    whole = sum(weights)
    counts = [machines * weight // whole for weight in weights]
    left = sorted(range(len(weights)), key=lambda rank: -(machines * weights[rank] % whole))
    for rank in left[: machines - sum(counts)]:
        counts[rank] += 1
    return tuple(counts)


def equal(machines: int, n_organizations: int) -> tuple[int, ...]:
    """The same number for everybody, the first ones one more when it does not divide."""
    _enough(machines, n_organizations)
    return apportioned(machines, [1] * n_organizations)


def divide(machines: int | None, n_organizations: int, shares: Shares, rng: np.random.Generator) -> tuple[int, ...]:
    """Machines per organization; for ``"zipf"`` the ranks are assigned at random.

    Raises
    ------
    InputError
        Fewer machines than organizations, a list of another length or sum, a negative number, no machine at all.
    """
    if isinstance(shares, str):
        if shares not in ("zipf", "equal"):
            raise unknown_name("shares", shares, ("zipf", "equal"))
        if machines is None:
            raise InputError("machines: none given and the log does not state them; expected a positive number")
        if shares == "equal":
            return equal(machines, n_organizations)
        ranked = zipf(machines, n_organizations)
        return tuple(ranked[rank] for rank in rng.permutation(n_organizations))
    counts = tuple(int(count) for count in shares)
    if len(counts) != n_organizations or min(counts, default=0) < 0 or not sum(counts):
        raise InputError(
            f"shares: found {list(counts)}; expected {n_organizations} numbers >= 0, one per organization, not all 0"
        )
    if machines is not None and sum(counts) != machines:
        raise InputError(f"shares: {list(counts)} add up to {sum(counts)} but machines = {machines}")
    return counts


def _enough(machines: int, n_organizations: int) -> None:
    if n_organizations < 1 or machines < n_organizations:
        raise InputError(
            f"machines: found {machines} for {n_organizations} organizations; expected at least one for each"
        )
