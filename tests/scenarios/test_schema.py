"""The JSON Schema accepts what the reader accepts, and refuses what it refuses wherever a schema can say it."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import jsonschema
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from pydantic_core import PydanticCustomError
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from consortium.mechanisms.kinds import names
from consortium.scenarios.fields import number, number_schema
from consortium.scenarios.problems import ScenarioError
from consortium.scenarios.reader import load, parse_text, shipped
from consortium.scenarios.scenario import Scenario, plain
from consortium.verbs.schema import schema

from .broken_files import broken


def as_json(value: Any) -> Any:
    """What an editor sees of a TOML file: decimals are JSON numbers."""
    return json.loads(json.dumps(value, default=lambda v: float(v) if isinstance(v, Decimal | Fraction) else str(v)))


@cache
def validator(kind: str | None = None) -> Any:
    """The schema of a kind, or of all; it is gone through for its parts once, not for every file."""
    known = Registry().with_resource("", DRAFT202012.create_resource(schema(kind))).crawl()
    return jsonschema.Draft202012Validator(schema(kind), registry=known)


@pytest.mark.parametrize("kind", [None, *names()])
def test_it_is_a_schema(kind: str | None) -> None:
    jsonschema.Draft202012Validator.check_schema(schema(kind))


@pytest.mark.parametrize("name", shipped())
def test_shipped_scenarios_fit(name: str) -> None:
    data = dict(load(name).data)
    validator(data["kind"]).validate(as_json(data))
    validator(data["kind"]).validate(as_json(plain(data)))


UNSAYABLE: dict[str, list[str]] = {
    "how many agents and machines a rule takes": ["bystander where it is not defined"],
    "the digits of a number": ["huge exponent", "1,050 digits"],
    "what JSON has no word for: nan, and decimals that are no floats": [
        "nan in expect",
        "federation: organizations[2].jobs[2]: found 0.5; expected a number > 0; a float is not exact",
    ],
    "that a value differs from others in other tables": [
        "two agents of one name",
        "a name that the default takes",
        "federation: organizations[2].jobs[2].name",
        "federation: organizations[2].name: found 'lab'",
        "federation: organizations[1].jobs[2].priority: found 1; expected a priority of its own",
        "federation: organizations[2].priorities[1]: found 4; expected a priority of its own",
        "multiuser: users[2].name: found 'u1'; expected a name of its own (users[1] has it already)",
        "federation: organizations[1].jobs[3].name: found 'x'; expected a name of its own (organizations[1]",
        "sharing: organizations[2].name: found 'O1'",
    ],
    "names that the file itself gives": [
        "weights of a stranger",
        "a stranger in the domain",
        "rows without somebody, and of somebody else",
        "an allocation that leaves somebody out",
        "federation: mechanism.order[2]: found 'labs'; expected an organization: lab, O2, O3. Did you",
        "federation: expected every organization, also O3",
        "federation: placement.labs: found 'labs'; expected an organization: lab, O2, O3. Did you",
        "federation: placement.lab[2]: found 'O4'",
    ],
    "that a list or a number fits the length of another list": [
        "too few penalties",
        "order beyond the agents",
        "federation: placement.lab: found ['O2']; expected a list of 2 hosts, one per job",
        "federation: organizations[1].priorities: found [1]; expected 2 priorities, one for each job",
        "federation: organizations: found 1,200 jobs; expected at most 1,000 jobs of any lengths",
        "multiuser: fairness.weights: found [1]; expected one per user, 2",
        "multiuser: mechanism.thresholds: found [1]; expected one per user, 2",
        "multiuser: mechanism.thresholds[2]: found 2; expected 'none' for a 'total-completion' user",
        "sharing: trace.shares: found [1, 2]; expected one per organization, 3",
    ],
    "how two values compare, or the value of a fraction written as text": [
        "absolute cutoff below a declaration",
        "absolute cutoff below the largest declaration of the domain",
        "an interval that ends where it begins",
        "federation: mechanism.cooperation: found '1/2'; expected a number >= 1",
        "sharing: trace.machines: found 4; expected 3, the sum of trace.shares",
        "sharing: organizations[1].jobs: found 33,554,433 machines, counted once for each job; expected at most",
        "sharing: organizations[2].jobs[1].machines: found 2; expected at most 1, all machines, for parallel = 'easy'",
    ],
    "the grammar of an expression": [
        "code in an expression",
        "expressions as penalties",
        "attribute in an expression",
        "huge power in an expression",
    ],
}
"""What a JSON Schema cannot say, and the broken files that it therefore accepts."""
ACCEPTED = {name for listed in UNSAYABLE.values() for name in listed}
BROKEN = dict(broken())
NO_TOML = {
    "5,000 digits",
    "not TOML",
    "a key twice",
    "a truth value as tables show it",
    "a fraction without quotes",
    "a question that was not answered",
}
"""Files that an editor cannot read either."""


def test_the_exceptions_are_cases() -> None:
    assert set(BROKEN) >= ACCEPTED | NO_TOML
    assert len(BROKEN) == len(list(broken()))


@pytest.mark.parametrize("name", [name for name in BROKEN if name not in NO_TOML])
def test_broken_files_are_refused_but_for_the_exceptions(name: str) -> None:
    content = BROKEN[name]
    data = parse_text(content) if isinstance(content, str) else content
    with pytest.raises(ScenarioError):
        load(data)
    assert validator().is_valid(as_json(data)) == (name in ACCEPTED)


VALID: dict[str, Any] = {
    "format": 1,
    "kind": "declaration",
    "cluster": {"powers": [1, "3/2", Decimal("0.5")]},
    "agents": [{"length": 1, "strategy": {"scale": 2}}, {"length": "1/2", "strategy": "best-reply", "value": -1}],
    "mechanism": {"rule": "evcg-postpone", "penalty": ["1/2", 0], "cutoff": {"difference": 1}},
    "domain": {"lengths": [1, 2], "declarations": {"a1": [1]}},
}


@pytest.mark.parametrize(
    ("block", "value"),
    [
        ("title", " "),
        ("seed", 2**63),
        ("welfare", None),
        ("welfare", {"order": 2}),
        ("welfare", {"goal": "makespan", "order": 0}),
        ("welfare", {"goal": "makespan", "weights": {"a1": 1, "a2": 1}}),
        ("domain", {"lengths": {"a1": []}}),
        ("domain", {"lengths": "positiv"}),
        ("domain", {"lengths": {}, "declarations": "positive"}),
        ("domain", {"lengths": "positive", "declarations": [1]}),
        ("domain", {"lengths": {"from": -1, "to": 3}}),
        ("domain", {"lengths": {"from": 0, "to": 0}}),
        ("domain", {"lengths": {"from": [1], "to": 3}}),
        ("domain", {"lengths": {"from": 0, "till": 3}}),
        ("mechanism", {"rule": "vcg-renice", "penalty": [1, 0]}),
        ("mechanism", {"rule": "vcg-renice", "penalty": "1/0"}),
        ("mechanism", {"rule": "postpone-unpaid", "penalty": "tight", "cutoff": {"absolute": 9}}),
        ("mechanism", {"rule": "evcg-postpone", "cutoff": {"relative": 1}}),
    ],
)
def test_mistakes_are_seen_by_schema_and_reader(block: str, value: Any) -> None:
    validator("declaration").validate(as_json(VALID))
    load(VALID)
    broken_file = {**VALID, block: value}
    assert not validator("declaration").is_valid(as_json(broken_file))
    with pytest.raises(ScenarioError):
        load(broken_file)


@pytest.mark.parametrize(
    "lengths", ["positive", {"from": 0, "to": 3}, {"from": "1/2"}, {"to": Decimal("0.5")}, {"from": [1], "to": [1, 2]}]
)
def test_lengths_that_are_an_interval(lengths: Any) -> None:
    """Agents may be called from and to: then these are their lists."""
    named = [{"name": "from", "length": 1}, {"name": "to", "length": 2}]
    data = {**VALID, "agents": named, "domain": {"lengths": lengths}}
    validator("declaration").validate(as_json(data))
    domain = load(data).spec.domain
    assert hasattr(domain, "declarations") == (lengths == {"from": [1], "to": [1, 2]})


@pytest.mark.parametrize(
    ("verb", "options", "fits"),
    [
        ("verify", {"property": "just", "time_limit": Decimal("0.5")}, True),
        ("compare", {"rules": ["harsh", "verified"]}, True),
        ("search", {"epsilon": "3/2"}, True),
        ("prove", {"symbol": "mechanism.penalty=p"}, True),
        ("verify", {"proof": True}, False),
        ("prove", {"processes": 2}, False),  # a file starts nothing
        ("verify", {"propery": "just"}, False),
        ("verify", {"method": "kernels"}, False),
        ("verify", {"mechanism": {}}, False),  # an object of one's own is for Python only
        ("compare", {"rules": ["harsh", "harsh"]}, False),
        ("search", {"list": -1}, False),
        ("search", {"epsilon": Decimal("0.5")}, False),
        ("curve", {}, False),  # an agent must be named
        ("run", [], False),
    ],
)
def test_options_of_verbs(verb: str, options: Any, fits: bool) -> None:
    data = {**VALID, "expect": {verb: {"options": options}}}
    assert validator("declaration").is_valid(as_json(data)) == fits


def places(data: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Blocks of a scenario and the keys in them."""
    inner = [(block, key) for block, table in data.items() if isinstance(table, Mapping) for key in table]
    return [*((block,) for block in data), *inner]


