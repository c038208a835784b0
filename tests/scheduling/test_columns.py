"""Large schedules in columns beside the plain ones: the kernel that places jobs, and ending times as integers."""

from __future__ import annotations

import pickle
import random
from fractions import Fraction

import numpy as np
import pytest

from consortium.scheduling import allocations, sums
from consortium.scheduling.allocations import Allocation
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import SumOfTimes
from consortium.scheduling.optimal import optimal_allocation
from consortium.scheduling.sums import largest_multiplier, optimal_sum, sum_places
from consortium.scheduling.sums_kernel import schedule
from consortium.support.exact import extended_total
from consortium.support.exact_column import ExactColumn


def random_instance(rng: random.Random) -> tuple[list[int], list[int]]:
    n, m = rng.randint(1, rng.choice([5, 12, 40, 150])), rng.randint(1, rng.choice([2, 5, 20]))
    longest, slowest = rng.choice([1, 2, 5, 50, 10**6, 10**18]), rng.choice([1, 2, 4, 12, 10**16])
    return [rng.randint(1, longest) for _ in range(n)], [rng.randint(1, slowest) for _ in range(m)]


def compare(rng: random.Random, instances: int) -> None:
    answered = 0
    for _ in range(instances):
        work, per_work = random_instance(rng)
        found = schedule(np.array(work), np.array(per_work), largest_multiplier(per_work, len(work)))
        if found is not None:
            answered += 1
            assert list(zip(*(column.tolist() for column in found), strict=True)) == sum_places(work, per_work)
    assert answered > instances * 2 // 3


def test_the_kernel_places_jobs_as_the_lists_do() -> None:
    compare(random.Random("places"), 100)


@pytest.mark.exhaustive
def test_the_kernel_places_jobs_as_the_lists_do_many_times() -> None:
    compare(random.Random("many places"), 10_000)


@pytest.mark.parametrize("scale", [1, 10**18])
def test_large_allocations_are_those_of_the_lists(monkeypatch: pytest.MonkeyPatch, scale: int) -> None:
    """The same answer by either way, also where the kernel cannot tell and where 64 bits do not suffice."""
    rng = random.Random(f"large {scale}")
    for _ in range(20):
        work, powers = random_instance(rng)
        cluster, lengths = Cluster.of(powers[:3]), [Fraction(w * scale, rng.choice([1, 1, 3])) for w in work]
        with monkeypatch.context() as patch:
            patch.setattr(sums, "LARGE", 1)
            patch.setattr(allocations, "MANY", 1)
            columns = optimal_allocation(cluster, lengths, SumOfTimes())
            ends = columns.allocation.end_times(cluster, lengths)
        plain = optimal_allocation(cluster, lengths, SumOfTimes())
        assert columns == plain
        assert isinstance(ends, ExactColumn)
        assert ends == plain.allocation.end_times(cluster, lengths)
        assert -plain.value == extended_total(ends) == optimal_sum(cluster, lengths)  # type: ignore[operator]


def test_ending_times_in_columns_take_any_list_of_lengths(monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty machines, lengths of 0 and below, and numbers of other kinds than int and Fraction."""
    schedule_ = Allocation(((), (2, 0), (), (1,)))
    cluster = Cluster.of([1, "2/3", 5, 7])
    for lengths in ([0, -3, 4], [Fraction(1, 7), 10**30, Fraction(5, 9)], [np.int64(3), 1, 2]):
        plain = schedule_.end_times(cluster, lengths)  # type: ignore[arg-type]
        with monkeypatch.context() as patch:
            patch.setattr(allocations, "MANY", 1)
            assert schedule_.end_times(cluster, lengths) == plain  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", [np.int64, object])
def test_a_column_behaves_as_the_tuple(dtype: type) -> None:
    whole = (Fraction(1, 2), Fraction(-3), Fraction(0), Fraction(5, 3))
    column = ExactColumn(np.array([3, -18, 0, 10], dtype=dtype), 6)
    assert (column[0], column[-1], column[1:3]) == (whole[0], whole[-1], whole[1:3])  # before it is made whole
    same = pickle.loads(pickle.dumps(column))
    assert column == whole == same == column
    assert whole == column
    assert column != whole[:3]
    assert column != list(whole)
    assert {column: 1}[whole] == 1  # type: ignore[index]
    assert (repr(column), len(column), column.index(Fraction(0))) == (repr(whole), 4, 2)
    assert (1, *whole) == (1,) + column  # noqa: RUF005
    assert column + (1,) == (*whole, 1)  # noqa: RUF005
    assert column.total() == sum(whole)
    assert all(type(value) is Fraction for value in column)
    with pytest.raises(IndexError):
        ExactColumn(np.array([1]), 1)[1]
