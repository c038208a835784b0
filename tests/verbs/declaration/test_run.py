"""``run`` on kind ``declaration``: the fields of its record, two rounds, best replies."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import consortium
from consortium.support.errors import InputError

from .files import HEAD, scenario


def test_run_has_the_fields_of_the_format() -> None:
    record = consortium.run(scenario(welfare={"goal": "lexical-max"})).to_dict()
    assert set(record) == HEAD | {"agents", "optimal_sum", "rent", "welfare"}
    assert (record["verb"], record["kind"], record["exact"], record["complete"]) == ("run", "declaration", True, True)
    ann = record["agents"][0]
    assert set(ann) == {
        "name", "length", "declares", "stayed", "machine", "position", "planned", "output", "payment", "utility",
        "penalty", "controls", "work", "killed",
    }  # fmt: skip
    assert (ann["controls"], ann["planned"], ann["work"]) == (["postpone"], 1, [[0, 1, 1], [3, 4, 1]])
    assert (ann["output"], ann["utility"]) == (4, 0 - 4 - ann["payment"])
    assert record["welfare"] == {"planned": [-3, -1], "final": [-4, -3]}  # negated times, largest first


def test_run_without_penalties_or_ends() -> None:
    record = consortium.run(scenario("harsh", cluster={"powers": ["2/3"]})).to_dict()
    ann, bob = record["agents"]
    assert (ann["output"], ann["utility"], ann["killed"], ann["penalty"]) == ("inf", "-inf", True, None)
    assert (ann["planned"], bob["planned"], record["welfare"]["final"]) == ("3/2", "9/2", "-inf")


def test_two_rounds_with_a_leaver() -> None:
    record = consortium.run("agmon2003/7.5.1").to_dict()
    ann, bob = record["agents"]
    nothing = [bob[key] for key in ("machine", "position", "planned", "output")]
    assert (bob["stayed"], nothing, bob["payment"], bob["utility"]) == (False, [None] * 4, 0, 0)
    assert record["first_round"] == [
        {"name": "ann", "planned": 3, "payment": 1}, {"name": "bob", "planned": 1, "payment": 3}
    ]  # fmt: skip
    assert (record["optimal_sum"], record["rent"], ann["utility"]) == (4, 0, 8)


def test_best_replies_converge_or_say_that_they_do_not() -> None:
    agents = [{"name": "ann", "length": 2, "strategy": "best-reply"}, {"name": "bob", "length": 2}]
    record = consortium.run(scenario("light-vcg", agents=agents))
    candidates = [consortium.run(scenario("light-vcg", agents=[dict(agents[0], strategy="truthful"), agents[1]]))]
    assert record.agents[0].utility >= candidates[0].agents[0].utility

    class Matching:
        """Ann wants to say what bob says, bob what ann does not say."""

        def run(self, declared: Any, lengths: Any) -> Any:
            same = declared[0] == declared[1]
            return SimpleNamespace(output=[4 if same else 5, 5 if same else 4], payments=[0, 0])

    both = [{"name": name, "length": 2, "strategy": "best-reply"} for name in ("ann", "bob")]
    with pytest.raises(InputError, match="the answers of ann, bob go round in a circle"):
        consortium.run(scenario(agents=both), mechanism=Matching())
