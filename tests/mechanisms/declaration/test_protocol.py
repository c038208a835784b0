"""A mechanism of one's own, heuristic allocations, and what answers are refused."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import dataclass
from fractions import Fraction as F
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest

from consortium.mechanisms.declaration import DeclarationMechanism, Outcome, build, play
from consortium.scheduling.allocations import Allocation
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import ExpressionGoal, LexicalMax
from consortium.support.errors import InputError

from .instances import GRID, length
from .test_claims import dominant, ex_post


@dataclass(frozen=True)
class Lottery:
    """The least that a mechanism needs: times and payments."""

    def run(self, declared, lengths):
        return SimpleNamespace(output=[2, math.inf], payments=[F(1, 2), 0])


def test_the_least_that_a_mechanism_needs():
    assert isinstance(Lottery(), DeclarationMechanism)
    outcome = play(Lottery(), [1, 1], [1, 2], values=[4, 4])
    assert outcome == Outcome((F(2), math.inf), (F(1, 2), F(0)), (F(3, 2), -math.inf), (True, True))
    assert outcome.rent == F(1, 2)


def answers(output, payments):
    return type("Mine", (), {"run": lambda self, b, theta: SimpleNamespace(output=output, payments=payments)})()


@pytest.mark.parametrize(
    ("output", "payments", "message"),
    [
        ([1], [0, 0], "Mine.run: found 1 output times for 2 agents"),
        ([1, 1], [0, 0, 0], "Mine.run: found 3 payments for 2 agents"),
        ([1, 0.5], [0, 0], r"Mine.run: output\[2\]: found the float 0.5; write '1/2'"),
        ([1, 1], [0, "much"], r"Mine.run: payments\[2\]: found 'much'"),
        ([1, 1], [0, np.float32(1)], "found"),
        ([1, 1], [0, math.nan], "nan"),
        ([1, 1], [0, True], "expected a number"),
        ([1, 1], [0, None], "None"),
        ([1, -1], [0, 0], "a time >= 0"),
        ([1, -math.inf], [0, 0], "a time >= 0"),
        (None, [0, 0], "None"),
        ({1, 2}, [0, 0], "expected a tuple or list"),
        ("11", [0, 0], "expected a tuple or list"),
    ],
)
def test_answers_that_are_not_exact_or_not_complete(output, payments, message):
    with pytest.raises(InputError, match=message):
        play(answers(output, payments), [1, 1], [1, 1])


def test_an_agent_who_left_has_neither_output_nor_utility():
    outcome = play(answers([None, 1], [0, 2]), [1, 1], [1, 1], values=[5, 5])
    assert (outcome.output, outcome.utilities, outcome.stayed) == ((None, 1), (0, 2), (False, True))


@pytest.mark.parametrize(
    ("declared", "lengths", "message"),
    [
        ([1, 0], [1, 1], r"declared\[2\]: found 0; expected a number > 0"),
        ([1, 1], [1, "-1/2"], r"lengths\[2\]: found -1/2; expected a number > 0"),
        ([1], [1, 1], "found 1 declarations for 2 lengths"),
        ([1, 0.1], [1, 1], r"declared\[2\]: found the float 0.1; write '1/10'"),
    ],
)
def test_profiles_that_make_no_sense(declared, lengths, message):
    with pytest.raises(InputError, match=message):
        build("light-vcg", Cluster.of([1])).run(declared, lengths)


def test_values_are_one_per_agent():
    for rounds in (1, 2):
        with pytest.raises(InputError, match="values: found 1 for 2 agents"):
            build("vcg-renice", Cluster.of([1]), rounds=rounds, values=[1]).run([1, 1], [1, 1])


def scrambled(declared):
    """An allocation rule with no sense but a fixed one: it depends on every digit of the declarations."""
    rng = Random(str(declared))
    order = rng.sample(range(len(declared)), len(declared))
    cut = rng.randint(0, len(order))
    return Allocation((tuple(order[:cut]), tuple(order[cut:])))


@pytest.mark.parametrize(("rule", "holds"), [("evcg-postpone", dominant), ("evcg-renice", ex_post)])
def test_any_fixed_allocation_rule_keeps_the_incentives(rule, holds):
    for seed in range(40):
        rng = Random(seed)
        n = rng.choice([1, 2, 3])
        theta, b = (tuple(length(rng) for _ in range(n)) for _ in range(2))
        mechanism = build(rule, Cluster.of([1, rng.choice([1, 2, "3/2"])]), allocate=scrambled)
        assert holds(mechanism, b, theta, [*GRID[::2], *b])


def test_two_rounds_with_a_goal_that_names_agents():
    """Who left counts as 0 in an expression; the stayers are planned as if alone."""
    goal = ExpressionGoal("-(9*ann + bob + 5*cat)", ("ann", "bob", "cat"))
    two = build("evcg-postpone", Cluster.of([1]), goal, rounds=2, values=[0, 99, 99])
    outcome = two.run([1, 1, 1], [1, 1, 1])
    assert outcome.stayed == (False, True, True)
    assert outcome.output == (None, 2, 1)
    assert outcome.plan.welfare == outcome.welfare == -(2 + 5)


def test_two_rounds_without_anybody():
    outcome = build("evcg-renice", Cluster.of([1, 2]), LexicalMax(), rounds=2).run([1, 2], [2, 2])
    assert (outcome.output, outcome.payments, outcome.rent) == ((None, None), (0, 0), 0)
    assert (outcome.plan.welfare, outcome.welfare) == ((), ())


def test_the_catalogue_is_light():
    code = (
        "import sys; import consortium.mechanisms.declaration.catalogue, consortium.mechanisms.declaration as d;"
        "heavy = {'numpy', 'numba', 'ortools', 'networkx', 'sympy'} & set(sys.modules); assert not heavy, heavy;"
        "assert d.build('harsh', __import__('consortium.scheduling.clusters').scheduling.clusters.Cluster.of([1]))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_unknown_names_of_the_package_are_refused():
    import consortium.mechanisms.declaration as declaration

    with pytest.raises(AttributeError, match="bild"):
        declaration.bild  # noqa: B018
    assert all(getattr(declaration, name) for name in declaration.__all__)
