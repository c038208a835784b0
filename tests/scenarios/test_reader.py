"""Where scenarios and records may come from, and what no file can do to the reader: endless, huge, odd or slow ones."""

from __future__ import annotations

import contextlib
import gc
import gzip
import io
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from pydantic import ValidationError

import consortium
from consortium.cli.app import ended
from consortium.scenarios.blocks import read_block
from consortium.scenarios.federation import JobBlock
from consortium.scenarios.problems import MOST, Problems, ScenarioError
from consortium.scenarios.reader import MAX_BYTES, load
from consortium.scenarios.toml import parse_text
from consortium.support.errors import InputError
from consortium.verbs.claims import ABSENT, at, compare

HEAD = 'format = 1\nkind = "declaration"\ntitle = "Two"\n'
BODY = '[cluster]\npowers = [1]\n[mechanism]\nrule = "light-vcg"\n'
AGENTS = '[[agents]]\nname = "ann"\nlength = 2\n[[agents]]\nname = "bob"\nlength = 1\n'
TEXT = HEAD + BODY + AGENTS + "[expect.run]\nrent = 4\n"


def command(*arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
    """Exit code and both outputs of the command line."""
    out, err, before = io.StringIO(), io.StringIO(), (sys.argv, sys.stdin)
    sys.argv, sys.stdin = ["consortium", *arguments], io.TextIOWrapper(io.BytesIO(stdin))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as ending:
            sys.exit(ended(sys.argv[1:]))
    finally:
        sys.argv, sys.stdin = before
    return int(ending.value.code or 0), out.getvalue(), err.getvalue()


def pipe(content: bytes) -> str:
    """Path of a pipe that can be read once, as the shell's ``<(...)``."""
    reading, writing = os.pipe()

    def feed() -> None:
        with contextlib.suppress(BrokenPipeError), os.fdopen(writing, "wb") as end:
            end.write(content)

    threading.Thread(target=feed, daemon=True).start()
    return f"/dev/fd/{reading}"


VERBS = [["run"], ["search"], ["verify"], ["compare", "--rules", "light-vcg"], ["curve"], ["check"]]


@pytest.mark.parametrize("verb", VERBS, ids=[verb[0] for verb in VERBS])
def test_every_command_takes_standard_input_and_pipes(verb: list[str], tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(TEXT)
    after = ["ann"] if verb[0] == "curve" else []
    wanted = command(*verb, str(tmp_path / "two.toml"), *after)
    assert wanted[0] in (0, 1)
    for source, stdin in (("-", TEXT.encode()), (pipe(TEXT.encode()), b"")):
        code, out, err = command(*verb, source, *after, stdin=stdin)
        assert (code, err) == (wanted[0], wanted[2])
        assert verb[0] == "check" or out == wanted[1]  # check names the file


def test_several_pipes_at_once_and_a_record_from_one() -> None:
    assert command("compare", pipe(TEXT.encode()), pipe(TEXT.encode()), "-", stdin=TEXT.encode())[0] == 0
    record = json.dumps(consortium.run(parse_text(TEXT)).to_dict()).encode()
    for source, stdin in (("-", b"\xef\xbb\xbf" + record), (pipe(record), b"")):
        assert command("check", source, stdin=stdin)[0] == 0


def test_standard_input_is_read_once() -> None:
    code, _, err = command("compare", "-", "-", stdin=TEXT.encode())
    assert (code, err) == (
        2,
        "error: standard input: found nothing; expected a scenario file; what is there can be read once\n",
    )


@pytest.mark.parametrize(
    "change", [lambda b: b"\xef\xbb\xbf" + b, lambda b: b.replace(b"\n", b"\r\n")], ids=["bom", "crlf"]
)
def test_marks_and_line_ends_of_other_systems(change: Callable[[bytes], bytes], tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_bytes(change(TEXT.encode()))
    assert load(tmp_path / "two.toml").data == load(parse_text(TEXT)).data


@pytest.mark.parametrize("verb", ["run", "check"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_other_encodings_are_named(verb: str, encoding: str, tmp_path: Path) -> None:
    (tmp_path / "wide").write_bytes(TEXT.encode(encoding))
    code, out, err = command(verb, str(tmp_path / "wide"))
    assert (code, out) == (2, "")
    assert "found UTF-16, UTF-32 or no text; expected" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("verb", ["report", "check"])
@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"SQLite format 3\0...", "found a store (a database of SQLite: windows of an audit, which audit trend reads"),
        (b"<!doctype html>\n<p>", "found a page of HTML; expected a scenario in TOML, or a record"),
    ],
)
def test_stores_and_pages_are_told_what_they_are(verb: str, data: bytes, found: str, tmp_path: Path) -> None:
    (tmp_path / "kept").write_bytes(data)
    code, out, err = command(verb, str(tmp_path / "kept"))
    assert (code, out) == (2, "")
    assert found in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("verb", ["run", "check"])
def test_endless_and_odd_files(verb: str, tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.toml"
    with gzip.open(bomb, "wb") as file:
        file.write(b"0" * 10**6)
    for path in ("/dev/zero", "/dev/null", str(tmp_path), str(bomb), "/proc/self/mem"):
        code, out, err = command(verb, path)
        assert (code, out) == (2, ""), path
        assert "Traceback" not in err


def test_the_limit_of_a_file_is_said(tmp_path: Path) -> None:
    path = tmp_path / "large.toml"
    path.write_text(TEXT + "#" * MAX_BYTES)
    with pytest.raises(ScenarioError, match=r"found more than 16,777,216 bytes; expected a scenario file of at most"):
        load(path)


def test_a_structure_that_doubles_at_every_level() -> None:
    wide: list[object] = []
    for _ in range(39):
        wide = [wide, wide]
    with pytest.raises(ScenarioError, match="more than 1,000,000 values"):
        load({**parse_text(TEXT), "x": wide})


def test_a_key_that_no_record_has_is_shown_with_those_that_there_are(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(TEXT + "agents.anne.output = 3\nagents.ann.output.x = 3\nrents = 4\n")
    code, out, _ = command("check", str(tmp_path))
    assert code == 1
    assert "of agents: 'anne' is none of ann, bob; did you mean 'ann'?" in out
    assert "agents.ann.output is 3, with nothing in it" in out
    assert "'rents' is none of verb, kind, " in out
    assert "did you mean 'rent'?" in out


def test_a_row_of_a_comparison_is_found_by_its_rule_where_that_tells_one() -> None:
    row = {"rule": "fifo", "scenario": "a", "cost": 1}
    assert at({"rows": [row, {"rule": "ref", "cost": 2}]}, "rows.ref.cost") == 2
    both = {"rows": [row, {**row, "scenario": "b"}]}
    assert at(both, "rows.fifo.cost") == ABSENT  # which of the two?
    (told,) = compare(both, {"rows.fifo.cost": 1})
    assert (told.holds, told.note) == (False, "of rows: 'fifo' is none of a number from 1 to 2")
    assert at({"rows": [row]}, "rows.1.cost") == 1


def test_one_broken_file_does_not_silence_the_rest(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("format = [")
    (tmp_path / "b.toml").write_text(TEXT)
    (tmp_path / "c.toml").write_text(TEXT + "[expect.run.options]\nsample = 1\n")
    code, out, err = command("check", str(tmp_path))
    assert code == 2
    assert "1 value checked, 0 wrong" in out
    assert err.count("a.toml: found") == 1
    assert "c.toml: expect.run.options.sample: found an unknown key; expected none" in err
    (tmp_path / "d.toml").write_text(TEXT.replace("rent = 4", "rent = 5"))
    code, out, err = command("check", str(tmp_path))
    assert code == 1, "refuted is an answer, which files that cannot be read do not take back"
    assert "2 values checked, 1 wrong" in out
    assert "a.toml" in err
    with pytest.raises(InputError, match=r"a\.toml"):
        consortium.check([tmp_path])


# --- time that grows with the size and no faster ----------------------------------------------------------------------


def agents(n: int, line: str = "") -> str:
    return "".join(f'[[agents]]\nname = "agent{i}"\nlength = 1\n{line}' for i in range(n))


def federation(n: int, extra: str) -> str:
    organizations = "[[organizations]]\njobs = [1]\n" * n
    return f'format = 1\nkind = "federation"\n[mechanism]\nrule = "coordination"\n{extra}{organizations}'


GROWING: dict[str, Callable[[int], str]] = {
    "letters of a title": lambda n: f'title = "{"a" * n}"\n' + TEXT,
    "words of a title": lambda n: f"title = '{'a- ' * n}'\n" + TEXT,
    "sentences of a title": lambda n: f'title = "{"a. " * n}"\n' + TEXT,
    "letters of a key": lambda n: f"{'k' * n} = 1\n" + TEXT,
    "parts of a key": lambda n: f"{'k.' * n}k = 1\n" + TEXT,
    "quoted parts of a key": lambda n: "'a'.\"b\"." * n + "k = 1\n" + TEXT,
    "an open string": lambda n: 'x = """' + '""a.' * n + TEXT,
    "digits": lambda n: HEAD + BODY + f"[[agents]]\nlength = {'1' * n}\n",
    "decimals": lambda n: HEAD + BODY + f"[[agents]]\nlength = 0.{'1' * n}\n",
    "decimals in a list": lambda n: HEAD + BODY + AGENTS + f"[domain]\nlengths = [{'0.5, ' * n}]\n",
    "quoted digits": lambda n: HEAD + BODY + f'[[agents]]\nlength = "1/{"1" * n}"\n',
    "a hexadecimal": lambda n: HEAD + BODY + f"[[agents]]\nlength = 0x{'f' * n}\n",
    "nested lists": lambda n: "x = " + "[" * n + "]" * n + TEXT,
    "letters of a rule": lambda n: (HEAD + BODY + AGENTS).replace("light-vcg", "light" * n),
    "unknown keys": lambda n: "".join(f"k{i} = 1\n" for i in range(n // 4)) + TEXT,
    "broken agents": lambda n: HEAD + BODY + "[[agents]]\nlenght = 1\n" * (n // 4),
    "agents of one name": lambda n: HEAD + BODY + '[[agents]]\nname = "x"\nlength = 1\n' * (n // 4),
    "misspelt agents": lambda n: (
        HEAD + BODY + agents(n // 16) + "[domain.lengths]\n" + "".join(f"agenz{i} = [1]\n" for i in range(n // 16))
    ),
    "an absolute cut-off": lambda n: (
        (HEAD + BODY + agents(n // 8)).replace('"light-vcg"', '"vcg-postpone"\ncutoff = { absolute = 5 }')
        + f"[domain]\nlengths = [{', '.join(map(str, range(1, n // 4)))}]\n"
    ),
    "an order": lambda n: federation(n // 8, f"order = [{', '.join(repr(f'O{i + 1}') for i in range(n // 8))}]\n"),
    "a wrong order": lambda n: federation(n // 8, f"order = [{', '.join(repr(f'P{i + 1}') for i in range(n // 8))}]\n"),
    "a placement": lambda n: federation(
        n // 8, "[placement]\n" + "".join(f'O{i + 1} = ["O{n // 8 - i}"]\n' for i in range(n // 8))
    ),
}


@pytest.mark.parametrize("what", GROWING)
def test_reading_takes_time_in_proportion(what: str) -> None:
    def seconds(n: int) -> float:
        text = GROWING[what](n)
        gc.disable()  # a collection goes through all that the tests before this one left
        before = time.process_time()
        with contextlib.suppress(ScenarioError):
            load(parse_text(text))
        gc.enable()
        return time.process_time() - before

    small = max(seconds(4_000), 0.01)
    tries = (seconds(16_000) for _ in range(2))  # once more where the machine was busy
    assert any(large < 12 * small for large in tries), "four times as long for four times the size, not sixteen times"


def test_so_many_problems_are_reported_and_that_there_are_more() -> None:
    with pytest.raises(ScenarioError) as caught:
        load(parse_text(HEAD + BODY + "[[agents]]\nlenght = 1\n" * 20_000))
    assert len(caught.value.problems) == MOST + 1
    assert str(caught.value.problems[-1]) == "found more than 200 problems; expected none; these are the first 200"


def test_a_block_once_read_stays_as_it_was_read() -> None:
    block = read_block(JobBlock, {"length": "3/2"}, "jobs[1]", Problems())
    assert block is not None
    with pytest.raises(ValidationError, match="frozen"):
        block.length = Fraction(1)
    assert block.length == Fraction(3, 2)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("x = " + "1" * 20_000, "line 2: found a number of 20,000 characters; expected at most 1,000 digits"),
        (
            "a" + ".a" * 100 + " = 1",
            "line 2: found a dotted key of 200 characters; expected tables at most a few levels deep",
        ),
        ("'a'" + ' . "b"' * 100 + " = 1", "line 2: found a dotted key of 600 characters; expected tables at most"),
        ('x = "' + "1" * 3000 + " a" + ".a" * 100 + '" # ' + "a." * 100 + "1" * 3000, ""),
        ("x = '''\n" + "a." * 100 + "1" * 3000 + "'''", ""),
    ],
    ids=["number", "key", "quoted key", "only text", "only text of several lines"],
)
def test_long_numbers_and_keys_are_told_from_text(line: str, said: str) -> None:
    if not said:
        parse_text(f"y = 1\n{line}\n")
        return
    with pytest.raises(ScenarioError, match=said):
        parse_text(f"y = 1\n{line}\n")
