"""The one door for options: what no verb of no kind accepts, in Python, in files and on the command line."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import consortium
from consortium.cli.app import ended
from consortium.mechanisms.kinds import GAME, KINDS
from consortium.support.errors import ConsortiumError, InputError, UnknownNameError
from consortium.support.loading import load as load_reference
from consortium.verbs.options import Door, Options, flag_of, read_options, written

NAN = math.nan
SOURCES = {
    "declaration": "agmon2003/5.2.1",
    "federation": "cordeiro2012/corollary-5.7",
    "federation prove": "shapes/three-organizations",
    "multiuser": "cordeiro2012/discard-rule",
    "sharing": "skowron-rzadca2013/theorem-5.1-holds",
}


def source_of(kind: str, verb: str) -> str:
    """What a verb of a kind is asked about."""
    return "no-such-log.swf" if verb.startswith("audit") else SOURCES.get(f"{kind} {verb}", SOURCES[kind])


class Wrong(NamedTuple):
    """Values that an option refuses: as Python and files have them, and as texts of the command line."""

    values: tuple[Any, ...]
    texts: tuple[str, ...] = ()


WRONG = {
    "N": Wrong((-1, 1.5, NAN, "3", True, [3], {"n": 3}, 10**1200), ("-1", "1.5", "nan", "x", "", "3,4", "9" * 1200)),
    "BYTES": Wrong((0, -1, 1.5, NAN, "8GiB", True, [3]), ("-1", "0", "x", "", "8 GB", "1e9", "8GiB2")),
    "SECONDS": Wrong((-1, NAN, "3", True, [3], {"s": 3}), ("-1", "nan", "x", "", "-0.5")),
    "NUMBER": Wrong((NAN, 0.5, True, "x", "1/0", [1], {"p": 1}), ("nan", "x", "1/0", "", "1e99999")),
    "NUMBER,NUMBER,...": Wrong((NAN, 0.5, True, "x", "1/0", [], [-1], {"p": 1}), ("nan", "x", "1/0", "1,-2")),
    "NAME": Wrong((3, NAN, True, ["x"], {"x": 1})),
    "PATH=NAME": Wrong((3, NAN, True, ["x"], {"x": 1})),
    "AGENT": Wrong((3, NAN, True, ["x"], {"x": 1})),
    "HOW": Wrong((3, NAN, True, {"x": "y"}, [NAN])),
    "K": Wrong((0, -1, 1.5, NAN, True, "3", [], [2, 2], [0], {"k": 2}), ("0", "-1", "x", "", "2,2")),
    "COLUMN|N": Wrong((0, -1, 2.5, NAN, True, [3]), ("0", "-1")),
    "DATE|SECONDS": Wrong((-1, 1.5, NAN, True, [3], "", "soon", 2**62), ("-1", "1.5", "nan", "x", "", "2026-13-01")),
    "FILE": Wrong((3, NAN, ["x"], ""), ("",)),
    "FILE|NAME=PARENT,...": Wrong((3, NAN, True, [3], {}, {"a": 3}, ""), ("",)),
    "FOLDER": Wrong((3, NAN, ["x"], ""), ("",)),
    "FOLDER|NAME=VALUE,...": Wrong((3, NAN, ["x"], {}, {"a": 3}, ""), ("",)),
    "FILE.py:NAME": Wrong(("fifo", ""), ("fifo", "nowhere.py:Rule", "no-such-module:Rule")),
    "TIME": Wrong((0, -1, 2.5, NAN, True, [3], "x", "7 days ago"), ("0", "-1", "x")),
    "JSON": Wrong((3, NAN, True, "x"), ("{", "3", "x", "nan")),
    "RULE[,RULE]": Wrong((3, NAN, True, [], ["fifo", "fifo"], ""), ("", "fifo,fifo")),
    "RULE,RULE,...": Wrong((3, NAN, "ref", [3], [["ref"]], ["ref", "ref"], {3: "ref"}), ("ref,ref",)),
    "NAME=WEIGHT,...": Wrong((3, NAN, True, ["cpu"], {}, {"cpu": NAN}, {3: 1}), ("cpu", "", "cpu=x", "gpu=1")),
    "NAME=PRIORITY,...": Wrong((3, NAN, True, ["x"], {}, {"x": -1}, {"x": NAN}, {3: 1}), ("x", "", "x=-1", "x=y")),
    "NAME,NAME,...": Wrong((3, NAN, True, ["x"], ["cap"], ["balanced", "balanced"]), ("x", "cap", "cap=x")),
    "FEATURE,FEATURE,...": Wrong((3, NAN, True, [3], [], {"x": 1}), ("",)),
    "any|none|NUMBER": Wrong((-1, NAN, 0.5, True, "x", [1], {"p": 1}), ("-1", "x", "nan", "")),
    "LENGTHS": Wrong((3, NAN, True, "x", [3], [["x"]], [["x", "y", -1]]), ("x", "x,x,y", "x; y; 0", "")),
    "": Wrong((1, 0, "yes", NAN, [True])),
}
"""By how the command line writes the value; a new sort of option needs its line here."""

BEYOND = {("sharing", "verify", "max_moment"): 6, ("declaration", "verify", "seed"): 2**63}
"""Upper ends of ranges."""


def models() -> Iterator[tuple[str, str, type[Options]]]:
    """Every kind and verb with its options."""
    for kind in (*KINDS, GAME):
        for verb in kind.verbs:
            yield kind.name, verb.name, load_reference(verb.options)


def options() -> Iterator[Any]:
    """Every option of every verb that is asked of files or logs."""
    for kind, verb, model in models():
        for name, info in model.model_fields.items() if kind != GAME.name else ():
            yield pytest.param(kind, verb, name, flag_of(info), written(name, info), id=f"{kind}-{verb}-{name}")


def one_sentence(error: BaseException, where: str) -> None:
    """The message is one line, names the option, and says what was expected."""
    text = str(error)
    assert where in text
    assert "expected" in text or "is not known" in text
    assert len(text.splitlines()) == 1


def required(kind: str, verb: str) -> dict[str, Any]:
    return {"curve": {"agent": "ann"}, "audit_switch": {"to": "fifo"}}.get(verb, {})


def written_required(kind: str, verb: str, label: str) -> list[str]:
    """What a command must be given besides an option."""
    given = required(kind, verb)
    return list(given.values()) if verb == "curve" else [f"--{name}={v}" for name, v in given.items() if name != label]


@pytest.mark.parametrize(("kind", "verb", "name", "flag", "label"), [*options()])
def test_python_refuses(kind: str, verb: str, name: str, flag: Any, label: str) -> None:
    if name == "mechanism":
        wrong: tuple[Any, ...] = (3, "edf", [1], object())
    else:
        beyond = (BEYOND[kind, verb, name],) if (kind, verb, name) in BEYOND else ()
        wrong = (*WRONG[flag.metavar].values, *beyond)
    for value in wrong:
        source = source_of(kind, verb)
        with pytest.raises(InputError) as caught:
            consortium.ask(verb, source, **required(kind, verb) | {name: value})
        one_sentence(caught.value, name)
        assert "no-such-log" not in str(caught.value)


@pytest.mark.parametrize(("kind", "verb", "name", "flag", "label"), [*options()])
def test_files_refuse(kind: str, verb: str, name: str, flag: Any, label: str) -> None:
    if verb.startswith("audit"):
        return
    values = WRONG[flag.metavar].values
    data = consortium.load(source_of(kind, verb)).to_dict()
    for value in values:
        table = {verb: {"options": required(kind, verb) | {name: value}}}
        with pytest.raises(ConsortiumError) as caught:
            consortium.check([data | {"expect": table}])
        one_sentence(caught.value, name)


@pytest.mark.parametrize(("kind", "verb", "name", "flag", "label"), [*options()])
def test_commands_refuse(
    kind: str, verb: str, name: str, flag: Any, label: str, monkeypatch: pytest.MonkeyPatch, capsys: Any, thinning: int
) -> None:
    """In part: every option refuses a text or two, each time others."""
    if "command" not in flag.doors or flag.positional:
        return
    texts = WRONG[flag.metavar].texts
    first = len(f"{kind}{verb}{label}") % max(1, len(texts))
    source = source_of(kind, verb)
    for text in (*texts[first:], *texts[:first])[: math.ceil(len(texts) / thinning)]:
        line = ["consortium", verb, source, *written_required(kind, verb, label), f"--{label}={text}"]
        monkeypatch.setattr(sys, "argv", line)
        with pytest.raises(SystemExit) as caught:
            sys.exit(ended(sys.argv[1:]))
        assert caught.value.code == 2, line
        said = capsys.readouterr().err
        assert f"--{label}" in said
        assert len(said.splitlines()) == 1
        assert "no-such-log" not in said


@pytest.mark.parametrize(("kind", "verb"), [(kind, verb) for kind, verb, _ in models() if kind != GAME.name])
def test_unknown_options_name_the_nearest(kind: str, verb: str) -> None:
    source = source_of(kind, verb)
    with pytest.raises(UnknownNameError, match=f"option of {verb} on kind '{kind}': 'lst' is not known; known: "):
        consortium.ask(verb, source, lst=3)


@pytest.mark.parametrize("source", [SOURCES["declaration"], "coalitions/swap"])
@pytest.mark.parametrize("dry", [False, True])
@pytest.mark.parametrize(
    ("given", "question"),
    [
        ({"notion": "total"}, "coalitions"),
        ({"rounds": 3}, "dynamics"),
        ({"dynamics": "best-response", "seed": 1}, "dynamics"),
    ],
)
def test_details_of_no_question_are_refused(source: str, dry: bool, given: dict[str, Any], question: str) -> None:
    name = list(given)[-1]
    with pytest.raises(InputError, match=f"^{name}: found .*, which nothing uses; expected a value of {question}"):
        consortium.estimate("search", source, **given) if dry else consortium.search(source, **given)


def test_a_notion_without_coalitions_is_refused() -> None:
    with pytest.raises(InputError, match="notion: found 'total' without coalitions"):
        consortium.verify("coalitions/swap", notion="total")


def test_names_of_what_there_is_not() -> None:
    declared, users = SOURCES["declaration"], SOURCES["multiuser"]
    refused: list[tuple[Any, str]] = [
        (lambda: consortium.verify(declared, property="fair"), "property: 'fair' is not known"),
        (lambda: consortium.verify(declared, method="kernal"), "Did you mean 'kernel'"),
        (lambda: consortium.search(declared, method="magic"), "'magic' is not known"),
        (lambda: consortium.curve(declared, "nobody"), "agent: 'nobody' is not known"),
        (lambda: consortium.compare(users, rules=["edff"]), "rules: 'edff' is not known"),
        (lambda: consortium.compare(users, rules=[]), "rules: found none"),
        (lambda: consortium.compare(users, rules={"fairest": object()}), "is the name of a rule of the package"),
        (lambda: consortium.compare(users, rules={"mine": 3}), "mechanism: found 3; expected an object with"),
        (lambda: consortium.search(declared, epsilon="1/2"), "epsilon: found '1/2'; expected a factor >= 1"),
        (lambda: consortium.curve(declared, "ann", width=0), "width: found 0; expected a number > 0"),
        (lambda: consortium.curve(declared, "ann", low=0), "found the range from 0 to 11/5; expected 0 < from < to"),
        (
            lambda: consortium.curve(declared, "ann", low=3, high=2),
            "found the range from 3 to 2; expected 0 < from < to",
        ),
    ]
    for ask, text in refused:
        with pytest.raises(ConsortiumError) as caught:
            ask()
        assert text in str(caught.value)


@pytest.mark.parametrize("source", [3, None, 1.5, b"x", {1, 2}, lambda: 3])
def test_what_is_no_source(source: Any) -> None:
    for ask in (consortium.run, consortium.search, consortium.verify, consortium.compare):
        with pytest.raises(InputError, match=r"found .*; expected"):
            ask(source)
    with pytest.raises(InputError, match=r"found .*; expected"):
        consortium.compare([SOURCES["declaration"], source])
    with pytest.raises(InputError, match="found no scenario; expected at least one"):
        consortium.compare([])


@pytest.mark.parametrize("overrides", [3, "mechanism.rule=harsh", [("seed", 3)], {3: 4}, 0, False])
def test_overrides_are_a_table(overrides: Any) -> None:
    with pytest.raises(InputError, match=r"overrides: found .*; expected a table of values by path"):
        consortium.run(SOURCES["declaration"], overrides=overrides)


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.fractions() | st.decimals()
ANYTHING = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)
MODELS = list(models())


@settings(max_examples=400)
@given(
    st.sampled_from(MODELS).flatmap(lambda m: st.tuples(st.just(m), st.sampled_from(sorted(m[2].model_fields)))),
    ANYTHING,
    st.sampled_from(["python", "command", "file"]),
)
@example((MODELS[0], "mechanism"), Decimal("sNaN"), "python")
@example((MODELS[0], "mechanism"), -1.0, "python")
@example((MODELS[1], "epsilon"), Decimal("NaN"), "python")
@example((MODELS[1], "start"), "[" * 5000, "command")
@example((MODELS[1], "list"), "9" * 5000, "command")
@example((MODELS[1], "time_limit"), "1e999999999", "command")
def test_anything_is_read_or_refused(which: tuple[tuple[str, str, type[Options]], str], value: Any, door: Door) -> None:
    """Nothing but the package's own errors leaves the door, and what is read stays within its range."""
    (_, _, model), name = which
    needed = {"agent": "ann"} if "agent" in model.model_fields else {}
    try:
        found = getattr(read_options(model, needed | {name: value}, "any", door), name)
    except (InputError, UnknownNameError):
        return
    if name == "mechanism":
        return  # an object of one's own may be anything
    if isinstance(found, int | float | Fraction) and not isinstance(found, bool):
        assert math.isfinite(found)
    assert value is None or not isinstance(found, float) or found >= 0


MISTAKEN = """format = 1
kind = "federation"
organisations = []
[[organizations]]
jobs = [1, -2]
[mechanism]
rule = "coordination"
[expect.search.options]
lits = 3
time_limit = "x"
[expect.verify.options]
coalitons = 2
"""
PLACES = (
    "organisations",
    "expect.search.options.lits",
    "expect.search.options.time_limit",
    "expect.verify.options.coalitons",
    "organizations[1].jobs[2]",
)


@pytest.mark.parametrize("door", ["run", "search", "verify", "compare", "check", "load"])
def test_options_that_a_file_expects_answers_to_are_told_with_its_other_problems(door: str, tmp_path: Path) -> None:
    """At every door that reads the file, also where it is asked something else."""
    path = tmp_path / "mistaken.toml"
    path.write_text(MISTAKEN, encoding="utf-8")
    with pytest.raises(consortium.ScenarioError) as caught:
        getattr(consortium, door)(path)
    assert sorted(problem.path for problem in caught.value.problems) == sorted(PLACES)
    near = {problem.path: problem.near for problem in caught.value.problems}
    assert near["expect.search.options.lits"] == "list"
