"""``search --correlated`` on every sort of game: what the record says, proves and refuses."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import consortium
from consortium.games.interchange import to_nfg
from consortium.games.normal_form import NormalFormGame
from consortium.support.errors import InputError, TooLargeError

from ...reports.cases import DARE, LARGE, cluster, federation
from ..altering import changed


def test_welfare_is_told_in_its_own_words() -> None:
    found = consortium.search(DARE, correlated="correlated").to_dict()["correlated"]
    assert (found["best"]["social_welfare"], found["worst"]["social_welfare"]) == ("21/2", "36/5")
    assert "social_cost" not in found["best"]
    assert found["price_of_total_anarchy"] is None


def test_the_price_of_total_anarchy_is_the_optimal_welfare_over_the_worst_coarse_one() -> None:
    found = consortium.search(DARE, correlated="coarse").correlated
    assert found.price_of_total_anarchy == Fraction(12) / found.worst.social_welfare


def test_a_game_from_a_file_and_one_of_declarations_are_asked_alike(tmp_path: Any) -> None:
    path = tmp_path / "chicken.nfg"
    path.write_text(to_nfg(NormalFormGame.from_arrays(DARE, sense="payoff")))
    assert consortium.search(path, correlated="coarse").correlated.best.proved
    record = consortium.search(cluster("light-vcg"), correlated="coarse")
    assert record.correlated.worst.proved
    assert not [row for _, _, row in consortium.check(record.to_dict()) if row.holds is False]


def test_a_multiplier_of_a_recommendation_is_read_back() -> None:
    source = federation("coordination") | {"organizations": [{"jobs": [2, 1]}, {"jobs": [1]}]}
    record = consortium.search(source, correlated="correlated").to_dict()
    places = [place for place in record["correlated"]["worst"]["multipliers"] if "recommended" in place]
    assert len(places) == len(record["correlated"]["worst"]["multipliers"])
    assert not [row for _, _, row in consortium.check(record) if row.holds is False]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("correlated.best.distribution[1].probability", "3/4"),
        ("correlated.best.distribution[2].profile.p1", 1),
        ("correlated.best.multipliers[1].multiplier", "1/4"),
        ("correlated.best.multipliers[1].multiplier", -1),
        ("correlated.best.multipliers[1].recommended", 1),
        ("correlated.best.multipliers[1].deviation", 7),
        ("correlated.worst.bound", 7),
        ("correlated.worst.proved", False),
        ("correlated.price_of_total_anarchy", 2),
    ],
)
def test_what_is_altered_is_refuted_by_the_checker(key: str, value: Any) -> None:
    record = changed(consortium.search(DARE, correlated="correlated").to_dict(), key, value)
    assert [row.key for _, _, row in consortium.check(record) if row.holds is False]


def test_without_time_there_are_bounds() -> None:
    record = consortium.search(LARGE, correlated="coarse", time_limit=0.5)
    found = record.correlated
    assert record.complete == (found is not None and found.best.proved and found.worst.proved)


def test_what_was_stopped_before_it_began_says_so_and_replays() -> None:
    record = consortium.search("cordeiro2012/section-5.2-small", correlated="coarse", time_limit=0)
    found = record.to_dict()["correlated"]
    assert [(found[side]["social_cost"], found[side]["bound"]) for side in ("best", "worst")] == [
        (None, "-inf"),
        (None, "inf"),
    ]
    assert not [row.key for _, _, row in consortium.check(record.to_dict()) if row.holds is False]


def test_correlated_play_without_a_table_is_refused_in_a_sentence_and_nothing_else() -> None:
    many = federation("coordination") | {"organizations": [{"jobs": [2, 1] * 8}] * 4}
    asked = {"correlated": "coarse", "method": "cuts", "time_limit": 1}
    assert "ask for a method without a table" in consortium.search(many, **asked).refused["correlated"]
    assert "not answered: correlated (table: " in consortium.estimate("search", many, **asked).note


def test_a_table_as_large_as_the_caller_allows_is_promised() -> None:
    """The refusal names max_bytes, so a larger one has to help."""
    data = {"format": 1, "kind": "federation", "mechanism": {"rule": "coordination"}}
    data |= {"organizations": [{"jobs": [3, 2, 2, 1, 1, 1]} for _ in range(3)]}
    with pytest.raises(TooLargeError, match="raise max_bytes"):
        consortium.estimate("search", data, method="enumeration", correlated="coarse", max_bytes=2**30)
    assert consortium.estimate("search", data, method="enumeration", correlated="coarse", max_bytes=2**36).seconds


def test_a_welfare_that_is_a_list_has_no_expectation() -> None:
    leximin = cluster("evcg-postpone") | {"welfare": {"goal": "lexical-max"}}
    with pytest.raises(InputError, match="an expectation needs one number"):
        consortium.search(leximin, correlated="coarse")


def test_an_equilibrium_may_be_missing_where_costs_are_infinite() -> None:
    """Whoever is told anything gains; no distribution is left."""
    inf = float("inf")
    costs = [np.array([[1, 0], [0, inf]], dtype=object), np.array([[0, 1], [1, 0]], dtype=object)]
    found = consortium.search(NormalFormGame.from_arrays(costs, sense="cost"), correlated="correlated").correlated
    assert found.best is None or not found.best.proved
