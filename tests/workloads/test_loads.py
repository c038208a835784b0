"""Where windows are full, against the work of every window, counted job by job."""

from __future__ import annotations

import random

import numpy as np
import pytest

from consortium.workloads import Log
from consortium.workloads.windows import at_least, busiest, submitted


def random_log(rng: random.Random, scale: int = 1) -> Log:
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
    log = random_log(rng, rng.choice([1, 1, 10**9, 10**18]))
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
def test_random_logs(seeds: range) -> None:
    for seed in seeds:
        agree(seed)


def test_work_beyond_64_bits_is_exact() -> None:
    log = Log({"submit": [0, 1, 1], "run": [2**61, 2**61, 2**61 - 1], "allocated": [8, 8, 8]})
    found = submitted(log, 1, 0, 1)
    assert found.work.tolist() == [2**64, 2**65 - 8]
    assert busiest(found, 2) == [1, 0]
    assert at_least(found, 2**64 + 1)[0].tolist() == [1]
    assert np.asarray(at_least(found, 2**70)[0]).size == 0
