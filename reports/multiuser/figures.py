"""Drawings of records on scenarios of kind ``multiuser``: schedules by user, Pareto fronts, boxes of a refinement."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ...scheduling.errors import InputError
from ..figures import COLOURS, new_figure, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FATES = {
    "split": ("#56B4E9", "cut further"),
    "bounded": ("#FFFFFF", "cannot hold a fairer point"),
    "infeasible": ("#999999", "no schedule in here"),
    "empty": ("#E0E0E0", "no integer point"),
}
"""Fill and meaning of each fate of a box."""

DRAWN_LEVELS = 6


def gantt(data: Mapping[str, Any]) -> Figure:
    """The drawing of a ``run`` record's dict: its front, the boxes of its refinement, or its schedule by user."""
    if data["pareto"] is not None:
        return front(data)
    if data["point"] is None:
        raise InputError("--plot: no schedule meets the thresholds, so there is nothing to draw")
    levels = (data["fairness"] or {}).get("levels") or []
    if levels and "boxes" in levels[0] and len(levels[0]["boxes"][0]["low"]) == 2:
        return boxes(data)
    return schedule(data)


def schedule(data: Mapping[str, Any]) -> Figure:
    """Gantt chart by user: one row per machine, one colour and hatch per user, her value in the legend."""
    machines = max(job["machine"] for job in data["jobs"])
    figure = new_figure(height=1.3 + 0.55 * machines)
    axes = figure.subplots()
    _schedule(figure, axes, data)
    axes.set_title(data["scenario"] or "", fontsize=9, loc="left")
    return figure


def _schedule(figure: Any, axes: Axes, data: Mapping[str, Any]) -> None:
    order = {row["name"]: i for i, row in enumerate(data["users"])}
    machines = max(job["machine"] for job in data["jobs"])
    for user in data["users"]:
        mine = [job for job in data["jobs"] if job["user"] == user["name"]]
        starts = [_number(job["start"]) for job in mine]
        axes.barh(
            [machines - job["machine"] for job in mine],
            [_number(job["end"]) - a for job, a in zip(mine, starts, strict=True)],
            left=starts,
            height=0.7,
            linewidth=0.6,
            label=f"{user['name']}: {user['objective'].replace('-', ' ')} {user['value']}",
            **style(order[user["name"]]),
        )
    axes.set_yticks(range(machines), [f"machine {machines - i}" for i in range(machines)])
    axes.set_xlim(left=0)
    axes.set_xlabel("time")
    figure.legend(loc="outside lower center", ncols=min(4, len(data["users"])), fontsize=7, frameon=False)
    _open(axes)


def front(data: Mapping[str, Any], refined: Mapping[str, Any] | None = None) -> Figure:
    """Pareto front of two or three users from a ``run`` record with rule ``pareto``.

    Two users: one axis each. Three: two axes, makespan users first, and the third user's value as colour. ``refined``:
    a record of the same users with rule ``refine``; its last boxes and its best point are drawn too.
    """
    names = [row["name"] for row in data["users"]]
    if len(names) not in (2, 3):
        raise InputError(f"--plot: a Pareto front is drawn for two or three users; this scenario has {len(names)}")
    across = sorted(range(len(names)), key=lambda u: data["users"][u]["objective"] != "makespan")
    points = [[_number(x) for x in point] for point in data["pareto"]]
    figure = new_figure(width=5.2, height=4.2)
    axes = figure.subplots()
    if refined is not None:
        _boxes(axes, refined["fairness"]["levels"][-1], refined["fairness"]["levels"][0])
    x, y = ([point[u] for point in points] for u in across[:2])
    if len(names) == 2:
        ordered = sorted(zip(x, y, strict=True))
        axes.step(*zip(*ordered, strict=True), where="post", color="#999999", linewidth=0.8, zorder=2)
        axes.scatter(x, y, color=COLOURS[0], s=18, zorder=3)
    else:
        dots = axes.scatter(x, y, c=[point[across[2]] for point in points], cmap="cividis", s=18, zorder=3)
        figure.colorbar(dots, label=_label(data["users"][across[2]]))
    if refined is not None:
        best = [_number(refined["point"][u]) for u in across[:2]]
        axes.plot(*best, marker="*", color=COLOURS[5], markeredgecolor="black", markersize=14, zorder=4)
    axes.set_xlabel(_label(data["users"][across[0]]))
    axes.set_ylabel(_label(data["users"][across[1]]))
    left_out = f" ({data['pareto_left_out']} left out)" if data["pareto_left_out"] else ""
    axes.set_title(f"{data['scenario']}: {len(points)} points{left_out}", fontsize=9, loc="left")
    _open(axes)
    return figure