@cache
def loaded() -> tuple[Scenario, ...]:
    return tuple(map(load, shipped()))


@st.composite
def crossed(draw: st.DrawFn) -> dict[str, Any]:
    """A shipped scenario with blocks and keys of others of its kind; many of these are wrong in some way."""
    kind = draw(st.sampled_from(names()))
    of_kind = st.sampled_from([each for each in loaded() if each.kind == kind])
    data = copy.deepcopy(dict(draw(of_kind).data))
    for other in draw(st.lists(of_kind, min_size=1, max_size=3)):
        *above, key = place = draw(st.sampled_from(places(other.data)))
        value: Any = other.data
        here: Any = data
        for step in place:
            value = value[step]
        for step in above:
            here = here.setdefault(step, {})
        here[key] = copy.deepcopy(value)
    return data


@given(crossed())
def test_a_scenario_that_the_reader_accepts_fits(data: dict[str, Any]) -> None:
    try:
        accepted = load(data)
    except ScenarioError:
        return
    validator(accepted.kind).validate(as_json(accepted.to_dict()))


@example("3/2", (0, True))
@example("0/7", (0, True))
@example(" +1_0.5e-3 ", (0, True))
@example("1/00", (None, False))
@example("-0", (0, False))
@example("-0", (0, True))
@example("-0.0e3", (0, False))
@example("-0/7", (0, False))
@example("-0.1", (0, False))
@given(st.text("0123456789+-._eE/ ", max_size=12), st.sampled_from([(None, False), (0, False), (0, True)]))
def test_texts_of_numbers(text: str, bound: tuple[int | None, bool]) -> None:
    low, strict = bound
    try:
        value = number(text)
        fits = low is None or value > low or (value == low and not strict)
    except PydanticCustomError as error:
        fits = False
        assume("digits" not in str(error))
    assert jsonschema.Draft202012Validator(number_schema(low, strict)).is_valid(text) == fits
