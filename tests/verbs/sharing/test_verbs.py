"""The verbs on kind sharing: records, certificates, comparisons, logs, own rules, dry runs, tables, pictures."""

from __future__ import annotations

import dataclasses
import json
import statistics
import tracemalloc
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import consortium
from consortium.api import estimate
from consortium.cli.app import app
from consortium.games.sharing import presentation as manipulation
from consortium.mechanisms.sharing import simulate
from consortium.reports.figures import figure_of, save_record
from consortium.reports.svg import heading
from consortium.reports.tables import tables_of, text
from consortium.scenarios.problems import ScenarioError
from consortium.scenarios.toml import write
from consortium.support.errors import ConsortiumError, InputError, MechanismError, TooLargeError, UnknownNameError
from consortium.verbs.sharing.model import log_of, plan


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


def starts(record) -> list[tuple[int, int, int, int]]:
    """Rows (start, organization, job, end) of a record's schedule."""
    return [(start, u, job, end) for (start, u, job, _), end in zip(record.schedule, record.ends, strict=True)]


def test_times_enter_negated() -> None:
    record = consortium.run(scenario(utility="flow-time"))
    assert [row.utility for row in record.organizations] == [-7, -5]
    psi = [sum(9 - t for start, u, _, end in starts(record) if u == n for t in range(start, end)) for n in (1, 2)]
    assert record.value == sum(psi) == 65  # the format: the sum of psi, not of what the organizations care about
    fair = consortium.run(scenario())
    assert record.delta == sum(abs(mine - row.utility) for mine, row in zip(psi, fair.organizations, strict=True)) == 14
    tardy = scenario(organizations=((1, [(0, 3, 1)]),), utility="tardiness")
    assert consortium.run(tardy).organizations[0].utility == -2


def test_long_schedules_are_cut() -> None:
    record = consortium.run(scenario("fifo"), list=1)
    assert (len(record.schedule), record.schedule_left_out, len(record.ends)) == (1, 2, 1)


def test_too_many_organizations_for_ref() -> None:
    many = scenario("fifo", organizations=((1, [(0, 1)]),) * 19)
    record = consortium.run(many)
    assert (record.delta, record.reference) == (None, None)
    assert record.value == 19 * 9
    with pytest.raises(TooLargeError, match="limit is 18"):
        consortium.run(many, overrides={"mechanism.rule": "ref"})


def test_verify_finds_the_split_and_replays() -> None:
    data = scenario(organizations=((2, [(0, 2)]), (0, [])), until=12)
    record = consortium.verify(data)
    assert not record.verdict
    found = record.manipulation
    assert (found["organization"], found["move"], found["max_gain"], found["cases"]) == ("n1", "split", 1, 7)
    assert found.witness.jobs == ((0, 1), (0, 1))
    assert [row.cases for row in found.each] == [7, 0]
    assert all(row.holds for _, _, row in consortium.check(record))
    played = consortium.check(list(found.witness.replay))
    assert len(played) == 4
    assert all(row.holds for _, _, row in played)
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
    with pytest.raises(UnknownNameError, match="Did you mean 'n2'"):
        consortium.verify(scenario(), organization="n22")


@pytest.mark.parametrize(
    ("verb", "options", "message"),
    [
        (consortium.run, {"list": -1}, "run on kind 'sharing': list: found -1; expected an integer >= 0"),
        (consortium.run, {"list": "3"}, "list: found '3'; expected an integer >= 0"),
        (consortium.run, {"measure": 1}, "measure: found 1; expected true or false"),
        (consortium.verify, {"limit": 0}, "limit: found 0; expected an integer >= 1"),
        (consortium.verify, {"cuts": 1.5}, "cuts: found 1.5; expected an integer >= 1"),
        (consortium.verify, {"t_max": 6}, "t_max: found 6; expected an integer from 1 to 5"),
        (consortium.compare, {"seed": True}, "seed: found true; expected an integer"),
        (consortium.compare, {"processes": -1}, "processes: found -1; expected an integer >= 0"),
        (consortium.compare, {"store": 3}, "store: found 3; expected the path of a file"),
        (consortium.compare, {"rules": "fifo"}, "rules: found 'fifo'; expected a list of names of rules"),
        (consortium.compare, {"rules": ["fifo", "fifo"]}, "each rule once; 'fifo' is listed twice"),
        (consortium.compare, {"rules": {1: "fifo"}}, "expected a list of names of rules, or a table of rules by label"),
        (consortium.compare, {"rules": []}, "rules: found none; expected at least one of"),
        (consortium.compare, {"time_limt": 3}, "option of compare on kind 'sharing': 'time_limt' is not known"),
    ],
)
def test_options_are_refused_in_a_sentence(verb, options, message) -> None:
    with pytest.raises(ConsortiumError) as caught:
        verb(scenario(), **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limit": "3"}, "limit: found '3'; expected an integer >= 1"),
        ({"t_max": float("nan")}, "t_max: found nan; expected an integer"),
        ({"mechanism": "fifo"}, "expect.verify.options.mechanism: found an unknown key"),
    ],
)
def test_files_are_refused_what_python_is(options, message) -> None:
    with pytest.raises(ConsortiumError) as caught:
        consortium.check([scenario() | {"expect": {"verify": {"options": options, "utility": "psi-sp"}}}])
    assert message in str(caught.value)


