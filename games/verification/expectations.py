r"""What an agent expects, and whether strategies are in equilibrium, from the definitions and nothing else.

A strategy tells for each length what to declare; the truth is the identity. Agent ``n`` with length ``x`` who declares
``b`` expects ``E U_n(b, s_-n(x_-n); x, x_-n)`` over the others' lengths ``x_-n``, whatever her own strategy says.
Strategies are a *Bayes-Nash equilibrium* when no agent of any length of positive probability expects more from another
declaration: ``-inf`` against ``-inf`` is no gain, and equal is none.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> prior = Prior.of([{1: "1/2", 2: "1/2"}] * 2)
>>> played = outcomes(build("vcg-renice", Cluster.of([1])))
>>> interim_utility(played, prior, truth(prior), 0, Fraction(2), Fraction(2))
Fraction(-5, 1)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ...mechanisms.declaration.protocol import DeclarationMechanism, Outcome, play
from ...scheduling.welfare import Goal
from ...support.errors import MechanismError
from ...support.exact import Extended, Rational
from ...support.progress import Clock, Progress
from .domain import Domain, Profile, with_entry
from .prior import Prior, expectation
from .results import Expected, InterimWitness, Played, Strategy
from .running import Judge, Runs


def outcomes(mechanism: DeclarationMechanism, values: Sequence[Rational] | None = None) -> Played:
    """Run the mechanism, every time anew."""
    return lambda declared, lengths: play(mechanism, declared, lengths, values)


def truth(prior: Prior) -> tuple[Strategy, ...]:
    """Everybody declares her length."""
    return tuple({x: x for x in own} for own in prior.support)


def interim_utility(
    played: Played,
    prior: Prior,
    strategies: Sequence[Strategy],
    agent: int,
    length: Fraction,
    declaration: Fraction,
) -> Extended:
    """What an agent of this length expects of a declaration; raises MechanismError where that is no number."""

    def utility(others: Profile) -> Extended:
        lengths = with_entry(others, agent, length)
        declared = [
            own[x] if k != agent else declaration for k, (own, x) in enumerate(zip(strategies, lengths, strict=True))
        ]
        utilities = played(tuple(declared), lengths).utilities
        assert utilities is not None  # whoever plays fills them in
        return utilities[agent]

    mean = expectation((p, utility(others)) for others, p in prior.others(agent))
    if mean is None:
        raise MechanismError(
            f"prior: agent {agent + 1} of length {length} who declares {declaration} expects inf and -inf; "
            "such a utility does not exist"
        )
    return mean


def is_bayes_nash(played: Played, domain: Domain, prior: Prior, strategies: Sequence[Strategy]) -> bool:
    """Whether no agent of any likely length expects more from another declaration of the domain."""
    for n, own in enumerate(prior.support):
        for x in own:
            here = interim_utility(played, prior, strategies, n, x, strategies[n][x])
            if any(interim_utility(played, prior, strategies, n, x, b) > here for b in domain.options(n, x)):
                return False
    return True


def expected_social_cost(played: Played, prior: Prior, strategies: Sequence[Strategy], goal: Goal) -> Extended | None:
    """Minus the expected welfare; ``None`` where welfare is no number. ``goal`` is for mechanisms that tell none."""

    def declared(lengths: Profile) -> Profile:
        return tuple(own[x] for own, x in zip(strategies, lengths, strict=True))

    return _mean_cost((p, played(declared(x), x).welfare_by(goal)) for x, p in prior.profiles())


def _mean_cost(welfares: Any) -> Extended | None:
    values = list(welfares)
    if any(isinstance(w, tuple) for _, w in values):
        return None
    mean = expectation(values)
    return None if mean is None else -mean


def expected_at_truth(played: Played, prior: Prior, goal: Goal) -> Expected:
    """What everybody expects before knowing her length, all being truthful."""
    at: list[tuple[Fraction, Any, Any, Any]] = []
    for x, p in prior.profiles():
        outcome = played(x, x)
        at.append((p, outcome.utilities, outcome.payments, outcome.welfare_by(goal)))
    cost = _mean_cost((p, w) for p, _, _, w in at)
    return Expected(
        utilities=tuple(expectation((row[0], row[1][n]) for row in at) for n in range(len(prior.support))),
        rent=expectation((p, paid) for p, _, payments, _ in at for paid in payments),
        welfare=None if cost is None else -cost,
    )


class Expectations(Judge[tuple[int, Fraction], InterimWitness]):
    """Whether a lie pays in expectation: a case is an agent with her length, and stands for all her lies.

    What everybody expects is found by running the mechanism, each pair of declarations and lengths once. Raises
    TimeoutError where that has to be done after the clock's end.
    """

    def __init__(
        self, runs: Runs, domain: Domain, prior: Prior, goal: Goal, progress: Progress | None, clock: Clock
    ) -> None:
        super().__init__(runs, domain, "bayesian", prior.cases(domain))
        self.prior, self.goal, self.progress, self.clock = prior, goal, progress, clock
        self.interim: list[dict[Fraction, Mapping[Fraction, Extended]]] = [{} for _ in prior.within(domain).lengths]
        """What each agent expects, for the lengths that were come to."""
        self._outcomes: dict[tuple[Profile, Profile], Outcome] = {}

    def every(self) -> Iterator[tuple[int, tuple[int, Fraction]]]:
        """Agent by agent, her lengths increasing."""
        for n, own in enumerate(self.prior.support):
            for x in own:
                yield len(self.domain.lies(n, x)), (n, x)

    def random(self, size: int, rng: np.random.Generator) -> Iterator[tuple[int, Fraction]]:
        """None: nothing is drawn from expectations."""
        return iter(())

    def look(self, case: tuple[int, Fraction]) -> InterimWitness | None:
        """The first of her best lies."""
        n, x = case
        self.interim[n][x] = row = self.row(n, x)
        lies = [InterimWitness(n, x, b, row[x], utility) for b, utility in row.items() if b != x]
        return max(lies, key=lambda witness: witness.gain, default=None)

    def row(self, agent: int, x: Fraction) -> Mapping[Fraction, Extended]:
        """What an agent of this length expects, by declaration, the others being truthful."""
        honest = truth(self.prior)
        options = self.domain.options(agent, x)
        return {b: interim_utility(self._played, self.prior, honest, agent, x, b) for b in options}

    def expected(self) -> Expected:
        """What everybody expects at the truth, once all lengths were looked at."""
        return expected_at_truth(self._played, self.prior, self.goal)

    def _played(self, declared: Profile, lengths: Profile) -> Outcome:
        self.clock.check()
        key = declared, lengths
        if key not in self._outcomes:
            if self.progress is not None and len(self._outcomes) % 256 == 0:
                self.progress(len(self._outcomes), None, "runs for expectations")
            whole = self.runs.outcome(declared, lengths)
            self._outcomes[key] = Outcome(whole.output, whole.payments, whole.utilities, welfare=whole.welfare)
        return self._outcomes[key]
