"""The makespan, and sums of the largest output times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

from ...support.errors import InputError
from ...support.exact import Extended, extended_total
from .base import Goal, LeastTimes
from .costs import Cost
from .parameters import Parameter, Sort


@dataclass(frozen=True)
class Makespan(Goal):
    """Minus the sum of the ``order`` largest output times (definition 6.1); order 1 is the makespan.

    Order ``N`` is the sum; beyond the number of agents the order counts as that number. Raises InputError for an order
    below 1. Without jobs the value is 0.

    >>> Makespan().value([Fraction(1), Fraction(3)]), Makespan(order=7).value([Fraction(1), Fraction(3)])
    (Fraction(-3, 1), Fraction(-4, 1))
    """

    order: Annotated[int, Parameter(Sort.COUNT, "how many of the largest times are added up")] = 1
    id: ClassVar[str] = "makespan"
    regular: ClassVar[bool | None] = False
    symmetric: ClassVar[bool] = True
    non_increasing: ClassVar[bool | None] = True

    def __post_init__(self) -> None:
        if isinstance(self.order, bool) or not isinstance(self.order, int) or self.order < 1:
            raise InputError(f"order: found {self.order!r}; expected an integer >= 1")

    def value(self, times: Sequence[Extended]) -> Extended:
        """Minus the sum of the ``order`` largest times."""
        if self.order == 1:
            return -max(times) if times else Fraction(0)
        return -extended_total(sorted(times, reverse=True)[: self.order])

    def regular_for(self, n_agents: int) -> bool:
        """Whether all times count."""
        return self.order >= n_agents

    def cost(self, n_agents: int) -> Cost:
        """The sum of the largest times, from order ``N`` on the plain sum."""
        return Cost.largest(self.order, n_agents)

    def exact_cost(self, n_agents: int) -> Cost:
        """The sum of the largest times."""
        return self.cost(n_agents)

    def upper_bound(self, least: LeastTimes) -> Extended:
        """From the smallest makespan, the mean of the smallest sum, and the longest jobs alone."""
        n = len(least.alone)
        order = min(self.order, n)
        longest = sorted(least.alone, reverse=True)[:order]
        return -max(least.makespan, least.total * order / max(1, n), sum(longest, Fraction(0)))
