"""Coalitions by table and by the checker, beside the definition written out plainly, on random games."""

from __future__ import annotations

import itertools
import math
import signal
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from consortium.agents.organizations import Federation
from consortium.games.equilibria.coalitions import checker
from consortium.games.equilibria.coalitions import search as solver
from consortium.games.equilibria.coalitions.checker import count_deviations, first_deviation, is_strong
from consortium.games.equilibria.coalitions.results import NOTIONS, Deviation, pays
from consortium.games.equilibria.coalitions.search import search_coalitions, stable_profiles
from consortium.games.normal_form import NormalFormGame
from consortium.games.placement.game import PlacementGame
from consortium.games.search import search
from consortium.mechanisms.federation.coordination import Coordination
from consortium.support.errors import InputError, TooLargeError, UnknownNameError
from consortium.support.progress import Clock

INF = math.inf


def gain(before: Any, after: Any) -> Any:
    return 0 if before == after else before - after


def paid(notion: str, before: Sequence[Any], after: Sequence[Any]) -> bool:
    """The four notions in the words of the definition."""
    gains = [gain(old, new) for old, new in zip(before, after, strict=True)]
    if notion == "all-gain":
        return all(g > 0 for g in gains)
    if notion == "none-lose":
        return all(g >= 0 for g in gains) and any(g > 0 for g in gains)
    if notion == "any-gains":
        return any(g > 0 for g in gains)
    return not any(g == -INF for g in gains) and (any(g == INF for g in gains) or sum(gains) > 0)


def by_definition(game: NormalFormGame, profile: Any, k: int, notion: str) -> tuple[Any, Any] | None:
    """Members and joint strategies of the first deviation that pays."""
    here, n = game.costs(profile), len(game.players)
    for size in range(1, k + 1):
        for members in itertools.combinations(range(n), size):
            for joint in itertools.product(*(game.labels[i] for i in members)):
                after = list(profile)
                for i, strategy in zip(members, joint, strict=True):
                    after[i] = strategy
                there = game.costs(tuple(after))
                if paid(notion, [here[i] for i in members], [there[i] for i in members]):
                    return members, joint
    return None


def random_game(rng: np.random.Generator, mode: int) -> NormalFormGame:
    """Few different costs: ties, duplicated strategies, players with one; huge numbers; infinite costs."""
    shape = tuple(int(m) for m in rng.integers(1, 4, int(rng.integers(1, 5))))
    arrays = []
    for _ in shape:
        cells = rng.integers(0, int(rng.integers(1, 6)), shape).astype(object)
        flat = cells.reshape(-1)
        for i in range(flat.size):
            if mode % 2:
                flat[i] = int(flat[i]) * 10**18
            if mode >= 2 and rng.random() < 0.2:
                flat[i] = INF if rng.random() < 0.7 else -INF
        if shape[0] > 1 and rng.random() < 0.3:
            cells[-1] = cells[0]
        arrays.append(cells)
    return NormalFormGame.from_arrays(arrays, sense="cost", social=rng.integers(0, 9, shape))


