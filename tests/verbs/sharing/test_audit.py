"""The audit: numbers against plain definitions, processes, words, figures, the command."""

from __future__ import annotations

import json
import math
import statistics
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import consortium
from consortium import api
from consortium.cli.app import app
from consortium.mechanisms.sharing.simulation import simulate
from consortium.support.errors import ConsortiumError, InputError, TooLargeError, UnknownNameError
from consortium.verbs.compare import Choice
from consortium.verbs.options import read_options
from consortium.verbs.records import Statistic
from consortium.verbs.sharing import windows
from consortium.verbs.sharing.audit import audit
from consortium.verbs.sharing.model import Rule, instance_of
from consortium.verbs.sharing.options import Audit, shares_of
from consortium.verbs.sharing.plan import default_owner, plan_of
from consortium.verbs.sharing.windows import recorded, rule_seed
from consortium.workloads import SETTINGS, Log, Plan, poisson_bags

from .logs import FEW, Turns, ask, ask_gaming, asked, busy_log, explanation, psi, sentence, without_times


def test_every_number_follows_from_its_definition() -> None:
    log = busy_log()
    record = ask(log=log, seed=5, rule="fair-share")
    plan = plan_of(log, asked(machines=6, duration=800, seed=5))
    unfairness: dict[str, list[float]] = {label: [] for label in FEW}
    received = dict.fromkeys(("atlas", "cms", "bio"), 0)
    best, parts = dict(received), dict(received)
    deserved: dict[str, Fraction] = dict.fromkeys(received, Fraction(0))
    for i in range(4):
        work = plan.window(log, i).by_name()
        instance = instance_of(work)
        fair = simulate(instance, rule="ref", until=801)
        assert fair.contribution is not None
        p_tot = sum(
            min(p, 801 - s) for s, p in zip(fair.start.tolist(), instance.length.tolist(), strict=True) if s >= 0
        )
        for label in FEW:
            if label == "recorded":
                outcome = recorded(instance, work)
            else:
                choice, seed = Choice.parse("sharing", label), rule_seed(5, i, label)
                outcome = simulate(instance, rule=choice.rule, until=801, seed=seed, **choice.options)
            utilities = []
            for u in range(3):
                mine = slice(int(instance.first[u]), int(instance.first[u + 1]))
                utilities.append(psi(outcome.start[mine].tolist(), instance.length[mine].tolist(), 801))
            distance = sum(abs(a - int(b)) for a, b in zip(utilities, fair.utility, strict=True))
            unfairness[label].append(distance / p_tot)
            if label == "fair-share":
                for u, name in enumerate(work.names):
                    received[name] += utilities[u]
                    best[name] += int(fair.utility[u])
                    parts[name] += fair.parts[u]
                    deserved[name] += fair.contribution[u]
    for row in record.rows:
        values = unfairness[row["rule"]]
        assert row["values"]["unfairness"].value == pytest.approx(statistics.fmean(values))
        assert row["values"]["deviation"].value == pytest.approx(statistics.pstdev(values))
    assert max(unfairness["fifo"]) > 0
    assert unfairness["ref"] == [0, 0, 0, 0]
    rows = {row.name: row for row in record.organizations if row.rule == "fair-share"}
    assert {name: row.utility for name, row in rows.items()} == received
    assert {name: row.contribution for name, row in rows.items()} == deserved
    for name, row in rows.items():
        assert row.excess is not None
        assert row.excess.value == pytest.approx(100 * float(received[name] / deserved[name] - 1))
        assert row.fair_excess is not None
        assert row.fair_excess.value == pytest.approx(100 * float(best[name] / deserved[name] - 1))
        assert row.delay is not None
        assert row.delay.value == pytest.approx((best[name] - received[name]) / parts[name])
        assert row.factor is not None
        assert row.factor.value == pytest.approx(2 ** (-row.usage.value / row.share.value))
        assert isinstance(row.level, Statistic)
        assert row.level.value == pytest.approx(row.share.value / row.usage.value)


