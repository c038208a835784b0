"""Charts are well-formed, say exact values, keep anybody's names as text, and stand any numbers."""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module
from xml.etree import ElementTree

import pytest

import consortium
from consortium.explorer.declaration import utility_chart
from consortium.explorer.drawing import Line, Mark, chart, gantt, key, ticks
from consortium.reports.charts import Bar, Gantt
from consortium.reports.declaration.figures import curve_points
from consortium.reports.figures import figure_of
from consortium.reports.style import hover_text

HOSTILE = "<script>alert(1)</script>\" ' & </svg> \u202e"


def parsed(drawn: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<body>{drawn}</body>")


def titles(drawn: str) -> list[str]:
    return [element.text or "" for element in parsed(drawn).iter("title")]


def test_names_from_anywhere_are_text() -> None:
    drawn = gantt(Gantt([HOSTILE], [Bar(0, 0, 1, 0, HOSTILE, HOSTILE)], [HOSTILE])) + key([HOSTILE])
    drawn += chart(
        [Line([[(0, 0), (1, 1)]], 0, HOSTILE)], [Mark(0, 0, HOSTILE, key=HOSTILE)], HOSTILE, HOSTILE, HOSTILE
    )
    assert not [element for element in parsed(drawn).iter() if element.tag == "script"]
    assert "<script" not in drawn
    assert "\u202e" not in drawn


def test_a_bar_is_as_long_as_its_work_and_says_it_exactly() -> None:
    drawn = gantt(Gantt(["m"], [Bar(0, "1/3", 2, 0, "a", "from 1/3 to 2"), Bar(0, 2, 4, 1, "b", "b")], [], 4))
    first, second = (element for element in parsed(drawn).iter("rect"))
    assert (first.get("x"), first.get("width")) == ("8.333%", "41.667%")
    assert (second.get("x"), second.get("width")) == ("50.000%", "50.000%")
    assert titles(drawn)[-2:] == ["from 1/3 to 2", "b"]


def test_a_label_stands_on_a_bar_that_has_room_for_it_and_was_run() -> None:
    bars = [Bar(0, 0, 5, 0, "long", ""), Bar(0, 5, 10, 0, "plan", "", pale=True), Bar(0, 10, "101/10", 0, "brief", "")]
    drawn = parsed(gantt(Gantt(["m"], bars, [], 20)))
    assert [element.text for element in drawn.iter("text") if element.get("class") == "inside"] == ["long"]


@pytest.mark.parametrize("end", ["inf", 10**400, 1, "1/1000000000000"])
def test_any_end_can_be_drawn(end: object) -> None:
    for element in parsed(gantt(Gantt(["m"], [Bar(0, 0, end, 0, "a", "a"), Bar(0, 0, 1, 0, "b", "b")], []))).iter(
        "rect"
    ):
        assert 0 <= float(str(element.get("width")).rstrip("%")) <= 100


@pytest.mark.parametrize(
    "values", [[0], [5], [-3, 7], [10**18, 10**18 + 1], ["-inf", 2, 3], ["1/3", "-1/7"], [1e-12, 2e-12]]
)
def test_any_values_can_be_drawn(values: list[object]) -> None:
    drawn = chart([Line([list(enumerate(values))], 0, "l")], [Mark(0, values[0], "m")], "x", "y", "n")
    for circle in parsed(drawn).iter("circle"):
        assert 0 <= float(str(circle.get("cy"))) <= 240


def test_nothing_at_all_can_be_drawn() -> None:
    assert parsed(chart([], [], "x", "y", "n")) is not None
    assert parsed(gantt(Gantt([], [], []))) is not None


def test_marks_with_a_key_can_be_reached_and_the_chosen_is_said() -> None:
    drawn = chart(
        [], [Mark(1, 1, "one", key="0"), Mark(2, 2, "two", key="1", chosen=True), Mark(3, 3, "three")], "", "", ""
    )
    marks = [element for element in parsed(drawn).iter("g") if "mark" in str(element.get("class"))]
    assert [(m.get("data-key"), m.get("tabindex"), m.get("aria-pressed")) for m in marks] == [
        ("0", "0", "false"), (None, None, None), ("1", "0", "true"),
    ]  # fmt: skip


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-7.3, 2.9), (1e-9, 3e-9), (1e17, 1.1e17), (99.9, 100.1)])
def test_ticks_are_few_round_and_inside(low: float, high: float) -> None:
    found = ticks(low, high)
    assert 2 <= len(found) <= 8
    assert all(low - 1e-9 * (high - low) <= tick <= high + 1e-6 * (high - low) for tick in found)


@pytest.mark.parametrize(
    "name", ["minimal/declaration", "minimal/federation", "minimal/sharing", "cordeiro2012/multimixed"]
)
def test_the_page_and_the_figure_draw_the_same_bars(name: str) -> None:
    record = consortium.run(name)
    made = import_module(f"consortium.reports.{record.kind}.figures").gantt(record.to_dict())
    bars = {bar.hover for bar in made.bars}
    assert bars
    assert bars <= set(titles(gantt(made)))
    drawn = {hover_text(artist.get_gid()) for artist in figure_of(record).findobj()}
    assert bars <= drawn


def test_the_page_and_the_figure_draw_the_same_curve() -> None:
    record = consortium.curve("agmon2003/5.2.1", "ann")
    pieces, places = curve_points(record.to_dict())
    (axes,) = figure_of(record).axes
    drawn = [(list(line.get_xdata()), list(line.get_ydata())) for line in axes.lines]
    for piece in pieces:
        ends = [[float(Fraction(place[i])) for place in (piece.start, piece.end)] for i in (0, 1)]
        assert tuple(ends) in drawn
    shown = titles(utility_chart(record.to_dict(), consortium.run("agmon2003/5.2.1").to_dict(), 0))
    assert {place.hover for place in places if place.jumps} <= set(shown)