def test_files_cannot_start_processes_or_write_stores() -> None:
    for options in ({"processes": 2}, {"store": "kept"}):
        data = scenario() | {"expect": {"compare": {"options": options, "complete": True}}}
        with pytest.raises(ScenarioError, match=f"expect.compare.options.{next(iter(options))}: found an unknown key"):
            consortium.check([data])


def test_commands_are_refused_what_python_is(tmp_path) -> None:
    write(scenario(), tmp_path / "s.toml")
    for options, message in (
        (["--limit", "three"], "--limit: found 'three'; expected an integer >= 1"),
        (["--t-max", "9"], "--t-max: found 9; expected an integer from 1 to 5"),
    ):
        done = CliRunner().invoke(app, ["verify", str(tmp_path / "s.toml"), *options])
        assert isinstance(done.exception, InputError)
        assert message in str(done.exception)


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


LINE = "{job} {submit} 0 {run} {procs} -1 -1 {procs} -1 -1 1 {user} {group} -1 -1 -1 -1 -1\n"


@pytest.fixture
def traced(tmp_path):
    """A scenario in a folder of its own with a small log beside it."""
    lines = [
        LINE.format(job=i + 1, submit=3 * i, run=1 + 7 * i % 11, procs=1 + i % 2, user=i % 4, group=i % 3)
        for i in range(40)
    ]
    (tmp_path / "log.swf").write_text("; MaxProcs: 3\n" + "".join(lines))
    path = tmp_path / "scenario.toml"
    path.write_text(
        'format = 1\nkind = "sharing"\nseed = 3\n[trace]\nfile = "log.swf"\nduration = 60\nwindows = 3\n'
        'organizations = 3\nshares = "equal"\n[mechanism]\nrule = "fair-share"\n'
    )
    return path


def test_a_window_of_a_log(traced) -> None:
    record = consortium.run(traced, overrides={"mechanism.rule": "fifo"})
    assert record.seed == 3
    assert sum(row.machines for row in record.organizations) == 3  # as the log's header says
    assert record.window["log"] == "log.swf"
    fair = consortium.run(traced, overrides={"mechanism.rule": "ref"})
    utilities = [row.utility for row in record.organizations], [row.utility for row in fair.organizations]
    delta = sum(abs(mine - best) for mine, best in zip(*utilities, strict=True))
    p_tot = sum(row.parts for row in fair.organizations)
    assert (record.delta, record.p_tot, record.unfairness) == (delta, p_tot, Fraction(delta, p_tot))
    assert delta > 0
    assert consortium.run(traced, overrides={"mechanism.rule": "fifo"}).to_dict() == record.to_dict()
    fixed = consortium.run(traced, overrides={"trace.start": 0, "trace.organizations": "group"})
    assert fixed.window["start"] == 0
    assert len(fixed.organizations) == 3


def test_a_witness_from_a_log_writes_the_jobs_out(traced) -> None:
    window = {"trace.start": 0, "trace.duration": 20, "trace.machines": 6}
    record = consortium.verify(traced, property="split", overrides=window)
    if record.manipulation["witness"] is None:
        pytest.fail("this window was chosen because a split gains")
    rows = consortium.check(json.loads(json.dumps(record.to_dict())))
    assert rows
    assert all(row.holds for _, _, row in rows)


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
    path, own = tmp_path / "rand.jsonl", {"mechanism": {"rule": "rand", "samples": 2}}
    consortium.compare(traced, rules=["rand"], store=path, overrides=own)
    with pytest.raises(InputError, match=r"another question: .*options"):
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


