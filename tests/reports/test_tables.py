"""Tables, letter by letter: one text per case in the folder ``golden``, and what keeps them readable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from consortium.reports.tables import LISTED, Table, comparison, listing, more, readable, tables_of, text

from .cases import CASES

GOLDEN = Path(__file__).with_name("golden")


def timeless(data: Any) -> Any:
    """The same data with every measured time set to a quarter of a second."""
    if isinstance(data, dict):
        return {key: 0.25 if key == "seconds" else timeless(value) for key, value in data.items()}
    return [timeless(value) for value in data] if isinstance(data, list) else data


@pytest.mark.parametrize("name", CASES)
def test_tables_are_those_of_the_record(name: str, asked: Any) -> None:
    shown = text(tables_of(timeless(asked(name).to_dict())))
    assert shown.splitlines() == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def test_every_case_has_one_text_and_every_text_a_case() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(CASES)


def test_cases_cover_every_verb_of_every_kind() -> None:
    from consortium.mechanisms.kinds import GAME, KINDS

    wanted = {f"{kind.name}-{verb.name}" for kind in (*KINDS, GAME) for verb in kind.verbs}
    assert wanted <= set(CASES)


def test_a_long_listing_says_how_much_is_missing() -> None:
    rows = [{"job": i} for i in range(LISTED + 3)]
    assert len(listing("jobs", rows, ["job"]).rows) == LISTED
    assert listing("jobs", rows, ["job"]).note == "3 more not listed; --json shows them"
    assert (
        listing("jobs", rows, ["job"], left_out=1000).note == "1,003 more not listed; --list N with --json shows them"
    )
    assert listing("jobs", rows[:LISTED], ["job"]).note == ""
    assert more(-1) == ""


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("123456789/1000000", "~123.457"),
        ("-123456789/1000000", "~-123.457"),
        ("1/12345678901234567890", "~8.1e-20"),
        ("12345/678901", "12345/678901"),
        ("a/very/long/path", "a/very/long/path"),
        ("1234567890123", "1234567890123"),
        (["123456789/1000000"], ["~123.457"]),
    ],
)
def test_only_long_fractions_are_rounded(value: Any, shown: Any) -> None:
    assert readable(value) == shown


def test_a_comparison_of_several_scenarios_names_them() -> None:
    row = {"rule": "fifo", "complete": True, "values": {"a": True, "b": None}}
    rows = [{**row, "scenario": "one"}, {**row, "scenario": "two", "complete": False}]
    (found,) = comparison({"rows": rows, "columns": ["a", "b"], "scenario": "both"})
    assert found == Table(
        "compare: both",
        ("rule", "scenario", "a", "b", "complete"),
        (("fifo", "one", "yes", "-", "yes"), ("fifo", "two", "yes", "-", "no")),
    )
