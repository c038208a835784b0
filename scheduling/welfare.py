"""Welfare functions: what the institution maximises, as a function of the jobs' output times.

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

Makespan of order ``l`` is definition 6.1: the *sum* of the ``l`` largest times, so order 1 is the makespan and order
``N`` is the sum; beyond the number of agents the order counts as that number. Lexical max compares the largest times,
then the second largest and so on, which is what the chain of definition 6.2 amounts to.

A weight of zero means that the agent's time does not count, even when it is infinite.

>>> from fractions import Fraction
>>> Makespan(order=2).value([Fraction(3), Fraction(1), Fraction(2)])
Fraction(-5, 1)
>>> LexicalMax().value([Fraction(1), Fraction(3)]) < LexicalMax().value([Fraction(2), Fraction(2)])
True
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Protocol, TypeAlias, runtime_checkable

from .errors import InputError
from .exact import Extended, Rational, rational
from .expressions import Expression

Value: TypeAlias = Extended | tuple[Extended, ...]
"""What a goal returns; values of one goal compare with each other."""


@runtime_checkable
class Goal(Protocol):
    """A welfare function.

    ``id`` is its name on the surface. See :func:`check_regular` for regularity with a given number of agents.
    """

    id: ClassVar[str]

    @property
    def regular(self) -> bool | None:
        """Definition 3.21, for every number of agents."""

    @property
    def symmetric(self) -> bool:
        """Whether it is known not to matter who has which time."""

    @property
    def non_increasing(self) -> bool | None:
        """Whether no later time can raise the value."""

    def value(self, times: Sequence[Extended]) -> Value:
        """Welfare of these output times; larger is better."""


@dataclass(frozen=True)
class SumOfTimes:
    """Minus the sum of the output times (``g_Sigma``).

    >>> SumOfTimes().value([Fraction(1), Fraction(1, 2)])
    Fraction(-3, 2)
    """

    id: ClassVar[str] = "sum"
    regular: ClassVar[bool | None] = True
    symmetric: ClassVar[bool] = True
    non_increasing: ClassVar[bool | None] = True

    def value(self, times: Sequence[Extended]) -> Extended:
        """Minus the sum; ``-inf`` when a job never ends."""
        return -_sum(times)


@dataclass(frozen=True)
class Makespan:
    """Minus the sum of the ``order`` largest output times (definition 6.1); order 1 is the makespan.

    Raises InputError for an order below 1. Without jobs the value is 0.

    >>> Makespan().value([Fraction(1), Fraction(3)]), Makespan(order=7).value([Fraction(1), Fraction(3)])
    (Fraction(-3, 1), Fraction(-4, 1))
    """

    order: int = 1
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
        return -_sum(sorted(times, reverse=True)[: self.order])


@dataclass(frozen=True)
class LexicalMax:
    """The negated times, largest time first; tuples compare lexicographically (definition 6.2).

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


@dataclass(frozen=True)
class WeightedSum:
    """Minus ``sum w_n T_n``; weights are rationals >= 0, one per agent.

    >>> WeightedSum((1, 9)).value([Fraction(2), Fraction(1)])
    Fraction(-11, 1)
    """

    weights: tuple[Rational, ...]
    id: ClassVar[str] = "weighted-sum"
    non_increasing: ClassVar[bool | None] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", _weights(self.weights))

    @property
    def regular(self) -> bool | None:
        """Whether every weight is positive."""
        return all(w > 0 for w in self.weights)

    @property
    def symmetric(self) -> bool:
        """Whether all weights are equal."""
        return len(set(self.weights)) <= 1

    def value(self, times: Sequence[Extended]) -> Extended:
        """Minus the weighted sum of the times."""
        return -_sum(_weighted(self.weights, times))


@dataclass(frozen=True)
class WeightedMakespan:
    """Minus ``max w_n T_n``; weights are rationals >= 0, one per agent.

    >>> WeightedMakespan((1, 9)).value([Fraction(2), Fraction(1)])
    Fraction(-9, 1)
    """

    weights: tuple[Rational, ...]
    id: ClassVar[str] = "weighted-makespan"
    non_increasing: ClassVar[bool | None] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", _weights(self.weights))

    @property
    def regular(self) -> bool | None:
        """Whether there is one agent, with a positive weight (or none at all)."""
        return all(w > 0 for w in self.weights) and len(self.weights) <= 1

    @property
    def symmetric(self) -> bool:
        """Whether all weights are equal."""
        return len(set(self.weights)) <= 1

    def value(self, times: Sequence[Extended]) -> Extended:
        """Minus the largest weighted time."""
        return -max(_weighted(self.weights, times), default=Fraction(0))


@dataclass(frozen=True)
class SquaredDeviation:
    """Minus ``sum (T_n - target)**2``: everybody's output is wanted at one moment, neither later nor earlier.

    >>> SquaredDeviation(3).value([Fraction(1), Fraction(4)])
    Fraction(-5, 1)
    """

    target: Rational
    id: ClassVar[str] = "squared-deviation"
    regular: ClassVar[bool | None] = False
    symmetric: ClassVar[bool] = True
    non_increasing: ClassVar[bool | None] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", rational(self.target, "target"))

    def value(self, times: Sequence[Extended]) -> Extended:
        """Minus the sum of the squared deviations; ``-inf`` when a job never ends."""
        return -_sum([t if isinstance(t, float) else (t - self.target) ** 2 for t in times])


