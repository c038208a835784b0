"""Drawings of records on scenarios of kind ``declaration``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ..charts import Bar, Panel, Verdict, comparison, findings, gantt, gantt_figure
from ..game.figures import search
from ..style import COLOURS, GREY, TEXT, bare, fill, legend, new_figure, number, points, title
from ..tables import counted
from . import tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["compare", "curve", "run", "search", "verify"]

compare = comparison

MARKS: Final = {
    "renice": "share lowered",
    "postpone": "postponed",
    "close": "gap closed",
    "early": "output early",
    "run-on": "runs on",
    "kill": "killed",
    "hold": "output held back",
}
"""What each control is called in the drawing."""

PLANNED, ACTUAL = (0.52, 0.84), (0.06, 0.38)
"""The parts of a machine's row: what was planned, and below what happened."""


def run(data: Mapping[str, Any], record: object = None) -> Figure:
    """Gantt chart: per machine the plan above, what happened below, controls marked.

    A bar is a job; its height in the lower row is its share of the machine. A diamond at the end of a dotted line marks
    when the agent gets her output, where that is not the end of her work.
    """
    staying = [row for row in data["agents"] if row["machine"] is not None]
    machines = sorted({row["machine"] for row in staying}) or [1]
    order = {row["name"]: i for i, row in enumerate(data["agents"])}
    bars = []
    for place, machine in enumerate(machines):
        listed = sorted((row for row in staying if row["machine"] == machine), key=lambda row: int(row["position"]))
        begin = 0.0
        for row in listed:
            end, mine = number(row["planned"]), order[row["name"]]
            bars.append(Bar(place, begin, end, mine, row["name"], PLANNED, 0.8, pale=True))
            bars += [_piece(place, piece, mine, row["name"]) for piece in row["work"]]
            begin = end
    figure, axes = gantt_figure(len(machines), each=1.15)
    cut = gantt(axes, bars, [f"machine {machine}" for machine in machines])
    taken: dict[int, float] = {}
    for row in sorted(staying, key=_end):
        level = len(machines) - 1 - machines.index(row["machine"])
        taken[level] = _mark(axes, row, level, taken.get(level, 0.0))
    title(axes, f"{data['scenario']}: planned (pale, above) and actual (below)", *filter(None, (cut,)))
    legend(figure, [(_entry(row), fill(order[row["name"]])) for row in data["agents"]])
    return figure


def _piece(place: int, piece: Sequence[Any], group: int, name: str) -> Bar:
    begin, end, share = (number(value) for value in piece)
    low, high = ACTUAL
    return Bar(place, begin, end, group, name, (low, low + (high - low) * share), 0.8)


def _end(row: Mapping[str, Any]) -> float:
    """When the last piece of an agent's work ends."""
    return max((number(to) for _, to, _ in row["work"]), default=0.0)


def _controls(row: Mapping[str, Any]) -> str:
    """The tools that were applied to an agent, in words."""
    if not row["stayed"]:
        return "left"
    on_time = row["output"] == row["planned"]
    marks = [MARKS.get(control, control) for control in row["controls"] if not (control == "early" and on_time)]
    if row["killed"] and "killed" not in marks:
        marks.append("killed")
    return ", ".join(marks)


def _entry(row: Mapping[str, Any]) -> str:
    told = _controls(row)
    return f"{row['name']}: {told}" if told else str(row["name"])


def _mark(axes: Axes, row: Mapping[str, Any], level: int, taken: float) -> float:
    """Controls in words above the actual work where there is room after ``taken``; the output as a diamond where later.

    Returns up to where words stand.
    """
    low, high = (level + part for part in ACTUAL)
    end, told = _end(row), _controls(row)
    width = len(told) * 0.55 * TEXT / points(axes) * axes.get_xlim()[1]
    if told and (taken == 0 or end - width > taken):
        axes.text(end, high + 0.02, f"{told} ", ha="right", va="bottom", fontsize=TEXT - 0.5, style="italic")
        taken = end
    output = number(row["output"]) if row["output"] is not None else math.inf
    if math.isfinite(output) and output != end:
        middle = (low + high) / 2
        axes.plot([end, output], [middle, middle], color="black", linestyle=":", linewidth=1, zorder=3)
        axes.plot([output], [middle], marker="D", color="white", markeredgecolor="black", markersize=5, zorder=4)
        axes.set_xlim(right=max(axes.get_xlim()[1], 1.03 * output))
    return taken


