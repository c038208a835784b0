"""Lengths of time in the cells of tables; a dash where nothing is known."""

from __future__ import annotations

from ...support.units import duration_text


def time(value: float | None) -> str:
    """Seconds as people read them."""
    return "-" if value is None else duration_text(value)


def limits(low: float | None, high: float | None) -> str:
    """From one to the other."""
    return "-" if low is None or high is None else f"{duration_text(low)} to {duration_text(high)}"
