"""Drawings that several kinds share: Gantt charts, panels of bars, strips of verdicts, rules side by side.

What does not fit a page is cut, and each drawing says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from .style import COLOURS, TEXT, TITLE, bare, boxed, cut, exact, fill, new_figure, number, points, title, verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_ROWS: Final = 48
"""Most rows of a Gantt chart, a panel or a strip."""
MAX_PANELS: Final = 8
"""Most panels of one figure."""


def left_out(count: int, what: str) -> str:
    """What is not drawn, in words; empty when nothing is.

    >>> left_out(1200, "machines"), left_out(0, "machines")
    ('1,200 more machines are not drawn', '')
    """
    return f"{count:,} more {what} are not drawn" if count > 0 else ""


# --- Gantt charts ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bar:
    """Work in one row of a Gantt chart.

    Attributes
    ----------
    row
        Its row, from 0 at the top.
    start, end
        From when to when.
    group
        Whose it is: colour and hatch.
    label
        Written on it where it fits.
    lane
        The part of the row's height that it takes, from below.
    frame
        Thickness of its frame, in points.
    pale
        Whether it was only planned.
    """

    row: int
    start: float
    end: float
    group: int
    label: str = ""
    lane: tuple[float, float] = (0.12, 0.88)
    frame: float = 0.6
    pale: bool = False


def gantt(
    axes: Axes, bars: Sequence[Bar], rows: Sequence[str], until: float | None = None, n_rows: int | None = None
) -> str:
    """Draw bars in rows over time; returns a note of what is not drawn, of ``n_rows`` where not all are given."""
    from matplotlib.patches import Rectangle

    shown = list(rows[:MAX_ROWS])
    endless = [bar for bar in bars if not math.isfinite(bar.end)]
    bars = [bar for bar in bars if math.isfinite(bar.end)]
    end = max([bar.end for bar in bars] + ([until] if until else []), default=0) or 1
    per_time = points(axes) / end
    for bar in bars:
        if bar.row >= len(shown):
            continue
        low = len(shown) - 1 - bar.row + bar.lane[0]
        wide, high = bar.end - bar.start, bar.lane[1] - bar.lane[0]
        look = {**fill(bar.group), "linewidth": bar.frame, "alpha": 0.35 if bar.pale else 1}
        axes.add_patch(Rectangle((bar.start, low), wide, high, **look))
        if bar.label and wide * per_time > 0.6 * TEXT * len(bar.label):
            boxed(axes, bar.start + wide / 2, low + high / 2, bar.label)
    axes.set_yticks([len(shown) - 0.5 - i for i in range(len(shown))], [cut(row) for row in shown])
    axes.set_ylim(0, max(len(shown), 1))
    axes.set_xlim(0, end if until else 1.02 * end)
    axes.set_xlabel("time")
    bare(axes)
    notes = left_out((n_rows or len(rows)) - len(shown), "rows"), left_out(len(endless), "bars without an end")
    return "; ".join(filter(None, notes))


def gantt_figure(n_rows: int, each: float = 0.4) -> tuple[Figure, Axes]:
    """A figure with room for a Gantt chart of so many rows, each so many inches high."""
    figure = new_figure(height=1.0 + each * max(1, min(n_rows, MAX_ROWS)))
    return figure, figure.subplots()


# --- bars -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Panel:
    """Numbers side by side: one bar per name, the exact number at its end; an infinite bar ends at the margin."""

    title: str
    names: Sequence[str]
    values: Sequence[Any]

    @property
    def height(self) -> float:
        """Room it needs, in inches."""
        return 0.55 + 0.23 * min(len(self.names), MAX_ROWS)


def draw_panel(axes: Axes, panel: Panel) -> None:
    """Draw bars from the top down; values are as a record's dict has them, ``None`` is said."""
    names = panel.names[:MAX_ROWS]
    values = panel.values[:MAX_ROWS]
    known = [number(value) for value in values if value is not None]
    finite = [value for value in known if math.isfinite(value)]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    longest = max((len(exact(value)) for value in values), default=1)
    words = min(0.7, 0.62 * TEXT * (longest + 1) / points(axes))
    span = (high - low or 1.0) / (1 - words)
    right, left = low + span, low - (0.12 * span if -math.inf in known else 0)
    for i, value in enumerate(values):
        end = 0.0
        if value is not None:
            end = min(max(number(value), left), high if high > 0 else low + (1 - words) * span)
            axes.barh(i, end, height=0.66, linewidth=0.6, **fill(i % len(COLOURS) if len(names) <= 3 else 0))
        axes.text(max(end, 0) + 0.012 * span, i, exact(value), va="center", fontsize=TEXT)
    axes.set_yticks(range(len(names)), [cut(name) for name in names], fontsize=TEXT + 0.5)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlim(left, right)
    axes.axvline(0, color="black", linewidth=0.6)
    axes.tick_params(axis="x", labelsize=TEXT)
    axes.locator_params(axis="x", nbins=5)
    note = left_out(len(panel.names) - len(names), "rows")
    axes.set_title(f"{panel.title}; {note}" if note else panel.title, fontsize=TEXT + 1, loc="left")
    bare(axes)


# --- what holds and what fails --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """Whether something holds (``None``: open), and what shows it."""

    name: str
    holds: bool | None
    told: str = ""


