"""Drawings of records on scenarios of kind ``multiuser``: schedules by user, Pareto sets, boxes of a refinement.

A Pareto set of two or three users is drawn in the plane with zenith, nadir and the fairest point, any other as a line
per point; a refinement box by box and level by level, up to the level that proves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ..charts import MAX_ROWS, TIME, Bar, Gantt, Panel, comparison, draw_gantt, findings, gantt_figure, left_out, named
from ..style import (
    BEST,
    BLUE,
    GREY,
    TEXT,
    bare,
    below,
    cut,
    cut_to,
    exact,
    fill,
    hover,
    hover_points,
    integer_ticks,
    legend,
    line,
    look,
    new_figure,
    number,
    points,
    set_height,
    title,
    width_of,
)
from ..tables import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["compare", "front", "profiles", "refinement", "run", "schedule"]

compare = comparison


def run(data: Mapping[str, Any], record: object = None) -> Figure:
    """The Pareto set, the boxes of a refinement, or the schedule by user; everybody's range where there is no point."""
    if data["pareto"]:
        fairest = getattr(record, "fairest", None)
        return (front if len(data["users"]) in (2, 3) else profiles)(data, fairest=fairest)
    if data["point"] is None:
        return ranges(data)
    levels = (data["fairness"] or {}).get("levels") or []
    if levels and "boxes" in levels[0] and len(levels[0]["boxes"][0]["low"]) == 2:
        return refinement(data)
    return schedule(data)


def ranges(data: Mapping[str, Any]) -> Figure:
    """What every user can hope for where nothing was found: her best value alone, and a bound on the worst."""
    users = data["users"]
    panels = [
        Panel(word, [label(row) for row in users], [row[key] for row in users], TIME)
        for key, word in (
            ("zenith", "zenith: the best value alone"),
            ("nadir", "nadir: no Pareto-optimal point is worse"),
        )
    ]
    verb = "was found within" if data["method"] == "lst-printed" else "meets"
    return findings(named(data), (), panels, [f"no schedule {verb} the thresholds"])


CORNER: Final[Mapping[str, Any]] = {
    "color": "white", "markeredgecolor": "black", "linestyle": "none", "markersize": 7, "zorder": 4
}  # fmt: skip
MARKED: Final[Mapping[str, Mapping[str, Any]]] = {
    "zenith": {**CORNER, "marker": "v", "label": "zenith: everybody's best value alone"},
    "nadir": {**CORNER, "marker": "X", "label": "nadir: no Pareto-optimal point is worse"},
    "fairest": {**BEST, "markersize": 12, "zorder": 5, "label": "fairest"},
}
"""Marks of the corners of what users can hope for, and of the fairest point."""
MAX_USERS: Final = 60
"""Most users side by side."""


@look()
def front(
    data: Mapping[str, Any], refined: Mapping[str, Any] | None = None, fairest: Sequence[Any] | None = None
) -> Figure:
    """Pareto set of two or three users from a ``run`` record with rule ``pareto``.

    Two users: one axis each. Three: two axes, makespan users first, and the third user's value as colour. Zenith and
    nadir are marked, and the fairest point where it is known.

    Parameters
    ----------
    data
        The record's dict.
    refined
        That of the same users with rule ``refine``; its last boxes are drawn too, and its point is the fairest.
    fairest
        The fairest point.
    """
    users = data["users"]
    across = sorted(range(len(users)), key=lambda u: users[u]["objective"] != "makespan")
    values = [[number(x) for x in point] for point in data["pareto"]]
    figure = new_figure(width=5.2, height=4.2)
    axes = figure.subplots()
    if refined is not None:
        fairest = refined["point"]
        draw_boxes(axes, refined["fairness"]["levels"][-1], refined["fairness"]["levels"][0])
    x, y = ([point[u] for point in values] for u in across[:2])
    if len(users) == 2:
        ordered = sorted(zip(x, y, strict=True))
        axes.step(*zip(*ordered, strict=True), where="post", color=GREY, linewidth=0.8, zorder=2)
        axes.scatter(x, y, color=BLUE, s=18, zorder=3)
    else:
        third = [point[across[2]] for point in values]
        dots = axes.scatter(x, y, c=third, cmap="cividis", s=18, zorder=3, edgecolors="black", linewidths=0.4)
        figure.colorbar(dots, label=axis_text(users[across[2]]))
    integer_ticks(axes.xaxis, x)
    integer_ticks(axes.yaxis, y)
    hover_points(axes, x, y, [point_text(users, point) for point in data["pareto"]])
    below(figure, _marks(axes, users, across[:2], fairest))
    axes.set_xlabel(axis_text(users[across[0]]))
    axes.set_ylabel(axis_text(users[across[1]]))
    title(figure, *_heading(data))
    bare(axes)
    return figure


