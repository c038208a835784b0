"""Random families, the stand-in by resampled users, and the choice of a few jobs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from consortium.support.errors import InputError, TooLargeError, UnknownNameError
from consortium.workloads import (
    SETTINGS,
    Bags,
    Log,
    Target,
    equal,
    longest,
    poisson_bags,
    read_log,
    read_swf,
    resample_users,
    sample,
    write_swf,
    zipf,
)
from consortium.workloads.resample import WEEK
from consortium.workloads.selection import common_unit, most_active, slug


@pytest.mark.parametrize("name", SETTINGS)
def test_bags_meet_their_load(name: str) -> None:
    bags = SETTINGS[name]
    work = poisson_bags(np.random.default_rng(7), bags)
    target = bags.load * bags.machines * bags.duration
    assert target <= work.length.sum() < target + work.length.max()
    divided = zipf if bags.shares == "zipf" else equal
    assert sorted(work.machines, reverse=True) == list(divided(bags.machines, bags.organizations))
    assert len(work.names) == len(work.machines) == bags.organizations
    assert (np.diff(work.release) >= 0).all()
    assert work.release.min() >= 0
    assert work.release.max() < bags.duration
    assert work.length.min() >= 1
    assert set(work.owner.tolist()) == set(range(bags.organizations))


def test_bags_are_bags_and_the_seed_decides() -> None:
    one, two = (poisson_bags(np.random.default_rng(3), Bags(bag=20, jitter=0)) for _ in range(2))
    assert one.length.tolist() == two.length.tolist()
    together = Counter(zip(one.release.tolist(), one.owner.tolist(), one.length.tolist(), strict=True))
    assert 10 < len(one) / len(together) < 40  # jobs of a bag share owner, release and, without jitter, length
    assert poisson_bags(np.random.default_rng(4)).length.tolist() != one.length.tolist()
    assert len(poisson_bags(np.random.default_rng(1), Bags(load=0))) == 0


@pytest.mark.parametrize(
    "wrong", [{"machines": 0}, {"load": -1}, {"bag": 0.5}, {"users": 4}, {"duration": 0}, {"median": 0}, {"spread": 9}]
)
def test_bags_are_checked(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        Bags(**wrong)  # type: ignore[arg-type]


def test_the_least_of_every_setting_is_allowed() -> None:
    least = Bags(machines=1, load=1, duration=1, organizations=1, users=1, bag=1, median=1, spread=0, jitter=0)
    work = poisson_bags(np.random.default_rng(1), least)
    assert (work.machines, work.release.tolist(), work.length.tolist()) == ((1,), [0], [1])


def test_absurd_bags_are_refused_at_once() -> None:
    with pytest.raises(TooLargeError, match="limit"):
        poisson_bags(np.random.default_rng(1), Bags(machines=10**9, duration=10**9, median=1))


def donor(weeks: int = 10, users: int = 12) -> Log:
    rng = np.random.default_rng(11)
    n = 3_000
    columns = {
        "job": np.arange(1, n + 1),
        "submit": np.sort(rng.integers(0, weeks * WEEK, n)) + 5_000,
        "run": rng.integers(1, 60_000, n),
        "allocated": 2 ** rng.integers(0, 6, n),
        "user": rng.choice(users, n, p=np.arange(1, users + 1) / (users * (users + 1) / 2)),
    }
    return Log(columns, name="donor.swf", header={"MaxProcs": ("128",), "Acknowledge": ("Ann",)})


def test_resampled_users_keep_their_streams() -> None:
    source = donor()
    target = Target(users=9, processors=128, span=10 * WEEK, load=0.7)
    log = resample_users(source, target, seed=5)
    assert np.array_equal(resample_users(source, target, seed=5).run, log.run)
    assert not np.array_equal(resample_users(source, target, seed=6).run[:50], log.run[:50])
    work = float((log.run * log.processors).sum())
    assert work / (128 * 10 * WEEK) == pytest.approx(0.7, rel=1e-3)
    assert (np.diff(log.submit) >= 0).all()
    assert log.submit.max() < 10 * WEEK
    assert "SYNTHETIC, resampled from donor.swf, seed 5" in log.header["Note"]
    hours = {u: Counter(((source.submit[source.user == u] - source.submit[0]) % WEEK).tolist()) for u in range(12)}
    for user in range(1, 10):  # moment of the week and sizes of a whole stream survive
        mine = log.user == user
        twins = [u for u in hours if hours[u] == Counter((log.submit[mine] % WEEK).tolist())]
        assert len(twins) == 1
        assert Counter(log.processors[mine].tolist()) == Counter(source.processors[source.user == twins[0]].tolist())


def test_resampling_scales_cuts_and_refuses() -> None:
    source = donor()
    target = Target(users=12, processors=16, span=10 * WEEK, load=0.3, max_jobs=500, largest=3)
    small = resample_users(source, target, 1)
    assert len(small) == 500
    assert set(small.processors.tolist()) <= {1, 2, 3}
    assert small.max_processors() == 16
    with pytest.raises(InputError, match="stretched"):
        resample_users(source, Target(users=2, processors=128, span=10 * WEEK, load=50), 1)
    with pytest.raises(InputError, match="known users"):
        resample_users(Log({"run": [1], "submit": [0], "allocated": [1]}), Target(users=2, processors=4), 1)
    for wrong in ({"users": 0}, {"span": 5}, {"load": 0}, {"max_jobs": -1}):
        with pytest.raises(InputError):
            Target(**({"users": 1, "processors": 1} | wrong))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["copy.swf", "copy.swf.gz"])
def test_written_logs_read_back(tmp_path: Path, name: str) -> None:
    log = resample_users(donor(), Target(users=5, processors=64, span=10 * WEEK, load=0.4), 2)
    write_swf(log, tmp_path / name)
    back = read_swf(tmp_path / name)
    for column in ("job", "submit", "wait", "run", "allocated", "requested", "user", "group", "queue"):
        assert np.array_equal(back.column(column), log.column(column))
    assert dict(back.header) == dict(log.header)
    assert not back.report.skipped
    assert len(read_log(tmp_path / name)) == len(log)


def few() -> Log:
    """User 4 has five jobs, user 2 four, user 9 four, user 7 one, unknown six."""
    users = [4, 4, 4, 4, 4, 2, 2, 2, 2, 9, 9, 9, 9, 7, -1, -1, -1, -1, -1, -1]
    run = [50, 10, 40, 20, 30, 4, 3, 2, 1, 5, 5, 6, 6, 99, 1, 1, 1, 1, 1, 1]
    size = [1, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
    n = len(users)
    columns = {"job": range(1, n + 1), "submit": range(n), "run": run, "user": users, "allocated": size}
    return Log(columns, name="few", labels={"user": {2: "bob-x", 9: "bob x"}})


def test_the_default_choice_is_the_median_job_of_the_most_active() -> None:
    chosen = sample(few(), "user", 4)
    assert [c.name for c in chosen] == ["user4", "bob_x", "bobx", "user7"]
    assert [c.lengths for c in chosen] == [(30,), (3,), (6,), (99,)]
    assert [c.jobs for c in chosen] == [(5,), (7,), (12,), (14,)]


def test_more_jobs_stand_at_quantiles_in_order_of_submission() -> None:
    first, _, _, last = sample(few(), "user", 4, n_jobs=3)
    assert first.lengths == (50, 10, 30)  # quantiles 1/6, 3/6, 5/6 of 10, 20, 30, 40, 50
    assert last.lengths == (99,)


def test_a_random_choice_follows_its_generator() -> None:
    draws = {tuple(c.name for c in sample(few(), "user", 2, rng=np.random.default_rng(s))) for s in range(30)}
    assert len(draws) > 5
    one, two = (sample(few(), "user", 3, 2, rng=np.random.default_rng(3)) for _ in range(2))
    assert one == two
    assert all(len(c.lengths) == 2 for c in one if c.name != "user7")


def test_the_longest_jobs_of_the_most_active() -> None:
    chosen = longest(few(), 2, part=(3, 10))
    assert [(c.name, c.lengths) for c in chosen] == [("user4", (50, 40)), ("bob_x", (4, 3))]  # ceil(1.5), ceil(1.2)
    assert [c.lengths for c in longest(few(), 1)] == [(50,)]
    assert [c.lengths for c in longest(few(), 1, measure="work")] == [(10,)]
    with pytest.raises(InputError, match="fraction"):
        longest(few(), 1, part=(11, 10))
    with pytest.raises(UnknownNameError, match="work"):
        longest(few(), 1, measure="wrok")  # type: ignore[arg-type]


def test_choices_are_checked() -> None:
    with pytest.raises(InputError, match="few has 4 users"):
        most_active(few(), "user", 5)
    with pytest.raises(InputError, match="few has 0 groups"):
        most_active(few(), "group", 1)
    with pytest.raises(UnknownNameError, match="user"):
        most_active(few(), "usr", 1)
    with pytest.raises(InputError, match="at least 1"):
        sample(few(), "user", 1, 0)


def test_units_round_up() -> None:
    assert [c.lengths for c in common_unit(sample(few(), "user", 2, 2), 20)] == [(2, 1), (1, 1)]
    with pytest.raises(InputError, match="unit"):
        common_unit((), 0)


@pytest.mark.parametrize(("text", "name"), [("", "_"), ("é", "_"), ("group 3", "group3"), ("3.b", "_3_b")])
def test_names_can_stand_in_formulas(text: str, name: str) -> None:
    assert slug(text) == name
    assert name.isidentifier()


def test_the_ends_of_all_ranges_are_accepted() -> None:
    smallest = Bags(machines=1, load=0, duration=1, organizations=1, users=1, bag=1, median=1, spread=0, jitter=0)
    assert len(poisson_bags(np.random.default_rng(1), smallest)) == 0
    assert Bags(spread=5, jitter=5).spread == 5
