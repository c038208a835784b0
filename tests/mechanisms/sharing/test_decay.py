"""Fair shares with a half-life decide as real numbers do: against the definition, unit part by unit part."""

from __future__ import annotations

import random

import numpy as np
import pytest

from consortium.mechanisms.sharing import Job, SharingInstance, simulate
from consortium.mechanisms.sharing import simulation as simulation_module
from consortium.mechanisms.sharing.kernels import events
from consortium.mechanisms.sharing.limits import HALVINGS_MAX
from consortium.support.errors import InputError, TooLargeError
from consortium.support.jit import plain as plain_form

from . import reference as plain

RULES = ("fair-share", "utility-fair-share")
HALF_LIVES = (1, 2, 3, 5, 7, 60, 604_800, 10**12)


def check(rng: random.Random, rule: str, timing: str, large: bool = False) -> None:
    machines, jobs, until = (
        plain.random_instance(rng, n=12, horizon=14, longest=8)
        if large
        else plain.random_instance(rng, k=rng.randint(2, 4), n=12, horizon=5, longest=4)
    )
    if rng.random() < 0.3:  # twins, whose ties must stay ties
        machines, jobs = [machines[0]] * 2 + machines[2:], [jobs[0], jobs[0], *jobs[2:]]
    jobs = [sorted(queue) for queue in jobs]
    h = rng.choice(HALF_LIVES)
    outcome = simulate(SharingInstance.of(machines, jobs), rule=rule, until=until, timing=timing, decay=h)
    first = outcome.instance.first.tolist()
    found = {
        (u, n): int(outcome.start[first[u] + n])
        for u in range(len(machines))
        for n in range(first[u + 1] - first[u])
        if outcome.start[first[u] + n] >= 0
    }
    queues = [[Job(*job) for job in queue] for queue in jobs]
    assert found == plain.QueueRule(machines, queues, rule, timing, h).run(until, "rigid"), (machines, jobs, until, h)


@pytest.fixture(params=["int64", "python"])
def arithmetic(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers of a machine, or pretend that times outgrow int64; interpreted, because compiling takes longer."""
    monkeypatch.setattr(events, "quickest", lambda kernel, _: plain_form(kernel))
    if request.param == "python":
        monkeypatch.setattr(simulation_module, "plain_needed", lambda *_: True)


@pytest.mark.usefixtures("arithmetic")
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("timing", ["next", "now"])
def test_decisions_are_those_of_real_numbers(rule: str, timing: str) -> None:
    rng = random.Random(f"{rule} {timing}")
    for _ in range(40):
        check(rng, rule, timing)


@pytest.mark.exhaustive
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("timing", ["next", "now"])
def test_decisions_of_thousands_in_compiled_code(rule: str, timing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "quickest", lambda kernel, _: kernel)
    rng = random.Random(f"many {rule} {timing}")
    for i in range(1500):
        check(rng, rule, timing, large=i % 3 == 0)


def test_no_two_forms_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled, interpreted and in Python's integers: the same schedule of some hundred contended jobs."""
    rng = np.random.default_rng(5)
    columns = (rng.integers(0, 4, 300), np.sort(rng.integers(0, 900, 300)), rng.integers(1, 40, 300))
    instance = SharingInstance.from_columns([3, 1, 1, 0], *columns)
    for rule in RULES:
        found = [simulate(instance, rule=rule, until=1500, decay=100)]
        with monkeypatch.context() as patch:
            patch.setattr(events, "quickest", lambda kernel, _: kernel)
            found.append(simulate(instance, rule=rule, until=1500, decay=100))
        with monkeypatch.context() as patch:
            patch.setattr(simulation_module, "plain_needed", lambda *_: True)
            found.append(simulate(instance, rule=rule, until=1500, decay=100))
        assert len({tuple(outcome.start.tolist()) for outcome in found}) == 1
        assert [outcome.method for outcome in found] == ["int64", "int64", "python"]


def test_old_usage_is_forgotten_after_some_half_lives() -> None:
    """The first used much long ago, the second a little just now; one machine is free for the two of them."""
    jobs = [[(0, 100), (2000, 5)], [(1900, 50), (2000, 5)], [(1990, 50)]]
    instance = SharingInstance.of([1, 1, 0], jobs)
    remembered = simulate(instance, rule="fair-share", until=2020)
    decayed = simulate(instance, rule="fair-share", until=2020, decay=100)
    assert remembered.start.tolist() == [0, 2005, 1900, 2000, 1990]
    assert decayed.start.tolist() == [0, 2000, 1900, 2005, 1990]


def test_exact_ties_across_half_lives() -> None:
    """Two parts a half-life ago are one part now: nobody has less, so the first listed is served."""
    h = 4
    jobs = [[(0, 1), (0, 1), (6, 1)], [(h, 1), (6, 1)]]
    instance = SharingInstance.of([1, 1], jobs)
    outcome = simulate(instance, rule="fair-share", until=9, decay=h)
    assert outcome.start.tolist() == [0, 0, 6, h, 6]
    single = SharingInstance.of([1, 1, 0], [*jobs, [(5, 9)]])  # one machine is taken, so the other decides
    tied = simulate(single, rule="fair-share", until=9, decay=h)
    assert tied.start.tolist() == [0, 0, 6, h, 7, 5]
    later = simulate(single, rule="fair-share", until=9, decay=h + 1)
    assert later.start.tolist() == [0, 0, 7, h, 6, 5]


@pytest.mark.parametrize("scale", [10**18, 10**27])
@pytest.mark.parametrize("rule", RULES)
def test_numbers_scaled(rule: str, scale: int) -> None:
    """Times and half-life a million million times longer: the same order."""
    rng = random.Random(rule)
    for _ in range(5):
        jobs = [sorted((rng.randint(0, 9), rng.randint(1, 5)) for _ in range(5)) for _ in range(3)]
        starts = []
        for s in (10**6, scale):
            instance = SharingInstance.of([1, 1, 0], [[(r * s, p * s) for r, p in queue] for queue in jobs])
            outcome = simulate(instance, rule=rule, until=14 * s, decay=3 * s)
            starts.append([-1 if start < 0 else start // s for start in outcome.start.tolist()])
        assert starts[0] == starts[1]


@pytest.mark.parametrize(
    ("rule", "decay", "told"),
    [
        ("fifo", 7, "with the rule fifo; it is for fair-share, utility-fair-share"),
        ("fair-share", 0, "expected an integer from 1"),
        ("fair-share", True, "expected an integer from 1"),
        ("fair-share", 1.5, "expected an integer from 1"),
        ("fair-share", 10**31, "expected an integer from 1"),
    ],
)
def test_half_lives_that_are_none(rule: str, decay: object, told: str) -> None:
    with pytest.raises(InputError, match=told):
        simulate(SharingInstance.of([1], [[(0, 1)]]), rule=rule, until=3, decay=decay)  # type: ignore[arg-type]


def test_too_many_halvings_are_refused() -> None:
    instance = SharingInstance.of([1, 1], [[(0, 1)], [(1, 1)]])
    with pytest.raises(TooLargeError, match=r"usage would halve 100,001 times until the end, at most 100,000"):
        simulate(instance, rule="fair-share", until=HALVINGS_MAX - 1, decay=1)
    assert simulate(instance, rule="fair-share", until=HALVINGS_MAX - 2, decay=1).complete
