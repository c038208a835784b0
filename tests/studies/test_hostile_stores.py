"""Stores that are damaged, or made to do harm: every command ends soon, with its answer or with one sentence."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import consortium
from consortium.parallel.store import Store
from consortium.support.errors import InputError
from consortium.workloads import write_swf

from ..command_line import command
from ..verbs.sharing.logs import busy_log
from .examples import anarchy

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT"
VIEWS = {
    "question": "i AS key, '1' AS value",
    "about": "i AS key, '1' AS value",
    "versions": "i AS name, '1' AS version",
    "columns": "i AS name, 'varied' AS role, i AS position",
    "results": "*, i AS task, 'done' AS status",
    "records": "i AS task, 1 AS size, '' AS record",
}
DEEP = "[" * 100_000
STATEMENTS = {
    **{f"{name} is an endless view": f"DROP TABLE {name}; CREATE VIEW {name} AS {ENDLESS} {row} FROM n"
       for name, row in VIEWS.items()},
    **{f"no table {name}": f"DROP TABLE {name}" for name in VIEWS},
    "a trigger": f"CREATE TRIGGER t BEFORE DELETE ON about BEGIN INSERT INTO about {ENDLESS} i, '1' FROM n; END",
    "a computed column": "ALTER TABLE results ADD COLUMN x AS (hex(zeroblob(400000000)))",
    "a status that is none": "UPDATE results SET status = 'odd'",
    **{f"{name} is {value}": f"UPDATE results SET {name} = {value}"
       for name in ("status", "seed", "seconds", "digest", "replicate", "error", "{measure}")
       for value in ("x'ff00'", "'text'", "1e308")},
    "a text that is none": "UPDATE results SET digest = CAST(x'ff' AS TEXT)",
    "a deep value": f"UPDATE results SET {{measure}} = '{DEEP}'",
    "a long integer": f"UPDATE results SET {{measure}} = '{'9' * 10_000}'",
    "a task beyond the last": "UPDATE results SET task = 9223372036854775807 WHERE task = 1",
    "a task below the first": "UPDATE results SET task = -5 WHERE task = 1",
    "a record's size": "UPDATE records SET size = 4000000000000",
    "a record's size below 0": "UPDATE records SET size = -1",
    "a record's size is a text": "UPDATE records SET size = 'x'",
    "a record that is no JSON": "UPDATE records SET record = '{', size = 1",
    "a record of another shape": "UPDATE records SET record = '[1, {}]', size = 7",
    "a record with nothing in it": "UPDATE records SET record = '{\"search\": {}}', size = 14",
    "a deep record": f"UPDATE records SET record = '{DEEP}', size = {len(DEEP)}",
    "bytes in records": "UPDATE records SET record = zeroblob(1000)",
    "a question that is no JSON": "UPDATE question SET value = '{'",
    "a deep question": f"UPDATE question SET value = '{DEEP}'",
    "a question of bytes": "UPDATE question SET value = x'ff'",
    "no question": "DELETE FROM question",
    "a question of another shape": "UPDATE question SET value = '[]'",
    "about nothing": "UPDATE about SET value = 'null'",
    "about numbers": "UPDATE about SET value = '5'",
    "no columns": "DELETE FROM columns",
    "other columns": "UPDATE columns SET name = 'x' || position",
    "columns of bytes": "UPDATE columns SET name = x'00ff'",
    "columns of no role": "UPDATE columns SET role = 'odd'",
    "versions of bytes": "UPDATE OR IGNORE versions SET version = x'ff'",
    "no versions": "DELETE FROM versions",
}  # fmt: skip


def bomb(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        packed = zlib.compress(b"[" * (1 << 26))
        connection.execute("UPDATE records SET size = ?, record = ?", (1 << 40, packed))


def pages_in_a_circle(path: Path) -> None:
    """Every page of the results has the same page below it."""
    with closing(sqlite3.connect(path)) as connection:
        names = [name for _, name, *_ in connection.execute("PRAGMA table_info(results)")]
        rows = connection.execute("SELECT * FROM results LIMIT 1").fetchall()
        more = [(task, *rows[0][1:]) for task in range(100, 3000)]
        connection.executemany(f"INSERT INTO results VALUES ({', '.join('?' * len(names))})", more)
        connection.commit()
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'results'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    data = bytearray(path.read_bytes())
    page = (root - 1) * size
    assert data[page] == 5  # one with others below it
    cells = int.from_bytes(data[page + 3 : page + 5], "big")
    places = [page + int.from_bytes(data[page + 12 + 2 * i : page + 14 + 2 * i], "big") for i in range(cells)]
    first = data[places[0] : places[0] + 4]
    for place in (*places, page + 8):
        data[place : place + 4] = first
    path.write_bytes(data)


def beside(ending: str, make: Callable[[Path], object]) -> Callable[[Path], object]:
    return lambda path: make(path.with_name(path.name + ending))


def flipped(seed: int) -> Callable[[Path], object]:
    def flip(path: Path) -> None:
        data, rng = bytearray(path.read_bytes()), random.Random(seed)
        for _ in range(rng.choice((1, 10, 200))):
            data[rng.randrange(100, len(data))] = rng.randrange(256)
        path.write_bytes(data)

    return flip


FILES: dict[str, Callable[[Path], object]] = {
    "a bomb": bomb,
    "pages in a circle": pages_in_a_circle,
    "a folder for its log": beside("-wal", os.mkdir),
    "a pipe for its log": beside("-wal", os.mkfifo),
    "a pipe for its journal": beside("-journal", os.mkfifo),
    "a pipe for its lock": beside("-lock", os.mkfifo),
    "a log that is none": beside("-wal", lambda path: path.write_bytes(b"7" * 50_000)),
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path)),
    "half of it": lambda path: os.truncate(path, path.stat().st_size // 2),
    "a header alone": lambda path: os.truncate(path, 100),
    **{f"bytes flipped by {seed}": flipped(seed) for seed in range(12)},
}


AUDIT = "audit busy.swf --machines 6 --duration 800 --windows 2 --rules fifo --processes 1 --store it.db"
COMMANDS: dict[str, tuple[str, ...]] = {
    "study": (
        "study status --store it.db", "study results --store it.db --json", "study results --store it.db -o rows.csv",
        "study show 2 --store it.db", "study retry --store it.db", "study merge it.db --store new.db",
        "audit trend it.db",
    ),
    "audit": (f"{AUDIT} --json", f"{AUDIT} --dry-run", "audit trend it.db", "study results --store it.db --json"),
}  # fmt: skip
"""By what is stored."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the store of a finished study, and of an audit beside its log."""
    folder = tmp_path_factory.mktemp("stores")
    consortium.study(anarchy(replicates=1), store=folder / "study")
    write_swf(busy_log(), folder / "busy.swf")
    assert command(*AUDIT.replace("it.db", "audit").split(), cwd=folder).returncode == 0
    return folder


@pytest.mark.parametrize("how", [*STATEMENTS, *FILES])
@pytest.mark.parametrize("of", COMMANDS)
def test_a_hostile_store_is_a_sentence(of: str, how: str, whole: Path, tmp_path: Path) -> None:
    path, measure = tmp_path / "it.db", {"study": "anarchy", "audit": "unfairness"}[of]
    shutil.copy(whole / of, path)
    shutil.copy(whole / "busy.swf", tmp_path)
    if how in STATEMENTS:
        statement = STATEMENTS[how].replace("{measure}", measure)
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(f"PRAGMA ignore_check_constraints = ON; {statement}")
    else:
        FILES[how](path)
    for words in COMMANDS[of]:
        done = command(*words.split(), cwd=tmp_path)
        (tmp_path / "new.db").unlink(missing_ok=True)
        assert done.returncode in (0, 2, 3), (words, done.stderr)
        assert done.returncode != 2 or done.stderr.count("error: ") == 1, (words, done.stderr)


def test_who_locks_a_store_is_named(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("consortium.parallel.sqlite_files.WAITED", 0.5)
    path = tmp_path / "it.db"
    shutil.copy(whole / "study", path)
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(InputError, match="another program has locked it"), Store.read(path):
            pass
