"""Decision trees beside the code that they stand for: at random points, on boundaries, far away and infinitely near."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction as F
from math import lcm
from typing import Any

import pytest

from consortium.games.proofs.execution import Tree, below_zero, value_at
from consortium.games.proofs.programs import MechanismProgram
from consortium.games.proofs.prover import Prover
from consortium.games.proofs.questions import Lengths
from consortium.mechanisms.declaration import Cutoff, build, play
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import Makespan
from consortium.support.errors import InputError, MechanismError

from . import random_rules as rules


def homogeneous(numbers: list[F]) -> tuple[int, ...]:
    unit = lcm(*(x.denominator for x in numbers))
    return (unit, *[int(x * unit) for x in numbers])


def plain(mechanism: Any, n: int, numbers: list[F]) -> list[Any] | None:
    """What the code itself says."""
    try:
        found = play(mechanism, numbers[:n], numbers[n:])
    except MechanismError:
        raise
    except InputError:
        return None
    return [*found.output, *found.payments]


def said(tree: Tree, numbers: list[F]) -> list[Any] | None:
    """What the tree says."""
    point = homogeneous(numbers)
    results = tree.leaf(point).results
    if results is None:
        return None
    return [float(v) if isinstance(v, str) else v for v in (value_at(one, point) for one in results)]


def asked_in(tree: Tree) -> list[tuple[int, ...]]:
    nodes, found = [tree.root], []
    while nodes:
        node = nodes.pop()
        found += [node.test] if node.test is not None else []
        nodes += node.children.values()
    return found


def points(rng: random.Random, tree: Tree, n: int, count: int) -> Iterator[list[F]]:
    """Small, tiny and huge numbers, ties, and numbers at which a test of the tree is met exactly."""
    for _ in range(count):
        scale = rng.choice((F(1), F(1), F(1, 10**12), F(10**12), F(10**40)))
        numbers = [scale * F(rng.randint(1, 9), rng.randint(1, 4)) for _ in range(2 * n)]
        if rng.random() < 0.3:
            numbers[rng.randrange(2 * n)] = rng.choice(numbers)
        yield numbers
        tests = asked_in(tree)
        if tests:
            test, k = rng.choice(tests), rng.randrange(2 * n)
            rest = test[0] + sum(a * x for j, (a, x) in enumerate(zip(test[1:], numbers, strict=True)) if j != k)
            if test[1 + k] and -rest / test[1 + k] > 0:
                edge = -rest / test[1 + k]
                for there in (edge, edge * (1 + F(1, 10**15)), edge * (1 - F(1, 10**15))):
                    yield rules.put(numbers, k, there)


MECHANISMS = [
    (build("vcg-postpone", Cluster.of([1, 2])), 3),
    (build("evcg-renice", Cluster.of([1, 2]), Makespan(), penalty="printed"), 2),
    (build("evcg-postpone", Cluster.of([1]), Makespan(), ties="listed", cutoff=Cutoff("difference", 2)), 2),
    (build("vcg-postpone", Cluster.of([1]), cutoff=Cutoff("absolute", 3)), 2),
    (build("evcg-postpone", Cluster.of([1, 1]), rounds=2, values=[5, 8]), 2),
    (build("verified-printed", Cluster.of([2, 3])), 2),
    (build("harsh", Cluster.of([1, 2])), 2),
]


@pytest.mark.parametrize(("mechanism", "n"), MECHANISMS)
def test_trees_say_what_the_rules_do(mechanism: Any, n: int) -> None:
    rng = random.Random(n)
    tree = Tree(MechanismProgram(mechanism, n))
    for numbers in points(rng, tree, n, 15):
        assert said(tree, numbers) == plain(mechanism, n, numbers), numbers


def test_trees_say_what_random_code_does() -> None:
    for seed in range(40):
        rng = random.Random(seed)
        n = rng.choice((1, 2, 3))
        rule = rules.RandomRule(rng, n)
        tree = Tree(MechanismProgram(rule, n))
        for numbers in points(rng, tree, n, 6):
            assert said(tree, numbers) == plain(rule, n, numbers), (seed, numbers)


def test_infinitely_near_is_what_small_steps_come_to() -> None:
    """Results along ``point + move / K`` are linear in ``1 / K`` once ``K`` is large: two steps give the limit."""
    for seed in range(40):
        rng = random.Random(seed)
        n = rng.choice((1, 2))
        rule = rules.RandomRule(rng, n)
        tree = Tree(MechanismProgram(rule, n))
        for numbers in points(rng, tree, n, 4):
            move = (0, *[rng.choice((-1, 0, 1)) for _ in range(2 * n)])
            point = homogeneous(numbers)
            results = tree.leaf(point, move).results
            found = None if results is None else [value_at(one, point) for one in results]
            step = min(numbers) / 10**70
            one, two = (plain(rule, n, [x + k * step * d for x, d in zip(numbers, move[1:], strict=True)])
                        for k in (1, 2))  # fmt: skip
            if one is None or two is None:
                assert found == one == two, (seed, numbers, move)
                continue
            limits = [str(a) if isinstance(a, float) else 2 * a - b for a, b in zip(one, two, strict=True)]
            assert found == limits, (seed, numbers, move)


@pytest.mark.parametrize("number", range(3))
def test_a_proof_has_been_everywhere(number: int) -> None:
    """After a proof no point of the domain leads off the tree: all cells were looked at, their edges too."""
    mechanism, n = MECHANISMS[number]
    prover = Prover(mechanism, min(n, 2), Lengths())
    assert prover.prove("rent-nonnegative", processes=1).holds is not None
    if prover.prove("just", processes=1).holds:
        before = prover.tree.leaves
        rng = random.Random(0)
        for numbers in points(rng, prover.tree, prover.agents, 100):
            numbers[0] = numbers[prover.agents]  # the first agent is truthful
            prover.tree.leaf(homogeneous(numbers))
        assert prover.tree.leaves == before


def test_below_zero_at_a_point_and_near_it() -> None:
    assert below_zero((-1, 1, 0), ((2, 1, 5),))
    assert not below_zero((-1, 1, 0), ((1, 1, 5),))
    assert below_zero((-1, 1, 0), ((1, 1, 5), (0, -1, 0)))
    assert not below_zero((-1, 1, 0), ((1, 1, 5), (0, 1, 0)))
