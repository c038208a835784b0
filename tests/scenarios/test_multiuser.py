"""Reading scenarios of kind multiuser: what a file means, and what is refused with which words."""

from __future__ import annotations

from fractions import Fraction

import pytest

from consortium.scenarios.multiuser import FairnessBlock
from consortium.scenarios.problems import ScenarioError
from consortium.scenarios.reader import load, parse_text

from .broken_files.multiuser import BASE, BROKEN, changed


def test_every_key_is_read() -> None:
    text = """
format = 1
kind = "multiuser"
machines = 2

[[users]]
name = "ann"
objective = "makespan"
jobs = [1, "1/2"]

[[users]]
jobs = [0.25]

[mechanism]
rule = "edf"
thresholds = [3.5, "none"]
ties = "work"
"""
    spec = load(parse_text(text)).spec
    assert spec.machines == 2
    assert spec.names == ("ann", "u2")
    assert spec.users[0].jobs == (1, Fraction(1, 2))
    assert [user.objective for user in spec.users] == ["makespan", "makespan"]
    assert spec.thresholds == (Fraction(7, 2), None)
    assert (spec.rule, spec.ties) == ("edf", "work")


def test_defaults() -> None:
    spec = load(BASE).spec
    assert (spec.machines, spec.levels, spec.local, spec.improve) == (1, 6, "lpt", False)
    assert (spec.ties, spec.epsilon, spec.thresholds) == ("index", None, ())
    assert spec.fairness == FairnessBlock(norm=2, values="average", relative_to="none")


@pytest.mark.parametrize(("changes", "messages"), BROKEN, ids=[messages[0][:50] for _, messages in BROKEN])
def test_mistakes_are_named(changes, messages) -> None:
    with pytest.raises(ScenarioError) as error:
        load(changed(**changes))
    for message in messages:
        assert message in str(error.value)


def test_all_mistakes_are_reported_at_once() -> None:
    with pytest.raises(ScenarioError) as error:
        load(changed(machines=0, users__0__jobs=[0], mechanism__rule="lst", fairness__norm="jain", users__1__jobs=[]))
    paths = {problem.path for problem in error.value.problems}
    assert {
        "machines",
        "users[1].jobs[1]",
        "users[2].jobs",
        "fairness.norm",
        "mechanism.thresholds",
        "fairness",
    } <= paths
