"""Drawings of kind multiuser: boxes of a refinement, Pareto sets with one."""

from __future__ import annotations

import pytest

import consortium
from consortium.reports.figures import figure_of
from consortium.reports.multiuser.figures import front


def test_boxes_are_drawn_level_by_level_above_the_schedule() -> None:
    record = consortium.run("cordeiro2012/figure-6.2")
    figure, data = figure_of(record), record.to_dict()
    shown = [axes for axes in figure.axes if axes.get_title(loc="left").startswith("level")]
    assert len(shown) == 6
    for axes, level in zip(shown, data["fairness"]["levels"], strict=False):
        holding = [box for box in level["boxes"] if all(a <= b for a, b in zip(box["low"], box["high"], strict=True))]
        assert len(axes.patches) == len(holding)
        assert axes.lines[0].get_xdata()[0] == level["point"][0]


@pytest.mark.parametrize("users", [2, 3])
def test_front_shows_every_point_and_the_refinement(users) -> None:
    name = "cordeiro2012/discard-rule" if users == 2 else "cordeiro2012/figure-6.2"
    pareto = consortium.run(name, overrides={"mechanism": {"rule": "pareto"}}).to_dict()
    refined = consortium.run(name, overrides={"mechanism.levels": 2}).to_dict()
    figure = front(pareto, refined)
    dots = figure.axes[0].collections[-1]
    assert len(dots.get_offsets()) == pareto["pareto_count"]
    assert len(figure.axes[0].patches) == (2 if users == 2 else 4)
    assert len(figure.axes) == users - 1  # a colour bar for the third user


def test_a_schedule_names_everybodys_value() -> None:
    figure = figure_of(consortium.run("cordeiro2012/multimixed"))
    labels = [entry.get_text() for entry in figure.legends[0].get_texts()]
    assert labels == ["u1: makespan 9", "u2: makespan 4", "u3: total completion 6"]
