"""A goal of one's own is one class: from another distribution to scenario files, and through the kernels."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest

import consortium
from consortium.mechanisms.declaration import build
from consortium.scheduling import Cluster, Cost, Form, Goal, optimal_allocation
from consortium.scheduling.goals import goal_class, goal_names
from consortium.support.errors import ExtensionError, InputError

from ..games.verification import plain
from ..mechanisms.declaration.plainly import one_round, places

TARDINESS = '''
"""Minus the sum of what output times exceed a due date by."""
from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

from consortium.scheduling import Goal, Parameter, Sort


@dataclass(frozen=True)
class Tardiness(Goal):
    due: Annotated[Fraction, Parameter(Sort.POSITIVE, "moment from which time counts")]
    id: ClassVar[str] = "tardiness"

    def value(self, times):
        return -sum((max(t - self.due, Fraction(0)) for t in times), Fraction(0))
'''
SCENARIO = """
format = 1
kind = "declaration"
[cluster]
powers = [1, "3/2"]
[[agents]]
length = 3
[[agents]]
length = 2
[[agents]]
length = 2
[mechanism]
rule = "evcg-postpone"
[welfare]
goal = "tardiness"
due = "3/2"
[domain]
lengths = [1, 2, 3]
"""


def tardiness(times: Sequence[Any]) -> Any:
    return -sum(max(t - Fraction(3, 2), 0) for t in times)


@pytest.fixture
def late(tmp_path: Path, distributions: ModuleType) -> Path:
    """A folder with the distribution and a scenario that names its goal."""
    distributions.make_distribution(
        tmp_path, "late-goals", {"late_goals": TARDINESS}, {"consortium.goals": {"tardiness": "late_goals:Tardiness"}}
    )
    (tmp_path / "late.toml").write_text(SCENARIO)
    return tmp_path


def test_a_goal_of_another_distribution_is_used_from_a_scenario_file(late: Path, distributions: ModuleType) -> None:
    twin = plain.Plain("evcg-postpone", (1, Fraction(3, 2)), tardiness, "exact")
    lengths = tuple(map(Fraction, (3, 2, 2)))
    whole = one_round(twin.rule, twin.powers, lengths, lengths, **twin.options)
    planned = whole["planned"]

    record = json.loads(distributions.command(late, "run", "late.toml", "--json").stdout)
    assert [Fraction(agent["planned"]) for agent in record["agents"]] == list(planned)
    assert [(agent["machine"], agent["position"]) for agent in record["agents"]] == [
        (m + 1, i + 1) for m, i in places(whole["schedule"], 3)
    ]
    assert Fraction(record["welfare"]["final"]) == tardiness(planned)

    done = distributions.command(late, "verify", "late.toml", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["dominant"]
    domain = [tuple(map(Fraction, (1, 2, 3)))] * 3
    holds, cases, gain, _ = plain.check(twin, domain, domain, "dominant")
    assert (found["holds"], found["cases"], Fraction(found["max_gain"])) == (holds, cases, gain)


def test_the_schema_and_the_errors_name_it(late: Path, distributions: ModuleType) -> None:
    schema = json.loads(distributions.command(late, "schema", "declaration").stdout)
    block = schema["$defs"]["declaration-WelfareBlock"]
    assert block["properties"]["goal"]["enum"][-1] == "tardiness"
    assert block["properties"]["due"]["description"].startswith("moment from which time counts.")
    for broken, said in {
        'goal = "tardines"': "squared-deviation, expression, tardiness. Did you mean 'tardiness'?",
        'goal = "tardiness"': "welfare.due: found nothing; expected this key, which goal = 'tardiness' needs",
        'goal = "tardiness"\ndue = 0': "welfare.due: found 0; expected a number > 0",
        'goal = "tardiness"\ndue = 1\norder = 2': "welfare.order: found 2; expected only ties, due besides goal",
    }.items():
        (late / "late.toml").write_text(SCENARIO.replace('goal = "tardiness"\ndue = "3/2"', broken))
        done = distributions.command(late, "run", "late.toml")
        assert (done.returncode, done.stdout) == (2, "")
        assert said in done.stderr


OWN = """
from consortium.scheduling import Goal, SumOfTimes
from consortium.support.errors import InputError
from dataclasses import dataclass
from typing import Annotated, ClassVar
from consortium.scheduling import Parameter, Sort

def function(times):
    return 0

@dataclass(frozen=True)
class Reserved(Goal):
    ties: Annotated[int, Parameter(Sort.COUNT, "no")]
    id: ClassVar[str] = "reserved"
    def value(self, times):
        return 0

@dataclass(frozen=True)
class Unread(Goal):
    order: "Annotated[Integer, Parameter(Sort.COUNT, 'of a name that nobody imports')]"
    id: ClassVar[str] = "unread"
    def value(self, times):
        return 0

