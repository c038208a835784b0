"""Rules of one's own for a federation, and of other distributions: answers like ours, or one sentence why not."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import consortium
from consortium.agents.organizations import Federation
from consortium.games.placement.game import PlacementGame, PolicyGame
from consortium.games.search import search
from consortium.mechanisms.federation import Coordination, Local
from consortium.mechanisms.federation.custom import CustomPolicy, CustomSchedule
from consortium.support import loading
from consortium.support.errors import ExtensionError, InputError, MechanismError, UnknownNameError
from consortium.verbs.federation.model import model

from .files import scenario


class AtHome:
    """Everybody alone, longest job first on the machine that is free first: ``local``, written again."""

    def run(self, federation: Federation) -> Any:
        for k, org in enumerate(federation.organizations):
            free = [Fraction(0)] * org.machines
            for i in sorted(range(len(org.jobs)), key=lambda i: (-org.jobs[i].length, i)):
                machine = free.index(min(free))
                yield k, i, k, machine, free[machine]
                free[machine] += org.jobs[i].length


class OrganizationsFirst:
    """Own jobs longest first, then foreign ones by the number of their organization: the policy of Corollary 5.7."""

    def order(self, host: int, jobs: Any) -> Any:
        return sorted(jobs, key=lambda j: (j.organization != host, j.organization, -j.length, j.job))


class ShortestFirst:
    """Whoever is shortest, whosever it is."""

    def order(self, host: int, jobs: Any) -> Any:
        return sorted(jobs, key=lambda j: (j.length, j.organization, j.job))


class Answers:
    """A central schedule that answers what it was told to."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def run(self, federation: Federation) -> Any:
        return self.answer


