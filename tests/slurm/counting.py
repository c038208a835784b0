"""What the dumps of a Slurm say, counted in plain Python that knows nothing of the package."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

Row = dict[str, str]


def rows(path: Path, delimiter: str = "|") -> list[Row]:
    """Rows of a table with a header line, plain or gzip; no value of it may hold a line break."""
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
    names, *lines = [line.split(delimiter) for line in text.splitlines()]
    return [dict(zip(names, line, strict=True)) for line in lines]


def seconds(text: str) -> int:
    """Of ``[D-]HH:MM:SS``."""
    days, _, clock = text.rpartition("-")
    hours, minutes, rest = map(int, clock.split(":"))
    return ((int(days or 0) * 24 + hours) * 60 + minutes) * 60 + rest


def moment(text: str) -> int:
    """Seconds since 1970 of a clock time without zone, as if it were UTC; -1 where it says nothing."""
    return -1 if text in ("Unknown", "None", "") else int(datetime.fromisoformat(text + "+00:00").timestamp())


def tasks(row: Row) -> tuple[int, int]:
    """How many jobs a row of an array that waits stands for, and how many of these its own limit lets start."""
    match = re.search(r"_\[([^%]*)(?:%(\d+))?\]", row["JobID"])
    if not match:
        return 1, 1
    bounds = [[int(end) for end in part.split("-")] for part in match[1].split(",")]
    number = sum(each[-1] - each[0] + 1 for each in bounds)
    return number, int(match[2] or number)


@dataclass
class Counted:
    """Jobs and use of a dump of ``sacct -a -D -X -P``."""

    ran: int = 0
    running: int = 0
    waiting: int = 0
    held: int = 0
    cancelled: int = 0
    peak: int = 0
    waited: int = 0  # seconds, of all that ran together
    owing: int = 0  # of all that ran, seconds from submission to eligibility

    def __post_init__(self) -> None:
        self.use: Counter[str] = Counter()  # processor seconds by account


def counted(jobs: list[Row], now: int) -> Counted:
    """Of every row, at the moment of the dump."""
    found, changes = Counted(), list[tuple[int, int]]()
    for row in jobs:
        state, lasted, start = row["State"].split()[0], seconds(row["Elapsed"]), moment(row["Start"])
        submit, eligible, cpus = moment(row["Submit"]), moment(row["Eligible"]), int(row["AllocCPUS"])
        if state == "PENDING":
            number, most = tasks(row)
            array = row["JobID"].partition("_")[0] + "_"
            most -= sum(each["JobID"].startswith(array) and each["State"] == "RUNNING" for each in jobs)
            ready = max(0, min(number, most)) if 0 <= eligible <= now else 0
            found.waiting, found.held = found.waiting + ready, found.held + number - ready
        elif lasted:
            since = min(max(submit, eligible), start)
            found.waited, found.owing = found.waited + start - since, found.owing + since - submit
            found.ran, found.running = found.ran + 1, found.running + (state in ("RUNNING", "SUSPENDED"))
            found.use[row["Account"]] += cpus * lasted
            changes += [(start + lasted, -cpus), (start, cpus)]
        else:
            found.cancelled += state == "CANCELLED"
    busy = 0
    for _, change in sorted(changes):
        busy += change
        found.peak = max(found.peak, busy)
    return found


def billing(tres: str) -> float:
    """Of ``CPU=1.0,Mem=0.5G,GRES/gpu=4.0``, not cut to a whole number as ``billing=`` of the dump is."""
    had = dict(part.split("=") for part in tres.split(","))
    memory = float(had["mem"][:-1]) / (1024 if had["mem"].endswith("M") else 1)
    return int(had["cpu"]) + memory / 2 + 4 * int(had.get("gres/gpu", 0))


def usage(jobs: list[Row], first: int, period: int, half_life: int, now: int, soon: bool) -> Counter[tuple[str, str]]:
    """Decayed billing seconds of each user in an account, as slurmctld keeps them.

    Every ``period`` seconds from ``first`` on all usage decays, then what a job has run since then is added; the rest
    of a job when it ends, ``soon`` where that is before the renewal in the same second. Time of suspension counts.
    """
    kept: Counter[tuple[str, str]] = Counter()
    factor = 1 - 0.693 / half_life
    for row in jobs:
        start, lasted = moment(row["Start"]), seconds(row["Elapsed"]) + seconds(row["Suspended"])
        end = min(start + lasted, now)
        if start < 0 or not lasted:
            continue
        begin = start
        while begin < end:
            step = first + ((begin - first) // period + 1) * period  # the next moment at which usage is renewed
            stop = min(end, step)
            if stop < end or 0 <= moment(row["End"]) <= now:  # a piece that runs is added at that moment only
                times = (now - first) // period - (stop - first - (soon and stop == end)) // period
                piece = (stop - begin) * factor ** (stop - begin) * billing(row["AllocTRES"])
                kept[row["Account"], row["User"]] += piece * factor ** (period * times)
            begin = stop
    return kept
