"""What is kept of a study comes back: rows, files, frames, statistics by group, figures, the study itself."""

from __future__ import annotations

import csv
import io
import json
import re
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

import consortium
from consortium.parallel.outcomes import Outcome
from consortium.reports.figures import save_record
from consortium.reports.markup import text
from consortium.reports.studies import figure
from consortium.scenarios.problems import ScenarioError
from consortium.studies import reader, store
from consortium.studies.blocks import PlotBlock
from consortium.studies.exports import save_all, write_csv, write_json, write_parquet
from consortium.studies.results import Results, plot_of, summary
from consortium.studies.running import Where
from consortium.support.errors import InputError

from .examples import BASE, anarchy

PLOTS = [
    {"x": "family.organizations", "y": "anarchy", "by": "mechanism.priority", "kind": kind}
    for kind in ("line", "bar", "box", "scatter")
] + [{"y": "anarchy", "by": "mechanism.priority", "kind": "histogram", "title": "All of them"}]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Results:
    path = tmp_path_factory.mktemp("study") / "anarchy.db"
    return consortium.study(
        anarchy(statistics={"anarchy": ["mean", "max", "p90"], "exists": ["share"]}, plots=PLOTS), store=path
    )


def test_rows_are_as_the_format_says(found: Results) -> None:
    rows = list(found.rows())
    assert list(rows[0]) == found.columns == [
        "task", "family.organizations", "mechanism.priority", "replicate", "seed", "status", "anarchy", "exists",
        "seconds", "digest", "error",
    ]  # fmt: skip
    assert [row["task"] for row in rows] == list(range(1, 13))
    for row in rows:
        record = consortium.search(found.study.instance(found.study.task(row["task"]))).to_dict()
        assert row["anarchy"] == record["price_of_anarchy"]


def test_files_hold_the_rows(found: Results, tmp_path: Path) -> None:
    rows, text = list(found.rows()), io.StringIO()
    write_csv(found, text)
    read = list(csv.DictReader(text.getvalue().splitlines()))
    plain = {True: "true", False: "false", None: ""}
    assert [[plain.get(v, str(v)) if isinstance(v, bool | None) else str(v) for v in row.values()] for row in rows] == [
        list(row.values()) for row in read
    ]
    text = io.StringIO()
    write_json(found, text)
    assert json.loads(text.getvalue()) == rows
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    write_parquet(found, tmp_path / "rows.parquet")
    frame = pandas.read_parquet(tmp_path / "rows.parquet")
    assert frame["exists"].tolist() == [row["exists"] for row in rows]
    assert frame["anarchy"].tolist() == [str(row["anarchy"]) for row in rows]
    assert str(frame["task"].dtype) == "int64"
    assert str(frame["exists"].dtype) == "bool"


def test_frames_are_exact_or_floats(found: Results) -> None:
    pytest.importorskip("pandas")
    exact, floats = found.to_frame(), found.to_frame(numbers="float")
    assert exact["anarchy"].tolist() == [row["anarchy"] for row in found.rows()]
    assert floats["anarchy"].dtype == float
    assert floats["anarchy"].between(1, 2).all()
    with pytest.raises(InputError, match="expected 'exact' or 'float'"):
        found.to_frame(numbers="exactly")


def test_groups_are_those_of_the_grid(found: Results) -> None:
    groups = found.groups()
    assert [tuple(group.keys.values()) for group in groups] == [
        (n, rule) for n in (2, 3) for rule in ("organizations", "jobs")
    ]
    assert {group.tasks for group in groups} == {3}
    rows = [row for row in found.rows() if (row["family.organizations"], row["mechanism.priority"]) == (3, "jobs")]
    worst = max(float(consortium.support.exact.rational(row["anarchy"])) for row in rows)
    assert groups[3].values["anarchy"]["max"].value == pytest.approx(worst)
    assert groups[3].values["exists"]["share"].value == 1


def test_a_store_knows_its_study(found: Results) -> None:
    with store.read(found.store.path) as again:
        assert (again.study.title, again.study.statistics, again.study.plots) == (
            found.study.title, found.study.statistics, found.study.plots,
        )  # fmt: skip
        assert list(again.rows()) == list(found.rows())


