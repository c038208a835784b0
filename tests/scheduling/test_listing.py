"""List scheduling, its kernel, and the bounds and indices."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.scheduling.clusters import Cluster
from consortium.scheduling.listing import job_order, list_schedule
from consortium.scheduling.metrics import jain, makespan_lower_bound, work_bound
from consortium.support.errors import InputError, UnknownNameError

SIZES = st.lists(st.integers(1, 4), max_size=7)
POWERS = st.lists(st.sampled_from([Fraction(1), Fraction(2), Fraction(3, 2), Fraction(1, 3)]), min_size=1, max_size=4)


def reference(lengths: list[int], powers: list[Fraction], order: list[int], ready: list[int]) -> list[tuple]:
    free = [Fraction(r) for r in ready]
    found = {}
    for j in order:
        m = free.index(min(free))
        found[j] = (m, free[m], free[m] + lengths[j] / powers[m])
        free[m] = found[j][2]
    return [found[j] for j in range(len(lengths))]


@settings(deadline=None, derandomize=True)
@given(SIZES, POWERS, st.sampled_from(["listed", "lpt", "spt"]), st.data())
def test_against_the_definition(lengths: list[int], powers: list[Fraction], order: str, data: st.DataObject) -> None:
    ready = data.draw(st.lists(st.integers(0, 3), min_size=len(powers), max_size=len(powers)))
    rank = {
        "listed": lambda j: j,
        "lpt": lambda j: (-lengths[j], j),
        "spt": lambda j: (lengths[j], j),
    }[order]
    expected = reference(lengths, powers, sorted(range(len(lengths)), key=rank), ready)
    found = list_schedule(lengths, Cluster.of(powers), order, ready)  # type: ignore[arg-type]
    assert list(zip(found.machines, found.starts, found.ends, strict=True)) == expected
    assert found.ready == tuple(
        max([Fraction(ready[m]), *(e for k, _, e in expected if k == m)]) for m in range(len(powers))
    )
    assert found.makespan == max((e for _, _, e in expected), default=0)
    assert found.total_completion == sum(e for _, _, e in expected)


def test_ties_go_to_the_smallest_index() -> None:
    assert job_order([2, 1, 2, 1], "lpt") == (0, 2, 1, 3)
    assert job_order([2, 1, 2, 1], "spt") == (1, 3, 0, 2)
    assert list_schedule([1, 1, 1], 3).machines == (0, 1, 2)


def test_lpt_bound_is_tight() -> None:
    """Graham's instance for two machines: 3, 3, 2, 2, 2 ends at 7 under LPT and at 6 at best: 4/3 - 1/6."""
    assert list_schedule([3, 3, 2, 2, 2], 2, "lpt").makespan == Fraction(7, 6) * 6


@settings(deadline=None, derandomize=True)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=5), st.lists(st.integers(1, 3), min_size=1, max_size=3))
def test_lower_bounds_hold(lengths: list[int], powers: list[int]) -> None:
    cluster = Cluster.of(powers)
    best = min(
        max(Fraction(sum(b for b, k in zip(lengths, place, strict=True) if k == m), c) for m, c in enumerate(powers))
        for place in product(range(len(powers)), repeat=len(lengths))
    )
    assert work_bound(lengths, cluster) <= makespan_lower_bound(lengths, cluster) <= best
    same = [1] * len(powers)
    assert makespan_lower_bound(lengths, len(same)) == max(Fraction(sum(lengths), len(same)), max(lengths))


def test_no_jobs() -> None:
    assert list_schedule([], 2).makespan == makespan_lower_bound([], 2) == work_bound([], 2) == 0


def test_jain() -> None:
    assert jain([1, 2, 2]) == Fraction(25, 27)
    assert jain([1, 1, 2]) == Fraction(8, 9)
    assert jain(["1/2", "1/2"]) == 1  # type: ignore[list-item]


def test_bad_input_is_named() -> None:
    with pytest.raises(UnknownNameError, match=r"'ltp' is not known; known: listed, lpt, spt\. Did you mean 'lpt'"):
        list_schedule([1], 1, "ltp")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="expected every number from 0 to 1 once"):
        list_schedule([1, 1], 1, [0, 0])
    with pytest.raises(InputError, match="found 1 times; there are 2 machines"):
        list_schedule([1], 2, ready=[0])
    with pytest.raises(InputError, match="found no machine"):
        list_schedule([1], 0)
    with pytest.raises(InputError, match="at least one number > 0"):
        jain([0, 0])
    with pytest.raises(InputError, match=r"values\[2\]: found -1"):
        jain([0, -1])
