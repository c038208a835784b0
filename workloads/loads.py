"""Where windows of a log are full: the work submitted in a window by where it opens, exactly.

Model: the work of a window of ``duration`` seconds is that of the jobs submitted in it, run time by processors. As
the opening moves on it changes only where a job enters or leaves, so all openings are looked at, not some. The load is
this work over what the machines can do in the window; jobs that a warm-up takes over are not in it.

Conventions: openings are whole seconds after the log's first submission.

>>> log = Log({"submit": [0, 10, 12, 40], "run": [5, 5, 5, 5], "allocated": [1, 1, 2, 1]})
>>> work = submitted(log, 5, 0, 35)
>>> list(zip(work.first.tolist(), work.seconds.tolist(), work.work.tolist()))
[(0, 1, 5), (1, 5, 0), (6, 2, 5), (8, 3, 15), (11, 2, 10), (13, 23, 0)]
>>> busiest(work, 2), at_least(work, 10)[0].tolist()
([8, 0], [8, 11])
"""

from __future__ import annotations

from bisect import bisect_right, insort
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..support.exact import fits_int64
from .columns import IntArray
from .log import Log

Exact: TypeAlias = NDArray[Any]
"""Integers: int64 where they fit, else Python's."""


@dataclass(frozen=True, eq=False)
class Submitted:
    """The work of windows of ``duration``: ``work[i]`` in each of the ``seconds[i]`` that open from ``first[i]`` on."""

    duration: int
    first: IntArray
    seconds: IntArray
    work: Exact


def submitted(log: Log, duration: int, first: int, last: int) -> Submitted:
    """The work of every window that opens from ``first`` to ``last``, both included; the log sorted by submission."""
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


def busiest(found: Submitted, number: int) -> list[int]:
    """Openings of the fullest windows, no two of which overlap, fullest first; fewer if no more have any work.

    The fullest is taken, then the fullest of those that leave it alone, and so on; of equal ones the earliest.
    """
    taken: list[int] = []
    opens: list[int] = []
    for i in np.argsort(-found.work, kind="stable").tolist():
        if not found.work[i]:
            break
        opening, end = int(found.first[i]), int(found.first[i] + found.seconds[i])
        while (opening := _free(taken, opening, found.duration)) < end:
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


def at_least(found: Submitted, work: int) -> tuple[IntArray, IntArray]:
    """Where windows of at least so much work open: from where on, and for how many seconds."""
    full = np.asarray(found.work >= work, dtype=np.bool_)
    return found.first[full], found.seconds[full]
