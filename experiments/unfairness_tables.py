"""Tables 1 and 2 of Skowron & Rzadca 2013 (unfairness of the rules) from the stores of our audits.

``python -m consortium.experiments.unfairness_tables FOLDER`` reads ``FOLDER/<log>-...-<duration>.jsonl``, with ``lpc``
or ``ricc`` for the log, which the commands on the page ``docs/explanation/published-tables.md`` write. It prints per
rule the mean and the population standard deviation of the unfairness beside the published ones, and per published
ordering whether it is seen.

Procedure: both rules of an ordering ran on the same jobs, so their difference is taken window by window; it counts as
seen when its mean exceeds two standard errors. The statistics are floats.

>>> import numpy as np
>>> verdict(np.array([1.0, 2.0, 1.5]), np.array([4.0, 6.0, 5.0])), verdict(np.array([1.0, 5.0]), np.array([2.0, 4.5]))
('yes', 'open')
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..reports.tables import Table, text
from ..scheduling.errors import ConsortiumError, InputError

Unfairness: TypeAlias = Mapping[str, NDArray[np.float64]]
"""By rule, one number per window."""

ORDER: Final = (
    "round-robin",
    "rand",
    "rand:samples=75",
    "rand:samples=all",
    "direct-contribution",
    "direct-contribution-printed",
    "fair-share",
    "utility-fair-share",
    "current-fair-share",
    "fifo",
    "ref:timing=now",
)
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
    ("lpc", "50000"): "238 353, 8 21, 5 11, 16 25, 16 25, 87 106",
    ("lpc", "500000"): "4511 6257, 562 1670, 410 1083, 575 1404, 888 2101, 1082 2091",
    ("ricc", "50000"): "2839 357, 162 187, 537 303, 626 309, 515 284, 1231 243",
    ("ricc", "500000"): "10850 13773, 771 1479, 1808 3397, 2746 4070, 4963 6080, 5387 9083",
}
PUBLISHED: Final = {
    key: dict(zip(_PRINTED, (tuple(map(int, cell.split())) for cell in row.split(",")), strict=True))
    for key, row in _TABLES.items()
}
"""Tables 1 and 2: by log and duration in seconds, mean and standard deviation per rule."""


def read_store(path: Path) -> Unfairness:
    """Unfairness per rule and window, in the order of the windows; InputError unless it is the store of an audit."""
    try:
        windows = sorted(map(json.loads, path.read_text(encoding="utf-8").splitlines()[1:]), key=lambda w: w["index"])
        rows = [(row["label"], float(Fraction(row["unfairness"]))) for window in windows for row in window["rules"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: not the store of an audit ({error!r})") from None
    return {label: np.array([value for name, value in rows if name == label]) for label in ORDER}


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


def unfairness_table(found: Mapping[str, Unfairness], published: Mapping[str, Sequence[int]], title: str) -> Table:
    """A row per rule: the published mean and deviation, then those of each store."""
    body = []
    for label in ORDER:
        paper = "{:,} ± {:,}".format(*published[label]) if label in published else "-"
        samples = [store[label] for store in found.values()]
        ours = [f"{short(float(x.mean()))} ± {short(float(x.std()))}" if x.size else "-" for x in samples]
        body.append((label, paper, *ours))
    return Table(title, ("rule", "published", *found), tuple(body))


def orderings_table(found: Mapping[str, Unfairness]) -> Table:
    """A row per published ordering: whether each store shows it; ``open`` for too few windows to tell."""
    body = tuple(
        (
            f"{a} < {b}",
            *(verdict(store[a], store[b]) if store[a].size == store[b].size else "-" for store in found.values()),
        )
        for a, b in CLAIMS
    )
    return Table("", ("ordering", *found), body)


def tables(folder: Path) -> list[Table]:
    """Both tables of every log and duration that the folder has; InputError when it has none."""
    made = []
    for (log, duration), published in PUBLISHED.items():
        paths = sorted(folder.glob(f"{log}-*-{duration}.jsonl"), key=lambda path: ("equal" in path.stem, path.stem))
        found = {path.stem: read_store(path) for path in paths}
        if found:
            made += [unfairness_table(found, published, f"{log}, {duration} s"), orderings_table(found)]
    if not made:
        raise InputError(f"{folder}: found no stores; expected files such as lpc-70-zipf-50000.jsonl")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line of the tables; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m consortium.experiments.unfairness_tables", description=__doc__)
    parser.add_argument("folder", type=Path, help="with the stores of the audits")
    given = parser.parse_args(arguments)
    try:
        print(text(tables(given.folder)))
    except ConsortiumError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
