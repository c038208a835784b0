"""Chapter 3 on optima: regular goals are optimal only at efficient allocations; the best orders on one machine."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product

import pytest

from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import LexicalMax, Makespan, SumOfTimes, WeightedMakespan, WeightedSum
from consortium.scheduling.welfare import Goal

from .work import WorkAllocation, WorkFunction

HALF = Fraction(1, 2)


def slot_allocations(powers: list[int], lengths: list[int], horizon: int) -> Iterator[WorkAllocation]:
    """Every allocation of two jobs in which shares change at whole times only and are 0, 1/2 or 1."""
    cluster = Cluster.of(powers)
    for machine_of in product(range(len(powers)), repeat=2):
        if machine_of[0] == machine_of[1]:
            choices = [(Fraction(a, 2), Fraction(b, 2)) for a in range(3) for b in range(3 - a)]
        else:
            choices = [(Fraction(a, 2), Fraction(b, 2)) for a in range(3) for b in range(3)]
        for slots in product(choices, repeat=horizon):
            work = [sum(slot[n] for slot in slots) * powers[machine_of[n]] for n in range(2)]
            if work == lengths:
                functions = tuple(
                    WorkFunction.of([(t, t + 1, slot[n]) for t, slot in enumerate(slots)]) for n in range(2)
                )
                yield WorkAllocation(cluster, machine_of, functions)


@pytest.mark.paper("Agmon03")
@pytest.mark.parametrize(
    ("powers", "lengths"), [([1], [1, 2]), ([1], [2, 2]), ([2], [2, 4]), ([1, 1], [1, 1]), ([1, 2], [1, 2])]
)
def test_theorem_3_25_optima_of_regular_goals_are_efficient(powers: list[int], lengths: list[int]) -> None:
    """Also corollaries 3.3.1 and 3.3.2: they are work-function-Pareto-efficient, which forces gapless full machines."""
    everything = list(slot_allocations(powers, lengths, horizon=4 if len(powers) == 1 else 2))
    for goal in (SumOfTimes(), WeightedSum((1, 9)), WeightedSum((5, 1)), Makespan(2), LexicalMax()):
        best = max(goal.value(plan.ends) for plan in everything)  # type: ignore[type-var]
        optima = [plan for plan in everything if goal.value(plan.ends) == best]
        assert optima
        assert all(plan.is_efficient() and plan.is_pareto_efficient(lengths) for plan in optima)
    for plan in everything:
        if plan.is_pareto_efficient(lengths):
            for m in range(len(powers)):
                used = plan.usage(m)
                assert used == () or (len(used) == 1 and used[0][0] == 0 and used[0][2] == 1)


def values(goal: Goal, lengths: list[int]) -> dict[tuple[int, ...], object]:
    """Value of every order on one machine."""
    found = {}
    for order in permutations(range(len(lengths))):
        ends, t = [Fraction(0)] * len(lengths), Fraction(0)
        for j in order:
            t += lengths[j]
            ends[j] = t
        found[order] = goal.value(ends)
    return found


def test_best_orders_on_one_machine() -> None:
    """Shortest first for symmetric goals, length over weight for weighted sums, heaviest first for their maximum."""
    rng = random.Random("orders")
    for _ in range(60):
        n = rng.randint(1, 5)
        b, w = [rng.randint(1, 4) for _ in range(n)], tuple(rng.randint(1, 4) for _ in range(n))
        shortest = tuple(sorted(range(n), key=lambda j: b[j]))
        for goal in (SumOfTimes(), Makespan(), Makespan(2), LexicalMax()):
            found = values(goal, b)
            assert found[shortest] == max(found.values())  # type: ignore[type-var]
        smith = tuple(sorted(range(n), key=lambda j: Fraction(b[j], w[j])))
        found = values(WeightedSum(w), b)
        assert found[smith] == max(found.values())  # type: ignore[type-var]
        heaviest = tuple(sorted(range(n), key=lambda j: -w[j]))
        found = values(WeightedMakespan(w), b)
        assert found[heaviest] == max(found.values())  # type: ignore[type-var]
