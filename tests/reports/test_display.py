"""Records show themselves: printed, in short, as HTML in a notebook, as frames, in LaTeX, as a figure."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

import pytest

import consortium
from consortium.reports import display
from consortium.reports.display import near
from consortium.reports.markup import COMMANDS, Table, latex, text
from consortium.reports.sentences import SUMMARY, summary
from consortium.reports.tables import facts, tables_of
from consortium.support.errors import InputError, UnknownNameError
from consortium.support.status import INCOMPLETE, ending
from consortium.verbs.records import SHORT, Frozen, Record, Row

from .cases import CASES, cluster
from .pages import Reader

FEW = ["declaration-run", "declaration-verify", "declaration-curve", "federation-run", "game-search"]
EVERY = [name if name in FEW else pytest.param(name, marks=pytest.mark.exhaustive) for name in CASES]


@pytest.mark.parametrize("name", EVERY)
def test_a_record_prints_the_tables_of_the_command_line(name: str, asked: Any) -> None:
    record = asked(name)
    tables, sentences = text(tables_of(record.to_dict())), summary(record.to_dict())
    shown = "\n".join([*sentences, "", tables]) if sentences else tables
    assert str(record) == (f"{shown}\n\n{INCOMPLETE}" if ending(record.complete, record.status) else shown)
    assert text(record.tables()) == tables
    assert len(sentences) <= SUMMARY


@pytest.mark.parametrize("name", EVERY)
def test_a_record_in_short_is_one_line_with_its_verdict(name: str, asked: Any) -> None:
    record = asked(name)
    short = repr(record)
    assert "\n" not in short
    assert len(short) <= SHORT + 80
    assert short.startswith(f"<{record.kind} {record.verb}")
    assert (str(record.status) in short) == (str(record.status) != "proved")


@pytest.mark.parametrize("name", EVERY)
def test_completion_lists_the_fields(name: str, asked: Any) -> None:
    record = asked(name)
    assert set(vars(record)) <= set(dir(record))
    assert record._ipython_key_completions_() == record.keys()
    assert {"tables", "plot", "to_frame", "to_latex"} <= set(dir(record))


def leaves(path: str, value: Any) -> dict[str, Any]:
    """Every single thing that a row holds, by its path."""
    if not isinstance(value, Row | Frozen):
        return {path: value}
    return {
        inside: leaf
        for key in value.keys()  # noqa: SIM118  # a row is no mapping
        for inside, leaf in leaves(f"{path}.{key}".lstrip("."), value[key]).items()
    }


@pytest.mark.parametrize("name", EVERY)
def test_a_frame_has_every_row_and_every_object(name: str, asked: Any) -> None:
    record = asked(name)
    frame = record.to_frame()
    if record.main == "verdicts":
        every = leaves("", record).items()  # a request may hold what was expected
        said = {path: value for path, value in every if path.endswith(".holds") and not path.startswith("request.")}
        told = dict(zip((f"{claim}.holds" for claim in frame["claim"]), frame["holds"], strict=True))
        assert said.items() <= told.items()
        assert record.to_frame("record").shape[0] == 1
        return
    listed: Any = record
    for part in record.main.split("."):
        listed = listed[part]
    assert len(frame) == len(listed)
    for i, row in enumerate(listed):
        for path, value in leaves("", row).items():
            if "replay" not in path.split("."):
                assert frame[path][i] == getattr(value, "value", value)


def test_a_frame_is_exact_unless_floats_are_asked_for(asked: Any) -> None:
    record = asked("declaration-run")
    exact, floats = record.to_frame("agents"), record.to_frame("agents", numbers="float")
    assert [type(value) for value in exact["utility"]] == [Fraction, Fraction]
    assert floats["utility"].dtype == float
    assert list(floats["utility"]) == [float(value) for value in exact["utility"]]
    assert list(floats["stayed"]) == list(exact["stayed"])
    with pytest.raises(InputError, match="numbers: found 'binary'; expected 'exact' or 'float'"):
        record.to_frame(numbers="binary")


def test_integers_beyond_floats_stay_themselves() -> None:
    scenario = cluster("vcg-postpone")
    for agent in scenario["agents"]:
        agent["length"] = 10**18 + 1
        agent.pop("declares", None)
    assert list(consortium.run(scenario).to_frame()["length"]) == [10**18 + 1] * 2
    assert near([10**400, -(10**400), None, Fraction(1, 3)])[:2] == [math.inf, -math.inf]


def test_tables_of_a_frame_are_named_and_a_wrong_name_lists_them(asked: Any) -> None:
    record = asked("declaration-verify")
    assert list(record.to_frame("record").columns[:1]) == ["kind"]
    assert list(record.to_frame().columns[:2]) == ["claim", "holds"]
    properties = record.to_frame("properties")
    assert list(properties["name"]) == [name for name, row in record.properties.items() if isinstance(row, Row)]
    assert list(properties["holds"]) == [row.holds for row in record.properties.values() if isinstance(row, Row)]
    with pytest.raises(UnknownNameError, match=r"table: 'agents' is not known; known: .*properties.*record"):
        record.to_frame("agents")


def test_a_listing_without_rows_is_an_empty_frame() -> None:
    """The cyclic game of two: nobody is content anywhere."""
    import numpy as np

    record = consortium.search([np.array([[1, 0], [0, 1]]), np.array([[0, 1], [1, 0]])])
    assert record.equilibria.listed == ()
    assert record.to_frame().empty


@pytest.mark.parametrize("name", EVERY)
def test_latex_is_balanced_and_every_row_has_its_cells(name: str, asked: Any) -> None:
    for table in asked(name).tables():
        lines = table.to_latex().splitlines()
        assert [line for line in lines if line.startswith((r"\begin", r"\end"))] == [
            r"\begin{table}",
            next(line for line in lines if line.startswith(r"\begin{tabular}")),
            r"\end{tabular}",
            r"\end{table}",
        ]
        rows = [line for line in lines if line.endswith(r" \\")]
        assert len(rows) == len(table.rows) + bool(table.columns)
        widths = {len(row) for row in (table.columns, *table.rows) if row}
        assert {row.replace(r"\&", "").count("&") + 1 for row in rows} <= widths


@pytest.mark.parametrize(
    "table",
    [
        Table("t", ("who", "what", "n"), (("ann", "word " * 60, "1"), ("bob", "x" * 300, "2"))),
        Table("t", tuple(f"column {n}" for n in range(30)), (tuple(str(10**12 + n) for n in range(30)),)),
        Table("t", ("n",), tuple((str(n),) for n in range(100))),
        Table("t", (), (("key", "value " * 500),)),
        Table("t", (), ()),
    ],
)
def test_latex_fits_a_page(table: Table) -> None:
    """Columns as wide as the letters in them, or as their place says, stand within 345 points, or all get smaller."""
    parts = table.to_latex().split("\n\n")
    assert sum(part.count(r" \\") for part in parts) == len(table.rows) + bool(table.columns) * len(parts)
    for part in parts:
        (place,) = re.findall(r"\\begin\{tabular\}\{(.*)\}", part)
        kinds = re.findall(r"p\{(\d+)pt\}|([lr])(?!agged|r|aybackslash|ight)", re.sub(r">\{.*?\}", "", place))
        cells = [row.split(" & ") for row in re.findall(r"(.*) \\\\\n", part)]
        across = 12 * len(kinds) + sum(
            float(wide) if wide else 5.25 * max((len(row[n]) for row in cells), default=0)
            for n, (wide, _) in enumerate(kinds)
        )
        assert across <= 346 or r"\resizebox{\linewidth}" in part
        longest = max((len(word) for word in re.split(r"[ \n]|\\allowbreak\{\}", part)), default=0)
        assert longest < 60 or r"\resizebox" in part
        assert part.count(r" \\") <= 42


def test_latex_commands_in_a_file_are_text() -> None:
    hostile = '\\input{x} $ & # % _ ^ ~ { } < > "["] 李 ü\n\\end{table}'
    found = latex(Table(hostile, (hostile,), ((hostile,),), hostile))
    without = found
    assert r"\ifdefined\Umathchar 李\else(U+674E)\fi{} ü" in found
    assert r"\textquotedbl" not in found  # which the default encoding of fonts lacks
    for written in sorted(COMMANDS.values(), key=len, reverse=True):
        without = without.replace(written, "")
    assert r"\input" not in found
    assert without.count(r"\end{table}") == 1
    assert not set("$#%_^~<>") & set(without)
    assert without.count("{") == without.count("}")


@pytest.mark.parametrize(
    ("shown", "written"),
    [("-3/2", "$-3/2$"), ("~0.14", r"$\approx 0.14$"), ("-inf", r"$-\infty$"), ("inf", r"$\infty$"), ("3/2", "3/2")],
)
def test_numbers_with_signs_are_mathematics(shown: str, written: str) -> None:
    assert f"\n{written} \\\\\n" in latex(Table("", ("x",), ((shown,),)))


def test_a_table_is_a_frame_and_csv() -> None:
    table = Table("t", ("who", "pays"), (("ann, bob", "3/2"),), "note")
    assert table.to_frame().to_dict("list") == {"who": ["ann, bob"], "pays": ["3/2"]}
    assert table.to_csv() == 'who,pays\n"ann, bob",3/2\n'
    assert Table("facts", (), (("rent", "2"),)).to_frame().shape == (1, 2)
    assert table._repr_html_() == table.to_html()


def test_a_figure_is_drawn_and_saved(asked: Any, tmp_path: Any) -> None:
    assert asked("declaration-run").plot(tmp_path / "a.svg").axes
    assert (tmp_path / "a.svg").read_text().startswith("<?xml")


def test_what_cannot_be_drawn_says_what_can() -> None:
    class Audit(Record):
        verb = "audit"

    with pytest.raises(InputError, match=r"audit: nothing is drawn of it for kind 'multiuser'; drawn .* run, compare"):
        Audit(kind="multiuser", scenario=None, method="").plot()


HOSTILE = '<script>alert("1")</script></svg></style><!--\u202e&amp;'


@pytest.mark.parametrize("name", ["declaration-run", "federation-run", "federation-compare", "multiuser-run"])
def test_every_cell_of_a_record_is_in_its_table(name: str, asked: Any) -> None:
    for table in tables_of(asked(name).to_dict()):
        page = Reader(table.to_html())
        cells = [cell for row in (table.columns, *table.rows) for cell in row]
        assert [text for tag, text in page.pieces if tag in ("th", "td")] == [cell for cell in cells if cell]
        assert page.inside("caption") == ([table.title] if table.title else [])
        assert page.inside("p") == ([table.note] if table.note else [])


def test_heads_have_a_scope_and_columns_of_numbers_a_class() -> None:
    page = Reader(Table("t", ("who", "pays", "note"), (("ann", "-3/2", "4"), ("bob", "-", "none"))).to_html())
    heads = [attributes for tag, attributes in page.elements if tag == "th"]
    cells = [attributes for tag, attributes in page.elements if tag == "td"]
    number = {"class": "number"}
    assert heads == [{"scope": "col"}, {"scope": "col"} | number, {"scope": "col"}]
    assert cells == [{}, number, {}, {}, number, {}]


@pytest.mark.parametrize("text", ["0", "-7", "3/2", "1,200", "~0.14", "~1.00000e+400", "1e-05", "inf", "-inf", "0.25"])
def test_a_number_is_seen(text: str) -> None:
    assert 'class="number"' in facts("", [("fact", text)]).to_html()


@pytest.mark.parametrize("text", ["", "-", "yes", "m1", "1 2", "[1, 2]", "3/", "information", "1.2.3", "١"])
def test_what_is_no_number_is_not(text: str) -> None:
    assert 'class="number"' not in facts("", [("fact", text)]).to_html()


def test_facts_and_turned_comparisons_have_heads_in_front() -> None:
    for columns in ((), ("", "vcg")):
        page = Reader(Table("t", columns, (("rent", "2"),)).to_html())
        assert ("th", {"scope": "row"}) in page.elements


def test_nothing_in_a_file_is_markup() -> None:
    scenario = cluster("vcg-postpone") | {"title": HOSTILE}
    scenario["agents"][0]["name"] = HOSTILE
    page = Reader(display.fragment(consortium.run(scenario)))
    assert {tag for tag, _ in page.elements}.isdisjoint({"script", "img", "a", "object", "iframe"})
    assert any("<script>" in text for text in page.inside("td"))
    assert not any("\u202e" in text for _, text in page.pieces)


def test_a_fragment_has_the_figure_and_needs_nothing_from_elsewhere(asked: Any) -> None:
    found = display.fragment(asked("declaration-run"))
    page = Reader(found)
    assert [tag for tag, _ in page.elements].count("svg") == 1
    own = {attributes["id"] for _, attributes in page.elements if attributes.get("id")}
    assert own
    assert all(name is not None and name.startswith("r") for name in own)
    assert "url(http" not in found
    assert found == display.fragment(asked("declaration-run"))


def test_ids_of_two_records_differ(asked: Any) -> None:
    pages = [Reader(display.fragment(asked(name))) for name in ("declaration-run", "federation-run")]
    first, second = ({attributes["id"] for _, attributes in page.elements if attributes.get("id")} for page in pages)
    assert first.isdisjoint(second)


def test_a_frame_says_how_many_rows_it_leaves_out() -> None:
    game = [[[1, 1], [1, 1]], [[1, 1], [1, 1]]]  # all four profiles are equilibria
    assert consortium.search(game, list=3).to_frame().attrs["left_out"] == 1
    assert consortium.search(game).to_frame().attrs["left_out"] == 0
    assert consortium.run("minimal/federation").to_frame().attrs["left_out"] == 0
    learned = consortium.search(game, dynamics="fictitious-play", rounds=3, list=0)
    frame = learned.to_frame("dynamics.plays")
    assert frame.attrs["left_out"] == learned.dynamics.plays_left_out > 0
