"""The choice of a few jobs of a log."""

from __future__ import annotations

import numpy as np
import pytest

from consortium.support.errors import InputError, UnknownNameError
from consortium.workloads import Log, longest, sample
from consortium.workloads.log import COLUMNS, WAITING
from consortium.workloads.selection import common_unit, most_active, slug


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


def test_jobs_that_still_wait_are_not_chosen() -> None:
    log = few()
    columns = {name: log.column(name).copy() for name in COLUMNS}
    columns["at_end"][:4] = WAITING
    waiting = Log(columns, name="few")
    assert [c.lengths for c in sample(waiting, "user", 3)] == [(3,), (6,), (30,)]
    assert longest(waiting, 1, part=(1, 1))[0].lengths == (4, 3, 2, 1)
    assert most_active(waiting, "user", 1) == [2]


def test_choices_are_checked() -> None:
    with pytest.raises(InputError, match="few has 4 users"):
        most_active(few(), "user", 5)
    with pytest.raises(InputError, match=r"few has 0 groups .*; expected fewer, or another column \(by\): user"):
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
