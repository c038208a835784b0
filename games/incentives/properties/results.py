"""What else a mechanism should be: solvent, just, safe near the truth, rational, open to every input.

Definitions (Agmon 2003, chapter 4), on a finite domain and exactly:

``rent_nonnegative`` (4.4), ``budget_balanced`` (4.5)
    The payments sum to at least 0, to 0, for every declaration profile; where payments are only known after the run,
    for every profile of declarations and lengths.
``just`` (4.7)
    Whatever the others declare and are, a truthful agent gets her output no later than planned: T(b, theta) <= T(b, b).
``upper_margin``, ``lower_margin`` (after 4.6)
    Declaring slightly more (less) than the truth changes her utility only slightly. With the declarations fixed, the
    one-sided limit of her utility as her length approaches her declaration from below (from above) equals her
    utility at the truth; others truthful. ``any_others`` has the definition as printed: whatever the others do.
``individually_rational``
    A truthful agent among truthful others never ends below 0; an agent who left ends with 0.
``accepts_every_input`` (4.6 "scalability")
    No declaration is refused and no job is stopped for its size. Killing whoever lies, as the harsh rule does, is a
    punishment and no limit on input; a mechanism of one's own says so with an attribute ``kills_liars = True``.

Limits are exact for the built-in rules: one round by an infinitesimal (:mod:`..kernel.arrays`), two rounds by two
lengths so near the truth that the utility is proved linear between them. So they are for a custom mechanism whose code
adds, compares and multiplies by constants: it is run infinitely near the truth (:mod:`...proofs.programs`). Where it
does something else, two lengths at a small distance are taken without a proof, and the answer says ``exact = False``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from ....support.exact import Extended
from ..domain import Domain, Profile

PROPERTIES = (
    "rent_nonnegative",
    "budget_balanced",
    "just",
    "upper_margin",
    "lower_margin",
    "individually_rational",
    "accepts_every_input",
)
MARGINS = ("upper_margin", "lower_margin")


@dataclass(frozen=True)
class PropertyWitness:
    """A situation in which the property fails.

    Attributes
    ----------
    agent
        Whose case it is, from 0; ``None`` for what concerns the institution.
    declarations, lengths
        Everybody's; ``lengths`` is ``None`` where only declarations matter.
    values
        The numbers that disagree, by name: ``rent``; ``planned`` and ``output``; ``utility`` and ``limit``.
    """

    agent: int | None
    declarations: Profile
    lengths: Profile | None
    values: Mapping[str, Extended]


@dataclass(frozen=True)
class PropertyCheck:
    """Verdict on one property.

    Attributes
    ----------
    name
        One of :data:`PROPERTIES`.
    holds
        ``None`` when nothing was found against it but not everything was tried.
    cases
        Situations tried.
    witness
        One where it fails.
    complete, exact
        Whether the domain was exhausted; whether every number is exact.
    any_others
        Margins: whether the others were arbitrary (Definition 4.6 as printed) and not truthful.
    """

    name: str
    holds: bool | None
    cases: int
    witness: PropertyWitness | None
    complete: bool
    exact: bool = True
    any_others: bool = False


@dataclass(frozen=True)
class Properties:
    """All properties of one mechanism on one domain."""

    rent_nonnegative: PropertyCheck
    budget_balanced: PropertyCheck
    just: PropertyCheck
    upper_margin: PropertyCheck
    lower_margin: PropertyCheck
    individually_rational: PropertyCheck
    accepts_every_input: PropertyCheck
    any_others: Mapping[str, PropertyCheck]

    @property
    def complete(self) -> bool:
        """Whether every answer covers the whole domain."""
        return all(getattr(self, name).complete for name in PROPERTIES) and all(
            check.complete for check in self.any_others.values()
        )


def cases_of(domain: Domain, name: str, any_others: bool = False, in_advance: bool = True) -> int:
    """Number of situations of a property, in closed form.

    >>> cases_of(Domain.of([1, 2], agents=2), "just"), cases_of(Domain.of([1, 2], agents=2), "upper_margin")
    (16, 8)
    """
    agents = range(domain.n_agents)
    truths = [len(own) for own in domain.lengths]
    met = [sum(len(domain.options(n, x)) for x in domain.lengths[n]) for n in agents]
    if name in ("rent_nonnegative", "budget_balanced"):
        return domain.profiles if in_advance else prod(met)
    if name == "accepts_every_input":
        return prod(met)
    if name == "just" or any_others:
        return sum(truths[n] * prod(met[:n] + met[n + 1 :]) for n in agents)
    return domain.n_agents * prod(truths)
