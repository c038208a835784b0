"""Drawings for scenarios of kind ``federation``: Gantt charts and the trade-off of cooperation against makespan."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..charts import (
    FRAMED,
    TIME,
    Bar,
    Gantt,
    Panel,
    Verdict,
    comparison,
    draw_gantt,
    findings,
    gantt_figure,
    left_out,
    named,
)
from ..game.figures import search
from ..style import COLOURS, LINES, MARKERS, TEXT, bare, fill, hover, legend, look, new_figure, number, title
from . import tables

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["compare", "run", "search", "trade_off", "verify"]

compare = comparison


def run(data: Mapping[str, Any], record: object = None) -> Figure:
    """Gantt chart: one row per machine, one colour and hatch per organization.

    A foreign job has a thick frame and its owner's name, so that help is visible without colours.
    """
    from matplotlib.patches import Patch

    chart = gantt(data)
    figure, axes = gantt_figure(len(chart.rows))
    left = draw_gantt(axes, chart)
    unlisted = left_out(data.get("jobs_left_out", 0), "jobs")
    title(figure, named(data), *filter(None, (left, unlisted)))
    abroad = [Patch(facecolor="white", edgecolor="black", linewidth=FRAMED, label="on a foreign machine")]
    foreign = any(bar.framed for bar in chart.bars)
    legend(figure, [(name, fill(i)) for i, name in enumerate(chart.groups)], abroad if foreign else ())
    return figure


def gantt(data: Mapping[str, Any]) -> Gantt:
    """The schedule of a run; foreign jobs are framed and say whose they are."""
    names = [row["name"] for row in data["organizations"]]
    number_of = {name: i for i, name in enumerate(names)}
    hosts = {(number_of[job["host"]], job["machine"]) for job in data["jobs"]}
    used = sorted(hosts | {(k, 1) for k in range(len(names))})
    row_of = {place: i for i, place in enumerate(used)}
    bars = []
    for job in data["jobs"]:
        owner, host, name = job["organization"], job["host"], str(job["job"])
        text = f"{owner}, job {name} on {host}, machine {job['machine']}: {job['start']} to {job['end']}"
        row, foreign = row_of[number_of[host], job["machine"]], owner != host
        label = f"{owner}.{name}" if foreign else name
        bars.append(Bar(row, job["start"], job["end"], number_of[owner], label, text, framed=foreign))
    several = {host for host, machine in used if machine > 1}
    rows = [names[host] + (f" / {machine}" if host in several else "") for host, machine in used]
    return Gantt(rows, bars, names)


def verify(data: Mapping[str, Any], record: object = None) -> Figure:
    """What holds and what fails; the cost against the best reply, and each broken promise against its bound."""
    verdicts = [Verdict(*finding) for finding in tables.findings(data)]
    panels = []
    stable = (data["equilibrium"] or {}).get("witness")
    if stable:
        caption = f"cost of {stable['organization']}, at its placement and by its best reply"
        panels.append(Panel(caption, ("placement", "best reply"), (stable["cost"], stable["better"]), TIME))
    broken = [(name.replace("_", " "), witness) for name, witness in data["witnesses"].items()]
    broken += [(name, claim["witness"]) for name, claim in data["claims"].items() if claim["witness"]]
    for name, witness in broken:
        caption = f"{name}: {tables.who(witness)}"
        panels.append(Panel(caption, ("found", "bound"), (witness["value"], witness["bound"])))
    return findings(f"verify: {named(data)}", verdicts, panels)


@look()
def trade_off(
    fronts: Mapping[str, Sequence[tuple[Any, Any]]],
    algorithms: Mapping[str, tuple[Any, Any]],
    curves: Mapping[str, Sequence[tuple[Any, Any]]] | None = None,
) -> Figure:
    """Cooperation against makespan: what cannot be promised, and where each algorithm sits (Figure 4.8 of the thesis).

    Parameters
    ----------
    fronts
        Per family of instances its exact Pareto points ``(alpha; C_max / OPT)``. No rule can promise less in both
        coordinates than every point of an instance allows: the rectangles below and left of the corners are shaded.
    algorithms
        Per algorithm the guarantee ``(alpha; rho)``.
    curves
        Per algorithm with a guarantee for every ``alpha`` some points of it.
    """
    figure = new_figure(width=6.4, height=4.6)
    axes = figure.subplots()
    for i, (name, points) in enumerate(fronts.items()):
        colour = COLOURS[i % len(COLOURS)]
        exact = sorted((number(a), number(c)) for a, c in points)
        for (_, high), (right, _) in itertools.pairwise(exact):
            axes.fill_between([1, right], 1, high, color=colour, alpha=0.16, linewidth=0)
            (corner,) = axes.plot([right], [high], marker="s", markersize=4, color=colour)
            hover(corner, f"{name}: degree of cooperation {right:g}, makespan / optimum {high:g}")
        axes.step(
            [a for a, _ in exact], [c for _, c in exact], where="post", linewidth=1.2,
            color=colour, linestyle=LINES[i % len(LINES)], label=name,
        )  # fmt: skip
    for i, (name, (alpha, ratio)) in enumerate(algorithms.items()):
        x, y = number(alpha), number(ratio)
        (mark,) = axes.plot([x], [y], marker=MARKERS[i % len(MARKERS)], color="black", markersize=7, linestyle="none")
        hover(mark, f"{name}: degree of cooperation {alpha}, makespan / optimum {ratio}")
        axes.annotate(name, (x, y), textcoords="offset points", xytext=(7, 5), fontsize=TEXT + 1)
    for i, (name, points) in enumerate((curves or {}).items()):
        exact = [(number(a), number(c)) for a, c in points]
        axes.plot(*zip(*exact, strict=True), color="black", linewidth=1.2, linestyle=(":", "--")[i % 2])
        axes.annotate(name, exact[0], textcoords="offset points", xytext=(8, -4), fontsize=TEXT + 1)
    axes.set_xlabel("degree of cooperation (relative: largest makespan / local makespan)")
    axes.set_ylabel("makespan (relative to the optimum)")
    axes.set_xlim(left=0.95)
    axes.set_ylim(0.97, 2.05)
    axes.legend(fontsize=TEXT, loc="upper right", title="exact Pareto points of", title_fontsize=TEXT)
    title(figure, "shaded: no rule can promise it; markers: promises of the algorithms")
    bare(axes)
    return figure
