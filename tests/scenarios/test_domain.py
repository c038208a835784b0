"""``[prior]``: what it means, what agrees with ``[domain]``, and that every slip is told where it is."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from consortium.scenarios.domain import DomainSpec, IntervalSpec
from consortium.scenarios.problems import ScenarioError
from consortium.scenarios.reader import load
from consortium.scenarios.toml import dumps, parse_text

HALVES = {"1": "1/2", "2": "1/2"}
ONE, TWO, THREE = Fraction(1), Fraction(2), Fraction(3)


def scenario(lengths: Any, **more: Any) -> dict[str, Any]:
    agents = [{"name": "ann", "length": 1}, {"name": "bob", "length": 5}]
    head = {"format": 1, "kind": "declaration", "cluster": {"powers": [1]}, "agents": agents}
    return head | {"mechanism": {"rule": "harsh"}, "prior": {"lengths": lengths}} | more


def test_odds_for_everybody_or_by_agent() -> None:
    both = load(scenario({"2": Fraction(1, 3), "1.5": "2/3", "7": 0})).spec
    assert both.prior.distributions == (((Fraction(3, 2), Fraction(2, 3)), (TWO, Fraction(1, 3))),) * 2
    assert both.domain == DomainSpec(((Fraction(3, 2), TWO),) * 2, ((Fraction(3, 2), TWO),) * 2)
    alone = load(scenario({"ann": HALVES})).spec
    assert alone.prior.support == [(ONE, TWO), (Fraction(5),)]  # who is left out has her length surely
    named = scenario({"1": HALVES}) | {"agents": [{"name": "1", "length": 2}]}
    assert load(named).spec.prior.support == [(ONE, TWO)]


def test_a_domain_may_have_more_lengths_and_other_declarations() -> None:
    wide = load(scenario(HALVES, domain={"lengths": [3, 2, 1]})).spec
    assert wide.domain.lengths == ((THREE, TWO, ONE),) * 2
    said = load(scenario(HALVES, domain={"declarations": {"ann": [3]}})).spec
    assert said.domain == DomainSpec(((ONE, TWO),) * 2, ((THREE,), (ONE, TWO)))
    assert load(scenario(HALVES, domain={"lengths": "positive"})).spec.domain == IntervalSpec()


def test_overrides_and_the_writer() -> None:
    data = scenario(HALVES)
    changed = load(data, {"prior.lengths.1": "1/4", "prior.lengths.2": "3/4"}).spec.prior
    assert changed.distributions[0] == ((ONE, Fraction(1, 4)), (TWO, Fraction(3, 4)))
    assert load(data, {"prior": None}).spec.prior is None
    written = parse_text(dumps(scenario({"ann": {"3/2": Fraction(1, 3), "2": "2/3"}})), "written")
    assert load(written).spec == load(scenario({"ann": {"3/2": "1/3", "2": "2/3"}})).spec


@pytest.mark.parametrize(
    ("lengths", "told"),
    [
        (
            {"1": "1/2", "2": "1/3"},
            "prior.lengths: found probabilities with the sum 5/6; expected probabilities with the ",
        ),
        ({"bob": {"1": "1/2"}}, "prior.lengths.bob: found probabilities with the sum 1/2"),
        ({"bop": HALVES}, "prior.lengths.bop: found 'bop'; expected an agent: ann, bob. Did you mean 'bob'?"),
        ({"1": "3/2", "2": "-1/2"}, "prior.lengths.1: found '3/2'; expected a probability, a number from 0 to 1"),
        ({"1": "1/2", "1.0": "1/2"}, "prior.lengths.1.0: found '1.0'; expected each length once (1 is there already)"),
        ({"0": 1}, "prior.lengths.0: found '0'; expected a length > 0 as text"),
        ({"x": 1}, "prior.lengths.x: found 'x'; expected a length > 0 as text"),
        ({1: 1}, "prior.lengths.1: found 1; expected a length > 0 as text"),
        ({"1": 1.0}, "a float is not exact"),
        ({"ann": HALVES, "bob": "1/2"}, "prior.lengths.bob: found '1/2'; expected a table of probabilities by length"),
        ({"ann": {}}, "prior.lengths.ann: found an empty table"),
        ({}, "prior.lengths: found an empty table"),
        ([1, 2], "prior.lengths: found [1, 2]; expected a table of probabilities by length"),
    ],
)
def test_every_slip_is_told(lengths: Any, told: str) -> None:
    with pytest.raises(ScenarioError) as error:
        load(scenario(lengths))
    assert told in str(error.value)


@pytest.mark.parametrize("lengths", [[1, 3], {"bob": [1]}, {"from": 0, "to": "3/2"}, {"from": "3/2"}])
def test_a_domain_without_a_likely_length_contradicts_the_prior(lengths: Any) -> None:
    with pytest.raises(
        ScenarioError, match=r"domain.lengths: found no [12] for \w+; expected every length that \[prior\]"
    ):
        load(scenario(HALVES, domain={"lengths": lengths}))


def test_a_cut_off_below_a_likely_length_is_refused() -> None:
    rule = {"rule": "vcg-postpone", "penalty": "printed-absolute", "cutoff": {"absolute": 6}}
    with pytest.raises(ScenarioError, match="every declaration"):
        load(scenario({"7": 1}, mechanism=rule))
