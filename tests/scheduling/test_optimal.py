"""Optimal schedules against full enumeration, ties included."""

from __future__ import annotations

import random
import signal
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any, ClassVar

import pytest

from consortium.mechanisms.declaration import build
from consortium.scheduling import heuristics
from consortium.scheduling.allocations import Allocation, n_allocations
from consortium.scheduling.clusters import Cluster, integer_lengths
from consortium.scheduling.goals import (
    ExpressionGoal,
    LexicalMax,
    Makespan,
    SquaredDeviation,
    SumOfTimes,
    WeightedMakespan,
    WeightedSum,
)
from consortium.scheduling.heuristics import good_allocation, upper_bound
from consortium.scheduling.optimal import integer_costs, optimal_allocation, reach
from consortium.scheduling.sums import largest_multiplier, optimal_sum, smallest_multipliers, sum_allocation
from consortium.scheduling.welfare import Goal
from consortium.support.errors import InputError, TooLargeError, UnknownNameError

POWERS = [Fraction(1), Fraction(2), Fraction(3, 2), Fraction(3), Fraction(1, 2)]


def every_schedule(b: Sequence[Any], c: Sequence[Any]) -> list[tuple[list[Fraction], list[tuple[int, int]]]]:
    """Ending times and places of all schedules: a machine per job, and an order on each machine."""
    found = []
    for machine_of in product(range(len(c)), repeat=len(b)):
        groups = [[j for j in range(len(b)) if machine_of[j] == m] for m in range(len(c))]
        for orders in product(*map(permutations, groups)):
            ends, places = [Fraction(0)] * len(b), [(0, 0)] * len(b)
            for m, order in enumerate(orders):
                for position, j in enumerate(order):
                    ends[j] = sum((Fraction(b[k]) for k in order[: position + 1]), Fraction(0)) / c[m]
                    places[j] = (m, position)
            found.append((ends, places))
    return found


def reference(b: Sequence[Any], c: Sequence[Any], goal: Goal, ties: str) -> list[tuple[int, int]]:
    """Best value, then (ties sum) smallest sum, then smallest places."""
    schedules = every_schedule(b, c)
    best = max(goal.value(ends) for ends, _ in schedules)  # type: ignore[type-var]
    optimal = [(ends, places) for ends, places in schedules if goal.value(ends) == best]
    if ties == "sum":
        least = min(sum(ends) for ends, _ in optimal)
        optimal = [(ends, places) for ends, places in optimal if sum(ends) == least]
    return min(places for _, places in optimal)


def instance(rng: random.Random, most_jobs: int = 5) -> tuple[list[int], list[Fraction]]:
    """Small numbers, so that lengths and multipliers tie often."""
    n, machines = rng.randint(1, most_jobs), rng.randint(1, 3)
    top = rng.choice([1, 2, 3, 6])
    return [rng.randint(1, top) for _ in range(n)], [rng.choice(POWERS[: rng.randint(1, 5)]) for _ in range(machines)]


class LatestTwice(Goal):
    """A user's goal: symmetric, non-increasing, unknown to the package."""

    id: ClassVar[str] = "latest-twice"
    regular: ClassVar[bool | None] = True
    symmetric: ClassVar[bool] = True
    non_increasing: ClassVar[bool | None] = True

    def value(self, times: Sequence[Any]) -> Any:
        return -sum(times) - max(times, default=0)


def goals(rng: random.Random, n: int) -> list[Goal]:
    weights = tuple(Fraction(rng.randint(0, 3), rng.randint(1, 2)) for _ in range(n))
    names = tuple(f"a{i}" for i in range(n))
    terms = [f"{rng.randint(0, 3)}*{name}**{rng.randint(1, 2)}" for name in names]
    return [
        SumOfTimes(),
        Makespan(),
        Makespan(2),
        Makespan(n),
        LexicalMax(),
        WeightedSum(weights),
        WeightedSum((Fraction(2),) * n),
        WeightedMakespan(weights),
        SquaredDeviation(Fraction(rng.randint(0, 12), rng.randint(1, 3))),
        ExpressionGoal(f"-({' + '.join(terms)}) + min({', '.join(names)})", names),
        ExpressionGoal(
            "1 - 2*(" + " + ".join(f"{w}*{name}" for w, name in zip(weights, names, strict=True)) + ")", names
        ),
        LatestTwice(),
    ]


