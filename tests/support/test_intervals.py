"""Student's intervals of means and ratios, against scipy's and against the plain formula."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from consortium.support.intervals import mean, needed, quantile, ratio


def test_a_mean_is_scipys() -> None:
    rng = np.random.default_rng(1)
    for n in range(2, 30):
        x = rng.lognormal(size=n)
        expected = stats.ttest_1samp(x, 0).confidence_interval(0.95)
        found = mean(x.tolist())
        assert found.value == pytest.approx(x.mean())
        assert (found.low, found.high) == (pytest.approx(expected.low), pytest.approx(expected.high))
        assert found.tells == (expected.low > 0)


def test_a_ratio_with_equal_denominators_is_a_mean() -> None:
    found, plain = ratio([2, 5, 11], [4, 4, 4]), mean([0.5, 1.25, 2.75])
    assert found == pytest.approx(plain)


def test_pairs_without_weight_say_nothing() -> None:
    assert ratio([3, 0], [2, 0]) == (1.5, None, None)
    assert ratio([3, 5, 0], [2, 1, 0]) == ratio([3, 5], [2, 1])


def test_ratios_cover_the_truth_about_as_often_as_they_say() -> None:
    rng, covered = np.random.default_rng(2), 0
    for _ in range(400):
        w = rng.integers(1, 20, 12)
        found = ratio((3 * w + rng.normal(0, 5, 12)).tolist(), w.tolist())
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= 3 <= found.high
    assert 360 <= covered <= 395


def test_a_ratio_is_the_jackknifes() -> None:
    """Left out one by one, by hand; where one pair has nearly all the weight, the limits are wide."""
    rng = np.random.default_rng(4)
    for _ in range(200):
        n = int(rng.integers(2, 12))
        x, w = rng.integers(-50, 50, n).tolist(), rng.integers(1, 40, n).tolist()
        if not any(x):
            continue
        value = sum(x) / sum(w)
        without = [(sum(x) - x[i]) / (sum(w) - w[i]) for i in range(n)]
        centre = sum(without) / n
        error = math.sqrt((n - 1) / n * sum((one - centre) ** 2 for one in without))
        freedom = max(1.0, sum(w) ** 2 / sum(one**2 for one in w) - 1)
        width = float(stats.t.ppf(0.975, freedom)) * error
        assert ratio(x, w) == pytest.approx((value, value - width, value + width))
    one_window = ratio([-9_000, 10, 0, 3], [1_000, 20, 30, 10])
    assert not one_window.tells


def test_zeros_say_nothing_of_what_is_rare() -> None:
    assert mean([0, 0, 0]) == (0, None, None)
    assert mean([2, 2, 2]) == (2, 2, 2)


def test_a_ratio_is_told_by_as_many_as_are_needed() -> None:
    """The same pairs again and again: from that number on they tell, and clearly before they do not."""
    pairs = ([5, -1, 4, 0], [2, 1, 3, 0])
    n = needed(*pairs)
    assert n is not None
    repeated = {k: ratio(pairs[0] * k, pairs[1] * k).tells for k in range(1, n)}
    assert next(k for k, tells in repeated.items() if tells) == pytest.approx(n / 4, abs=1)


def test_as_many_as_are_needed_would_tell() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        x = rng.normal(rng.uniform(0.05, 3), 1, rng.integers(2, 12))
        n, scatter = needed(x.tolist()), float(x.std(ddof=1) / abs(x.mean()))
        assert n is not None
        assert quantile(n) * scatter <= math.sqrt(n)
        assert n == 2 or quantile(n - 1) * scatter > math.sqrt(n - 1)
    assert needed([5]) is None
    assert needed([10**9, 1 - 10**9]) == pytest.approx(8 * 1.96**2 * 10**18, rel=1e-3)  # in no time
    assert needed([2, -2]) is None
