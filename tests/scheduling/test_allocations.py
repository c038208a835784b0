"""Clusters and efficient schedules."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.scheduling.allocations import Allocation, allocations, n_allocations
from consortium.scheduling.clusters import Cluster, check_lengths
from consortium.support.errors import InputError


def test_end_times_places_and_jobs_to_end() -> None:
    allocation = Allocation(((2, 0), (), (1,)))
    cluster = Cluster.of([2, 5, "1/3"])
    assert allocation.end_times(cluster, [1, 1, 4]) == (Fraction(5, 2), Fraction(3), Fraction(2))
    assert allocation.places == ((0, 1), (2, 0), (0, 0))
    assert allocation.jobs_to_end == (1, 1, 2)
    assert Allocation.from_places(allocation.places, 3) == allocation


@pytest.mark.parametrize("lists", [((0, 2),), ((0,), (0,)), ((-1, 0),), ((1,),)])
def test_lists_must_be_a_partition(lists: tuple[tuple[int, ...], ...]) -> None:
    with pytest.raises(InputError, match="expected every number from 0 to"):
        Allocation(lists)


def test_sizes_must_agree() -> None:
    allocation = Allocation(((0,), (1,)))
    with pytest.raises(InputError, match="found 3 machines; the allocation has 2"):
        allocation.end_times(Cluster.of([1, 1, 1]), [1, 1])
    with pytest.raises(InputError, match="found 1; the allocation has 2 jobs"):
        allocation.end_times(Cluster.of([1, 1]), [1])


def test_bad_clusters_and_lengths_are_named() -> None:
    with pytest.raises(InputError, match="found no machine"):
        Cluster.of([])
    with pytest.raises(InputError, match=r"powers\[2\]: found -1; expected a number > 0"):
        Cluster.of([1, -1])
    with pytest.raises(InputError, match=r"powers\[1\]: found the float 0.5"):
        Cluster.of([0.5])  # type: ignore[list-item]
    with pytest.raises(InputError, match=r"lengths\[1\]: found 0; expected a number > 0"):
        check_lengths([0])


@settings(deadline=None, derandomize=True)
@given(st.integers(0, 5), st.integers(1, 4))
def test_every_schedule_is_listed_once(n_jobs: int, n_machines: int) -> None:
    listed = [Allocation(lists) for lists in allocations(n_jobs, n_machines)]
    assert len(set(listed)) == len(listed) == n_allocations(n_jobs, n_machines)
    assert all(len(a.lists) == n_machines and a.n_jobs == n_jobs for a in listed)
