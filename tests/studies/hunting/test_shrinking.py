"""Shrinking beside the definition of its local minimum, on random scenarios of all kinds and random conditions."""

from __future__ import annotations

import copy
import random
from fractions import Fraction

import pytest
from numpy.random import default_rng

from consortium.scenarios.reader import load
from consortium.studies.hunting import shrink, size_of
from consortium.studies.hunting.claims.verdict import hunting_of
from consortium.studies.hunting.edits import mutated
from consortium.support.errors import ConsortiumError
from consortium.support.progress import Clock

RULES = {
    "declaration": "vcg-renice",
    "federation": "coordination",
    "multiuser": "lst-printed",
    "sharing": "ref",
}
PLAYERS = {"declaration": "agents", "federation": "organizations", "multiuser": "users", "sharing": "organizations"}


def base(kind):
    return {"format": 1, "kind": kind, "mechanism": {"rule": RULES[kind]}}


def lengths(data):
    """Of all jobs, by player."""
    rows = data[PLAYERS[data["kind"]]]
    if data["kind"] == "declaration":
        return [[Fraction(row["length"])] for row in rows]
    return [[Fraction(job[1] if isinstance(job, list) else job) for job in row["jobs"]] for row in rows]


def condition(rng):
    """Something about lengths that smaller scenarios keep now and then."""
    most, fewest, rest, count = rng.randint(1, 12), rng.randint(1, 3), rng.randint(0, 2), rng.randint(1, 4)

    def holds(data):
        found = lengths(data)
        every = [length for row in found for length in row]
        return len(found) >= fewest and len(every) >= count and sum(every) >= most and (sum(every) - rest) % 3 != 1

    return holds


def one_step_smaller(data):
    """A player less, a job less, or a whole number less by one: written out for the plain scenarios of this test."""
    key = PLAYERS[data["kind"]]
    for k, row in enumerate(data[key]):
        fewer = copy.deepcopy(data)
        del fewer[key][k]
        if "thresholds" in fewer["mechanism"]:
            del fewer["mechanism"]["thresholds"][k]
        yield fewer
        for i in range(len(row.get("jobs", ()))):
            fewer = copy.deepcopy(data)
            del fewer[key][k]["jobs"][i]
            yield fewer
        for i, job in enumerate(row.get("jobs", ())):
            for j in range(len(job)) if isinstance(job, list) else [None]:
                less = copy.deepcopy(data)
                jobs = less[key][k]["jobs"]
                if j is None:
                    jobs[i] -= 1
                else:
                    jobs[i][j] -= 1
                yield less
        for name in ("length", "declares", "machines"):
            if name in row:
                less = copy.deepcopy(data)
                less[key][k][name] -= 1
                yield less
    if "until" in data:
        yield {**data, "until": data["until"] - 1}


def accepted(data, holds):
    try:
        load(data)
        return holds(data)
    except ConsortiumError:
        return False


@pytest.mark.parametrize("seeds", [25, pytest.param(1500, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("kind", RULES)
def test_no_single_step_keeps_the_condition(kind, seeds):
    for seed in range(seeds):
        rng, draws = random.Random(seed), default_rng(seed)
        holds, data = condition(rng), hunting_of(kind).draw(base(kind), draws, seed % 4)
        if not accepted(data, holds):
            continue
        found = shrink(data, holds)
        assert found.minimal
        assert accepted(found.scenario, holds)
        before, after = size_of(data), size_of(found.scenario)
        assert (after.players, after.jobs) <= (before.players, before.jobs)
        assert not [less for less in one_step_smaller(found.scenario) if accepted(less, holds)], (seed, found)
        assert shrink(data, holds) == found


NAMED = {
    "format": 1,
    "kind": "declaration",
    "title": "about the first",
    "cluster": {"powers": [1, 2]},
    "agents": [{"name": "ann", "length": 3}, {"name": "bob", "length": 6, "declares": 9}, {"name": "cy", "length": 3}],
    "mechanism": {"rule": "evcg-renice"},
    "welfare": {"goal": "weighted-sum", "weights": {"ann": 1, "bob": 9, "cy": 2}},
    "domain": {"lengths": {"ann": [3], "bob": [6], "cy": [3]}, "declarations": {"ann": [3], "bob": [3, 6], "cy": [3]}},
    "expect": {"run": {"rent": 1}},
}
PLACED = {
    "format": 1,
    "kind": "federation",
    "organizations": [{"jobs": [4, 2]}, {"jobs": [6]}, {"jobs": [8, 8, 2]}],
    "mechanism": {"rule": "coordination", "order": ["O3", "O1", "O2"]},
    "placement": {"O1": ["O2", "O1"], "O2": ["O2"], "O3": ["O1", "O2", "O3"]},
}


def test_weights_and_domains_follow_their_agents():
    found = shrink(NAMED, lambda data: any(row["name"] == "bob" for row in data["agents"])).scenario
    assert found["agents"] == [{"name": "bob", "length": 1}]
    assert found["welfare"]["weights"] == {"bob": 9}
    assert "expect" not in found
    assert "title" not in found


def test_placements_and_orders_follow_their_organizations():
    def holds(data):
        return any(8 in row for row in lengths(data)) and "placement" in data

    found = shrink(PLACED, holds).scenario
    assert found["organizations"] == [{"jobs": [8], "name": "O3"}]
    assert found["mechanism"]["order"] == ["O3"]
    assert found["placement"] in ({"O3": ["O3"]}, {})


def test_priorities_stay_dense():
    jobs = [[{"length": 2, "priority": 3}, {"length": 1, "priority": 1}], [{"length": 5, "priority": 2}]]
    mechanism = {"rule": "coordination", "priority": "jobs", "order": "given"}
    rows = [{"jobs": row} for row in jobs]
    data = {"format": 1, "kind": "federation", "organizations": rows, "mechanism": mechanism}
    found = shrink(data, lambda small: len(small["organizations"]) == 2).scenario
    assert found["organizations"] == [{"jobs": []}, {"jobs": []}]
    found = shrink(data, lambda small: sum(len(row["jobs"]) for row in small["organizations"]) == 2).scenario
    assert sorted(job["priority"] for row in found["organizations"] for job in row["jobs"]) == [1, 2]


def test_huge_numbers_and_fractions_fall_by_bisection():
    rows = [{"length": 10**18}, {"length": "1000000007/1000000009"}]
    data = {**base("declaration"), "cluster": {"powers": ["7/3"]}, "agents": rows}
    found = shrink(data, lambda small: len(small["agents"]) == 2)
    assert found.scenario["agents"] == [{"length": 1}, {"length": 1}]
    assert found.scenario["cluster"] == {"powers": [1]}
    assert found.tried < 200


def test_a_clock_and_ctrl_c_leave_the_smallest_so_far():
    data = {**base("declaration"), "cluster": {"powers": [1]}, "agents": [{"length": 50}, {"length": 50}]}
    assert not shrink(data, lambda small: True, clock=Clock(0)).minimal
    asked = []

    def holds(small):
        asked.append(small)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return True

    found = shrink(data, holds)
    assert not found.minimal
    assert size_of(found.scenario).players == 1


@pytest.mark.parametrize("kind", RULES)
def test_neighbours_of_a_scenario_are_mostly_scenarios(kind):
    rng = default_rng(7)
    data, read = hunting_of(kind).draw(base(kind), rng, 2), 0
    for _ in range(60):
        other = mutated(data, rng)
        try:
            load(other)
        except ConsortiumError:
            continue
        data, read = other, read + 1
    assert read > 20
