"""A job log in columns, and the account of what a reader or a replay left out.

Model: a log is a list of jobs that some cluster once ran. Every job has a submission moment, a run time and a number
of processors, and belongs to a user, a group, a queue, a partition and an account. Readers (:mod:`.swf`,
:mod:`.sacct`) bring any format to the same :class:`Log`; :func:`replayable` keeps the jobs that can be run again.

Conventions: times are whole seconds; ``-1`` means unknown, as in the Standard Workload Format; columns are int64
arrays of one length and read-only; names of users and groups are kept beside their codes. The old scheduler's outcome
(waiting time, status) stays in the log but no replay uses it: a cancelled job that ran for an hour did occupy its
processors for an hour.

A dump of a cluster at work holds jobs that have not ended: ``at_end`` says what a job did when the log ended, at
:attr:`Log.end`. A :data:`RUNNING` job has run for ``run`` seconds by then and may go on; a :data:`WAITING` one had not
started (``wait`` is -1, and it has waited for ``end - submit`` seconds), and its ``run`` is the time limit that was
asked for, because nothing else is known of its length; a :data:`HELD` one waits for what its owner wants (a dependency,
a hold, a begin time, a limit of its array) and is left out of what can be run again.

>>> log = Log(columns={"job": [1, 2, 3], "submit": [5, 0, 7], "run": [10, 0, -1], "allocated": [2, 1, 0]}, name="tiny")
>>> ready = replayable(log)
>>> len(ready), ready.submit.tolist(), ready.processors.tolist()
(1, [5], [2])
>>> print(ready.report)
3 jobs read, 1 kept
  1 left out: never ran (run time -1), e.g. job 3
  1 left out: run time 0, e.g. job 2
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias, cast, get_args

import numpy as np
from numpy.typing import NDArray

from ..support.errors import InputError, unknown_name
from ..support.exact import fits_int64

IntArray: TypeAlias = NDArray[np.int64]
AnyWidth: TypeAlias = NDArray[Any]
"""Of int8, int16, int32 or int64."""

_WIDTHS: Final = tuple((np.iinfo(w).min, np.iinfo(w).max, w) for w in (np.int8, np.int16, np.int32))
RESOURCES: Final = "resources"
"""The column that is no owner's although its codes have names."""

Owner: TypeAlias = Literal["user", "group", "queue", "partition", "account"]
OWNERS: Final[tuple[Owner, ...]] = get_args(Owner)
COLUMNS: Final = (
    "job",
    "submit",
    "wait",
    "run",
    "allocated",
    "requested",
    "limit",
    "status",
    "at_end",
    RESOURCES,
    *OWNERS,
)
"""Columns of a log: job number; submission, wait, run time (s); processors allocated and requested; time limit (s);
status as in SWF (1 completed, 0 failed, 5 cancelled, -1 unknown); what it did when the log ended (:data:`RUNNING`,
:data:`WAITING`, :data:`HELD`, -1 nothing or unknown); code of the trackable resources of a Slurm dump, see
:mod:`.resources`; codes of the owner. A submission is the moment from which a job waits for the cluster: a Slurm dump
tells when it became eligible."""
RUNNING: Final = 1
"""At the end of the log the job ran."""
WAITING: Final = 2
"""At the end of the log the job waited for the cluster."""
HELD: Final = 3
"""At the end of the log the job waited for what its owner wants."""

EXAMPLES: Final = 5
_WHOLE: Final = re.compile(r"\s*(-?\d{1,11})\b")
_ARCHIVE: Final = "Parallel Workloads Archive (https://www.cs.huji.ac.il/labs/parallel/workload/)"
_ARCHIVE_NAME: Final = re.compile(r"-(19|20)\d\d-\d+(\.\d+)?(-cln)?\.swf(\.gz)?$")


@dataclass(frozen=True)
class Skipped:
    """One reason why lines or jobs were left out: how many, and where the first few stand."""

    reason: str
    count: int
    examples: tuple[int, ...] = ()
    unit: Literal["line", "job"] = "job"

    def __str__(self) -> str:
        where = ""
        if self.examples:
            s = "s" if len(self.examples) > 1 else ""
            where = f", e.g. {self.unit}{s} {', '.join(map(str, self.examples))}"
        return f"{self.count:,} left out: {self.reason}{where}"


