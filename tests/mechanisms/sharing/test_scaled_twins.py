"""Instances whose times are a million million times longer: the wide path is the narrow one, with numbers scaled.

The twins are the same instance with all times multiplied by ``s``. Once ``s`` is large, no comparison changes its
outcome any more and every number of a record is a polynomial of degree two in ``s`` (psi_sp of a job is
``x (2a - x) / 2 s**2 + x / 2 s``, and a delay by one unit adds a constant). Three twins within int64 determine it, and
the twin at ``10**18`` (and one far beyond any word) must lie on it: same verdicts, same schedule, numbers scaled.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import consortium
from consortium.mechanisms.kinds import info
from consortium.mechanisms.sharing import SharingInstance, simulate
from consortium.mechanisms.sharing.catalogue import RULES
from consortium.mechanisms.sharing.utilities import UTILITIES
from consortium.verbs.records import Statistic
from consortium.verbs.sharing.audit import time_series
from consortium.verbs.sharing.model import Rule
from consortium.verbs.sharing.results import SECONDS
from consortium.verbs.sharing.windows import Task, measure
from consortium.workloads.windows import SharedWork

NARROW = (10**6, 2 * 10**6, 3 * 10**6)
WIDE = (10**18, 10**40)
RATIOS = {"unfairness", "to_others", "losses", "utilization", "load"}
"""Not polynomials, but quotients of two that are in the record."""
APART = {"method", "seconds"}

Queues = list[list[tuple[int, ...]]]


def extended(values: list[Fraction], s: int) -> Fraction:
    """The polynomial of degree two through the narrow twins, at ``s`` (Lagrange)."""
    total = Fraction(0)
    for i, value in enumerate(values):
        for j, other in enumerate(NARROW):
            if i != j:
                value *= Fraction(s - other, NARROW[i] - other)
        total += value
    return total


def compared(narrow: list[Any], wide: Any, s: int, at: str = "record") -> None:
    """Every leaf of the wide twin lies on the curve of the narrow ones; all else is equal."""
    if isinstance(wide, Mapping):
        for key in wide:
            if key not in APART and key not in RATIOS:
                compared([each[key] for each in narrow], wide[key], s, f"{at}.{key}")
        if wide.get("p_tot") and "unfairness" in wide:
            assert wide["unfairness"] == Fraction(wide["delta"], wide["p_tot"]), at
    elif isinstance(wide, list | tuple):
        assert {len(each) for each in narrow} == {len(wide)}, at
        for i, item in enumerate(wide):
            compared([each[i] for each in narrow], item, s, f"{at}[{i}]")
    elif isinstance(wide, int | Fraction) and not isinstance(wide, bool):
        assert wide == extended([Fraction(each) for each in narrow], s), at
    elif isinstance(wide, bytes):
        compared([seconds(each) for each in narrow], seconds(wide), s, at)
    else:
        assert [wide] * 3 == narrow, at


def seconds(times: bytes) -> list[int]:
    """Times of jobs as a window keeps them."""
    numbers: list[int] = np.frombuffer(times, SECONDS).tolist()
    return numbers


def twins(ask: Callable[[int], Any]) -> None:
    narrow = [ask(s) for s in NARROW]
    for s in WIDE:
        compared(narrow, ask(s), s)


def queues(rng: random.Random, k: int) -> Queues:
    """Ties, equal sizes, jobs at 0, organizations without jobs."""
    found: Queues = [
        sorted((rng.choice([0, 0, 1, 2, 5]), rng.choice([1, 2, 2, 3, 7])) for _ in range(rng.randint(0, 4)))
        for _ in range(k)
    ]
    if k > 1 and rng.random() < 0.3:
        found[1] = list(found[0])
    return [[(r, p, r + rng.choice([0, 1, p, 9])) for r, p in queue] for queue in found]


def scenario(rng: random.Random, rule: str, dated: bool = False, **options: Any) -> Callable[[int], dict[str, Any]]:
    """A random scenario by the scale of its times."""
    k = rng.choice([1, 2, 2, 3, 3])
    jobs, until = queues(rng, k), rng.choice([0, 1, 6, 9, 30])
    machines = [rng.choice([0, 1, 1, 2]) for _ in range(k)]

    def at(s: int) -> dict[str, Any]:
        return {
            "format": 1,
            "kind": "sharing",
            "title": "twin",
            "until": until * s,
            "organizations": [
                {"machines": m, "jobs": [[s * time for time in (job if dated else job[:2])] for job in queue]}
                for m, queue in zip(machines, jobs, strict=True)
            ],
            "mechanism": {"rule": rule, **options},
        }

    return at


def exact(value: Any) -> Any:
    """The record as it holds its numbers, statistics left out."""
    if isinstance(value, Statistic):
        return None
    if isinstance(value, Mapping):
        return {key: exact(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [exact(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        return {key: exact(getattr(value, key)) for key in value.__dataclass_fields__ if key != "replay"}
    return value


RULE_OPTIONS: list[tuple[str, dict[str, Any]]] = [
    (rule.id, {} if timing is None else {"timing": timing})
    for rule in RULES
    for timing in (["next", "now"] if "timing" in info("sharing", rule.id).options else [None])
]


@pytest.mark.parametrize(("rule", "options"), RULE_OPTIONS)
@pytest.mark.parametrize("count", [5, pytest.param(300, marks=pytest.mark.exhaustive)])
def test_run(rule: str, options: dict[str, Any], count: int) -> None:
    rng = random.Random(f"run {rule} {options}")
    methods = set()
    for _ in range(count):
        made = scenario(rng, rule, **options)
        twins(lambda s, made=made: exact(consortium.run(made(s))))
        methods |= {consortium.run(made(s), measure=False).method for s in (NARROW[0], WIDE[0])}
    assert methods == {"int64", "python"}


@pytest.mark.parametrize("utility", UTILITIES)
@pytest.mark.parametrize("timing", ["next", "now"])
@pytest.mark.parametrize("count", [3, pytest.param(200, marks=pytest.mark.exhaustive)])
def test_run_for_every_utility(utility: str, timing: str, count: int) -> None:
    rng = random.Random(f"utility {utility} {timing}")
    for _ in range(count):
        made = scenario(rng, "ref", dated=True, utility=utility, timing=timing)
        twins(lambda s, made=made: exact(consortium.run(made(s))))


@pytest.mark.parametrize("rule", [rule.id for rule in RULES])
@pytest.mark.parametrize("count", [1, pytest.param(40, marks=pytest.mark.exhaustive)])
def test_verify(rule: str, count: int) -> None:
    """Moves by one or two units, and cuts into quarters: the best move and its gain."""
    rng = random.Random(f"verify {rule}")
    for _ in range(count):
        made = scenario(rng, rule)
        twins(lambda s, made=made: exact(consortium.verify(made(s), max_delay=2, max_splits=3, max_moment=1)))


@pytest.mark.parametrize("count", [1, pytest.param(60, marks=pytest.mark.exhaustive)])
def test_compare(count: int) -> None:
    rng = random.Random("compare")
    for _ in range(count):
        made = scenario(rng, "fifo")
        records = {s: consortium.compare(made(s)) for s in (*NARROW, *WIDE)}
        twins(lambda s, records=records: exact(records[s].organizations))
        for s, record in records.items():
            for row in record.rows:
                own = consortium.run(made(s), overrides={"mechanism.rule": row.rule})
                assert row.values["unfairness"] == own.unfairness
                assert row.values["utilization"] == own.utilization


LOGS = 10**16
"""Times of a log have at most 18 digits; their squares leave int64 all the same."""


def window(rng: random.Random) -> Callable[[int], SharedWork]:
    """A window of a log by the scale of its times, as long as 24 units."""
    k = rng.choice([2, 3])
    rows = sorted((rng.randint(0, 23), rng.choice([1, 2, 2, 5, 40]), rng.randrange(k)) for _ in range(12))
    release, length, owner = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    names, machines = tuple(f"n{u}" for u in range(k)), (1, *(rng.choice([0, 1, 1, 2]) for _ in range(k - 1)))
    return lambda s: SharedWork(names, machines, owner, release * s, length * s, 24 * s)


@pytest.mark.parametrize("count", [2, pytest.param(40, marks=pytest.mark.exhaustive)])
def test_windows_and_series(count: int) -> None:
    """Every rule on the same window, and the window over time."""
    rng, rules = random.Random("windows"), tuple(Rule(rule.id, rule.id) for rule in RULES)
    for _ in range(count):
        made = window(rng)

        def results(s: int, made: Callable[[int], SharedWork] = made) -> Any:
            return exact(measure(Task(0, made(s), rules, 5)))

        compared([results(s) for s in NARROW], results(LOGS), LOGS)
        rule = rng.choice(rules)
        series = {s: time_series(made(s), 0, rule, 5) for s in (*NARROW, LOGS)}
        wide, first = series[LOGS], series[NARROW[0]]
        assert (wide.busy, wide.requested, wide.machines) == (first.busy, first.requested, first.machines)
        assert wide.times == tuple(t // NARROW[0] * LOGS for t in first.times)
        for name, values in wide.balance.items():
            for i, value in enumerate(values):
                near = extended([Fraction(series[s].balance[name][i].value) for s in NARROW], LOGS)
                assert value.value == pytest.approx(float(near), rel=1e-3)


def test_the_limits_of_before() -> None:
    """Beyond 2**61 nothing was taken, and a merge of two jobs could lead there."""
    job = [0, 2**62]
    data = {
        "format": 1,
        "kind": "sharing",
        "until": 2**63,
        "organizations": [{"jobs": [job, job]}, {"jobs": [[2**62, 1]]}],
        "mechanism": {"rule": "ref"},
    }
    record = consortium.run(data)
    assert (record.method, record.ends) == ("python", (2**62, 2**62, 2**62 + 1))
    assert consortium.verify(data, property="merge").manipulation.cases == 1
    half = {**data, "until": 2**61, "organizations": [{"jobs": [[0, 2**61], [0, 2**61]]}]}
    assert consortium.verify(half, property="merge").verdict


@pytest.mark.parametrize("where", ["release", "length", "due"])
def test_times_have_a_thousand_digits_at_most(where: str) -> None:
    job = {"release": 0, "length": 1, "due": 1} | {where: 10**1000}
    data = {
        "format": 1,
        "kind": "sharing",
        "until": 5,
        "organizations": [{"jobs": [list(job.values())]}],
        "mechanism": {"rule": "fifo"},
    }
    with pytest.raises(ValueError, match="integers of at most 1,000 digits"):
        consortium.run(data)
    assert consortium.run({**data, "organizations": [{"jobs": [[t - 1 if t > 5 else t for t in job.values()]]}]})


def test_what_lies_behind_the_end_needs_no_wide_numbers() -> None:
    """It is cut before the arithmetic is chosen; a first release far away is shifted away."""
    near = SharingInstance.of([1, 1], [[(0, 3), (1, 10**30), (10**40, 5)], [(0, 2)]])
    outcome = simulate(near, rule="ref", until=9)
    assert (outcome.method, outcome.start.tolist()) == ("int64", [0, 2, -1, 0])
    far = SharingInstance.of([1, 1], [[(10**30, 3), (10**30 + 1, 10**30)], [(10**30, 2)]])
    moved = simulate(far, rule="ref", until=10**30 + 9)
    assert (moved.method, moved.utility) == ("python", outcome.utility)
    assert moved.start.tolist() == [10**30, 10**30 + 2, 10**30]
    assert moved.machine.tolist() == outcome.machine[[0, 1, 3]].tolist()
