"""Everything that can be asked of a mechanism on one domain, plans made once, one Ctrl-C for all.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> found = audit(build("vcg-postpone", Cluster.of([1, 2])), Domain.of([1, 2], agents=2))
>>> found.incentives.dominant.holds, found.properties.just.holds, found.complete
(True, True, True)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...mechanisms.declaration.protocol import DeclarationMechanism
from ...scheduling.goal import Goal
from ...support.interrupts import noticed
from ...support.progress import Clock, Progress
from .bayesian_check import check_bayesian, estimate_bayesian, untried
from .check import Incentives, check_both, chosen_method
from .cost import USUAL, Budget, Estimate, estimate
from .domain import CONCEPTS, Domain
from .general import Values
from .groups_check import Groups, check_groups, group_method, not_begun
from .groups_cost import group_cost
from .orbits import plan_domain
from .prior import Prior
from .properties_check import check_properties, not_tried
from .properties_running import running_costs
from .results import BayesianCheck, Coalitions, IncentiveCheck, Properties
from .truth_tables import covers


@dataclass(frozen=True)
class Audit:
    """Both concepts of incentive compatibility, all properties, and what else was asked about.

    ``bayesian``: expectations where there is a prior; ``groups``: coalitions.
    """

    incentives: Incentives
    properties: Properties
    bayesian: BayesianCheck | None = None
    groups: Groups | None = None

    @property
    def complete(self) -> bool:
        """Whether every answer covers the whole domain."""
        asked = (self.incentives, self.properties, self.bayesian, self.groups)
        return all(part is None or part.complete for part in asked)


def costs(
    mechanism: DeclarationMechanism,
    domain: Domain,
    *,
    method: str = "auto",
    sample: int | None = None,
    prior: Prior | None = None,
    coalitions: Coalitions | None = None,
) -> tuple[Estimate, ...]:
    """Predictions for the parts of an audit, in the order in which it refuses them; a sample is never refused.

    Raises what :func:`audit` raises for arguments that do not fit together.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> [part.method for part in costs(build("harsh", Cluster.of([1])), Domain.of([1, 2], agents=2))]
    ['kernel']
    """
    chosen = chosen_method(mechanism, method, sample)
    groups = [] if coalitions is None else [_group_part(mechanism, domain, coalitions, method, sample)]
    if sample is not None:
        return (estimate(mechanism, domain, sample=sample), *groups)
    parts = [estimate(mechanism, domain)] if covers(mechanism) else []
    if chosen == "general":
        parts += [estimate(mechanism, domain, concept, method="general") for concept in CONCEPTS]
    if not covers(mechanism):
        parts += running_costs(mechanism, domain)
    if prior is not None:
        parts.append(estimate_bayesian(mechanism, domain, prior, chosen))
    return (*parts, *groups)


def affordable(parts: Iterable[Estimate], method: str, budget: Budget) -> bool:
    """Whether an audit can make its tables; otherwise a clock ends it, and case after case is run until then.

    Raises TooLargeError, for the first part that is too large, where there is no such way.
    """
    parts = tuple(parts)
    if method == "auto" and budget.seconds is None and any(map(budget.too_small, parts)):
        return False
    for part in parts:
        part.refuse(budget)
    return True


def _group_part(
    mechanism: DeclarationMechanism, domain: Domain, coalitions: Coalitions, method: str, sample: int | None
) -> Estimate:
    """The prediction for coalitions; an audit has plans by then."""
    how = group_method(mechanism, method, sample)
    return group_cost(mechanism, domain, coalitions, method=how, sample=sample, planned=True)


def audit(
    mechanism: DeclarationMechanism,
    domain: Domain,
    *,
    method: str = "auto",
    sample: int | None = None,
    seed: int = 0,
    values: Values = None,
    progress: Progress | None = None,
    time_limit: float | None = None,
    budget: Budget = USUAL,
    prior: Prior | None = None,
    goal: Goal | None = None,
    coalitions: Coalitions | None = None,
) -> Audit:
    """Check both concepts and all properties; arguments as in :func:`.check.check_incentives`.

    With a ``prior`` expectations come first, as in :func:`.bayesian_check.check_bayesian`; a sample
    tries none of them. ``coalitions``: check these, too.

    After Ctrl-C, or when time is up, what comes next is not begun: its answers are open, with no case tried.
    """
    clock = Clock(time_limit)
    plans = None
    tables = True
    if sample is None:
        parts = costs(mechanism, domain, method=method, prior=prior, coalitions=coalitions)
        tables = affordable(parts, method, budget)
    if not tables:
        method, budget = "general", Budget(None, None)  # which remembers no more than there is time to run
    if sample is None and tables and covers(mechanism):
        plans = plan_domain(mechanism, domain, progress=progress, clock=clock)
    bayesian = None if prior is None else untried(domain, prior, "sample")
    groups = None if coalitions is None else not_begun(domain, coalitions, method)
    with noticed() as interrupted:
        if prior is not None and sample is None:
            bayesian = check_bayesian(
                mechanism, domain, prior, method=chosen_method(mechanism, method, sample), values=values, goal=goal,
                progress=progress, clock=clock, plans=plans,
            )  # fmt: skip
        if interrupted():
            nothing = (IncentiveCheck.of_nothing(concept, domain.cases(concept), method) for concept in CONCEPTS)
            return Audit(Incentives(*nothing), not_tried(), bayesian, groups)
        incentives = check_both(
            mechanism, domain, method=method, sample=sample, seed=seed, values=values, progress=progress,
            time_limit=clock.left(), budget=budget, plans=plans if method in ("auto", "kernel") else None,
        )  # fmt: skip
        stopped = interrupted() or incentives.stopped
        if coalitions is not None and not stopped:
            groups = check_groups(
                mechanism, domain, coalitions, method=method, sample=sample, seed=seed, values=values,
                progress=progress, time_limit=clock.left(), budget=Budget(None, budget.bytes), plans=plans,
            )  # fmt: skip
            stopped = interrupted() or groups.stopped
    if stopped or not tables:
        return Audit(incentives, not_tried(), bayesian, groups)
    properties = check_properties(
        mechanism, domain, sample=sample, seed=seed, values=values, progress=progress, clock=clock, plans=plans,
        budget=budget,
    )  # fmt: skip
    return Audit(incentives, properties, bayesian, groups)
