"""Finished windows are kept: in stores, when the disk is full, when the work is stopped."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import PlainSerializer, TypeAdapter

import consortium
from consortium.cli.app import ended
from consortium.parallel.lock import writing
from consortium.parallel.sqlite_files import sqlite_errors
from consortium.parallel.store import Store
from consortium.support.errors import InputError
from consortium.verbs.sharing import store, windows
from consortium.verbs.sharing.audit_records import AuditRecord
from consortium.verbs.sharing.results import WindowResult
from consortium.verbs.sharing.store import read_result

from .logs import ask, without_times


def test_a_store_resumes_and_refuses_other_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "windows.db"
    whole = ask(store=path)
    with closing(sqlite3.connect(path)) as file, file:  # two windows are finished
        file.execute("DELETE FROM records WHERE task > 1")
        file.execute("DELETE FROM results WHERE task > 1")
    measured = []
    original = windows.measure
    monkeypatch.setattr(
        windows, "measure", lambda task, progress=None: (measured.append(task.index), original(task))[1]
    )
    again = ask(store=path)
    assert measured == [2, 3]
    assert without_times(again) == without_times(whole)
    measured.clear()
    more = ask(store=path, windows=5)
    assert measured == [4]
    assert len(more.windows) == 5
    with pytest.raises(InputError, match=r"another question: duration = 800 \(asked: 700\)"):
        ask(store=path, duration=700)
    with pytest.raises(InputError, match="seed"):
        ask(store=path, seed=9)
    with pytest.raises(InputError, match="it is a folder"):
        ask(store=tmp_path)
    with pytest.raises(InputError, match=r"can be written \(no folder "):
        ask(store=tmp_path / "no" / "folder")


def test_a_store_knows_a_rule_by_more_than_its_label(tmp_path: Path) -> None:
    named = {"mine": "rand:samples=3", "fair-share": "fair-share"}
    first = ask(store=tmp_path / "s", windows=1, rules=named)
    assert ask(store=tmp_path / "s", windows=1, rules=named).rows == first.rows
    with pytest.raises(InputError, match="'mine' stands there for rand:samples=3; found rand:samples=4"):
        ask(store=tmp_path / "s", windows=1, rules=named | {"mine": "rand:samples=4"})


def test_a_store_tells_in_sql_how_unfair_each_rule_was(tmp_path: Path) -> None:
    record = ask(store=tmp_path / "s", windows=2, rules=["fifo"], rule="fifo")
    with closing(sqlite3.connect(tmp_path / "s")) as file:
        rows = file.execute("SELECT task, start, jobs, json_extract(unfairness, '$.fifo') FROM results").fetchall()
    assert [(task + 1, start) for task, start, *_ in rows] == [(row["window"], row["start"]) for row in record.windows]
    assert sum(Fraction(unfair) for *_, unfair in rows) / 2 == pytest.approx(
        record.rows[0]["values"]["unfairness"].value
    )


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, AuditRecord]:
    """A store of two windows, and their record."""
    path = tmp_path_factory.mktemp("stores") / "s"
    return path, ask(store=path, windows=2, rules=["fifo"], rule="fifo")


def on(path: Path, **options: Any) -> AuditRecord:
    return ask(store=path, rules=["fifo"], rule="fifo", **{"windows": 2, **options})


def test_nobody_elses_file_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    for text in ("my notes", "my notes\n", '{"consortium": "9"}', "\n", "{", "[1]\n"):
        path.write_text(text)
        with pytest.raises(InputError, match=r"(expected a store, or a name that no file has yet|another question)"):
            on(path)
        assert path.read_text() == text
    assert os.listdir(tmp_path) == ["notes.txt"]


def test_a_damaged_store_is_refused(two: tuple[Path, AuditRecord], tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_bytes(two[0].read_bytes())
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("UPDATE records SET record = '{}', size = 2 WHERE task = 1")
    with pytest.raises(InputError, match="what it holds of window 2 cannot be read; name another file"):
        on(path)


@pytest.mark.skipif(sys.platform == "win32", reason="no advisory locks")
def test_two_writers_at_once_do_not_mix(two: tuple[Path, AuditRecord], tmp_path: Path) -> None:
    path, data = tmp_path / "s", two[0].read_bytes()
    path.write_bytes(data)
    with (
        writing(path),
        pytest.raises(InputError, match=r"process \d+ on .* is writing to it; wait for it, or name another file"),
    ):
        on(path, windows=3)
    assert path.read_bytes() == data
    assert on(path).to_dict() == two[1].to_dict()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device")
def test_a_device_is_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It answers before anything is measured, and nothing is made beside it."""
    monkeypatch.setattr(windows, "measure", lambda task, progress=None: pytest.fail("measured"))
    (tmp_path / "link").symlink_to("/dev/full")
    os.mkfifo(tmp_path / "pipe")
    before = set(os.listdir("/dev"))
    for path in (Path("/dev/full"), Path("/dev/zero"), tmp_path / "link", tmp_path / "pipe"):
        with pytest.raises(InputError, match=r"cannot be written \(not a file\); expected the path of a file"):
            ask(store=path, windows=1, rules=["fifo"], rule="fifo")
    assert set(os.listdir("/dev")) == before