def test_a_log_that_is_not_there(traced) -> None:
    with pytest.raises(InputError, match="Did you mean 'log"):
        consortium.run(traced, overrides={"trace.file": "lag.swf"})


def test_dry_runs(traced) -> None:
    assert estimate("run", scenario()).size == 3 * 2
    assert estimate("run", scenario("fifo")).size == 3 + 3 * 2
    moves = sum(row.cases for row in consortium.verify(scenario()).manipulation.each)
    assert estimate("verify", scenario()).size == (1 + moves) * 3 * 2
    assert estimate("verify", scenario(), property="delay", limit=10**9, organization="n2").size == (1 + 10**9) * 3 * 2
    assert estimate("compare", scenario()).size == 3 * (2 + 31 + 9)
    first = len(plan(consortium.load(traced)).window(log_of("log.swf", consortium.load(traced).folder)))
    assert estimate("compare", traced).size == 3 * first * (4 + 31 + 9)


@pytest.mark.parametrize(
    "data",
    [
        scenario("direct-contribution", organizations=((10**9, [(0, 3)]),)),
        scenario("ref", organizations=((1, [(0, 1)]),) * 19),
        scenario("rand", organizations=((1, [(0, 1)]),) * 17, samples="all"),
        scenario("rand", epsilon="1/1000000", confidence="9/10"),
        scenario("ref", organizations=((1, [(0, 1, 1)]),) * 13, utility="tardiness"),
    ],
)
def test_a_dry_run_refuses_what_the_run_refuses(data) -> None:
    for verb in ("run", "compare", "verify"):
        if verb == "verify" and "utility" in data["mechanism"]:
            continue  # no rule runs: its axioms are checked
        said = []
        for door in (getattr(consortium, verb), lambda source, verb=verb: estimate(verb, source)):
            with pytest.raises(TooLargeError, match="limit is") as caught:
                door(data)
            said.append(str(caught.value))
        assert said[0] == said[1]


def test_machines_that_nobody_uses_cost_nothing() -> None:
    """A thousand million of them: no array has their length, in no rule that lets the lowest free one work."""
    many = scenario("fifo", organizations=((10**9, [(0, 3), (0, 4)]), (10**9, [(0, 2)])))
    few = scenario("fifo", organizations=((2, [(0, 3), (0, 4)]), (2, [(0, 2)])))
    assert abs(estimate("run", many).memory_bytes - estimate("run", few).memory_bytes) < 10**5
    listed = {"mechanism": {"rule": "direct-contribution", "machine_order": "listed"}}
    figure_of(consortium.run(scenario("fifo")))  # loads what is loaded once
    consortium.run(scenario("fifo"), overrides=listed)
    tracemalloc.start()
    try:
        record = consortium.run(many)
        consortium.run(many, overrides=listed)
        figure_of(record)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [row[3] for row in record.schedule] == [1, 2, 3]
    assert peak < 100 << 20


def test_numbers_beyond_floats_are_shown_and_drawn(tmp_path) -> None:
    huge = 10**400
    data = scenario("ref", organizations=((1, [(0, huge), (0, 4)]), (1, [(0, 2)])), until=9)
    save_record(consortium.run(data), tmp_path / "near.svg")
    later = data | {"until": 3 * huge}
    record = consortium.run(later)
    assert str(record.organizations[0].utility) in text(tables_of(record.to_dict()))
    for verb in (consortium.verify, consortium.compare):
        assert text(tables_of(verb(later).to_dict()))
        assert figure_of(verb(later))
    with pytest.raises(InputError, match="cannot be drawn"):
        save_record(consortium.run(later), tmp_path / "far.svg")


def test_half_a_run_is_no_case_of_a_manipulation(monkeypatch) -> None:
    """Ctrl-C inside a run ends the search; the utility at the moment reached is not compared with the whole."""
    calls = []

    def interrupted(*args, **options):
        calls.append(options)
        outcome = simulate(*args, **options)
        return outcome if len(calls) < 4 else dataclasses.replace(outcome, complete=False)

    monkeypatch.setattr(manipulation, "simulate", interrupted)
    record = consortium.verify(scenario("fifo"))
    assert not record.complete
    assert (len(calls), record.manipulation.cases) == (4, 2)
    calls.extend([{}] * 4)
    record = consortium.verify(scenario("fifo"))  # before anything is known
    assert (record.complete, record.manipulation.cases, record.manipulation.max_gain) == (False, 0, None)


