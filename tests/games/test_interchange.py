"""Games to and from arrays, nashpy, QuantEcon and Gambit's .nfg; pure equilibria compared with other programs."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import consortium
from consortium.agents.organizations import Federation
from consortium.games.enumeration import pure_equilibria
from consortium.games.interchange import (
    from_nfg,
    from_quantecon_arrays,
    payoff_arrays,
    quantecon_arrays,
    read_nfg,
    to_nashpy,
    to_nfg,
    write_nfg,
)
from consortium.games.normal_form import NormalFormGame
from consortium.games.placement.game import PlacementGame
from consortium.games.search import search
from consortium.support.errors import InputError, TooLargeError


def random_game(seed: int, shape: tuple[int, ...], high: int = 6) -> NormalFormGame:
    rng = np.random.default_rng(seed)
    return NormalFormGame.from_arrays([rng.integers(-2, high, shape) for _ in shape], sense="payoff")


def stable(game: NormalFormGame) -> list[tuple[int, ...]]:
    return sorted(tuple(int(i) for i in np.unravel_index(p, game.shape)) for p in pure_equilibria(game))


SHAPES = [(3,), (2, 3), (4, 2), (3, 2, 4), (2, 3, 2, 3)]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(data=st.data())
def test_nfg_payoff_form_round_trip(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    cell = st.one_of(st.integers(-9, 9), st.fractions(-9, 9, max_denominator=7), st.integers(10**30, 10**30 + 9))
    arrays = []
    for _ in shape:
        array = np.empty(math.prod(shape), dtype=object)
        array[:] = data.draw(st.lists(cell, min_size=array.size, max_size=array.size))
        arrays.append(array.reshape(shape))
    names = data.draw(st.lists(st.text(min_size=1, max_size=4), min_size=len(shape), max_size=len(shape), unique=True))
    game = NormalFormGame.from_arrays(arrays, sense="payoff", players=names)
    back = from_nfg(to_nfg(game, title='with "quotes" and \\', comment="{ } 1 2"))
    assert (back.title, back.players) == ('with "quotes" and \\', tuple(names))
    assert back.shape == shape
    for k in range(len(shape)):
        assert (back.payoffs(k) == arrays[k]).all()


def test_nfg_lists_the_first_player_fastest() -> None:
    """A 3x2 game cell by cell; a transposed reading would give the wrong equilibrium."""
    text = 'NFG 1 R "3x2" { "row" "column" } { { "a" "b" "c" } { "x" "y" } } ""\n1 1 2 0 9 0  0 0 3 1 0 7'
    game = from_nfg(text)
    assert game.payoffs(0).tolist() == [[1, 0], [2, 3], [9, 0]]
    assert game.payoffs(1).tolist() == [[1, 0], [0, 1], [0, 7]]
    assert [o.profile for o in search(game).equilibria.listed] == [("b", "y")]


def test_nfg_outcome_form() -> None:
    """Outcomes may be shared, carry names, be separated by commas; number 0 pays nobody anything."""
    text = (
        'NFG 1 R "outcomes" { "p" "q" }\n{ { "1" "2" "3" }\n{ "1" "2" } }\n"a comment { with } braces"\n'
        '{\n{ "first" 1, 2 }\n{ "" 1/3, 0.25 }\n{ "third" -4 5 }\n}\n1 2 3 0 1 1\n'
    )
    game = from_nfg(text)
    assert game.payoffs(0).tolist() == [[1, 0], [Fraction(1, 3), 1], [-4, 1]]
    assert game.payoffs(1).tolist() == [[2, 0], [Fraction(1, 4), 2], [5, 2]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("EFG 2 R", "found 'EFG'; expected 'NFG'"),
        ('NFG 1 X "t" { "a" } { 1 } 1', "expected the number type R or D"),
        ("NFG 1 R t", "found 't'; expected a quoted name"),
        ('NFG 1 R "t" { "a" "b" } { 2 } 1 2', "found strategies for 1 players; expected 2"),
        ('NFG 1 R "t" { "a" "b" } { 2 2 } 1 2 3', "found 3 payoffs; expected 4 cells of 2"),
        ('NFG 1 R "t" { "a" } { 2 } 1 x', "found 'x'; expected a number"),
        ('NFG 1 R "t" { "a" } { 2 } 1 1e9999', "exponent beyond 1,000"),
        ('NFG 1 R "t" { "a" } { 2 } { { "" 1 2 } } 1 1', "outcome 1 has 2 payoffs; expected 1"),
        ('NFG 1 R "t" { "a" } { 2 } { { "" 1 } 7 } 1 1', "expected an outcome or the end of the list"),
        ('NFG 1 R "t" { "a" } { 2 } { { "" 1 } } 1 0.5', "expected 2 numbers of outcomes"),
        ('NFG 1 R "t" { "a" } { 2 } { { "" 1 } } 1 2', "expected 2 numbers of outcomes"),
        ('NFG 1 R "t" { "a"', "end of file"),
        ('NFG 1 R "t', "cannot read"),
    ],
)
def test_broken_nfg_files_are_named(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_nfg(text, where="game.nfg")


def test_nfg_files(tmp_path: Path) -> None:
    game = PlacementGame(Federation.of([["1/2", "1/2"], ["1/4"]]))
    write_nfg(game, tmp_path / "federation.nfg", title="Two organizations")
    back = read_nfg(tmp_path / "federation.nfg")
    assert back.players == ("O1", "O2")
    assert back.labels[0] == ("0 0", "0 1", "1 0", "1 1")
    assert search(back).equilibria.count == search(game).equilibria.count
    with pytest.raises(InputError, match="infinite payoff"):
        to_nfg(NormalFormGame.from_arrays([[math.inf, 1]], sense="cost"))


@pytest.mark.parametrize("shape", SHAPES)
def test_quantecon_order_is_inverted_exactly(shape: tuple[int, ...]) -> None:
    game = random_game(1, shape)
    theirs = quantecon_arrays(game)
    for k, array in enumerate(theirs):
        for place in itertools.product(*map(range, shape)):
            assert array[place[k:] + place[:k]] == game.payoffs(k)[place]
    back = from_quantecon_arrays(theirs)
    assert all((a == b).all() for a, b in zip(payoff_arrays(back), payoff_arrays(game), strict=True))


@pytest.mark.parametrize("shape", [s for s in SHAPES if len(s) > 1])
@pytest.mark.parametrize("seed", range(3))
def test_pure_equilibria_agree_with_quantecon(shape: tuple[int, ...], seed: int) -> None:
    quantecon = pytest.importorskip("quantecon")
    game = random_game(seed, shape)
    whole = quantecon.game_theory.NormalFormGame(
        [quantecon.game_theory.Player(a.astype(float)) for a in quantecon_arrays(game)]
    )
    theirs = quantecon.game_theory.pure_nash_brute(whole)
    assert sorted(tuple(map(int, p)) for p in theirs) == stable(game)
    ours, again = (consortium.search(each, floats="binary", list=None) for each in (payoff_arrays(game), whole))
    assert again.sense == "payoff"
    assert again.equilibria == ours.equilibria  # whose axes are in another order


@pytest.mark.parametrize("shape", [s for s in SHAPES if len(s) > 1])
@pytest.mark.parametrize("seed", range(3))
def test_pure_equilibria_and_files_agree_with_gambit(shape: tuple[int, ...], seed: int, tmp_path: Path) -> None:
    """Gambit reads the file that we write, finds the same equilibria, and we read the outcome form that it writes."""
    gambit: Any = pytest.importorskip("pygambit")
    game = random_game(seed, shape)
    write_nfg(game, tmp_path / "ours.nfg")
    theirs = gambit.read_nfg(str(tmp_path / "ours.nfg"))
    found = []
    for e in gambit.nash.enumpure_solve(theirs).equilibria:
        found.append(tuple([p for _, p in e[player]].index(1) for player in theirs.players))
    assert sorted(found) == stable(game)
    back = from_nfg(theirs.to_nfg())
    assert all((a == b).all() for a, b in zip(payoff_arrays(back), payoff_arrays(game), strict=True))


def test_nashpy_gets_payoffs() -> None:
    costs = NormalFormGame.from_arrays([[[2, 4], [1, 3]], [[2, 1], [4, 3]]], sense="cost")
    matrices = to_nashpy(costs).payoff_matrices
    assert [m.tolist() for m in matrices] == [[[-2, -4], [-1, -3]], [[-2, -1], [-4, -3]]]
    with pytest.raises(InputError, match="found 3 players; expected 2"):
        to_nashpy(random_game(0, (2, 2, 2)))
    with pytest.raises(InputError, match="infinite"):
        to_nashpy(NormalFormGame.from_arrays([[[math.inf]], [[1]]], sense="cost"))


TREE = """EFG 2 R "a tree" { "ann" "bob" }
""

