"""How figures read: words that neither collide nor leave the paper, axes with units, greys that differ, hover texts."""

from __future__ import annotations

import itertools
import re
import warnings
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.ticker import FixedFormatter, FuncFormatter

import consortium
from consortium.reports import charts, style
from consortium.reports.figures import figure_of, save_record, svg_text
from consortium.reports.game.figures import responses
from consortium.reports.multiuser.figures import front, profiles
from consortium.reports.sharing.figures import audit, audit_switch, audit_trend
from consortium.reports.style import MARK, hover_text, lightness
from consortium.scenarios.reader import shipped
from consortium.support.errors import InputError

from ..sweeps import thinned
from . import crowds
from .cases import CASES

SLACK = 1.5
"""Pixels, of 100 an inch, by which words may touch each other or the edge."""
UNIT = re.compile(r"\(.+\)|units|relative|s of computing", re.DOTALL)


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


SOME = sorted(CASES)[::3]


def full(name: str) -> Any:
    """A case of the full run only."""
    return pytest.param(name, marks=pytest.mark.exhaustive)


def texts(figure: Any) -> list[Text]:
    """Every text that is drawn. Labels of ticks beyond the ends of an axis are not."""
    beyond, seen = set(), figure.findobj(Text)
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            drawn = {id(label) for tick in axis._update_ticks() for label in (tick.label1, tick.label2)}
            every = {id(label) for tick in axis.majorTicks + axis.minorTicks for label in (tick.label1, tick.label2)}
            beyond |= every - drawn
            if not axes.axison:
                beyond |= every | {id(axis.label), id(axis.get_offset_text())}
    return [text for text in seen if text.get_text().strip() and text.get_visible() and id(text) not in beyond]


def slanted(text: Text) -> bool:
    return text.get_rotation() % 90 != 0


def misplaced(figure: Any) -> list[str]:
    """Words that leave the paper, or lie on each other. Slanted ones are only kept on the paper."""
    found = []
    with style.look():
        figure.draw_without_rendering()
        boxes = [(text, text.get_window_extent()) for text in texts(figure)]
    for text, box in boxes:
        if box.x0 < -SLACK or box.y0 < -SLACK or box.x1 > figure.bbox.x1 + SLACK or box.y1 > figure.bbox.y1 + SLACK:
            found.append(f"leaves the paper: {text.get_text()!r}")
    level = [(text, box) for text, box in boxes if not slanted(text)]
    for (one, a), (other, b) in itertools.combinations(level, 2):
        across = min(a.x1, b.x1) - max(a.x0, b.x0)
        if across > SLACK and min(a.y1, b.y1) - max(a.y0, b.y0) > SLACK:
            found.append(f"on each other: {one.get_text()!r} and {other.get_text()!r}")
    return found


def covered(figure: Any) -> list[str]:
    """Words that a mark lies on."""
    with style.look():
        figure.draw_without_rendering()
        boxes = [(text, text.get_window_extent()) for text in texts(figure)]
    found = []
    for line in (line for axes in figure.axes for line in axes.lines if line.get_marker() not in ("None", "", None)):
        places = line.get_transform().transform(np.column_stack(line.get_data(orig=False)))
        for (x, y), (text, box) in itertools.product(places, boxes):
            apart = max(box.x0 - x, x - box.x1, box.y0 - y, y - box.y1, 0)
            if apart < line.get_markersize() / 2 * figure.dpi / 72 - SLACK:
                found.append(f"under a mark: {text.get_text()!r}")
    return found


def unlabelled(figure: Any) -> list[str]:
    """Axes with numbers that do not say of what."""
    found = []
    for axes in figure.axes:
        for name, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
            ticks = [label for label in axis.get_ticklabels() if label.get_visible()]
            named = isinstance(axis.get_major_formatter(), FixedFormatter | FuncFormatter)
            if axes.axison and ticks and not named and not UNIT.search(axis.get_label_text()):
                found.append(f"{name} of {axes.get_title(loc='left')!r}: {axis.get_label_text()!r}")
    return found


def halves(figure: Any) -> list[str]:
    """Ticks between whole numbers on axes along which only bars of whole lengths lie."""
    found = []
    for axes in figure.axes:
        ends = [end for bar in axes.patches if isinstance(bar, Rectangle) for end in (bar.get_x(), bar.get_width())]
        ticks = axes.get_xticks()
        if axes.axison and ends and all(end == round(end) for end in ends) and any(tick % 1 for tick in ticks):
            found.append(f"{axes.get_xlabel()}: {ticks}")
    return found


def hovers(figure: Any) -> list[str]:
    """All texts on hover."""
    return [
        hover_text(artist.get_gid()) or "" for artist in figure.findobj() if (artist.get_gid() or "").startswith(MARK)
    ]


def reads_well(figure: Any) -> None:
    assert not misplaced(figure)
    assert not covered(figure)
    assert not unlabelled(figure)
    assert not halves(figure)
    assert all(hovers(figure))


