r"""The promises of the catalogue as checks on a schedule.

A check takes the rule object and the schedule it made. It recomputes what the claim compares with: local schedules
by the loops of :mod:`.checkers`, the optimum by proof. A ratio is first compared with the lower bound, which needs
no search; the answer is ``None`` only when a time limit left the optimum open.

>>> from ...agents.organizations import Federation
>>> from . import LptLpt
>>> rule, fed = LptLpt(), Federation.of([[4, 3, 2], [1]])
>>> [(claim, check(claim, rule, rule.run(fed)).holds) for claim in ("no-job-delayed", "approximation-ratio")]
[('no-job-delayed', True), ('approximation-ratio', True)]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from ...scheduling.ready_times import least_makespan
from ...support.errors import unknown_name
from . import checkers
from .coordination import organization_ranks
from .optimal import Optimal
from .relaxed import Tomos
from .schedule import Schedule, lower_bound


@dataclass(frozen=True)
class ClaimResult:
    """Whether a claim holds (``None``: not decided within the limit), and who or what breaks it."""

    holds: bool | None
    finding: checkers.Finding | None = None


Check: TypeAlias = Callable[[Any, Schedule, "float | None"], ClaimResult]


def check(claim: str, rule: Any, schedule: Schedule, time_limit: float | None = None) -> ClaimResult:
    """Check one claim of a rule on the schedule it made; raises UnknownNameError for a claim without a check."""
    if claim not in CHECKS:
        raise unknown_name("claim", claim, CHECKS)
    return CHECKS[claim](rule, schedule, time_limit)


def _of(finding: checkers.Finding) -> ClaimResult:
    return ClaimResult(finding.holds, None if finding.holds else finding)


def _not_delayed(rule: Any, schedule: Schedule, limit: float | None) -> ClaimResult:
    return _of(checkers.no_job_delayed(schedule, rule.local_order))


def _local(rule: Any, schedule: Schedule, limit: float | None) -> ClaimResult:
    return _of(checkers.local_constraint(schedule, rule.local_order))


def _local_lpt(rule: Any, schedule: Schedule, limit: float | None) -> ClaimResult:
    return _of(checkers.local_constraint(schedule, "lpt"))


def _local_total_spt(rule: Any, schedule: Schedule, limit: float | None) -> ClaimResult:
    return _of(checkers.local_total_constraint(schedule, "spt"))


def _selfish(rule: Any, schedule: Schedule, limit: float | None) -> ClaimResult:
    return _of(checkers.selfishness_restriction(schedule, "strict"))


def _cooperation(rule: Any, schedule: Schedule, limit: float | None) -> ClaimResult:
    return _of(checkers.local_constraint(schedule, getattr(rule, "reference", None), rule.cooperation))


def _ratio(rule: Any, schedule: Schedule, limit: float | None) -> ClaimResult:
    ratio = getattr(rule, "ratio", 2 - Fraction(1, schedule.federation.n_machines))
    return _at_most(schedule, ratio, limit)


def _at_most(schedule: Schedule, ratio: Fraction, limit: float | None) -> ClaimResult:
    """``C_max <= ratio OPT``."""
    if schedule.makespan <= ratio * lower_bound(schedule.federation):
        return ClaimResult(True)
    best = Optimal().solve(schedule.federation, limit)
    if schedule.makespan <= ratio * best.lower:
        return ClaimResult(True)
    if not best.complete:
        return ClaimResult(None)
    return ClaimResult(False, checkers.Finding(False, value=schedule.makespan, bound=ratio * best.lower))


def _tomos_ratio(rule: Tomos, schedule: Schedule, limit: float | None) -> ClaimResult:
    from ..registry import rules

    base: Schedule = rules("federation")[rule.base].load()().run(schedule.federation)
    series = sum((rule.cooperation**-e for e in range(len(schedule.federation))), Fraction(0))
    bound = base.makespan * series
    finding = checkers.Finding(schedule.makespan <= bound, value=schedule.makespan, bound=bound)
    return _of(finding)


def _constraints(rule: Optimal, schedule: Schedule, limit: float | None) -> ClaimResult:
    return ClaimResult(rule.satisfied(schedule))


def _own_first(rule: Any, schedule: Schedule, limit: float | None) -> ClaimResult:
    latest: dict[tuple[int, int], Fraction] = {}
    slots = schedule.slots()
    for slot in slots:
        if slot.organization == slot.host:
            at = (slot.host, slot.machine)
            latest[at] = max(latest.get(at, Fraction(0)), slot.end)
    for slot in slots:
        bound = latest.get((slot.host, slot.machine), Fraction(0))
        if slot.organization != slot.host and slot.start < bound:
            return ClaimResult(False, checkers.Finding(False, slot.organization, slot.job, slot.start, bound))
    return ClaimResult(True)


def _near_equilibrium(rule: Any, schedule: Schedule, limit: float | None) -> ClaimResult:
    factor = {"lpt": Fraction(3, 2), "listed": Fraction(2), "exact": Fraction(1)}[rule.solver]
    return _stable(rule, schedule, factor)


def _equilibrium(rule: Any, schedule: Schedule, limit: float | None) -> ClaimResult:
    return _stable(rule, schedule, Fraction(1))


def _stable(rule: Any, schedule: Schedule, factor: Fraction) -> ClaimResult:
    """No organization gains more than ``factor`` by moving its jobs, priority to organizations, one machine each."""
    federation = schedule.federation
    rank, placement = organization_ranks(federation, rule.order), schedule.placement
    for k, row in enumerate(federation.sizes):
        if not row:
            continue
        starts = [0] * len(federation)
        for other, hosts in enumerate(placement):
            for i, host in enumerate(hosts):
                if other != k and host != k and (host == other or rank[other] < rank[k]):
                    starts[host] += federation.sizes[other][i]
        bound = factor * least_makespan(row, [starts] * len(row)) * federation.unit
        if schedule.makespans[k] > bound:
            return ClaimResult(False, checkers.Finding(False, k, None, schedule.makespans[k], bound))
    return ClaimResult(True)


CHECKS: dict[str, Check] = {
    "no-job-delayed": _not_delayed,
    "local-constraint": _local,
    "lpt-local-constraint": _local_lpt,
    "spt-local-total-constraint": _local_total_spt,
    "selfishness-restriction": _selfish,
    "approximation-ratio": _ratio,
    "cooperation": _cooperation,
    "tomos-ratio": _tomos_ratio,
    "constraints-met": _constraints,
    "own-jobs-first": _own_first,
    "approximate-equilibrium": _near_equilibrium,
    "exact-equilibrium": _equilibrium,
}
"""Every claim of the catalogue, and those refuted by a schedule; ``pure-equilibrium`` is a question for a search."""