def test_recorded_starts_are_the_logs_own() -> None:
    log = Log(
        {"submit": [0, 1, 4], "wait": [0, 3, 9], "run": [5, 6, 1], "allocated": [1, 1, 1], "group": [0, 1, 0]},
        header={"MaxProcs": ("2",)},
    )
    work = Plan(duration=10, start=0, organizations="group", shares="equal").window(log)
    outcome = recorded(instance_of(work), work)
    assert work.names == ("group 0", "group 1")
    assert outcome.start.tolist() == [0, -1, 4]  # the third job started at 13, after the window
    assert outcome.utility == (psi([0], [5], 10), psi([4], [6], 10))
    unknown = busy_log(wait=False)
    with pytest.raises(InputError, match="how long the jobs waited"):
        ask(log=unknown)
    assert "recorded" not in [row["rule"] for row in ask(log=unknown, rules=None, windows=1).rows]
    assert "recorded" in [row["rule"] for row in ask(rules=None, windows=1).rows]


def test_nothing_depends_on_processes_or_on_the_other_rules() -> None:
    rules = dict(zip(FEW, FEW, strict=True)) | {"mine": Turns()}
    more = {"series": True}
    alone = ask(seed=3, rules=rules, **more)
    assert alone.complete
    assert without_times(ask(seed=3, rules=rules, processes=2, **more)) == without_times(alone)
    fewer = ask(seed=3, rules=["rand:samples=3", "fair-share"])
    for row in fewer.rows:
        same = next(other for other in alone.rows if other["rule"] == row["rule"])
        assert row["values"]["unfairness"] == same["values"]["unfairness"]
    assert ask(seed=4).windows != ask(seed=3).windows
    one, two = (ask_gaming(seed=3, rules=rules, rule="mine", tries=13, windows=2, processes=n) for n in (1, 2))
    assert one.to_dict() == two.to_dict()


def test_default_organizations() -> None:
    log = busy_log()
    assert default_owner(log) == "group"
    columns = {name: log.column(name) for name in ("submit", "run", "allocated", "user")}
    assert default_owner(Log(columns)) == 5
    assert default_owner(Log({**columns, "group": log.group, "account": log.user})) == "account"
    assert plan_of(log, asked()).shares == "equal"
    assert plan_of(Log(columns, header={"MaxProcs": ("9",)}), asked()).shares == "zipf"
    assert plan_of(log, asked()).machines == 6
    assert (
        plan_of(Log({**columns, "wait": log.column("wait")}), asked()).machines
        == Log({**columns, "wait": log.column("wait")}).peak_processors()
    )
    with pytest.raises(InputError, match="how many processors"):
        plan_of(Log(columns), asked())


def test_a_short_log_is_one_window() -> None:
    record = ask(duration=None, rules=["fifo"], rule="fifo")
    span = int(busy_log().submit[-1] - busy_log().submit[0])
    assert [(w["start"], record.plan["duration"]) for w in record.windows] == [(0, span + 1)]
    assert record.windows[0]["jobs"] == int(busy_log().processors.sum())
    assert plan_of(busy_log(), asked(start=7)).duration == 50_000
    with pytest.raises(InputError, match="give less, or a start"):
        ask(duration=span)


def test_peak_processors_by_counting() -> None:
    log = busy_log(n=40)
    busy = [0] * 6_000
    for s, w, p, q in zip(log.submit, log.column("wait"), log.run, log.processors, strict=True):
        for t in range(s + w, s + w + p):
            busy[t] += int(q)
    assert log.peak_processors() == max(busy)
    assert busy_log(wait=False).peak_processors() is None


def test_shares_by_name() -> None:
    record = ask(shares={"atlas": 3, "cms": 2, "bio": 1}, machines=None, windows=1)
    machines = {row.name: row.machines.value for row in record.organizations}
    assert machines == {"atlas": 3, "cms": 2, "bio": 1}
    with pytest.raises(UnknownNameError, match="Did you mean 'atlas'"):
        ask(shares={"atals": 3, "cms": 2, "bio": 1})
    with pytest.raises(InputError, match="no number for"):
        ask(shares={"atlas": 3})
    with pytest.raises(InputError, match="organizations with names"):
        ask(shares={"atlas": 3}, organizations=3)