class Orders:
    """A policy that answers what a function makes of the jobs."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def order(self, host: int, jobs: Any) -> Any:
        return self.function(jobs)


def without_request(record: Any) -> dict[str, Any]:
    """The dict of a record without its request, which names a custom rule."""
    return {key: value for key, value in record.to_dict().items() if key not in ("request", "custom_rules")}


def test_a_central_schedule_is_judged_like_ours() -> None:
    data = scenario([[3, "1/2", 2], [1, 1], []], [2, 1, 1], rule="local")
    ours, own = consortium.run(data), consortium.run(data, mechanism=AtHome())
    assert without_request(own) == without_request(ours)
    assert (consortium.run(data, mechanism=lambda federation: AtHome(), list=2).jobs_left_out, own.method) == (
        3,
        "rule",
    )
    assert without_request(consortium.run(data, mechanism=Local())) == without_request(own)
    found = consortium.verify(data, mechanism=AtHome())
    assert (found.verdict, dict(found.claims), found.equilibrium) == (True, {}, None)
    assert found.local_constraint is consortium.verify(data).local_constraint
    assert consortium.verify(data, mechanism=AtHome(), property="selfishness-restriction").verdict
    assert consortium.verify(data, mechanism=AtHome(), property="own-jobs-first").verdict
    with pytest.raises(UnknownNameError, match="own-jobs-first"):
        consortium.verify(data, mechanism=AtHome(), property="own-job-first")
    with pytest.raises(InputError, match="AtHome is a central rule"):
        consortium.search(data, mechanism=AtHome())


def test_a_schedule_may_wait_and_start_off_the_grid() -> None:
    waits = Answers([(0, 0, 1, 0, "1/3"), (1, 0, 0, 0, 0)])
    record = consortium.run(scenario([[1], [2]]), mechanism=waits)
    assert [row.makespan for row in record.organizations] == [Fraction(4, 3), 2]
    assert not record.local_constraint
    assert not record.selfishness_restriction
    replayed = consortium.verify(scenario([[1], [2]]), mechanism=waits, property="local-constraint")
    assert replayed.verdict is False
    assert replayed.witnesses["local_constraint"].value == Fraction(4, 3)


@pytest.mark.parametrize("objective", ["makespan", "total-completion"])
@pytest.mark.parametrize("seed", range(4))
def test_a_policy_written_again_has_the_same_game(objective: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    jobs = [[int(p) for p in rng.integers(1, 6, size=int(rng.integers(0, 3)))] for _ in range(3)]
    federation = Federation.of(jobs, [int(m) for m in rng.integers(1, 3, size=3)])
    policy: Any = OrganizationsFirst()
    if objective == "total-completion":  # then own jobs run shortest first

        class Shortest:
            def order(self, host: int, jobs: Any) -> Any:
                def key(j: Any) -> Any:
                    return (
                        (False, 0, j.length, j.job)
                        if j.organization == host
                        else (True, j.organization, -j.length, j.job)
                    )

                return sorted(jobs, key=key)

        policy = Shortest()
    ours = PlacementGame(federation, Coordination(objective=objective))
    own = PolicyGame(federation, CustomPolicy(policy, objective))
    found, wanted = search(own), search(ours, "enumeration")
    assert found.equilibria == replace(wanted.equilibria, classes=None)  # nobody knows what a policy tells apart
    assert (found.optimum, found.price_of_anarchy) == (wanted.optimum, wanted.price_of_anarchy)
    assert (found.smallest_epsilon, found.sinks, found.dynamics) == (
        wanted.smallest_epsilon,
        wanted.sinks,
        wanted.dynamics,
    )


def test_verbs_play_a_policy_like_ours() -> None:
    data = scenario([[2, 2], [1], []], placement={"O1": ["O2", "O1"]})
    assert without_request(consortium.run(data, mechanism=OrganizationsFirst())) == without_request(
        consortium.run(data)
    )
    own, ours = consortium.verify(data, mechanism=OrganizationsFirst()), consortium.verify(data)
    assert own.verdict is ours.verdict is False
    assert own.equilibrium.witness.placement == ours.equilibrium.witness.placement
    assert (own.equilibrium.witness.replay, len(ours.equilibrium.witness.replay)) == ((), 2)
    found = consortium.search(data, mechanism=ShortestFirst(), start={"O1": ["O2", "O2"]})
    assert found.label(found.game.default_profile) == "11 | 2 | -"
    assert found.dynamics.start["O1"] == ("O2", "O2")
    assert without_request(consortium.search(data, mechanism=Coordination("jobs"))) == without_request(
        consortium.search({**data, "mechanism": {"rule": "coordination", "priority": "jobs"}})
    )
    estimate = consortium.estimate("search", data, mechanism=ShortestFirst())
    assert (estimate.size, estimate.unit) == (27, "placements")


def test_the_objective_is_the_scenarios_unless_the_policy_has_one() -> None:
    data = scenario([[1, 3], [1]], rule="coordination", objective="total-completion")
    assert [row.cost for row in consortium.run(data, mechanism=ShortestFirst()).organizations] == [5, 1]

    class Late(ShortestFirst):
        objective = "makespan"

    assert [row.cost for row in consortium.run(data, mechanism=Late()).organizations] == [4, 1]


def test_a_policy_without_equilibrium_has_a_cycle_and_nothing_replays() -> None:
    data = json.loads(json.dumps(consortium.load("cordeiro2012/section-5.2-small").to_dict()))

    class ByPriority:
        def __init__(self, federation: Federation) -> None:
            self.ranks = model(consortium.load(data)).rule.ranks(federation)

        def order(self, host: int, jobs: Any) -> Any:
            def key(j: Any) -> Any:
                return (False, -j.length) if j.organization == host else (True, self.ranks[j.organization][j.job])

            return sorted(jobs, key=key)

    ours, own = consortium.search(data), consortium.search(data, mechanism=ByPriority)
    assert own.equilibria.exists is ours.equilibria.exists is False
    assert own.smallest_epsilon == ours.smallest_epsilon
    assert own.dynamics.cycle == ours.dynamics.cycle
    assert (own.dynamics.replay, len(ours.dynamics.replay)) == (None, 1)
    assert {row.holds for _, _, row in consortium.check(own)} == {None}


def test_rules_of_ones_own_are_compared() -> None:
    data = scenario([[3, 3], [1, 1, 1], []])
    table = consortium.compare(data, rules={"mine": AtHome(), "short": ShortestFirst(), "ilba": "ilba"})
    assert [row.rule for row in table.rows] == ["mine", "short", "ilba"]
    local = consortium.compare(data, rules=["local"]).rows[0]
    assert table.rows[0].values == local.values
    assert (
        table.rows[1].values["price_of_anarchy"] == consortium.search(data, mechanism=ShortestFirst()).price_of_anarchy
    )
    with pytest.raises(InputError, match="'local' is the name of a rule of the package"):
        consortium.compare(data, rules={"local": AtHome()})
    large = scenario([[1] * 12, [1] * 12, [1] * 12])
    row = consortium.compare(large, rules={"short": ShortestFirst()}).rows[0]
    assert (row.values["price_of_anarchy"], row.values["social_cost"], row.complete) == (None, 12, False)


GOOD = [(0, 0, 0, 0, 0), (0, 1, 1, 0, 0), (1, 0, 1, 1, 0)]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (GOOD[:2], r"Answers.run: job 0 \(from 0\) of 'O2' is missing"),
        ([*GOOD, GOOD[0]], r"row 4: job 0 \(from 0\) of 'O1' is there twice"),
        ([GOOD[0], (0, 1, 0, 0, "1/2"), GOOD[2]], "two jobs overlap on machine 1 of 'O1' at 1/2"),
        ([(0, 0, 0, 0, -1)], r"row 1: job 0 \(from 0\) of 'O1' starts at -1; expected a time >= 0"),
        ([(0, 0, 7, 0, 0)], "row 1: host: found 7; expected 0 to 1"),
        ([(0, 0, 0, 1, 0)], "row 1: machine of 'O1': found 1; expected 0 to 0"),
        ([(0, 2, 0, 0, 0)], "row 1: job of 'O1': found 2; expected 0 to 1"),
        ([("O1", 0, 0, 0, 0)], "row 1: organization: found 'O1'; expected 0 to 1"),
        ([(0, True, 0, 0, 0)], "row 1: job of 'O1': found True"),
        ([(0, 0, 0, 0, 0.5)], "row 1: start: found the float 0.5; write '1/2'"),
        ([(0, 0)], r"row 1: found \(0, 0\); expected \(organization, job, host, machine, start\)"),
        (None, "found None as the answer; expected a Schedule, or a list with one"),
        ({}, "found {} as the answer"),
        (
            (1 // 0 for _ in "x"),
            r"run\(federation\) failed with ZeroDivisionError",
        ),
        (Local().run(Federation.of([[1]])), "found a schedule of O1: 1 on 1; expected one of O1: 1 2 on 1, O2: 1 on 2"),
    ],
)
def test_answers_that_are_no_schedule(answer: Any, message: str) -> None:
    with pytest.raises(MechanismError, match=message):
        consortium.run(scenario([[1, 2], [1]], [1, 2]), mechanism=Answers(answer))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda jobs: jobs[1:], r"Orders.order: on 'O1' job 0 \(from 0\) of 'O1' is missing"),
        (lambda jobs: [*jobs, jobs[0]], r"on 'O1' job 0 \(from 0\) of 'O1' is there twice"),
        (lambda jobs: [5], "on 'O1' found 5 in the answer; expected the jobs it was given"),
        (lambda jobs: [jobs[0]._replace(job=1), *jobs], "on 'O1' found Placed"),
        (lambda jobs: None, "found None as the answer; expected the jobs it was given, in their order"),
        (
            lambda jobs: 1 // 0,
            r"order\(host, jobs\) failed with ZeroDivisionError.*on host = 0, jobs = \(\(0, 0, 1\)",
        ),
    ],
)
def test_answers_that_are_no_order(function: Any, message: str) -> None:
    with pytest.raises(MechanismError, match=message):
        consortium.search(scenario([[1], [1]]), mechanism=Orders(function))


def test_what_is_no_rule() -> None:
    class Both(AtHome, ShortestFirst):
        pass

    class Wishes(ShortestFirst):
        objective = "fame"

    class NotCallable:
        run = 5

    data = scenario([[1], [1]])
    for given, message in [
        (5, r"expected an object with run\(federation\) or order\(host, jobs\), or a class or function that makes one"),
        ("ilba", "for a rule of the package set mechanism.rule"),
        (Both(), "Both has run and order"),
        (Wishes(), "Wishes.objective: found 'fame'; expected one of makespan, total-completion"),
        (NotCallable(), "NotCallable.run: found 5; expected a method"),
        (lambda federation: 3, r"<lambda>\(federation\) made 3"),
        (lambda: 3, r"<lambda>\(federation\) failed: TypeError"),
    ]:
        with pytest.raises(InputError, match=message):
            consortium.run(data, mechanism=given)
    unjudged = consortium.run(scenario([[1] * 8] * 6), mechanism=ShortestFirst())
    assert (unjudged.complete, {row.epsilon for row in unjudged.organizations}) == (False, {None})
    assert {row.limit for row in unjudged.organizations} == {"size"}


def test_our_schedules_pass_as_they_are() -> None:
    federation = Federation.of([[2, 1], [1]])
    schedule = Local().run(federation)
    assert CustomSchedule(Answers(schedule)).run(federation) is schedule


TURNS = """
from consortium.mechanisms.kinds import RuleInfo
from consortium.scenarios.fields import Block, choice, integer

