r"""Reader of the Standard Workload Format (SWF), plain or gzip.

Model: a line starting with ``;`` is header or comment (``; Key: value``); every other non-blank line is one job of 18
whitespace-separated numbers. Fields used here: 1 job, 2 submission, 3 wait, 4 run time, 5 processors allocated,
8 requested, 9 requested time, 11 status, 12 user, 13 group, 15 queue, 16 partition; the others are checked to be
numbers and not kept. Blanks may lead, trail and vary, tabs and carriage returns count as blanks.

Conventions: fields that are used must be whole numbers of at most 18 digits (``12.00`` is whole, ``12.5`` is not); an
ill-formed line is left out and counted with its line number; a file in which ill-formed lines outnumber the jobs is
refused. Values are exact int64, never floats: user ids of 14 digits survive.

Speed: the text is cut into blocks of whole lines; per block, numpy finds all fields at once and converts the used ones
column by column, so memory above the result is bounded by the block. About half a million jobs take a second.

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

import re
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..scheduling.errors import InputError
from .files import blocks, whole_lines
from .log import EXAMPLES, IntArray, Log, Report, Skipped

FIELDS: Final = 18
_USED: Final = {
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
_DIGITS: Final = 18  # 10**18 - 1 fits int64 with room for one addition
HEADER_MAX: Final = 100_000
"""Most lines ``; Key: value``; they are kept, unlike other comments."""
_SIGN: Final = np.zeros(256, dtype=np.bool_)
_SIGN[[ord("-"), ord("+")]] = True
_NUMERIC: Final = np.zeros(256, dtype=np.bool_)
_NUMERIC[[ord(c) for c in "0123456789+-."]] = True
_NUMERIC[:33] = True  # blanks and control characters separate fields
_NUMERIC[0] = False
_KEY: Final = re.compile(r";\s*([A-Za-z][A-Za-z0-9_]*):(?:\s+(.*?))?\s*$")
_NAMED: Final = re.compile(r"(\d{1,18})\s+(.*[A-Za-z].*)")  # "2 0" names nothing


class _Problems:
    """Ill-formed lines by reason, with the numbers of the first few."""

    def __init__(self) -> None:
        self.ill_formed = 0
        self.found: dict[str, tuple[int, list[int]]] = {}

    def add(self, reason: str, lines: IntArray, ill_formed: bool = True) -> None:
        if not lines.size:
            return
        count, examples = self.found.get(reason, (0, []))
        examples.extend(int(line) for line in lines[: EXAMPLES - len(examples)])
        self.found[reason] = (count + int(lines.size), examples)
        self.ill_formed += int(lines.size) if ill_formed else 0

    def skipped(self) -> tuple[Skipped, ...]:
        return tuple(Skipped(reason, n, tuple(lines), "line") for reason, (n, lines) in self.found.items())


class _Block:
    """One block of whole lines: where its fields are, and what is wrong with its lines."""

    def __init__(self, text: bytes, first_line: int) -> None:
        self.text = text
        self.first_line = first_line
        self.bytes = np.frombuffer(text, dtype=np.uint8)
        self.newlines = np.flatnonzero(self.bytes == 10)
        blank = np.ones(self.bytes.size + 2, dtype=np.bool_)
        np.less_equal(self.bytes, 32, out=blank[1:-1])
        self.starts = np.flatnonzero(blank[:-1] & ~blank[1:])
        self.stops = np.flatnonzero(~blank[:-1] & blank[1:])
        bounds = np.searchsorted(self.starts, self.newlines)
        self.first = np.concatenate(([0], bounds[:-1])) if bounds.size else bounds
        self.count = np.diff(bounds, prepend=0)

    def comments(self) -> NDArray[np.bool_]:
        """Which lines start with ``;``."""
        found = np.zeros(self.count.size, dtype=np.bool_)
        some = np.flatnonzero(self.count)
        found[some] = self.bytes[self.starts[self.first[some]]] == ord(";")
        return found

    def lines_of(self, positions: IntArray) -> IntArray:
        """Line (within the block) of each byte position."""
        return np.searchsorted(self.newlines, positions)

    def not_numbers(self) -> NDArray[np.bool_]:
        """Lines with a field that is no decimal number."""
        text, bad = self.bytes, np.zeros(self.count.size, dtype=np.bool_)
        bad[self.lines_of(np.flatnonzero(~_NUMERIC[text]))] = True
        signs = np.flatnonzero(_SIGN[text])
        after = text[signs + 1]  # a block ends with a newline, so there is a next byte
        wrong = (after <= 32) | _SIGN[after] | ((signs > 0) & (text[signs - 1] > 32))
        bad[self.lines_of(signs[wrong])] = True
        dots = np.flatnonzero(text == ord("."))
        if dots.size:
            field = np.searchsorted(self.starts, dots, side="right") - 1
            bad[self.lines_of(dots[np.flatnonzero(np.diff(field) == 0)])] = True
            lonely = self.stops[field] - self.starts[field] - _SIGN[text[self.starts[field]]] == 1
            bad[self.lines_of(dots[lonely])] = True
        return bad


def _whole_numbers(block: _Block, fields: IntArray) -> tuple[IntArray, NDArray[np.bool_], NDArray[np.bool_]]:
    """Values of the given fields (indices into ``block.starts``), and which are too long or not whole."""
    text = block.bytes
    start, stop = block.starts[fields], block.stops[fields]
    negative = text[start] == ord("-")
    length = stop - start - _SIGN[text[start]]
    value = np.zeros(fields.size, dtype=np.int64)
    fraction = np.zeros(fields.size, dtype=np.bool_)
    not_a_digit = np.zeros(fields.size, dtype=np.bool_)
    power = 1
    for k in range(min(int(length.max(initial=0)), _DIGITS)):
        digit = text[np.maximum(stop - 1 - k, 0)].astype(np.int64) - 48
        digit[length <= k] = 0
        not_a_digit |= digit < 0
        value += digit * power
        power *= 10
    long = length > _DIGITS
    for i in np.flatnonzero(not_a_digit | long):  # a dot: rare, so exact decimals one by one
        if length[i] > 4 * _DIGITS:
            long[i] = True
            continue
        number = Decimal(block.text[start[i] : stop[i]].decode())
        fraction[i] = number != number.to_integral_value() if abs(number) < 10**_DIGITS else False
        long[i] = abs(number) >= 10**_DIGITS
        value[i] = 0 if long[i] or fraction[i] else abs(int(number))
    return np.where(negative, -value, value), long, fraction


def _jobs(block: _Block, comment: NDArray[np.bool_], problems: _Problems) -> tuple[IntArray, IntArray]:
    """The used fields of the block's well-formed lines, shape (jobs, used), and the lines' numbers."""
    number = block.first_line + np.arange(block.count.size)
    candidate = (block.count > 0) & ~comment
    for wrong in np.unique(block.count[candidate & (block.count != FIELDS)]):
        lines = number[candidate & (block.count == wrong)]
        problems.add(f"found {wrong} field{'s' if wrong > 1 else ''}, expected {FIELDS}", lines)
    good = candidate & (block.count == FIELDS)
    bad = good & block.not_numbers()
    problems.add("a field is not a number", number[bad])
    rows = np.flatnonzero(good & ~bad)
    table = np.empty((rows.size, len(_USED)), dtype=np.int64)
    long, fraction = np.zeros((2, rows.size), dtype=np.bool_)
    for column, field in enumerate(_USED.values()):
        table[:, column], is_long, is_fraction = _whole_numbers(block, block.first[rows] + (field - 1))
        long |= is_long
        fraction |= is_fraction
    problems.add(f"a whole number has more than {_DIGITS} digits", number[rows[long]])
    problems.add("a field that must be whole has a fraction", number[rows[fraction & ~long]])
    keep = ~(long | fraction)
    return table[keep], number[rows[keep]]


def _first_lines(table: IntArray, number: IntArray, problems: _Problems) -> IntArray:
    """The first line of every job number; later ones are partial executions of the same job."""
    job = table[:, 0]
    first = job < 0  # unknown numbers repeat nothing
    first[np.unique(job, return_index=True)[1]] = True
    problems.add("job number seen before", number[~first], ill_formed=False)
    return table if first.all() else table[first]


class _Reader:
    """Everything read so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.header: dict[str, list[str]] = {}
        self.keys = 0
        self.problems = _Problems()
        self.tables = [np.empty((0, len(_USED)), dtype=np.int64)]
        self.numbers = [np.empty(0, dtype=np.int64)]
        self.line = 1
        self.cut = False

    def add(self, part: bytes) -> None:
        """Take one block of whole lines; only the file's last one may lack its newline."""
        if b"\0" in part:
            line = self.line + part[: part.index(0)].count(10)
            raise InputError(f"{self.name}: byte 0 in line {line:,}: a binary file? Expected a log as text or gzip")
        self.cut = not part.endswith(b"\n")
        block = _Block(part + b"\n" if self.cut else part, self.line)
        comment = block.comments()
        for i in np.flatnonzero(comment):
            start = block.starts[block.first[i]]
            match = _KEY.match(block.text[start : block.newlines[i]].decode("utf-8", "replace"))
            if match:
                self.header.setdefault(match[1], []).append(match[2] or "")
                self.keys += 1
        if self.keys > HEADER_MAX:
            raise InputError(f"{self.name}: more than {HEADER_MAX:,} lines of header; expected a log, with jobs in it")
        table, numbers = _jobs(block, comment, self.problems)
        self.tables.append(table)
        self.numbers.append(numbers)
        self.line += block.count.size

    def jobs(self) -> IntArray:
        """The used fields of all jobs; InputError unless this is a log."""
        table = _first_lines(np.concatenate(self.tables), np.concatenate(self.numbers), self.problems)
        bad = self.problems.ill_formed
        if len(table) and bad <= len(table):
            return table
        why = f"{bad:,} ill-formed lines and {len(table):,} jobs" if bad else "no job in it"
        raise InputError(
            f"{self.name}: {why}; expected the Standard Workload Format, {FIELDS} numbers a line"
            + "".join(f"\n  {entry}" for entry in self.problems.skipped())
        )


