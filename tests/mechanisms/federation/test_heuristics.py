"""The compiled heuristics against a literal retelling, on every start of every job; and what they promise."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.agents.organizations import Federation
from consortium.mechanisms.federation import (
    HEURISTICS,
    Ilba,
    LessHelpedFirst,
    LptLpt,
    SptLpt,
    checkers,
    heuristics,
)
from consortium.support.errors import InputError, UnknownNameError

from . import plainly
from .instances import federations, random_federation

RULES = list(HEURISTICS)


def scheduled(rule, fed, order=None):
    return (HEURISTICS[rule]() if order is None else HEURISTICS[rule](order)).run(fed)


def plan_of(schedule):
    return {
        (k, i): (schedule.machine[k][i], schedule.start[k][i])
        for k, row in enumerate(schedule.machine)
        for i in range(len(row))
    }


@pytest.mark.parametrize("rule", RULES)
@settings(deadline=None, derandomize=True, max_examples=150)
@given(fed=federations(max_organizations=5, max_jobs=14, max_machines=3), data=st.data())
def test_compiled_rule_is_the_literal_one(rule, fed, data):
    order = (
        data.draw(st.sampled_from([None, "lpt", "spt", "listed"])) if rule in ("ilba", "less-helped-first") else None
    )
    assert plan_of(scheduled(rule, fed, order)) == plainly.heuristic(rule, fed, order)
    with mock.patch.object(heuristics, "is_symbolic", return_value=True):  # proofs go another way through ties
        assert plan_of(scheduled(rule, fed, order)) == plainly.heuristic(rule, fed, order)


@pytest.mark.parametrize("rule", RULES)
def test_large_random_instances_agree_too(rule):
    rng = np.random.default_rng(3)
    for _ in range(5):
        fed = random_federation(rng, 20, 300, 40, machines=3)
        assert plan_of(scheduled(rule, fed)) == plainly.heuristic(rule, fed)


@pytest.mark.parametrize("rule", RULES)
def test_integers_beyond_64_bits_take_the_same_way(rule):
    fed = Federation.of([[5, 3, 3], [4], [], [2, 2, 1]], [1, 2, 1, 1])
    scale = 10**25
    huge = Federation.of([[p * scale for p in row] for row in fed.sizes], fed.machines)
    assert huge.sizes == fed.sizes  # the common factor goes first; on a finer grid the numbers stay large
    vars(huge)["_grid"] = tuple(tuple(p * scale for p in row) for row in fed.sizes), huge.unit / scale
    assert plan_of(scheduled(rule, huge)) == plainly.heuristic(rule, huge)
    assert scheduled(rule, huge).placement == scheduled(rule, fed).placement


@settings(deadline=None, derandomize=True, max_examples=150)
@given(fed=federations(max_jobs=9, max_machines=3))
def test_promises_of_the_heuristics(fed):
    for rule in (Ilba(), LptLpt(), SptLpt(), LessHelpedFirst(), LessHelpedFirst("lpt"), Ilba("listed")):
        check_promises(rule, fed)


def check_promises(rule, fed):
    schedule = rule.run(fed)
    order = rule.local_order
    assert checkers.no_job_delayed(schedule, order).holds
    assert checkers.local_constraint(schedule, order).holds
    assert checkers.local_total_constraint(schedule, order).holds
    assert checkers.selfishness_restriction(schedule, "strict").holds
    assert plainly.is_selfish(fed, plan_of(schedule))
    bound, machines = plainly.optimum(fed), fed.n_machines
    assert max(plainly.ends(fed, plan_of(schedule)), default=0) * machines <= (2 * machines - 1) * bound


@pytest.mark.exhaustive
def test_promises_on_fifty_thousand_instances():
    rng = np.random.default_rng(2012)
    for _ in range(50_000):
        fed = random_federation(rng, 4, 9, 12, machines=3 if rng.random() < 0.5 else 1)
        for rule in (Ilba(), LptLpt(), SptLpt(), LessHelpedFirst()):
            check_promises(rule, fed)


def test_rational_sizes_equal_sizes_one_organization_and_nobody_with_jobs():
    thirds = Federation.of([["1/3", "2/3"], ["1/2"], []])
    assert [str(c) for c in LptLpt().run(thirds).makespans] == ["2/3", "1/2", "0"]
    equal = Federation.of([[1] * 6, [], []])
    assert all(rule.run(equal).makespan == 2 for rule in (Ilba(), LptLpt(), SptLpt(), LessHelpedFirst()))
    alone = Federation.of([[3, 2, 2]], machines=[2])
    assert all(rule.run(alone).makespan == 4 for rule in (Ilba(), LptLpt(), LessHelpedFirst("lpt")))
    nobody = Federation.of([[], []])
    assert all(rule.run(nobody).makespan == 0 for rule in (Ilba(), LptLpt(), SptLpt(), LessHelpedFirst()))


def test_ties_go_as_stated():
    """Ilba: an own machine before an earlier one; pulls: smallest organization, then smallest job; help at once."""
    assert Ilba().run(Federation.of([[1], [2, 1]])).placement == ((0,), (1, 0))
    assert Ilba().run(Federation.of([[2], [2]])).placement == ((0,), (1,))
    pulled = LptLpt().run(Federation.of([[2, 2, 2], [2, 2, 2], []]))
    assert pulled.placement == ((0, 2, 0), (1, 1, 2), ())  # t = 0: O1's second; t = 2: own jobs first, then O2's third
    helped = LessHelpedFirst().run(Federation.of([[1, 1, 1], [1, 1, 1], [], []]))
    assert helped.placement == ((0, 2, 0), (1, 3, 1), (), ())  # two pulls at t = 0, one from each


def test_errors_name_the_thing():
    with pytest.raises(UnknownNameError, match="local_order"):
        Ilba("longest").run(Federation.of([[1]]))
    with pytest.raises(InputError, match=r"organization 'O2': machines = 0; expected at least 1"):
        Federation.of([[1], [1]], machines=[1, 0])


@pytest.mark.parametrize("rule", RULES)
def test_long_jobs_and_organizations_with_ties_by_number(rule):
    """Two dozen organizations of the same work, or of two works, and a large one: every tie goes to the smaller number.

    The large one enters last and sends its jobs to machines that are free equally early, in the order of their entry.
    """
    jobs = [[10**6, 10**6 + 7, 10**6] if k % 2 else [10**6, 10**6, 10**6 + 7] for k in range(24)]
    longer = np.random.default_rng(2).integers(0, 2, 24)
    for rows in (jobs, [[*row, 5] if more else row for row, more in zip(jobs, longer, strict=True)]):
        fed = Federation.of([*rows, [10**6] * 25])
        assert plan_of(scheduled(rule, fed)) == plainly.heuristic(rule, fed)
