"""Whatever stands where an argument is expected: one of our errors in a sentence, or an answer."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import consortium
from consortium.mechanisms.kinds import KINDS, Kind
from consortium.support.errors import ConsortiumError, InputError
from consortium.verbs.dispatch import takes_of
from consortium.verbs.functions import VerbFunction
from consortium.verbs.options import read_options
from consortium.verbs.sharing.options import Audit

BY_NAME = {kind.name: kind for kind in KINDS}
VERBS = sorted({verb.name for kind in KINDS for verb in kind.verbs})
DECLARATION = {
    "format": 1, "kind": "declaration", "cluster": {"powers": [1]}, "mechanism": {"rule": "light-vcg"},
    "agents": [{"name": "ann", "length": 2}, {"name": "bob", "length": 1}],
}  # fmt: skip
POOL = {
    "format": 1, "kind": "sharing", "until": 3, "mechanism": {"rule": "fifo"},
    "organizations": [{"jobs": [[0, 2]]}, {"jobs": [[0, 1]]}],
}  # fmt: skip


def itself() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


def nested(depth: int = 100_000) -> list[Any]:
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


def answering(method: str, answer: Any) -> Any:
    """A custom rule that always answers the same."""
    return SimpleNamespace(**{method: lambda *_: answer})


WRONG: dict[str, Any] = {
    "None": None, "3": 3, "-1": -1, "2.5": 2.5, "nan": math.nan, "inf": math.inf, "bytes": b"x", "set": {1},
    "table": {3: 4},
    "empty": {}, "list": [None], "text": "\ud800", "control": "\x1b[2J\0", "long": "x" * 10_000, "true": True,
    "object": object(), "huge": 10**30, "unprintable": 10**5000,
    "itself": itself(), "nested": nested(), "Decimal": Decimal("NaN"),
    "exponent": Decimal("1e999999999"), "fraction": Fraction(1, 3), "complex": 1j, "array": np.array([1, 2]),
    "texts": np.array(["a"]), "nans": np.array([[1.0, math.nan]]), "function": lambda: 1, "type": int,
    "surrogates": {"\ud800": 1}, "floats": {"agents[1].length": 2.5}, "path": {"mechanism.rule": object()},
    "scenario": {"format": 1, "kind": "declaration", "cluster": 5, "agents": "x", "mechanism": {1: 2}, 3: 4},
}  # fmt: skip
FEW = ("-1", "text", "bytes", "table", "array")
"""What is tried of every argument by default."""
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
    "design": {"source": "agmon2003/5.2.1"},
    "estimate": {"verb": "run", "source": "agmon2003/5.2.1"},
    "families": {},
    "hunt": {"rule": "light-vcx", "claim": "just"},
    "import_log": {"path": "no-such-log.swf", "kind": "declaration"},
    "listed": {},
    "load": {"source": "agmon2003/5.2.1"},
    "prove": {"source": "agmon2003/5.2.1", "property": "rent-nonnegative"},
    "run": {"source": "agmon2003/5.2.1"},
    "search": {"source": "agmon2003/5.2.1"},
    "schema": {"kind": "federation", "verb": "run"},
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


@pytest.mark.parametrize("wrong", [FEW, pytest.param(tuple(WRONG), marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", [*GIVEN])
def test_wrong_arguments_are_told_in_a_sentence(
    name: str, wrong: tuple[str, ...], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # some values are names of files
    function = getattr(consortium, name)
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD or (name, parameter.name) in SPARED:
            continue
        for value in map(WRONG.__getitem__, wrong):
            try:
                function(**GIVEN[name] | {parameter.name: value})
            except ConsortiumError as error:
                assert 0 < len(str(error)) < 2000, (parameter.name, value)
                assert "Traceback" not in str(error)
            except Exception as error:
                raise AssertionError(f"{name}({parameter.name}={value!r}): {type(error).__name__}: {error}") from error


@pytest.mark.parametrize("name", [name for name in GIVEN if isinstance(getattr(consortium, name), VerbFunction)])
def test_arguments_that_no_function_takes_are_told_in_a_sentence(name: str) -> None:
    """Too many, or one twice: what would be a TypeError of Python's."""
    function = getattr(consortium, name)
    first = next(iter(inspect.signature(function).parameters))
    for listed, named in (([[1], [2], [3]], {}), ([[1]], {first: 1})):
        with pytest.raises(InputError, match=f"{name}: .*expected {name}\\(") as caught:
            function(*listed, **named)
        assert ("are one list" in str(caught.value)) == (not named)


