"""Which windows an audit looks at: parts of a log by date, the fullest, those with a least load."""

from __future__ import annotations

import datetime
from fractions import Fraction
from typing import Any

import pytest

from consortium.reports.sharing.tables import audit as tables
from consortium.support.errors import InputError
from consortium.verbs.sharing.plan import plan_of, windows_of
from consortium.verbs.sharing.setup import plan_row, setup_of
from consortium.workloads import Log
from consortium.workloads.windows import last_event

from .logs import ask, asked, busy_log, comparison, dated

FIFO: dict[str, Any] = {"rules": ["fifo"], "rule": "fifo"}


def openings(log: Log, **options: Any) -> list[int]:
    given = asked(**({"machines": 6, "duration": 300, "windows": 40} | options))
    windows = windows_of(log, plan_of(log, given), given)
    return [windows.window(i).start for i in range(windows.number)]


def load(log: Log, opening: int, duration: int = 300) -> Fraction:
    submit = log.submit - log.submit.min()
    inside = (opening <= submit) & (submit < opening + duration)
    return Fraction(int((log.run * log.processors)[inside].sum()), 6 * duration)


def test_windows_lie_in_the_part_that_was_asked_for() -> None:
    log = busy_log()
    part = openings(log, since=1_000, until=1_900)
    assert all(1_000 <= opening <= 1_600 for opening in part)
    assert len(set(part)) > 20
    assert part == openings(log, since=1_000, until=1_900)
    assert part != openings(log, since=1_000, until=1_900, seed=1)
    assert openings(log, since=1_000, until=1_300) == [1_000]
    assert openings(log, since=1_000, until=1_200, duration=None) == [1_000]
    assert max(openings(log, since=3_000, until=9_000)) <= last_event(log) - log.submit.min() - 300


def test_a_date_is_its_first_second_on_the_clusters_clock() -> None:
    log = dated()
    first = int(log.submit.min())
    for since in ("2004-10-31", datetime.date(2004, 10, 31), datetime.datetime(2004, 10, 31)):
        record = ask(log=log, since=since, until="2004-10-31T00:20", duration=1_200, **FIFO)
        assert (record.plan.since, record.plan.until) == (1_800 - first, 3_000 - first)
        assert [row.opens for row in record.windows] == ["2004-10-31 00:00:00"]
    assert record.plan.part == "2004-10-31 00:00:00 to 2004-10-31 00:20:00"
    utc = ask(log=log, since="2004-10-30T22:00Z", until="2004-10-31T00:20", duration=1_200, **FIFO)
    assert utc.plan == record.plan
    told = " ".join(map(str, tables(record.to_dict())))
    assert "from 2004-10-31 00:00:00 to 2004-10-31 00:20:00" in told
    assert "Europe/Paris" in told


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"since": "2004-10-31"}, "busy.swf does not say when it began; expected seconds after its first submission"),
        ({"since": 90_000}, "since: found 90,000 s, but busy.swf goes from 0 s to"),
        ({"until": 0}, "until: found 0 s, but busy.swf goes from 0 s"),
        ({"since": 900, "until": 800}, "until: found 800 s; expected a moment after since, 900 s"),
        ({"since": 900, "until": 900}, "until: found 900 s; expected a moment after since, 900 s"),
        ({"since": "soon"}, "since: found 'soon'; expected a date like 2026-11-01"),
        ({"since": -1}, "since: found -1; expected a date like 2026-11-01"),
        ({"since": 1.5}, "since"),
        ({"since": 100, "until": 300}, "duration: found 300 s, but the part looked at of busy.swf spans 200 s"),
        ({"since": 100, "start": 200}, "start: cannot be combined with since or until"),
        ({"busiest": 2, "start": 200}, "busiest: cannot be combined with start"),
        ({"busiest": 2, "min_load": 1}, "min_load: cannot be combined with busiest"),
        ({"busiest": 99}, "busiest: found 99; expected at most"),
        ({"min_load": 50}, "min_load: found 50; expected at most"),
        ({"min_load": 0}, "min_load: found 0; expected a number > 0"),
    ],
)
def test_what_a_log_does_not_hold_is_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError) as error:
        ask(log=busy_log(), **({"duration": 300, **FIFO} | options))
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"since": "2005-01-01"}, "since: found 2005-01-01, but busy.swf goes from 2004-10-30 23:"),
        ({"until": "2004-10-01T12:30"}, "until: found 2004-10-01 12:30:00, but busy.swf goes from 2004-10-30 23:"),
        ({"since": "0001-01-01T00:00+10:00"}, "expected a date that has this moment in every zone"),
    ],
)
def test_dates_outside_a_log_are_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError) as error:
        ask(log=dated(), **({"duration": 300, **FIFO} | options))
    assert told in str(error.value)


