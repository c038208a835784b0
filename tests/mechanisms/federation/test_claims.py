"""Every claim of the catalogue holds on generated federations; every refuted one fails on its counterexample."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.agents.organizations import Federation
from consortium.mechanisms.federation.catalogue import ONE_MACHINE, RULES
from consortium.mechanisms.federation.claims import CHECKS, check
from consortium.mechanisms.kinds import rules
from consortium.support.errors import UnknownNameError

from .instances import federations

COUNTEREXAMPLES = {
    "cordeiro2012/local-total-lpt-lpt": Federation.of([[1, 5], [6]]),
    "cordeiro2012/local-constraint-spt-lpt": Federation.of([[6], [3, 2, 6]], machines=[1, 2]),
    "cordeiro2012/local-constraint-less-helped-first": Federation.of([[6], [3, 2, 6]], machines=[1, 2]),
    "cordeiro2012/theorem-4.5": Federation.of([[13] * 4, [3] * 4, [], []]),
    "cordeiro2012/theorem-5.6": Federation.of([[4, 4, 4], [2, 2], []]),
}


@pytest.mark.parametrize("rule", [rule.id for rule in RULES])
@settings(deadline=None, derandomize=True, max_examples=40)
@given(data=st.data())
def test_claims_hold(rule, data):
    info = rules("federation")[rule]
    fed = data.draw(federations(max_jobs=8, max_machines=1 if rule in ONE_MACHINE else 3))
    mechanism = info.load()()
    schedule = mechanism.run(fed)
    assert info.claims
    for claim in info.claims:
        assert check(claim, mechanism, schedule).holds, claim


@pytest.mark.parametrize(
    ("rule", "claim"), [(r.id, claim) for r in RULES for claim in r.refuted if claim != "pure-equilibrium"]
)
def test_what_is_refuted_fails_on_its_counterexample(rule, claim):
    info = rules("federation")[rule]
    mechanism = info.load()(solver="exact") if rule == "priority-equilibrium" else info.load()()
    result = check(claim, mechanism, mechanism.run(COUNTEREXAMPLES[info.refuted[claim]]))
    assert result.holds is False
    assert result.value > result.bound


def test_who_has_the_least_that_can_be_had_gains_nothing():
    """With an exact solver everybody's bound is met with equality."""
    mechanism = rules("federation")["priority-equilibrium"].load()(solver="exact")
    schedule = mechanism.run(Federation.of([[2, 2], [1], []]))
    assert all(check(f"{what}-equilibrium", mechanism, schedule).holds for what in ("approximate", "exact"))


def test_every_claim_has_a_check_and_every_factory_the_rule_of_its_name():
    for rule in RULES:
        assert rule.claims <= set(CHECKS)
        assert rule.load().id == rule.id
    with pytest.raises(UnknownNameError, match="local-constraint"):
        check("local-constrain", None, None)
