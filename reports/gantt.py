"""Gantt charts: bars in rows over time, which all kinds but games draw."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from .charts import MAX_ROWS, left_out
from .style import TEXT, bare, boxed, cut_to, fill, hover, new_figure, points, width_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

EACH: Final = 0.4
"""Height of a row, in inches."""
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
        From when to when.
    group
        Whose it is: colour and hatch.
    label
        Written on it where it fits.
    hover
        Shown on hover.
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
    hover: str = ""
    lane: tuple[float, float] = (0.12, 0.88)
    frame: float = 0.6
    pale: bool = False


def gantt_figure(n_rows: int, each: float = EACH) -> tuple[Figure, Axes]:
    """A figure with room for a Gantt chart of so many rows, each so many inches high."""
    figure = new_figure(height=1.0 + each * max(1, min(n_rows, MAX_ROWS)))
    return figure, figure.subplots()


def gantt(
    axes: Axes,
    bars: Sequence[Bar],
    rows: Sequence[str],
    until: float | None = None,
    n_rows: int | None = None,
    each: float = EACH,
) -> str:
    """Draw bars in rows over time; returns a note of what is not drawn, of ``n_rows`` where not all are given.

    A bar has its label where that fits, and its text on hover in any case. ``until`` is marked by a line.
    """
    from matplotlib.patches import Rectangle

    names = [_row_name(row, 0.3 * points(axes)) for row in rows[:MAX_ROWS]]
    finite = [bar for bar in bars if math.isfinite(bar.end)]
    end = max([bar.end for bar in finite] + ([until] if until else []), default=0) or 1
    per_time = _room(axes, names) / (1.02 * end)
    for bar in finite:
        if bar.row >= len(names):
            continue
        low = len(names) - 1 - bar.row + bar.lane[0]
        wide, high = bar.end - bar.start, bar.lane[1] - bar.lane[0]
        look = {**fill(bar.group), "linewidth": bar.frame, "alpha": 0.35 if bar.pale else 1}
        hover(axes.add_patch(Rectangle((bar.start, low), wide, high, **look)), bar.hover or bar.label)
        fits = width_of(bar.label) + 0.5 * TEXT <= wide * per_time and high * each * 72 >= 1.3 * TEXT
        if bar.label and fits:
            hover(boxed(axes, bar.start + wide / 2, low + high / 2, bar.label), bar.hover or bar.label)
    if until:
        axes.axvline(until, **END)
    axes.set_yticks([len(names) - 0.5 - i for i in range(len(names))], names)
    axes.set_ylim(0, max(len(names), 1))
    axes.set_xlim(0, 1.02 * end)
    axes.set_xlabel("time (time units)")
    bare(axes)
    left, endless = (n_rows or len(rows)) - len(names), len(bars) - len(finite)
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
