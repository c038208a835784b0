"""Every argument of every public function, given what it is not: one of our errors in a sentence, or an answer."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import consortium
from consortium.support.errors import ConsortiumError
from consortium.verbs.options import read_options
from consortium.verbs.sharing.options import Audit

FEW: tuple[Any, ...] = (-1, "no-such-thing", b"x", {"a": 1}, np.array([1.0]))
MORE: tuple[Any, ...] = (1.5, float("nan"), True, "", [], {}, ("x",), np.int64(3), object())
STUDY = {
    "format": 1,
    "kind": "study",
    "verb": "run",
    "base": {"scenario": "agmon2003/5.2.1"},
    "measures": {"rent": "rent"},
}
GIVEN: dict[str, dict[str, Any]] = {
    "ask": {"verb": "run", "source": "agmon2003/5.2.1"},
    "audit": {"path": "no-such-log.swf"},
    "audit_gaming": {"path": "no-such-log.swf"},
    "audit_switch": {"path": "no-such-log.swf", "to": "fifo"},
    "audit_trend": {"path": "no-such-store.db"},
    "check": {"sources": "agmon2003/5.2.1"},
    "compare": {"sources": "agmon2003/5.2.1", "rules": ["harsh"]},
    "curve": {"source": "agmon2003/5.2.1", "agent": "ann"},
    "estimate": {"verb": "run", "source": "agmon2003/5.2.1"},
    "families": {},
    "hunt": {"rule": "light-vcx", "claim": "just"},
    "import_log": {"path": "no-such-log.swf", "kind": "declaration"},
    "listed": {},
    "load": {"source": "agmon2003/5.2.1"},
    "prove": {"source": "agmon2003/5.2.1", "property": "rent-nonnegative"},
    "run": {"source": "agmon2003/5.2.1"},
    "search": {"source": "agmon2003/5.2.1"},
    "shipped": {},
    "study": {"source": STUDY},
    "verify": {"source": "agmon2003/5.2.1"},
}
"""By function, arguments with which it answers soon: the other one is the wrong one."""
DRAWING = {"report"}
"""What draws figures at every call; it has tests of its own."""
SPARED = {("listed", "only"), ("study", "cluster"), ("verify", "processes"), ("hunt", "rule")}
"""What takes long with some of the values, or means something: a folder, an address, a module to import."""


def functions() -> Iterator[str]:
    for name in consortium.__all__:
        if inspect.isroutine(getattr(consortium, name)):
            yield name


def test_every_function_is_here() -> None:
    assert {*functions()} == GIVEN.keys() | DRAWING


@pytest.mark.parametrize("wrong", [FEW, pytest.param(MORE, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", [*GIVEN])
def test_wrong_arguments_are_told_in_a_sentence(
    name: str, wrong: tuple[Any, ...], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # some values are names of files
    function = getattr(consortium, name)
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD or (name, parameter.name) in SPARED:
            continue
        for value in wrong:
            try:
                function(**GIVEN[name] | {parameter.name: value})
            except ConsortiumError as error:
                assert 0 < len(str(error)) < 2000, (parameter.name, value)
                assert "Traceback" not in str(error)
            except Exception as error:
                raise AssertionError(f"{name}({parameter.name}={value!r}): {type(error).__name__}: {error}") from error


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: consortium.curve("agmon2003/5.2.1", 1),
            "curve on kind 'declaration': agent: found 1; expected a text",
        ),
        (
            lambda: consortium.curve("agmon2003/5.2.1", "anne"),
            "agent: 'anne' is not known; known: ann, bob. Did you mean",
        ),
        (
            lambda: consortium.run("agmon2003/5.2.1", progress=3),
            "progress: found 3; expected True for a bar, or a function",
        ),
        (lambda: consortium.study(STUDY, shard=3), "study: shard: found 3; expected a text"),
        (
            lambda: consortium.study(STUDY, time_limit=-1),
            "study: time_limit: found -1; expected seconds, a number >= 0",
        ),
        (lambda: consortium.run("agmon2003/5.2.1", lst=3), "option of run on kind 'declaration': 'lst' is not known"),
        (lambda: consortium.run("agmon2003/5.2"), "found 'agmon2003/5.2'; expected an existing file or the name of a"),
        (
            lambda: consortium.estimate("rum", "agmon2003/5.2.1"),
            "'rum' is not known; known: audit, audit_gaming,",
        ),
        (
            lambda: consortium.check(3),
            "check: found int; expected scenarios, records or certificates: paths, names or dicts",
        ),
    ],
)
def test_what_where_found_and_expected(call: Any, said: str) -> None:
    with pytest.raises(ConsortiumError) as caught:
        call()
    assert said in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("a.nfg", "a game, which search takes"),
        ("a.swf.gz", "a job log, which audit and import take"),
        ("a.json", "a record, which check and report take"),
    ],
)
def test_a_file_that_is_no_scenario_is_sent_to_the_verb_that_takes_it(name: str, what: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.touch()
    for asked in (lambda: consortium.run(file), lambda: consortium.compare(["minimal/sharing", str(file)])):
        with pytest.raises(ConsortiumError, match=f"{what}; expected a scenario"):
            asked()


@pytest.mark.parametrize("shares", ["atlas=4,cms=-2", "atlas=4,cms=1.5", "atlas=4,2", "a=b", "half"])
def test_shares_that_are_none_are_told_that_they_can_have_names(shares: str) -> None:
    with pytest.raises(ConsortiumError, match="numbers by name like atlas=4,cms=2"):
        read_options(Audit, {"shares": shares}, "audit", door="command")
