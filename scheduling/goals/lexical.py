"""The largest output time, then the second largest, and so on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ...support.exact import Extended
from .base import Goal, LeastTimes
from .costs import Cost, Form


@dataclass(frozen=True)
class LexicalMax(Goal):
    """The negated times, largest time first; tuples compare lexicographically.

    That is what the chain of definition 6.2 amounts to.

    >>> import math
    >>> from fractions import Fraction
    >>> LexicalMax().value([Fraction(1), math.inf])
    (-inf, Fraction(-1, 1))
    """

    id: ClassVar[str] = "lexical-max"
    regular: ClassVar[bool | None] = True
    symmetric: ClassVar[bool] = True
    non_increasing: ClassVar[bool | None] = True

    def value(self, times: Sequence[Extended]) -> tuple[Extended, ...]:
        """Negated times in the order of decreasing time."""
        return tuple(-t for t in sorted(times, reverse=True))

    def cost(self, n_agents: int) -> Cost:
        """The times themselves, largest first."""
        return Cost(Form.LEXICAL)

    def exact_cost(self, n_agents: int) -> Cost:
        """The times themselves, which are no number."""
        return self.cost(n_agents)

    def upper_bound(self, least: LeastTimes) -> tuple[Extended, ...]:
        """The smallest makespan, then every other job alone on the fastest machine."""
        if not least.alone:
            return ()
        longest, *others = sorted(least.alone, reverse=True)
        return (-max(least.makespan, longest), *(-t for t in others))
