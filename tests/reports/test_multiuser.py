"""Tables and drawings of kind multiuser."""

from __future__ import annotations

import pytest

import consortium
from consortium.reports.figures import save_record
from consortium.reports.multiuser import figures as multiuser_figures
from consortium.reports.tables import plain, tables_of
from consortium.scheduling.errors import InputError


def text(record) -> str:
    return "\n\n".join(plain(table) for table in tables_of(record.to_dict()))


def test_tables_of_a_refinement() -> None:
    shown = text(consortium.run("cordeiro2012/discard-rule"))
    assert "u1    makespan          3      2       4" in shown
    assert "proved fairest                 yes" in shown
    assert "smallest key of all schedules  61/4" in shown
    assert "3      2      0       3.90512  0 %      yes     3 5" in shown
    assert "1        1      3    u1    1" in shown


def test_tables_of_a_printed_refinement_show_no_gap() -> None:
    assert "level  cells  active  value    proved  point" in text(consortium.run("cordeiro2012/discard-rule-printed"))


def test_tables_of_a_pareto_set() -> None:
    shown = text(consortium.run("cordeiro2012/pareto-closed-form", list=2))
    assert "20 points, 18 left out; --list N lists more" in shown
    assert "u1  u2  u3" in shown
    assert "3 corners of the grid" in text(consortium.run("cordeiro2012/proposition-6.6-grid"))


def test_tables_of_thresholds_that_cannot_be_met() -> None:
    assert "No schedule meets the thresholds." in text(consortium.run("cordeiro2012/proposition-6.5-infeasible"))


def test_tables_of_a_comparison() -> None:
    shown = text(consortium.compare("cordeiro2012/discard-rule", rules=["refine-printed", "fairest"]))
    assert "refine-printed  2 7    65/4          4.03113" in shown
    assert "fairest         3 5    61/4          3.90512" in shown


def bars(figure):
    return [patch for axes in figure.axes for patch in axes.patches if patch.get_hatch() is not None]


def test_gantt_has_one_bar_per_job_where_the_schedule_has_it() -> None:
    data = consortium.run("cordeiro2012/multimixed").to_dict()
    figure = multiuser_figures.gantt(data)
    (axes,) = figure.axes
    drawn = sorted((bar.get_x(), bar.get_x() + bar.get_width()) for bar in axes.patches)
    assert drawn == sorted((job["start"], job["end"]) for job in data["jobs"])
    labels = [entry.get_text() for entry in figure.legends[0].get_texts()]
    assert labels == ["u1: makespan 9", "u2: makespan 4", "u3: total completion 6"]


def test_boxes_are_drawn_level_by_level_above_the_schedule() -> None:
    data = consortium.run("cordeiro2012/figure-6.2").to_dict()
    figure = multiuser_figures.gantt(data)
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
    figure = multiuser_figures.front(pareto, refined)
    dots = figure.axes[0].collections[-1]
    assert len(dots.get_offsets()) == pareto["pareto_count"]
    assert len(figure.axes[0].patches) == (2 if users == 2 else 4)
    assert len(figure.axes) == users - 1  # a colour bar for the third user


def test_saving_and_what_cannot_be_drawn(tmp_path) -> None:
    save_record(consortium.run("cordeiro2012/pareto-closed-form").to_dict(), tmp_path / "front.svg")
    assert (tmp_path / "front.svg").stat().st_size > 1000
    with pytest.raises(InputError, match="no schedule meets the thresholds, so there is nothing to draw"):
        save_record(consortium.run("cordeiro2012/proposition-6.5-infeasible").to_dict(), tmp_path / "no.svg")
    four = consortium.run(
        {
            "format": 1,
            "kind": "multiuser",
            "users": [{"jobs": [i]} for i in (1, 2, 3, 4)],
            "mechanism": {"rule": "pareto"},
        }
    )
    with pytest.raises(InputError, match="drawn for two or three users; this scenario has 4"):
        save_record(four.to_dict(), tmp_path / "no.svg")
