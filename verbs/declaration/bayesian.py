"""What ``verify`` and ``search`` tell of a scenario with a ``[prior]``; ``null`` is what is no number, or not known.

Lengths and declarations are keys here, written as exact numbers: ``"3"`` or ``"3/2"``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...games.verification.prior import Prior
from ...games.verification.results import BayesianCheck, BayesNash, BayesOutcome, Expected, InterimWitness, Strategy
from ...support.errors import InputError
from ...support.exact import Extended
from ...support.progress import Clock, Progress
from ..records import Row
from .model import Model


@dataclass(frozen=True, kw_only=True)
class InterimRow(Row):
    """A lie that pays in expectation."""

    agent: str
    length: Fraction
    lie: Fraction
    interim_truth: Extended
    interim_lie: Extended


@dataclass(frozen=True, kw_only=True)
class ExpectedRow(Row):
    """Expectations before anybody knows her length, all truthful."""

    utilities: Mapping[str, Extended | None]
    rent: Extended | None
    welfare: Extended | None


@dataclass(frozen=True, kw_only=True)
class BayesianRow(Row):
    """Whether truth pays in expectation; ``interim`` has utilities by agent, length and declaration."""

    holds: bool | None
    cases: int
    total: int
    max_gain: Extended | None
    witness: InterimRow | None
    interim: Mapping[str, Mapping[str, Mapping[str, Extended]]]
    least_interim_utility: Extended | None
    expected: ExpectedRow | None


@dataclass(frozen=True, kw_only=True)
class StrategiesRow(Row):
    """What each agent declares by her length, and the expected social cost."""

    strategies: Mapping[str, Mapping[str, Fraction]]
    social_cost: Extended


@dataclass(frozen=True, kw_only=True)
class BayesNashRow(Row):
    """Pure Bayes-Nash equilibria, counted over all profiles of strategies."""

    profiles: int
    count: int | None
    best: StrategiesRow | None
    worst: StrategiesRow | None
    first_best: Extended | None
    price_of_anarchy: Fraction | None


def known_prior(m: Model, what: str) -> Prior:
    """The prior of a scenario. Raises InputError without one, naming what needs it."""
    prior = m.prior()
    if prior is None:
        raise InputError(f"{what}: the scenario says nothing of what agents believe; expected a table [prior]")
    return prior


def bayesian_row(check: BayesianCheck, names: Sequence[str]) -> BayesianRow:
    """A check as records write it."""
    return BayesianRow(
        holds=check.holds,
        cases=check.cases,
        total=check.total,
        max_gain=check.max_gain,
        witness=None if check.witness is None else _witness(check.witness, names),
        interim={name: _keyed(own) for name, own in zip(names, check.interim, strict=True)},
        least_interim_utility=check.least,
        expected=None if check.expected is None else expected_row(check.expected, names),
    )


def _witness(witness: InterimWitness, names: Sequence[str]) -> InterimRow:
    return InterimRow(**{**vars(witness), "agent": names[witness.agent]})


def _keyed(own: Mapping[Fraction, Mapping[Fraction, Any]]) -> dict[str, dict[str, Any]]:
    return {str(x): {str(b): worth for b, worth in row.items()} for x, row in own.items()}


def expected_row(expected: Expected, names: Sequence[str]) -> ExpectedRow:
    """Expectations as records write them."""
    utilities = dict(zip(names, expected.utilities, strict=True))
    return ExpectedRow(utilities=utilities, rent=expected.rent, welfare=expected.welfare)


def equilibria(m: Model, prior: Prior, clock: Clock, progress: Progress | None) -> BayesNash:
    """Bayes-Nash equilibria of a scenario."""
    from ...games.verification.equilibria import bayes_nash

    return bayes_nash(
        m.mechanism, m.domain(), prior, m.cluster, goal=goal_of(m), values=m.values, progress=progress, clock=clock
    )


def goal_of(m: Model) -> Any:
    """What welfare is: the mechanism's own goal, or the scenario's."""
    return getattr(m.mechanism, "goal", None) or m.goal


def bayes_nash_row(found: BayesNash, names: Sequence[str]) -> BayesNashRow:
    """Equilibria as records write them."""
    return BayesNashRow(
        profiles=found.profiles,
        count=found.count,
        best=_outcome(found.best, names),
        worst=_outcome(found.worst, names),
        first_best=found.first_best,
        price_of_anarchy=found.price_of_anarchy,
    )


def _outcome(outcome: BayesOutcome | None, names: Sequence[str]) -> StrategiesRow | None:
    if outcome is None:
        return None
    return StrategiesRow(strategies=strategies_row(outcome.strategies, names), social_cost=outcome.social_cost)


def strategies_row(strategies: Sequence[Strategy], names: Sequence[str]) -> dict[str, dict[str, Fraction]]:
    """What everybody declares, by length."""
    return {name: {str(x): b for x, b in own.items()} for name, own in zip(names, strategies, strict=True)}
