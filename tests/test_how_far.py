"""The page "How far can I go?" shows what was measured, and every question that it lists can still be asked."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="limits of processor time, which Windows has not")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))

import how_far
from questions import QUESTIONS, Question, apart


def test_the_page_has_the_table_of_what_was_measured() -> None:
    page = how_far.PAGE.read_text()
    assert how_far.written(page, how_far.kept()) == page


def test_every_question_was_measured_and_no_other() -> None:
    assert list(map(how_far.key, QUESTIONS)) == [how_far.key(q) for q in QUESTIONS if how_far.key(q) in how_far.kept()]
    assert set(how_far.kept()) == set(map(how_far.key, QUESTIONS))


def test_more_time_reaches_no_less() -> None:
    for row in how_far.kept().values():
        sizes = [row["reached"][limit] or 0 for limit in sorted(row["reached"], key=float)]
        assert sizes == sorted(sizes)


def test_a_question_is_stopped_at_its_limit_and_keeps_its_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    # The hard limit would end this very process: it counts ticks, seconds ahead of the clock after minutes of tests.
    monkeypatch.setattr(how_far.resource, "setrlimit", lambda *_: None)

    def forever(_: object) -> float:
        try:
            while True:
                pass
        except KeyboardInterrupt:
            return 0.25

    asked = Question("q", "of", "n", range(3), lambda size, number: (size, number), forever)
    answer = how_far.timed(asked, 1, 0, 0.05)
    assert 0.04 < answer.seconds < 1
    assert answer.gap == 0.25


@pytest.mark.parametrize(
    ("seconds", "stops"), [([], False), ([9], False), ([1, 2], False), ([1, 6], True), ([0.001, 0.2], False)]
)
def test_what_would_take_far_too_long_is_not_tried(seconds: list[float], stops: bool) -> None:
    assert how_far.hopeless(seconds, 10) is stops


def test_cells() -> None:
    asked = Question("q", "of", "n", [2000, 4000], lambda *_: None, lambda _: 0.0)
    row = {"reached": {"1": None, "10": 2000, "60": 4000}, "beyond": [8000, 0.25], "all": True}
    assert [how_far.cell(row, limit, asked) for limit in ("1", "10", "60", "600")] == [
        "< 2,000",
        "2,000",
        "≥ 4,000",
        "",
    ]
    assert how_far.beyond(row) == "8,000: gap 25 %"
    assert how_far.beyond(row | {"beyond": [8000, None]}) == ""


def test_gaps_are_relative_to_the_larger_bound() -> None:
    assert [apart(3, 4), apart(0, 0), apart(None, 1), apart(1, math.inf)] == [0.25, 0, math.inf, math.inf]


def test_the_kept_numbers_are_written_as_they_are_read() -> None:
    assert how_far.KEPT.read_text() == json.dumps(how_far.kept(), indent=1, ensure_ascii=False) + "\n"
