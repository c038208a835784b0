"""Chapter 5 when organizations may do each other favours: what is left of its equilibria. Searched without a table."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import consortium
from consortium.agents.organizations import Federation
from consortium.games.equilibria.coalitions.results import CoalitionSearch, Notion
from consortium.games.placement.coalition_cuts import coalition_search, refuted
from consortium.games.placement.game import PlacementGame
from consortium.games.search import search
from consortium.support.progress import Clock

pytestmark = pytest.mark.paper("Cordeiro 2012, chapter 5")

K2_REPAIRED = [[3, 1, 1], [3, 2], [1], [1]]
K3 = [[1] * 7, [1] * 7, [4, 3], [1], [1], [1]]
K3_REPAIRED = [[4, 1, 1, 1], [4, 1, 1, 1], [4, 3], [1], [1], [1]]


def stable(jobs: Any, size: int, notion: Notion) -> CoalitionSearch:
    return left(PlacementGame(Federation.of(jobs)), size, notion)


def left(game: PlacementGame, size: int, notion: Notion) -> CoalitionSearch:
    """What coalitions leave, with every claim of the certificate refuted again."""
    result = search(game, method="cuts" if game.rule.priority == "jobs" else "branch-and-bound")
    found = coalition_search(game, size, notion, result, Clock(None))
    assert found.complete
    assert all(refuted(game, notion, claim) for claim in found.certificate)
    return found


@pytest.mark.parametrize(
    ("jobs", "nash"), [(K2_REPAIRED, "4/3"), pytest.param(K3_REPAIRED, "3/2", marks=pytest.mark.exhaustive)]
)
def test_no_bad_equilibrium_of_figure_55_repaired_survives_a_costless_favour(jobs: Any, nash: str) -> None:
    """Theorem 5.8 is tight for strong equilibria too; where nobody needs to gain but one, the worst is an optimum."""
    assert stable(jobs, 2, "all-gain").price_of_anarchy == Fraction(nash)
    for size in (2, len(jobs)):
        found = stable(jobs, size, "none-lose")
        assert (found.price_of_anarchy, found.price_of_stability) == (1, 1)


@pytest.mark.exhaustive
def test_printed_figure_55_is_left_with_nothing() -> None:
    assert stable(K3, 6, "all-gain").price_of_anarchy == Fraction(3, 2)
    assert stable(K3, 2, "none-lose").exists is False


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("figure-5.2-no-10-12", marks=pytest.mark.exhaustive),
        "corollary-5.7-control",
        "theorem-5.6-placement",
    ],
)
def test_equilibria_that_no_favour_leaves_stable(name: str) -> None:
    """They have pure equilibria, and none that two organizations leave alone."""
    game = consortium.search(f"cordeiro2012/{name}", method="cuts", time_limit=0).game
    assert isinstance(game, PlacementGame)
    assert left(game, 2, "none-lose").exists is False


def test_an_equilibrium_without_a_strong_one() -> None:
    """{5,4}, {2}, {3,5}: O1 and O3 swap at both equilibria, and 6 and 8 become 5 and 7."""
    assert stable([[5, 4], [2], [3, 5]], 2, "all-gain").exists is False
