"""Means and ratios of samples with Student's interval of 95 per cent.

A mean is the ratio whose denominators are all 1. The interval of a ratio ``sum(x) / sum(w)`` is that of the mean of its
residuals ``x - ratio * w`` (the ratio estimator of survey sampling): windows of a log, say, are drawn, each with a sum
and what it counts. Pairs with ``w = 0`` say nothing of the ratio and are not counted.

>>> found = ratio([2, 4, 9], [1, 2, 3])
>>> found.value, round(found.low, 2), round(found.high, 2)
(2.5, 0.86, 4.14)
>>> mean([7])
Interval(value=7.0, low=None, high=None)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

CONFIDENCE: Final = 0.95
_LEAST: Final = 1.9599
"""Below every quantile of Student's."""


class Interval(NamedTuple):
    """A statistic between its limits; without limits where one value says nothing of how much it scatters."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def tells(self) -> bool | None:
        """Whether 0 is outside (``None``: no limits)."""
        return None if self.low is None or self.high is None else self.low > 0 or self.high < 0


def mean(values: Sequence[float]) -> Interval:
    """The mean of a sample that is not empty; no limits for one value, nor where one is infinite."""
    return ratio(values, [1.0] * len(values))


def ratio(tops: Sequence[float], bottoms: Sequence[float]) -> Interval:
    """``sum(tops) / sum(bottoms)``; the bottoms may not add up to 0."""
    x, w = np.asarray(tops, dtype=np.float64), np.asarray(bottoms, dtype=np.float64)
    value = float(x.sum() / w.sum())
    x, w = x[w != 0], w[w != 0]
    n = x.size
    if n < 2 or not math.isfinite(value):
        return Interval(value)
    error = float(np.sqrt(np.square(x - value * w).sum() / (n * (n - 1)))) / float(w.mean())
    width = quantile(n) * error
    return Interval(value, value - width, value + width)


def difference(values: Sequence[float], others: Sequence[float]) -> Interval:
    """The mean of one sample less that of another, with Welch's limits: they need not scatter alike.

    No limits where one of them has a single value; limits that are the difference itself where none scatters.

    >>> found = difference([4, 6, 8], [1, 2])
    >>> found.value, round(found.low, 2), round(found.high, 2)
    (4.5, 0.53, 8.47)
    """
    x, y = (np.asarray(sample, dtype=np.float64) for sample in (values, others))
    value = float(x.mean() - y.mean())
    if min(x.size, y.size) < 2 or not math.isfinite(value):
        return Interval(value)
    a, b = float(x.var(ddof=1)) / x.size, float(y.var(ddof=1)) / y.size
    if not a + b:
        return Interval(value, value, value)
    freedom = (a + b) ** 2 / (a * a / (x.size - 1) + b * b / (y.size - 1))
    width = _student(freedom) * math.sqrt(a + b)
    return Interval(value, value - width, value + width)


def quantile(n: int) -> float:
    """Student's quantile for a sample of ``n``, at least 2.

    >>> round(quantile(10), 3)
    2.262
    """
    return _student(n - 1)


def _student(freedom: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.5 + CONFIDENCE / 2))


def needed(values: Sequence[float]) -> int | None:
    """How many such values would tell their mean from 0, if they scatter as these do; ``None`` if their mean is 0.

    >>> needed([1, 3, -1, 2]), needed([1, -1])
    (10, None)
    """
    x = np.asarray(values, dtype=np.float64)
    if x.size < 2 or not x.mean():
        return None
    scatter = float(x.std(ddof=1) / abs(x.mean()))
    n = max(2, math.floor((_LEAST * scatter) ** 2))
    while quantile(n) * scatter > math.sqrt(n):
        n += 1
    return n
