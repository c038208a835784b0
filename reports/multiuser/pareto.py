"""Drawings of Pareto sets of users' values, with zenith, nadir and the fairest point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ..charts import MAX_ROWS, left_out, named
from ..style import (
    BEST,
    BLUE,
    GREY,
    TEXT,
    bare,
    below,
    cut,
    exact,
    hover,
    hover_points,
    line,
    look,
    new_figure,
    number,
    points,
    title,
    width_of,
)
from ..tables import counted
from .refinement import draw_boxes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CORNERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "zenith": {"marker": "v", "color": "white", "markeredgecolor": "black", "linestyle": "none", "markersize": 7},
    "nadir": {"marker": "X", "color": "white", "markeredgecolor": "black", "linestyle": "none", "markersize": 7},
}
"""Marks of the corners of what users can hope for."""
MEANINGS: Final = {
    "zenith": "zenith: everybody's best value alone",
    "nadir": "nadir: no Pareto-optimal point is worse",
}
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
        figure.colorbar(dots, label=_axis(users[across[2]]))
    hover_points(axes, x, y, [_point_text(users, point) for point in data["pareto"]])
    below(figure, _marks(axes, users, across[:2], fairest))
    axes.set_xlabel(_axis(users[across[0]]))
    axes.set_ylabel(_axis(users[across[1]]))
    title(figure, *_heading(data))
    bare(axes)
    return figure


def _axis(user: Mapping[str, Any]) -> str:
    return f"{cut(user['name'])}: {user['objective'].replace('-', ' ')} (time units)"


def _point_text(users: Sequence[Mapping[str, Any]], point: Sequence[Any]) -> str:
    """A point, user by user."""
    return ", ".join(f"{row['name']} {value}" for row, value in zip(users, point, strict=True))


def _marks(
    axes: Axes, users: Sequence[Mapping[str, Any]], across: Sequence[int], fairest: Sequence[Any] | None
) -> list[Any]:
    """Zenith, nadir and the fairest point; returns entries for a legend."""
    marks = []
    for name, mark_look in CORNERS.items():
        corner = [row[name] for row in users]
        if None not in corner:
            (mark,) = axes.plot(*([number(corner[u])] for u in across), **mark_look, zorder=4, label=MEANINGS[name])
            hover(mark, f"{name}: {_point_text(users, corner)}")
            marks.append(mark)
    if fairest is not None:
        (mark,) = axes.plot(*([number(fairest[u])] for u in across), **BEST, markersize=12, zorder=5, label="fairest")
        hover(mark, f"fairest: {_point_text(users, fairest)}")
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
        hover(drawn, _point_text(data["users"], point))
    if fairest is not None:
        heights = [_place(fairest[u], [other[u] for other in data["pareto"]]) for u in places]
        hover(axes.plot(places, heights, **BEST, markersize=10)[0], f"fairest: {_point_text(data['users'], fairest)}")
        below(figure, [Line2D([], [], **BEST, markersize=8, label="fairest")])
    _name(axes, data, users)
    unseen = (
        left_out(len(data["pareto"]) - len(listed), "listed points"),
        left_out(len(data["users"]) - len(users), "users"),
    )
    title(figure, *_heading(data), *filter(None, unseen))
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


def _heading(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Scenario, rule, number of points, and what is not drawn."""
    heading = f"{named(data)}: {counted(data['pareto_count'], 'point')}"
    return (heading, *filter(None, (left_out(data["pareto_left_out"], "points"),)))
