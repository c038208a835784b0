"""Stores: what is kept is found again, exactly; everything that is no store, or another, is refused in a sentence."""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import sqlite3
import subprocess
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.parallel import lock
from consortium.parallel import outcomes as versions
from consortium.parallel.outcomes import JSON, Columns, Outcome, Status
from consortium.parallel.sqlite_files import cell, of_cell, packed, unpacked
from consortium.parallel.store import Store, merge
from consortium.support.errors import InputError

COLUMNS = Columns(("family.organizations", 'a "b"'), ("anarchy", "exists"))
QUESTION: dict[str, JSON] = {"seed": 3, "vary": {"n": [2, 3], "rule": ["a", "b"]}, "title": None}
VALUES: list[JSON] = [0, -1, 2**63 - 1, 2**63, -(2**70), 1.5, -0.0, 1e300, True, False, None, "3/2", "", "true", "null"]
VALUES += ["12", '"a"', "[", "[1]", " 1", "NaN", "-Infinity", "007", "\ud800", "a\0b", "ä\n", [1, [2**70]], {"a": None}]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


def outcome(task: int, rng: random.Random, status: Status = "done") -> Outcome:
    varied = {name: rng.choice(VALUES) for name in COLUMNS.varied}
    measures = {name: rng.choice(VALUES) for name in COLUMNS.measures if rng.random() < 0.8}
    error = "why: ä 'x'" if status == "failed" else None
    record = json.dumps([rng.choice(VALUES) for _ in range(rng.randrange(200))]) if rng.random() < 0.8 else None
    return Outcome(
        task, status, rng.random(), rng.getrandbits(128), task % 5, f"{task:x}", varied, measures, error, record
    )


def outcomes(n: int, seed: int = 1) -> list[Outcome]:
    rng = random.Random(seed)
    return [outcome(task, rng, rng.choice(get_args(Status))) for task in range(n)]


def exactly(value: JSON) -> str:
    """Tells 1 from 1.0 and from true, and 0.0 from -0.0."""
    return repr(value)


@settings(max_examples=100)
@given(st.sampled_from(VALUES) | json_values)
def test_cells_keep_any_value_exactly(value: JSON) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        ((found,),) = connection.execute("SELECT ?", (cell(value),))
    assert exactly(of_cell(found)) == exactly(value)


@settings(max_examples=100)
@given(st.text(), st.integers(0, 100))
def test_records_are_unpacked_exactly(text: str, times: int) -> None:
    assert unpacked(*packed(text * times)) == text * times


def test_what_is_kept_is_found_again(tmp_path: Path) -> None:
    path, kept = tmp_path / "results.db", outcomes(1200)
    mixed = random.Random(2).sample(kept, len(kept))
    with Store.open(path, QUESTION, COLUMNS) as shelf:
        assert not shelf.finished()
        for begin in range(0, len(mixed), 100):
            shelf.keep(mixed[begin : begin + 100])
        assert repr(shelf.outcome(7)) == repr(kept[7])
        assert shelf.outcome(5000) is None
    with Store.read(path) as shelf:
        assert (shelf.question, shelf.columns) == (QUESTION, COLUMNS)
        assert repr(list(shelf.outcomes(records=True))) == repr(kept)
        assert [found.record for found in shelf.outcomes()] == [None] * len(kept)
        for status in get_args(Status):
            assert [o.task for o in shelf.outcomes(status)] == [o.task for o in kept if o.status == status]
            assert shelf.counts()[status] == sum(o.status == status for o in kept)
        assert shelf.versions == {name: (version,) for name, version in versions.versions().items()}
        assert sorted(shelf.finished()) == list(range(1200))
    assert os.listdir(tmp_path) == ["results.db"]


def test_what_is_forgotten_is_worked_on_again(tmp_path: Path) -> None:
    kept = outcomes(300)
    with Store.open(tmp_path / "a", QUESTION, COLUMNS) as shelf:
        shelf.keep(kept)
        failed = [each for each in kept if each.status == "failed"]
        assert shelf.forget("failed") == len(failed)
        assert shelf.finished() == {each.task for each in kept} - {each.task for each in failed}
        assert shelf.outcome(failed[0].task) is None
        shelf.keep(failed)
        assert repr(list(shelf.outcomes(records=True))) == repr(kept)


def test_all_of_a_batch_is_kept_or_nothing(tmp_path: Path) -> None:
    first, second, third = outcomes(3)
    with Store.open(tmp_path / "a", QUESTION, COLUMNS) as shelf:
        shelf.keep([first])
        with pytest.raises(InputError, match="one of these tasks is kept already"):
            shelf.keep([second, first])
        bad = Outcome(2, "done", 0.0, 1, 0, "", {"a": 1}, {"anarchy": float("nan")})
        with pytest.raises(InputError, match=r"task 2: anarchy = nan cannot be kept .*; expected a value of JSON"):
            shelf.keep([second, bad])
        assert sorted(shelf.finished()) == [0]
        shelf.keep([third, second])
        assert sorted(shelf.finished()) == [0, 1, 2]


