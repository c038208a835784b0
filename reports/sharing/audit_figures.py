"""The figure of an audit: unfairness per rule, balance of every organization over time, load over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from ..style import COLOURS, HATCHES, MARKERS, TEXT, bare, line, new_figure, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HOUR: Final = 3600


def audit(data: Mapping[str, Any], record: object = None) -> Figure:
    """Unfairness per rule; with a time series in the record, also balance and load over time."""
    series = data.get("series")
    rows = [row for row in data["rows"] if row["values"]["unfairness"] is not None]
    heights = [0.8 + 0.24 * max(len(rows), 1), *([3.2, 2.4] if series else [])]
    figure = new_figure(height=sum(heights))
    parts = figure.subplots(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
    _rules(parts[0], data, rows)
    if series:
        _balance(parts[1], series)
        _load(parts[2], series)
    return figure


def _rules(axes: Axes, data: Mapping[str, Any], rows: list[Mapping[str, Any]]) -> None:
    rows.sort(key=lambda row: row["values"]["unfairness"])
    for i, row in enumerate(rows):
        mean, deviation = row["values"]["unfairness"], row["values"]["deviation"] or 0
        mine = row["rule"] == data["rule"]
        axes.barh(i, mean, color=COLOURS[mine], hatch=HATCHES[mine], edgecolor="black", height=0.6)
        axes.plot([max(mean - deviation, 0), mean + deviation], [i, i], color="black", linewidth=1)
        text = f" {mean:,.0f}" if mean >= 100 else f" {mean:.3g}"
        axes.annotate(text, (mean + deviation, i), va="center", fontsize=TEXT + 1)
    axes.set_yticks(range(len(rows)), [row["rule"] for row in rows], fontsize=TEXT + 1)
    axes.set_xscale("symlog", linthresh=1)  # rules differ by orders of magnitude, and 0 is a value
    longest = max((row["values"]["unfairness"] + (row["values"]["deviation"] or 0) for row in rows), default=0)
    axes.set_xlim(0, 4 * longest + 1)  # room for the numbers
    axes.set_xlabel("unfairness (s), mean ± one standard deviation")
    empty = "" if rows else "no window was finished"
    title(axes, f"{data['log']['name']}: undeserved delay or advance; hatched: {data['rule']}", *filter(None, (empty,)))
    bare(axes)


def _balance(axes: Axes, series: Mapping[str, Any]) -> None:
    hours = [t / HOUR for t in series["times"]]
    for i, (name, values) in enumerate(series["balance"].items()):
        axes.plot(
            hours,
            [value / HOUR**2 for value in values],
            **line(i),
            marker=MARKERS[i % len(MARKERS)],
            markevery=max(len(hours) // 6, 1),
            markersize=4,
            label=name,
        )
    axes.axhline(0, color="black", linewidth=0.6)
    axes.set_xlabel("hours")
    axes.set_ylabel("ψ − φ (machine-hours × hours)")
    title(axes, f"received beyond (above 0) or below what was contributed, {series['rule']}")
    axes.legend(fontsize=TEXT, loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)
    bare(axes)


def _load(axes: Axes, series: Mapping[str, Any]) -> None:
    hours = [t / HOUR for t in series["times"]]
    machines = series["machines"]
    asked = [n / machines for n in series["asked"]]
    busy = [n / machines for n in series["busy"]]
    axes.plot(hours, asked, color=COLOURS[1], linestyle="--", marker="s", markersize=4, label="running or waiting")
    axes.plot(hours, busy, color=COLOURS[0], linestyle="-", marker="o", markersize=4, label="running")
    axes.axhline(1, color="black", linewidth=0.6)
    axes.set_xlabel("hours")
    axes.set_ylabel("part of the machines")
    axes.set_ylim(bottom=0)
    title(axes, "load")
    axes.legend(fontsize=TEXT, loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)
    bare(axes)
