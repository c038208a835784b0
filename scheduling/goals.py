"""Welfare goals: what the institution maximises, as a function of the jobs' output times.

Model: a goal maps the vector ``T`` of output times (one per agent, ``math.inf`` for a job that never ends) to a value
that is maximised (Agmon 2003, sections 3.3.2 and 6.1). A goal is *regular* (definition 3.21) when raising one time and
leaving the others makes it strictly smaller; *non-increasing* when that never makes it larger; *symmetric* when it
does not depend on who has which time.

=====================  ============================================  ==================  ==============
goal                   value                                         regular             symmetric
=====================  ============================================  ==================  ==============
``sum``                ``-sum T``                                    yes                 yes
``makespan``           minus the sum of the ``order`` largest        only order >= N     yes
``lexical-max``        negated times, largest time first; compared   yes, as an order    yes
                       as tuples
``weighted-sum``       ``-sum w_n T_n``                              all weights > 0     equal weights
``weighted-makespan``  ``-max w_n T_n``                              only N = 1          equal weights
``squared-deviation``  ``-sum (T_n - target)**2``                    no                  yes
``expression``         the expression's value                        if linear, by its   if linear, by its
                                                                     slopes; not known   slopes; not known
=====================  ============================================  ==================  ==============

One class carries all that is known of a goal: its value and order, bounds, what becomes of it when agents leave, the
cost that compiled kernels minimise in its place, regularity, and how a scenario file writes it (:mod:`.welfare`). A new
goal is one such class in :data:`SHIPPED`; in another distribution, an entry point ``consortium.goals``.

>>> Makespan(order=2).value([Fraction(3), Fraction(1), Fraction(2)])
Fraction(-5, 1)
>>> LexicalMax().value([Fraction(1), Fraction(3)]) < LexicalMax().value([Fraction(2), Fraction(2)])
True
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, Self

from ..support.errors import ExtensionError, InputError, unknown_name
from ..support.exact import Extended, Rational, extended_total, rational
from ..support.loading import extension, extensions, usable
from .arithmetic import Expression
from .welfare import Cost, Form, Goal, LeastTimes, Parameter, Sort, WithoutLeavers, parameters


@dataclass(frozen=True)
class SumOfTimes(Goal):
    """Minus the sum of the output times (``g_Sigma``).

    >>> SumOfTimes().value([Fraction(1), Fraction(1, 2)])
    Fraction(-3, 2)
    """

    id: ClassVar[str] = "sum"
    by_cost: ClassVar[bool] = True
    by_sum: ClassVar[bool] = True
    regular: ClassVar[bool | None] = True
    symmetric: ClassVar[bool] = True
    non_increasing: ClassVar[bool | None] = True

    def value(self, times: Sequence[Extended]) -> Extended:
        """Minus the sum; ``-inf`` when a job never ends."""
        return -extended_total(times)

    def upper_bound(self, least: LeastTimes) -> Extended:
        """Minus the smallest sum."""
        return -least.total


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
    by_cost: ClassVar[bool] = True
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

    def cost(self, n_agents: int) -> Cost:
        """The sum of the largest times, from order ``N`` on the plain sum."""
        return Cost.largest(self.order, n_agents)

    def upper_bound(self, least: LeastTimes) -> Extended:
        """From the smallest makespan, the mean of the smallest sum, and the longest jobs alone."""
        n = len(least.alone)
        order = min(self.order, n)
        longest = sorted(least.alone, reverse=True)[:order]
        return -max(least.makespan, least.total * order / max(1, n), sum(longest, Fraction(0)))


@dataclass(frozen=True)
class LexicalMax(Goal):
    """The negated times, largest time first; tuples compare lexicographically.

    That is what the chain of definition 6.2 amounts to.

    >>> import math
    >>> LexicalMax().value([Fraction(1), math.inf])
    (-inf, Fraction(-1, 1))
    """

    id: ClassVar[str] = "lexical-max"
    by_cost: ClassVar[bool] = True
    regular: ClassVar[bool | None] = True
    symmetric: ClassVar[bool] = True
    non_increasing: ClassVar[bool | None] = True

    def value(self, times: Sequence[Extended]) -> tuple[Extended, ...]:
        """Negated times in the order of decreasing time."""
        return tuple(-t for t in sorted(times, reverse=True))

    def cost(self, n_agents: int) -> Cost:
        """The times themselves, largest first."""
        return Cost(Form.LEXICAL)

    def upper_bound(self, least: LeastTimes) -> tuple[Extended, ...]:
        """The smallest makespan, then every other job alone on the fastest machine."""
        if not least.alone:
            return ()
        longest, *others = sorted(least.alone, reverse=True)
        return (-max(least.makespan, longest), *(-t for t in others))


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
    by_cost: ClassVar[bool] = True

    @property
    def regular(self) -> bool | None:
        """Whether there is one agent, with a positive weight (or none at all)."""
        return all(w > 0 for w in self.weights) and len(self.weights) <= 1

    def value(self, times: Sequence[Extended]) -> Extended:
        """Minus the largest weighted time."""
        return -max(self._weigh(times), default=Fraction(0))

    def cost(self, n_agents: int) -> Cost:
        """The largest weighted time."""
        return Cost(Form.LARGEST, self.weights)


@dataclass(frozen=True)
class SquaredDeviation(Goal):
    """Minus ``sum (T_n - target)**2``: everybody's output is wanted at one moment, neither later nor earlier.

    >>> SquaredDeviation(3).value([Fraction(1), Fraction(4)])
    Fraction(-5, 1)
    """

    target: Annotated[Rational, Parameter(Sort.NUMBER, "when everybody's output is wanted", "time")]
    id: ClassVar[str] = "squared-deviation"
    by_cost: ClassVar[bool] = True
    regular: ClassVar[bool | None] = False
    symmetric: ClassVar[bool] = True
    non_increasing: ClassVar[bool | None] = False
    degree: ClassVar[int | None] = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", rational(self.target, "target"))

    def value(self, times: Sequence[Extended]) -> Extended:
        """Minus the sum of the squared deviations; ``-inf`` when a job never ends."""
        return -extended_total([t if isinstance(t, float) else (t - self.target) ** 2 for t in times])

    def cost(self, n_agents: int) -> Cost:
        """The squared deviations."""
        return Cost(Form.SQUARED, target=Fraction(self.target))

    def upper_bound(self, least: LeastTimes) -> Fraction:
        """Zero: everybody on time."""
        return Fraction(0)


@dataclass(frozen=True)
class ExpressionGoal(Goal):
    """The value of an arithmetic expression in the agents' names, each standing for her output time.

    Where the expression has no value (``inf - inf``, ``0 * inf``) the welfare is ``-inf``; a division by zero raises
    InputError. See :mod:`.arithmetic` for grammar and limits. What is known of it is known of expressions that are
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


