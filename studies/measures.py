"""Measures: paths into what the verbs answer, and the statistics that sum them up.

>>> measure = Measure.parse("anarchy", "search:price_of_anarchy", ("search", "run"))
>>> measure.sought({"search": {"price_of_anarchy": "4/3"}})
'4/3'
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from ..scenarios.fields import expected
from ..support.errors import InputError, nearest
from ..verbs.expect import at

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
    found = _PERCENTILE.fullmatch(name)
    return None if found is None else int(found[1])


@dataclass(frozen=True)
class Measure:
    """One value taken from the records of a task.

    Attributes
    ----------
    name
        As the results call it.
    verb
        Whose record it is taken from.
    path
        Into that record, as ``[expect]`` addresses it.
    """

    name: str
    verb: str
    path: str

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
        """Its value in the dicts of the records by verb, or :data:`consortium.verbs.expect.ABSENT`."""
        return at(records.get(self.verb), self.path)
