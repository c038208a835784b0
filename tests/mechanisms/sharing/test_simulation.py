"""Limits, numbers beyond int64, interruptions, and properties of all sharing rules."""

from __future__ import annotations

import random
import signal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.mechanisms.sharing import (
    SharingInstance,
    SharingOutcome,
    limits,
    measures,
    shapley_values,
    simulate,
    throughput,
    utilities_of,
)
from consortium.mechanisms.sharing.catalogue import RULES
from consortium.mechanisms.sharing.kernels import events
from consortium.mechanisms.sharing.orderings import all_orderings, count_orderings, from_orderings, sample_size
from consortium.support.errors import InputError, TooLargeError, UnknownNameError
from consortium.support.jit import plain

NAMES = [rule.id for rule in RULES]
jobs_of = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 6)), max_size=5)


@st.composite
def instances(draw: st.DrawFn) -> SharingInstance:
    k = draw(st.integers(1, 4))
    machines = draw(st.lists(st.integers(0, 2), min_size=k, max_size=k))
    return SharingInstance.of(machines, [draw(jobs_of) for _ in range(k)])


def same(a: SharingOutcome, b: SharingOutcome) -> None:
    assert a.start.tolist() == b.start.tolist()
    assert a.utility == b.utility
    assert a.contribution == b.contribution


@pytest.mark.parametrize("rule", NAMES)
@settings(max_examples=25, deadline=None, derandomize=True)
@given(instance=instances(), until=st.integers(0, 20))
def test_a_longer_run_begins_like_a_shorter_one(rule: str, instance: SharingInstance, until: int) -> None:
    """On line: what is decided before a moment does not depend on when the run ends."""
    short = simulate(instance, rule=rule, until=until)
    long = simulate(instance, rule=rule, until=until + 7)
    assert np.where(long.start < until, long.start, -1).tolist() == short.start.tolist()


@pytest.mark.parametrize("rule", NAMES)
@settings(max_examples=20, deadline=None, derandomize=True)
@given(instance=instances(), shift=st.sampled_from([1, 1000, 10**12]))
def test_time_has_no_origin(rule: str, instance: SharingInstance, shift: int) -> None:
    later = SharingInstance(
        instance.machines, instance.names, instance.first, instance.release + shift, instance.length, None,
        instance.number,
    )  # fmt: skip
    a, b = simulate(instance, rule=rule, until=15), simulate(later, rule=rule, until=15 + shift)
    assert a.utility == b.utility
    assert a.contribution == b.contribution
    assert b.start.tolist() == [s + shift if s >= 0 else -1 for s in a.start.tolist()]


@pytest.mark.parametrize("rule", ["ref", "fair-share", "utility-fair-share", "direct-contribution", "fifo"])
def test_relabelling_organizations_permutes_the_result_when_nothing_ties(rule: str) -> None:
    """Lengths, releases and machines that make every comparison strict."""
    queues = [[(0, 7), (3, 11)], [(1, 13), (2, 5)], [(0, 17), (4, 3)]]
    machines = [1, 2, 0]
    order = [2, 0, 1]
    a = simulate(SharingInstance.of(machines, queues), rule=rule, until=40, machine_order="listed")
    moved = SharingInstance.of([machines[u] for u in order], [queues[u] for u in order])
    b = simulate(moved, rule=rule, until=40, machine_order="listed")
    assert [a.utility[u] for u in order] == list(b.utility)


