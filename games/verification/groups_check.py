"""Does it pay agents to lie together? One entry for every method.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> domain, pairs = Domain.of([1, 2, 3], agents=2), Coalitions((1, 2))
>>> found = check_groups(build("vcg-postpone", Cluster.of([1])), domain, pairs)
>>> found.dominant.holds, found.dominant.cases, found.ex_post.holds
(False, 180, False)
>>> check_groups(build("vcg-renice", Cluster.of([1])), domain, pairs).ex_post.holds
True
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.protocol import DeclarationMechanism
from ...support.errors import InputError
from ...support.interrupts import noticed
from ...support.progress import Clock, Progress
from .check import chosen_method
from .cost import USUAL, Budget
from .domain import Concept, Domain
from .general import Runs, Values
from .groups_cost import group_cost
from .groups_general import check_groups_by_running
from .groups_sampling import check_groups_by_sample
from .joint_tables import GroupTables
from .orbits import plan_domain
from .plans import Plans
from .results import Coalitions, GroupCheck, cases

Ask = Callable[[Concept], GroupCheck]


@dataclass(frozen=True)
class Groups:
    """The answers on one domain; ``None`` for a concept that was not asked."""

    dominant: GroupCheck | None
    ex_post: GroupCheck | None

    @property
    def checks(self) -> tuple[GroupCheck, ...]:
        """The answers there are."""
        return tuple(check for check in (self.dominant, self.ex_post) if check is not None)

    @property
    def complete(self) -> bool:
        """Whether they cover the whole domain."""
        return all(check.complete for check in self.checks)

    @property
    def stopped(self) -> bool:
        """Whether one was cut short by Ctrl-C or the clock."""
        return any(check.stopped for check in self.checks)


def check_groups(
    mechanism: DeclarationMechanism,
    domain: Domain,
    coalitions: Coalitions,
    *,
    method: str = "auto",
    sample: int | None = None,
    seed: int = 0,
    values: Values = None,
    progress: Progress | None = None,
    time_limit: float | None = None,
    budget: Budget = USUAL,
    plans: Plans | None = None,
) -> Groups:
    """Check group strategyproofness on a finite domain, in the concepts that ``coalitions`` names.

    Parameters
    ----------
    mechanism, domain, values, progress, time_limit, budget
        As for :func:`consortium.games.verification.check_incentives`.
    coalitions
        The sizes, the notion and the concepts.
    method
        ``"kernel"`` (built-in rules in one round), ``"general"`` (anything); ``"auto"`` takes the kernel where it
        applies.
    sample
        Try so many random cases of each concept instead of all; ``seed`` fixes which.
    plans
        Plans of an earlier kernel check of the same mechanism and domain for the concept ``"dominant"``.

    Returns
    -------
    Groups
        Exact verdicts with the number of cases, and a joint lie of largest gain where one pays.

    Raises
    ------
    TooLargeError
        The prediction (:func:`.cost.group_cost`) is beyond the limits and no sample was asked for.
    InputError, UnknownNameError
        Arguments do not fit together.
    """
    chosen, clock = group_method(mechanism, method, sample), Clock(time_limit)
    if sample is None:
        group_cost(mechanism, domain, coalitions, method=chosen, planned=plans is not None).refuse(budget)
    with noticed() as interrupted:
        try:
            ask = _asker(mechanism, domain, coalitions, chosen, sample, seed, values, progress, clock, plans)
        except KeyboardInterrupt:  # while plans or tables were made
            return not_begun(domain, coalitions, chosen)
        found: dict[Concept, GroupCheck] = {}
        for concept in coalitions.concepts:
            if interrupted() or any(check.stopped for check in found.values()):
                found[concept] = _untried(domain, concept, coalitions, chosen)
            else:
                found[concept] = ask(concept)
    return Groups(found.get("dominant"), found.get("ex-post"))


def not_begun(domain: Domain, coalitions: Coalitions, method: str) -> Groups:
    """Answers that cover no case."""
    found = {concept: _untried(domain, concept, coalitions, method) for concept in coalitions.concepts}
    return Groups(found.get("dominant"), found.get("ex-post"))


def _untried(domain: Domain, concept: Concept, coalitions: Coalitions, method: str) -> GroupCheck:
    return GroupCheck.found(concept, 0, cases(domain, concept, coalitions), None, method)


def _asker(
    mechanism: DeclarationMechanism,
    domain: Domain,
    coalitions: Coalitions,
    method: str,
    sample: int | None,
    seed: int,
    values: Values,
    progress: Progress | None,
    clock: Clock,
    plans: Plans | None,
) -> Ask:
    """What answers for one concept; plans, tables and runs serve both."""
    if sample is not None:
        return lambda concept: check_groups_by_sample(
            mechanism, domain, concept, coalitions, sample, seed, values=values, progress=progress, clock=clock
        )
    if method == "kernel":
        assert isinstance(mechanism, OneRound)  # group_method takes the kernel for nothing else
        if plans is None:
            plans = plan_domain(mechanism, domain, progress=progress, clock=clock)
        tables = GroupTables(mechanism, plans, progress)
        return lambda concept: tables.check(concept, coalitions, progress=progress, clock=clock)
    runs = Runs(mechanism, values)
    return lambda concept: check_groups_by_running(runs, domain, concept, coalitions, progress=progress, clock=clock)


def group_method(mechanism: DeclarationMechanism, method: str, sample: int | None) -> str:
    """The method to take for the one asked for, which must fit the mechanism and the sample."""
    if method == "reduction":
        raise InputError(
            "method 'reduction': found together with coalitions; expected kernel or general, as it proves "
            "that no single lie pays and says nothing of joint ones"
        )
    chosen = chosen_method(mechanism, method, sample)
    return "sample" if sample is not None else chosen
