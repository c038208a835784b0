r"""Reader and writer of the Standard Workload Format (SWF), plain or gzip.

Model: a line starting with ``;`` is header or comment (``; Key: value``); every other non-blank line is one job of 18
whitespace-separated numbers. Fields used here: 1 job, 2 submission, 3 wait, 4 run time, 5 processors allocated,
8 requested, 9 requested time, 11 status, 12 user, 13 group, 15 queue, 16 partition; the others are checked to be
numbers and not kept. Blanks may lead, trail and vary, tabs and carriage returns count as blanks.

Conventions: fields that are used must be whole numbers of at most 18 digits (``12.00`` is whole, ``12.5`` is not); an
ill-formed line is left out and counted with its line number; a file in which ill-formed lines outnumber the jobs is
refused. Values are exact int64, never floats: user ids of 14 digits survive.

Speed: blocks of whole lines are read in one pass each (:func:`read_lines`) and kept in columns as narrow as
their numbers, so that a job takes about 30 bytes. About two million jobs take a second.

>>> text = b"; MaxProcs: 4\n 1  0 -1 60 2 1.5 -1 2 -1 -1 1 7 3 -1 1 -1 -1 -1\n2 5 -1 9\n"
>>> log = parse_swf([text], "tiny.swf")
>>> log.run.tolist(), log.user.tolist(), log.max_processors()
([60], [7], 4)
>>> print(log.report)
1 jobs read, 1 kept
  1 left out: found 4 fields, expected 18, e.g. line 3

Source: S. Chapin et al., "Benchmarks and standards for the evaluation of parallel job schedulers" (JSSPP 1999).
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..support.errors import InputError
from ..support.files import writing_errors
from ..support.jit import jit, quickest
from .log import AnyWidth, IntArray, Log, Omissions, Report, narrow

HEADER_MAX: Final = 100_000
"""Most lines ``; Key: value``; they are kept, unlike other comments."""
_KEY: Final = re.compile(r";\s*([A-Za-z][A-Za-z0-9_]*):(?:\s+(.*?))?\s*$")
_NAMED: Final = re.compile(r"(\d{1,18})\s+(.*[A-Za-z].*)")  # "2 0" names nothing
FIELDS: Final = 18
"""Numbers in a line."""

USED: Final = MappingProxyType(
    {
        "job": 1,
        "submit": 2,
        "wait": 3,
        "run": 4,
        "allocated": 5,
        "requested": 8,
        "limit": 9,
        "status": 11,
        "user": 12,
        "group": 13,
        "queue": 15,
        "partition": 16,
    }
)
"""The fields that are kept, counted from 1, in the order of the columns of the table."""
N_USED: Final = len(USED)

DIGITS: Final = 18  # 10**18 - 1 fits int64 with room for one addition
LONGEST: Final = 4 * DIGITS
"""Characters of a used number, without its sign; leading zeros and zeros behind a point are allowed up to here."""

JOB, FRACTION, TOO_LONG, NO_NUMBER, WRONG_COUNT, COMMENT, BLANK = range(7)
"""Kinds of lines. Of the things that are wrong with a line the largest counts."""

_COLUMN: Final = np.array([[*USED.values()].index(f) if f in USED.values() else -1 for f in range(1, FIELDS + 1)])

_REASONS: Final = MappingProxyType(
    {
        NO_NUMBER: "a field is not a number",
        TOO_LONG: f"a whole number has more than {DIGITS} digits",
        FRACTION: "a field that must be whole has a fraction",
    }
)


class _Reader:
    """Everything read so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.header: dict[str, list[str]] = {}
        self.keys = 0
        self.omissions = Omissions("line")
        self.columns: dict[str, list[AnyWidth]] = {column: [] for column in USED}
        self.numbers: list[AnyWidth] = []
        self.line = 1
        self.cut = False

    def add(self, part: bytes) -> None:
        """Take one block of whole lines; only the file's last one may lack its newline."""
        self.cut = not part.endswith(b"\n")
        table, kind, fields = parsed(part + b"\n" if self.cut else part)
        if (kind != JOB).any():
            self._comments(part, np.flatnonzero(kind == COMMENT))
            self._ill_formed(kind, fields)
        for column, values in zip(self.columns.values(), table, strict=True):
            column.append(narrow(values))
        self.numbers.append(narrow(self.line + np.flatnonzero(kind == JOB)))
        self.line += kind.size

    def _comments(self, part: bytes, which: IntArray) -> None:
        """Keep ``; Key: value``."""
        lines = part.split(b"\n") if which.size else []
        for line in map(lines.__getitem__, which):
            match = _KEY.match(line[line.index(b";") :].decode("utf-8", "replace"))
            if match:
                self.header.setdefault(match[1], []).append(match[2] or "")
                self.keys += 1
        if self.keys > HEADER_MAX:
            raise InputError(f"{self.name}: more than {HEADER_MAX:,} lines of header; expected a log, with jobs in it")

    def _ill_formed(self, kind: NDArray[np.uint8], fields: IntArray) -> None:
        odd = np.flatnonzero(kind == WRONG_COUNT)
        for wrong in np.unique(fields[odd]):
            reason = f"found {wrong} field{'s' if wrong > 1 else ''}, expected {FIELDS}"
            self.omissions.add(reason, self.line + odd[fields[odd] == wrong], ill_formed=True)
        for wrong, reason in _REASONS.items():
            self.omissions.add(reason, self.line + np.flatnonzero(kind == wrong), ill_formed=True)

    def jobs(self) -> dict[str, AnyWidth]:
        """The used fields of all jobs by name; InputError unless this is a log. Forgets what was read."""
        columns = {name: _joined(self.columns.pop(name)) for name in USED}
        first = self._first_lines(columns["job"])
        if not first.all():
            columns = {name: values[first] for name, values in columns.items()}
        expected = f"the Standard Workload Format, {FIELDS} numbers a line"
        self.omissions.check(self.name, columns["job"].size, expected)
        return columns

    def _first_lines(self, job: AnyWidth) -> NDArray[np.bool_]:
        """Which line is the first of its job number; later ones are partial executions of the same job."""
        if (job[1:] > job[:-1]).all():  # the usual log, which needs no sorting
            return np.ones(job.size, dtype=np.bool_)
        first = job < 0  # unknown numbers repeat nothing
        first[np.unique(job, return_index=True)[1]] = True
        self.omissions.add("job number seen before", _joined(self.numbers)[~first])
        return first


