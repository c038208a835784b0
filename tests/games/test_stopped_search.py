"""What a stopped search of any game proves, against the definitions on all profiles."""

from __future__ import annotations

import itertools
import math
import signal
from fractions import Fraction
from typing import Any
from unittest import mock

import numpy as np
import pytest

from consortium.games import enumeration
from consortium.games.normal_form import NormalFormGame
from consortium.games.protocol import price
from consortium.games.results import SearchResult
from consortium.games.search import search

SCALES = (1, 10**18, Fraction(1, 7))


class Untold:
    """The same game without its table: nothing but the protocol."""

    def __init__(self, game: NormalFormGame) -> None:
        self.players, self.sense, self.strategies, self.costs = game.players, game.sense, game.strategies, game.costs


def drawn(rng: np.random.Generator) -> NormalFormGame:
    """A small random game with ties, infinities, one player or one strategy now and then."""
    shape = tuple(int(m) for m in rng.integers(1, 5, size=rng.integers(1, 4)))
    scale = SCALES[rng.integers(len(SCALES))]
    cells = [[int(v) * scale for v in rng.integers(-2, 9, size=math.prod(shape))] for _ in shape]
    if rng.integers(4) == 0:
        cells[0][0] = math.inf
    arrays = [np.array(own, dtype=object).reshape(shape) for own in cells]
    sense: Any = ("cost", "payoff")[rng.integers(2)]
    return NormalFormGame.from_arrays(arrays, sense=sense, social=("sum", "max")[rng.integers(2)])


def stable_by_definition(game: NormalFormGame) -> list[Any]:
    """Pure equilibria, from the definition."""
    own = [game.strategies(k) for k in range(len(game.players))]
    return [
        p
        for p in itertools.product(*own)
        if all(game.costs(p)[k] <= game.costs((*p[:k], s, *p[k + 1 :]))[k] for k, row in enumerate(own) for s in row)
    ]


def check_bounds(game: NormalFormGame, found: SearchResult) -> None:
    """Every bound holds, by all profiles and all equilibria; what was found is among them."""
    own = [game.strategies(k) for k in range(len(game.players))]
    optimum = min(game.social_cost(p) for p in itertools.product(*own))
    costs = [game.social_cost(p) for p in stable_by_definition(game)]
    bounds, known = found.bounds, found.equilibria
    assert (known.exists, bool(costs)) in ((None, False), (None, True), (True, True), (False, False))
    if bounds is None or not costs:
        return
    assert bounds.worst_at_most is None or max(costs) <= bounds.worst_at_most
    assert bounds.best_at_least is None or min(costs) >= bounds.best_at_least
    assert known.best is None or known.best.social_cost >= min(costs)
    for name, cost in (("anarchy", max(costs)), ("stability", min(costs))):
        real = price(cost, optimum, game.sense)
        low, high = (getattr(bounds, f"price_of_{name}_at_{side}") for side in ("least", "most"))
        assert real is None or low is None or 1 <= low <= real
        assert real is None or high is None or high >= real
    assert bounds.epsilon_at_least == 1
    assert bounds.epsilon_at_most is None or 1 <= bounds.epsilon_at_most < (1.5 if known.best is None else 1.01)


def test_whatever_a_search_knew_when_it_was_stopped_is_true(thinning):
    """Before best responses were compared, and of games that only tell single profiles."""
    rng, bounded = np.random.default_rng(3), 0
    for _ in range(1000 // thinning):
        game = drawn(rng)
        stopped = search(game, time_limit=0)
        check_bounds(game, stopped)
        check_bounds(game, search(Untold(game), time_limit=0))
        bounded += stopped.bounds is not None and stopped.bounds.price_of_anarchy_at_most is not None
    assert bounded > 25 / thinning


def test_nothing_but_further_answers_open_leaves_exact_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    """All equilibria known, stopped at the epsilons: both ends of each bound are the price."""
    rng = np.random.default_rng(1)
    game = NormalFormGame.from_arrays([rng.integers(1, 30, size=(6, 6)) for _ in range(2)], sense="cost")
    whole = search(game)
    monkeypatch.setattr(enumeration, "smallest_epsilon", mock.Mock(side_effect=TimeoutError))
    found = search(game)
    assert whole.complete
    assert not found.complete
    assert found.bounds is not None
    for name in ("anarchy", "stability"):
        ends = {getattr(found.bounds, f"price_of_{name}_at_{side}") for side in ("least", "most")}
        assert ends == {getattr(whole, f"price_of_{name}")}


@pytest.mark.parametrize("sense", ["cost", "payoff"])
def test_a_dominant_strategy_bounds_the_worst_equilibrium(sense: Any) -> None:
    """Who is sure of something never ends below it: the table of the prisoners leaves one price without any search."""
    sign = 1 if sense == "cost" else -1
    cells = np.array([[1, 9], [0, 6]]) if sense == "cost" else np.array([[8, 0], [9, 3]])
    found = search(NormalFormGame.from_arrays([cells, cells.T], sense=sense), time_limit=0)
    assert found.bounds is not None
    assert sign * found.bounds.worst_at_most == (12 if sense == "cost" else 6)
    assert found.bounds.price_of_anarchy_at_most == (6 if sense == "cost" else Fraction(16, 6))


def test_ctrl_c_while_a_theorem_builds_its_equilibrium_keeps_what_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search goes on without the promise and without time, and says what it knows."""
    from consortium.agents.organizations import Federation
    from consortium.games import search as module
    from consortium.games.placement.game import PlacementGame
    from consortium.mechanisms.federation.coordination import Coordination

    game = PlacementGame(Federation.of([[3, 2], [2, 1], [4]]), Coordination("organizations"))
    method = next(name for name in module.available_methods(game) if name != module.ENUMERATION)
    whole, real = search(game, method), module.ability
    pressed = mock.Mock(side_effect=lambda game: signal.raise_signal(signal.SIGINT))
    monkeypatch.setattr(module, "ability", lambda game, name: pressed if name == "promised" else real(game, name))
    found = search(game, method)
    assert pressed.call_count == 1
    assert (whole.complete, found.complete) == (True, False)
    assert whole.equilibria.best is not None
    assert found.bounds is not None
    assert found.bounds.best_at_least is None or found.bounds.best_at_least <= whole.equilibria.best.social_cost
    assert found.equilibria.best is None or found.equilibria.best.social_cost >= whole.equilibria.best.social_cost
