"""A few of the cases of ``python -m tests.fuzz``; ``--hypothesis-seed`` takes others."""

from __future__ import annotations

import random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ..fuzz import Case, case, check_in_process
from .breaking import OTHERS, broken_tree

CASES = st.randoms(use_true_random=True).map(case)
FEW = settings(deadline=None, derandomize=True, max_examples=40, suppress_health_check=list(HealthCheck))


@FEW
@given(CASES)
def test_the_command_refuses_what_it_cannot_use(one: Case) -> None:
    check_in_process(one)


def test_breaking_a_tree_leaves_the_values_that_break_it_alone() -> None:
    rng, before, tree = random.Random(10), repr(OTHERS), {"a": [1, {"b": []}], "c": {"d": "x"}}
    for _ in range(2000):
        broken_tree(rng, tree)
    assert repr(OTHERS) == before
