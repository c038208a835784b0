"""The goals: values, order, regularity."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from consortium.scheduling.goals import (
    ExpressionGoal,
    LexicalMax,
    Makespan,
    SquaredDeviation,
    SumOfTimes,
    WeightedMakespan,
    WeightedSum,
)
from consortium.scheduling.welfare import Goal
from consortium.support.errors import InputError

T = (Fraction(3), Fraction(1, 2), Fraction(2))


@pytest.mark.parametrize(
    ("goal", "expected", "with_a_killed_job"),
    [
        (SumOfTimes(), Fraction(-11, 2), -math.inf),
        (Makespan(), -3, -math.inf),
        (Makespan(2), -5, -math.inf),
        (Makespan(3), Fraction(-11, 2), -math.inf),
        (Makespan(9), Fraction(-11, 2), -math.inf),
        (LexicalMax(), (-3, -2, Fraction(-1, 2)), (-math.inf, -3, -2)),
        (WeightedSum((1, 2, 3)), -10, -math.inf),
        (WeightedSum((1, 0, 3)), -9, -9),
        (WeightedMakespan((1, 20, 3)), -10, -math.inf),
        (SquaredDeviation("3/2"), Fraction(-7, 2), -math.inf),
        (ExpressionGoal("-a*b + c", ("a", "b", "c")), Fraction(1, 2), -math.inf),
    ],
)
def test_value(goal: Goal, expected: object, with_a_killed_job: object) -> None:
    assert goal.value(T) == expected
    assert goal.value((T[0], math.inf, T[2])) == with_a_killed_job
    assert isinstance(goal, Goal)


@pytest.mark.parametrize(
    "goal", [SumOfTimes(), Makespan(2), WeightedSum(()), WeightedMakespan(()), SquaredDeviation(1)]
)
def test_nobody_is_worth_nothing(goal: Goal) -> None:
    assert goal.value(()) == 0


def test_bad_parameters_are_named() -> None:
    with pytest.raises(InputError, match=r"order: found 0; expected an integer >= 1"):
        Makespan(0)
    with pytest.raises(InputError, match=r"order: found True"):
        Makespan(True)
    with pytest.raises(InputError, match=r"weights\[2\]: found -1; expected a number >= 0"):
        WeightedSum((1, -1))
    with pytest.raises(InputError, match=r"weights: found 2; there are 3 agents"):
        WeightedMakespan((1, 1)).value(T)
    with pytest.raises(InputError, match=r"target: found the float"):
        SquaredDeviation(0.5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"welfare.expression, column 1: 'z' is not known"):
        ExpressionGoal("z", ("a",))


def regular_on_grid(goal: Goal, n: int) -> bool:
    """Definition 3.21 on a grid, written plainly."""
    grid, value = [Fraction(k, 2) for k in range(1, 7)], cache(goal.value)
    return all(
        value((*z[:i], x, *z[i + 1 :])) < value((*z[:i], y, *z[i + 1 :]))  # type: ignore[operator]
        for z in product(grid, repeat=n)
        for i in range(n)
        for x in grid
        for y in grid
        if x > y
    )


@pytest.mark.parametrize(
    "goal",
    [
        SumOfTimes(),
        Makespan(1),
        Makespan(2),
        Makespan(3),
        LexicalMax(),
        WeightedSum((1, 2, 3)),
        WeightedSum((1, 0, 3)),
        WeightedMakespan((1, 2, 3)),
        WeightedMakespan((100, 1, 1)),
        SquaredDeviation(3),
        ExpressionGoal("-(a + 9*b + c**2)", ("a", "b", "c")),
        ExpressionGoal("7 - (a + 9*b)/2 - c*(1 + 1)", ("a", "b", "c")),
        ExpressionGoal("-(a + 9*b)", ("a", "b", "c")),
        ExpressionGoal("-max(a, b, c)", ("a", "b", "c")),
    ],
)
def test_regularity_against_the_definition(goal: Goal) -> None:
    """``False`` holds for some number of agents, with orders below it for the makespan."""
    if goal.regular or goal == Makespan(3):
        assert regular_on_grid(goal, 3)
    elif goal.regular is False:
        assert not regular_on_grid(goal, 3)
    assert (goal.regular is None) == (isinstance(goal, ExpressionGoal) and not goal.slopes)
