"""What a goal is: :class:`Goal`, with honest defaults, so that a goal of one's own needs its name and its value only.

>>> from typing import Annotated
>>> from consortium.scheduling import Cluster, optimal_allocation
>>> from consortium.scheduling.goals import Parameter, Sort
>>> @dataclass(frozen=True)
... class OnTime(Goal):
...     '''Minus the number of jobs that end after a deadline.'''
...     deadline: Annotated[Fraction, Parameter(Sort.NUMBER, "moment after which a job is late")]
...     id: ClassVar[str] = "on-time"
...     def value(self, times):
...         return Fraction(-sum(t > self.deadline for t in times))
>>> found = optimal_allocation(Cluster.of([1]), [3, 1, 2], OnTime(Fraction(3)))
>>> found.value, found.allocation.lists, found.method
(Fraction(-1, 1), ((1, 2, 0),), 'enumeration')
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self, TypeAlias, TypeVar

from ...support.exact import Extended
from .costs import Cost, Form

T = TypeVar("T")
Value: TypeAlias = Extended | tuple[Extended, ...]
"""What a goal returns; values of one goal compare with each other."""


@dataclass(frozen=True)
class LeastTimes:
    """What no schedule of an instance goes below: each job's time, the largest of them, and their sum."""

    alone: tuple[Fraction, ...]
    makespan: Fraction
    total: Fraction


class Goal(ABC):
    """A welfare function; usually a frozen dataclass of its parameters.

    A subclass sets ``id`` and writes :meth:`value`. All else says what is known of the goal beyond that: the defaults
    claim nothing, so that they are right for every goal, and whoever knows more overrides them.

    Attributes
    ----------
    id
        Its name on the surface.
    by_sum
        Whether it orders output times as minus their sum does, whatever the number of agents; some rules and penalties
        are defined for such a goal only.
    """

    id: ClassVar[str]
    by_sum: ClassVar[bool] = False

    @abstractmethod
    def value(self, times: Sequence[Extended]) -> Value:
        """Welfare of these output times; larger is better."""

    @property
    def regular(self) -> bool | None:
        """Definition 3.21, for every number of agents; None when not known."""
        return None

    @property
    def symmetric(self) -> bool:
        """Whether it is known not to matter who has which time."""
        return False

    @property
    def non_increasing(self) -> bool | None:
        """Whether no later time can raise the value; None when not known."""
        return None

    def regular_for(self, n_agents: int) -> bool | None:
        """Definition 3.21 for this number of agents; None when not known."""
        return self.regular if n_agents else True

    def telling_times(self, grid: Sequence[Fraction]) -> Iterable[Fraction]:
        """Times besides ``grid`` at which the failure of regularity shows, whatever the scale of the parameters."""
        return ()

    def cost(self, n_agents: int) -> Cost | None:
        """The cost whose order of output times, reversed, is the goal's; None when kernels have none for it."""
        return Cost(Form.SUM) if self.by_sum else None

    def exact_cost(self, n_agents: int) -> Cost | None:
        """The cost that the value is minus, as a number and not in its order only; None when there is none."""
        return None

    @property
    def degree(self) -> int | None:
        """Of the value as a polynomial in the output times; None when it is not known to be one."""
        return None

    def upper_bound(self, least: LeastTimes) -> Value:
        """A value that no schedule exceeds; ``inf`` when nothing is known."""
        return self.value(least.alone) if self.non_increasing else math.inf

    def among(self, members: Sequence[int], n_agents: int) -> Goal:
        """The goal for those who stay (numbers from 0, ascending) of ``n_agents``.

        Without knowing more, a leaver's output time counts as 0 unless it does not matter who has which time.
        """
        return self if self.symmetric else WithoutLeavers(self, tuple(members), n_agents)

    @classmethod
    def of(cls, values: Mapping[str, Any], names: Sequence[str]) -> Self:
        """The goal with these values of its parameters (see :class:`.parameters.Sort`), for agents of these names."""
        return cls(**values)


@dataclass(frozen=True)
class WithoutLeavers(Goal):
    """A goal that tells agents apart, among those who stayed: a leaver's output time counts as 0.

    >>> from consortium.scheduling.goals import ExpressionGoal
    >>> WithoutLeavers(ExpressionGoal("-(ann + 9*bob)", ("ann", "bob")), (1,), 2).value([Fraction(2)])
    Fraction(-18, 1)
    """

    whole: Goal
    members: tuple[int, ...]
    n_agents: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", self.whole.id)  # messages name the goal that the user knows

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
        return self.whole.value(self._everybody(times, Fraction(0)))

    def exact_cost(self, n_agents: int) -> Cost | None:
        """The cost that the value is minus, as a number and not in its order only; None when there is none."""
        return None

    @property
    def degree(self) -> int | None:
        """As the whole goal."""
        return self.whole.degree

    def _everybody(self, some: Sequence[T], absent: T) -> list[T]:
        everybody = [absent] * self.n_agents
        for n, one in zip(self.members, some, strict=True):
            everybody[n] = one
        return everybody
