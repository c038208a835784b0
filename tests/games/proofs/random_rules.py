"""Random piecewise-linear mechanisms, and every statement on a grid by trying everything."""

from __future__ import annotations

import itertools
import math
import operator
import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction as F
from types import SimpleNamespace
from typing import Any, Protocol, TypeAlias

from consortium.scheduling.clusters import Cluster
from consortium.support.errors import InputError

Number: TypeAlias = Any
Expression: TypeAlias = Callable[[Sequence[Number]], Number]
ORDERS = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)
EPSILON = F(1, 2**60)
"""Far below the distance between any grid point here and a number at which some branch changes."""


class Rule(Protocol):
    """What the definitions need."""

    n: int
    values: Sequence[Number]
    cluster: Cluster

    def run(self, declared: Sequence[Number], lengths: Sequence[Number]) -> Any: ...


class RandomRule:
    """Nested ifs over linear tests, nested min, max and abs in the results, all of it by chance."""

    def __init__(self, rng: random.Random, n: int) -> None:
        self.n, self.values, self.cluster = n, [0] * n, Cluster.of([(1,), (1, 2), (2, 2)][rng.randrange(3)])
        self.rng = rng
        self.declared_only = rng.random() < 0.5
        self.others_only = rng.random() < 0.5
        self.refuses = rng.random() < 0.15
        self.endless = rng.random() < 0.15
        self.root = self._branch(rng.randint(0, 3))
        self.payment = [self._expression(rng.randint(0, 2), self._places(k)) for k in range(n)]

    def _places(self, agent: int | None = None) -> list[int]:
        """Which of ``b_1 .. b_n, theta_1 .. theta_n`` are looked at."""
        places = list(range(self.n)) if self.declared_only else list(range(2 * self.n))
        return [p for p in places if not self.others_only or agent is None or p % self.n != agent]

    def _form(self, places: Sequence[int], low: int = -3) -> Expression:
        rng = self.rng
        weights = {p: rng.randint(low, 3) for p in places if rng.random() < 0.6}
        constant = rng.choice((0, 0, rng.randint(low, 4)))
        return lambda x: sum([w * x[p] for p, w in weights.items()], constant)

    def _expression(self, depth: int, places: Sequence[int]) -> Expression:
        if depth == 0 or self.rng.random() < 0.2:
            return self._form(places)
        one, two = self._expression(depth - 1, places), self._expression(depth - 1, places)
        match self.rng.choice(("min", "max", "abs", "sorted", "sum")):
            case "min":
                return lambda x: min(one(x), two(x))
            case "max":
                return lambda x: max(one(x), two(x))
            case "abs":
                return lambda x: abs(one(x) - two(x))
            case "sorted":
                return lambda x: sorted([one(x), x[0], two(x)])[1]
        return lambda x: one(x) + two(x)

    def _branch(self, depth: int) -> Callable[[Sequence[Number]], list[Number]]:
        rng = self.rng
        if depth == 0:
            if self.refuses and rng.random() < 0.5:
                return self._refuse
            outputs = [self._form(self._places(k), low=0) for k in range(self.n)]
            lost = rng.randrange(self.n) if self.endless and rng.random() < 0.5 else None
            return lambda x: [math.inf if k == lost else f(x) for k, f in enumerate(outputs)]
        places = self._places(rng.randrange(self.n))
        test, order, bound = self._form(places), rng.choice(ORDERS), self._form(places)
        yes, no = self._branch(depth - 1), self._branch(rng.randint(0, depth - 1))
        return lambda x: yes(x) if order(test(x), bound(x)) else no(x)

    @staticmethod
    def _refuse(x: Sequence[Number]) -> list[Number]:
        raise InputError("not here")

    def run(self, declared: Sequence[Number], lengths: Sequence[Number]) -> Any:
        """Outputs by the branch, payments by their own expressions."""
        x = [*declared, *lengths]
        return SimpleNamespace(output=self.root(x), payments=[pay(x) for pay in self.payment])


# every statement by its definition -----------------------------------------------------------------------------------


def utilities(rule: Rule, said: Sequence[Number], meant: Sequence[Number]) -> list[Number] | None:
    """Of everybody, 0 for who has left; None where the declarations are refused."""
    try:
        outcome = rule.run(said, meant)
    except InputError:
        return None
    parts = zip(rule.values, outcome.output, outcome.payments, strict=True)
    return [0 if t is None else -math.inf if t == math.inf else v - t - (p or 0) for v, t, p in parts]