def draw_verdicts(axes: Axes, verdicts: Sequence[Verdict]) -> None:
    """A strip: one line per verdict, its mark, its name, what shows it."""
    from matplotlib.patches import Rectangle

    shown = verdicts[:MAX_ROWS]
    for i, row in enumerate(shown):
        axes.add_patch(Rectangle((0, i + 0.12), 0.085, 0.76, linewidth=0.8, **verdict(row.holds)))
        boxed(axes, 0.0425, i + 0.5, {True: "holds", False: "fails", None: "open"}[row.holds])
        axes.text(0.1, i + 0.5, cut(row.name, 36), va="center", fontsize=TEXT + 1)
        axes.text(0.42, i + 0.5, cut(row.told, 88), va="center", fontsize=TEXT - 0.5)
    axes.set_xlim(0, 1)
    axes.set_ylim(len(shown), 0)
    axes.axis("off")


def findings(
    heading: Any, verdicts: Sequence[Verdict], panels: Sequence[Panel] = (), notes: Sequence[str] = ()
) -> Figure:
    """A strip of verdicts above panels of the numbers behind them."""
    shown = panels[:MAX_PANELS]
    strip = [0.1 + 0.22 * min(len(verdicts), MAX_ROWS)] if verdicts else []
    heights = [*strip, *(panel.height for panel in shown)]
    figure = new_figure(height=0.4 + sum(heights))
    parts = figure.subplots(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
    if verdicts:
        draw_verdicts(parts[0], verdicts)
    for axes, panel in zip(parts[len(strip) :], shown, strict=True):
        draw_panel(axes, panel)
    told = (*notes, left_out(len(verdicts) - MAX_ROWS, "lines"), left_out(len(panels) - len(shown), "panels"))
    first = parts[0].get_title(loc="left")
    title(parts[0], heading, *filter(None, told), first)
    return figure


# --- rules side by side ---------------------------------------------------------------------------------------------

ACROSS: Final = 3
"""Panels of numbers beside each other."""


def comparison(data: Mapping[str, Any], record: object = None) -> Figure:
    """A ``compare`` record of any kind: verdicts as marks, numbers as bars, one panel per column."""
    rows = data["rows"][:MAX_ROWS]
    several = len({row["scenario"] for row in data["rows"]}) > 1
    names = [f"{row['rule']} ({row['scenario']})" if several else row["rule"] for row in rows]
    columns = {name: [row["values"].get(name) for row in rows] for name in data["columns"]}
    if not all(row["complete"] for row in rows):
        columns["complete"] = [row["complete"] for row in rows]
    absent = [name for name, values in columns.items() if all(value is None for value in values)]
    numeric = {name: values for name, values in columns.items() if name not in absent and _numeric(values)}
    marked = {name: values for name, values in columns.items() if name not in absent and name not in numeric}
    lines = -(-len(numeric) // ACROSS)
    tall = 0.45 + 0.22 * len(rows)
    heights = ([tall + 0.9] if marked else []) + ([lines * (tall + 0.3)] if lines else [])
    figure = new_figure(width=8.4, height=0.6 + sum(heights))
    nothing = f"none under any rule: {', '.join(absent).replace('_', ' ')}" if absent else ""
    notes = [note for note in (left_out(len(data["rows"]) - len(rows), "rows"), nothing) if note]
    heading = "\n".join([cut(f"compare: {data['scenario']}", 120), *notes])
    figure.suptitle(heading, fontsize=TITLE, x=0.01, ha="left")
    parts = list(figure.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]) if heights else []
    if marked:
        _draw_marks(parts.pop(0).subplots(), names, marked)
    if numeric:
        grid = parts[0].subplots(lines, ACROSS, squeeze=False, sharey=True)
        for axes in grid.flat[len(numeric) :]:
            axes.set_axis_off()
        for axes, (name, values) in zip(grid.flat, numeric.items(), strict=False):
            draw_panel(axes, Panel(name.replace("_", " "), names, values))
    return figure


def _numeric(values: Sequence[Any]) -> bool:
    """Whether a column can be drawn as bars: what is there are numbers."""
    return all(_is_number(value) for value in values if value is not None)


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return value in ("inf", "-inf") or value.lstrip("-").replace("/", "", 1).isdecimal()
    return isinstance(value, int | float) and not isinstance(value, bool)


def _draw_marks(axes: Axes, names: Sequence[str], columns: Mapping[str, Sequence[Any]]) -> None:
    """A table of marks: one row per rule, one column per property; what is no verdict stands there as text."""
    from matplotlib.patches import Rectangle

    for place, values in enumerate(columns.values()):
        for i, value in enumerate(values):
            if isinstance(value, bool):
                axes.add_patch(Rectangle((place + 0.04, i + 0.08), 0.92, 0.84, linewidth=0.6, **verdict(value)))
            boxed(axes, place + 0.5, i + 0.5, cut(exact(value), max(8, 60 // len(columns))))
    axes.set_xticks([i + 0.5 for i in range(len(columns))], [name.replace("_", " ") for name in columns])
    axes.tick_params(axis="x", labelsize=TEXT, labelrotation=30, length=0)
    for text in axes.get_xticklabels():
        text.set_horizontalalignment("left")
    axes.xaxis.tick_top()
    axes.set_yticks([i + 0.5 for i in range(len(names))], [cut(name) for name in names], fontsize=TEXT + 0.5)
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, max(len(columns), 6))  # few marks need not fill the page
    axes.set_ylim(len(names), 0)
    for side in axes.spines.values():
        side.set_visible(False)
