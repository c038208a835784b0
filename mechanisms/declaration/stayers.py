"""Goals among those who stayed: the weights of leavers drop out, and in an expression (or another goal not known to be
symmetric) a leaver's output time counts as 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ...scheduling.exact import Extended
from ...scheduling.welfare import ExpressionGoal, Goal, Value, WeightedMakespan, WeightedSum


@dataclass(frozen=True)
class WithoutLeavers:
    """A goal that tells agents apart, among those who stayed: a leaver's output time counts as 0.

    >>> from consortium.scheduling.welfare import ExpressionGoal
    >>> WithoutLeavers(ExpressionGoal("-(ann + 9*bob)", ("ann", "bob")), (1,), 2).value([Fraction(2)])
    Fraction(-18, 1)
    """

    whole: Goal
    members: tuple[int, ...]
    n_agents: int
    id: ClassVar[str] = "expression"
    symmetric: ClassVar[bool] = False

    @property
    def regular(self) -> bool | None:
        """As the whole goal."""
        return self.whole.regular

    @property
    def non_increasing(self) -> bool | None:
        """As the whole goal."""
        return self.whole.non_increasing

    def value(self, times: Sequence[Extended]) -> Value:
        """The whole goal's value, with 0 for those who left."""
        everybody: list[Extended] = [Fraction(0)] * self.n_agents
        for n, time in zip(self.members, times, strict=True):
            everybody[n] = time
        return self.whole.value(everybody)


def restricted(goal: Goal, members: Sequence[int], n_agents: int) -> Goal:
    """The goal for some of the agents (numbers from 0, ascending); see the module for what becomes of leavers.

    >>> restricted(WeightedSum((1, 9)), [1], 2)
    WeightedSum(weights=(Fraction(9, 1),))
    """
    if goal.symmetric and not isinstance(goal, WeightedSum | WeightedMakespan | ExpressionGoal):
        return goal
    if isinstance(goal, WeightedSum | WeightedMakespan):
        return type(goal)(tuple(goal.weights[n] for n in members))
    return WithoutLeavers(goal, tuple(members), n_agents)
