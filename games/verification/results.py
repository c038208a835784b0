"""What can be asked of a mechanism on a domain, what an answer says, and what shows it.

*Truth*: does a lie pay? A *gain* is what a lie pays over the truth: utility of the lie minus utility of the truth, in
the same situation. Utilities are exact, or ``-inf`` for a job that never ends: a lie that kills a job which the truth
completes gains ``-inf``, a lie that saves a job which the truth loses gains ``inf``, and where both lose it the gain is
0. One *case* is one comparison of the truth with one lie. Joint lies: :mod:`.coalitions`.

*Properties* (Agmon 2003, chapter 4), on a finite domain and exactly:

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
    punishment and no limit on input; a custom mechanism says so with an attribute ``kills_liars = True``.
``feasible``
    A schedule on the cluster can keep everybody's output time (:mod:`consortium.scheduling.deadlines`), whatever is
    declared and whatever the lengths are. The built-in rules make a schedule, so theirs do. Of a mechanism that does
    not say on which machines it runs nothing is said.
``priced_in_advance``
    Nobody's payment depends on lengths: it is what it would be if all declarations were true.

Limits are exact for the built-in rules: one round by an infinitesimal (:mod:`.machine`), two rounds by two lengths so
near the truth that the utility is proved linear between them. So they are for a custom mechanism whose code adds,
compares and multiplies by constants: it is run infinitely near the truth (:mod:`..proofs.programs`). Where it does
something else, two lengths at a small distance are taken without a proof, and the answer says ``exact = False``.

*Prior*: does a lie pay in expectation, the others being truthful? One case is one agent, length and lie.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, Final, Generic, Self, TypeAlias, TypeVar

from ...mechanisms.declaration.protocol import Outcome
from ...support.exact import Extended
from .domain import Profile, with_entry

METHODS: Final = ("auto", "kernel", "general")
"""Ways to check, of which ``auto`` takes one; a sample is none of them."""
MARGINS = ("upper_margin", "lower_margin")

Played: TypeAlias = Callable[[Profile, Profile], Outcome]
"""What becomes of declarations and true lengths."""
Strategy: TypeAlias = Mapping[Fraction, Fraction]
"""What an agent declares, by her length."""
Interim: TypeAlias = Mapping[Fraction, Mapping[Fraction, Extended]]
"""An agent's expected utility, by her length and what she declares."""
W = TypeVar("W")
A = TypeVar("A", bound="Check[Any] | None")


def gain_of(lie: Extended, truth: Extended) -> Extended:
    """Utility of the lie minus utility of the truth; 0 when both are the same infinity.

    >>> import math
    >>> gain_of(Fraction(2), Fraction(3)), gain_of(-math.inf, -math.inf), gain_of(-math.inf, Fraction(0))
    (Fraction(-1, 1), Fraction(0, 1), -inf)
    """
    return Fraction(0) if lie == truth else lie - truth


# answers ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Check(Generic[W]):
    """Verdict on one question.

    Attributes
    ----------
    name
        A concept, ``"dominant"`` or ``"ex-post"``, one of :data:`PROPERTIES`, or ``"bayesian"``.
    holds
        Nothing speaks against it; ``None`` when nothing was found but not everything was tried.
    cases, total
        Cases that this answer covers, and those of the whole domain.
    witness
        A case that refutes it. Of a lie: one of largest gain, the first in the order agent, others' declarations,
        others' lengths (the last agent's change fastest), own length, lie. Of a joint lie: coalition (small ones
        first), true lengths, others' declarations, joint lie.
    max_gain
        Largest gain from a lie, ``None`` without a case; of joint lies and properties ``None`` without a witness.
    method
        ``"kernel"``, ``"general"`` or ``"sample"``.
    complete
        The answer covers the whole domain.
    seed
        Of a sample, else ``None``.
    exact
        Every number is exact, which of all limits may not be.
    """

    name: str
    holds: bool | None
    cases: int
    total: int
    witness: W | None
    max_gain: Extended | None
    method: str
    complete: bool
    seed: int | None = None
    exact: bool = True

    @classmethod
    def of_nothing(cls, name: str, total: int, method: str, complete: bool = False) -> Self:
        """An answer that covers no case."""
        return cls(name, None, 0, total, None, None, method, complete)

    @property
    def stopped(self) -> bool:
        """Whether Ctrl-C or the end of the time allowed cut it short; a sample is not that."""
        return not self.complete and self.seed is None


