"""Study files: what they may say, and what is said of everything else."""

from __future__ import annotations

import math
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import consortium
from consortium.scenarios.problems import ScenarioError
from consortium.studies import reader
from consortium.support.errors import InputError, UnknownNameError

from .examples import BASE, anarchy


def wrong(**changes: Any) -> str:
    with pytest.raises(ScenarioError) as caught:
        reader.load(anarchy(**changes))
    return str(caught.value)


def test_a_study_is_read() -> None:
    study = reader.load(anarchy(title="Anarchy", task_limit=10, statistics={"anarchy": ["mean", "p90"]}))
    assert (study.title, study.cells, study.size, study.keys) == (
        "Anarchy", 4, 12, ("family.organizations", "mechanism.priority"),
    )  # fmt: skip
    assert study.statistics == {"anarchy": ("mean", "p90")}
    assert [study.cell(k) for k in (1, 2, 3)] == [
        {"family.organizations": 2, "mechanism.priority": "organizations"},
        {"family.organizations": 2, "mechanism.priority": "jobs"},
        {"family.organizations": 3, "mechanism.priority": "organizations"},
    ]


def test_a_mistake_is_told_once() -> None:
    verbs = wrong(verb=["serch", "run"], measures={"anarchy": "search:price_of_anarchy"})
    expected = "expected one of run, search, verify, prove, compare"
    assert verbs.startswith(f"study: verb: found 'serch'; {expected}. Did you mean")
    assert "\n" not in verbs, "nothing can be said of the measures of a verb that there is not"
    path = wrong(verb=["search", "run"], measures={"anarchy": "price_of_anarchy"}, statistics={"anarchy": ["mean"]})
    assert path == (
        "study: measures.anarchy: found 'price_of_anarchy'; expected the verb before the path, as in "
        "'search:price_of_anarchy'"
    )