def full_after(monkeypatch: pytest.MonkeyPatch, written: int) -> None:
    """A disk on which so many windows have room."""
    original, kept = Store.keep, []

    def keep(self: Store, outcomes: Any) -> None:
        kept.append(outcomes)
        if len(kept) > written:
            with sqlite_errors(self.path):
                self._connection.execute("PRAGMA max_page_count = 1")
                self._connection.execute("CREATE TABLE more AS SELECT zeroblob(1000000)")
        original(self, outcomes)

    monkeypatch.setattr(Store, "keep", keep)


@pytest.mark.parametrize("door", ["audit", "compare"])
def test_a_full_disk_ends_the_work_and_loses_nothing(
    log_folder: Path, monkeypatch: pytest.MonkeyPatch, door: str, capsys: pytest.CaptureFixture[str]
) -> None:
    full_after(monkeypatch, 1)
    command = ["audit", "busy.swf", "--duration", "800", "--windows", "4", "--processes", "1", "--rules", "fifo"]
    if door == "compare":
        (log_folder / "s.toml").write_text(
            'format = 1\nkind = "sharing"\n[trace]\nfile = "busy.swf"\nduration = 800\nwindows = 4\n'
            'organizations = "group"\n[mechanism]\nrule = "fifo"\n'
        )
        command = ["compare", "s.toml", "--rules", "fifo"]
    monkeypatch.setattr(sys, "argv", ["consortium", *command, "--store", "kept", "--json"])
    with pytest.raises(SystemExit) as left:
        sys.exit(ended(sys.argv[1:]))
    out, err = capsys.readouterr()
    assert left.value.code == 2
    assert "kept: the disk is full; what was kept before is safe" in err
    data = json.loads(out)
    assert (data["complete"], len(data["windows"])) == (False, 2)  # the second is known, and not kept
    with Store.read(log_folder / "kept") as found:
        assert sorted(found.finished()) == [0]
    monkeypatch.undo()
    monkeypatch.chdir(log_folder)
    monkeypatch.setattr(sys, "argv", ["consortium", *command, "--store", "kept", "--json"])
    with pytest.raises(SystemExit) as left:
        sys.exit(ended(sys.argv[1:]))
    assert left.value.code == 0
    with Store.read(log_folder / "kept") as found:
        assert sorted(found.finished()) == [0, 1, 2, 3]


def test_results_survive_the_store_exactly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured: dict[int, WindowResult] = {}
    original = windows.measure
    monkeypatch.setattr(windows, "measure", lambda task, progress=None: measured.setdefault(task.index, original(task)))
    ask(store=tmp_path / "s", windows=2)
    with Store.read(tmp_path / "s") as kept:
        assert {found.task: read_result(found.task, kept) for found in kept.outcomes()} == measured
    assert any(phi.denominator > 1 for result in measured.values() for phi in result.fair.shapley)


