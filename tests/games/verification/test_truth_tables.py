"""The kernel and the general check against the definitions, written down plainly, on random rules and domains."""

from __future__ import annotations

import math
from typing import Any
from unittest import mock

import pytest

from consortium.games.verification import machine
from consortium.games.verification.domain import CONCEPTS, Domain
from consortium.games.verification.orbits import collect
from consortium.games.verification.plans import Plans, needed
from consortium.games.verification.running import Runs, Truth, check_by_running, conclude
from consortium.games.verification.tables import in_chunks
from consortium.games.verification.truth_tables import truth_parts
from consortium.mechanisms.declaration import build
from consortium.scheduling.clusters import Cluster
from consortium.support.jit import jit

from ...sweeps import full
from . import plain, twins

KINDS = 42  # rules with their penalties and cut-offs: one per seed, in turn


def check_with_kernel(mechanism: Any, domain: Domain, concept: Any, plans: Plans) -> Any:
    judge = Truth(Runs(mechanism), domain, concept)
    return conclude(judge, truth_parts(mechanism, plans, concept), "kernel")


def expected(twin: Any, domain: Domain, concept: str) -> tuple[Any, ...]:
    holds, cases, gain, where = plain.check(twin, domain.lengths, domain.declarations, concept)
    if holds:
        return holds, cases, gain, None
    n, own, lie, b, theta = min(where, key=lambda w: (w[0], [x or 0 for x in w[3]], [x or 0 for x in w[4]], w[1], w[2]))
    return holds, cases, gain, (n, own, lie, (*b[:n], lie, *b[n + 1 :]), (*theta[:n], own, *theta[n + 1 :]))


def found(answer: Any) -> tuple[Any, ...]:
    w = answer.witness
    place = None if w is None else (w.agent, w.length, w.lie, w.declarations, w.lengths)
    assert answer.complete
    assert answer.cases == answer.total
    return answer.holds, answer.cases, answer.max_gain, place


@pytest.mark.parametrize("seed", [*range(KINDS), *full(range(1000, 1000 + 40 * KINDS))])
def test_every_rule_equals_the_definitions(seed: int) -> None:
    mechanism, twin, domain = twins.situation(seed)
    for concept in CONCEPTS:
        wanted = expected(twin, domain, concept)
        plans = collect(mechanism, domain, needed(domain, concept, Plans.empty(domain).digit))
        assert found(check_with_kernel(mechanism, domain, concept, plans)) == wanted, (seed, concept)
        assert found(check_by_running(Truth(Runs(mechanism), domain, concept))) == wanted, (seed, concept)
        with mock.patch.object(machine, "ROOM", 0):  # Python integers
            assert found(check_with_kernel(mechanism, domain, concept, plans)) == wanted, (seed, concept)


def test_the_largest_gain_is_found_among_groups_that_are_compared_together() -> None:
    """Shortest first, 65 against every length: declaring 1 saves at most the other's 64, in the last group but one.

    From 64 groups on a task compares several of them.
    """
    domain = Domain.of([[65], range(1, 66)], [[1], []])
    mechanism = build("straightforward", Cluster.of([1]))
    plans = collect(mechanism, domain, needed(domain, "ex-post", Plans.empty(domain).digit))
    check = check_with_kernel(mechanism, domain, "ex-post", plans)
    assert (check.cases, check.max_gain) == (65, 64)
    assert check.witness.declarations == (1, 64)


def test_whoever_runs_ahead_may_have_any_length() -> None:
    """Equal declarations, one machine: the second job's gain is that of the worst length of the first one."""
    domain = Domain.of([[1, 5], [3]], [[2], [1]])
    mechanism = build("straightforward", Cluster.of([1]))
    plans = collect(mechanism, domain, needed(domain, "dominant", Plans.empty(domain).digit))
    assert found(check_with_kernel(mechanism, domain, "dominant", plans)) == found(
        check_by_running(Truth(Runs(mechanism), domain, "dominant"))
    )


def test_harsh_gains_are_minus_infinity() -> None:
    domain = Domain.of([1, 2], agents=2)
    mechanism = build("harsh", Cluster.of([1]))
    plans = collect(mechanism, domain, needed(domain, "dominant", Plans.empty(domain).digit))
    assert check_with_kernel(mechanism, domain, "dominant", plans).max_gain == -math.inf


@pytest.mark.parametrize("kernel", [jit(lambda x: x), None])
def test_chunks_come_in_order_and_whoever_stops_has_no_more(kernel: object) -> None:
    pieces, done = [(0, 3), (3, 6), (6, 9), (9, 10)], []
    assert list(in_chunks(lambda a, b: done.append((a, b)), 10, kernel, 3)) == pieces
    assert sorted(done) == pieces
    assert next(in_chunks(lambda a, b: None, 10, kernel, 3)) == (0, 3)
