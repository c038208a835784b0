"""The incentive check for any mechanism: every comparison, by running it.

All that is asked of a mechanism is ``run(declared, lengths)`` (:mod:`consortium.mechanisms.declaration.protocol`). Each
pair of declarations and lengths is run once and remembered; a built-in mechanism plans once per declaration profile.

A mechanism may say ``anonymous = True``: giving the agents other numbers gives their outcomes the same new numbers, so
no tie is ever settled by who is listed first. Then, where all agents have the same domain, one agent's comparisons
with the others in sorted order stand for all of them, and are counted for all of them. A wrong promise gives a wrong
answer, so a few profiles are run with their agents moved round, and none of the built-in rules makes it: their ties
refer to the agents' order.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import factorial, prod
from typing import Any, TypeAlias, TypeVar

from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.protocol import DeclarationMechanism, Outcome, Plan, play
from ...mechanisms.declaration.two_rounds import TwoRounds
from ...support.errors import MechanismError
from ...support.exact import Extended, Rational
from ...support.progress import Clock, Progress
from .domain import Concept, Domain, Profile, insert
from .results import IncentiveCheck, Witness, gain_of, verdict

T = TypeVar("T")
Values: TypeAlias = Sequence[Rational] | None
Situation: TypeAlias = tuple[int, Profile, Profile, int]
"""Agent, the others' declarations and lengths (a 0 in her place), and how many situations this one stands for."""


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
        self._plans: dict[Profile, Plan] = {}
        self._utilities: dict[tuple[Profile, Profile], tuple[Extended, ...]] = {}

    @property
    def size(self) -> int:
        """Number of runs remembered."""
        return len(self._utilities)

    def outcome(self, declared: Profile, lengths: Profile) -> Outcome:
        """Run it (not remembered)."""
        mechanism: Any = self.mechanism
        if type(mechanism) not in (OneRound, TwoRounds):
            return play(mechanism, declared, lengths, self.values)
        if declared not in self._plans:
            self._plans[declared] = mechanism.plan(declared)
        outcome: Outcome = mechanism.follow(self._plans[declared], lengths)
        return outcome

    def utilities(self, declared: Profile, lengths: Profile) -> tuple[Extended, ...]:
        """Everybody's utility."""
        key = declared, lengths
        if key not in self._utilities:
            utilities = self.outcome(declared, lengths).utilities
            assert utilities is not None
            self._utilities[key] = utilities
        return self._utilities[key]

    def gain(self, agent: int, own: Fraction, lie: Fraction, said: Profile, lengths: Profile) -> Witness:
        """Compare one lie with the truth; ``said`` and ``lengths`` are the others', whatever stands in her place."""
        world = _with(lengths, agent, own)
        declared = _with(said, agent, lie)
        truth = self.utilities(_with(said, agent, own), world)[agent]
        lied = self.utilities(declared, world)[agent]
        return Witness(agent, own, lie, declared, world, truth, lied, gain_of(lied, truth))


def check_in_general(
    mechanism: DeclarationMechanism,
    domain: Domain,
    concept: Concept,
    *,
    values: Values = None,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> IncentiveCheck:
    """Try every comparison; on Ctrl-C or when time is up, what was tried so far."""
    runs, total, cases = Runs(mechanism, values), domain.cases(concept), 0
    best: Witness | None = None
    order: tuple[Any, ...] = ()
    alike = bool(getattr(mechanism, "anonymous", False)) and domain.alike
    met = _up_to_order(domain, concept) if alike else _all_situations(domain, concept)
    try:
        if alike:
            _check_anonymity(runs, domain)
        for count, (agent, said, lengths, stands_for) in enumerate(met):
            for own in domain.lengths[agent]:
                for lie in domain.lies(agent, own):
                    found = runs.gain(agent, own, lie, said, lengths)
                    cases += stands_for
                    here = (agent, said, lengths, own, lie)
                    if best is None or found.gain > best.gain or (found.gain == best.gain and here < order):
                        best, order = found, here
            if progress is not None and count % 32 == 0:
                progress(cases, total, f"agent {domain.names[agent]}")
            if clock is not None and clock.expired():
                break
    except KeyboardInterrupt:
        pass
    gain = None if best is None else best.gain
    witness = best if gain is not None and gain > 0 else None
    return IncentiveCheck(
        concept, verdict(gain, cases == total), cases, total, gain, witness, "general", cases == total
    )


def _check_anonymity(runs: Runs, domain: Domain) -> None:
    """Raise MechanismError where moving everybody one place on does not move her outcome along; ties come first."""
    n, said, meant = domain.n_agents, domain.universe[0], domain.lengths[0]
    for first in dict.fromkeys((0, len(said) - 1)):
        for step in (0, 1):  # everybody the same, then declarations and lengths one after the other
            declared = tuple(said[(first + step * k) % len(said)] for k in range(n))
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


def turn(items: tuple[T, ...], by: int) -> tuple[T, ...]:
    """The tuple with its first ``by`` items moved to the end."""
    return (*items[by:], *items[:by])


def _all_situations(domain: Domain, concept: Concept) -> Iterator[Situation]:
    for agent in range(domain.n_agents):
        for said, lengths in domain.situations(agent, concept):
            yield agent, said, lengths, 1


def _up_to_order(domain: Domain, concept: Concept) -> Iterator[Situation]:
    """The first agent's situations with the others sorted, each with the number of situations that it stands for."""
    others = domain.n_agents - 1
    pairs = [(b, x) for b in domain.spoken(0, concept) for x in domain.meant(0, b, concept)]
    for chosen in itertools.combinations_with_replacement(pairs, others):
        orders = factorial(others) // prod(factorial(k) for k in Counter(chosen).values())
        said, lengths = (tuple(pair[side] for pair in chosen) for side in (0, 1))
        yield 0, insert(said, 0), insert(lengths, 0), orders * domain.n_agents


def _with(profile: Profile, agent: int, own: Fraction) -> Profile:
    return (*profile[:agent], own, *profile[agent + 1 :])