def test_too_many_organizations() -> None:
    with pytest.raises(TooLargeError, match="every coalition"):
        audit(
            Log({"submit": range(20), "run": [1] * 20, "allocated": [1] * 20, "user": range(20)}),
            asked(organizations="user", machines=20, limit=20, against="ref"),
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"windows": 10**30}, "expected an integer from 1 to 1000000"),
        ({"duration": 10**30}, "expected an integer from 1 to 2305843009213693952"),
        ({"start": 10**30}, "expected an integer from 0 to 2305843009213693952"),
        ({"machines": 10**30}, "found 1000000000000000000000000000000; expected at most 1,000,000,000"),
        ({"machines": 10**9}, "direct-contribution would take 22.4 GiB for 1,000,000,000 machines"),
        ({"organizations": 10**30}, "expected a number of organizations from 1 to 10,000, or one of"),
        ({"rules": [f"rand:samples={10**30}"]}, "expected a number of orderings from 1 to 10,000,000, or 'all'"),
        ({"rules": ["rand:samples=" + "9" * 5000]}, "expected a number of orderings from 1 to 10,000,000, or 'all'"),
        ({"organizations": "grup"}, "Did you mean 'group'?"),
        (
            {"organizations": 0},
            "organizations: found 0; expected a number of organizations from 1 to 10,000, or one of",
        ),
        (
            {"shares": "zipff"},
            "shares: found 'zipff'; expected one of zipf, equal, whole numbers >= 0 like 4,2,1, such",
        ),
        (
            {"shares": {"atlas": -1}},
            "shares: found a table; expected one of zipf, equal, whole numbers >= 0 like 4,2,1, such",
        ),
        ({"shares": {1: 2}}, "such numbers by name like atlas=4,cms=2 or by path like "),
        ({"rules": ["rand:samples=none"]}, "mechanism.samples: found 'none'"),
        ({"rules": ["fair-shar"]}, "Did you mean 'fair-share'"),
        ({"rule": "fifoo"}, "Did you mean 'fifo'"),
        ({"rules": ["rand:sampels=3"]}, "option of rule 'rand'"),
        ({"rules": ["fifo", "fifo"]}, "each rule once; 'fifo' is listed twice"),
        ({"rules": ["ref:utility=tardiness"]}, "another utility: a job log has no due dates"),
    ],
)
@pytest.mark.usefixtures("log_folder")
def test_options_are_refused_in_a_sentence(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConsortiumError) as caught:
        consortium.audit("busy.swf", **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_log_is_a_path() -> None:
    with pytest.raises(InputError, match="audit: found Log; expected the path of a log"):
        consortium.audit(busy_log())  # type: ignore[arg-type]


def test_a_window_without_jobs_is_fair() -> None:
    log = Log({"submit": [0, 5_000], "run": [1, 1], "allocated": [1, 1], "group": [0, 1]}, header={"MaxProcs": ("2",)})
    record = ask(log=log, start=100, duration=50, rules=["fifo", "ref"], rule="fifo", machines=2)
    assert len(record.windows) == 1
    assert record.windows[0]["jobs"] == 0
    assert [row["values"]["unfairness"].value for row in record.rows] == [0, 0]
    assert explanation(record) == ["No work of theirs was done, nor would fair do any: group 0 and group 1."]


def test_the_window_over_time_ends_where_the_audit_ends() -> None:
    record = ask(series=True, windows=3, rule="fair-share")
    series = record.series
    assert series is not None
    assert series["times"][-1] == 801
    worst = max(record.windows, key=lambda window: window["to_others"]["fair-share"].value)
    assert series["window"] == worst["window"]
    plan = plan_of(busy_log(), asked(machines=6, duration=800))
    work = plan.window(busy_log(), series["window"] - 1).by_name()
    instance = instance_of(work)
    fair = simulate(instance, rule="ref", until=801)
    mine = simulate(instance, rule="fair-share", until=801)
    assert fair.contribution is not None
    expected = [float(a - b) for a, b in zip(mine.utility, fair.contribution, strict=True)]
    assert [values[-1].value for values in series["balance"].values()] == expected


@pytest.mark.parametrize("rule", ["fifo", "round-robin"])
def test_releases_and_ends_exactly_at_a_moment_of_the_window(rule: str) -> None:
    """Every second is a moment: who is busy or asks in the second before it, counted job by job."""
    releases, lengths = [0, 0, 1, 5, 5, 6, 12, 23], [5, 3, 4, 7, 2, 6, 1, 1]
    log = Log(
        {"submit": releases, "run": lengths, "allocated": [1] * 8, "group": [0, 1] * 4}, header={"MaxProcs": ("2",)}
    )
    series = ask(log=log, start=0, duration=23, rules=[rule], rule=rule, machines=2, series=True).series
    assert series is not None
    assert series.times == tuple(range(1, 25))
    plan = plan_of(log, asked(machines=2, start=0, duration=23))
    instance = instance_of(plan.window(log).by_name())
    begun = simulate(instance, rule=rule, until=24).start.tolist()
    jobs = list(zip(begun, instance.release.tolist(), instance.length.tolist(), strict=True))
    busy = [sum(s <= slot < s + p for s, _, p in jobs) for slot in range(24)]
    waiting = [sum(r <= slot < s for s, r, _ in jobs) for slot in range(24)]
    assert list(series.busy) == busy
    assert list(series.requested) == [b + w for b, w in zip(busy, waiting, strict=True)]
    assert max(waiting) > 0


@pytest.mark.usefixtures("log_folder")
def test_estimate_grows_with_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("consortium.verbs.sharing.estimate.time.process_time", lambda: 0.0)  # reading took no time
    one, many = (api.estimate("audit", "busy.swf", windows=n, duration=800) for n in (1, 10))
    assert (one.size, many.size) == (10, 100)  # nine rules, and what was recorded
    assert one.seconds is not None
    assert many.seconds is not None
    assert one.seconds < many.seconds < 10 * one.seconds  # loading code is not done ten times
    assert api.estimate("audit", "busy.swf", windows=10).size == 10  # a short log is one window


@pytest.mark.usefixtures("log_folder")
@pytest.mark.parametrize(("text", "seconds"), [("10min", 600), ("0-0:10:00", 600), ("600", 600)])
def test_a_duration_may_have_a_unit(text: str, seconds: int) -> None:
    command = ["audit", "busy.swf", "--windows", "2", "--rules", "fifo", "--json", "--duration", text]
    shown = CliRunner().invoke(app, command, catch_exceptions=False)
    assert json.loads(shown.stdout)["plan"]["duration"] == seconds
    assert asked(duration=text).duration == seconds
    wrong = CliRunner().invoke(app, [*command[:-1], "10 moons"])
    assert "--duration: found '10 moons'; expected an integer" in str(wrong.exception)


def test_the_command(log_folder: Path) -> None:
    runner = CliRunner()
    command = ["audit", "busy.swf", "--windows", "2", "--duration", "800", "--processes", "1"]
    shown = runner.invoke(app, command, catch_exceptions=False)
    assert shown.exit_code == 0
    for text in ("95 % limits", "LevelFS S/U", "fair-share factor", "what this means under recorded", "as the cluster"):
        assert text in shown.stdout
    as_json = runner.invoke(app, [*command, "--json", "--plot", "out.svg"], catch_exceptions=False)
    assert (log_folder / "out.svg").read_text().count("<svg") == 1
    data = json.loads(as_json.stdout)
    assert (data["verb"], data["kind"], data["complete"], data["exact"]) == ("audit", "sharing", True, False)
    assert [row["rule"] for row in data["rows"]][:3] == ["recorded", "ref", "rand"]
    assert data["log"]["report"]["kept"] == 150
    by_python = consortium.audit("busy.swf", windows=2, duration=800, series=True)  # which --plot asks for
    assert without_times(by_python) == without_times(data)
    dry = runner.invoke(app, [*command, "--dry-run"], catch_exceptions=False)
    assert "20 simulations" in dry.stdout
    assert runner.invoke(app, [*command, "--plot", "out.xyz"]).exit_code != 0
    assert isinstance(runner.invoke(app, [*command, "--rule", "none"]).exception, UnknownNameError)


def test_a_command_may_start_processes_and_a_script_may_not_unasked() -> None:
    assert read_options(Audit, {}, "audit", "command").processes == 0
    assert read_options(Audit, {}, "audit").processes == 1
    assert read_options(Audit, {"processes": "3"}, "audit", "command").processes == 3


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("zipf", "zipf"),
        ("4,2", [4, 2]),
        ("7", [7]),
        ("a=4, b=2", {"a": 4, "b": 2}),
        ("x=y=3", {"x=y": 3}),
    ],
)
def test_shares_on_the_command_line(text: str, found: object) -> None:
    assert shares_of(text) == found


