"""fair-tree and multifactor decide as their definitions say, in nested tuples and fractions."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.mechanisms.sharing import Job, SharingInstance, simulate
from consortium.mechanisms.sharing import simulation as simulation_module
from consortium.mechanisms.sharing.kernels import events
from consortium.support.errors import InputError, UnknownNameError
from consortium.support.jit import plain as plain_form

from . import reference as plain

TREES: list[tuple[dict[str, str], Any]] = [
    ({}, None),
    ({"a": "p", "b": "p"}, ((0, 1), 2, 3)),
    ({"a": "p", "b": "p", "c": "q", "d": "q"}, ((0, 1), (2, 3))),
    ({"a": "p", "b": "p", "p": "q", "c": "q"}, (((0, 1), 2), 3)),
    ({"b": "a", "c": "b", "d": "root"}, ((0, (1, 2)), 3)),
]
"""Parents by name, and the tree they make of a, b, c and d."""
FORMS = ("interpreted", "python")


@st.composite
def cases(draw: st.DrawFn) -> dict[str, Any]:
    jobs = st.builds(
        Job,
        st.integers(0, 5),
        st.integers(1, 4),
        machines=st.integers(1, 2),
        estimate=st.none() | st.integers(1, 5),
        qos=st.sampled_from([None, 0, 1, 2, 3, 2**32 - 1]),
    )
    queues = [sorted(draw(st.lists(jobs, max_size=4)), key=lambda job: job.release) for _ in range(4)]
    machines = draw(st.lists(st.integers(0, 3), min_size=4, max_size=4).filter(lambda counts: sum(counts) >= 2))
    if draw(st.booleans()):  # twins, whose ties must stay ties
        machines[1], queues[1] = machines[0], queues[0]
    machines[3] += 2 * (sum(machines) < 2)  # enough for the widest job
    weights = {
        "age": draw(st.sampled_from([0, 1, 7, 1000])),
        "max_age": draw(st.sampled_from([1, 3, 10])),
        "fairshare": draw(st.sampled_from([0, 4, 1000, 2**31 - 1])),
        "size": draw(st.sampled_from([0, 50])),
        "qos": draw(st.sampled_from([0, 1, 50, 2**31 - 1])),
        "max_qos": draw(st.sampled_from([1, 3, 2**32 - 1])),
    }
    return {
        "machines": machines,
        "queues": queues,
        "weights": weights,
        "rule": draw(st.sampled_from(["fair-tree", "multifactor", "fair-share"])),
        "timing": draw(st.sampled_from(["next", "now"])),
        "decay": draw(st.sampled_from([None, 1, 2, 5, 604_800])),
        "parallel": draw(st.sampled_from(["rigid", "easy"])),
        "used": draw(st.just([]) | st.lists(st.integers(0, 20), min_size=4, max_size=4)),
        "tree": draw(st.sampled_from(TREES)),
        "form": draw(st.sampled_from(FORMS)),
    }


def decided(case: dict[str, Any], scale: int = 1) -> dict[tuple[int, int], int]:
    """The schedule, of jobs and half-life so many times longer; (organization, position) -> start."""
    queues = [
        [
            job._replace(
                release=job.release * scale, length=job.length * scale, estimate=job.estimate and job.estimate * scale
            )
            for job in queue
        ]
        for queue in case["queues"]
    ]
    instance = SharingInstance.of(case["machines"], queues, ["a", "b", "c", "d"])
    if case["used"] and case["decay"]:
        used = {case["decay"] * scale: tuple(parts * scale for parts in case["used"]), 10**9: (3, 4, 5, 6)}
        instance = replace(instance, used_before=used)
    options = dict(case["weights"], max_age=case["weights"]["max_age"] * scale)
    outcome = simulate(
        instance,
        rule=case["rule"],
        until=18 * scale,
        timing=case["timing"],
        decay=None if case["decay"] is None else case["decay"] * scale,
        parallel=case["parallel"],
        parents=None if case["rule"] == "fair-share" else case["tree"][0],
        **(options if case["rule"] == "multifactor" else {}),
    )
    found, first = {}, 0
    for u, queue in enumerate(case["queues"]):
        for n, job in enumerate(queue):
            if outcome.start[first] >= 0:
                found[u, n] = int(outcome.start[first])
            first += job.machines
    return found


@given(cases())
@settings(deadline=None, max_examples=80)
def test_decisions_are_those_of_the_definition(case: dict[str, Any]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(events, "quickest", lambda kernel, _: plain_form(kernel))
        if case["form"] == "python":
            patch.setattr(simulation_module, "plain_needed", lambda *_: True)
        rule = plain.QueueRule(
            case["machines"],
            case["queues"],
            case["rule"],
            case["timing"],
            case["decay"],
            case["tree"][1],
            case["weights"],
            case["used"] if case["decay"] else (),
        )
        assert decided(case) == rule.run(18, case["parallel"])


@given(cases(), st.sampled_from([10**18, 10**27]))
@settings(deadline=None, max_examples=12)
def test_numbers_scaled(case: dict[str, Any], scale: int) -> None:
    """Times and half-life a million million times longer: the same order, where nothing is looked at a unit later.

    So no job outlasts its estimate, after which it is believed to end a unit later. What is used decays unit by unit:
    with a half-life of few units that is another sum than with one of many, so these are compared.
    """
    queues = [
        [job._replace(estimate=job.estimate and max(job.estimate, job.length)) for job in queue]
        for queue in case["queues"]
    ]
    case |= {"timing": "now", "decay": case["decay"] and min(case["decay"], 60), "queues": queues}
    less, more = (10**18, 10**27) if case["decay"] else (1, scale)
    assert decided(case, more) == {key: start // less * more for key, start in decided(case, less).items()}


@pytest.mark.parametrize(("scale", "start"), [(1, 2), (10**18, 1)])
def test_a_half_life_of_one_unit_counts_units(scale: int, start: int) -> None:
    """Of 2 used before 1 is left for one share; 3 used meanwhile by two count 3/4 in whole units, 1.08 in tiny ones."""
    case = {
        "machines": [1, 1, 1, 0],
        "queues": [[Job(0, 1)] * 4, [Job(0, 1)] * 4, [Job(0, 1)], []],
        "rule": "fair-tree",
        "timing": "now",
        "decay": 1,
        "parallel": "rigid",
        "used": [0, 0, 2, 0],
        "tree": TREES[1],
        "weights": {"max_age": 1},
    }
    assert decided(case, scale)[2, 0] == start * scale


def test_compiled_code_decides_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled, interpreted and in Python's integers: the same schedule of some hundred contended jobs."""
    rng = np.random.default_rng(5)
    columns = (rng.integers(0, 4, 300), np.sort(rng.integers(0, 900, 300)), rng.integers(1, 40, 300))
    instance = SharingInstance.from_columns([3, 1, 1, 0], *columns, names=list("abcd"), qos=rng.integers(0, 9, 300))
    priority = {"rule": "multifactor", "age": 1000, "max_age": 200, "fairshare": 3000, "parents": TREES[2][0]}
    for options in (
        {"rule": "fair-tree", "parents": TREES[2][0]},
        {"rule": "fair-tree", "parents": TREES[2][0], "decay": 100},
        priority | {"decay": 100},
        priority | {"qos": 2**31 - 1, "max_qos": 5},
    ):
        found = []
        for form in ("compiled", "interpreted", "python"):
            with monkeypatch.context() as patch:
                patch.setattr(events, "quickest", lambda kernel, _, f=form: kernel if f == "compiled" else kernel.small)
                if form == "python":
                    patch.setattr(simulation_module, "plain_needed", lambda *_: True)
                found.append(simulate(instance, until=1500, **options))
        assert len({tuple(outcome.start.tolist()) for outcome in found}) == 1
        assert [outcome.method for outcome in found] == ["int64", "int64", "python"]


