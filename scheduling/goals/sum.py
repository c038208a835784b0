"""The sum of output times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ...support.exact import Extended, extended_total
from .base import Goal, LeastTimes
from .costs import Cost, Form


@dataclass(frozen=True)
class SumOfTimes(Goal):
    """Minus the sum of the output times (``g_Sigma``).

    >>> from fractions import Fraction
    >>> SumOfTimes().value([Fraction(1), Fraction(1, 2)])
    Fraction(-3, 2)
    """

    id: ClassVar[str] = "sum"
    by_sum: ClassVar[bool] = True
    regular: ClassVar[bool | None] = True
    symmetric: ClassVar[bool] = True
    non_increasing: ClassVar[bool | None] = True

    def value(self, times: Sequence[Extended]) -> Extended:
        """Minus the sum; ``-inf`` when a job never ends."""
        return -extended_total(times)

    def exact_cost(self, n_agents: int) -> Cost:
        """The sum."""
        return Cost(Form.SUM)

    def upper_bound(self, least: LeastTimes) -> Extended:
        """Minus the smallest sum."""
        return -least.total