@dataclass(frozen=True)
class ExpressionGoal:
    """The value of an arithmetic expression in the agents' names, each standing for her output time.

    Where the expression has no value (``inf - inf``, ``0 * inf``) the welfare is ``-inf``; a division by zero raises
    InputError. See :mod:`.expressions` for grammar and limits. What is known of it is known of expressions that are
    plainly linear in the names, such as the one below; nothing is known of the others.

    >>> goal = ExpressionGoal("-(ann + 9*bob)", ("ann", "bob"))
    >>> goal.value([Fraction(2), Fraction(1)]), goal.regular, goal.symmetric
    (Fraction(-11, 1), True, False)
    """

    expression: str
    names: tuple[str, ...]
    parsed: Expression = field(init=False, repr=False, compare=False)
    slopes: tuple[Fraction, ...] | None = field(init=False, repr=False, compare=False)
    id: ClassVar[str] = "expression"

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "parsed", Expression.parse(self.expression, self.names, "welfare.expression"))
        linear = self.parsed.linear()
        object.__setattr__(self, "slopes", None if linear is None else linear[1:])

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


def as_weighted_sum(goal: Goal) -> Goal:
    """The weighted sum that orders schedules like a plainly linear, non-increasing expression; else the goal itself.

    >>> as_weighted_sum(ExpressionGoal("3 - a - 2*b", ("a", "b"))).weights
    (Fraction(1, 1), Fraction(2, 1))
    >>> as_weighted_sum(ExpressionGoal("a", ("a",))).id
    'expression'
    """
    if isinstance(goal, ExpressionGoal) and goal.slopes is not None and goal.non_increasing:
        return WeightedSum(tuple(-c for c in goal.slopes))
    return goal


@dataclass(frozen=True)
class Regularity:
    """Answer of :func:`check_regular`.

    Attributes
    ----------
    holds
        True or False when settled; None when no counterexample was found on the grid, which proves nothing.
    method
        ``"argument"`` (known of this goal) or ``"enumeration"``.
    cases
        Comparisons made.
    witness
        ``(times, agent, earlier, later)``: with the others' times fixed, moving ``agent`` (from 0) from ``earlier`` to
        ``later`` does not make the goal strictly smaller. None unless refuted.
    """

    holds: bool | None
    method: str
    cases: int
    witness: tuple[tuple[Fraction, ...], int, Fraction, Fraction] | None


def check_regular(goal: Goal, n_agents: int, times: Sequence[Rational] = (1, 2, 3, 4)) -> Regularity:
    """Whether the goal is regular for ``n_agents`` agents: each later time alone makes it strictly smaller.

    The goals of this module are settled by an argument, and a refutation among them still carries a witness from the
    grid ``times``. Any other goal is tried on every vector of grid times and every pair of neighbouring grid times
    (pairs further apart follow, because strict decrease is transitive); without a counterexample the answer is None.

    >>> check_regular(SumOfTimes(), 3).holds
    True
    >>> check_regular(Makespan(), 2).witness
    ((Fraction(1, 1), Fraction(2, 1)), 0, Fraction(1, 1), Fraction(2, 1))
    >>> check_regular(ExpressionGoal("-a*b", ("a", "b")), 2).holds is None
    True
    """
    grid = sorted({Fraction(t) for t in times})
    known = _known_regular(goal, n_agents)
    if known:
        return Regularity(True, "argument", 0, None)
    cases, witness = _refute(goal, n_agents, _grid_for(goal, grid))
    if known is False:
        return Regularity(False, "argument", cases, witness)
    return Regularity(None if witness is None else False, "enumeration", cases, witness)


def _known_regular(goal: Goal, n_agents: int) -> bool | None:
    if n_agents == 0:
        return True
    if isinstance(goal, Makespan):
        return goal.order >= n_agents
    return goal.regular


def _grid_for(goal: Goal, grid: list[Fraction]) -> list[Fraction]:
    """Add the points that show the failure of a known irregular goal whatever the scale of its parameters."""
    if isinstance(goal, SquaredDeviation):
        return sorted({*grid, *(t for t in (Fraction(goal.target) / 2, Fraction(goal.target)) if t > 0)})
    if isinstance(goal, WeightedMakespan):
        positive = [w for w in map(Fraction, goal.weights) if w > 0]
        return sorted({*grid, *(g * w / min(positive) for g in grid for w in positive)})
    return grid


def _refute(
    goal: Goal, n_agents: int, grid: list[Fraction]
) -> tuple[int, tuple[tuple[Fraction, ...], int, Fraction, Fraction] | None]:
    from itertools import pairwise, product

    cases = 0
    for base in product(grid, repeat=n_agents):
        for agent in range(n_agents):
            for earlier, later in pairwise(grid):
                if base[agent] != earlier:
                    continue
                cases += 1
                moved = (*base[:agent], later, *base[agent + 1 :])
                if not goal.value(moved) < goal.value(base):  # type: ignore[operator]
                    return cases, (base, agent, earlier, later)
    return cases, None


def _weights(weights: Sequence[Rational]) -> tuple[Fraction, ...]:
    exact = tuple(rational(w, f"weights[{n}]") for n, w in enumerate(weights, 1))
    for n, w in enumerate(exact, 1):
        if w < 0:
            raise InputError(f"weights[{n}]: found {w}; expected a number >= 0")
    return exact


def _weighted(weights: Sequence[Rational], times: Sequence[Extended]) -> list[Extended]:
    if len(weights) != len(times):
        raise InputError(f"weights: found {len(weights)}; there are {len(times)} agents")
    return [
        Fraction(0) if w == 0 else t if isinstance(t, float) else w * t for w, t in zip(weights, times, strict=True)
    ]


def _sum(values: Sequence[Extended]) -> Extended:
    return math.inf if any(isinstance(v, float) for v in values) else sum(values, Fraction(0))
