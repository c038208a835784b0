"""Records of incentive checks, and the one convention about gains that every method shares.

A *gain* is what a lie pays over the truth: utility of the lie minus utility of the truth, in the same situation.
Utilities are exact, or ``-inf`` for a job that never ends: a lie that kills a job which the truth completes gains
``-inf``, a lie that saves a job which the truth loses gains ``inf``, and where both lose it the gain is 0.

What is asked of coalitions of agents, and what a check answers.

Model: the agents of a coalition ``S`` agree on declarations ``b_S``, not all of them true, while the others are
truthful (``"ex-post"``) or declare anything (``"dominant"``). The lie *pays* when the members' utilities compare so
with those after the truth of all of ``S``, the others' declarations being the same:

=============  =====================================================================================================
``all-gain``   every member gains; a rule where this never happens is *weakly* group strategyproof
``none-lose``  nobody loses and one gains; without such a case it is *strongly* group strategyproof [Mou80]_
``total``      the gains add up to more than 0, so that with side payments everybody gains
=============  =====================================================================================================

That *some* member gains, whatever it costs the others (``any-gains`` of games), is not asked here: a liar who gains
alone is the question of one agent. A member of a coalition may be truthful, and a coalition may be one agent. Where a
job never ends before and after, the gain is 0; whoever loses her job by the lie can never be paid back. One *case* is
one (true lengths, coalition, others' declarations, joint lie).

References
----------
.. [Mou80] H. Moulin, "On strategy-proofness and single peakedness", Public Choice 35, 1980.

What else a mechanism should be: solvent, just, safe near the truth, rational, open to every input.

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

Limits are exact for the built-in rules: one round by an infinitesimal (:mod:`.machine`), two rounds by two
lengths so near the truth that the utility is proved linear between them. So they are for a custom mechanism whose code
adds, compares and multiplies by constants: it is run infinitely near the truth (:mod:`..proofs.programs`). Where it
does something else, two lengths at a small distance are taken without a proof, and the answer says ``exact = False``.

Records of checks under a prior, and of Bayes-Nash equilibria.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any, Final, Literal, Self, TypeAlias, get_args

from ...mechanisms.declaration.protocol import Outcome, welfare_of
from ...scheduling.goal import Goal
from ...support.errors import InputError, unknown_name
from ...support.exact import INF, Extended
from ..coalitions.results import Notion, pays
from .domain import CONCEPTS, Concept, Domain, Profile

METHODS: Final = ("auto", "kernel", "general", "reduction")
"""What can be asked for."""
Method: TypeAlias = str
"""``"kernel"``, ``"general"``, ``"sample"`` or ``"reduction"``."""


def gain_of(lie: Extended, truth: Extended) -> Extended:
    """Utility of the lie minus utility of the truth; 0 when both are the same infinity.

    >>> import math
    >>> gain_of(Fraction(2), Fraction(3)), gain_of(-math.inf, -math.inf), gain_of(-math.inf, Fraction(0))
    (Fraction(-1, 1), Fraction(0, 1), -inf)
    """
    return Fraction(0) if lie == truth else lie - truth


@dataclass(frozen=True)
class Witness:
    """One situation in which a lie pays, everything needed to play it again.

    Attributes
    ----------
    agent
        Who lies, from 0.
    length, lie
        Her true length and what she declares instead.
    declarations
        Everybody's declarations, with the lie in her place.
    lengths
        Everybody's true lengths.
    utility_truth, utility_lie, gain
        Exact, or infinite; ``gain = utility_lie - utility_truth``.
    """

    agent: int
    length: Fraction
    lie: Fraction
    declarations: Profile
    lengths: Profile
    utility_truth: Extended
    utility_lie: Extended
    gain: Extended

    @property
    def truthful(self) -> Profile:
        """Everybody's declarations when she tells the truth."""
        return (*self.declarations[: self.agent], self.length, *self.declarations[self.agent + 1 :])


