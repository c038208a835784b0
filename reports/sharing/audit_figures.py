"""The figure of an audit: unfairness per rule, balance of every organization over time, load over time.

Readable in print and by colour-blind readers: what a colour says is also said by a hatch, a line style or a label.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..figures import COLOURS, HATCHES, check_path, new_figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HOUR = 3600
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)), (0, (8, 2)), (0, (3, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


def save_audit(data: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Draw an audit record's dict and save it as .svg, .png or .pdf."""
    check_path(path)
    save(figure(data), path)


def figure(data: Mapping[str, Any]) -> Figure:
    """Unfairness per rule; with a time series in the record, also balance and load over time."""
    series = data.get("series")
    drawn = new_figure(7.2, 8.4 if series else 3.0)
    axes = drawn.subplots(3 if series else 1, 1, squeeze=False)[:, 0]
    _rules(axes[0], data)
    if series:
        _balance(axes[1], series)
        _load(axes[2], series)
    return drawn


def _rules(axes: Axes, data: Mapping[str, Any]) -> None:
    rows = [row for row in data["rows"] if row["values"]["unfairness"] is not None]
    rows.sort(key=lambda row: row["values"]["unfairness"])
    for i, row in enumerate(rows):
        mean, deviation = row["values"]["unfairness"], row["values"]["deviation"]
        mine = row["rule"] == data["rule"]
        axes.barh(i, mean, color=COLOURS[mine], hatch=HATCHES[mine], edgecolor="black", height=0.6)
        axes.plot([max(mean - deviation, 0), mean + deviation], [i, i], color="black", linewidth=1)
        text = f" {mean:,.0f}" if mean >= 100 else f" {mean:.3g}"
        axes.annotate(text, (mean + deviation, i), va="center", fontsize=8)
    axes.set_yticks(range(len(rows)), [row["rule"] for row in rows])
    axes.set_xscale("symlog", linthresh=1)  # rules differ by orders of magnitude, and 0 is a value
    longest = max((row["values"]["unfairness"] + row["values"]["deviation"] for row in rows), default=0)
    axes.set_xlim(0, 4 * longest + 1)  # room for the numbers
    axes.set_xlabel("unfairness (s), mean ± one standard deviation")
    axes.set_title(f"undeserved delay or advance; hatched: {data['rule']}", fontsize=9)


def _balance(axes: Axes, series: Mapping[str, Any]) -> None:
    hours = [t / HOUR for t in series["times"]]
    for i, (name, values) in enumerate(series["balance"].items()):
        axes.plot(
            hours,
            [value / HOUR**2 for value in values],
            color=COLOURS[i % len(COLOURS)],
            linestyle=LINES[i % len(LINES)],
            marker=MARKERS[i % len(MARKERS)],
            markevery=max(len(hours) // 6, 1),
            markersize=4,
            label=name,
        )
    axes.axhline(0, color="black", linewidth=0.6)
    axes.set_xlabel("hours")
    axes.set_ylabel("ψ − φ (machine-hours × hours)")
    axes.set_title(f"received beyond (above 0) or below what was contributed, {series['rule']}", fontsize=9)
    axes.legend(fontsize=8, ncols=3)


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
    axes.set_title("load", fontsize=9)
    axes.legend(fontsize=8)
