"""Numbers of numpy are numbers at every door, and a float means what the caller says, at every door."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import consortium
from consortium.games.interchange import from_nfg
from consortium.games.normal_form import NormalFormGame
from consortium.support.errors import ConsortiumError
from consortium.support.numbers import ADVICE, parse_numbers

INTEGERS = [np.int8, np.uint8, np.int32, np.int64, np.uint64]


def cluster(number: Any) -> dict[str, Any]:
    """Two agents under VCG, one length of which is the number."""
    agents = [{"name": "ann", "length": number}, {"name": "bob", "length": 1}]
    mechanism = {"rule": "vcg-postpone"}
    return {"format": 1, "kind": "declaration", "cluster": {"powers": [1]}, "agents": agents, "mechanism": mechanism}


@pytest.mark.parametrize("kind", INTEGERS)
def test_integers_of_numpy_are_integers_of_scenarios(kind: Any) -> None:
    assert consortium.run(cluster(kind(3))).to_dict() == consortium.run(cluster(3)).to_dict()


def test_arrays_and_truth_values_of_numpy_are_those_of_python() -> None:
    pool = {"format": 1, "kind": "federation", "mechanism": {"rule": "ilba"}}
    plain = pool | {"organizations": [{"name": "a", "jobs": [3, 2]}, {"name": "b", "jobs": [1]}]}
    same = pool | {
        "organizations": [{"name": "a", "jobs": np.array([3, 2])}, {"name": np.str_("b"), "jobs": (np.int64(1),)}]
    }
    assert consortium.run(same).to_dict() == consortium.run(plain).to_dict()
    measured = consortium.search("agmon2003/5.2.1", mixed=np.True_, list=np.int64(1)).to_dict()
    assert measured == consortium.search("agmon2003/5.2.1", mixed=True, list=1).to_dict()


def test_overrides_options_studies_and_hunts_take_numpy_numbers() -> None:
    changed = consortium.run("agmon2003/5.2.1", overrides={"agents[1].length": np.int64(3)})
    assert changed.agents[0].length == 3
    study = {"format": np.int64(1), "kind": "study", "verb": "run", "base": {"scenario": "agmon2003/5.2.1"},
             "vary": {"agents[1].length": np.array([2, 3])}, "measures": {"rent": "rent"}}  # fmt: skip
    assert [row["agents[1].length"] for row in consortium.study(study).rows()] == [2, 3]
    assert consortium.hunt("light-vcg", "just", seed=np.int64(1), time_limit=np.float64(0.1)).seed == 1


@pytest.mark.parametrize(
    ("value", "floats", "number"),
    [
        (0.1, "decimal", Fraction(1, 10)),
        (0.1, "binary", Fraction(0.1)),
        (np.float64(0.1), "decimal", Fraction(1, 10)),
        (np.float32(0.1), "decimal", Fraction(1, 10)),
        (np.float32(0.1), "binary", Fraction(float(np.float32(0.1)))),
        (1e-7, "decimal", Fraction(1, 10**7)),
        (Decimal("0.1"), "binary", Fraction(0.1)),
        (Decimal("0.1"), "decimal", Decimal("0.1")),
        (-2.0, "binary", Fraction(-2)),
        (10**400, "binary", 10**400),
    ],
)
def test_a_float_means_what_its_owner_says(value: Any, floats: Any, number: Any) -> None:
    assert parse_numbers([{"x": (value,)}], floats) == [{"x": (number,)}]


def test_what_no_float_means_stays_for_the_reader() -> None:
    assert parse_numbers(math.inf, "decimal") == math.inf
    assert math.isnan(parse_numbers(math.nan, "binary"))
    assert type(parse_numbers(np.float32(0.5))) is float
    thing = object()
    assert parse_numbers([thing])[0] is thing


DOORS: dict[str, Any] = {
    "run": lambda **floats: consortium.run(cluster(0.1), **floats),
    "load": lambda **floats: consortium.load(cluster(0.1), **floats),
    "overrides": lambda **floats: consortium.verify("agmon2003/5.2.1", overrides={"agents[1].length": 0.1}, **floats),
    "options": lambda **floats: consortium.search("agmon2003/5.2.1", epsilon=1.5, **floats),
    "compare": lambda **floats: consortium.compare([cluster(0.1)], rules=["harsh"], **floats),
    "curve": lambda **floats: consortium.curve(cluster(2), "ann", low=0.5, high=3, **floats),
    "estimate": lambda **floats: consortium.estimate("search", cluster(0.1), **floats),
    "arrays": lambda **floats: consortium.search([[[0.5, 0], [5, 1]], [[3, 5], [0, 1]]], **floats),
    "objects": lambda **floats: consortium.search([np.array([[0.5, Fraction(1, 3)]]), np.array([[1, 2]])], **floats),
    "hunt": lambda **floats: consortium.hunt(
        "light-vcg", "just", time_limit=0.1, overrides={"cluster.powers": [1.5]}, **floats
    ),
    "from_arrays": lambda **floats: NormalFormGame.from_arrays([[0.5, 1]], sense="cost", **floats),
    "study": lambda **floats: consortium.study(
        {"format": 1, "kind": "study", "verb": "run", "base": cluster(0.1), "measures": {"rent": "rent"}} | floats
    ),
}


@pytest.mark.parametrize("door", DOORS)
def test_floats_are_refused_by_a_sentence_that_names_the_option_which_is_there(door: str) -> None:
    with pytest.raises(ConsortiumError, match=ADVICE):
        DOORS[door]()
    for meaning in ("decimal", "binary"):
        DOORS[door](floats=meaning)
    with pytest.raises(ConsortiumError, match="expected one of refuse, decimal, binary"):
        DOORS[door](floats="decimals")


def test_the_meaning_reaches_the_answer() -> None:
    for meaning, number in (("decimal", Fraction(1, 10)), ("binary", Fraction(0.1))):
        assert consortium.run(cluster(0.1), floats=meaning).agents[0].length == number
        game = consortium.search([[0.1, 0]], floats=meaning)
        assert game.equilibria.best.payoffs["p1"] == number


def test_integers_beside_floats_keep_their_digits() -> None:
    """In an array of floats 10^18 + 1 would be 10^18, and a strict preference a tie."""
    found = consortium.search([[10**18 + 1, 0.5, 10**18]], floats="decimal")
    assert found.equilibria.best.payoffs["p1"] == 10**18 + 1
    assert found.equilibria.count == 1
    assert consortium.search([[10**18 + 1, 1.0, 10**18]]).equilibria.count == 1


def test_decimals_of_a_file_are_exact_unless_they_were_floats(tmp_path: Any) -> None:
    text = 'NFG 1 R "t" { "a" "b" } { 2 1 } 0.1 2 3/10 -4'
    (tmp_path / "game.nfg").write_text(text)
    assert from_nfg(text).payoffs(0).tolist() == [[Fraction(1, 10)], [Fraction(3, 10)]]
    assert from_nfg(text, floats="binary").payoffs(0).tolist() == [[Fraction(0.1)], [Fraction(3, 10)]]
    assert consortium.search(tmp_path / "game.nfg", floats="binary").optimum.payoffs["a"] == Fraction(0.1)
    scenario = "agmon2003/5.2.1"
    exact, binary = consortium.load(scenario), consortium.load(scenario, floats="binary")
    assert exact.data != binary.data
