r"""One user alone on all machines: the local schedules from which the MULTI rules and the zenith are made.

Model: jobs of integer sizes on ``m`` identical machines, nothing else in the way. A local schedule is one sequence of
job numbers per machine, run without idle time.

=========  ======================================================  ================================
local      rule                                                    makespan is at most
=========  ======================================================  ================================
``list``   jobs as listed, next to the least loaded machine        ``2 - 1/m`` times the optimum
``lpt``    the same, longest first                                 ``4/3 - 1/(3m)`` times the optimum
``exact``  optimal (:func:`.smallest_makespan`)                    the optimum
``spt``    the same, shortest first                                (smallest total completion time)
=========  ======================================================  ================================

Ties: equal sizes as listed, equal loads by machine number. Which of several optimal schedules ``exact`` returns is not
promised; its makespan is.

>>> local_schedule([3, 3, 2, 2, 2], 2, "lpt"), local_schedule([3, 3, 2, 2, 2], 2, "exact")
([[0, 2, 4], [1, 3]], [[0, 1], [2, 3, 4]])
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final, Literal

from ...scheduling.clusters import Cluster
from ...scheduling.listing import ListName, job_order, place_in_order
from ...scheduling.makespan import smallest_makespan
from ...support.errors import TooLargeError, unknown_name
from ...support.units import duration_text
from .catalogue import LOCALS, Local

SECONDS: Final = 60.0
"""How long an optimal makespan may take unless told otherwise."""


def check_local(local: str) -> None:
    """Raise UnknownNameError for a local rule that does not exist."""
    if local not in LOCALS:
        raise unknown_name("local", local, LOCALS)


def guarantee(local: Local, machines: int) -> Fraction:
    """Proved factor of a local rule over the optimal makespan, the thesis's ``rho``."""
    if local == "exact" or machines == 1:
        return Fraction(1)
    return 2 - Fraction(1, machines) if local == "list" else Fraction(4, 3) - Fraction(1, 3 * machines)


def greedy(sizes: Sequence[int], machines: int, order: ListName) -> list[list[int]]:
    """The jobs of each machine in a list schedule."""
    sequence = job_order(sizes, order)
    placed = place_in_order([sizes[job] for job in sequence], [0] * machines)
    plan: list[list[int]] = [[] for _ in range(machines)]
    for job, (machine, _, _) in zip(sequence, placed, strict=True):
        plan[machine].append(job)
    return plan


def local_schedule(sizes: Sequence[int], machines: int, rule: Local | Literal["spt"]) -> list[list[int]]:
    """Sequence of job numbers per machine under a local rule."""
    if rule == "exact" and machines > 1:
        return [list(jobs) for jobs in optimal_schedule(tuple(sizes), machines, SECONDS)]
    return greedy(sizes, machines, "listed" if rule == "list" else "spt" if rule == "spt" else "lpt")


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
    answer = smallest_makespan(Cluster.of([1] * used), sizes, time_limit=seconds, solvers=("cp-sat",))
    if not answer.proven:
        raise TooLargeError(
            f"optimal makespan of {len(sizes)} jobs on {machines} machines: not proved within "
            f"{duration_text(seconds)}; use local = 'lpt', or another reference than the zenith"
        )
    return (*answer.allocation.lists, *((),) * (machines - used))
