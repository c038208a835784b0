"""Section 5: the reduction of Theorem 5.1, negative contributions, unit jobs, and RAND."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations, product
from math import factorial
from types import ModuleType

import numpy as np
import pytest

from consortium.mechanisms.sharing import SharingInstance, SharingOutcome, simulate
from consortium.mechanisms.sharing.orderings import sample_size


def reduction(numbers: tuple[int, ...], x: int, repaired: bool) -> tuple[SharingInstance, int, int]:
    """Theorem 5.1: one organization per number, then a (no jobs), then b (the large job); also L and a safe end."""
    k, total = len(numbers), sum(numbers) + 2
    first = k * total if repaired else 1
    shift = 2 * first - 2
    queues = [[(0, first), (0, first), (3 + shift, 2 * total), (4 + shift, 2 * n)] for n in numbers]
    small = sum(p for queue in queues for _, p in queue) + 2 * x + 2
    large = factorial(k + 2) * small**2 + 1 if repaired else 4 * k * total**2 * factorial(k + 2) + 1
    queues += [[], [(2 + shift, 2 * x + 2), (2 * x + 3 + shift, large)]]
    return SharingInstance.of([1] * (k + 2), queues), large, small + shift + large + 2 * x + 4


def orderings_below(numbers: tuple[int, ...], x: int) -> int:
    k = len(numbers)
    return sum(
        factorial(r + 1) * factorial(k - r)
        for r in range(k + 1)
        for chosen in combinations(numbers, r)
        if sum(chosen) < x
    )


def counted(numbers: tuple[int, ...], x: int, repaired: bool, timing: str = "next") -> int:
    instance, large, end = reduction(numbers, x, repaired)
    outcome = simulate(instance, rule="ref", until=end, timing=timing)
    assert outcome.contribution is not None
    return int(factorial(len(numbers) + 2) * outcome.contribution[len(numbers)] // large)


@pytest.mark.paper("SR13")
@pytest.mark.parametrize("numbers", [(1,), (2,), (7,), (1, 1), (1, 2), (2, 2), (2, 3)])
def test_theorem_5_1_reduction_is_right_for_one_number_and_some_pairs(numbers: tuple[int, ...]) -> None:
    for x in range(1, sum(numbers) + 2):
        assert counted(numbers, x, repaired=False) == orderings_below(numbers, x)


@pytest.mark.paper("SR13")
@pytest.mark.parametrize(
    ("numbers", "x", "found", "right"),
    [((3, 3), 2, -10, 2), ((3, 2), 2, -10, 2), ((1, 2, 4), 5, -24, 24), ((2, 4, 4), 5, -78, 18)],
)
def test_theorem_5_1_reduction_fails_from_two_numbers_on(
    numbers: tuple[int, ...], x: int, found: int, right: int
) -> None:
    """The large job is not always prioritised after t = 2, so it shifts by several units of time."""
    assert orderings_below(numbers, x) == right
    assert counted(numbers, x, repaired=False) == found
    assert counted(numbers, x, repaired=True) == right


@pytest.mark.paper("SR13")
def test_theorem_5_1_where_the_reduction_fails() -> None:
    """S = {3, 3}, x = 2: with both numbers and b, machine a makes the large job start at 10 instead of 8."""
    instance, _, _ = reduction((3, 3), 2, repaired=False)
    without_a = SharingInstance.of([1] * 3, [instance.queue(u) for u in (0, 1, 3)])
    assert simulate(without_a, rule="ref", until=40).start[-1] == 8
    assert simulate(instance, rule="ref", until=40).start[-1] == 10


@pytest.mark.paper("SR13")
@pytest.mark.parametrize(
    ("numbers", "x"), [((1,), 1), ((1, 2), 2), ((3, 3), 3), ((1, 2, 3), 3), ((2, 2, 5), 4), ((1, 2, 3, 4), 5)]
)
def test_theorem_5_1_repaired(numbers: tuple[int, ...], x: int) -> None:
    """First two jobs of length H = k x_tot, later releases shifted by 2H - 2, a larger L."""
    assert counted(numbers, x, repaired=True) == orderings_below(numbers, x)


@pytest.mark.paper("SR13")
def test_theorem_5_1_repair_fails_when_looking_at_t() -> None:
    assert counted((1, 2, 4), 5, repaired=True, timing="now") == 192


def losses_by_joining(outcome: SharingOutcome) -> list[tuple[int, int]]:
    """Coalitions, before and after somebody joins, whose value falls."""
    assert outcome.coalitions is not None
    v = outcome.coalitions.values.tolist()
    pairs = [(mask, mask | 1 << u) for mask in range(len(v)) for u in range(len(v).bit_length() - 1)]
    return [(before, after) for before, after in pairs if v[after] < v[before]]


@pytest.mark.paper("SR13")
def test_contributions_can_be_negative() -> None:
    """An organization that brings one idle machine and no jobs lowers the value, and its contribution is negative."""
    instance, _, _ = reduction((1, 2, 4), 5, repaired=False)
    queues = [list(instance.queue(u)) for u in range(5)]
    queues[4][1] = (queues[4][1][0], 2000)
    outcome = simulate(SharingInstance.of([1] * 5, queues), rule="ref", until=2044)
    assert outcome.coalitions is not None
    assert outcome.contribution is not None
    assert outcome.coalitions.values[0b10111] == 2235742
    assert outcome.coalitions.values[0b11111] == 2231929
    assert outcome.contribution[3] == Fraction(-17893, 60)
    assert losses_by_joining(outcome) == [(0b10111, 0b11111)]


def unit_instance(rng: random.Random, k: int) -> SharingInstance:
    queues = [[(rng.randint(0, 5), 1) for _ in range(rng.randint(0, 5))] for _ in range(k)]
    return SharingInstance.of([rng.randint(0, 2) for _ in range(k)], queues)


RULES = ["ref", "round-robin", "fair-share", "utility-fair-share", "current-fair-share", "fifo", "direct-contribution"]


@pytest.mark.paper("SR13")
def test_proposition_5_4_greedy_schedules_of_unit_jobs_are_worth_the_same() -> None:
    rng = random.Random(54)
    for _ in range(60):
        instance = unit_instance(rng, rng.randint(1, 4))
        assert len({simulate(instance, rule=rule, until=8).value for rule in RULES}) == 1


@pytest.mark.paper("SR13")
def test_proposition_5_4_needs_unit_jobs() -> None:
    """Machines 1 + 1, jobs {2} and {1, 1}, t = 2: 5 or 6, depending on which two start first."""
    both = [[(0, 2)], [(0, 1), (0, 1)]]
    assert simulate(SharingInstance.of([1, 1], both), rule="fifo", until=2).value == 6
    assert simulate(SharingInstance.of([1, 1], both[::-1]), rule="fifo", until=2).value == 5


def proposition_5_5() -> SharingOutcome:
    instance = SharingInstance.of([1, 1, 1], [[(0, 1), (0, 1)], [(0, 1), (0, 1)], []])
    return simulate(instance, rule="ref", until=2)


@pytest.mark.paper("SR13")
def test_proposition_5_5_not_supermodular() -> None:
    """Values 4, 4, 7 and 0; contributions (19/6, 19/6, 2/3)."""
    outcome = proposition_5_5()
    assert outcome.coalitions is not None
    values = outcome.coalitions.values
    assert (values[0b101], values[0b110], values[0b111], values[0b100]) == (4, 4, 7, 0)
    assert outcome.contribution == (Fraction(19, 6), Fraction(19, 6), Fraction(2, 3))
    assert values[0b101] + values[0b110] - values[0b111] - values[0b100] == 1


@pytest.mark.paper("SR13")
def test_games_of_unit_jobs_are_monotone() -> None:
    rng = random.Random(55)
    for _ in range(80):
        outcome = simulate(unit_instance(rng, 4), rule="ref", until=rng.randint(1, 9))
        assert outcome.coalitions is not None
        assert not losses_by_joining(outcome)


@pytest.mark.paper("SR13")
def test_figure_6_pools_all_coalitions() -> None:
    """Lines 35-37 credit u with every sampled coalition without u, not with those before u in an ordering.

    On Proposition 5.5's instance with one ordering this gives (3, 6, 2), which sums to 11 instead of v = 7.
    """
    instance = proposition_5_5().instance
    values = {0: 0} | {
        mask: int(v)
        for mask, v in enumerate(proposition_5_5().coalitions.values)
        if mask  # type: ignore[union-attr]
    }
    ordering = (0, 1, 2)
    before = [sum(1 << w for w in ordering[:place]) for place in range(3)]
    pooled = tuple(sum(values[c | 1 << u] - values[c] for c in before if not c >> u & 1) for u in range(3))
    assert pooled == (3, 6, 2)
    outcome = simulate(instance, rule="rand", until=2, orderings=[ordering])
    assert outcome.contribution == (3, 3, 1)


@pytest.mark.paper("SR13")
def test_rand_shares_the_value_of_the_simplified_grand_schedule() -> None:
    rng = random.Random(6)
    for seed in range(60):
        k = rng.randint(1, 5)
        queues = [[(rng.randint(0, 5), rng.randint(1, 4)) for _ in range(rng.randint(0, 4))] for _ in range(k)]
        instance = SharingInstance.of([rng.randint(0, 2) for _ in range(k)], queues)
        outcome = simulate(instance, rule="rand", until=9, samples=4, seed=seed)
        assert outcome.contribution is not None
        assert sum(outcome.contribution) == simulate(instance, rule="fifo", until=9).value


@pytest.mark.paper("SR13")
@pytest.mark.parametrize("timing", ["next", "now"])
def test_rand_with_all_orderings_is_ref_on_unit_jobs(timing: str, thinning: int) -> None:
    rng = random.Random(66)
    for _ in range(150 // thinning):
        instance = unit_instance(rng, rng.randint(1, 5))
        ref = simulate(instance, rule="ref", until=8, timing=timing)
        rand = simulate(instance, rule="rand", until=8, timing=timing, samples="all")
        assert (ref.start == rand.start).all()
        assert ref.contribution == rand.contribution


@pytest.mark.paper("SR13")
def test_theorem_5_6_bound_on_unit_jobs(thinning: int) -> None:
    """No run exceeds epsilon, and the worst stays well below it: Hoeffding's bound is used loosely."""
    rng = random.Random(56)
    worst = Fraction(0)
    for seed in range(150 // thinning):
        k = rng.randint(2, 5)
        epsilon = rng.choice([Fraction(3, 10), Fraction(1, 2)])
        instance = unit_instance(rng, k)
        ref = simulate(instance, rule="ref", until=8)
        rand = simulate(instance, rule="rand", until=8, epsilon=epsilon, confidence=Fraction(9, 10), seed=seed)
        if ref.value:
            ratio = sum(abs(a - b) for a, b in zip(ref.utility, rand.utility, strict=True)) / Fraction(ref.value)
            assert ratio <= epsilon
            worst = max(worst, ratio)
    assert worst < Fraction(3, 10)
    assert sample_size(5, Fraction(1, 2), Fraction(9, 10)) == int(np.ceil(100 * np.log(50)))


@pytest.mark.paper("SR13")
def test_theorem_5_6_step_of_the_proof_is_false_pointwise(thinning: int) -> None:
    """|psi* - psi| <= |phi* - phi| fails for some organization: schedules are discrete."""
    rng = random.Random(57)
    false = pairs = 0
    for seed in range(150 // thinning):
        instance = unit_instance(rng, 4)
        ref = simulate(instance, rule="ref", until=6)
        rand = simulate(instance, rule="rand", until=6, samples=3, seed=seed)
        assert ref.contribution is not None
        assert rand.contribution is not None
        for u in range(4):
            pairs += 1
            false += abs(ref.utility[u] - rand.utility[u]) > abs(ref.contribution[u] - rand.contribution[u])
    assert 0 < false < pairs // 10


@pytest.mark.exhaustive
@pytest.mark.paper("SR13")
def test_theorem_5_1_repaired_on_every_small_set(plain: ModuleType) -> None:
    for numbers in product(range(1, 5), repeat=3):
        for x in range(1, sum(numbers) + 1, 2):
            assert counted(numbers, x, repaired=True) == orderings_below(numbers, x)
