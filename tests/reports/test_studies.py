"""Figures of studies: nothing covers what is drawn, and every axis says what stands there."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from consortium.reports.studies import BINS, Series, StudyPlot, bin_edges, figure
from consortium.support.errors import InputError

LONG = "a name that goes on and on, longer than anybody would draw it across a page of a paper, or ever has done before"
KINDS = ["line", "bar", "box", "scatter", "histogram"]


def plot(kind: str, count: int, names: tuple[str, ...], x: tuple[float | None, ...]) -> StudyPlot:
    values = tuple(1 + i / 10 for i in range(len(names)))
    sampled = kind in ("box", "histogram")
    series = tuple(
        Series(
            f"{LONG} {i}", names, x,
            y=() if sampled else values, low=() if sampled else values, high=() if sampled else values,
            samples=tuple((v, v + 0.5, v + 1.0) for v in values) if sampled else (),
        )
        for i in range(count)
    )  # fmt: skip
    return StudyPlot(kind, LONG, LONG, LONG, LONG if count > 1 else "", series)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("count", "names", "x"),
    [
        pytest.param(1, ("2", "8"), (2.0, 8.0), marks=pytest.mark.exhaustive),
        pytest.param(12, ("2", "8"), (2.0, 8.0), marks=pytest.mark.exhaustive),
        (4, (LONG, "b"), (None, None)),
        pytest.param(12, (LONG, "b"), (None, None), marks=pytest.mark.exhaustive),
    ],
)
def test_everything_is_inside_and_the_legend_below(
    kind: str, count: int, names: tuple[str, ...], x: tuple[float | None, ...]
) -> None:
    drawing = figure(plot(kind, count, names, x))
    drawing.draw_without_rendering()
    (axes,) = drawing.axes
    box = axes.get_tightbbox()
    assert box is not None
    assert drawing.bbox.containsx(box.x0 + 1)
    assert drawing.bbox.containsx(axes.title.get_window_extent().x1)
    assert axes.get_legend() is None
    for legend in drawing.legends:
        assert legend.get_window_extent().y1 <= axes.get_window_extent().y0
    assert len(drawing.legends) == (count > 1)


def test_the_axis_of_a_histogram_shows_numbers() -> None:
    drawing = figure(plot("histogram", 1, ("",), (None,)))
    drawing.draw_without_rendering()
    shown = [tick.get_text() for tick in drawing.axes[0].get_xticklabels()]
    assert len([text for text in shown if text]) >= 4


def drawn(kind: str, x: tuple[float, ...], y: tuple[float, ...], **more: object) -> Any:
    """One series over numbers, laid out."""
    names = tuple(map(str, x))
    samples = tuple((value,) for value in y) if kind in ("box", "histogram") else ()
    series = Series("", names, x, y=() if samples else y, low=y, high=y, samples=samples)
    drawing = figure(replace(StudyPlot(kind, "t", "across", "up", "", (series,)), **more))
    drawing.draw_without_rendering()
    return drawing.axes[0]


@pytest.mark.parametrize("kind", KINDS)
def test_axes_of_whole_numbers_have_no_ticks_between_them(kind: str) -> None:
    axes = drawn(kind, (2.0, 3.0, 4.0), (1.0, 2.0, 3.0))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("across", "up")
    for ticks in (axes.get_xticks(), axes.get_yticks()):
        assert len(ticks) > 1
        assert all(tick == round(tick) for tick in ticks)
    between = drawn(kind, (0.1, 0.2, 0.3), (0.1, 0.2, 0.3))
    assert kind == "histogram" or any(tick != round(tick) for tick in between.get_yticks())


@pytest.mark.parametrize(("low", "high"), [(0, 1), (1, 7), (-3, 40), (5, 5), (0, 1000)])
def test_bins_of_whole_numbers_hold_as_many_each_and_all_of_them(low: int, high: int) -> None:
    """Each number once: every bin but the last, which may be cut, is as high as the first."""
    edges = bin_edges([float(value) for value in range(low, high + 1)])
    counts = [sum(a < value < b for value in range(low, high + 1)) for a, b in pairwise(edges)]
    assert sum(counts) == high - low + 1
    assert len(set(counts[:-1])) <= 1
    assert 1 <= counts[-1] <= counts[0]
    assert len(counts) <= BINS


def test_logarithmic_axes_are_asked_for_and_refuse_what_has_no_logarithm() -> None:
    axes = drawn("line", (1.0, 10.0, 1000.0), (1.0, 2.0, 300.0), x_log=True, y_log=True)
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert drawn("histogram", (0.0,), (1.0,), x_log=True).get_xscale() == "log"
    for kind, wrong in (("line", "x_log: found the value 0"), ("histogram", "x_log: found the value 0"),
                        ("box", "x_log: found values side by side")):  # fmt: skip
        with pytest.raises(InputError, match=wrong):
            drawn(kind, (0.0, 1.0), (0.0, 1.0), x_log=True)
    with pytest.raises(InputError, match="y_log: found the value -1"):
        drawn("bar", (0.0, 1.0), (-1.0, 1.0), y_log=True)
