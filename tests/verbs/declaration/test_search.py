"""``search`` on kind ``declaration``: the price of anarchy beside that against the first best of all schedules."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction as F
from typing import Any

import pytest

import consortium

from .files import Queue, scenario


class Stack(Queue):
    """Longest declaration first: the best that this rule can do is far from the best schedule."""

    def run(self, declared: Any, lengths: Any) -> Any:
        return super().run([-b for b in declared], lengths)


def least_sum(powers: list[int], lengths: list[F]) -> F:
    """The smallest sum of output times, of all schedules one by one."""
    sums = []
    for order in itertools.permutations(lengths):
        for where in itertools.product(range(len(powers)), repeat=len(lengths)):
            free, total = [F(0)] * len(powers), F(0)
            for length, m in zip(order, where, strict=True):
                free[m] += length / powers[m]
                total += free[m]
            sums.append(total)
    return min(sums)


@pytest.mark.parametrize("rule", ["light-vcg", "vcg-postpone", "straightforward", "harsh", Stack()])
def test_the_first_best_is_that_of_all_schedules_whatever_the_rule(rule: Any) -> None:
    rng = random.Random(10)
    for _ in range(3):
        lengths = [F(rng.randint(1, 4)) for _ in range(3)]
        powers = [1] if isinstance(rule, Stack) else [1, 2]
        agents = [{"name": name, "length": length} for name, length in zip("abc", lengths, strict=True)]
        data = scenario("light-vcg" if isinstance(rule, Stack) else rule, cluster={"powers": powers}, agents=agents)
        record = consortium.search(data, mechanism=rule if isinstance(rule, Stack) else None)
        assert record.first_best == least_sum(powers, lengths) <= record.optimum.social_cost
        worst = record.equilibria.worst
        expected = None if worst is None or worst.social_cost == float("inf") else worst.social_cost / record.first_best
        assert record.price_over_first_best == expected
        assert f"the best costs {record.first_best}" in str(record)


def test_the_best_profile_of_a_bad_rule_is_not_the_first_best() -> None:
    agents = [{"name": "ann", "length": 1}, {"name": "bob", "length": 5}]
    only = {"declarations": {"ann": [1], "bob": [5]}}  # there is one profile, which is the best one of the rule
    record = consortium.search(scenario(agents=agents, domain=only), mechanism=Stack())
    assert (record.price_of_anarchy, record.optimum.social_cost, record.first_best) == (1, 11, 7)
    assert record.price_over_first_best == F(11, 7)
    assert "against this first best the price of anarchy is 11/7" in str(record)


@pytest.mark.parametrize(
    "blocks",
    [
        {"welfare": {"goal": "lexical-max"}},  # a list of times has no ratio
        {"mechanism": {"rule": "evcg-postpone", "rounds": 2}},  # who leaves costs nothing
    ],
)
def test_where_there_is_no_number_there_is_no_first_best(blocks: dict[str, Any]) -> None:
    assert "first_best" not in consortium.search(scenario(**blocks)).to_dict()
