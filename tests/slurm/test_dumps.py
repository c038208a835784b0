"""Dumps of a real Slurm of three moments, read and counted twice; those kept here, or the fresh ones of ``.ci/slurm``.

The dumps kept are of the same jobs, cut to what is read, with invented names. A fresh folder is named by the variable
``CONSORTIUM_DUMPS`` of the environment.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import consortium
from consortium.workloads import Log, replayable
from consortium.workloads.log import HELD, RUNNING
from consortium.workloads.reading import read_sacct
from consortium.workloads.slurm import read_dumps, standings

from .counting import Row, billing, counted, moment, rows, seconds, usage

FOLDER = Path(os.environ.get("CONSORTIUM_DUMPS") or Path(__file__).parent / "dumps")
PARENTS = {"physics": "root", "life": "root", "atlas": "physics", "cms": "physics", "bio": "life", "chem": "life"}
SHARES = {"physics": 60, "life": 40, "atlas": 40, "cms": 20, "bio": 30, "chem": 10}
NIGHTS = ("1", "2", "3")


def dump(night: str, name: str) -> Path:
    path = FOLDER / night / name
    return path if path.exists() else path.with_name(name + ".gz")


@cache
def jobs(night: str) -> tuple[list[Row], int]:
    """Rows of a night's jobs, and when sacct was asked."""
    return rows(dump(night, "jobs.psv")), moment(dump(night, "when").read_text().split()[1])


@cache
def log(night: str) -> Log:
    return read_sacct(dump(night, "jobs.psv"))


@pytest.mark.parametrize("night", NIGHTS)
def test_every_count_is_that_of_an_independent_one(night: str) -> None:
    table, asked = jobs(night)
    found = log(night)
    expected, ready = counted(table, found.end), replayable(found)
    ran = ready.column("wait") >= 0
    assert found.end <= asked + 5  # sacct answers some seconds later
    assert found.end >= asked or not expected.running
    assert int(ran.sum()) == expected.ran
    assert int((ready.column("at_end") == RUNNING).sum()) == expected.running
    assert int(ready.waiting.sum()) == expected.waiting == len(ready) - expected.ran
    assert int((found.column("at_end") == HELD).sum()) == expected.held
    skipped = {each.reason.split()[0]: each.count for each in ready.report.skipped}
    assert (skipped.get("cancelled", 0), skipped.get("waiting", 0)) == (expected.cancelled, expected.held)
    assert int(ready.column("wait")[ran].sum()) == expected.waited
    assert ready.peak_processors() == expected.peak
    use: Counter[str] = Counter()
    for account, work in zip(ready.column("account")[ran], (ready.processors * ready.run)[ran], strict=True):
        use[ready.label("account", account)] += int(work)
    assert use == expected.use
    assert (ready.run[ready.waiting] == ready.column("limit")[ready.waiting]).all()


def test_all_columns_of_sacct_say_the_same() -> None:
    """Names with separators and line breaks stand in ``sacct -o ALL`` and lose no job."""
    every, few = read_sacct(dump("3", "all.psv")), log("3")
    assert len(every) == len(few)
    for column in ("job", "submit", "wait", "run", "allocated", "at_end", "status"):
        assert np.array_equal(every.column(column), few.column(column)), column
    assert {each.reason for each in every.report.skipped} <= {"the rest of a text that a line break cuts"}


def test_every_job_that_was_submitted_is_told_of() -> None:
    submitted, (table, _) = json.loads(dump("3", "submitted").read_text()), jobs("3")
    assert len(log("3")) == sum(submitted.values()) - submitted["hold"]  # which was never eligible: sacct is silent
    assert sum(row["State"] == "REQUEUED" for row in table) == submitted["requeue"] // 2
    suspended = [seconds(row["Suspended"]) for row in table if seconds(row["Suspended"])]
    assert len(suspended) == submitted["suspend"]
    assert f"suspended for {sum(suspended)} s together, which is no use: {len(suspended)}" in log("3").report.notes


def test_use_by_account_is_that_of_sreport() -> None:
    cells = [line.split("|") for line in dump("3", "sreport.psv").read_text().splitlines()]
    told = {line[1]: int(line[4]) for line in cells if line[0] == "toy" and not line[2]}  # below its title and header
    use = counted(*jobs("3")).use
    assert told == {**use, "physics": use["atlas"] + use["cms"], "life": use["bio"] + use["chem"], "root": use.total()}


def configuration(night: str) -> dict[str, str]:
    return dict(re.findall(r"^(\w+)\s*=\s*(\S+)", dump(night, "config.txt").read_text(), re.MULTILINE))


