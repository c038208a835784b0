"""The reduction against trying every comparison, and the penalties that it must tell apart."""

from __future__ import annotations

from fractions import Fraction as F
from types import ModuleType

import pytest

from consortium.games.incentives import Domain, check_incentives
from consortium.games.incentives.reduction.check import check_by_reduction, covers
from consortium.mechanisms.declaration import Cutoff, build
from consortium.scheduling.allocations import Allocation
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import LexicalMax, Makespan, WeightedMakespan, WeightedSum
from consortium.support.errors import InputError

from ....sweeps import thinned


@pytest.mark.parametrize("seed", thinned(range(300, 300 + 84)))
def test_never_contradicts_the_enumeration(plain: ModuleType, twins: ModuleType, seed: int) -> None:
    mechanism, _, domain = twins.situation(seed, plain)
    if not covers(mechanism):
        with pytest.raises(InputError, match="method 'reduction'"):
            check_by_reduction(mechanism, domain, "ex-post")
        return
    for concept in ("dominant", "ex-post"):
        reduced = check_by_reduction(mechanism, domain, concept)
        tried = check_incentives(mechanism, domain, concept)
        assert reduced.holds in (None, tried.holds), reduced.note
        assert reduced.complete == (reduced.holds is not None)
        if reduced.holds is False:
            assert reduced.witness is not None
            assert 0 < reduced.witness.gain <= tried.max_gain


GOALS = [Makespan(), Makespan(2), LexicalMax(), WeightedSum((1, 9, 2)), WeightedMakespan((3, 1, 2))]


@pytest.mark.parametrize("goal", GOALS, ids=str)
@pytest.mark.parametrize("penalty", ["repaired", "repaired-common", "safe"])
def test_safe_shares_are_accepted_for_every_goal(goal: object, penalty: str) -> None:
    mechanism = build("evcg-renice", Cluster.of([1, "3/2"]), goal, penalty=penalty)
    assert check_by_reduction(mechanism, Domain.of([1, 2, 3], agents=3), "ex-post").holds is True


@pytest.mark.parametrize("goal", GOALS, ids=str)
@pytest.mark.parametrize(
    ("penalty", "cutoff"),
    [("exact", None), ("exact", 1), ("tight", 1), ("printed", 1), ("printed-common", 1)],
)
def test_safe_durations_are_accepted_for_every_goal(goal: object, penalty: str, cutoff: int | None) -> None:
    limit = None if cutoff is None else Cutoff("difference", cutoff)
    mechanism = build("evcg-postpone", Cluster.of([1, "3/2"]), goal, penalty=penalty, cutoff=limit)
    for concept in ("dominant", "ex-post"):
        assert check_by_reduction(mechanism, Domain.of([1, 2, 3], agents=3), concept).holds is True


@pytest.mark.paper("agmon2003")
def test_printed_share_is_refuted_with_the_published_counterexample() -> None:
    """C = (1), g = -(T_1 + 9 T_2), theta = (2, 3), b_1 = 1: -6 > -7 under (6.9); the repaired share closes the gap."""
    domain = Domain.of([[2], [3]], [[1], [3]])
    goal = WeightedSum((1, 9))
    printed = check_by_reduction(build("evcg-renice", Cluster.of([1]), goal, penalty="printed"), domain, "ex-post")
    assert printed.holds is False
    assert printed.witness is not None
    assert (printed.witness.utility_truth, printed.witness.utility_lie) == (-7, -6)
    repaired = build("evcg-renice", Cluster.of([1]), goal)
    assert check_by_reduction(repaired, domain, "ex-post").holds is True


def test_repaired_share_and_exact_wait_are_tight() -> None:
    domain = Domain.of([[2], [3]], [[1], [3]])
    goal = WeightedSum((1, 9))
    for rule, safe, unsafe in (("evcg-renice", F(1, 2), F(1, 2) * F(101, 100)), ("evcg-postpone", F(1), F(99, 100))):
        answers = [
            check_by_reduction(build(rule, Cluster.of([1]), goal, penalty=p), domain, "ex-post").holds
            for p in (safe, unsafe)
        ]
        assert answers == [True, False]


