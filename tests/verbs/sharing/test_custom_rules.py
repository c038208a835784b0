"""Custom rules of the pool, and rules of other distributions."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import consortium
from consortium.scenarios.problems import ScenarioError
from consortium.support.errors import InputError, MechanismError

from .files import scenario
from .logs import OldestFirst, Turns


class Owners:
    """Fewest starts per machine first; made from the machines."""

    def __init__(self, machines) -> None:
        self.machines = machines

    def choose(self, pool):
        assert self.machines == pool.machines
        return min(pool.waiting, key=lambda u: (Fraction(pool.started[u], max(1, self.machines[u])), u))


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
    assert rule.served == [0] * 14  # each window begins with the rule as it was given
    assert first.organizations == second.organizations
    assert first.windows == second.windows


def test_slips_of_own_rules_are_told(traced, tmp_path) -> None:
    for verb in (consortium.run, consortium.verify):
        with pytest.raises(InputError, match=r"found 'fifo'; expected a custom rule.* set mechanism\.rule"):
            verb(scenario(), mechanism="fifo")
        with pytest.raises(MechanismError, match=r"Nobody.choose\(pool\) at moment 0: found -1"):
            verb(scenario(), mechanism=Nobody())
    with pytest.raises(InputError, match="store: found the rule 'mine', an object"):
        consortium.compare(traced, rules={"mine": OldestFirst()}, store=tmp_path / "kept")

    class Local(OldestFirst):
        pass

    with pytest.raises(InputError, match="the rule 'mine' cannot be sent to another process"):
        consortium.compare(traced, rules={"mine": Local()}, processes=2)


LAST = """
from consortium.mechanisms.kinds import RuleInfo
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