def test_tables() -> None:
    ran, checked, compared = (
        verb(scenario()).to_dict() for verb in (consortium.run, consortium.verify, consortium.compare)
    )
    organizations = next(t for t in tables_of(ran) if "contribution" in t.columns)
    row = dict(zip(organizations.columns, organizations.rows[0], strict=True))
    assert (row["utility"], row["contribution"]) == ("46", "44")
    assert "strategy resistance" in text(tables_of(checked))
    assert all(row["rule"] in text(tables_of(compared)) for row in compared["rows"])
    assert "-12" in text(tables_of(consortium.run(scenario(utility="flow-time")).to_dict()))


def test_pictures() -> None:
    (legend,) = figure_of(consortium.run(scenario())).legends
    assert sum("contribution" in entry.get_text() for entry in legend.get_texts()) >= 2
    assert "nothing was started" in heading(figure_of(consortium.run(scenario(until=0))))


def test_windows_come_from_the_scenarios_seed(traced) -> None:
    assert plan(consortium.load(traced)).seed == 3


# --- rules of one's own ---------------------------------------------------------------------------------------------


class OldestFirst:
    """Fifo, as one's own rule."""

    def choose(self, pool):
        return min(pool.waiting, key=lambda u: (pool.head[u], u))


class Owners:
    """Fewest starts per machine first; made from the machines."""

    def __init__(self, machines) -> None:
        self.machines = machines

    def choose(self, pool):
        assert self.machines == pool.machines
        return min(pool.waiting, key=lambda u: (Fraction(pool.started[u], max(1, self.machines[u])), u))


class Turns:
    """Whoever was served least by this object: it remembers."""

    def __init__(self) -> None:
        self.served: dict[str, int] = {}

    def choose(self, pool):
        chosen = min(pool.waiting, key=lambda u: (self.served.get(pool.names[u], 0), u))
        self.served[pool.names[chosen]] = self.served.get(pool.names[chosen], 0) + 1
        return chosen


class Nobody:
    def choose(self, pool):
        return -1


def test_an_own_rule_runs_in_the_place_of_the_scenarios() -> None:
    own, ours = consortium.run(scenario(), mechanism=OldestFirst()), consortium.run(scenario("fifo"))
    assert own.schedule == ours.schedule
    assert (own.unfairness, own.utilization) == (ours.unfairness, ours.utilization)
    assert "coalitions" not in own.to_dict()
    waiting = scenario("fifo", organizations=((2, [(0, 2)] * 4), (1, [(0, 2)] * 4)))
    assert [row[1] for row in consortium.run(waiting).schedule[:3]] == [1, 1, 1]
    assert [row[1] for row in consortium.run(waiting, mechanism=Owners).schedule[:3]] == [1, 1, 2]


def test_an_own_rule_is_verified_in_psi_sp() -> None:
    data = scenario(organizations=((2, [(0, 2)]), (0, [])), until=12, utility="flow-time")
    record = consortium.verify(data, mechanism=OldestFirst())
    assert record.utility == "psi-sp"
    found = record.manipulation
    assert (found.organization, found.move, found.max_gain) == ("n1", "split", 1)
    assert found.witness.replay == ()
    assert {row.holds for _, _, row in consortium.check(record)} == {None}
    assert consortium.verify(data, mechanism=OldestFirst(), property="delay").verdict


def test_own_rules_stand_beside_ours(traced) -> None:
    for data in (scenario(), traced):
        record = consortium.compare(data, rules={"mine": OldestFirst(), "queue": "fifo", "shares": Owners})
        assert [row.rule for row in record.rows] == ["mine", "queue", "shares"]
        values = {row.rule: row.values["unfairness"] for row in record.rows}
        assert values["mine"] == values["queue"]
        utilities = {label: [o.utility for o in record.organizations if o.rule == label] for label in values}
        assert utilities["mine"] == utilities["queue"] != utilities["shares"]
    with pytest.raises(InputError, match="'fifo' is the name of a rule"):
        consortium.compare(scenario(), rules={"fifo": OldestFirst()})


def test_what_an_own_rule_remembers_does_not_cross_windows(traced) -> None:
    rule = Turns()
    first, second = (consortium.compare(traced, rules={"mine": rule}) for _ in range(2))
    assert rule.served == {}  # each window begins with the rule as it was given
    assert first.organizations == second.organizations
    assert first.windows == second.windows


