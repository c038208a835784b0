"""Work functions, and what efficient and work-function-Pareto-efficient mean."""

from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.scheduling.allocations import Allocation, allocations
from consortium.scheduling.clusters import Cluster

from .work import WorkAllocation, WorkFunction, usage

SHARES = [Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1)]


def from_slots(shares: list[Fraction]) -> WorkFunction:
    """One share per unit of time."""
    return WorkFunction.of([(t, t + 1, share) for t, share in enumerate(shares)])


@settings(deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(SHARES), max_size=6), st.integers(0, 12))
def test_against_slots(shares: list[Fraction], half: int) -> None:
    f, t = from_slots(shares), Fraction(half, 2)
    assert f.amount() == sum(shares)
    assert f.at(t) == (shares[int(t)] if t < len(shares) else 0)
    assert f.amount(t) == sum(shares[: int(t)]) + (t - int(t)) * f.at(t)
    assert f.end == max((i + 1 for i, s in enumerate(shares) if s), default=0)
    assert f.begin == min((i for i, s in enumerate(shares) if s), default=math.inf)
    assert f.between(0, t).then(f.between(t, math.inf)) == f
    assert f.moved(3).moved(-3) == f
    assert usage([f]) == f.pieces
    if t <= f.amount():
        reached = f.reaches(t)
        assert f.amount(reached) == t
        assert t == 0 or f.amount(reached - Fraction(1, 100)) < t
    else:
        assert f.reaches(t) == math.inf


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.lists(st.integers(1, 3), min_size=1, max_size=3), st.lists(st.integers(1, 2), min_size=1, max_size=2))
def test_efficient_schedules_and_definition_3_7(lengths: list[int], powers: list[int]) -> None:
    """Efficient schedules: a job gains alone exactly by appending itself to another machine."""
    cluster = Cluster.of(powers)
    for lists in allocations(len(lengths), len(powers)):
        allocation = Allocation(lists)
        plan = WorkAllocation.run(allocation, cluster, lengths)
        ends = allocation.end_times(cluster, lengths)
        assert plan.fulfils(lengths)
        assert plan.is_efficient()
        assert plan.ends == ends
        loads = [sum(Fraction(lengths[j], c) for j in jobs) for jobs, c in zip(lists, powers, strict=True)]
        gains = any(
            loads[m] + Fraction(lengths[n], c) < ends[n]
            for n, (home, _) in enumerate(allocation.places)
            for m, c in enumerate(powers)
            if m != home
        )
        assert plan.is_pareto_efficient(lengths) is not gains


@settings(deadline=None, derandomize=True, max_examples=80)
@given(st.lists(st.sampled_from([0, 0, 1, 2]), min_size=1, max_size=6))
def test_definition_3_7_by_slots(owners: list[int]) -> None:
    """Unit slots of one machine: a job gains alone iff an idle slot comes before its last one."""
    functions = [from_slots([Fraction(o == job) for o in owners]) for job in (1, 2)]
    plan = WorkAllocation(Cluster.of([1]), (0, 0), tuple(functions))
    lengths = [owners.count(1), owners.count(2)]
    idle = [t for t, o in enumerate(owners) if o == 0]
    gains = any(t + 1 < f.end for t in idle for f in functions)
    assert plan.is_pareto_efficient(lengths) is not gains
    intervals = all(len(f.pieces) <= 1 for f in functions)
    packed = owners == [*[o for o in owners if o], *([0] * len(idle))]
    assert plan.is_efficient() is (intervals and packed)
