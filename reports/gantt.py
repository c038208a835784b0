"""Gantt charts: work in rows over time, which all kinds but games have.

What is drawn is made once, by the figures of each kind; :func:`draw` draws it by Matplotlib, the explorer as SVG.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from .charts import MAX_ROWS, left_out
from .style import TEXT, bare, boxed, cut_to, fill, hover, new_figure, number, points, width_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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


def draw(axes: Axes, chart: Gantt, each: float = EACH) -> str:
    """Draw a chart whose rows are so many inches high; returns a note of what is not drawn.

    A bar has its label where that fits, and its text on hover in any case. ``until`` is marked by a line.
    """
    from matplotlib.patches import Rectangle

    names = [_row_name(row, 0.3 * points(axes)) for row in chart.rows[:MAX_ROWS]]
    finite = [(bar, number(bar.start), number(bar.end)) for bar in chart.bars if math.isfinite(number(bar.end))]
    end = max([end for _, _, end in finite] + ([chart.until] if chart.until else []), default=0) or 1
    per_time = _room(axes, names) / (1.02 * end)
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
    bare(axes)
    left, endless = chart.more_rows + len(chart.rows) - len(names), len(chart.bars) - len(finite)
    return "; ".join(filter(None, (left_out(left, "rows"), left_out(endless, "bars without an end"))))


def _room(axes: Axes, names: Sequence[str]) -> float:
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
