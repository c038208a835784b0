"""The properties of a mechanism on a domain, by whichever way is open; :mod:`.results` has the definitions.

Two ways: the cost tables of the kernel (:mod:`.by_tables`) for the built-in rules in one round, and running the
mechanism in every situation or in a sample of them (:mod:`.by_running`) for any other.
"""

from __future__ import annotations

from collections.abc import Callable

from ...mechanisms.declaration.protocol import DeclarationMechanism
from ...support.errors import unknown_name
from ...support.progress import Clock, Progress
from .cost import USUAL, Budget
from .domain import Domain
from .general import Values
from .orbits import plan_domain
from .plans import Plans
from .properties_running import check_by_running
from .property_tables import check_with_tables
from .results import MARGINS, PROPERTIES, Properties, PropertyCheck
from .truth_tables import covers


def check_property(
    mechanism: DeclarationMechanism,
    domain: Domain,
    name: str,
    *,
    any_others: bool = False,
    sample: int | None = None,
    seed: int = 0,
    values: Values = None,
    progress: Progress | None = None,
    clock: Clock | None = None,
    plans: Plans | None = None,
    budget: Budget = USUAL,
) -> PropertyCheck:
    """Check one property on a domain, by the tables of the kernel where it applies, else by running everything.

    ``any_others`` is for the margins. ``sample``: so many random situations instead of all. ``plans``: those of an
    earlier check of the same mechanism and domain (:func:`.orbits.plan_domain`). ``budget``: refuse what is
    predicted to take more. Raises UnknownNameError for
    another property, InputError when the mechanism refuses a declaration (``accepts_every_input`` reports that),
    TooLargeError when the tables do not fit.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> check = check_property(build("vcg-postpone", Cluster.of([1])), Domain.of([1, 2], agents=2), "lower_margin")
    >>> check.holds, check.cases, check.witness.agent, check.witness.lengths, check.witness.values
    (False, 8, 0, (Fraction(1, 1), Fraction(1, 1)), {'utility': Fraction(-3, 1), 'limit': Fraction(-4, 1)})
    """
    if name not in PROPERTIES:
        raise unknown_name("property", name, PROPERTIES)
    any_others = any_others and name in MARGINS
    if sample is None and covers(mechanism):
        return check_with_tables(mechanism, domain, name, any_others, plans=plans, progress=progress, clock=clock)
    return check_by_running(
        mechanism, domain, name, any_others, sample=sample, seed=seed, values=values, progress=progress, clock=clock,
        budget=budget,
    )  # fmt: skip


def check_properties(
    mechanism: DeclarationMechanism,
    domain: Domain,
    *,
    sample: int | None = None,
    seed: int = 0,
    values: Values = None,
    progress: Progress | None = None,
    clock: Clock | None = None,
    plans: Plans | None = None,
    budget: Budget = USUAL,
) -> Properties:
    """Check all of :data:`PROPERTIES`, and the margins again with arbitrary others; plans are made once.

    A property that is stopped by Ctrl-C or the clock is the last one tried.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> answer = check_properties(build("harsh", Cluster.of([1])), Domain.of([1, 2], agents=2))
    >>> [name for name in PROPERTIES if not getattr(answer, name).holds]
    ['upper_margin', 'lower_margin', 'individually_rational']
    """
    if plans is None and sample is None and covers(mechanism):
        plans = plan_domain(mechanism, domain, progress=progress, clock=clock)

    stopped = False

    def one(name: str, any_others: bool = False) -> PropertyCheck:
        nonlocal stopped
        if stopped:
            return _open(name, any_others)
        found = check_property(
            mechanism, domain, name, any_others=any_others, sample=sample, seed=seed, values=values,
            progress=progress, clock=clock, plans=plans, budget=budget,
        )  # fmt: skip
        stopped = sample is None and not found.complete
        return found

    return _gather(one)


def not_tried() -> Properties:
    """All properties open, as after a stop before the first of them."""
    return _gather(_open)


def _open(name: str, any_others: bool = False) -> PropertyCheck:
    return PropertyCheck(name, None, 0, None, False, any_others=any_others)


def _gather(one: Callable[..., PropertyCheck]) -> Properties:
    found = {name: one(name) for name in PROPERTIES}
    return Properties(**found, any_others={name: one(name, any_others=True) for name in MARGINS})