def test_what_one_account_used_counts_for_its_siblings() -> None:
    """One machine is free for cms, which has used nothing, and bio, which has used less than physics together."""
    jobs = [[(0, 39)], [(40, 4)], [(0, 10), (40, 4)], [(39, 50)] * 2]
    instance = SharingInstance.of([1, 1, 1, 0], jobs, ["atlas", "cms", "bio", "guest"])
    parents = {"atlas": "physics", "cms": "physics"}
    starts = [simulate(instance, rule=rule, until=60).start.tolist()[1:4] for rule in ("fair-share", "fair-tree")]
    assert starts == [[40, 0, 44], [40, 0, 44]]
    tree = simulate(instance, rule="fair-tree", until=60, parents=parents)
    assert tree.start.tolist()[1:4] == [44, 0, 40]
    weighed = simulate(instance, rule="multifactor", until=60, parents=parents, fairshare=100)
    assert weighed.start.tolist() == tree.start.tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": "fifo", "parents": {"a": "p"}}, "parents: found .* it is for fair-tree, multifactor"),
        ({"rule": "fair-tree", "age": 3}, "age: found 3 with the rule fair-tree; it is for multifactor"),
        ({"rule": "multifactor", "age": -1}, "age: found -1; expected an integer from 0"),
        ({"rule": "multifactor", "max_qos": 0}, "max_qos: found 0; expected an integer from 1"),
        ({"rule": "multifactor", "ages": 3}, "option: 'ages' is not known.*Did you mean 'age'"),
        ({"rule": "fair-tree", "parents": {"x": "p"}}, "parents: found those of x; expected some of a, b"),
        ({"rule": "fair-tree", "parents": {"a": "b", "b": "a"}}, "a is above itself|b is above itself"),
    ],
)
def test_refused(options: dict[str, Any], message: str) -> None:
    instance = SharingInstance.of([1, 1], [[(0, 1)], [(0, 1)]], ["a", "b"])
    with pytest.raises((InputError, UnknownNameError), match=message):
        simulate(instance, until=3, **options)


def test_random_rank_table() -> None:
    """The k-th of N has rank N + 1 - k, and who ties has the better one: nothing used, all tie."""
    rng = random.Random(1)
    queues = [[Job(rng.randint(0, 3), 2)] for _ in range(4)]
    rule = plain.QueueRule([1, 2, 3, 4], queues, "multifactor", "now", None, None, {"fairshare": 100})
    assert [rule.priority(u, (u, 0), 4) for u in range(4)] == [100] * 4
    rule.start[0, 0] = 0
    assert [rule.priority(u, (u, 0), 4) for u in range(4)] == [25, 100, 100, 100]