class Keys(Block):
    start: integer(0) = 0
    first: choice("own", "short")

TURNS = RuleInfo(
    id="turns", summary="one machine for all, in turns", source="this test", kind="federation",
    options=frozenset({"order"}), claims=frozenset({"everybody-waits"}), factory="turns:Turns", parameters="turns:Keys",
)
POLICY = RuleInfo(
    id="short-first", summary="the shortest first", source="this test", kind="federation", factory="turns:ShortFirst",
)

class Turns:
    def __init__(self, start, first, order=None):
        self.start, self.first, self.order_of = start, first, order

    def run(self, federation):
        names = list(self.order_of or federation.names)
        now = self.start
        for name in names:
            k = federation.index(name)
            for i, job in enumerate(federation.organizations[k].jobs):
                yield k, i, 0, 0, now
                now += job.length

class ShortFirst:
    def order(self, host, jobs):
        return sorted(jobs, key=lambda job: job[2:3] + job[:2])
"""
ENTRIES = {"consortium.rules": {"turns": "turns:TURNS", "short-first": "turns:POLICY"}}
FILE = """
format = 1
kind = "federation"
title = "in turns"

[[organizations]]
jobs = [1, 2]

[[organizations]]
jobs = [1]

[mechanism]
rule = "turns"
first = "own"
order = ["O2", "O1"]
reference = "spt"

