"""Figures of every kind and verb: they draw without a warning, and show what the record says."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import consortium
from consortium.games.dynamics import default_profile
from consortium.reports import charts
from consortium.reports.figures import SLIDE, WIDTHS, figure_of, save, save_record, save_slide, slide_of
from consortium.scenarios.reader import shipped
from consortium.support.errors import InputError

from ..sweeps import PART, thinned
from .cases import CASES, cluster, federation, pool, users


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    """A warning of the drawing library means that something does not fit."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def words(figure: Any) -> list[str]:
    """Everything that is written in a figure."""
    from matplotlib.text import Text

    return [found.get_text() for found in figure.findobj(Text) if found.get_text()]


def bars(figure: Any) -> list[tuple[float, float]]:
    """Starts and ends of everything drawn in the first axes."""
    found = [(patch.get_x(), patch.get_x() + patch.get_width()) for patch in figure.axes[0].patches]
    return sorted((round(start, 9), round(end, 9)) for start, end in found)


@pytest.mark.parametrize("name", thinned(sorted(CASES)[::3]))
def test_verbs_draw_the_same_bytes_twice(name: str, asked: Any, tmp_path: Any) -> None:
    record = asked(name)
    for file in ("one.svg", "two.svg"):
        save(figure_of(record), tmp_path / file)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


@pytest.mark.parametrize("name", thinned([name for name in shipped() if not name.startswith("shapes/")], 3 * PART))
def test_every_shipped_scenario_draws_what_happens(name: str) -> None:
    figure = figure_of(consortium.run(name))
    figure.draw_without_rendering()
    drawn = sum(len(axes.patches) + len(axes.collections) + len(axes.lines) for axes in figure.axes)
    assert drawn > 0 or any(word.endswith(": left") for word in words(figure))  # nobody stayed


def test_files_of_every_format_and_no_other(asked: Any, tmp_path: Any) -> None:
    record = asked("declaration-run")
    for ending, begin in ((".svg", b"<?xml"), (".png", b"\x89PNG"), (".pdf", b"%PDF")):
        save_record(record, tmp_path / f"run{ending}")
        assert (tmp_path / f"run{ending}").read_bytes().startswith(begin)
    with pytest.raises(InputError, match=r"expected a file name that ends in \.svg, \.png or \.pdf"):
        save_record(record, tmp_path / "run.gif")
    with pytest.raises(InputError, match="cannot be written"):
        save_record(record, tmp_path / "nowhere" / "run.svg")


def test_a_slide_is_sixteen_to_nine_and_wider_only_where_it_must_be(tmp_path: Path) -> None:
    small, large = slide_of(consortium.run(pool("ref"))), slide_of(consortium.compare("agmon2003/5.2.1"))
    assert small.get_figwidth() == SLIDE < large.get_figwidth() <= WIDTHS[1]
    for figure in (small, large):
        across, up = figure.get_size_inches()
        assert 9 * across == pytest.approx(16 * up)
    files = save_slide(consortium.run(pool("ref")), tmp_path / "01-run")
    assert [file.name for file in files] == ["01-run.svg", "01-run.png", "01-run.pdf"]
    header = files[1].read_bytes()[16:24]
    assert (int.from_bytes(header[:4]), int.from_bytes(header[4:])) == (1920, 1080)


@pytest.mark.parametrize("name", ["declaration-run", "declaration-verify", "federation-search", "multiuser-run"])
def test_letters_of_a_slide_are_as_large_as_the_page_says(name: str, asked: Any) -> None:
    """19 points on a slide 13.3 inches wide, of a figure that is not drawn wider; labels at nodes are no smaller."""
    figure = slide_of(asked(name))
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    assert min(text.get_fontsize() for text in texts) * 13.3 >= 19 * SLIDE
    assert texts


def test_a_declaration_run_shows_plan_and_work(asked: Any) -> None:
    record = asked("declaration-run")
    figure = figure_of(record)
    begin, plan = 0, []
    for row in sorted(record.agents, key=lambda row: row.position):
        plan.append((begin, row.planned))
        begin = row.planned
    work = [(piece[0], piece[1]) for row in record.agents for piece in row.work]
    assert bars(figure) == sorted((float(a), float(b)) for a, b in [*plan, *work])
    assert {"ann: POST", "bob", "POST", "POST: output postponed"} <= set(words(figure))


