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

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from ...scheduling.errors import unknown_name
from ...scheduling.exact import Rational
from .schedule import Schedule

Reading: TypeAlias = Literal["strict", "printed"]


@dataclass(frozen=True)
class Finding:
    """Whether a condition holds, and if not, who breaks it: organization, job (or ``None``), value and bound."""

    holds: bool
    organization: int | None = None
    job: int | None = None
    value: Fraction | None = None
    bound: Fraction | None = None


def home_spans(sizes: Sequence[int], machines: int, order: str) -> list[tuple[int, int]]:
    """Start and end of each job of one organization alone at home, in the order ``lpt``, ``spt`` or ``listed``.

    >>> home_spans([1, 3, 2], 2, "lpt")
    [(2, 3), (0, 3), (0, 2)]
    """
    if order not in ("lpt", "spt", "listed"):
        raise unknown_name("reference", order, ("lpt", "spt", "listed"))
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
    federation = schedule.federation
    for k, org in enumerate(federation.organizations):
        spans = home_spans(federation.sizes[k], org.machines, reference or "lpt")
        bound = alpha * Fraction(max((end for _, end in spans), default=0)) * federation.unit
        value = max((slot.end for slot in schedule.slots() if slot.organization == k), default=Fraction(0))
        if value > bound:
            return Finding(False, k, None, value, bound)
    return Finding(True)


def local_total_constraint(schedule: Schedule, reference: str | None = None, alpha: Rational = 1) -> Finding:
    """Check ``sum C^(k) <= alpha sumC_local^(k)`` for every organization; ``reference`` defaults to ``spt``."""
    federation = schedule.federation
    for k, org in enumerate(federation.organizations):
        spans = home_spans(federation.sizes[k], org.machines, reference or "spt")
        bound = alpha * Fraction(sum(end for _, end in spans)) * federation.unit
        value = sum((slot.end for slot in schedule.slots() if slot.organization == k), Fraction(0))
        if value > bound:
            return Finding(False, k, None, value, bound)
    return Finding(True)


def no_job_delayed(schedule: Schedule, order: str) -> Finding:
    """Check that every job ends no later than in its organization's local schedule of the given order."""
    federation = schedule.federation
    for k, org in enumerate(federation.organizations):
        spans = home_spans(federation.sizes[k], org.machines, order)
        for slot in schedule.slots():
            if slot.organization == k and slot.end > spans[slot.job][1] * federation.unit:
                return Finding(False, k, slot.job, slot.end, spans[slot.job][1] * federation.unit)
    return Finding(True)


def selfishness_restriction(schedule: Schedule, reading: str = "strict") -> Finding:
    """Check that no organization could start one of its jobs earlier on a machine it gave up."""
    if reading not in ("strict", "printed"):
        raise unknown_name("selfishness", reading, ("strict", "printed"))
    for k in range(len(schedule.federation)):
        given_up = _first_instant_given_up(schedule, k, reading)
        for slot in schedule.slots():
            if slot.organization == k and slot.start > given_up:
                return Finding(False, k, slot.job, slot.start, given_up)
    return Finding(True)


def _first_instant_given_up(schedule: Schedule, k: int, reading: str) -> Fraction:
    """``f_k`` of the module's definition."""
    here = [slot for slot in schedule.slots() if slot.host == k]
    foreign = [slot.start for slot in here if slot.organization != k]
    if reading == "printed" and foreign:
        return min(foreign)
    instants = []
    for machine in range(schedule.federation.machines[k]):
        instant = Fraction(0)
        own = {slot.start: slot.end for slot in here if slot.machine == machine and slot.organization == k}
        while instant in own:
            instant = own[instant]
        instants.append(instant)
    return min(instants)
