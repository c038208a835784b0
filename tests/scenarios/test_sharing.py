"""Reading scenarios of kind sharing: what a file means, and what is refused with which words."""

from __future__ import annotations

from fractions import Fraction

import pytest

from consortium.scenarios.problems import ScenarioError
from consortium.scenarios.reader import load, parse_text
from consortium.scenarios.sharing import MechanismBlock, OrganizationSpec, TraceBlock
from consortium.verbs.sharing.model import rule_of

from .broken_files.sharing import BROKEN, TRACE, changed


def test_every_key_is_read() -> None:
    text = """
format = 1
kind = "sharing"
until = 14

[[organizations]]
name = "a"
machines = 2
jobs = [[0, 3, 9], [4, 1, 5]]

[[organizations]]

[mechanism]
rule = "ref"
timing = "now"
utility = "tardiness"
"""
    spec = load(parse_text(text)).spec
    assert spec.until == 14
    assert spec.organizations == (OrganizationSpec("a", 2, ((0, 3, 9), (4, 1, 5))), OrganizationSpec("O2", 1, ()))
    assert spec.mechanism == MechanismBlock(rule="ref", timing="now", utility="tardiness")
    assert spec.trace is None


def test_rand_and_direct_contribution() -> None:
    rand = changed(mechanism={"rule": "rand", "orderings": [[2, 1], [1, 2]]})
    assert load(rand).spec.mechanism.orderings == [[2, 1], [1, 2]]
    assert rule_of(load(rand)).options == {"orderings": ((1, 0), (0, 1))}
    rand = changed(mechanism={"rule": "rand", "epsilon": "1/2", "confidence": "9/10"})
    assert load(rand).spec.mechanism.epsilon == Fraction(1, 2)
    assert load(changed(mechanism={"rule": "rand", "samples": "all"})).spec.mechanism.samples == "all"
    direct = changed(mechanism={"rule": "direct-contribution", "machine_order": "listed", "timing": "now"})
    assert load(direct).spec.mechanism.machine_order == "listed"


def test_trace() -> None:
    spec = load(TRACE).spec
    assert spec.trace == TraceBlock(file="log.swf", duration=100, machines=7, organizations=5)
    assert spec.organizations == ()
    listed = changed(TRACE, trace={"file": "x", "duration": 9, "start": 3, "organizations": "group", "shares": [3, 4]})
    assert load(listed).spec.trace == TraceBlock(file="x", start=3, duration=9, organizations="group", shares=[3, 4])


@pytest.mark.parametrize(("data", "messages"), BROKEN, ids=[messages[0][:50] for _, messages in BROKEN])
def test_mistakes_are_named(data, messages) -> None:
    with pytest.raises(ScenarioError) as caught:
        load(data)
    for message in messages:
        assert message in str(caught.value)


def test_all_mistakes_at_once() -> None:
    data = changed(until="soon", organizations__0__machines="two", mechanism={"rule": "fifo", "samples": 2})
    with pytest.raises(ScenarioError) as caught:
        load(data)
    assert len(caught.value.problems) == 3