@dataclass(frozen=True)
class Odd(Goal):
    order: Annotated[int, Parameter(Sort.COUNT, "an odd number")] = 1
    id: ClassVar[str] = "odd"
    def __post_init__(self):
        if self.order % 2 == 0:
            raise InputError(f"order: found {self.order}; expected an odd number")
    def value(self, times):
        return -times[self.order - 1]
"""


def test_goals_that_cannot_be_used_are_refused_by_name(site: Path, distributions: ModuleType) -> None:
    entries = {
        "function": "own_goals:function",
        "other-id": "consortium.scheduling:SumOfTimes",
        "reserved": "own_goals:Reserved",
        "unread": "own_goals:Unread",
        "odd": "own_goals:Odd",
        "absent": "own_goal:Absent",
        "sum": "own_goals:Odd",
    }
    distributions.make_distribution(site, "own-goals", {"own_goals": OWN}, {"consortium.goals": entries})
    assert goal_names()[7:] == ("absent", "function", "odd", "other-id", "reserved", "unread")
    assert goal_class("sum").__name__ == "SumOfTimes"  # ours are ours
    for name, said in {
        "function": "for 'function'; expected a subclass of consortium.scheduling.Goal",
        "other-id": "found id = 'sum' in SumOfTimes; expected 'other-id', as announced",
        "reserved": "found the parameter 'ties' in 'reserved'; expected another name",
        "unread": r"found annotations of Unread that cannot be read \(name 'Integer' is not defined\)",
        "absent": "'absent', which own-goals announces, cannot be loaded",
    }.items():
        with pytest.raises(ExtensionError, match=said):
            goal_class(name)


def test_what_the_goal_refuses_is_a_problem_of_the_scenario(site: Path, distributions: ModuleType) -> None:
    distributions.make_distribution(
        site, "odd-goals", {"odd_goals": OWN}, {"consortium.goals": {"odd": "odd_goals:Odd"}}
    )
    scenario: dict[str, Any] = {
        "format": 1,
        "kind": "declaration",
        "cluster": {"powers": [1]},
        "agents": [{"length": 1}, {"length": 2}, {"length": 3}],
        "mechanism": {"rule": "evcg-postpone"},
        "welfare": {"goal": "odd", "order": 3},
    }
    assert consortium.run(scenario).to_dict()["welfare"]["final"] == -3
    scenario["welfare"]["order"] = 2
    said = r"welfare.goal: found 'odd'; expected .* \(order: found 2; expected an odd number\)"
    with pytest.raises(InputError, match=said):
        consortium.run(scenario)


@dataclass(frozen=True)
class Mean(Goal):
    """Minus the mean of some of the output times; ``known`` tells the kernels."""

    some: int
    form: Form
    known: bool
    id: ClassVar[str] = "mean"

    def value(self, times: Sequence[Any]) -> Any:
        if self.form is Form.WEIGHTED:
            return -Fraction(sum(times[: self.some]), self.some)
        return -Fraction(sum(sorted(times)[-self.some :]), self.some)

    def cost(self, n_agents: int) -> Cost | None:
        if not self.known:
            return None
        if self.form is Form.WEIGHTED:
            return Cost.weighted([Fraction(n < self.some) for n in range(n_agents)])
        return Cost.largest(self.some, n_agents)


@pytest.mark.parametrize(
    ("form", "some", "method"),
    [
        (Form.WEIGHTED, 2, "subsets"),
        (Form.LARGEST, 1, "subsets"),
        (Form.LARGEST, 2, "partitions"),
        (Form.LARGEST, 4, "matching"),
    ],
)
def test_a_goal_that_tells_its_cost_gets_the_kernels(form: Form, some: int, method: str) -> None:
    rng = random.Random(f"own cost {form.name} {some}")
    for _ in range(10):
        lengths = [rng.randint(1, 4) for _ in range(4)]
        cluster = Cluster.of([1, rng.choice([1, 2])])
        fast = optimal_allocation(cluster, lengths, Mean(some, form, known=True))
        plain = optimal_allocation(cluster, lengths, Mean(some, form, known=False))
        assert (fast.method, plain.method) == (method, "enumeration")
        assert (fast.allocation, fast.value) == (plain.allocation, plain.value)


def test_without_knowing_more_a_leaver_counts_as_nothing() -> None:
    two = build("evcg-postpone", Cluster.of([1]), Mean(2, Form.WEIGHTED, known=False), rounds=2, values=[0, 99, 99])
    outcome = two.run([5, 1, 2], [5, 1, 2])
    assert outcome.stayed == (False, True, True)
    assert outcome.welfare == -Fraction(1, 2)  # of the two that count, the first left and the second ends at 1