def _joined(parts: list[AnyWidth]) -> AnyWidth:
    """One column, as wide as its widest part."""
    column = np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
    column.setflags(write=False)
    return column


def parse_swf(text: Iterable[bytes], name: str = "log.swf") -> Log:
    """Read blocks of whole lines without a byte 0; only the last one may lack its newline.

    Returns the first well-formed line of every job number in file order, jobs that never ran included;
    :func:`~.log.replayable` selects. Raises InputError for no job line at all, or more ill-formed lines than jobs.
    """
    reader = _Reader(name)
    for part in text:
        reader.add(part)
    columns = reader.jobs()
    header, notes, n = reader.header, [], columns["job"].size
    if reader.cut:
        notes.append("the last line does not end with a newline; the file may be cut")
    announced = next((int(v) for v in header.get("MaxRecords", ()) if v.isdigit() and len(v) <= DIGITS), 0)
    if announced > n:
        notes.append(f"the header announces {announced:,} records, the file has {n:,}")
    labels: dict[str, dict[int, str]] = {}
    for owner in ("user", "group", "queue", "partition"):
        named = filter(None, map(_NAMED.fullmatch, header.get(owner.capitalize(), ())))
        labels[owner] = {int(match[1]): match[2] for match in named}
    return Log(
        columns=columns,
        name=name,
        header={key: tuple(values) for key, values in header.items()},
        labels=labels,
        report=Report(n, n, reader.omissions.skipped(), tuple(notes)),
    )


