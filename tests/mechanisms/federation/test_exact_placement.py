"""Exact placements on machines that are free from given times on, within the solver's integers and beyond them."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.mechanisms.federation.exact_placement import _Packings, exact_placement
from consortium.scheduling import cp_sat
from consortium.support.errors import TooLargeError


def first_of_the_best(sizes: Sequence[int], starts: Sequence[int], home: int, keep: str) -> tuple[int, ...]:
    """The definition: of all placements the least makespan, then the most at home, then the first."""

    def value(hosts: tuple[int, ...]) -> tuple[int, int, tuple[int, ...]]:
        loads = list(starts)
        for p, m in zip(sizes, hosts, strict=True):
            loads[m] += p
        kept = sum(p if keep == "load" else 1 for p, m in zip(sizes, hosts, strict=True) if m == home)
        return max(loads[m] for m in hosts), -kept, hosts

    return min(itertools.product(range(len(starts)), repeat=len(sizes)), key=value)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(
    sizes=st.lists(st.integers(1, 7), min_size=1, max_size=5),
    starts=st.lists(st.integers(0, 12), min_size=1, max_size=4),
    keep=st.sampled_from(["load", "count"]),
)
def test_it_is_the_first_of_the_best(sizes: list[int], starts: list[int], keep: Any) -> None:
    home, ready = len(starts) - 1, [*starts[:-1], 0]
    assert exact_placement(sizes, ready, home, keep) == first_of_the_best(sizes, ready, home, keep)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    sizes=st.lists(st.tuples(st.integers(1, 4), st.integers(0, 2)), min_size=1, max_size=5),
    starts=st.lists(st.integers(0, 6), min_size=1, max_size=4),
    keep=st.sampled_from(["load", "count"]),
    data=st.data(),
)
def test_beyond_the_solver_too(sizes: Any, starts: list[int], keep: Any, data: st.DataObject) -> None:
    """Lengths of 10^30 and a little, without a common factor."""
    big = [p * 10**30 + extra for p, extra in sizes] + [10**30 + 1]
    home = data.draw(st.integers(0, len(starts) - 1))
    ready = [0 if m == home else r * 10**30 for m, r in enumerate(starts)]
    assert exact_placement(big, ready, home, keep) == first_of_the_best(big, ready, home, keep)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=6),
    starts=st.lists(st.integers(0, 12), min_size=1, max_size=4),
    keep=st.sampled_from(["load", "count"]),
)
def test_packings_and_solver_agree(sizes: Any, starts: Any, keep: Any) -> None:
    ready = [0, *starts[1:]]
    assert _Packings(sizes, ready, 0, keep).placement() == exact_placement(sizes, ready, 0, keep)


@settings(deadline=None, derandomize=True, max_examples=40)
@given(
    sizes=st.lists(st.tuples(st.integers(1, 4), st.integers(0, 1)), min_size=2, max_size=4),
    starts=st.lists(st.integers(0, 4), min_size=1, max_size=2),
    power=st.integers(8, 13),
)
def test_solver_and_packings_agree_on_lengths_that_are_nearly_multiples(
    sizes: Any, starts: list[int], power: int
) -> None:
    jobs = [p * 10**power + extra for p, extra in sizes]
    ready = [*(r * 10**power for r in starts), 0]
    home = len(starts)
    assert exact_placement(jobs, ready, home) == _Packings(jobs, ready, home, "load").placement()


@pytest.mark.parametrize("count", [40, 3_000])
def test_exact_placements_beyond_reach_are_refused(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty different huge lengths are too many packings; three thousand are too many calls."""
    monkeypatch.setattr("consortium.mechanisms.federation.exact_placement.MAX_PACKINGS", 5_000)
    rng = random.Random(5)
    sizes = [10**30 + rng.randrange(10**29) for _ in range(count)]
    with pytest.raises(
        TooLargeError, match=rf"about 10\^3\d units .*{count} jobs on 3 machines.*or take solver = 'lpt'"
    ):
        exact_placement(sizes, [0, 0, 0], 0)


def test_ctrl_c_in_the_solver_ends_the_search_for_a_placement(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the solver knows by then is no placement of least makespan, so nothing is made of it."""
    wait, interrupted = cp_sat.Search.wait, []

    def once(search: cp_sat.Search, progress: Any = None) -> cp_sat.Answer:
        if not interrupted:
            interrupted.append(search)
            raise KeyboardInterrupt
        return wait(search, progress)

    monkeypatch.setattr(cp_sat.Search, "wait", once)
    with pytest.raises(KeyboardInterrupt):
        exact_placement([2, 2], [0, 0], home=0)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    sizes=st.lists(st.integers(1, 7), min_size=1, max_size=4),
    starts=st.lists(st.integers(0, 12), min_size=1, max_size=3),
)
def test_only_makespans_that_are_possible_are_tried(sizes: list[int], starts: list[int]) -> None:
    """From the longest job alone to all jobs together, on the machine that is free first: packings are counted."""
    tried: list[int] = []

    class Watched(_Packings):
        def _told_apart(self, rooms: Sequence[int]) -> tuple[int, ...]:
            tried.append(rooms[0] + self.starts[0])
            return super()._told_apart(rooms)

    least = Watched(sizes, starts, 0, "load").least
    low, high = min(starts) + max(sizes), min(starts) + sum(sizes)
    assert low <= least <= high
    assert all(low <= makespan < high for makespan in tried)
    assert bool(tried) == (low < high)
