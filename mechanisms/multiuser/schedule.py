"""Schedules of a community's jobs: the points that they reach, each user alone, and what Pareto-optimal ones can cost.

Model (Cordeiro 2012, sections 2.2 and 6.1): a schedule gives every job a machine and a start; it is kept here as one
sequence of jobs per machine, each job starting when the one before ends. Its point has one integer per user: the
largest completion time of a makespan user, the sum of the completion times of a total-completion user, in units of
the community.

A *local schedule* is one sequence of a user's jobs per machine, run without idle time, nothing else in the way.

=========  ======================================================  ================================
local      rule                                                    makespan is at most
=========  ======================================================  ================================
``list``   jobs as listed, next to the least loaded machine        ``2 - 1/m`` times the optimum
``lpt``    the same, longest first                                 ``4/3 - 1/(3m)`` times the optimum
``exact``  optimal (:func:`.smallest_makespan`)                    the optimum
``spt``    the same, shortest first                                (smallest total completion time)
=========  ======================================================  ================================

The *zenith* of user ``u`` is her best value with all machines to herself: shortest jobs first for a total-completion
user at any number of machines, an optimal makespan for the others, which :func:`zenith_low` replaces by
``max(ceil(W_u / m), longest job)`` where an exact makespan is not needed.

The *nadir bound* is a value that no Pareto-optimal point exceeds. On one machine it is ``W`` for a makespan user and
her shortest-first sum plus ``n_u (W - W_u)`` for a total-completion user, which is the exact nadir as soon as there
are two users. On ``m`` machines it is ``floor((W + (m - 1) p_max) / m)``, and the sum over her jobs, shortest first,
of ``floor((W - W_u + earlier own work) / m) + p``: drop ``u``, shift the rest left, list-schedule ``u`` last; nobody
else is hurt. The thesis computes the nadir by scheduling ``u`` after all the others. That is right on one machine only:
with two machines, ``u`` owning {1} and another user owning {1, 1, 2}, it gives 2 where the true nadir is 3.

Ties: equal sizes as listed, equal loads by machine number. Which of several optimal schedules ``exact`` returns is not
promised; its makespan is.

>>> shared = Community.of(("makespan", [2]), ("total-completion", [1, 1]))
>>> outcome = Outcome.of(shared, [[(1, 0), (0, 0), (1, 1)]])
>>> outcome.point, outcome.slots[0]
((3, 5), Slot(user=0, job=0, machine=0, start=1, end=3))
>>> local_schedule([3, 3, 2, 2, 2], 2, "lpt"), local_schedule([3, 3, 2, 2, 2], 2, "exact")
([[0, 2, 4], [1, 3]], [[0, 1], [2, 3, 4]])
>>> zenith(shared), nadir(shared)
((2, 3), (4, 7))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from ...agents.users import Community, Point
from ...scheduling.clusters import Cluster
from ...scheduling.listing import job_order, place_in_order
from ...scheduling.makespan import smallest_makespan
from ...support.errors import TooLargeError
from ...support.units import duration_text
from .catalogue import Local

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


# --- each user alone, and a bound on the worst ------------------------------------------------------------------------

SECONDS: Final = 60.0
"""How long an optimal makespan may take unless the caller says otherwise."""


def guarantee(local: Local, machines: int) -> Fraction:
    """Proved factor of a local rule over the optimal makespan, the thesis's ``rho``."""
    if local == "exact" or machines == 1:
        return Fraction(1)
    return 2 - Fraction(1, machines) if local == "list" else Fraction(4, 3) - Fraction(1, 3 * machines)


def local_schedule(sizes: Sequence[int], machines: int, rule: Local | Literal["spt"]) -> list[list[int]]:
    """Sequence of job numbers per machine under a local rule."""
    if rule == "exact" and machines > 1:
        return [list(jobs) for jobs in optimal_schedule(tuple(sizes), machines, SECONDS)]
    sequence = job_order(sizes, "listed" if rule == "list" else "spt" if rule == "spt" else "lpt")
    placed = place_in_order([sizes[job] for job in sequence], [0] * machines)
    plan: list[list[int]] = [[] for _ in range(machines)]
    for job, (machine, _, _) in zip(sequence, placed, strict=True):
        plan[machine].append(job)
    return plan


def makespan(sizes: Sequence[int], plan: Sequence[Sequence[int]]) -> int:
    """Largest load of a local schedule."""
    return max(sum(sizes[j] for j in jobs) for jobs in plan)


def spt_sum(sizes: Sequence[int], machines: int) -> int:
    """Smallest total completion time of some jobs on identical machines."""
    ordered = sorted(sizes, reverse=True)
    return sum(size * (i // machines + 1) for i, size in enumerate(ordered))


@lru_cache(maxsize=4096)
def optimal_schedule(sizes: tuple[int, ...], machines: int, seconds: float) -> tuple[tuple[int, ...], ...]:
    """A local schedule of smallest makespan; TooLargeError when it is not proved optimal in so many seconds."""
    used = min(machines, len(sizes))
    answer = smallest_makespan(Cluster.of([1] * used), sizes, time_limit=seconds)
    if not answer.proven:
        raise TooLargeError(
            f"optimal makespan of {len(sizes)} jobs on {machines} machines: not proved within "
            f"{duration_text(seconds)}; use local = 'lpt', or another reference than the zenith"
        )
    return (*answer.allocation.lists, *((),) * (machines - used))


def zenith(shared: Community, time_limit: float = SECONDS) -> Point:
    """Exact best value of each user alone, in units.

    Raises TooLargeError when an optimal makespan on several machines is not proved in ``time_limit`` seconds.
    """
    best, m = list(zenith_low(shared)), shared.machines
    for u in shared.makespan_users if m > 1 else ():
        best[u] = makespan(shared.sizes[u], optimal_schedule(shared.sizes[u], m, time_limit))
    return tuple(best)


def zenith_low(shared: Community) -> Point:
    """Lower bound on the zenith that is always cheap: exact on one machine and for total-completion users.

    >>> shared = Community.of(("makespan", [3, 3, 3]), machines=2)
    >>> zenith_low(shared), zenith(shared)
    ((5,), (6,))
    """
    m = shared.machines
    return tuple(
        max(-(-sum(sizes) // m), max(sizes)) if user.objective == "makespan" else spt_sum(sizes, m)
        for user, sizes in zip(shared.users, shared.sizes, strict=True)
    )


def nadir(shared: Community) -> Point:
    """Bound that no Pareto-optimal point exceeds, in units; on one machine with two users or more it is attained."""
    m, everything = shared.machines, shared.work
    bound: list[int] = []
    for u, (user, sizes) in enumerate(zip(shared.users, shared.sizes, strict=True)):
        if user.objective == "makespan":
            bound.append((everything + (m - 1) * max(sizes)) // m)
            continue
        value, ahead = 0, everything - shared.works[u]
        for size in sorted(sizes):
            value += ahead // m + size
            ahead += size
        bound.append(value)
    return tuple(bound)