def test_jobs_after_the_end_change_nothing(thinning: int) -> None:
    """Jobs released at the end or later are not there."""
    rng = random.Random(3)
    for rule in ("ref", "fair-share", "direct-contribution", "fifo", "rand"):
        for _ in range(20 // thinning):
            queues = [[(rng.randint(0, 9), rng.randint(1, 5)) for _ in range(4)] for _ in range(2)]
            later = [q + [(12 + t, 1) for t in range(3)] for q in queues]
            options: dict[str, Any] = {"orderings": [[0, 1]]} if rule == "rand" else {"machine_order": "listed"}
            base = simulate(SharingInstance.of([1, 1], queues), rule=rule, until=12, **options)
            noisy = simulate(SharingInstance.of([1, 1], later), rule=rule, until=12, **options)
            assert base.utility == noisy.utility


def test_long_jobs_gaps_and_one_unit_of_time() -> None:
    instance = SharingInstance.of([1, 1], [[(0, 10**5), (0, 3)], [(200_000, 10**5)]])
    for rule in NAMES:
        outcome = simulate(instance, rule=rule, until=400_000)
        assert outcome.parts == (100_003, 100_000)
        assert simulate(instance, rule=rule, until=1).parts == (2, 0)
        assert simulate(instance, rule=rule, until=0).value == 0


def test_nobody_has_machines_or_jobs() -> None:
    for rule in NAMES:
        idle = simulate(SharingInstance.of([1, 2], [[], []]), rule=rule, until=5)
        assert (idle.value, idle.utilization) == (0, 0)
        stuck = simulate(SharingInstance.of([0, 0], [[(0, 1)], []]), rule=rule, until=5)
        assert (stuck.value, stuck.utilization, stuck.start.tolist()) == (0, None, [-1])
        alone = simulate(SharingInstance.of([1], [[(0, 1), (0, 1)]]), rule=rule, until=5)
        assert alone.start.tolist() == [0, 1]


# --- numbers --------------------------------------------------------------------------------------------------------


def test_bounds_hold_for_every_rule(thinning: int) -> None:
    rng = random.Random(11)
    for _ in range(60 // thinning):
        k = rng.randint(1, 4)
        queues = [[(rng.randint(0, 9), rng.randint(1, 9)) for _ in range(rng.randint(0, 5))] for _ in range(k)]
        instance, until = SharingInstance.of([rng.randint(0, 2) for _ in range(k)], queues), rng.randint(0, 20)
        assert simulate(instance, rule="fifo", until=until).value <= limits.value_bound(instance, until)
        full = SharingInstance.of([instance.n_jobs] + [0] * (k - 1), queues)  # nobody waits: the bound is reached
        assert simulate(full, rule="fifo", until=until).value == limits.value_bound(full, until)


def test_arithmetic_follows_the_bounds() -> None:
    def arithmetic(k: int, machines: int, until: int) -> str:
        return limits.ref_arithmetic(SharingInstance.of([machines] * k, [[(0, until)] * machines] * k), until)

    assert arithmetic(5, 512, 50_000) == "int64"
    assert arithmetic(12, 160, 50_000) == "int64"
    assert arithmetic(16, 512, 500_000) == "two-limbs"
    assert arithmetic(5, 1, 10**9) == "two-limbs"
    assert arithmetic(5, 10, 10**9) == "python"
    assert arithmetic(2, 1, 3 * 10**9) == "python"


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.lists(st.integers(-(2**62), 2**62), min_size=7, max_size=7))
def test_shapley_values_near_the_end_of_int64(values: list[int]) -> None:
    game = [0, *values]
    plain = [0] * 8
    for mask in range(1, 8):
        members = [1 << u for u in range(3) if mask >> u & 1]
        plain[mask] = Fraction(game[mask] + sum(plain[mask ^ b] for b in members), len(members))  # type: ignore[call-overload]
    assert shapley_values(game) == [plain[7] - plain[7 ^ 1 << u] for u in range(3)]


def test_orderings() -> None:
    assert sample_size(5, Fraction(1, 10), Fraction(95, 100)) == 11513
    every = all_orderings(3)
    assert every.weights().sum(axis=0).tolist() == [sum(every.weights()[:, 0])] * 3
    with pytest.raises(InputError, match="each of 0"):
        from_orderings([(0, 1)], 3)
    with pytest.raises(InputError, match="at least one"):
        from_orderings([], 3)
    with pytest.raises(TooLargeError, match="limit is 16"):
        count_orderings(17, samples="all")


# --- interruptions --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("python", [False, True])
@pytest.mark.parametrize("rule", NAMES)
def test_interrupted_runs_keep_what_is_final(rule: str, python: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The partial outcome is the outcome of the same rule at the moment reached."""
    from consortium.mechanisms.sharing import general_ref as plain_ref
    from consortium.mechanisms.sharing import simulation
    from consortium.mechanisms.sharing.kernels import events

    monkeypatch.setattr(events, "CHUNK", 2)
    monkeypatch.setattr(plain_ref, "EVERY", 1)
    if python:
        monkeypatch.setattr(simulation, "plain_needed", lambda *_: True)
        monkeypatch.setattr(simulation, "ref_arithmetic", lambda *_: "python")
    rng = random.Random(2)
    queues = [[(rng.randint(0, 90), rng.randint(1, 9)) for _ in range(40)] for _ in range(3)]
    instance = SharingInstance.of([1, 1, 1], queues)

    def stop(done: int, total: int | None, note: str = "") -> None:
        if done >= 20:
            raise KeyboardInterrupt

    outcome = simulate(instance, rule=rule, until=200, seed=5, progress=stop)
    assert not outcome.complete
    assert 20 <= outcome.until < 200
    whole = simulate(instance, rule=rule, until=outcome.until, seed=5)
    assert whole.complete
    same(outcome, whole)


# --- bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("machines", "queues", "said"),
    [
        ([1], [[(0, 0)]], "length of job 1: found 0"),
        ([1], [[(-1, 1)]], "release of job 1: found -1"),
        ([-1], [[]], "machines of organization 1"),
        ([], [], "no organization"),
        ([1, 1], [[]], "2 machine counts and 1 job lists"),
        ([1], [[(0, 1, 2), (0,)]], "found 1 numbers"),
        ([1], [[(0, 1.5)]], "times are integers"),
        ([2**30, 2**30], [[], []], "found 2,147,483,648 machines; the limit is 2,147,483,647"),
        ([True], [[]], "machines of organization 1"),
    ],
)
def test_bad_instances(machines: list[int], queues: list[list[tuple[int, ...]]], said: str) -> None:
    with pytest.raises(InputError, match=said):
        SharingInstance.of(machines, queues)


def test_bad_columns() -> None:
    with pytest.raises(InputError, match="differ in length"):
        SharingInstance.from_columns([1], [0, 0], [0], [1])
    with pytest.raises(InputError, match="owner of job 2: found 3"):
        SharingInstance.from_columns([1], [0, 3], [0, 0], [1, 1])
    with pytest.raises(InputError, match="expected integers"):
        SharingInstance.from_columns([1], [0], [0.0], [1])
    with pytest.raises(InputError, match="dimensions"):
        SharingInstance.from_columns([1], [[0]], [0], [1])
    wide = SharingInstance.from_columns([1], [0, 0], np.array([2**63, 1], dtype=np.uint64), [1, np.int64(2**62)])
    assert wide.queue(0) == [(1, 2**62), (2**63, 1)]  # numpy's own conversions would end in a float or wrap around
    assert all(type(time) is int for job in wide.queue(0) for time in job)
    with pytest.raises(InputError, match="names"):
        SharingInstance.from_columns([1, 1], [0], [0], [1], names=["a", "a"])


def test_columns_are_sorted_by_release_and_keep_the_order_presented() -> None:
    instance = SharingInstance.from_columns([1, 1], [1, 0, 1, 1], [5, 2, 0, 5], [9, 8, 7, 6])
    assert instance.queue(1) == [(0, 7), (5, 9), (5, 6)]
    assert instance.number.tolist() == [0, 1, 0, 2]


def test_bad_options() -> None:
    instance = SharingInstance.of([1, 1], [[(0, 1)], []])
    with pytest.raises(UnknownNameError, match="Did you mean 'ref'"):
        simulate(instance, rule="reff", until=3)
    with pytest.raises(UnknownNameError, match="timing"):
        simulate(instance, rule="ref", until=3, timing="later")
    with pytest.raises(UnknownNameError, match="utility"):
        simulate(instance, rule="ref", until=3, utility="flow")
    with pytest.raises(InputError, match="it is for ref"):
        simulate(instance, rule="fifo", until=3, utility="flow-time")
    with pytest.raises(InputError, match="due date"):
        simulate(instance, rule="ref", until=3, utility="tardiness")
    with pytest.raises(InputError, match="until"):
        simulate(instance, rule="ref", until=-1)
    with pytest.raises(InputError, match="samples, or orderings"):
        simulate(instance, rule="rand", until=3, samples=3, orderings=[[0, 1]])
    with pytest.raises(InputError, match="go together"):
        simulate(instance, rule="rand", until=3, epsilon=Fraction(1, 2))
    with pytest.raises(InputError, match="samples"):
        simulate(instance, rule="rand", until=3, samples="many")
    with pytest.raises(UnknownNameError, match="machine_order"):
        simulate(instance, rule="direct-contribution", until=3, machine_order="any")
    with pytest.raises(TooLargeError, match="limit is 18"):
        simulate(SharingInstance.of([1] * 19, [[]] * 19), rule="ref", until=3)
    with pytest.raises(TooLargeError, match="limit is 12"):
        simulate(SharingInstance.of([1] * 13, [[]] * 13), rule="ref", until=3, utility="busy-time")


def test_measures_need_the_same_moment_and_organizations() -> None:
    one = SharingInstance.of([1], [[(0, 3)]])
    a, b = simulate(one, rule="fifo", until=4), simulate(one, rule="ref", until=5)
    with pytest.raises(InputError, match="same moment"):
        measures(a, b)
    with pytest.raises(InputError, match="different organizations"):
        measures(a, simulate(SharingInstance.of([2], [[(0, 3)]]), rule="ref", until=4))
    flow = simulate(one, rule="ref", until=4, utility="flow-time")
    assert flow.utility == (-3,)
    assert throughput(flow) == a.utility
    assert measures(a, flow).delta == 0


def test_same_seed_same_schedule() -> None:
    rng = random.Random(8)
    queues = [[(rng.randint(0, 20), rng.randint(1, 9)) for _ in range(20)] for _ in range(4)]
    instance = SharingInstance.of([1, 2, 1, 1], queues)
    for rule in ("rand", "direct-contribution"):
        same(simulate(instance, rule=rule, until=60, seed=3), simulate(instance, rule=rule, until=60, seed=3))
        many = {tuple(simulate(instance, rule=rule, until=60, seed=s).start.tolist()) for s in range(8)}
        assert len(many) > 1


def test_ctrl_c_waits_for_the_end_of_a_moment() -> None:
    """Between two chunks everything is consistent, so an interrupt inside a chunk is held back until its end."""
    from consortium.support.interrupts import shielded

    passed: list[str] = []
    before = signal.getsignal(signal.SIGINT)

    @shielded()
    def chunk() -> None:
        signal.raise_signal(signal.SIGINT)
        passed.append("the rest of the chunk")

    with pytest.raises(KeyboardInterrupt):
        chunk()
    assert passed == ["the rest of the chunk"]
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("scale", [1, 10**6, 2**40])
def test_utilities_are_exact_at_any_age(scale: int, thinning: int) -> None:
    """One old job among young ones: the products of time and age go beyond int64 for the old one alone."""
    rng = random.Random(scale)
    for _ in range(30 // thinning):
        until = 10**5 * scale
        jobs = [[(rng.randint(0, 9), rng.choice([1, 7, 10**4 * scale, until])) for _ in range(3)] for _ in range(2)]
        instance = SharingInstance.of([1, 1], jobs)
        starts = [rng.choice([-1, 9, until // 2, until - 5]) for _ in range(6)]
        expected = [0, 0]
        for u, start, length in zip((0, 0, 0, 1, 1, 1), starts, instance.length.tolist(), strict=True):
            if start >= 0:
                age = until - start
                done = min(length, age)
                expected[u] += sum((age, age - done + 1)) * done // 2  # the first part is that old, the last so young
        assert utilities_of(instance, np.array(starts), until) == tuple(expected)


def test_a_first_moment_of_much_work_counts_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy cluster every coalition starts what runs at once, which no budget of steps divides."""
    steps: list[int] = []
    monkeypatch.setattr(events, "quickest", lambda kernel, n: (steps.append(n), plain(kernel))[1])
    for jobs in (1, 120):
        simulate(
            SharingInstance.of([20] * 6, [[(0, 9)] * (jobs // 6 + 1), *[[(0, 9)] * (jobs // 6)] * 5]),
            rule="ref",
            until=2,
        )
    assert steps == [events.CHUNK // events.SLOWER, 64 * 121]