GROUP: Final = "consortium.goals"
SHIPPED: Final[Mapping[str, type[Goal]]] = MappingProxyType(
    {
        goal.id: goal
        for goal in (
            SumOfTimes, Makespan, LexicalMax, WeightedSum, WeightedMakespan, SquaredDeviation, ExpressionGoal,
        )
    }
)  # fmt: skip
TAKEN: Final = ("goal", "ties")
"""Keys of ``[welfare]`` that no goal may have as a parameter."""


def goal_names() -> tuple[str, ...]:
    """Names of all goals, those of other distributions last.

    >>> goal_names()[:3], goal_class("makespan")(order=2)
    (('sum', 'makespan', 'lexical-max'), Makespan(order=2))
    """
    return (*SHIPPED, *(name for name in extensions(GROUP) if name not in SHIPPED))


def goals() -> dict[str, type[Goal]]:
    """All goals by name; those of other distributions that cannot be used are left out, with a warning."""
    return usable(goal_names(), goal_class)


def is_goal(name: str) -> bool:
    """Whether a goal has this name; other distributions are asked only about names that are not ours."""
    return name in SHIPPED or name in extensions(GROUP)


def goal_class(name: str) -> type[Goal]:
    """The class behind a name.

    Raises UnknownNameError with the nearest name, and ExtensionError for a foreign goal that cannot be used.
    """
    if name in SHIPPED:
        return SHIPPED[name]
    if not is_goal(name):
        raise unknown_name("welfare.goal", name, goal_names())
    return _checked(name, extension(GROUP, name))


def summary(goal: type[Goal]) -> str:
    """What a goal's value is: the first line of its docstring, nothing without one.

    >>> summary(goal_class("sum"))
    'Minus the sum of the output times (g_Sigma)'
    """
    about = goal.__dict__.get("__doc__") or ""
    written_by_dataclass = about.startswith(f"{goal.__name__}(")
    return "" if written_by_dataclass else about.strip().partition("\n")[0].rstrip(".").replace("``", "")


def _checked(name: str, goal: object) -> type[Goal]:
    if not isinstance(goal, type) or not issubclass(goal, Goal):
        raise ExtensionError(f"{GROUP}: found {goal!r} for {name!r}; expected a subclass of consortium.scheduling.Goal")
    if getattr(goal, "id", None) != name:
        raise ExtensionError(
            f"{GROUP}: found id = {getattr(goal, 'id', None)!r} in {goal.__name__}; expected {name!r}, as announced"
        )
    try:
        keys = parameters(goal)
    except NameError as error:
        raise ExtensionError(
            f"{GROUP}: found annotations of {goal.__name__} that cannot be read ({error}); expected names that its "
            "module imports when it runs"
        ) from error
    if taken := [key for key in keys if key in TAKEN]:
        raise ExtensionError(f"{GROUP}: found the parameter {taken[0]!r} in {name!r}; expected another name for it")
    return goal
