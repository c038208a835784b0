r"""Schedules of a community's jobs, the points that they reach, and Pareto dominance.

Model (Cordeiro 2012, sections 2.2 and 6.1): a schedule gives every job a machine and a start; it is kept here as one
sequence of jobs per machine, each job starting when the one before ends. Its point has one integer per user: the
largest completion time of a makespan user, the sum of the completion times of a total-completion user, in units of
the community.

>>> shared = Community.of(("makespan", [2]), ("total-completion", [1, 1]))
>>> outcome = Outcome.of(shared, [[(1, 0), (0, 0), (1, 1)]])
>>> outcome.point, outcome.slots[0]
((3, 5), Slot(user=0, job=0, machine=0, start=1, end=3))
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...agents.users import Community, Point
from ...scheduling.exact import fits_int64

Sequences = Sequence[Sequence[tuple[int, int]]]
"""Per machine, the (user, job) pairs in the order in which the machine runs them."""


class Slot(NamedTuple):
    """One job on one machine, times in units; users, jobs and machines count from 0."""

    user: int
    job: int
    machine: int
    start: int
    end: int


@dataclass(frozen=True)
class Outcome:
    """What a rule decided: a point and the schedule that reaches it.

    Attributes
    ----------
    point
        One value per user, in units; ``None`` when the thresholds cannot be met.
    slots
        Every job by (user, job); empty without a point.
    method
        What computed it.
    exact
        Whether the point is what the rule promises (``False`` for a search that was stopped).
    complete
        Whether the computation ran to its end.
    """

    point: Point | None
    slots: tuple[Slot, ...]
    method: str
    exact: bool = True
    complete: bool = True

    @classmethod
    def of(cls, shared: Community, sequences: Sequences, method: str = "given") -> Outcome:
        """Run the sequences without idle time; every job must occur exactly once."""
        slots: list[Slot] = []
        for machine, sequence in enumerate(sequences):
            time = 0
            for user, job in sequence:
                end = time + shared.sizes[user][job]
                slots.append(Slot(user, job, machine, time, end))
                time = end
        slots.sort()
        return cls(point_of(shared, slots), tuple(slots), method)

    @classmethod
    def infeasible(cls, method: str) -> Outcome:
        """No schedule meets the thresholds (or, for a printed rule, it found none)."""
        return cls(None, (), method)


def point_of(shared: Community, slots: Iterable[Slot]) -> Point:
    """Value of every user under the given slots."""
    ends: list[list[int]] = [[] for _ in shared.users]
    for slot in slots:
        ends[slot.user].append(slot.end)
    return tuple(max(e) if user.objective == "makespan" else sum(e) for user, e in zip(shared.users, ends, strict=True))


def spt_order(shared: Community, user: int) -> list[int]:
    """Job numbers of a user, shortest first, equal lengths as listed."""
    sizes = shared.sizes[user]
    return sorted(range(len(sizes)), key=sizes.__getitem__)


def dominates(one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether a point is nowhere worse and somewhere better than another (Definition 2.4).

    >>> dominates((1, 2), (1, 3)), dominates((1, 2), (1, 2))
    (True, False)
    """
    return tuple(one) != tuple(other) and all(a <= b for a, b in zip(one, other, strict=True))


def non_dominated(points: Iterable[Point]) -> tuple[Point, ...]:
    """The points that no other dominates (Definition 2.6), each once, in lexicographic order.

    >>> non_dominated([(2, 1), (1, 2), (2, 2), (1, 2)])
    ((1, 2), (2, 1))
    """
    ordered = sorted(set(points))  # a dominating point comes earlier in lexicographic order
    width = len(ordered[0]) if ordered else 0
    if width <= 3:
        return tuple(_staircase(ordered, width))
    small = fits_int64(*(max(abs(x) for x in column) for column in zip(*ordered, strict=True)))
    table = np.array(ordered, np.int64 if small else object)
    kept: list[int] = []
    for row in range(len(ordered)):
        if not (table[kept] <= table[row]).all(axis=1).any():
            kept.append(row)
    return tuple(ordered[row] for row in kept)


def _staircase(ordered: Sequence[Point], width: int) -> Iterator[Point]:
    """Up to three coordinates: whoever comes earlier is no worse in the first, so a staircase of the others decides."""
    seconds: list[int] = []  # increasing, while their thirds decrease
    thirds: list[int] = []
    for point in ordered:
        second, third = point[1] if width > 1 else 0, point[2] if width > 2 else 0
        place = bisect_right(seconds, second)
        if place and thirds[place - 1] <= third:
            continue
        first = place - 1 if place and seconds[place - 1] == second else place
        last = place
        while last < len(thirds) and thirds[last] >= third:
            last += 1
        seconds[first:last], thirds[first:last] = [second], [third]
        yield point