def put(numbers: Sequence[Number], k: int, number: Number) -> list[Number]:
    """The numbers with another one in place ``k``."""
    return [*numbers[:k], number, *numbers[k + 1 :]]


def pays(rule: Rule, k: int, said: Sequence[Number], meant: Sequence[Number], lie: Number) -> bool:
    """Whether agent ``k`` gains by a lie."""
    told = utilities(rule, put(said, k, meant[k]), meant)
    lied = utilities(rule, put(said, k, lie), meant)
    return told is not None and lied is not None and lied[k] > told[k]


def profiles(rule: Rule, grid: Sequence[Number], concept: str) -> Iterator[tuple[Any, Any]]:
    """What is said and meant by everybody."""
    for meant in itertools.product(grid, repeat=rule.n):
        for said in [meant] if concept == "ex-post" else itertools.product(grid, repeat=rule.n):
            yield said, meant


def fails_on(rule: Rule, grid: Sequence[Number], statement: str) -> bool:
    """Whether a statement fails somewhere on the grid."""
    if statement in ("dominant", "ex-post"):
        situations = profiles(rule, grid, statement)
        return any(pays(rule, k, b, x, lie) for b, x in situations for k in range(rule.n) for lie in grid)
    honest = statement in ("upper-margin", "lower-margin", "individually-rational")
    fails = FAILS[statement]
    return any(fails(rule, b, x) for b, x in profiles(rule, grid, "ex-post" if honest else "dominant"))


def _rent(rule: Rule, said: Any, meant: Any) -> Number:
    return 0 if utilities(rule, said, meant) is None else sum(p or 0 for p in rule.run(said, meant).payments)


def _late(rule: Rule, said: Any, meant: Any) -> bool:
    for k in range(rule.n):
        b = put(said, k, meant[k])
        if utilities(rule, b, b) is not None and utilities(rule, b, meant) is not None:
            output, planned = (rule.run(b, x).output[k] for x in (meant, b))
            if None not in (output, planned) and output > planned:
                return True
    return False


def _jumps(rule: Rule, said: Any, meant: Any, way: int) -> bool:
    for k in range(rule.n):
        b = put(said, k, meant[k])
        at, *near = (utilities(rule, b, put(meant, k, meant[k] + way * d * EPSILON)) for d in (0, 1, 2))
        if at is not None and all(u is not None for u in near):
            one, two = (u[k] for u in near if u is not None)
            if at[k] != (one if math.inf in (abs(one), abs(two)) else 2 * one - two):
                return True
    return False


def _impossible(rule: Rule, said: Any, meant: Any) -> bool:
    """Some jobs are more work than the machines do by their output times, the fastest for the last."""
    if utilities(rule, said, meant) is None:
        return False
    output, fastest = rule.run(said, meant).output, sorted(rule.cluster.powers, reverse=True)
    timed = [k for k, t in enumerate(output) if t is not None and t != math.inf]
    sets = [jobs for size in range(1, len(timed) + 1) for jobs in itertools.combinations(timed, size)]
    return any(
        sum(meant[k] for k in jobs) > sum(map(operator.mul, fastest, sorted((output[k] for k in jobs), reverse=True)))
        for jobs in sets
    )


def _repriced(rule: Rule, said: Any, meant: Any) -> bool:
    both = [None if utilities(rule, said, x) is None else list(rule.run(said, x).payments) for x in (said, meant)]
    return None not in both and both[0] != both[1]


FAILS: dict[str, Callable[[Rule, Any, Any], bool]] = {
    "rent-nonnegative": lambda rule, b, x: _rent(rule, b, x) < 0,
    "budget-balanced": lambda rule, b, x: _rent(rule, b, x) != 0,
    "payments-nonnegative": lambda rule, b, x: utilities(rule, b, x) is not None and min(rule.run(b, x).payments) < 0,
    "priced-in-advance": _repriced,
    "feasible": _impossible,
    "just": _late,
    "upper-margin": lambda rule, b, x: _jumps(rule, b, x, -1),
    "lower-margin": lambda rule, b, x: _jumps(rule, b, x, 1),
    "upper-margin-any-others": lambda rule, b, x: _jumps(rule, b, x, -1),
    "lower-margin-any-others": lambda rule, b, x: _jumps(rule, b, x, 1),
    "individually-rational": lambda rule, b, x: any(u < 0 for u in utilities(rule, b, x) or ()),
    "accepts-every-input": lambda rule, b, x: utilities(rule, b, x) is None or math.inf in rule.run(b, x).output,
}
