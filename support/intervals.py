"""Means and ratios of samples with Student's interval of 95 per cent.

A mean is the ratio whose denominators are all 1. Of a ratio ``sum(x) / sum(w)`` (windows of a log are drawn, say, each
with a sum and what it counts) the interval is the jackknife's: each pair is left out in turn, and what the ratio then
is says how much it hangs on that pair [T58]_. Where few pairs have most of the weight, Student's distribution has as
many degrees of freedom as ``sum(w)**2 / sum(w**2)`` equal pairs would have [K65]_, at least 1. Pairs with ``w = 0`` say
nothing of the ratio and are not counted.

Not covered: what no sample shows. Where rare values are large, a sample without one gives an interval that is too
narrow; one of zeros only says nothing, and has no limits.

>>> found = ratio([2, 4, 9], [1, 2, 3])
>>> found.value, round(found.low, 2), round(found.high, 2)
(2.5, -0.09, 5.09)
>>> mean([7])
Interval(value=7.0, low=None, high=None)

References
----------
.. [T58] J. W. Tukey, "Bias and confidence in not-quite large samples", Annals of Mathematical Statistics 29, 1958.
.. [K65] L. Kish, "Survey sampling", Wiley, 1965, section 8.2 (the effective size of a weighted sample).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]

CONFIDENCE: Final = 0.95


class Interval(NamedTuple):
    """A statistic between its limits; without limits where one value says nothing of how much it scatters."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def tells(self) -> bool | None:
        """Whether 0 is outside (``None``: no limits)."""
        return None if self.low is None or self.high is None else self.low > 0 or self.high < 0


def mean(values: Sequence[float], independent: float | None = None) -> Interval:
    """The mean of a sample that is not empty; no limits for one value, for zeros only, nor where one is infinite.

    ``independent`` as in :func:`ratio`.
    """
    return ratio(values, [1.0] * len(values), independent=independent)


def ratio(
    tops: Sequence[float], bottoms: Sequence[float], confidence: float = CONFIDENCE, independent: float | None = None
) -> Interval:
    """``sum(tops) / sum(bottoms)``; the bottoms are at least 0, and not all 0. No limits for tops that are all 0.

    ``independent``: as how many pairs these tell, where that is fewer because they overlap.

    >>> [round(mean([4, 6, 8, 10], each).high, 2) for each in (None, 2)]
    [11.11, 30.2]
    """
    x, w = np.asarray(tops, dtype=np.float64), np.asarray(bottoms, dtype=np.float64)
    value = float(x.sum() / w.sum())
    x, w = x[w != 0], w[w != 0]
    if x.size < 2 or not math.isfinite(value) or not x.any():
        return Interval(value)
    part = 1.0 if independent is None else min(1.0, independent / len(tops))
    error = float(_pseudo(x, w).std(ddof=1)) / math.sqrt(x.size * part)
    width = quantile(_effective(w) * part, confidence) * error
    return Interval(value, value - width, value + width)


def difference(values: Sequence[float], others: Sequence[float]) -> Interval:
    """The mean of one sample less that of another, with Welch's limits: they need not scatter alike.

    No limits where one of them has a single value, or where neither scatters: that says nothing of how much they do.

    >>> found = difference([4, 6, 8], [1, 2])
    >>> found.value, round(found.low, 2), round(found.high, 2)
    (4.5, 0.16, 8.84)
    """
    x, y = (np.asarray(sample, dtype=np.float64) for sample in (values, others))
    value = float(x.mean() - y.mean())
    if min(x.size, y.size) < 2 or not math.isfinite(value):
        return Interval(value)
    a, b = float(x.var(ddof=1)) / x.size, float(y.var(ddof=1)) / y.size
    if not a + b:
        return Interval(value)
    freedom = (a + b) ** 2 / (a * a / (x.size - 1) + b * b / (y.size - 1))
    width = quantile(freedom + 1) * math.sqrt(a + b)
    return Interval(value, value - width, value + width)


def _pseudo(x: FloatArray, w: FloatArray) -> FloatArray:
    """The jackknife's values of a ratio, whose scatter is that of its mean; of equal weights they are ``x / w``."""
    n = x.size
    without: FloatArray = (x.sum() - x) / (w.sum() - w)
    values: FloatArray = n * (x.sum() / w.sum()) - (n - 1) * without
    return values


def _effective(w: FloatArray) -> float:
    """As how many equal weights these are."""
    return float(w.sum() ** 2 / np.square(w).sum())


def quantile(n: float, confidence: float = CONFIDENCE) -> float:
    """Student's quantile for a sample of (as good as) ``n``; for less than 2 that of 2.

    >>> round(quantile(10), 3)
    2.262
    """
    from scipy.special import stdtrit

    return float(stdtrit(max(n - 1, 1), 0.5 + confidence / 2))


def needed(tops: Sequence[float], bottoms: Sequence[float] | None = None, confidence: float = CONFIDENCE) -> int | None:
    """How many such values would tell their mean, or with bottoms their ratio, from 0, if they scatter as these do.

    ``None`` if it is 0, or if one value is all that says something of it.

    >>> needed([1, 3, -1, 2]), needed([1, -1]), needed([2, 4, 9, 0], [1, 2, 3, 0])
    (10, None, 6)
    """
    x = np.asarray(tops, dtype=np.float64)
    w = np.ones_like(x) if bottoms is None else np.asarray(bottoms, dtype=np.float64)
    every = int(x.size)
    x, w = x[w != 0], w[w != 0]
    if x.size < 2 or not x.sum():
        return None
    scatter = float(_pseudo(x, w).std(ddof=1) / abs(x.sum() / w.sum()))
    if not math.isfinite(scatter):
        return None
    equal = _effective(w) / x.size
    low, high = 1, 2  # of these the second is enough, when they were doubled
    while quantile(high * equal, confidence) * scatter > math.sqrt(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        enough = quantile(middle * equal, confidence) * scatter <= math.sqrt(middle)
        low, high = (low, middle) if enough else (middle, high)
    return -(-high * every // int(x.size))