def test_a_mistake_in_an_instance_says_of_which_cell() -> None:
    assert wrong(vary={"mechanism.priority": ["job"]}).startswith(
        "study: cell 1 (mechanism.priority = 'job'): mechanism.priority: found 'job'; expected one of "
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": 2}, "study: format: found 2; expected 1"),
        ({"kind": "studies"}, "kind: found 'studies'; expected 'study'"),
        ({"replicats": 3}, "replicats: found an unknown key; expected one of "),
        ({"replicates": 0}, "replicates: found 0; expected an integer from 1 to 1000000000"),
        ({"seed": -1}, "seed: found -1; expected an integer from 0 to "),
        ({"task_limit": 0}, "task_limit: found 0; expected a number > 0"),
        ({"task_limit": "1e400"}, "expected a number > 0, at most 1,000,000,000"),
        ({"verb": []}, "verb: found []; expected the name of a verb, or a list of such names"),
        ({"verb": ["search", "search"]}, "verb: found ['search', 'search']; expected the name of a verb, or a "
     "list of such names, each once"),
        ({"verb": "serch"}, "verb: found 'serch'; expected one of run, search, verify, prove, compare. Did you mean"),
        ({"verb": None}, "verb: found nothing; expected this required key (what is asked of every instance"),
        ({"base": None}, "base: found nothing; expected a table [base]"),
        ({"base": {"kind": "federations"}}, "base.kind: found 'federations'; expected one of declaration, "),
        ({"base": {"scenario": "minimal/federations"}}, "base.scenario: found 'minimal/federations'; expected an exis"),
        ({"base": {"scenario": "minimal/federation", "seed": 1}}, "base.seed: found an unknown key; expected one of "),
        ({"base": {"kind": "federation", "mechanism": "lpt"}}, "base.mechanism: found 'lpt'; expected a table"),
        ({"family": {"organizations": 2}}, "family.name: found nothing; expected the name of a family"),
        ({"family": None, "vary": {"family.organizations": [2]}}, "family.name: found nothing; expected the name"),
        ({"family": {"name": "uniform-job"}}, "Did you mean 'uniform-jobs'?"),
        ({"family": {"name": "uniform-jobs", "longst": 3}}, "Did you mean 'longest'?"),
        ({"vary": {"family.organizations": []}}, 'vary."family.organizations": found []; expected a list of at least'),
        ({"vary": {"mechanism.priorty": ["jobs"]}}, "mechanism.priorty: found an unknown key"),
        ({"vary": {"family.longest": [3, math.nan]}}, "vary.family.longest[2]: found nan; expected a finite number"),
        ({"vary": {"family.longest": [date(2013, 5, 1)]}}, "vary.family.longest[1]: found datetime.date(2013, 5, 1)"),
        ({"options": {"time_limit": math.inf}}, "options.time_limit: found inf; expected a finite number"),
        ({"together": [{"a": [1, 2], "b": [1]}]}, "together[1]: found a table; expected columns of one length"),
        ({"together": [{"mechanism.priority": ["jobs"]}]}, "vary: found 'mechanism.priority'; expected each key once"),
        ({"measures": {"task": "price_of_anarchy"}}, "measures.task: found 'task'; expected a name of letters"),
        ({"measures": {"x": 3}}, "measures.x: found 3; expected a path into the record"),
        ({"measures": {"anarchy": "price_of_anarchi"}}, "Did you mean 'price_of_anarchy'?"),
        ({"measures": {"exists": "exists"}}, "measures.exists: found 'exists'; expected a path into the record of"),
        ({"measures": {"exists": "exists"}}, "Did you mean 'equilibria.exists'?"),
        ({"verb": "run", "measures": {"c": "organizations[1].cost"}}, "Did you mean 'organizations.1.cost'?"),
        ({"verb": "run", "measures": {"c": "organizations.O1.costs"}}, "measures.c: found 'organizations.O1.costs'"),
        ({"statistics": {"anarchi": ["mean"]}}, "Did you mean 'anarchy'?"),
        ({"statistics": {"anarchy": ["meen"]}}, "Did you mean 'mean'?"),
        ({"statistics": {"anarchy": ["p100"]}}, "statistics.anarchy: found ['p100']; expected a list of count, mean"),
        ({"group_by": ["family.jobs"]}, "group_by: found 'family.jobs'; expected one of the varied keys"),
        ({"plots": [{"y": "anarchy"}]}, "plots[1].x: found nothing; expected one of family.organizations, "),
        ({"plots": [{"x": "replicate", "y": "anarchi"}]}, "plots[1].y: found 'anarchi'"),
        ({"plots": [{"x": "replicate", "y": ["anarchy", "exist"]}]}, "plots[1].y: found 'exist'"),
        ({"plots": [{"x": "replicate", "y": ["anarchy", "anarchy"]}]}, "plots[1].y: found ['anarchy', 'anarchy']; exp"),
        (
            {"plots": [{"x": "replicate", "y": ["anarchy", "exists"], "by": "mechanism.priority"}]},
            "plots[1].by: found 'mechanism.priority'; expected no key beside several measures",
        ),
        (
            {"plots": [{"x": "replicate", "y": "anarchy", "where": {"mechanism.priority": "job"}}]},
            "plots[1].where.mechanism.priority: found 'job'; expected one of its values, organizations, jobs",
        ),
        (
            {"plots": [{"x": "replicate", "y": "anarchy", "where": {"mechanism.prio": "jobs"}}]},
            "plots[1].where.mechanism.prio: found 'mechanism.prio'",
        ),
        ({"plots": [{"x": "replicate", "y": "anarchy", "where": 3}]}, "plots[1].where: found 3; expected a table of"),
        ({"plots": [{"x": "replicate", "y": "anarchy", "kind": "pie"}]}, "plots[1].kind: found 'pie'; expected one"),
        ({"stop": {"when": "exist == false"}}, "Did you mean 'exists'?"),
        ({"stop": {"when": "exists ="}}, "stop.when: found 'exists ='"),
        ({"stop": {}}, "stop.when: found nothing; expected this required key"),
        ({"options": {"time_limt": 3}}, "Did you mean 'time_limit'?"),
        ({"vary": {"options.epsilon": [1, "1/2"]}}, "epsilon"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(changes: dict[str, Any], said: str) -> None:
    data = anarchy(**{key: value for key, value in changes.items() if value is not None})
    for key, value in changes.items():
        if value is None:
            del data[key]
    with pytest.raises((InputError, UnknownNameError)) as caught:
        reader.load(data)
    assert said in str(caught.value)


def test_every_problem_is_reported_at_once() -> None:
    said = wrong(replicates=0, base={"kind": "x"}, family={}, stop={"hits": 0})
    assert all(f"study: {key}" in said for key in ("replicates", "base.kind", "family.name", "stop.hits", "stop.when"))


def test_several_verbs_have_options_and_measures_of_their_own() -> None:
    two = anarchy(
        verb=["run", "search"], base=BASE, family=None, vary={"options.search.list": [1, 2]},
        measures={"cost": "run:social_cost", "anarchy": "search:price_of_anarchy"}, options={"search": {"list": 3}},
    )  # fmt: skip
    study = reader.load(two)
    task = study.task(study.size)
    assert (study.options_for("run", task), study.options_for("search", task)) == ({}, {"list": 2})
    with pytest.raises(ScenarioError, match=r"measures.cost: .* expected the verb before the path, as in 'run:social"):
        reader.load(two | {"measures": {"cost": "social_cost"}})
    with pytest.raises(ScenarioError, match=r"options.list: found an unknown key; expected one of run, search"):
        reader.load(two | {"options": {"list": 3}})


def test_a_base_lies_beside_the_study_file(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text('format = 1\nkind = "federation"\norganizations = [{jobs = [1.5]}]\n'
                                        'mechanism = {rule = "local"}\n[expect.run]\nsocial_cost = 1.5\n')  # fmt: skip
    file = tmp_path / "study.toml"
    file.write_text('format = 1\nkind = "study"\nverb = "run"\n[base]\nscenario = "base.toml"\n')
    study = reader.load(file)
    assert study.base["organizations"] == [{"jobs": ["3/2"]}]
    assert "expect" not in study.base
    assert study.folder == str(tmp_path)


def test_the_full_size_takes_the_place_of_the_small_one() -> None:
    sizes = {"replicates": 1000, "vary": {"family.organizations": [2, 3, 4]}}
    assert reader.load(anarchy(full=sizes)).size == 12
    full = reader.load(anarchy(full=sizes), full=True)
    assert (full.size, full.keys) == (6000, ("family.organizations", "mechanism.priority"))
    with pytest.raises(ScenarioError, match=r"full: found nothing; expected a table \[full\]"):
        reader.load(anarchy(), full=True)


def test_another_process_makes_the_same_study() -> None:
    study = reader.load(anarchy(vary={"family.longest": [5, 10**18]}))
    again = reader.again(study.name, study.folder, study.data)
    assert [again.instance(again.task(k)).data for k in range(1, 7)] == [
        study.instance(study.task(k)).data for k in range(1, 7)
    ]


@pytest.mark.parametrize("source", [3, None, ["a"]])
def test_what_is_no_source_is_said(source: Any) -> None:
    with pytest.raises(ScenarioError, match="a path, the name of a shipped study, or a dict"):
        reader.load(source)


def test_a_missing_file_names_the_nearest_shipped_study() -> None:
    with pytest.raises(ScenarioError, match="a study file or the name of a shipped study"):
        reader.load("no/such-study.toml")


# --- shipped studies of open questions; the others need logs of their own -------------------------------------------

OPEN = [name for name in reader.shipped() if name.startswith("open/")]


@pytest.mark.parametrize("name", OPEN)
def test_shipped_studies_can_be_read_in_both_sizes(name: str) -> None:
    small, large = reader.load(name), reader.load(name, full=True)
    assert small.size < large.size
    assert small.head.source


def test_shapes_are_asked_about() -> None:
    """The grid goes over numbers of jobs; what is not decided in time says how far it came."""
    shapes = {f"organizations[{k}].jobs": row for k, row in enumerate([[2, 4], [2, 4], [1, 4]], 1)}
    data = {key: value for key, value in reader.load("open/nine-jobs").data.items() if key not in ("full", "stop")}
    results = consortium.study({**data, "together": [{**shapes, "options.time_limit": [600, 0]}]})
    done, stopped = results.store.outcomes()
    assert (done.status, done.measures["answer"], "decided" in done.measures) == ("done", "proved", False)
    assert done.measures["regions"] > 4
    assert (stopped.status, stopped.measures["answer"], stopped.measures["decided"]) == ("stopped", "open", 0)


@pytest.mark.parametrize("name", [name for name in OPEN if name != "open/nine-jobs"])
def test_open_questions_are_asked(name: str) -> None:
    data = {key: value for key, value in reader.load(name).data.items() if key not in ("full", "vary", "together")}
    every = data["replicates"] == "all"
    size = {"work": 2} if every else {"jobs": 1, "longest": 3}
    few = "all" if every else 2
    found = consortium.study(
        {**data, "replicates": few, "family": {**data["family"], "organizations": 2, **size}, "plots": []}
    )
    rows = list(found.store.outcomes())
    assert len(rows) == (5 if every else 2)
    assert all(row.status == "done" and row.measures.get("exists", True) is True for row in rows)
