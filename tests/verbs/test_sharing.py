"""The verbs on kind sharing: records, certificates, comparisons, logs, dry runs, tables, pictures."""

from __future__ import annotations

import json

import pytest

import consortium
from consortium.api import estimate
from consortium.reports.figures import save_record
from consortium.reports.tables import plain, tables_of
from consortium.scheduling.errors import InputError, TooLargeError, UnknownNameError
from consortium.verbs.sharing.model import plan


def scenario(rule="ref", organizations=((1, [(0, 3), (0, 4)]), (1, [(0, 2)])), until=9, **options):
    return {
        "format": 1,
        "kind": "sharing",
        "title": "test",
        "until": until,
        "organizations": [
            {"name": f"n{i}", "machines": m, "jobs": [list(job) for job in jobs]}
            for i, (m, jobs) in enumerate(organizations, 1)
        ],
        "mechanism": {"rule": rule, **options},
    }


def test_record_of_ref() -> None:
    record = consortium.run(scenario()).to_dict()
    assert (record["method"], record["exact"], record["complete"]) == ("int64", True, True)
    assert "seed" not in record
    assert record["organizations"] == [
        {"name": "n1", "machines": 1, "jobs": 2, "utility": 46, "contribution": 44, "parts": 7},
        {"name": "n2", "machines": 1, "jobs": 1, "utility": 17, "contribution": 19, "parts": 2},
    ]
    assert record["value"] == 63
    assert (record["delta"], record["p_tot"], record["unfairness"]) == (0, 9, 0)
    assert record["utilization"] == "1/2"
    assert record["schedule"] == [[0, 1, 1, 1], [0, 2, 1, 2], [2, 1, 2, 2]]
    assert record["ends"] == [3, 2, 6]
    assert {row["name"]: row["value"] for row in record["coalitions"]} == {"n1": 42, "n2": 17, "n1+n2": 63}
    json.dumps(record)


def test_record_of_other_rules() -> None:
    fifo = consortium.run(scenario("fifo")).to_dict()
    assert [row["contribution"] for row in fifo["organizations"]] == [None, None]
    assert "coalitions" not in fifo
    assert [row["utility"] for row in fifo["organizations"]] == [54, 11]
    assert (fifo["delta"], fifo["unfairness"]) == (8 + 6, "14/9")
    direct = consortium.run(scenario("direct-contribution")).to_dict()
    assert direct["seed"] == 0
    listed = consortium.run(scenario("direct-contribution", machine_order="listed")).to_dict()
    assert "seed" not in listed
    assert sum(row["contribution"] for row in listed["organizations"]) == listed["value"]
    assert consortium.run(scenario("fifo"), measure=False).delta is None


def test_times_enter_negated() -> None:
    record = consortium.run(scenario(utility="flow-time"))
    assert [row.utility for row in record.organizations] == [-7, -5]
    assert record.value == -12
    assert record.delta == 14  # measured in psi_sp, as always
    tardy = scenario(organizations=((1, [(0, 3, 1)]),), utility="tardiness")
    assert consortium.run(tardy).organizations[0].utility == -2


def test_long_schedules_are_cut() -> None:
    record = consortium.run(scenario("fifo"), list=1)
    assert (len(record.schedule), record.schedule_left_out, len(record.ends)) == (1, 2, 1)


def test_too_many_organizations_for_ref() -> None:
    many = scenario("fifo", organizations=((1, [(0, 1)]),) * 17)
    record = consortium.run(many)
    assert (record.delta, record.reference) == (None, None)
    assert record.value == 17 * 9
    with pytest.raises(TooLargeError, match="limit is 16"):
        consortium.run(many, overrides={"mechanism.rule": "ref"})


def test_verify_finds_the_split_and_replays() -> None:
    data = scenario(organizations=((2, [(0, 2)]), (0, [])), until=12)
    record = consortium.verify(data)
    assert not record.verdict
    found = record.manipulation
    assert (found["organization"], found["move"], found["max_gain"], found["cases"]) == ("n1", "split", 1, 7)
    assert found["witness"]["jobs"] == [[0, 1], [0, 1]]
    assert [row["cases"] for row in found["each"]] == [7, 0]
    rows = consortium.replay(record)
    assert len(rows) == 4
    assert all(row.holds for _, _, row in rows)
    assert consortium.verify(data, property="delay").verdict
    assert consortium.verify(data, property="strategy-resistance").verdict
    assert consortium.verify(data, property="strategy-resistance").manipulation is None


def test_verify_another_utility_checks_its_axioms() -> None:
    record = consortium.verify(scenario(utility="busy-time"))
    assert record.manipulation is None
    assert not record.verdict
    assert consortium.verify(scenario(utility="busy-time"), property="number-of-tasks").verdict
    with pytest.raises(InputError, match="judged in psi-sp"):
        consortium.verify(scenario(utility="busy-time"), property="split")


def test_verify_bad_options() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'split'"):
        consortium.verify(scenario(), property="splt")
    with pytest.raises(InputError, match="Did you mean 'n2'"):
        consortium.verify(scenario(), organization="n22")
    with pytest.raises(InputError, match="limit"):
        consortium.verify(scenario(), limit=0)


def test_compare_one_scenario_under_rules() -> None:
    record = consortium.compare(scenario(timing="now"), rules=["ref", "ref:timing=next", "fifo", "rand:samples=all"])
    rows = {row["rule"]: row["values"] for row in record.rows}
    assert rows["ref:timing=next"]["unfairness"] == 0
    assert rows["fifo"]["unfairness"] > 0
    assert rows["fifo"]["utilization"] == rows["ref"]["utilization"]
    assert consortium.compare(scenario()).columns == ("unfairness", "deviation", "utilization", "seconds")
    assert len(consortium.compare(scenario()).rows) == 9