def compared(seed: int, games: int) -> int:
    rng, found = np.random.default_rng(seed), 0
    for number in range(games):
        game = random_game(rng, number % 4)
        notion = NOTIONS[number // 4 % 4]
        for k in range(1, len(game.players) + 1):
            wanted = []
            for flat in range(game.social.size):
                profile = game.profile(flat)
                first = by_definition(game, profile, k, notion)
                told = first_deviation(game, profile, k, notion)
                assert (None if told is None else (told.members, told.strategies)) == first
                wanted += [flat] if first is None else []
            stable = stable_profiles(game, k, notion)
            assert stable.complete
            assert stable.places.tolist() == wanted
            found += len(wanted)
    return found


@pytest.mark.parametrize(("seed", "games"), [(1, 20), pytest.param(2, 4000, marks=pytest.mark.exhaustive)])
def test_table_and_checker_agree_with_the_definition(seed: int, games: int):
    assert compared(seed, games) > 2 * games


def played(game: NormalFormGame) -> Any:
    """The same game without its arrays: the checker has to play every deviation."""

    class Plain:
        players = game.players

        def strategies(self, player: int) -> Any:
            return game.labels[player]

        def costs(self, profile: Any) -> Any:
            return game.costs(profile)

    return Plain()


def test_a_game_without_a_table_is_played():
    rng = np.random.default_rng(5)
    for number in range(24):
        game = random_game(rng, number % 4)
        for notion in NOTIONS:
            profile = game.profile(int(rng.integers(game.social.size)))
            assert first_deviation(played(game), profile, None, notion) == first_deviation(game, profile, None, notion)


def test_small_pieces_find_the_same(monkeypatch):
    """One context, and one profile, at a time; common interests make many equilibria."""
    rng = np.random.default_rng(7)
    for shape in ((3, 3, 3), (20, 2, 20)):
        own = rng.integers(0, 9, shape)
        arrays = [own + rng.integers(0, 2, shape) * (rng.random(shape) < 0.1) for _ in shape]
        game = NormalFormGame.from_arrays(arrays, sense="cost")
        for notion in NOTIONS:
            whole = stable_profiles(game, 3, notion).places.tolist()
            with monkeypatch.context() as patch:
                patch.setattr(solver, "_CELLS", 1)
                assert stable_profiles(game, 3, notion).places.tolist() == whole


@pytest.mark.parametrize(
    ("notion", "before", "after", "pays_them"),
    [
        ("total", (INF, 3), (INF, 2), True),
        ("total", (INF, 3), (3, INF), False),
        ("total", (INF, 3), (9, 300), True),
        ("total", (-INF, 3), (0, -INF), False),
        ("none-lose", (INF, 3), (INF, 2), True),
        ("all-gain", (INF, 3), (INF, 2), False),
        ("any-gains", (3, 3), (2, INF), True),
        ("total", (Fraction(1, 3), Fraction(1, 3)), (0, Fraction(2, 3)), False),
    ],
)
def test_infinite_costs(notion, before, after, pays_them):
    assert pays(notion, before, after) is pays_them
    assert paid(notion, before, after) is pays_them


def test_what_pays_under_a_notion_pays_under_the_weaker_ones():
    values = [-INF, 0, 1, 2, INF]
    for before in itertools.product(values, repeat=2):
        for after in itertools.product(values, repeat=2):
            told = [pays(notion, before, after) for notion in NOTIONS]
            assert told == sorted(told)


def federation(*jobs: list[int], machines: list[int] | None = None, **rule: Any) -> PlacementGame:
    return PlacementGame(Federation.of(list(jobs), machines=machines), Coordination(**rule))


def test_the_smallest_swap():
    """Both equilibria cost (6, 2, 8); the first and the third organization swap jobs and get (5, 2, 7)."""
    game = federation([5, 4], [2], [3, 5])
    pure = search(game)
    assert {o.costs for o in pure.equilibria.listed} == {(6, 2, 8)}
    assert pure.equilibria.count == 2
    for found in pure.equilibria.listed:
        told = first_deviation(game, found.profile, 2)
        assert (told.members, told.costs_before, told.costs_after) == ((0, 2), (6, 8), (5, 7))
        assert game.costs(told.applied(found.profile)) == (5, 2, 7)
    assert search_coalitions(game, 2, result=pure).exists is False


def test_several_machines_and_sums_of_completion_times(thinning):
    rng = np.random.default_rng(8)
    for number in range(max(2, 4 // thinning)):
        jobs = [[int(w) for w in rng.integers(1, 5, 2)], [int(rng.integers(1, 5))], [int(rng.integers(1, 5))]]
        objective = ("makespan", "total-completion")[number % 2]
        game = federation(*jobs, machines=[2, 1, 1], objective=objective)
        arrays, pure = NormalFormGame.from_game(game), search(game)
        for notion in NOTIONS:
            profiles = map(arrays.profile, range(arrays.social.size))
            wanted = [p for p in profiles if by_definition(arrays, p, 3, notion) is None]
            found = search_coalitions(game, 3, notion, result=pure)
            assert found.count == len(wanted)
            if wanted:
                social = [arrays.social_cost(p) for p in wanted]
                assert (found.best.social_cost, found.worst.social_cost) == (min(social), max(social))
                assert found.price_of_anarchy == max(social) / pure.optimum.social_cost


class TestStopped:
    """What is known when the time is over, or after Ctrl-C."""

    game = NormalFormGame.from_arrays([np.zeros((3, 3, 3), int)] * 2 + [np.arange(27).reshape(3, 3, 3)], sense="cost")

    def test_before_the_table(self):
        pure = search(self.game)
        found = search_coalitions(self.game, 3, result=pure, clock=Clock(0))
        assert (found.complete, found.exists) == (False, None)
        assert found.bounds.worst_at_most == pure.equilibria.worst.social_cost

    def test_between_coalitions(self):
        def press(done: int, total: int | None, note: str = "") -> None:
            if "coalitions" in note:
                signal.raise_signal(signal.SIGINT)

        pure = search(self.game)
        found = search_coalitions(self.game, 3, "total", result=pure, progress=press)
        whole = search_coalitions(self.game, 3, "total", result=pure)
        assert (found.complete, found.exists, whole.complete) == (False, None, True)
        assert found.bounds.best_at_least <= whole.best.social_cost <= found.bounds.worst_at_most


def test_bad_questions():
    game = federation([1], [1])
    for k, notion, error in ((0, "all-gain", InputError), (2, "all", UnknownNameError)):
        with pytest.raises(error):
            first_deviation(game, ((0,), (1,)), k, notion)
        with pytest.raises(error):
            search_coalitions(game, k, notion, result=search(game))


def test_too_many_deviations_are_refused_in_a_sentence(monkeypatch):
    monkeypatch.setattr(checker, "FEW", 1)
    monkeypatch.setattr(checker, "MAX_TRIED", 2)
    game = played(NormalFormGame.from_arrays([np.zeros((3, 3), int)] * 2, sense="cost"))
    assert count_deviations(game, 2) == 15
    with pytest.raises(TooLargeError, match="15 joint deviations from one profile"):
        is_strong(game, (0, 0))
    assert Deviation((1,), (2,), (), ()).applied((0, 0)) == (0, 2)
