"""A store that grows with the log: old windows stay, new ones are added, a changed past is refused; and the trend."""

from __future__ import annotations

import json
import random
import statistics
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from consortium.cli.app import app
from consortium.parallel.outcomes import Columns
from consortium.parallel.store import Store
from consortium.reports.sharing import text
from consortium.support.errors import InputError, UnknownNameError
from consortium.support.intervals import difference
from consortium.support.units import duration_text
from consortium.verbs.sharing import windows
from consortium.verbs.sharing.audit_records import AuditRecord, TrendRecord
from consortium.verbs.sharing.options import AuditTrend
from consortium.verbs.sharing.store import StoredWindow, audit_trend, read_result, trend_of
from consortium.workloads import Log, by_column
from consortium.workloads.clock import Clock, clock_of
from consortium.workloads.log import COLUMNS

from .logs import ask, busy_log, dated, without_times

RULES: dict[str, Any] = {"rules": ["fifo", "fair-share", "rand:samples=2"], "rule": "fair-share", "windows": 3}


def until(moment: int, log: Log | None = None) -> Log:
    """The log as it was then: jobs submitted later are not there, those that still ran have run so far."""
    log = log or busy_log(3)
    columns = {name: log.column(name).copy() for name in COLUMNS}
    begun = columns["submit"] + columns["wait"]
    kept = begun < moment
    columns["run"] = np.minimum(columns["run"], moment - begun)
    return Log({name: column[kept] for name, column in columns.items()}, log.name, log.header, log.labels)


def changed(log: Log, opening: int, **by: int) -> Log:
    """With another value of the first job of a window."""
    columns = {name: log.column(name).copy() for name in COLUMNS}
    for name, step in by.items():
        columns[name][np.searchsorted(log.submit, log.submit.min() + opening)] += step
    return Log(columns, log.name, log.header, log.labels)


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    found: list[int] = []
    original = windows.measure
    monkeypatch.setattr(windows, "measure", lambda task, progress=None: (found.append(task.index), original(task))[1])
    return found


def trend(path: Path, **options: Any) -> TrendRecord:
    return audit_trend(path, AuditTrend(**{"rule": "fair-share", **options}))


def rows(path: Path) -> list[tuple[int, int]]:
    """Task and opening of all that is kept."""
    with Store.read(path) as store:
        return [(found.task, int(str(found.varied["opening"]))) for found in store.outcomes()]


def unfairness(record: AuditRecord) -> list[float]:
    return [row.unfairness["fair-share"].value for row in record.windows]


def test_new_windows_of_a_grown_log_are_added_and_old_ones_stay(tmp_path: Path, measured: list[int]) -> None:
    path = tmp_path / "s"
    early = {"since": 0, "until": 2_000, **RULES}
    late = {"since": 2_000, "until": 3_600, **RULES}
    first = ask(log=until(3_000), store=path, **early)
    assert measured == [0, 1, 2]
    second = ask(log=until(4_000), store=path, **late)
    assert measured == [0, 1, 2] * 2
    assert len(rows(path)) == 6
    for given, expected in ((early, first), (late, second)):  # nothing is measured again
        again = ask(log=busy_log(3), store=path, **given)
        assert again.rows == expected.rows
        assert again.windows == expected.windows
    assert measured == [0, 1, 2] * 2
    alone = ask(log=busy_log(3), **late)
    assert without_times(alone)["rows"] == without_times(second)["rows"]
    assert sum(row.windows for row in trend(path).rows) == 6
    whole = sorted(unfairness(first) + unfairness(second))
    by_window = trend(path, every="window")
    assert sorted(row.unfairness.value for row in by_window.rows) == pytest.approx(whole)


def test_the_name_of_the_log_and_its_first_moment_do_not_count(tmp_path: Path, measured: list[int]) -> None:
    """Every week a dump of its own: the windows of both are those of one cluster."""
    path, log = tmp_path / "s", dated(busy_log(3))
    ask(log=log, store=path, since="2004-10-30T23:40", until="2004-10-31T00:10", **RULES)
    columns = {name: log.column(name)[40:] for name in COLUMNS}
    week = Log(columns, "week-45.swf", log.header, log.labels)
    record = ask(log=week, store=path, since="2004-10-31T00:15", until="2004-10-31T00:35", **RULES)
    assert len(rows(path)) == 6
    by_day = trend(path, every="day").rows
    assert by_day[-1].since == "2004-10-31"
    assert sum(row.windows for row in by_day) == 6
    again = ask(log=log, store=path, since="2004-10-31T00:15", until="2004-10-31T00:35", **RULES)
    assert unfairness(again) == unfairness(record)
    assert len(measured) == 6
    assert [row.opens for row in again.windows] == [row.opens for row in record.windows]