def test_an_agent_who_left_is_named() -> None:
    figure = figure_of(consortium.run(cluster("vcg-renice", rounds=2)))
    assert {"ann: left", "bob: left"} <= set(words(figure))


def test_a_federation_run_shows_every_job_and_whose_is_abroad(asked: Any) -> None:
    record = asked("federation-run")
    figure = figure_of(record)
    assert bars(figure) == sorted((float(job.start), float(job.end)) for job in record.jobs)
    assert {"1", "much.2", "much.3", "much", "little", "no"} <= set(words(figure))
    thick = [patch for patch in figure.axes[0].patches if patch.get_linewidth() > 1]
    assert len(thick) == sum(job.organization != job.host for job in record.jobs) == 2


def test_a_pool_run_shows_every_start_and_what_everybody_got(asked: Any) -> None:
    record = asked("sharing-run")
    figure = figure_of(record)
    starts = [start for start, *_ in record.schedule]
    assert bars(figure) == sorted(zip(map(float, starts), map(float, record.ends), strict=True))
    first = record.organizations[0]
    assert f"atlas: utility {first.utility}, contribution {first.contribution}" in words(figure)


def test_an_empty_schedule_says_so() -> None:
    empty = figure_of(consortium.run(pool("fifo") | {"until": 0}))
    assert any("nothing was started before the end" in text for text in words(empty))


@pytest.mark.parametrize("name", ["game-search", "declaration-search", "federation-search"])
def test_a_small_game_of_any_kind_shows_its_best_responses(name: str, asked: Any) -> None:
    record = asked(name)
    figure = figure_of(record)
    label = record.label
    shown = set(words(figure))
    for found in record.equilibria.listed:
        profile = tuple(found.profile.values())
        if name != "federation-search":  # there profiles are written with numbers of hosts
            assert label(profile) in shown
    assert {"start", "equilibrium"} <= shown
    assert any(f"read {label(record.start or default_profile(record.game))} as: " in word for word in shown)
    rings = figure.axes[0].collections[0].get_linewidths()
    assert sum(width > 2 for width in rings) == record.equilibria.count
    assert {f"{player} moves" for player in record.players if player != "no"} >= {w for w in shown if "moves" in w}


def test_a_large_game_shows_its_prices(asked: Any) -> None:
    record = asked("game-search-large")
    figure = figure_of(record)
    shown = words(figure)
    assert any("price of anarchy 1, price of stability 1" in text for text in shown)
    assert "11 of 28,561 profiles" in shown
    optimum = figure.axes[2]
    assert [bar.get_width() for bar in optimum.patches] == list(record.optimum.payoffs.values())


def test_a_large_game_without_equilibrium_says_how_near_one_comes() -> None:
    """Matching pennies among players of thirteen strategies, with two players who do not matter."""
    side = np.indices((13,) * 4)
    pennies = ((side[0] - side[1]) % 13 == 0).astype(int)
    record = consortium.search([pennies, -pennies, 0 * pennies, 0 * pennies])
    shown = words(figure_of(record))
    assert record.equilibria.count == 0
    assert "fails" in shown
    assert f"smallest regret {record.smallest_regret}" in shown


def test_a_lie_that_pays_stands_beside_the_truth(asked: Any) -> None:
    record = asked("declaration-verify")
    figure = figure_of(record)
    strip, dominant, ex_post = figure.axes
    marks = [w for w in words(figure) if w in ("holds", "fails")]
    listed = [record.dominant, record.ex_post]
    listed += [found for name, found in record.properties.items() if name != "any_others"]
    listed += list(record.properties["any_others"].values())
    assert marks == ["holds" if found.holds else "fails" for found in listed]
    assert len(strip.patches) == len(listed)
    for axes, found in ((dominant, record.dominant), (ex_post, record.ex_post)):
        lengths = [bar.get_width() for bar in axes.patches]
        assert lengths == [found.witness.utility_truth, found.witness.utility_lie]


