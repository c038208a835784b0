"""Drawings of records on scenarios of kind ``multiuser``: schedules by user, Pareto sets, boxes of a refinement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ..charts import MAX_ROWS, Bar, Panel, comparison, findings, gantt, gantt_figure, left_out
from ..style import BEST, COLOURS, GREY, TEXT, bare, cut, exact, fill, legend, line, look, new_figure, number, title
from ..tables import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["boxes", "compare", "front", "run", "schedule"]

compare = comparison

FATES: Final = {
    "split": ("#56B4E9", "", "cut further"),
    "bounded": ("#FFFFFF", "", "cannot hold a fairer point"),
    "infeasible": ("#999999", "xx", "no schedule in here"),
    "empty": ("#E0E0E0", "..", "no integer point"),
}
"""Fill, hatch and meaning of each fate of a box."""

DRAWN_LEVELS: Final = 6
ROOM: Final = 0.3
"""Height of a machine's row, in inches."""


def run(data: Mapping[str, Any], record: object = None) -> Figure:
    """The Pareto set, the boxes of a refinement, or the schedule by user; everybody's range where there is no point."""
    if data["pareto"]:
        return front(data) if len(data["users"]) in (2, 3) else profiles(data)
    if data["point"] is None:
        return ranges(data)
    levels = (data["fairness"] or {}).get("levels") or []
    if levels and "boxes" in levels[0] and len(levels[0]["boxes"][0]["low"]) == 2:
        return boxes(data)
    return schedule(data)


def schedule(data: Mapping[str, Any]) -> Figure:
    """Gantt chart by user: one row per machine, one colour and hatch per user, her value in the legend."""
    figure, axes = gantt_figure(_machines(data), ROOM + 0.1)
    note = _schedule(axes, data)
    title(axes, data["scenario"], *filter(None, (note,)))
    legend(figure, _owners(data))
    return figure


def _machines(data: Mapping[str, Any]) -> int:
    return max((job["machine"] for job in data["jobs"]), default=1)


def _schedule(axes: Axes, data: Mapping[str, Any]) -> str:
    order = {row["name"]: i for i, row in enumerate(data["users"])}
    bars = [
        Bar(job["machine"] - 1, number(job["start"]), number(job["end"]), order[job["user"]], str(job["job"]))
        for job in data["jobs"]
    ]
    return gantt(axes, bars, [f"machine {i + 1}" for i in range(_machines(data))])


