"""Schedules for other programs: the ``jobs.csv`` that Batsim writes and evalys reads, one line per job.

Each kind has ``reports/<kind>/tables.py`` with a function ``jobs``, ``(data) -> list of jobs``, from the dict
of a ``run`` record. Columns are those of Batsim's documentation ("Jobs" among its outputs), in its order. There a
workload is whose jobs they are, machines count from 0, times are decimals (rounded where a fraction does not end), and
-1 stands for no limit of time. A job that has not ended has no ``finish_time``.

>>> from consortium import run
>>> print(jobs_csv(run("minimal/federation").to_dict()).splitlines()[1])
1,O1,1,0,1,-1,1,COMPLETED_SUCCESSFULLY,0,1,1,0,1,1,0,-1,O1 job 1
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from ..mechanisms.kinds import answered
from ..scenarios.scenario import Scenario
from ..support.errors import InputError
from ..support.files import check_destination, csv_text, write_text
from ..support.loading import load
from ..verbs.request import request_of
from .tables import printable

ENDINGS: Final = (".csv",)
COLUMNS: Final = (
    "job_id",
    "workload_name",
    "profile",
    "submission_time",
    "requested_number_of_resources",
    "requested_time",
    "success",
    "final_state",
    "starting_time",
    "execution_time",
    "finish_time",
    "waiting_time",
    "turnaround_time",
    "stretch",
    "allocated_resources",
    "consumed_energy",
    "metadata",
)
UNLIMITED: Final = -1
"""Batsim's word for a job without a limit of time, and for energy that was not measured."""


@dataclass(frozen=True)
class Job:
    """One job of a schedule.

    Attributes
    ----------
    owner, number
        Whose it is, and which of hers, from 1.
    submitted, started, ended
        Moments; ``None`` for what did not happen.
    machine
        Counted from 0 over the whole platform; ``None`` for a job that never started.
    killed
        Whether its end was not its own.
    """

    owner: str
    number: int
    submitted: Fraction
    started: Fraction | None
    ended: Fraction | None
    machine: int | None
    killed: bool = False

    @classmethod
    def placed(cls, owner: str, row: Mapping[str, Any], machine: int) -> Job:
        """A job that was there from the beginning, from its row in a schedule."""
        return cls(owner, row["job"], Fraction(0), Fraction(row["start"]), Fraction(row["end"]), machine)

    @property
    def state(self) -> str:
        """How it ended, in Batsim's words."""
        if self.ended is None:
            return "SUBMITTED" if self.started is None else "RUNNING"
        return "COMPLETED_KILLED" if self.killed else "COMPLETED_SUCCESSFULLY"


def jobs_of(data: Mapping[str, Any]) -> list[Job]:
    """The jobs of a record's dict. Raises InputError where it has no schedule, or only a part of one."""
    verb = answered(data["kind"], data["verb"])
    if not verb.jobs:
        raise InputError(f"{data['verb']}: records of it have no schedule of jobs; expected one of run")
    jobs: list[Job] = load(verb.jobs)(data)
    return jobs


def jobs_csv(data: Mapping[str, Any]) -> str:
    """The jobs of a record's dict as CSV; see the module."""
    return csv_text([COLUMNS, *(_row(i, job) for i, job in enumerate(jobs_of(data), 1))])


def save_jobs(data: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write the jobs of a record's dict to a file. Raises InputError when there are none or it cannot be written."""
    check_path(path)
    write_text(path, jobs_csv(data))


def check_path(path: object) -> None:
    """Raise InputError unless jobs can be written there, before any work is done."""
    check_destination(path, "jobs", ENDINGS)


def scenario_of(data: Mapping[str, Any]) -> Scenario:
    """The scenario that a record answers. Raises InputError where the record does not carry it."""
    request = request_of(data, "record")
    if request is None or not isinstance(request.source, Scenario):
        raise InputError("jobs: the record does not carry its scenario; expected one of a rule that a file can name")
    return request.source


def whole(left_out: int | None, listed: int) -> None:
    """Raise InputError where a record lists only a part of its schedule."""
    if left_out:
        raise InputError(
            f"jobs: the record lists {listed:,} of {listed + left_out:,} jobs; run it with --list {listed + left_out}"
        )


def _row(number: int, job: Job) -> Sequence[object]:
    spent = None if job.ended is None or job.started is None else job.ended - job.started
    waited = None if job.started is None else job.started - job.submitted
    stayed = None if job.ended is None else job.ended - job.submitted
    return (
        number,
        printable(job.owner),
        number,
        _decimal(job.submitted),
        1,
        UNLIMITED,
        int(job.ended is not None and not job.killed),
        job.state,
        _decimal(job.started),
        _decimal(spent),
        _decimal(job.ended),
        _decimal(waited),
        _decimal(stayed),
        _decimal(stayed / spent if spent and stayed is not None else None),
        "" if job.machine is None else job.machine,
        UNLIMITED,
        f"{printable(job.owner)} job {job.number}",
    )


def _decimal(value: Fraction | None) -> int | str:
    """A decimal of at most 15 digits behind the point.

    >>> _decimal(Fraction(3)), _decimal(Fraction(1, 3)), _decimal(Fraction(10**20 + 1, 2)), _decimal(None)
    (3, '0.333333333333333', '50000000000000000000.5', '')
    """
    if value is None:
        return ""
    if value.denominator == 1:
        return value.numerator
    digits = round(abs(value) * 10**15)
    behind = f"{digits % 10**15:015d}".rstrip("0")
    return f"{'-' if value < 0 else ''}{digits // 10**15}{'.' if behind else ''}{behind}"