p "" 1 1 "" { "L" "R" } 0
p "" 2 1 "" { "l" "r" } 0
t "" 1 "" { 1, 2 }
t "" 2 "" { 1/3, 0 }
t "" 3 "" { 0.1, 1 }
"""
"""Ann ends the game, or lets Bob choose."""


def test_games_of_others_are_games() -> None:
    """The prisoners, in every form that somebody may have them in."""
    import nashpy

    rows, columns = [[3, 0], [5, 1]], [[3, 5], [0, 1]]
    forms = [
        [rows, columns],
        (tuple(map(tuple, rows)), columns),
        [np.array(rows), columns],
        np.array([rows, columns]),
        [np.array(rows, dtype=float), np.array(columns, dtype=np.int8)],
        nashpy.Game(rows, columns),
        nashpy.Game(np.array(rows) * 1.0, np.array(columns)),
        to_nashpy(NormalFormGame.from_arrays([rows, columns], sense="payoff")),
    ]
    found = [consortium.search(form).to_dict() for form in forms]
    assert found[0]["equilibria"]["listed"][0]["payoffs"] == {"p1": 1, "p2": 1}
    assert all(record == found[0] for record in found)


def test_one_player_chooses_from_a_list() -> None:
    for form in ([[1, 3, 2]], np.array([1, 3, 2]), np.array([[1, 3, 2]])):
        assert consortium.search(form).equilibria.best.profile == {"p1": 1}


def test_trees_are_games_of_their_reduced_strategies(tmp_path: Path) -> None:
    pygambit = pytest.importorskip("pygambit")
    path = tmp_path / "tree.efg"
    path.write_text(TREE)
    record = consortium.search(path)
    assert record.players == ("ann", "bob")
    assert record.equilibria.best.payoffs == {"ann": 1, "bob": 2}
    assert {row.holds for _, _, row in consortium.check(record)} == {True}
    own = consortium.search(pygambit.read_efg(path))
    assert (own.equilibria, own.optimum) == (record.equilibria, record.optimum)
    assert consortium.search(path, floats="binary").equilibria.count == record.equilibria.count
    deep = 'EFG 2 R "deep" { "A" "B" }\n""\n' + 'p "" 1 1 "" { "l" } 0\n' * 30_000 + 't "" 1 "" { 1, 2 }\n'
    (tmp_path / "deep.efg").write_text(deep)
    with pytest.raises(TooLargeError, match=r"deep.efg: found 30,000 nodes with a choice; the limit is 2,000"):
        consortium.search(tmp_path / "deep.efg")
    (tmp_path / "none.nfg").write_text('NFG 1 R "none" { } { }\n\n')
    with pytest.raises(InputError, match=r"none.nfg: found no player; expected at least one"):
        consortium.search(tmp_path / "none.nfg")
    (tmp_path / "broken.efg").write_text("EFG 2 R nonsense {")
    with pytest.raises(InputError, match=r"broken.efg: found .*; expected an .efg file"):
        consortium.search(tmp_path / "broken.efg")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([[[1, 2], [3]], [[1, 2], [3, 4]]], r"arrays\[0\]: found lists of different lengths"),
        ([[1, 2], [3, 4]], "expected one array per player, of one non-empty shape"),
        ([[["1/2"]], [[1]]], "expected integers, Fractions or floats"),
        ([[[True]], [[1]]], "found the type bool"),
        ([[[None]], [[1]]], "found None; expected an int, a Fraction or an infinity"),
        ([], "search: found list; expected a scenario"),
        ([1, 2], "search: found list; expected a scenario"),
        ([[], []], "non-empty shape"),
    ],
)
def test_lists_that_are_no_game_are_refused(source: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        consortium.search(source)
