"""Digests: equal for scenarios that say the same, different for all others."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

import consortium
from consortium.scenarios.scenario import digest
from consortium.scenarios.toml import parse_text
from consortium.support.errors import InputError

SCENARIO = """
format = 1
kind = "federation"
title = "A title"
source = "a paper"
seed = 3

[[organizations]]
name = "ann"
machines = 2
jobs = [1.5, "4/2", { length = 3, name = "x" }]

[[organizations]]
name = "bob"
jobs = []

[mechanism]
rule = "coordination"
order = ["bob", "ann"]

[expect.run]
social_cost = 5
"""


def said() -> dict[str, Any]:
    return parse_text(SCENARIO)


def changed(change: Callable[[dict[str, Any]], Any]) -> str:
    data = said()
    change(data)
    return digest(data)


def test_numbers_count_by_their_value() -> None:
    for half in ("3/2", "1.5", "6/4", " +1.50 ", Fraction(3, 2), Decimal("1.500"), "15e-1"):
        assert changed(lambda data, half=half: data["organizations"][0]["jobs"].__setitem__(0, half)) == digest(said())
    for two in (2, "2", Decimal(2), Fraction(2), "2.0", "20e-1"):
        assert changed(lambda data, two=two: data["organizations"][0].update(machines=two)) == digest(said())


def test_title_source_expected_values_and_the_order_of_keys_do_not_matter() -> None:
    shuffled = {
        key: {k: value[k] for k in reversed(value)} if isinstance(value, dict) else value
        for key, value in reversed(said().items())
        if key not in ("title", "source", "expect")
    }
    assert digest(shuffled) == digest(said())
    assert digest({**said(), "organizations": tuple(said()["organizations"])}) == digest(said())


CHANGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "seed": lambda data: data.update(seed=4),
    "kind": lambda data: data.update(kind="multiuser"),
    "name": lambda data: data["organizations"][0].update(name="amy"),
    "name of a job": lambda data: data["organizations"][0]["jobs"][2].update(name="y"),
    "a title that is no head": lambda data: data["organizations"][0].update(title="t"),
    "machines": lambda data: data["organizations"][0].update(machines=3),
    "a default written": lambda data: data["organizations"][1].update(machines=1),
    "true for one": lambda data: data["organizations"][0].update(machines=True),
    "length": lambda data: data["organizations"][0]["jobs"].__setitem__(0, "3/4"),
    "order of jobs": lambda data: data["organizations"][0]["jobs"].reverse(),
    "order of organizations": lambda data: data["organizations"].reverse(),
    "order of names": lambda data: data["mechanism"]["order"].reverse(),
    "a job more": lambda data: data["organizations"][1]["jobs"].append(1),
    "a key less": lambda data: data["mechanism"].pop("order"),
}


def test_everything_else_matters() -> None:
    digests = [digest(said()), *(changed(change) for change in CHANGES.values())]
    assert len(set(digests)) == len(digests)


def test_a_name_that_looks_like_a_number_is_a_name() -> None:
    def federation(names: list[str], order: list[str], length: object = 1) -> dict[str, Any]:
        rows = [{"name": name, "jobs": [length]} for name in names]
        return {"kind": "federation", "organizations": rows, "mechanism": {"order": order}}

    rows = [
        federation(["1", "1.0"], ["1", "1.0"]),
        federation(["1", "1.0"], ["1.0", "1"]),
        federation(["1.0", "1"], ["1", "1.0"]),
        federation(["01", "1"], ["01", "1"]),
    ]
    assert len({digest(row) for row in rows}) == 4
    assert digest(federation(["1", "2"], ["1", "2"], "3/1")) == digest(federation(["1", "2"], ["1", "2"], 3))
    weights = [{"agents": [{"name": "1"}, {"name": "1.0"}], "weights": {"1": a, "1.0": 3 - a}} for a in (1, 2)]
    assert digest(weights[0]) != digest(weights[1])


def test_keys_that_are_numbers_count_by_their_value() -> None:
    assert digest({"lengths": {"1/2": "1/3"}}) == digest({"lengths": {"0.5": "2/6"}})
    assert digest({"lengths": {"1/2": "1/3"}}) != digest({"lengths": {"2": "1/3"}})


def test_the_scenario_is_not_changed() -> None:
    data = said()
    before = copy.deepcopy(data)
    digest(data)
    assert data == before


def test_shipped_scenarios_that_differ_have_different_digests() -> None:
    """A scenario and its copy through JSON have one digest; two that differ in more than their heads have two."""
    digests: dict[str, Any] = {}
    for name in [*consortium.shipped()][::7]:
        loaded = consortium.load(name)
        said = {key: value for key, value in loaded.to_dict().items() if key not in ("title", "source", "expect")}
        found = digest(loaded.data)
        assert found == digest(said) == digest(loaded.to_dict())
        assert digests.setdefault(found, said) == said


@pytest.mark.parametrize("wrong", [1.5, {1, 2}, b"1", object()])
def test_what_no_scenario_holds_is_refused(wrong: object) -> None:
    with pytest.raises(InputError, match="digest: found"):
        digest({"length": wrong})


@pytest.mark.parametrize("text", ["1x", "1/0", "-", ".", "+", "1e", "2024-01-01", "1" * 5_000, "1/" + "9" * 5_000])
def test_texts_that_are_no_numbers_are_themselves(text: str) -> None:
    assert digest({"rule": text}) == digest({"rule": text})
    assert digest({"rule": text}) != digest({"rule": text + "z"})


def written(value: Fraction, rng: random.Random) -> Iterator[Any]:
    """Ways to write a number."""
    factor = rng.randint(1, 9)
    yield value
    yield f"{value.numerator * factor}/{value.denominator * factor}"
    if value.denominator == 1:
        yield value.numerator


def test_random_numbers_have_the_digest_of_their_value() -> None:
    rng = random.Random(7)
    for _ in range(300):
        one, other = (Fraction(rng.randint(0, 12), rng.randint(1, 6)) for _ in range(2))
        of_one = {digest({"length": way}) for way in written(one, rng)}
        of_other = {digest({"length": way}) for way in written(other, rng)}
        assert len(of_one) == len(of_other) == 1
        assert (of_one == of_other) == (one == other)
