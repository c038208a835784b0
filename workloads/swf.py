r"""Reader of the Standard Workload Format (SWF), plain or gzip.

Model: a line starting with ``;`` is header or comment (``; Key: value``); every other non-blank line is one job of 18
whitespace-separated numbers. Fields used here: 1 job, 2 submission, 3 wait, 4 run time, 5 processors allocated,
8 requested, 9 requested time, 11 status, 12 user, 13 group, 15 queue, 16 partition; the others are checked to be
numbers and not kept. Blanks may lead, trail and vary, tabs and carriage returns count as blanks.

Conventions: fields that are used must be whole numbers of at most 18 digits (``12.00`` is whole, ``12.5`` is not); an
ill-formed line is left out and counted with its line number; a file in which ill-formed lines outnumber the jobs is
refused. Values are exact int64, never floats: user ids of 14 digits survive.

Speed: blocks of whole lines are read in one pass each (:mod:`.swf_kernel`) and kept in columns as narrow as
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

import re
from collections.abc import Iterable
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..support.errors import InputError
from .columns import AnyWidth, IntArray, narrow
from .files import blocks, whole_lines
from .log import EXAMPLES, Log, Report, Skipped
from .swf_kernel import COMMENT, DIGITS, FIELDS, FRACTION, JOB, NO_NUMBER, TOO_LONG, USED, WRONG_COUNT, parsed

HEADER_MAX: Final = 100_000
"""Most lines ``; Key: value``; they are kept, unlike other comments."""
_KEY: Final = re.compile(r";\s*([A-Za-z][A-Za-z0-9_]*):(?:\s+(.*?))?\s*$")
_NAMED: Final = re.compile(r"(\d{1,18})\s+(.*[A-Za-z].*)")  # "2 0" names nothing
_REASONS: Final = MappingProxyType(
    {
        NO_NUMBER: "a field is not a number",
        TOO_LONG: f"a whole number has more than {DIGITS} digits",
        FRACTION: "a field that must be whole has a fraction",
    }
)


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


class _Reader:
    """Everything read so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.header: dict[str, list[str]] = {}
        self.keys = 0
        self.problems = _Problems()
        self.columns: dict[str, list[AnyWidth]] = {column: [] for column in USED}
        self.numbers: list[AnyWidth] = []
        self.line = 1
        self.cut = False

    def add(self, part: bytes) -> None:
        """Take one block of whole lines; only the file's last one may lack its newline."""
        if b"\0" in part:
            line = self.line + part[: part.index(0)].count(10)
            raise InputError(f"{self.name}: byte 0 in line {line:,}: a binary file? Expected a log as text or gzip")
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
            self.problems.add(reason, self.line + odd[fields[odd] == wrong])
        for wrong, reason in _REASONS.items():
            self.problems.add(reason, self.line + np.flatnonzero(kind == wrong))

    def jobs(self) -> dict[str, AnyWidth]:
        """The used fields of all jobs by name; InputError unless this is a log. Forgets what was read."""
        columns = {name: _joined(self.columns.pop(name)) for name in USED}
        first = self._first_lines(columns["job"])
        if not first.all():
            columns = {name: values[first] for name, values in columns.items()}
        n, bad = columns["job"].size, self.problems.ill_formed
        if n and bad <= n:
            return columns
        why = f"{bad:,} ill-formed lines and {n:,} jobs" if bad else "no job in it"
        raise InputError(
            f"{self.name}: {why}; expected the Standard Workload Format, {FIELDS} numbers a line"
            + "".join(f"\n  {entry}" for entry in self.problems.skipped())
        )

    def _first_lines(self, job: AnyWidth) -> NDArray[np.bool_]:
        """Which line is the first of its job number; later ones are partial executions of the same job."""
        if (job[1:] > job[:-1]).all():  # the usual log, which needs no sorting
            return np.ones(job.size, dtype=np.bool_)
        first = job < 0  # unknown numbers repeat nothing
        first[np.unique(job, return_index=True)[1]] = True
        self.problems.add("job number seen before", _joined(self.numbers)[~first], ill_formed=False)
        return first


def _joined(parts: list[AnyWidth]) -> AnyWidth:
    """One column, as wide as its widest part."""
    column = np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
    column.setflags(write=False)
    return column


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


def _assemble(reader: _Reader, columns: dict[str, AnyWidth]) -> Log:
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
        name=reader.name,
        header={key: tuple(values) for key, values in header.items()},
        labels=labels,
        report=Report(n, n, reader.problems.skipped(), tuple(notes)),
    )


def read_swf(path: str | Path) -> Log:
    """Read an SWF file, plain or gzip, exactly as written: all well-formed jobs in file order.

    Raises
    ------
    InputError
        The file is missing, a directory, unreadable, binary, a damaged gzip, or holds no job.
    """
    return parse_swf(whole_lines(blocks(path), Path(path).name), Path(path).name)
