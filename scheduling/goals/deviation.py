"""The squared distance of output times from a target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

from ...support.exact import Extended, Rational, extended_total, rational
from .base import Goal, LeastTimes
from .costs import Cost, Form
from .parameters import Parameter, Sort


@dataclass(frozen=True)
class SquaredDeviation(Goal):
    """Minus ``sum (T_n - target)**2``: everybody's output is wanted at one moment, neither later nor earlier.

    >>> SquaredDeviation(3).value([Fraction(1), Fraction(4)])
    Fraction(-5, 1)
    """

    target: Annotated[Rational, Parameter(Sort.NUMBER, "when everybody's output is wanted", "time")]
    id: ClassVar[str] = "squared-deviation"
    regular: ClassVar[bool | None] = False
    symmetric: ClassVar[bool] = True
    non_increasing: ClassVar[bool | None] = False
    degree: ClassVar[int | None] = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", rational(self.target, "target"))

    def value(self, times: Sequence[Extended]) -> Extended:
        """Minus the sum of the squared deviations; ``-inf`` when a job never ends."""
        return -extended_total([t if isinstance(t, float) else (t - self.target) ** 2 for t in times])

    def telling_times(self, grid: Sequence[Fraction]) -> list[Fraction]:
        """The target and a moment before it."""
        return [t for t in (Fraction(self.target) / 2, Fraction(self.target)) if t > 0]

    def cost(self, n_agents: int) -> Cost:
        """The squared deviations."""
        return Cost(Form.SQUARED, target=Fraction(self.target))

    def exact_cost(self, n_agents: int) -> Cost:
        """The squared deviations."""
        return self.cost(n_agents)

    def upper_bound(self, least: LeastTimes) -> Fraction:
        """Zero: everybody on time."""
        return Fraction(0)