@pytest.mark.parametrize(
    "name", [*thinned(sorted(CASES)[::3]), *map(full, sorted(set(CASES) - set(sorted(CASES)[::3])))]
)
def test_figures_of_every_kind_and_verb_read_well(name: str, asked: Any) -> None:
    figure = figure_of(asked(name))
    reads_well(figure)
    marked = sum(len(axes.patches) + len(axes.lines) > 0 for axes in figure.axes if axes.axison)
    assert hovers(figure) or not marked or "two-rounds" in name  # there nobody stayed


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", sorted(CASES))
@pytest.mark.parametrize("width", [3.4, 12])
def test_figures_of_every_width_read_well(name: str, width: float, asked: Any) -> None:
    figure = figure_of(asked(name), width=width, grey=True)
    assert figure.get_figwidth() == width
    assert not unlabelled(figure)
    assert not [found for found in misplaced(figure) if "leaves" in found]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", shipped())
def test_runs_of_shipped_scenarios_read_well(name: str) -> None:
    reads_well(figure_of(consortium.run(name)))


@pytest.mark.parametrize("crowd", thinned(itertools.product(crowds.RUNS, crowds.SIZES)))
def test_runs_of_few_and_of_many_read_well(crowd: tuple[str, int]) -> None:
    kind, n = crowd
    figure = figure_of(consortium.run(crowds.RUNS[kind](n)))
    reads_well(figure)
    (legend,) = figure.legends
    entries = [entry.get_text() for entry in legend.get_texts()]
    assert len(entries) <= style.MAX_ENTRIES + 6
    assert (f"and {n - style.MAX_ENTRIES} more" in entries) == (n > style.MAX_ENTRIES)


def test_labels_stand_inside_their_bars() -> None:
    figure = figure_of(consortium.run(crowds.sharers(12)))
    style.fix_layout(figure)
    (axes,) = figure.axes
    bars = {bar.get_gid(): bar for bar in axes.patches}
    labels = [text for text in axes.texts if text.get_gid() in bars]
    assert len(labels) > 10
    for text in labels:
        bar, words = bars[text.get_gid()].get_window_extent(), text.get_window_extent()
        assert bar.x0 <= words.x0 < words.x1 <= bar.x1
        assert bar.y0 <= words.y0 < words.y1 <= bar.y1


@pytest.mark.parametrize("n", thinned(crowds.SIZES))
def test_sets_of_points_of_few_and_of_many_users_read_well(n: int) -> None:
    data = crowds.points(n)
    with style.look():
        figure = profiles(data, fairest=data["pareto"][0])
    reads_well(figure)
    assert len(hovers(figure)) == len(data["pareto"]) + 1


def test_a_front_marks_zenith_nadir_and_the_fairest() -> None:
    data = crowds.points(3)
    figure = front(data, fairest=data["pareto"][4])
    reads_well(figure)
    (legend,) = figure.legends
    assert [entry.get_text().split(":")[0] for entry in legend.get_texts()] == ["zenith", "nadir", "fairest"]


@pytest.mark.parametrize("n", thinned(crowds.SIZES))
def test_audits_of_few_and_of_many_organizations_read_well(n: int) -> None:
    with style.look():
        figure = audit(crowds.audited(n))
    reads_well(figure)
    rules, balance, _ = figure.axes
    assert rules.get_xscale() == "linear"
    assert "window 2, from 90,000 s (1 day, 1:00:00)" in balance.get_title(loc="left").replace("\n", " ")
    entries = [entry.get_text() for entry in balance.get_legend().get_texts()]
    assert len(entries) == min(n, 13)
    assert entries[-1] == ("48 others" if n == 60 else "group 11" if n == 12 else "group 2")


@pytest.mark.parametrize("look", thinned([(3.4, 60), *itertools.product((None, 3.4, 12), crowds.SIZES)]))
def test_slopes_and_trends_of_few_and_of_many_read_well(look: tuple[float | None, int]) -> None:
    width, n = look
    with style.look(width):
        over_time = audit_trend(crowds.trend())
        figure = audit_switch(crowds.switched(n))
        for each in (over_time, figure):
            style.fit_labels(each)
            reads_well(each)
    slopes = figure.axes[1]
    named = [
        line for line in slopes.get_lines() if not line.get_label().startswith("_") and "others" not in line.get_label()
    ]
    assert len({(line.get_color(), line.get_marker()) for line in named}) == len(named) == min(n, 12)


