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

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final, TypeAlias

from ...agents.organizations import Federation
from ...scheduling.ready_times import least_makespan
from ...support.errors import check_name
from . import checkers
from .checkers import Finding
from .coordination import free_from, organization_ranks
from .optimal import Optimal
from .relaxed import Tomos
from .schedule import LocalOrder, Schedule, lower_bound, sharp_ratio

Check: TypeAlias = Callable[[Any, Schedule, "float | None"], Finding]


def check(claim: str, rule: Any, schedule: Schedule, time_limit: float | None = None) -> Finding:
    """Check one claim of a rule on the schedule it made; raises UnknownNameError for a claim without a check."""
    check_name("claim", claim, CHECKS)
    return CHECKS[claim](rule, schedule, time_limit)


def proved_ratio(rule: Any, federation: Federation) -> Fraction:
    """The factor of the optimum that a central rule is proved to stay within: its own, the sharp one, or 2 - 1/M."""
    own: Fraction | None = getattr(rule, "ratio", None)
    if own is not None:
        return Fraction(own)
    if getattr(rule, "local_order", None) == "lpt" and max(federation.machines) == 1:
        return sharp_ratio(federation.machines)
    return 2 - Fraction(1, federation.n_machines)


def _ratio(rule: Any, schedule: Schedule, limit: float | None) -> Finding:
    """``C_max <= ratio OPT``."""
    ratio = proved_ratio(rule, schedule.federation)
    if schedule.makespan <= ratio * lower_bound(schedule.federation):
        return Finding(True)
    best = Optimal().solve(schedule.federation, limit)
    if schedule.makespan <= ratio * best.lower:
        return Finding(True)
    if not best.complete:
        return Finding(None)
    return Finding(False, value=schedule.makespan, bound=ratio * best.lower)


def _tomos_ratio(rule: Tomos, schedule: Schedule, limit: float | None) -> Finding:
    bound = rule.base_schedule(schedule.federation).makespan * sum(
        (rule.cooperation**-e for e in range(len(schedule.federation))), Fraction(0)
    )
    return Finding(schedule.makespan <= bound, value=schedule.makespan, bound=bound)


def _own_first(rule: Any, schedule: Schedule, limit: float | None) -> Finding:
    latest: dict[tuple[int, int], Fraction] = {}
    slots = schedule.slots()
    for slot in slots:
        if slot.organization == slot.host:
            at = (slot.host, slot.machine)
            latest[at] = max(latest.get(at, Fraction(0)), slot.end)
    for slot in slots:
        bound = latest.get((slot.host, slot.machine), Fraction(0))
        if slot.organization != slot.host and slot.start < bound:
            return Finding(False, slot.organization, slot.job, slot.start, bound)
    return Finding(True)


RATIOS = {"lpt": Fraction(3, 2), "listed": Fraction(2), "exact": Fraction(1)}
"""By solver the factor of the equilibrium that it makes."""


def _stable(rule: Any, schedule: Schedule, factor: Fraction) -> Finding:
    """No organization gains more than ``factor`` by moving its jobs, priority to organizations, one machine each."""
    federation = schedule.federation
    rank, placement = organization_ranks(federation, rule.order), schedule.placement
    for k, row in enumerate(federation.sizes):
        if not row:
            continue
        starts = free_from(federation, placement, rank, k)
        bound = factor * least_makespan(row, [starts] * len(row)) * federation.unit
        if schedule.makespans[k] > bound:
            return Finding(False, k, None, schedule.makespans[k], bound)
    return Finding(True)


def local_order(rule: Any) -> LocalOrder:
    """In which order a rule's organizations run their jobs alone; longest first where it says none."""
    return getattr(rule, "local_order", "lpt")


NEEDS: Final[Mapping[str, tuple[str, str]]] = {
    "cooperation": ("cooperation", "a degree of cooperation"),
    "tomos-ratio": ("base_schedule", "a schedule that they start from"),
    "constraints-met": ("satisfied", "constraints that they are asked for"),
    "approximate-equilibrium": ("solver", "a solver for each organization"),
    "exact-equilibrium": ("solver", "a solver for each organization"),
}
"""By claim what a rule must have to be judged by it: the name of an attribute, and what it is."""


def judges(claim: str, rule: Any) -> bool:
    """Whether a claim has a check, and the rule has what this reads of it."""
    return claim in CHECKS and (claim not in NEEDS or hasattr(rule, NEEDS[claim][0]))


CHECKS: dict[str, Check] = {
    "no-job-delayed": lambda rule, schedule, _: checkers.no_job_delayed(schedule, local_order(rule)),
    "local-constraint": lambda rule, schedule, _: checkers.local_constraint(schedule, local_order(rule)),
    "lpt-local-constraint": lambda rule, schedule, _: checkers.local_constraint(schedule, "lpt"),
    "spt-local-total-constraint": lambda rule, schedule, _: checkers.local_total_constraint(schedule, "spt"),
    "selfishness-restriction": lambda rule, schedule, _: checkers.selfishness_restriction(schedule, "strict"),
    "approximation-ratio": _ratio,
    "cooperation": lambda rule, schedule, _: checkers.local_constraint(
        schedule, getattr(rule, "reference", None), rule.cooperation
    ),
    "tomos-ratio": _tomos_ratio,
    "constraints-met": lambda rule, schedule, _: Finding(rule.satisfied(schedule)),
    "own-jobs-first": _own_first,
    "approximate-equilibrium": lambda rule, schedule, _: _stable(rule, schedule, RATIOS[rule.solver]),
    "exact-equilibrium": lambda rule, schedule, _: _stable(rule, schedule, Fraction(1)),
}
"""Every claim of the catalogue, and those refuted by a schedule; ``pure-equilibrium`` is a question for a search."""
