"""Games of a shape by their definition, and covers and price trees made by the shortest way; slow, for small shapes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from consortium.games.equilibria.simplex import maximum

Hosts = tuple[int, ...]


class Shape:
    """All games of a shape; jobs are numbered organization by organization."""

    def __init__(self, jobs: Sequence[int], ranks: Sequence[Sequence[int]] | None = None) -> None:
        self.jobs, self.n = tuple(jobs), len(jobs)
        self.owner = [a for a, count in enumerate(jobs) for _ in range(count)]
        self.size = len(self.owner)
        self.rank = self.owner if ranks is None else [r for one in ranks for r in one]
        self.seen: dict[tuple[Hosts, int], dict[int, list[int]]] = {}
        self.schedules: list[list[list[int]]] = []
        self.ranks = None if ranks is None else [list(one) for one in ranks]

    def own(self, a: int) -> list[int]:
        return [j for j in range(self.size) if self.owner[j] == a]

    def until(self, hosts: Hosts, a: int, machine: int) -> list[int]:
        """The queue of a machine up to the last job of an organization."""
        there = [j for j in range(self.size) if hosts[j] == machine]
        queue = sorted(there, key=lambda j: (self.owner[j] != machine, self.rank[j]))
        last = max(k for k, j in enumerate(queue) if self.owner[j] == a)
        return queue[: last + 1]

    def terms(self, hosts: Hosts, a: int) -> dict[int, list[int]]:
        if (hosts, a) not in self.seen:
            machines = sorted({hosts[j] for j in self.own(a)})
            self.seen[hosts, a] = {machine: self.until(hosts, a, machine) for machine in machines}
        return self.seen[hosts, a]

    def cost(self, lengths: Sequence[Any], hosts: Hosts, a: int) -> Any:
        return max((sum(lengths[j] for j in jobs) for jobs in self.terms(hosts, a).values()), default=0)

    def makespan(self, lengths: Sequence[Any], hosts: Hosts) -> Any:
        return max(self.cost(lengths, hosts, a) for a in range(self.n))

    def placements(self) -> Iterator[Hosts]:
        return itertools.product(range(self.n), repeat=self.size)

    def deviations(self, hosts: Hosts, a: int) -> Iterator[Hosts]:
        for moved in itertools.product(range(self.n), repeat=self.jobs[a]):
            to = dict(zip(self.own(a), moved, strict=True))
            yield tuple(to.get(j, host) for j, host in enumerate(hosts))

    def stays(self, lengths: Sequence[Any], hosts: Hosts, epsilon: Any = 1) -> bool:
        """Whether it is an equilibrium."""
        return all(
            self.cost(lengths, hosts, a) <= epsilon * self.cost(lengths, other, a)
            for a in range(self.n)
            for other in self.deviations(hosts, a)
        )

    def equilibria(self, lengths: Sequence[Any]) -> list[Hosts]:
        """All of them."""
        costs = {hosts: [self.cost(lengths, hosts, a) for a in range(self.n)] for hosts in self.placements()}
        return [
            hosts
            for hosts, paid in costs.items()
            if all(paid[a] <= costs[other][a] for a in range(self.n) for other in self.deviations(hosts, a))
        ]

    def partitions(self) -> list[list[list[int]]]:
        """Schedules, as the jobs of each machine that has some; machines are alike."""
        if not self.schedules:
            jobs = range(self.size)
            every = {tuple(sorted({tuple(j for j in jobs if h[j] == m) for m in h})) for h in self.placements()}
            self.schedules = [[list(jobs) for jobs in one] for one in sorted(every)]
        return self.schedules

    def optimum(self, lengths: Sequence[Any]) -> Any:
        return min(max(sum(lengths[j] for j in jobs) for jobs in one) for one in self.partitions())

    def form(self, jobs: Sequence[int]) -> list[int]:
        """A sum of lengths in differences: x[k] is in the length of job k and of all before it of the same owner."""
        return [sum(self.owner[k] == self.owner[j] and j <= k for j in jobs) for k in range(self.size)]

    def lengths(self, x: Sequence[Any]) -> list[Any]:
        return [sum(x[k] for k in range(j, self.size) if self.owner[k] == self.owner[j]) for j in range(self.size)]

    def certificate(self, name: str, bound: Fraction | None, **trees: Any) -> dict[str, Any]:
        at_most = None if bound is None else [bound.numerator, bound.denominator]
        head = {"format": 1, "kind": "shape", "about": "a small shape", "property": name}
        return {**head, "jobs": list(self.jobs), "ranks": self.ranks, "at_most": at_most, **trees}


def value(form: Sequence[int], x: Sequence[Any]) -> Any:
    return sum(a * b for a, b in zip(form, x, strict=True))


def minus(a: Sequence[int], b: Sequence[int], p: int = 1, q: int = 1) -> list[int]:
    return [p * c - q * d for c, d in zip(a, b, strict=True)]


def whole(numbers: Sequence[Fraction]) -> list[int]:
    scale = lcm(*[number.denominator for number in numbers])
    return [int(number * scale) for number in numbers]


class Refuted(Exception):
    """Lengths without such a placement."""


def cover(shape: Shape, name: str = "pure-equilibrium", bound: Fraction | None = None) -> dict[str, Any]:
    """A certificate; Refuted with lengths where there is none."""
    nodes: list[Any] = []
    grow_cover(shape, name, bound or Fraction(1), [], nodes)
    return shape.certificate(name, bound, nodes=nodes)


def grow_cover(shape: Shape, name: str, bound: Fraction, way: list[list[int]], nodes: list[Any]) -> None:
    n = shape.size
    unit = [[int(i == j) for j in range(n)] for i in range(n)]
    rows = [[*(-a for a in row), 1] for row in [*way, *unit]]
    best = maximum([0] * n + [1], [*rows, [1] * n + [0]], [0] * len(rows) + [1])
    assert best is not None
    if best.value == 0:
        multipliers = whole(best.multipliers[: len(way)])
        nodes.append(["E", [[i, m] for i, m in enumerate(multipliers) if m]])
        return
    x = whole(best.point[:n])
    lengths = shape.lengths(x)
    stable = name == "price-of-stability"
    epsilon, least = (Fraction(1) if stable else bound), shape.optimum(lengths)
    for hosts in shape.placements():
        if shape.stays(lengths, hosts, epsilon) and (not stable or shape.makespan(lengths, hosts) <= bound * least):
            break
    else:
        raise Refuted(lengths)
    way = way[:]
    for form in needed(shape, hosts, x, epsilon, bound if stable else None):
        if min(form) < 0 and not any(implied(form, row) for row in way):
            nodes.append(["S", form])
            grow_cover(shape, name, bound, [*way, [-a for a in form]], nodes)
            way.append(form)
    nodes.append(["Q", list(hosts)])


def implied(form: Sequence[int], row: Sequence[int]) -> bool:
    """Whether the form is at least a positive multiple of the row: one of these, or none is."""
    ratios = [Fraction(a, b) for a, b in zip(form, row, strict=True) if b and a * b > 0]
    return any(min(minus(form, row, r.denominator, r.numerator)) >= 0 for r in ratios)


def needed(shape: Shape, hosts: Hosts, x: list[int], epsilon: Fraction, bound: Fraction | None) -> Iterator[list[int]]:
    """Forms that make it an equilibrium, and within the bound, for each deviation (schedule) the largest term here."""
    every = []
    for a in range(shape.n):
        terms = [shape.form(jobs) for jobs in shape.terms(hosts, a).values()]
        every += terms
        for other in shape.deviations(hosts, a):
            if other != hosts:
                replies = [shape.form(jobs) for jobs in shape.terms(other, a).values()]
                reply = max(replies, key=lambda form: value(form, x))
                yield from (minus(reply, term, *epsilon.as_integer_ratio()) for term in terms)
    for partition in [] if bound is None else shape.partitions():
        load = max([shape.form(jobs) for jobs in partition], key=lambda form: value(form, x))
        yield from (minus(load, term, *bound.as_integer_ratio()) for term in every)


def price(shape: Shape, bound: Fraction) -> dict[str, Any]:
    """A certificate of the price of anarchy; Refuted with a game beyond the bound."""
    roots: list[Any] = []
    first = [(shape.form(range(shape.size)), shape.n)]
    first += [(shape.form(shape.own(a)[:1]), 1) for a in range(shape.n) if shape.jobs[a]]
    for hosts in shape.placements():
        for a in range(shape.n):
            for machine, jobs in shape.terms(hosts, a).items():
                nodes: list[Any] = []
                grow_price(shape, hosts, shape.form(jobs), bound, first, (), nodes)
                roots.append([list(hosts), a, machine, nodes])
    return shape.certificate("price-of-anarchy", bound, roots=roots)


def grow_price(
    shape: Shape,
    hosts: Hosts,
    objective: list[int],
    bound: Fraction,
    way: list[Any],
    loads: tuple[tuple[int, ...], ...],
    nodes: list[Any],
) -> None:
    best = maximum(objective, [row for row, _ in way], [right for _, right in way])
    assert best is not None
    if best.value <= bound:
        below, *multipliers = whole([Fraction(1), *best.multipliers])
        nodes.append(["L", below, [[i, m] for i, m in enumerate(multipliers) if m]])
        return
    lengths = shape.lengths(best.point)
    for a in range(shape.n):
        reply = min(shape.deviations(hosts, a), key=lambda other: shape.cost(lengths, other, a))
        if shape.cost(lengths, reply, a) < shape.cost(lengths, hosts, a):
            nodes.append(["D", a, [reply[j] for j in shape.own(a)]])
            terms = [shape.form(jobs) for jobs in shape.terms(hosts, a).values()]
            for jobs in shape.terms(reply, a).values():
                rows = [(minus(term, shape.form(jobs)), 0) for term in terms]
                grow_price(shape, hosts, objective, bound, [*way, *rows], loads, nodes)
            return
    if shape.optimum(lengths) <= 1:
        raise Refuted(lengths)
    assigned = {j for jobs in loads for j in jobs}
    job = max((j for j in range(shape.size) if j not in assigned), key=lambda j: lengths[j])
    nodes.append(["O", job])
    for k, jobs in enumerate([*loads, ()][: shape.n]):
        more = (*loads[:k], (*jobs, job), *loads[k + 1 :])
        grow_price(shape, hosts, objective, bound, [*way, (shape.form(more[k]), 1)], more, nodes)
