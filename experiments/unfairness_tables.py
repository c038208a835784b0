"""Tables 1 and 2 of the fair scheduling papers from the stores of our audits, as markdown.

``python benchmarks/fair_tables.py FOLDER`` reads ``FOLDER/<log>-<shares>-<duration>.jsonl``, which the commands on the
page ``docs/explanation/published-tables.md`` write, and prints per rule the mean and the population standard deviation
of the unfairness, and per published ordering whether it is seen: the difference of two rules is taken window by window
(both ran on the same jobs), and counts as seen when its mean exceeds two standard errors.
"""

from __future__ import annotations

import json
import math
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np

ORDER = (
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
CLAIMS = (
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
PUBLISHED = {
    key: dict(zip(_PRINTED, (tuple(map(int, cell.split())) for cell in row.split(",")), strict=True))
    for key, row in _TABLES.items()
}
"""Tables 1 and 2 of Skowron & Rzadca 2013: mean and standard deviation per rule."""


def unfairness(path: Path) -> dict[str, np.ndarray]:
    """Unfairness per rule and window, in the order of the windows."""
    windows = sorted(map(json.loads, path.read_text().splitlines()[1:]), key=lambda w: w["index"])
    return {
        label: np.array([float(Fraction(r["unfairness"])) for w in windows for r in w["rules"] if r["label"] == label])
        for label in ORDER
    }


def number(value: float) -> str:
    """Three significant digits, thousands with a comma."""
    if value == 0:
        return "0"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def verdict(a: np.ndarray, b: np.ndarray) -> str:
    """Whether A is fairer than B, by the paired difference."""
    difference = b - a
    error = float(difference.std(ddof=1)) / math.sqrt(difference.size)
    mean = float(difference.mean())
    return "yes" if mean > 2 * error else "no" if mean < -2 * error else "open"


def table(head: list[str], rows: list[list[str]]) -> str:
    """A markdown table."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main(folder: Path) -> None:
    """Print all tables: per log and duration the published column beside ours, then the orderings."""
    found = {path.stem: unfairness(path) for path in sorted(folder.glob("*.jsonl"))}
    for (log, duration), published in PUBLISHED.items():
        names = sorted(
            (n for n in found if n.startswith(log) and n.endswith(f"-{duration}")), key=lambda n: ("equal" in n, n)
        )
        counts = [found[name]["fifo"].size for name in names]
        print(f"\n{log}, {duration} s, windows: {counts}\n")
        rows = []
        for label in ORDER:
            paper = "{:,} ± {:,}".format(*published[label]) if label in published else ""
            ours = [f"{number(found[n][label].mean())} ± {number(found[n][label].std())}" for n in names]
            rows.append([label, paper, *ours])
        print(table(["rule", "published", *names], rows))
        rows = [[f"{a} < {b}", *(verdict(found[n][a], found[n][b]) for n in names)] for a, b in CLAIMS]
        print("\n" + table(["ordering", *names], rows))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
