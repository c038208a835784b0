"""Comparisons of rules on listed jobs and on windows of a log."""

from __future__ import annotations

import statistics
from fractions import Fraction

import pytest

import consortium
from consortium.scenarios.problems import ScenarioError
from consortium.support.errors import InputError, UnknownNameError
from consortium.verbs.sharing.model import log_of, plan

from .files import scenario


def test_files_cannot_start_processes_or_write_stores() -> None:
    for options in ({"processes": 2}, {"store": "kept"}):
        data = scenario() | {"expect": {"compare": {"options": options, "complete": True}}}
        with pytest.raises(ScenarioError, match=f"expect.compare.options.{next(iter(options))}: found an unknown key"):
            consortium.check([data])


def test_compare_one_scenario_under_rules() -> None:
    record = consortium.compare(scenario(timing="now"), rules=["ref", "ref:timing=next", "fifo", "rand:samples=all"])
    rows = {row["rule"]: row["values"] for row in record.rows}
    assert rows["ref:timing=next"]["unfairness"] == 0
    assert rows["fifo"]["unfairness"] == Fraction(8 + 6, 9)
    assert rows["fifo"]["utilization"] == rows["ref"]["utilization"]
    assert consortium.compare(scenario()).columns == (
        *("unfairness", "unfairness_low", "unfairness_high", "deviation", "utilization", "seconds"),
    )
    assert len(consortium.compare(scenario()).rows) == 9


def test_labels_stand_for_rules(traced) -> None:
    """A table of rules by label means the same on listed jobs and on windows; the seed of a rule is its label's."""
    for data in (scenario(timing="now"), traced):
        record = consortium.compare(data, rules={"queue": "fifo", "few": "rand:samples=2"})
        assert [row.rule for row in record.rows] == ["queue", "few"]
        plain_rows = consortium.compare(data, rules=["fifo"]).rows
        assert record.rows[0].values["unfairness"] == plain_rows[0].values["unfairness"]
        with pytest.raises(UnknownNameError, match="Did you mean 'samples'"):
            consortium.compare(data, rules={"few": "rand:sampels=2"})
        with pytest.raises(ScenarioError, match=r"mechanism.samples: found 'many'"):
            consortium.compare(data, rules=["rand:samples=many"])


def test_options_said_with_a_rule_replace_the_scenarios_own() -> None:
    """How many orderings are drawn is said in one way: what the name says takes the place of what the file says."""
    own = scenario("rand", epsilon="1/2", confidence="9/10", timing="now")
    values = {
        row.rule: row.values["unfairness"]
        for row in consortium.compare(own, rules=["rand", "rand:samples=all", "rand:confidence=1/2"]).rows
    }
    every = consortium.run(scenario("rand", samples="all", timing="now"))
    assert values["rand:samples=all"] == every.unfairness
    with pytest.raises(ScenarioError, match="nothing beside samples"):
        consortium.compare(own, rules=["rand:samples=3:epsilon=1/4"])


def test_compare_several_scenarios() -> None:
    record = consortium.compare([scenario(), scenario("fifo"), scenario("round-robin")])
    assert [row["rule"] for row in record.rows] == ["ref", "fifo", "round-robin"]
    with pytest.raises(InputError, match="other organizations or jobs"):
        consortium.compare([scenario(), scenario("fifo", until=8)])
    named = [scenario() | {"title": "here"}, scenario("fifo") | {"title": "there"}]
    record = consortium.compare(named, rules=["round-robin", "fifo"])
    assert [(row.scenario, row.rule) for row in record.rows] == [
        ("here", "round-robin"), ("here", "fifo"), ("there", "round-robin"), ("there", "fifo"),
    ]  # fmt: skip
    with pytest.raises(UnknownNameError):
        consortium.compare(scenario(), rules=["fairshare"])


def test_compare_on_windows_of_a_log(traced) -> None:
    record = consortium.compare(traced, rules=["ref", "fifo", "round-robin"])
    assert [window["window"] for window in record.windows] == [1, 2, 3]
    rows = {row["rule"]: row["values"] for row in record.rows}
    assert rows["ref"]["unfairness"].value == 0
    turns = [window.unfairness["round-robin"].value for window in record.windows]
    assert rows["round-robin"]["unfairness"].value == pytest.approx(statistics.fmean(turns))
    assert rows["round-robin"]["deviation"].value == pytest.approx(statistics.pstdev(turns))
    assert statistics.pstdev(turns) > 0
    one = consortium.compare(traced, rules=["fifo"], overrides={"trace.start": 5})
    assert len(one.windows) == 1