@pytest.mark.parametrize("shape", thinned([(4, 4, 4), (1,), (2, 2), (3, 3, 3), (2,) * 6, (8, 8), (1, 1), (5, 3)]))
def test_graphs_of_games_of_any_size_read_well(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(5)
    record = consortium.search([rng.integers(0, 9, shape) for _ in shape])
    with style.look():
        figure = responses(record.game, record.label, "a game")
    reads_well(figure)
    circles = figure.axes[0].collections[0]
    assert len(circles.get_offsets()) == np.prod(shape)
    assert len(hovers(figure)) == np.prod(shape) + len([p for p in figure.axes[0].patches if p.get_gid()])
    outwards = [text for text in figure.axes[0].texts if text.get_text().count("|") == len(shape) - 1]
    assert len(outwards) == np.prod(shape)
    if len(outwards) > 16:  # beside each other, they are a line apart
        places = figure.axes[0].transData.transform([text.get_position() for text in outwards]) * 72 / figure.dpi
        assert np.hypot(*(places - np.roll(places, 1, axis=0)).T).min() > style.TEXT


def test_the_start_is_where_dynamics_were_told_to_start() -> None:
    pennies = [np.array([[1, -1], [-1, 1]]), np.array([[-1, 1], [1, -1]])]
    for start in ((0, 1), (1, 1)):
        figure = figure_of(consortium.search(pennies, start=list(start)))
        assert [text for text in hovers(figure) if text.endswith("; start")] == [
            f"{start[0]} | {start[1]}; in a cycle that best responses never leave; start"
        ]


def test_neighbours_differ_in_grey_and_in_hatch() -> None:
    looks = [style.fill(i) for i in range(64)]
    for one, other in itertools.pairwise(looks):
        assert abs(lightness(one["facecolor"]) - lightness(other["facecolor"])) > 0.1
        assert one["hatch"] != other["hatch"]
    assert len({(look["facecolor"], look["hatch"]) for look in looks}) == 64
    verdicts = [style.verdict(holds) for holds in (True, False, None)]
    for one, other in itertools.combinations(verdicts, 2):
        assert abs(lightness(one["facecolor"]) - lightness(other["facecolor"])) > 0.1


@pytest.mark.parametrize(
    "name", thinned(["federation-run", "multiuser-run-front", "sharing-audit-from", "game-search"])
)
def test_grey_figures_have_no_colours(name: str, asked: Any, tmp_path: Any) -> None:
    from matplotlib.image import imread

    save_record(asked(name), tmp_path / "grey.png", grey=True)
    pixels = imread(tmp_path / "grey.png")[..., :3]
    assert np.ptp(pixels, axis=2).max() < 0.01
    assert len(np.unique(pixels.round(1))) > 4


@pytest.mark.parametrize("width", [0, 1, -3, 1000, float("nan"), float("inf")])
def test_no_paper_has_such_a_width(width: float, asked: Any) -> None:
    with pytest.raises(InputError, match=r"width of a figure: found .*; expected inches, from 2\.5 to 20"):
        figure_of(asked("federation-run"), width=width)


def test_titles_are_wrapped_and_complete() -> None:
    words = "a title of many words and one " + "x" * 300
    with style.look():
        figure = style.new_figure(4, 3)
        figure.subplots()
        style.title(figure, words, "a note")
    assert not misplaced(figure)
    assert figure.get_suptitle().replace("\n", "").replace(" ", "") == (words + "anote").replace(" ", "")


@pytest.mark.parametrize("text", ["", "one", "x" * 50, "two words", "a b c d e f g h i j k l"])
def test_lines_are_as_wide_as_they_may_be(text: str) -> None:
    for room in (1, 30, 80, 1000):
        lines = style.wrapped(text, room)
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
        assert all(style.width_of(line) <= room or len(line) == 1 for line in lines)


def test_a_cut_is_marked_and_fits() -> None:
    for room in (12, 40, 60):
        found = style.cut_to("a name of many letters", room)
        assert found.endswith("…")
        assert style.width_of(found) <= room
    assert style.cut_to("a name", 1000) == "a name"


def test_a_label_that_does_not_fit_is_told_on_hover_only() -> None:
    with style.look():
        figure, axes = charts.gantt_figure(1)
        bars = [charts.Bar(0, 0, 1, 0, "long name", "first"), charts.Bar(0, 1, 100, 1, "other", "second")]
        charts.draw_gantt(axes, charts.Gantt(["machine 1"], bars, ["a", "b"], until=90))
    assert [text.get_text() for text in axes.texts] == ["other"]
    assert hovers(figure).count("first") == 1
    assert [line.get_xdata() for line in axes.lines] == [[90, 90]]
    assert [type(patch) for patch in axes.patches] == [Rectangle, Rectangle]


def test_what_a_record_is_about() -> None:
    mechanism = {"rule": "pick", "strict": True, "order": [1], "penalty": "1/2"}
    asked = {"scenario": {"mechanism": mechanism}}
    assert charts.named({"scenario": "s", "request": asked}) == "s; rule pick, strict true, penalty 1/2"
    assert charts.named({"scenario": "s", "request": {"log": "a.swf"}}) == "s"
    assert charts.named({"scenario": None}) == ""


def test_hover_texts_of_bars_are_exact(asked: Any) -> None:
    record = asked("federation-run")
    root = ElementTree.fromstring(svg_text(figure_of(record)))
    shown = {title.text for title in root.iter("{http://www.w3.org/2000/svg}title")}
    for job in record.jobs:
        where = f"on {job.host}, machine {job.machine}"
        assert f"{job.organization}, job {job.job} {where}: {job.start} to {job.end}" in shown
