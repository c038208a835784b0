"""Tables and figures of studies, from plain data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ..support.errors import InputError
from . import style
from .markup import Table
from .tables import all_printable, cell, counted, facts, shortened, table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BINS: Final = 30
WIDE: Final = 84
HIGH: Final = 40
"""Characters that fit across a figure, and up its side."""


@dataclass(frozen=True)
class Series:
    """One colour of a figure.

    Attributes
    ----------
    name
        In the legend.
    names, x
        Value of the horizontal axis at each place, as text and as a number (``None`` for what is no number).
    y, low, high
        Value at each place, and its interval where there is one.
    samples
        All values at each place, for boxes and histograms.
    thinned
        Whether only some of the points are here.
    """

    name: str
    names: tuple[str, ...]
    x: tuple[float | None, ...]
    y: tuple[float | None, ...] = ()
    low: tuple[float | None, ...] = ()
    high: tuple[float | None, ...] = ()
    samples: tuple[tuple[float, ...], ...] = ()
    thinned: bool = False


@dataclass(frozen=True)
class StudyPlot:
    """A figure of a study: what its axes are called, its series, and which axes are logarithmic."""

    kind: str
    title: str
    x: str
    y: str
    by: str
    series: tuple[Series, ...]
    left_out: int = 0
    x_log: bool = False
    y_log: bool = False


@style.look()
def figure(plot: StudyPlot) -> Figure:
    """Draw a plot of a study.

    A line shows means with their 95 per cent intervals, a box the quartiles (whiskers: 1.5 times their distance) and
    the mean as a star. Values of the horizontal axis that are numbers stand at their place, texts side by side.
    """
    drawing = style.new_figure(7.2, 3.6)
    axes = drawing.subplots()
    places = _Places.of(plot)
    _DRAW[plot.kind](axes, plot, places)
    notes = [f"{counted(plot.left_out, 'task')} without a value left out"] if plot.left_out else []
    notes += ["mean and 95 % interval"] if plot.kind in ("line", "bar") else []
    notes += ["star: mean"] if plot.kind == "box" else []
    notes += ["an even selection of the points"] if any(series.thinned for series in plot.series) else []
    style.title(drawing, all_printable(plot.title), *notes)
    axes.set_xlabel(style.cut(all_printable(plot.x), WIDE))
    axes.set_ylabel(style.cut(all_printable(plot.y), HIGH))
    samples = [value for series in plot.series for sample in series.samples for value in sample]
    if plot.kind == "histogram":
        _scale(axes, "x", plot.x_log, samples)
    elif places.ticks is None:
        _scale(axes, "x", plot.x_log, list(places.at.values()))
    elif plot.x_log:
        raise InputError(
            "plots: x_log: found values side by side; expected a line, a scatter or a histogram of numbers"
        )
    else:
        axes.set_xticks(range(len(places.ticks)), [style.cut(all_printable(name), 24) for name in places.ticks])
    heights = [y for series in plot.series for y in series.y if y is not None]
    _scale(axes, "y", plot.y_log, [1] if plot.kind == "histogram" else heights + samples)
    style.bare(axes)
    handles, names = axes.get_legend_handles_labels()
    if plot.by and handles:
        for handle, name in zip(handles, names, strict=True):
            handle.set_label(style.cut(all_printable(name), 48))
        style.below(drawing, handles[: style.MAX_ENTRIES], style.cut(all_printable(plot.by), WIDE))
    return drawing


@dataclass(frozen=True)
class _Places:
    """Where values stand on the horizontal axis; ``ticks`` names them where they are no numbers."""

    at: Mapping[str, float]
    width: float
    ticks: Sequence[str] | None

    @classmethod
    def of(cls, plot: StudyPlot) -> _Places:
        names: dict[str, float | None] = {}
        for series in plot.series:
            names.update(zip(series.names, series.x, strict=True))
        numbers = [x for x in names.values() if x is not None and math.isfinite(x)]
        if len(numbers) < len(names) or plot.kind in ("bar", "box"):
            numeric = len(numbers) == len(names)
            order = sorted(names, key=lambda name: names[name] or 0.0) if numeric else list(names)
            return cls({name: float(i) for i, name in enumerate(order)}, 1.0, order)
        steps = [b - a for a, b in zip(sorted(numbers), sorted(numbers)[1:], strict=False)]
        return cls({name: x for name, x in names.items() if x is not None}, min(steps, default=1.0), None)

    def shifted(self, name: str, index: int, count: int) -> float:
        """The place of one colour among ``count`` that stand side by side."""
        return self.at[name] + 0.8 * self.width * ((index + 0.5) / count - 0.5)


def _lines(axes: Axes, plot: StudyPlot, places: _Places) -> None:
    for i, series in enumerate(plot.series):
        drawn = sorted(
            (places.at[name], y, low, high)
            for name, y, low, high in zip(series.names, series.y, series.low, series.high, strict=True)
            if y is not None and math.isfinite(y)
        )
        x, y = [point[0] for point in drawn], [point[1] for point in drawn]
        marker = style.MARKERS[i % len(style.MARKERS)]
        axes.plot(x, y, **style.line(i), marker=marker, markersize=4, label=series.name)
        bands = [(at, low, high) for at, _, low, high in drawn if low is not None and high is not None]
        if bands:
            at, low, high = zip(*bands, strict=True)
            axes.fill_between(at, low, high, color=style.line(i)["color"], alpha=0.2, linewidth=0)


def _scatter(axes: Axes, plot: StudyPlot, places: _Places) -> None:
    count = len(plot.series) if places.ticks is not None else 1  # numbers stand where they are, texts have room
    for i, series in enumerate(plot.series):
        axes.scatter(
            [places.shifted(name, i % count, count) for name in series.names], [y or 0.0 for y in series.y],
            s=12, alpha=0.6, linewidths=0,
            color=style.line(i)["color"], marker=style.MARKERS[i % len(style.MARKERS)], label=series.name,
        )  # fmt: skip


def _bars(axes: Axes, plot: StudyPlot, places: _Places) -> None:
    count = len(plot.series)
    for i, series in enumerate(plot.series):
        points = [(places.shifted(n, i, count), y, lo, hi)
                  for n, y, lo, hi in zip(series.names, series.y, series.low, series.high, strict=True)
                  if y is not None]  # fmt: skip
        places_of, heights = [point[0] for point in points], [point[1] for point in points]
        axes.bar(places_of, heights, width=0.8 / count, label=series.name, **style.fill(i))
        for at, _, low, high in points:
            if low is not None and high is not None:
                axes.plot([at, at], [low, high], color="black", linewidth=1)


def _box_plots(axes: Axes, plot: StudyPlot, places: _Places) -> None:
    count = len(plot.series)
    for i, series in enumerate(plot.series):
        drawn = axes.boxplot(
            list(series.samples), positions=[places.shifted(name, i, count) for name in series.names],
            widths=0.7 / count, patch_artist=True, showmeans=True, manage_ticks=False,
            meanprops={**style.BEST, "markersize": 5}, medianprops={"color": "black"},
            flierprops={"markersize": 2, "alpha": 0.5},
        )  # fmt: skip
        for box in drawn["boxes"]:
            box.set(**style.fill(i))
        drawn["boxes"][0].set_label(series.name)


def _histograms(axes: Axes, plot: StudyPlot, places: _Places) -> None:
    samples = [[v for sample in series.samples for v in sample if math.isfinite(v)] for series in plot.series]
    edges = bin_edges([v for sample in samples for v in sample], plot.x_log)
    for i, (series, sample) in enumerate(zip(plot.series, samples, strict=True)):
        axes.hist(sample, bins=edges, histtype="step", linewidth=1.2, label=series.name, **style.line(i))


def bin_edges(values: Sequence[float], logarithmic: bool = False) -> list[float]:
    """Edges of at most :data:`BINS` bins; of whole numbers each bin holds as many as any other, or some seem to lack.

    >>> bin_edges([1, 3]), bin_edges([0, 59])[:3], len(bin_edges([0.5, 59]))
    ([0.5, 1.5, 2.5, 3.5], [-0.5, 1.5, 3.5], 31)
    """
    import numpy as np

    low, high = min(values, default=0.0), max(values, default=1.0)
    if logarithmic and low > 0:
        return [float(edge) for edge in np.geomspace(low, max(high, 2 * low), BINS + 1)]
    if not style.whole(values):
        return [float(edge) for edge in np.histogram_bin_edges(values, bins=BINS)]
    width = -(-int(high - low + 1) // BINS)
    return [low - 0.5 + width * i for i in range(int(high - low) // width + 2)]


def _scale(axes: Axes, which: str, logarithmic: bool, values: Sequence[float]) -> None:
    """A logarithmic scale where it is wanted, else whole numbers where all values are."""
    if not logarithmic:
        style.integer_ticks(getattr(axes, f"{which}axis"), values)
    elif (least := min(values, default=1)) <= 0:
        raise InputError(f"plots: {which}_log: found the value {least:g}; expected values > 0")
    else:
        getattr(axes, f"set_{which}scale")("log")


_DRAW: Final = {"line": _lines, "scatter": _scatter, "bar": _bars, "box": _box_plots, "histogram": _histograms}


def status_table(title: str, counts: Mapping[str, int], notes: Sequence[str] = ()) -> Table:
    """How far a study is."""
    rows = [(name, f"{count:,}") for name, count in counts.items()]
    return facts(title, rows, "; ".join(notes))


def error_table(errors: Mapping[str, tuple[int, int]]) -> Table:
    """Errors of tasks, those of most tasks first: how many have it, and the first."""
    rows = [
        {"error": shortened(text), "tasks": count, "first task": first}
        for text, (count, first) in sorted(errors.items(), key=lambda item: -item[1][0])
    ]
    return table("tasks without an answer", rows, ["tasks", "first task", "error"])


def group_tables(groups: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> list[Table]:
    """Statistics by group, a table per measure; intervals of 95 per cent in brackets.

    Where some tasks have no value, a column says of how many values the statistics are.
    """
    measures: dict[str, list[str]] = {}
    for group in groups:
        for measure, values in group["values"].items():
            measures.setdefault(measure, list(values))
    tables = []
    for measure, statistics in measures.items():
        rows = [
            {**{key: cell(group["keys"][key]) for key in keys}, "tasks": group["tasks"]}
            | {"values": group.get("counts", {}).get(measure, group["tasks"])}
            | {name: _interval(group["values"][measure][name]) for name in statistics}
            for group in groups
        ]
        limits = any(values["low"] is not None for group in groups for values in group["values"][measure].values())
        note = "in brackets: 95 % interval" if limits else ""
        fewer = any(row["values"] != row["tasks"] for row in rows) and "count" not in statistics
        tables.append(table(measure, rows, [*keys, "tasks", *["values"] * fewer, *statistics], note))
    return tables


def _interval(statistic: Mapping[str, float | None]) -> str:
    if statistic["value"] is None:
        return "-"
    text = f"{statistic['value']:.6g}"
    return text if statistic["low"] is None else f"{text} [{statistic['low']:.4g}, {statistic['high']:.4g}]"
