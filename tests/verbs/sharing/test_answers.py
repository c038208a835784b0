"""Answers of an audit that can be defended: how sure, assuming what, leaving what out, telling which rules apart."""

from __future__ import annotations

import dataclasses
import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import consortium
from consortium.reports.sharing.text import dominated
from consortium.reports.sharing.verdict import verdict
from consortium.support.errors import InputError
from consortium.support.intervals import Interval, mean
from consortium.verbs.sharing.plan import limit_of
from consortium.workloads import Log
from consortium.workloads.log import COLUMNS

from .logs import ask, assumptions, busy_log, comparison, dated, sentence


def test_numbers_are_weights_of_the_machines_there_are() -> None:
    """As Slurm's shares: by largest remainder, and said."""
    record = ask(shares=[50, 30, 20], machines=None, windows=1)
    assert {row.name: row.machines.value for row in record.organizations} == {"cms": 3, "atlas": 2, "bio": 1}
    assert record.plan.shares == (3, 2, 1)
    assert "The shares add up to 100 and were read as weights of 6 machines: 3, 2, 1" in assumptions(record)
    named = ask(shares={"atlas": 50, "cms": 30, "bio": 20}, machines=12, windows=1)
    assert {row.name: row.machines.value for row in named.organizations} == {"atlas": 6, "cms": 4, "bio": 2}
    exact = ask(shares=[3, 2, 1], machines=None, windows=1)
    assert exact.plan.shares == record.plan.shares
    assert not any("weights" in line for line in assumptions(exact))


def test_more_machines_busy_than_there_are_is_explained() -> None:
    record = ask(machines=3, windows=2, rules=["fifo", "recorded"], rule="fifo")
    assert record.rows[1].values["utilization"].value > 1
    assert any("recorded has the machines busy" in line and "than the 3" in line for line in comparison(record))
    assert not any("machines busy" in line for line in comparison(ask(windows=2, rules=["fifo"], rule="fifo")))


def test_nothing_is_later_than_the_window_is_long() -> None:
    """Done work is that of the fair schedule: what a rule starves would else be divided by the little that it does."""
    for seed in range(6):
        record = ask(log=busy_log(seed, n=400), seed=seed, machines=3, rules=["round-robin", "fifo"], rule="fifo")
        for row in record.organizations:
            assert row.delay is not None
            assert row.delay.value <= 800
            assert row.delay.value == pytest.approx((row.fair - row.utility) / row.fair_parts)


def test_work_that_is_not_done_is_said() -> None:
    """The guest owns nothing; in turns it gets half, and the owner's last jobs are not done in time."""
    log = Log(
        {"submit": [0] * 8, "run": [10] * 8, "allocated": [1] * 8, "group": [0, 0, 0, 0, 1, 1, 1, 1]},
        header={"MaxProcs": ("2",)},
        labels={"group": {0: "owner", 1: "guest"}},
    )
    record = ask(log=log, start=0, duration=25, rules=["round-robin"], rule="round-robin", machines=2, shares=[2, 0])
    owner = next(row for row in record.organizations if row.name == "owner")
    assert (owner.parts, owner.fair_parts) == (25, 40)
    assert "38 % of what fair does of it was not done before a window ended" in sentence(owner)


def holes(n: int, unknown: int, wait: int = -1) -> Log:
    log = busy_log(n=n)
    waits = log.column("wait").copy()
    waits[:unknown] = wait
    columns = {name: log.column(name) for name in COLUMNS} | {"wait": waits}
    return dataclasses.replace(log, columns=columns)


@pytest.mark.parametrize(("wait", "reason"), [(-1, "no start is known"), (-3_600, "started before it was submitted")])
def test_a_few_jobs_without_a_start_are_left_out_by_name(wait: int, reason: str) -> None:
    record = ask(log=holes(150, 2, wait), rules=None, windows=1)
    assert record.rows[0].rule == "recorded"
    skipped = record.log.report["skipped"][-1]
    assert skipped["reason"].startswith(reason)
    assert (skipped["count"], skipped["jobs"]) == (2, (1, 2))
    assert record.log.report["kept"] == 148


def test_many_jobs_without_a_start_are_said() -> None:
    record = ask(log=holes(150, 20), rules=None, windows=1)
    assert "recorded" not in [row.rule for row in record.rows]
    assert record.log.report["kept"] == 150
    assert any("20 of 150 jobs started" in line for line in assumptions(record))
    model = ask(log=busy_log(wait=False), rules=None, windows=1)
    assert any("when any job started" in line for line in assumptions(model))