def verify(data: Mapping[str, Any], record: object = None) -> Figure:
    """What holds and what fails on the domain; the truth against the lie that pays, in utility."""
    verdicts, panels = [], []
    for name, told in (("dominant", "truth is dominant"), ("ex_post", "truth is best ex post")):
        found = data.get(name)
        if not found:
            continue
        witness = found["witness"]
        text = _effort(found) + (f"; {found['note']}" if found["note"] else "")
        verdicts.append(Verdict(told, found["holds"], text))
        if witness:
            lies = f"{name.replace('_', ' ')}: utility of {witness['agent']}, whose length is {witness['length']}"
            names = (f"truth {witness['length']}", f"lie {witness['lie']}")
            panels.append(Panel(lies, names, (witness["utility_truth"], witness["utility_lie"])))
    for name, found in tables.each_property(data.get("properties") or {}).items():
        witness = found["witness"]
        shown = tables.told(witness) if witness else _effort(found)
        verdicts.append(Verdict(name, found["holds"], shown))
    return findings(f"verify: {data['scenario']}", verdicts, panels)


def _effort(found: Mapping[str, Any]) -> str:
    """Cases tried, or cells of a proof."""
    return counted(found["cells"], "cell") if found["cases"] is None else counted(found["cases"], "case")


def curve(data: Mapping[str, Any], record: object = None) -> Figure:
    """Utility against declaration: pieces as lines, jumps with open and filled ends, the truth marked."""
    figure = new_figure()
    axes = figure.subplots()
    jumps = set(map(str, data["jumps"]))
    _pieces(axes, data, jumps)
    for row in data["points"]:
        if str(row["declares"]) in jumps and row["utility"] != "-inf":
            place = ([number(row["declares"])], [number(row["utility"])])
            axes.plot(*place, marker="o", markersize=5, color=COLOURS[0], zorder=5)
    for begin, end in data["isolated"]:
        axes.axvspan(number(begin), number(end), color=GREY, alpha=0.5)
    truth = number(data["truth"])
    if number(data["from"]) <= truth <= number(data["to"]):
        axes.axvline(truth, color="black", linestyle="--", linewidth=1)
        axes.annotate(" truth", (truth, 1), xycoords=("data", "axes fraction"), va="top", fontsize=TEXT + 1)
    axes.set_xlabel(f"declaration of {data['agent']}")
    axes.set_ylabel("utility")
    title(axes, data["scenario"], *tables.doubts(data))
    bare(axes)
    return figure


def _pieces(axes: Axes, data: Mapping[str, Any], jumps: set[str]) -> None:
    """The pieces as lines, open where they jump; dotted at the bottom where there is no output."""
    finite = [number(piece[key]) for piece in data["pieces"] for key in ("at_from", "at_to") if piece[key] != "-inf"]
    finite += [number(row["utility"]) for row in data["points"] if row["utility"] != "-inf"]
    floor = (min(finite) - 0.12 * (max(finite) - min(finite) or 1)) if finite else 0.0
    for piece in data["pieces"]:
        ends = [number(piece["from"]), number(piece["to"])]
        if piece["at_from"] == "-inf":
            axes.plot(ends, [floor, floor], color="black", linestyle=":", linewidth=1.5)
            axes.annotate("never gets her output", (sum(ends) / 2, floor), ha="center", va="bottom", fontsize=TEXT)
            continue
        heights = [number(piece["at_from"]), number(piece["at_to"])]
        axes.plot(ends, heights, color=COLOURS[0], linewidth=1.8)
        for x, y, place in zip(ends, heights, (piece["from"], piece["to"]), strict=True):
            if str(place) in jumps:
                axes.plot([x], [y], marker="o", markersize=5, color="white", markeredgecolor=COLOURS[0], zorder=4)
