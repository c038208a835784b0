"""Dates of logs: against the dates that the archives' headers state, zones, and logs that say none."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from consortium.support.errors import InputError
from consortium.workloads import Log
from consortium.workloads.clock import Clock, clock_of
from consortium.workloads.sacct import parse_sacct


def log(submit: int = 0, **header: str) -> Log:
    return Log({"submit": [submit, submit + 10]}, header={key: (value,) for key, value in header.items()})


def clock(**header: str) -> Clock:
    found = clock_of(log(**header))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("unix", "zone", "stated"),
    [  # UnixStartTime, TimeZoneString and StartTime of headers of the archive
        ("1027839845", "Europe/Stockholm", "2002-07-28 09:04:05"),
        ("1132444805", "Europe/London", "2005-11-20 00:00:05"),
        ("1170175078", "US/Pacific", "2007-01-30 08:37:58"),
        ("1091615532", "Europe/Paris", "2004-08-04 12:32:12"),
        ("1272639895", "Asia/Tokyo", "2010-05-01 00:04:55"),
    ],
)
def test_dates_are_those_that_headers_state(unix: str, zone: str, stated: str) -> None:
    found = clock(UnixStartTime=unix, TimeZoneString=f"{zone} # prose")
    assert (found.zone, found.text(0)) == (zone, stated)
    assert found.moment(datetime.fromisoformat(stated)) == 0


def test_moments_and_dates_are_inverse_but_where_the_clock_is_put_back() -> None:
    found = clock(UnixStartTime="1099180800", TimeZoneString="Europe/Paris")  # 2004-10-31 02:00 in summer
    for moment in range(-100_000, 100_000, 1_009):
        shown = found.date(moment)
        assert found.moment(shown.replace(tzinfo=None, fold=0)) == moment - 3600 * shown.fold
        assert found.moment(found.date(moment)) == moment


def test_without_a_zone_there_is_an_offset_or_utc() -> None:
    assert clock(UnixStartTime="1091615532", TimeZone="3600").text(0) == "2004-08-04 11:32:12"
    assert clock(UnixStartTime="1091615532", TimeZone="999999").text(0) == "2004-08-04 10:32:12"
    assert clock(UnixStartTime="1091615532", TimeZoneString="Nowhere/Land", TimeZone="-60").zone == "UTC-00:01"
    assert clock(UnixStartTime="1091615532", TimeZoneString="../etc/passwd").zone == "UTC"


@pytest.mark.parametrize("unix", ["", "-1", "0", "unknown", "9" * 30])
def test_a_log_may_say_no_date(unix: str) -> None:
    assert clock_of(log(UnixStartTime=unix)) is None
    assert clock_of(log()) is None


def test_dumps_show_the_clusters_own_clock() -> None:
    dump = b"JobID|User|Submit|Elapsed|State|NCPUS\n7|ann|2024-05-01T10:00:00|1-00:01:00|COMPLETED|4\n"
    read = parse_sacct([dump])
    found = clock_of(read)
    assert found.text(int(read.submit[0])) == "2024-05-01 10:00:00"
    assert found.moment(datetime(2024, 5, 1, 10)) == read.submit[0]
    with pytest.raises(InputError, match="expected no zone"):
        found.moment(datetime(2024, 5, 1, 10, tzinfo=timezone(timedelta(hours=2))))


def test_a_moment_that_no_calendar_has_is_told_in_seconds() -> None:
    assert clock(UnixStartTime="1091615532").text(10**15) == "1,000,000,000,000,000 s"
