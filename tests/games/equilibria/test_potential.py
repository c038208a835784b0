"""Potentials of random games: a checker confirms each by the numbers, rings of moves or traps that it comes with."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from consortium.games.equilibria.potential.classify import DECIDED_BY, potentials
from consortium.games.equilibria.potential.differences import Verdict
from consortium.games.normal_form import NormalFormGame
from consortium.support.errors import TooLargeError
from consortium.support.progress import Clock

from . import potential_checker as checker

CLASSES = list(DECIDED_BY)
INF = math.inf
Shape = tuple[int, ...]


SHAPES = [(2, 2), (2, 3), (3, 3), (2, 2, 2), (1, 3), (2, 1, 3), (4,), (1, 1), (3, 2, 2), (2, 2, 2, 2)]


def random_costs(rng: np.random.Generator, shape: Shape) -> list[Any]:
    """From a potential, or none; then perhaps duplicates, infinities, or a single cell that is off."""
    kind = rng.integers(6)
    top = int(rng.choice([2, 3, 6]))
    potential = rng.integers(0, top, shape)
    arrays = []
    for i in range(len(shape)):
        dummy = rng.integers(0, 4, tuple(1 if k == i else m for k, m in enumerate(shape)))
        if kind == 0:
            own = rng.integers(0, top, shape)
        elif kind in (1, 2, 5):
            own = potential * (int(rng.integers(1, 4)) if kind == 2 else 1) + dummy
        elif kind == 3:
            own = np.array([3, 7, 12, 19, 30, 50])[potential] * int(rng.integers(1, 4)) + dummy
        else:
            own = potential + rng.integers(0, 2, shape) * (rng.random() < 0.5)
        arrays.append(own.astype(object))
    if kind == 5:
        i, place = int(rng.integers(len(shape))), tuple(int(rng.integers(m)) for m in shape)
        arrays[i][place] += 1
    if rng.random() < 0.2:
        end = INF if rng.random() < 0.7 else -INF
        for own in arrays:
            own[rng.random(shape) < 0.3] = end
    if rng.random() < 0.1:
        arrays = [own * 10**18 if not any(abs(c) == INF for c in own.flat) else own for own in arrays]
    if shape[-1] > 1 and rng.random() < 0.3:
        for own in arrays:
            own[..., 1] = own[..., 0]
    return arrays


def check(costs: list[Any], shape: Shape) -> dict[str, Verdict]:
    """Whatever is said of a game, the potential, the ring of moves or the trap that comes with it shows it."""
    game = NormalFormGame.from_arrays(costs, sense="cost", social=np.zeros(shape, dtype=int))
    asked = checker.CostsOnce(game)
    alone = {name: decide(game) for name, decide in DECIDED_BY.items()}
    for found in (potentials(game), alone):
        assert [*found] == [*DECIDED_BY]
        for name, verdict in found.items():
            if verdict.holds:
                value = {game.profile(n): verdict.value(n) for n in range(game.social.size)}
                assert checker.is_potential(name, asked, value.__getitem__, verdict.weights), name
            elif verdict.trap is not None:
                assert checker.is_trap(asked, game.profile(verdict.trap))
            else:
                rings = [[game.profile(n) for n in ring] for ring in verdict.cycles]
                assert checker.refutes(name, asked, rings), name
    return alone


@pytest.mark.parametrize("seeds", [range(24), pytest.param(range(24, 3000), marks=pytest.mark.exhaustive)])
def test_verdicts_are_those_of_the_definitions(seeds):
    seen = dict.fromkeys(CLASSES, 0)
    for seed in seeds:
        rng = np.random.default_rng(seed)
        shape = SHAPES[seed % len(SHAPES)]
        for name, verdict in check(random_costs(rng, shape), shape).items():
            seen[name] += verdict.holds
    assert all(seen.values())
    assert seen["exact"] < seen["ordinal"] < seen["weakly_acyclic"]


def test_a_checker_believes_no_other_potential_and_no_other_ring():
    game = NormalFormGame.from_arrays([[[0, 2], [1, 3]], [[0, 6], [3, 9]]], sense="cost")
    asked, verdict = checker.CostsOnce(game), potentials(game)["exact"]
    right = {game.profile(n): verdict.value(n) for n in range(4)}
    assert not checker.is_potential("exact", asked, {**right, (1, 1): 8}.__getitem__)
    for wrong in (dict.fromkeys(right, 0), {p: -v for p, v in right.items()}):
        for name in CLASSES:
            assert not checker.is_potential(name, asked, wrong.__getitem__, (Fraction(1), Fraction(1)))
    assert not checker.is_potential("weighted", asked, right.__getitem__, (Fraction(1), Fraction(2)))
    ring = [(0, 0), (0, 1), (1, 1), (1, 0)]
    for rings in ([], [[]], [ring], [ring, ring], [[(0, 0), (1, 1)]], [[(0, 0)]]):
        assert not any(checker.refutes(name, asked, rings) for name in CLASSES)
    assert not checker.is_trap(asked, (1, 1))


def test_what_is_infinite_has_no_exact_potential_unless_it_stays_so():
    game = NormalFormGame.from_arrays([[INF, 3]], sense="cost")
    assert {name: v.holds for name, v in potentials(game).items()} == dict.fromkeys(CLASSES, True) | {
        "exact": False,
        "weighted": False,
    }
    stays = NormalFormGame.from_arrays([[[INF, 1], [INF, 2]], [[0, 0], [0, 0]]], sense="cost")
    assert not potentials(stays)["exact"].holds  # of the second column her cost changes by 1, of the first by nothing
    same = NormalFormGame.from_arrays([[[INF, INF], [INF, INF]], [[0, 1], [0, 1]]], sense="cost")
    assert potentials(same)["exact"].holds


def test_too_many_moves_are_refused_before_any_work():
    class Large:
        players = ("a", "b")

        def strategies(self, player: int) -> range:
            return range(10_000)

        def costs(self, profile: Any) -> list[int]:
            raise AssertionError("no work was to be done")

    with pytest.raises(TooLargeError, match="potential: 100,000,000 profiles of 2 players; the limit is 10,000,000"):
        potentials(Large())  # type: ignore[arg-type]


def test_verdicts_so_far_are_kept_when_time_is_up():
    game = NormalFormGame.from_arrays([[[0, 1], [1, 0]], [[1, 0], [0, 1]]], sense="cost")
    assert potentials(game, Clock(0)) == {}

    def impatient(done: int, total: int | None, note: str = "") -> None:
        if done == 2:
            raise KeyboardInterrupt

    assert list(potentials(game, progress=impatient)) == ["exact", "weighted"]