def _owners(data: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    entries = [f"{row['name']}: {row['objective'].replace('-', ' ')} {exact(row['value'])}" for row in data["users"]]
    return [(entry, fill(i)) for i, entry in enumerate(entries)]


def ranges(data: Mapping[str, Any]) -> Figure:
    """What every user can hope for where nothing was found: her best value alone, and a bound on the worst."""
    users = data["users"]
    panels = [
        Panel(told, [_label(row) for row in users], [row[key] for row in users])
        for key, told in (
            ("zenith", "zenith: the best value alone"),
            ("nadir", "nadir: no Pareto-optimal point is worse"),
        )
    ]
    found = "was found within" if data["method"] == "lst-printed" else "meets"
    return findings(data["scenario"], (), panels, [f"no schedule {found} the thresholds"])


@look()
def front(data: Mapping[str, Any], refined: Mapping[str, Any] | None = None) -> Figure:
    """Pareto set of two or three users from a ``run`` record with rule ``pareto``.

    Two users: one axis each. Three: two axes, makespan users first, and the third user's value as colour. ``refined``:
    a record of the same users with rule ``refine``; its last boxes and its best point are drawn too.
    """
    users = data["users"]
    across = sorted(range(len(users)), key=lambda u: users[u]["objective"] != "makespan")
    points = [[number(x) for x in point] for point in data["pareto"]]
    figure = new_figure(width=5.2, height=4.2)
    axes = figure.subplots()
    if refined is not None:
        _boxes(axes, refined["fairness"]["levels"][-1], refined["fairness"]["levels"][0])
    x, y = ([point[u] for point in points] for u in across[:2])
    if len(users) == 2:
        ordered = sorted(zip(x, y, strict=True))
        axes.step(*zip(*ordered, strict=True), where="post", color=GREY, linewidth=0.8, zorder=2)
        axes.scatter(x, y, color=COLOURS[0], s=18, zorder=3)
    else:
        dots = axes.scatter(x, y, c=[point[across[2]] for point in points], cmap="cividis", s=18, zorder=3)
        figure.colorbar(dots, label=_label(users[across[2]]))
    if refined is not None:
        best = [number(refined["point"][u]) for u in across[:2]]
        axes.plot(*best, **BEST, markersize=14, zorder=4)
    axes.set_xlabel(_label(users[across[0]]))
    axes.set_ylabel(_label(users[across[1]]))
    title(axes, *_heading(data), width=70)
    bare(axes)
    return figure


def profiles(data: Mapping[str, Any]) -> Figure:
    """Pareto set of one user or of more than three: a line per point across everybody's value, from zenith to nadir."""
    users = data["users"]
    shown = data["pareto"][:MAX_ROWS]
    figure = new_figure(height=3.6)
    axes = figure.subplots()
    for i, point in enumerate(shown):
        heights = [_place(value, [other[u] for other in data["pareto"]]) for u, value in enumerate(point)]
        axes.plot(range(len(users)), heights, **line(i), marker="o", markersize=4, linewidth=1)
    labels = []
    for u, row in enumerate(users):
        values = sorted((point[u] for point in data["pareto"]), key=number)
        labels.append(f"{cut(row['name'], 14)}\n{exact(values[0])} .. {exact(values[-1])}")
    axes.set_xticks(range(len(users)), labels, fontsize=TEXT)
    axes.set_yticks([0, 1], ["least", "largest"])
    axes.set_ylabel("value")
    title(axes, *_heading(data), *filter(None, (left_out(len(data["pareto"]) - len(shown), "listed points"),)))
    bare(axes)
    return figure


def _place(value: Any, among: Sequence[Any]) -> float:
    """Where a value lies between the least (0) and the largest (1)."""
    numbers = [number(other) for other in among]
    low, high = min(numbers), max(numbers)
    return 0.5 if low == high else (number(value) - low) / (high - low)


def _heading(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Scenario, number of points, and what is not drawn."""
    found = f"{data['scenario']}: {counted(data['pareto_count'], 'point')}"
    return (found, *filter(None, (left_out(data["pareto_left_out"], "points"),)))


def boxes(data: Mapping[str, Any]) -> Figure:
    """The refinement of three users, two of them with makespans: the boxes of each level, and the fairest schedule."""
    levels = data["fairness"]["levels"][:DRAWN_LEVELS]
    rows = -(-len(levels) // 3)
    below = 1.3 + ROOM * _machines(data)
    figure = new_figure(width=7.4, height=2.5 * rows + below)
    parts: Any = figure.subfigures(2, 1, height_ratios=[2.5 * rows, below])
    upper, lower = parts
    grid = upper.subplots(rows, 3, squeeze=False)
    two = [u for u, row in enumerate(data["users"]) if row["objective"] == "makespan"]
    for axes in grid.flat[len(levels) :]:
        axes.set_axis_off()
    for axes, level in zip(grid.flat, levels, strict=False):
        _boxes(axes, level, levels[0])
        best = [number(level["point"][u]) for u in two]
        axes.plot(*best, **BEST, markersize=11, zorder=4)
        axes.set_title(f"level {level['level']}: {level['value']:.4g}", fontsize=TEXT + 1, loc="left")
        axes.tick_params(labelsize=TEXT - 1)
        axes.locator_params(integer=True)
        axes.set_xlabel(cut(data["users"][two[0]]["name"]), fontsize=TEXT)
        axes.set_ylabel(cut(data["users"][two[1]]["name"]), fontsize=TEXT)
        bare(axes)
    legend(upper, [(text, _fate(fate)) for fate, (_, _, text) in FATES.items()])
    bottom = lower.subplots()
    unseen = left_out(len(data["fairness"]["levels"]) - len(levels), "levels")
    title(bottom, data["scenario"], *filter(None, (_schedule(bottom, data), unseen)))
    legend(lower, _owners(data))
    return figure


def _fate(fate: str) -> dict[str, Any]:
    colour, hatch, _ = FATES[fate]
    return {"facecolor": colour, "hatch": hatch, "edgecolor": "black", "linewidth": 0.4, "alpha": 0.6}


def _boxes(axes: Axes, level: Mapping[str, Any], root: Mapping[str, Any]) -> None:
    """Cells of one level, on the axes of the root box; a single makespan user's cells are drawn as strips."""
    from matplotlib.patches import Rectangle

    for box in level["boxes"]:
        low, high = ([number(v) for v in box[end]] for end in ("low", "high"))
        look = {**_fate(box["fate"]), "zorder": 1}
        if len(low) == 1:
            axes.axvspan(low[0] - 0.5, high[0] + 0.5, **look)
        elif all(a <= b for a, b in zip(low, high, strict=True)):
            wide, tall = (b - a + 1 for a, b in zip(low, high, strict=True))
            axes.add_patch(Rectangle((low[0] - 0.5, low[1] - 0.5), wide, tall, **look))
    (whole,) = root["boxes"]
    for axis, limit in enumerate((axes.set_xlim, axes.set_ylim)[: len(whole["low"])]):
        a, b = number(whole["low"][axis]), number(whole["high"][axis])
        limit(a - 0.03 * (b - a) - 0.5, b + 0.03 * (b - a) + 0.5)


def _label(user: Mapping[str, Any]) -> str:
    return f"{user['name']} ({user['objective'].replace('-', ' ')})"