def test_statistics_may_change_but_not_the_question(found: Results, tmp_path: Path) -> None:
    path = tmp_path / "anarchy.db"
    consortium.study(anarchy(vary=None), store=path)
    again = consortium.study(anarchy(vary=None, statistics={"anarchy": ["min"]}, title="New"), store=path)
    assert (again.study.title, list(again.groups()[0].values["anarchy"])) == ("New", ["min"])
    with pytest.raises(InputError, match=r"belongs to another question: seed"):
        consortium.study(anarchy(vary=None, seed=8), store=path)


def test_rows_of_a_comparison_are_measured_by_their_rule() -> None:
    asked = {"options": {"rules": ["optimal", "local"]}, "verb": "compare", "vary": None, "replicates": 1}
    measures = {
        "alone": "rows.local.values.social_cost",
        "second": "rows.2.values.social_cost",
        "no": "rows.lokal.values",
    }
    found = consortium.study(anarchy(**asked, measures=measures))
    (row,) = found.rows()
    assert row["alone"] == row["second"] == 11
    (note,) = summary(found.study, found.survey())["notes"]
    assert note == "measure no: in no record so far"


def test_statistics_that_cannot_be_made_hide_nothing_else() -> None:
    found = consortium.study(anarchy(vary=None, measures={"said": "scenario"}, statistics={"said": ["mean"]}))
    data = summary(found.study, found.survey())
    assert (data["tasks"]["done"], [group["values"] for group in data["groups"]]) == (3, [{}])
    assert data["notes"] == ["statistics.said: mean: found 'study#1'; expected numbers"]
    with pytest.raises(InputError, match="said: mean: found"):
        found.groups()


def test_errors_are_counted() -> None:
    study = reader.load(anarchy(vary=None, replicates=2))
    broken = reader.again("study", None, study.data | {"vary": {"mechanism.priority": ["jobs", "x"]}})
    found = store.answered(broken, None, where=Where(1))
    assert [(count, first) for count, first in found.survey().errors.values()] == [(2, 3)]
    assert [row["status"] for row in found.rows()] == ["done", "done", "failed", "failed"]
    assert len(found.groups()) == 1


@pytest.mark.parametrize("number", range(5))
def test_every_plot_is_drawn(found: Results, number: int) -> None:
    plot = plot_of(found, found.study.plots[number])
    assert [series.name for series in plot.series] == ["organizations", "jobs"]
    axes = figure(plot).axes[0]
    assert axes.get_ylabel() == ("tasks" if number == 4 else "anarchy")
    if number < 4:
        assert [label for series in plot.series for label in dict.fromkeys(series.names)] == ["2", "3"] * 2


def test_a_plot_of_several_measures_and_of_some_tasks_only(found: Results) -> None:
    asked = PlotBlock(x="family.organizations", y=["anarchy", "exists", "task"], where={"mechanism.priority": "jobs"})
    plot = plot_of(found, asked)
    rows = [row for row in found.rows() if row["mechanism.priority"] == "jobs" and row["status"] == "done"]
    assert [series.name for series in plot.series] == ["anarchy", "exists", "task"]
    assert (plot.y, plot.by) == ("value", "measure")
    for series, name in zip(plot.series, asked.y, strict=True):
        for organizations, mean in zip(series.names, series.y, strict=True):
            values = [row[name] for row in rows if str(row["family.organizations"]) == organizations]
            known = [float(Fraction(value)) for value in values if value is not None]
            assert mean == pytest.approx(sum(known) / len(known))
    assert figure(plot).legends


def test_plots_are_saved_side_by_side(found: Results, tmp_path: Path) -> None:
    assert save_all(found, str(tmp_path / "a.svg")) == [str(tmp_path / f"a-{i}.svg") for i in range(1, 6)]
    with pytest.raises(InputError, match="ends in"):
        save_all(found, str(tmp_path / "a.gif"))


def test_results_show_themselves(found: Results, tmp_path: Path) -> None:
    assert repr(found) == "<results of the study 'study', 12 tasks>"
    assert str(found).startswith("12 of 12 tasks are done.\nanarchy (")
    assert str(found).endswith(f"\n\n{text(found.tables())}")
    assert [table.title for table in found.tables()[1:]] == ["anarchy", "exists"]
    assert found.to_latex().count(r"\begin{tabular}") == len(found.tables())
    page = found._repr_html_()
    assert (page.count("<svg"), page.count("<table")) == (len(PLOTS), len(found.tables()))
    assert found.plot(tmp_path / "five.svg", number=5).get_suptitle().startswith("All of them")
    assert (tmp_path / "five.svg").exists()


