"""Random rules, each with its plain twin, on random small domains; the same in other units too."""

from __future__ import annotations

import random
from fractions import Fraction as F
from typing import Any

from consortium.games.verification.domain import Domain
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

from .plain import Plain

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


def goals(rng: random.Random, n: int, time: F) -> Any:
    weights = [rng.randint(0, 9) for _ in range(n)]
    target = rng.randint(0, 4) * time
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


def situation(seed: int, length: F = F(1), power: F = F(1)) -> tuple[Any, Any, Domain]:
    """A random rule with its plain twin, and a random small domain.

    The same seed is the same situation, with lengths ``length`` times as long and powers ``power`` times as large: all
    times and payments are ``length / power`` times as large.
    """
    rng = random.Random(seed)
    n = rng.choice([1, 2, 2, 2, 3]) if seed % 4 else 3
    time = length / power
    powers = [power * rng.choice([F(1), F(1), F(3, 2), F(2), F(3)]) for _ in range(rng.choice([1, 2, 2, 3]))]
    values = [length * x for x in (F(1, 2), F(1), F(2), F(9, 4), F(3))]
    size = 2 if n == 3 else 3
    lengths = [rng.sample(values, rng.randint(1, size)) for _ in range(n)]
    declared = [rng.sample(values, rng.randint(1, size)) for _ in range(n)]
    if rng.random() < 0.4:
        lengths, declared = [lengths[0]] * n, [declared[0]] * n
    bounds = {"difference": length * rng.choice([F(1, 2), F(1)]), "absolute": length * rng.choice([F(3), F(7, 2)])}
    return *_pair(rng, seed, n, powers, time, bounds), Domain.of(lengths, declared)


def with_many_digits(seed: int) -> tuple[Any, Any, Domain]:
    """The same with decimals of six to nine digits, or lengths of 15 to 18 digits, and values near the times."""
    rng = random.Random(seed)
    n = rng.choice([1, 2, 2, 3])
    long = rng.random() < 0.5

    def number() -> F:
        return F(rng.randint(10**15, 10**18)) if long else F(rng.randint(1, 10**9), 10 ** rng.randint(6, 9))

    powers = [F(rng.randint(1, 9999), 10 ** rng.randint(0, 3)) for _ in range(rng.choice([1, 2, 3]))]
    pool = [number() for _ in range(3)]
    lengths = [rng.sample(pool, rng.randint(1, 2)) for _ in range(n)]
    declared = [rng.sample(pool, rng.randint(1, 2)) for _ in range(n)]
    if rng.random() < 0.4:
        lengths, declared = [lengths[0]] * n, [declared[0]] * n
    time = pool[0] / powers[0]
    values = [rng.choice([F(0), time * rng.randint(1, 5), number()]) for _ in range(n)]
    bounds = {"difference": rng.choice([number(), pool[0] / 2]), "absolute": max(pool) + rng.choice([0, number()])}
    return *_pair(rng, seed, n, powers, time, bounds, values), Domain.of(lengths, declared)


def _pair(
    rng: random.Random,
    seed: int,
    n: int,
    powers: list[F],
    time: F,
    bounds: dict[str, F],
    values: list[F] | None = None,
) -> tuple[Any, Any]:
    """The rule of this seed and its twin; ``time``: what is one unit of it."""
    rule, penalty, cutoff = RULES[seed % len(RULES)]
    by_sum = rule in ("vcg-renice", "vcg-postpone")
    goal, function = (SumOfTimes(), lambda t: -sum(t)) if by_sum else goals(rng, n, time)
    ties = rng.choice(["sum", "listed"])
    if penalty and penalty[0].isdigit():
        penalty = F(penalty) * (time if rule.endswith(("postpone", "unpaid")) else 1)  # a duration, or a share
    limit = Cutoff(cutoff, bounds[cutoff]) if cutoff else None
    mechanism = build(rule, Cluster.of(powers), goal, penalty=penalty, cutoff=limit, ties=ties, values=values)
    bound = (cutoff, bounds[cutoff]) if cutoff else None
    return mechanism, Plain(rule, powers, function, penalty, bound, ties, values)
