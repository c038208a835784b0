"""Which windows of a log an audit has looked at, and when they were, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from ...support.units import duration_text

_ZONES: Final = frozenset({"local", "UTC"})
"""Nothing is said of a clock that is the cluster's own, or the only one it can be."""


def dates(log: Mapping[str, Any]) -> list[tuple[str, str]]:
    """When the log's jobs were submitted, if it says so."""
    if "first" not in log:
        return []
    zone = f" ({log['clock']})" if log["clock"] not in _ZONES else ""
    return [("first, last submission", f"{log['first']}, {log['last']}{zone}")]


def which(plan: Mapping[str, Any], windows: Sequence[Mapping[str, Any]]) -> str:
    """How many windows of what length, and how they were chosen."""
    told = f"{len(windows)} of {duration_text(plan['duration'])} ({plan['duration']:,} s)"
    if plan["start"] is not None:
        return f"{told}, {_opening(plan, windows)}"
    part = f", from {plan['part']}" if "part" in plan else ""
    if "busiest" in plan:
        return f"{told}, the fullest{part}"
    least = f" with a load of at least {float(Fraction(plan['min_load'])):g}" if "min_load" in plan else ""
    return f"{told}, random{least}{part}"


def _opening(plan: Mapping[str, Any], windows: Sequence[Mapping[str, Any]]) -> str:
    """When the one window opens: a date where it is known."""
    if windows and "opens" in windows[0]:
        return f"from {windows[0]['opens']} on"
    return f"{duration_text(plan['start'])} after the first submission"
