"""Tables 1 and 2 of Skowron & Rzadca 2013 (unfairness of the rules), from the results of our studies.

``python docs/published/judge.py STORE`` prints, for a store of the studies ``skowron-rzadca2013/table-1``,
``table-2`` and ``organizations``, per rule the mean and the population standard deviation of the unfairness beside the
published ones, and per published ordering whether it is seen; a column per cell.

Procedure: both rules of an ordering ran on the same jobs, so their difference is taken window by window; it counts as
seen when its mean exceeds two standard errors. The statistics are floats.

>>> import numpy as np
>>> verdict(np.array([1.0, 2.0, 1.5]), np.array([4.0, 6.0, 5.0])), verdict(np.array([1.0, 5.0]), np.array([2.0, 4.5]))
('yes', 'open')
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from consortium.reports.markup import Table
from consortium.studies.statistics import number
from consortium.studies.study import Study

Unfairness: TypeAlias = Mapping[str, NDArray[np.float64]]
"""By rule, one number per instance; the instances of all rules are the same."""

CLAIMS: Final = (
    ("rand", "direct-contribution"),
    ("rand", "fair-share"),
    ("direct-contribution", "fair-share"),
    ("direct-contribution", "utility-fair-share"),
    ("fair-share", "current-fair-share"),
    ("utility-fair-share", "current-fair-share"),
    ("current-fair-share", "round-robin"),
    ("direct-contribution", "round-robin"),
    ("fair-share", "round-robin"),
)
"""(A, B): the papers report A as fairer than B."""

_PRINTED = ("round-robin", "rand", "direct-contribution", "fair-share", "utility-fair-share", "current-fair-share")
_TABLES = {
    ("LPC", 50_000): "238 353, 8 21, 5 11, 16 25, 16 25, 87 106",
    ("LPC", 500_000): "4511 6257, 562 1670, 410 1083, 575 1404, 888 2101, 1082 2091",
    ("RICC", 50_000): "2839 357, 162 187, 537 303, 626 309, 515 284, 1231 243",
    ("RICC", 500_000): "10850 13773, 771 1479, 1808 3397, 2746 4070, 4963 6080, 5387 9083",
}
PUBLISHED: Final = {
    key: dict(zip(_PRINTED, (tuple(map(int, cell.split())) for cell in row.split(",")), strict=True))
    for key, row in _TABLES.items()
}
"""Tables 1 and 2: by log and duration in seconds, mean and standard deviation per rule."""


def cells_of(study: Study, rows: Iterable[Mapping[str, Any]]) -> dict[str, Unfairness]:
    """Unfairness per cell of the grid, rule and instance, of the tasks that are done."""
    (options,) = study.options.values()
    rules = dict(zip((measure.name for measure in study.measures), options["rules"], strict=True))
    found: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        values = {rule: number(row[name]) for name, rule in rules.items()}
        if row["status"] == "done":
            cell = found.setdefault(_name(study, row), {rule: [] for rule in rules.values()})
            for rule, value in values.items():
                assert value is not None  # a task that is done has measured all rules
                cell[rule].append(value)
    return {name: {rule: np.array(values) for rule, values in cell.items()} for name, cell in found.items()}


def _name(study: Study, row: Mapping[str, Any]) -> str:
    """A cell by what is varied, logs by their first word."""
    values = [(key.removeprefix("family."), row[key]) for key in study.keys]
    told = [_log(value) if key == "log" else f"{key} {value}" if isinstance(value, int) else value
            for key, value in values]  # fmt: skip
    return ", ".join(told)


def _log(name: str) -> str:
    return name.partition("-")[0]


def published(study: Study) -> dict[str, Mapping[str, tuple[int, ...]]]:
    """By log that the study varies, what was published of windows of its length."""
    logs = {row[axis.keys.index("family.log")] for axis in study.axes if "family.log" in axis.keys for row in axis.rows}
    duration = (study.family or {}).get("duration", 0)
    return {log: PUBLISHED[log, duration] for log in sorted(map(_log, logs)) if (log, duration) in PUBLISHED}


def verdict(a: NDArray[np.float64], b: NDArray[np.float64]) -> Literal["yes", "no", "open"]:
    """Whether A is fairer than B, by the paired difference."""
    difference = b - a
    if difference.size < 2:
        return "open"
    error = float(difference.std(ddof=1)) / math.sqrt(difference.size)
    mean = float(difference.mean())
    return "yes" if mean > 2 * error else "no" if mean < -2 * error else "open"


def short(value: float) -> str:
    """Three significant digits, thousands with a comma.

    >>> short(0), short(0.12345), short(12345.6)
    ('0', '0.123', '12,346')
    """
    if value == 0:
        return "0"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def unfairness_table(
    found: Mapping[str, Unfairness], printed: Mapping[str, Mapping[str, tuple[int, ...]]], title: str
) -> Table:
    """A row per rule: the published mean and deviation of each log, then those of each cell."""
    body = []
    for rule in next(iter(found.values()), {}):
        papers = ["{:,} ± {:,}".format(*known[rule]) if rule in known else "-" for known in printed.values()]
        ours = [f"{short(float(cell[rule].mean()))} ± {short(float(cell[rule].std()))}" for cell in found.values()]
        body.append((rule, *papers, *ours))
    return Table(title, ("rule", *(f"published: {log}" for log in printed), *found), tuple(body))


def orderings_table(found: Mapping[str, Unfairness]) -> Table:
    """A row per published ordering: whether each cell shows it; ``open`` for too few instances to tell."""
    body = tuple((f"{a} < {b}", *(verdict(cell[a], cell[b]) for cell in found.values())) for a, b in CLAIMS)
    return Table("", ("ordering", *found), body)


def tables(study: Study, rows: Iterable[Mapping[str, Any]]) -> list[Table]:
    """Both tables."""
    found = cells_of(study, rows)
    return [unfairness_table(found, published(study), study.title), orderings_table(found)]