def test_rules_with_a_half_life_look_at_what_was_used_before(tmp_path: Path, measured: list[int]) -> None:
    """A dump that begins later knows less of it: fair-share is kept, with a half-life it is measured again."""
    path, log = tmp_path / "s", dated(busy_log(3))
    given: dict[str, Any] = {"rules": ["fair-share", "fair-share:decay=1h"], "rule": "fair-share", "windows": 2}
    given |= {"since": "2004-10-31T00:15", "until": "2004-10-31T00:35"}
    week = Log({name: log.column(name)[30:] for name in COLUMNS}, "week-45.swf", log.header, log.labels)
    ask(log=week, store=path, **given)
    again, alone = ask(log=log, store=path, **given), ask(log=log, **given)
    assert again.windows == alone.windows
    assert [row.values["unfairness"] for row in again.rows] == [row.values["unfairness"] for row in alone.rows]
    assert measured == [0, 1] * 3
    ask(log=log, store=path, **given)
    assert measured == [0, 1] * 3


@pytest.mark.parametrize("by", [{"run": 7}, {"wait": 1}, {"allocated": 1}, {"group": 1}, {"submit": 1}])
def test_a_changed_past_is_refused(by: dict[str, int], tmp_path: Path) -> None:
    path, log = tmp_path / "s", busy_log(3)
    given = RULES | {"windows": 1}
    opening = ask(log=log, store=path, **given).windows[0].start
    other = changed(log, opening, **by)
    with pytest.raises(InputError, match=rf"the past has changed, .* of the window from {opening:,} s after the first"):
        ask(log=other, store=path, **given)
    assert len(rows(path)) == 1
    assert ask(log=other, store=path, since=opening + 100, **given).complete  # that part of the log is not looked at


def test_a_window_that_was_measured_too_early_is_measured_again(tmp_path: Path, measured: list[int]) -> None:
    """Jobs of it still ran when the first log was written: that is no changed past."""
    path, part = tmp_path / "s", {"since": 1_000, "until": 1_800, **RULES}
    early = ask(log=until(1_850), store=path, **part)
    late = ask(log=busy_log(3), store=path, **part)
    assert measured == [0, 0]  # one window fits
    first, second = (record.windows[0].load for record in (early, late))
    assert first != second
    assert [row.load for row in trend(path, every="window").rows] == [second]  # the later one counts
    assert [opening for _, opening in rows(path)] == [rows(path)[0][1]] * 2
    ask(log=busy_log(3), store=path, **part)
    assert measured == [0, 0]


def test_a_window_that_was_measured_too_early_counts_no_more(tmp_path: Path) -> None:
    """From the first audit on that looks at its part of the log, also where it is not measured again."""
    path = tmp_path / "s"
    early = ask(log=until(1_850), store=path, since=1_000, until=1_800, **RULES).windows[0]
    assert [row.windows for row in trend(path).rows] == [1]
    ask(log=busy_log(3), store=path, since=2_000, **RULES)
    assert sum(row.windows for row in trend(path).rows) == 4
    ask(log=busy_log(3), store=path, since=900, until=2_000, **RULES | {"seed": 0})
    kept = [row.load.value for row in trend(path, every="window").rows]
    assert len(kept) == 6
    assert early.load.value not in kept


def test_owners_that_are_others_now_are_measured_again(tmp_path: Path, measured: list[int]) -> None:
    """The groups with most work change as the log grows: a window is not what it was, its jobs are."""
    path, log = tmp_path / "s", busy_log(3)
    part = {"since": 0, "until": 1_200, **RULES, "limit": 2}
    small = ask(log=until(2_000), store=path, **part)
    columns = {name: log.column(name).copy() for name in COLUMNS}
    code = next(code for code, name in log.labels["group"].items() if name != small.organizations[0].name)
    columns["run"][(log.group == code) & (log.submit > 2_000)] *= 1_000
    grown = ask(log=Log(columns, log.name, log.header, log.labels), store=path, **part)
    names = [[row.name for row in record.organizations[:2]] for record in (small, grown)]
    assert names[0] != names[1]
    assert len(measured) == 6