def axis_text(user: Mapping[str, Any]) -> str:
    """What an axis of a user's values is called."""
    return f"{cut(user['name'])}: {user['objective'].replace('-', ' ')} (time units)"


def point_text(users: Sequence[Mapping[str, Any]], point: Sequence[Any]) -> str:
    """A point, user by user."""
    return ", ".join(f"{row['name']} {value}" for row, value in zip(users, point, strict=True))


def _marks(
    axes: Axes, users: Sequence[Mapping[str, Any]], across: Sequence[int], fairest: Sequence[Any] | None
) -> list[Any]:
    """Zenith, nadir and the fairest point; returns entries for a legend."""
    places = {name: [row[name] for row in users] for name in ("zenith", "nadir")} | {"fairest": fairest or [None]}
    marks = []
    for name, place in places.items():
        if None not in place:
            (mark,) = axes.plot(*([number(place[u])] for u in across), **MARKED[name])
            hover(mark, f"{name}: {point_text(users, place)}")
            marks.append(mark)
    return marks


def profiles(data: Mapping[str, Any], fairest: Sequence[Any] | None = None) -> Figure:
    """Pareto set of one user or of more than three: a line per point across everybody's value.

    The least value of the listed points is at the bottom, the largest at the top; zenith and nadir are named.
    """
    from matplotlib.lines import Line2D

    users = data["users"][:MAX_USERS]
    listed = data["pareto"][:MAX_ROWS]
    figure = new_figure(height=3.6)
    axes = figure.subplots()
    places = range(len(users))
    for i, point in enumerate(listed):
        heights = [_place(point[u], [other[u] for other in data["pareto"]]) for u in places]
        (drawn,) = axes.plot(places, heights, **line(i), marker="o", markersize=4, linewidth=1)
        hover(drawn, point_text(data["users"], point))
    if fairest is not None:
        heights = [_place(fairest[u], [other[u] for other in data["pareto"]]) for u in places]
        hover(axes.plot(places, heights, **BEST, markersize=10)[0], f"fairest: {point_text(data['users'], fairest)}")
        below(figure, [Line2D([], [], **BEST, markersize=8, label="fairest")])
    _name(axes, data, users)
    unlisted = left_out(len(data["pareto"]) - len(listed), "listed points")
    title(figure, *_heading(data), unlisted, left_out(len(data["users"]) - len(users), "users"))
    bare(axes)
    return figure


def _name(axes: Axes, data: Mapping[str, Any], users: Sequence[Mapping[str, Any]]) -> None:
    """Users along the horizontal axis, with the range of their values: on two lines, or upright where many."""
    pairs = []
    for u, row in enumerate(users):
        values = sorted((point[u] for point in data["pareto"]), key=number)
        pairs.append((cut(row["name"], 14), f"{exact(values[0])} .. {exact(values[-1])}"))
    room = points(axes) / max(len(users), 1) - TEXT
    wide = any(width_of(text) > room for pair in pairs for text in pair)
    labels = [(": " if wide else "\n").join(pair) for pair in pairs]
    axes.set_xticks(range(len(users)), labels, rotation=90 if wide else 0)
    axes.set_xlabel("user: least .. largest value of the listed points (time units)")
    axes.set_yticks([0, 1], ["least", "largest"])
    axes.set_ylabel("value (relative)")


def _place(value: Any, among: Sequence[Any]) -> float:
    """Where a value lies between the least (0) and the largest (1)."""
    numbers = [number(other) for other in among]
    low, high = min(numbers), max(numbers)
    return 0.5 if low == high else (number(value) - low) / (high - low)


def _heading(data: Mapping[str, Any]) -> tuple[str, str]:
    """Scenario, rule and number of points; what is not drawn."""
    return f"{named(data)}: {counted(data['pareto_count'], 'point')}", left_out(data["pareto_left_out"], "points")


FATES: Final = {
    "split": ("#56B4E9", "", "cut further"),
    "bounded": ("#FFFFFF", "", "cannot hold a fairer point"),
    "infeasible": ("#999999", "xx", "no schedule in here"),
    "empty": ("#E0E0E0", "..", "no integer point"),
}
"""Fill, hatch and meaning of each fate of a box."""

FIRST, LAST = 3, 9
"""Levels that are drawn of more: the first ones, and the last, of which one proves."""
ACROSS: Final = 165
"""Points that a level takes beside others."""
ROOM: Final = 0.3
"""Height of a machine's row, in inches."""