def test_slips_of_own_rules_are_told(traced, tmp_path) -> None:
    for verb in (consortium.run, consortium.verify):
        with pytest.raises(InputError, match=r"found 'fifo'; expected an object with choose.* set mechanism\.rule"):
            verb(scenario(), mechanism="fifo")
        with pytest.raises(MechanismError, match=r"Nobody.choose\(pool\) at moment 0: found -1"):
            verb(scenario(), mechanism=Nobody())
    with pytest.raises(MechanismError, match=r"OldestFirst\(machines\) failed"):
        consortium.run(scenario(), mechanism=OldestFirst)
    with pytest.raises(InputError, match="store: found the rule 'mine', an object"):
        consortium.compare(traced, rules={"mine": OldestFirst()}, store=tmp_path / "kept")

    class Local(OldestFirst):
        pass

    with pytest.raises(InputError, match="the rule 'mine' cannot be sent to another process"):
        consortium.compare(traced, rules={"mine": Local()}, processes=2)


LAST = """
from consortium.mechanisms.registry import RuleInfo
from consortium.scenarios.fields import Block, Bool

class Options(Block):
    smallest: Bool = False

class Last:
    def __init__(self, smallest, timing="next"):
        self.pick = min if smallest else max

    def choose(self, pool):
        return self.pick(pool.waiting)

RULE = RuleInfo("last", "the last organization first", "a test", options=frozenset({"timing"}), kind="sharing",
                factory="lastrule:Last", parameters="lastrule:Options")
"""


def test_a_rule_of_another_distribution(site: Path, distributions) -> None:
    distributions.make_distribution(
        site, "last-rule", {"lastrule": LAST}, {"consortium.rules": {"last": "lastrule:RULE"}}
    )
    record = consortium.run(scenario("last", timing="now"))
    assert [row[1] for row in record.schedule] == [1, 2, 1]
    assert [row[1] for row in consortium.run(scenario("last", smallest=True)).schedule] == [1, 1, 2]
    rows = consortium.compare(scenario(), rules=["last", "fifo"]).rows
    assert [row.rule for row in rows] == ["last", "fifo"]
    witness = consortium.verify(scenario("last", organizations=((2, [(0, 2)]), (0, [])), until=12))
    assert all(row.holds for _, _, row in consortium.check(witness))
    with pytest.raises(ScenarioError, match=r"mechanism.smallest: found 3; expected true or false"):
        consortium.load(scenario("last", smallest=3))
    with pytest.raises(ScenarioError, match=r"mechanism.samples: found 3; expected only smallest, timing"):
        consortium.load(scenario("last", samples=3))


def test_a_rule_of_another_distribution_on_windows(site: Path, distributions, traced) -> None:
    """Workers find it by its name; so does a store."""
    distributions.make_distribution(
        site, "last-rule", {"lastrule": LAST}, {"consortium.rules": {"last": "lastrule:RULE"}}
    )
    record = consortium.compare(traced, rules=["last"], store=site / "kept")
    assert consortium.compare(traced, rules=["last"], store=site / "kept").to_dict() == record.to_dict()


# --- limits and seeds -----------------------------------------------------------------------------------------------


def test_a_time_limit_stops_like_ctrl_c(traced, tmp_path) -> None:
    assert consortium.run(scenario(), time_limit=3600).complete
    stopped = consortium.verify(scenario(), time_limit=0)
    assert (stopped.complete, str(stopped.status)) == (False, "stopped")
    assert consortium.verify(scenario(), time_limit=0, property="number-of-tasks").complete  # nothing to stop
    assert consortium.compare(scenario(), time_limit=0).rows == ()
    assert not consortium.compare(traced, time_limit=0).complete


def test_a_seed_in_the_place_of_the_scenarios() -> None:
    data = scenario("rand", organizations=((2, [(0, 2)] * 5), (1, [(0, 3)] * 5), (1, [(1, 1)] * 4)), samples=1)
    schedules = {seed: consortium.run(data, seed=seed).schedule for seed in range(6)}
    assert len(set(schedules.values())) > 1
    assert schedules[4] == consortium.run({**data, "seed": 4}).schedule
    found = consortium.verify(data, seed=4)
    assert found.seed == 4
    assert all(row.holds for _, _, row in consortium.check(found))


def test_after_a_search_that_was_stopped_nobody_else_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    from consortium.verbs.sharing import verify

    tried: list[int] = []
    search = verify.best_manipulation

    def stopped(instance: Any, organization: int, **options: Any) -> Any:
        tried.append(organization)
        return replace(search(instance, organization, **options), complete=False)

    monkeypatch.setattr(verify, "best_manipulation", stopped)
    record = consortium.verify("skowron-rzadca2013/delay-that-gains")
    assert tried == [0]
    assert not record.complete
