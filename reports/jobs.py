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
from collections.abc import Callable, Mapping
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

    @property
    def spent(self) -> Fraction | None:
        """From its start to its end."""
        return _between(self.started, self.ended)

    @property
    def stretch(self) -> Fraction | None:
        """From its submission to its end, over that."""
        stayed = _between(self.submitted, self.ended)
        return stayed / self.spent if stayed is not None and self.spent else None


def _between(begin: Fraction | None, end: Fraction | None) -> Fraction | None:
    return None if begin is None or end is None else end - begin


COLUMNS: Final[Mapping[str, Callable[[int, Job], object]]] = {
    "job_id": lambda number, job: number,
    "workload_name": lambda number, job: printable(job.owner),
    "profile": lambda number, job: number,
    "submission_time": lambda number, job: _decimal(job.submitted),
    "requested_number_of_resources": lambda number, job: 1,
    "requested_time": lambda number, job: UNLIMITED,
    "success": lambda number, job: int(job.ended is not None and not job.killed),
    "final_state": lambda number, job: job.state,
    "starting_time": lambda number, job: _decimal(job.started),
    "execution_time": lambda number, job: _decimal(job.spent),
    "finish_time": lambda number, job: _decimal(job.ended),
    "waiting_time": lambda number, job: _decimal(_between(job.submitted, job.started)),
    "turnaround_time": lambda number, job: _decimal(_between(job.submitted, job.ended)),
    "stretch": lambda number, job: _decimal(job.stretch),
    "allocated_resources": lambda number, job: "" if job.machine is None else job.machine,
    "consumed_energy": lambda number, job: UNLIMITED,
    "metadata": lambda number, job: f"{printable(job.owner)} job {job.number}",
}
"""In the order of Batsim's documentation: what stands there of the job of a number, from 1."""


def jobs_of(data: Mapping[str, Any]) -> list[Job]:
    """The jobs of a record's dict. Raises InputError where it has no schedule, or only a part of one."""
    verb = answered(data["kind"], data["verb"])
    if not verb.jobs:
        raise InputError(f"{data['verb']}: records of it have no schedule of jobs; expected one of run")
    jobs: list[Job] = load(verb.jobs)(data)
    return jobs


def jobs_csv(data: Mapping[str, Any]) -> str:
    """The jobs of a record's dict as CSV; see the module."""
    return csv_text([COLUMNS, *([of(i, job) for of in COLUMNS.values()] for i, job in enumerate(jobs_of(data), 1))])


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
