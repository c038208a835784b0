"""Questions about all games of a shape: every answer is checked by the stand-alone checker or played as a game."""

from __future__ import annotations

import hashlib
import itertools
import json
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.agents.organizations import Federation
from consortium.games.placement.all_lengths import check_shape, points, prices, request
from consortium.games.placement.all_lengths.answers import prove
from consortium.games.placement.all_lengths.by_theorem import by_theorem
from consortium.games.placement.all_lengths.cover import cover
from consortium.games.placement.all_lengths.points import (
    _extremes,
    best_response,
    extremes,
    found_by_play,
    game_of,
    is_meant,
    least_makespan,
)
from consortium.games.placement.all_lengths.shapes import Answer, Shape
from consortium.games.placement.game import PlacementGame
from consortium.games.search import search
from consortium.mechanisms.federation.coordination import Coordination
from consortium.mechanisms.federation.heuristics import LptLpt
from consortium.support.errors import InputError
from consortium.support.jit import plain
from consortium.support.progress import Clock
from consortium.support.status import Status

RANKED = Shape((2, 2, 1), ((1, 4), (2, 3), (5,)))


def played(shape: Shape, lengths: list[list[int]]) -> PlacementGame:
    """The game with these lengths."""
    rule = Coordination() if shape.ranks is None else Coordination("jobs", "given")
    return PlacementGame(Federation.of(lengths, priorities=shape.ranks), rule)


def checked(answer: Answer) -> str:
    """What the certificate proves, by the checker that knows nothing of us."""
    return check_shape.check(json.loads(answer.certificate or ""))


@given(st.data())
@settings(max_examples=40)
def test_a_point_is_a_game(data: st.DataObject) -> None:
    jobs = data.draw(st.lists(st.integers(0, 2), min_size=1, max_size=3).filter(sum))
    total, rng = sum(jobs), random.Random(data.draw(st.integers(0, 10**6)))
    numbers = iter(rng.sample(range(1, total + 1), total))
    ranks = tuple(tuple(next(numbers) for _ in range(count)) for count in jobs) if rng.random() < 0.5 else None
    shape = Shape(tuple(jobs), ranks)
    lengths = [sorted((rng.choice([1, 2, 3, 10**9]) for _ in range(count)), reverse=True) for count in jobs]
    game, arrays = played(shape, lengths), game_of(shape)
    flat = np.array([length for row in lengths for length in row])
    costs, best = {}, np.zeros(total, np.int64)
    for hosts in itertools.product(range(len(jobs)), repeat=total):
        profile = tuple(hosts[i:j] for i, j in itertools.pairwise(shape.starts))
        costs[hosts] = game.costs(profile)
        for a in range(len(jobs)):
            now, least = plain(best_response)(arrays, a, np.array(hosts), flat, best)
            own = itertools.product(range(len(jobs)), repeat=jobs[a])
            assert now == costs[hosts][a]
            assert least == min(game.costs((*profile[:a], each, *profile[a + 1 :]))[a] for each in own)
    stable = [h for h in costs if plain(is_meant)(arrays, np.array(h), flat, 0)]
    worst, easiest = np.zeros(total, np.int64), np.zeros(total, np.int64)
    start, found = np.zeros(total, np.int64), np.array([-1, -1, -1, 1])
    while plain(_extremes)(arrays, flat, 7, start, found, worst, easiest):
        pass
    largest, least, num, den = found.tolist()
    record = search(game)
    assert record.equilibria.exists == bool(stable) == (largest >= 0)
    if stable:
        assert (largest, least, num) == (max(max(costs[h]) for h in stable), min(max(costs[h]) for h in stable), den)
        assert tuple(worst) in stable
        assert tuple(easiest) in stable
    hosts = np.zeros(total, np.int64)
    if plain(found_by_play)(arrays, flat, 0, 3, hosts):
        assert tuple(hosts) in stable
    every = (
        max(sum(int(x) for x, h in zip(flat, hosts, strict=True) if h == m) for m in range(len(jobs)))
        for hosts in costs
    )
    assert plain(least_makespan)(flat, len(jobs)) == min(every)


