"""Bags of random work: their load, their shape, and what is refused."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from consortium.support.errors import InputError, TooLargeError
from consortium.workloads import SETTINGS, Bags, equal, poisson_bags, zipf


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
    assert len(poisson_bags(np.random.default_rng(1), Bags(**least.model_dump() | {"load": 0}))) == 0
    assert Bags(spread=5, jitter=5).spread == 5


def test_absurd_bags_are_refused_at_once() -> None:
    with pytest.raises(TooLargeError, match="limit"):
        poisson_bags(np.random.default_rng(1), Bags(machines=10**9, duration=10**9, median=1))
