"""The CP-SAT models behind the optimum under constraints: which jobs share a machine, and when each job starts.

*Which jobs share a machine* settles alpha-MOSP (:func:`pack`): all machines are identical and who owns them does not
matter. Organization ``k`` has a deadline ``d_k`` (or none). Running each machine's jobs by deadline is optimal, so all
deadlines are met if and only if, on every machine, the jobs of the organizations with deadlines up to ``d_k`` have
total size at most ``d_k``, for every ``k``: linear in the counts ``x[g, m]`` of jobs of group ``g`` (one organization,
one size) on machine ``m``. The objective is the largest load, ``C_max``. On small instances loads are sorted, which
only renames machines.

*When each job starts* matters to selfishness and sums of completion times (:func:`solve_timed`): job ``j`` has a start,
an end and, for each machine, a presence literal; jobs present on one machine do not overlap. Deadlines bound ends,
total bounds bound the sum of an organization's ends. Selfishness of ``k``: on each of its machines the jobs marked as
*leading* are its own and fill ``[0, lead]`` exactly; any job of ``k`` starts at ``lead`` or earlier on every machine of
``k``; choosing the true prefix as leading shows that nothing is lost. In the printed reading the bound is the start of
each foreign job on a machine of ``k``, and the leads count only when there is none. Equal jobs of one organization
start in order of their numbers.

Integer starts lose nothing: for a fixed order on every machine all conditions are lower bounds on starts of the
form ``start >= end of another``, ``start >= start of another``, so the least solution is integral and best for
every objective.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ...agents.organizations import Federation
from ...scheduling.cp_sat import LIMIT, new_model, solve
from ...support.errors import TooLargeError
from ...support.exact import Rational, magnitude
from ...support.progress import Progress
from .schedule import JobId, Schedule, first_machines

SORTED = 400
"""Most variables with which loads are sorted: it helps proofs on small instances and hampers search on large ones."""


@dataclass(frozen=True)
class Packing:
    """An answer of :func:`pack`.

    Attributes
    ----------
    machines
        The jobs on every machine; ``None`` if no packing was found.
    lower, upper
        Bounds on the least ``C_max``; ``upper`` is that of ``machines``.
    complete
        Whether the search ended by itself: the optimum is proved, or no packing exists.
    """

    machines: tuple[tuple[JobId, ...], ...] | None
    lower: int
    upper: int | None
    complete: bool


def pack(
    sizes: Sequence[Sequence[int]],
    n_machines: int,
    deadlines: Sequence[int | None],
    low: int = 0,
    upper: int | None = None,
    time_limit: float | None = None,
    hint: Sequence[Sequence[JobId]] = (),
    progress: Progress | None = None,
) -> Packing:
    """Find a packing of least ``C_max`` that meets all deadlines and, if given, ``C_max <= upper``.

    Parameters
    ----------
    sizes
        Sizes of each organization's jobs, positive integers.
    n_machines
        Machines of all organizations together.
    deadlines
        Latest end of each organization's jobs; ``None`` for no deadline.
    low
        A proved lower bound on ``C_max``.
    upper
        Only packings with a makespan of at most this are of interest.
    hint
        A known packing to start from: the jobs on every machine.
    time_limit
        Seconds; ``None`` for none. When it strikes, ``complete`` is false and the bounds are what is known.
    progress
        Told the seconds in the solver.

    Examples
    --------
    >>> pack([[3, 3], [2]], 2, [None, None]).upper, pack([[3, 3], [2]], 2, [4, None]).upper
    (5, 5)
    >>> pack([[3, 3], [2]], 2, [3, 2]).machines is None
    True
    """
    total, longest = sum(map(sum, sizes)), max((p for row in sizes for p in row), default=0)
    if total == 0:
        return Packing(((),) * n_machines, 0, 0, True)
    scale = check_packing_size(sizes)
    floor = max(-(-total // n_machines), longest, low)
    ceiling = total if upper is None else min(upper, total)
    counts = Counter((k, p // scale) for k, row in enumerate(sizes) for p in row)
    due = [None if d is None else d // scale for d in deadlines]
    low, high = -(-floor // scale), ceiling // scale
    if low > high or any(d is not None and row and max(row) > d * scale for d, row in zip(due, sizes, strict=True)):
        return Packing(None, floor, None, True)
    start = sorted(
        (Counter((k, sizes[k][i] // scale) for k, i in jobs) for jobs in hint),
        key=lambda jobs: sum(p * n for (_, p), n in jobs.items()),
        reverse=True,
    )
    used = min(n_machines, counts.total())  # more machines than jobs stay empty
    machines, lower, complete = _solve(counts, used, due, low, high, time_limit, start, progress)
    if machines is None:
        return Packing(None, lower * scale, None, complete)
    numbers: dict[tuple[int, int], list[int]] = {}  # equal jobs of one organization in order of their numbers
    for k, row in enumerate(sizes):
        for i in reversed(range(len(row))):
            numbers.setdefault((k, row[i] // scale), []).append(i)
    jobs = [tuple((g[0], numbers[g].pop()) for g, c in machine.items() for _ in range(c)) for machine in machines]
    best = max(sum(sizes[k][i] for k, i in row) for row in jobs)
    return Packing((*jobs, *((),) * (n_machines - used)), best if complete else lower * scale, best, complete)


def check_packing_size(sizes: Sequence[Sequence[int]]) -> int:
    """The grid's unit, or TooLargeError when sizes in it are beyond the solver's integers; some job is there."""
    scale, total = math.gcd(*(p for row in sizes for p in row)), sum(map(sum, sizes))
    if total // scale > LIMIT:
        raise TooLargeError(
            f"optimal: a work of {magnitude(total // scale)} units is beyond the solver, which takes up to {LIMIT:,}; "
            "round the lengths, or take another rule, such as 'lpt-lpt'"
        )
    return scale


def _solve(
    counts: Counter[tuple[int, int]],
    n_machines: int,
    due: Sequence[int | None],
    low: int,
    high: int,
    time_limit: float | None,
    hint: Sequence[Counter[tuple[int, int]]],
    progress: Progress | None,
) -> tuple[tuple[dict[tuple[int, int], int], ...] | None, int, bool]:
    """Build and solve the model; the packing (or ``None``), a lower bound, and whether the search ended by itself."""
    model = new_model()
    groups = sorted(counts, key=lambda g: (-g[1], g[0]))
    x = {(g, m): model.new_int_var(0, counts[g], "") for g in groups for m in range(n_machines)}
    for g in groups:
        model.add(sum(x[g, m] for m in range(n_machines)) == counts[g])
    makespan = model.new_int_var(low, high, "C_max")
    loads = [sum(g[1] * x[g, m] for g in groups) for m in range(n_machines)]
    for m, load in enumerate(loads):
        model.add(load <= makespan)
        if m and len(x) <= SORTED:
            model.add(loads[m - 1] >= load)
        for deadline in sorted({d for d in due if d is not None and d < high}):
            early = [g for g in groups if due[g[0]] is not None and due[g[0]] <= deadline]  # type: ignore[operator]
            model.add(sum(g[1] * x[g, m] for g in early) <= deadline)
    for (g, m), variable in x.items():
        if hint:
            model.add_hint(variable, hint[m][g])
    model.minimize(makespan)
    answer = solve(model, time_limit, progress=progress)
    if not answer.has_solution:
        return None, low, answer.ended
    machines = tuple({g: answer.value(x[g, m]) for g in groups if answer.value(x[g, m])} for m in range(n_machines))
    return machines, max(low, answer.least), answer.ended


MAX_CHOICES: Final = 100_000
"""Jobs times machines: each makes a literal and an interval, some kilobytes of memory."""


def solve_timed(
    federation: Federation,
    low: int,
    high: int,
    *,
    deadlines: Sequence[int] | None = None,
    totals: Sequence[int] | None = None,
    selfishness: str | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> tuple[Schedule | None, int, bool]:
    """Find a schedule of least ``C_max`` in ``[low, high]`` that meets the constraints, with proof; in grid units.

    ``deadlines`` and ``totals`` hold one bound per organization, ``selfishness`` is the reading; ``None`` switches a
    constraint off. Returns the schedule (or ``None``), a lower bound, and whether the search ended by itself.

    >>> fed = Federation.of([[2, 2], [1, 1]])
    >>> [solve_timed(fed, 3, 6, selfishness=reading)[0].makespan for reading in (None, "strict")]
    [Fraction(3, 1), Fraction(4, 1)]
    """
    jobs = [(k, i) for k, row in enumerate(federation.sizes) for i in range(len(row))]
    scale = check_start_times_size(federation, high)
    model = _Model(federation, jobs, scale, -(-low // scale), high // scale)
    if deadlines is not None:
        for j, (k, _) in enumerate(jobs):
            model.cp.add(model.end[j] <= deadlines[k] // scale)
    if totals is not None:
        model.bound_totals()
        for k in range(len(federation)):
            own = [model.end[j] for j, job in enumerate(jobs) if job[0] == k]
            if own:
                model.cp.add(sum(own) <= totals[k] // scale)
    if selfishness is not None:
        for k in range(len(federation)):
            if federation.sizes[k]:
                model.restrict(k, selfishness)
    return model.solve(time_limit, progress)


def check_start_times_size(federation: Federation, high: int) -> int:
    """The grid's unit, or TooLargeError when makespans up to ``high`` in it are beyond the solver's integers."""
    scale, n_jobs = math.gcd(*(p for row in federation.sizes for p in row)), federation.n_jobs
    if high // max(scale, 1) * max(n_jobs, 1) > LIMIT:
        raise TooLargeError(
            f"optimal: makespans up to {magnitude(high // scale)} units of {n_jobs} jobs are beyond the solver, "
            f"which takes up to {LIMIT // n_jobs:,}; round the lengths, or take another rule, such as 'spt-lpt'"
        )
    choices = n_jobs * federation.n_machines
    if choices > MAX_CHOICES:
        raise TooLargeError(
            f"optimal: {n_jobs} jobs on {federation.n_machines:,} machines make {choices:,} choices for the solver; "
            f"the limit is {MAX_CHOICES:,}; take fewer machines, or constraints = ['local']"
        )
    return scale


class _Model:
    """The CP-SAT model under construction; sizes are divided by ``scale``."""

    def __init__(self, federation: Federation, jobs: list[tuple[int, int]], scale: int, low: int, high: int) -> None:
        self.federation, self.jobs, self.scale, self.low = federation, jobs, scale, low
        self.high = high
        self.size = [federation.sizes[k][i] // scale for k, i in jobs]
        self.cp = new_model()
        self.start = [self.cp.new_int_var(0, high - p, "") for p in self.size]
        self.end = [s + p for s, p in zip(self.start, self.size, strict=True)]
        self.on = [[self.cp.new_bool_var("") for _ in range(federation.n_machines)] for _ in jobs]
        self.makespan = self.cp.new_int_var(low, high, "C_max")
        for j in range(len(jobs)):
            self.cp.add_exactly_one(self.on[j])
            self.cp.add(self.end[j] <= self.makespan)
        for m in range(federation.n_machines):
            self.cp.add_no_overlap(
                self.cp.new_optional_fixed_size_interval_var(self.start[j], p, self.on[j][m], "")
                for j, p in enumerate(self.size)
            )
            self.cp.add(sum(p * self.on[j][m] for j, p in enumerate(self.size)) <= self.makespan)
        last: dict[tuple[int, int], int] = {}
        for j, (k, _) in enumerate(jobs):
            if (k, self.size[j]) in last:
                self.cp.add(self.start[last[k, self.size[j]]] <= self.start[j])
            last[k, self.size[j]] = j

    def restrict(self, k: int, reading: str) -> None:
        """Add the selfishness restriction of organization ``k``."""
        first = first_machines(self.federation)[k]
        machines = range(first, first + self.federation.machines[k])
        own = [j for j, job in enumerate(self.jobs) if job[0] == k]
        foreign = [j for j, job in enumerate(self.jobs) if job[0] != k]
        guest = self.cp.new_bool_var("")  # printed reading: some foreign job runs here
        if reading == "printed":
            used = [self.on[f][m] for f in foreign for m in machines]
            self.cp.add_max_equality(guest, [*used, self.cp.new_constant(0)])
            for f in foreign:
                for m in machines:
                    for j in own:
                        self.cp.add(self.start[j] <= self.start[f]).only_enforce_if(self.on[f][m])
        else:
            self.cp.add(guest == 0)
        for m in machines:
            leading = [self.cp.new_bool_var("") for _ in own]
            lead = sum(self.size[j] * a for j, a in zip(own, leading, strict=True))
            for j, a in zip(own, leading, strict=True):
                self.cp.add_implication(a, self.on[j][m])
                self.cp.add(self.end[j] <= lead).only_enforce_if(a)
                self.cp.add(self.start[j] <= lead).only_enforce_if(guest.negated())

    def bound_totals(self) -> None:
        """Add a redundant bound: ``c`` jobs of size ``p`` on one machine have total completion ``p c (c + 1) / 2``."""
        for p in sorted(set(self.size)):
            equal = [j for j, size in enumerate(self.size) if size == p]
            terms = []
            for m in range(self.federation.n_machines):
                count = self.cp.new_int_var(0, len(equal), "")
                square = self.cp.new_int_var(0, len(equal) ** 2, "")
                self.cp.add(count == sum(self.on[j][m] for j in equal))
                self.cp.add_multiplication_equality(square, [count, count])
                terms.append(square + count)
            self.cp.add(2 * sum(self.end[j] for j in equal) >= p * sum(terms))

    def solve(self, time_limit: float | None, progress: Progress | None) -> tuple[Schedule | None, int, bool]:
        self.cp.minimize(self.makespan)
        answer = solve(self.cp, time_limit, progress=progress)
        if not answer.has_solution:
            return None, self.low * self.scale, answer.ended
        places: dict[JobId, tuple[int, Rational]] = {
            job: (next(m for m, on in enumerate(row) if answer.value(on)), answer.value(start) * self.scale)
            for job, row, start in zip(self.jobs, self.on, self.start, strict=True)
        }
        lower = max(self.low, answer.least) * self.scale
        return Schedule.of(self.federation, places), lower, answer.ended
