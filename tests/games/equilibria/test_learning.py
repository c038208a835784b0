"""Rules that learn, and what play was worth, against their definitions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import consortium
from consortium.agents.organizations import Federation
from consortium.games.checkers import is_nash
from consortium.games.equilibria.learning.play import RULES, below, play
from consortium.games.equilibria.learning.regrets import average_social_cost, regrets_of
from consortium.games.normal_form import NormalFormGame
from consortium.games.placement.game import PlacementGame
from consortium.mechanisms.federation.coordination import Coordination
from consortium.support.errors import InputError, TooLargeError
from consortium.support.progress import Clock

INF = math.inf
SHAPES = [(2, 2), (2, 3), (3, 3), (2, 2, 2), (1, 3), (4,), (1, 1), (3, 1, 2)]


class Plain:
    """A game that knows nothing but its costs."""

    def __init__(self, game: NormalFormGame) -> None:
        self.players, self.strategies, self.costs = game.players, game.strategies, game.costs
        self.social_cost = game.social_cost


def random_game(rng: np.random.Generator, shape: tuple[int, ...]) -> NormalFormGame:
    """Few different costs, so that there are ties; some infinite, some fractions, some large."""
    arrays = []
    end, unit = (INF, -INF)[int(rng.integers(2))], (1, Fraction(1, 3), 10**19)[int(rng.integers(3))]
    infinite = rng.random() < 0.3
    for _ in shape:
        own = rng.integers(-2, 5, shape).astype(object) * unit
        own[rng.random(shape) < 0.2 * infinite] = end
        arrays.append(own)
    return NormalFormGame.from_arrays(arrays, sense="cost")


def minus(a: Any, b: Any) -> Any:
    """What is saved by b instead of a; nothing between equal infinities."""
    return 0 if a == b else a - b


def against(game: Any, trail: list[Any], player: int, strategy: Any) -> Any:
    """Everything that a fixed strategy would have cost."""
    return sum(game.costs((*s[:player], strategy, *s[player + 1 :]))[player] for s in trail)


def external(game: Any, trail: list[Any], player: int) -> Any:
    paid = sum(game.costs(s)[player] for s in trail)
    return minus(paid, min(against(game, trail, player, a) for a in game.strategies(player))) / len(trail)


def internal(game: Any, trail: list[Any], player: int) -> Any:
    gaps = [Fraction(0)]
    for own in {s[player] for s in trail}:
        when = [s for s in trail if s[player] == own]
        gaps += [
            minus(against(game, when, player, own), against(game, when, player, a)) for a in game.strategies(player)
        ]
    return max(gaps) / len(trail)


def next_fictitious(game: Any, trail: list[Any], here: Any, draw: Any) -> Any:
    def best(k: int) -> Any:
        return min(game.strategies(k), key=lambda a: against(game, trail, k, a))

    return tuple(map(best, range(len(here))))


def next_inertia(game: Any, trail: list[Any], here: Any, draw: Any) -> Any:
    def reply(k: int) -> Any:
        if draw(2):
            return here[k]
        costs = {a: against(game, [here], k, a) for a in game.strategies(k)}
        return here[k] if costs[here[k]] == min(costs.values()) else min(costs, key=costs.__getitem__)

    return tuple(map(reply, range(len(here))))


def next_matching(game: Any, trail: list[Any], here: Any, draw: Any) -> Any:
    def matched(k: int) -> Any:
        paid = sum(game.costs(s)[k] for s in trail)
        saved = [max(minus(paid, against(game, trail, k, a)), 0) for a in game.strategies(k)]
        if not any(saved):
            return here[k]
        if INF in saved:
            saved = [int(gain == INF) for gain in saved]
        unit = next(Fraction(1, n) for n in (1, 3) if all(gain * n == int(gain * n) for gain in saved))
        whole = [int(gain / unit) for gain in saved]
        urn = [a for a, gain in zip(game.strategies(k), whole, strict=True) for _ in range(gain // math.gcd(*whole))]
        return urn[draw(len(urn))]

    return tuple(map(matched, range(len(here))))


PLAINLY = {
    "best-response-with-inertia": next_inertia,
    "fictitious-play": next_fictitious,
    "regret-matching": next_matching,
}


def played_plainly(game: Any, rule: str, start: Any, rounds: int, seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    trail = [start]
    while len(trail) < rounds:
        trail.append(PLAINLY[rule](game, trail, trail[-1], lambda count: below(rng, count)))
    return trail


@pytest.mark.parametrize("seeds", [range(10), pytest.param(range(10, 2000), marks=pytest.mark.exhaustive)])
def test_play_and_regrets_are_those_of_the_definitions(seeds):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        game = random_game(rng, SHAPES[seed % len(SHAPES)])
        start = tuple(int(rng.integers(m)) for m in game.shape)
        for rule in RULES:
            trail = played_plainly(game, rule, start, 12, seed)
            for own in (game, Plain(game)):
                found = play(own, rule, start, 12, seed)
                assert list(found.trail) == trail, (seed, rule)
                assert found.complete
                for k, regrets in enumerate(regrets_of(own, found.counts)):
                    assert regrets.external == external(game, trail, k)
                    assert regrets.internal == internal(game, trail, k) >= 0
            assert average_social_cost(game, found.counts) == sum(map(game.social_cost, trail)) / 12
            assert list(found.counts.values()) == sorted(found.counts.values(), reverse=True)


@pytest.mark.parametrize("options", [{}, {"objective": "total-completion"}, {"priority": "jobs", "order": "longest"}])
def test_a_placement_game_plays_the_same_without_its_table(options):
    """Lines come from a kernel, or, beyond 64 bits, from the same in Python's integers."""
    jobs = [[3, 2, 2], [4, 1], []]
    for factor in (1, 10**19):
        game = PlacementGame(Federation.of([[w * factor for w in row] for row in jobs]), Coordination(**options))
        table, home = NormalFormGame.from_game(game), game.default_profile
        for rule in RULES:
            direct, tabulated = (play(own, rule, home, 30, 5) for own in (game, table))
            assert direct.trail == tabulated.trail
            assert regrets_of(game, direct.counts) == regrets_of(table, direct.counts)