def used(night: str, renewed: bool) -> Iterator[Counter[tuple[str, str]]]:
    """Decayed usage when sshare was asked, or when slurmctld had renewed it last; for moments a second apart."""
    said, asked = configuration(night), moment(dump(night, "when").read_text().split()[0])
    period, half_life = seconds(said["PriorityCalcPeriod"]), seconds(said["PriorityDecayHalfLife"])
    for first in (moment(said["BOOT_TIME"]), moment(said["BOOT_TIME"]) + 1):
        for now in {first + (asked - first) // period * period} if renewed else {asked - 1, asked, asked + 1}:
            for soon in (False, True):
                yield usage(jobs(night)[0], first, period, half_life, now, soon)


@pytest.mark.parametrize("night", NIGHTS)
def test_decayed_usage_is_that_of_sshare(night: str) -> None:
    """Within a second of when it was asked, and of when slurmctld renews it.

    With ``limits`` in ``AccountingStorageEnforce``, that is: without it, what a job runs after the last moment of
    ``PriorityCalcPeriod``, and so most of jobs of seconds, is never counted.
    """
    assert "limits" in configuration(night)["AccountingStorageEnforce"]
    expected = list(used(night, renewed=False))
    for row in rows(dump(night, "sshare.psv")):
        if row["User"]:
            found, told = [each[row["Account"].strip(), row["User"]] for each in expected], int(row["RawUsage"])
            assert min(found) * 0.99 - 1 <= told <= max(found) * 1.01 + 1, row


def test_shares_and_parents_are_read_from_slurms_own_output() -> None:
    place = dump("3", "when").parent
    for name in ("sshare.psv", "tree.txt"):
        accounts = read_dumps(place / name).accounts
        assert accounts.parents == PARENTS
        assert {name: accounts.shares[name] for name in SHARES} == SHARES
    assert read_dumps(place / "associations.psv").accounts.shares == accounts.shares
    dumps = read_dumps(place)
    assert (dumps.accounts.parents, dumps.accounts.shares) == (accounts.parents, accounts.shares)
    assert dumps.settings["prioritytype"] == "priority/multifactor"
    assert (dumps.time("PriorityDecayHalfLife"), dumps.time("PriorityMaxAge")) == (120, 86_400)
    assert (dumps.settings["priorityweightfairshare"], dumps.settings["priorityweightage"]) == ("100000", "10")
    assert dumps.billing == {"main": "CPU=1.0,Mem=0.5G,GRES/gpu=4.0"}
    assert dumps.processors() == dumps.processors("main") == 8


def test_level_fs_is_that_of_sshare() -> None:
    """Of the usage that slurmctld renewed last, before or after the jobs that end in that second."""
    shares = read_dumps(dump("3", "sshare.psv")).accounts.by_path("sshare")
    told = {row["Account"].strip(): row for row in rows(dump("3", "sshare.psv")) if not row["User"]}
    found = []
    for each in used("3", renewed=True):
        usages = {account: sum(amount for (name, _), amount in each.items() if name == account) for account in PARENTS}
        found.append(standings(shares, {name: usages[name] for name in ("atlas", "cms", "bio", "chem")}))
    for name in found[0]:
        levels, usages = [each[name].level for each in found], [each[name].usage for each in found]
        assert min(levels) * 0.97 <= float(told[name]["LevelFS"]) <= max(levels) * 1.03
        assert min(usages) * 0.97 <= float(told[name]["NormUsage"]) <= max(usages) * 1.03


def test_an_audit_of_a_log_and_a_folder_of_dumps() -> None:
    """One command with two names: what is asked is what slurm.conf says."""
    place, table = dump("3", "when").parent, jobs("3")[0]
    record = consortium.audit(dump("3", "jobs.psv"), slurm=place, windows=1, duration=60, seed=1).to_dict()
    units = [{**row, "AllocCPUS": str(max(1, int(billing(row["AllocTRES"]))))} for row in table if row["AllocTRES"]]
    assert sum(record["plan"]["shares"]) == counted(units, jobs("3")[1]).peak
    assert record["plan"]["parents"] == {name: above for name, above in PARENTS.items() if above != "root"}
    assert {each["name"] for each in record["organizations"]} == {"atlas", "cms", "bio", "chem"}
    assert record["log"]["report"]["read"] == len(log("3"))
    assert record["rule"] == "recorded"
    assert list(record["request"]["options"]["rules"]) == [
        "multifactor:age=10:fairshare=100000:max_age=86400s:decay=120s"
    ]


def test_three_nights_of_a_growing_dump_give_the_trend_of_the_last(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"consecutive": True, "duration": 10, "rules": ["recorded"], "organizations": "account"}
    asked |= {"machines": 8}
    told = []
    for night in NIGHTS:
        consortium.audit(dump(night, "jobs.psv"), store=str(tmp_path / "nights.db"), **asked)
        told.append(consortium.audit_trend(str(tmp_path / "nights.db"), every="window").to_dict()["rows"])
    consortium.audit(dump("3", "jobs.psv"), store=str(tmp_path / "whole.db"), **asked)
    assert told[-1] == consortium.audit_trend(str(tmp_path / "whole.db"), every="window").to_dict()["rows"]
    assert len(told[0]) < len(told[-1])
    assert told[0][-1]["provisional"]
    assert not any(row["provisional"] for row in told[-1])
