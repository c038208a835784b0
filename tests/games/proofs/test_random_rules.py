"""Proofs of random piecewise-linear mechanisms beside brute force: on a grid, and where the code's branches meet."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction as F
from typing import Any

import pytest

from consortium.games.proofs.prover import prove
from consortium.games.proofs.statements import CONCEPTS, PROPERTIES
from consortium.games.proofs.strategies import Proof
from consortium.games.verification.results import Witness
from consortium.support.errors import InputError, MechanismError

from . import random_rules as rules

GRIDS = {1: (1, 2, 3, 4, 5, 7), 2: (1, 2, 3, 5), 3: (1, 3)}


def critical_lie(rule: Any, proof: Proof, concept: str, rng: random.Random, tries: int) -> bool:
    """Whether a lie pays where a test of the tree is just met or just missed."""
    nodes, tests = [tree.root for tree in proof.trees], []
    while nodes:
        node = nodes.pop()
        tests += [node.test] if node.test is not None and any(node.test[1 : 1 + rule.n]) else []
        nodes += node.children.values()
    for _ in range(tries if tests else 0):
        test, k = rng.choice(tests), rng.randrange(rule.n)
        meant = [F(rng.randint(1, 12), rng.choice((1, 2, 3))) for _ in range(rule.n)]
        said = meant if concept == "ex-post" else [F(rng.randint(1, 12), rng.choice((1, 2))) for _ in meant]
        rest = test[0] + sum(a * x for a, x in zip(test[1:], [*rules.put(said, k, 0), *meant], strict=True))
        edge = -rest / F(test[1 + k]) if test[1 + k] else F(0)
        if edge <= 0:
            continue
        for lie in (edge, edge * F(99, 100), edge * F(101, 100), edge / 3, edge * 5):
            if rules.pays(rule, k, said, meant, lie) or rules.pays(rule, k, said, rules.put(meant, k, lie), said[k]):
                return True
    return False


def outcome(rule: Any, statement: str, rng: random.Random, number: int) -> str:
    """What a proof and the grid say of a rule; they may not contradict each other."""
    where = f"rule {number}: {statement}"
    grid = GRIDS[rule.n]
    try:
        proof = prove(rule, rule.n, statement, processes=1, max_cells=20_000)
    except MechanismError as error:
        assert "two answers" not in str(error), where
        assert "anonymous" not in str(error), where
        return "failed"
    except InputError as error:
        assert "refuses all" in str(error), where
        assert not rules.fails_on(rule, grid, statement), where
        return "refused"
    on_grid = rules.fails_on(rule, grid, statement)
    if proof.holds is None:
        return "open"
    if proof.holds:
        assert not on_grid, where
        if statement in CONCEPTS:
            assert not critical_lie(rule, proof, statement, rng, 15), where
        return "proved"
    if statement in CONCEPTS:
        found = proof.witness
        assert isinstance(found, Witness)
        assert rules.pays(rule, found.agent, found.declarations, found.lengths, found.lie), where
        if statement == "ex-post":
            assert found.truthful == found.lengths, where
    else:
        assert proof.witness.lengths is not None
        points = sorted({*proof.witness.declarations, *proof.witness.lengths})
        assert rules.fails_on(rule, points, statement), where
    return "refuted, also on the grid" if on_grid else "refuted, missed by the grid"


@pytest.mark.parametrize(("first", "count"), [(0, 25), pytest.param(1_000, 10_000, marks=pytest.mark.exhaustive)])
def test_random_rules_as_brute_force(first: int, count: int, thinning: int) -> None:
    """Every concept and one property each."""
    tally: Counter[str] = Counter()
    for number in range(first, first + count // thinning):
        rng = random.Random(number)
        rule = rules.RandomRule(rng, rng.choice((1, 1, 1, 2, 2, 3)))
        concepts = CONCEPTS if rule.n < 3 else ("ex-post",)
        for statement in (*concepts, rng.choice(PROPERTIES)):
            tally[outcome(rule, statement, rng, number)] += 1
    assert tally["proved"] > count // 3 // thinning
    assert tally["refuted, also on the grid"] > count // 3 // thinning
    assert tally["open"] + tally["failed"] < count // thinning
