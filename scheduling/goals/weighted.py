"""Goals in which agents weigh differently; the time of an agent of weight zero does not count, even infinite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar, Self

from ...support.errors import InputError
from ...support.exact import Extended, Rational, extended_total, rational
from .base import Goal
from .costs import Cost, Form
from .parameters import Parameter, Sort


@dataclass(frozen=True)
class _Weighted(Goal):
    """What both goals share: weights are rationals >= 0, one per agent."""

    weights: Annotated[tuple[Rational, ...], Parameter(Sort.WEIGHTS, "how much each agent's time counts")]
    non_increasing: ClassVar[bool | None] = True

    def __post_init__(self) -> None:
        exact = tuple(rational(w, f"weights[{n}]") for n, w in enumerate(self.weights, 1))
        for n, w in enumerate(exact, 1):
            if w < 0:
                raise InputError(f"weights[{n}]: found {w}; expected a number >= 0")
        object.__setattr__(self, "weights", exact)

    @property
    def symmetric(self) -> bool:
        """Whether all weights are equal."""
        return len(set(self.weights)) <= 1

    def among(self, members: Sequence[int], n_agents: int) -> Self:
        """The weights of leavers drop out.

        >>> WeightedSum((1, 9)).among([1], 2)
        WeightedSum(weights=(Fraction(9, 1),))
        """
        return type(self)(tuple(self.weights[n] for n in members))

    def _weigh(self, times: Sequence[Extended]) -> list[Extended]:
        if len(self.weights) != len(times):
            raise InputError(f"weights: found {len(self.weights)}; there are {len(times)} agents")
        return [
            Fraction(0) if w == 0 else t if isinstance(t, float) else w * t
            for w, t in zip(self.weights, times, strict=True)
        ]


@dataclass(frozen=True)
class WeightedSum(_Weighted):
    """Minus ``sum w_n T_n``; weights are rationals >= 0, one per agent.

    >>> WeightedSum((1, 9)).value([Fraction(2), Fraction(1)])
    Fraction(-11, 1)
    """

    id: ClassVar[str] = "weighted-sum"

    @property
    def regular(self) -> bool | None:
        """Whether every weight is positive."""
        return all(w > 0 for w in self.weights)

    def value(self, times: Sequence[Extended]) -> Extended:
        """Minus the weighted sum of the times."""
        return -extended_total(self._weigh(times))

    def cost(self, n_agents: int) -> Cost:
        """The weighted sum."""
        return Cost.weighted(self.weights)

    def exact_cost(self, n_agents: int) -> Cost:
        """The weighted sum, equal weights too."""
        return Cost(Form.WEIGHTED, self.weights)


@dataclass(frozen=True)
class WeightedMakespan(_Weighted):
    """Minus ``max w_n T_n``; weights are rationals >= 0, one per agent.

    >>> WeightedMakespan((1, 9)).value([Fraction(2), Fraction(1)])
    Fraction(-9, 1)
    """

    id: ClassVar[str] = "weighted-makespan"

    @property
    def regular(self) -> bool | None:
        """Whether there is one agent, with a positive weight (or none at all)."""
        return all(w > 0 for w in self.weights) and len(self.weights) <= 1

    def value(self, times: Sequence[Extended]) -> Extended:
        """Minus the largest weighted time."""
        return -max(self._weigh(times), default=Fraction(0))

    def telling_times(self, grid: Sequence[Fraction]) -> list[Fraction]:
        """The grid stretched by the ratios of weights, so that each agent's time can be the one that does not count."""
        positive = [Fraction(w) for w in self.weights if w > 0]
        return [t * w / min(positive) for t in grid for w in positive]

    def cost(self, n_agents: int) -> Cost:
        """The largest weighted time."""
        return Cost(Form.LARGEST, self.weights)

    def exact_cost(self, n_agents: int) -> Cost:
        """The largest weighted time."""
        return self.cost(n_agents)
