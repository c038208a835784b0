"""What a welfare goal is: its value, its cost for the optimisers, and the parameters that a scenario writes.

The defaults of :class:`Goal` claim nothing, so a custom goal needs its name and its value only. Shipped goals are in
:mod:`.goals`.

>>> from typing import Annotated
>>> from consortium.scheduling import Cluster, optimal_allocation
>>> @dataclass(frozen=True)
... class OnTime(Goal):
...     '''Minus the number of jobs that end after a deadline.'''
...     deadline: Annotated[Fraction, Parameter(Sort.NUMBER, "moment after which a job is late")]
...     id: ClassVar[str] = "on-time"
...     def value(self, times):
...         return Fraction(-sum(t > self.deadline for t in times))
>>> optimum = optimal_allocation(Cluster.of([1]), [3, 1, 2], OnTime(Fraction(3)))
>>> optimum.value, optimum.allocation.lists, optimum.method
(Fraction(-1, 1), ((1, 2, 0),), 'enumeration')
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import Any, ClassVar, Self, TypeAlias, get_type_hints

from ..support.errors import InputError
from ..support.exact import Extended, Rational

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
    by_cost
        Whether its value is minus its :meth:`cost`, not in its order only.
    """

    id: ClassVar[str]
    by_sum: ClassVar[bool] = False
    by_cost: ClassVar[bool] = False

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

    def cost(self, n_agents: int) -> Cost | None:
        """The cost whose order of output times, reversed, is the goal's; None when kernels have none for it."""
        return Cost(Form.SUM) if self.by_sum else None

    def exact_cost(self, n_agents: int) -> Cost | None:
        """The cost that the value is minus, as a number and not in its order only; None when there is none."""
        return self.cost(n_agents) if self.by_cost else None

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
        """The goal with these values of its parameters (see :class:`Sort`), for agents of these names."""
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
        everybody: list[Extended] = [Fraction(0)] * self.n_agents
        for n, time in zip(self.members, times, strict=True):
            everybody[n] = time
        return self.whole.value(everybody)

    @property
    def degree(self) -> int | None:
        """As the whole goal."""
        return self.whole.degree


class Form(Enum):
    """What is minimised."""

    SUM = "the sum of the times"
    WEIGHTED = "the sum of the weighted times"
    LARGEST = "the largest weighted time, or the sum of the largest times"
    LEXICAL = "the largest time, then the second largest, and so on"
    SQUARED = "the sum of the squared distances from a target"


@dataclass(frozen=True)
class Cost:
    """A cost of the output times that optimisers know how to minimise; smaller is better.

    A goal that orders schedules as one of these does (reversed) says so in :meth:`Goal.cost`; which method there is for
    which form is the optimisers' to say. Every other goal is solved by enumeration.

    >>> Cost.weighted((Fraction(2), Fraction(2))).form, Cost.weighted((Fraction(2), Fraction(1))).form
    (<Form.SUM: 'the sum of the times'>, <Form.WEIGHTED: 'the sum of the weighted times'>)

    Attributes
    ----------
    form
        What is minimised.
    weights
        Per agent, >= 0; empty where all are 1. Only WEIGHTED and LARGEST have weights, LARGEST with ``count`` 1 only.
    count
        How many of the largest times LARGEST adds up.
    target
        Of SQUARED.
    """

    form: Form
    weights: tuple[Rational, ...] = ()
    count: int = 1
    target: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if self.weights and (self.form not in (Form.WEIGHTED, Form.LARGEST) or self.count > 1):
            raise InputError(f"weights: found {len(self.weights)}; expected none for {self.form.value}")

    @classmethod
    def weighted(cls, weights: Sequence[Rational]) -> Cost:
        """The sum of the weighted times; equal positive weights order schedules as the plain sum does."""
        plain = not weights or (weights[0] > 0 and all(w == weights[0] for w in weights))
        return cls(Form.SUM) if plain else cls(Form.WEIGHTED, tuple(weights))

    @classmethod
    def largest(cls, count: int, n_agents: int) -> Cost:
        """The sum of the ``count`` largest times of ``n_agents``: all of them from ``n_agents`` on."""
        return cls(Form.SUM) if count >= n_agents else cls(Form.LARGEST, count=count)


class Sort(Enum):
    """What a scenario may write for a parameter, and what the goal gets for it."""

    NUMBER = "a number"
    """A ``Fraction``."""
    POSITIVE = "a number > 0"
    """A ``Fraction``."""
    COUNT = "an integer from 1 to the number of agents"
    """An ``int``."""
    WEIGHTS = "a number >= 0 for every agent, by name"
    """A tuple of ``Fraction``, in the agents' order."""
    EXPRESSION = "an arithmetic expression in the agents' names"
    """A ``str`` that :class:`.arithmetic.Expression` can read."""


@dataclass(frozen=True)
class Parameter:
    """A key that a goal adds to ``[welfare]``: what may be written, its meaning in one line, its numbers' unit.

    A field of a goal's dataclass that is annotated with one is a key of that name; a field with a default need not be
    written. The scenario floor turns sorts into checks, errors and the JSON Schema.
    """

    sort: Sort
    summary: str
    unit: str = ""
    default: Any = ...
    """The field's, which :func:`parameters` fills in; ``...`` where the key must be written."""


def parameters(goal: type) -> dict[str, Parameter]:
    """The parameters of a goal's class by key, in the order of its fields.

    >>> from consortium.scheduling.goals import Makespan
    >>> [(key, p.sort.name, p.default) for key, p in parameters(Makespan).items()], required(Makespan)
    ([('order', 'COUNT', 1)], ())
    """
    if not is_dataclass(goal):
        return {}
    hints = get_type_hints(goal, include_extras=True)
    return {
        f.name: replace(extra, default=_default(f))
        for f in fields(goal)
        for extra in getattr(hints[f.name], "__metadata__", ())
        if isinstance(extra, Parameter)
    }


def _default(field: Field[Any]) -> Any:
    value = field.default if field.default_factory is MISSING else field.default_factory()
    return ... if value is MISSING else value


def required(goal: type) -> tuple[str, ...]:
    """The keys that must be written, because the field has no default."""
    return tuple(key for key, parameter in parameters(goal).items() if parameter.default is ...)