@dataclass(frozen=True)
class ByConcept(Generic[A]):
    """The answers in both concepts; ``None`` for one that was not requested."""

    dominant: A
    ex_post: A

    @property
    def checks(self) -> tuple[Check[Any], ...]:
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


@dataclass(frozen=True)
class Properties:
    """All properties of one mechanism on one domain."""

    rent_nonnegative: Check[PropertyWitness]
    budget_balanced: Check[PropertyWitness]
    just: Check[PropertyWitness]
    upper_margin: Check[PropertyWitness]
    lower_margin: Check[PropertyWitness]
    individually_rational: Check[PropertyWitness]
    accepts_every_input: Check[PropertyWitness]
    feasible: Check[PropertyWitness]
    priced_in_advance: Check[PropertyWitness]
    any_others: Mapping[str, Check[PropertyWitness]]

    @property
    def complete(self) -> bool:
        """Whether every answer covers the whole domain."""
        return all(
            check.complete for check in (*(getattr(self, name) for name in PROPERTIES), *self.any_others.values())
        )


PROPERTIES = tuple(field.name for field in fields(Properties) if field.name != "any_others")


# one liar, and properties -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Lie:
    """Who lies, from 0, her true length and what she declares instead."""

    agent: int
    length: Fraction
    lie: Fraction


@dataclass(frozen=True)
class Witness(Lie):
    """One situation in which a lie pays, everything needed to play it again.

    Attributes
    ----------
    declarations
        Everybody's declarations, with the lie in her place.
    lengths
        Everybody's true lengths.
    utility_truth, utility_lie, gain
        Exact, or infinite; ``gain = utility_lie - utility_truth``.
    """

    declarations: Profile
    lengths: Profile
    utility_truth: Extended
    utility_lie: Extended
    gain: Extended

    @property
    def truthful(self) -> Profile:
        """Everybody's declarations when she tells the truth."""
        return with_entry(self.declarations, self.agent, self.length)


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
        The numbers that disagree, by name: ``rent``; ``planned`` and ``output``; ``utility`` and ``limit``; ``work`` of
        all ``members`` and what is ``possible`` of it by their output times; ``payment_as_declared`` and ``payment``.
    members
        Whose jobs cannot all end in time.
    """

    agent: int | None
    declarations: Profile
    lengths: Profile | None
    values: Mapping[str, Extended]
    members: tuple[int, ...] = ()


# priors -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class InterimWitness(Lie):
    """A lie that pays in expectation: what she expects of the truth and of the lie, the others being truthful."""

    interim_truth: Extended
    interim_lie: Extended

    @property
    def gain(self) -> Extended:
        """What she expects to gain."""
        return gain_of(self.interim_lie, self.interim_truth)


@dataclass(frozen=True)
class Expected:
    """What everybody expects before knowing her own length, all being truthful; ``None`` where it is no number."""

    utilities: tuple[Extended | None, ...]
    rent: Extended | None
    welfare: Extended | None


@dataclass(frozen=True)
class BayesianCheck(Check[InterimWitness]):
    """Verdict on Bayesian incentive compatibility; its gains are expected ones.

    Attributes
    ----------
    interim
        Per agent what she expects; an unfinished check has the lengths that it came to.
    least
        Least expected utility of a truthful agent who knows her length; ``None`` when unfinished.
    expected
        The same before she knows it; ``None`` when unfinished.
    """

    interim: tuple[Interim, ...] = ()
    least: Extended | None = None
    expected: Expected | None = None


@dataclass(frozen=True)
class BayesOutcome:
    """Strategies by agent, and the expected social cost."""

    strategies: tuple[Strategy, ...]
    social_cost: Extended


@dataclass(frozen=True)
class BayesNash:
    """Pure Bayes-Nash equilibria.

    Attributes
    ----------
    profiles
        Number of profiles of strategies.
    count
        Number of equilibria; ``None`` when unfinished.
    best, worst
        Those of least and of largest expected social cost, the first ones; ``None`` without an equilibrium, when
        unfinished, and where welfare is no number.
    first_best
        Expected least social cost where all lengths are known; ``None`` where welfare is no number, or unfinished.
    price_of_anarchy
        Worst over first best; ``None`` unless both are positive numbers.
    complete
        Whether everything was answered.
    """

    profiles: int
    count: int | None
    best: BayesOutcome | None
    worst: BayesOutcome | None
    first_best: Extended | None
    price_of_anarchy: Fraction | None
    complete: bool
