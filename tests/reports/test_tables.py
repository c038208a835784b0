"""What keeps tables readable, whatever names and numbers they hold."""

from __future__ import annotations

import io
import json
import tomllib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from rich.console import Console

import consortium
from consortium.cli.output import escaped, fail, show_record
from consortium.reports.figures import save_record
from consortium.reports.game.tables import so_far
from consortium.reports.markup import Table, draw, text
from consortium.reports.studies import group_tables
from consortium.reports.tables import LISTED, cell, comparison, listing, more, tables_of
from consortium.scenarios.toml import dumps
from consortium.support.errors import InputError

from .cases import federation, pool, users


def test_a_long_listing_says_how_much_is_missing() -> None:
    rows = [{"job": i} for i in range(LISTED + 3)]
    assert len(listing("jobs", rows, ["job"]).rows) == LISTED
    assert listing("jobs", rows, ["job"]).note == "3 more not listed; --json shows them"
    assert (
        listing("jobs", rows, ["job"], left_out=1000).note == "1,003 more not listed; --list N with --json shows them"
    )
    assert listing("jobs", rows[:LISTED], ["job"]).note == ""
    assert more(-1) == ""


def test_a_table_in_a_pipe_is_as_wide_as_what_it_shows() -> None:
    """Wide characters, marks without a width, several lines in a cell, rows of other lengths; what controls is text."""
    shown = Table("two\nlines", ("a", "漢字"), (("e\u0301", "1"), ("a\nbbb", "x", "\x1b[2J"), ("漢",)), "note\nmore")
    assert text([shown, Table("", (), (("rent", "2/5"),))]).splitlines() == [
        "two", "lines", "  a     漢字", "  --------------------", "  e\u0301     1", "  a     x      \\x1b[2J",
        "  bbb", "  漢", "  note", "more", "", "  rent   2/5",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("123456789/1000000", "~123.457"),
        ("-123456789/1000000", "~-123.457"),
        ("1/12345678901234567890", "~8.1e-20"),
        ("12345/678901", "12345/678901"),
        ("a/very/long/path", "a/very/long/path"),
        ("1234567890123", "1234567890123"),
        (["123456789/1000000"], "~123.457"),
    ],
)
def test_only_long_fractions_are_rounded(value: Any, shown: Any) -> None:
    assert cell(value) == shown


def test_a_comparison_of_several_scenarios_names_them() -> None:
    row = {"rule": "fifo", "complete": True, "values": {"a": True, "b": None}}
    rows = [{**row, "scenario": "one"}, {**row, "scenario": "two", "complete": False}]
    (found,) = comparison({"rows": rows, "columns": ["a", "b"], "scenario": "both"})
    assert found == Table(
        "compare: both",
        ("rule", "scenario", "a", "b", "complete"),
        (("fifo", "one", "yes", "-", "yes"), ("fifo", "two", "yes", "-", "no")),
    )


EVIL = "\x1b[31mred\x1b]0;title\x07 $\\frac$ \x9b2J\u202e[/b]"
"""Colours, a window's title, a bell, no formula, a screen cleared, a turn of the writing, an end of markup."""
SHOWN = "\\x1b[31mred\\x1b]0;title\\x07 $\\frac$ \\x9b2J\\u202e[/b]"


def renamed(data: dict[str, Any]) -> dict[str, Any]:
    """A scenario whose first agent, organization or user has such a name."""
    key = next(key for key in ("agents", "organizations", "users") if key in data)
    named = [{**block, "name": EVIL if i == 0 else f"other{i}"} for i, block in enumerate(data[key])]
    return {**data, key: named, "title": EVIL}


@pytest.mark.parametrize("make", [pool, federation, users])
def test_names_cannot_command_a_terminal(make: Any, tmp_path: Path) -> None:
    record = consortium.run(renamed(make({pool: "fifo", federation: "lpt-lpt", users: "fairest"}[make])))
    tables = tables_of(record.to_dict())
    terminal = io.StringIO()
    console = Console(file=terminal, force_terminal=True, color_system=None, width=400)
    for table in tables:
        draw(console, table)
    for shown in (text(tables), terminal.getvalue()):
        assert SHOWN in shown
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(shown)
    for file in ("a.svg", "a.png"):
        save_record(record, tmp_path / file)
    ElementTree.parse(tmp_path / "a.svg")


