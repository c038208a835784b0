"""Usage with a half-life beside usage without, as Slurm's fair share sees organizations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...support.units import duration_text
from ..tables import Table, cell, table


def usages(data: Mapping[str, Any]) -> list[Table]:
    """One row per organization under the cluster's rule; nothing where no half-life was asked about."""
    if data.get("decay") is None:
        return []
    rows = [
        {
            "organization": row["name"],
            "share S": percent(row["share"]),
            "usage U": percent(row["usage"]),
            "with half-life": percent(row["decayed_usage"]),
            "factor 2^(-U/S)": fixed(row["factor"]),
            "with it": fixed(row["decayed_factor"]),
            "LevelFS S/U": fixed(row["level"]),
            "with it ": fixed(row["decayed_level"]),
        }
        for row in data["organizations"]
        if row["rule"] == data["rule"]
    ]
    heading = f"usage under {data['rule']}, without and with a half-life of {duration_text(data['decay'])}"
    note = "a second of machine time counts half for each half-life of its age when its window ends"
    return [table(heading, rows, list(rows[0]), note)]


def percent(value: float | None) -> str:
    """A part of a whole."""
    return "-" if value is None else f"{100 * value:.1f} %"


def fixed(value: Any) -> str:
    """A number with three decimals; infinite, or none, as in every table."""
    return f"{value:.3f}" if isinstance(value, float) else cell(value)
