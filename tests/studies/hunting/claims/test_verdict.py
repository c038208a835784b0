"""How claims are decided: what the registry lists as refuted is, on its scenario; what it promises holds on others."""

from __future__ import annotations

import pytest
from numpy.random import default_rng

from consortium.scenarios.reader import load
from consortium.studies.hunting.claims.verdict import hunting_of
from consortium.studies.hunting.target import Target
from consortium.support.errors import ConsortiumError
from consortium.verbs.rules import every

REFUTED = [(one.info, claim) for one in every() for claim in sorted(one.info.refuted)]
PROMISED = [(one.info, claim) for one in every() for claim in sorted(one.info.claims)]
SLOW = {"pure-equilibrium", "contributions-nonnegative"}
QUICK = 19
"""One in so many is tried in the default run."""


def marked(cases):
    return [
        pytest.param(
            rule,
            claim,
            id=f"{rule.id}-{claim}",
            marks=[pytest.mark.exhaustive] if i % QUICK or claim in SLOW or rule.id == "rand" else [],
        )
        for i, (rule, claim) in enumerate(cases)
    ]


def test_every_claim_of_the_registry_can_be_decided():
    for one in every():
        assert set(one.info.claims) | set(one.info.refuted) <= set(hunting_of(one.kind).claims), one.info.id


@pytest.mark.parametrize(("rule", "claim"), marked(REFUTED))
def test_what_is_refuted_is_broken_by_its_scenario(rule, claim):
    target = Target.of(rule.id, claim)
    data = load(rule.refuted[claim]).to_dict()
    own = {key: value for key, value in data["mechanism"].items() if key in ("thresholds", "levels", "solver")}
    data["mechanism"] = target.base["mechanism"] | own
    verdict = target.verdict(data)
    assert verdict.broken is True
    assert verdict.expect


@pytest.mark.parametrize("count", [2, pytest.param(60, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize(("rule", "claim"), marked(PROMISED))
def test_what_is_promised_holds_on_random_instances(rule, claim, count):
    target, rng, ruled = Target.of(rule.id, claim, time_limit=20), default_rng(len(rule.id)), 0
    for i in range(count):
        try:
            verdict = target.verdict(hunting_of(target.kind).draw(target.base, rng, i % 3))
        except ConsortiumError:  # too large for its rule, or no machine at all
            continue
        ruled += 1
        assert verdict.broken is not True, (i, verdict)
    assert ruled