def test_the_placements_of_one_game_hear_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(points, "AT_ONCE", 1)
    shape = Shape((1, 1))
    flat = np.ones(2, np.int64)
    assert extremes(game_of(shape), flat, flat.copy(), flat.copy(), Clock(None)) == (1, 1, 1, 1)
    with pytest.raises(KeyboardInterrupt):
        extremes(game_of(shape), flat, flat.copy(), flat.copy(), Clock(0))


SHORTEST = {(2, 1): ((1, 1), (1,)), (2, 1, 1): ((2, 2), (1,), (1,))}
"""The first of all games of the largest price, the shortest jobs first."""
THREE = pytest.param((3, 2, 1), marks=pytest.mark.slow)
LONGER = [pytest.param(jobs, marks=pytest.mark.exhaustive) for jobs in [(2, 2, 2), (2, 1, 1, 1)]]


@pytest.mark.parametrize("jobs", [(1,), (0, 3), (2, 1), (2, 1, 1), THREE, (1, 0, 3), *LONGER])
def test_covers_and_trees_prove_what_the_theorems_say(jobs: tuple[int, ...]) -> None:
    shape = Shape(jobs)
    for question in ("pure-equilibrium", "price-of-anarchy", "price-of-stability", "epsilon"):
        answer, theorem = prove(shape, question, method="cover"), by_theorem(shape, question)
        assert answer.status is Status.PROVED
        assert question in checked(answer)
        if theorem is not None and theorem.value is not None:
            assert answer.value == theorem.value
        if question == "price-of-anarchy" and jobs in SHORTEST:
            assert answer.lengths == SHORTEST[jobs]


@pytest.mark.parametrize(
    ("shape", "epsilon"),
    [
        (RANKED, None),
        (Shape((3, 2, 0), ((3, 1, 5), (2, 4), ())), Fraction(3, 2)),
        (Shape((2, 2, 1), ((1, 3), (2, 4), (5,))), None),
    ],
)
def test_what_refutes_has_no_equilibrium(shape: Shape, epsilon: Fraction | None) -> None:
    answer = prove(shape, "pure-equilibrium")
    assert answer.status is Status.REFUTED
    assert answer.lengths is not None
    assert search(played(shape, [list(map(int, row)) for row in answer.lengths])).equilibria.exists is False
    enclosed = prove(shape, "epsilon")
    assert enclosed.at_least is not None
    assert enclosed.at_most is not None
    assert 0 <= enclosed.at_most - enclosed.at_least <= Fraction(1, 10_000)
    assert enclosed.at_most == epsilon or epsilon is None
    checked(enclosed)


def test_bounds_are_proved_or_refuted_by_a_game() -> None:
    shape = Shape((2, 2, 1))
    for question, price in (("price-of-anarchy", "price_of_anarchy"), ("price-of-stability", "price_of_stability")):
        assert "3/2" in checked(prove(shape, question, Fraction(3, 2), "cover"))
        low = prove(shape, question, Fraction(149, 100), "cover")
        assert low.status is Status.REFUTED
        assert low.lengths is not None
        record = search(played(shape, [list(map(int, row)) for row in low.lengths]))
        assert getattr(record, price) > Fraction(149, 100)


def test_numbers_beyond_64_bits_change_nothing() -> None:
    """Rows multiplied by the numerators of a bound do not fit, so Python integers solve the programs."""
    answer = prove(RANKED, "epsilon", Fraction(999_983, 700_001), "cover")
    assert answer.status is Status.PROVED
    assert "999983/700001" in checked(answer)
    with pytest.raises(InputError, match="at most 1,000,000"):
        prove(RANKED, "epsilon", Fraction(10**18 + 1, 10**18))