def test_payments_of_many_declarations_stand_in_cells() -> None:
    """A panel an agent, a row for each declaration of the others, a column for each of its own."""
    three = cluster("light-vcg")
    three["agents"] = [*three["agents"], {"name": "cat", "length": 1}]
    record = consortium.design(three | {"domain": {"lengths": [1, 2, 3]}}, concept="ex-post", least="payment")
    figure = figure_of(record)
    for axes, name in zip(figure.axes, ("ann", "bob", "cat"), strict=True):
        columns = [label.get_text() for label in axes.get_xticklabels()]
        cells = {}
        for text in axes.texts:
            x, y = text.get_position()
            cells[axes.get_yticklabels()[int(y)].get_text(), columns[int(x)]] = text.get_text()
        assert cells == {
            (
                ", ".join(f"{k} {x}" for k, x in row["declarations"].items() if k != name),
                str(row["declarations"][name]),
            ): str(row["payments"][name])
            for row in record.to_dict()["table"]
        }


def test_costs_stand_beside_best_replies_and_values_beside_bounds(asked: Any) -> None:
    witness = asked("federation-verify").equilibrium.witness
    replies = figure_of(asked("federation-verify")).axes[1]
    assert [bar.get_width() for bar in replies.patches] == [witness["cost"], witness["better"]]
    found = asked("federation-verify-optimal").witnesses["selfishness_restriction"]
    bounds = figure_of(asked("federation-verify-optimal")).axes[1]
    assert [bar.get_width() for bar in bounds.patches] == [found["value"], found["bound"]]


def test_every_organizations_best_move_is_drawn(asked: Any) -> None:
    found = asked("sharing-verify").manipulation
    figure = figure_of(asked("sharing-verify"))
    with_move, each = figure.axes[1:]
    witness = found["witness"]
    assert [bar.get_width() for bar in with_move.patches] == [witness["utility_as_is"], witness["utility_with_move"]]
    assert [bar.get_width() for bar in each.patches] == [row["max_gain"] for row in found["each"]]
    assert [text.get_text() for text in each.get_yticklabels()] == ["O1: pad", "O2: split"]


def compared(values: dict[str, list[Any]], rules: list[str]) -> dict[str, Any]:
    rows = [
        {
            "rule": rule,
            "scenario": "s",
            "complete": True,
            "values": {name: column[i] for name, column in values.items()},
        }
        for i, rule in enumerate(rules)
    ]
    return {"scenario": "s", "columns": list(values), "rows": rows}


def test_a_comparison_shows_marks_bars_and_what_is_not_there() -> None:
    values = {
        "just": [True, False],
        "rent": ["3/2", "-inf"],
        "price": [None, 2],
        "point": [[1, 2], None],
        "x": [None] * 2,
    }
    figure = charts.comparison(compared(values, ["one", "two"]))
    figure.draw_without_rendering()
    shown = words(figure)
    assert {"yes", "no", "3/2", "-inf", "none", "2", "1 2"} <= set(shown)
    assert any("none under any rule: x" in text for text in shown)
    marks, rent, price = figure.axes[:3]
    assert len(marks.patches) == 2
    assert [len(axes.patches) for axes in (rent, price)] == [2, 1]
    assert rent.patches[0].get_width() == 1.5


def test_a_long_comparison_is_cut_with_a_note() -> None:
    rules = [f"rule number {i} with quite a long name" for i in range(charts.MAX_ROWS + 5)]
    figure = charts.comparison(compared({"cost": list(range(len(rules)))}, rules))
    figure.draw_without_rendering()
    assert any("5 more rows are not drawn" in text for text in words(figure))
    assert len(figure.axes[0].patches) == charts.MAX_ROWS


MANY = [f"department of quite a long name {i}" for i in range(12)]


def crowd(kind: str, names: list[str]) -> dict[str, Any]:
    """A scenario of any kind with so many agents."""
    if kind == "declaration":
        agents = [{"name": name, "length": i + 1, "declares": max(i, 1)} for i, name in enumerate(names)]
        return cluster("straightforward") | {"agents": agents}
    if kind == "federation":
        return federation("local") | {"organizations": [{"name": n, "machines": 2, "jobs": [3, 1]} for n in names]}
    if kind == "sharing":
        listed = [{"name": n, "machines": 1, "jobs": [[i, 2]]} for i, n in enumerate(names)]
        return pool("fifo") | {"organizations": listed}
    listed = [{"name": n, "objective": "total-completion", "jobs": [1, 2]} for n in names]
    return users("multisum") | {"users": listed}


