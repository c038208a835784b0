"""What is said of correlated play: distributions, multipliers, and the extremes that both settle together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from ...support.exact import Extended
from ..protocol import Profile

Concept: TypeAlias = Literal["coarse", "correlated"]
"""Whether a player decides to deviate before she is told what to play, or afterwards."""
Side: TypeAlias = Literal["best", "worst"]
"""Of least, or of largest expected social cost."""
Distribution: TypeAlias = Mapping[Profile, Fraction]
"""Probabilities of profiles; those left out have none."""


@dataclass(frozen=True)
class Multiplier:
    """Weight of one incentive constraint in a bound.

    Attributes
    ----------
    player
        Who might deviate, by number.
    recommended
        What she was told to play; ``None`` for the constraint of a coarse equilibrium, which is about all of her plays.
    deviation
        What she might play instead.
    value
        The weight, at least 0 (units of social cost per unit of her cost).
    """

    player: int
    recommended: Any
    deviation: Any
    value: Fraction


@dataclass(frozen=True)
class Extreme:
    """An equilibrium of least or largest expected social cost, and a bound on all of them.

    Attributes
    ----------
    social_cost
        Expected social cost of the distribution, minimised (negated welfare for a game of payoffs); ``None`` when no
        equilibrium was met.
    distribution
        The equilibrium; empty when none was met.
    multipliers
        What the bound follows from, see :func:`.checker.bound`.
    bound
        No equilibrium of the concept costs less (more, for the worst).
    """

    social_cost: Extended | None
    distribution: Distribution = field(hash=False)
    multipliers: tuple[Multiplier, ...]
    bound: Extended

    @property
    def proved(self) -> bool:
        """Whether nothing is beyond it: its cost is the bound."""
        return self.social_cost == self.bound


@dataclass(frozen=True)
class CorrelatedPlay:
    """Both extremes; ``None`` for a game without any such equilibrium, which takes infinite costs."""

    concept: Concept
    best: Extreme | None
    worst: Extreme | None

    @property
    def proved(self) -> bool:
        """Whether both extremes are settled."""
        return all(side is None or side.proved for side in (self.best, self.worst))
