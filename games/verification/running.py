"""Checks of any mechanism by running it: every case of a question in turn, or a random sample of them.

A mechanism needs ``run(declared, lengths)``, no more (:mod:`consortium.mechanisms.declaration.protocol`). Each pair of
declarations and lengths is run once and remembered; a built-in mechanism plans once per declaration profile.

A :class:`Judge` is a question about a domain: which cases there are, how one is drawn at random, and what one says.
Here are the judges of truth and of coalitions; :mod:`.properties` and :mod:`.expectations` have the others. However the
cases are looked at, by running or from tables, :func:`conclude` makes the answer. In a sample every case is equally
likely, with replacement. A lie found to pay refutes the rule like any other; finding none proves nothing. The same seed
gives the same sample.

A mechanism may say ``anonymous = True``: giving the agents other numbers gives their outcomes the same new numbers, so
no tie is ever decided by who is listed first. Then, where all agents have the same domain, one agent's comparisons
with the others in sorted order stand for all of them, and are counted for all of them. A wrong promise gives a wrong
answer, so a few profiles are run with their agents moved round, and none of the built-in rules makes it: their ties
refer to the agents' order.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import factorial, prod
from typing import Any, Final, Generic, TypeAlias, TypeVar

import numpy as np

from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.protocol import DeclarationMechanism, Outcome, Plan, play
from ...mechanisms.declaration.two_rounds import TwoRounds
from ...support.errors import ConsortiumError, InputError, MechanismError
from ...support.exact import Extended, Rational
from ...support.progress import Clock, Progress
from .coalitions import Coalitions, GroupWitness
from .domain import Concept, Domain, Profile, insert, with_entry
from .results import Check, Witness, gain_of

T = TypeVar("T")
C = TypeVar("C")
W = TypeVar("W")
Values: TypeAlias = Sequence[Rational] | None
Lie: TypeAlias = tuple[int, Profile, Profile, Fraction, Fraction]
"""Agent, the others' declarations and lengths (anything in her place), her length and what she declares instead."""
JointLie: TypeAlias = tuple[tuple[int, ...], Profile, Profile]
"""Coalition, everybody's true lengths and declarations."""
MEMORY: Final = 100_000
"""Runs of a sample that are remembered before they are forgotten."""


class Runs:
    """Outcomes of a mechanism, each computed once; ``size`` counts them.

    ``values``: the agents' valuations, for a mechanism that has none of its own; the built-in ones do.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> runs = Runs(build("harsh", Cluster.of([1])))
    >>> runs.utilities((Fraction(1), Fraction(2)), (Fraction(1), Fraction(2))), runs.size
    ((Fraction(-1, 1), Fraction(-3, 1)), 1)
    """

    def __init__(self, mechanism: DeclarationMechanism, values: Values = None) -> None:
        self.mechanism, self.values = mechanism, values
        self.in_advance: bool | None = None  # whether payments are known before the run, once it was asked
        self._plans: dict[Profile, Plan] = {}
        self._utilities: dict[tuple[Profile, Profile], tuple[Extended, ...]] = {}

    @property
    def size(self) -> int:
        """Number of runs remembered."""
        return len(self._utilities)

    def forget(self) -> None:
        """Start anew."""
        self._plans.clear()
        self._utilities.clear()

    def outcome(self, declared: Profile, lengths: Profile) -> Outcome:
        """Run it (not remembered)."""
        mechanism: Any = self.mechanism
        if type(mechanism) not in (OneRound, TwoRounds):
            return play(mechanism, declared, lengths, self.values)
        if declared not in self._plans:
            self._plans[declared] = mechanism.plan(declared)
        outcome: Outcome = mechanism.follow(self._plans[declared], lengths)
        return outcome

    def remember(self, declared: Profile, lengths: Profile, outcome: Outcome) -> None:
        """Take in a run that somebody made."""
        assert outcome.utilities is not None
        self._utilities[declared, lengths] = outcome.utilities

    def utilities(self, declared: Profile, lengths: Profile) -> tuple[Extended, ...]:
        """Everybody's utility."""
        if (declared, lengths) not in self._utilities:
            self.remember(declared, lengths, self.outcome(declared, lengths))
        return self._utilities[declared, lengths]

    def gain(self, agent: int, own: Fraction, lie: Fraction, declarations: Profile, lengths: Profile) -> Witness:
        """Compare a lie with the truth; ``declarations`` and ``lengths`` are the others', anything in her place."""
        world = with_entry(lengths, agent, own)
        declared = with_entry(declarations, agent, lie)
        truth = self.utilities(with_entry(declarations, agent, own), world)[agent]
        lied = self.utilities(declared, world)[agent]
        return Witness(agent, own, lie, declared, world, truth, lied, gain_of(lied, truth))

    def joint_lie(
        self, coalitions: Coalitions, members: tuple[int, ...], lengths: Profile, declared: Profile
    ) -> GroupWitness | None:
        """The members' joint lie in these declarations, if it pays."""
        honest = tuple(lengths[n] if n in members else b for n, b in enumerate(declared))
        truth, lie = (tuple(self.utilities(b, lengths)[n] for n in members) for b in (honest, declared))
        gain = coalitions.gain(truth, lie)
        return None if gain is None else GroupWitness(members, declared, lengths, truth, lie, gain)


