"""How near the truth an agent's utility is linear in her length: what limits and jumps of utility are shown with.

Properties of any mechanism, by running it in every situation (:mod:`.results` has the definitions).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from ...mechanisms.custom import call
from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.protocol import DeclarationMechanism
from ...mechanisms.declaration.two_rounds import TwoRounds
from ...support.errors import InputError, MechanismError, TooLargeError
from ...support.exact import Extended
from ...support.progress import Clock, Progress
from ..proofs.programs import Limits
from .cost import USUAL, Budget, Estimate, probe
from .domain import Domain, Profile
from .general import Runs, Values
from .results import MARGINS, PROPERTIES, PropertyCheck, PropertyWitness, cases_of, verdict

NEAR = Fraction(1, 2**20)
"""Distance from the truth, relative to the declaration, that is taken for code which is not piecewise linear."""


def linear_within(
    mechanism: DeclarationMechanism, agent: int, declared: Profile, lengths: Profile
) -> tuple[Fraction, bool]:
    """A distance from her declaration, on either side of which her utility is linear in her length; whether proved.

    It is proved for the built-in mechanisms, and a guess for one's own. At distance ``d`` from the truth every time of
    a built-in mechanism is ``a + s d`` with ``a`` a multiple of the common unit of all times and payments and ``|s|``
    at most the steepest slope. Two of them can only change order where ``d`` is at least the unit over twice that
    slope; and from a utility with another ``a`` this one stays away by more than half the unit.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> truth = (Fraction(1, 2), Fraction(2))
    >>> linear_within(build("harsh", Cluster.of([1])), 0, truth, truth)
    (Fraction(1, 24), True)
    """
    if not isinstance(mechanism, OneRound | TwoRounds) or type(mechanism) not in (OneRound, TwoRounds):
        return declared[agent] * NEAR, False
    one = mechanism.one if isinstance(mechanism, TwoRounds) else mechanism
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


Situation: TypeAlias = tuple[int | None, Profile, Profile]
"""Agent (``None``: nobody's), declarations, lengths."""


def check_by_running(
    mechanism: DeclarationMechanism,
    domain: Domain,
    name: str,
    any_others: bool = False,
    *,
    sample: int | None = None,
    seed: int = 0,
    values: Values = None,
    progress: Progress | None = None,
    clock: Clock | None = None,
    budget: Budget = USUAL,
) -> PropertyCheck:
    """Judge every situation of a property, or ``sample`` random ones; the witness is the first that fails.

    Raises TooLargeError when running every situation is out of reach and no sample was asked for.
    """
    judge = _Judge(mechanism, domain, values)
    in_advance = judge.in_advance(domain)
    total = cases_of(domain, name, any_others, in_advance)
    if sample is None and name != "accepts_every_input":  # which has to find out whether it can be run at all
        _cost(domain, total, probe(mechanism, domain)).refuse(budget)
    situations = _Situations(domain, name, any_others, in_advance)
    source = situations.every() if sample is None else situations.random(sample, seed)
    cases = 0
    witness: PropertyWitness | None = None
    try:
        for situation in source:
            cases += 1
            found = judge.fails(name, situation)
            witness = witness or found
            if clock is not None and clock.expired():
                break
            if progress is not None and cases % 256 == 0:
                progress(cases, sample or total, name)
    except KeyboardInterrupt:
        pass
    complete = sample is None and cases == total
    holds = False if witness else verdict(None, complete)
    return PropertyCheck(name, holds, cases, witness, complete, judge.exact, any_others)


def running_costs(mechanism: DeclarationMechanism, domain: Domain) -> list[Estimate]:
    """Predictions for all properties, as :func:`check_by_running` refuses them."""
    in_advance, per_run = _Judge(mechanism, domain, None).in_advance(domain), probe(mechanism, domain)
    asked = [(name, False) for name in PROPERTIES if name != "accepts_every_input"]
    asked += [(name, True) for name in MARGINS]
    return [_cost(domain, cases_of(domain, name, any_others, in_advance), per_run) for name, any_others in asked]


def _cost(domain: Domain, total: int, per_run: float) -> Estimate:
    return Estimate("general", total, domain.profiles, total, 0, total * per_run)


def evidence(
    mechanism: DeclarationMechanism,
    domain: Domain,
    name: str,
    situation: Situation,
    *,
    any_others: bool = False,
    values: Values = None,
) -> PropertyWitness | None:
    """Evidence against a property in one situation of the domain; ``None`` where it does not fail there.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> one = (Fraction(1),)
    >>> poor = (0, one, one)
    >>> rule = build("light-vcg", Cluster.of([1]))
    >>> evidence(rule, Domain.of([1], agents=1), "individually_rational", poor).values
    {'utility': Fraction(-1, 1)}
    """
    judge = _Judge(mechanism, domain, values)
    known = _Situations(domain, name, any_others, judge.in_advance(domain))
    return judge.fails(name, situation) if known.has(situation) else None


class _Situations:
    """The situations of a property."""

    def __init__(self, domain: Domain, name: str, any_others: bool, in_advance: bool) -> None:
        self.domain = domain
        self.of_institution = name in ("rent_nonnegative", "budget_balanced", "accepts_every_input")
        self.only_declared = in_advance and name in ("rent_nonnegative", "budget_balanced")
        self.anything = any_others or name == "just" or (self.of_institution and not self.only_declared)

    def _choices(self, n: int, truthful: bool) -> list[tuple[Fraction, Fraction]]:
        if truthful:
            return [(x, x) for x in self.domain.lengths[n]]
        return [(b, x) for b in self.domain.universe[n] for x in self.domain.partners(n, b)]

    def _lists(self, agent: int | None) -> list[list[tuple[Fraction, Fraction]]]:
        if self.only_declared:
            return [[(b, b) for b in own] for own in self.domain.universe]
        n_agents = range(self.domain.n_agents)
        return [self._choices(n, n == agent or not self.anything) for n in n_agents]

    def every(self) -> Iterator[Situation]:
        """All of them, agent by agent."""
        for agent in [None] if self.of_institution else range(self.domain.n_agents):
            for pairs in itertools.product(*self._lists(agent)):
                yield agent, tuple(b for b, _ in pairs), tuple(x for _, x in pairs)

    def has(self, situation: Situation) -> bool:
        """Whether a situation is one of them."""
        agent, declared, lengths = situation
        if (agent is None) != self.of_institution:
            return False
        pairs = zip(declared, lengths, strict=True)
        return all(pair in own for pair, own in zip(pairs, self._lists(agent), strict=True))

    def random(self, size: int, seed: int) -> Iterator[Situation]:
        """Some of them, with replacement; every agent equally often."""
        rng = np.random.default_rng(seed)
        for count in range(size):
            agent = None if self.of_institution else count % self.domain.n_agents
            pairs = [own[int(rng.integers(len(own)))] for own in self._lists(agent)]
            yield agent, tuple(b for b, _ in pairs), tuple(x for _, x in pairs)


class _Judge:
    """Decides single situations of one mechanism."""

    def __init__(self, mechanism: DeclarationMechanism, domain: Domain, values: Values) -> None:
        self.mechanism: Any = mechanism
        self.runs = Runs(mechanism, values)
        self.exact = True
        own = type(self.mechanism) not in (OneRound, TwoRounds)
        # limits of the built-in rules are proved without it, and sooner
        self.limits = Limits(mechanism, domain.n_agents, values) if own else None

    def in_advance(self, domain: Domain) -> bool:
        """Whether the mechanism tells payments before the run."""
        if getattr(self.mechanism, "plan", None) is None:
            return False
        name = type(self.mechanism).__name__
        declared = tuple(own[0] for own in domain.universe)
        try:
            told = getattr(call(self.mechanism.plan, f"{name}.plan", declared=declared), "payments", None)
            paid = self.runs.outcome(declared, declared).payments
        except MechanismError:
            raise
        except InputError:
            return False  # accepts_every_input will say so
        if told is not None and tuple(told) != paid:
            raise MechanismError(
                f"{name}: for declarations ({', '.join(map(str, declared))}) plan tells the "
                f"payments {', '.join(map(str, told))}, and run takes {', '.join(map(str, paid))}"
            )
        return told is not None

    def fails(self, name: str, situation: Situation) -> PropertyWitness | None:
        """Evidence against the property in this situation."""
        agent, declared, lengths = situation
        if agent is None:
            if name == "accepts_every_input":
                return self._refused(declared, lengths)
            return self._rent(name, declared, lengths)
        if name == "just":
            return self._late(agent, declared, lengths)
        if name == "individually_rational":
            utility = self.runs.utilities(declared, lengths)[agent]
            return PropertyWitness(agent, declared, lengths, {"utility": utility}) if utility < 0 else None
        return self._jump(agent, declared, lengths, -1 if name == "upper_margin" else 1)

    def _rent(self, name: str, declared: Profile, lengths: Profile) -> PropertyWitness | None:
        rent = self.runs.outcome(declared, lengths).rent
        fine = rent >= 0 if name == "rent_nonnegative" else rent == 0
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
        """Utility as the length approaches the declaration: walked, or from two lengths between which it is linear."""
        if (found := self._walked(agent, declared, lengths, side)) is not None:
            return found
        step, proved = linear_within(self.mechanism, agent, declared, lengths)
        self.exact = self.exact and proved

        def utility(distance: Fraction) -> Extended:
            length = declared[agent] + side * distance
            world = (*lengths[:agent], length, *lengths[agent + 1 :])
            utilities = self.runs.outcome(declared, world).utilities
            assert utilities is not None
            return utilities[agent]

        far, near = utility(step), utility(step / 2)
        if math.inf in (abs(far), abs(near)):
            return near
        return 2 * near - far

    def _walked(self, agent: int, declared: Profile, lengths: Profile, side: int) -> Extended | None:
        """The limit, where the mechanism's code tells it; code that is not piecewise linear is not asked again."""
        if self.limits is None:
            return None
        try:
            return self.limits.utility(agent, declared, lengths, side)
        except (MechanismError, TooLargeError):
            self.limits = None
            return None
