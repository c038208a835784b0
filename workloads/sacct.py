r"""Reader of Slurm accounting dumps: the output of ``sacct -P``, with or without its header line, plain or gzip.

Model: one row is one job, its columns separated by ``|``. With a header line the columns are found by name, in any
order; without one the 26 columns of :data:`DUMP` are expected. Job steps (``123.batch``) are not jobs and are left
out. A job that was requeued appears once per start in a dump of ``sacct -D`` and counts as often, because it held its
processors each time; Slurm writes the moment of its requeue as the next run's submission. A name or a comment may hold
the separator and line breaks.

A job waits for the cluster from when it is eligible (column ``Eligible``) on, which is later than its submission where
it had to wait for a dependency, a hold, a begin time or a limit of its own array first. Time in which a job was
suspended is no use: Slurm's ``Elapsed`` leaves it out, so that a job ends ``Suspended`` seconds later than it ran. What
had not ended when the dump was made is told by ``at_end`` of :data:`.log.COLUMNS`: a running job counts for as long as
it had run by then, a waiting one as long as its time limit. The dump was made at the last moment that it tells of:
where a job runs, its start and all that it has lasted. Tasks of an array that wait stand in one row and are as many
jobs; those that the array's own limit (``%4``) keeps from starting are held by their owner.

Conventions: clock times are local, without zone, and are counted as if the clock never changed; ``Unknown`` and
``None`` are -1; durations are ``[D-]HH:MM:SS``; a job that never started has run time -1. Names of users, groups,
accounts, partitions and QOS (here: queues) become codes in order of first appearance. Ill-formed lines are left out and
counted; a file in which they outnumber the jobs is refused. Trackable resources (``AllocTRES``, where that is empty
``ReqTRES``) are kept as they are written, a code for each text; :mod:`.resources` reads them.

>>> text = b"JobID|User|Submit|Elapsed|State|NCPUS\n7|ann|2024-05-01T10:00:00|1-00:01:00|COMPLETED|4\n7.batch|||||\n"
>>> log = parse_sacct([text], "tiny.psv")
>>> log.run.tolist(), log.processors.tolist(), log.label("user", log.user[0])
([86460], [4], 'ann')
>>> print(log.report)
1 jobs read, 1 kept
  1 left out: job step, e.g. line 3
  note: no column Eligible: time in dependencies, holds and before begin times counts as waiting
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import cache
from itertools import chain, combinations_with_replacement, islice
from operator import itemgetter
from typing import Final, TypeVar

from ..support.errors import InputError
from .clock import AS_WRITTEN
from .log import COLUMNS, HELD, RESOURCES, RUNNING, WAITING, Log, Omissions, Report

DUMP: Final = (
    *("jobid", "jobidraw", "cluster", "partition", "qos", "account", "group", "gid", "user", "uid", "submit"),
    *("eligible", "start", "end", "elapsed", "exitcode", "state", "nnodes", "ncpus", "reqcpus", "reqmem"),
    *("reqtres", "alloctres", "timelimit", "nodelist", "jobname"),
)
"""Columns of a dump without header line."""
COMMAND: Final = (
    "sacct -a -D -X -P -S 2026-11-01 -E now -o JobIDRaw,JobID,User,Group,Account,Partition,QOS,Submit,Eligible,Start,"
    "End,Elapsed,Suspended,State,AllocCPUS,ReqCPUS,Timelimit,AllocTRES,ReqTRES"
)
"""What makes a dump that has all that is used."""
FREE: Final = ("jobname", "comment", "admincomment", "systemcomment", "extra", "submitline", "workdir")
"""Columns of free text, in which separators and line breaks may stand."""
TASKS_MAX: Final = 1_000_000
"""Tasks of an array that may wait."""

_OWNERS: Final = {"user": "user", "group": "group", "qos": "queue", "partition": "partition", "account": "account"}
_STATUS: Final = {"COMPLETED": 1, "CANCELLED": 5} | dict.fromkeys(
    ("FAILED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE", "PREEMPTED"), 0
)
_RUNNING: Final = frozenset({"RUNNING", "SUSPENDED", "STOPPED"})
"""Not at their end yet; COMPLETING and STAGE_OUT are."""
_BEFORE: Final = frozenset({"PENDING", "REQUEUED", "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD", "CANCELLED"})
"""States in which a job that has no run time has not started."""
_DURATION: Final = re.compile(r"(?:(\d{1,7})-)?(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:\.\d+)?")
_JOB: Final = re.compile(r"(\d{1,18})(?:_\d+|_\[[^|]*\]|\+\d+)*")
_TASKS: Final = re.compile(r"(\d{1,18})_\[([\d,:.-]*)(?:%(\d{1,9}))?\]")
_STRETCH: Final = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?(?::(\d{1,9}))?")
_BREAKS: Final = 100  # in one row
_SPLITS: Final = 1000  # of cells among columns of free text that are tried
_ABSENT: Final = frozenset({"", "unknown", "none", "invalid", "n/a", "unlimited", "partition_limit"})
_EPOCH: Final = datetime(1970, 1, 1)

T = TypeVar("T")


class _BadLine(Exception):
    """A line that is not a job; the message is the reason."""


class _Columns:
    """Where the used columns stand, and rows of as many cells as there are columns.

    ``sacct -p`` ends header and rows with the separator: a last column without a name.
    """

    def __init__(self, names: Sequence[str], where: str) -> None:
        self.place: dict[str, int] = {}
        for i, name in enumerate(names):
            self.place.setdefault(name, i)
        self.width = len(names)
        self.id_at = min(self.at("jobid"), self.at("jobidraw"))
        self.free = sorted(self.place[name] for name in FREE if name in self.place)
        checks = {"jobid": _job_number, "jobidraw": _job_number, "submit": moment, "start": moment}
        checks |= {"elapsed": duration, "alloccpus": _count}
        self.checks = [(self.place[name], read) for name, read in checks.items() if name in self.place]
        needed = ("JobIDRaw or JobID", "Submit", "Elapsed or ElapsedRaw", "AllocCPUS or NCPUS or ReqCPUS")
        missing = [some for some in needed if self.place.keys().isdisjoint(some.lower().split(" or "))]
        if missing:
            raise InputError(f"{where}: the dump lacks {', '.join(missing)}; make it with {COMMAND}")

    def at(self, name: str) -> int:
        """Where this column stands; without it, behind the last one, where a reader finds an empty cell."""
        return self.place.get(name, self.width)

    def rows(self, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, list[str]]]:
        """Cells of every row and the number of its first line: lines are joined where a name or a comment goes on.

        None for a line with which the last cell of the row before goes on, of which nothing is used.
        """
        held: list[tuple[int, list[str]]] = []
        for number, line in lines:
            cells = line.split("|")
            whole = len(cells) >= self.width
            if (held or not whole) and self.free:
                begins = self._begins(cells)
                if not held and not begins and self.id_at < self.free[0] and self.free[-1] == self.width - 1:
                    yield number, []  # the last text of the row before goes on
                    continue
                if len(held) == _BREAKS or (whole and begins):
                    yield from held
                    held = []
                if held or not whole:
                    held.append((number, cells))
                    if sum(len(each) - 1 for _, each in held) + 1 >= self.width:
                        yield held[0][0], "\n".join("|".join(each) for _, each in held).split("|")
                        held = []
                    continue
            yield number, cells
        yield from held

    def _begins(self, cells: list[str]) -> bool:
        """Whether these are cells of a row from its beginning on."""
        return self.id_at < len(cells) and _JOB.fullmatch(cells[self.id_at].partition(".")[0]) is not None

    def mended(self, cells: list[str]) -> list[str]:
        """The cells of a row that has more of them, with separators in its texts. Raises _BadLine where it has not.

        The first way to divide them that puts numbers, clock times and durations where they belong.
        """
        surplus = len(cells) - self.width
        if surplus > 0:
            for widened in islice(combinations_with_replacement(self.free, surplus), _SPLITS):
                try:
                    for at, read in self.checks:
                        if text := _present(cells[at + sum(place < at for place in widened)]):
                            read(text)
                except _BadLine:
                    continue
                merged, i = [], 0
                for place in range(self.width):
                    j = i + 1 + widened.count(place)
                    merged.append("|".join(cells[i:j]))
                    i = j
                return merged
        raise _BadLine(f"found {len(cells)} columns, expected {self.width}")


def _each_once(read: Callable[[str], T]) -> Callable[[str], T]:
    """The reader of the cells of a column, of each text once, because there are many lines and few texts."""
    return cache(lambda cell: read(_present(cell)))


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
        self.eligible_at, self.suspended_at = at("eligible"), at("suspended")
        self.raw_run_at, self.run_at = at("elapsedraw"), at("elapsed")
        self.allocated_at, self.or_allocated_at, self.requested_at = at("alloccpus"), at("ncpus"), at("reqcpus")
        self.limit_raw_at, self.limit_at = at("timelimitraw"), at("timelimit")
        self.owners_of = itemgetter(*map(at, _OWNERS))
        self.held_at, self.wanted_at = at("alloctres"), at("reqtres")
        self.bundles = _each_once(lambda text: self.resources.setdefault(text, len(self.resources)) if text else -1)
        self.tells_starts = "start" in columns.place
        self.durations, self.counts = _each_once(duration), _each_once(_count)
        self.states = _each_once(lambda text: text.upper().partition(" ")[0].rstrip("+"))
        self.owners: dict[tuple[str, ...], tuple[int, ...]] = {}
        self.end = -1
        self.running: Counter[str] = Counter()  # tasks of each array
        self.pending: list[tuple[int, int, str, int]] = []  # row, tasks, array, how many may run at once
        self.later, self.suspended = 0, [0, 0]

    def job(self, cells: list[str], number: int) -> None:
        """Read one row, in the order of COLUMNS. Raises _BadLine."""
        if not cells:
            return self.omissions.add("the rest of a text that a line break cuts", [number])
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
        submitted, start = moment(cells[self.submit_at]), moment(cells[self.start_at])
        run = durations(cells[self.raw_run_at])
        if run < 0:
            run = durations(cells[self.run_at])
        state = self.states(cells[self.state_at])
        bundle = self.bundles(cells[self.held_at])
        if not run and ((self.tells_starts and start < 0) or (state in _BEFORE and bundle < 0)):
            run = start = -1
        key = (name, start)
        if key in self.seen:
            return self.omissions.add("same job and start as an earlier line", [number])
        allocated, requested = counts(cells[self.allocated_at]), counts(cells[self.requested_at])
        if allocated < 0:
            allocated = counts(cells[self.or_allocated_at])
        limit = durations(cells[self.limit_raw_at]) * 60  # in minutes
        if limit < 0:
            limit = durations(cells[self.limit_at])
        eligible, submit = cells[self.eligible_at], submitted
        if eligible and eligible != cells[self.submit_at]:
            submit = max(submitted, moment(eligible))
            if submit > start >= 0:
                submit = max(submitted, start)
            self.later += submit > submitted and start >= 0
        wait = start - submit if start >= 0 and submit >= 0 else -1
        if bundle < 0:
            bundle = self.bundles(cells[self.wanted_at])
        owned = self.owners_of(cells)
        owners = self.owners.get(owned) or self.own(owned)
        at_end = -1 if run >= 0 and state not in _RUNNING else self.waits(state, eligible, run, name)
        last = submitted
        if start >= 0 and run > 0:
            suspended = self.durations(cells[self.suspended_at])
            last = start + run
            if suspended > 0:
                last += suspended
                self.suspended = [self.suspended[0] + 1, self.suspended[1] + suspended]
        if last > self.end:
            self.end = last
        self.seen.add(key)
        status = _STATUS.get(state, -1)
        self.rows.append((job, submit, wait, run, allocated, requested, limit, status, at_end, bundle, *owners))
        return None

    def waits(self, state: str, eligible: str, run: int, name: str) -> int:
        """What the job of the next row did when the dump was made, as far as its own row tells."""
        if state in _RUNNING:
            self.running[name.partition("_")[0]] += "_" in name
            return RUNNING
        if state not in _BEFORE or state in ("CANCELLED", "REQUEUED"):
            return -1
        array = _TASKS.fullmatch(name)
        tasks = _tasks(array[2]) if array else 1
        self.pending.append((len(self.rows), tasks, array[1] if array else "", int(array[3] or tasks) if array else 1))
        able = state == "PENDING" and (_present(eligible) or self.eligible_at == self.width)
        return WAITING if able else HELD

    def finished(self) -> tuple[list[tuple[int, ...]], tuple[str, ...]]:
        """All rows and notes: jobs that wait for the cluster apart from those that wait for their owner."""
        rows, waiting = self.rows, 0
        at, before = COLUMNS.index("at_end"), COLUMNS.index("run")
        for i, tasks, array, most in self.pending:
            row = list(rows[i])
            limit, able = row[COLUMNS.index("limit")], row[at] == WAITING and row[1] <= self.end
            ready = min(tasks, max(0, most - self.running[array])) if able else 0
            row[at], row[before] = WAITING, limit if limit > 0 else -1
            held = list(row)
            held[at], held[before] = HELD, -1
            some = [tuple(row)] * ready + [tuple(held)] * (tasks - ready)
            rows[i] = some[0]
            rows += some[1:]
            waiting += ready if limit > 0 else 0
        running = sum(row[at] == RUNNING for row in rows)
        notes = (
            (running, "still running when the dump was made, and counted up to then: {:,}"),
            (waiting, "still waiting when the dump was made, and believed to last as long as their time limits: {:,}"),
            (self.later, "eligible (dependencies, holds, begin times) later than submitted, and waiting since: {:,}"),
            (self.suspended[0], f"suspended for {self.suspended[1]:,} s together, which is no use: {{:,}}"),
        )
        texts = [text.format(number) for number, text in notes if number]
        if self.eligible_at == self.width:
            texts.append("no column Eligible: time in dependencies, holds and before begin times counts as waiting")
        return rows, tuple(texts)

    def own(self, names: tuple[str, ...]) -> tuple[int, ...]:
        """Codes of the owners, new ones for those not met before; -1 for nobody."""
        named = zip(self.codes.values(), map(_present, names), strict=True)
        self.owners[names] = owners = tuple(codes.setdefault(name, len(codes)) if name else -1 for codes, name in named)
        return owners


def _job_number(text: str) -> int:
    """The number of a job, or of a step's."""
    match = _JOB.fullmatch(text.partition(".")[0])
    if not match:
        raise _BadLine("the job number is not a number")
    return int(match[1])


