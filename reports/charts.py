"""Drawings that several kinds share: panels of bars, Gantt charts, strips of verdicts, rules side by side.

What does not fit a page is cut, and each drawing says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from .style import (
    COLOURS,
    TEXT,
    bare,
    boxed,
    cut_to,
    exact,
    fill,
    grow,
    hover,
    integer_ticks,
    new_figure,
    number,
    points,
    set_height,
    title,
    verdict,
    whole,
    width_of,
    wrapped,
)
from .tables import is_number, row_names

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


def named(data: Mapping[str, Any]) -> str:
    """What a record is about: the scenario and its rule, with the rule's options.

    >>> mechanism = {"rule": "coordination", "priority": "jobs", "order": [1, 2]}
    >>> named({"scenario": "a pool", "request": {"scenario": {"mechanism": mechanism}}})
    'a pool; rule coordination, priority jobs'
    """
    scenario = (data.get("request") or {}).get("scenario")
    mechanism = scenario.get("mechanism", {}) if isinstance(scenario, Mapping) else {}
    plain = {key: value for key, value in mechanism.items() if isinstance(value, str | int | float)}
    options = ", ".join(
        f"{key} {str(value).lower() if isinstance(value, bool) else value}" for key, value in plain.items()
    )
    return "; ".join(filter(None, (str(data["scenario"] or ""), options)))


# --- units ----------------------------------------------------------------------------------------------------------

TIME: Final = "time units"
RELATIVE: Final = "relative"
AS_GIVEN: Final = "in the scenario's units"
UNITS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("social_cost", "max_gain", "rent_truthful", "rent_lowest", "rent_highest"), TIME),
    **dict.fromkeys(("jain", "stretch", "price_of_anarchy", "utilization", "over_optimum", "min_max"), RELATIVE),
    "seconds": "s of computing",
}
"""Units of the columns of comparisons. What depends on the scenario (a welfare goal, a utility) is said to."""


# --- bars -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Panel:
    """Numbers side by side: one bar per name, the exact number at its end; an infinite bar ends at the margin."""

    title: str
    names: Sequence[str]
    values: Sequence[Any]
    unit: str = AS_GIVEN

    @property
    def height(self) -> float:
        """Room it needs, in inches."""
        return 0.72 + 0.23 * min(len(self.names), MAX_ROWS)


def draw_panel(axes: Axes, panel: Panel, room: float | None = None) -> None:
    """Draw bars from the top down; values are as a record's dict has them, ``None`` is said.

    ``room``: points across that the bars have, beside their names, where names are cut already.
    """
    names = [cut_to(name, 0.35 * points(axes)) if room is None else name for name in panel.names[:MAX_ROWS]]
    values = panel.values[:MAX_ROWS]
    room = room or room_beside(axes, names)
    numbers = [number(value) for value in values if value is not None]
    finite = [value for value in numbers if math.isfinite(value)]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    longest = max((width_of(exact(value)) for value in values), default=0)
    words = min(0.7, (longest + TEXT) / room)
    span = (high - low or 1.0) / (1 - words)
    right, left = low + span, low - (0.12 * span if -math.inf in numbers else 0)
    for i, (name, value) in enumerate(zip(panel.names, values, strict=False)):
        end = 0.0
        if value is not None:
            end = min(max(number(value), left), high if high > 0 else low + (1 - words) * span)
            look = fill(i % len(COLOURS) if len(names) <= 3 else 0)
            hover(axes.barh(i, end, height=0.66, linewidth=0.6, **look)[0], f"{name}: {value} ({panel.unit})")
        axes.text(max(end, 0) + 0.012 * span, i, exact(value), va="center", fontsize=TEXT)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlim(left, right)
    axes.axvline(0, color="black", linewidth=0.6)
    axes.locator_params(axis="x", nbins=max(2, min(5, int(room / 45))), integer=whole(numbers))
    axes.set_xlabel(panel.unit, fontsize=TEXT)
    note = left_out(len(panel.names) - len(names), "rows")
    headed(axes, f"{panel.title}; {note}" if note else panel.title, room)


def headed(axes: Axes, text: str, room: float) -> None:
    """What a panel shows, above it, on lines of so many points, and no frame around it."""
    lines = wrapped(text, room, TEXT + 1)
    axes.set_title("\n".join(lines), fontsize=TEXT + 1, loc="left")
    grow(axes.figure, 0.14 * (len(lines) - 1))
    bare(axes)


# --- Gantt charts: made by the figures of each kind, drawn here by Matplotlib and by the explorer as SVG --------------

EACH: Final = 0.4
"""Height of a row, in inches."""
FRAMED: Final = 2.2
"""Thickness of the frame of a bar that is pointed out, in points."""
END: Final[Mapping[str, Any]] = {"color": "black", "linestyle": "--", "linewidth": 1.2}
"""The line at the moment up to which a schedule is looked at."""


@dataclass(frozen=True)
class Bar:
    """Work in one row of a Gantt chart.

    Attributes
    ----------
    row
        Its row, from 0 at the top.
    start, end
        From when to when, as records write numbers.
    group
        Whose it is: colour and hatch.
    label
        Written on it where it fits.
    hover
        Shown on hover.
    lane
        The part of the row's height that it takes, from below.
    framed
        Whether it is pointed out.
    pale
        Whether it was only planned.
    """

    row: int
    start: Any
    end: Any
    group: int
    label: str
    hover: str
    lane: tuple[float, float] = (0.12, 0.88)
    framed: bool = False
    pale: bool = False


@dataclass(frozen=True)
class Gantt:
    """A Gantt chart: names of rows, bars, and whose the colours are.

    ``until``: where the schedule is no longer looked at; ``more_rows``: how many are left out.
    """

    rows: Sequence[str]
    bars: Sequence[Bar]
    groups: Sequence[str]
    until: Any = None
    more_rows: int = 0


def gantt_figure(n_rows: int, each: float = EACH) -> tuple[Figure, Axes]:
    """A figure with room for a Gantt chart of so many rows, each so many inches high."""
    figure = new_figure(height=1.0 + each * max(1, min(n_rows, MAX_ROWS)))
    return figure, figure.subplots()


def draw_gantt(axes: Axes, chart: Gantt, each: float = EACH) -> str:
    """Draw a chart whose rows are so many inches high; returns a note of what is not drawn.

    A bar has its label where that fits, and its text on hover in any case. ``until`` is marked by a line.
    """
    from matplotlib.patches import Rectangle

    names = [_row_name(row, 0.3 * points(axes)) for row in chart.rows[:MAX_ROWS]]
    finite = [(bar, number(bar.start), number(bar.end)) for bar in chart.bars if math.isfinite(number(bar.end))]
    end = max([end for _, _, end in finite] + ([chart.until] if chart.until else []), default=0) or 1
    per_time = room_beside(axes, names) / (1.02 * end)
    for bar, start, stop in finite:
        if bar.row >= len(names):
            continue
        low = len(names) - 1 - bar.row + bar.lane[0]
        wide, high = stop - start, bar.lane[1] - bar.lane[0]
        look = {**fill(bar.group), "linewidth": FRAMED if bar.framed else 0.6, "alpha": 0.35 if bar.pale else 1}
        hover(axes.add_patch(Rectangle((start, low), wide, high, **look)), bar.hover)
        fits = width_of(bar.label) + 0.5 * TEXT <= wide * per_time and high * each * 72 >= 1.3 * TEXT
        if bar.label and fits:
            hover(boxed(axes, start + wide / 2, low + high / 2, bar.label), bar.hover)
    if chart.until:
        axes.axvline(chart.until, **END)
    axes.set_yticks([len(names) - 0.5 - i for i in range(len(names))], names)
    axes.set_ylim(0, max(len(names), 1))
    axes.set_xlim(0, 1.02 * end)
    axes.set_xlabel("time (time units)")
    integer_ticks(axes.xaxis, [time for _, start, end in finite for time in (start, end)])
    bare(axes)
    left, endless = chart.more_rows + len(chart.rows) - len(names), len(chart.bars) - len(finite)
    return "; ".join(filter(None, (left_out(left, "rows"), left_out(endless, "bars without an end"))))


def room_beside(axes: Axes, names: Sequence[str]) -> float:
    """Points across that are left to the bars beside the names of the rows."""
    return points(axes) - max(map(width_of, names), default=0) - 4 * TEXT


def _row_name(row: str, room: float) -> str:
    """The name of a row in so many points; what stands behind a slash, the number of a machine, is kept."""
    name, slash, machine = row.rpartition(" / ")
    return cut_to(name, room - width_of(slash + machine)) + slash + machine if slash else cut_to(row, room)


def end_sign(until: Any) -> Any:
    """The entry of a legend for the line at the end."""
    from matplotlib.lines import Line2D

    return Line2D([], [], **END, label=f"until {until}: later is not looked at")


# --- what holds and what fails --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """Whether something holds (``None``: open), and what shows it."""

    name: str
    holds: bool | None
    evidence: str = ""


def draw_verdicts(axes: Axes, verdicts: Sequence[Verdict]) -> None:
    """A strip: one line per verdict, its mark, its name, what shows it."""
    from matplotlib.patches import Rectangle

    drawn, room = verdicts[:MAX_ROWS], points(axes) - TEXT
    widest = max((width_of(row.name, TEXT + 1) for row in drawn), default=0)
    begin = 5.2 * TEXT
    second = begin + min(widest, 0.45 * room) + TEXT
    for i, row in enumerate(drawn):
        word = {True: "holds", False: "fails", None: "open"}[row.holds]
        mark = axes.add_patch(Rectangle((0, i + 0.12), 4.5 * TEXT, 0.76, linewidth=0.8, **verdict(row.holds)))
        hover(mark, "; ".join(filter(None, (f"{row.name}: {word}", row.evidence))))
        boxed(axes, 2.25 * TEXT, i + 0.5, word)
        axes.text(begin, i + 0.5, cut_to(row.name, 0.45 * room, TEXT + 1), va="center", fontsize=TEXT + 1)
        if row.evidence:
            shortened = cut_to(row.evidence, room - second, TEXT)
            hover(axes.text(second, i + 0.5, shortened, va="center", fontsize=TEXT), row.evidence)
    axes.set_xlim(0, room)
    axes.set_ylim(len(drawn), 0)
    axes.axis("off")


def findings(
    heading: Any, verdicts: Sequence[Verdict], panels: Sequence[Panel] = (), notes: Sequence[str] = ()
) -> Figure:
    """A strip of verdicts above panels of the numbers behind them."""
    drawn = panels[:MAX_PANELS]
    strip = [0.1 + 0.22 * min(len(verdicts), MAX_ROWS)] if verdicts else []
    heights = [*strip, *(panel.height for panel in drawn)]
    figure = new_figure(height=0.4 + sum(heights))
    parts = figure.subplots(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
    if verdicts:
        draw_verdicts(parts[0], verdicts)
    for axes, panel in zip(parts[len(strip) :], drawn, strict=True):
        draw_panel(axes, panel)
    lines = (*notes, left_out(len(verdicts) - MAX_ROWS, "lines"), left_out(len(panels) - len(drawn), "panels"))
    title(figure, heading, *lines)
    return figure


# --- rules side by side ---------------------------------------------------------------------------------------------

ACROSS: Final = 160
"""Points that a panel of numbers takes beside others."""


def comparison(data: Mapping[str, Any], record: object = None) -> Figure:
    """A ``compare`` record of any kind: verdicts as marks, numbers as bars, one panel per column."""
    rows = data["rows"][:MAX_ROWS]
    names = row_names(data["rows"])[:MAX_ROWS]
    columns = {name: [row["values"].get(name) for row in rows] for name in data["columns"]}
    if not all(row["complete"] for row in rows):
        columns["complete"] = [row["complete"] for row in rows]
    absent = [name for name, values in columns.items() if all(value is None for value in values)]
    marked = {name: values for name, values in columns.items() if not all(v is None or is_number(v) for v in values)}
    numeric = {name: values for name, values in columns.items() if name not in (*absent, *marked)}
    figure = new_figure()
    across = max(1, int(points(figure) / ACROSS))
    lines = -(-len(numeric) // across)
    tall = 0.6 + 0.22 * len(rows)
    heights = ([tall + 0.75] if marked else []) + ([lines * (tall + 0.3)] if lines else [])
    set_height(figure, 0.6 + sum(heights))
    nothing = f"none under any rule: {', '.join(absent).replace('_', ' ')}" if absent else ""
    notes = (left_out(len(data["rows"]) - len(rows), "rows"), nothing)
    title(figure, f"compare: {data['scenario']}", *notes)
    parts = list(figure.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]) if heights else []
    if marked:
        _draw_marks(parts.pop(0).subplots(), names, marked)
    if numeric:
        grid = parts[0].subplots(lines, across, squeeze=False, sharey=True)
        for axes in grid.flat[len(numeric) :]:
            axes.set_axis_off()
        labels = [cut_to(name, 0.3 * points(figure)) for name in names]
        room = (points(figure) - max(map(width_of, labels))) / across - 3 * TEXT
        for axes, (name, values) in zip(grid.flat, numeric.items(), strict=False):
            draw_panel(axes, Panel(name.replace("_", " "), labels, values, UNITS.get(name, AS_GIVEN)), room)
    return figure


def _draw_marks(axes: Axes, names: Sequence[str], columns: Mapping[str, Sequence[Any]]) -> None:
    """A table of marks: one row per rule, one column per property; what is no verdict stands there as text."""
    from matplotlib.patches import Rectangle

    labels = [cut_to(name, 0.3 * points(axes)) for name in names]
    places = max(len(columns), 6)  # few marks need not fill the page
    cell = room_beside(axes, labels) / places
    for place, (column, values) in enumerate(columns.items()):
        for i, value in enumerate(values):
            text_on_hover = f"{names[i]}: {column.replace('_', ' ')}: {exact(value)}"
            if isinstance(value, bool):
                mark = Rectangle((place + 0.04, i + 0.08), 0.92, 0.84, linewidth=0.6, **verdict(value))
                hover(axes.add_patch(mark), text_on_hover)
            shortened = cut_to(exact(value), cell - 0.5 * TEXT)
            if shortened == exact(value) or not isinstance(value, bool):  # else the hatch says it
                hover(boxed(axes, place + 0.5, i + 0.5, shortened), text_on_hover)
    axes.set_xticks([i + 0.5 for i in range(len(columns))], [name.replace("_", " ") for name in columns])
    axes.tick_params(axis="x", labelrotation=30 if cell > 2.6 * TEXT else 90, length=0)
    axes.xaxis.tick_top()
    for text in axes.get_xticklabels() if cell > 2.6 * TEXT else ():
        text.set_horizontalalignment("left")
    axes.set_yticks([i + 0.5 for i in range(len(labels))], labels)
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, places)
    axes.set_ylim(len(labels), 0)
    for side in axes.spines.values():
        side.set_visible(False)


def draw_area(axes: Axes, area: Mapping[str, Any], name: str, look: Mapping[str, Any]) -> None:
    """Polygons of a plane, all of one look; on hover the name and the share of the plane."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    corners = [[tuple(map(number, corner)) for corner in polygon] for polygon in area["polygons"]]
    whole = Path.make_compound_path(*(Path([*polygon, polygon[0]], closed=True) for polygon in corners))
    hover(axes.add_patch(PathPatch(whole, linewidth=0, **look)), f"{name}: {number(area['share']):.1%} of the plane")
