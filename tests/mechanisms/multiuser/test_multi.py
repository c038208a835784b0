"""MULTICMAX, MULTISUM and MULTIMIXED: their ratios, their order per machine, and what each user gets alone."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.agents.users import Community
from consortium.mechanisms.multiuser import (
    multicmax,
    multimixed,
    multimixed_ratios,
    multisum,
    nadir,
    zenith,
    zenith_low,
)
from consortium.mechanisms.multiuser.catalogue import LOCALS
from consortium.mechanisms.multiuser.schedule import local_schedule, makespan, spt_sum
from consortium.support.errors import InputError, TooLargeError, UnknownNameError

from . import reference as brute
from .reference import community

M, S = "makespan", "total-completion"

lengths = st.lists(st.integers(1, 9), min_size=1, max_size=5)
users = st.lists(st.tuples(st.sampled_from([M, S]), lengths), min_size=1, max_size=4)


def within(outcome, shared, local) -> None:
    best = zenith(shared)
    for u, ratio in enumerate(multimixed_ratios(shared, local)):
        assert outcome.point[u] <= ratio * best[u]


@given(users, st.integers(1, 3), st.sampled_from(list(LOCALS)))
@settings(max_examples=400, deadline=None, derandomize=True)
def test_everybody_is_within_the_proved_factor_of_her_best(users, machines, local) -> None:
    shared = Community.of(*users, machines=machines)
    plain, improved = multimixed(shared, local), multimixed(shared, local, improve=True)
    within(plain, shared, local)
    within(improved, shared, local)
    for u in shared.completion_users:
        assert improved.point[u] <= plain.point[u]
    if not shared.completion_users:
        assert multicmax(shared, local) == plain.__class__(plain.point, plain.slots, "multicmax")
    if not shared.makespan_users:
        assert multisum(shared).point == plain.point


def test_ratios_are_those_of_the_thesis() -> None:
    mixed = Community.of((M, [4]), (M, [1]), (S, [1]), machines=2)
    assert multimixed_ratios(mixed, "exact") == (3, Fraction(3, 2), 3)
    assert multimixed_ratios(mixed, "lpt") == (3 * Fraction(7, 6), Fraction(3, 2) * Fraction(7, 6), 3)
    assert multimixed_ratios(mixed, "list") == (3 * Fraction(3, 2), Fraction(3, 2) * Fraction(3, 2), 3)
    assert multimixed_ratios(Community.of((M, [4]), (M, [1])), "exact") == (2, 1)
    assert multimixed_ratios(Community.of((S, [4]), (S, [1]))) == (2, 2)


def test_multisum_reaches_its_ratio() -> None:
    """K equal users of one job each: the last one waits for all the others."""
    for k in (2, 3, 4):
        shared = Community.of(*[(S, [1])] * k)
        assert max(multisum(shared).point) == k


def test_ranks_follow_the_makespan_alone_and_then_the_number() -> None:
    shared = Community.of((M, [5]), (M, [2]), (M, [2]))
    assert multicmax(shared).point == (9, 2, 4)


def test_virtual_times_tie_by_user_then_job_and_improvement_lets_sums_go_first() -> None:
    """Alone: 4 for the makespan user, 2 for the other; both virtual times are 4."""
    shared = Community.of((M, [4]), (S, [2]))
    assert multimixed(shared).point == (6, 2) or multimixed(shared).point == (4, 6)
    tied = Community.of((M, [2]), (S, [2]))
    assert multimixed(tied).point == (2, 4)
    assert multimixed(tied, improve=True).point == (4, 2)


def test_improvement_is_worth_having() -> None:
    rng = random.Random(3)
    better = 0
    for _ in range(200):
        shared = Community.of(
            (M, [rng.randint(1, 9) for _ in range(3)]), (S, [rng.randint(1, 9) for _ in range(3)]), machines=2
        )
        better += multimixed(shared, improve=True).point[1] < multimixed(shared).point[1]
    assert better > 50


@given(lengths, st.integers(1, 3))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_values_alone_against_every_assignment(sizes, machines) -> None:
    best = brute.optimal_makespan(tuple(sizes), machines)
    for local, factor in (("exact", 1), ("lpt", Fraction(4, 3)), ("list", 2)):
        plan = local_schedule(sizes, machines, local)
        assert sorted(j for jobs in plan for j in jobs) == list(range(len(sizes)))
        assert best <= makespan(sizes, plan) <= factor * best
    shared = Community.of((M, sizes), machines=machines)
    assert zenith(shared) == (best,)
    assert zenith_low(shared)[0] <= best
    if len(sizes) <= 4:
        kinds = ((S,), (tuple(sizes),), machines)
        assert spt_sum(sizes, machines) == min(x for (x,) in brute.points(*kinds))


def test_exact_local_schedules_beat_longest_first_where_that_is_not_optimal() -> None:
    rng = random.Random(5)
    better = 0
    for _ in range(12):
        sizes = [rng.randint(10, 30) for _ in range(8)]
        best = makespan(sizes, local_schedule(sizes, 3, "exact"))
        assert best == brute.optimal_makespan(tuple(sizes), 3)
        better += best < makespan(sizes, local_schedule(sizes, 3, "lpt"))
    assert better > 0


def test_an_optimum_that_is_not_proved_is_refused() -> None:
    rng = random.Random(1)
    shared = Community.of((M, [rng.randint(10**8, 10**9) for _ in range(60)]), machines=13)
    with pytest.raises(TooLargeError, match="optimal makespan of 60 jobs on 13 machines: not proved within 0 s"):
        zenith(shared, time_limit=0)


@pytest.mark.parametrize("machines", [1, 2])
def test_nadir_bounds_every_pareto_point_and_is_attained_on_one_machine(machines) -> None:
    rng = random.Random(2)
    for _ in range(60):
        kinds = tuple(rng.choice([M, S]) for _ in range(2))
        sizes = tuple(tuple(rng.randint(1, 4) for _ in range(rng.randint(1, 3))) for _ in kinds)
        if sum(map(len, sizes)) > 5:
            continue
        shared, optimal = community(kinds, sizes, machines), brute.pareto(kinds, sizes, machines)
        worst = tuple(max(x[u] for x in optimal) for u in range(2))
        assert all(a <= b for a, b in zip(worst, nadir(shared), strict=True))
        best = tuple(min(x[u] for x in optimal) for u in range(2))
        assert best == zenith(shared)
        if machines == 1:
            assert worst == nadir(shared)


def test_wrong_kinds_and_locals_are_refused() -> None:
    with pytest.raises(InputError, match="multicmax: user 'u2' minimises total completion; use multimixed"):
        multicmax(Community.of((M, [1]), (S, [1])))
    with pytest.raises(InputError, match="multisum: user 'u1' minimises the makespan; use multimixed"):
        multisum(Community.of((M, [1]), (S, [1])))
    with pytest.raises(UnknownNameError, match="local: 'ltp' is not known"):
        multimixed(Community.of((M, [1])), local="ltp")