@pytest.mark.parametrize("names", [MANY[:1], MANY], ids=["one", "twelve"])
@pytest.mark.parametrize("kind", ["declaration", "federation", "sharing", "multiuser"])
def test_one_agent_and_twelve_are_both_drawn(kind: str, names: list[str]) -> None:
    figure = figure_of(consortium.run(crowd(kind, names)))
    figure.draw_without_rendering()
    entries = [entry.get_text() for legend in figure.legends for entry in legend.get_texts()]
    named = [entry for entry in entries if entry.startswith("department")]
    assert len(named) == len(names)
    assert all(entry.startswith(("until 9", "RUN ON: ")) for entry in entries if entry not in named)


def test_more_machines_than_fit_a_page_are_counted() -> None:
    many = pool("fifo") | {"organizations": [{"name": "atlas", "machines": 60, "jobs": [[0, 4]] * 60}]}
    figure = figure_of(consortium.run(many))
    assert any("12 more rows are not drawn" in text for text in words(figure))
    assert len(figure.axes[0].patches) == charts.MAX_ROWS


def test_an_audit_with_a_time_series_shows_balance_and_load(asked: Any) -> None:
    plain, full = asked("sharing-audit"), asked("sharing-audit", series=True)
    assert len(figure_of(plain).axes) == 1
    rules, balance, load = figure_of(full).axes
    unfairness = sorted(row["values"]["unfairness"] for row in full.to_dict()["rows"])
    assert [bar.get_width() for bar in rules.patches] == pytest.approx(unfairness)
    series = full.to_dict()["series"]
    assert [line.get_label() for line in balance.lines[:-1]] == list(series["balance"])
    hours = [moment / 3600 for moment in series["times"]]
    assert list(load.lines[0].get_xdata()) == pytest.approx(hours)


def test_verdicts_look_different_and_what_is_open_is_dotted() -> None:
    looks = [charts.verdict(holds) for holds in (True, False, None)]
    assert len({look["facecolor"] for look in looks}) == 3
    assert [look.get("linestyle") for look in looks] == [None, None, ":"]
    figure = charts.findings("heading", [charts.Verdict("one", None, "told")])
    assert "open" in words(figure)
    assert [patch.get_linestyle() for patch in figure.axes[0].patches] == [":"]


@pytest.mark.parametrize("name", ["federation-run", "declaration-curve", "game-search", "multiuser-run-front"])
def test_a_drawing_of_one_panel_is_drawn_into_axes_of_ones_own(name: str, asked: Any) -> None:
    """The other axes of the figure, and its size, stay as they are."""
    whole = Figure(figsize=(12, 5), layout="constrained")
    other, ax = whole.subplots(1, 2)
    other.set_title("mine")
    assert asked(name).plot(ax=ax, grey=True) is whole
    alone = figure_of(asked(name), grey=True).axes[0]
    assert ax.has_data()
    assert (len(ax.patches), len(ax.lines)) == (len(alone.patches), len(alone.lines))
    assert (ax.get_xlabel(), ax.get_ylabel()) == tuple(
        label.replace("\n", " ") for label in (alone.get_xlabel(), alone.get_ylabel())
    )
    assert ax.get_title(loc="left")
    assert (other.get_title(), other.has_data(), list(whole.get_size_inches())) == ("mine", False, [12, 5])


def test_several_panels_stand_in_the_place_of_the_axes(asked: Any) -> None:
    record = asked("declaration-verify")
    whole = Figure(figsize=(14, 9), layout="constrained")
    _, ax = whole.subplots(1, 2)
    assert figure_of(record, ax=ax) is whole
    assert len(whole.axes) == 2 + len(figure_of(record).axes)
    assert not ax.axison
    with pytest.raises(InputError, match="ax: found axes outside any grid"):
        figure_of(record, ax=Figure().add_axes((0, 0, 1, 1)))
    with pytest.raises(InputError, match="width: found 4 beside ax; expected one of them"):
        figure_of(record, ax=ax, width=4)
