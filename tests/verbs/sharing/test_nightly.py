"""Night after night: the same windows of a log that grows, those that were measured too early measured again."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import consortium
from consortium.support.errors import InputError
from consortium.support.units import duration_text
from consortium.workloads import Log
from consortium.workloads.log import COLUMNS as COLUMNS_OF_LOGS
from consortium.workloads.sacct import COMMAND

from .logs import ask, busy_log, dated

DAY = 86_400
BEGIN = datetime(2026, 11, 2, 5)
COLUMNS = "JobIDRaw|JobID|User|Account|Submit|Eligible|Start|End|Elapsed|State|AllocCPUS|ReqCPUS|Timelimit"
NIGHTLY: dict[str, Any] = {"consecutive": True, "rules": ["recorded", "fair-share"], "machines": 6}


def _jobs(seed: int = 4, n: int = 220) -> list[tuple[str, datetime, datetime, datetime]]:
    """Account, submission, start and end of jobs on six machines, first come, first served."""
    rng = np.random.default_rng(seed)
    free, jobs = [BEGIN] * 6, []
    for seconds in np.sort(rng.integers(0, 5 * DAY - 6 * 3600, n)).tolist():
        submit, machine = BEGIN + timedelta(seconds=seconds), min(range(6), key=free.__getitem__)
        start = max(submit, free[machine])
        free[machine] = start + timedelta(seconds=int(rng.integers(600, 20_000)))
        jobs.append((["atlas", "cms", "bio"][rng.integers(0, 3)], submit, start, free[machine]))
    return jobs


def _dump(path: Path, jobs: list[tuple[str, datetime, datetime, datetime]], now: datetime, since: datetime) -> str:
    """What sacct says at a moment of the jobs since another."""
    lines = [COLUMNS]
    for number, (account, submit, start, end) in enumerate(jobs, 1):
        if submit <= now and end > since:
            state = "COMPLETED" if end <= now else "RUNNING" if start <= now else "PENDING"
            ran = max(0, int((min(end, now) - start).total_seconds()))
            said = [f"{each:%Y-%m-%dT%H:%M:%S}" if each <= now else "Unknown" for each in (submit, start, end)]
            elapsed = f"{ran // 3600:02}:{ran // 60 % 60:02}:{ran % 60:02}"
            lines.append(
                f"{number}|{number}|u{account}|{account}|{said[0]}|{said[0]}|{said[1]}|{said[2]}|{elapsed}|{state}|1|1|08:00:00"
            )
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def _trend(store: Path) -> dict[str, Any]:
    data = consortium.audit_trend(str(store), every="window").to_dict()
    return {key: value for key, value in data.items() if key in ("rows", "last", "rule", "same_organizations")}


@pytest.mark.parametrize("days", [None, 3], ids=["grows", "the last days alone"])
def test_five_nights_say_what_one_audit_of_the_whole_says(tmp_path: Path, days: int | None) -> None:
    jobs, changed = _jobs(), []
    for night in range(1, 7):
        now = datetime(2026, 11, 2) + timedelta(days=night, hours=1 if night < 6 else 20)
        since = datetime(2026, 11, 2) + timedelta(days=0 if days is None else max(0, night - days))
        dump = _dump(tmp_path / f"night-{night}.psv", jobs, now, since)
        consortium.audit(dump, store=str(tmp_path / "nights.db"), since=since.isoformat(), **NIGHTLY)
        changed.append([row["provisional"] for row in _trend(tmp_path / "nights.db")["rows"]])
    whole = _dump(tmp_path / "whole.psv", jobs, now, BEGIN)
    consortium.audit(whole, store=str(tmp_path / "whole.db"), since="2026-11-02", **NIGHTLY)
    assert _trend(tmp_path / "nights.db") == _trend(tmp_path / "whole.db")
    assert len(changed[-1]) == 5
    assert any(any(row) for row in changed[:-1])
    assert not any(changed[-1])
    assert all(not any(row[:-2]) for row in changed)  # jobs are shorter than a day
    assert changed[1][-1] == 1


def test_files_of_the_page_name_numbers_that_are_written(tmp_path: Path) -> None:
    folder = Path(__file__).parents[3] / "docs" / "howto" / "nightly"
    now = BEGIN + timedelta(days=3)
    metrics = tmp_path / "consortium.prom"
    record = consortium.audit(_dump(tmp_path / "c.psv", _jobs(), now, BEGIN), openmetrics=str(metrics), **NIGHTLY)
    written = set(re.findall(r"^(consortium_\w+)\{", metrics.read_text(), re.M))
    panel = json.loads((folder / "consortium-panel.json").read_text())
    asked = " ".join(target["expr"] for target in panel["targets"]) + (folder / "consortium.rules.yml").read_text()
    assert set(re.findall(r"consortium_audit_\w+", asked)) <= written
    assert "provisional_windows" in (Path(folder.parent, "every-night.md")).read_text()
    assert re.search(r"^consortium_audit_provisional_windows\{.*\} [12]\.0$", metrics.read_text(), re.M)
    assert [row.provisional for row in record.windows][-1] is True
    script = (folder / "consortium-audit").read_text().replace("\\\n", "")
    assert f'-o "{COMMAND.partition(" -o ")[2]}"' in script


def test_windows_one_after_another_are_not_without_number() -> None:
    log = dated(busy_log())
    with pytest.raises(InputError, match=r"windows of 1 s; expected at most 1,000,000: give a longer duration"):
        ask(log=changed_submission(log, 2_500_000), consecutive=True, duration=1)
    with pytest.raises(InputError, match="windows: cannot be combined with consecutive, which takes all"):
        ask(log=log, consecutive=True, windows=3)
    with pytest.raises(InputError, match=r"expected shorter ones: none lies whole in the part of busy\.swf"):
        ask(log=log, consecutive=True, duration=90_000, since="2004-10-31", until="2004-10-31T00:10")


def changed_submission(log: Log, moment: int) -> Log:
    """With the last job submitted at this moment."""
    columns = {name: log.column(name).copy() for name in COLUMNS_OF_LOGS}
    columns["submit"][-1] = moment
    return Log(columns, log.name, log.header, log.labels)


def test_a_profile_is_the_options_that_it_stands_for(tmp_path: Path) -> None:
    dump = _dump(tmp_path / "c.psv", _jobs(), BEGIN + timedelta(days=5), BEGIN)
    store = str(tmp_path / "nights.db")
    with pytest.raises(
        InputError, match="profile: nightly keeps its windows for the nights to come; expected --store FILE"
    ):
        consortium.audit(dump, profile="nightly", machines=6)
    record = consortium.audit(dump, profile="nightly", machines=6, store=store)
    assert record.to_dict()["request"]["options"] == {
        **NIGHTLY,
        "rules": {"recorded": "recorded", "fair-share": "fair-share"},
        "profile": "nightly",
    }
    assert not [row for _, _, row in consortium.check(record.to_dict(), time_limit=100) if row.holds is not True]
    short = consortium.audit(dump, profile="committee", windows=1, rules=["fifo"], machines=6, duration=3000)
    assert len(short.windows) == 1
    assert [row.rule for row in short.rows] == ["recorded", "fifo"]


def test_a_night_is_told_in_fifteen_lines_of_a_hundred_columns(tmp_path: Path) -> None:
    """The answer, who loses most, what the last day changed, and what may still change; the words explained."""
    dump = _dump(tmp_path / "c.psv", _jobs(), BEGIN + timedelta(days=3), BEGIN)
    asked = {"machines": 6, "store": str(tmp_path / "nights.db"), "shares": {"atlas": 1, "cms": 1, "bio": 4}}
    record = consortium.audit(dump, profile="nightly", **asked)
    lines = str(record).splitlines()
    assert len(lines) <= 15
    assert max(map(len, lines)) <= 100
    assert record.fairness is not None
    assert record.before is not None
    text = " ".join(line.strip() for line in lines)
    assert text.count(f"{record.fairness.loser} loses most to others, ") == 1
    assert f"{record.fairness.loser}: " in text
    last = [row.to_others["recorded"].value for row in record.windows[-2:]]
    assert f"from 2026-11-04 on: {duration_text(last[1])}; from 2026-11-03 on: {duration_text(last[0])}." in text
    assert "1 of 2 windows may still change." in text
    assert "Lost, gained: by how much later, earlier work is done than in the fair schedule" in text
    shorter = consortium.audit(dump, until="2026-11-04", consecutive=True, rules=["recorded", "fair-share"], **asked)
    assert record.before.answer == shorter.fairness.answer
    assert record.before.loser == shorter.fairness.loser
    assert len(str(shorter).splitlines()) > 30
