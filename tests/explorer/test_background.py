"""Long questions: answered in another process, stopped with what is known, and errors told in words."""

from __future__ import annotations

import time

import pytest

from consortium.explorer import background
from consortium.explorer.background import Question, Work
from consortium.explorer.view import View


def ended(work: Work, seconds: float = 60) -> Work:
    end = time.monotonic() + seconds
    while not work.look():
        assert time.monotonic() < end
        time.sleep(0.02)
    return work


def test_it_answers_what_the_command_that_it_names_would() -> None:
    question = Question("verify", View.opened("agmon2003/5.2.1").changed({"mechanism.rule": "vcg-postpone"}))
    assert question.command == "consortium verify agmon2003/5.2.1 --set mechanism.rule=vcg-postpone"
    work = ended(Work(question))
    assert work.answer is not None
    assert work.answer["dominant"]["holds"] is True
    work.close()


def test_what_cannot_be_asked_is_said() -> None:
    work = ended(Work(Question("search", View.opened("minimal/multiuser"))))
    assert work.answer is None
    assert "have no such verb" in work.trouble


def test_it_stops_with_what_is_known_or_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    question = Question("search", View.opened("cordeiro2012/figure-5.5-k6"))
    work = Work(question)
    while work.said == "starting" and not work.look():
        time.sleep(0.02)
    assert "best-response moves" in work.said
    work.stop()
    ended(work, background.PATIENCE + 5)
    assert work.answer is not None
    assert work.answer["complete"] is False
    assert work.answer["profiles"] > 10**6
    monkeypatch.setattr(background, "PATIENCE", 0.0)
    other = Work(question)
    other.stop()
    assert ended(other).answer is None
