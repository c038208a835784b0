"""Each user alone on all machines, and what a Pareto-optimal schedule can cost: local schedules, zenith and nadir.

Model (Cordeiro 2012, sections 2.2 and 6.1). A *local schedule* is one sequence of a user's jobs per machine, run
without idle time, nothing else in the way.

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

>>> local_schedule([3, 3, 2, 2, 2], 2, "lpt"), local_schedule([3, 3, 2, 2, 2], 2, "exact")
([[0, 2, 4], [1, 3]], [[0, 1], [2, 3, 4]])
>>> shared = Community.of(("makespan", [2]), ("total-completion", [1, 1]))
>>> zenith(shared), nadir(shared)
((2, 3), (4, 7))
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final, Literal

from ...agents.users import Community, Point
from ...scheduling.clusters import Cluster
from ...scheduling.listing import job_order, place_in_order
from ...scheduling.makespan import smallest_makespan
from ...support.errors import TooLargeError, unknown_name
from ...support.units import duration_text
from .catalogue import LOCALS, Local

SECONDS: Final = 60.0
"""How long an optimal makespan may take unless the caller says otherwise."""


def check_local(local: str) -> None:
    """Raise UnknownNameError for a local rule that does not exist."""
    if local not in LOCALS:
        raise unknown_name("local", local, LOCALS)


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
    m = shared.machines
    return tuple(
        spt_sum(sizes, m)
        if user.objective == "total-completion"
        else makespan(sizes, optimal_schedule(sizes, m, time_limit))
        if m > 1
        else sum(sizes)
        for user, sizes in zip(shared.users, shared.sizes, strict=True)
    )


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