def test_a_lie_of_exactly_the_cutoff_is_compared() -> None:
    """Work equal to the cut-off completes: declaring 1 for 2 under a cut-off of 1 more pays where the wait is short."""
    domain = Domain.of([[2], [3]], [[1], [3]])
    for cutoff in (Cutoff("difference", 1), Cutoff("absolute", 3)):
        for wait, holds in ((F(99, 100), False), (F(1), True)):
            mechanism = build("evcg-postpone", Cluster.of([1]), WeightedSum((1, 9)), penalty=wait, cutoff=cutoff)
            assert check_by_reduction(mechanism, domain, "ex-post").holds is holds
    killed = build(
        "evcg-postpone", Cluster.of([1]), WeightedSum((1, 9)), penalty=0, cutoff=Cutoff("difference", "99/100")
    )
    assert check_by_reduction(killed, domain, "ex-post").holds is True


@pytest.mark.parametrize("powers", [[1, 1], [1, 2], ["1/3", 5]])
def test_no_wait_at_all_is_a_penalty_like_any_other(powers: list[object]) -> None:
    """With a wait of 0 nothing holds a lie back but the end of the machine."""
    domain = Domain.of([1, 2, 3], agents=2)
    mechanism = build("evcg-postpone", Cluster.of(powers), penalty=0)
    for concept in ("dominant", "ex-post"):
        tried = check_incentives(mechanism, domain, concept)
        assert check_by_reduction(mechanism, domain, concept).holds in (None, tried.holds)


@pytest.mark.parametrize("wait", [10**30, F(1, 10**30)])
def test_a_given_wait_may_be_of_another_order_than_the_lengths(wait: object) -> None:
    domain = Domain.of([1, 2, 3], agents=2)
    mechanism = build("evcg-postpone", Cluster.of([1]), WeightedSum((1, 9)), penalty=wait)
    tried = check_incentives(mechanism, domain, "ex-post")
    assert check_by_reduction(mechanism, domain, "ex-post").holds is tried.holds is (wait == 10**30)


def last_is_first(declared: tuple[F, ...]) -> Allocation:
    """A fixed allocation rule that optimises nothing: everybody on the second machine, in reverse order."""
    return Allocation(((), tuple(reversed(range(len(declared))))))


def test_any_fixed_allocation_rule_keeps_incentives() -> None:
    domain = Domain.of([1, 2, 3], agents=3)
    for rule, concept in (("evcg-renice", "ex-post"), ("evcg-postpone", "dominant")):
        mechanism = build(rule, Cluster.of([2, 1]), allocate=last_is_first)
        assert check_by_reduction(mechanism, domain, concept).holds is True
        assert check_incentives(mechanism, domain, concept).holds is True


def test_renice_is_not_claimed_to_be_dominant() -> None:
    answer = check_by_reduction(build("vcg-renice", Cluster.of([1])), Domain.of([1, 2], agents=2), "dominant")
    assert (answer.holds, answer.cases, answer.complete) == (None, 0, False)
    assert "ex-post only" in answer.note


def test_a_failure_that_the_goal_never_reaches_leaves_the_answer_open() -> None:
    """(6.9) is not safe for every allocation rule; ties by the sum keep the makespan away from the failure."""
    domain = Domain.of([1, 2], agents=2)
    kept = build("evcg-renice", Cluster.of([1]), Makespan(), penalty="printed")
    answer = check_by_reduction(kept, domain, "ex-post")
    assert (answer.holds, answer.cases, answer.complete, answer.witness) == (None, 0, False, None)
    assert "declaring 1 instead of 2 among 2 gains 1 on machine 1" in answer.note
    assert check_incentives(kept, domain, "ex-post").holds is True
    unlucky = build("evcg-renice", Cluster.of([1]), Makespan(), penalty="printed", ties="listed")
    assert check_by_reduction(unlucky, domain, "ex-post").holds is False
    assert check_incentives(unlucky, domain, "ex-post").holds is False


def test_ten_agents_are_within_reach() -> None:
    """Far beyond enumeration: 10 agents, 6 lengths, 3 machines."""
    mechanism = build("evcg-renice", Cluster.of([1, "3/2", 2]), LexicalMax())
    answer = check_by_reduction(mechanism, Domain.of([1, 2, 3, 4, 5, 6], agents=10), "ex-post")
    assert answer.holds is True
    assert answer.cases == answer.total > 10**8
    assert "inequalities" in answer.note
