"""Sentences of an audit about one organization."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import pytest

from consortium.reports.sentences import percent
from consortium.reports.sharing.explanation import explanation
from consortium.reports.tables import cell
from consortium.verbs.records import Statistic, jsonable
from consortium.verbs.sharing.audit_records import AuditedRow

from ...verbs.sharing.logs import (
    sentence,
)


def row(
    excess: float | None,
    fair: float | None,
    delay: float | None,
    name: str = "atlas",
    limits: tuple[float, float] | None = None,
    parts: int = 10,
) -> AuditedRow:
    half = Statistic(0.5)
    low, high = limits or (None, None)
    found = [None if value is None else Statistic(value) for value in (excess, fair, delay, low, high)]
    return AuditedRow(
        rule="fifo",
        name=name,
        machines=half,
        share=half,
        usage=half,
        factor=half,
        level=half,
        utility=90,
        fair=95,
        contribution=Fraction(100),
        excess=found[0],
        fair_excess=found[1],
        parts=parts,
        fair_parts=10,
        delay=found[2],
        delay_low=found[3],
        delay_high=found[4],
    )


LATER = "its work was done 35 s later than fair. It received 12 % less than it contributed; 1 % less would be fair."


ALONE = "fair (one window, so no limits)"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (row(-12, -1, 35), LATER.replace("fair", ALONE, 1)),
        (row(-12, -1, 35, limits=(5, 65)), LATER.replace("fair.", "fair (5 s to 1 min 5 s).", 1)),
        (
            row(-12, -1, 35, limits=(-5, 75)),
            LATER.replace("fair.", "fair, which may be chance (-5 s to 1 min 15 s).", 1),
        ),
        (
            row(7, 0, -2, limits=(-3, -1)),
            "its work was done 2 s earlier than fair (1 s to 3 s). It received 7 % more than it contributed; as much "
            "as that would be fair.",
        ),
        (
            row(-12, -1, 35, parts=8),
            LATER.replace("fair.", f"{ALONE}; 20 % of what fair does of it was not done before a window ended.", 1),
        ),
        (row(-12, -1, 35, parts=12), LATER.replace("fair.", f"{ALONE}; 20 % more of it was done than fair does.", 1)),
        (row(-99.96, -99.9996, 35), LATER.replace("12", "99.96").replace(" 1 ", " 99.9996 ").replace("fair", ALONE, 1)),
        (
            row(-12, -1, 35, "others"),
            LATER.replace("its", "their").replace("It", "They").replace(" it ", " they ").replace("fair", ALONE, 1),
        ),
    ],
)
def test_words(given: AuditedRow, said: str) -> None:
    assert sentence(given) == f"{given.name}: {said}"


def test_nearly_all_is_not_all() -> None:
    """The audit said "received 100 % less" of -99.96 %."""
    assert [cell(value, "signed") for value in (-99.996, -100.0, 99.996, -0.001)] == [
        "-99.99 %",
        "-100.00 %",
        "+99.99 %",
        "+0.00 %",
    ]
    assert percent(0.99996) == "99.996 %"


def test_words_of_who_gets_what_is_fair() -> None:
    fair = dataclasses.replace(row(-90, -90, 0), utility=95)
    assert (
        sentence(fair) == "atlas: its work was done when fair would do it. It received 90 % less than it contributed."
    )


def test_those_without_work_are_named_in_one_sentence() -> None:
    idle = [dataclasses.replace(row(-100, -100, None, name, parts=0), fair_parts=0) for name in ("cms", "bio")]
    data = {"rule": "fifo", "organizations": [jsonable(each) for each in (*idle, row(7, 0, -2))]}
    first, last = explanation(data)
    assert first.startswith("atlas: ")
    assert last == "No work of theirs was done, nor would fair do any: cms and bio."


@pytest.mark.parametrize(
    ("delay", "loss", "late", "said"),
    [
        (100, 40, "1 min 40 s later", ": 1 min that nobody gains, 40 s lost to others. It"),
        (100, -20, "1 min 40 s later", ": 2 min that nobody gains, 20 s gained from others. It"),
        (-100, -140, "1 min 40 s earlier", ": 40 s that nobody gains, 2 min 20 s gained from others. It"),
        (-100, 20, "1 min 40 s earlier", ": 2 min at nobody's cost, 20 s lost to others. It"),
        (100, 100, "1 min 40 s later", ". It"),
    ],
)
def test_a_delay_is_split_without_contradiction(delay: float, loss: float, late: str, said: str) -> None:
    text = sentence(dataclasses.replace(row(7, 0, delay), loss=Statistic(float(loss))))
    assert f"{late} than fair (one window, so no limits){said}" in text


def test_words_without_a_positive_contribution() -> None:
    assert sentence(row(None, None, 3)) == (
        "atlas: its work was done 3 s later than fair (one window, so no limits). It received 90; the contribution is "
        "100, so there is nothing to compare with. Fair would be 95."
    )
