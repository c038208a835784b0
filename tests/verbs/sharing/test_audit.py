"""The audit: numbers against plain definitions, processes and stores, interrupts, words, figures, the command."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import os
import signal
import sqlite3
import statistics
import subprocess
import sys
import time
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import consortium
from consortium import api
from consortium.cli.app import app, ended
from consortium.mechanisms.sharing.simulation import simulate
from consortium.parallel.lock import writing
from consortium.parallel.sqlite_files import sqlite_errors
from consortium.parallel.store import Store
from consortium.support.errors import ConsortiumError, InputError, TooLargeError, UnknownNameError
from consortium.verbs.compare import Choice
from consortium.verbs.options import read_options
from consortium.verbs.records import Statistic
from consortium.verbs.sharing import windows
from consortium.verbs.sharing.audit import audit
from consortium.verbs.sharing.audit_records import AuditRecord
from consortium.verbs.sharing.model import Rule, instance_of
from consortium.verbs.sharing.options import Audit, shares_of
from consortium.verbs.sharing.plan import default_owner, plan_of
from consortium.verbs.sharing.store import read_result
from consortium.verbs.sharing.windows import WindowResult, recorded, rule_seed
from consortium.workloads import SETTINGS, Log, Plan, poisson_bags
from consortium.workloads.log import COLUMNS

from .logs import FEW, OldestFirst, Turns, ask, ask_gaming, asked, busy_log, explanation, psi, sentence, without_times


def test_every_number_follows_from_its_definition() -> None:
    log = busy_log()
    record = ask(log=log, seed=5, rule="fair-share")
    plan = plan_of(log, asked(machines=6, duration=800, seed=5))
    unfairness: dict[str, list[float]] = {label: [] for label in FEW}
    received = dict.fromkeys(("atlas", "cms", "bio"), 0)
    best, parts = dict(received), dict(received)
    deserved: dict[str, Fraction] = dict.fromkeys(received, Fraction(0))
    for i in range(4):
        work = plan.window(log, i)
        instance = instance_of(work)
        fair = simulate(instance, rule="ref", until=801)
        assert fair.contribution is not None
        p_tot = sum(
            min(p, 801 - s) for s, p in zip(fair.start.tolist(), instance.length.tolist(), strict=True) if s >= 0
        )
        for label in FEW:
            if label == "recorded":
                outcome = recorded(instance, work)
            else:
                choice, seed = Choice.parse("sharing", label), rule_seed(5, i, label)
                outcome = simulate(instance, rule=choice.rule, until=801, seed=seed, **choice.options)
            utilities = []
            for u in range(3):
                mine = slice(int(instance.first[u]), int(instance.first[u + 1]))
                utilities.append(psi(outcome.start[mine].tolist(), instance.length[mine].tolist(), 801))
            distance = sum(abs(a - int(b)) for a, b in zip(utilities, fair.utility, strict=True))
            unfairness[label].append(distance / p_tot)
            if label == "fair-share":
                for u, name in enumerate(work.names):
                    received[name] += utilities[u]
                    best[name] += int(fair.utility[u])
                    parts[name] += fair.parts[u]
                    deserved[name] += fair.contribution[u]
    for row in record.rows:
        values = unfairness[row["rule"]]
        assert row["values"]["unfairness"].value == pytest.approx(statistics.fmean(values))
        assert row["values"]["deviation"].value == pytest.approx(statistics.pstdev(values))
    assert max(unfairness["fifo"]) > 0
    assert unfairness["ref"] == [0, 0, 0, 0]
    rows = {row.name: row for row in record.organizations if row.rule == "fair-share"}
    assert {name: row.utility for name, row in rows.items()} == received
    assert {name: row.contribution for name, row in rows.items()} == deserved
    for name, row in rows.items():
        assert row.excess is not None
        assert row.excess.value == pytest.approx(100 * float(received[name] / deserved[name] - 1))
        assert row.fair_excess is not None
        assert row.fair_excess.value == pytest.approx(100 * float(best[name] / deserved[name] - 1))
        assert row.delay is not None
        assert row.delay.value == pytest.approx((best[name] - received[name]) / parts[name])
        assert row.factor is not None
        assert row.factor.value == pytest.approx(2 ** (-row.usage.value / row.share.value))
        assert isinstance(row.level, Statistic)
        assert row.level.value == pytest.approx(row.share.value / row.usage.value)


def test_recorded_starts_are_the_logs_own() -> None:
    log = Log(
        {"submit": [0, 1, 4], "wait": [0, 3, 9], "run": [5, 6, 1], "allocated": [1, 1, 1], "group": [0, 1, 0]},
        header={"MaxProcs": ("2",)},
    )
    work = Plan(duration=10, start=0, organizations="group", shares="equal").window(log)
    outcome = recorded(instance_of(work), work)
    assert work.names == ("group 0", "group 1")
    assert outcome.start.tolist() == [0, -1, 4]  # the third job started at 13, after the window
    assert outcome.utility == (psi([0], [5], 10), psi([4], [6], 10))
    unknown = busy_log(wait=False)
    with pytest.raises(InputError, match="how long the jobs waited"):
        ask(log=unknown)
    assert "recorded" not in [row["rule"] for row in ask(log=unknown, rules=None, windows=1).rows]
    assert "recorded" in [row["rule"] for row in ask(rules=None, windows=1).rows]


def test_nothing_depends_on_processes_or_on_the_other_rules() -> None:
    rules = dict(zip(FEW, FEW, strict=True)) | {"mine": Turns()}
    more = {"series": True}
    alone = ask(seed=3, rules=rules, **more)
    assert alone.complete
    assert without_times(ask(seed=3, rules=rules, processes=2, **more)) == without_times(alone)
    fewer = ask(seed=3, rules=["rand:samples=3", "fair-share"])
    for row in fewer.rows:
        same = next(other for other in alone.rows if other["rule"] == row["rule"])
        assert row["values"]["unfairness"] == same["values"]["unfairness"]
    assert ask(seed=4).windows != ask(seed=3).windows
    one, two = (ask_gaming(seed=3, rules=rules, rule="mine", tries=13, windows=2, processes=n) for n in (1, 2))
    assert one.to_dict() == two.to_dict()


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


def test_another_log_of_the_same_name_and_size_is_refused(tmp_path: Path) -> None:
    log = busy_log()
    columns = {name: log.column(name).copy() for name in COLUMNS}
    start = ask(store=tmp_path / "s", windows=1).windows[0].start
    columns["run"][np.searchsorted(log.submit, log.submit.min() + start)] += 1
    for other in (Log(columns, log.name, log.header, log.labels), dataclasses.replace(log, labels={"group": {0: "x"}})):
        with pytest.raises(InputError, match=r"the past has changed, or busy\.swf is another log: of the window from"):
            ask(store=tmp_path / "s", windows=1, log=other)


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
        with pytest.raises(InputError, match=r"(name another file, or delete this one to begin anew|another question)"):
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
        assert {found.task: read_result(found, kept) for found in kept.outcomes(records=True)} == measured
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


def test_default_organizations() -> None:
    log = busy_log()
    assert default_owner(log) == "group"
    columns = {name: log.column(name) for name in ("submit", "run", "allocated", "user")}
    assert default_owner(Log(columns)) == 5
    assert default_owner(Log({**columns, "group": log.group, "account": log.user})) == "account"
    assert plan_of(log, asked()).shares == "equal"
    assert plan_of(Log(columns, header={"MaxProcs": ("9",)}), asked()).shares == "zipf"
    assert plan_of(log, asked()).machines == 6
    assert (
        plan_of(Log({**columns, "wait": log.column("wait")}), asked()).machines
        == Log({**columns, "wait": log.column("wait")}).peak_processors()
    )
    with pytest.raises(InputError, match="how many processors"):
        plan_of(Log(columns), asked())


def test_a_short_log_is_one_window() -> None:
    record = ask(duration=None, rules=["fifo"], rule="fifo")
    span = int(busy_log().submit[-1] - busy_log().submit[0])
    assert [(w["start"], record.plan["duration"]) for w in record.windows] == [(0, span + 1)]
    assert record.windows[0]["jobs"] == int(busy_log().processors.sum())
    assert plan_of(busy_log(), asked(start=7)).duration == 50_000
    with pytest.raises(InputError, match="give less, or a start"):
        ask(duration=span)


def test_peak_processors_by_counting() -> None:
    log = busy_log(n=40)
    busy = [0] * 6_000
    for s, w, p, q in zip(log.submit, log.column("wait"), log.run, log.processors, strict=True):
        for t in range(s + w, s + w + p):
            busy[t] += int(q)
    assert log.peak_processors() == max(busy)
    assert busy_log(wait=False).peak_processors() is None


def test_shares_by_name() -> None:
    record = ask(shares={"atlas": 3, "cms": 2, "bio": 1}, machines=None, windows=1)
    machines = {row.name: row.machines.value for row in record.organizations}
    assert machines == {"atlas": 3, "cms": 2, "bio": 1}
    with pytest.raises(UnknownNameError, match="Did you mean 'atlas'"):
        ask(shares={"atals": 3, "cms": 2, "bio": 1})
    with pytest.raises(InputError, match="no number for"):
        ask(shares={"atlas": 3})
    with pytest.raises(InputError, match="organizations with names"):
        ask(shares={"atlas": 3}, organizations=3)


def test_what_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'fair-share'"):
        ask(rules=["fair-shar"])
    with pytest.raises(UnknownNameError, match="Did you mean 'fifo'"):
        ask(rule="fifoo")
    with pytest.raises(UnknownNameError, match="option of rule 'rand'"):
        ask(rules=["rand:sampels=3"])
    with pytest.raises(InputError, match="each rule once; 'fifo' is listed twice"):
        ask(rules=["fifo", "fifo"])
    with pytest.raises(TooLargeError, match="every coalition"):
        audit(
            Log({"submit": range(20), "run": [1] * 20, "allocated": [1] * 20, "user": range(20)}),
            asked(organizations="user", machines=20, limit=20, against="ref"),
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"windows": 10**30}, "expected an integer from 1 to 1000000"),
        ({"duration": 10**30}, "expected an integer from 1 to 2305843009213693952"),
        ({"start": 10**30}, "expected an integer from 0 to 2305843009213693952"),
        ({"machines": 10**30}, "found 1000000000000000000000000000000; expected at most 1,000,000,000"),
        ({"machines": 10**9}, "direct-contribution would take 22.4 GiB for 1,000,000,000 machines"),
        ({"organizations": 10**30}, "expected a number of organizations from 1 to 10,000, or one of"),
        ({"rules": [f"rand:samples={10**30}"]}, "expected a number of orderings from 1 to 10,000,000, or 'all'"),
        ({"rules": ["rand:samples=" + "9" * 5000]}, "expected a number of orderings from 1 to 10,000,000, or 'all'"),
        ({"organizations": "grup"}, "Did you mean 'group'?"),
        (
            {"organizations": 0},
            "organizations: found 0; expected a number of organizations from 1 to 10,000, or one of",
        ),
        (
            {"shares": "zipff"},
            "shares: found 'zipff'; expected one of zipf, equal, whole numbers >= 0 like 4,2,1, such",
        ),
        (
            {"shares": {"atlas": -1}},
            "shares: found a table; expected one of zipf, equal, whole numbers >= 0 like 4,2,1, such",
        ),
        ({"shares": {1: 2}}, "such numbers by name like atlas=4,cms=2 or by path like "),
        ({"rules": ["rand:samples=none"]}, "mechanism.samples: found 'none'"),
        ({"rules": ["ref:utility=tardiness"]}, "another utility: a job log has no due dates"),
    ],
)
@pytest.mark.usefixtures("log_folder")
def test_options_are_refused_in_a_sentence(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConsortiumError) as caught:
        consortium.audit("busy.swf", **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_log_is_a_path() -> None:
    with pytest.raises(InputError, match="audit: found Log; expected the path of a log"):
        consortium.audit(busy_log())  # type: ignore[arg-type]


def test_an_own_rule_stands_beside_ours() -> None:
    record = ask(rules={"mine": OldestFirst(), "fifo": "fifo"}, rule="mine", series=True, windows=2)
    mine, fifo = (row.values for row in record.rows)
    assert (mine["unfairness"], mine["deviation"]) == (fifo["unfairness"], fifo["deviation"])
    assert mine["unfairness"].value > 0
    assert record.series is not None
    assert record.series.rule == "mine"
    assert len(explanation(record)) == 3


def test_a_window_without_jobs_is_fair() -> None:
    log = Log({"submit": [0, 5_000], "run": [1, 1], "allocated": [1, 1], "group": [0, 1]}, header={"MaxProcs": ("2",)})
    record = ask(log=log, start=100, duration=50, rules=["fifo", "ref"], rule="fifo", machines=2)
    assert len(record.windows) == 1
    assert record.windows[0]["jobs"] == 0
    assert [row["values"]["unfairness"].value for row in record.rows] == [0, 0]
    assert explanation(record) == ["No work of theirs was done, nor would fair do any: group 0 and group 1."]


def test_the_window_over_time_ends_where_the_audit_ends() -> None:
    record = ask(series=True, windows=3, rule="fair-share")
    series = record.series
    assert series is not None
    assert series["times"][-1] == 801
    worst = max(record.windows, key=lambda window: window["to_others"]["fair-share"].value)
    assert series["window"] == worst["window"]
    plan = plan_of(busy_log(), asked(machines=6, duration=800))
    work = plan.window(busy_log(), series["window"] - 1)
    instance = instance_of(work)
    fair = simulate(instance, rule="ref", until=801)
    mine = simulate(instance, rule="fair-share", until=801)
    assert fair.contribution is not None
    expected = [float(a - b) for a, b in zip(mine.utility, fair.contribution, strict=True)]
    assert [values[-1].value for values in series["balance"].values()] == expected
    for i, t in enumerate(series["times"]):
        ends = mine.start + instance.length
        running = int(((mine.start >= 0) & (mine.start < t) & (ends >= t)).sum())
        assert series["busy"][i] == running <= 6
        arrived = int((instance.release < t).sum())
        begun = int(((mine.start >= 0) & (mine.start < t)).sum())
        assert series["requested"][i] == running + arrived - begun


@pytest.mark.parametrize("rule", ["fifo", "round-robin"])
def test_releases_and_ends_exactly_at_a_moment_of_the_window(rule: str) -> None:
    """Every second is a moment: who is busy or asks in the second before it, counted job by job."""
    releases, lengths = [0, 0, 1, 5, 5, 6, 12, 23], [5, 3, 4, 7, 2, 6, 1, 1]
    log = Log(
        {"submit": releases, "run": lengths, "allocated": [1] * 8, "group": [0, 1] * 4}, header={"MaxProcs": ("2",)}
    )
    series = ask(log=log, start=0, duration=23, rules=[rule], rule=rule, machines=2, series=True).series
    assert series is not None
    assert series.times == tuple(range(1, 25))
    plan = plan_of(log, asked(machines=2, start=0, duration=23))
    instance = instance_of(plan.window(log))
    begun = simulate(instance, rule=rule, until=24).start.tolist()
    jobs = list(zip(begun, instance.release.tolist(), instance.length.tolist(), strict=True))
    busy = [sum(s <= slot < s + p for s, _, p in jobs) for slot in range(24)]
    waiting = [sum(r <= slot < s for s, r, _ in jobs) for slot in range(24)]
    assert list(series.busy) == busy
    assert list(series.requested) == [b + w for b, w in zip(busy, waiting, strict=True)]
    assert max(waiting) > 0


@pytest.mark.usefixtures("log_folder")
def test_estimate_grows_with_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("consortium.verbs.sharing.estimate.time.process_time", lambda: 0.0)  # reading took no time
    one, many = (api.estimate("audit", "busy.swf", windows=n, duration=800) for n in (1, 10))
    assert (one.size, many.size) == (10, 100)  # nine rules, and what was recorded
    assert one.seconds is not None
    assert many.seconds is not None
    assert one.seconds < many.seconds < 10 * one.seconds  # loading code is not done ten times
    assert api.estimate("audit", "busy.swf", windows=10).size == 10  # a short log is one window


def test_the_command(log_folder: Path) -> None:
    runner = CliRunner()
    command = ["audit", "busy.swf", "--windows", "2", "--duration", "800", "--processes", "1"]
    shown = runner.invoke(app, command, catch_exceptions=False)
    assert shown.exit_code == 0
    for text in ("95 % limits", "LevelFS S/U", "fair-share factor", "what this means under recorded", "as the cluster"):
        assert text in shown.stdout
    as_json = runner.invoke(app, [*command, "--json", "--plot", "out.svg"], catch_exceptions=False)
    assert (log_folder / "out.svg").read_text().count("<svg") == 1
    data = json.loads(as_json.stdout)
    assert (data["verb"], data["kind"], data["complete"], data["exact"]) == ("audit", "sharing", True, False)
    assert [row["rule"] for row in data["rows"]][:3] == ["recorded", "ref", "rand"]
    assert data["log"]["report"]["kept"] == 150
    by_python = consortium.audit("busy.swf", windows=2, duration=800, series=True)  # which --plot asks for
    assert without_times(by_python) == without_times(data)
    dry = runner.invoke(app, [*command, "--dry-run"], catch_exceptions=False)
    assert "20 simulations" in dry.stdout
    assert runner.invoke(app, [*command, "--plot", "out.xyz"]).exit_code != 0
    assert isinstance(runner.invoke(app, [*command, "--rule", "none"]).exception, UnknownNameError)


def test_a_command_may_start_processes_and_a_script_may_not_unasked() -> None:
    assert read_options(Audit, {}, "audit", "command").processes == 0
    assert read_options(Audit, {}, "audit").processes == 1
    assert read_options(Audit, {"processes": "3"}, "audit", "command").processes == 3


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("zipf", "zipf"),
        ("4,2", [4, 2]),
        ("7", [7]),
        ("a=4, b=2", {"a": 4, "b": 2}),
        ("x=y=3", {"x=y": 3}),
    ],
)
def test_shares_on_the_command_line(text: str, found: object) -> None:
    assert shares_of(text) == found


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


def test_who_waits_for_another_is_later_than_fair() -> None:
    """The first organization owns both machines; in turns with the second, half of its work is done too late."""
    log = Log(
        {"submit": [0] * 8, "run": [10] * 8, "allocated": [1] * 8, "group": [0, 0, 0, 0, 1, 1, 1, 1]},
        header={"MaxProcs": ("2",)},
        labels={"group": {0: "owner", 1: "guest"}},
    )
    record = ask(log=log, start=0, duration=40, rules=["round-robin"], rule="round-robin", shares=[2, 0], machines=2)
    owner, guest = sorted(record.organizations, key=lambda row: row.name, reverse=True)
    own, fair = psi([0, 10, 20, 30], [10] * 4, 40), psi([0, 0, 10, 10], [10] * 4, 40)
    assert (owner.utility, owner.fair, guest.utility, guest.fair) == (
        own,
        fair,
        own,
        psi([20, 20, 30, 30], [10] * 4, 40),
    )
    assert (owner.delay.value, guest.delay.value) == (10, -10)  # seconds per unit of work
    assert owner.fair_excess.value == pytest.approx(100 * float(fair / owner.contribution - 1))
    assert "its work was done 10 s later than fair (one window, so no limits)." in sentence(owner)
    assert explanation(record)[0] == sentence(owner)  # who is wronged by the rule comes first
    assert "less than it contributed" in sentence(owner)
    assert record.windows[0].p_tot == 80
    assert record.rows[0].values["unfairness"].value == 2 * 400 / 80


def test_level_of_an_idle_organization_is_infinite() -> None:
    log = Log(
        {"submit": [0, 1, 2], "run": [50, 50, 50], "allocated": [1] * 3, "group": [0, 0, 1]},
        header={"MaxProcs": ("2",)},
    )
    record = ask(log=log, start=0, duration=2, rules=["fair-share"], machines=2)
    idle = next(row for row in record.organizations if row.name == "group 1")
    assert idle.level == math.inf
    assert idle.delay is None
    assert idle.usage.value == 0


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


@pytest.mark.paper("SR14")
@pytest.mark.parametrize("name", ["busy", "overload"])
def test_synthetic_settings_order_the_rules_as_published(name: str) -> None:
    """Twenty windows: turns are worst, current shares next, sampled Shapley values best; the rest is not settled."""
    labels = ("round-robin", "current-fair-share", "utility-fair-share", "fair-share", "direct-contribution", "rand")
    wanted = tuple(Rule(label, label) for label in labels)
    mean = dict.fromkeys(labels, 0.0)
    for i in range(20):
        work = poisson_bags(np.random.default_rng([7, i]), SETTINGS[name])
        for result in windows.measure(windows.Task(i, work, wanted, 1)).rules:
            mean[result.label] += float(result.unfairness) / 20
    middle = [mean[label] for label in labels[2:5]]
    assert mean["round-robin"] > mean["current-fair-share"] > max(middle)
    assert min(middle) > mean["rand"] > 0


def test_the_window_that_is_followed_is_the_least_fair_one() -> None:
    for seed in range(3):
        record = ask(seed=seed, windows=4, series=True, rules=["fifo"], rule="fifo")
        unfair = [window.to_others["fifo"].value for window in record.windows]
        assert len(set(unfair)) > 1
        assert record.series is not None
        assert record.series.window == 1 + unfair.index(max(unfair))


def test_little_work_starts_no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless told otherwise: all cores are for audits that take longer than it takes to start them."""
    started: list[int] = []
    start = windows.executor
    monkeypatch.setattr(windows, "executor", lambda n: (started.append(n), start(n))[1])
    ask(windows=2, processes=0)
    assert started == [1]
