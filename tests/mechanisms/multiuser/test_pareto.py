"""Exact Pareto sets against every schedule; grids against the exact set."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.agents.users import Community
from consortium.mechanisms.multiuser import lst, pareto_front, pareto_grid, pareto_set
from consortium.mechanisms.multiuser.pareto import n_points
from consortium.mechanisms.multiuser.protocol import answer, kept
from consortium.mechanisms.multiuser.schedule import zenith_low
from consortium.scheduling.metrics import non_dominated
from consortium.support.errors import InputError, TooLargeError

from . import reference as brute
from .reference import community

M, S = "makespan", "total-completion"


def instances(rng, count, kinds_of, most_jobs, largest=3):
    while count:
        kinds = kinds_of()
        sizes = tuple(tuple(rng.randint(1, largest) for _ in range(rng.randint(1, 3))) for _ in kinds)
        if sum(map(len, sizes)) <= most_jobs:
            count -= 1
            yield kinds, sizes


def check_schedules(front, shared) -> None:
    for point in front.points:
        outcome = front.outcome(point)
        assert outcome.point == point
        assert sorted((s.user, s.job) for s in outcome.slots) == [
            (u, j) for u, n in enumerate(shared.n_jobs) for j in range(n)
        ]


def test_closed_form_equals_every_schedule() -> None:
    rng = random.Random(1)
    kinds = [(M,), (M, M), (M, S), (S, M), (M, M, S), (S,), (M, M, M), (M, S, M)]
    for goals, sizes in instances(rng, 150, lambda: rng.choice(kinds), 6):
        shared = community(goals, sizes)
        front = pareto_front(shared)
        assert front.method == "closed-form"
        assert set(front.points) == brute.pareto(goals, sizes)
        assert len(front.points) == n_points(shared)
        check_schedules(front, shared)


@given(st.integers(1, 5).flatmap(lambda k: st.lists(st.tuples(*[st.integers(0, 4)] * k), max_size=40)))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_non_dominated_points_by_definition(points) -> None:
    wanted = {x for x in points if not any(y != x and all(b <= a for a, b in zip(x, y, strict=True)) for y in points)}
    assert non_dominated(points) == tuple(sorted(wanted))
    large = [tuple(v * 10**30 for v in x) for x in points]
    assert non_dominated(large) == tuple(tuple(v * 10**30 for v in x) for x in sorted(wanted))


def test_number_of_points_and_the_conservation_law() -> None:
    """(n + 1)...(n + k'') points, k''! without the other user; sum of W C + sum of p C is the same for all."""
    shared = Community.of((M, [2, 3]), (M, [4]), (S, [1, 5, 5]))
    front = pareto_front(shared)
    assert len(front.points) == n_points(shared) == 4 * 5
    sums = set()
    for point in front.points:
        slots = front.outcome(point).slots
        weighted = sum(shared.sizes[2][s.job] * s.end for s in slots if s.user == 2)
        sums.add(5 * point[0] + 4 * point[1] + weighted)
    assert len(sums) == 1
    assert len(pareto_set(Community.of((M, [1]), (M, [1]), (M, [1]), (M, [7])))) == 24


def test_lst_at_the_values_of_a_pareto_point_returns_it() -> None:
    shared = Community.of((M, [2, 3]), (S, [1, 5, 5, 2]), (M, [4]))
    for point in pareto_set(shared):
        assert lst(shared, [point[0], None, point[2]]).point == point


@pytest.mark.parametrize(("machines", "most_jobs", "count"), [(1, 6, 60), (2, 5, 60), (3, 4, 30)])
def test_enumeration_equals_every_schedule(machines, most_jobs, count) -> None:
    rng = random.Random(machines)
    pool = [(S, S), (S, S, M), (M, S, S)] if machines == 1 else [(M, M), (M, S), (S, S), (M,), (M, M, S)]
    for goals, sizes in instances(rng, count, lambda: rng.choice(pool), most_jobs):
        shared = community(goals, sizes, machines)
        front = pareto_front(shared)
        assert front.method == "enumeration"
        assert set(front.points) == brute.pareto(goals, sizes, machines)
        check_schedules(front, shared)


def test_more_machines_than_jobs() -> None:
    assert pareto_set(Community.of((M, [2]), (S, [1]), machines=5)) == ((2, 1),)


def test_large_sets_are_refused_with_their_size() -> None:
    with pytest.raises(TooLargeError, match=r"the Pareto set has 1,030,200 points; the limit is 1,000,000"):
        pareto_set(Community.of((M, [1]), (M, [1]), (M, [1]), (S, [1] * 99)))
    with pytest.raises(
        TooLargeError, match=r"needs [0-9,]+ splits of the jobs; the limit is 400,000; .* multimixed gives"
    ):
        pareto_set(Community.of((M, list(range(1, 12))), (S, [5, 6]), machines=2))
    with pytest.raises(TooLargeError, match=r"needs 68,921 partial schedules; the limit is 20,000"):
        pareto_set(Community.of((S, [1] * 40), (S, [2] * 40), (S, [3] * 40)))


def test_a_schedule_is_given_for_points_of_the_set_only() -> None:
    with pytest.raises(InputError, match=r"point \(9, 9\) is not one of the 3 points of the set"):
        pareto_front(Community.of((M, [2]), (S, [1, 1]))).outcome((9, 9))


def covered(optimal, answers, ratios):
    return all(
        any(all(y <= r * x for x, y, r in zip(point, answer, ratios, strict=True)) for answer in answers)
        for point in optimal
    )


@given(
    st.lists(st.lists(st.integers(1, 6), min_size=1, max_size=2), min_size=1, max_size=3),
    st.lists(st.integers(1, 6), min_size=0, max_size=4),
    st.sampled_from([Fraction(1, 3), Fraction(1), Fraction(2)]),
)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_grid_is_within_its_ratios_on_one_machine(blocks, jobs, epsilon) -> None:
    shared = Community.of(*[(M, block) for block in blocks], *([(S, jobs)] if jobs else []))
    grid = pareto_grid(shared, epsilon)
    optimal = set(pareto_set(shared))
    assert set(grid.points) <= optimal
    assert grid.ratios == (1 + epsilon,) * len(blocks) + ((Fraction(1),) if jobs else ())
    assert covered(optimal, grid.points, grid.ratios)
    for point in grid.points:
        assert grid.outcome(point).point == point


def test_grid_on_several_machines_is_within_its_ratio() -> None:
    for sizes in product(((1,), (2, 2), (1, 3)), ((2,), (1, 1), (3, 1))):
        shared = community((M, M), sizes, 2)
        grid = pareto_grid(shared, 1)
        assert grid.ratios == (3, 3)
        assert covered(brute.pareto((M, M), sizes, 2), grid.points, grid.ratios)


def test_grid_refusals() -> None:
    shared = Community.of((M, [2]), (S, [1, 1]))
    with pytest.raises(InputError, match="epsilon: found 0; expected more than 0"):
        pareto_grid(shared, 0)
    with pytest.raises(InputError, match=r"2 total-completion user\(s\) on 1 machine\(s\)"):
        pareto_grid(Community.of((M, [2]), (S, [1]), (S, [1])), 1)
    with pytest.raises(TooLargeError, match=r"an axis of the grid has about 6.93e\+05 steps; the limit is 5000"):
        pareto_grid(shared, "1/1000000")
    wide = Community.of(*[(M, [10**6 + i]) for i in range(6)], (S, [1]))
    with pytest.raises(TooLargeError, match=r"the grid has \d+ corners; the limit is 2000000"):
        pareto_grid(wide, "1/10")


def test_grid_can_be_interrupted() -> None:
    def stop(done, total, note="") -> None:
        raise KeyboardInterrupt

    shared = Community.of(*[(M, [10**4 + i]) for i in range(4)], (S, [1]))
    grid = pareto_grid(shared, "1/10", progress=stop)
    assert not grid.complete
    assert grid.ratios is None
    assert grid.points


def test_points_are_listed_in_increasing_order() -> None:
    for shared in (Community.of((M, [2, 1]), (S, [1, 3])), Community.of((M, [2]), (M, [1, 1]), (S, [3]), machines=2)):
        points = pareto_set(shared)
        assert len(points) > 1
        assert list(points) == sorted(points)


def test_lower_bounds_count_the_longest_job_and_the_share_of_every_machine() -> None:
    assert zenith_low(Community.of((M, [5, 1]), (M, [2, 2, 2]), (S, [2, 1]), machines=2)) == (5, 3, 3)


def test_a_promise_below_what_is_possible_needs_no_search() -> None:
    """Fifty users have too many Pareto-optimal points to list."""
    shared = Community.of(*((M, [7, 5, 3]) for _ in range(50)), (S, [2, 1]), machines=2)
    assert kept(shared, (6,) * 50 + (10**6,)) is None


def test_a_promise_that_nobody_can_judge_stays_a_promise() -> None:
    """Everybody gets the lower bound: no schedule is known that keeps it, and none is proved impossible."""
    shared = Community.of(*((M, [7, 5, 3]) for _ in range(50)), (S, [2, 1]), machines=2)

    class Promise:
        def point(self, community: Community) -> tuple[int, ...]:
            return zenith_low(community)

    outcome = answer(Promise(), shared)
    assert (outcome.point, outcome.slots, outcome.complete) == (zenith_low(shared), (), False)
