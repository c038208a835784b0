"""The reduction asked about a domain: against trying every comparison, and where it leaves the answer open."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from consortium.games.proofs.prover import prove
from consortium.games.proofs.reduction import covers
from consortium.games.verification import Domain, check_incentives
from consortium.games.verification.reduction import check_by_reduction
from consortium.mechanisms.declaration import Cutoff, build
from consortium.scheduling.allocations import Allocation
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import LexicalMax, Makespan, WeightedSum
from consortium.support.errors import InputError

from ...sweeps import thinned
from . import twins


@pytest.mark.parametrize("seed", thinned(range(300, 300 + 84)))
def test_never_contradicts_the_enumeration(seed: int) -> None:
    mechanism, _, domain = twins.situation(seed)
    if not covers(mechanism):
        with pytest.raises(InputError, match="method 'reduction'"):
            check_by_reduction(mechanism, domain, "ex-post")
        return
    for concept in ("dominant", "ex-post"):
        proof = check_by_reduction(mechanism, domain, concept)
        tried = check_incentives(mechanism, domain, concept)
        assert proof.holds in (None, tried.holds), proof.note
        assert (proof.holds is not None) == proof.complete == (not proof.open)
        if proof.holds is False:
            assert 0 < proof.witness.gain <= tried.max_gain


def test_a_lie_that_pays_refutes_where_the_domain_has_it() -> None:
    """C = (1), g = -(T_1 + 9 T_2), share (6.9): theta = (2, 3), b_1 = 1 pays; the repaired share closes the gap."""
    printed = build("evcg-renice", Cluster.of([1]), WeightedSum((1, 9)), penalty="printed")
    grid = Domain.of([1, 2, 3], agents=2)
    answer = check_by_reduction(printed, grid, "ex-post")
    assert answer.holds in (None, False)
    refuting = prove(printed, 2, "ex-post", method="reduction").witness
    there = Domain.of(sorted({*refuting.lengths, *refuting.declarations}), agents=2)
    assert check_by_reduction(printed, there, "ex-post").holds is False
    repaired = build("evcg-renice", Cluster.of([1]), WeightedSum((1, 9)))
    assert check_by_reduction(repaired, grid, "ex-post").holds is True


@pytest.mark.parametrize("wait", [10**30, F(1, 10**30)])
def test_a_given_wait_may_be_of_another_order_than_the_lengths(wait: object) -> None:
    """Only the lengths between those of the domain are asked about: a long enough wait is safe there."""
    mechanism = build("evcg-postpone", Cluster.of([1]), WeightedSum((1, 9)), penalty=wait)
    domain = Domain.of([1, 2, 3], agents=2)
    assert check_by_reduction(mechanism, domain, "ex-post").holds is (True if wait == 10**30 else None)
    assert check_incentives(mechanism, domain, "ex-post").holds is (wait == 10**30)


def test_a_cutoff_that_refuses_a_declaration_is_heard() -> None:
    mechanism = build("evcg-postpone", Cluster.of([1]), penalty="exact", cutoff=Cutoff("absolute", 2))
    with pytest.raises(InputError, match="expected at least every declaration"):
        check_by_reduction(mechanism, Domain.of([1, 2, 3], agents=2), "dominant")


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
    assert (answer.holds, answer.cases, answer.complete, answer.open) == (None, 0, False, True)
    assert "ex-post only" in answer.note


def test_a_failure_that_the_goal_never_reaches_leaves_the_answer_open() -> None:
    """(6.9) is not safe for every allocation rule; ties by the sum keep the makespan away from the failure."""
    domain = Domain.of([1, 2], agents=2)
    kept = build("evcg-renice", Cluster.of([1]), Makespan(), penalty="printed")
    answer = check_by_reduction(kept, domain, "ex-post")
    assert (answer.holds, answer.cases, answer.complete, answer.witness) == (None, 0, False, None)
    assert check_incentives(kept, domain, "ex-post").holds is True


def test_ten_agents_are_within_reach() -> None:
    """Far beyond enumeration: 10 agents, 6 lengths, 3 machines."""
    mechanism = build("evcg-renice", Cluster.of([1, "3/2", 2]), LexicalMax())
    answer = check_by_reduction(mechanism, Domain.of([1, 2, 3, 4, 5, 6], agents=10), "ex-post")
    assert answer.holds is True
    assert answer.cases == answer.total > 10**8
    assert answer.note == "by the reduction: for every goal and allocation rule, all lengths from 1 to 6"