@pytest.mark.parametrize(("rounds", "jobs"), [(4, 4), pytest.param(60, 5, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("ties", ["sum", "listed"])
def test_the_optimum_is_the_tie_broken_one(ties: Any, rounds: int, jobs: int) -> None:
    rng = random.Random(f"optimal {ties}")
    for _ in range(rounds):
        b, c = instance(rng, jobs)
        for goal in goals(rng, len(b)):
            found = optimal_allocation(Cluster.of(c), b, goal, ties)
            assert list(found.allocation.places) == reference(b, c, goal, ties), (b, c, goal)
            assert found.proven
            assert found.lower == found.value == found.upper
            assert found.value == goal.value(found.allocation.end_times(Cluster.of(c), b))


def test_integers_beyond_64_bits_give_the_same_answers() -> None:
    """The same instances with lengths times a huge number: the kernels' functions on Python integers."""
    rng = random.Random("long integers")
    for _ in range(15):
        b, c = instance(rng, 4)
        long = [10**30 * length for length in b]
        for goal in (Makespan(), Makespan(2), LexicalMax(), WeightedSum(tuple(range(1, len(b) + 1)))):
            costs = integer_costs(Cluster.of(c), [Fraction(length) for length in long], goal)
            assert costs is None or not costs.fits
            small = optimal_allocation(Cluster.of(c), b, goal)
            large = optimal_allocation(Cluster.of(c), long, goal)
            assert large.allocation == small.allocation
    target = SquaredDeviation(10**30 * Fraction(5, 3))
    assert (
        optimal_allocation(Cluster.of([1, 2]), [10**30, 2 * 10**30], target).allocation
        == optimal_allocation(Cluster.of([1, 2]), [1, 2], SquaredDeviation(Fraction(5, 3))).allocation
    )


def test_sums_under_all_kinds_of_ties(thinning: int) -> None:
    """Equal lengths, equal multipliers (1/1 = 2/2), and machines that may go without a job at the last multiplier."""
    rng = random.Random("sums")
    for _ in range(150 // thinning):
        b, c = instance(rng)
        if n_allocations(len(b), len(c)) > 1000:
            continue
        schedules = every_schedule(b, c)
        least = min(sum(ends) for ends, _ in schedules)
        assert optimal_sum(Cluster.of(c), b) == least
        expected = min(places for ends, places in schedules if sum(ends) == least)
        assert list(sum_allocation(Cluster.of(c), b).places) == expected


@pytest.mark.parametrize(
    ("b", "c", "places"),
    [
        # 1/1 = 2/2: either machine may take the second smallest multiplier; the first job asks for machine 1
        ([1, 1], [1, 2], ((0, 0), (1, 0))),
        # two equal jobs first: the last multiplier goes where it keeps both on machine 1
        ([1, 2, 1], [1, 1], ((0, 0), (0, 1), (1, 0))),
        # whether job 1 stands at the last multiplier of machine 1 or one before stays open until job 2 asks
        ([1, 5, 4, 3, 1], [1, 1], ((0, 0), (0, 1), (1, 2), (1, 1), (1, 0))),
        ([1, 1, 5, 4, 3], [1, 1], ((0, 0), (0, 1), (0, 2), (1, 1), (1, 0))),
    ],
)
def test_places_of_the_sum(b: list[int], c: list[int], places: tuple[tuple[int, int], ...]) -> None:
    assert sum_allocation(Cluster.of(c), b).places == places == tuple(reference(b, c, SumOfTimes(), "listed"))


def test_sum_of_a_large_instance_is_attained() -> None:
    rng = random.Random("large")
    related = [rng.randint(1, 9) for _ in range(9)]
    for powers in ([1] * 9, related, [Fraction(c, 7) for c in related]):
        b = [rng.randint(1, 50) for _ in range(217)]
        cluster = Cluster.of(powers)
        allocation = sum_allocation(cluster, b)
        assert sum(allocation.end_times(cluster, b)) == optimal_sum(cluster, b)
        slots = sorted(int(2520 * i / c) for c in cluster.powers for i in range(1, len(b) + 1))  # all integers
        best = sum(v * x for v, x in zip(slots, sorted(b, reverse=True), strict=False))
        assert optimal_sum(cluster, b) == Fraction(best, 2520)


def test_whole_numbers_are_allocated_as_fractions_are(thinning: int) -> None:
    rng = random.Random("kinds of numbers")
    for _ in range(1_000 // thinning):
        cluster = Cluster.of([Fraction(rng.randint(1, 5), rng.randint(1, 3)) for _ in range(rng.randint(1, 4))])
        whole = [rng.choice([1, 2, 3, 10**18, 2**70]) for _ in range(rng.randint(1, 9))]
        found = optimal_allocation(cluster, whole, SumOfTimes())
        assert found == optimal_allocation(cluster, [Fraction(b) for b in whole], SumOfTimes())
        assert found.value == -optimal_sum(cluster, whole)
    for wrong in (0, -1):
        with pytest.raises(InputError, match=rf"lengths\[2\]: found {wrong}"):
            optimal_allocation(Cluster.of([1]), [1, wrong], SumOfTimes())


def test_multipliers() -> None:
    rng = random.Random("multipliers")
    for _ in range(200):
        q, n = [rng.randint(1, 9) for _ in range(rng.randint(1, 5))], rng.randint(1, 30)
        plain = sorted(i * x for x in q for i in range(1, n + 1))[:n]
        assert smallest_multipliers(q, n) == plain
        assert largest_multiplier(q, n) == plain[-1]
    assert smallest_multipliers([3, 5], 3000) == sorted([*range(3, 9001, 3), *range(5, 15001, 5)])[:3000]


def test_nobody() -> None:
    for goal in (SumOfTimes(), Makespan(), LexicalMax(), SquaredDeviation(2), WeightedSum(())):
        assert optimal_allocation(Cluster.of([1, 1]), [], goal).allocation.lists == ((), ())


@pytest.mark.parametrize(
    ("n", "m", "goal", "message"),
    [
        (
            19,
            2,
            Makespan(),
            "19 jobs on 2 machines takes 1,162,261,467 steps by subsets; the exact answer is limited to",
        ),
        (17, 3, LexicalMax(), "by subsets; the exact answer is limited to 300,000,000 steps and 16 jobs"),
        (30, 3, Makespan(2), "205,891,132,094,649 steps by partitions"),
        (
            9,
            3,
            ExpressionGoal("-a*b", tuple("abcdefghi")),
            "19,958,400 steps by enumeration; the exact answer is limited",
        ),
        (10**5, 3, Makespan(), "more than 10\\*\\*15 steps by subsets"),
    ],
)
def test_out_of_reach_is_said_before_any_work(n: int, m: int, goal: Goal, message: str) -> None:
    assert not reach(n, m, goal).within
    with pytest.raises(TooLargeError, match=message):
        optimal_allocation(Cluster.of([1] * m), range(1, n + 1), goal)


def test_long_integers_have_smaller_limits() -> None:
    assert reach(14, 3, Makespan()).within
    assert not reach(14, 3, Makespan(), int64=False).within
    with pytest.raises(TooLargeError, match="14 jobs"):
        optimal_allocation(Cluster.of([1, 1, 1]), [10**30] * 14, Makespan())


@pytest.mark.parametrize(
    "goal",
    [
        Makespan(),
        Makespan(3),
        LexicalMax(),
        WeightedSum(tuple(range(1, 21))),
        WeightedMakespan(tuple(range(1, 21))),
        SquaredDeviation(9),
        ExpressionGoal("-(a0 + a19)", tuple(f"a{i}" for i in range(20))),
        ExpressionGoal("-a0*a19", tuple(f"a{i}" for i in range(20))),
    ],
)
def test_heuristic_schedules_have_bounds_and_are_functions_of_the_instance(
    monkeypatch: pytest.MonkeyPatch, goal: Goal
) -> None:
    monkeypatch.setattr(heuristics, "TRIALS", 10_000)
    rng = random.Random("heuristic")
    b, cluster = [rng.randint(1, 30) for _ in range(20)], Cluster.of([1, 2, 2])
    found = optimal_allocation(cluster, b, goal, heuristic=True)
    assert found.method == "heuristic"
    assert not found.proven
    assert found.value == found.lower <= found.upper  # type: ignore[operator]
    assert found.value == goal.value(found.allocation.end_times(cluster, b))
    assert optimal_allocation(cluster, b, goal, heuristic=True) == found


def test_heuristic_against_the_optimum(thinning: int) -> None:
    rng = random.Random("heuristic against optimum")
    for _ in range(12 // thinning):
        b, c = instance(rng, 4)
        for goal in goals(rng, len(b)):
            exact = [Fraction(x) for x in b]
            best = optimal_allocation(Cluster.of(c), b, goal).value
            allocation, upper = good_allocation(Cluster.of(c), exact, goal)
            assert goal.value(allocation.end_times(Cluster.of(c), b)) <= best <= upper  # type: ignore[operator]
            assert upper == upper_bound(Cluster.of(c), exact, goal)


def test_the_heuristic_stops_after_so_many_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    """The job at hand is tried everywhere, the next one no more."""
    cluster, exact, tried = Cluster.of([1, 1]), [Fraction(x) for x in (5, 4, 3, 3)], []

    class Counted(LatestTwice):
        def value(self, times: Sequence[Any]) -> Any:
            tried.append(times)
            return super().value(times)

    counts = []
    for trials in (0, 1, 7, 10**6):
        monkeypatch.setattr(heuristics, "TRIALS", trials * len(exact))
        tried.clear()
        good_allocation(cluster, exact, Counted())
        counts.append(len(tried))
    none, one, seven, all_ = counts
    per_job = 4 + 3  # places other than its own, and exchanges of the first job with a later one
    assert (one - none, seven - none) == (per_job, per_job)
    assert all_ > seven


@pytest.mark.parametrize("goal", [ExpressionGoal("-a*b", ("a", "b", "c")), ExpressionGoal("a - b", ("a", "b", "c"))])
def test_no_rule_takes_the_best_so_far_for_the_optimum(monkeypatch: pytest.MonkeyPatch, goal: ExpressionGoal) -> None:
    """Ctrl-C at any schedule of an enumeration: there is no plan, and no payment by a wrong one."""
    rule = build("evcg-postpone", Cluster.of([1, 2]), goal=goal)
    plan, tried, at = rule.plan([3, 1, 2]), 0, 0

    def value(self: ExpressionGoal, times: Sequence[Fraction]) -> Any:
        nonlocal tried
        tried += 1
        if tried == at:
            signal.raise_signal(signal.SIGINT)
        return real(self, times)

    real = ExpressionGoal.value
    monkeypatch.setattr(ExpressionGoal, "value", value)
    assert rule.plan([3, 1, 2]) == plan
    for number in range(1, tried + 1, 5):
        tried, at = 0, number
        with pytest.raises(KeyboardInterrupt):
            rule.plan([3, 1, 2])


def test_bad_input_is_named() -> None:
    with pytest.raises(UnknownNameError, match=r"ties: 'sums' is not known; known: listed, sum\. Did you mean 'sum'"):
        optimal_allocation(Cluster.of([1]), [1], Makespan(), "sums")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="weights: found 1; there are 2 agents"):
        optimal_allocation(Cluster.of([1]), [1, 1], WeightedMakespan((1,)))
    with pytest.raises(InputError, match=r"lengths\[2\]: found 0"):
        optimal_sum(Cluster.of([1]), [1, 0])
    with pytest.raises(InputError, match=r"lengths\[1\]: found True"):
        integer_lengths([True])


@pytest.mark.parametrize("ties", ["sum", "listed"])
@pytest.mark.parametrize("goal", [Makespan(), WeightedSum((1, 5, 2, 3, 4)), SquaredDeviation(3)])
def test_a_good_allocation_is_a_local_optimum(goal: Any, ties: str, thinning: int) -> None:
    """No job moved to another place, and no two exchanged, is better: every such neighbour is tried here."""
    rng = random.Random(17)
    for _ in range(12 // thinning):
        cluster = Cluster.of([Fraction(rng.randint(1, 3), rng.randint(1, 2)) for _ in range(rng.randint(1, 3))])
        lengths = [Fraction(rng.randint(1, 6)) for _ in range(5)]

        def rank(lists: Any) -> Any:
            allocation = Allocation(tuple(map(tuple, lists)))
            ends = allocation.end_times(cluster, lengths)  # noqa: B023
            places = tuple((-m, -p) for m, p in allocation.places)
            return goal.value(ends), -sum(ends) if ties == "sum" else 0, places

        found = good_allocation(cluster, lengths, goal, ties)[0].lists
        for neighbour in neighbours(found):
            assert rank(neighbour) <= rank(found)


def neighbours(lists: Any) -> Any:
    """Every schedule with one job somewhere else, and every one with two jobs exchanged."""
    jobs = [j for own in lists for j in own]
    for j in jobs:
        without = [[i for i in own if i != j] for own in lists]
        for m, own in enumerate(without):
            for p in range(len(own) + 1):
                yield [*without[:m], [*own[:p], j, *own[p:]], *without[m + 1 :]]
    for i, j in combinations(jobs, 2):
        yield [[j if x == i else i if x == j else x for x in own] for own in lists]
