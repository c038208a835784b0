r"""Reader of Slurm accounting dumps: the output of ``sacct -P``, with or without its header line, plain or gzip.

Model: one line is one job, its columns separated by ``|``. With a header line the columns are found by name, in any
order; without one the 26 columns of :data:`DUMP` are expected. Job steps (``123.batch``) are not jobs and are left
out; a job that was requeued appears once per start and counts as often, because it held its processors each time.

Conventions: clock times are local, without zone, and are counted as if the clock never changed; ``Unknown`` and
``None`` are -1; durations are ``[D-]HH:MM:SS``; a job that never started has run time -1; a job still running when
the dump was made counts for as long as it had run by then, which the report notes. Names of users, groups, accounts,
partitions and QOS (here: queues) become codes in order of first appearance. Ill-formed lines are left out and counted;
a file in which they outnumber the jobs is refused. Trackable resources (``AllocTRES``, where that is empty
``ReqTRES``) are kept as they are written, a code for each text; :mod:`.resources` reads them.

>>> text = b"JobID|User|Submit|Elapsed|State|NCPUS\n7|ann|2024-05-01T10:00:00|1-00:01:00|COMPLETED|4\n7.batch|||||\n"
>>> log = parse_sacct([text], "tiny.psv")
>>> log.run.tolist(), log.processors.tolist(), log.label("user", log.user[0])
([86460], [4], 'ann')
>>> print(log.report)
1 jobs read, 1 kept
  1 left out: job step, e.g. line 3
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Final, TypeVar

from ..support.errors import InputError
from .clock import AS_WRITTEN
from .log import RESOURCES, Log, Omissions, Report

DUMP: Final = (
    *("jobid", "jobidraw", "cluster", "partition", "qos", "account", "group", "gid", "user", "uid", "submit"),
    *("eligible", "start", "end", "elapsed", "exitcode", "state", "nnodes", "ncpus", "reqcpus", "reqmem"),
    *("reqtres", "alloctres", "timelimit", "nodelist", "jobname"),
)
"""Columns of a dump without header line."""
COMMAND: Final = (
    "sacct -a -P -o JobIDRaw,JobID,User,Group,Account,Partition,QOS,Submit,Start,End,Elapsed,State,AllocCPUS,ReqCPUS,"
    "Timelimit,AllocTRES,ReqTRES"
)
"""What makes a dump that has all that is used."""

_OWNERS: Final = {"user": "user", "group": "group", "qos": "queue", "partition": "partition", "account": "account"}
_STATUS: Final = {"COMPLETED": 1, "CANCELLED": 5} | dict.fromkeys(
    ("FAILED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE", "PREEMPTED"), 0
)
_RUNNING: Final = frozenset({"RUNNING", "SUSPENDED", "STOPPED"})
"""Not at their end yet; COMPLETING and STAGE_OUT are."""
_DURATION: Final = re.compile(r"(?:(\d{1,7})-)?(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:\.\d+)?")
_JOB: Final = re.compile(r"(\d{1,18})(?:_\d+|_\[[^|]*\]|\+\d+)*")
_ABSENT: Final = frozenset({"", "unknown", "none", "invalid", "n/a", "unlimited", "partition_limit"})
_EPOCH: Final = datetime(1970, 1, 1)

T = TypeVar("T")


class _BadLine(Exception):
    """A line that is not a job; the message is the reason."""


class _Columns:
    """Where the used columns stand. A job name may hold the separator: columns behind it are counted from the end."""

    def __init__(self, names: Sequence[str], where: str) -> None:
        self.place: dict[str, int] = {}
        for i, name in enumerate(names):
            self.place.setdefault(name, i)
        self.width = len(names)
        self.name_at = self.place.get("jobname", self.width)
        needed = ("JobIDRaw or JobID", "Submit", "Elapsed or ElapsedRaw", "AllocCPUS or NCPUS or ReqCPUS")
        missing = [some for some in needed if self.place.keys().isdisjoint(some.lower().split(" or "))]
        if missing:
            raise InputError(f"{where}: the dump lacks {', '.join(missing)}; make it with {COMMAND}")

    def mended(self, cells: list[str]) -> list[str]:
        """The cells of a line that has another number of them. Raises _BadLine where that cannot be."""
        surplus = len(cells) - self.width
        if surplus > 0 and self.name_at < self.width:
            cells[self.name_at : self.name_at + surplus + 1] = [
                "|".join(cells[self.name_at : self.name_at + surplus + 1])
            ]
        elif surplus == 1 and not cells[-1]:
            cells.pop()  # sacct -p ends every line with the separator
        if len(cells) != self.width:
            raise _BadLine(f"found {len(cells)} columns, expected {self.width}")
        return cells

    def at(self, name: str) -> int:
        """Where this column stands; without it, behind the last one, where a reader finds an empty cell."""
        return self.place.get(name, self.width)


class _CellTexts(dict[str, T]):
    """Values of the texts of a column: each is read once, because there are many lines and few texts."""

    def __init__(self, understood: Callable[[str], T]) -> None:
        super().__init__()
        self.understood = understood

    def __missing__(self, text: str) -> T:
        value = self[text] = self.understood(_present(text))
        return value


def _present(cell: str) -> str:
    """What a cell says; the empty text where that is nothing."""
    text = cell.strip()
    return "" if text.lower() in _ABSENT else text


def duration(text: str) -> int:
    """Seconds of ``[D-]HH:MM:SS`` or ``MM:SS``; a plain number is seconds; -1 for no text.

    >>> duration("2-03:00:05"), duration("00:01:32"), duration("90")
    (183605, 92, 90)
    """
    if not text:
        return -1
    if text.isdecimal() and len(text) <= 12:
        return int(text)
    match = _DURATION.fullmatch(text)
    if not match:
        raise _BadLine("a duration is not [D-]HH:MM:SS")
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def moment(text: str) -> int:
    """Seconds since 1970 of ``YYYY-MM-DDTHH:MM:SS``, taken as written when it has no zone; -1 for no text.

    >>> moment("1970-01-02T00:00:01")
    86401
    """
    text = text.strip()
    if text.isdecimal() and len(text) <= 12:
        return int(text)
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        if not _present(text):
            return -1
        raise _BadLine("a clock time is not YYYY-MM-DDTHH:MM:SS") from None
    since = read.replace(tzinfo=None) - _EPOCH
    if read.tzinfo is not None:  # subtracted last: a moment of year 1 must not leave the calendar
        since -= read.utcoffset() or timedelta(0)
    return since.days * 86400 + since.seconds


def _count(text: str) -> int:
    if not text:
        return -1
    if not text.isdecimal() or len(text) > 9:
        raise _BadLine("a number of processors is not a whole number")
    return int(text)


class _Reader:
    """Rows of the log, and what was left out."""

    def __init__(self, columns: _Columns) -> None:
        self.rows: list[tuple[int, ...]] = []
        self.codes: dict[str, dict[str, int]] = {owner: {} for owner in _OWNERS.values()}
        self.resources: dict[str, int] = {}
        self.seen: set[tuple[str, int]] = set()
        self.omissions = Omissions("line")
        self.columns, self.width = columns, columns.width
        at = columns.at
        self.id_at, self.raw_at = at("jobid"), at("jobidraw")
        self.submit_at, self.start_at, self.state_at = at("submit"), at("start"), at("state")
        self.raw_run_at, self.run_at = at("elapsedraw"), at("elapsed")
        self.allocated_at, self.or_allocated_at, self.requested_at = at("alloccpus"), at("ncpus"), at("reqcpus")
        self.limit_raw_at, self.limit_at = at("timelimitraw"), at("timelimit")
        self.owners_of = itemgetter(*map(at, _OWNERS))
        self.held_at, self.wanted_at = at("alloctres"), at("reqtres")
        self.bundles = _CellTexts(lambda text: self.resources.setdefault(text, len(self.resources)) if text else -1)
        self.tells_starts = "start" in columns.place
        self.durations, self.counts = _CellTexts(duration), _CellTexts(_count)
        self.states = _CellTexts(lambda text: text.upper().partition(" ")[0].rstrip("+"))
        self.owners: dict[tuple[str, ...], tuple[int, ...]] = {}
        self.running = 0

    def job(self, line: str, number: int) -> None:
        """Read one line. Raises _BadLine."""
        cells = line.split("|")
        if len(cells) != self.width:
            cells = self.columns.mended(cells)
        cells.append("")
        name, raw, counts = cells[self.id_at], cells[self.raw_at], self.counts
        if not name.isdecimal():
            name = _present(name) or _present(raw)
            if "." in name:
                return self.omissions.add("job step", [number])
        job = int(raw) if raw.isdecimal() and len(raw) <= 18 else _job_number(_present(raw) or name)
        durations = self.durations
        submit, start = moment(cells[self.submit_at]), moment(cells[self.start_at])
        run = durations[cells[self.raw_run_at]]
        if run < 0:
            run = durations[cells[self.run_at]]
        state = self.states[cells[self.state_at]]
        if not run and (state in ("PENDING", "REQUEUED") or (self.tells_starts and start < 0)):
            run = -1
        key = (name, start)
        if key in self.seen:
            return self.omissions.add("same job and start as an earlier line", [number])
        allocated, requested = counts[cells[self.allocated_at]], counts[cells[self.requested_at]]
        if allocated < 0:
            allocated = counts[cells[self.or_allocated_at]]
        limit = durations[cells[self.limit_raw_at]] * 60  # in minutes
        if limit < 0:
            limit = durations[cells[self.limit_at]]
        wait = start - submit if start >= 0 and submit >= 0 else -1
        bundle = self.bundles[cells[self.held_at]]
        if bundle < 0:
            bundle = self.bundles[cells[self.wanted_at]]
        owned = self.owners_of(cells)
        owners = self.owners.get(owned) or self.own(owned)
        self.seen.add(key)
        self.running += state in _RUNNING
        status = _STATUS.get(state, -1)
        self.rows.append((job, submit, wait, run, allocated, requested, limit, status, bundle, *owners))
        return None

    def own(self, names: tuple[str, ...]) -> tuple[int, ...]:
        """Codes of the owners, new ones for those not met before; -1 for nobody."""
        named = zip(self.codes.values(), map(_present, names), strict=True)
        self.owners[names] = owners = tuple(codes.setdefault(name, len(codes)) if name else -1 for codes, name in named)
        return owners


def _job_number(text: str) -> int:
    match = _JOB.fullmatch(text)
    if not match:
        raise _BadLine("the job number is not a number")
    return int(match[1])


def _lines(text: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    number = 0
    for part in text:
        for line in part.decode("utf-8", "replace").split("\n"):
            number += 1
            if line.strip():
                yield number, line.rstrip("\r")
        number -= part.endswith(b"\n")  # the empty text behind the last newline is no line


def parse_sacct(text: Iterable[bytes], name: str = "sacct.psv") -> Log:
    """Read blocks of whole lines of a dump; every job and start once, in file order, also those that never ran.

    Raises InputError where needed columns are missing, without any job, or for more ill-formed lines than jobs.
    """
    reader = None
    for number, line in _lines(text):
        if reader is None:
            names = [cell.strip().lower() for cell in line.split("|")]
            header = "jobid" in names or "jobidraw" in names
            reader = _Reader(_Columns(names[:-1] if header and not names[-1] else names if header else DUMP, name))
            if header:
                continue
        try:
            reader.job(line, number)
        except _BadLine as problem:
            reader.omissions.add(str(problem), [number], ill_formed=True)
    reader = reader or _Reader(_Columns(DUMP, name))  # of an empty file
    kept = len(reader.rows)
    expected = f"a dump of sacct -P, with its header line or with the {len(DUMP)} columns {'|'.join(DUMP)}"
    reader.omissions.check(name, kept, expected)
    notes = (
        (f"still running when the dump was made, and counted up to then: {reader.running:,}",) if reader.running else ()
    )
    order = ("job", "submit", "wait", "run", "allocated", "requested", "limit", "status", RESOURCES, *_OWNERS.values())
    return Log(
        columns=dict(zip(order, zip(*reader.rows, strict=True), strict=True)),
        name=name,
        header={"UnixStartTime": ("0",), "TimeZoneString": (AS_WRITTEN,)},
        labels={
            column: {code: label for label, code in codes.items()}
            for column, codes in (reader.codes | {RESOURCES: reader.resources}).items()
        },
        report=Report(kept, kept, reader.omissions.skipped(), notes),
    )