def test_the_order_of_the_organizations_may_change(tmp_path: Path, measured: list[int]) -> None:
    """They are listed by work: a window of before says the same of each, in the order of now."""
    path, log = tmp_path / "s", busy_log(3)
    part = {"since": 0, "until": 1_800, **RULES}
    first = ask(log=until(2_500), store=path, **part)
    columns = {name: log.column(name).copy() for name in COLUMNS}
    code = next(code for code, name in log.labels["group"].items() if name == first.organizations[2].name)
    columns["run"][(log.group == code) & (log.submit > 2_500)] *= 1_000
    second = ask(log=Log(columns, log.name, log.header, log.labels), store=path, **part)
    assert measured == [0, 1, 2]
    orders = [[row.name for row in record.organizations[:3]] for record in (first, second)]
    assert orders[0] != orders[1]
    told = [{(row.rule, row.name): row for row in record.organizations} for record in (first, second)]
    assert told[0] == told[1]
    assert len({row.utility for row in first.organizations[:3]}) == 3


def test_parallel_jobs_that_are_kept_whole_do_not_count_from_the_beginning_of_the_log(
    tmp_path: Path, measured: list[int]
) -> None:
    path, log = tmp_path / "s", dated(busy_log(3))
    part = {"since": "2004-10-31T00:15", "until": "2004-10-31T00:35", **RULES, "parallel": "easy", "rules": ["fifo"]}
    first = ask(log=log, store=path, **part)
    columns = {name: log.column(name)[20:] for name in COLUMNS}
    later = ask(log=Log(columns, log.name, log.header, log.labels), store=path, **part)
    assert measured == [0, 1, 2]
    assert [row.unfairness for row in later.windows] == [row.unfairness for row in first.windows]


@pytest.mark.parametrize("parents", [None, {"atlas": "physics", "cms": "physics", "bio": "life"}])
def test_who_has_most_work_may_change_from_night_to_night(parents: Any, tmp_path: Path, measured: list[int]) -> None:
    """Shares and accounts by name say the same whatever the order is of organizations by work in the log at hand."""
    nights = [until(2_000), busy_log(3)]
    first, last = (by_column(log, "group").names for log in nights)
    assert (first, last) == (("atlas", "bio", "cms"), ("cms", "atlas", "bio"))
    shares = {"atlas": 3, "bio": 2, "cms": 1}
    given: dict[str, Any] = {**RULES, "shares": shares, "parents": parents, "store": tmp_path / "s"}
    ask(log=nights[0], since=0, until=1_500, **given)
    second = ask(log=nights[1], since=1_500, until=3_600, **given)
    again = ask(log=nights[1], since=0, until=1_500, **given)
    assert measured == [0, 1, 2] * 2
    assert tuple(dict.fromkeys(row.name for row in second.organizations)) == last
    machines = {row.name: row.machines.value for row in again.organizations}
    assert machines == {"atlas": 3, "bio": 2, "cms": 1}
    with pytest.raises(InputError, match=r"shares\.atlas = 3 \(asked: 1\), shares\.bio = 2 \(asked: 1\)"):
        ask(log=nights[1], **given | {"shares": {"cms": 2, "bio": 2, "atlas": 2}})


def test_ways_of_choosing_windows_do_not_mix(tmp_path: Path) -> None:
    ask(store=tmp_path / "s", **RULES)
    for option, told in (
        ({"busiest": 2}, r"chosen = 'random' \(asked: 'busiest'\)"),
        ({"min_load": 1}, r"chosen = 'random' \(asked: 'min_load'\)"),
        ({"start": 0}, r"chosen = 'random' \(asked: 'start'\)"),
        ({"machines": 7}, r"machines = 6 \(asked: 7\)"),
    ):
        with pytest.raises(InputError, match=f"belongs to another question: {told}"):
            ask(store=tmp_path / "s", **(RULES | option))
    ask(store=tmp_path / "full", **RULES, min_load="1/2")
    with pytest.raises(InputError, match=r"min_load = '1/2' \(asked: '1'\)"):
        ask(store=tmp_path / "full", **RULES, min_load=1)


SWITCH = ["audit", "switch", "busy.swf", "--to", "fifo,rand:samples=3"]
AUDIT = ["audit", "busy.swf", "--rules", "ref,fair-share,fifo,recorded"]


