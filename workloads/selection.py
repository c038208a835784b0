"""Choosing a few real jobs of a log for a small game: whose, and which.

A game between six agents needs six jobs, not half a million. The default choice is deterministic and documented, so
that two people who import the same log get the same scenario; with ``rng`` the choice is random.

Conventions: jobs that still wait when the log ends are not chosen; activity is the number of jobs, equal activity goes
by the lower code, unknown owners (-1) never count; the representative ``n`` of a set of jobs stand at the quantiles
``(i + 1/2) / n`` of its run times (for one: the median, the upper one if there are two), equal run times in order of
submission.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..support.errors import InputError, unknown_name
from .log import OWNERS, IntArray, Log
from .partition import free_name


@dataclass(frozen=True)
class Chosen:
    """One owner and the jobs chosen from hers: run times (s) and job numbers, in order of submission."""

    name: str
    lengths: tuple[int, ...]
    jobs: tuple[int, ...]


def slug(text: str) -> str:
    """A name that can stand in a formula: letters, digits and ``_``, not starting with a digit.

    >>> slug("user 12"), slug("bavarian-cream"), slug("7")
    ('user12', 'bavarian_cream', '_7')
    """
    joined = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "" if c == " " else "_" for c in text)
    return f"_{joined}" if not joined or joined[0].isdigit() else joined


def most_active(log: Log, owner: str, n: int, rng: np.random.Generator | None = None) -> list[int]:
    """Codes of the ``n`` owners with most jobs, most active first; with ``rng``, ``n`` random ones.

    Raises InputError where the log has fewer.
    """
    if owner not in OWNERS:
        raise unknown_name("by", owner, OWNERS)
    log = log.started()
    owners = log.column(owner)[log.column(owner) >= 0]
    codes, counts = np.unique(owners, return_counts=True)
    if not 1 <= n <= codes.size:
        columns = [name for name in OWNERS if name != owner and (log.column(name) >= 0).any()]
        other = f"; expected fewer, or another column (by): {', '.join(columns)}" if owner != "user" and columns else ""
        raise InputError(
            f"{log.name} has {codes.size} {owner}s with jobs that can be replayed; found a request for {n}{other}"
        )
    if rng is not None:
        return [int(code) for code in rng.choice(codes, size=n, replace=False)]
    return [int(code) for code in codes[np.argsort(-counts, kind="stable")][:n]]


def _chosen(log: Log, owner: str, code: int, index: IntArray, names: set[str]) -> Chosen:
    name = free_name(slug(log.label(owner, code)), names, "{}_{}")
    index = np.sort(index)
    return Chosen(name, tuple(log.run[index].tolist()), tuple(log.job[index].tolist()))


def sample(
    log: Log, owner: str, n_owners: int, n_jobs: int = 1, rng: np.random.Generator | None = None
) -> tuple[Chosen, ...]:
    """``n_jobs`` jobs each of ``n_owners`` distinct owners: representative ones of the most active, or random.

    An owner with fewer jobs gives all of hers.

    >>> log = Log(columns={"run": [9, 1, 5, 7], "submit": [0, 1, 2, 3], "user": [3, 3, 3, 8], "job": [1, 2, 3, 4]})
    >>> sample(log, "user", 2)
    (Chosen(name='user3', lengths=(5,), jobs=(3,)), Chosen(name='user8', lengths=(7,), jobs=(4,)))
    """
    if n_jobs < 1:
        raise InputError(f"jobs per {owner}: found {n_jobs}; expected at least 1")
    log = log.started()
    names: set[str] = set()
    result = []
    for code in most_active(log, owner, n_owners, rng):
        index = np.flatnonzero(log.column(owner) == code)
        n = min(n_jobs, index.size)
        if rng is not None:
            index = rng.choice(index, size=n, replace=False)
        else:
            ranked = index[np.argsort(log.run[index], kind="stable")]
            index = ranked[[(2 * i + 1) * index.size // (2 * n) for i in range(n)]]
        result.append(_chosen(log, owner, code, index, names))
    return tuple(result)


def longest(
    log: Log,
    n_users: int,
    part: tuple[int, int] = (1, 10),
    measure: Literal["run", "work"] = "run",
    rng: np.random.Generator | None = None,
) -> tuple[Chosen, ...]:
    """The most active users, each with the longest ``part`` (numerator, denominator) of her jobs, rounded up.

    ``measure`` ranks jobs by run time or by processors times run time; equal ones by submission. The lengths returned
    are run times either way.

    The experiment of Cordeiro 2012, chapter 6, takes the 10 % largest jobs of the most active users; rounding and ties
    are ours.
    """
    if measure not in ("run", "work"):
        raise unknown_name("measure", str(measure), ("run", "work"))
    over, under = part
    if not 0 < over <= under:
        raise InputError(f"part: found {over}/{under}; expected a fraction above 0 and at most 1")
    log = log.started()
    size = log.run.astype(np.float64) * (1 if measure == "run" else log.processors)  # only to rank; cannot overflow
    names: set[str] = set()
    result = []
    for code in most_active(log, "user", n_users, rng):
        index = np.flatnonzero(log.user == code)
        ranked = index[np.argsort(-size[index], kind="stable")]
        result.append(_chosen(log, "user", code, ranked[: -(-index.size * over // under)], names))
    return tuple(result)


def common_unit(chosen: Sequence[Chosen], unit: int) -> tuple[Chosen, ...]:
    """The same jobs measured in units of ``unit`` seconds, rounded up, so that small games keep small numbers."""
    if unit < 1:
        raise InputError(f"unit: found {unit}; expected at least 1 second")
    return tuple(Chosen(c.name, tuple(-(-p // unit) for p in c.lengths), c.jobs) for c in chosen)


def quantized(lengths: Sequence[int], most: int) -> tuple[int, ...]:
    """Each length replaced by one of at most ``most`` lengths, so that few have to be told apart.

    Where there are more, the lengths are put in order (equal ones as listed) and cut into ``most`` groups of equal
    size, up to one; each group has the length of its median, the upper one if there are two. Nothing is invented: every
    length that is left is one of those given.

    >>> quantized([9, 1, 2, 8, 2], 4), quantized([9, 1, 2, 8, 2], 2)
    ((9, 1, 2, 8, 2), (8, 2, 2, 8, 8))
    """
    if most < 1:
        raise InputError(f"lengths of a prior: found at most {most}; expected at least 1")
    if len(set(lengths)) <= most:
        return tuple(lengths)
    order, result = sorted(range(len(lengths)), key=lambda i: lengths[i]), list(lengths)
    for g in range(most):
        group = order[g * len(order) // most : (g + 1) * len(order) // most]
        for i in group:
            result[i] = lengths[group[len(group) // 2]]
    return tuple(result)
