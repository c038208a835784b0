"""Plans by orbits equal the mechanism's own, profile by profile, ties included."""

from __future__ import annotations

import random
from fractions import Fraction as F
from typing import Any

import pytest

from consortium.games.verification import Domain, orbits
from consortium.games.verification.orbits import collect
from consortium.games.verification.plans import Plans, needed
from consortium.mechanisms.declaration import Cutoff, OneRound, build
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import (
    LexicalMax,
    Makespan,
    SquaredDeviation,
    SumOfTimes,
    WeightedMakespan,
    WeightedSum,
)
from consortium.support.errors import ConsortiumError

RULES = [
    ("light-vcg", None), ("harsh", None), ("verified", None), ("evcg-renice", "repaired"), ("evcg-renice", "printed"),
    ("evcg-renice", "repaired-common"), ("evcg-renice", "printed-common"), ("evcg-renice", "safe"),
    ("evcg-renice", "1/3"), ("evcg-postpone", "exact"), ("evcg-postpone", "tight"), ("evcg-postpone", "printed"),
    ("postpone-unpaid", "printed-common"), ("evcg-postpone", "list"), ("shapley-share", "exact"),
    ("equal-share", "1/3"), ("full-time", "list"), ("designed", "0"),
]  # fmt: skip


def named(plans: Plans) -> list[Any]:
    """Rows with rationals in the place of their numbers."""
    values = [*plans.rationals.values, None]
    return [
        (place, position, [values[i] for i in penalty], [values[i] for i in bill])
        for place, position, penalty, bill in zip(
            plans.place.tolist(), plans.position.tolist(), plans.penalty.tolist(), plans.bill.tolist(), strict=True
        )
    ]


@pytest.mark.parametrize("seed", range(3 * len(RULES)))
def test_orbits_plan_as_the_mechanism_does(seed: int) -> None:
    rng = random.Random(seed)
    rule, penalty = RULES[seed % len(RULES)]
    n = rng.choice([1, 2, 3, 4])
    powers = [rng.choice([F(1), F(1), F(3, 2), F(2), F(3)]) for _ in range(rng.choice([1, 2, 3]))]
    pool = [F(1, 2), F(1), F(2), F(9, 4), F(3)]
    declared = [rng.sample(pool, rng.randint(1, 3)) for _ in range(n)]
    if rng.random() < 0.5:
        declared = [declared[0]] * n
    given = [F(k + 1, 5) for k in range(n)] if penalty == "list" else penalty
    goal = rng.choice([SumOfTimes(), Makespan(), Makespan(2), LexicalMax(), WeightedSum((2,) * n)])
    cutoff = Cutoff("difference", rng.choice([1, 2])) if penalty in ("tight", "printed", "printed-common") else None
    cutoff = None if rule == "evcg-renice" else cutoff
    price = "max(2*W - own, E/2 + all)" if rule == "designed" else None
    mechanism = build(rule, Cluster.of(powers), goal, penalty=given, price=price, cutoff=cutoff)
    domain = Domain.of(declared)
    wanted = needed(domain, "dominant", Plans.empty(domain).digit)
    assert orbits.covers(mechanism, domain)
    assert named(orbits.plan_all(mechanism, domain, wanted)) == named(collect(mechanism, domain, wanted))


@pytest.mark.parametrize("goal", [LexicalMax(), Makespan()], ids=str)
def test_a_printed_share_counts_the_jobs_behind(goal: Any) -> None:
    """Of two profiles alike in machines and in slopes of the sum, one may have more jobs behind an agent."""
    mechanism, domain = build("evcg-renice", Cluster.of([1, 1]), goal, penalty="printed"), Domain.of([1, 3], agents=4)
    wanted = needed(domain, "dominant", Plans.empty(domain).digit)
    assert named(orbits.plan_all(mechanism, domain, wanted)) == named(collect(mechanism, domain, wanted))


def test_only_goals_that_do_not_care_who_is_who_are_covered() -> None:
    domain = Domain.of([1, 2], agents=2)
    cluster = Cluster.of([1, 2])
    uncovered = [
        build("evcg-renice", cluster, WeightedSum((1, 2))),
        build("evcg-renice", cluster, WeightedMakespan((1, 1))),
        build("evcg-renice", cluster, SquaredDeviation(1)),
        build("evcg-renice", cluster, Makespan(), ties="listed"),
        build("evcg-postpone", cluster, cutoff=Cutoff("absolute", 1)),
    ]
    assert not any(orbits.covers(mechanism, domain) for mechanism in uncovered)
    for goal in (SumOfTimes(), Makespan(2), WeightedSum((3, 3))):  # the sum, whatever its name
        assert orbits.covers(build("evcg-renice", cluster, goal, ties="listed"), domain)
    assert not orbits.covers(build("harsh", Cluster.of([1] * 10)), Domain.of([1, 2], agents=6))


def test_a_mechanism_that_plans_otherwise_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison with the mechanism's own plans is not for show."""
    cluster = Cluster.of([1, 2])
    mechanism, other = (build("evcg-renice", cluster, Makespan(), penalty=p) for p in ("repaired", "safe"))
    honest = OneRound.plan
    domain = Domain.of([1, 2, 3], agents=2)
    wanted = needed(domain, "dominant", Plans.empty(domain).digit)
    monkeypatch.setattr(OneRound, "plan", lambda self, declared: honest(other, declared))
    with pytest.raises(ConsortiumError, match="differ in penalty"):
        orbits.plan_all(mechanism, domain, wanted)