class Judge(ABC, Generic[C, W]):
    """A question about a mechanism on a domain, case by case.

    Attributes
    ----------
    runs, domain
        The mechanism's runs, and where it is asked.
    name
        The question, as :class:`.results.Check` names it.
    total
        Number of cases.
    exact
        As in :class:`.results.Check`.
    """

    exact = True

    def __init__(self, runs: Runs, domain: Domain, name: str, total: int) -> None:
        self.runs, self.domain, self.name, self.total = runs, domain, name, total

    @abstractmethod
    def every(self) -> Iterator[tuple[int, C]]:
        """All cases in order, each with the number of cases that it stands for."""

    @abstractmethod
    def random(self, size: int, rng: np.random.Generator) -> Iterator[C]:
        """So many random cases."""

    @abstractmethod
    def look(self, case: C) -> W | None:
        """What a case shows, if anything: a witness refutes, unless it has a gain that is not positive."""

    def parts(self, sample: int | None = None, seed: int = 0) -> Iterator[tuple[int, W | None]]:
        """What every case, or a sample of them, shows by running it, with the number of cases that it stands for."""
        if sample is None:
            yield from ((count, self.look(case)) for count, case in self.every())
        elif self.total:
            for case in self.random(sample, np.random.default_rng(seed)):
                yield 1, self.look(case)
                if self.runs.size > MEMORY:
                    self.runs.forget()


@dataclass(frozen=True)
class Candidate(Generic[W]):
    """A gain that tables tell, and how the mechanism itself plays the lie that has it."""

    gain: Extended
    replay: Callable[[], W | None]

    def witness(self) -> W:
        """What is played. Raises ConsortiumError where it gains something else."""
        witness = self.replay()
        if witness is None or getattr(witness, "gain", None) != self.gain:
            raise ConsortiumError(f"tables tell a gain of {self.gain}, the mechanism itself {witness}; please report")
        return witness