@dataclass(frozen=True)
class IncentiveCheck:
    """Verdict of one incentive check.

    Attributes
    ----------
    concept
        ``"dominant"`` or ``"ex-post"``.
    holds
        No lie pays; ``None`` when none was found but not everything was tried.
    cases
        Comparisons of the truth with one lie that this answer covers.
    total
        Comparisons in the whole domain; ``cases == total`` when complete.
    max_gain
        Largest gain from a lie, ``None`` without a case.
    witness
        Situation of the largest gain when a lie pays, the first one in the order: agent, others' declarations,
        others' lengths (the last agent's change fastest), own length, lie.
    method
        How it was found.
    complete
        The answer covers the whole domain.
    seed
        Of a sample, else ``None``.
    note
        What else a reader should know; empty for most.
    open
        The method came to its end without an answer, as the reduction may.
    """

    concept: Concept
    holds: bool | None
    cases: int
    total: int
    max_gain: Extended | None
    witness: Witness | None
    method: Method
    complete: bool
    seed: int | None = None
    exact: bool = True
    note: str = ""
    open: bool = False

    @classmethod
    def of_nothing(cls, concept: Concept, total: int, method: Method, note: str = "", open: bool = False) -> Self:
        """An answer that covers no case."""
        return cls(concept, None, 0, total, None, None, method, False, note=note, open=open)

    @property
    def stopped(self) -> bool:
        """Whether Ctrl-C or the end of the time allowed cut it short; a sample and an open reduction are not that."""
        return not (self.complete or self.open) and self.seed is None


def verdict(max_gain: Extended | None, complete: bool) -> bool | None:
    """``holds`` for a largest gain: False as soon as a lie pays, True only when everything was tried.

    >>> verdict(Fraction(1), False), verdict(Fraction(0), True), verdict(None, False)
    (False, True, None)
    """
    if max_gain is not None and max_gain > 0:
        return False
    return True if complete else None


GroupNotion: TypeAlias = Literal["all-gain", "none-lose", "total"]
GROUP_NOTIONS: Final[tuple[GroupNotion, ...]] = get_args(GroupNotion)


@dataclass(frozen=True)
class Coalitions:
    """Which coalitions are meant, when a lie pays them, and what the others do.

    Raises InputError for ``any-gains``, UnknownNameError for another notion.

    >>> Coalitions.of(2, agents=3).members(3)
    ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2))
    """

    sizes: tuple[int, ...]
    notion: GroupNotion = "all-gain"
    concepts: tuple[Concept, ...] = CONCEPTS

    def __post_init__(self) -> None:
        if str(self.notion) == "any-gains":
            raise InputError(
                "notion: found 'any-gains'; expected all-gain, none-lose or total: a member who gains while others "
                "lose is a liar of her own, which dominant and ex-post ask without coalitions"
            )
        if self.notion not in GROUP_NOTIONS:
            raise unknown_name("notion", self.notion, GROUP_NOTIONS)

    @classmethod
    def of(cls, asked: int | Sequence[int], notion: str = "all-gain", *, agents: int) -> Coalitions:
        """Sizes 1 to a number (at most all agents), or the sizes of a list, none larger than there are agents."""
        meant = range(1, min(asked, agents) + 1) if isinstance(asked, int) else asked
        sizes = tuple(sorted(set(meant)))
        if not sizes or sizes[0] < 1 or sizes[-1] > agents:
            shown = asked if isinstance(asked, int) else ", ".join(map(str, asked)) or "nothing"
            raise InputError(f"coalitions: found {shown}; expected sizes from 1 to {agents}, the number of agents")
        return cls(sizes, notion)  # type: ignore[arg-type]  # which notion it is, is checked when it is made

    def members(self, agents: int) -> tuple[tuple[int, ...], ...]:
        """The coalitions, small ones first, those of one size in lexicographic order."""
        return tuple(one for size in self.sizes for one in itertools.combinations(range(agents), size))

    def gain(self, before: Sequence[Extended], after: Sequence[Extended]) -> Extended | None:
        """What a joint lie gains, from the members' utilities of the truth and of the lie; ``None`` if it does not pay.

        The least member's gain under all-gain, else the sum.

        >>> pair = Coalitions((2,), "total")
        >>> pair.gain([Fraction(-9), Fraction(-9)], [Fraction(-6), Fraction(-7)])
        Fraction(5, 1)
        >>> pair.gain([Fraction(-9), Fraction(-9)], [Fraction(9), -INF]) is None
        True
        """
        if not pays(self._notion, [-u for u in before], [-u for u in after]):
            return None
        gains = [gain_of(lie, truth) for lie, truth in zip(after, before, strict=True)]
        if self.notion == "all-gain":
            return min(gains)
        return INF if INF in gains else sum((Fraction(gain) for gain in gains), start=Fraction(0))

    @property
    def _notion(self) -> Notion:
        return self.notion


