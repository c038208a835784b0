"""Records of checks under a prior, and of Bayes-Nash equilibria."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from ...mechanisms.declaration.protocol import Outcome, welfare_of
from ...scheduling.goals.base import Goal
from ...support.exact import Extended
from ..incentives.domain import Profile

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
