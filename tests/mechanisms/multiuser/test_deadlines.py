"""EDF and LST against every schedule, on every threshold vector of many small communities."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import accumulate, combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.agents.users import Community
from consortium.mechanisms.multiuser import LstKernel, edf, lst, lst_printed
from consortium.support.errors import InputError, UnknownNameError
from consortium.support.exact import INT64_MAX

from . import reference as brute
from .reference import community

M, S = "makespan", "total-completion"


def lst_instances():
    """One and two blocks (one of them of two jobs), up to three jobs of the other user, the users in any position."""
    jobs = [js for n in (1, 2, 3) for js in combinations_with_replacement((1, 2, 3), n)]
    for block, js in product(((1,), (2,), (1, 2), (4,)), jobs):
        yield (M, S), (block, js)
    for first, second, js in product(((1,), (2,), (3,)), ((1,), (2,), (1, 2)), jobs):
        yield (M, M, S), (first, second, js)
        if len(js) < 3:
            yield (M, S, M), (first, js, second)
    for js in jobs[:9]:
        yield (S, M, M, M), (js, (1,), (2,), (1,))


def best_totals(points, blocks, owner, grid):
    """Smallest total for every threshold vector of a grid, -1 where none can be met: running minima over a table."""
    table = np.full((grid + 1,) * len(blocks), np.iinfo(np.int64).max)
    for point in points:
        cell = tuple(point[u] for u in blocks)
        table[cell] = min(table[cell], point[owner])
    for axis in range(len(blocks)):
        table = np.minimum.accumulate(table, axis=axis)
    return np.where(table == np.iinfo(np.int64).max, -1, table)


def test_lst_is_exact_on_every_threshold_vector(thinning) -> None:
    """Feasibility, smallest total and Pareto-optimality; in full at least 20,000 (community, thresholds) cases."""
    cases = 0
    for kinds, sizes in list(lst_instances())[::thinning]:
        shared = community(kinds, sizes)
        owner, blocks = kinds.index(S), [u for u, kind in enumerate(kinds) if kind == M]
        wanted = best_totals(brute.points(kinds, sizes), blocks, owner, shared.work)
        due = np.array(list(product(range(shared.work + 1), repeat=len(blocks))), np.int64)
        feasible, ends, sums = LstKernel(shared).solve(due)
        assert np.array_equal(sums, wanted[tuple(due.T)])
        assert np.array_equal(feasible, sums >= 0)
        assert (ends[feasible] <= due[feasible]).all()
        optimal = brute.pareto(kinds, sizes)
        reached = np.insert(ends, owner, sums, axis=1)[feasible]
        assert set(map(tuple, np.unique(reached, axis=0).tolist())) <= optimal
        cases += len(due)
    assert cases >= 20_000 // thinning


def test_single_calls_schedules_and_the_compiled_kernel_agree(thinning: int) -> None:
    rng = random.Random(1)
    instances = list(lst_instances())
    for _ in range(400 // thinning):
        kinds, sizes = rng.choice(instances)
        shared = community(kinds, sizes)
        limits = [None if kind == S else rng.choice([None, *range(shared.work + 2)]) for kind in kinds]
        ties = rng.choice(["index", "work"])
        outcome = lst(shared, limits, ties)
        due = [INT64_MAX if limits[u] is None else limits[u] for u in shared.makespan_users]
        feasible, ends, sums = LstKernel(shared, ties).solve(np.array([due]))
        assert (outcome.point is not None) == feasible[0]
        assert (outcome.point is not None) == any(brute.meets(x, limits) for x in brute.points(kinds, sizes))
        if outcome.point is not None:
            assert outcome.point == tuple(np.insert(ends[0], kinds.index(S), sums[0]).tolist())
            assert_schedule(shared, outcome)


def assert_schedule(shared, outcome) -> None:
    """Every job once, no overlap, no idle time, and the point is that of the slots."""
    assert sorted((s.user, s.job) for s in outcome.slots) == [
        (u, j) for u, n in enumerate(shared.n_jobs) for j in range(n)
    ]
    for machine in range(shared.machines):
        here = sorted((s.start, s.end) for s in outcome.slots if s.machine == machine)
        assert [a for a, _ in here] == [0, *(b for _, b in here)][: len(here)]
    assert all(s.end - s.start == shared.sizes[s.user][s.job] for s in outcome.slots)
    for u, user in enumerate(shared.users):
        ends = [s.end for s in outcome.slots if s.user == u]
        assert outcome.point[u] == (max(ends) if user.objective == M else sum(ends))


def printed_by_slots(blocks, jobs, due):
    """The wording: blocks at their latest slots by non-increasing threshold, jobs first fit, then compaction."""
    work = sum(blocks) + sum(jobs)
    slots, earliest = [], work
    for b in sorted(range(len(blocks)), key=lambda b: (due[b], b), reverse=True):
        earliest = min(earliest, due[b]) - blocks[b]
        slots.append((earliest, earliest + blocks[b], b))
    if earliest < 0:
        return None
    for p in sorted(jobs):
        gaps = [0, *(end for _, end, _ in sorted(slots))]
        for begin in gaps:
            if all(begin + p <= a or begin >= z for a, z, _ in slots):
                slots.append((begin, begin + p, None))
                break
    time, total, ends = 0, 0, [0] * len(blocks)
    for a, z, b in sorted(slots):
        time += z - a
        if b is None:
            total += time
        else:
            ends[b] = time
    return ends, total


def test_printed_lst_is_the_wording_step_by_step(thinning: int) -> None:
    rng = random.Random(7)
    for _ in range(300 // thinning):
        blocks = [rng.randint(1, 6) for _ in range(rng.randint(1, 4))]
        jobs = [rng.randint(1, 6) for _ in range(rng.randint(1, 5))]
        shared = community((M,) * len(blocks) + (S,), (*[(b,) for b in blocks], tuple(jobs)))
        kernel = LstKernel(shared, pooled=False)
        due = [rng.randint(1, shared.work + 3) for _ in blocks]
        wanted = printed_by_slots(blocks, jobs, due)
        feasible, ends, sums = kernel.solve(np.array([due]))
        assert bool(feasible[0]) == (wanted is not None)
        if wanted is not None:
            assert (ends[0].tolist(), int(sums[0])) == wanted
        halves = [Fraction(d, 2) for d in due]
        point, wanted = lst_printed(shared, [*halves, None]).point, printed_by_slots(blocks, jobs, halves)
        assert point == (None if wanted is None else (*wanted[0], wanted[1]))


def test_printed_lst_is_feasible_whenever_lst_is_but_not_always_optimal(thinning) -> None:
    """Right with one block, worse somewhere with two; Pareto-optimal all the same, as any such interleaving is."""
    worse = {1: 0, 2: 0}
    for kinds, sizes in list(lst_instances())[::thinning]:
        blocks = [u for u, kind in enumerate(kinds) if kind == M]
        if len(blocks) > 2 or len(sizes[-1]) > 2:
            continue
        shared = community(kinds, sizes)
        for limits in product(range(1, shared.work + 1), repeat=len(blocks)):
            thresholds = [None] * len(kinds)
            for u, d in zip(blocks, limits, strict=True):
                thresholds[u] = d
            printed, right = lst_printed(shared, thresholds).point, lst(shared, thresholds).point
            assert (printed is None) == (right is None)
            if right is not None:
                owner = kinds.index(S)
                assert printed[owner] >= right[owner]
                assert printed in brute.pareto(kinds, sizes)
                worse[len(blocks)] += printed[owner] > right[owner]
    assert worse[1] == 0
    assert worse[2] > 0


def test_fractional_thresholds_act_as_floors_for_lst_only() -> None:
    """Unit blocks due 3/2 and 3, one unit job: the printed wording leaves a gap of 1/2 and answers 3."""
    shared = community((M, M, S), ((1,), (1,), (1,)))
    assert lst(shared, ["3/2", 3, None]).point[2] == 2
    assert lst(shared, [1, 3, None]).point[2] == 2
    assert lst_printed(shared, ["3/2", 3, None]).point[2] == 3
    assert lst_printed(shared, [1, 3, None]).point[2] == 2


def test_equal_thresholds_go_by_number_or_by_work() -> None:
    shared = community((M, M, S), ((3,), (1,), (1,)))
    assert lst(shared, [None, None, None]).point == (4, 5, 1)
    assert lst(shared, [None, None, None], ties="work").point == (5, 2, 1)
    assert edf(community((M, M), ((3,), (1,))), [4, 4]).point == (3, 4)
    assert edf(community((M, M), ((3,), (1,))), [4, 4], ties="work").point == (4, 1)
    with pytest.raises(UnknownNameError, match="ties: 'size' is not known"):
        edf(community((M,), ((3,),)), [4], ties="size")


def test_thresholds_beyond_the_work_keep_their_order() -> None:
    shared = community((M, M, S), ((3,), (1,), (1,)))
    assert lst(shared, [100, 99, None]).point == (5, 2, 1)
    assert lst(shared, [99, 100, None]).point == (4, 5, 1)


def test_edf_is_exact_on_one_machine() -> None:
    cases = 0
    for sizes in product(((1,), (2,), (1, 2), (3,)), repeat=3):
        kinds = (M, M, M)
        shared, optimal = community(kinds, sizes), brute.pareto(kinds, sizes)
        for limits in product(range(1, shared.work + 2, 2), repeat=3):
            point = edf(shared, limits).point
            assert (point is not None) == any(brute.meets(x, limits) for x in optimal)
            if point is not None:
                assert point in optimal
                assert brute.meets(point, limits)
            cases += 1
    assert cases > 4_000


@pytest.mark.parametrize("machines", [2, 3])
def test_list_edf_stays_within_its_ratio_and_never_gives_up_wrongly(machines) -> None:
    cases = rejected = 0
    for sizes in product(((1,), (2,), (1, 2), (2, 2)), ((1,), (3,), (1, 1), (2, 1))):
        kinds = (M, M)
        shared, every = community(kinds, sizes, machines), brute.points(kinds, sizes, machines)
        for limits in product(range(1, shared.work + 1), repeat=2):
            outcome = edf(shared, limits)
            possible = any(brute.meets(x, limits) for x in every)
            if outcome.point is None:
                rejected += 1
                assert not possible
            elif possible:
                assert all(machines * c <= (2 * machines - 1) * d for c, d in zip(outcome.point, limits, strict=True))
            if outcome.point is not None:
                assert_schedule(shared, outcome)
            cases += 1
    assert cases > 300
    assert rejected > 50


@pytest.mark.parametrize(
    ("kinds", "machines", "limits", "message"),
    [
        ((M, S, S), 1, [3, None, None], "users 'u2', 'u3' minimise total completion"),
        ((M, S), 2, [3, None], "machines = 2; deadlines beside a total-completion user are solved on one machine only"),
        ((M, M), 1, [3, 3], "nobody minimises total completion; use edf"),
        ((S,), 1, [None], "nobody minimises the makespan, so there is nothing to bound; use multisum"),
        ((M, S), 1, [3, 5], r"thresholds\[2\] = 5, but user 'u2' minimises total completion"),
    ],
)
def test_lst_refuses_what_it_cannot_solve(kinds, machines, limits, message) -> None:
    shared = community(kinds, ((1,),) * len(kinds), machines)
    for rule in (lst, lst_printed):
        with pytest.raises(InputError, match=message):
            rule(shared, limits)


def test_edf_refuses_total_completion_users() -> None:
    with pytest.raises(InputError, match="edf: user 'u2' minimises total completion"):
        edf(community((M, S), ((1,), (1,))), [1, None])


def test_rational_lengths_are_answered_in_units() -> None:
    shared = community((M, S), (("1/2",), ("1/3", "1/3")))
    outcome = lst(shared, ["5/6", None])
    assert outcome.point == (5, 9)
    assert [shared.in_time(x) for x in outcome.point] == [Fraction(5, 6), Fraction(3, 2)]


@given(
    st.lists(st.integers(1, 10**12), min_size=1, max_size=4),
    st.lists(st.integers(1, 10**12), min_size=1, max_size=6),
    st.data(),
)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_lengths_beyond_int64_are_answered_by_the_same_algorithm(blocks, jobs, data) -> None:
    """Multiplying every length and threshold by 10^24 multiplies the answer; the kernel must notice that it cannot."""
    small = Community.of(*[(M, [b]) for b in blocks], (S, jobs))
    limits = data.draw(st.lists(st.integers(0, small.work), min_size=len(blocks), max_size=len(blocks)))
    factor = 10**24
    large = Community.of(*[(M, [b * factor]) for b in blocks], (S, [p * factor for p in jobs]))
    kernel = LstKernel(large)
    assert not kernel.fits
    one = LstKernel(small).solve(np.array([limits]))
    many = kernel.solve(np.array([[d * factor for d in limits]], object))
    assert bool(one[0][0]) == bool(many[0][0])
    if one[0][0]:
        assert [int(x) * factor for x in one[1][0]] == list(many[1][0])
        assert int(one[2][0]) * factor == many[2][0]


@given(
    st.sampled_from([2**31, 2**32, 2**60, 2**61, 2**62, 2**63]),
    st.integers(-3, 3),
    st.lists(st.integers(1, 3), min_size=1, max_size=7),
    st.booleans(),
)
@settings(max_examples=80, deadline=None, derandomize=True)
def test_totals_at_the_edge_of_a_word(edge, nudge, jobs, divided) -> None:
    """Everybody waits for one block: the total is as many times its length as there are jobs, which must not wrap.

    Around a power of two, and around the largest block with which the total of all jobs is still within int64.
    """
    block = (INT64_MAX // (len(jobs) + 1) if divided else edge) + nudge - sum(jobs)
    kernel = LstKernel(Community.of((M, [block]), (S, jobs)))
    assert kernel.fits == ((len(jobs) + 1) * (block + sum(jobs)) <= INT64_MAX)
    feasible, ends, sums = kernel.solve(np.array([[block]], object))
    assert (feasible.tolist(), ends.tolist()) == ([True], [[block]])
    assert sums.tolist() == [len(jobs) * block + sum(accumulate(sorted(jobs)))]
