"""Open questions on placement games: what all small games and random ones show (docs/explanation/open-questions.md)."""

from __future__ import annotations

import random

import numpy as np
import pytest

from consortium.agents.organizations import Federation
from consortium.games.placement.game import PlacementGame
from consortium.mechanisms.federation.coordination import Coordination
from consortium.workloads.families import listing

from .existence import cost, federations, has_equilibrium, searched, settles

BASE = {"kind": "federation", "mechanism": {"rule": "coordination", "priority": "organizations"}}


@pytest.mark.parametrize("priority", ["organizations", "jobs"])
def test_costs_are_those_of_the_game(priority: str) -> None:
    rng = random.Random(1)
    for _ in range(60):
        rows = [sorted((rng.randint(1, 5) for _ in range(rng.randint(0, 3))), reverse=True) for _ in range(3)]
        game = PlacementGame(Federation.of(rows), Coordination(priority))
        placement = tuple(tuple(rng.randrange(3) for _ in row) for row in rows)
        flat = [np.array([x for row in table for x in row], np.int64) for table in (rows, game.ranks, placement)]
        owner = np.repeat(np.arange(3), [len(row) for row in rows])
        assert [cost(flat[0], owner, flat[1], flat[2], 3, k) for k in range(3)] == list(game.costs(placement))


@pytest.mark.parametrize("priority", ["organizations", "jobs"])
def test_verdicts_are_those_of_the_search(priority: str) -> None:
    rng = random.Random(2)
    for _ in range(25):
        rows = [sorted((rng.randint(1, 5) for _ in range(rng.randint(0, 2))), reverse=True) for _ in range(3)]
        sizes, first = np.array([size for row in rows for size in row], np.int64), np.cumsum([0, *map(len, rows)])
        assert searched(rows, priority) or not settles(sizes, first, priority == "jobs")


@pytest.mark.paper("Cordeiro 2012, Corollary 5.7")
def test_no_run_ends_where_there_is_no_equilibrium() -> None:
    sizes, first = np.array([35, 22, 22, 17, 13, 5, 14, 9, 42, 2], np.int64), np.array([0, 6, 7, 8, 10])
    assert not settles(sizes, first, by_jobs=False, starts=1)


@pytest.mark.parametrize(("organizations", "work"), [(1, 5), (2, 6), (3, 5), (4, 4)])
def test_the_family_has_every_game_once(organizations: int, work: int) -> None:
    members = listing(BASE, "all-federations", {"organizations": organizations, "work": work})
    found = [tuple(tuple(o["jobs"]) for o in members.member(k)["organizations"]) for k in range(members.count)]
    assert sorted(found) == sorted(federations(organizations, work))
    assert len(set(found)) == members.count


COUNTED = [
    1,
    3,
    9,
    22,
    51,
    108,
    221,
    429,
    810,
    1479,
    2640,
    4599,
    7868,
    13209,
    21843,
    35581,
    57222,
    90882,
    142769,
    221910,
]


@pytest.mark.parametrize(
    "work", [*range(9), *(pytest.param(work, marks=pytest.mark.exhaustive) for work in range(9, len(COUNTED)))]
)
def test_three_organizations_have_an_equilibrium(work: int) -> None:
    games = 0
    for jobs in federations(3, work):
        games += 1
        assert has_equilibrium(jobs, "organizations"), jobs
    assert games == COUNTED[work]


RANDOM = [  # organizations, jobs of each, longest, seed, games
    (3, 4, 19, 3, 100_000),
    (4, 3, 19, 4, 200_000),
    (5, 3, 19, 5, 100_000),
    (6, 2, 19, 6, 100_000),
    (4, 3, 5, 7, 200_000),
    (5, 3, 5, 8, 100_000),
]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("organizations", "jobs", "longest", "seed", "games"), RANDOM)
def test_random_games_with_priority_to_organizations_have_one(
    organizations: int, jobs: int, longest: int, seed: int, games: int
) -> None:
    for rows in np.random.default_rng(seed).integers(1, longest + 1, size=(games, organizations, jobs)):
        assert has_equilibrium(rows.tolist(), "organizations"), rows
