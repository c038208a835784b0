"""The smallest makespan: bounds, search, solvers."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from consortium.scheduling import makespan_kernel as kernel
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.makespan import (
    Instance,
    MakespanAnswer,
    best_fill,
    fill,
    raised,
    smallest_makespan,
)
from consortium.scheduling.sums import largest_multiplier
from consortium.support.jit import plain


def brute_force(work: list[int], per_work: list[int]) -> int:
    """Smallest makespan over all ways to give every job a machine."""
    best = None
    for machine in product(range(len(per_work)), repeat=len(work)):
        load = [0] * len(per_work)
        for w, m in zip(work, machine, strict=True):
            load[m] += w
        value = max(x * q for x, q in zip(load, per_work, strict=True))
        best = value if best is None else min(best, value)
    assert best is not None
    return best


def small(rng: random.Random) -> tuple[list[int], list[int]]:
    top = rng.choice([2, 5, 20])
    work = sorted((rng.randint(1, top) for _ in range(rng.randint(1, 7))), reverse=True)
    return work, [rng.choice([3, 4, 6, 12]) for _ in range(rng.randint(1, 3))]


def makespan(work: Any, per_work: Any, machine: Any) -> int:
    return Instance(tuple(work), tuple(per_work)).makespan(machine)


def solve(form: Callable[[Any], Any], work: Any, per_work: Any, nodes: int) -> tuple[int, int, Any]:
    """Best makespan, lower bound and machines by one form of the kernels."""
    start = largest_multiplier(per_work.tolist(), sum(work))
    _, _, upper, lower, machine, cursor = form(kernel.begin)(work, per_work, start, nodes)
    if lower < upper:
        upper = form(kernel.search)(work, per_work, lower, upper, machine, cursor)
        lower = upper if cursor.at[0] < 0 else lower
    return upper, lower, machine


def compiled(function: Any) -> Any:
    return function


def test_search_against_brute_force(thinning: int) -> None:
    rng = random.Random("search")
    for _ in range(150 // thinning):
        work, per_work = small(rng)
        best = brute_force(work, per_work)
        for form, dtype in ((compiled, np.int64), (plain, object)):
            upper, lower, machine = solve(form, np.array(work, dtype=dtype), np.array(per_work, dtype=dtype), 10**6)
            assert upper == lower == best == makespan(work, per_work, machine)


@pytest.mark.parametrize("machines", [2, 16, 33, 100])
@pytest.mark.parametrize("digits", [17, 18, 19, 30])
def test_wide_instances_are_narrow_ones_in_other_units(machines: int, digits: int) -> None:
    """Also where only the room on all machines together, or the size of a table of fillings, outgrows 64 bits."""
    rng = random.Random(f"units {machines} {digits}")
    for n in (3, 12, 31):
        work = [rng.randint(1, 9) for _ in range(n)]
        cluster, unit = Cluster.of([rng.choice([1, 1, 2]) for _ in range(machines)]), 2 * 10**digits // sum(work)
        narrow = smallest_makespan(cluster, work, cp_sat=False, nodes=2_000)
        wide = smallest_makespan(cluster, [w * unit for w in work], cp_sat=False, nodes=2_000)
        assert wide.lower <= wide.upper
        assert wide.lower <= narrow.upper * unit  # a bound that somebody beats is none
        assert narrow.lower * unit <= wide.upper
        if narrow.proven and wide.proven:
            assert wide.upper == narrow.upper * unit


def test_every_part_of_the_search_is_right(thinning: int) -> None:
    rng = random.Random("parts")
    for _ in range(150 // thinning):
        work, per_work = small(rng)
        best = brute_force(work, per_work)
        w, q = np.array(work), np.array(per_work)
        assert kernel.lower_bound(w, q, largest_multiplier(q.tolist(), sum(work))) <= best
        assert kernel.lower_bound(w, q, 0) <= best
        machine = np.zeros(len(work), dtype=np.int64)
        start = kernel.longest_first(w, q, machine)
        assert start == makespan(work, per_work, machine) >= best
        tables = [np.zeros((1, 1), dtype=np.int64), kernel.fillings(w, max(start, best) // min(per_work))]
        trial = np.empty(len(work), dtype=np.int64)
        for table in tables:
            for t in (best, best - 1):
                cursor = kernel.Cursor(trial, np.zeros(2, dtype=np.int64))
                kernel.start_search(cursor, 10**6)
                assert kernel.pack(kernel.Jobs(w, q, table), t, cursor) == (kernel.PACKED if t == best else kernel.NONE)
                assert t != best or makespan(work, per_work, trial) == best


def test_a_stopped_search_goes_on_to_the_same_answer() -> None:
    rng = random.Random("stopped")
    for _ in range(40):
        work, per_work = small(rng)
        w, q = np.array(work), np.array(per_work)
        best = np.zeros(len(work), dtype=np.int64)
        upper = kernel.longest_first(w, q, best)
        cursor = kernel.Cursor(np.empty(len(work), dtype=np.int64), np.zeros(2, dtype=np.int64))
        kernel.start_search(cursor, 0)
        jobs = kernel.Jobs(w, q, np.zeros((1, 1), dtype=np.int64))
        for _ in range(10**5):
            cursor.at[1] = rng.randint(1, 3)
            upper = kernel.improve(jobs, 0, upper, best, cursor)
            if cursor.at[0] < 0:
                break
        assert upper == brute_force(work, per_work) == makespan(work, per_work, best)


def test_the_search_beyond_a_word_reads_nothing_beside_the_jobs() -> None:
    """Lengths times 10**30 are searched by the interpreter, which tells an index too large: the same, scaled."""
    rng, factor, improved = random.Random("beyond"), 10**30, 0
    for _ in range(20):
        work, per_work = small(rng)
        wide, q = np.array([w * factor for w in work], dtype=object), np.array(per_work, dtype=object)
        best = np.zeros(len(work), dtype=np.int64)
        start = plain(kernel.longest_first)(wide, q, best)
        cursor = kernel.Cursor(np.empty(len(work), dtype=np.int64), np.zeros(2, dtype=np.int64))
        kernel.start_search(cursor, 10**6)
        jobs = kernel.Jobs(wide, q, np.zeros((1, 1), dtype=np.int64))
        found = plain(kernel.improve)(jobs, 0, start, best, cursor)
        assert found == factor * brute_force(work, per_work)
        assert makespan([factor * w for w in work], per_work, best) == found
        improved += found < start
    assert improved


def fillable(work: list[int], capacity: int) -> int:
    """Largest sum of jobs that a capacity holds, by trying all sets."""
    return max(s for part in product(*[(0, w) for w in work]) if (s := sum(part)) <= capacity)


def test_filling_against_brute_force(thinning: int) -> None:
    """A filled schedule ends by its bound; the raised bound is the first at which sums do not rule out a schedule."""
    rng, met = random.Random("filling"), 0
    for _ in range(600 // thinning):
        work, per_work = small(rng)
        best, lower = brute_force(work, per_work), rng.randint(0, 10)
        upper = max(best, lower)
        bound = raised(work, per_work, lower, upper)
        enough = [t for t in range(lower, upper) if sum(fillable(work, t // q) for q in per_work) >= sum(work)]
        assert bound == min(enough, default=upper)
        for t in range(max(bound - 2, 0), best + 3):
            for fastest in (True, False):
                machine = fill(work, per_work, t, fastest=fastest)
                assert machine is None or best <= makespan(work, per_work, machine) <= t
        machine = best_fill(work, per_work, bound, best + 1)
        met += machine is not None
        assert machine is None or makespan(work, per_work, machine) == best
    assert met


@pytest.mark.parametrize(
    "speeds", [[1] * 10, [1, 2, 3, 4, 4, 3, 2, 1, 1, 2], [3, 7, 89, 401, 523, 611, 853, 907, 11, 997]]
)
def test_a_hundred_jobs_on_ten_machines_are_filled(speeds: list[int]) -> None:
    """The bound is proved anew: one unit less, in the unit of all ending times, leaves room for too small sums."""
    rng = random.Random(100)
    lengths = [rng.randint(1, 10_000) for _ in range(100)]
    cluster = Cluster.of(speeds)
    answer = smallest_makespan(cluster, lengths, cp_sat=False)
    assert answer.proven
    assert max(answer.allocation.end_times(cluster, lengths)) == answer.upper
    before = answer.lower - Fraction(1, math.lcm(*speeds))
    reachable = np.zeros(sum(lengths) + 1, dtype=bool)
    reachable[0] = True
    for w in lengths:
        reachable[w:] |= reachable[:-w].copy()
    room = sum(int(np.flatnonzero(reachable[: math.floor(before * s) + 1])[-1]) for s in speeds)
    assert room < sum(lengths)


def test_sums_that_no_machine_can_fill_raise_the_bound() -> None:
    """Even lengths but one, and a machine too slow for any but that."""
    lengths, cluster = [2 * w for w in range(20, 60)] + [1], Cluster.of([1000, 999, 3])
    answer = smallest_makespan(cluster, lengths, cp_sat=False, nodes=1)
    assert answer.proved_by == "filling"
    assert answer.lower <= answer.upper == max(answer.allocation.end_times(cluster, lengths))


def test_fillings_are_subset_sums() -> None:
    work = [7, 5, 5, 2]
    table = kernel.fillings(np.array(work), 20)
    for j in range(5):
        sums = {sum(part) for part in product(*[(0, w) for w in work[j:]])}
        assert table[j].tolist() == [max(s for s in sums if s <= r) for r in range(21)]


@pytest.mark.parametrize(
    ("lengths", "powers", "best"),
    [
        ([3, 3, 2, 2, 2], [1, 1], 6),
        ([10**6] * 3, [1, 1], 2 * 10**6),
        ([2, 2, 2], [1, "3/2"], Fraction(8, 3)),
        (["1/2", "1/3"], [2], Fraction(5, 12)),
        ([10**30, 10**30 + 1, 5], [1, 1], 10**30 + 5),
        ([7], [1, 3], Fraction(7, 3)),
        ([], [1, 1], 0),
    ],
)
def test_known_answers(lengths: list[Any], powers: list[Any], best: Any) -> None:
    answer = smallest_makespan(Cluster.of(powers), [Fraction(b) for b in lengths])
    assert answer.lower == answer.upper == best
    assert (answer.proven, answer.complete) == (True, True)
    ends = answer.allocation.end_times(Cluster.of(powers), [Fraction(b) for b in lengths])
    assert max(ends, default=0) == best


HARD = random.Random("hard").sample(range(10**5, 10**6), 24)


def test_cp_sat_finds_the_schedule_and_the_bound() -> None:
    """Longest first and counting only before it, so that it has something to do."""
    instance = Instance(tuple(sorted(HARD, reverse=True)[3:14]), (12, 12, 6))
    best = instance.search(10**6).upper
    assert instance.search(0).lower < best
    assert instance.by_cp_sat(60)
    assert instance.upper == instance.lower == best == instance.makespan(instance.machine)
    assert (instance.method, instance.proved_by) == ("cp-sat", "cp-sat")


def test_time_ends_cp_sat_with_bounds() -> None:
    instance = Instance(tuple(sorted(HARD, reverse=True)), (12, 6, 4)).search(0)
    before = instance.upper
    assert instance.by_cp_sat(0.3) is False
    assert instance.lower < instance.upper <= before
    assert instance.makespan(instance.machine) == instance.upper


def test_ctrl_c_ends_cp_sat_with_bounds() -> None:
    class Stop:
        def __call__(self, done: int, total: int | None, note: str = "") -> None:
            raise KeyboardInterrupt

    answer = smallest_makespan(Cluster.of([1, 2, 3]), HARD, nodes=1, progress=Stop())
    assert answer.lower < answer.upper
    assert (answer.proven, answer.complete) == (False, False)


def test_without_solvers_the_answer_is_a_function_of_the_instance() -> None:
    first, again = (smallest_makespan(Cluster.of([1, 2, 3]), HARD, cp_sat=False, nodes=5_000) for _ in range(2))
    assert first == again
    assert isinstance(first, MakespanAnswer)
    assert not first.proven
    assert first.lower < first.upper


def test_far_too_large_gets_bounds() -> None:
    rng = random.Random("far too large")
    answer = smallest_makespan(Cluster.of([1] * 30), [rng.randint(1, 1000) for _ in range(1000)])
    assert answer.lower <= answer.upper
    assert answer.method == "longest-first"


@pytest.mark.parametrize("bits", [30, 52, 58, 60, 61, 62, 100])
def test_bounds_hold_at_any_size_of_the_numbers(bits: int) -> None:
    """Up to the last bit of int64 and beyond: schedules are as long as they say, bounds below, no error."""
    rng = random.Random(bits)
    lengths = [rng.randrange(2**bits // 40, 2**bits // 20) | 1 for _ in range(30)]
    answer = smallest_makespan(Cluster.of([1] * 7), lengths, time_limit=0.2, nodes=1_000)
    loads = [sum(lengths[j] for j in jobs) for jobs in answer.allocation.lists]
    assert max(loads) == answer.upper >= answer.lower >= max(Fraction(sum(lengths), 7), max(lengths))
    assert answer.proven is (answer.lower == answer.upper)
