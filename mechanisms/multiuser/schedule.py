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

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...agents.users import Community, Point

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


def point_from(shared: Community, ends: Sequence[int], total: int) -> Point:
    """The point of the makespan users' ends, in their order, and of the other user's total completion time."""
    point = [int(total)] * len(shared.users)
    for u, end in zip(shared.makespan_users, ends, strict=True):
        point[u] = int(end)
    return tuple(point)


def spt_order(shared: Community, user: int) -> list[int]:
    """Job numbers of a user, shortest first, equal lengths as listed."""
    sizes = shared.sizes[user]
    return sorted(range(len(sizes)), key=sizes.__getitem__)