INSIDE: dict[str, Callable[[Any], Any]] = {
    "an override": lambda wrong: consortium.load(DECLARATION, {"agents[1].length": wrong}),
    "a path of an override": lambda wrong: consortium.load(DECLARATION, {wrong: 1} if wrong.__hash__ else {}),
    "expression": lambda wrong: consortium.load(
        {**DECLARATION, "welfare": {"goal": "expression", "expression": wrong}}
    ),
    "expected": lambda wrong: consortium.check([{**DECLARATION, "expect": {"run": {"rent": wrong}}}]),
    "expected statistic": lambda wrong: consortium.check(
        [{**DECLARATION, "expect": {"run": {"rent": {"value": wrong, "within": wrong}}}}]
    ),
    "expected options": lambda wrong: consortium.check([{**DECLARATION, "expect": {"run": {"options": wrong}}}]),
    "a record": lambda wrong: consortium.check({"verb": wrong, "replay": [wrong], "request": wrong}),
    "load": consortium.load,
    "overrides": lambda wrong: consortium.load(DECLARATION, wrong),
    "checked": lambda wrong: consortium.check([wrong]),
    "compare": lambda wrong: consortium.compare(wrong),
    "start": lambda wrong: consortium.search(DECLARATION, start=wrong),
    "mechanism": lambda wrong: consortium.run(DECLARATION, mechanism=wrong),
    "verb": lambda wrong: consortium.ask(wrong, DECLARATION),
    "a payment": lambda wrong: consortium.run(
        DECLARATION, mechanism=answering("run", SimpleNamespace(output=(2, 3), payments=(wrong, 0)))
    ),
    "an output": lambda wrong: consortium.run(
        DECLARATION, mechanism=answering("run", SimpleNamespace(output=(wrong, 3), payments=(0, 0)))
    ),
    "an outcome": lambda wrong: consortium.run(DECLARATION, mechanism=answering("run", wrong)),
    "a central schedule": lambda wrong: consortium.run("minimal/federation", mechanism=answering("run", wrong)),
    "a point": lambda wrong: consortium.run("minimal/multiuser", mechanism=answering("point", wrong)),
    "a choice": lambda wrong: consortium.run(POOL, mechanism=answering("choose", wrong)),
}
"""Parts of arguments, and arguments that are read by hand; every option has its own tests."""


@pytest.mark.parametrize("door", INSIDE)
def test_wrong_types_are_refused_in_words(door: str) -> None:
    for wrong in WRONG.values():
        try:
            INSIDE[door](wrong)
        except ConsortiumError as error:
            text = str(error)
            assert text.strip()
            assert text.encode()
            assert "\x1b" not in text
            assert len(text) < 20_000


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
        (
            lambda: consortium.verify(DECLARATION, sample=10**30),
            f"sample: found {10**30}; expected at most 10,000,000",
        ),
        (lambda: consortium.run(POOL, list=10**30), f"list: found {10**30}; expected at most 1,000,000,000"),
        (lambda: consortium.search(DECLARATION, start=3), "start: found 3; expected everybody's strategy"),
        (lambda: consortium.listed(3), "scenarios: 3 is not known"),  # type: ignore[arg-type]
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


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_what_a_refusal_names_can_be_asked_there(kind: Kind, verb: str, tmp_path: Path) -> None:
    """A kind without the verb is told its own verbs; a log is sent only to kinds that have the verb, and to audits."""
    own = {each.name for each in kind.verbs}
    if verb not in own and takes_of(verb) in ("scenario", "scenarios"):
        with pytest.raises(ConsortiumError, match="have no such verb; they have") as caught:
            consortium.ask(verb, f"minimal/{kind.name}")
        told = {*str(caught.value).rpartition("they have ")[2].split(", ")}
        assert told == {name for name in own if takes_of(name) in ("scenario", "scenarios")}
    if takes_of(verb) in ("scenario", "scenarios"):
        log = tmp_path / "a.swf"
        log.touch()
        with pytest.raises(ConsortiumError, match="a job log, which") as caught:
            consortium.ask(verb, log)
        audited = "audit" in str(caught.value)
        assert audited == (verb in {each.name for each in BY_NAME["sharing"].verbs})
        assert audited or (kind.name in str(caught.value)) == (verb in own)


@pytest.mark.parametrize("shares", ["atlas=4,cms=-2", "atlas=4,cms=1.5", "atlas=4,2", "a=b", "half"])
def test_shares_that_are_none_are_told_that_they_can_have_names(shares: str) -> None:
    with pytest.raises(ConsortiumError, match="numbers by name like atlas=4,cms=2"):
        read_options(Audit, {"shares": shares}, "audit", door="command")
