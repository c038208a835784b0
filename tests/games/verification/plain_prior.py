"""The definitions of expectations and Bayes-Nash equilibria, written plainly, and small random mechanisms."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from consortium.games.verification.domain import Domain
from consortium.games.verification.prior import Prior
from consortium.mechanisms.declaration import build
from consortium.mechanisms.declaration.protocol import play
from consortium.scheduling.clusters import Cluster

RULES = ("straightforward", "light-vcg", "harsh", "vcg-renice", "vcg-postpone", "evcg-renice", "evcg-postpone")
MORE = ("postpone-unpaid", "verified", "verified-printed")


@dataclass(frozen=True)
class Answer:
    """All a mechanism has to say."""

    output: tuple[Any, ...]
    payments: tuple[Any, ...]


@dataclass(frozen=True)
class Arbitrary:
    """Output times and payments that depend on nothing but what is asked, as if by chance; few, so that many tie.

    ``never``: how many in ten jobs never end. ``scale``: of all numbers.
    """

    seed: int
    never: int = 0
    scale: int = 1

    def run(self, declared: Any, lengths: Any) -> Answer:
        rng = random.Random(f"{self.seed}: {declared} {lengths}")
        output = [math.inf if rng.randrange(10) < self.never else Fraction(rng.randrange(3)) for _ in declared]
        payments = [Fraction(rng.randrange(-2, 3), 2) * self.scale for _ in declared]
        return Answer(tuple(t if t == math.inf else t * self.scale for t in output), tuple(payments))


class Remembering:
    """A mechanism that is asked the same again and again."""

    def __init__(self, mech: Any) -> None:
        self.mech, self.values, self.goal = mech, getattr(mech, "values", None), getattr(mech, "goal", None)
        self.seen: dict[Any, Any] = {}

    def run(self, declared: Any, lengths: Any) -> Any:
        key = tuple(declared), tuple(lengths)
        if key not in self.seen:
            self.seen[key] = self.mech.run(*key)
        return self.seen[key]


def situation(rng: random.Random, n: int, sizes: tuple[int, int] = (1, 3)) -> tuple[Prior, Domain]:
    """Random odds for everybody, zeros among them, and a domain with lengths that are not likely."""
    numbers = [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3)]
    tables, lengths, declarations = [], [], []
    for _ in range(n):
        own = rng.sample(numbers, rng.randint(*sizes))
        weights = [rng.randrange(0, 4) for _ in own]
        weights[0] += 1
        tables.append({x: Fraction(w, sum(weights)) for x, w in zip(own, weights, strict=True)})
        lengths.append(sorted({*own, *rng.sample(numbers, rng.randrange(2))}))
        declarations.append(rng.sample(numbers, rng.randrange(3)))
    return Prior.of(tables), Domain.of(lengths, declarations)


def mechanism(rng: random.Random, n: int) -> Any:
    """A built-in rule or an arbitrary one."""
    if rng.randrange(2):
        return Arbitrary(rng.randrange(10**6), rng.choice((0, 0, 1, 5)), rng.choice((1, 1, 10**18)))
    cluster = Cluster.of(rng.choice(([1], [1, 2], [1, 1], [Fraction(1, 3), 2])))
    rounds = {"rounds": 2} if rng.randrange(4) == 0 else {}
    rule = rng.choice(RULES[3:] if rounds else (*RULES, *MORE))
    values = tuple(Fraction(rng.randrange(0, 9)) for _ in range(n))
    return build(rule, cluster, values=values, **rounds)


def odds(prior: Prior) -> list[dict[Fraction, Fraction]]:
    return [dict(own) for own in prior.distributions]


def expects(mech: Any, prior: Prior, maps: list[dict[Any, Any]], n: int, x: Fraction, b: Fraction) -> Any:
    """E over everybody's lengths given that agent n has length x, she declaring b, the others by their maps."""
    total: Any = Fraction(0)
    for lengths in itertools.product(*(own for own in odds(prior))):
        if lengths[n] != x:
            continue
        p = Fraction(1)
        for k, own in enumerate(odds(prior)):
            if k != n:
                p *= own[lengths[k]]
        said = [maps[k][lengths[k]] if k != n else b for k in range(len(lengths))]
        utility = play(mech, said, lengths).utilities[n]
        total = total + utility if utility == -math.inf else total + p * utility
    return total


def gains(mech: Any, prior: Prior, domain: Domain) -> list[Any]:
    """Every expected gain from a lie to truthful others."""
    honest = [{x: x for x in own} for own in odds(prior)]
    found = []
    for n, own in enumerate(odds(prior)):
        for x in own:
            truth = expects(mech, prior, honest, n, x, x)
            for b in sorted({*domain.declarations[n], x} - {x}):
                lie = expects(mech, prior, honest, n, x, b)
                found.append(Fraction(0) if lie == truth else lie - truth)
    return found


def all_profiles(prior: Prior, domain: Domain) -> Iterator[list[dict[Any, Any]]]:
    """What everybody may declare, by length."""
    own_maps = []
    for n, own in enumerate(odds(prior)):
        choices = [sorted({*domain.declarations[n], x}) for x in own]
        own_maps.append([dict(zip(own, picked, strict=True)) for picked in itertools.product(*choices)])
    return map(list, itertools.product(*own_maps))


def all_equilibria(mech: Any, prior: Prior, domain: Domain) -> list[tuple[list[dict[Any, Any]], Any]]:
    """Every equilibrium, and the expected sum of output times."""
    mech, found = Remembering(mech), []
    for maps in all_profiles(prior, domain):
        stable = all(
            expects(mech, prior, maps, n, x, b) <= expects(mech, prior, maps, n, x, maps[n][x])
            for n, own in enumerate(odds(prior))
            for x in own
            for b in {*domain.declarations[n], x}
        )
        if stable:
            found.append((maps, cost_of(mech, prior, maps)))
    return found


def cost_of(mech: Any, prior: Prior, maps: list[dict[Any, Any]]) -> Any:
    """Expected sum of the output times of those who stay."""
    total: Any = Fraction(0)
    for lengths in itertools.product(*(own for own in odds(prior))):
        p = math.prod((own[x] for own, x in zip(odds(prior), lengths, strict=True)), start=Fraction(1))
        outcome = play(mech, [own[x] for own, x in zip(maps, lengths, strict=True)], lengths)
        for t in outcome.output:
            if t is not None:
                total = total + t if t == math.inf else total + p * t
    return total
