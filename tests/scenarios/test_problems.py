"""Two mistakes are two problems: whatever else is wrong in a file, no mistake hides another and none makes up a third.

Each kind has a valid file and single mistakes, of the first stage (a value by itself) and of the second (a value beside
others). For any two of them, the file with both has the problems of the one and those of the other, word for word.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Mapping
from typing import Any

import pytest

from consortium.scenarios.problems import Problems, ScenarioError
from consortium.scenarios.reader import changed, load
from consortium.studies.reader import load as load_study

DECLARATION = {
    "format": 1,
    "kind": "declaration",
    "cluster": {"powers": [1]},
    "agents": [{"name": "ann", "length": 1, "declares": 2}, {"name": "bob", "length": 2}],
    "mechanism": {"rule": "evcg-postpone", "penalty": "exact", "cutoff": {"absolute": 10}},
    "welfare": {"goal": "weighted-sum", "weights": {"ann": 1, "bob": 2}},
    "domain": {"lengths": [1, 2], "declarations": {"ann": [1, 2]}},
}
FEDERATION = {
    "format": 1,
    "kind": "federation",
    "organizations": [{"jobs": [1, 2]}, {"jobs": [3]}],
    "mechanism": {"rule": "coordination", "priority": "organizations", "order": ["O1", "O2"]},
    "placement": {"O1": ["O1", "O2"]},
}
MULTIUSER = {
    "format": 1,
    "kind": "multiuser",
    "machines": 1,
    "users": [{"objective": "total-completion", "jobs": [1, 2]}, {"objective": "makespan", "jobs": [3]}],
    "mechanism": {"rule": "lst", "thresholds": ["none", 8]},
}
SHARING = {
    "format": 1,
    "kind": "sharing",
    "until": 9,
    "organizations": [{"machines": 1, "jobs": [[0, 3]]}, {"machines": 1, "jobs": [[0, 2]]}],
    "mechanism": {"rule": "rand", "orderings": [[1, 2], [2, 1]]},
}
TRACE = {
    "format": 1,
    "kind": "sharing",
    "trace": {"file": "a.swf", "duration": 9, "organizations": 3, "shares": [1, 2, 3], "machines": 6},
    "mechanism": {"rule": "ref"},
}
STUDY = {
    "format": 1,
    "kind": "study",
    "verb": "run",
    "base": {"scenario": "agmon2003/5.2.1"},
    "vary": {"mechanism.rule": ["light-vcg", "vcg-postpone"]},
    "measures": {"rent": "rent"},
    "statistics": {"rent": ["mean"]},
}
SINGLE: Mapping[str, tuple[Mapping[str, Any], list[dict[str, Any]]]] = {
    "declaration": (
        DECLARATION,
        [
            {"format": 2},
            {"title": 3},
            {"seed": -1},
            {"agent": 1},
            {"cluster.powers[1]": 0},
            {"agents[1].value": "x"},
            {"agents[1].declares": -1},
            {"agents[2].length": 0},
            {"agents[2].strategi": 1},
            {"mechanism.rounds": 3},
            {"mechanism.penalty": "tight"},
            {"mechanism.penalty": "printd"},
            {"mechanism.cutoff.absolute": 1},
            {"mechanism.order": 1},
            {"welfare.weights.ann": -1},
            {"welfare.weights": {"ann": 1, "bab": 1}},
            {"welfare.ties": "none"},
            {"welfare.order": 1},
            {"domain.lengths": [0]},
            {"domain.declarations": {"carl": [1]}},
            {"domain.declaration": 1},
            {"expect": {"rum": {}}},
        ],
    ),
    "federation": (
        FEDERATION,
        [
            {"source": []},
            {"organizations[1].machines": 0},
            {"organizations[1].jobs[2]": -1},
            {"organizations[2].job": [1]},
            {"organizations[2].name": "O1"},
            {"mechanism.priority": "job"},
            {"mechanism.reference": "lst"},
            {"mechanism.order": ["O1", "O3"]},
            {"mechanism.order": "longest"},
            {"mechanism.constraints": ["local"]},
            {"mechanism.objective": "sum"},
            {"placement.O1": ["O1", "O4"]},
            {"placement.O7": ["O1"]},
            {"placement.O2": []},
        ],
    ),
    "multiuser": (
        MULTIUSER,
        [
            {"machines": 0},
            {"users[1].jobs": []},
            {"users[1].name": ""},
            {"users[2].objective": "makespam"},
            {"mechanism.thresholds": [1]},
            {"mechanism.thresholds": ["none", -1]},
            {"mechanism.thresholds": None},
            {"mechanism.levels": 2},
            {"fairness": {"norm": "max"}},
            {"users[1].objective": "makespan"},
        ],
    ),
    "sharing": (
        SHARING,
        [
            {"until": -1},
            {"organizations[1].machines": -1},
            {"organizations[2].jobs[1]": [1]},
            {"organizations[2].jobs": 3},
            {"mechanism.orderings[1]": [1, 3]},
            {"mechanism.samples": 3},
            {"mechanism.confidence": 2},
            {"mechanism.timing": "later"},
            {"mechanism.machine_order": "listed"},
        ],
    ),
    "trace": (
        TRACE,
        [
            {"trace.file": 1},
            {"trace.duration": 0},
            {"trace.organizations": 0},
            {"trace.shares": [1, 2]},
            {"trace.machines": 7},
            {"trace.machine": 7},
            {"until": 3},
            {"mechanism.utility": "tardiness"},
            {"mechanism.samples": 3},
        ],
    ),
    "study": (
        STUDY,
        [
            {"format": 2},
            {"title": 3},
            {"replicates": 0},
            {"vary.seed": []},
            {"measures.x": 3},
            {"measures.y": ""},
            {"statistics.rent": ["meen"]},
            {"statistics.rant": ["mean"]},
            {"group_by": ["mechanism.rul"]},
            {"plots": [{"kind": "line"}]},
            {"stop": {"aftr": 1}},
            {"together": [{"a.b": [1], "c.d": [1, 2]}]},
        ],
    ),
}
TOGETHER = (
    # one mistake takes away what the other is about
    {"mechanism.penalty", "mechanism.cutoff.absolute"},
    {"organizations[2].name", "mechanism.order"},
    {"organizations[2].name", "placement.O2"},
    {"organizations[2].name", "placement.O1"},
    {"organizations[2].name", "placement.O7"},
    {"mechanism.priority", "mechanism.order"},
    {"organizations[2].name", "mechanism.priority"},
    {"users[1].jobs", "mechanism.thresholds"},
    {"users[2].objective", "users[1].objective"},
    {"users[1].objective", "mechanism.thresholds"},
    {"mechanism.samples", "mechanism.confidence"},
    {"trace.shares", "trace.machines"},
    {"trace.organizations", "trace.shares"},
    {"agents[1].declares", "mechanism.cutoff.absolute"},
    {"domain.lengths", "domain.declarations"},
    {"organizations[2].jobs", "organizations[2].jobs[1]"},
    {"welfare.weights", "welfare.weights.ann"},
)
"""Keys whose mistakes have to do with each other: of these, at least one problem of each is told."""


def with_mistakes(data: Mapping[str, Any], *mistakes: Mapping[str, Any]) -> dict[str, Any]:
    found = copy.deepcopy(dict(data))
    for mistake in mistakes:
        for path, value in mistake.items():
            problems = Problems()
            if path.startswith(("vary.", "measures.", "statistics.")):
                table, _, key = path.partition(".")
                found.setdefault(table, {})[key] = value
            else:
                found = changed(found, {path: value}, problems)
            assert not problems.noted
    return found


def problems(kind: str, data: Mapping[str, Any]) -> set[str]:
    try:
        (load_study if kind == "study" else load)(data)
    except ScenarioError as error:
        return set(map(str, error.problems))
    return set()


@pytest.mark.parametrize("kind", SINGLE)
def test_no_mistake_hides_another(kind: str) -> None:
    valid, mistakes = SINGLE[kind]
    assert not problems(kind, valid)
    alone = [problems(kind, with_mistakes(valid, mistake)) for mistake in mistakes]
    assert all(alone), [mistake for mistake, found in zip(mistakes, alone, strict=True) if not found]
    for (one, first), (two, second) in itertools.combinations(zip(mistakes, alone, strict=True), 2):
        if one.keys() == two.keys():
            continue
        both = problems(kind, with_mistakes(valid, one, two))
        if {*one, *two} in TOGETHER:
            assert both, (one, two)
        else:
            assert both == first | second, (one, two, both ^ (first | second))


def test_overrides_that_lead_nowhere_do_not_hide_the_rest() -> None:
    with pytest.raises(ScenarioError) as caught:
        load({**DECLARATION, "format": 2}, {"agents.anne.length": 1, "mechanism.rule": "harsch"})
    assert [problem.path for problem in caught.value.problems] == [
        "overrides: agents.anne.length",
        "format",
        "mechanism.rule",
    ]


def test_a_kind_that_is_not_known_does_not_hide_the_head() -> None:
    found = problems("", {"format": 3, "kind": "sharin", "title": 1, "seed": "x"})
    assert {text.partition(":")[0] for text in found} == {"format", "kind", "title", "seed"}
