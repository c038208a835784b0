"""Drawings of a refinement on scenarios of kind ``multiuser``: its boxes, level by level, up to the one that proves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ..charts import left_out, named
from ..style import BEST, TEXT, bare, cut_to, hover, legend, new_figure, number, points, title
from .schedules import draw_schedule, machines, owners

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
    below = 1.3 + ROOM * machines(data)
    figure.set_figheight(2.5 * rows + below)
    parts: Any = figure.subfigures(2, 1, height_ratios=[2.5 * rows, below])
    upper, lower = parts
    grid = upper.subplots(rows, across, squeeze=False)
    two = [u for u, row in enumerate(data["users"]) if row["objective"] == "makespan"]
    for axes in grid.flat[len(levels) :]:
        axes.set_axis_off()
    for axes, level in zip(grid.flat, levels, strict=False):
        _level(axes, data["users"], two, level, levels[0])
    unseen = left_out(len(data["fairness"]["levels"]) - len(levels), "levels")
    title(upper, f"{named(data)}: boxes of the refinement, and the fairest schedule", *filter(None, (unseen,)))
    legend(upper, [(text, _fate(fate)) for fate, (_, _, text) in FATES.items()])
    left = draw_schedule(lower.subplots(), data, ROOM)
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
    axes.tick_params(labelsize=TEXT - 1)
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