class Omissions:
    """Lines or jobs left out while a log is read or chosen from, by reason, with the first few numbers of each."""

    def __init__(self, unit: Literal["line", "job"] = "job") -> None:
        self.unit, self.ill_formed = unit, 0
        self._reasons: dict[str, tuple[int, list[int]]] = {}

    def add(self, reason: str, numbers: Sequence[int] | AnyWidth, ill_formed: bool = False) -> None:
        """Count lines or jobs; those that are ill-formed also together."""
        if len(numbers):
            count, examples = self._reasons.get(reason, (0, []))
            examples.extend(int(number) for number in numbers[: EXAMPLES - len(examples)])
            self._reasons[reason] = (count + len(numbers), examples)
            self.ill_formed += len(numbers) if ill_formed else 0

    def skipped(self) -> tuple[Skipped, ...]:
        """An entry per reason, in the order in which they came up."""
        return tuple(Skipped(reason, n, tuple(first), self.unit) for reason, (n, first) in self._reasons.items())

    def check(self, name: str, jobs: int, expected: str) -> None:
        """Raise InputError for a file without a job, or with more ill-formed lines than jobs."""
        if not jobs or self.ill_formed > jobs:
            why = f"{self.ill_formed:,} ill-formed lines and {jobs:,} jobs" if self.ill_formed else "no job in it"
            entries = "".join(f"\n  {entry}" for entry in self.skipped())
            raise InputError(f"{name}: {why}; expected {expected}{entries}")


@dataclass(frozen=True)
class Report:
    """What a log held and what was left out of it.

    Attributes
    ----------
    read
        Jobs that the file describes in well-formed lines.
    kept
        Jobs in the log that carries this report.
    skipped
        One entry per reason, in the order in which the reasons were tested.
    notes
        What was repaired or looks odd although nothing was left out.
    """

    read: int
    kept: int
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        head = f"{self.read:,} jobs read, {self.kept:,} kept"
        return "\n  ".join([head, *map(str, self.skipped), *(f"note: {n}" for n in self.notes)])

    def to_dict(self) -> dict[str, Any]:
        """Plain dict for records and JSON."""
        return {
            "read": self.read,
            "kept": self.kept,
            "skipped": [{"reason": s.reason, "count": s.count, f"{s.unit}s": list(s.examples)} for s in self.skipped],
            "notes": list(self.notes),
        }


class Columns(Mapping[str, IntArray]):
    """Columns by name, read-only, each as wide as its widest number until it is asked for, and of int64 from then on.

    A log of millions of jobs has many columns that nobody looks at, and few of its numbers need eight bytes; who looks
    at one may add and multiply.
    """

    def __init__(self, kept: dict[str, AnyWidth]) -> None:
        self.kept = kept

    def __getitem__(self, name: str) -> IntArray:
        column = self.kept[name]
        if column.dtype != np.int64:
            column = self.kept[name] = column.astype(np.int64)
            column.setflags(write=False)
        return column

    def __iter__(self) -> Iterator[str]:
        return iter(self.kept)

    def __len__(self) -> int:
        return len(self.kept)


