"""Figures of studies: nothing covers what is drawn, and every axis says what stands there."""

from __future__ import annotations

import pytest

from consortium.reports.studies import Series, StudyPlot, figure

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
