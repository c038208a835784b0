"""Drawings of kind multiuser: boxes of a refinement, Pareto sets with one."""

from __future__ import annotations

from fractions import Fraction

import pytest

import consortium
from consortium.reports.figures import figure_of
from consortium.reports.multiuser.figures import FIRST, LAST, front, refinement


def test_boxes_are_drawn_level_by_level_above_the_schedule() -> None:
    record = consortium.run("cordeiro2012/figure-6.2")
    figure, data = figure_of(record), record.to_dict()
    shown = [axes for axes in figure.axes if axes.get_title(loc="left").startswith("level")]
    assert len(shown) == len(data["fairness"]["levels"]) > 6
    for axes, level in zip(shown, data["fairness"]["levels"], strict=True):
        holding = [box for box in level["boxes"] if all(a <= b for a, b in zip(box["low"], box["high"], strict=True))]
        assert len(axes.patches) == len(holding)
        assert axes.lines[0].get_xdata()[0] == level["point"][0]


@pytest.mark.parametrize("users", [2, 3])
def test_front_shows_every_point_and_the_refinement(users) -> None:
    name = "cordeiro2012/discard-rule" if users == 2 else "cordeiro2012/figure-6.2"
    pareto = consortium.run(name, overrides={"mechanism": {"rule": "pareto"}}).to_dict()
    refined = consortium.run(name, overrides={"mechanism.levels": 2}).to_dict()
    figure = front(pareto, refined)
    dots = figure.axes[0].collections[0]
    assert len(dots.get_offsets()) == pareto["pareto_count"]
    marks = {line.get_label(): (line.get_xdata()[0], line.get_ydata()[0]) for line in figure.axes[0].lines}
    across = sorted(range(users), key=lambda u: pareto["users"][u]["objective"] != "makespan")[:2]
    assert marks["fairest"] == tuple(float(Fraction(refined["point"][u])) for u in across)
    for name in ("zenith", "nadir"):
        place = tuple(float(Fraction(pareto["users"][u][name])) for u in across)
        assert [found for label, found in marks.items() if label.startswith(name)] == [place]
    assert len(figure.axes[0].patches) == (2 if users == 2 else 4)
    assert len(figure.axes) == users - 1  # a colour bar for the third user


def test_a_schedule_names_everybodys_value() -> None:
    figure = figure_of(consortium.run("cordeiro2012/multimixed"))
    labels = [entry.get_text() for entry in figure.legends[0].get_texts()]
    assert labels == ["u1: makespan 9", "u2: makespan 4", "u3: total completion 6"]


def test_the_fairest_of_all_points_is_marked_although_few_are_listed() -> None:
    name, changes = "cordeiro2012/figure-6.2", {"mechanism": {"rule": "pareto"}}
    record = consortium.run(name, overrides=changes, list=2)
    every = consortium.run(name, overrides=changes).pareto
    refined = consortium.run(name, overrides={"mechanism": {"rule": "fairest"}})
    assert record.fairest in every
    assert record.fairest == refined.point
    assert "fairest" in {line.get_label() for line in figure_of(record).axes[0].lines}
    assert "fairest" not in record.to_dict()


def test_of_many_levels_the_first_and_the_last_are_drawn() -> None:
    data = consortium.run("cordeiro2012/figure-6.2").to_dict()
    levels = [level | {"level": i + 1} for i, level in enumerate(data["fairness"]["levels"] * 3)]
    figure = refinement(data | {"fairness": data["fairness"] | {"levels": levels}})
    shown = [axes.get_title(loc="left") for axes in figure.axes if axes.get_title(loc="left").startswith("level")]
    assert [int(title.split()[1].rstrip(":")) for title in shown] == [
        *range(1, FIRST + 1),
        *range(len(levels) - LAST + 1, len(levels) + 1),
    ]
