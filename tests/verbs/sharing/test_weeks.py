"""A week in which one account is starved, one in which another is held by a limit: what windows of it say."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import consortium
from consortium.support.errors import InputError
from consortium.verbs.sharing.audit_records import AuditRecord
from consortium.workloads.partition import by_column
from consortium.workloads.reading import read_log

DAY = 86_400
BEGIN = datetime(2026, 11, 2)
MACHINES = 4
NAMES = ("atlas", "bio", "chem", "dyn")
COLUMNS = "JobIDRaw|JobID|User|Account|Submit|Eligible|Start|End|Elapsed|State|AllocCPUS|ReqCPUS|Timelimit"
RULES_FILE = Path(__file__).parents[3] / "docs" / "howto" / "nightly" / "consortium.rules.yml"


def submitted(numbers: dict[str, int], days: int, seed: int, step: int = 1) -> list[tuple[int, str, int]]:
    """Submission, account and run time of jobs; with a step both are multiples of it, so that many tie."""
    rng = np.random.default_rng(seed)
    jobs = [
        (
            int(rng.integers(0, days * DAY)) // step * step,
            name,
            max(step, int(rng.integers(1_800, 14_400)) // step * step),
        )
        for name, number in numbers.items()
        for _ in range(number)
    ]
    return sorted(jobs)


def served(jobs: list[tuple[int, str, int]], last: str = "", one: str = "") -> list[tuple[int, str, int, int]]:
    """With the starts: first come, first served, but the account ``last`` after all others, ``one`` a job at a time."""
    waiting, running, done, moments = list(jobs), list[tuple[int, str]](), [], sorted({job[0] for job in jobs})
    while waiting:
        now = min(moments)
        moments = [each for each in moments if each > now]
        running = [each for each in running if each[0] > now]
        for job in sorted((job for job in waiting if job[0] <= now), key=lambda job: (job[1] == last, job[0])):
            if len(running) == MACHINES or (job[1] == one and any(name == one for _, name in running)):
                continue
            waiting.remove(job)
            running.append((now + job[2], job[1]))
            moments.append(now + job[2])
            done.append((job[0], job[1], job[2], now))
    return done


def dump(path: Path, jobs: list[tuple[int, str, int, int]], now: int = 2**40, since: int = 0) -> str:
    """What sacct says at a moment of the jobs that had not ended by another."""
    lines = [COLUMNS]
    for number, (submit, name, run, start) in enumerate(jobs, 1):
        if submit > now or start + run <= since:
            continue
        ran = max(0, min(run, now - start))
        state = "COMPLETED" if start + run <= now else "RUNNING" if start <= now else "PENDING"
        said = ((submit, True), (submit, True), (start, start <= now), (start + run, start + run <= now))
        times = "|".join(
            f"{BEGIN + timedelta(seconds=s):%Y-%m-%dT%H:%M:%S}" if known else "Unknown" for s, known in said
        )
        elapsed = f"{ran // 3600:02}:{ran // 60 % 60:02}:{ran % 60:02}"
        lines.append(f"{number}|{number}|{name}1|{name}|{times}|{elapsed}|{state}|1|1|08:00:00")
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def ask(path: str, **options: Any) -> AuditRecord:
    options = {"machines": MACHINES, "shares": dict.fromkeys(NAMES, 1), "rules": ["recorded", "fair-share"], **options}
    return consortium.audit(path, **options)


def sentences(record: AuditRecord) -> list[str]:
    return str(record).partition("\n\n")[0].splitlines()


@pytest.fixture(scope="module")
def starved(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Atlas fills the machines, bio runs what is left to it."""
    jobs = served(submitted({"atlas": 250, "bio": 40, "chem": 20, "dyn": 20}, 7, 3), last="bio")
    return dump(tmp_path_factory.mktemp("starved") / "cluster.psv", jobs)


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Chem may run one job at a time, and waits while machines are idle."""
    jobs = served(submitted({"atlas": 25, "bio": 25, "chem": 75, "dyn": 25}, 7, 3), one="chem")
    return dump(tmp_path_factory.mktemp("held") / "cluster.psv", jobs)


WEEK: dict[str, Any] = {"since": "2026-11-02", "until": "2026-11-09", "duration": "7d", "windows": 1}


def test_ties_do_not_depend_on_the_part_of_the_log_at_hand(tmp_path: Path) -> None:
    numbers = dict.fromkeys(NAMES, 60)
    jobs = served(submitted(numbers, 8, 11, step=1_800))
    nightly: dict[str, Any] = {"consecutive": True, "machines": MACHINES, "shares": "equal"}
    orders, stores = set(), [tmp_path / name for name in ("grown.db", "cut.db", "whole.db")]
    for night in (3, 4, 6, 8, 10):
        now, since = night * DAY + 3 * 3600, max(0, night - 3) * DAY
        for store, begin in zip(stores, (0, since), strict=False):
            path = dump(tmp_path / f"{store.stem}-{night}.psv", jobs, now, begin)
            orders.add(by_column(read_log(Path(path)), "account").names)
            day = (BEGIN + timedelta(seconds=since)).isoformat()
            ask(path, store=str(store), since=day, **nightly)
    ask(dump(tmp_path / "whole.psv", jobs), store=str(stores[-1]), since=BEGIN.isoformat(), **nightly)
    trends = [consortium.audit_trend(str(store), every="window").rows for store in stores]
    assert len(orders) > 2
    assert len(trends[-1]) >= 8
    assert trends[0][: len(trends[-1])] == trends[1][: len(trends[-1])] == trends[-1]
    assert sum(row.to_others.value > 0 for row in trends[-1]) >= 3


def test_days_that_forgive_a_backlog_say_so(starved: str) -> None:
    by_day, by_week = (
        ask(starved, **{**WEEK, "duration": None, "windows": None, "consecutive": True}),
        ask(starved, **WEEK),
    )
    assert by_day.fairness is not None
    assert by_week.fairness is not None
    losses = []
    for record in (by_day, by_week):
        row = next(row for row in record.organizations if row.name == "bio" and row.rule == "recorded")
        assert row.loss is not None
        losses.append(row.loss.value)
    assert losses[1] > 2 * losses[0]
    assert by_day.fairness.answer != "fair"
    assert by_day.fairness.forgiven == "bio"
    assert by_day.fairness.longer == 7 * DAY
    assert by_week.fairness.forgiven is None
    first, second, *_ = sentences(by_day)
    assert "bio loses most to others, at least " in first
    assert second.startswith("Of what the jobs of bio waited, ")
    assert second.endswith("take longer windows (--duration 7d).")


def test_the_alarm_rings_for_who_is_starved_not_for_who_is_held(starved: str, held: str, tmp_path: Path) -> None:
    alarm = re.search(r'expr: (consortium_audit_\w+)\{rule="recorded"\} > (\d+)\n', RULES_FILE.read_text())
    assert alarm is not None
    rings = []
    for path in (starved, held):
        ask(path, openmetrics=str(tmp_path / "week.prom"), **WEEK)
        lines = re.findall(r"^(\w+)\{(.*)\} (\S+)$", (tmp_path / "week.prom").read_text(), re.M)
        values = [(labels, float(value)) for name, labels, value in lines if name == alarm[1]]
        rings.append([labels for labels, value in values if 'rule="recorded"' in labels and value > int(alarm[2])])
        assert len(values) == len(NAMES)
    names = {re.findall('organization="(.*?)"', labels)[0] for labels in rings[0]}
    assert "bio" in names
    assert "atlas" not in names
    assert not rings[1]


@pytest.mark.parametrize("days", [True, False])
def test_who_waits_beside_idle_machines_is_held_and_nobody_gains_it(held: str, days: bool) -> None:
    record = ask(held, **({"consecutive": True, "since": "2026-11-02", "until": "2026-11-09"} if days else WEEK))
    assert record.fairness is not None
    assert (record.fairness.answer, record.fairness.held) == ("unfair" if days else "open", "chem")
    first = sentences(record)[0]
    assert "the work of chem was done" in first
    assert "its jobs wait while machines are idle (a limit on it, a partition, a reservation)" in first
    gained = [-row.loss.value for row in record.organizations if row.rule == "recorded" and row.loss is not None]
    late = {
        row.name: row.delay.value for row in record.organizations if row.rule == "recorded" and row.delay is not None
    }
    assert max(gained) < 600 < late["chem"] / 10
    assert max(gained) <= max(-value for value in late.values()) + 1e-6


def test_a_day_that_is_not_over_is_left_out(held: str, tmp_path: Path) -> None:
    jobs = served(submitted({"atlas": 25, "bio": 25, "chem": 75, "dyn": 25}, 7, 3), one="chem")
    night = dump(tmp_path / "night.psv", jobs, 4 * DAY + 3 * 3600)
    days = {"consecutive": True, "since": "2026-11-02"}
    starts = [row.opens for row in ask(night, **days).windows]
    assert starts == [f"2026-11-{day:02} 00:00:00" for day in (2, 3, 4, 5)]  # not the three hours of the 6th
    assert f"one after another, from {starts[0]} to 2026-11-06 00:00:00" in str(ask(night, **days))
    with pytest.raises(InputError, match="none lies whole in the part"):
        ask(night, **{**days, "since": "2026-11-06"})
    ends = max(start + run for *_, run, start in jobs)
    assert max(job[0] for job in jobs) < 7 * DAY < ends  # chem waits and runs after the last submission
    whole = [row.opens for row in ask(held, **days).windows]
    assert whole[-1] == f"{BEGIN + timedelta(days=ends // DAY - 1):%Y-%m-%d} 00:00:00"
    told = ask(held, **days, until=f"{BEGIN + timedelta(days=ends // DAY + 5):%Y-%m-%d}").windows
    assert len(told) == len(whole) + 1  # the log tells all of that day, and none opens after the last event


def test_windows_that_overlap_tell_as_much_as_cover_the_same_time(starved: str) -> None:
    many = ask(starved, duration="1d", windows=60, seed=2)
    assert many.fairness is not None
    assert many.fairness.independent is not None
    opens, covered, end = sorted(row.start for row in many.windows), 0, -DAY
    for start in opens:
        covered += min(DAY, start + DAY - end)
        end = start + DAY
    assert many.fairness.independent.value == pytest.approx(covered / DAY, rel=1e-3)
    assert "These 60 windows overlap and tell no more than" in str(many)
    apart = ask(starved, consecutive=True)
    assert apart.fairness is not None
    assert apart.fairness.independent is None
    widths = [_width(record) for record in (many, apart)]
    assert widths[0] > 0.5 * widths[1]


def _width(record: AuditRecord) -> float:
    row = next(row for row in record.organizations if row.name == "atlas" and row.rule == "recorded")
    assert row.delay_low is not None
    assert row.delay_high is not None
    return row.delay_high.value - row.delay_low.value


def test_who_is_surely_wronged_is_named_first_and_one_number_has_one_pair_of_limits(starved: str) -> None:
    record = ask(starved, duration="1d", windows=30, seed=5)
    assert record.fairness is not None
    text = "\n".join(sentences(record))
    if record.fairness.answer == "unfair":
        assert record.fairness.loser in record.fairness.wronged
        assert "which may be chance" not in text
    rows = [row for row in record.organizations if row.rule == "recorded" and row.loss is not None]
    for row in rows:
        assert row.loss is not None
        assert row.delay is not None
        assert row.delay_low is not None
        assert row.loss_low is not None
        if row.loss.value == pytest.approx(row.delay.value, abs=1e-6):
            assert row.loss_low.value == pytest.approx(row.delay_low.value, abs=1e-3)
