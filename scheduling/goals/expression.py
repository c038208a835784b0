"""An arithmetic expression in the agents' names as a goal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Self

from ...support.exact import Extended
from ..expressions import Expression
from .base import Goal, WithoutLeavers
from .costs import Cost
from .parameters import Parameter, Sort


@dataclass(frozen=True)
class ExpressionGoal(Goal):
    """The value of an arithmetic expression in the agents' names, each standing for her output time.

    Where the expression has no value (``inf - inf``, ``0 * inf``) the welfare is ``-inf``; a division by zero raises
    InputError. See :mod:`..expressions` for grammar and limits. What is known of it is known of expressions that are
    plainly linear in the names, such as the one below; nothing is known of the others.

    >>> goal = ExpressionGoal("-(ann + 9*bob)", ("ann", "bob"))
    >>> goal.value([Fraction(2), Fraction(1)]), goal.regular, goal.symmetric
    (Fraction(-11, 1), True, False)
    """

    expression: Annotated[
        str,
        Parameter(
            Sort.EXPRESSION,
            "maximised: numbers, +, -, *, /, ** with a digit, min, max, abs; a name is that agent's output time",
        ),
    ]
    names: tuple[str, ...]
    parsed: Expression = field(init=False, repr=False, compare=False)
    slopes: tuple[Fraction, ...] | None = field(init=False, repr=False, compare=False)
    id: ClassVar[str] = "expression"

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "parsed", Expression.parse(self.expression, self.names, "welfare.expression"))
        linear = self.parsed.linear()
        object.__setattr__(self, "slopes", None if linear is None else linear[1:])

    @classmethod
    def of(cls, values: Mapping[str, Any], names: Sequence[str]) -> Self:
        """The expression in these names."""
        return cls(values["expression"], tuple(names))

    @property
    def regular(self) -> bool | None:
        """Whether every slope is negative; None when not plainly linear."""
        return None if self.slopes is None else all(c < 0 for c in self.slopes)

    @property
    def symmetric(self) -> bool:
        """Whether all slopes are known and equal."""
        return self.slopes is not None and len(set(self.slopes)) <= 1

    @property
    def non_increasing(self) -> bool | None:
        """Whether no slope is positive; None when not plainly linear."""
        return None if self.slopes is None else all(c <= 0 for c in self.slopes)

    def value(self, times: Sequence[Extended]) -> Extended:
        """The expression's value at these times."""
        return self.parsed.value(times)

    def cost(self, n_agents: int) -> Cost | None:
        """A weighted sum when plainly linear without positive slopes.

        >>> ExpressionGoal("3 - a - 2*b", ("a", "b")).cost(2).weights
        (Fraction(1, 1), Fraction(2, 1))
        """
        if self.slopes is None or not self.non_increasing:
            return None
        return Cost.weighted([-c for c in self.slopes])

    @property
    def degree(self) -> int | None:
        """Known where the expression is plainly a polynomial in its names."""
        return self.parsed.degree()

    def among(self, members: Sequence[int], n_agents: int) -> Goal:
        """A leaver's output time counts as 0."""
        return WithoutLeavers(self, tuple(members), n_agents)