def test_figures_have_colours_unless_greys_are_asked_for(found: Results, tmp_path: Path) -> None:
    record = consortium.run("agmon2003/5.2.1")
    ways = (
        found.plot,
        record.plot,
        partial(save_record, record),
        lambda path, **grey: save_all(found, str(path), **grey),
    )
    for number, way in enumerate(ways):
        for grey in (False, True):
            folder = tmp_path / f"{number}{grey}"
            folder.mkdir()
            way(folder / "a.svg", **({"grey": True} if grey else {}))
            drawn = [re.findall(r"(?:fill|stroke): (#(..)(?!\2\2))", path.read_text()) for path in folder.iterdir()]
            assert [bool(colours) for colours in drawn] == [not grey] * max(1, len(drawn))


def test_plots_that_the_file_does_not_have_can_be_asked_for(found: Results) -> None:
    drawn = found.plot(y="exists", x="mechanism.priority", kind="bar", title="Another")
    assert drawn.get_suptitle().startswith("Another")
    ax = Figure().subplots()
    assert found.plot(y="exists", x="mechanism.priority", kind="bar", ax=ax) is ax.figure
    assert len(ax.patches) == len(drawn.axes[0].patches)
    with pytest.raises(ScenarioError, match=r"plots\[1\]\.y: found 'anarchi'.*(?s:.*)plots\[1\]\.x: found 'nobody'"):
        found.plot(y="anarchi", x="nobody")
    with pytest.raises(InputError, match="number: found 6; expected 1 to 5"):
        found.plot(number=6)
    with pytest.raises(InputError, match=r"no \[\[plots\]\]; say what to draw"):
        consortium.study(anarchy(vary=None, replicates=1)).plot()


def test_results_that_are_not_whole_say_so() -> None:
    part = consortium.study(anarchy(), shard="1/2")
    end = "Incomplete: 6 of 12 tasks are not done; what is above is what is known."
    assert str(part).endswith(f"\n\n{end}")
    assert f"<p>{end}</p>" in part._repr_html_()


class Kept:
    """A store in memory, for statistics of any values."""

    note = None

    def __init__(self, measures: list[Any]) -> None:
        self.measures = measures

    def outcomes(self) -> list[Outcome]:
        return [
            Outcome(k, "done", 0.0, 1, k, "", {}, {} if value == "absent" else {"anarchy": value})
            for k, value in enumerate(self.measures, 1)
        ]


VALUES = st.lists(
    st.sampled_from([None, "absent", 1, "3/2", "inf", True, "ilba", [1, 2], 10**30]), min_size=1, max_size=6
)


@given(VALUES)
def test_any_value_is_written_and_read_back(values: list[Any]) -> None:
    study = reader.again("study", None, anarchy(base={"format": 1, **anarchy()["base"]}, vary=None, replicates=9))
    found = Results(study, Kept(values))  # type: ignore[arg-type]
    text = io.StringIO()
    write_json(found, text)
    expected = [None if value == "absent" else value for value in values]
    assert [row["anarchy"] for row in json.loads(text.getvalue())] == expected


def test_what_is_not_finished_says_so(tmp_path: Path) -> None:
    """To a program as to a reader; the same call goes on."""
    store = tmp_path / "a.db"
    begun = consortium.study(anarchy(), store=store, time_limit=1e-9, processes=1)
    assert not begun.complete
    assert re.search(r", \d of 12 tasks done>$", repr(begun))
    done = consortium.study(anarchy(), store=store)
    assert done.complete
    assert repr(done).endswith(", 12 tasks>")


def test_statistics_say_of_how_many_values_they_are() -> None:
    """Where nobody has a job every cost is 0, and there is no price: a mean is of the others."""
    idle = BASE | {"organizations": [{"jobs": []}, {"jobs": []}]}
    statistics = {"anarchy": ["mean"], "exists": ["share"]}
    counted = consortium.study(anarchy(base=idle, family=None, vary=None, replicates=None, statistics=statistics))
    (group,) = counted.groups()
    assert (group.tasks, group.counts) == (1, {"anarchy": 0, "exists": 1})
    columns = {table.title: table.columns for table in counted.tables()}
    assert "values" in columns["anarchy"]
    assert "values" not in columns["exists"]