def test_one_certificate_whatever_the_number_of_processes() -> None:
    shape = Shape((3, 3, 1))
    alone = prove(shape, "pure-equilibrium", method="cover")
    assert alone.certificate == prove(shape, "pure-equilibrium", method="cover", processes=2).certificate


@pytest.mark.parametrize(
    ("shape", "digest"),
    [
        (Shape((6, 5)), "67c8c4f37e34d589"),
        (Shape((2, 0, 1)), "3abcc401cc03c67f"),
        (Shape((2, 1, 1)), "5f30d9bb6b0701c0"),
        (RANKED, "05c569765380353a"),
        (Shape((2, 1, 1, 1)), "76cdb08412720ba3"),
    ],
)
def test_trees_of_prices_are_the_same_byte_for_byte(shape: Shape, digest: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With too little room at first and in Python integers as well."""

    def made(depth: int, limit: int) -> str:
        monkeypatch.setattr(prices, "DEPTH", depth)
        monkeypatch.setattr(prices, "LIMIT", limit)
        text = prove(shape, "price-of-anarchy", Fraction(2), "cover").certificate or ""
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    assert made(prices.DEPTH, prices.LIMIT) == digest
    assert made(1, prices.LIMIT) == digest
    if sum(shape.jobs) < 5:
        assert made(64, 2) == digest


class Checks(Clock):
    """A clock that expires when it was looked at so often."""

    def __init__(self, left: int) -> None:
        super().__init__(None)
        self.left_of_it = left

    def expired(self) -> bool:
        self.left_of_it -= 1
        return self.left_of_it < 0


@pytest.mark.parametrize(
    ("question", "checks", "theorem", "at_most"),
    [
        ("pure-equilibrium", 0, None, None),
        ("pure-equilibrium", 30, None, None),
        ("price-of-anarchy", 0, "monotone", Fraction(3, 2)),
        ("price-of-anarchy", 4, "monotone", Fraction(3, 2)),
        ("price-of-stability", 30, "monotone", Fraction(3, 2)),
        ("epsilon", 30, "three-organizations", 1),
        ("ratio", 30, "sharp-ratios", Fraction(3, 2)),
    ],
)
def test_what_is_left_open_says_where_it_goes_on(
    question: Any, checks: int, theorem: Any, at_most: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a game that can be played, the share that is done, and the bound of a theorem."""
    monkeypatch.setattr(request, "GAMES", 3)
    shape, rule = Shape((3, 2, 2)), LptLpt() if question == "ratio" else None
    answer = prove(shape, question, method="cover", clock=Checks(checks), mechanism=rule)
    assert (answer.status, answer.certificate) == (Status.OPEN, None)
    assert (checks > 0) == (answer.done > 0)
    assert answer.done < 1
    assert answer.next is not None
    lengths = [list(map(int, row)) for row in answer.next]
    assert lengths == [sorted(row, reverse=True) for row in lengths]
    assert min(map(min, lengths)) > 0
    assert search(played(shape, lengths), method="dynamics").equilibria.exists
    assert (answer.theorem, answer.at_most) == (theorem, at_most)


def test_points_of_open_regions_are_not_covered() -> None:
    tree = cover(game_of(Shape((3, 3, 1))), Checks(200))
    assert 0 < tree.done < 1
    points = list(tree.middles())
    assert len(points) > 10
    assert len(set(points)) == len(points) <= len(tree.open)
    for point in points:
        around = [region for region in tree.open if (np.array(region.rows) @ point > 0).all()]
        assert len(around) == 1


def test_a_bound_below_one_is_refuted_by_any_game() -> None:
    """Also without time, and where there are too many placements to look for large prices."""
    answer = prove(Shape((6, 5, 0, 1)), "price-of-anarchy", Fraction(1, 2), "cover", Clock(0))
    assert answer.status is Status.REFUTED
    assert answer.lengths == ((1,) * 6, (1,) * 5, (), (1,))
