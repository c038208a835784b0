"""Drawings of records on scenarios of kind ``declaration``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ..charts import TIME, Bar, Gantt, Panel, Verdict, comparison, draw_area, draw_gantt, findings, gantt_figure, named
from ..game.figures import search
from ..style import (
    BLUE,
    GREY,
    TEXT,
    bare,
    cut,
    exact,
    fill,
    hover,
    hover_points,
    integer_ticks,
    legend,
    legend_right,
    line,
    new_figure,
    number,
    points,
    title,
    width_of,
)
from ..tables import counted
from . import tables
from .text import sought

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["compare", "curve", "design", "prove", "run", "search", "verify"]

compare = comparison

CONTROLS: Final = {
    "renice": ("RN", "share lowered"),
    "postpone": ("POST", "output postponed"),
    "close": ("CLOSE", "gap closed"),
    "early": ("EARLY", "output early"),
    "run-on": ("RUN ON", "works on after the declared length"),
    "kill": ("KILL", "killed"),
    "hold": ("HOLD", "output held back"),
    "killed": ("KILL", "killed"),
}
"""What each control is called on the drawing, and what that means."""

PLANNED, ACTUAL = (0.52, 0.84), (0.06, 0.38)
"""The parts of a machine's row: what was planned, and below what happened."""
EACH: Final = 1.15
"""Height of a machine's row, in inches."""
OUTPUT: Final[Mapping[str, Any]] = {"marker": "D", "color": "white", "markeredgecolor": "black", "markersize": 5}


def run(data: Mapping[str, Any], record: object = None) -> Figure:
    """Gantt chart: per machine the plan above, what happened below, controls marked.

    A bar is a job; its height in the lower row is its share of the machine. A diamond at the end of a dotted line marks
    when the agent gets her output, where that is not the end of her work.
    """
    chart, staying = gantt(data), _staying(data)
    figure, axes = gantt_figure(len(chart.rows), EACH)
    if not staying and any(row["stayed"] for row in data["agents"]):  # a custom rule that gives output times only
        axes.set_axis_off()
        title(figure, named(data), "The rule does not say who runs where: there is no schedule to draw.")
        return figure
    left_out = draw_gantt(axes, chart, EACH)
    taken: dict[int, float] = {}
    machines = _machines(staying)
    for row in sorted(staying, key=_end):
        level = len(machines) - 1 - machines.index(row["machine"])
        taken[level] = _mark(axes, row, level, taken.get(level, 0.0))
    title(figure, f"{named(data)}: planned (pale, above) and actual (below)", left_out)
    legend(figure, [(_entry(row), fill(i)) for i, row in enumerate(data["agents"])], _signs(staying))
    return figure


