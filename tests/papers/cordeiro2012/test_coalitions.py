"""Coalitions in the placement game: the facts that exhaustive search found, and the shipped scenarios."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

import consortium
from consortium.agents.organizations import Federation
from consortium.games.coalitions.search import search_coalitions
from consortium.games.normal_form import table_bytes
from consortium.games.placement.game import PlacementGame
from consortium.games.search import search
from consortium.games.solvers import COMFORTABLE
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


def upset(jobs: list[list[int]]) -> bool:
    """Whether there are equilibria, and coalitions leave none of them."""
    game = PlacementGame(Federation.of(jobs))
    pure = search(game, "enumeration")
    return bool(pure.equilibria.exists) and search_coalitions(game, len(jobs), result=pure).exists is False


def test_the_smallest_known():
    assert upset([[], [4, 3, 2], [4, 3]])
    assert upset([[5, 4], [2], [3, 5]])


@pytest.mark.exhaustive
def test_two_organizations_keep_a_strong_equilibrium():
    """Work of at most 14; jobs few enough for a table of ``2**12`` placements."""
    for work in range(1, 15):
        assert not [jobs for jobs in federations(work, 2) if sum(map(len, jobs)) <= 12 and upset(jobs)]


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
    assert sum(strong_as_bad(model(consortium.load(name), None).game()) for name in small())  # all of them


def strong_as_bad(game: PlacementGame) -> bool:
    """Whether there are equilibria; then a strong one has the same price of anarchy."""
    pure = search(game)
    if pure.equilibria.exists:
        found = search_coalitions(game, len(game.players), result=pure)
        assert found.exists
        assert found.price_of_anarchy == pure.price_of_anarchy
    return bool(pure.equilibria.exists)
