"""Objects that no file holds, odd sources and paths: the reader answers with a scenario or with our error."""

from __future__ import annotations

import tomllib
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.mechanisms.kinds import names
from consortium.scenarios.problems import ScenarioError
from consortium.scenarios.reader import load, locate, parse, parse_text
from consortium.scenarios.scenario import Scenario
from consortium.scenarios.toml import dumps

from .breaking import places

VALID: dict[str, Any] = {
    "format": 1,
    "kind": "declaration",
    "cluster": {"powers": [1, "3/2"]},
    "agents": [{"name": "ann", "length": 1, "declares": 2}, {"length": "1/2", "strategy": {"scale": 2}, "value": -1}],
    "mechanism": {"rule": "evcg-postpone", "penalty": "tight", "cutoff": {"difference": 1}},
    "welfare": {"goal": "weighted-sum", "weights": {"ann": 1, "a2": 3}, "ties": "sum"},
    "domain": {"lengths": [1, 2], "declarations": {"ann": [1]}},
    "expect": {"run": {"rent": {"value": 1, "within": "1/2"}}},
}
KINDS: dict[str, dict[str, Any]] = {kind: parse(locate(f"minimal/{kind}")) for kind in names()} | {"declaration": VALID}

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 5),
    st.integers(-(10**1200), 10**1200),
    st.fractions(),
    st.decimals(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(
        ["inf", "1/0", "1e999999999", "sum", "harsh", "ann", "exact", "printed", "-(ann + 9*a2)", "ann**ann"]
    ),
    st.binary(max_size=3),
    st.just(object()),
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6) | st.integers(0, 3), inner, max_size=3)
    ),
    max_leaves=6,
)


def changed(value: Any, place: tuple[Any, ...], new: Any, drop: bool) -> Any:
    if not place:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    if drop and len(place) == 1:
        del copy[place[0]]
    else:
        copy[place[0]] = changed(copy[place[0]], place[1:], new, drop)
    return copy


def answer(data: Any) -> None:
    try:
        assert isinstance(load(data), Scenario)
    except ScenarioError as error:
        assert error.problems
        assert all(str(problem) for problem in error.problems)
        assert len(str(error)) < 100_000


@pytest.mark.parametrize("kind", names())
@settings(max_examples=250, deadline=None)
@given(st.data())
def test_a_scenario_with_anything_anywhere(kind: str, data: st.DataObject) -> None:
    scenario = KINDS[kind]
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from(places(scenario)))
        scenario = changed(scenario, place, data.draw(values), data.draw(st.booleans()))
        if not places(scenario):
            break
    answer(scenario)


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 100_000, "a" + ".a" * 20_000 + " = 1", "[" * 5000 + "]" * 5000, "x = '\0'"]
)
def test_deep_or_odd_toml_is_refused_at_once(text: str) -> None:
    with pytest.raises(ScenarioError):
        load(parse_text(text))


@pytest.mark.parametrize("source", [None, 3, 2.5, b"x", [], ("a",), object()])
def test_sources_that_are_none(source: Any) -> None:
    with pytest.raises(ScenarioError):
        load(source)


@pytest.mark.parametrize("path", ["", ".", "/", "no/such", "agmon2003/../reader", "x" * 5000, "\0", "/dev/null/x"])
def test_paths_that_lead_nowhere(path: str) -> None:
    with pytest.raises(ScenarioError):
        load(path)


def test_a_structure_that_holds_itself() -> None:
    scenario: dict[str, Any] = dict(VALID)
    scenario["expect"] = {"run": scenario}
    with pytest.raises(ScenarioError, match="levels deep"):
        load(scenario)


tables = st.recursive(
    st.integers(-(10**30), 10**30)
    | st.booleans()
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
    | st.fractions(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), inner, max_size=4)
    ),
    max_leaves=10,
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), tables, max_size=4))
def test_what_the_writer_writes_toml_reads_back(data: dict[str, Any]) -> None:
    from consortium.scenarios.scenario import plain

    assert tomllib.loads(dumps(data)) == plain(data)


def test_decimals_are_exact(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(
        'format = 1\nkind = "declaration"\n[cluster]\npowers = [0.1]\n[[agents]]\nlength = "3/2"\n'
        '[mechanism]\nrule = "harsh"\n'
    )
    spec = load(path).spec
    assert spec.powers == (Fraction(1, 10),)
    assert spec.agents[0].length == Fraction(3, 2)


def test_a_float_in_a_dict_is_refused_with_a_hint() -> None:
    with pytest.raises(ScenarioError, match=r"a float is not exact, write '1/10', an int or a Fraction"):
        load({**VALID, "cluster": {"powers": [0.1]}})
    assert load({**VALID, "cluster": {"powers": [Decimal("0.1")]}}).spec.powers == (Fraction(1, 10),)


def test_overrides_by_path() -> None:
    scenario = load(VALID, {"agents[2].length": 7, "mechanism.cutoff.difference": "5/2"})
    assert scenario.spec.agents[1].length == 7
    assert scenario.spec.cutoff == ("difference", Fraction(5, 2))
    assert VALID["agents"][1]["length"] == "1/2"  # the source is not changed
    for path in ("agents[3].length", "agents.ann", "cluster.powers[9]", "", "a..b", "agents[0].length"):
        with pytest.raises(ScenarioError):
            load(VALID, {path: 1})