@dataclass(frozen=True, eq=False)
class Log:
    """Jobs in columns.

    Parameters
    ----------
    columns
        Any of :data:`COLUMNS`, each of shape (n,); missing ones are filled with -1.
    name
        File name, for titles and sources.
    header
        Header keys with all their values in order (keys may repeat).
    labels
        Names of codes per owner column, e.g. ``labels["group"][3] == "atlas"``, and of ``"resources"``.
    report
        What was left out; by default nothing.
    end
        Moment at which the log ends (s), where jobs have not ended: when the dump was made; -1 where that is unknown.

    Raises
    ------
    InputError
        Columns of different lengths; :class:`~consortium.support.errors.UnknownNameError` for an unknown column.
    """

    columns: Mapping[str, Iterable[int] | AnyWidth] = field(repr=False)
    name: str = "log"
    header: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    labels: Mapping[str, Mapping[int, str]] = field(default_factory=dict, repr=False)
    report: Report = field(default=Report(0, 0))
    end: int = -1

    def __post_init__(self) -> None:
        for column in self.columns:
            if column not in COLUMNS:
                raise unknown_name("column of a log", column, COLUMNS)
        kept = self.columns.kept if isinstance(self.columns, Columns) else self.columns
        columns = {name: narrow(values) for name, values in kept.items()}
        sizes = {name: values.size for name, values in columns.items()}
        if len(set(sizes.values())) > 1:
            raise InputError(f"columns of a log must have one length; found {sizes}")
        n = next(iter(sizes.values()), 0)
        unknown = narrow(np.full(n, -1, dtype=np.int8))
        object.__setattr__(self, "columns", Columns({name: columns.get(name, unknown) for name in COLUMNS}))
        if self.report == Report(0, 0):
            object.__setattr__(self, "report", Report(n, n))

    def __len__(self) -> int:
        return int(self.job.size)

    def column(self, name: str) -> IntArray:
        """One column by name, read-only, shape (n,). Raises UnknownNameError."""
        if name not in COLUMNS:
            raise unknown_name("column of a log", name, COLUMNS)
        return cast(IntArray, self.columns[name])

    def kept(self, name: str) -> AnyWidth:
        """One column in the width that it is kept in: to compare, select and copy, not to add or multiply."""
        return cast(Columns, self.columns).kept[name]

    @property
    def job(self) -> IntArray:
        """Job numbers."""
        return self.column("job")

    @property
    def submit(self) -> IntArray:
        """Submission moments (s, as in the file)."""
        return self.column("submit")

    @property
    def run(self) -> IntArray:
        """Run times (s)."""
        return self.column("run")

    @property
    def user(self) -> IntArray:
        """User codes."""
        return self.column("user")

    @property
    def group(self) -> IntArray:
        """Group codes."""
        return self.column("group")

    @property
    def waiting(self) -> NDArray[np.bool_]:
        """Which jobs had not started when the log ended, although they could have; their run times are believed."""
        return np.asarray(self.kept("at_end") == WAITING, dtype=np.bool_)

    def started(self) -> Log:
        """The jobs whose run times are known: without those that wait."""
        return self.take(~self.waiting) if self.waiting.any() else self

    @cached_property
    def processors(self) -> IntArray:
        """Processors of each job: allocated where known (> 0), else requested."""
        allocated = self.kept("allocated")
        counts = np.where(allocated > 0, allocated, self.kept("requested")).astype(np.int64, copy=False)
        counts.setflags(write=False)
        return counts

    @property
    def work(self) -> AnyWidth:
        """Run time by processors of each job; Python's integers where those of all jobs together might not fit."""
        most = int(np.abs(self.run).max(initial=0)) * int(self.processors.max(initial=0)) * len(self)
        return self.processors * (self.run if fits_int64(most) else self.run.astype(object))

    def label(self, owner: str, code: int) -> str:
        """Name of a user, group, queue, partition or account: its own where the log has one, else ``"group 3"``."""
        label = self.labels.get(owner, {}).get(int(code), "")
        if label:
            return label
        return f"{owner} {code}" if code >= 0 else f"unknown {owner}"

    def take(self, index: IntArray | NDArray[np.bool_], report: Report | None = None) -> Log:
        """The log restricted to the given jobs, in the given order."""
        columns = {name: narrow(self.kept(name)[index]) for name in COLUMNS}
        kept = next(iter(columns.values())).size
        return replace(self, columns=columns, report=report or replace(self.report, kept=int(kept)))

    def max_processors(self) -> int | None:
        """Machine size that the header states (``MaxProcs``, else ``MaxNodes``), or ``None``.

        The value may be followed by prose (``70  (dual)``); a value that does not start with a number is ignored.
        """
        stated = (*self.header_numbers("MaxProcs"), *self.header_numbers("MaxNodes"))
        return next((number for number in stated if 0 < number < 10**9), None)

    def header_numbers(self, key: str) -> list[int]:
        """The values of a header key that begin with a whole number of at most 11 digits; prose may follow it."""
        return [int(match[1]) for value in self.header.get(key, ()) if (match := _WHOLE.match(value))]

    def peak_processors(self) -> int | None:
        """Most processors that the log's own record has busy at once, or ``None`` where no waiting time is known.

        An estimate of the machine's size: the cluster may never have been full, jobs whose start is unknown are not
        counted, and records of starts and ends are not always exact (some logs exceed their own machine). A job that
        ends frees its processors before another starts.
        """
        return self._peak

    @cached_property
    def _peak(self) -> int | None:
        """Sorted for once: plans and what is said of them ask for it several times."""
        wait = self.column("wait")
        ran = (self.run > 0) & (self.processors > 0) & (self.submit >= 0) & (wait >= 0)
        if not ran.any():
            return None
        start = (self.submit + wait)[ran]
        moments = np.concatenate([start, start + self.run[ran]])
        change = np.concatenate([self.processors[ran], -self.processors[ran]])
        order = np.lexsort((change, moments))
        steps = change[order] if fits_int64(int(change.max()) * change.size) else change[order].astype(object)
        return int(np.cumsum(steps).max())

    @property
    def source(self) -> str:
        """One line that names the log and acknowledges who provided it, for the ``source`` of a scenario."""
        parts = [self.name]
        parts += [value for key in ("Computer", "Installation") for value in self.header.get(key, ())[:1]]
        thanks = [value for value in self.header.get("Acknowledge", ()) if value]
        if thanks:
            parts.append("provided by " + "; ".join(thanks))
        archive = any("labs/parallel/workload" in value for values in self.header.values() for value in values)
        if archive or _ARCHIVE_NAME.search(self.name):
            parts.append(_ARCHIVE)
        return "; ".join(" ".join(part.split()) for part in parts)


