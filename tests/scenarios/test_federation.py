"""Files of kind federation: what is read, and one message per mistake."""

from __future__ import annotations

from fractions import Fraction

import pytest

import consortium
from consortium.scenarios.problems import ScenarioError
from consortium.scenarios.reader import load

from .broken_files.federation import BROKEN, GOOD, changed


def test_a_good_file():
    spec = load(GOOD).spec
    assert spec.names == ("lab", "O2", "O3")
    assert spec.federation.machines == (2, 1, 1)
    assert spec.federation.organizations[0].lengths == (2, Fraction(3, 2))
    assert spec.placement == ((1, 0), (1,), ())
    assert dict(spec.options) == {"priority": "organizations", "order": ("O2", "lab", "O3")}
    assert (spec.reference, spec.selfishness) == (None, "strict")


def test_options_reach_the_rule():
    one = changed(organizations__0__machines=1)
    tomos = {"rule": "tomos", "cooperation": "3/2", "base": "ilba", "reference": "spt"}
    assert dict(load({**one, "mechanism": tomos}).spec.options) == {
        "cooperation": Fraction(3, 2), "base": "ilba", "reference": "spt",
    }  # fmt: skip
    best = {"rule": "optimal", "constraints": ["local", "selfish"], "selfishness": "printed"}
    assert dict(load({**one, "mechanism": best}).spec.options) == {
        "constraints": ("local", "selfish"), "selfishness": "printed",
    }  # fmt: skip
    assert dict(load({**one, "mechanism": {"rule": "ilba", "local_order": "spt"}}).spec.options) == {
        "local_order": "spt"
    }


@pytest.mark.parametrize(("changes", "message"), BROKEN, ids=[m[:50] for _, m in BROKEN])
def test_one_message_per_mistake(changes, message):
    with pytest.raises(ScenarioError) as caught:
        load(changed(**changes))
    assert any(message in str(problem) for problem in caught.value.problems), str(caught.value)


def test_all_mistakes_at_once():
    broken = changed(organizations__1__machines=0, mechanism__rule="ilbaa", placement={"lab": ["O9", "lab"]})
    with pytest.raises(ScenarioError) as caught:
        load(broken)
    assert [p.path for p in caught.value.problems] == [
        "organizations[2].machines",
        "mechanism.rule",
        "placement.lab[1]",
    ]


def test_given_priorities():
    data = changed(mechanism={"rule": "coordination", "priority": "jobs", "order": "given"}, placement=None)
    data["organizations"] = [{"jobs": [{"length": 1, "priority": 1}, {"length": 1, "priority": 7}]}]
    assert load(data).spec.federation.organizations[0].jobs[1].priority == 7


def test_jobs_of_any_lengths():
    ranked = {"rule": "coordination", "priority": "jobs", "order": "given"}
    rows = [{"jobs": 2, "priorities": [9, 2]}, {"jobs": 0}, {"name": "lab", "jobs": 1, "priorities": [4]}]
    spec = load(changed(organizations=rows, mechanism=ranked, placement={"lab": ["O1"]})).spec
    assert (spec.names, spec.jobs, spec.priorities) == (("O1", "O2", "lab"), (2, 0, 1), ((9, 2), (), (4,)))
    assert (spec.ranks, spec.by_priority) == (((3, 1), (), (2,)), (0, 1, 2))
    ordered = {"rule": "coordination", "order": ["lab", "O2", "O1"]}
    rows = [{key: value for key, value in row.items() if key != "priorities"} for row in rows]
    spec = load(changed(organizations=rows, mechanism=ordered, placement=None)).spec
    assert (spec.ranks, spec.by_priority) == (None, (2, 1, 0))


def test_every_organization_is_read_although_an_earlier_one_is_broken():
    """Names are known of all, and each has its own message."""
    organizations = [{"name": "a", "jobs": "3"}, {"name": "b", "jobs": [1, 0]}, {"name": "c", "jobs": []}]
    file = {"organizations": organizations, "mechanism": {"rule": "ilba"}, "placement": {"b": ["a", "c"]}}
    with pytest.raises(ScenarioError) as error:
        load({**changed(), **file})
    told = str(error.value)
    assert "organizations[1].jobs" in told
    assert "organizations[2].jobs[2]" in told
    assert "'c'" not in told


@pytest.mark.parametrize("floats", ["refuse", "decimal"])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_not_finite_is_no_question_of_floats(value: float, floats: str) -> None:
    data = {"format": 1, "kind": "federation", "organizations": [{"jobs": [value]}], "mechanism": {"rule": "local"}}
    with pytest.raises(consortium.ScenarioError, match=r"found (nan|inf); expected a number > 0 that is finite$"):
        consortium.run(data, floats=floats)
