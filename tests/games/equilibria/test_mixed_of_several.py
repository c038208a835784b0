"""Mixed equilibria of three players and more: what Gambit proposes, refined, judged, and honestly named."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import consortium
from consortium.games.equilibria.mixed import gambit, mixed_equilibria
from consortium.games.equilibria.mixed.profiles import CostTables, judged
from consortium.games.equilibria.mixed.search import refined
from consortium.games.normal_form import NormalFormGame
from consortium.support.errors import InputError

THIRD = (Fraction(1, 3), Fraction(2, 3))


def regrets_by_definition(arrays: Any, mixes: Any) -> tuple[Fraction, ...]:
    """Of costs."""
    found = []
    for k, costs in enumerate(np.asarray(own).astype(object) for own in arrays):  # a product may need more than 64 bits
        values = [Fraction(0)] * costs.shape[k]
        played = Fraction(0)
        for cell in itertools.product(*map(range, costs.shape)):
            others = math.prod((mixes[j][s] for j, s in enumerate(cell) if j != k), start=Fraction(1))
            values[cell[k]] += others * Fraction(costs[cell])
            played += others * mixes[k][cell[k]] * Fraction(costs[cell])
        found.append(played - min(values))
    return tuple(found)


@pytest.mark.parametrize("shape", [(2,), (3, 2), (2, 2, 2), (3, 1, 2), (2, 2, 2, 2)])
def test_regrets_are_those_of_the_definition(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(len(shape))
    for unit in (1, 10**18, Fraction(1, 7)):
        arrays = [rng.integers(-9, 9, shape).astype(object) * unit for _ in shape]
        draws = [[Fraction(int(w)) for w in rng.integers(0, 4, size)] for size in shape]
        mixes = tuple(tuple((w + 1) / (sum(own) + len(own)) for w in own) for own in draws)
        found = judged(CostTables.of(NormalFormGame.from_arrays(arrays, sense="cost")), mixes)
        assert found.regrets == regrets_by_definition(arrays, mixes)
        assert found.exact == (not any(found.regrets))


def meeting(prize: int) -> list[Any]:
    """Costs of three players who gain 1 where they all meet at the second place and a prize at the first one.

    Besides the two places there is one equilibrium: everybody goes to the first place with probability
    1 / (1 + sqrt(prize)).
    """
    cost = np.zeros((2, 2, 2), dtype=int)
    cost[0, 0, 0], cost[1, 1, 1] = -prize, -1
    return [cost] * 3


def test_a_proposal_in_floats_becomes_exact() -> None:
    """A solution with small denominators is recognized, one without is rounded to decimals."""
    tables = CostTables.of(NormalFormGame.from_arrays(meeting(4), sense="cost"))
    near = tuple((0.333 + 1e-4 * k, 0.667 - 1e-4 * k) for k in range(3))
    assert next(refined(tables, near)) == (THIRD,) * 3
    pure = tuple((0.0, 1.0) for _ in range(3))
    assert next(refined(tables, pure)) == ((Fraction(0), Fraction(1)),) * 3


def test_an_irrational_equilibrium_is_not_called_one() -> None:
    """The equations are solved to many digits; the rounded profile has a regret, exactly known."""
    tables = CostTables.of(NormalFormGame.from_arrays(meeting(2), sense="cost"))
    found = [judged(tables, mixes) for mixes in refined(tables, ((0.4142, 0.5858),) * 3)]
    assert not any(profile.exact for profile in found)
    assert 0 < max(found[-1].regrets) < Fraction(1, 10**11)
    assert all(p.denominator <= 10**12 for mix in found[-1].strategies for p in mix)


def test_without_pygambit_a_sentence_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gambit, "installed", lambda name: False)
    with pytest.raises(InputError, match=r"found 3 players with a choice; .* pip install 'consortium\[gambit\]'"):
        mixed_equilibria(NormalFormGame.from_arrays(meeting(4), sense="cost"))


@pytest.mark.exhaustive
def test_equilibria_of_three_players() -> None:
    pytest.importorskip("pygambit")
    arrays = meeting(4)
    found = mixed_equilibria(NormalFormGame.from_arrays(arrays, sense="cost"))
    assert not found.complete
    assert not found.stopped
    first, second = (Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))
    assert [e.strategies for e in found.equilibria] == [(second,) * 3, (THIRD,) * 3, (first,) * 3]
    assert found.approximate == ()
    for profile in found.equilibria:
        assert profile.exact
        assert regrets_by_definition(arrays, profile.strategies) == (0, 0, 0)


def test_a_stopped_search_of_three_players_keeps_the_pure_equilibria() -> None:
    """What needs no solver is known at once."""
    pytest.importorskip("pygambit")
    cost = NormalFormGame.from_arrays(meeting(4), sense="cost")
    found = mixed_equilibria(cost, time_limit=0.01)
    assert (found.stopped, found.complete, len(found.equilibria)) == (True, False, 2)

    def interrupt(done: int, total: int | None, note: str = "") -> None:
        raise KeyboardInterrupt

    assert mixed_equilibria(cost, progress=interrupt).stopped


def test_irrational_equilibria_stand_apart_in_the_record() -> None:
    pytest.importorskip("pygambit")
    record = consortium.search([-cells for cells in meeting(2)], mixed=True)
    assert all(row.exact for row in record.mixed.equilibria)
    assert not record.mixed.complete
    assert len(record.mixed.approximate) == 1
    row = record.mixed.approximate[0]
    assert not row.exact
    assert 0 < max(row.regrets) < Fraction(1, 10**9)


@pytest.mark.exhaustive
def test_many_games_of_three_players() -> None:
    """Every profile that is listed is what it is said to be; three strategies each may take minutes: stopped."""
    pytest.importorskip("pygambit")
    rng = np.random.default_rng(12)
    for _ in range(40):
        shape = tuple(rng.integers(1, 4, 3).tolist())
        arrays = [rng.integers(0, 9, shape) for _ in shape]
        found = mixed_equilibria(NormalFormGame.from_arrays(arrays, sense="cost"), time_limit=10)
        for profile in found.equilibria:
            assert not any(regrets_by_definition(arrays, profile.strategies))
        for profile in found.approximate:
            assert profile.regrets == regrets_by_definition(arrays, profile.strategies) != (0, 0, 0)
            assert max(profile.regrets) < Fraction(1, 10**5)