def test_who_waits_for_another_is_later_than_fair() -> None:
    """The first organization owns both machines; in turns with the second, half of its work is done too late."""
    log = Log(
        {"submit": [0] * 8, "run": [10] * 8, "allocated": [1] * 8, "group": [0, 0, 0, 0, 1, 1, 1, 1]},
        header={"MaxProcs": ("2",)},
        labels={"group": {0: "owner", 1: "guest"}},
    )
    record = ask(log=log, start=0, duration=40, rules=["round-robin"], rule="round-robin", shares=[2, 0], machines=2)
    owner, guest = sorted(record.organizations, key=lambda row: row.name, reverse=True)
    own, fair = psi([0, 10, 20, 30], [10] * 4, 40), psi([0, 0, 10, 10], [10] * 4, 40)
    assert (owner.utility, owner.fair, guest.utility, guest.fair) == (
        own,
        fair,
        own,
        psi([20, 20, 30, 30], [10] * 4, 40),
    )
    assert (owner.delay.value, guest.delay.value) == (10, -10)  # seconds per unit of work
    assert owner.fair_excess.value == pytest.approx(100 * float(fair / owner.contribution - 1))
    assert "its work was done 10 s later than fair (one window, so no limits)." in sentence(owner)
    assert explanation(record)[0] == sentence(owner)  # who is wronged by the rule comes first
    assert "less than it contributed" in sentence(owner)
    assert record.windows[0].p_tot == 80
    assert record.rows[0].values["unfairness"].value == 2 * 400 / 80


