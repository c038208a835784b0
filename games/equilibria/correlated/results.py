"""Records of correlated play, and the costs of a table as whole numbers that can be subtracted, infinite ones too.

A distribution and multipliers prove an extreme together. A *gain* is what a player pays in a profile minus what she
would pay with another strategy. Between equal infinities there is nothing to gain. A gain of ``inf`` cannot be weighed
against anything: a profile where a player pays ``inf`` (or fails to get ``-inf``) although she could do better has
probability 0 in every equilibrium; the others are *playable*. A gain of ``-inf`` keeps the player from the deviation
wherever the profile has positive probability.

>>> game = NormalFormGame.from_arrays([[[1, INF], [INF, INF]], [[1, 2], [2, INF]]], sense="cost")
>>> cells = Cells.of(game)
>>> playable(cells).tolist()
[[True, True], [False, False]]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ....support.exact import INF, Extended
from ...normal_form import HUGE, NormalFormGame
from ...protocol import Profile

Concept: TypeAlias = Literal["coarse", "correlated"]
"""Whether a player decides to deviate before she knows what she is recommended, or afterwards."""
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
        What she was recommended; ``None`` for the constraint of a coarse equilibrium, which is about all of her plays.
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
        equilibrium was found.
    distribution
        The equilibrium; empty when none was found.
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
        """Whether both extremes are proved."""
        return all(side is None or side.proved for side in (self.best, self.worst))


@dataclass(frozen=True)
class Cells:
    """Costs in units of ``unit`` and social costs in units of ``social_unit``; read only."""

    costs: NDArray[Any]  # shape ``(n, m_0, ..., m_{n-1})``, int64 or Python integers
    social: NDArray[Any]  # shape ``(m_0, ..., m_{n-1})``, the same
    # huge, social_huge: a difference of costs, or a social cost, of at least this size is infinite
    huge: int
    social_huge: int
    unit: Fraction
    social_unit: Fraction

    @classmethod
    def of(cls, game: NormalFormGame) -> Cells:
        """Those of a game."""
        costs, huge = _whole(game.table)
        social, social_huge = _whole(game.social)
        return cls(
            costs, social, huge, social_huge, 1 / Fraction(game.denominator), 1 / Fraction(game.social_denominator)
        )

    @property
    def infinite(self) -> bool:
        """Whether some player pays ``inf`` or ``-inf`` somewhere."""
        return bool((np.abs(self.costs) >= self.huge).any())


def playable(cells: Cells) -> NDArray[np.bool_]:
    """Profiles where nobody has an infinite gain."""
    fine = np.ones(cells.social.shape, dtype=np.bool_)
    for player, own in enumerate(cells.costs):
        fine &= (own - own.min(axis=player, keepdims=True) < cells.huge).astype(np.bool_)
    return fine


def _whole(array: NDArray[Any]) -> tuple[NDArray[Any], int]:
    """Infinite cells as numbers far beyond the others, and how far."""
    if array.dtype == np.int64:
        return array, HUGE
    flat = array.reshape(-1).tolist()
    huge = 4 * max((abs(cell) for cell in flat if not isinstance(cell, float)), default=0) + 4
    out = np.empty(len(flat), dtype=object)
    out[:] = [cell if not isinstance(cell, float) else 2 * huge if cell == INF else -2 * huge for cell in flat]
    return out.reshape(array.shape), huge
