"""Drawings for scenarios of kind ``federation``: Gantt charts and the trade-off of cooperation against makespan."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..figures import COLOURS, new_figure, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_LABELS = 80
"""Bars of a Gantt chart that are labelled one by one."""


def gantt(data: Mapping[str, Any]) -> Figure:
    """Gantt chart of a ``run`` record's dict: one row per machine, one colour and hatch per organization.

    A foreign job has a thick frame and its owner's name, so that help is visible without colours.
    """
    jobs = data["jobs"]
    names = [row["name"] for row in data["organizations"]]
    used = sorted({(names.index(row["host"]), row["machine"]) for row in jobs} | {(k, 1) for k in range(len(names))})
    figure = new_figure(height=1.0 + 0.42 * len(used))
    axes = figure.subplots()
    level = {row: len(used) - 1 - i for i, row in enumerate(used)}
    for row in jobs:
        start, end = float(Fraction(row["start"])), float(Fraction(row["end"]))
        owner, host = names.index(row["organization"]), names.index(row["host"])
        foreign = owner != host
        low = level[host, row["machine"]] + 0.12
        axes.barh(
            low, end - start, left=start, height=0.76, align="edge", linewidth=2.2 if foreign else 0.6, **style(owner)
        )
        if len(jobs) <= MAX_LABELS:
            text = f"{row['organization']}.{row['job']}" if foreign else str(row["job"])
            _label(axes, (start + end) / 2, low + 0.38, text)
    several = {host for host, machine in used if machine > 1}
    labels = [f"{names[host]}" + (f" / {machine}" if host in several else "") for host, machine in used]
    axes.set_yticks([level[row] + 0.5 for row in used], labels)
    axes.set_ylim(0, len(used))
    axes.set_xlim(left=0)
    axes.set_xlabel("time (thick frame: on a foreign machine)")
    axes.set_title(textwrap.fill(data["scenario"], 100), fontsize=9, loc="left")
    _plain_frame(axes)
    return figure


def _label(axes: Axes, x: float, y: float, text: str) -> None:
    axes.text(
        x, y, text, ha="center", va="center", fontsize=7,
        bbox={"boxstyle": "round,pad=0.12", "facecolor": "white", "edgecolor": "none", "alpha": 0.85},
    )  # fmt: skip


def _plain_frame(axes: Axes) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


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
        exact = sorted((float(Fraction(a)), float(Fraction(c))) for a, c in points)
        for (_, high), (right, _) in itertools.pairwise(exact):
            axes.fill_between([1, right], 1, high, color=COLOURS[i % len(COLOURS)], alpha=0.16, linewidth=0)
            axes.plot([right], [high], marker="s", markersize=4, color=COLOURS[i % len(COLOURS)])
        axes.step(
            [a for a, _ in exact], [c for _, c in exact], where="post", linewidth=1.2,
            color=COLOURS[i % len(COLOURS)], linestyle=("-", "--", "-.", ":")[i % 4], label=name,
        )  # fmt: skip
    for i, (name, (alpha, ratio)) in enumerate(algorithms.items()):
        x, y = float(Fraction(alpha)), float(Fraction(ratio))
        axes.plot([x], [y], marker="o^Dv*"[i % 5], color="black", markersize=7, linestyle="none")
        axes.annotate(name, (x, y), textcoords="offset points", xytext=(7, 5), fontsize=8)
    for i, (name, points) in enumerate((curves or {}).items()):
        exact = [(float(Fraction(a)), float(Fraction(c))) for a, c in points]
        axes.plot(*zip(*exact, strict=True), color="black", linewidth=1.2, linestyle=(":", "--")[i % 2])
        axes.annotate(name, exact[0], textcoords="offset points", xytext=(8, -4), fontsize=8)
    axes.set_xlabel("degree of cooperation (largest makespan / local makespan)")
    axes.set_ylabel("makespan / optimum")
    axes.set_xlim(left=0.95)
    axes.set_ylim(0.97, 2.05)
    axes.legend(fontsize=7, loc="upper right", title="exact Pareto points of", title_fontsize=7)
    axes.set_title("shaded: no rule can promise it; markers: promises of the algorithms", fontsize=9, loc="left")
    _plain_frame(axes)
    return figure
