"""Drawings of records on scenarios of kind ``declaration``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..figures import new_figure, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKS = {
    "renice": "share lowered",
    "postpone": "postponed",
    "close": "gap closed",
    "early": "output early",
    "run-on": "runs on",
    "kill": "killed",
    "hold": "output held back",
}
"""What each control is called in the drawing."""


def gantt(data: Mapping[str, Any]) -> Figure:
    """Gantt chart of a ``run`` record's dict: per machine the plan above, what happened below, controls marked.

    A bar is a job; its height in the lower row is its share of the machine. A diamond at the end of a dotted line marks
    when the agent gets her output, where that is not the end of her work.
    """
    agents = [row for row in data["agents"] if row["machine"] is not None]
    machines = sorted({row["machine"] for row in agents}) or [1]
    figure = new_figure(height=1.1 + 1.15 * len(machines))
    axes = figure.subplots()
    order = {row["name"]: i for i, row in enumerate(data["agents"])}
    for level, machine in enumerate(reversed(machines)):
        listed = sorted((row for row in agents if row["machine"] == machine), key=lambda row: int(row["position"]))
        begin = 0.0
        for row in listed:
            end = _number(row["planned"])
            _bar(axes, begin, end, level + 0.52, 0.32, order[row["name"]], row["name"], planned=True)
            begin = end
            _actual(axes, row, level + 0.06, order[row["name"]])
    axes.set_yticks([level + 0.44 for level in range(len(machines))], [f"machine {m}" for m in reversed(machines)])
    axes.set_ylim(-0.1, len(machines))
    axes.set_xlim(left=0)
    axes.set_xlabel("time")
    axes.set_title(f"{data['scenario']}: planned (pale, above) and actual (below)", fontsize=9, loc="left")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure


def _number(value: Any) -> float:
    return math.inf if value == "inf" else float(Fraction(value))


def _bar(
    axes: Axes, begin: float, end: float, low: float, height: float, group: int, name: str, *, planned: bool = False
) -> None:
    look = style(group)
    axes.barh(
        low, end - begin, left=begin, height=height, align="edge", linewidth=0.8, alpha=0.35 if planned else 1, **look
    )
    axes.text(
        (begin + end) / 2, low + height / 2, name, ha="center", va="center", fontsize=8,
        bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.85},
    )  # fmt: skip


def _actual(axes: Axes, row: Mapping[str, Any], low: float, group: int) -> None:
    full = 0.32
    end = 0.0
    for piece in row["work"]:
        begin, end, share = (_number(value) for value in piece)
        _bar(axes, begin, end, low, full * share, group, row["name"])
    on_time = row["output"] == row["planned"]
    marks = [MARKS.get(control, control) for control in row["controls"] if not (control == "early" and on_time)]
    if row["killed"] and "killed" not in marks:
        marks.append("killed")
    if marks:
        axes.text(end, low + full + 0.02, ", ".join(marks) + " ", ha="right", va="bottom", fontsize=6.5, style="italic")
    output = _number(row["output"]) if row["output"] is not None else math.inf
    if math.isfinite(output) and output != end:
        middle = low + full / 2
        axes.plot([end, output], [middle, middle], color="black", linestyle=":", linewidth=1, zorder=3)
        axes.plot([output], [middle], marker="D", color="white", markeredgecolor="black", markersize=5, zorder=4)


def curve(data: Mapping[str, Any]) -> Figure:
    """Utility against declaration: pieces as lines, jumps with open and filled ends, the truth marked."""
    figure = new_figure()
    axes = figure.subplots()
    finite = [_number(piece[key]) for piece in data["pieces"] for key in ("at_from", "at_to") if piece[key] != "-inf"]
    finite += [_number(row["utility"]) for row in data["points"] if row["utility"] != "-inf"]
    floor = (min(finite) - 0.12 * (max(finite) - min(finite) or 1)) if finite else 0.0
    jumps = set(map(str, data["jumps"]))
    for piece in data["pieces"]:
        ends = [_number(piece["from"]), _number(piece["to"])]
        if piece["at_from"] == "-inf":
            axes.plot(ends, [floor, floor], color="black", linestyle=":", linewidth=1.5)
            axes.annotate("never gets her output", (sum(ends) / 2, floor), ha="center", va="bottom", fontsize=7)
            continue
        heights = [_number(piece["at_from"]), _number(piece["at_to"])]
        axes.plot(ends, heights, color="#0072B2", linewidth=1.8)
        for x, y, place in zip(ends, heights, (piece["from"], piece["to"]), strict=True):
            if str(place) in jumps:
                axes.plot([x], [y], marker="o", markersize=5, color="white", markeredgecolor="#0072B2", zorder=4)
    for row in data["points"]:
        if str(row["declares"]) in jumps and row["utility"] != "-inf":
            place = ([_number(row["declares"])], [_number(row["utility"])])
            axes.plot(*place, marker="o", markersize=5, color="#0072B2", zorder=5)
    for begin, end in data["isolated"]:
        axes.axvspan(_number(begin), _number(end), color="#999999", alpha=0.5)
    truth = _number(data["truth"])
    if _number(data["from"]) <= truth <= _number(data["to"]):
        axes.axvline(truth, color="black", linestyle="--", linewidth=1)
        axes.annotate(" truth", (truth, 1), xycoords=("data", "axes fraction"), va="top", fontsize=8)
    axes.set_xlabel(f"declaration of {data['agent']}")
    axes.set_ylabel("utility")
    axes.set_title(str(data["scenario"]), fontsize=9, loc="left")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure
