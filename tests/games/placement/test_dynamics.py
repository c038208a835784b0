"""Bounds without a table, and equilibria that dynamics meet, beside the table of all profiles."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from consortium.agents.organizations import Federation
from consortium.games.placement.bounds import largest_equilibrium_cost, least_social_cost
from consortium.games.placement.game import PlacementGame
from consortium.games.search import search
from consortium.mechanisms.federation import Coordination

PRIORITIES = [("organizations", None), ("jobs", "shortest"), ("jobs", "longest"), ("jobs", "listed")]


def drawn(rng: np.random.Generator) -> PlacementGame:
    """Up to three organizations, some without jobs, of up to three machines; lengths with many ties, or huge."""
    n = int(rng.integers(1, 4))
    longest, scale = int(rng.choice([1, 3, 20])), int(rng.choice([1, 10**18]))
    rows = [
        [int(p) * scale for p in rng.integers(1, longest + 1, size=rng.integers(0, 4 if n < 3 else 3))]
        for _ in range(n)
    ]
    machines = rng.integers(1, 4, size=n).tolist() if rng.random() < 0.7 else [1] * n
    objective = "makespan" if rng.random() < 0.5 else "total-completion"
    return PlacementGame(Federation.of(rows, machines), Coordination(*PRIORITIES[rng.integers(4)], objective=objective))


def compare(game: PlacementGame) -> bool:
    """Whether the bounds of a game hold, and whether an equilibrium meets the upper one, which is returned."""
    every = search(game, "enumeration", limit=1)
    most, least = largest_equilibrium_cost(game), least_social_cost(game)
    known = every.equilibria
    assert least <= every.optimum.social_cost
    if known.worst is None or known.best is None:
        return False
    assert known.worst.social_cost <= most
    graham = not game.total and (game.single or game.rule.priority == "organizations")
    if every.price_of_anarchy is not None and graham:
        assert every.price_of_anarchy <= 2 - Fraction(1, game.federation.n_machines)
        assert most <= (2 - Fraction(1, game.federation.n_machines)) * least
    return known.worst.social_cost == most


@pytest.mark.parametrize("cases", [60, pytest.param(3000, marks=pytest.mark.exhaustive)])
def test_bounds_hold_for_every_placement_and_every_equilibrium(cases: int) -> None:
    rng = np.random.default_rng(7)
    met = [compare(drawn(rng)) for _ in range(cases)]
    assert any(met)
    assert not all(met)


@pytest.mark.parametrize("cases", [10, pytest.param(500, marks=pytest.mark.exhaustive)])
def test_what_dynamics_meet_lies_between_the_bounds(cases: int) -> None:
    rng = np.random.default_rng(8)
    for _ in range(cases):
        game = drawn(rng)
        every, some = search(game, "enumeration", limit=1), search(game, "dynamics", limit=1)
        known, met, bounds = every.equilibria, some.equilibria, some.bounds
        if some.complete:
            assert (some.price_of_anarchy, some.price_of_stability) == (
                every.price_of_anarchy,
                every.price_of_stability,
            )
            assert met.worst.social_cost == known.worst.social_cost
            continue
        assert bounds is not None
        if known.worst is not None and every.price_of_anarchy is not None:
            assert (bounds.price_of_anarchy_at_least or 0) <= every.price_of_anarchy
            assert bounds.price_of_anarchy_at_most is not None
            assert every.price_of_anarchy <= bounds.price_of_anarchy_at_most
        if met.exists:
            assert known.exists


LARGE = [[7, 5, 3, 2, 9, 4], [8, 6, 6, 3, 2, 11], [4, 9, 1, 3, 7, 5]]


@pytest.mark.parametrize("objective", ["makespan", "total-completion"])
def test_a_table_that_does_not_fit_is_no_refusal(objective: str) -> None:
    """Even one of all profiles: the answer has equilibria that were met, and bounds, and says that it is not all."""
    machines = [2, 1, 2] if objective == "makespan" else [1, 1, 1]
    found = search(PlacementGame(Federation.of(LARGE, machines), Coordination(objective=objective)), time_limit=1)
    assert (found.method, found.complete) == ("dynamics", False)
    assert found.bounds.price_of_anarchy_at_most is not None
    assert 1 <= found.bounds.price_of_anarchy_at_most < Fraction(6, 5)


def test_jobs_too_many_to_follow_get_bounds_alone() -> None:
    game = PlacementGame(Federation.of([list(range(1, 21)), list(range(3, 23)), [5]], [2, 1, 2]))
    found = search(game)
    assert (found.equilibria.exists, found.dynamics, found.complete) == (None, None, False)
    assert (found.bounds.best_at_least, found.bounds.worst_at_most) == (93, 95)


def test_a_stopped_enumeration_keeps_bounds() -> None:
    game = PlacementGame(Federation.of([[4, 4, 4], [2, 2], []], [2, 1, 1]))
    found = search(game, "enumeration", time_limit=0)
    assert not found.complete
    assert (found.bounds.best_at_least, found.bounds.worst_at_most) == (4, 6)
