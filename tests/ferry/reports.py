"""Tables and figures of records of kind ``ferry``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from consortium.reports.markup import Table
from consortium.reports.tables import facts, table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def cars(data: Mapping[str, Any]) -> list[Table]:
    """Who crosses when."""
    return [table(f"run: {data['scenario']}", data["cars"], ["name", "crossing"], f"{data['crossings']} crossings")]


def order(data: Mapping[str, Any]) -> list[Table]:
    """Whether nobody overtakes."""
    witness = data["orderly"]["witness"] or {"overtaken": None}
    pairs = [("nobody overtakes", data["orderly"]["holds"]), ("overtaken", witness["overtaken"])]
    return [facts(f"verify: {data['scenario']}", pairs)]


def departures(data: Mapping[str, Any]) -> list[Table]:
    """When each crossing departs."""
    rows = [{"crossing": i, "departs": hour} for i, hour in enumerate(data["departures"], 1)]
    return [table(f"timetable: {data['scenario']}", rows, ["crossing", "departs"])]


def crossings(data: Mapping[str, Any], record: Any) -> Figure:
    """A bar per car."""
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    axes = figure.subplots()
    axes.bar([car["name"] for car in data["cars"]], [car["crossing"] for car in data["cars"]])
    return figure
