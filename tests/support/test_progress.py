"""Progress as people ask for it: the same on every verb."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import consortium
from consortium.support import progress as progress_module
from consortium.support.errors import InputError
from consortium.support.progress import received

SCENARIO = "agmon2003/5.2.1"
STUDY = {"format": 1, "kind": "study", "verb": "run", "base": {"scenario": SCENARIO}, "measures": {"rent": "rent"}}
LOG = "1 0 0 5 1 -1 -1 1 5 -1 1 1 1 -1 1 -1 -1 -1\n2 1 0 3 1 -1 -1 1 3 -1 1 2 2 -1 1 -1 -1 -1\n"
VERBS: dict[str, Callable[[Any], Any]] = {
    "run": lambda progress: consortium.run(SCENARIO, progress=progress),
    "search": lambda progress: consortium.search([[[3, 0], [5, 1]], [[3, 5], [0, 1]]], progress=progress),
    "verify": lambda progress: consortium.verify(SCENARIO, progress=progress),
    "compare": lambda progress: consortium.compare(SCENARIO, rules=["harsh"], progress=progress),
    "curve": lambda progress: consortium.curve(SCENARIO, "ann", progress=progress),
    "check": lambda progress: consortium.check([SCENARIO], progress=progress),
    "study": lambda progress: consortium.study(STUDY, progress=progress),
    "hunt": lambda progress: consortium.hunt("light-vcg", "just", time_limit=0.1, progress=progress),
}


class Terminal(io.StringIO):
    """What takes a bar."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_draws_a_bar_and_clears_it(verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    VERBS[verb](True)
    assert verb in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[2K")  # the line is empty again


def test_audit_draws_one_too(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "log.swf").write_text(LOG)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    consortium.audit(tmp_path / "log.swf", organizations="user", start=0, duration=10, rules=["fifo"], progress=True)
    assert "audit" in terminal.getvalue()


@pytest.mark.parametrize(("ipython", "widgets"), [(False, True), (True, False), (True, True)])
def test_where_no_bar_can_be_drawn_there_are_lines(
    ipython: bool, widgets: bool, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """Neither in a terminal nor in a notebook that shows widgets, of which IPython and ipywidgets are only half."""
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    if ipython:
        monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setattr(progress_module, "installed", lambda name: widgets)
    monkeypatch.setattr(progress_module, "EVERY", 0)
    with received(True, "search") as progress:
        assert progress is not None
        progress(1, 4, "look\x1b[31m")
    assert capsys.readouterr().err.startswith("search: 1 of 4, look\\x1b[31m, 0 a second")


def test_a_function_is_called_and_false_is_silence(capsys: Any) -> None:
    reports: list[tuple[int, int | None]] = []
    consortium.verify(SCENARIO, progress=lambda done, total, note="": reports.append((done, total)))
    assert reports
    consortium.verify(SCENARIO, progress=False)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("wrong", [1, "yes", []])
def test_anything_else_is_refused(wrong: Any) -> None:
    with pytest.raises(InputError, match=r"progress: found .*; expected True for a bar, or a function"):
        consortium.run(SCENARIO, progress=wrong)


def test_the_time_left_is_at_the_rate_of_late(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """Of work that begins again and grows slower: neither what was there nor the quick beginning counts."""
    now = 0.0
    monkeypatch.setattr(progress_module.time, "monotonic", lambda: now)
    lines = progress_module.Lines("study", 10)
    lines.report(500, 1000)
    for done in (700, 710, 720, 730):
        now += 10
        lines.report(done, 1000)
    first, *_, last = capsys.readouterr().err.splitlines()
    assert first == "study: 700 of 1,000, 20 a second, 15 s left at this rate"
    assert last == "study: 730 of 1,000, 1 a second, 4 min 30 s left at this rate"
