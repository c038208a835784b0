r"""One user alone on all machines: the local schedules from which the MULTI rules and the zenith are made.

Model: jobs of integer sizes on ``m`` identical machines, nothing else in the way. A local schedule is one sequence of
job numbers per machine, run without idle time.

=========  ======================================================  ================================
local      rule                                                    makespan is at most
=========  ======================================================  ================================
``list``   jobs as listed, next to the least loaded machine        ``2 - 1/m`` times the optimum
``lpt``    the same, longest first                                 ``4/3 - 1/(3m)`` times the optimum
``exact``  optimal; branch and bound, then CP-SAT                  the optimum
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

from ...agents.users import Community, Point
from ...scheduling.errors import TooLargeError, unknown_name
from ...scheduling.exact import fits_int64
from .catalogue import LOCALS, Local

NODES: Final = 100_000
SOLVER_SECONDS: Final = 60.0


def check_local(local: str) -> None:
    """Raise UnknownNameError for a local rule that does not exist."""
    if local not in LOCALS:
        raise unknown_name("local", local, LOCALS)


def guarantee(local: Local, machines: int) -> Fraction:
    """Proved factor of a local rule over the optimal makespan, the thesis's ``rho``."""
    if local == "exact" or machines == 1:
        return Fraction(1)
    return 2 - Fraction(1, machines) if local == "list" else Fraction(4, 3) - Fraction(1, 3 * machines)


def greedy(sizes: Sequence[int], machines: int, order: Sequence[int]) -> list[list[int]]:
    """List scheduling: jobs in the given order, each to the least loaded machine."""
    loads = [0] * machines
    plan: list[list[int]] = [[] for _ in range(machines)]
    for job in order:
        machine = loads.index(min(loads))
        plan[machine].append(job)
        loads[machine] += sizes[job]
    return plan


def local_schedule(sizes: Sequence[int], machines: int, rule: Local | Literal["spt"]) -> list[list[int]]:
    """Sequence of job numbers per machine under a local rule."""
    jobs = range(len(sizes))
    if rule == "list":
        return greedy(sizes, machines, jobs)
    if rule == "spt":
        return greedy(sizes, machines, sorted(jobs, key=sizes.__getitem__))
    longest = greedy(sizes, machines, sorted(jobs, key=lambda j: -sizes[j]))
    return longest if rule == "lpt" or machines == 1 else _optimal(tuple(sizes), machines, longest)


def makespan(sizes: Sequence[int], plan: Sequence[Sequence[int]]) -> int:
    """Largest load of a local schedule."""
    return max(sum(sizes[j] for j in jobs) for jobs in plan)


def spt_sum(sizes: Sequence[int], machines: int) -> int:
    """Smallest total completion time of some jobs on identical machines."""
    ordered = sorted(sizes, reverse=True)
    return sum(size * (i // machines + 1) for i, size in enumerate(ordered))


def alone_values(shared: Community, local: Local) -> Point:
    """Value of each user alone: shortest first for total completion, the local rule for makespans."""
    m = shared.machines
    return tuple(
        spt_sum(sizes, m) if user.objective == "total-completion" else _alone_makespan(sizes, m, local)
        for user, sizes in zip(shared.users, shared.sizes, strict=True)
    )


@lru_cache(maxsize=4096)
def _alone_makespan(sizes: tuple[int, ...], machines: int, local: Local) -> int:
    return makespan(sizes, local_schedule(sizes, machines, local))


def _optimal(sizes: tuple[int, ...], machines: int, start: list[list[int]]) -> list[list[int]]:
    """Optimal makespan: the start if its bound proves it, else a bounded depth-first search, else CP-SAT."""
    ordered = sorted(sizes, reverse=True)
    low = max(-(-sum(sizes) // machines), ordered[0])
    if len(ordered) > machines:
        low = max(low, ordered[machines - 1] + ordered[machines])  # two of the m + 1 longest share a machine
    if makespan(sizes, start) == low:
        return start
    search = _Search(sizes, machines, start, low)
    return search.best if search.run() else _by_solver(sizes, machines, start, low)


class _Search:
    """Depth-first search over assignments, longest jobs first; machines of equal load are interchangeable."""

    def __init__(self, sizes: tuple[int, ...], machines: int, start: list[list[int]], low: int) -> None:
        self.sizes, self.low, self.best = sizes, low, start
        self.bound = makespan(sizes, start)
        self.order = sorted(range(len(sizes)), key=lambda j: -sizes[j])
        self.loads = [0] * machines
        self.plan: list[list[int]] = [[] for _ in range(machines)]
        self.nodes = 0

    def run(self) -> bool:
        """Search; whether the best plan is proved optimal within the node limit."""
        self._place(0)
        return self.nodes < NODES or self.bound == self.low

    def _place(self, depth: int) -> None:
        self.nodes += 1
        if self.nodes >= NODES or self.bound == self.low:
            return
        if depth == len(self.order):
            self.bound, self.best = max(self.loads), [list(jobs) for jobs in self.plan]
            return
        job = self.order[depth]
        seen = set()
        for machine, load in enumerate(self.loads):
            if load in seen or load + self.sizes[job] >= self.bound:
                continue
            seen.add(load)
            self.loads[machine] += self.sizes[job]
            self.plan[machine].append(job)
            self._place(depth + 1)
            self.plan[machine].pop()
            self.loads[machine] = load


def _by_solver(sizes: tuple[int, ...], machines: int, start: list[list[int]], low: int) -> list[list[int]]:
    from ortools.sat.python import cp_model  # heavy, and needed for hard instances only

    high = makespan(sizes, start)
    if not fits_int64(4 * sum(sizes)):
        raise TooLargeError(f"optimal makespan of {len(sizes)} jobs: lengths beyond 64 bits; use local = 'lpt'")
    model = cp_model.CpModel()
    top = model.new_int_var(low, high, "makespan")
    host = [[model.new_bool_var(f"x{j},{i}") for i in range(machines)] for j in range(len(sizes))]
    for row in host:
        model.add_exactly_one(row)
    for i in range(machines):
        model.add(sum(size * row[i] for size, row in zip(sizes, host, strict=True)) <= top)
    model.minimize(top)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = SOLVER_SECONDS
    if solver.solve(model) != cp_model.OPTIMAL:
        raise TooLargeError(
            f"optimal makespan of {len(sizes)} jobs on {machines} machines: not proved within {SOLVER_SECONDS:.0f} s; "
            "use local = 'lpt', or another reference than the zenith"
        )
    return [[j for j, row in enumerate(host) if solver.value(row[i])] for i in range(machines)]
