"""What is true of every run: where the output times lie, what utilities amount to, that no work is lost."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest

from consortium.mechanisms.declaration.catalogue import RULES
from consortium.mechanisms.declaration.execution import Job, Tools, run_machine
from consortium.support.exact import INF

from .instances import TWO_ROUNDS, game, package

EVERY_RULE = [rule.id for rule in RULES]
POSTPONE = ["vcg-postpone", "evcg-postpone", "postpone-unpaid"]
RENICE = ["vcg-renice", "evcg-renice"]


def plays(rules, count, **sizes):
    for seed in range(count):
        rule, c, b, theta, options = game(Random(seed), rules, **sizes)
        yield rule, c, b, theta, options, package(rule, c, options)


def test_postpone_never_delays_the_truthful_and_always_delays_a_downward_lie():
    for _, c, b, theta, _, mechanism in plays(POSTPONE, 400):
        outcome = mechanism.run(b, theta)
        for n, (t, planned, s) in enumerate(
            zip(outcome.output, outcome.plan.planned, outcome.plan.penalties, strict=True)
        ):
            power = c[outcome.plan.places[n][0]]
            if theta[n] == b[n]:
                assert t <= planned
            elif theta[n] < b[n]:
                assert t == planned
            else:
                assert t >= planned + (s or 0) + (theta[n] - b[n]) / power


def test_renice_among_truthful_others():
    for rule, c, b, theta, options, mechanism in plays(RENICE, 300):
        for n in range(len(b)):
            mixed = (*b[:n], theta[n], *b[n + 1 :])
            outcome = mechanism.run(b, mixed)
            planned, share = outcome.plan.planned[n], outcome.plan.penalties[n]
            missing = max(Fraction(0), theta[n] - b[n]) / (share * c[outcome.plan.places[n][0]])
            assert outcome.output[n] == planned + missing, (rule, c, b, mixed, options)


def test_under_evcg_utility_is_value_minus_least_sum_minus_delay():
    for *_, b, theta, options, mechanism in plays(["evcg-renice", "evcg-postpone"], 300):
        outcome = mechanism.run(b, theta)
        for n, (t, planned) in enumerate(zip(outcome.output, outcome.plan.planned, strict=True)):
            assert outcome.utilities[n] == options["values"][n] - outcome.plan.optimal_sum - (t - planned)


@pytest.mark.parametrize(("rules", "rounds"), [(EVERY_RULE, 1), (list(TWO_ROUNDS), 2)])
def test_work_is_done_once_and_machines_are_never_shared(rules, rounds):
    for _, c, b, theta, _, mechanism in plays(rules, 300, rounds=rounds):
        outcome = mechanism.run(b, theta)
        used = {}
        for n, pieces in enumerate(outcome.work):
            if not outcome.stayed[n]:
                assert (outcome.output[n], pieces, outcome.payments[n]) == (None, (), 0)
                continue
            machine = outcome.plan.places[n][0]
            amount = sum((end - start) * share for start, end, share in pieces) * c[machine]
            assert amount == theta[n] if outcome.output[n] < INF else amount <= theta[n]
            assert all(end <= outcome.output[n] for _, end, _ in pieces)
            used.setdefault(machine, []).extend((start, end) for start, end, _ in pieces)
        for intervals in used.values():
            intervals.sort()
            assert all(a[1] <= z[0] for a, z in pairwise(intervals))


def test_an_output_once_late_is_not_taken_back():
    """The first job pushes the plan back by 2, the second gives 2 back, the third takes 1: the last one waits for 8."""
    listed = zip((1, 3, 1, 1), (3, 1, 2, Fraction(1, 2)), (1, 4, 5, 6), strict=True)
    jobs = [Job(n, Fraction(b), Fraction(x), Fraction(planned)) for n, (b, x, planned) in enumerate(listed)]
    runs = run_machine(Fraction(1), jobs, Tools("run-on"), {})
    assert [run.output for run in runs] == [3, 6, 7, 8]
    assert runs[3].work == [(6, Fraction(13, 2), 1)]


def test_a_postponed_job_goes_on_behind_the_plan_even_when_the_machine_is_free_before():
    """The second job is done two units early; the first still waits for the planned end of both, at 4."""
    jobs = [Job(n, Fraction(b), Fraction(x), Fraction(e)) for n, (b, x, e) in enumerate([(1, 2, 1), (3, 1, 4)])]
    runs = run_machine(Fraction(1), jobs, Tools("postpone"), {0: Fraction(1)})
    assert [run.work for run in runs] == [[(0, 1, 1), (4, 5, 1)], [(1, 2, 1)]]
    assert [run.output for run in runs] == [5, 4]


def test_the_truth_runs_as_planned():
    for *_, b, _, _, mechanism in plays(EVERY_RULE, 300):
        outcome = mechanism.run(b, b)
        assert outcome.output == outcome.plan.planned
        assert outcome.welfare == outcome.plan.welfare


def test_plans_depend_on_declarations_alone_and_can_be_followed_again():
    for *_, b, theta, _, mechanism in plays(EVERY_RULE, 100):
        plan = mechanism.plan(b)
        assert mechanism.follow(plan, theta) == mechanism.run(b, theta)
        assert mechanism.run(b, theta).plan == mechanism.run(b, b).plan == plan