def cases(domain: Domain, concept: Concept, coalitions: Coalitions) -> int:
    """Number of (true lengths, coalition, others' declarations, joint lie), in closed form.

    >>> cases(Domain.of([1, 2], agents=2), "dominant", Coalitions((1, 2)))
    28
    """
    agents = range(domain.n_agents)
    free = [sum(len(domain.options(n, x)) for x in own) for n, own in enumerate(domain.lengths)]
    true = [len(own) for own in domain.lengths]
    others = free if concept == "dominant" else true
    found = 0
    for members in coalitions.members(domain.n_agents):
        lies = prod(free[n] for n in members) - prod(true[n] for n in members)
        found += lies * prod(others[k] for k in agents if k not in members)
    return found


@dataclass(frozen=True)
class Transfer:
    """A side payment: ``payer`` gives ``amount`` to ``payee``; agents count from 0."""

    payer: int
    payee: int
    amount: Fraction


@dataclass(frozen=True)
class GroupWitness:
    """One joint lie that pays, everything needed to play it again.

    Attributes
    ----------
    members
        Who agrees on it, from 0, ascending.
    declarations, lengths
        Everybody's, the lie in the members' places.
    utilities_truth, utilities_lie
        Of the members, in their order.
    gain
        The least member's under all-gain, else the sum.
    """

    members: tuple[int, ...]
    declarations: Profile
    lengths: Profile
    utilities_truth: tuple[Extended, ...]
    utilities_lie: tuple[Extended, ...]
    gain: Extended

    @property
    def truthful(self) -> Profile:
        """Everybody's declarations when the members tell the truth."""
        return tuple(self.lengths[n] if n in self.members else b for n, b in enumerate(self.declarations))

    def transfers(self) -> tuple[Transfer, ...]:
        """Who pays whom after a lie that pays in total, so that everybody gains.

        All members gain the same then; where somebody's gain is infinite, she pays those who do not gain so much that
        each gains 1.

        >>> truth, lie = (Fraction(-4), Fraction(-4)), (Fraction(0), Fraction(-5))
        >>> GroupWitness((0, 1), (), (), truth, lie, Fraction(3)).transfers()
        (Transfer(payer=0, payee=1, amount=Fraction(5, 2)),)
        """
        gains = [gain_of(lie, truth) for lie, truth in zip(self.utilities_lie, self.utilities_truth, strict=True)]
        if INF in gains:
            rich = self.members[gains.index(INF)]
            return tuple(
                Transfer(rich, n, 1 - Fraction(gain))
                for n, gain, has in zip(self.members, gains, self.utilities_lie, strict=True)
                if gain <= 0 and abs(has) != INF
            )
        poor = [k for k, has in enumerate(self.utilities_lie) if abs(has) == INF]  # no payment changes what they have
        share = Fraction(self.gain) / (len(gains) - len(poor))
        known = enumerate(zip(self.members, gains, strict=True))
        over = {n: Fraction(gain) - share for k, (n, gain) in known if k not in poor}
        return tuple(_settled(over))


def _settled(over: dict[int, Fraction]) -> list[Transfer]:
    """Payments from those who have too much to those who have too little, each settling somebody."""
    paid: list[Transfer] = []
    while any(over.values()):
        payer = next(n for n, has in over.items() if has > 0)
        payee = next(n for n, has in over.items() if has < 0)
        amount = min(over[payer], -over[payee])
        paid.append(Transfer(payer, payee, amount))
        over[payer] -= amount
        over[payee] += amount
    return paid