def test_compare_several_scenarios() -> None:
    record = consortium.compare([scenario(), scenario("fifo"), scenario("round-robin")])
    assert [row["rule"] for row in record.rows] == ["ref", "fifo", "round-robin"]
    with pytest.raises(InputError, match="other organizations or jobs"):
        consortium.compare([scenario(), scenario("fifo", until=8)])
    with pytest.raises(InputError, match="one scenario"):
        consortium.compare([scenario(), scenario("fifo")], rules=["fifo"])
    with pytest.raises(UnknownNameError):
        consortium.compare(scenario(), rules=["fairshare"])


LINE = "{job} {submit} 0 {run} {procs} -1 -1 {procs} -1 -1 1 {user} {group} -1 -1 -1 -1 -1\n"


@pytest.fixture
def traced(tmp_path):
    """A scenario in a folder of its own with a small log beside it."""
    lines = [
        LINE.format(job=i + 1, submit=3 * i, run=1 + 7 * i % 11, procs=1 + i % 2, user=i % 4, group=i % 3)
        for i in range(40)
    ]
    (tmp_path / "log.swf").write_text("; MaxProcs: 6\n" + "".join(lines))
    path = tmp_path / "scenario.toml"
    path.write_text(
        'format = 1\nkind = "sharing"\nseed = 3\n[trace]\nfile = "log.swf"\nduration = 60\nwindows = 3\n'
        'organizations = 3\nshares = "equal"\n[mechanism]\nrule = "fair-share"\n'
    )
    return path


def test_a_window_of_a_log(traced) -> None:
    record = consortium.run(traced)
    assert record.seed == 3
    assert sum(row.machines for row in record.organizations) == 6
    assert record.window["log"] == "log.swf"
    assert record.unfairness >= 0
    assert consortium.run(traced).to_dict() == record.to_dict()
    fixed = consortium.run(traced, overrides={"trace.start": 0, "trace.organizations": "group"})
    assert fixed.window["start"] == 0
    assert len(fixed.organizations) == 3


def test_a_witness_from_a_log_writes_the_jobs_out(traced) -> None:
    record = consortium.verify(traced, property="split", overrides={"trace.start": 0, "trace.duration": 20})
    if record.manipulation["witness"] is None:
        pytest.fail("this window was chosen because a split gains")
    rows = consortium.replay(json.loads(json.dumps(record.to_dict())))
    assert rows
    assert all(row.holds for _, _, row in rows)


def test_compare_on_windows_of_a_log(traced) -> None:
    record = consortium.compare(traced, rules=["ref", "fifo", "round-robin"])
    assert [window["window"] for window in record.windows] == [1, 2, 3]
    rows = {row["rule"]: row["values"] for row in record.rows}
    assert rows["ref"]["unfairness"].value == 0
    assert rows["round-robin"]["deviation"].value >= 0
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
    path, own = tmp_path / "rand.jsonl", {"mechanism": {"rule": "rand", "samples": 2}}
    consortium.compare(traced, rules=["rand"], store=path, overrides=own)
    with pytest.raises(InputError, match=r"another question: .*options"):
        consortium.compare(traced, rules=["rand"], store=path)
    with pytest.raises(InputError, match="one scenario with"):
        consortium.compare(scenario(), rules=["fifo"], store=kept)
    with pytest.raises(InputError, match="needs a job log"):
        consortium.compare(scenario(), rules=["recorded"])
    assert consortium.compare(traced, rules=["recorded"]).rows[0]["values"]["unfairness"].value >= 0


def test_compare_another_seed_draws_other_windows(traced) -> None:
    by_seed = {str(consortium.compare(traced, rules=["fifo"], seed=s).windows) for s in (3, 4, 5)}
    assert len(by_seed) == 3
    same = consortium.compare(traced, rules=["fifo"], seed=3).windows
    assert [w["start"] for w in same] == [w["start"] for w in consortium.compare(traced, rules=["fifo"]).windows]


def test_a_log_that_is_not_there(traced) -> None:
    with pytest.raises(InputError, match="Did you mean 'log"):
        consortium.run(traced, overrides={"trace.file": "lag.swf"})


def test_dry_runs(traced) -> None:
    assert estimate("run", scenario()).size == 3 * 2
    assert estimate("run", scenario("fifo")).size == 3 + 3 * 2
    assert estimate("verify", scenario()).size > estimate("run", scenario()).size
    assert estimate("compare", traced).size > estimate("compare", scenario()).size


def test_tables_and_pictures(tmp_path) -> None:
    for data in (scenario(), scenario("fifo"), scenario(utility="flow-time")):
        for verb in (consortium.run, consortium.verify, consortium.compare):
            text = "\n".join(plain(table) for table in tables_of(verb(data).to_dict()))
            assert "n1" in text or "rule" in text or "axiom" in text
    record = consortium.run(scenario()).to_dict()
    save_record(record, tmp_path / "gantt.svg")
    assert (tmp_path / "gantt.svg").read_text().count("contribution") >= 2
    with pytest.raises(InputError, match="--list"):
        save_record(consortium.run(scenario(), list=1).to_dict(), tmp_path / "cut.svg")
    with pytest.raises(InputError, match="nothing was started"):
        save_record(consortium.run(scenario(until=0)).to_dict(), tmp_path / "empty.svg")


def test_plan_names_the_scenario_seed(traced) -> None:
    from consortium.scenarios.reader import load

    assert plan(load(traced)).seed == 3