def test_level_of_an_idle_organization_is_infinite() -> None:
    log = Log(
        {"submit": [0, 1, 2], "run": [50, 50, 50], "allocated": [1] * 3, "group": [0, 0, 1]},
        header={"MaxProcs": ("2",)},
    )
    record = ask(log=log, start=0, duration=2, rules=["fair-share"], machines=2)
    idle = next(row for row in record.organizations if row.name == "group 1")
    assert idle.level == math.inf
    assert idle.delay is None
    assert idle.usage.value == 0


@pytest.mark.paper("SR14")
@pytest.mark.parametrize("name", ["busy", "overload"])
def test_synthetic_settings_order_the_rules_as_published(name: str) -> None:
    """Twenty windows: turns are worst, current shares next, sampled Shapley values best; the rest is not settled."""
    labels = ("round-robin", "current-fair-share", "utility-fair-share", "fair-share", "direct-contribution", "rand")
    wanted = tuple(Rule(label, label) for label in labels)
    mean = dict.fromkeys(labels, 0.0)
    for i in range(20):
        work = poisson_bags(np.random.default_rng([7, i]), SETTINGS[name])
        for result in windows.measure(windows.Task(i, work, wanted, 1)).rules:
            mean[result.label] += float(result.unfairness) / 20
    middle = [mean[label] for label in labels[2:5]]
    assert mean["round-robin"] > mean["current-fair-share"] > max(middle)
    assert min(middle) > mean["rand"] > 0


def test_the_window_that_is_followed_is_the_least_fair_one() -> None:
    for seed in range(3):
        record = ask(seed=seed, windows=4, series=True, rules=["fifo"], rule="fifo")
        unfair = [window.to_others["fifo"].value for window in record.windows]
        assert len(set(unfair)) > 1
        assert record.series is not None
        assert record.series.window == 1 + unfair.index(max(unfair))


def test_little_work_starts_no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless told otherwise: all cores are for audits that take longer than it takes to start them."""
    started: list[int] = []
    start = windows.executor
    monkeypatch.setattr(windows, "executor", lambda n: (started.append(n), start(n))[1])
    ask(windows=2, processes=0)
    assert started == [1]