def test_names_cannot_command_a_terminal_through_a_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The accounts of a dump, in tables, words, JSON, figures and errors."""
    rows = "".join(
        f"{i}|ann|{EVIL if i % 2 else 'b'}|2024-05-01T10:00:0{i}|00:00:09|COMPLETED|1\n" for i in range(1, 9)
    )
    log = tmp_path / "log.psv"
    log.write_text(
        "JobID|User|Account|Submit|Elapsed|State|NCPUS\n" + rows.replace("$\\frac$", "$f$"), encoding="utf-8"
    )
    name = EVIL.replace("$\\frac$", "$f$")
    options = {"machines": 2, "rules": ["fifo"], "rule": "fifo", "series": True}
    record = consortium.audit(log, **options)
    assert name in {row.name for row in record.organizations}
    show_record(record, as_json=False)
    show_record(record, as_json=True)
    with pytest.raises(InputError, match="no number for") as told:
        consortium.audit(log, **options, shares={"b": 2})
    fail(str(told.value))
    out, err = capsys.readouterr()
    for shown in (out, err):
        assert "\\x1b[31mred" in shown
        assert not {"\x1b", "\x07", "\x9b"} & set(shown)
    found = json.loads(out[out.index("\n{") :])
    assert {row["name"] for row in found["organizations"]} == {name, "b"}
    save_record(record, tmp_path / "a.svg")
    ElementTree.parse(tmp_path / "a.svg")


def test_a_document_that_commands_no_terminal_says_the_same() -> None:
    data = {"format": 1, "kind": "sharing", "title": EVIL, "until": 3, "mechanism": {"rule": "fifo"}}
    shown = [escaped(json.dumps(data, ensure_ascii=False)), escaped(dumps(data))]
    assert json.loads(shown[0]) == tomllib.loads(shown[1]) == data
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set("".join(shown))
    assert json.loads(escaped(json.dumps("\ud800", ensure_ascii=False))) == "\ud800"


def test_an_unfinished_search_says_what_it_has_found_and_what_is_proved() -> None:
    """Of the worst and the best equilibrium, the price and epsilon: found, at least, at most; nothing else hedges."""
    sizes = ([3, 14, 9, 2, 17], [5, 8, 8, 19, 1], [11, 6, 13, 4, 2], [7, 16, 3, 10, 12], [1, 18, 9, 5, 6]) * 2
    data = {
        "format": 1,
        "kind": "federation",
        "organizations": [{"jobs": jobs} for jobs in sizes],
        "mechanism": {"rule": "coordination"},
    }
    record = consortium.search(data, time_limit=0.5).to_dict()
    assert not record["complete"]
    bounds, found = record["bounds"], record["equilibria"]
    lines = {line.strip().partition("  ")[0]: line.rpartition("  ")[2] for line in text(tables_of(record)).splitlines()}
    worst = f"worst found {found['worst']['social_cost']}, " if found["worst"] else ""
    assert lines["social cost: worst equilibrium"] == f"{worst}at most {bounds['worst_at_most']}"
    best = f"best found {found['best']['social_cost']}, " if found["best"] else ""
    assert lines["social cost: best equilibrium"] == f"{best}at least {bounds['best_at_least']}"
    anarchy = lines["price of anarchy (worst equilibrium against optimum)"]
    least, most = bounds["price_of_anarchy_at_least"], bounds["price_of_anarchy_at_most"]
    from_below = "" if least is None else f"at least {least}, "
    assert anarchy == (f"{least}" if least == most else f"{from_below}at most {most}")


def test_only_an_unfinished_search_hedges() -> None:
    bounds = {"epsilon_at_least": 1, "epsilon_at_most": 1, "worst_at_most": "61/2"}
    assert so_far({"complete": True, "bounds": None}, 54, "worst found", "worst") == 54
    assert so_far({"complete": False}, None, "worst found", "worst") is None
    assert so_far({"complete": False, "bounds": bounds}, None, "found", "epsilon") == "1"
    assert so_far({"complete": False, "bounds": bounds}, None, "worst found", "worst") == "at most 61/2"
    assert so_far({"complete": False, "bounds": bounds}, None, "best found", "best") is None


def test_the_verdict_on_moves_says_no_more_than_the_record(asked: Any) -> None:
    def note(**more: Any) -> str:
        return tables_of(data | more)[0].note

    data = asked("sharing-verify").to_dict()
    assert note() == "The utility is strategy-proof, the mechanism is not."
    broken = data["axioms"] | {"strategy_resistance": data["axioms"]["strategy_resistance"] | {"holds": False}}
    assert note(axioms=broken) == note(axioms={}) == "The mechanism is not strategy-proof."
    none = data["manipulation"] | {"holds": True}
    assert note(manipulation=none) == "No move pays."
    assert note(manipulation=none, complete=False) == "No move that was tried pays."


@pytest.mark.parametrize(("low", "said"), [(None, ""), (0.5, "in brackets: 95 % interval")])
def test_intervals_are_announced_where_there_are_some(low: float | None, said: str) -> None:
    values = {"rent": {"mean": {"value": 1.0, "low": low, "high": low and 1.5}}}
    (found,) = group_tables([{"keys": {}, "tasks": 3, "values": values}], [])
    assert found.note == said
