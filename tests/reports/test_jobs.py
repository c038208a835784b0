"""Schedules as ``jobs.csv``: the columns that Batsim documents, each following from the schedule by its definition."""

from __future__ import annotations

import csv
import io
from fractions import Fraction
from typing import Any

import pytest

import consortium
from consortium.reports.jobs import COLUMNS, jobs_csv, save_jobs
from consortium.support.errors import InputError

from .cases import cluster, federation, pool, users

# "Jobs" among the outputs in Batsim's documentation, and final_state, profile and waiting_time, which its files have
DOCUMENTED = {
    *("job_id", "workload_name", "submission_time", "requested_number_of_resources", "requested_time", "success"),
    *("starting_time", "execution_time", "finish_time", "turnaround_time", "stretch", "allocated_resources"),
    *("consumed_energy", "metadata"),
}


def rows(data: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(jobs_csv(data))))


def test_the_columns_are_batsims() -> None:
    assert set(COLUMNS) - DOCUMENTED == {"profile", "final_state", "waiting_time"}
    assert set(COLUMNS) > DOCUMENTED


@pytest.mark.parametrize(
    "scenario",
    [cluster("vcg-postpone"), federation("lpt-lpt"), pool("ref"), users("fairest", "MMS")],
    ids=["declaration", "federation", "sharing", "multiuser"],
)
def test_every_column_follows_from_the_moments(scenario: dict[str, Any]) -> None:
    found = rows(consortium.run(scenario).to_dict())
    assert found
    assert len({row["job_id"] for row in found}) == len(found)
    busy: dict[str, list[tuple[Fraction, Fraction]]] = {}
    for row in found:
        moments = ("submission_time", "starting_time", "finish_time")
        submitted, started, ended = (Fraction(row[name]) for name in moments)
        assert submitted <= started < ended
        assert Fraction(row["waiting_time"]) == started - submitted
        assert Fraction(row["execution_time"]) == ended - started
        assert Fraction(row["turnaround_time"]) == ended - submitted
        assert abs(Fraction(row["stretch"]) - (ended - submitted) / (ended - started)) < Fraction(1, 10**14)
        assert (row["success"], row["final_state"]) == ("1", "COMPLETED_SUCCESSFULLY")
        busy.setdefault(row["allocated_resources"], []).append((started, ended))
    if scenario["kind"] != "declaration":  # where jobs may be put off while others run
        for intervals in busy.values():
            assert all(a[1] <= b[0] for a, b in zip(sorted(intervals), sorted(intervals)[1:], strict=False))


def test_machines_of_a_federation_count_from_the_first_organizations() -> None:
    scenario = {
        "format": 1,
        "kind": "federation",
        "organizations": [{"name": "a", "machines": 2, "jobs": [3, 2]}, {"name": "b", "machines": 2, "jobs": [2, 1]}],
        "mechanism": {"rule": "local"},
    }
    placed = {(row["workload_name"], row["allocated_resources"]) for row in rows(consortium.run(scenario).to_dict())}
    assert placed == {("a", "0"), ("a", "1"), ("b", "2"), ("b", "3")}


def test_releases_of_a_pool_are_submissions() -> None:
    scenario = pool("fifo")
    wanted = sorted(
        (row["name"], str(number), str(job[0]))
        for row in scenario["organizations"]
        for number, job in enumerate(sorted(row["jobs"], key=lambda job: job[0]), 1)
    )
    found = rows(consortium.run(scenario).to_dict())
    told = sorted((r["workload_name"], r["metadata"].rpartition(" ")[2], r["submission_time"]) for r in found)
    assert set(told) <= set(wanted)
    assert told


def test_jobs_that_are_killed_or_never_end_say_so() -> None:
    killed = rows(consortium.run(cluster("harsh")).to_dict())
    assert [(row["success"], row["final_state"]) for row in killed] == [
        ("0", "COMPLETED_KILLED"),
        ("1", "COMPLETED_SUCCESSFULLY"),
    ]
    data = consortium.run(cluster("vcg-postpone")).to_dict()
    data["agents"][0] |= {"output": "inf", "work": []}
    data["agents"][1] |= {"output": "inf"}
    waiting, running = rows(data)
    assert (waiting["final_state"], waiting["starting_time"], waiting["allocated_resources"]) == ("SUBMITTED", "", "")
    assert (running["final_state"], running["success"], running["finish_time"]) == ("RUNNING", "0", "")


def test_who_left_has_no_job() -> None:
    assert rows(consortium.run(cluster("vcg-renice", rounds=2)).to_dict()) == []


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (lambda: consortium.run(pool("fifo"), list=2).to_dict(), r"lists 2 of \d+ jobs; run it with --list \d+"),
        (lambda: consortium.run(users("pareto")).to_dict(), "the record has no schedule"),
        (lambda: consortium.verify("minimal/federation").to_dict(), "records of it have no schedule of jobs"),
        (lambda: consortium.run("minimal/federation").to_dict() | {"request": None}, "does not carry its scenario"),
    ],
)
def test_what_is_no_whole_schedule_is_refused(data: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        jobs_csv(data())


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Any) -> None:
    data = consortium.run("minimal/multiuser", overrides={"mechanism.rule": "fairest"}).to_dict()
    save_jobs(data, tmp_path / "jobs.csv")
    assert (tmp_path / "jobs.csv").read_text() == jobs_csv(data)
    with pytest.raises(InputError, match="ends in"):
        save_jobs(data, tmp_path / "jobs.txt")


def test_pandas_reads_it_as_evalys_does(tmp_path: Any) -> None:
    pandas = pytest.importorskip("pandas")
    save_jobs(consortium.run(pool("ref")).to_dict(), tmp_path / "jobs.csv")
    frame = pandas.read_csv(tmp_path / "jobs.csv", converters={"job_id": str, "allocated_resources": str})
    assert (frame["submission_time"] + frame["waiting_time"] == frame["starting_time"]).all()
    assert frame["finish_time"].dtype.kind in "if"
