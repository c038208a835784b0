"""Scaled twins: the same scenario with every length multiplied, and what a record of it must then say."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

TIMES = frozenset(
    ["addend", "at_least", "at_most", "best_at_least", "best_equilibrium", "better", "bound", "cost", "costs", "end",
     "guess", "local",
     "lower_bound", "makespan",
     "nadir", "optimum_at_least", "pareto", "point", "regret", "smallest_regret", "social_cost", "start",
     "sum_of_makespans",     "total_completion", "unconstrained_optimum", "value", "worst_at_most",
     "worst_equilibrium", "zenith"]
)  # fmt: skip
"""Fields that hold times: their numbers scale, however deep. All others must not change."""
WORDS = frozenset(["request", "version", "scenario", "replay", "fairness_key", "fairness", "variance", "note"])
"""Fields about the scenario itself, in powers of time, or judged by the test that uses them."""
WIDE = [10**18, Fraction(1, 10**18 + 9)]
"""Beyond int64 in whole numbers, and in denominators (a prime, so nothing cancels)."""


def differences(narrow: Any, wide: Any, factor: Fraction | int, time: bool = False, place: str = "") -> list[str]:
    """Where two records in plain form differ by anything but the factor on times; empty where they are twins."""
    if isinstance(narrow, dict) and isinstance(wide, dict):
        keys = [key for key in {**narrow, **wide} if key not in WORDS]
        return [
            found
            for key in keys
            for found in differences(narrow.get(key), wide.get(key), factor, time or key in TIMES, f"{place}.{key}")
        ]
    if isinstance(narrow, list) and isinstance(wide, list) and len(narrow) == len(wide):
        pairs = enumerate(zip(narrow, wide, strict=True))
        return [found for i, (a, b) in pairs for found in differences(a, b, factor, time, f"{place}[{i}]")]
    a, b = number(narrow), number(wide)
    same = a * factor == b if time and a is not None and b is not None else narrow == wide
    return [] if same else [f"{place}: {narrow} became {wide}"]


def number(value: Any) -> Fraction | None:
    """The exact number that a record writes, if it is one."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    try:
        return Fraction(value)
    except ValueError:
        return None