def replayable(log: Log, zero: Literal["drop", "one"] = "drop") -> Log:
    """The jobs that can be run again, sorted by submission (stable), with the account of the others.

    Left out, in this order of reasons: run time -1 (waited at the end of the log for what their owners want, or with
    no time limit that tells how long they may run; cancelled before they ran; never ran), run time below -1, run time 0
    (unless ``zero="one"`` counts it as one second), negative submission, processors unknown (neither allocated nor
    requested is positive). Jobs that waited when the log ended are kept, see :attr:`Log.waiting`.

    Raises
    ------
    InputError
        No job is left; the message says why.
    """
    if zero not in ("drop", "one"):
        raise unknown_name("zero", str(zero), ("drop", "one"))
    run, submit = log.kept("run"), log.kept("submit")
    if zero == "one" and (run == 0).any():
        notes = [*log.report.notes, f"run time 0 counted as 1 second in {int((run == 0).sum()):,} jobs"]
        columns = {name: log.kept(name) for name in COLUMNS} | {"run": np.where(run == 0, 1, run)}
        log = replace(log, columns=columns, report=replace(log.report, notes=tuple(notes)))
        run = log.kept("run")
    reasons = [
        ("waiting for a dependency, a hold, a begin time or a limit of its own array", log.kept("at_end") == HELD),
        ("waiting, with no time limit that tells how long it may run", (run == -1) & log.waiting),
        ("cancelled before it ran", (run == -1) & (log.kept("status") == 5)),
        ("never ran (run time -1)", run == -1),
        ("negative run time", run < -1),
        ("run time 0", run == 0),
        ("negative submission time", submit < 0),
        ("number of processors unknown", (log.kept("allocated") <= 0) & (log.kept("requested") <= 0)),
    ]
    index, skipped = selected(log, reasons)
    if not index.size:
        raise InputError(
            f"{log.name}: no job can be replayed; expected jobs with a positive run time and a number of processors\n"
            + str(Report(log.report.read, 0, skipped))
        )
    notes = list(log.report.notes)
    submit = log.kept("submit")[index]
    inversions = int((submit[1:] < submit[:-1]).sum())
    if inversions:
        notes.append(f"submissions were not in order in {inversions:,} places; sorted, equal moments as in the file")
        index = index[np.argsort(submit, kind="stable")]
    return log.take(index, Report(log.report.read, int(index.size), skipped, tuple(notes)))


def selected(
    log: Log, reasons: Iterable[tuple[str, NDArray[np.bool_]]]
) -> tuple[NDArray[np.intp], tuple[Skipped, ...]]:
    """Places of the jobs against which no reason speaks, and the account of the others, each under its first reason."""
    good, omissions = np.ones(len(log), dtype=np.bool_), Omissions()
    for reason, bad in reasons:
        omissions.add(reason, log.kept("job")[bad & good])
        good &= ~bad
    return np.flatnonzero(good), (*log.report.skipped, *omissions.skipped())


def narrow(values: Iterable[int] | AnyWidth) -> AnyWidth:
    """The numbers as narrow as they allow, read-only: a copy, unless nobody else can write to the array as it is.

    >>> narrow([1, 128]).dtype, narrow([]).dtype
    (dtype('int16'), dtype('int8'))
    """
    numbers = (
        values if isinstance(values, np.ndarray) and values.dtype.kind == "i" else np.array(values, dtype=np.int64)
    )
    low, high = (int(numbers.min()), int(numbers.max())) if numbers.size else (0, 0)
    width = next((width for least, most, width in _WIDTHS if least <= low and high <= most), np.int64)
    column = numbers.astype(width, copy=numbers.flags.writeable or not numbers.flags.owndata)
    column.setflags(write=False)
    return column