[expect.run]
social_cost = 4
"""


def test_a_foreign_rule_in_a_scenario(site: Path, distributions: ModuleType) -> None:
    distributions.make_distribution(site, "in-turns", {"turns": TURNS}, ENTRIES)
    data = scenario([[1, 2], [1]], rule="turns", first="own", start=2, order=["O2", "O1"], selfishness="printed")
    loaded = consortium.load(data)
    assert dict(loaded.spec.options) == {"order": ("O2", "O1"), "start": 2, "first": "own"}
    assert [row.makespan for row in consortium.run(data).organizations] == [6, 3]
    found = consortium.verify(data)
    assert (found.verdict, found.complete, str(found.status)) == (None, True, "open")
    assert found.claims["everybody-waits"].holds is None
    assert found.claims["everybody-waits"].limit == "checker"
    policy = consortium.verify(scenario([[2, 1], []], rule="short-first"))
    assert len(policy.equilibrium.witness.replay) == 2
    assert all(row.holds for _, _, row in consortium.check(policy))
    rows = consortium.compare(data, rules=["turns", "turns:start=0", "short-first", "local"]).rows
    assert [row.values["social_cost"] for row in rows] == [6, 4, 3, 3]
    for mechanism, message in [
        ({"rule": "turn"}, "Did you mean 'turns'"),
        ({"rule": "turns"}, "mechanism.first: found nothing; expected this required key"),
        ({"rule": "turns", "first": "all"}, "mechanism.first: found 'all'; expected one of own, short"),
        ({"rule": "turns", "first": "own", "strat": 1}, "found an unknown key.*Did you mean 'start'"),
        ({"rule": "turns", "first": "own", "keep": "load"}, "mechanism.keep: found 'load'; expected only first, order"),
        ({"rule": "ilba", "first": "own"}, "mechanism.first: found an unknown key"),
        ({"rule": "turns", "first": "own", "order": ["O3"]}, r"mechanism.order\[1\]: found 'O3'"),
    ]:
        with pytest.raises(InputError, match=message):
            consortium.load({**data, "mechanism": mechanism})


def test_a_foreign_rule_that_cannot_be_made(site: Path, distributions: ModuleType) -> None:
    broken = TURNS.replace("self.start, self.first", "self.starts = 1 // 0; self.start, self.first")
    distributions.make_distribution(
        site, "in-turns", {"turns": broken, "gone": "1 // 0"}, {"consortium.rules": {"turns": "turns:TURNS"}}
    )
    data = scenario([[1]], rule="turns", first="own")
    with pytest.raises(
        MechanismError, match=r"'turns': turns:Turns\(start, first\) failed with ZeroDivisionError.*start = 0"
    ):
        consortium.run(data)
    distributions.make_distribution(site, "ghost", {}, {"consortium.rules": {"ghost": "gone:RULE"}})
    loading.forget()
    assert consortium.run(scenario([[1]], rule="ilba")).social_cost == 1
    with pytest.raises(ExtensionError, match="'ghost', which ghost announces, cannot be loaded"):
        consortium.run(scenario([[1]], rule="ghost"))


def test_a_foreign_rule_on_the_command_line(tmp_path: Path, distributions: ModuleType) -> None:
    distributions.make_distribution(tmp_path, "in-turns", {"turns": TURNS}, ENTRIES)
    (tmp_path / "turns.toml").write_text(FILE)

    def command(*arguments: str) -> Any:
        return distributions.command(tmp_path, *arguments)

    ran = command("run", "turns.toml", "--set", "mechanism.start=1", "--json")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["social_cost"] == 5
    checked = command("check", "turns.toml")
    assert checked.returncode == 0, checked.stderr
    schema = command("schema", "federation")
    mechanism = json.loads(schema.stdout)["$defs"]["federation-MechanismBlock"]["properties"]
    assert {"turns", "short-first"} <= set(mechanism["rule"]["enum"])
    assert mechanism["first"]["enum"] == ["own", "short"]
    compared = command("compare", "turns.toml", "--rules", "turns,short-first,optimal")
    assert compared.returncode == 0, compared.stderr
    assert "short-first" in compared.stdout
    promised = command("verify", "turns.toml")
    assert (promised.returncode, "everybody-waits" in promised.stdout) == (3, True)
    assert command("run", "--help").returncode == 0
    misspelt = command("run", "turns.toml", "--set", "mechanism.rule=turnes")
    assert (misspelt.returncode, "Did you mean 'turns'" in misspelt.stderr) == (2, True)