def refinement(data: Mapping[str, Any]) -> Figure:
    """The refinement of three users, two of them with makespans: the boxes of each level, and the fairest schedule."""
    every = [level for level in data["fairness"]["levels"] if "boxes" in level]
    levels = every if len(every) <= FIRST + LAST else every[:FIRST] + every[-LAST:]
    figure = new_figure()
    across = max(1, int(points(figure) / ACROSS))
    rows = -(-len(levels) // across)
    chart = gantt(data)
    below = 1.3 + ROOM * len(chart.rows)
    set_height(figure, 2.5 * rows + below)
    parts: Any = figure.subfigures(2, 1, height_ratios=[2.5 * rows, below])
    upper, lower = parts
    grid = upper.subplots(rows, across, squeeze=False)
    two = [u for u, row in enumerate(data["users"]) if row["objective"] == "makespan"]
    for axes in grid.flat[len(levels) :]:
        axes.set_axis_off()
    for axes, level in zip(grid.flat, levels, strict=False):
        _level(axes, data["users"], two, level, levels[0])
    unseen = left_out(len(data["fairness"]["levels"]) - len(levels), "levels")
    title(upper, f"{named(data)}: boxes of the refinement, and the fairest schedule", unseen)
    legend(upper, [(text, _fate(fate)) for fate, (_, _, text) in FATES.items()])
    left = draw_gantt(lower.subplots(), chart, ROOM)
    if left:
        title(lower, left)
    legend(lower, owners(data))
    return figure


def _level(
    axes: Axes,
    users: Sequence[Mapping[str, Any]],
    two: Sequence[int],
    level: Mapping[str, Any],
    root: Mapping[str, Any],
) -> None:
    """One level: its boxes and the best point so far."""
    draw_boxes(axes, level, root)
    best = ([number(level["point"][u])] for u in two)
    hover(axes.plot(*best, **BEST, markersize=11, zorder=4)[0], f"best point so far: {level['point']}")
    proved = ", proved" if level["proved"] else ""
    axes.set_title(f"level {level['level']}: {level['value']:.4g}{proved}", fontsize=TEXT + 1, loc="left")
    axes.tick_params(labelsize=TEXT)
    axes.locator_params(integer=True, nbins=6)
    for name, limit in ((axes.set_xlabel, two[0]), (axes.set_ylabel, two[1])):
        name(cut_to(f"{users[limit]['name']}", 0.6 * ACROSS) + " (time units)", fontsize=TEXT)
    bare(axes)


def _fate(fate: str) -> dict[str, Any]:
    colour, hatch, _ = FATES[fate]
    return {"facecolor": colour, "hatch": hatch, "edgecolor": "black", "linewidth": 0.4, "alpha": 0.6}


def draw_boxes(axes: Axes, level: Mapping[str, Any], root: Mapping[str, Any]) -> None:
    """Cells of one level, on the axes of the root box; a single makespan user's cells are drawn as strips."""
    from matplotlib.patches import Rectangle

    for box in level["boxes"]:
        low, high = ([number(v) for v in box[end]] for end in ("low", "high"))
        look, text = {**_fate(box["fate"]), "zorder": 1}, f"{box['low']} to {box['high']}: {FATES[box['fate']][2]}"
        if len(low) == 1:
            hover(axes.axvspan(low[0] - 0.5, high[0] + 0.5, **look), text)
        elif all(a <= b for a, b in zip(low, high, strict=True)):
            wide, tall = (b - a + 1 for a, b in zip(low, high, strict=True))
            hover(axes.add_patch(Rectangle((low[0] - 0.5, low[1] - 0.5), wide, tall, **look)), text)
    (whole,) = root["boxes"]
    for axis, limit in enumerate((axes.set_xlim, axes.set_ylim)[: len(whole["low"])]):
        a, b = number(whole["low"][axis]), number(whole["high"][axis])
        limit(a - 0.03 * (b - a) - 0.5, b + 0.03 * (b - a) + 0.5)


def schedule(data: Mapping[str, Any]) -> Figure:
    """Gantt chart by user: one row per machine, one colour and hatch per user, her value in the legend."""
    chart = gantt(data)
    figure, axes = gantt_figure(len(chart.rows))
    left = draw_gantt(axes, chart)
    title(figure, named(data), left)
    legend(figure, owners(data))
    return figure


def gantt(data: Mapping[str, Any]) -> Gantt:
    """The schedule of a run."""
    names = [row["name"] for row in data["users"]]
    order = {name: i for i, name in enumerate(names)}
    bars = []
    for job in data["jobs"]:
        user, start, end = job["user"], job["start"], job["end"]
        text = f"{user}, job {job['job']}: {start} to {end}"
        bars.append(Bar(job["machine"] - 1, start, end, order[user], str(job["job"]), text))
    machines = max((job["machine"] for job in data["jobs"]), default=1)
    return Gantt([f"machine {i + 1}" for i in range(machines)], bars, names)


def owners(data: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Entries of a legend: every user with her objective and value."""
    return [
        (f"{cut(row['name'], 40)}: {row['objective'].replace('-', ' ')} {exact(row['value'])}", fill(i))
        for i, row in enumerate(data["users"])
    ]


def label(user: Mapping[str, Any]) -> str:
    """What a user's value is."""
    return f"{user['name']} ({user['objective'].replace('-', ' ')})"
