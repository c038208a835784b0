"""Drawings for scenarios of kind ``federation``: Gantt charts, and what holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from ..charts import (
    FRAMED,
    TIME,
    Bar,
    Gantt,
    Panel,
    Verdict,
    comparison,
    draw_area,
    draw_gantt,
    findings,
    gantt_figure,
    left_out,
    named,
)
from ..game.figures import search
from ..style import bare, fill, legend, new_figure, title
from . import tables

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["compare", "prove", "run", "search", "verify"]

compare = comparison
NOWHERE: Final[dict[str, Any]] = {"facecolor": "black", "edgecolor": "white", "hatch": ""}
"""Where no placement is an equilibrium."""


def run(data: Mapping[str, Any], record: object = None) -> Figure:
    """Gantt chart: one row per machine, one colour and hatch per organization.

    A foreign job has a thick frame and its owner's name, so that help is visible without colours.
    """
    from matplotlib.patches import Patch

    chart = gantt(data)
    figure, axes = gantt_figure(len(chart.rows))
    left = draw_gantt(axes, chart)
    unlisted = left_out(data.get("jobs_left_out", 0), "jobs")
    title(figure, named(data), left, unlisted)
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


def prove(data: Mapping[str, Any], record: object = None) -> Figure:
    """The verdict for all lengths, and what is known of the largest price, ratio or least epsilon; or a plane."""
    if data.get("plane"):
        return plane(data)
    holds = {"proved": True, "refuted": False}.get(data["status"])
    note = data["theorem"] or ("" if data["regions"] is None else f"{data['regions']:,} regions")
    ends = {name.replace("_", " "): data[name] for name in ("at_least", "at_most") if data[name] is not None}
    panels = [Panel(data["property"], tuple(ends), tuple(ends.values()), "relative to the best")] if ends else []
    return findings(f"prove: {named(data)}", [Verdict(data["property"], holds, note)], panels)


def plane(data: Mapping[str, Any]) -> Figure:
    """The plane of two lengths; each placement has a colour and a hatch where it is an equilibrium."""
    entries = list[tuple[str, dict[str, Any]]]()
    figure = new_figure(height=4.6)
    axes = figure.subplots()
    for i, area in enumerate(data["plane"]["areas"]):
        look = NOWHERE if area["placement"] is None else fill(i) | {"edgecolor": "white"}
        entries.append((tables.away(area["placement"]), look))
        draw_area(axes, area, *entries[-1])
    axes.autoscale_view()
    axes.set_aspect("equal")
    for name, put in (("x", axes.set_xlabel), ("y", axes.set_ylabel)):
        owner, row = next((owner, row) for owner, row in data["plane"]["lengths"].items() if name in row)
        job = f"job {row.index(name) + 1}" if row.index(name) else "longest job"
        put(f"{name}, length of {owner}'s {job} (units of work)")
    title(figure, f"prove: {named(data)}", f"{data['property']}: {data['status']}", tables.lengths(data["plane"]))
    bare(axes)
    legend(figure, entries)
    return figure
