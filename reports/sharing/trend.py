"""Unfairness over time, of all windows that a store keeps: a table and a panel of the audit's figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ..hover import hover_points
from ..style import BLUE, TEXT, bare, cut_to, points
from ..tables import Table, counted, table
from .times import limits, time

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT: Final = 2.4
"""Inches of the panel."""
MOST_NAMED: Final = 8
"""Periods with a name on the axis."""


def trend_tables(data: Mapping[str, Any]) -> list[Table]:
    """A row per period, and what the last two say."""
    trend = data.get("trend")
    if not trend:
        return []
    rows = [
        {
            f"{trend['every']} from": row["since"],
            "windows": row["windows"],
            "load": f"{row['load']:.2f}",
            "unfairness": time(row["unfairness"]),
            "95 % limits": limits(row["unfairness_low"], row["unfairness_high"]),
        }
        for row in trend["rows"]
    ]
    heading = f"unfairness of {trend['rule']} over time"
    return [table(heading, rows, list(rows[0]), " ".join(trend["told"]))]


def draw(axes: Axes, trend: Mapping[str, Any]) -> None:
    """Mean and limits of every period, in their order."""
    rows: Sequence[Mapping[str, Any]] = trend["rows"]
    places, means = range(len(rows)), [row["unfairness"] for row in rows]
    for place, row in zip(places, rows, strict=True):
        if row["unfairness_low"] is not None:
            axes.plot([place, place], [row["unfairness_low"], row["unfairness_high"]], color="black", linewidth=1)
    axes.plot(places, means, color=BLUE, marker="o", markersize=4)
    hover_points(axes, list(places), means, [_told(row) for row in rows])
    step = -(-len(rows) // MOST_NAMED)
    room = points(axes) / max(1, -(-len(rows) // step))
    axes.set_xticks(list(places)[::step], [_in_lines(row["since"], room) for row in rows[::step]])
    axes.set_ylim(bottom=0)
    axes.set_xlim(-0.5, len(rows) - 0.5)
    axes.set_xlabel(f"{trend['every']} from")
    axes.set_ylabel("unfairness (s)")
    axes.set_title(f"{trend['rule']} over time: mean and 95 % limits", fontsize=TEXT + 1, loc="left")
    bare(axes)


def _in_lines(moment: str, room: float) -> str:
    """A date above its time of day, each cut to the room that there is."""
    return "\n".join(cut_to(part, room) for part in moment.split(" "))


def _told(row: Mapping[str, Any]) -> str:
    within = limits(row["unfairness_low"], row["unfairness_high"])
    return f"{row['since']}: {time(row['unfairness'])} ({within}), {counted(row['windows'], 'window')}"
