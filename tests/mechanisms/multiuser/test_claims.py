"""The contract of the catalogue: each claim of each rule on generated communities, each refutation by its scenario."""

from __future__ import annotations

import random
from itertools import product

import pytest

import consortium
from consortium.agents.users import Community
from consortium.mechanisms.kinds import info, rules
from consortium.mechanisms.multiuser import Fairness, multimixed_ratios, pareto_set, zenith
from consortium.mechanisms.multiuser.catalogue import RULES
from consortium.scenarios.reader import load
from consortium.verbs.multiuser.run import model

from . import reference as brute

M, S = "makespan", "total-completion"
DEADLINES = {"edf", "lst", "lst-printed"}
KINDS = {
    "edf": (M, M), "lst": (M, M, S), "lst-printed": (M, M, S), "multicmax": (M, M, M), "multisum": (S, S),
    "multimixed": (M, S, M), "pareto": (M, S, M), "fairest": (M, M, S), "refine": (M, M, S), "refine-printed": (M, S),
}  # fmt: skip


def cases(rule):
    """Communities of the kind that a rule takes, with thresholds where it has any."""
    rng = random.Random(rule.id)
    for _ in range(12):
        kinds = KINDS[rule.id]
        sizes = tuple(tuple(rng.randint(1, 3) for _ in range(rng.randint(1, 2))) for _ in kinds)
        if sum(map(len, sizes)) > 5:
            continue
        shared = Community.of(*zip(kinds, sizes, strict=True))
        if rule.id not in DEADLINES:
            yield kinds, sizes, shared, None
            continue
        for limits in product(range(1, shared.work + 1, 2), repeat=kinds.count(M)):
            given = iter(limits)
            yield kinds, sizes, shared, tuple(next(given) if kind == M else None for kind in kinds)


def answer(rule, shared, limits):
    found = rule.load()(*((shared,) if limits is None else (shared, limits)))
    return getattr(found, "outcome", found) if rule.id != "pareto" else found


def meets_thresholds(rule, kinds, sizes, shared, limits):
    point = answer(rule, shared, limits).point
    possible = any(brute.meets(x, limits) for x in brute.points(kinds, sizes))
    return (point is None) != possible and (point is None or brute.meets(point, limits))


def pareto_optimal(rule, kinds, sizes, shared, limits):
    found = answer(rule, shared, limits)
    points = set(found.points) if rule.id == "pareto" else {found.point} - {None}
    return points <= brute.pareto(kinds, sizes)


def smallest_total(rule, kinds, sizes, shared, limits):
    point, owner = answer(rule, shared, limits).point, kinds.index(S)
    return point is None or point[owner] == min(x[owner] for x in brute.points(kinds, sizes) if brute.meets(x, limits))


def zenith_ratio(rule, kinds, sizes, shared, limits):
    point = answer(rule, shared, limits).point
    return all(x <= r * z for x, r, z in zip(point, multimixed_ratios(shared), zenith(shared), strict=True))


def fairest_of_all(rule, kinds, sizes, shared, limits):
    measure = Fairness().bind(shared)
    return measure.key(answer(rule, shared, limits).point) == min(map(measure.key, brute.points(kinds, sizes)))


def proves_optimum(rule, kinds, sizes, shared, limits):
    return not rule.load()(shared).proved or fairest_of_all(rule, kinds, sizes, shared, limits)


CHECKERS = {
    "meets-thresholds": meets_thresholds,
    "pareto-optimal": pareto_optimal,
    "smallest-total": smallest_total,
    "zenith-ratio": zenith_ratio,
    "fairest": fairest_of_all,
    "proves-optimum": proves_optimum,
}


def test_every_claim_has_a_checker_and_none_is_refuted_too() -> None:
    for rule in RULES:
        assert rule.claims <= set(CHECKERS), rule.id
        assert set(rule.refuted) <= set(CHECKERS), rule.id
        assert not rule.claims & set(rule.refuted), rule.id
    assert list(rules("multiuser")) == [rule.id for rule in RULES]


@pytest.mark.parametrize("rule", [r for r in RULES if r.claims], ids=lambda rule: rule.id)
def test_claims_hold_on_generated_communities(rule) -> None:
    checked = 0
    for kinds, sizes, shared, limits in cases(rule):
        for claim in rule.claims:
            assert CHECKERS[claim](rule, kinds, sizes, shared, limits), (claim, kinds, sizes, limits)
            checked += 1
    assert checked >= 10


@pytest.mark.parametrize(
    ("rule", "claim"), [(rule, claim) for rule in RULES for claim in rule.refuted], ids=lambda x: getattr(x, "id", x)
)
def test_refuted_claims_fail_on_their_shipped_scenario(rule, claim) -> None:
    scenario = load(rule.refuted[claim])
    spec, shared = scenario.spec, model(scenario).shared
    kinds = tuple(user.objective for user in spec.users)
    assert not CHECKERS[claim](rule, kinds, shared.sizes, shared, spec.thresholds or None)
    assert consortium.run(scenario).point is not None


def test_factories_are_found_by_name() -> None:
    shared = Community.of((M, [2]), (S, [1, 1]))
    assert info("multiuser", "fairest").load()(shared).outcome.point in pareto_set(shared)
