"""Measures, which are paths into records, and their statistics over groups of tasks, with intervals of 95 per cent.

A mean has Student's interval, a share Wilson's, the median and percentiles that of the order statistics (which assumes
nothing of the distribution). Values that are ``null`` are left out, and ``count`` says how many there were. What would
be ``inf - inf`` has no value. An exact measure stays exact up to here; a statistic is a float.

>>> measure = Measure.parse("anarchy", "search:price_of_anarchy", ("search", "run"))
>>> measure.sought({"search": {"price_of_anarchy": "4/3"}})
'4/3'
>>> mean = summed("mean", [1, "3/2", 2])
>>> mean.value, round(mean.low, 3), round(mean.high, 3)
(1.5, 0.258, 2.742)
>>> summed("share", [True, False, True, True]).value
0.75
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..scenarios.fields import expected
from ..support import intervals
from ..support.errors import InputError, nearest
from ..support.intervals import CONFIDENCE
from ..verbs.claims import at

_EXACT: Final = re.compile("-?[0-9]+(/0*[1-9][0-9]*)?", re.ASCII)


@dataclass(frozen=True)
class Value:
    """A statistic and, where there is one, its interval."""

    value: float | None
    low: float | None = None
    high: float | None = None


def number(value: Any) -> float | None:
    """A measure as a float: ``"3/2"`` is 1.5, ``"inf"`` infinite; ``None`` for what is no number.

    >>> number("3/2"), number(True), number("ilba")
    (1.5, 1.0, None)
    """
    if isinstance(value, bool | int | float | Fraction):
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    if isinstance(value, str):
        if value in ("inf", "-inf"):
            return float(value)
        if _EXACT.fullmatch(value):
            return number(Fraction(value))
    return None


def summed(name: str, values: Sequence[Any]) -> Value:
    """A statistic of a sample of measures, as the results have them: one of :data:`STATISTICS`, or a percentile.

    Raises InputError when a value is no number.
    """
    present = [value for value in values if value is not None]
    if name == "count":
        return Value(float(len(present)))
    if not present:
        return Value(None)
    if name == "share":
        return _share(present)
    x = np.sort(np.array([number_at(name, value) for value in present]))
    with np.errstate(invalid="ignore"):  # inf - inf is no number, and stays without a value
        result = _of_numbers(name, x)
    return Value(None) if result.value is None or math.isnan(result.value) else result


def _of_numbers(name: str, x: NDArray[np.float64]) -> Value:
    """A statistic of a sorted sample."""
    if name == "min":
        return Value(float(x[0]))
    if name == "max":
        return Value(float(x[-1]))
    if name == "sum":
        return Value(float(x.sum()))
    if name == "sd":
        return Value(float(x.std(ddof=1)) if x.size > 1 else None)
    if name == "mean":
        return Value(*intervals.mean(x.tolist()))
    return _quantile(x, Fraction(percentile(name) or 50, 100))


def number_at(where: str, value: Any, expected: str = "numbers") -> float:
    """A measure as a float. Raises InputError, which says where it stood, for what is no number."""
    converted = number(value)
    if converted is None:
        raise InputError(f"{where}: found {value!r:.60}; expected {expected}")
    return converted


def _share(values: Sequence[Any]) -> Value:
    """Wilson's interval."""
    from scipy.special import ndtri

    wrong = next((value for value in values if not isinstance(value, bool)), None)
    if wrong is not None:
        raise InputError(f"share: found {wrong!r:.60}; expected true and false")
    n, z = len(values), float(ndtri(0.5 + CONFIDENCE / 2))
    p = sum(values) / n
    middle, width = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    below = 1 + z * z / n
    # of none and of all the interval ends at 0 or 1 exactly, which rounding misses
    low = (middle - width) / below if p > 0 else 0.0
    return Value(p, low, (middle + width) / below if p < 1 else 1.0)


def _quantile(x: NDArray[np.float64], q: Fraction) -> Value:
    """The quantile between order statistics (numpy's default), and two of these around it with enough confidence."""
    from scipy.special import bdtr

    n, p = x.size, float(q)
    at, part = divmod(q * (n - 1), 1)
    value, above = float(x[at]), float(x[min(at + 1, n - 1)])
    if part and above != value:  # np.quantile has no value beside an infinite one, although nothing of it is asked
        value += float(part) * (above - value)
    tail = (1 - CONFIDENCE) / 2
    below = bdtr(np.arange(n, dtype=float), n, p)  # how surely at most k of the sample lie below the quantile
    low = int(np.searchsorted(below, tail, side="right"))
    high = int(np.searchsorted(below, 1 - tail, side="left"))
    # x[low - 1] is the largest that lies below surely enough, x[high] the smallest above; none where n is too small
    if low < 1 or high + 1 > n:
        return Value(value)
    return Value(value, float(x[low - 1]), float(x[high]))


STATISTICS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "count": "tasks that have a value",
        "mean": "the mean",
        "median": "the median",
        "min": "the smallest value",
        "max": "the largest value",
        "sd": "the standard deviation of the sample",
        "share": "the share of those that are true",
        "sum": "the sum",
    }
)
"""Statistics, besides percentiles ``p1`` to ``p99``, and what each is."""
PERCENTILES: Final = "^p([1-9][0-9]?)$"
_PERCENTILE: Final = re.compile(PERCENTILES)


def statistic(name: object) -> str:
    """A name of a statistic, or the validator's error."""
    if isinstance(name, str) and (name in STATISTICS or _PERCENTILE.fullmatch(name)):
        return name
    near = nearest(name, STATISTICS) if isinstance(name, str) else None
    raise expected(f"a list of {', '.join(STATISTICS)} or percentiles such as p90", near)


def percentile(name: str) -> int | None:
    """The percentage of a percentile: ``p90`` is 90."""
    match = _PERCENTILE.fullmatch(name)
    return None if match is None else int(match[1])


@dataclass(frozen=True)
class Measure:
    """One value taken from the records of a task."""

    name: str  # as the results call it
    verb: str  # whose record it is taken from
    path: str  # into that record, as ``[expect]`` addresses it

    @classmethod
    def parse(cls, name: str, text: object, verbs: Sequence[str]) -> Measure:
        """Read ``"PATH"`` or, where there are several verbs, ``"VERB:PATH"``."""
        if not isinstance(text, str) or not text.strip():
            raise InputError("a path into the record, such as price_of_anarchy or agents.ann.payment")
        verb, colon, path = text.partition(":")
        if colon and verb in verbs:
            return cls(name, verb, path)
        if len(verbs) > 1:
            raise InputError(f"the verb before the path, as in '{verbs[0]}:{text}'")
        return cls(name, verbs[0], text)

    def sought(self, records: Mapping[str, Any]) -> Any:
        """Its value in the dicts of the records by verb, or :data:`consortium.verbs.claims.ABSENT`."""
        return at(records.get(self.verb), self.path)
