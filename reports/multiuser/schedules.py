"""Gantt charts of schedules on scenarios of kind ``multiuser``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..charts import named
from ..gantt import EACH, Bar, gantt, gantt_figure
from ..style import cut, exact, fill, legend, number, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def schedule(data: Mapping[str, Any]) -> Figure:
    """Gantt chart by user: one row per machine, one colour and hatch per user, her value in the legend."""
    figure, axes = gantt_figure(machines(data))
    left = draw_schedule(axes, data)
    title(figure, named(data), *filter(None, (left,)))
    legend(figure, owners(data))
    return figure


def machines(data: Mapping[str, Any]) -> int:
    """How many machines are used."""
    return max((job["machine"] for job in data["jobs"]), default=1)


def draw_schedule(axes: Axes, data: Mapping[str, Any], each: float = EACH) -> str:
    """The jobs as bars; returns a note of what is not drawn."""
    order = {row["name"]: i for i, row in enumerate(data["users"])}
    bars = [
        Bar(
            job["machine"] - 1,
            number(job["start"]),
            number(job["end"]),
            order[job["user"]],
            str(job["job"]),
            f"{job['user']}, job {job['job']}: {job['start']} to {job['end']}",
        )
        for job in data["jobs"]
    ]
    return gantt(axes, bars, [f"machine {i + 1}" for i in range(machines(data))], each=each)


def owners(data: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Entries of a legend: every user with her objective and value."""
    return [
        (f"{cut(row['name'], 40)}: {row['objective'].replace('-', ' ')} {exact(row['value'])}", fill(i))
        for i, row in enumerate(data["users"])
    ]


def label(user: Mapping[str, Any]) -> str:
    """What a user's value is."""
    return f"{user['name']} ({user['objective'].replace('-', ' ')})"
