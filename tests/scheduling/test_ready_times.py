"""Least makespans on machines with ready times, and the ties between placements, against trying all placements."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.scheduling import cp_sat, ready_times
from consortium.scheduling.ready_times import Hosts, Jobs, Keep, Request, branch, least_makespan, placement
from consortium.support.errors import TooLargeError

Rows = Sequence[Sequence[int]]
KEEPS = [None, "load", "count"]


def makespan(sizes: Sequence[int], ready: Rows, hosts: Sequence[int]) -> int:
    """The definition: a machine ends at the latest ready time of its jobs, plus their sizes."""
    ends = []
    for host in set(hosts):
        mine = [i for i, at in enumerate(hosts) if at == host]
        ends.append(max(ready[i][host] for i in mine) + sum(sizes[i] for i in mine))
    return max(ends)


def first_of_the_best(sizes: Sequence[int], ready: Rows, keep: Keep | None) -> tuple[int, ...]:
    """Of all placements the least makespan, then the most at home, then the first."""

    def value(hosts: tuple[int, ...]) -> tuple[int, int, tuple[int, ...]]:
        kept = [
            p if keep.measure == "load" else 1 for p, m in zip(sizes, hosts, strict=True) if keep and m == keep.home
        ]
        return makespan(sizes, ready, hosts), -sum(kept), hosts

    return min(itertools.product(range(len(ready[0])), repeat=len(sizes)), key=value)


@st.composite
def instances(draw: st.DrawFn, scale: int = 1) -> tuple[list[int], Rows, Keep | None]:
    """Up to six jobs, with the same ready times or with ready times of their own."""
    machines, n = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    sizes = [scale * p + draw(st.integers(0, 1)) for p in draw(st.lists(st.integers(1, 7), min_size=n, max_size=n))]
    times = st.lists(st.integers(0, 12), min_size=machines, max_size=machines)
    rows = [draw(times)] * n if draw(st.booleans()) else [draw(times) for _ in range(n)]
    measure = draw(st.sampled_from(KEEPS))
    keep = None if measure is None else Keep(draw(st.integers(0, machines - 1)), measure)
    return sizes, [[scale * time for time in row] for row in rows], keep


@pytest.mark.parametrize("scale", [1, 10**12, 10**30], ids=["small", "nearly multiples", "beyond int64"])
@settings(max_examples=120, deadline=None, derandomize=True)
@given(data=st.data())
def test_it_is_the_first_of_the_best(scale: int, data: st.DataObject) -> None:
    sizes, ready, keep = data.draw(instances(scale))
    best = first_of_the_best(sizes, ready, keep)
    assert placement(sizes, ready, keep) == best
    assert least_makespan(sizes, ready) == makespan(sizes, ready, best)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(data=st.data())
def test_what_branch_and_bound_leaves_open_goes_to_a_solver(data: st.DataObject) -> None:
    sizes, ready, keep = data.draw(instances())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ready_times, "FEW_NODES", 0)
        patch.setattr(ready_times, "MAX_NODES", 0)
        assert placement(sizes, ready, keep) == first_of_the_best(sizes, ready, keep)


def test_compiled_and_interpreted_questions_have_one_answer() -> None:
    """Nine to twelve jobs: longer searches than those of the other tests."""
    rng = random.Random(4)
    for _ in range(10):
        n, machines = rng.randint(9, 12), rng.randint(2, 5)
        sizes = [rng.randint(1, 99) for _ in range(n)]
        ready = [[rng.randint(0, 99) for _ in range(machines)]] * n
        for keep in (None, Keep(0), Keep(1, "count")):
            big = placement([p * 10**20 for p in sizes], [[r * 10**20 for r in row] for row in ready], keep)
            assert big == placement(sizes, ready, keep)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(ready_times, "fits_int64", lambda bound: False)
                assert placement(sizes, ready, keep) == big


def test_nearly_equal_loads_of_thirteen_digits_are_told_apart() -> None:
    """Sending the 2 away ends at 6; its presolve made CP-SAT send the 1 away instead."""
    trillion = 10**12
    assert placement([4 * trillion + 1, trillion, 2 * trillion], [[4 * trillion, 0]] * 3, Keep(1)) == (1, 1, 0)


def test_no_jobs_take_no_time() -> None:
    assert (least_makespan([], []), placement([], [], Keep(0))) == (0, ())


def test_a_twin_of_any_earlier_machine_is_passed_over() -> None:
    """Three jobs of 3, to end before 6, and two empty machines: the first two jobs have one machine each to try.

    The machine between the two, busy until 9, is out of reach and nobody's twin.
    """
    jobs = Jobs(np.full(3, 3), np.array([[0, 9, 0]] * 3), True, np.zeros(3, np.int64))
    hosts = Hosts(np.zeros(3, np.int64), np.full(3, -1), 0)
    cost, found, nodes = branch(jobs, hosts, Request(6, 0, False, 0, False), 100)
    assert (cost, found.tolist(), nodes) == (6, [-1, -1, -1], 3)


@pytest.mark.parametrize("count", [40, 3_000])
def test_undecided_questions_are_refused(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty different huge lengths take too many nodes, three thousand as well."""
    monkeypatch.setattr(ready_times, "MAX_PLAIN_NODES", 1_000)
    rng = random.Random(5)
    sizes = [10**30 + rng.randrange(10**29) for _ in range(count)]
    with pytest.raises(TooLargeError, match=r"^mine: \d+ jobs on 3 machines, .* about 10\^3\d units, are not decided"):
        placement(sizes, [[0, 0, 0]] * count, Keep(0), "mine")


def test_the_solver_has_a_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ready_times, "FEW_NODES", 0)
    monkeypatch.setattr(ready_times, "MAX_NODES", 0)
    stopped = SimpleNamespace(ended=False, has_solution=False)  # a time limit of nothing is sometimes enough
    monkeypatch.setattr(ready_times, "solve", lambda *arguments, **options: stopped)
    with pytest.raises(TooLargeError, match=r"0 nodes of branch and bound and 20 s of constraint solving; leave jobs"):
        least_makespan([3, 3, 2, 2, 2], [[0, 0]] * 5)


def test_ctrl_c_in_the_solver_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the solver knows by then is no placement of least makespan, so nothing is made of it."""
    wait, interrupted = cp_sat.Search.wait, []

    def once(search: cp_sat.Search, progress: Any = None) -> cp_sat.Answer:
        if not interrupted:
            interrupted.append(search)
            raise KeyboardInterrupt
        return wait(search, progress)

    monkeypatch.setattr(cp_sat.Search, "wait", once)
    monkeypatch.setattr(ready_times, "FEW_NODES", 0)
    monkeypatch.setattr(ready_times, "MAX_NODES", 0)
    with pytest.raises(KeyboardInterrupt):
        placement([3, 3, 2, 2, 2], [[0, 0]] * 5)
