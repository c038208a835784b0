"""Windows, organizations and machines: hand-made cases, plain definitions, and independence of order."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.support.errors import InputError, TooLargeError, UnknownNameError
from consortium.workloads import Log, Partition, Plan, by_column, cut, deal_users, divide, equal, random_start, zipf
from consortium.workloads.windows import at_least, busiest, submitted


def log_of(*jobs: tuple[int, int, int, int], wait: int = -1, **more: list[int]) -> Log:
    """Jobs as (submit, run, processors, user)."""
    submit, run, allocated, user = zip(*jobs, strict=True)
    columns = {"submit": submit, "run": run, "allocated": allocated, "user": user, "wait": [wait] * len(jobs), **more}
    return Log({"job": range(1, len(jobs) + 1), **columns}, name="hand")


def random_log(rng: np.random.Generator, n: int = 60) -> Log:
    submit = np.sort(rng.integers(0, 500, n)) + 1_000
    return Log(
        {
            "job": np.arange(n),
            "submit": submit,
            "wait": rng.integers(-1, 40, n),
            "run": rng.integers(1, 60, n),
            "allocated": rng.integers(1, 4, n),
            "user": rng.integers(0, 9, n),
            "group": rng.integers(-1, 4, n),
        }
    )


def test_a_window_is_half_open_and_copies_parallel_jobs() -> None:
    log = log_of((10, 5, 1, 0), (20, 7, 3, 1), (29, 1, 1, 0), (30, 9, 1, 1))
    work = cut(log, by_column(log, "user"), (1, 1), 10, Plan(10))
    assert work.names == ("user 1", "user 0")  # decreasing work: 30 against 6
    assert work.release.tolist() == [0, 0, 0, 9]
    assert work.length.tolist() == [7, 7, 7, 1]
    assert work.owner.tolist() == [0, 0, 0, 1]
    assert work.job.tolist() == [2, 2, 2, 3]
    assert work.queues() == [[[0, 7], [0, 7], [0, 7]], [[9, 1]]]
    assert work.load == 22 / 20


def test_recorded_starts() -> None:
    columns = {"submit": [0, 4, 10, 12], "run": [5, 20, 3, 3], "allocated": [1, 2, 1, 1], "user": [0, 0, 1, 1]}
    log = Log({**columns, "wait": [0, 2, 7, 0]})
    work = cut(log, by_column(log, "user"), (1, 1), 10, Plan(50, busy=True))
    assert work.release.tolist() == [0, 0, 1, 3]
    assert work.length.tolist() == [17, 17, 3, 3]  # the second job had run from 6 to 9
    assert work.recorded.tolist() == [0, 0, 8, 3]
    unknown = Log({**columns, "wait": [-1, 2, 7, 0]})
    assert cut(unknown, by_column(unknown, "user"), (1, 1), 10, Plan(50)).recorded is not None
    assert (
        cut(unknown, by_column(unknown, "user"), (1, 1), 10, Plan(50, busy=True)).recorded is not None
    )  # it had ended
    assert cut(unknown, by_column(unknown, "user"), (1, 1), 4, Plan(50, busy=True)).recorded is None


def test_a_window_without_jobs_is_a_window() -> None:
    log = log_of((0, 5, 1, 0), (100, 5, 1, 1))
    work = cut(log, by_column(log, "user"), (1, 2), 10, Plan(20))
    assert len(work) == 0
    assert work.queues() == [[], []]


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(0, 300), st.integers(1, 200))
def test_windows_equal_the_definition(seed: int, start: int, duration: int) -> None:
    """On an empty cluster; on the busy one a simulator finds the same, see the tests of audits."""
    log = random_log(np.random.default_rng(seed))
    owners = by_column(log, "group")
    work = cut(log, owners, tuple(range(1, len(owners) + 1)), start, Plan(duration))
    opening = int(log.submit[0]) + start
    expected = []
    for i in range(len(log)):
        r, p = int(log.submit[i]), int(log.run[i])
        if opening <= r < opening + duration:
            expected += [(int(owners.owner[i]), r - opening, p)] * int(log.processors[i])
    assert list(zip(work.owner.tolist(), work.release.tolist(), work.length.tolist(), strict=True)) == expected


@pytest.mark.parametrize(("start", "duration"), [(-5, 5), (0, 0)])
def test_window_bounds(start: int, duration: int) -> None:
    log = log_of((0, 1, 1, 0))
    with pytest.raises(InputError, match="window"):
        cut(log, by_column(log, "user"), (1,), start, Plan(duration))


def test_a_window_of_absurd_size_is_refused_before_it_is_built() -> None:
    log = log_of((0, 1, 10**15, 0), (1, 1, 10**15, 0))
    with pytest.raises(TooLargeError, match="sequential copies, job 1 alone 1,000,000,000,000,000;"):
        cut(log, by_column(log, "user"), (1,), 0, Plan(5))
    with pytest.raises(InputError, match="2 machine counts for 1"):
        cut(log, by_column(log, "user"), (1, 1), 0, Plan(5))


def test_random_windows_end_by_the_last_submission() -> None:
    log = log_of((100, 1, 1, 0), (110, 1, 1, 0))
    rng = np.random.default_rng(0)
    assert {random_start(log, 8, rng) for _ in range(99)} == {0, 1, 2}
    assert random_start(log, 10, rng) == 0
    assert random_start(log, 99, rng) == 0


def test_window_i_does_not_depend_on_the_others() -> None:
    log = random_log(np.random.default_rng(5), 300)
    plan = Plan(duration=100, machines=10, organizations=3, seed=8)
    forward = [plan.window(log, i) for i in range(4)]
    backward = [plan.window(log, i) for i in (3, 2, 1, 0)][::-1]
    for a, b in zip(forward, backward, strict=True):
        assert (a.start, a.machines, a.owner.tolist()) == (b.start, b.machines, b.owner.tolist())
    assert len({(w.start, w.machines) for w in forward}) > 1
    assert Plan(duration=100, machines=10, organizations=3, seed=9).window(log).start != forward[0].start


def test_users_are_dealt_evenly_and_whole() -> None:
    log = random_log(np.random.default_rng(3), 400)
    dealt = deal_users(log, 4, np.random.default_rng(1))
    seat = dict(zip(log.user.tolist(), dealt.owner.tolist(), strict=True))
    assert all(seat[u] == o for u, o in zip(log.user.tolist(), dealt.owner.tolist(), strict=True))
    assert sorted(Counter(seat.values()).values()) == [2, 2, 2, 3]
    again = {tuple(deal_users(log, 4, np.random.default_rng(s)).owner.tolist()) for s in range(5)}
    assert len(again) == 5
    with pytest.raises(InputError, match="expected 1 to 9"):
        deal_users(log, 10, np.random.default_rng(1))
    with pytest.raises(InputError, match="found 0"):
        deal_users(log, 0, np.random.default_rng(1))


def test_organizations_by_column() -> None:
    log = Log(
        {
            "submit": range(6),
            "run": [1, 1, 9, 4, 4, 1],
            "allocated": [1, 1, 1, 1, 1, 2],
            "group": [3, -1, 7, 5, 5, 3],
            "queue": [1] * 6,
        },
        labels={"group": {3: "atlas", 7: "atlas"}, "queue": {1: "long"}},
        name="hand",
    )
    assert by_column(log, "group").names == ("atlas", "group 5", "atlas (2)", "unknown group")
    assert by_column(log, "group").owner.tolist() == [2, 3, 0, 1, 1, 2]
    limited = by_column(log, "group", limit=2)
    assert limited.names == ("atlas", "others")
    assert limited.owner.tolist() == [1, 1, 0, 1, 1, 1]
    assert by_column(log, "group", limit=4).names == by_column(log, "group").names
    assert by_column(log, "queue").names == ("long",)
    with pytest.raises(InputError, match="does not say the user of its jobs; known columns: group, queue"):
        by_column(log, "user")
    with pytest.raises(UnknownNameError, match="Did you mean 'group'"):
        by_column(log, "groups")
    with pytest.raises(InputError, match="at least 1"):
        by_column(log, "group", limit=0)


@pytest.mark.parametrize(
    ("machines", "k", "expected"),
    [
        (70, 5, (31, 15, 10, 8, 6)),
        (8192, 5, (3588, 1794, 1196, 897, 717)),
        (5, 5, (1, 1, 1, 1, 1)),
        (6, 5, (2, 1, 1, 1, 1)),
        (10, 1, (10,)),
        (8, 7, (2, 1, 1, 1, 1, 1, 1)),
    ],
)
def test_zipf(machines: int, k: int, expected: tuple[int, ...]) -> None:
    assert zipf(machines, k) == expected


@settings(deadline=None)
@given(st.integers(1, 12), st.integers(0, 500))
def test_zipf_is_monotone_complete_and_near_its_quota(k: int, more: int) -> None:
    machines = k + more
    given_ = zipf(machines, k)
    assert sum(given_) == machines
    assert min(given_) >= 1
    assert list(given_) == sorted(given_, reverse=True)
    harmonic = sum(Fraction(1, r) for r in range(1, k + 1))
    quotas = [machines / harmonic / r for r in range(1, k + 1)]
    if min(quotas) >= 1:
        assert all(abs(q - g) < 1 for q, g in zip(quotas, given_, strict=True))
    assert sum(equal(machines, k)) == machines
    assert max(equal(machines, k)) - min(equal(machines, k)) <= 1


def test_dividing_machines() -> None:
    rng = np.random.default_rng(1)
    assert sorted(divide(70, 5, "zipf", rng)) == [6, 8, 10, 15, 31]
    assert len({divide(70, 5, "zipf", rng) for _ in range(20)}) > 5  # ranks at random
    assert divide(7, 3, "equal", rng) == (3, 2, 2)
    assert divide(None, 2, [0, 4], rng) == (0, 4)
    for machines, k, shares, message in [
        (4, 5, "zipf", "expected at least one for each"),
        (None, 5, "equal", "the log does not state them"),
        (5, 2, [1, 3], "add up to 4"),
        (None, 2, [1], "expected 2 numbers"),
        (None, 2, [1, -1], ">= 0"),
        (None, 2, [0, 0], "not all 0"),
    ]:
        with pytest.raises(InputError, match=message):
            divide(machines, k, shares, rng)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="Did you mean 'zipf'"):
        divide(5, 2, "zip", rng)  # type: ignore[arg-type]


def test_a_plan_takes_the_machines_of_the_header_unless_told() -> None:
    log = random_log(np.random.default_rng(2))
    named = Log({c: log.column(c) for c in ("submit", "run", "allocated", "user")}, header={"MaxProcs": ("12",)})
    assert sum(Plan(duration=9, organizations=2).window(named).machines) == 12
    assert Plan(duration=9, organizations=2, shares=[1, 5]).window(named).machines == (1, 5)
    with pytest.raises(InputError, match="does not state them"):
        Plan(duration=9, organizations=2).window(log)


def test_a_partition_has_a_length() -> None:
    assert len(Partition(("a", "b"), np.zeros(3, dtype=np.int64))) == 2


# --- where windows are full, against the work of every window, counted job by job ------------------------------------


def short_log(rng: random.Random, scale: int = 1) -> Log:
    n = rng.randint(1, 12)
    submit = sorted(rng.randint(5, 5 + rng.choice([3, 20, 40])) for _ in range(n))
    run = [scale * rng.randint(1, 6) for _ in range(n)]
    return Log({"submit": submit, "run": run, "allocated": [rng.randint(1, 3) for _ in range(n)]})


def counted(log: Log, opening: int, duration: int) -> int:
    """The work submitted in one window."""
    jobs = zip((log.submit - log.submit.min()).tolist(), log.run.tolist(), log.processors.tolist(), strict=True)
    return sum(run * processors for submit, run, processors in jobs if opening <= submit < opening + duration)


def fullest(work: dict[int, int], duration: int, number: int) -> list[int]:
    """Take the fullest window, drop all that overlap it, and again; the earliest of equal ones."""
    left, taken = dict(work), []
    while left and len(taken) < number and max(left.values()) > 0:
        best = min(left, key=lambda opening: (-left[opening], opening))
        taken.append(best)
        left = {opening: w for opening, w in left.items() if abs(opening - best) >= duration}
    return taken


def agree(seed: int) -> None:
    rng = random.Random(seed)
    log = short_log(rng, rng.choice([1, 1, 10**9, 10**18]))
    duration, first = rng.randint(1, 12), rng.randint(0, 10)
    last = first + rng.randint(0, 40)
    found = submitted(log, duration, first, last)
    work = {opening: counted(log, opening, duration) for opening in range(first, last + 1)}
    told = {
        opening: w
        for begin, seconds, w in zip(found.first.tolist(), found.seconds.tolist(), found.work.tolist(), strict=True)
        for opening in range(begin, begin + seconds)
    }
    assert told == work
    for number in (1, 3, 50):
        assert busiest(found, number) == fullest(work, duration, number)
    least = rng.choice(list(work.values())) + rng.randint(0, 1)
    begins, seconds = at_least(found, least)
    allowed = [o for b, s in zip(begins.tolist(), seconds.tolist(), strict=True) for o in range(b, b + s)]
    assert allowed == [opening for opening, w in work.items() if w >= least]


@pytest.mark.parametrize("seeds", [range(250), pytest.param(range(250, 8_000), marks=pytest.mark.exhaustive)])
def test_the_work_of_every_window(seeds: range) -> None:
    for seed in seeds:
        agree(seed)


def test_work_beyond_64_bits_is_exact() -> None:
    log = Log({"submit": [0, 1, 1], "run": [2**61, 2**61, 2**61 - 1], "allocated": [8, 8, 8]})
    found = submitted(log, 1, 0, 1)
    assert found.work.tolist() == [2**64, 2**65 - 8]
    assert busiest(found, 2) == [1, 0]
    assert at_least(found, 2**64 + 1)[0].tolist() == [1]
    assert np.asarray(at_least(found, 2**70)[0]).size == 0
