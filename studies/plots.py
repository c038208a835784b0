"""From the rows of a study to what a figure draws: series of points, samples or counts, as plain numbers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..reports.figures import check_path, check_width, save
from ..reports.grey import make_grey
from ..reports.studies import Series, StudyPlot, figure
from ..reports.style import look
from ..support.errors import InputError
from .blocks import PlotBlock
from .statistics import number, summed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .results import Results

SAMPLED: Final = ("box", "histogram")
POINTS_MAX: Final = 20_000
"""Points of a scatter plot; of more, an even selection is drawn, which the figure says."""


@dataclass
class _Gathered:
    """Values of one colour by the value of ``x``, in the order in which they come."""

    x: dict[str, Any] = field(default_factory=dict)
    y: dict[str, list[Any]] = field(default_factory=dict)

    def add(self, x: Any, y: Any) -> None:
        key = json.dumps(x)
        self.x.setdefault(key, x)
        self.y.setdefault(key, []).append(y)


def plot_of(results: Results, asked: PlotBlock) -> StudyPlot:
    """Gather what one of ``[[plots]]`` shows: tasks that are done, values that are numbers.

    Raises
    ------
    InputError
        When a value to be drawn is no number.
    """
    gathered: dict[str, _Gathered] = {}
    labels: dict[str, str] = {}
    left_out = 0
    for row in results.rows():
        if row["status"] != "done":
            continue
        if any(row[key] != value for key, value in asked.where.items()):
            continue
        for y in asked.y:
            if row[y] is None or (asked.x is not None and row[asked.x] is None):
                left_out += 1
                continue
            by = y if asked.by is None else json.dumps(row[asked.by])
            labels.setdefault(by, y if asked.by is None else label(row[asked.by]))
            gathered.setdefault(by, _Gathered()).add(None if asked.x is None else row[asked.x], row[y])
    series = tuple(_series(asked, labels[by], found) for by, found in gathered.items())
    return StudyPlot(
        kind=asked.kind, title=asked.title or results.study.title, x=asked.x or "",
        y="value" if len(asked.y) > 1 else asked.y[0],
        by=asked.by or ("measure" if len(asked.y) > 1 else ""),
        series=series, left_out=left_out,
    )  # fmt: skip


def label(value: Any) -> str:
    """Text of a value of a varied key."""
    return value if isinstance(value, str) else json.dumps(value)


def _series(asked: PlotBlock, name: str, found: _Gathered) -> Series:
    """One colour of the figure."""
    keys = list(found.x)
    names = tuple("" if found.x[key] is None else label(found.x[key]) for key in keys)
    values = [[_number(value, ", ".join(asked.y)) for value in found.y[key]] for key in keys]
    x = tuple(number(found.x[key]) for key in keys)
    if asked.kind in SAMPLED:
        return Series(name, names, x, samples=tuple(map(tuple, values)))
    if asked.kind == "scatter":
        pairs = [(names[i], x[i], value) for i, column in enumerate(values) for value in column]
        step = max(1, -(-len(pairs) // POINTS_MAX))
        texts, numbers, y = zip(*pairs[::step], strict=True)
        return Series(name, texts, numbers, y, thinned=step > 1)
    means = [summed("mean", column) for column in values]
    return Series(
        name, names, x, tuple(mean.value for mean in means),
        low=tuple(mean.low for mean in means), high=tuple(mean.high for mean in means),
    )  # fmt: skip


def _number(value: Any, name: str) -> float:
    found = number(value)
    if found is None:
        raise InputError(f"plots: {name}: found {value!r:.60}; expected numbers, or true and false")
    return found


def save_all(results: Results, path: str, *, width: float | None = None, grey: bool = False) -> list[str]:
    """Draw all plots of the study into files, numbered where there are several; the names of the files.

    ``width`` (inches) and ``grey`` are those of :func:`~consortium.reports.figures.figure_of`.

    Raises
    ------
    InputError
        When the study has no ``[[plots]]``, or a file cannot be written.
    """
    check_path(path)
    check_width(width)
    plots = results.study.plots
    if not plots:
        raise InputError("plots: the study file has no [[plots]]")
    names = _names(Path(path), len(plots))
    for name, asked in zip(names, plots, strict=True):
        save(drawing_of(results, asked, width, grey), name)
    return names


def drawing_of(results: Results, asked: PlotBlock, width: float | None = None, grey: bool = False) -> Figure:
    """Draw what one of ``[[plots]]`` asks for; ``width`` and ``grey`` as for :func:`save_all`."""
    check_width(width)
    with look(width):
        drawing = figure(plot_of(results, asked))
    if grey:
        make_grey(drawing)
    return drawing


def _names(path: Path, count: int) -> list[str]:
    if count == 1:
        return [str(path)]
    return [str(path.with_name(f"{path.stem}-{i}{path.suffix}")) for i in range(1, count + 1)]
