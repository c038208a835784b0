"""Statistics of samples, against scipy and against their definitions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from consortium.studies.statistics import number, summed
from consortium.support.errors import InputError

SAMPLES = st.lists(st.fractions(-10, 10, max_denominator=12), min_size=2, max_size=40)


@given(SAMPLES)
def test_the_interval_of_a_mean_is_students(values: list[Fraction]) -> None:
    found = summed("mean", [str(v) for v in values])
    x = np.array([float(v) for v in values])
    assert found.value == pytest.approx(x.mean())
    if x.std() > 0:
        low, high = stats.t.interval(0.95, len(x) - 1, x.mean(), stats.sem(x))
        assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    elif x.any():
        assert (found.low, found.high) == (pytest.approx(x.mean()),) * 2
    else:  # nothing that could be counted has happened, which says nothing of how rare it is
        assert (found.low, found.high) == (None, None)


@pytest.mark.parametrize("n", range(1, 60))
def test_the_interval_of_none_begins_at_0_and_that_of_all_ends_at_1(n: int) -> None:
    none, every = summed("share", [False] * n), summed("share", [True] * n)
    assert (none.value, none.low, every.value, every.high) == (0, 0, 1, 1)
    assert none.high == pytest.approx(1 - every.low)


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_the_interval_of_a_share_is_wilsons(values: list[bool]) -> None:
    found = summed("share", values)
    expected = stats.binomtest(sum(values), len(values)).proportion_ci(0.95, "wilson")
    assert found.value == pytest.approx(sum(values) / len(values))
    assert (found.low, found.high) == (pytest.approx(expected.low, abs=1e-12), pytest.approx(expected.high))


@given(SAMPLES, st.sampled_from(["median", "p10", "p75", "p99"]))
def test_the_interval_of_a_percentile_has_its_coverage(values: list[Fraction], name: str) -> None:
    """By definition: the order statistics whose ranks a binomial number exceeds, or misses, with at most 2.5 %."""
    q = 0.5 if name == "median" else int(name[1:]) / 100
    found, n = summed(name, [str(v) for v in values]), len(values)
    x = sorted(map(float, values))
    below = [k for k in range(1, n + 1) if stats.binom.cdf(k - 1, n, q) <= 0.025]
    above = [k for k in range(1, n + 1) if stats.binom.cdf(k - 1, n, q) >= 0.975]
    assert found.value == pytest.approx(np.quantile(x, q))
    assert (found.low is None) == (not below or not above)
    if found.low is not None:
        assert (found.low, found.high) == (x[max(below) - 1], x[min(above) - 1])


def test_nulls_are_left_out_and_counted() -> None:
    values = [None, 1, "3/2", None]
    assert [summed(name, values).value for name in ("count", "min", "max", "sum", "mean")] == [2, 1, 1.5, 2.5, 1.25]
    assert summed("mean", [None]).value is None
    assert summed("count", []).value == 0


def test_a_single_value_has_no_interval() -> None:
    assert [summed(name, [3]).low for name in ("mean", "median", "sd")] == [None] * 3


def test_infinite_values_have_no_interval_of_the_mean() -> None:
    assert summed("mean", ["inf", 1]) == summed("mean", [1, "inf"])
    assert summed("mean", ["inf", 1]).value == math.inf
    assert summed("median", [1, 2, "inf"]).value == 2


@pytest.mark.filterwarnings("error")
def test_infinite_values_are_in_a_statistic_only_where_it_needs_them() -> None:
    assert summed("median", [1, 2, 3, "inf"]).value == 2.5
    assert summed("p90", [1, 2, 3, "inf"]).value == math.inf
    assert [summed(name, ["inf", "-inf"]).value for name in ("mean", "sum", "sd", "median")] == [None] * 4


@pytest.mark.parametrize("name", ["p1", "p37", "median", "p99"])
def test_a_percentile_is_numpys(name: str) -> None:
    rng, share = np.random.default_rng(5), 0.5 if name == "median" else int(name[1:]) / 100
    for size in range(1, 40):
        values = rng.integers(-5, 5, size)
        assert summed(name, values.tolist()).value == pytest.approx(np.quantile(values, share))


@pytest.mark.parametrize(("name", "values"), [("mean", ["ilba"]), ("share", [1, True]), ("max", [[1]])])
def test_what_cannot_be_summed_up_is_said(name: str, values: list[object]) -> None:
    with pytest.raises(InputError, match=f"{name}: found"):
        summed(name, values)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, 3.0),
        ("-3/2", -1.5),
        ("inf", math.inf),
        (True, 1.0),
        (10**400, math.inf),
        ("lpt", None),
        (None, None),
        ("--3", None),
        ("1/0", None),
        ("²", None),
    ],
)
def test_numbers_are_read_as_in_json(value: object, expected: float | None) -> None:
    assert number(value) == expected