def _tasks(text: str) -> int:
    """How many tasks of an array a text names, at least one; ``...`` stands for some that are not told.

    >>> _tasks("1-5:2,9"), _tasks("4,...")
    (4, 1)
    """
    stretches = filter(None, map(_STRETCH.fullmatch, text.split(",")))
    count = sum(len(range(int(m[1]), int(m[2] or m[1]) + 1, int(m[3] or 1) or 1)) for m in stretches)
    if count > TASKS_MAX:
        raise _BadLine(f"an array of more than {TASKS_MAX:,} tasks")
    return max(count, 1)


def _lines(text: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    number = 0
    for part in text:
        for line in part.decode("utf-8", "replace").split("\n"):
            number += 1
            if line.strip():
                yield number, line.rstrip("\r")
        number -= part.endswith(b"\n")  # the empty text behind the last newline is no line


def _columns(first: str, name: str) -> tuple[_Columns, bool]:
    """The columns that the first line tells, and whether it is a header line. Raises InputError where it tells none."""
    names = [cell.strip().lower() for cell in first.split("|")]
    if "jobid" in names or "jobidraw" in names:
        return _Columns(names, name), True
    if first and len(names) < len(DUMP):
        raise InputError(
            f"{name}: the first line names no column JobID; expected a dump of sacct -P with its header line (without "
            f"-n), or with the {len(DUMP)} columns {'|'.join(DUMP)}; make it with {COMMAND}"
        )
    return _Columns((*DUMP, "") if len(names) > len(DUMP) and not names[-1] else DUMP, name), False


def parse_sacct(text: Iterable[bytes], name: str = "sacct.psv") -> Log:
    """Read blocks of whole lines of a dump; every job and start once, in file order, also those that never ran.

    Raises InputError where needed columns are missing, without any job, or for more ill-formed lines than jobs.
    """
    lines = _lines(text)
    first = next(lines, (0, ""))
    columns, header = _columns(first[1], name)
    reader = _Reader(columns)
    for number, cells in columns.rows(lines if header or not first[1] else chain([first], lines)):
        try:
            reader.job(cells, number)
        except _BadLine as problem:
            reader.omissions.add(str(problem), [number], ill_formed=True)
    rows, notes = reader.finished()
    reader.omissions.check(name, len(rows), f"a dump of sacct -P; make it with {COMMAND}")
    return Log(
        columns=dict(zip(COLUMNS, zip(*rows, strict=True), strict=True)),
        name=name,
        header={"UnixStartTime": ("0",), "TimeZoneString": (AS_WRITTEN,)},
        labels={
            column: {code: label for label, code in codes.items()}
            for column, codes in (reader.codes | {RESOURCES: reader.resources}).items()
        },
        report=Report(len(rows), len(rows), reader.omissions.skipped(), notes),
        end=reader.end,
    )
