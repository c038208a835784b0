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

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ...mechanisms.declaration.protocol import DeclarationMechanism, play
from ...scheduling.goal import Goal
from ...support.errors import MechanismError
from ...support.exact import Extended, Rational
from .domain import Domain, Profile
from .prior import Prior, expectation
from .results import BayesianCheck, Expected, Interim, InterimWitness, Played, Strategy, gain_of, verdict, welfare


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
        lengths = (*others[:agent], length, *others[agent + 1 :])
        said = [
            own[x] if k != agent else declaration for k, (own, x) in enumerate(zip(strategies, lengths, strict=True))
        ]
        utilities = played(tuple(said), lengths).utilities
        assert utilities is not None  # whoever plays fills them in
        return utilities[agent]

    found = expectation((p, utility(others)) for others, p in prior.others(agent))
    if found is None:
        raise MechanismError(
            f"prior: agent {agent + 1} of length {length} who declares {declaration} expects inf and -inf; "
            "such a utility does not exist"
        )
    return found


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

    def said(lengths: Profile) -> Profile:
        return tuple(own[x] for own, x in zip(strategies, lengths, strict=True))

    return _mean_cost((p, welfare(played(said(x), x), goal)) for x, p in prior.profiles())


def _mean_cost(welfares: Any) -> Extended | None:
    found = list(welfares)
    if any(isinstance(w, tuple) for _, w in found):
        return None
    mean = expectation(found)
    return None if mean is None else -mean


def expected_at_truth(played: Played, prior: Prior, goal: Goal) -> Expected:
    """What everybody expects before knowing her length, all being truthful."""
    at: list[tuple[Fraction, Any, Any, Any]] = []
    for x, p in prior.profiles():
        outcome = played(x, x)
        at.append((p, outcome.utilities, outcome.payments, welfare(outcome, goal)))
    cost = _mean_cost((p, w) for p, _, _, w in at)
    return Expected(
        utilities=tuple(expectation((row[0], row[1][n]) for row in at) for n in range(len(prior.support))),
        rent=expectation((p, paid) for p, _, payments, _ in at for paid in payments),
        welfare=None if cost is None else -cost,
    )


def cases(domain: Domain, prior: Prior) -> int:
    """Comparisons of the truth with one lie, each an expectation."""
    return sum(len(domain.lies(n, x)) for n, own in enumerate(prior.support) for x in own)


def judged(
    domain: Domain, prior: Prior, interim: Sequence[Interim], expected: Expected | None, method: str
) -> BayesianCheck:
    """The verdict that follows from what everybody expects; ``expected`` is ``None`` where that is not all of it."""
    best, compared = None, 0
    for n, own in enumerate(interim):
        for x, row in own.items():
            for b in (b for b in row if b != x):
                compared += 1
                gain = gain_of(row[b], row[x])
                if best is None or gain > best[0]:
                    best = gain, InterimWitness(n, x, b, row[x], row[b])
    most = None if best is None else best[0]
    return BayesianCheck(
        holds=verdict(most, expected is not None),
        cases=compared,
        total=cases(domain, prior),
        max_gain=most,
        witness=best[1] if best is not None and best[0] > 0 else None,
        interim=tuple(interim),
        least=None if expected is None else min(row[x] for own in interim for x, row in own.items()),
        expected=expected,
        method=method,
    )