@pytest.mark.skipif(shutil.which("sqlite3") is None, reason="the shell of SQLite is not installed")
def test_the_shell_of_sqlite_reads_a_store(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    record = json.dumps(list(range(1000)))
    values: list[JSON] = [True, "true", "3/2", 2**63, 5, None]
    with Store.open(path, QUESTION, Columns((), ("m",))) as shelf:
        shelf.keep(Outcome(i, "done", 0.5, 1, 0, "", {}, {"m": m}, None, record) for i, m in enumerate(values))
        shelf.keep([Outcome(6, "failed", 0.5, 1, 0, "", {}, {}, "no", "[1]")])

    def shell(command: str) -> list[str]:
        return subprocess.run(["sqlite3", path, command], capture_output=True, text=True, check=True).stdout.split(
            "\n"
        )[:-1]

    assert shell("SELECT m FROM results") == ["true", '"true"', "3/2", str(2**63), "5", "null", ""]
    assert shell("SELECT task FROM results WHERE m = 'true'") == ["0"]
    assert shell("SELECT task FROM results WHERE m IS NULL") == ["6"]
    text = "CAST(sqlar_uncompress(record, size) AS TEXT)"
    assert shell(f"SELECT {text} FROM records WHERE task IN (0, 6)") == [record, "[1]"]
    assert any("-- What was asked" in line for line in shell(".schema"))
    assert any('"m" -- a measure' in line for line in shell(".schema"))


def nothing(_: Path) -> None:
    """An empty file is begun."""


def cut(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def text(path: Path) -> None:
    path.write_text("a letter\n" * 100)


def other_program(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")


def later_tables(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 7")


def one_byte(path: Path) -> None:
    """SQLite takes it for empty."""
    path.write_text("\n")


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (cut, r"the file is damaged or was cut \(.*\); name another file, or delete this one to begin anew"),
        (text, "found another kind of file; expected a store, or a name that no file has yet"),
        (one_byte, "found another kind of file; expected a store, or a name that no file has yet"),
        (other_program, "found an SQLite file of another program; name another file"),
        (later_tables, "has tables of version 7; expected version 1; name another file"),
        (folder, "not a file|no regular file"),
    ],
)
def test_what_is_no_store_is_refused(spoil: Callable[[Path], None], message: str, tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    with Store.open(path, QUESTION, COLUMNS) as shelf:
        shelf.keep(outcomes(300))
    spoil(path)
    before = path.is_file() and path.read_bytes()
    with pytest.raises(InputError, match=f"store {path}:.*({message})"), Store.open(path, QUESTION, COLUMNS):
        pass
    with pytest.raises(InputError, match=f"store {path}:.*({message})"), Store.read(path) as shelf:
        shelf.outcomes()
    assert (path.is_file() and path.read_bytes()) == before


def test_where_nothing_can_be_written_a_sentence_says_so(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    with (
        pytest.raises(InputError, match="is empty; expected one that was written before"),
        Store.read(tmp_path / "empty"),
    ):
        pass
    with Store.open(tmp_path / "empty", QUESTION, COLUMNS) as shelf:
        assert not shelf.finished()
    for path, message in (
        (tmp_path / "no" / "folder", "cannot be written .No such file"),
        (Path("/dev/null"), "cannot be written .not a file"),
        (Path("/proc/a.db"), "cannot be written"),
    ):
        with pytest.raises(InputError, match=f"store {path}: {message}"), Store.open(path, QUESTION, COLUMNS):
            pass
        with pytest.raises(InputError, match=r"found no (such|regular) file"), Store.read(path):
            pass


@pytest.mark.parametrize(
    ("change", "columns", "message"),
    [
        ({"seed": 4}, COLUMNS, r"seed = 3 \(asked: 4\)"),
        ({"seed": 3.0}, COLUMNS, r"seed = 3 \(asked: 3.0\)"),
        ({"title": False}, COLUMNS, r"title = None \(asked: False\)"),
        ({"more": 1}, COLUMNS, r"more = nothing \(asked: 1\)"),
        ({"vary": {"n": [2, 4], "rule": ["a", "b"]}}, COLUMNS, r"vary.n.1 = 3 \(asked: 4\)"),
        (
            {"vary": {"rule": ["a", "b"], "n": [2, 3]}},
            COLUMNS,
            r"the keys of vary in the order n, rule \(asked: rule, n\)",
        ),
        ({"vary": {"n": [2, 3]}}, COLUMNS, r"vary.rule = \['a', 'b'\] \(asked: nothing\)"),
        ({}, Columns(("x",), ()), r'varied keys family.organizations, a "b" \(asked: x\)'),
        ({}, Columns(COLUMNS.varied, ("x",)), r"measures anarchy, exists \(asked: x\)"),
    ],
)
def test_another_question_is_refused(
    change: Mapping[str, JSON], columns: Columns, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "results.db"
    with Store.open(path, QUESTION, COLUMNS):
        pass
    asked = Store.open(path, {**QUESTION, **change}, columns)
    with pytest.raises(InputError, match=f"belongs to another question: {message}; name another file"), asked:
        pass
    with Store.open(path, dict(reversed(QUESTION.items())), COLUMNS):
        pass


def test_answers_of_other_versions_are_not_mixed_unasked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, ours = tmp_path / "results.db", dict(versions.versions())
    with Store.open(path, QUESTION, COLUMNS) as shelf:
        assert shelf.note is None

    def become(changed: Mapping[str, str]) -> None:
        for module in ("store", "sqlite_files"):
            monkeypatch.setattr(f"consortium.parallel.{module}.versions", lambda: ours | changed)

    become({"numpy": "99"})
    with Store.open(path, QUESTION, COLUMNS) as shelf:
        assert shelf.note == f"store {path}: answers of other versions are in it: numpy {ours['numpy']} (now 99)"
        assert shelf.versions["numpy"] == (ours["numpy"], "99")
    become({"consortium": "99", "numpy": "99"})
    with (
        pytest.raises(InputError, match=rf"its answers are those of consortium {ours['consortium']} \(now 99\)"),
        Store.open(path, QUESTION, COLUMNS),
    ):
        pass
    with Store.open(path, QUESTION, COLUMNS, mix_versions=True) as shelf:
        assert shelf.note
    with Store.open(path, QUESTION, COLUMNS) as shelf:
        assert shelf.versions["consortium"] == (ours["consortium"], "99")


def test_one_process_writes_and_any_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "results.db"
    link = tmp_path / "link.db"
    link.symlink_to(path)
    with Store.open(path, QUESTION, COLUMNS) as shelf:
        with (
            pytest.raises(InputError, match=f"process {os.getpid()} on .* is writing to it; wait for it, or name"),
            Store.open(link, QUESTION, COLUMNS),
        ):
            pass
        shelf.keep(outcomes(10))
        with Store.read(link) as reader:
            assert len(reader.finished()) == 10
            shelf.keep(outcomes(20)[10:])
            assert len(reader.finished()) == 20
            with pytest.raises(InputError, match="cannot be written"):
                reader.forget("done")
        monkeypatch.setattr(socket, "gethostname", lambda: "elsewhere")
        with pytest.raises(InputError, match="is writing to it; expected to be read there"), Store.read(path):
            pass
    with Store.read(path) as reader:
        assert lock.writer(path) is None


def test_a_lock_that_is_taken_away_is_not_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its owner has ended between our opening the file and our locking it: others would lock another file."""
    path, original, opened = tmp_path / "a", os.open, []

    def late(*arguments: Any) -> int:
        opened.append(file := original(*arguments))
        if len(opened) == 1:
            lock.lock_path(path).unlink()
        return file

    monkeypatch.setattr(os, "open", late)
    with lock.writing(path):
        assert len(opened) == 2
        assert lock.lock_path(path).read_text() == f"process {os.getpid()} on {socket.gethostname()}"
    assert os.listdir(tmp_path) == []


def test_a_file_system_without_locks_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")

    def no_locks(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with (
        pytest.raises(InputError, match=r"its file system keeps no locks \(No locks available\)"),
        lock.writing(tmp_path / "a"),
    ):
        pass


@pytest.mark.parametrize(
    ("varied", "measures", "message"),
    [
        (("a", "A"), (), "found the name 'A' beside 'a'"),
        (("a",), ("a",), "found the name 'a' beside 'a'"),
        ((), ("Seed",), "found the name 'Seed' beside a column of every table"),
        ((), ("",), "found the name ''"),
        ((), ("a\n",), ".*expected letters that can be printed"),
        ((), tuple(map(str, range(2000))), "found 2,000 varied keys and measures; expected at most 1,900"),
    ],
)
def test_names_that_are_no_columns_are_refused(
    varied: tuple[str, ...], measures: tuple[str, ...], message: str
) -> None:
    with pytest.raises(InputError, match=f"columns: {message}"):
        Columns(varied, measures)


def test_as_many_columns_as_there_may_be(tmp_path: Path) -> None:
    columns = Columns(("x",), tuple(f"m {i}" for i in range(1899)))
    kept = [Outcome(0, "done", 0.0, 1, 0, "", {"x": 1}, {name: i for i, name in enumerate(columns.measures)})]
    for name in "ab":
        with Store.open(tmp_path / name, {}, columns) as shelf:
            shelf.keep(kept)
            assert list(shelf.outcomes()) == kept
            if name == "b":
                assert merge(shelf, [tmp_path / "a"]) == 0