def test_infinite_costs_of_both_signs_have_no_average():
    game = NormalFormGame.from_arrays([[[INF, -INF]], [[0, 1]]], sense="cost", social=np.zeros((1, 2), dtype=int))
    with pytest.raises(InputError, match="costs inf in one round and -inf in another"):
        regrets_of(game, {(0, 0): 1, (0, 1): 1})


def test_too_many_strategies_to_weigh_are_refused():
    game = PlacementGame(Federation.of([[1] * 12, [1], [1], [1]]))
    with pytest.raises(TooLargeError, match=r"regret-matching: found 16,777,\d+ strategies"):
        play(game, "regret-matching", game.default_profile, 3)
    assert is_nash(game, play(game, "best-response-with-inertia", game.default_profile, 200).trail[-1])


class Impatient:
    def __call__(self, done: int, total: int | None, note: str = "") -> None:
        if done >= 128:
            raise KeyboardInterrupt


def test_play_that_is_stopped_keeps_its_rounds():
    game = NormalFormGame.from_arrays([[[0, 1], [1, 0]], [[1, 0], [0, 1]]], sense="cost")
    whole = play(game, "regret-matching", (0, 0), 300)
    stopped = play(game, "regret-matching", (0, 0), 300, progress=Impatient())
    assert (stopped.trail, stopped.complete) == (whole.trail[:128], False)
    assert play(game, "regret-matching", (0, 0), 300, clock=Clock(0)).trail == ((0, 0),)


@pytest.mark.parametrize("rule", RULES)
def test_time_ends_in_the_middle_of_a_round(rule):
    """Of many players with two strategies each, the clock lets three have their turn."""

    class Crowd:
        players = tuple(f"p{i}" for i in range(50))
        asked = 0

        def strategies(self, player):
            return (0, 1)

        def costs(self, profile):
            self.asked += 1
            return profile

    class Turns(Clock):
        left = 3

        def check(self):
            self.left -= 1
            if self.left < 0:
                raise TimeoutError("no turn is left")

    game = Crowd()
    stopped = play(game, rule, (1,) * 50, 10, clock=Turns(None))
    assert (stopped.trail, stopped.complete) == (((1,) * 50,), False)
    assert game.asked < 50


@pytest.mark.paper("Cordeiro 2012")
@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("rule", "cost"), [("best-response-with-inertia", 48.02), ("fictitious-play", 48.02), ("regret-matching", 48.2)]
)
def test_play_without_a_pure_equilibrium(rule, cost):
    """Corollary 5.7: a quarter above the best responses that go round four profiles of 48."""
    record = consortium.search("cordeiro2012/corollary-5.7", dynamics=rule, rounds=5000)
    assert float(record.dynamics.average_social_cost) == pytest.approx(cost, abs=0.06)
