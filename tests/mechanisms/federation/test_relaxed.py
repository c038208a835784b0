"""relaxed-2 and relaxed-3 within their bounds, on random instances and on every small one; ToMoS; the printed rule."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.agents.organizations import Federation
from consortium.mechanisms.federation import Local, LptLpt, Relaxed2, Relaxed3, RelaxedPrinted2, Tomos
from consortium.mechanisms.federation.relaxed import BASES, Board, transform
from consortium.support.errors import InputError, UnknownNameError

from . import plainly
from .instances import federations, random_federation

RULES = [(Relaxed2(), 2, Fraction(3, 2)), (Relaxed3(), 3, Fraction(4, 3))]


def excess(rule, fed):
    """(largest C^(k) / C_local^(k), C_max / OPT) of the rule's schedule, measured from the definitions."""
    answer = rule.solve(fed)
    schedule = answer.schedule
    local = [sum(org.lengths) for org in fed.organizations]
    alpha = max((c / base for c, base in zip(schedule.makespans, local, strict=True) if base), default=Fraction(1))
    best = plainly.optimum(fed) * fed.unit
    assert answer.guess <= best or best == 0  # the guess never exceeds the optimum: every guess >= OPT succeeds
    return alpha, schedule.makespan / best if best else Fraction(1)


@pytest.mark.parametrize(("rule", "alpha", "ratio"), RULES)
@settings(deadline=None, derandomize=True, max_examples=250)
@given(fed=federations(max_organizations=5, max_jobs=12, max_size=9, rational=True))
def test_within_the_bounds(rule, alpha, ratio, fed):
    found = excess(rule, fed)
    assert found[0] <= alpha
    assert found[1] <= ratio


def small_instances(n, n_jobs, longest):
    """Every instance with exactly ``n_jobs`` jobs, up to the order of organizations."""
    shapes = [c for c in itertools.product(range(n_jobs + 1), repeat=n) if sum(c) == n_jobs and list(c) == sorted(c)]
    for shape in shapes:
        rows = [list(itertools.combinations_with_replacement(range(1, longest + 1), count)) for count in shape]
        for jobs in itertools.product(*rows):
            yield Federation.of(jobs)


@pytest.mark.parametrize(("rule", "alpha", "ratio"), RULES)
def test_every_small_instance(rule, alpha, ratio):
    found = [excess(rule, fed) for fed in small_instances(3, 5, 4)]
    assert len(found) > 1000
    assert max(a for a, _ in found) <= alpha
    assert max(r for _, r in found) <= ratio


@pytest.mark.exhaustive
@pytest.mark.parametrize(("rule", "alpha", "ratio"), RULES)
def test_forty_thousand_instances(rule, alpha, ratio):
    rng = np.random.default_rng(45)
    worst = (Fraction(1), Fraction(1))
    for _ in range(40_000):
        a, r = excess(rule, random_federation(rng, 6, 12, 20))
        assert (a <= alpha) & (r <= ratio)
        worst = max(worst[0], a), max(worst[1], r)
    print(rule.id, *map(float, worst))


def test_the_printed_rule_breaks_its_bound_and_the_repaired_one_does_not():
    """Theorem 4.5 is false as printed: large jobs of C find no machine when B1 organizations are many."""
    for jobs, best, printed in [
        ([[13] * 4, [3] * 4, [], []], 16, 25),
        ([[130] * 4, [30] * 4, [1], [1]], 161, 250),
        ([[2, 1], [1, 1, 3, 1], [5, 6, 5, 5], []], 8, 13),
    ]:
        fed = Federation.of(jobs)
        assert plainly.optimum(fed) == best
        assert RelaxedPrinted2().run(fed).makespan == printed > Fraction(3, 2) * best
        assert excess(Relaxed2(), fed)[1] <= Fraction(3, 2)


def test_guess_ties_one_organization_no_jobs_and_machines():
    fed = Federation.of([["1/2", "1/2"], []])
    answer = Relaxed2().solve(fed)
    assert (answer.guess, answer.schedule.makespan) == (Fraction(1, 2), Fraction(1, 2))
    assert Relaxed3().run(Federation.of([[3, 1]])).makespan == 4
    assert Relaxed2().run(Federation.of([[], []])).makespan == 0
    for rule, _, _ in RULES:
        with pytest.raises(InputError, match="one machine per organization"):
            rule.run(Federation.of([[1], [1]], machines=[2, 1]))


@settings(deadline=None, derandomize=True, max_examples=150)
@given(
    fed=federations(max_organizations=4, max_jobs=9, max_machines=2),
    alpha=st.fractions(1, 4, max_denominator=4),
    base=st.sampled_from(["local", "lpt-lpt", "less-helped-first"]),
)
def test_tomos_keeps_its_guarantee_from_any_schedule(fed, alpha, base):
    schedule = Tomos(alpha, base).run(fed)
    local = plainly.ends(fed, plainly.local(fed, "lpt"))
    for c, home in zip(schedule.makespans, local, strict=True):
        assert c <= alpha * home * fed.unit
    given_makespan = {"local": Local, "lpt-lpt": LptLpt}.get(base)
    if given_makespan is not None:
        series = sum((1 / alpha**e for e in range(len(fed))), Fraction(0))
        assert schedule.makespan <= given_makespan().run(fed).makespan * series


def test_tomos_by_hand():
    """Sorted c = (1, 2, 6), C = 6, alpha = 2."""
    fed = Federation.of([[6], [1], [2]])
    given_schedule = Local().run(fed)
    # C = 6: 2 * 1 < 0 + 6 -> O2 home; 2 * 2 < 1 + 6 -> O3 home; 2 * 6 >= 2 + 6 -> O1 follows, delayed by 2
    assert transform(given_schedule, Fraction(2)).makespans == (8, 1, 2)
    with pytest.raises(UnknownNameError, match="base"):
        Tomos(Fraction(1), "tomos")
    with pytest.raises(InputError, match="cooperation"):
        Tomos(Fraction(1, 2))
    assert all(Tomos(Fraction(2), base).run(fed).makespan <= 18 for base in BASES)


def test_no_guess_is_below_the_longest_job():
    """The average load is small, one job is long: no schedule is shorter than it."""
    for rule in (Relaxed2(), Relaxed3()):
        answer = rule.solve(Federation.of([[10], [1], [1], []]))
        assert answer.guess == 10


def test_organizations_of_middling_work_are_paired_in_the_order_of_their_numbers() -> None:
    """Guess 12: the first two have a job above 6, the next two have none; each of these joins one of those."""
    answer = Relaxed2().solve(Federation.of([[7], [8], [4, 4], [5, 4], [12, 12, 4]]))
    assert answer.guess == 12
    assert answer.schedule.machine[:4] == ((0,), (1,), (0, 0), (1, 1))


def test_a_machine_as_full_as_the_guess_takes_no_more() -> None:
    board = Board([[3, 2], [2]])
    board.put(0, 0, 0)
    assert not board.fill([(0, 1)], [0], below=3)
    assert board.fill([(0, 1)], [0], below=4)
    assert board.fill([(1, 0)], [0, 1], below=4)
    assert (board.load, board.host) == ([5, 2], [[0, 0], [1]])