def test_compare_tells_what_each_organization_got_and_gave(traced) -> None:
    record = consortium.compare(scenario(), rules=["fifo", "ref"])
    fair, fifo = consortium.run(scenario()), consortium.run(scenario("fifo"))
    rows = [
        (row["rule"], row["name"], row["utility"], row["fair"], row["contribution"]) for row in record.organizations
    ]
    expected = [
        (rule, ideal.name, mine.utility, ideal.utility, ideal.contribution)
        for rule, run in (("fifo", fifo), ("ref", fair))
        for mine, ideal in zip(run.organizations, fair.organizations, strict=True)
    ]
    assert rows == expected
    summed = consortium.compare(traced, rules=["fifo"])
    alone = [consortium.compare(traced, rules=["fifo"], overrides={"trace.start": w["start"]}) for w in summed.windows]
    assert len(summed.organizations) == 3
    assert [window["jobs"] for window in summed.windows] == [one.windows[0]["jobs"] for one in alone]


def test_compare_on_windows_uses_the_scenarios_own_options(traced) -> None:
    few = {"mechanism": {"rule": "rand", "samples": 1}, "trace.windows": 2, "trace.machines": 3}
    own = consortium.compare(traced, rules=["rand", "rand:samples=all"], overrides=few)
    every = consortium.compare(
        traced, rules=["rand"], overrides={**few, "mechanism": {"rule": "rand", "samples": "all"}}
    )
    values = {row["rule"]: row["values"]["unfairness"] for row in own.rows}
    assert values["rand:samples=all"] == every.rows[0]["values"]["unfairness"]
    assert values["rand"] != values["rand:samples=all"]


def test_compare_on_windows_stores_and_resumes(traced, tmp_path) -> None:
    kept = tmp_path / "kept.jsonl"
    record = consortium.compare(traced, rules=["fifo"], store=kept)
    again = consortium.compare(traced, rules=["fifo"], store=kept)
    assert again.to_dict() == record.to_dict()  # run times included: nothing ran again
    with pytest.raises(InputError, match=r"another question: .*duration"):
        consortium.compare(traced, rules=["fifo"], store=kept, overrides={"trace.duration": 50})
    assert sum(row.windows for row in consortium.audit_trend(kept, rule="fifo").rows) == 3
    path, own = tmp_path / "rand.jsonl", {"mechanism": {"rule": "rand", "samples": 2}}
    consortium.compare(traced, rules=["rand"], store=path, overrides=own)
    with pytest.raises(InputError, match="'rand' stands there for rand:samples=2; found rand;"):
        consortium.compare(traced, rules=["rand"], store=path)
    with pytest.raises(InputError, match="one scenario with"):
        consortium.compare(scenario(), rules=["fifo"], store=kept)
    with pytest.raises(InputError, match="needs a job log"):
        consortium.compare(scenario(), rules=["recorded"])


def test_recorded_starts_are_compared_by_the_log_alone(traced) -> None:
    """No job of this log waited: what was recorded is worth what the jobs are worth that start when released."""
    record = consortium.compare(traced, rules=["fifo", "recorded"])
    assert [row.rule for row in record.rows] == ["fifo", "recorded"]
    found = consortium.load(traced)
    log, worth = log_of("log.swf", found.folder), dict.fromkeys((row.name for row in record.organizations), 0)
    for i in range(3):
        work = plan(found).window(log, i)
        for u, start, length in zip(work.owner, work.release, work.length, strict=True):
            worth[work.names[u]] += sum(60 - t for t in range(start, min(start + length, 60)))
    assert {row.name: row.utility for row in record.organizations if row.rule == "recorded"} == worth


def test_compare_another_seed_draws_other_windows(traced) -> None:
    by_seed = {str(consortium.compare(traced, rules=["fifo"], seed=s).windows) for s in (3, 4, 5)}
    assert len(by_seed) == 3
    same = consortium.compare(traced, rules=["fifo"], seed=3).windows
    assert [w["start"] for w in same] == [w["start"] for w in consortium.compare(traced, rules=["fifo"]).windows]
