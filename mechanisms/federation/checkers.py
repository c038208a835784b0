r"""What a federation's schedule must satisfy, checked from the definitions alone.

Nothing here uses the code of a rule: the local schedules are built anew, job by job, with the plainest of loops.

Definitions (Cordeiro 2012, sections 3.1 and 4.1):

- local constraint: ``C^(k) <= alpha C_local^(k)``, or the same for sums of completion times, against a local order;
- selfishness restriction: let ``f_k`` be the first instant at which organization ``k`` gives up one of its machines;
  then every job of ``k``, wherever it runs, starts at ``f_k`` or earlier. ``strict``: the first instant at which some
  machine of ``k`` does not run a job of ``k``, idle time included. ``printed``: the start of the first foreign job
  on a machine of ``k``, ignoring idle time before it; the first idle instant if there is no foreign job;
- no job delayed: every job ends no later than in the local schedule of the stated order.

>>> from consortium.agents import Federation
>>> from consortium.mechanisms.federation import Local
>>> fed = Federation.of([[2, 1], [1]])
>>> local_constraint(Local().run(fed)).holds, selfishness_restriction(Local().run(fed)).holds
(True, True)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from ...support.errors import check_name
from ...support.exact import Rational
from .schedule import Schedule, first_machines, machine_owners

Reading: TypeAlias = Literal["strict", "printed"]


@dataclass(frozen=True)
class Finding:
    """Whether a condition holds (``None``: open), and if not, who breaks it: organization, job, value and bound."""

    holds: bool | None
    organization: int | None = None
    job: int | None = None
    value: Fraction | None = None
    bound: Fraction | None = None


def home_spans(sizes: Sequence[int], machines: int, order: str) -> list[tuple[int, int]]:
    """Start and end of each job of one organization alone at home, in the order ``lpt``, ``spt`` or ``listed``.

    >>> home_spans([1, 3, 2], 2, "lpt")
    [(2, 3), (0, 3), (0, 2)]
    """
    check_name("reference", order, ("lpt", "spt", "listed"))
    todo = [(-p, i) if order == "lpt" else (p, i) if order == "spt" else (0, i) for i, p in enumerate(sizes)]
    free = [0] * machines
    spans = [(0, 0)] * len(sizes)
    for _, i in sorted(todo):
        at = free.index(min(free))
        spans[i] = (free[at], free[at] + sizes[i])
        free[at] += sizes[i]
    return spans


def local_constraint(schedule: Schedule, reference: str | None = None, alpha: Rational = 1) -> Finding:
    """Check ``C^(k) <= alpha C_local^(k)`` for every organization; ``reference`` defaults to ``lpt``."""
    return _not_above_home(schedule, schedule.makespans, reference or "lpt", alpha, max)


def local_total_constraint(schedule: Schedule, reference: str | None = None, alpha: Rational = 1) -> Finding:
    """Check ``sum C^(k) <= alpha sumC_local^(k)`` for every organization; ``reference`` defaults to ``spt``."""
    return _not_above_home(schedule, schedule.totals, reference or "spt", alpha, sum)


def _not_above_home(
    schedule: Schedule,
    values: Sequence[Fraction],
    reference: str,
    alpha: Rational,
    of: Callable[[Iterable[int]], int],
) -> Finding:
    """Whether each organization's value is at most ``alpha`` times what its local schedule has of it."""
    federation = schedule.federation
    for k, (machines, value) in enumerate(zip(federation.machines, values, strict=True)):
        ends = [end for _, end in home_spans(federation.sizes[k], machines, reference)]
        bound = alpha * Fraction(of([0, *ends])) * federation.unit
        if value > bound:
            return Finding(False, k, None, value, bound)
    return Finding(True)


def no_job_delayed(schedule: Schedule, order: str) -> Finding:
    """Check that every job ends no later than in its organization's local schedule of the given order."""
    federation = schedule.federation
    for k, org in enumerate(federation.organizations):
        spans = home_spans(federation.sizes[k], org.machines, order)
        for i, (end, (_, bound)) in enumerate(zip(schedule.ends[k], spans, strict=True)):
            if end > bound:
                return Finding(False, k, i, end * federation.unit, bound * federation.unit)
    return Finding(True)


def selfishness_restriction(schedule: Schedule, reading: str = "strict") -> Finding:
    """Check that no organization could start one of its jobs earlier on a machine it gave up."""
    check_name("selfishness", reading, ("strict", "printed"))
    unit = schedule.federation.unit
    for k, given_up in enumerate(_instants_given_up(schedule, reading)):
        for i, start in enumerate(schedule.start[k]):
            if start > given_up:
                return Finding(False, k, i, start * unit, given_up * unit)
    return Finding(True)


def _instants_given_up(schedule: Schedule, reading: str) -> list[Rational]:
    """``f_k`` of the module's definition for every organization, in units of the federation."""
    own: list[dict[Rational, Rational]] = [{} for _ in range(schedule.federation.n_machines)]  # start: end
    foreign: list[list[Rational]] = [[] for _ in schedule.federation.organizations]
    owner = machine_owners(schedule.federation)
    for k, row in enumerate(schedule.machine):
        for i, machine in enumerate(row):
            if owner[machine] == k:
                own[machine][schedule.start[k][i]] = schedule.ends[k][i]
            else:
                foreign[owner[machine]].append(schedule.start[k][i])
    return [
        min(foreign[k])
        if reading == "printed" and foreign[k]
        else min(_busy_until(own[first + machine]) for machine in range(count))
        for k, (first, count) in enumerate(
            zip(first_machines(schedule.federation), schedule.federation.machines, strict=True)
        )
    ]


def _busy_until(spans: Mapping[Rational, Rational]) -> Rational:
    """The end of the jobs that run from 0 on without a pause, given as ``{start: end}``."""
    instant: Rational = 0
    while instant in spans:
        instant = spans[instant]
    return instant
