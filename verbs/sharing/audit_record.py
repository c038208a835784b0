"""The record of an audit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from ...workloads.clock import clock_of
from ...workloads.log import Log
from ..records import OPTIONAL, ComparisonRow, Row
from .gaming_rows import GamingRow
from .model import SharingRecord
from .organizations import AuditedRow
from .series import SeriesRow
from .summary import WindowRow
from .switch import SwitchRow
from .trend import Trend
from .yardstick import YardstickRow


@dataclass(frozen=True, kw_only=True)
class LogRow(Row):
    """The log, and the account of what was left out of it.

    ``first`` and ``last`` are the dates of its first and last submission on the clock of the zone ``clock``, where the
    log says them.
    """

    name: str
    source: str
    first: str | None = field(default=None, metadata=OPTIONAL)
    last: str | None = field(default=None, metadata=OPTIONAL)
    clock: str | None = field(default=None, metadata=OPTIONAL)
    report: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class PlanRow(Row):
    """How windows are cut, see :class:`consortium.workloads.Plan`.

    Attributes
    ----------
    warmup_recorded
        Seconds before a window from which ``recorded`` takes jobs over, where it takes more than the rules.
    since, until
        Seconds after the first submission: windows open and end between them; only where they were asked for.
    part
        The same in words, as dates where the log says them.
    busiest, min_load
        How windows were chosen, where that was not at random among all.
    parallel
        How queues run jobs of several processors, where not as copies.
    """

    duration: int
    start: int | None
    machines: int | None
    organizations: int | str
    shares: str | tuple[int, ...]
    limit: int | None
    warmup: int
    warmup_recorded: int | None = field(default=None, metadata=OPTIONAL)
    since: int | None = field(default=None, metadata=OPTIONAL)
    until: int | None = field(default=None, metadata=OPTIONAL)
    part: str | None = field(default=None, metadata=OPTIONAL)
    busiest: int | None = field(default=None, metadata=OPTIONAL)
    min_load: Fraction | None = field(default=None, metadata=OPTIONAL)
    parallel: str | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True, kw_only=True)
class AuditRecord(SharingRecord):
    """Rules and organizations of a log, all windows together.

    ``explanation`` says the rows under ``rule`` in words, ``comparison`` how it stands beside the other rules,
    ``assumed`` what all of it rests on although nobody said so, ``switch`` what another rule would change, and
    ``gaming`` who could game the rule. ``decay`` is the half-life, in seconds, of the numbers that have one.
    ``yardstick`` stands where REF was sampled.
    """

    verb: ClassVar[str] = "audit"
    main: ClassVar[str] = "rows"
    log: LogRow
    plan: PlanRow
    rule: str
    columns: tuple[str, ...]
    rows: tuple[ComparisonRow, ...]
    organizations: tuple[AuditedRow, ...]
    explanation: tuple[str, ...]
    comparison: tuple[str, ...]
    assumed: tuple[str, ...]
    windows: tuple[WindowRow, ...]
    switch: SwitchRow | None = field(default=None, metadata=OPTIONAL)
    series: SeriesRow | None = field(default=None, metadata=OPTIONAL)
    trend: Trend | None = field(default=None, metadata=OPTIONAL)
    decay: int | None = field(default=None, metadata=OPTIONAL)
    gaming: GamingRow | None = field(default=None, metadata=OPTIONAL)
    yardstick: YardstickRow | None = field(default=None, metadata=OPTIONAL)


def log_row(log: Log) -> LogRow:
    """What is said of a log."""
    clock = clock_of(log)
    dates = {}
    if clock is not None:
        first, last = clock.text(int(log.submit.min())), clock.text(int(log.submit.max()))
        dates = {"first": first, "last": last, "clock": clock.zone}
    return LogRow(name=log.name, source=log.source, report=log.report.to_dict(), **dates)
