r"""Which jobs share a machine: the assignment problem behind alpha-MOSP, solved with proof by CP-SAT.

Model: all machines are identical and who owns them does not matter. Organization ``k`` has a deadline ``d_k`` (or
none). For a given assignment, running each machine's jobs by deadline is optimal, and all deadlines are met if and
only if, on every machine, the jobs of the organizations with deadlines up to ``d_k`` have total size at most
``d_k``, for every ``k``. So the problem is linear in counts: ``x[g, m]`` jobs of group ``g`` (one organization, one
size) on machine ``m``. The objective is the largest load, ``C_max``.

Symmetry: on small instances loads are sorted, which only renames machines. One search worker and a fixed seed: the
same input always gives the same assignment.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ...scheduling.cp_sat import LIMIT, new_model, solve
from ...support.errors import TooLargeError
from ...support.exact import magnitude
from ...support.progress import Progress

SORTED = 400
"""Most variables with which loads are sorted: it helps proofs on small instances and hampers search on large ones."""


@dataclass(frozen=True)
class Packing:
    """An answer of :func:`pack`.

    Attributes
    ----------
    groups
        For every machine, how many jobs of each (organization, size); ``None`` if none was found.
    lower, upper
        Bounds on the least ``C_max``; ``upper`` is that of ``groups``.
    complete
        Whether the search ended by itself: the optimum is proved, or no packing exists.
    """

    groups: tuple[dict[tuple[int, int], int], ...] | None
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
    hint: Sequence[Sequence[tuple[int, int]]] = (),
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
        A known packing to start from: (organization, size) of the jobs on every machine.
    time_limit
        Seconds; ``None`` for none. When it strikes, ``complete`` is false and the bounds are what is known.
    progress
        Told the seconds in the solver.

    Examples
    --------
    >>> pack([[3, 3], [2]], 2, [None, None]).upper, pack([[3, 3], [2]], 2, [4, None]).upper
    (5, 5)
    >>> pack([[3, 3], [2]], 2, [3, 2]).groups is None
    True
    """
    total, longest = sum(map(sum, sizes)), max((p for row in sizes for p in row), default=0)
    if total == 0:
        return Packing(tuple({} for _ in range(n_machines)), 0, 0, True)
    scale = check_size(sizes)
    floor = max(-(-total // n_machines), longest, low)
    ceiling = total if upper is None else min(upper, total)
    counts = Counter((k, p // scale) for k, row in enumerate(sizes) for p in row)
    due = [None if d is None else d // scale for d in deadlines]
    low, high = -(-floor // scale), ceiling // scale
    if low > high or any(d is not None and row and max(row) > d * scale for d, row in zip(due, sizes, strict=True)):
        return Packing(None, floor, None, True)
    start = sorted((Counter((k, p // scale) for k, p in jobs) for jobs in hint), key=_load, reverse=True)
    used = min(n_machines, counts.total())  # more machines than jobs stay empty
    found, lower, complete = _solve(counts, used, due, low, high, time_limit, start, progress)
    if found is None:
        return Packing(None, lower * scale, None, complete)
    found += ({},) * (n_machines - used)
    groups = tuple({(k, p * scale): c for (k, p), c in machine.items()} for machine in found)
    best = max(sum(p * c for (_, p), c in machine.items()) for machine in groups)
    return Packing(groups, best if complete else lower * scale, best, complete)


def check_size(sizes: Sequence[Sequence[int]]) -> int:
    """The grid's unit, or TooLargeError when sizes in it are beyond the solver's integers; some job is there."""
    scale, total = math.gcd(*(p for row in sizes for p in row)), sum(map(sum, sizes))
    if total // scale > LIMIT:
        raise TooLargeError(
            f"optimal: a work of {magnitude(total // scale)} units is beyond the solver, which takes up to {LIMIT:,}; "
            "round the lengths, or take another rule, such as 'lpt-lpt'"
        )
    return scale


def _load(machine: Counter[tuple[int, int]]) -> int:
    return sum(p * count for (_, p), count in machine.items())


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
    if not answer.found:
        return None, low, answer.ended
    found = tuple({g: answer.value(x[g, m]) for g in groups if answer.value(x[g, m])} for m in range(n_machines))
    return found, max(low, answer.least), answer.ended
