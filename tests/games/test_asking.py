"""Slips in a game of one's own are told by name, on every way into the games floor."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import consortium
from consortium.games import is_nash, pure_equilibria
from consortium.games.normal_form import NormalFormGame
from consortium.support.errors import InputError, MechanismError, UnknownNameError
from consortium.support.status import Status


class Chicken:
    """Both may dare (1) or not (0)."""

    players: Any = ("ann", "bob")

    def strategies(self, player: int) -> Any:
        return (0, 1)

    def costs(self, profile: tuple[int, ...]) -> Any:
        return [Fraction(9) if sum(profile) == 2 else Fraction(2 - own) for own in profile]


def with_costs(answer: Callable[[tuple[int, ...]], Any]) -> Chicken:
    game = Chicken()
    game.costs = answer  # type: ignore[method-assign]
    return game


def with_strategies(answer: Callable[[int], Any]) -> Chicken:
    game = Chicken()
    game.strategies = answer  # type: ignore[method-assign]
    return game


def with_players(answer: Any) -> Chicken:
    game = Chicken()
    game.players = answer
    return game


SLIPS = [
    (with_costs(lambda profile: [1]), r"Chicken.costs: found 1 cost on \(0, 0\); expected 2, one per player"),
    (with_costs(lambda profile: {"ann": 1, "bob": 2}), "Chicken.costs: found a dict; expected a list of exact costs"),
    (with_costs(lambda profile: (c for c in profile)), "Chicken.costs: found a generator"),
    (with_costs(lambda profile: None), "Chicken.costs: found nothing"),
    (with_costs(lambda profile: "12"), "Chicken.costs: found a str"),
    (
        with_costs(lambda profile: [0.5, 1]),
        r"found the float 0.5; costs are exact: .*, on \(0, 0\)",
    ),
    (with_costs(lambda profile: ["1", 1]), "Chicken.costs: cost: found the text '1'"),
    (with_costs(lambda profile: [None, 1]), "Chicken.costs: cost: found None; costs are exact: int, Fraction or"),
    (with_costs(lambda profile: [np.float64(0.5), 1]), "found the float 0.5; costs are exact"),
    (with_costs(lambda profile: [profile[7], 1]), r"Chicken.costs\(profile\) failed with IndexError"),
    (with_strategies(lambda player: []), r"Chicken.strategies\(0\): found no strategy of 'ann'; expected at least one"),
    (with_strategies(lambda player: iter([0, 1])), r"Chicken.strategies\(0\): found a list_iterator; expected a list"),
    (with_strategies(lambda player: pandas.Series([0, 1])), r"Chicken.strategies\(0\): found a Series of pandas"),
    (with_strategies(lambda player: {0, 1}), r"Chicken.strategies\(0\): found a set"),
    (
        with_strategies(lambda player: [0, 0]),
        r"Chicken.strategies\(0\): found 0 twice; expected",
    ),
    (with_strategies(lambda player: [[0], [1]]), r"Chicken.strategies\(0\): found strategies that cannot be hashed"),
    (with_strategies(lambda player: 1 // player), r"Chicken.strategies\(player\) failed with ZeroDivisionError"),
    (with_players(()), r"Chicken.players: found \(\); expected at least one name"),
    (with_players(("ann", "ann")), "Chicken.players: found .* all different"),
    (with_players(2), "Chicken.players: found an int; expected a list of names"),
    (with_players(lambda: ("ann", "bob")), "Chicken.players: found a function"),
]

OWN_ATTRIBUTES: list[tuple[str, Any, str]] = [
    ("strategies", lambda player: range(10**30), r"Chicken.strategies\(0\): found more than can be listed"),
    ("costs", lambda profile: [10**5000, 0], "Chicken.costs: cost: found a number of more than 4,000 digits"),
    ("social_cost", lambda profile: 10**5000, "Chicken.social_cost: cost: found a number of more than 4,000 digits"),
    ("social_cost", lambda profile: 1 // 0, r"Chicken.social_cost\(profile\) failed with ZeroDivisionError"),
    ("sense", "welfare", "Chicken.sense: found 'welfare'; expected 'cost' or 'payoff'"),
    ("default_profile", 3, "Chicken.default_profile: found 3 as the answer; expected a strategy of every player"),
    ("search_methods", lambda: {"mine": 3}, "Chicken.search_methods: found {'mine': 3}; expected solvers by name"),
    ("choose_method", lambda size: "mine", "Chicken.choose_method: found 'mine'; expected the name of a method, and"),
]


@pytest.mark.parametrize(("name", "value", "message"), OWN_ATTRIBUTES)
def test_search_names_the_slip_in_what_a_game_may_bring(name: str, value: object, message: str) -> None:
    game = Chicken()
    setattr(game, name, value)
    with pytest.raises(MechanismError, match=message):
        consortium.search(game)


def test_a_method_that_a_game_chooses_and_has_not_is_unknown() -> None:
    game: Any = Chicken()
    game.choose_method = lambda size: ("mine", "it is mine")
    with pytest.raises(UnknownNameError, match="'mine' is not known; known: dynamics, enumeration"):
        consortium.search(game)


def test_the_game_without_a_slip() -> None:
    assert consortium.search(Chicken()).equilibria.count == 2


@pytest.mark.parametrize(("game", "message"), SLIPS, ids=[message[:50] for _, message in SLIPS])
def test_search_names_the_slip(game: Chicken, message: str) -> None:
    with pytest.raises(MechanismError, match=message):
        consortium.search(game)


@pytest.mark.parametrize(("game", "message"), SLIPS[:9], ids=[message[:50] for _, message in SLIPS[:9]])
def test_checkers_and_tables_name_it_too(game: Chicken, message: str) -> None:
    with pytest.raises(MechanismError, match=message):
        is_nash(game, (0, 0))
    with pytest.raises(MechanismError, match=message):
        NormalFormGame.from_game(game)


def test_arrays_and_numpy_integers_are_costs() -> None:
    game = with_costs(lambda profile: np.array([sum(profile), 2**62], dtype=np.int64) * 1)
    table = NormalFormGame.from_game(game)
    assert table.costs((1, 1)) == (2, 2**62)
    assert len(pure_equilibria(table)) == 2  # bob does not care, ann stays out


def test_frames_are_payoff_arrays() -> None:
    """A list of them, one per player; a single one has two rows and no second player."""
    rows = pandas.DataFrame([[3, 0], [5, 1]])
    assert consortium.search([rows, rows.T]).equilibria.best.profile == {"p1": 1, "p2": 1}
    with pytest.raises(InputError, match="expected one array per player"):
        consortium.search(rows)
    federation = {"format": 1, "kind": "federation", "mechanism": {"rule": "local"}}
    jobs = consortium.run(federation | {"organizations": [{"jobs": pandas.Series([5, 4])}]}).to_dict()
    assert jobs == consortium.run(federation | {"organizations": [{"jobs": [5, 4]}]}).to_dict()


def test_what_is_no_game_says_what_would_be() -> None:
    with pytest.raises(InputError, match=r"found the class Chicken; expected a game, such as Chicken\(\)"):
        consortium.search(Chicken)
    with pytest.raises(InputError, match="floats: found 'decimal', which nothing uses"):
        consortium.search(Chicken(), floats="decimal")


class Roads:
    """Forty cars on two roads: too many profiles for any table, and every change helps somebody."""

    players = tuple(f"car {n}" for n in range(40))

    def strategies(self, player: int) -> Any:
        return ("north", "south")

    def costs(self, profile: tuple[str, ...]) -> Any:
        return [profile.count(road) for road in profile]


def test_a_game_beyond_any_table_is_played_by_best_responses() -> None:
    """All equilibria have 20 cars on each road and cost as much; the search says what it saw, and no more."""
    found = consortium.search(Roads())
    assert (found.method, found.complete, found.equilibria.exists, found.equilibria.count) == (
        "dynamics", False, True, None,
    )  # fmt: skip
    assert found.equilibria.best.social_cost == found.equilibria.worst.social_cost == 800
    assert len(found.equilibria.listed) > 1
    assert all(is_nash(Roads(), tuple(one.profile.values())) for one in found.equilibria.listed)
    assert (found.smallest_epsilon, found.price_of_anarchy) == (1, None)
    assert found.status is Status.OPEN  # it came to its end: more time says no more
    assert consortium.search(Roads(), time_limit=1e-9).status is Status.STOPPED
    guess = consortium.estimate("search", Roads())
    assert guess.note.startswith("method dynamics: a table of all profiles would take 721,279,627,821,056 bytes")
    assert guess.seconds is not None
    assert guess.seconds < 60
    small = [consortium.search(Chicken(), method=method) for method in ("dynamics", "enumeration")]
    dynamics, table = ({tuple(one.profile.values()) for one in each.equilibria.listed} for each in small)
    assert dynamics == table == {(0, 1), (1, 0)}


def test_a_gambit_file_is_a_game(tmp_path: Path) -> None:
    file = tmp_path / "prisoners.nfg"
    file.write_text('NFG 1 R "Prisoners" { "Ann" "Bob" } { 2 2 }\n\n3 3 5 0 0 5 1 1\n')
    record = consortium.search(file)
    assert (record.scenario, record.sense, record.equilibria.best.payoffs) == (
        str(file),
        "payoff",
        {"Ann": 1, "Bob": 1},
    )
    assert consortium.estimate("search", file).size == 4


def test_strategies_of_any_type_are_written() -> None:
    class Road(Enum):
        LEFT = 1
        RIGHT = 2

    game = with_strategies(lambda player: list(Road))
    game.costs = lambda profile: [0, 0] if profile[0] is profile[1] else [1, 1]  # type: ignore[method-assign]
    found = consortium.search(game).to_dict()["equilibria"]
    assert [row["profile"] for row in found["listed"]] == [{"ann": str(r), "bob": str(r)} for r in Road]


@pytest.mark.parametrize("content", [None, b"\xff\xfe", b"not a game"])
def test_a_gambit_file_that_is_none_is_refused(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "none.nfg"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InputError, match=r"none\.nfg"):
        consortium.search(file)
