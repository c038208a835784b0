"""Coalitions by table beside the plain definition; run with ``python -m pytest benchmarks/test_coalitions.py -s``."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

import consortium
from consortium.games.equilibria.coalitions.results import NOTIONS, deviated, pays
from consortium.games.equilibria.coalitions.search import stable_profiles
from consortium.games.normal_form import NormalFormGame
from consortium.verbs.federation.model import model


def by_definition(game: NormalFormGame, notion: str) -> list[int]:
    """Every deviation of every coalition from every profile."""
    costs = {profile: game.costs(profile) for profile in itertools.product(*game.labels)}
    groups = [m for k in range(1, len(game.players) + 1) for m in itertools.combinations(range(len(game.players)), k)]

    def upset(here: tuple[int, ...]) -> bool:
        return any(
            pays(notion, [costs[here][i] for i in who], [costs[deviated(here, who, joint)][i] for i in who])
            for who in groups
            for joint in itertools.product(*(game.labels[i] for i in who))
        )

    return [flat for flat, here in enumerate(costs) if not upset(here)]


@pytest.mark.parametrize("notion", NOTIONS)
def test_against_the_definition(notion: str) -> None:
    """Five players with three strategies and two costs."""
    rng = np.random.default_rng(1)
    game = NormalFormGame.from_arrays([rng.integers(0, 2, (3,) * 5) for _ in range(5)], sense="cost")
    stable_profiles(game, 5, notion)  # compiled
    began = time.process_time()
    ours = stable_profiles(game, 5, notion).places.tolist()
    between = time.process_time()
    assert by_definition(game, notion) == ours
    ended = time.process_time()
    print(f"\n{notion}: {between - began:.4f} s, {(ended - between) / (between - began):.0f} times as fast")


@pytest.mark.parametrize("name", ["corollary-5.7", "corollary-5.7-control"])
def test_a_million_profiles(name: str) -> None:
    """Every notion, everybody: well under two seconds each."""
    game = NormalFormGame.from_game(model(consortium.load(f"cordeiro2012/{name}"), None).game())
    for notion in NOTIONS:
        stable_profiles(game, 2, notion)  # compiled
        began = time.process_time()
        left = stable_profiles(game, len(game.players), notion).places.size
        took = time.process_time() - began
        print(f"\n{name}, {notion}: {left} left, {took:.3f} s")
        assert took < 2