def parse_swf(text: Iterable[bytes], name: str = "log.swf") -> Log:
    """Read blocks of whole lines; only the last one may lack its newline.

    Returns the first well-formed line of every job number in file order, jobs that never ran included;
    :func:`~.log.replayable` selects.

    Raises
    ------
    InputError
        Binary content, no job line at all, or more ill-formed lines than jobs.
    """
    reader = _Reader(name)
    for part in text:
        reader.add(part)
    return _assemble(reader, reader.jobs())


def _assemble(reader: _Reader, table: IntArray) -> Log:
    header, notes = reader.header, []
    if reader.cut:
        notes.append("the last line does not end with a newline; the file may be cut")
    announced = next((int(v) for v in header.get("MaxRecords", ()) if v.isdigit() and len(v) <= _DIGITS), 0)
    if announced > len(table):
        notes.append(f"the header announces {announced:,} records")
    labels: dict[str, dict[int, str]] = {}
    for owner in ("user", "group", "queue", "partition"):
        named = filter(None, map(_NAMED.fullmatch, header.get(owner.capitalize(), ())))
        labels[owner] = {int(match[1]): match[2] for match in named}
    return Log(
        columns={column: table[:, i] for i, column in enumerate(_USED)},
        name=reader.name,
        header={key: tuple(values) for key, values in header.items()},
        labels=labels,
        report=Report(len(table), len(table), reader.problems.skipped(), tuple(notes)),
    )


def read_swf(path: str | Path) -> Log:
    """Read an SWF file, plain or gzip, exactly as written: all well-formed jobs in file order.

    Raises
    ------
    InputError
        The file is missing, a directory, unreadable, binary, a damaged gzip, or holds no job.
    """
    return parse_swf(whole_lines(blocks(path), Path(path).name), Path(path).name)