@dataclass(frozen=True)
class GroupCheck:
    """Verdict on the coalitions of one check in one concept.

    Attributes
    ----------
    concept
        ``"dominant"`` or ``"ex-post"``.
    holds
        No joint lie pays; ``None`` when none was found but not everything was tried.
    cases, total
        Cases that this answer covers, and those of the whole domain.
    witness
        A case of largest gain when a lie pays: the first one in the order of coalitions (small ones first), true
        lengths, others' declarations, joint lie.
    method
        ``"kernel"``, ``"general"`` or ``"sample"``.
    complete
        The answer covers the whole domain.
    seed
        Of a sample, else ``None``.
    """

    concept: Concept
    holds: bool | None
    cases: int
    total: int
    witness: GroupWitness | None
    method: Method
    complete: bool
    seed: int | None = None

    @classmethod
    def found(
        cls, concept: Concept, cases: int, total: int, witness: GroupWitness | None, method: Method
    ) -> GroupCheck:
        """What ``cases`` of ``total`` say."""
        complete = cases == total
        holds = False if witness is not None else True if complete else None
        return cls(concept, holds, cases, total, witness, method, complete)

    @property
    def max_gain(self) -> Extended | None:
        """Largest gain of a lie that pays, ``None`` where none does."""
        return None if self.witness is None else self.witness.gain

    @property
    def stopped(self) -> bool:
        """Whether Ctrl-C or the end of the time allowed cut it short; a sample is not that."""
        return not self.complete and self.seed is None


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


Played: TypeAlias = Callable[[Profile, Profile], Outcome]
"""What becomes of declarations and true lengths."""
Strategy: TypeAlias = Mapping[Fraction, Fraction]
"""What an agent declares, by her length."""
Interim: TypeAlias = Mapping[Fraction, Mapping[Fraction, Extended]]
"""An agent's expected utility, by her length and what she declares."""


def welfare(outcome: Outcome, goal: Goal) -> Any:
    """Final welfare, by ``goal`` where the mechanism does not tell."""
    return welfare_of(goal, outcome.output) if outcome.welfare is None else outcome.welfare


@dataclass(frozen=True)
class InterimWitness:
    """A lie that pays in expectation.

    Attributes
    ----------
    agent
        Who lies, from 0.
    length, lie
        Her true length and what she declares instead.
    interim_truth, interim_lie
        What she expects of either, the others being truthful.
    """

    agent: int
    length: Fraction
    lie: Fraction
    interim_truth: Extended
    interim_lie: Extended


@dataclass(frozen=True)
class Expected:
    """What everybody expects before knowing her own length, all being truthful; ``None`` where it is no number."""

    utilities: tuple[Extended | None, ...]
    rent: Extended | None
    welfare: Extended | None


@dataclass(frozen=True)
class BayesianCheck:
    """Verdict of a check of Bayesian incentive compatibility.

    Attributes
    ----------
    holds
        No lie pays in expectation; ``None`` when none was found but not everything was tried.
    cases, total
        Comparisons of an expectation at the truth with one at a lie: those covered, and all of them.
    max_gain
        Largest expected gain from a lie, ``None`` without a case.
    witness
        Where it is, if it is positive: the first one by agent, length and lie.
    interim
        Per agent what she expects; an unfinished check has the lengths that it came to.
    least
        Least expected utility of a truthful agent who knows her length; ``None`` when unfinished.
    expected
        The same before she knows it; ``None`` when unfinished.
    method
        ``"kernel"``, ``"general"``, or ``"sample"``, which tries nothing.
    """

    holds: bool | None
    cases: int
    total: int
    max_gain: Extended | None
    witness: InterimWitness | None
    interim: tuple[Interim, ...]
    least: Extended | None
    expected: Expected | None
    method: str

    @property
    def complete(self) -> bool:
        """Whether the answer covers everything."""
        return self.expected is not None


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
