"""Theorems about all games of a shape: the games that attain prices do, and no game is beyond what they say."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from consortium.agents.organizations import Federation
from consortium.games.placement.all_lengths.by_theorem import by_theorem, existence
from consortium.games.placement.all_lengths.shapes import Shape
from consortium.games.placement.game import PlacementGame
from consortium.games.placement.theorems import theorem_of
from consortium.games.search import search
from consortium.mechanisms.federation.coordination import Coordination
from consortium.mechanisms.federation.heuristics import Ilba, LessHelpedFirst, LptLpt, SptLpt
from consortium.mechanisms.federation.optimal import unconstrained_optimum
from consortium.support.status import Status

PRICES = ("price-of-anarchy", "price-of-stability")


def game_of(lengths: Any, ranks: Any = None) -> PlacementGame:
    rule = Coordination() if ranks is None else Coordination("jobs", "given")
    return PlacementGame(Federation.of(lengths, priorities=ranks), rule)


def shapes(organizations: int, jobs: int) -> list[Shape]:
    """All shapes of so many organizations with at most so many jobs each."""
    return [Shape(counts) for counts in itertools.product(range(jobs + 1), repeat=organizations) if any(counts)]


@pytest.mark.parametrize(
    "shape", [*shapes(2, 2), *shapes(3, 2), Shape((2, 1, 1, 2)), Shape((2, 2, 0), ((2, 4), (1, 3), ()))]
)
def test_no_game_is_beyond_what_is_said_of_prices_and_what_attains_them_does(shape: Shape) -> None:
    rng = np.random.default_rng(shape.jobs)
    games = [game_of([sorted(rng.integers(1, 5, k).tolist())[::-1] for k in shape.jobs], shape.ranks) for _ in range(8)]
    found = [search(game, method="enumeration") for game in games]
    for name in PRICES:
        bound = by_theorem(shape, name, Fraction(2))
        assert bound is not None
        assert bound.status is Status.PROVED
        prices = [getattr(each, name.replace("-", "_")) for each in found]
        assert max(price for price in prices if price is not None) <= bound.at_most
        answer = by_theorem(shape, name)
        if answer is not None:
            assert answer.value == bound.at_most
        if answer is not None and answer.attained:
            assert tuple(map(len, answer.lengths)) == shape.jobs
            attaining = search(game_of(answer.lengths, shape.ranks), method="enumeration")
            assert getattr(attaining, name.replace("-", "_")) == answer.value
    assert all(each.equilibria.exists for each in found)


@pytest.mark.parametrize("jobs", [(2, 3), (3, 2), (2, 2, 1), (1, 2, 2), (2, 1, 3)])
def test_larger_shapes_come_near_the_same_prices(jobs: tuple[int, ...]) -> None:
    """The game of the smaller shape with tiny jobs more: its cheapest equilibrium costs nearly as much."""
    answer = by_theorem(Shape(jobs), "price-of-stability")
    assert answer is not None
    assert (answer.theorem, answer.attained) == ("monotone", None)
    counts = {2: (2, 2), 3: (2, 1, 1)}[len(jobs)]
    small = next(
        p for p in sorted(set(itertools.permutations(counts))) if all(a <= b for a, b in zip(p, jobs, strict=True))
    )
    tight = by_theorem(Shape(small), "price-of-stability").lengths
    lengths = [[*row, *[Fraction(1, 1000)] * (k - len(row))] for row, k in zip(tight, jobs, strict=True)]
    near = search(game_of(lengths), method="enumeration").price_of_stability
    assert answer.value - Fraction(1, 100) < near <= answer.value


def test_priorities_decide_what_is_said_of_stability() -> None:
    """The two organizations with two jobs change places; of jobs with priorities each of the first's goes first."""
    places = {jobs: by_theorem(Shape(jobs), "price-of-stability") for jobs in [(2, 2, 1, 1), (1, 2, 1, 2)]}
    assert {jobs: answer.lengths for jobs, answer in places.items()} == {
        (2, 2, 1, 1): ((3, 3), (1, 1), (2,), (2,)),
        (1, 2, 1, 2): ((2,), (3, 3), (2,), (1, 1)),
    }
    assert by_theorem(Shape((2, 3, 1, 1, 1)), "price-of-anarchy").attained
    assert by_theorem(Shape((2, 3, 1, 1, 1)), "price-of-stability") is None  # no theorem says that there is any
    assert by_theorem(Shape((2, 2, 1), ((1, 3), (2, 4), (5,))), "price-of-stability") is None


@pytest.mark.parametrize("rule", [LptLpt(), Ilba(), LessHelpedFirst("lpt"), SptLpt(), Ilba("spt"), LessHelpedFirst()])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_ratios_of_list_heuristics(rule: Any, n: int) -> None:
    first = (2,) if n == 1 else (2, n if n == 2 else n - 2) if rule.local_order == "lpt" else (n - 1, 2)
    for jobs in set(itertools.permutations((*first, *(1,) * (n - len(first))))):
        answer = by_theorem(Shape(jobs), "ratio", None, rule)
        if n == 1:
            assert answer is None or answer.value == 1
            continue
        federation = Federation.of(answer.lengths)
        assert rule.run(federation).makespan / unconstrained_optimum(federation) == answer.value
        refuted = by_theorem(Shape(jobs), "ratio", answer.value - Fraction(1, 100), rule)
        assert (refuted.status, refuted.lengths) == (Status.REFUTED, answer.lengths)
    assert by_theorem(Shape((3, 3)), "ratio", None, object()) is None


def test_existence_is_that_of_every_game() -> None:
    """A theorem that holds for a shape holds for its games, whichever lengths are equal."""
    rng = np.random.default_rng(7)
    for shape in (Shape((2, 5, 1, 0)), Shape((5, 4, 3)), Shape((2, 2, 2, 2, 2)), Shape((3, 3, 2, 0, 0))):
        name = existence(shape)
        for _ in range(20):
            theorem = theorem_of(game_of([rng.integers(1, 3, k).tolist() for k in shape.jobs]))
            assert (theorem is not None) >= (name is not None)
    assert existence(Shape((3, 3, 1, 1))) is None
    assert by_theorem(Shape((3, 3, 1, 1)), "epsilon") is None
    assert by_theorem(Shape((3, 3, 1)), "epsilon").value == 1
