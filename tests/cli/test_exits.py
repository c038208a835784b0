"""Errors that nobody foresaw, too little memory, and what others wrote: exit codes 4 and 2, one sentence each."""

from __future__ import annotations

import operator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import consortium
from consortium.cli.app import ended
from consortium.cli.exits import judged
from consortium.parallel.executors import executor
from consortium.verbs.declaration import run as module

SCENARIO = "agmon2003/5.2.1"


def failing(error: BaseException) -> Any:
    def run(*_: object) -> None:
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (KeyError("no such thing"), 4, "error: an error of consortium itself, KeyError ('no such thing') at line"),
        (RecursionError("too deep"), 4, "error: an error of consortium itself, RecursionError (too deep) at line"),
        (AssertionError(), 4, "error: an error of consortium itself, AssertionError at line"),
        (OSError(24, "Too many open files"), 2, "error: the machine: Too many open files"),
        (PermissionError(13, "Permission denied", "x.svg"), 2, "error: x.svg: Permission denied"),
        (MemoryError("8 GiB"), 2, f"error: run of {SCENARIO}: not enough memory (8 GiB); the estimate is "),
        (consortium.InputError("n: found 3"), 2, "error: n: found 3"),
        (KeyboardInterrupt(), 3, "Stopped by Ctrl-C before there was an answer."),
    ],
)
def test_each_failure_has_its_code_and_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    code: int,
    sentence: str,
) -> None:
    monkeypatch.setattr(module, "run", failing(error))
    assert ended(["run", SCENARIO]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(sentence), err
    assert err.count("\n") == 1
    assert ("please report it" in err) == (code == 4)


def test_the_traceback_is_for_who_asks(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(module, "run", failing(KeyError("no such thing")))
    for words in (["--debug", "run", SCENARIO], ["run", SCENARIO, "--debug"]):
        assert ended(words) == 4
        err = capsys.readouterr().err
        assert "Traceback (most recent call last)" in err
        assert f"raised while consortium answered run of {SCENARIO}" in err.splitlines()[-1]


def test_from_python_an_error_keeps_its_class_and_says_where_it_came_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "run", failing(ZeroDivisionError("mine")))
    with pytest.raises(ZeroDivisionError, match="mine") as caught:
        consortium.run(SCENARIO)
    assert caught.value.__notes__ == [f"raised while consortium answered run of {SCENARIO}"]
    monkeypatch.setattr(module, "run", failing(MemoryError()))
    with pytest.raises(MemoryError, match="not enough memory; the estimate is") as full:
        consortium.run(SCENARIO)
    assert isinstance(full.value, consortium.ConsortiumError)


@pytest.mark.parametrize("error", ["RuntimeError('no goal')", "type('Own', (Exception,), {})('no goal')"])
def test_code_of_others_is_named_from_a_worker_process_too(error: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"def broken():\n    raise {error}\n")
    code = f"from consortium.support.loading import load_module\nload_module({str(tmp_path / 'mine.py')!r}).broken()"
    with executor(2) as pool:
        raised = pool.submit(operator.call, partial(exec, code)).exception()
    assert raised is not None
    code, sentence = judged(raised)
    assert (code, sentence.count("\n")) == (2, 0)
    assert sentence.startswith("error: mine.py: failed with RuntimeError")
    assert sentence.endswith("(line 2 of mine.py)")


UTILITY = """
from consortium.mechanisms.sharing import Utility


class Broken(Utility):
    id = "broken"
    summary = "it does not work"
    source = "nobody"

    def value(self, jobs, at):
        return 1 // 0

    def read(self, tally, step):
        return 1 // 0
"""
POOL = """
format = 1
kind = "sharing"
until = 9
[[organizations]]
machines = 1
jobs = [[0, 3]]
[[organizations]]
machines = 1
jobs = [[0, 2]]
[mechanism]
rule = "ref"
utility = "broken"
"""


def test_what_others_wrote_is_not_an_error_of_ours(
    site: Path, distributions: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    distributions.make_distribution(
        site, "broken", {"broken_utility": UTILITY}, {"consortium.utilities": {"broken": "broken_utility:Broken"}}
    )
    (site / "pool.toml").write_text(POOL)
    assert ended(["run", str(site / "pool.toml")]) == 2
    err = capsys.readouterr().err
    assert "ZeroDivisionError" in err
    assert "broken_utility" in err
    assert "report" not in err
