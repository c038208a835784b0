"""List scheduling, and the index of fairness."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.scheduling.listing import job_order, place_in_order
from consortium.scheduling.metrics import jain
from consortium.support.errors import InputError, UnknownNameError

SIZES = st.lists(st.integers(1, 4), max_size=7)
READY = st.lists(st.integers(0, 3), min_size=1, max_size=4)


def reference(lengths: list[int], order: list[int], ready: list[int]) -> list[tuple]:
    free = list(ready)
    found = {}
    for j in order:
        m = free.index(min(free))
        found[j] = (m, free[m], free[m] + lengths[j])
        free[m] = found[j][2]
    return [found[j] for j in range(len(lengths))]


@settings(deadline=None, derandomize=True)
@given(SIZES, READY, st.sampled_from(["listed", "lpt", "spt"]))
def test_against_the_definition(lengths: list[int], ready: list[int], order: str) -> None:
    rank = {
        "listed": lambda j: j,
        "lpt": lambda j: (-lengths[j], j),
        "spt": lambda j: (lengths[j], j),
    }[order]
    expected = reference(lengths, sorted(range(len(lengths)), key=rank), ready)
    sequence = job_order(lengths, order)  # type: ignore[arg-type]
    placed = place_in_order([lengths[j] for j in sequence], ready)
    assert dict(zip(sequence, placed, strict=True)) == dict(enumerate(expected))


def test_ties_go_to_the_smallest_index() -> None:
    assert job_order([2, 1, 2, 1], "lpt") == (0, 2, 1, 3)
    assert job_order([2, 1, 2, 1], "spt") == (1, 3, 0, 2)
    assert [m for m, _, _ in place_in_order([1, 1, 1], [0, 0, 0])] == [0, 1, 2]


def test_lpt_bound_is_tight() -> None:
    """Graham's instance for two machines: 3, 3, 2, 2, 2 ends at 7 under LPT and at 6 at best: 4/3 - 1/6."""
    assert max(end for _, _, end in place_in_order([3, 3, 2, 2, 2], [0, 0])) == Fraction(7, 6) * 6


def test_jain() -> None:
    assert jain([1, 2, 2]) == Fraction(25, 27)
    assert jain([1, 1, 2]) == Fraction(8, 9)
    assert jain(["1/2", "1/2"]) == 1  # type: ignore[list-item]


def test_bad_input_is_named() -> None:
    with pytest.raises(UnknownNameError, match=r"'ltp' is not known; known: listed, lpt, spt\. Did you mean 'lpt'"):
        job_order([1], "ltp")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="expected every number from 0 to 1 once"):
        job_order([1, 1], [0, 0])
    with pytest.raises(InputError, match="at least one number > 0"):
        jain([0, 0])
    with pytest.raises(InputError, match=r"values\[2\]: found -1"):
        jain([0, -1])