def boxes(data: Mapping[str, Any]) -> Figure:
    """The refinement of three users, two of them with makespans: the boxes of each level, and the fairest schedule."""
    levels = data["fairness"]["levels"][:DRAWN_LEVELS]
    rows = -(-len(levels) // 3)
    figure = new_figure(width=7.4, height=2.5 * rows + 1.7)
    parts: Any = figure.subfigures(2, 1, height_ratios=[2.5 * rows, 1.7])
    upper, lower = parts
    grid = upper.subplots(rows, 3, squeeze=False)
    two = [u for u, row in enumerate(data["users"]) if row["objective"] == "makespan"]
    for place, axes in enumerate(grid.flat):
        if place >= len(levels):
            axes.set_axis_off()
            continue
        level = levels[place]
        _boxes(axes, level, levels[0])
        best = [_number(level["point"][u]) for u in two]
        axes.plot(*best, marker="*", color=COLOURS[5], markeredgecolor="black", markersize=11, zorder=4)
        axes.set_title(f"level {level['level']}: {level['value']:.4g}", fontsize=8, loc="left")
        axes.tick_params(labelsize=6)
        axes.set_xlabel(data["users"][two[0]]["name"], fontsize=7)
        axes.set_ylabel(data["users"][two[1]]["name"], fontsize=7)
        _open(axes)
    _fates(upper)
    _schedule(lower, lower.subplots(), data)
    return figure


def _boxes(axes: Axes, level: Mapping[str, Any], root: Mapping[str, Any]) -> None:
    """Cells of one level, on the axes of the root box; a single makespan user's cells are drawn as strips."""
    from matplotlib.patches import Rectangle

    found = level["boxes"]
    for box in found:
        low, high = ([_number(v) for v in box[end]] for end in ("low", "high"))
        look: dict[str, Any] = {
            "facecolor": FATES[box["fate"]][0],
            "edgecolor": "black",
            "linewidth": 0.4,
            "alpha": 0.6,
            "zorder": 1,
        }
        if len(low) == 1:
            axes.axvspan(low[0] - 0.5, high[0] + 0.5, **look)
        elif all(a <= b for a, b in zip(low, high, strict=True)):
            wide, tall = (b - a + 1 for a, b in zip(low, high, strict=True))
            axes.add_patch(Rectangle((low[0] - 0.5, low[1] - 0.5), wide, tall, **look))
    (whole,) = root["boxes"]
    for axis, limit in enumerate((axes.set_xlim, axes.set_ylim)[: len(whole["low"])]):
        a, b = _number(whole["low"][axis]), _number(whole["high"][axis])
        limit(a - 0.03 * (b - a) - 0.5, b + 0.03 * (b - a) + 0.5)


def _fates(figure: Any) -> None:
    from matplotlib.patches import Patch

    handles = [Patch(facecolor=fill, edgecolor="black", alpha=0.6, label=text) for fill, text in FATES.values()]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), fontsize=7, frameon=False)


def _label(user: Mapping[str, Any]) -> str:
    return f"{user['name']} ({user['objective'].replace('-', ' ')})"


def _number(value: Any) -> float:
    return float(Fraction(value))


def _open(axes: Axes) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
