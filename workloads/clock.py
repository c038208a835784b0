"""When a log happened: moments of the log as dates, and dates as moments of the log.

Model: an SWF log counts seconds from ``UnixStartTime`` of its header, and its cluster's clock is that of
``TimeZoneString`` (else ``TimeZone``, an offset in seconds, else UTC). A Slurm dump has clock times as its cluster
showed them, without zone; its reader counts them as seconds since 1970 and says so in the same header fields, with the
zone :data:`AS_WRITTEN`. A log without ``UnixStartTime``, or whose first job would be of 1970, says no date.

Conventions: moments are those of :attr:`.log.Log.submit`. A date without a clock time is its first second; one that
the clock shows twice is the first of both, one that it leaves out is as if it had not been put forward yet.

>>> from consortium.workloads import Log
>>> log = Log({"submit": [60]}, header={"UnixStartTime": ("1091615532",), "TimeZoneString": ("Europe/Paris",)})
>>> clock = clock_of(log)
>>> clock.text(60), clock.moment(datetime(2004, 8, 4, 12, 33)), clock.zone
('2004-08-04 12:33:12', 48, 'Europe/Paris')
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

from ..support.errors import InputError
from .log import Log

AS_WRITTEN: Final = "local"
"""The zone of clock times that do not say theirs."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_YEAR: Final = 366 * 86_400
_ZONE: Final = re.compile(r"\s*([A-Za-z][\w+/-]*)")


@dataclass(frozen=True)
class Clock:
    """The clock of a log."""

    epoch: int  # seconds since 1970 (UTC) of moment 0
    zone: str  # name: of the zone database, an offset, or AS_WRITTEN
    shows: tzinfo

    def date(self, moment: int) -> datetime:
        """What the cluster's clock shows at a moment of the log. Raises OverflowError beyond the year 9999."""
        return (_EPOCH + timedelta(seconds=self.epoch + moment)).astimezone(self.shows)

    def text(self, moment: int) -> str:
        """The same in words; a moment that no calendar has, in seconds."""
        try:
            return f"{self.date(moment):%Y-%m-%d %H:%M:%S}"
        except OverflowError:
            return f"{moment:,} s"

    def moment(self, date: datetime) -> int:
        """The moment of a date. Raises InputError for a date with a zone where the log's own is not known."""
        if date.tzinfo is None:
            date = date.replace(tzinfo=self.shows)
        elif self.zone == AS_WRITTEN:
            raise InputError(f"found {date.isoformat()}; expected no zone, because the log does not say its own")
        since = date.astimezone(UTC) - _EPOCH
        return since.days * 86_400 + since.seconds - self.epoch


def clock_of(log: Log) -> Clock | None:
    """The clock of a log that is not empty; ``None`` where it does not say when it happened."""
    epoch = next(iter(log.header_numbers("UnixStartTime")), None)
    if epoch is None or epoch < 0 or epoch + int(log.submit.min()) < _YEAR:
        return None
    for name in log.header.get("TimeZoneString", ()):
        if name.strip() == AS_WRITTEN:
            return Clock(epoch, AS_WRITTEN, UTC)
        match = _ZONE.match(name)
        if match is not None:
            try:
                return Clock(epoch, match[1], ZoneInfo(match[1]))
            except (KeyError, ValueError, OSError):  # not in this machine's zone database
                continue
    offset = next(iter(log.header_numbers("TimeZone")), 0)
    shows = timezone(timedelta(seconds=offset)) if abs(offset) < 86_400 else UTC
    return Clock(epoch, str(shows), shows)
