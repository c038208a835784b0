"""Scenarios of kind ``declaration`` as objects: custom mechanisms in every verb, options, sizes of questions."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import consortium
from consortium.mechanisms.declaration import build
from consortium.scheduling.clusters import Cluster
from consortium.support.errors import MechanismError
from consortium.verbs.declaration.model import model

from .files import Queue, scenario


class Forgetful:
    def run(self, declared: Any, lengths: Any) -> Any:
        return None


class Dividing:
    def run(self, declared: Any, lengths: Any) -> Any:
        return declared[0] / 0


class Backwards:
    def run(self, declared: Any, lengths: Any) -> Any:
        return SimpleNamespace(output=[-1, 1], payments=[0, 0])


class Later:
    def run(self, declared: Any, lengths: Any) -> Any:
        return SimpleNamespace(output=(x / 0 for x in lengths), payments=[0, 0])


def test_own_mechanism_in_every_verb() -> None:
    goal = scenario(welfare={"goal": "makespan"})
    played = consortium.run(goal, mechanism=Queue()).to_dict()
    assert (played["welfare"]["final"], played["optimal_sum"]) == (-4, None)
    found = consortium.verify(goal, mechanism=Queue())
    assert (found.dominant["holds"], found.dominant["witness"]["replay"], found.method) == (False, (), "general")
    assert consortium.search(goal, mechanism=lambda cluster: Queue()).equilibria["exists"]
    assert consortium.curve(goal, "ann", mechanism=Queue()).exact


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        (Forgetful(), "Forgetful.run: found None as the answer; expected an object with output and payments"),
        (Dividing(), r"Dividing.run\(declared, lengths\) failed with ZeroDivisionError.*on declared = \(1, 2\)"),
        (Backwards(), r"Backwards.run: output\[1\]: found -1; expected a time >= 0"),
        (Later(), r"Later.run: output.* failed with ZeroDivisionError"),
        (lambda cluster: 7, "made 7; expected an object with run"),
        (lambda c: build("evcg-postpone", c, allocate=lambda b: [[0]]), "found 1 lists with 1 agents"),
        (lambda c: build("evcg-postpone", c, allocate=lambda b: [[0, 0]]), r"found \[\[0, 0\]\]; expected"),
        (lambda c: build("evcg-postpone", c, allocate=lambda b: [[0, 1.0]]), r"found \[\[0, 1.0\]\]; expected"),
        (lambda c: build("evcg-postpone", c, allocate=lambda b: ([1 // n] for n in (1, 0))), "allocate.*ZeroDi"),
        (lambda c: build("evcg-postpone", c, allocate=lambda b: [(n // 0 for n in b)]), "allocate.* failed with Z"),
        (lambda c: build("evcg-postpone", c, allocate=lambda b: "01"), "allocate: found '01' as the answer; exp"),
    ],
)
def test_mistakes_in_own_mechanisms_are_told(mechanism: Any, message: str) -> None:
    with pytest.raises(MechanismError, match=message):
        consortium.run(scenario(), mechanism=mechanism)


def two_agents(**more: Any) -> dict[str, Any]:
    agents = [{"name": "ann", "length": 3, "declares": 2, **more}, {"name": "bob", "length": 1, **more}]
    kind = {"format": 1, "kind": "declaration", "cluster": {"powers": [1]}, "agents": agents}
    return kind | {"mechanism": {"rule": "vcg-postpone"}}


def test_lengths_and_declarations_of_a_file_are_listed_in_order() -> None:
    assert model(consortium.load(two_agents())).named_lengths() == (1, 2, 3)


def test_a_mechanism_of_ones_own_has_the_values_of_the_scenario() -> None:
    class Own:
        def __init__(self, values: tuple[int, ...]) -> None:
            self.one, self.values = build("vcg-postpone", Cluster.of([1])), values

        def run(self, declared: Any, lengths: Any) -> Any:
            return self.one.run(declared, lengths)

    file = two_agents(value=9)
    worth = consortium.run(file, mechanism=Own((9, 9))).agents
    assert [row.utility for row in worth] == [row.utility for row in consortium.run(file).agents]
    with pytest.raises(MechanismError, match=r"values: found 9 8; expected one per agent, as in the scenario: 9 9"):
        consortium.run(file, mechanism=Own((9, 8)))


def test_dry_runs_count_without_working() -> None:
    assert consortium.estimate("run", scenario()).size == 1
    assert consortium.estimate("search", scenario()).size == 4
    assert consortium.estimate("verify", scenario()).size == consortium.verify(scenario()).dominant["cases"]
