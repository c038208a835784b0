"""Chapter 4: the families of instances and their Pareto points; Algorithms 1 and 2; the bounds quoted from Ooshita."""

from __future__ import annotations

from fractions import Fraction

import pytest

from consortium.agents.organizations import Federation
from consortium.mechanisms.federation import (
    Relaxed2,
    Relaxed3,
    RelaxedPrinted2,
    Tomos,
    pareto_front,
    unconstrained_optimum,
)
from consortium.workloads.federation import family_1, family_2, figure_4_1

pytestmark = pytest.mark.paper("Cordeiro 2012, chapter 4")


def points(instance):
    return [(p.alpha, p.makespan) for p in pareto_front(Federation.of(instance.jobs)).points]


def test_figure_4_1():
    assert points(figure_4_1()) == [(1, Fraction(4, 3)), (Fraction(3, 2), 1)]


@pytest.mark.parametrize("n", [3, 4, 5])
def test_family_1(n):
    """Exactly (1; 1 + 1/(N-1)) and (N-1; 1): the summary's (N; ...) must read (N-1; ...)."""
    assert points(family_1(n)) == [(1, 1 + Fraction(1, n - 1)), (n - 1, 1)]


@pytest.mark.parametrize(("j", "k"), [(2, 1), (2, 3), (3, 2)])
def test_family_2(j, k):
    """(1; 2 - 1/j) and (j/(j-1); 1)."""
    assert points(family_2(j, k)) == [(1, 2 - Fraction(1, j)), (Fraction(j, j - 1), 1)]


@pytest.mark.parametrize("n", [3, 4])
def test_guarantees_are_on_the_border_of_family_1(n):
    """(2; 3/2) and (3; 4/3) are corners that no instance-independent guarantee can beat in both coordinates."""
    fed = Federation.of(family_1(n).jobs)
    best = unconstrained_optimum(fed)
    rule = {3: Relaxed2(), 4: Relaxed3()}[n]
    schedule = rule.run(fed)
    assert schedule.makespan <= rule.ratio * best
    for point in pareto_front(fed).points:
        assert not (point.alpha < rule.cooperation and point.makespan < rule.ratio * best)


def test_theorem_4_5_as_printed_is_false():
    fed = Federation.of([[13] * 4, [3] * 4, [], []])
    printed = RelaxedPrinted2().solve(fed)
    assert (printed.guess, printed.schedule.makespan, unconstrained_optimum(fed)) == (17, 25, 16)
    assert Relaxed2().run(fed).makespan == 16


def test_the_bounds_quoted_for_tomos_start_at_zero():
    """sum_{l=1}^N alpha^-l is below 1 for alpha = 2, impossible; from 0 to N - 1 it is below alpha / (alpha - 1)."""
    for n in range(1, 8):
        quoted = sum(Fraction(1, 2**e) for e in range(1, n + 1))
        repaired = sum(Fraction(1, 2**e) for e in range(n))
        assert quoted < 1 <= repaired < 2
    fed = Federation.of([[6, 6], [1, 1, 1, 1], [2, 2]])
    best = unconstrained_optimum(fed)
    assert Tomos(Fraction(2)).run(fed).makespan <= best * (1 + Fraction(1, 2) + Fraction(1, 4))
