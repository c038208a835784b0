"""The file of everybody in a log, line by line against the log's rows."""

from __future__ import annotations

import csv
import statistics
from pathlib import Path

import pytest

from consortium.support.errors import InputError
from consortium.workloads import Log
from consortium.workloads.log import WAITING

from .logs import ask, busy_log


def listed(path: Path) -> list[list[str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_everybody_is_listed_with_use_and_waits(tmp_path: Path) -> None:
    log = busy_log()
    ask(log=log, organizations="user", limit=3, windows=1, owners=tmp_path / "all.csv", since=1_000)
    header, *rows = listed(tmp_path / "all.csv")
    assert header[:3] == ["user", "organization", "jobs submitted"]
    assert len(rows) == 8
    assert [row[1] for row in rows] == [rows[0][0], rows[1][0], *["others"] * 6]
    jobs = zip(log.submit, log.user, log.column("wait"), log.run, log.processors, strict=True)
    known = [tuple(map(int, job)) for job in jobs if job[0] - log.submit.min() >= 1_000]
    whole = sum(run * processors for *_, run, processors in known)
    for name, _, count, still, used, part, mean, median, _, slowdown in rows:
        mine = [job for job in known if name == f"user {job[1]}"]
        work = sum(run * processors for *_, run, processors in mine)
        assert (int(count), int(still), int(used)) == (len(mine), 0, work)
        assert float(part) == pytest.approx(100 * work / whole, rel=1e-3)
        waits = [wait for _, _, wait, _, _ in mine]
        assert [float(mean), float(median)] == pytest.approx(
            [statistics.fmean(waits), statistics.median(waits)], rel=1e-4
        )
        slow = [max(1, (wait + run) / max(run, 10)) for _, _, wait, run, _ in mine]
        assert float(slowdown) == pytest.approx(statistics.fmean(slow), rel=1e-4)


def test_who_waits_has_used_nothing_and_an_unknown_wait_is_empty(tmp_path: Path) -> None:
    columns = {"submit": [0, 5, 30], "wait": [3, -1, 1], "run": [20, 9, 4], "allocated": [2, 1, 1], "group": [0, 1, 1]}
    log = Log({**columns, "at_end": [-1, WAITING, -1]}, labels={"group": {0: "=a,b", 1: "cms"}}, end=45)
    ask(log=log, duration=20, windows=1, rules=["fifo"], machines=2, owners=tmp_path / "all.csv")
    rows = {row[0]: row[2:] for row in listed(tmp_path / "all.csv")[1:]}
    assert rows["'=a,b"] == ["1", "0", "40", "90.91", "3", "3", "3", "1.15"]
    assert rows["cms"][:5] == ["2", "1", "4", "9.091", "20.5"]  # 40 s until the log ended, and 1 s
    ask(log=busy_log(wait=False), organizations=3, windows=1, rules=["fifo"], owners=tmp_path / "all.csv")
    assert {(row[1], *row[6:]) for row in listed(tmp_path / "all.csv")[1:]} == {("", "", "", "", "")}
    with pytest.raises(InputError, match=r"owners: found .*; expected the path of a file"):
        ask(owners=tmp_path / "no" / "all.csv")