def test_an_interrupt_keeps_finished_windows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    original = windows.measure

    def measure(task: windows.Task, progress: object = None) -> WindowResult:
        if task.index == 2:
            raise KeyboardInterrupt
        return original(task)

    monkeypatch.setattr(windows, "measure", measure)
    record = ask(store=tmp_path / "kept")
    assert not record.complete
    assert [window.window for window in record.windows] == [1, 2]
    with Store.read(tmp_path / "kept") as kept:
        assert sorted(kept.finished()) == [0, 1]
    monkeypatch.setattr(windows, "measure", lambda task, progress=None: (_ for _ in ()).throw(KeyboardInterrupt))
    nothing = ask()
    assert not nothing.complete
    assert nothing.organizations == ()


def test_a_half_run_rule_is_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    original = windows.simulate

    def simulate_half(*args: Any, **options: Any) -> Any:
        outcome = original(*args, **options)
        return outcome if options["rule"] != "fifo" else type(outcome)(**{**vars(outcome), "complete": False})

    ask(windows=1)  # compiled code is loaded: the next call measures windows only
    monkeypatch.setattr(windows, "simulate", simulate_half)
    assert not ask(windows=1).complete


def test_ctrl_c_on_the_command_line(log_folder: Path) -> None:
    """The real signal, with worker processes: finished windows are printed and stored, exit code 3."""
    environment = os.environ | {"PYTHONPATH": str(Path(consortium.__file__).parent / ".types")}
    words = "audit busy.swf --windows 5000 --duration 800 --processes 2 --store kept --json"
    process = subprocess.Popen(
        [sys.executable, "-m", "consortium", *words.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )
    try:
        kept = log_folder / "kept"
        for _ in range(3_000):  # cold caches compile first
            with contextlib.suppress(consortium.InputError), Store.read(kept) as store:  # from its first moment on
                if store.counts()["done"] >= 3:
                    break
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 3, err
    data = json.loads(out)
    assert data["complete"] is False
    assert 3 <= len(data["windows"]) < 5_000
    assert "Incomplete" in err
    assert "Traceback" not in err
    with Store.read(kept) as store:
        assert store.counts()["done"] == len(data["windows"])


def test_ctrl_c_while_a_window_is_written_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pydantic turns what is raised in its serializers into errors of its own."""
    plain = store.RESULT

    def interrupted(result: WindowResult) -> Any:
        signal.raise_signal(signal.SIGINT)
        return plain.dump_python(result, mode="json")

    monkeypatch.setattr(store, "RESULT", TypeAdapter(Annotated[WindowResult, PlainSerializer(interrupted)]))
    record = ask(windows=3, store=str(tmp_path / "kept"))
    assert (record.complete, len(record.windows)) == (False, 1)


@pytest.mark.parametrize("against", ["ref", "sampled"])
def test_a_time_limit_is_heard_inside_a_window(against: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A window may take hours: it is left unfinished, those before it are kept, and no series is begun after that."""
    told: list[tuple[int, int | None]] = []

    def stopping(progress: object, seconds: float | None) -> Any:
        def report(done: int, total: int | None, note: str = "") -> None:
            told.append((done, total))
            if 0 < done < 3 and told.count((done, total)) > 1:  # some windows are known, another one is on its way
                raise KeyboardInterrupt("the time limit")

        return report

    monkeypatch.setattr("consortium.verbs.sharing.audit.limited", stopping)
    monkeypatch.setattr("consortium.parallel.stream.AT_ONCE", 0)  # each window is told of, however quick it was
    whole = ask(windows=3, rules=["fifo", "rand"], rule="fifo", against=against, series=True)
    known = told[-1][0]
    assert [row.window for row in whole.windows] == [1, 2][:known]
    assert (whole.complete, whole.series) == (False, None)
    assert set(told) == {(done, 3) for done in range(known + 1)}
