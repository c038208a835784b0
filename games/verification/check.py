"""Is truth the best reply? One entry for every method.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> domain = Domain.of([1, 2, 3], agents=3)
>>> postpone = check_incentives(build("evcg-postpone", Cluster.of([1, 2])), domain)
>>> postpone.holds, postpone.cases, postpone.max_gain
(True, 1458, Fraction(0, 1))
>>> light = check_incentives(build("light-vcg", Cluster.of([1, 2])), domain, "ex-post")
>>> light.holds, light.max_gain, light.witness.lie, light.witness.lengths
(False, Fraction(1, 1), Fraction(1, 1), (Fraction(1, 1), Fraction(3, 1), Fraction(3, 1)))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from ...mechanisms.declaration.protocol import DeclarationMechanism
from ...support.errors import InputError, unknown_name
from ...support.interrupts import noticed
from ...support.progress import Clock, Progress
from .cost import USUAL, Budget, estimate
from .domain import CONCEPTS, Concept, Domain, check_concept
from .general import Values, check_in_general
from .orbits import plan_domain
from .plans import Plans
from .reduced import check_by_reduction
from .results import METHODS, IncentiveCheck
from .sampling import check_sample
from .truth_tables import check_with_kernel, covers


@dataclass(frozen=True)
class Incentives:
    """Both concepts on one domain."""

    dominant: IncentiveCheck
    ex_post: IncentiveCheck

    @property
    def complete(self) -> bool:
        """Whether both cover the whole domain."""
        return self.dominant.complete and self.ex_post.complete

    @property
    def stopped(self) -> bool:
        """Whether either was cut short by Ctrl-C or the clock."""
        return self.dominant.stopped or self.ex_post.stopped


def check_incentives(
    mechanism: DeclarationMechanism,
    domain: Domain,
    concept: Concept = "dominant",
    *,
    method: str = "auto",
    sample: int | None = None,
    seed: int = 0,
    values: Values = None,
    progress: Progress | None = None,
    time_limit: float | None = None,
    budget: Budget = USUAL,
    plans: Plans | None = None,
) -> IncentiveCheck:
    """Check incentive compatibility on a finite domain.

    Parameters
    ----------
    mechanism
        A built-in mechanism, or any object with ``run(declared, lengths)``.
    domain
        Possible lengths and declarations.
    concept
        ``"dominant"`` (Agmon 2003, definition 4.1) or ``"ex-post"`` (4.2).
    method
        ``"kernel"`` (built-in rules in one round), ``"general"`` (anything), ``"reduction"`` (a proof for
        every allocation rule at once, see :mod:`.reduced`); ``"auto"`` takes the kernel where it applies.
    sample
        Try so many random comparisons instead of all; ``seed`` fixes which.
    values
        The agents' valuations, for a mechanism that has none of its own (the built-in ones are built with them).
    time_limit
        Seconds after which to stop with what there is.
    budget
        Refuse work that is predicted to take more.
    plans
        Plans of an earlier kernel check of the same mechanism and domain, see :func:`plan_domain`.

    Returns
    -------
    IncentiveCheck
        Exact verdict with the number of comparisons and a witness where a lie pays.

    Raises
    ------
    TooLargeError
        The prediction (:func:`.cost.estimate`) is beyond the limits and no sample was asked for.
    InputError, UnknownNameError
        Arguments do not fit together.
    """
    concept, chosen = check_concept(concept), chosen_method(mechanism, method, sample)
    watch: _Watch = {"progress": progress, "clock": Clock(time_limit)}
    if sample is not None:
        return check_sample(mechanism, domain, concept, sample, seed, values=values, **watch)
    if chosen == "reduction":
        return check_by_reduction(mechanism, domain, concept, **watch)
    if chosen == "kernel" and covers(mechanism):
        if plans is None:
            estimate(mechanism, domain, concept).refuse(budget)
            plans = plan_domain(mechanism, domain, concept, **watch)
        return check_with_kernel(mechanism, domain, concept, plans, **watch)
    estimate(mechanism, domain, concept, method="general").refuse(budget)
    return check_in_general(mechanism, domain, concept, values=values, **watch)


class _Watch(TypedDict):
    """Who watches a long check, as every method takes it."""

    progress: Progress | None
    clock: Clock


def chosen_method(mechanism: DeclarationMechanism, method: str, sample: int | None) -> str:
    """The method to take for the one asked for, which must fit the mechanism and the sample."""
    if method not in METHODS:
        raise unknown_name("method", method, METHODS)
    if sample is not None and method not in ("auto", "general"):
        raise InputError(f"sample: found {sample} together with method {method!r}; a sample runs the mechanism itself")
    if method == "kernel" and not covers(mechanism):
        raise InputError(f"method 'kernel': found {type(mechanism).__name__}; expected a built-in rule in one round")
    return method if method != "auto" else "kernel" if covers(mechanism) else "general"


def check_both(
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
    plans: Plans | None = None,
) -> Incentives:
    """Check both concepts; plans are made once. Arguments as in :func:`check_incentives`.

    When the first check is stopped early (Ctrl-C, no time left), the second is not begun and covers nothing.
    """
    clock = Clock(time_limit)
    if plans is None and sample is None and method in ("auto", "kernel") and covers(mechanism):
        estimate(mechanism, domain).refuse(budget)
        plans = plan_domain(mechanism, domain, "dominant", progress=progress, clock=clock)
    answers: list[IncentiveCheck] = []
    with noticed() as interrupted:  # a sample that was cut short looks like a smaller one
        for concept in CONCEPTS:
            if interrupted() or any(answer.stopped for answer in answers):
                done_by = answers[0].method if answers else method
                answers.append(IncentiveCheck.of_nothing(concept, domain.cases(concept), done_by))
                continue
            answers.append(
                check_incentives(
                    mechanism, domain, concept, method=method, sample=sample, seed=seed, values=values,
                    progress=progress, time_limit=clock.left(), budget=budget, plans=plans,
                )
            )  # fmt: skip
    return Incentives(*answers)