def conclude(
    judge: Judge[Any, W],
    parts: Iterable[tuple[int, Any]],
    method: str,
    *,
    sample: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> Check[W]:
    """The answer that follows from parts of the cases; on Ctrl-C or when time is up, from those so far.

    Parameters
    ----------
    parts
        Numbers of cases with the best that they show: nothing, a witness, or a :class:`Candidate`. The first one of the
        largest gain is taken.
    method, sample, seed
        How the parts were made.
    """
    cases, best = 0, None
    with suppress(KeyboardInterrupt, TimeoutError):
        for step, (count, evidence) in enumerate(parts):
            cases += count
            if evidence is not None and (best is None or getattr(evidence, "gain", 0) > getattr(best, "gain", 0)):
                best = evidence
            if progress is not None and (count > 1 or step % 64 == 0):
                progress(cases, judge.total if sample is None else sample, judge.name)
            if clock is not None and clock.expired():
                break
    gain: Extended | None = getattr(best, "gain", None)
    complete = cases == judge.total if sample is None else judge.total == 0  # cases of a sample may repeat
    refuted = best is not None and (gain is None or gain > 0)
    if refuted and isinstance(best, Candidate):
        best = best.witness()
    return Check(
        name=judge.name,
        holds=False if refuted else True if complete else None,
        cases=cases,
        total=judge.total,
        witness=best if refuted else None,
        max_gain=gain,
        method=method,
        complete=complete,
        seed=None if sample is None else seed,
        exact=judge.exact,
    )


def check_by_running(
    judge: Judge[Any, W],
    *,
    sample: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> Check[W]:
    """Look at every case, or at ``sample`` random ones. Raises InputError for a sample of less than one case.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> light = Truth(Runs(build("light-vcg", Cluster.of([1]))), Domain.of([1, 2], agents=3), "dominant")
    >>> answer = check_by_running(light, sample=200, seed=1)
    >>> answer.holds, answer.cases, answer.total, answer.complete, answer.seed
    (False, 200, 96, False, 1)
    >>> pair = JointLies(Runs(build("vcg-postpone", Cluster.of([1, 1]))), light.domain, "ex-post", Coalitions((2,)))
    >>> answer = check_by_running(pair)
    >>> answer.holds, answer.witness.declarations, answer.max_gain
    (False, (Fraction(1, 1), Fraction(1, 1), Fraction(2, 1)), Fraction(1, 1))
    """
    if sample is not None and sample < 1:
        raise InputError(f"sample: found {sample}; expected at least 1")
    method = "general" if sample is None else "sample"
    parts = judge.parts(sample, seed)
    return conclude(judge, parts, method, sample=sample, seed=seed, progress=progress, clock=clock)


class Truth(Judge[Lie, Witness]):
    """Whether a lie pays one agent."""

    def __init__(self, runs: Runs, domain: Domain, concept: Concept) -> None:
        super().__init__(runs, domain, concept, domain.cases(concept))
        self.concept: Concept = concept

    def every(self) -> Iterator[tuple[int, Lie]]:
        """Agent by agent; under a mechanism that is anonymous, of the first agent only."""
        domain = self.domain
        situations: Iterator[tuple[int, Profile, Profile, int]]
        if getattr(self.runs.mechanism, "anonymous", False) and domain.alike:
            _check_anonymity(self.runs, domain)
            situations = iter(sorted(self._up_to_order()))
        else:
            agents = range(domain.n_agents)
            situations = ((n, *others, 1) for n in agents for others in domain.situations(n, self.concept))
        for agent, declared, lengths, count in situations:
            for own in domain.lengths[agent]:
                for lie in domain.lies(agent, own):
                    yield count, (agent, declared, lengths, own, lie)

    def random(self, size: int, rng: np.random.Generator) -> Iterator[Lie]:
        """Each equally likely."""
        domain, concept, agents = self.domain, self.concept, range(self.domain.n_agents)
        lies = [[(x, b) for x in domain.lengths[n] for b in domain.lies(n, x)] for n in agents]
        pairs = [[(b, x) for b in domain.spoken(n, concept) for x in domain.meant(n, b, concept)] for n in agents]
        chances = _chances([len(lies[n]) * prod(len(pairs[k]) for k in agents if k != n) for n in agents])
        for _ in range(size):
            agent = int(rng.choice(len(chances), p=chances))
            own, lie = lies[agent][int(rng.integers(len(lies[agent])))]
            others = [one[int(rng.integers(len(one)))] for one in pairs]
            yield agent, tuple(b for b, _ in others), tuple(x for _, x in others), own, lie

    def look(self, case: Lie) -> Witness:
        """The lie beside the truth."""
        agent, declared, lengths, own, lie = case
        return self.runs.gain(agent, own, lie, declared, lengths)

    def _up_to_order(self) -> Iterator[tuple[int, Profile, Profile, int]]:
        """The first agent's situations with the others sorted, each with the number of situations it stands for."""
        domain, others = self.domain, self.domain.n_agents - 1
        pairs = [(b, x) for b in domain.spoken(0, self.concept) for x in domain.meant(0, b, self.concept)]
        for chosen in itertools.combinations_with_replacement(pairs, others):
            orders = factorial(others) // prod(factorial(k) for k in Counter(chosen).values())
            declared, lengths = (tuple(pair[side] for pair in chosen) for side in (0, 1))
            yield 0, insert(declared, 0), insert(lengths, 0), orders * domain.n_agents


class JointLies(Judge[JointLie, GroupWitness]):
    """Whether a joint lie pays a coalition."""

    def __init__(self, runs: Runs, domain: Domain, concept: Concept, coalitions: Coalitions) -> None:
        self.weights = coalitions.cases_each(domain, concept)
        super().__init__(runs, domain, concept, sum(self.weights))
        self.coalitions, self.members = coalitions, coalitions.members(domain.n_agents)
        self.free = [[(x, b) for x in own for b in domain.options(n, x)] for n, own in enumerate(domain.lengths)]
        self.true = [[(x, x) for x in own] for own in domain.lengths]
        self.others = self.free if concept == "dominant" else self.true
        self.honest = concept == "ex-post"

    def every(self) -> Iterator[tuple[int, JointLie]]:
        """The coalition changes slowest, then the true lengths, the others' declarations, the joint lie."""
        domain, agents = self.domain, range(self.domain.n_agents)
        for members in self.members:
            order = [*(k for k in agents if k not in members), *members]
            for lengths in itertools.product(*domain.lengths):
                options = [
                    (lengths[k],) if self.honest and k not in members else domain.options(k, lengths[k]) for k in order
                ]
                for spoken in itertools.product(*options):
                    declared = dict(zip(order, spoken, strict=True))
                    if any(declared[n] != lengths[n] for n in members):
                        yield 1, (members, lengths, tuple(declared[k] for k in agents))

    def random(self, size: int, rng: np.random.Generator) -> Iterator[JointLie]:
        """Each equally likely; joint truths are drawn again."""
        chances = _chances(self.weights)
        for _ in range(size):
            members = self.members[int(rng.choice(len(chances), p=chances))]
            lists = [self.free[n] if n in members else own for n, own in enumerate(self.others)]
            pairs = [own[int(rng.integers(len(own)))] for own in lists]
            while all(pairs[n][0] == pairs[n][1] for n in members):
                pairs = [own[int(rng.integers(len(own)))] for own in lists]
            yield members, tuple(x for x, _ in pairs), tuple(b for _, b in pairs)

    def look(self, case: JointLie) -> GroupWitness | None:
        """The joint lie, if it pays."""
        return self.runs.joint_lie(self.coalitions, *case)


def _chances(weights: Sequence[int]) -> list[float]:
    whole = sum(weights)
    return [float(Fraction(weight, whole)) for weight in weights]


def turn(items: tuple[T, ...], by: int) -> tuple[T, ...]:
    """The tuple with its first ``by`` items moved to the end."""
    return (*items[by:], *items[:by])


def _check_anonymity(runs: Runs, domain: Domain) -> None:
    """Raise MechanismError where moving everybody one place on does not move her outcome along; ties come first."""
    n, options, meant = domain.n_agents, domain.universe[0], domain.lengths[0]
    for first in dict.fromkeys((0, len(options) - 1)):
        for step in (0, 1):  # everybody the same, then declarations and lengths one after the other
            declared = tuple(options[(first + step * k) % len(options)] for k in range(n))
            behind = [domain.partners(0, b) or meant for b in declared]
            lengths = tuple(own[(step * k // 2) % len(own)] for k, own in enumerate(behind))
            here, moved = (runs.outcome(turn(declared, by), turn(lengths, by)) for by in (0, 1))
            for what in ("output", "payments"):
                if turn(getattr(here, what), 1) != getattr(moved, what):
                    raise not_anonymous(runs.mechanism, what, declared, lengths)


def not_anonymous(mechanism: object, what: str, declared: Profile, lengths: Profile) -> MechanismError:
    """The error of a mechanism whose outcomes do not move with the agents."""
    return MechanismError(
        f"{type(mechanism).__name__}: found anonymous = True, but {what} for declarations "
        f"({', '.join(map(str, declared))}) and lengths ({', '.join(map(str, lengths))}) change when the agents "
        "change places; make ties independent of the agents' order or drop anonymous"
    )
