"""The part of a log that an audit looks at: ``since`` and ``until``, as dates or seconds."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Annotated, Any, Final, NamedTuple

from pydantic import PlainValidator, WithJsonSchema

from ...scenarios.fields import expected, whole
from ...scenarios.sharing import TIME_MAX
from ...support.errors import InputError
from ...support.units import duration_text
from ...workloads.clock import Clock, clock_of
from ...workloads.log import Log
from ..options import Flag
from ..options import whole as whole_text

MOMENT: Final = "a date like 2026-11-01 or 2026-11-01T12:00, or seconds >= 0 after the first submission"


def _moment(value: object) -> int | datetime:
    """Seconds as they are, a date as its beginning."""
    if isinstance(value, int):
        try:
            return whole(value, 0, TIME_MAX)
        except ValueError:
            raise expected(MOMENT) from None
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value.strip())
        except ValueError:
            raise expected(MOMENT) from None
    if isinstance(value, date):
        return value if isinstance(value, datetime) else datetime.combine(value, time())
    raise expected(MOMENT)


Moment = Annotated[
    int | datetime,
    PlainValidator(_moment),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string"}]}),
    Flag("DATE|SECONDS", whole_text),
]
"""Seconds after the first submission, or a date of the cluster's clock."""
MINUTE: Final = 60


class Period(NamedTuple):
    """Seconds after the first submission: windows open from ``since`` on and end by ``until``."""

    since: int
    until: int

    def text(self, log: Log) -> str:
        """In words: dates where the log says them."""
        return _between(clock_of(log), int(log.submit.min()), self)


def period_of(log: Log, since: Any = None, until: Any = None) -> Period:
    """The part of a log that was asked for, at most up to its last submission.

    Raises
    ------
    InputError
        A date for a log that says none; a part that ends before it begins, or lies outside the log.
    """
    first, span = int(log.submit.min()), int(log.submit.max() - log.submit.min())
    clock = clock_of(log)
    begin = 0 if since is None else max(0, _seconds("since", since, first, clock, log.name))
    end = span if until is None else _seconds("until", until, first, clock, log.name)
    if begin > span or (until is not None and end <= 0):
        name, given = ("since", since) if begin > span else ("until", until)
        raise InputError(f"{name}: found {_told(given)}, but {log.name} goes from {Period(0, span).text(log)}")
    if end < begin or (end == begin and None not in (since, until)):
        raise InputError(f"until: found {_told(until)}; expected a moment after since, {_told(since)}")
    return Period(begin, min(end, span))


def _seconds(name: str, given: int | datetime, first: int, clock: Clock | None, log: str) -> int:
    if isinstance(given, int):
        return given
    if clock is None:
        raise InputError(
            f"{name}: found {_told(given)}, but {log} does not say when it began; expected seconds after its first "
            f"submission"
        )
    try:
        return clock.moment(given) - first
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    except OverflowError:
        raise InputError(f"{name}: found {_told(given)}; expected a date that has this moment in every zone") from None


def _told(given: int | datetime | None) -> str:
    if isinstance(given, int):
        return f"{given:,} s"
    return "nothing" if given is None else given.isoformat(" ").removesuffix(" 00:00:00")


def _between(clock: Clock | None, first: int, part: Period) -> str:
    if clock is None:
        return f"{_after(part.since)} to {_after(part.until)} after its first submission"
    return f"{clock.text(first + part.since)} to {clock.text(first + part.until)}"


def _after(seconds: int) -> str:
    return f"{seconds:,} s" if seconds < MINUTE else f"{seconds:,} s ({duration_text(seconds)})"