def _staying(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [row for row in data["agents"] if row["machine"] is not None]


def _machines(staying: Sequence[Mapping[str, Any]]) -> list[int]:
    return sorted({row["machine"] for row in staying}) or [1]


def gantt(data: Mapping[str, Any]) -> Gantt:
    """A row per machine with the plan above, pale, and what happened below, as high as the share of the machine."""
    order = {row["name"]: i for i, row in enumerate(data["agents"])}
    staying = _staying(data)
    machines = _machines(staying)
    bars = []
    for place, machine in enumerate(machines):
        begin: Any = 0
        for row in sorted((row for row in staying if row["machine"] == machine), key=lambda row: int(row["position"])):
            name, mine, planned = row["name"], order[row["name"]], row["planned"]
            bars.append(
                Bar(place, begin, planned, mine, name, f"{name}, planned: {begin} to {planned}", PLANNED, pale=True)
            )
            for start, end, share in row["work"]:
                text = f"{name}: {start} to {end}, share {share}; utility {row['utility']}"
                low, high = ACTUAL
                lane = low, low + (high - low) * number(share)
                bars.append(Bar(place, start, end, mine, name, text, lane))
            begin = planned
    return Gantt([f"machine {machine}" for machine in machines], bars, list(order))


def _end(row: Mapping[str, Any]) -> float:
    """When the last piece of an agent's work ends."""
    return max((number(to) for _, to, _ in row["work"]), default=0.0)


def _controls(row: Mapping[str, Any]) -> list[str]:
    """The controls that changed what an agent got."""
    on_time = row["output"] == row["planned"]
    controls = [control for control in row["controls"] if not (control == "early" and on_time)]
    return controls + ["killed"] * (row["killed"] and not {"kill", "killed"} & set(controls))


def _entry(row: Mapping[str, Any]) -> str:
    words = ["left"] if not row["stayed"] else [CONTROLS.get(name, (name,))[0] for name in _controls(row)]
    return ": ".join(filter(None, (cut(row["name"], 40), ", ".join(words))))


def _output(row: Mapping[str, Any]) -> float:
    """When an agent gets her output; infinite where never."""
    return math.inf if row["output"] is None else number(row["output"])


def _signs(rows: Sequence[Mapping[str, Any]]) -> list[Any]:
    """What stands on the drawing besides bars: entries of its legend."""
    from matplotlib.lines import Line2D

    used = dict.fromkeys(name for row in rows for name in _controls(row) if name in CONTROLS)
    plain: dict[str, Any] = {"linestyle": "none", "marker": "none"}
    meanings = dict.fromkeys(CONTROLS[name] for name in used)
    signs = [Line2D([], [], **plain, label=f"{short}: {meaning}") for short, meaning in meanings]
    if any(math.isfinite(_output(row)) and _output(row) != _end(row) for row in rows):
        signs.append(Line2D([], [], linestyle="none", **OUTPUT, label="output"))
    return signs


def _mark(axes: Axes, row: Mapping[str, Any], level: int, taken: float) -> float:
    """Controls above the actual work where there is room after ``taken``; the output as a diamond where later.

    Returns up to where words stand.
    """
    low, high = (level + part for part in ACTUAL)
    end, names = _end(row), ", ".join(CONTROLS.get(name, (name,))[0] for name in _controls(row))
    width = (width_of(names, TEXT) + TEXT) / (points(axes) - 12 * TEXT) * axes.get_xlim()[1]
    if names and end - width >= taken:
        words = axes.text(end, high + 0.02, names, ha="right", va="bottom", fontsize=TEXT, style="italic")
        hover(words, f"{row['name']}: {', '.join(CONTROLS.get(name, ('', name))[1] for name in _controls(row))}")
        taken = end
    output = _output(row)
    if math.isfinite(output) and output != end:
        middle = (low + high) / 2
        axes.plot([end, output], [middle, middle], color="black", linestyle=":", linewidth=1, zorder=3)
        hover(axes.plot([output], [middle], **OUTPUT, zorder=4)[0], f"{row['name']}: output at {row['output']}")
        axes.set_xlim(right=max(axes.get_xlim()[1], 1.03 * output))
    return taken


def verify(data: Mapping[str, Any], record: object = None) -> Figure:
    """What holds and what fails on the domain; the truth against the lie that pays, in utility."""
    verdicts, panels = [], []
    for name, head in (("dominant", "truth is dominant"), ("ex_post", "truth is best ex post")):
        row = data.get(name)
        if not row:
            continue
        witness = row["witness"]
        text = "; ".join(filter(None, (_effort(row), *tables.worded(row).values())))
        verdicts.append(Verdict(head, row["holds"], text))
        if witness:
            lies = f"{name.replace('_', ' ')}: utility of {witness['agent']}, whose length is {witness['length']}"
            names = (f"truth {witness['length']}", f"lie {witness['lie']}")
            panels.append(Panel(lies, names, (witness["utility_truth"], witness["utility_lie"]), TIME))
    for name, row in tables.each_property(data.get("properties") or {}).items():
        witness = row["witness"]
        text = tables.witness_text(witness) if witness else _effort(row)
        verdicts.append(Verdict(name, row["holds"], text))
    return findings(f"{data['verb']}: {named(data)}", verdicts, panels)


def prove(data: Mapping[str, Any], record: object = None) -> Figure:
    """Where lies pay in the plane of a liar's length and declaration, where that is known; else what is proved."""
    rows = {name: data[name] for name in ("dominant", "ex_post") if data[name].get("regions")}
    if not rows:
        return verify(data)
    figure, looks = new_figure(height=4.2), dict[str, dict[str, Any]]()
    for axes, (name, row) in zip(figure.subplots(1, len(rows), squeeze=False)[0], rows.items(), strict=True):
        lies, areas, liar = row["regions"]["lies"], row["regions"]["plane"], row["witness"]["agent"]
        for area in areas:
            gain = f"gains {lies[area['region'] - 1]['gain']}"
            draw_area(axes, area, gain, looks.setdefault(gain, fill(len(looks)) | {"edgecolor": "white"}))
        corners = [corner for area in areas for polygon in area["polygons"] for corner in polygon]
        end = max((number(x) for corner in corners for x in corner), default=1.0)
        axes.set(xlim=(0, end), ylim=(0, end), aspect="equal")
        axes.set(xlabel=f"length of {cut(liar, 20)} (units of work)", ylabel=f"what {cut(liar, 20)} declares")
        both = (row["witness"][what] for what in ("lengths", "declarations"))
        fixed = [{who: x for who, x in numbers.items() if who != liar} for numbers in both]
        texts = [", ".join(f"{who} {x}" for who, x in numbers.items()) for numbers in fixed]
        text = "; declared: ".join(dict.fromkeys(texts))
        axes.set_title(cut(f"{name.replace('_', ' ')}; {text}", 60), fontsize=TEXT + 1)
        bare(axes)
    title(figure, f"prove: {named(data)}", "where a lie pays")
    legend(figure, list(looks.items()))
    return figure


def _effort(row: Mapping[str, Any]) -> str:
    """Cases tried, or cells of a proof."""
    return counted(row["cells"], "cell") if "cells" in row else counted(row["cases"], "case")


LINES: Final = 8
"""Up to so many declarations of the others have a line each in a panel; more have a row of cells each."""
ROWS: Final = 40
"""Up to so many rows of cells have room for their names and numbers."""


def design(data: Mapping[str, Any], record: object = None) -> Figure:
    """The frontier of rent and cost, else every agent's payments by declaration, else whether there are any."""
    if data.get("frontier"):
        return _frontier(data)
    if not data["table"]:
        exists = {"optimal": True, "impossible": False}.get(data["status"])
        value = "" if data["value"] is None else f"{data['objective']} {exact(data['value'])}"
        return findings(
            f"design: {named(data)}", [Verdict(f"{sought(data)} that make the truth best exist", exists, value)], []
        )
    lines = {name: payment_lines(data["table"], name) for name in data["table"][0]["payments"]}
    most = max(map(len, lines.values()))
    figure = new_figure(height=max(3.2, (2.2 if most <= LINES else 0.8 + 0.16 * min(most, ROWS)) * len(lines)))
    for axes, (name, each) in zip(figure.subplots(len(lines), squeeze=False)[:, 0], lines.items(), strict=True):
        (_payments if most <= LINES else _payment_cells)(axes, name, each)
    title(figure, f"design: {named(data)}", f"{data['objective']} {exact(data['value'])}" if data["value"] else "")
    return figure


def payment_lines(rows: Sequence[Mapping[str, Any]], name: str) -> dict[str, list[tuple[Any, Any]]]:
    """Declarations and payments of an agent, by what the others declare."""
    lines: dict[str, list[tuple[Any, Any]]] = {}
    for row in rows:
        others = ", ".join(f"{k} {x}" for k, x in row["declarations"].items() if k != name) or "alone"
        lines.setdefault(others, []).append((row["declarations"][name], row["payments"][name]))
    return lines


def _payments(axes: Axes, name: str, lines: Mapping[str, Sequence[tuple[Any, Any]]]) -> None:
    """A line for each declaration of the others."""
    for i, (others, places) in enumerate(lines.items()):
        x, y = ([number(place[k]) for place in places] for k in (0, 1))
        axes.plot(x, y, marker="o", markersize=3, label=cut(others, 40), **{"linewidth": 1.2} | line(i))
        hover_points(axes, x, y, [f"{name} declares {b}, others {others}: pays {paid}" for b, paid in places])
        integer_ticks(axes.xaxis, x)
    axes.set_ylabel(f"{cut(name, 20)} pays (time units)")
    axes.set_xlabel("declaration (units of work)")
    if len(lines) > 1:
        legend_right(axes)
    bare(axes)


def _payment_cells(axes: Axes, name: str, lines: Mapping[str, Sequence[tuple[Any, Any]]]) -> None:
    """A row of cells for each declaration of the others, a column for each of the agent's own."""
    own = list(dict.fromkeys(b for places in lines.values() for b, _ in places))
    paid = [dict(places) for places in lines.values()]
    values = [[number(row[b]) if b in row else math.nan for b in own] for row in paid]
    largest = max((abs(value) for row in values for value in row if not math.isnan(value)), default=0) or 1
    axes.pcolormesh(values, cmap="PuOr_r", vmin=-largest, vmax=largest)
    if len(lines) <= ROWS:
        for i, row in enumerate(paid):
            for j, b in enumerate(own):
                if b in row:
                    colour = "white" if abs(values[i][j]) > 0.7 * largest else "black"
                    axes.text(j + 0.5, i + 0.5, exact(row[b]), ha="center", va="center", fontsize=7, color=colour)
        axes.set_yticks([i + 0.5 for i in range(len(lines))], [cut(others, 40) for others in lines], fontsize=7)
    else:
        axes.set_yticks([])
        axes.set_ylabel(f"{len(lines):,} declarations of the others")
    axes.set_xticks([j + 0.5 for j in range(len(own))], [exact(b) for b in own])
    axes.tick_params(length=0)
    axes.invert_yaxis()
    axes.set_xlabel(f"{cut(name, 20)} declares; in the cells what {cut(name, 20)} pays (time units)")


def _frontier(data: Mapping[str, Any]) -> Figure:
    """Cost against rent: straight between the corners where chance may choose, else a staircase."""
    figure = new_figure()
    axes = figure.subplots()
    corners = sorted((number(row["rent"]), number(row["cost"])) for row in data["frontier"])
    x, y = ([corner[k] for corner in corners] for k in (0, 1))
    drawn = any("lottery" in row for row in data["table"] or ())
    axes.plot(x, y, color=BLUE, marker="o", markersize=5, drawstyle="default" if drawn else "steps-post")
    texts = {number(row["rent"]): f"rent at most {row['rent']}: cost {row['cost']}" for row in data["frontier"]}
    hover_points(axes, x, y, [texts[rent] for rent in x])
    axes.set_xlabel("largest sum of payments of the truthful (time units)")
    axes.set_ylabel("least cost of the goal")
    title(figure, f"design: {named(data)}, {'lotteries' if drawn else 'deterministic allocations'}")
    bare(axes)
    return figure


@dataclass(frozen=True)
class Piece:
    """A straight part of a curve between two points (declaration, utility), which may be ``"-inf"``: no output.

    ``open``: those of its ends at which the curve jumps.
    """

    start: tuple[Any, Any]
    end: tuple[Any, Any]
    hover: str
    open: tuple[tuple[Any, Any], ...]


@dataclass(frozen=True)
class Place:
    """The value of a curve at a declaration, and whether it jumps there."""

    x: Any
    y: Any
    hover: str
    jumps: bool


def curve_points(data: Mapping[str, Any]) -> tuple[list[Piece], list[Place]]:
    """The pieces of a curve and its values where they meet, as they are drawn."""
    jumps, pieces = set(map(str, data["jumps"])), []
    for piece in data["pieces"]:
        ends = (piece["from"], piece["at_from"]), (piece["to"], piece["at_to"])
        (begin, low), (end, high) = ends
        opened = tuple(place for place in ends if str(place[0]) in jumps)
        pieces.append(Piece(*ends, f"declares {begin} to {end}: utility {low} to {high}", opened))
    places = ((row["declares"], row["utility"]) for row in data["points"])
    return pieces, [Place(x, y, f"declares {x}: utility {y}", str(x) in jumps) for x, y in places]


def curve(data: Mapping[str, Any], record: object = None) -> Figure:
    """Utility against declaration: pieces as lines, jumps with open and filled ends, the truth marked."""
    figure = new_figure()
    axes = figure.subplots()
    pieces, places = curve_points(data)
    finite = [place for place in places if place.y != "-inf"]
    _pieces(axes, pieces, [number(place.y) for place in finite])
    x, y = ([number(getattr(place, name)) for place in finite] for name in "xy")
    for place, across, up in zip(finite, x, y, strict=True):
        if place.jumps:
            axes.plot([across], [up], marker="o", markersize=5, color=BLUE, zorder=5)
    hover_points(axes, x, y, [place.hover for place in finite])
    for begin, end in data["isolated"]:
        axes.axvspan(number(begin), number(end), color=GREY, alpha=0.5)
    truth = number(data["truth"])
    if number(data["from"]) <= truth <= number(data["to"]):
        axes.axvline(truth, color="black", linestyle="--", linewidth=1)
        right = truth > (number(data["from"]) + number(data["to"])) / 2
        axes.annotate(
            f" truth {exact(data['truth'])} ", (truth, 1), xycoords=("data", "axes fraction"),
            va="bottom", ha="right" if right else "left", fontsize=TEXT + 1,
        )  # fmt: skip
    axes.set_xlabel(f"declaration of {cut(data['agent'])} (units of work)")
    axes.set_ylabel("utility (time units)")
    title(figure, f"curve: {named(data)}", *tables.doubts(data))
    bare(axes)
    return figure


def _pieces(axes: Axes, pieces: Sequence[Piece], heights: list[float]) -> None:
    """The pieces as lines, open where they jump; dotted below all ``heights`` where there is no output."""
    heights += [number(y) for piece in pieces for _, y in (piece.start, piece.end) if y != "-inf"]
    floor = (min(heights) - 0.12 * (max(heights) - min(heights) or 1)) if heights else 0.0
    for piece in pieces:
        (begin, low), (end, high) = piece.start, piece.end
        ends = [number(begin), number(end)]
        if low == "-inf":
            axes.plot(ends, [floor, floor], color="black", linestyle=":", linewidth=1.5)
            axes.annotate("never gets her output", (sum(ends) / 2, floor), ha="center", va="bottom", fontsize=TEXT)
            continue
        hover(axes.plot(ends, [number(low), number(high)], color=BLUE, linewidth=1.8)[0], piece.hover)
        for x, y in piece.open:
            axes.plot([number(x)], [number(y)], marker="o", markersize=5, color="white", markeredgecolor=BLUE, zorder=4)
