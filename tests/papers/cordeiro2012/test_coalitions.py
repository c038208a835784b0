"""Coalitions in the placement game: the facts that exhaustive search found, and the shipped scenarios."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

import consortium
from consortium.agents.organizations import Federation
from consortium.games.equilibria.coalitions.search import search_coalitions, stable_profiles
from consortium.games.normal_form import COMFORTABLE, NormalFormGame, table_bytes
from consortium.games.placement.game import PlacementGame
from consortium.games.search import search
from consortium.scenarios.reader import shipped
from consortium.verbs.federation.model import model


def partitions(total: int, most: int) -> Iterator[list[int]]:
    """Multisets of lengths with this sum, longest first."""
    if total == 0:
        yield []
    for first in range(min(total, most), 0, -1):
        for rest in partitions(total - first, first):
            yield [first, *rest]


def federations(work: int, organizations: int) -> Iterator[list[list[int]]]:
    """All ways to give jobs of so much work in all to organizations, in order of priority."""
    for cuts in itertools.combinations_with_replacement(range(work + 1), organizations - 1):
        parts = [b - a for a, b in zip((0, *cuts), (*cuts, work), strict=True)]
        yield from map(list, itertools.product(*(list(partitions(part, part)) for part in parts)))


# machines are alone, so costs depend on loads only: placements with equal loads are one strategy


Loads = tuple[int, ...]


@cache
def loads(lengths: Loads, hosts: int) -> tuple[Loads, ...]:
    """What an organization can put on every host."""
    found = {(0,) * hosts}
    for length in lengths:
        found = {(*row[:h], row[h] + length, *row[h + 1 :]) for row in found for h in range(hosts)}
    return tuple(sorted(found))


def game_of_loads(strategies: tuple[tuple[Loads, ...], ...]) -> NormalFormGame:
    """Every host serves its owner, then the others in order; an organization waits for the last host that it uses."""
    n = len(strategies)
    on = [np.array(own).T.reshape(n, *(-1 if k == i else 1 for k in range(n))) for i, own in enumerate(strategies)]
    costs = np.zeros((n, *map(len, strategies)), dtype=np.int64)
    for i, h in itertools.product(range(n), repeat=2):
        ahead = [] if i == h else [j for j in range(n) if j == h or j < i]
        np.maximum(costs[i], (on[i][h] > 0) * sum((on[j][h] for j in ahead), on[i][h]), out=costs[i])
    return NormalFormGame.from_arrays(list(costs), sense="cost", social=costs.max(axis=0))


def reduced(jobs: list[list[int]]) -> NormalFormGame:
    """The placement game of organizations with one machine each, in order of priority."""
    return game_of_loads(tuple(loads(tuple(row), len(jobs)) for row in jobs))


@cache
def upset_by(strategies: tuple[tuple[Loads, ...], ...]) -> int | None:
    """The least size of coalitions that leave none of the pure equilibria, if there are any and it happens."""
    game = game_of_loads(strategies)
    n = len(strategies)
    if stable_profiles(game, n, "all-gain").places.size or not stable_profiles(game, 1, "all-gain").places.size:
        return None
    return next(k for k in range(2, n + 1) if not stable_profiles(game, k, "all-gain").places.size)


def upset(organizations: int, works: range) -> dict[int, list[list[list[int]]]]:
    """All federations whose equilibria are left by some coalition, by the least size of coalitions that do it."""
    found: dict[int, list[list[list[int]]]] = {}
    for work in works:
        for jobs in federations(work, organizations):
            size = upset_by(tuple(loads(tuple(row), organizations) for row in jobs))
            if size is not None:
                found.setdefault(size, []).append(jobs)
    return found


def test_placements_with_equal_loads_are_one_strategy():
    """What coalitions leave costs the same, played job by job."""
    rng = np.random.default_rng(3)
    for _ in range(12):
        jobs = [rng.integers(1, 5, int(rng.integers(0, 4))).tolist() for _ in range(int(rng.integers(2, 4)))]
        games = PlacementGame(Federation.of(jobs)).tabulate(), reduced(jobs)
        for k in range(1, len(jobs) + 1):
            whole, part = (
                {g.costs(g.profile(place)) for place in stable_profiles(g, k, "all-gain").places} for g in games
            )
            assert whole == part


@pytest.mark.parametrize("most", [11, pytest.param(18, marks=pytest.mark.exhaustive)])
def test_two_organizations_keep_a_strong_equilibrium(most: int):
    """All jobs of so much work in all."""
    assert upset(2, range(1, most + 1)) == {}


@pytest.mark.exhaustive
def test_the_least_work_of_three_organizations_without_a_strong_equilibrium():
    """It is 14 where all three leave together, 15 where pairs do; with at most five jobs it is 16."""
    found = upset(3, range(1, 16))
    assert sorted(jobs for jobs in found[3] if work_of(jobs) < 15) == [
        [[1, 1, 1], [3, 3], [3, 2]],
        [[2, 1], [3, 3], [3, 2]],
        [[3, 3], [1, 1, 1], [3, 2]],
        [[3, 3], [2, 1], [3, 2]],
    ]
    assert {work_of(jobs) for jobs in found[2]} == {15}
    assert min(sum(map(len, jobs)) for jobs in found[2] + found[3]) == 6


def work_of(jobs: list[list[int]]) -> int:
    return sum(map(sum, jobs))


def small() -> list[str]:
    """Shipped coordination scenarios of the thesis that a table answers."""
    names = []
    for name in shipped():
        if name.startswith("cordeiro2012/"):
            scenario = consortium.load(name)
            if scenario.kind == "federation" and (m := model(scenario, None)).played:
                names += [name] if table_bytes(m.game()) <= COMFORTABLE else []
    return names


def test_all_shipped_equilibria_include_a_strong_one_as_bad():
    """The price of anarchy is that of strong equilibria, too."""
    compared = 0
    for name in small():
        game = model(consortium.load(name), None).game()
        if table_bytes(game) > 2**20:
            continue  # below
        compared += strong_as_bad(game)
    assert compared


@pytest.mark.exhaustive
def test_shipped_equilibria_with_a_large_table_include_a_strong_one_as_bad():
    """Those of Corollary 5.7, figure 5.1 and figure 5.5 for k = 2; the others have too many placements for a table."""
    assert sum(strong_as_bad(model(consortium.load(name), None).game()) for name in small())  # all of them


def strong_as_bad(game: PlacementGame) -> bool:
    """Whether there are equilibria; then a strong one has the same price of anarchy."""
    pure = search(game)
    if pure.equilibria.exists:
        found = search_coalitions(game, len(game.players), result=pure)
        assert found.exists
        assert found.price_of_anarchy == pure.price_of_anarchy
    return bool(pure.equilibria.exists)
