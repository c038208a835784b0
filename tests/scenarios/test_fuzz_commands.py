"""Broken files, records, logs and options at random: the command ends with one of its exit codes and a sentence."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from .fuzzing.campaign import fuzz
from .fuzzing.material import case
from .fuzzing.mutations import OTHERS, broken_tree
from .fuzzing.trial import as_process, in_process

SEED = 10


def test_a_case_is_the_same_for_the_same_seed() -> None:
    assert [case(SEED, n) for n in range(30)] == [case(SEED, n) for n in range(30)]
    assert case(SEED, 0) != case(SEED + 1, 0)


def test_breaking_a_tree_leaves_the_values_that_break_it_alone() -> None:
    rng, before, tree = random.Random(SEED), repr(OTHERS), {"a": [1, {"b": []}], "c": {"d": "x"}}
    for _ in range(2000):
        broken_tree(rng, tree)
    assert repr(OTHERS) == before


@pytest.mark.parametrize("number", range(40))
def test_the_entry_function_refuses_what_it_cannot_use(number: int, tmp_path: Path) -> None:
    ending = in_process(case(SEED, number), tmp_path)
    assert not ending.wrong, ending.stderr


@pytest.mark.exhaustive
def test_a_hundred_thousand_cases() -> None:
    codes, wrong = fuzz(1, 0, 100_000, workers=2)
    assert not wrong
    assert sum(codes.values()) == 100_000


@pytest.mark.exhaustive
def test_five_hundred_processes(tmp_path: Path) -> None:
    endings = [as_process(case(SEED, number), tmp_path) for number in range(500)]
    assert [ending.wrong for ending in endings if ending.wrong] == []
