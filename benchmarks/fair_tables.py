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


def main(folder: Path) -> None:
    """Print all tables."""
    found = {path.stem: unfairness(path) for path in sorted(folder.glob("*.jsonl"))}
    for duration in ("50000", "500000"):
        names = [name for name in found if name.endswith(f"-{duration}")]
        print(
            f"\nduration {duration}\n\n| rule | " + " | ".join(f"{n} ({found[n]['fifo'].size})" for n in names) + " |"
        )
        print("|---|" + "---|" * len(names))
        for label in ORDER:
            cells = [f"{number(found[n][label].mean())} ± {number(found[n][label].std())}" for n in names]
            print(f"| {label} | " + " | ".join(cells) + " |")
        print("\n| A fairer than B | " + " | ".join(names) + " |\n|---|" + "---|" * len(names))
        for a, b in CLAIMS:
            print(f"| {a}, {b} | " + " | ".join(verdict(found[n][a], found[n][b]) for n in names) + " |")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
