"""The tasks of a study: their grid, their seeds and their instances."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import consortium
from consortium.scenarios.problems import ScenarioError
from consortium.studies import reader
from consortium.support.errors import InputError

from .examples import BASE, anarchy


@given(st.lists(st.integers(1, 4), max_size=4), st.integers(1, 3))
def test_tasks_follow_the_grid(widths: list[int], replicates: int) -> None:
    vary = {f"options.o{i}": list(range(width)) for i, width in enumerate(widths)}
    study = reader.again("study", None, anarchy(base={"format": 1, **BASE}, vary=vary, replicates=replicates))
    rows = [dict(zip(vary, values, strict=True)) for values in product(*vary.values())]
    expected = [(cell, r, row) for cell, row in enumerate(rows, 1) for r in range(1, replicates + 1)]
    tasks = [study.task(k) for k in range(1, study.size + 1)]
    assert [(task.cell, task.replicate, task.varied) for task in tasks] == expected
    assert [study.number(task.varied, task.replicate) for task in tasks] == [task.number for task in tasks]


def test_columns_vary_together() -> None:
    together = [{"family.organizations": [2, 3], "family.jobs": [3, 1]}, {"mechanism.priority": ["jobs"]}]
    study = reader.load(anarchy(vary=None, together=together))
    assert [tuple(study.cell(k).values()) for k in range(1, study.cells + 1)] == [(2, 3, "jobs"), (3, 1, "jobs")]
    sizes = [[len(o["jobs"]) for o in study.instance(study.task(k)).data["organizations"]] for k in (1, 4)]
    assert sizes == [[3, 3], [1, 1, 1]]


def test_an_instance_depends_on_seed_cell_and_replicate_only() -> None:
    """A larger grid, more replicates, another order of the keys: the same instances where these three are the same."""
    small = reader.load(anarchy())
    large = reader.load(anarchy(
        replicates=5, vary={"mechanism.priority": ["jobs", "organizations"], "family.organizations": [4, 3, 2]}
    ))  # fmt: skip

    def drawn(study: reader.Study) -> dict[tuple[object, ...], object]:
        tasks = [study.task(k) for k in range(1, study.size + 1)]
        return {(*sorted(map(str, t.varied.items())), t.replicate): study.instance(t).data for t in tasks}

    ours, theirs = drawn(small), drawn(large)
    assert ours.items() <= theirs.items()
    assert len(ours) == 12
    other = drawn(reader.load(anarchy(seed=8)))
    assert all(other[key] != value for key, value in ours.items())


def test_rules_are_compared_on_the_same_jobs() -> None:
    study = reader.load(anarchy())
    jobs = {}
    for k in range(1, study.size + 1):
        task = study.task(k)
        rows = study.instance(task).data["organizations"]
        plain = [[job["length"] if isinstance(job, dict) else job for job in row["jobs"]] for row in rows]
        jobs.setdefault((len(rows), task.replicate), []).append(plain)
    assert all(one == other for one, other in jobs.values())
    assert len(jobs) == 6


def test_an_option_takes_the_seed_of_the_task() -> None:
    study = reader.load(
        anarchy(options={"seed": "task", "dynamics": "best-response-with-inertia", "rounds": 5}, vary=None)
    )
    seeds = [study.options_for("search", study.task(k))["seed"] for k in (1, 2, 3)]
    assert seeds == [study.task(k).seed for k in (1, 2, 3)]
    assert len(set(seeds)) == 3


def test_a_base_with_a_seed_keeps_it() -> None:
    study = reader.load(anarchy(base={**BASE, "seed": 11}, family=None, vary=None, replicates=2))
    assert [study.instance(study.task(k)).seed for k in (1, 2)] == [11, 11]


def test_all_members_of_a_family_once() -> None:
    family = {"name": "all-federations", "organizations": 2}
    study = reader.load(anarchy(family=family, replicates="all", vary={"family.work": [2, 0, 3]}))
    tasks = [study.task(k) for k in range(1, study.size + 1)]
    assert [t.cell for t in tasks] == [1] * 5 + [2] + [3] * 10
    assert [t.replicate for t in tasks] == [*range(1, 6), 1, *range(1, 11)]
    assert [study.first(cell) for cell in (1, 2, 3)] == [1, 6, 7]
    made = [tuple(tuple(o["jobs"]) for o in study.instance(t).data["organizations"]) for t in tasks]
    assert len(set(made)) == 16
    assert [sum(map(sum, jobs)) for jobs in made] == [2] * 5 + [0] + [3] * 10


def test_a_number_of_replicates_draws_members() -> None:
    family = {"name": "all-federations", "organizations": 2, "work": 4}
    study = reader.load(anarchy(family=family, vary=None, replicates=30))
    made = {str(study.instance(study.task(k)).data["organizations"]) for k in range(1, 31)}
    assert 5 < len(made) <= 20


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"family": None}, "replicates: found 'all'; expected an integer, or a \\[family\\]"),
        ({}, "family 'uniform-jobs' .* are drawn, not counted"),
        ({"family": {"name": "all-federations", "work": 41}}, "work: found 41; expected an integer from 0 to 40"),
    ],
)
def test_only_members_that_can_be_counted_are_taken_once(changes: dict[str, Any], said: str) -> None:
    with pytest.raises((ScenarioError, InputError), match=said):
        reader.load(anarchy(**{"base": BASE, "vary": None, "replicates": "all"} | changes))


@pytest.mark.parametrize(
    ("verb", "domain", "family", "warned"),
    [
        ("verify", True, True, True),
        ("verify", False, True, False),
        ("run", True, True, False),
        ("verify", True, False, False),
    ],
)
def test_lengths_that_are_drawn_and_not_tried_are_told(verb: str, domain: bool, family: bool, warned: bool) -> None:
    base = {"format": 1, "kind": "declaration", "cluster": {"powers": [1]}, "mechanism": {"rule": "light-vcg"}}
    base |= {"domain": {"lengths": [1, 2], "declarations": [1, 2]}} if domain else {}
    base |= {} if family else {"agents": [{"length": 1}, {"length": 2}]}
    drawn = {"family": {"name": "uniform-jobs", "agents": 2, "longest": 2}} if family else {}
    measures = {"complete": "complete"}
    results = consortium.study(
        {"format": 1, "kind": "study", "verb": verb, "base": base, "measures": measures, **drawn}
    )
    said = "verify tries the lengths of [domain] in the base, not those that the family draws"
    assert (said in str(results)) is warned
    assert results.study.remarks == ([said] if warned else [])