def test_a_clock_that_was_set_back_hides_no_machines() -> None:
    log = dataclasses.replace(holes(150, 1, -3_600), header={})
    record = ask(log=log, machines=None, windows=1)
    assert any("the most that it has busy at once" in line for line in assumptions(record))


def test_windows_without_contention_tell_nothing() -> None:
    record = ask(machines=500, windows=4, rules=["fifo", "fair-share"], rule="fifo")
    *_, last = comparison(record)
    assert "Every rule gives everybody what is fair in these 4 windows" in last
    assert "At most 53 % of all such windows" in last


def test_rules_are_told_apart_window_by_window() -> None:
    record = ask(windows=12, rules=["fifo", "round-robin", "fair-share", "ref"], rule="fair-share", machines=4)
    told = " ".join(comparison(record))
    assert "ref" not in told.replace("there", "")
    for label in ("fifo", "round-robin"):
        apart = [w.to_others[label].value - w.to_others["fair-share"].value for w in record.windows]
        interval = mean(apart)
        assert (f"{label} (by" in told) == bool(interval.tells)
    alone = ask(windows=1, rules=["fifo", "fair-share"], machines=4)
    first, *others = comparison(alone)
    assert first == "One window says nothing of how the rules differ in others."
    assert others[0].startswith("When windows opened jobs ran on up to 8 machines; 4 are replayed")  # six were busy


def test_one_window_that_makes_most_of_it_is_named() -> None:
    record = ask(windows=6, machines=4, rules=["fair-share"], rule="fair-share")
    found = [window.to_others["fair-share"].value for window in record.windows]
    part = max(found) / sum(found)
    said = [line for line in comparison(record) if "alone makes" in line]
    assert bool(said) == (part > 0.5)
    calm = dominated(data_of([3, 2, 2]))
    assert calm == []
    (line,) = dominated(data_of([0, 30, 9]))
    assert line.startswith("Window 2 alone makes 76 % of what is lost to others under fifo")
    (line,) = dominated(data_of([0, 0, 1]))
    assert line.startswith("Window 3 alone makes all of what is lost to others")


def data_of(unfairness: list[int]) -> dict[str, Any]:
    """What is known of windows of which only the loss to others under fifo is known."""
    windows = [{"window": i, "to_others": {"fifo": float(value)}} for i, value in enumerate(unfairness, 1)]
    return {"rule": "fifo", "windows": windows}


def test_other_windows_do_not_contradict() -> None:
    """Five seeds draw other windows of one log: what one says with limits no other leaves out, and limits say much."""
    found: list[dict[tuple[str, str], Interval]] = []
    for seed in range(5):
        record = ask(log=busy_log(4, n=170), machines=5, rules=["fifo"], rule="fifo", windows=8, seed=seed)
        (row,) = record.rows
        values = [row.values[key] for key in ("unfairness", "unfairness_low", "unfairness_high")]
        limits = {("unfairness", "fifo"): Interval(*(value.value for value in values))}
        for one in record.organizations:
            assert one.delay is not None
            assert one.delay_low is not None
            assert one.delay_high is not None
            limits["delay", one.name] = Interval(one.delay.value, one.delay_low.value, one.delay_high.value)
        found.append(limits)
    for key in found[0]:
        lows, highs = ([getattr(limits[key], end) for limits in found] for end in ("low", "high"))
        assert max(lows) <= min(highs)
    assert max(limits["unfairness", "fifo"].low or 0 for limits in found) > 0


def test_rules_without_any_difference_are_named_apart() -> None:
    """No number of windows is said for what these windows show nothing of."""
    record = ask(
        windows=3, machines=4, rules={"fifo": "fifo", "again": "fifo", "round-robin": "round-robin"}, rule="fifo"
    )
    assert "No difference from fifo in these windows: again." in comparison(record)
    assert not any("again (" in line for line in comparison(record))


