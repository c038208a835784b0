"""Random rules, each with its plain twin, on random small domains."""

from __future__ import annotations

import random
from fractions import Fraction as F
from types import ModuleType
from typing import Any

from consortium.games.incentives.domain import Domain
from consortium.mechanisms.declaration import Cutoff, build
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import (
    LexicalMax,
    Makespan,
    SquaredDeviation,
    SumOfTimes,
    WeightedMakespan,
    WeightedSum,
)

RULES = [
    ("straightforward", None, None),
    ("light-vcg", None, None),
    ("harsh", None, None),
    ("verified", None, None),
    ("verified-printed", None, None),
    *[(rule, penalty, None) for rule in ("vcg-renice", "evcg-renice")
      for penalty in ("repaired", "repaired-common", "printed", "printed-common", "safe", "2/3")],
    *[(rule, penalty, cutoff) for rule in ("vcg-postpone", "evcg-postpone", "postpone-unpaid")
      for penalty, cutoff in [
          ("exact", None), ("exact", "difference"), ("exact", "absolute"), ("tight", "difference"), ("1/2", None),
          ("printed", "difference"), ("printed-common", "difference"), ("printed-absolute", "absolute")]],
    ("vcg-postpone", "static-end", None),
]  # fmt: skip


def goals(rng: random.Random, n: int) -> Any:
    weights = [rng.randint(0, 9) for _ in range(n)]
    target = rng.randint(0, 4)
    return rng.choice(
        [
            (SumOfTimes(), lambda t: -sum(t)),
            (Makespan(), lambda t: -max(t)),
            (Makespan(2), lambda t: -sum(sorted(t)[-2:])),
            (LexicalMax(), lambda t: tuple(-x for x in sorted(t, reverse=True))),
            (WeightedSum(tuple(weights)), lambda t: -sum(w * x for w, x in zip(weights, t, strict=True))),
            (WeightedMakespan(tuple(weights)), lambda t: -max(w * x for w, x in zip(weights, t, strict=True))),
            (SquaredDeviation(target), lambda t: -sum((x - target) ** 2 for x in t)),
        ]
    )


def situation(seed: int, plain: ModuleType) -> tuple[Any, Any, Domain]:
    """A random rule with its plain twin, and a random small domain."""
    rng = random.Random(seed)
    rule, penalty, cutoff = RULES[seed % len(RULES)]
    n = rng.choice([1, 2, 2, 2, 3]) if seed % 4 else 3
    powers = [rng.choice([F(1), F(1), F(3, 2), F(2), F(3)]) for _ in range(rng.choice([1, 2, 2, 3]))]
    values = [F(1, 2), F(1), F(2), F(9, 4), F(3)]
    size = 2 if n == 3 else 3
    lengths = [rng.sample(values, rng.randint(1, size)) for _ in range(n)]
    declared = [rng.sample(values, rng.randint(1, size)) for _ in range(n)]
    if rng.random() < 0.4:
        lengths, declared = [lengths[0]] * n, [declared[0]] * n
    goal, function = goals(rng, n) if rule not in ("vcg-renice", "vcg-postpone") else (SumOfTimes(), lambda t: -sum(t))
    ties = rng.choice(["sum", "listed"])
    bound = {None: None, "difference": rng.choice([F(1, 2), F(1)]), "absolute": rng.choice([F(3), F(7, 2)])}[cutoff]
    mechanism = build(
        rule, Cluster.of(powers), goal, penalty=penalty, cutoff=Cutoff(cutoff, bound) if cutoff else None, ties=ties
    )
    twin_penalty = F(penalty) if penalty and penalty[0].isdigit() else penalty
    twin = plain.Plain(rule, powers, function, twin_penalty, (cutoff, bound) if cutoff else None, ties)
    return mechanism, twin, Domain.of(lengths, declared)
