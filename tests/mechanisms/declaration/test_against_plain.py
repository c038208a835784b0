"""The package and the plain definition agree on everything that a run tells."""

from __future__ import annotations

from random import Random

import pytest

from consortium.mechanisms.declaration.catalogue import RULES

from . import plainly
from .instances import TWO_ROUNDS, game, package

EVERY_RULE = [rule.id for rule in RULES]


def told(outcome):
    plan = outcome.plan
    lists = [[] for _ in range(1 + max((place[0] for place in plan.places if place), default=-1))]
    for n, place in sorted(enumerate(plan.places), key=lambda entry: entry[1] or ()):
        if place is not None:
            lists[place[0]].append(n)
            assert len(lists[place[0]]) == place[1] + 1
    return {
        "schedule": tuple(map(tuple, lists)),
        "planned": list(plan.planned),
        "output": list(outcome.output),
        "payments": list(outcome.payments),
        "utilities": list(outcome.utilities),
        "penalties": list(plan.penalties),
        "work": list(outcome.work),
        "controls": list(outcome.controls),
        "killed": list(outcome.killed),
        "S": plan.optimal_sum,
        "rent": outcome.rent,
        "welfare": (plan.welfare, outcome.welfare),
        "stayed": list(outcome.stayed),
    }


def expect(found, expected):
    used = max((m for m, jobs in enumerate(expected["schedule"]) if jobs), default=-1)
    expected["schedule"] = expected["schedule"][: used + 1]
    assert found == expected


def compare_one_round(rng):
    rule, c, b, theta, options = game(rng, EVERY_RULE)
    expect(told(package(rule, c, options).run(b, theta)), plainly.one_round(rule, c, b, theta, **options))


def compare_two_rounds(rng):
    rule, c, b, theta, options = game(rng, TWO_ROUNDS, rounds=2)
    outcome = package(rule, c, options).run(b, theta)
    expected = plainly.two_rounds(rule, c, b, theta, **options)
    planned, payments = expected.pop("offer")
    assert (list(outcome.plan.first_round.planned), list(outcome.plan.first_round.payments)) == (planned, payments)
    expect(told(outcome), expected)


@pytest.mark.parametrize(
    ("compare", "count"),
    [
        (compare_one_round, 90),
        (compare_two_rounds, 60),
        pytest.param(compare_one_round, 40_000, marks=pytest.mark.exhaustive),
        pytest.param(compare_two_rounds, 40_000, marks=pytest.mark.exhaustive),
    ],
)
def test_many_instances(compare, count):
    for seed in range(count):
        compare(Random(seed))