def test_what_is_assumed_is_said() -> None:
    told = assumptions(ask(limit=2, windows=1))
    part = next(line for line in told if line.startswith("The 2 groups with least work count as one owner, others; "))
    hidden = float(part.partition("they have ")[2].split()[0])
    assert hidden == pytest.approx(100 * hidden_work(busy_log(), 1), rel=0.01)
    unknown = "Who owns the machines is not in a log"
    assert f"{unknown}: as many were assumed for each owner, so that others, 2 owners, has 4 of 6 machines" in told
    assert f"{unknown}: equal shares were assumed" in assumptions(ask(windows=1))
    assert any("Users were dealt at random to 3 bags" in line for line in assumptions(ask(organizations=3, windows=1)))
    told = assumptions(ask(shares=[3, 2, 1], windows=1))
    assert told == ["Parallel jobs were run as copies of one machine each, which need not start together"]


def hidden_work(log: Log, named: int) -> float:
    """What part of the work is not that of so many groups with most."""
    work = {group: int((log.run * log.processors)[log.group == group].sum()) for group in range(3)}
    return sum(sorted(work.values())[: 3 - named]) / sum(work.values())


def test_so_many_organizations_are_shown_that_a_tenth_is_hidden() -> None:
    rng = np.random.default_rng(3)
    for sizes, limit in (([30] * 12, 12), ([300, 20, 10] + [1] * 30, 5), ([10] * 40, 14), ([5, 4], 5)):
        group = np.repeat(np.arange(len(sizes)), sizes)
        jobs = {"submit": np.arange(group.size), "run": [9] * group.size, "allocated": [1] * group.size}
        log = Log(jobs | {"group": group[rng.permutation(group.size)]})
        assert limit_of(log, "group", None) == limit
        shown = sorted(sizes, reverse=True)[: limit - 1]
        assert limit == 14 or sum(sizes) - sum(shown) <= sum(sizes) / 10 or len(sizes) <= limit


def test_a_part_by_dates_that_is_measured_whole_is_no_sample() -> None:
    """Of one window that is all of it nothing is random; all windows one after another leave none to look at."""
    asked: dict[str, Any] = {"log": dated(), "since": "2004-10-31", "rules": ["fifo"], "rule": "fifo"}
    one = str(ask(until="2004-10-31T00:10", duration=600, windows=1, **asked))
    assert "in 1 window of 600 s, the part asked for; " in one
    assert "random" not in one
    several = ask(until="2004-10-31T00:20", duration=400, consecutive=True, machines=3, **asked).to_dict()
    several["fairness"] |= {"answer": "open", "windows": 40, "disjoint": 3, "loser": "cms", "held": None}
    said = verdict(several)[0]
    assert "These 3 windows are all of the part asked for, and what was lost there is measured; about 40 like" in said
    assert "take a longer one" not in said


def test_what_rounding_makes_all_lose_is_not_said() -> None:
    data = ask(rules=["fifo"], rule="fifo").to_dict()
    for seconds, said in ((59.0, False), (-59.0, False), (61.0, True), (-61.0, True)):
        data["rows"][0]["values"]["common"] = seconds
        assert (
            any("All together" in line for line in verdict({**data, "fairness": data["fairness"] | {"held": None}}))
            is said
        )


def test_another_ref_is_told_from_the_rule_in_force() -> None:
    rules = {"fair-share": "fair-share", "now": "ref:timing=now"}
    assert "now" in " ".join(comparison(ask(rules=rules, windows=3, machines=4)))


def test_a_start_behind_the_log_is_refused() -> None:
    with pytest.raises(InputError, match=r"start: found 9,000,000 s .* but the last job of busy.swf is submitted"):
        ask(start=9_000_000)


def test_a_log_of_nobody_is_refused_in_a_sentence() -> None:
    nobody = Log({"submit": [0, 5], "run": [1, 1], "allocated": [1, 1]}, header={"MaxProcs": ("2",)}, name="bare.swf")
    with pytest.raises(InputError, match=r"bare\.swf names at most one user and no two groups"):
        ask(log=nobody, organizations=None)


@pytest.mark.usefixtures("log_folder")
def test_a_log_comes_from_a_pipe_too() -> None:
    packed = gzip.compress(Path("busy.swf").read_bytes())
    command = [sys.executable, "-m", "consortium", "audit", "-", "--windows", "1", "--duration", "800", "--json"]
    done = subprocess.run([*command, "--processes", "1"], input=packed, capture_output=True, check=True)
    data = json.loads(done.stdout)
    assert data["log"]["name"] == "standard input"
    by_path = consortium.audit("busy.swf", windows=1, duration=800).to_dict()
    assert data["organizations"] == by_path["organizations"]
