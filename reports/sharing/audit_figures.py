"""The figure of an audit: unfairness per rule, balance of every organization over time, load over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from ..hover import hover, hover_points
from ..style import (
    BLUE,
    GREY,
    MARKERS,
    ORANGE,
    TEXT,
    bare,
    beside,
    cut,
    cut_to,
    fill,
    grow,
    line,
    new_figure,
    points,
    title,
    width_of,
    wrapped,
)
from ..tables import counted
from .switch_figures import SLOPES, slopes
from .trend import HEIGHT as TREND_HEIGHT
from .trend import draw as draw_trend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HOUR: Final = 3600
HEIGHTS: Final = (3.2, 2.4)
"""Inches of the balance and of the load."""
MAX_LINES: Final = 12
"""Most organizations whose balance has a colour and a name."""


def audit(data: Mapping[str, Any], record: object = None) -> Figure:
    """Unfairness per rule; with what is in the record, also balance and load over time, and its trend."""
    series = data.get("series")
    rows = [row for row in data["rows"] if row["values"]["unfairness"] is not None]
    slope, trend = [SLOPES] if data.get("switch") else [], data.get("trend")
    heights = [0.8 + 0.24 * max(len(rows), 1), *slope, *(HEIGHTS if series else ()), *([TREND_HEIGHT] if trend else [])]
    figure = new_figure(height=sum(heights) + 0.3)
    parts = figure.subplots(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
    _rules(parts[0], data, rows)
    if series:
        window = next((row for row in data["windows"] if row["window"] == series["window"]), None)
        at = 1 + len(slope)
        _balance(parts[at], series, window)
        _load(parts[at + 1], series)
    if slope:
        slopes(parts[1], data)
    if trend:
        draw_trend(parts[-1], trend)
    title(figure, f"audit: {data['log']['name']}", *_notes(data, rows))
    return figure


def _notes(data: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the bars say, and over which windows."""
    if not rows:
        return ["no window was finished"]
    windows = data["windows"]
    over = f"window from {windows[0]['start']:,} s on" if len(windows) == 1 else counted(len(windows), "window")
    over = f"{over} of {data['plan']['duration']:,} s"
    return [f"undeserved delay or advance of a unit part, {over}; hatched: {data['rule']}"]


def _rules(axes: Axes, data: Mapping[str, Any], rows: list[Mapping[str, Any]]) -> None:
    """Lengths are compared, so the axis is linear and begins at 0; the numbers stand beside."""
    rows.sort(key=lambda row: row["values"]["unfairness"])
    names = [cut_to(row["rule"], 0.3 * points(axes)) for row in rows]
    longest = max((sum(_spread(row)) for row in rows), default=0) or 1
    told = [f"{mean:,.0f}" if mean >= 100 else f"{mean:.3g}" for mean, _ in map(_spread, rows)]
    room = points(axes) - max(map(width_of, names), default=0) - 4 * TEXT
    words = max((width_of(text, TEXT + 1) for text in told), default=0) + TEXT
    for i, (row, text) in enumerate(zip(rows, told, strict=True)):
        mean, deviation = _spread(row)
        look = fill(1) if row["rule"] == data["rule"] else {**fill(0), "facecolor": BLUE}
        (bar,) = axes.barh(i, mean, height=0.6, **look)
        hover(bar, f"{row['rule']}: {mean:.6g} s, standard deviation {deviation:.6g} s")
        axes.plot([max(mean - deviation, 0), mean + deviation], [i, i], color="black", linewidth=1)
        axes.text(mean + deviation + 0.5 * TEXT * longest / room, i, text, va="center", fontsize=TEXT + 1)
    axes.set_yticks(range(len(rows)), names)
    axes.set_xlim(0, longest / max(0.3, 1 - words / room))
    if longest >= 1000:
        axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("unfairness (s), mean ± one standard deviation over the windows")
    bare(axes)


def _spread(row: Mapping[str, Any]) -> tuple[float, float]:
    """Mean and deviation of the unfairness under a rule."""
    return row["values"]["unfairness"], row["values"]["deviation"] or 0


def _balance(axes: Axes, series: Mapping[str, Any], window: Mapping[str, Any] | None) -> None:
    """A line per organization: of many, only those whose balance goes farthest have a colour and a name."""
    hours = [t / HOUR for t in series["times"]]
    balance = {name: [value / HOUR**2 for value in values] for name, values in series["balance"].items()}
    every = max(len(hours) // 6, 1)
    far = sorted(balance, key=lambda name: -max(map(abs, balance[name])))[:MAX_LINES]
    for name in (name for name in balance if name not in far):
        hover(axes.plot(hours, balance[name], color=GREY, linewidth=0.5)[0], name)
    for i, name in enumerate(name for name in balance if name in far):
        look: dict[str, Any] = {
            "marker": MARKERS[i % len(MARKERS)],
            "markevery": every,
            "markersize": 4,
        }
        hover(axes.plot(hours, balance[name], **line(i), **look, label=cut(name, 20))[0], name)
        pairs = zip(balance[name], series["times"], strict=True)
        texts = [f"{name}: {height:.4g} machine-hours × hours after {t:,} s" for height, t in pairs]
        hover_points(axes, hours, balance[name], texts)
    if len(balance) > len(far):
        axes.plot([], [], color=GREY, linewidth=0.5, label=f"{len(balance) - len(far)} others")
    axes.axhline(0, color="black", linewidth=0.6)
    axes.set_xlabel("time since the start of the window (hours)")
    axes.set_ylabel("ψ − φ (machine-hours × hours)")
    begin = ""
    if window is not None:
        begin = f", from {_date(window)} on"
    told = "received beyond (above 0) or below what was contributed"
    _head(axes, f"window {series['window']}{begin}, rule {series['rule']}: {told}")
    beside(axes)


def _date(window: Mapping[str, Any]) -> str:
    """When a window opens: a date where it is known."""
    if "opens" in window:
        return str(window["opens"])
    return f"{window['start']:,} s ({timedelta(seconds=window['start'])}) into the log"


def _load(axes: Axes, series: Mapping[str, Any]) -> None:
    hours = [t / HOUR for t in series["times"]]
    machines = series["machines"]
    waiting: dict[str, Any] = {"color": ORANGE, "linestyle": "--", "marker": "s"}
    running: dict[str, Any] = {"color": BLUE, "linestyle": "-", "marker": "o"}
    for key, label, look in (("asked", "running or waiting", waiting), ("busy", "running", running)):
        parts = [n / machines for n in series[key]]
        axes.plot(hours, parts, markersize=4, label=label, **look)
        hover_points(axes, hours, parts, [f"{label}: {n} of {machines} machines" for n in series[key]])
    axes.axhline(1, color="black", linewidth=0.6)
    axes.set_xlabel("time since the start of the window (hours)")
    axes.set_ylabel("load (relative to the machines)")
    axes.set_ylim(bottom=0)
    _head(axes, f"load in window {series['window']}")
    beside(axes)


def _head(axes: Axes, text: str) -> None:
    """What one of the panels shows, above it, wrapped."""
    lines = wrapped(text, 0.7 * points(axes), TEXT + 1)
    axes.set_title("\n".join(lines), fontsize=TEXT + 1, loc="left")
    grow(axes.figure, 0.14 * (len(lines) - 1))
    bare(axes)