@jit
def _number(text: bytes, at: int) -> tuple[int, int, int]:
    """The number that starts at a byte: where it stops, its value, and what is wrong with it (``JOB``: nothing)."""
    sign = text[at]
    if sign == 43 or sign == 45:  # + -
        at += 1
    start = at
    value = digits = significant = 0
    point = fraction = bad = False
    while text[at] > 32:
        digit = int(text[at]) - 48
        if 0 <= digit <= 9:
            digits += 1
            if point:
                fraction = fraction or digit > 0
            elif significant > 0 or digit > 0:
                significant += 1
                if significant <= DIGITS:
                    value = value * 10 + digit
        elif digit == -2 and not point:
            point = True
        else:
            bad = True
        at += 1
    wrong = JOB
    if bad or digits == 0:
        wrong = NO_NUMBER
    elif significant > DIGITS or at - start > LONGEST:
        wrong = TOO_LONG
    elif fraction:
        wrong = FRACTION
    return at, (-value if sign == 45 else value), wrong


@jit
def read_lines(text: bytes, table: NDArray[np.int64], kind: NDArray[np.uint8], fields: NDArray[np.int64]) -> int:
    r"""Read whole lines in one pass, without a copy of the text; returns how many of them are jobs.

    ``text`` ends with a newline and holds no byte 0; ``kind`` and ``fields`` (how many a line has) are of the number of
    lines, ``table`` is of as many columns and gets the used fields of the jobs, one column each, in order. Bytes up to
    32 are blanks.

    >>> from consortium.support.jit import plain
    >>> text = b"1 0 -1 60 2 1.5 -1 2 -1 -1 1 7 3 -1 1 -1 -1 -1\n; a comment\n2 5\n"
    >>> table, kind, fields = np.empty((N_USED, 3), np.int64), np.empty(3, np.uint8), np.empty(3, np.int64)
    >>> plain(read_lines)(text, table, kind, fields), table[:, 0].tolist()
    (1, [1, 0, -1, 60, 2, 2, -1, 1, 7, 3, 1, -1])
    >>> kind.tolist() == [JOB, COMMENT, WRONG_COUNT], fields.tolist()
    (True, [18, 0, 2])
    """
    at = line = jobs = 0
    while at < len(text):
        count, worst = 0, BLANK
        byte = int(text[at])
        while byte != 10:
            if byte <= 32:
                at += 1
            elif count == 0 and byte == 59:  # ;
                worst = COMMENT
                while text[at] != 10:
                    at += 1
            else:
                at, value, wrong = _number(text, at)
                worst = JOB if count == 0 else worst
                if count < FIELDS:
                    column = _COLUMN[count]
                    if column >= 0:
                        table[column, jobs] = value
                    elif wrong != NO_NUMBER:
                        wrong = JOB  # what is not used only has to be a number
                    worst = max(worst, wrong)
                count += 1
            byte = int(text[at])
        if count > 0 and count != FIELDS:
            worst = WRONG_COUNT
        kind[line], fields[line] = worst, count
        jobs += worst == JOB
        line, at = line + 1, at + 1
    return jobs


def newlines(text: bytes) -> int:
    r"""How many there are; quicker than ``text.count``, which stops at each.

    >>> newlines(b"a\n\nb")
    2
    """
    return int(np.count_nonzero(np.frombuffer(text, dtype=np.uint8) == 10))


def parsed(text: bytes) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64]]:
    """The used fields, shape (used, jobs), and the kind and number of fields of every line of text.

    The text ends with a newline and holds no byte 0.
    """
    lines = newlines(text)
    table = np.empty((N_USED, lines), dtype=np.int64)
    kind, fields = np.empty(lines, dtype=np.uint8), np.empty(lines, dtype=np.int64)
    read: Any = quickest(read_lines, len(text))
    jobs = read(text, table, kind, fields)
    return table[:, :jobs], kind, fields


def write_swf(log: Log, path: str | Path) -> None:
    """Write a log as SWF, gzip if the name ends in ``.gz``; fields that a log does not hold are -1.

    Writing and reading gives the same columns (``account`` is not a field of SWF and is lost). Raises InputError when
    the file cannot be written.
    """
    table = np.full((len(log), FIELDS), -1, dtype=np.int64)
    for column, field in USED.items():
        table[:, field - 1] = log.column(column)
    head = "".join(f"; {key}: {value}".rstrip() + "\n" for key, values in log.header.items() for value in values)
    body = "".join(" ".join(map(str, row)) + "\n" for row in table.tolist())
    data = (head + body).encode()
    target = Path(path)
    with writing_errors(target):
        target.write_bytes(gzip.compress(data, mtime=0) if target.suffix == ".gz" else data)
