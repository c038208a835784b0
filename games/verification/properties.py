"""The properties of a mechanism case by case, by running it (:mod:`.results` has the definitions)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any, TypeAlias

import numpy as np

from ...mechanisms.custom import call
from ...mechanisms.declaration.claims import AFTER_THE_RUN
from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.protocol import DeclarationMechanism
from ...mechanisms.declaration.two_rounds import TwoRounds, one_round_of
from ...support.errors import InputError, MechanismError, TooLargeError
from ...support.exact import Extended
from ..proofs.programs import Limits
from .domain import Domain, Profile
from .results import PropertyWitness
from .running import Judge, Runs, with_entry

Situation: TypeAlias = tuple[int | None, Profile, Profile]
"""Agent (``None``: nobody's), declarations, lengths."""
OF_PAYMENTS = ("rent_nonnegative", "budget_balanced")
OF_INSTITUTION = (*OF_PAYMENTS, "accepts_every_input")
NEAR = Fraction(1, 2**20)
"""Distance from the truth, relative to the declaration, that is taken for code that is not piecewise linear."""


class Property(Judge[Situation, PropertyWitness]):
    """Whether a property holds; with ``any_others`` a margin's others are arbitrary.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> one = (Fraction(1),)
    >>> runs = Runs(build("light-vcg", Cluster.of([1])))
    >>> Property(runs, Domain.of([1], agents=1), "individually_rational").look((0, one, one)).values
    {'utility': Fraction(-1, 1)}
    """

    def __init__(self, runs: Runs, domain: Domain, name: str, any_others: bool = False) -> None:
        self.mechanism: Any = runs.mechanism
        of_institution = name in OF_INSTITUTION
        self.only_declared = name in OF_PAYMENTS and pays_in_advance(runs, domain)
        self.anything = any_others or name == "just" or (of_institution and not self.only_declared)
        self.agents: Sequence[int | None] = [None] if of_institution else range(domain.n_agents)
        super().__init__(runs, domain, name, 0)
        self.any_others, self.total = any_others, sum(map(self.cases, self.agents))

    def cases(self, agent: int | None) -> int:
        """Number of situations of an agent, or of the institution."""
        return prod(map(len, self._lists(agent)))

    def every(self) -> Iterator[tuple[int, Situation]]:
        """All situations, agent by agent."""
        for agent in self.agents:
            for pairs in itertools.product(*self._lists(agent)):
                yield 1, (agent, tuple(b for b, _ in pairs), tuple(x for _, x in pairs))

    def random(self, size: int, rng: np.random.Generator) -> Iterator[Situation]:
        """Every agent equally often."""
        for count in range(size):
            agent = self.agents[count % len(self.agents)]
            pairs = [own[int(rng.integers(len(own)))] for own in self._lists(agent)]
            yield agent, tuple(b for b, _ in pairs), tuple(x for _, x in pairs)

    def _lists(self, agent: int | None) -> list[list[tuple[Fraction, Fraction]]]:
        """What each agent may declare and be."""
        domain = self.domain
        if self.only_declared:
            return [[(b, b) for b in own] for own in domain.universe]
        return [
            [(b, x) for b in domain.universe[n] for x in domain.partners(n, b)]
            if self.anything and n != agent
            else [(x, x) for x in domain.lengths[n]]
            for n in range(domain.n_agents)
        ]

    def look(self, case: Situation) -> PropertyWitness | None:
        """Evidence against the property in a situation."""
        agent, declared, lengths = case
        if agent is None:
            if self.name == "accepts_every_input":
                return self._refused(declared, lengths)
            return self._rent(declared, lengths)
        if self.name == "just":
            return self._late(agent, declared, lengths)
        if self.name == "individually_rational":
            utility = self.runs.utilities(declared, lengths)[agent]
            return PropertyWitness(agent, declared, lengths, {"utility": utility}) if utility < 0 else None
        return self._jump(agent, declared, lengths, -1 if self.name == "upper_margin" else 1)

    def _rent(self, declared: Profile, lengths: Profile) -> PropertyWitness | None:
        rent = self.runs.outcome(declared, lengths).rent
        fine = rent >= 0 if self.name == "rent_nonnegative" else rent == 0
        return None if fine else PropertyWitness(None, declared, lengths, {"rent": rent})

    def _refused(self, declared: Profile, lengths: Profile) -> PropertyWitness | None:
        try:
            outcome = self.runs.outcome(declared, lengths)
        except MechanismError:
            raise
        except InputError:
            return PropertyWitness(None, declared, lengths, {})
        kills = bool(getattr(self.mechanism, "kills_liars", False)) or (
            type(self.mechanism) is OneRound and self.mechanism.tools.alive == "kill"
        )
        for n, output in enumerate(outcome.output):
            if output == math.inf and not (kills and declared[n] != lengths[n]):
                return PropertyWitness(n, declared, lengths, {"output": output})
        return None

    def _late(self, agent: int, declared: Profile, lengths: Profile) -> PropertyWitness | None:
        planned = self.runs.outcome(declared, declared).output[agent]
        output = self.runs.outcome(declared, lengths).output[agent]
        if planned is None or output is None or output <= planned:
            return None
        return PropertyWitness(agent, declared, lengths, {"planned": planned, "output": output})

    def _jump(self, agent: int, declared: Profile, lengths: Profile, side: int) -> PropertyWitness | None:
        at_truth = self.runs.utilities(declared, lengths)[agent]
        limit = self._limit(agent, declared, lengths, side)
        if limit == at_truth:
            return None
        return PropertyWitness(agent, declared, lengths, {"utility": at_truth, "limit": limit})

    def _limit(self, agent: int, declared: Profile, lengths: Profile, side: int) -> Extended:
        """Utility as the length approaches the declaration: symbolically, or from two lengths; linear between them."""
        if (limit := self._symbolic(agent, declared, lengths, side)) is not None:
            return limit
        step, proved = linear_within(self.mechanism, agent, declared, lengths)
        self.exact = self.exact and proved

        def utility(distance: Fraction) -> Extended:
            length = declared[agent] + side * distance
            world = with_entry(lengths, agent, length)
            utilities = self.runs.outcome(declared, world).utilities
            assert utilities is not None
            return utilities[agent]

        far, near = utility(step), utility(step / 2)
        if math.inf in (abs(far), abs(near)):
            return near
        return 2 * near - far

    def _symbolic(self, agent: int, declared: Profile, lengths: Profile, side: int) -> Extended | None:
        """The limit, where the mechanism's code tells it; code that is not piecewise linear is not asked again."""
        if self._limits is None:
            return None
        try:
            return self._limits.utility(agent, declared, lengths, side)
        except (MechanismError, TooLargeError):
            self._limits = None
            return None

    @cached_property
    def _limits(self) -> Limits | None:
        """Limits of a custom mechanism; those of the built-in rules are proved without it, and sooner."""
        if type(self.mechanism) in (OneRound, TwoRounds):
            return None
        return Limits(self.mechanism, self.domain.n_agents, self.runs.values)


def pays_in_advance(runs: Runs, domain: Domain) -> bool:
    """Whether the mechanism tells payments before the run. Raises MechanismError where it then takes others."""
    mechanism: Any = runs.mechanism
    if runs.in_advance is None:
        runs.in_advance = (
            mechanism.payment not in AFTER_THE_RUN if type(mechanism) is OneRound else _planned(runs, domain)
        )
    return runs.in_advance


def _planned(runs: Runs, domain: Domain) -> bool:
    mechanism: Any = runs.mechanism
    if getattr(mechanism, "plan", None) is None:
        return False
    name = type(mechanism).__name__
    declared = tuple(own[0] for own in domain.universe)
    try:
        planned = getattr(call(mechanism.plan, f"{name}.plan", declared=declared), "payments", None)
        paid = runs.outcome(declared, declared).payments
    except MechanismError:
        raise
    except InputError:
        return False  # accepts_every_input will say so
    if planned is not None and tuple(planned) != paid:
        raise MechanismError(
            f"{name}: for declarations ({', '.join(map(str, declared))}) plan tells the "
            f"payments {', '.join(map(str, planned))}, and run takes {', '.join(map(str, paid))}"
        )
    return planned is not None


def linear_within(
    mechanism: DeclarationMechanism, agent: int, declared: Profile, lengths: Profile
) -> tuple[Fraction, bool]:
    """A distance from her declaration, on either side of which her utility is linear in her length; whether proved.

    It is proved for the built-in mechanisms, a guess for a custom one. At distance ``d`` from the truth every time of a
    built-in mechanism is ``a + s d`` with ``a`` a multiple of the common unit of all times and payments and ``|s|``
    at most the steepest slope. Two of them can only change order where ``d`` is at least the unit over twice that
    slope; and from a utility with another ``a`` this one stays away by more than half the unit.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> truth = (Fraction(1, 2), Fraction(2))
    >>> linear_within(build("harsh", Cluster.of([1])), 0, truth, truth)
    (Fraction(1, 24), True)
    """
    one = one_round_of(mechanism)
    if one is None or not isinstance(mechanism, OneRound | TwoRounds) or type(mechanism) not in (OneRound, TwoRounds):
        return declared[agent] * NEAR, False
    plan = mechanism.plan(declared)
    slowest = min(one.cluster.powers)
    shares = [p for p in plan.penalties if p is not None] if one.tools.alive == "renice" else []
    steepest = (len(declared) + 1) / (slowest * min(shares, default=Fraction(1)))
    parts = [x / c for x in {*declared, *lengths} for c in one.cluster.powers]
    parts += [part / share for part in parts for share in {*shares}]
    parts += [x for x in (*plan.planned, *(plan.payments or ()), *plan.penalties) if x is not None]
    parts += [plan.optimal_sum]
    if one.cutoff is not None:
        parts += [one.cutoff.limit(b) / c for b in declared for c in one.cluster.powers]
        parts += [one.cutoff.limit(b) - b for b in declared if one.cutoff.limit(b) > b]
    unit = Fraction(1, math.lcm(*(x.denominator for x in parts)))
    return min(unit / (4 * steepest), min(declared) / 4), True