def test_the_fullest_windows_come_first_and_do_not_overlap() -> None:
    log = busy_log()
    record = ask(log=log, duration=300, busiest=4, **FIFO)
    starts = [row.start for row in record.windows]
    loads = [load(log, start) for start in starts]
    assert [row.load.value for row in record.windows] == [pytest.approx(float(one)) for one in loads]
    assert loads == sorted(loads, reverse=True)
    span = int(log.submit.max() - log.submit.min())
    assert loads[0] == max(load(log, opening) for opening in range(span - 300 + 1))
    assert all(abs(a - b) >= 300 for a in starts for b in starts if a != b)
    assert comparison(record)[0].startswith("These are the 4 fullest windows, not random ones")
    assert record.plan.busiest == 4
    part = ask(log=log, duration=300, busiest=1, since=2_000, until=3_000, **FIFO).windows[0]
    assert load(log, part.start) == max(load(log, opening) for opening in range(2_000, 2_701))


def test_a_least_load_holds_and_all_such_windows_can_be_drawn() -> None:
    log = busy_log()
    span = int(log.submit.max() - log.submit.min())
    good = [opening for opening in range(span - 300 + 1) if load(log, opening) >= Fraction(17, 10)]
    found = openings(log, min_load="1.7", windows=400)
    assert set(found) <= set(good)
    assert abs(sum(found) / len(found) - sum(good) / len(good)) < 0.15 * span
    assert openings(log, min_load="1.7", windows=3) == found[:3]
    record = ask(log=log, duration=300, min_load="1.7", windows=1, **FIFO)
    assert record.to_dict()["plan"]["min_load"] == "17/10"
    assert f"open in {100 * len(good) / (span - 299):.2g} % of the time" in comparison(record)[0]
    assert "random with a load of at least 1.7" in " ".join(map(str, tables(record.to_dict())))


def test_the_fullest_load_is_reached_by_the_least_load_that_is_told() -> None:
    """The message of a refusal names the load of the fullest window."""
    log = busy_log()
    top = ask(log=log, duration=300, busiest=1, **FIFO).windows[0]
    exact = load(log, top.start)
    assert {load(log, opening) for opening in openings(log, min_load=exact)} == {exact}
    with pytest.raises(InputError, match=f"expected at most {float(exact):.4g}"):
        openings(log, min_load=exact + Fraction(1, 10**9))


def test_a_log_without_dates_shows_none() -> None:
    record = ask(windows=1, **FIFO).to_dict()
    assert "opens" not in record["windows"][0]
    assert not {"first", "last", "clock"} & set(record["log"])
    assert not {"since", "until", "part", "busiest", "min_load"} & set(record["plan"])


@pytest.mark.parametrize("machines", [1, 3, 5, 6, 7, 100])
@pytest.mark.parametrize("shares", [[3, 2, 1], [1, 1, 1], [50, 30, 20], [0, 0, 1]])
def test_shares_are_weights_of_all_machines_and_their_sum_is_said_unless_it_is_theirs(
    shares: list[int], machines: int
) -> None:
    """By largest remainder: nobody is a machine or more away from its part."""
    log, options = busy_log(), asked(shares=shares, machines=machines, duration=300)
    row = plan_row(setup_of(log, options))
    assert (row.machines, sum(row.shares)) == (None, machines)
    assert all(
        abs(has - Fraction(machines * weight, sum(shares))) < 1 for has, weight in zip(row.shares, shares, strict=True)
    )
    assert row.shares_sum == (None if sum(shares) == machines else sum(shares))
    assert (row.machines_from, row.assumed) == ("option", ())