@pytest.mark.parametrize(
    ("first", "then", "lacking"),
    [(AUDIT, SWITCH, ["rand:samples=3"]), (SWITCH, AUDIT, ["ref", "recorded"])],
)
@pytest.mark.usefixtures("log_folder")
def test_an_audit_and_a_switch_share_a_store(
    first: list[str], then: list[str], lacking: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one has measured the other reads; it runs what is lacking, REF not again, and says what it says without."""
    common = ["--duration", "800", "--windows", "2", "--processes", "1", "--json"]

    def answer(*command: str) -> dict[str, Any]:
        result = CliRunner().invoke(app, [*command, *common])
        assert result.exit_code == 0, result.output
        record = without_times(json.loads(result.stdout))
        del record["request"]
        return record

    alone, ran = answer(*then), list[str]()
    answer(*first, "--store", "s")
    original = windows.follow

    def spied(rule: Any, instance: Any, work: Any, until: int, *more: Any) -> Any:
        if until == work.until:  # runs to the end of all jobs are not kept
            ran.append(rule.label)
        return original(rule, instance, work, until, *more)

    monkeypatch.setattr(windows, "follow", spied)
    assert answer(*then, "--store", "s") == alone
    assert ran == 2 * lacking
    ran.clear()
    assert answer(*then, "--store", "s") == alone
    answer(*first, "--store", "s")
    assert not ran


def test_rules_that_are_added_to_a_window_have_a_trend(tmp_path: Path) -> None:
    """Of each rule the windows where it was run."""
    path = tmp_path / "s"
    ask(store=path, **RULES)
    record = ask(store=path, **RULES | {"rules": ["fair-share", "round-robin"], "windows": 2})
    assert sum(row.windows for row in trend(path).rows) == 3
    added = trend(path, rule="round-robin", every="window").rows
    expected = sorted(row.unfairness["round-robin"].value for row in record.windows)
    assert sorted(row.unfairness.value for row in added) == pytest.approx(expected)


def week(
    *values: float, since: int, organizations: tuple[str, ...] = ("a", "b"), clock: Clock | None = None
) -> list[StoredWindow]:
    found = []
    for i, value in enumerate(values):
        opens = None if clock is None else clock.text(since + i)
        found.append(
            StoredWindow(since + i, since + i, opens, 0.5, {"fifo": "1"}, {"fifo": str(value)}, organizations, False)
        )
    return found


def every(length: str) -> AuditTrend:
    return AuditTrend(rule="fifo", every=length)


def undated() -> Log:
    return Log({"submit": [0, 10**7], "run": [1, 1], "allocated": [1, 1]})


def test_periods_begin_on_mondays_and_with_months() -> None:
    clock = clock_of(dated(undated()))  # Saturday, 30 October 2004, 23:30
    moments = ((0, (1,)), (1_800, (2, 4)), (90_000 + 1_800, (8,)), (9 * 86_400, (3,)))
    kept = [window for since, values in moments for window in week(*values, since=since, clock=clock)]
    expected = {
        "day": ["2004-10-30", "2004-10-31", "2004-11-01", "2004-11-08"],
        "week": ["2004-10-25", "2004-11-01", "2004-11-08"],
        "month": ["2004-10-01", "2004-11-01"],
    }
    for length, since in expected.items():
        assert [row.since for row in trend_of(kept, every(length), scenario="s").rows] == since
    undatable = [window for since, values in moments for window in week(*values, since=since)]
    assert [row.since for row in trend_of(undatable, every("week"), scenario="s").rows] == ["0 s", "604,800 s"]


def test_means_and_limits_are_students() -> None:
    record = trend_of(week(1, 2, 6, since=0), every("week"), scenario="s")
    (row,) = record.rows
    assert row.to_others.value == 3
    assert row.unfairness.value == 1
    assert row.to_others_high is not None
    assert row.to_others_high.value == pytest.approx(3 + 4.302653 * statistics.stdev([1, 2, 6]) / 3**0.5)
    assert row.to_others_low is not None
    assert row.to_others_low.value == 0  # nothing is fairer than fair
    assert record.last is None


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ((1, 2, 3), (101, 102, 103), "1 min 38 s to 1 min 42 s more."),
        ((101, 102, 103), (1, 2, 3), "1 min 38 s to 1 min 42 s less."),
        ((1, 2, 30), (2, 3, 20), "which may be chance ("),
        ((1,), (2, 3), "too few windows to tell"),
        ((0, 0), (0,), "fair in all of them."),
        ((1, 1), (2, 2), "too few windows to tell"),
    ],
)
def test_the_last_two_periods_are_told_apart(old: tuple[int, ...], new: tuple[int, ...], told: str) -> None:
    kept = week(*old, since=0) + week(*new, since=604_800)
    first, mean, sentence = text.audit_trend(trend_of(kept, every("week"), scenario="s").to_dict())
    assert told in sentence.text
    assert f"in the week of 0 s ({len(old)} window" in sentence.text
    assert first.text.startswith(
        f"The store s has {len(old) + len(new)} windows under fifo in 2 weeks, from that of 0 s"
    )
    lost = duration_text(statistics.mean(old + new))
    assert mean.text.startswith(f"Of all organizations work is {lost} later or earlier than fair by others")


def test_other_organizations_are_said() -> None:
    kept = week(1, since=0) + week(2, since=1, organizations=("a", "c"))
    record = trend_of(kept, every("week"), scenario="s")
    assert not record.same_organizations
    assert any("not the same" in sentence.text for sentence in text.audit_trend(record.to_dict()))


def test_what_is_no_store_of_audits_has_no_trend(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="found no such file"):
        trend(tmp_path / "s")
    ask(store=tmp_path / "s", **RULES)
    with pytest.raises(UnknownNameError, match="rule: 'fiffo' is not known; known: fair-share, fifo"):
        trend(tmp_path / "s", rule="fiffo")
    with Store.open(tmp_path / "other", {"a": 1}, Columns((), ("b",))), pytest.raises(InputError, match="no windows"):
        trend(tmp_path / "other")


def test_differences_have_welchs_limits() -> None:
    from scipy.stats import ttest_ind

    rng = random.Random(5)
    for _ in range(50):
        x, y = ([rng.gauss(0, rng.uniform(0.5, 9)) for _ in range(rng.randint(2, 9))] for _ in range(2))
        found, theirs = difference(x, y), ttest_ind(x, y, equal_var=False).confidence_interval(0.95)
        assert (found.low, found.high) == (pytest.approx(theirs.low), pytest.approx(theirs.high))


def test_a_trend_of_one_account_from_a_day_on(tmp_path: Path) -> None:
    """By its own losses in the store, whatever the order of names in the record."""
    path = tmp_path / "s"
    record = ask(log=dated(), store=path, windows=3, rules=["fifo", "ref"], rule="fifo")
    names = [row.name for row in record.organizations if row.rule == "fifo"]
    signs = set()
    for name in names:
        rows = trend(path, rule="fifo", every="window", account=name).rows
        with Store.read(path) as store:
            results = [read_result(outcome.task, store) for outcome in store.outcomes()]
        results.sort(key=lambda result: result.start)
        for row, result in zip(rows, results, strict=True):
            u, mine = result.names.index(name), result.of("fifo")
            work = result.fair.parts[u]
            late = (result.fair.utility[u] - mine.utility[u]) / work
            loss = float(mine.losses[u]) / work
            assert row.unfairness.value == pytest.approx(late)
            assert row.to_others.value == pytest.approx(loss)
            signs.add((row.to_others.value > 0) - (row.to_others.value < 0))
    assert {-1, 1} <= signs
    data = trend(path, rule="fifo", every="window", account="cms").to_dict()
    assert text.audit_trend(data)[1].text.startswith("Work of cms alone is ")
    assert "what cms loses to others under fifo over time" in str(trend(path, rule="fifo", account="cms"))
    opens = [row.since for row in trend(path, rule="fifo", every="window").rows]
    later = trend(path, rule="fifo", every="window", since=opens[1]).rows
    assert [row.since for row in later] == opens[1:]
    start = sorted(row.start for row in record.windows)[1]
    assert trend(path, rule="fifo", every="window", since=start).rows == later
    with pytest.raises(UnknownNameError, match=r"account: 'cm' is not known; known: .* Did you mean 'cms'"):
        trend(path, rule="fifo", account="cm")
    with pytest.raises(InputError, match="since: no window opens from then on; the last of the store opens at 2004-"):
        trend(path, rule="fifo", since="2005-01-01")
