r"""Where the optimal allocation changes when one declared length varies.

Model. Job ``n`` has length ``x``; the end times of an allocation are lines in ``x``. Its key is what the goal compares
(costs that are piecewise linear, or minus a value that is a polynomial), then (with ``ties="sum"``) the sum of end
times, then its places: functions of ``x`` and a constant. From a point where an allocation ``A`` is best, the next
switch is the first ``x`` at which another one ties with it or beats it. Where that is irrational (two polynomials
meet), an interval is told that holds it, and the search goes on behind the interval. All allocations are compared, so
this is for small numbers of them; a goal that orders times as their sum does switches only where ``x`` passes another
length, which the caller knows.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...mechanisms.declaration.one_round import OneRound
from ...scheduling.allocations import allocations, n_allocations
from ...scheduling.goals.base import Goal
from ...scheduling.goals.costs import Cost, Form
from ...scheduling.polynomials import Place, Polynomial, at, first_root, minus, shifted
from ...support.exact import total
from ...support.progress import Progress

MAX_ALLOCATIONS = 5040
MAX_DEGREE = 8
"""Of the polynomials that are compared; sums of squares have 2."""
Line = tuple[Fraction, Fraction]
"""Value at 0 and slope."""
Places = tuple[tuple[int, int], ...]


def covers(mechanism: OneRound, n_agents: int) -> bool:
    """Whether every switch of this mechanism is found, or told in an interval of its own."""
    if mechanism.allocate is not None or mechanism.heuristic:
        return False
    cost = mechanism.goal.cost(n_agents)
    if cost is not None and cost.form is Form.SUM:
        return True
    if n_allocations(n_agents, mechanism.cluster.n_machines) > MAX_ALLOCATIONS:
        return False
    return _is_linear(cost) or _is_polynomial(mechanism.goal, n_agents)


def compared(mechanism: OneRound, n_agents: int) -> int:
    """How many allocations are compared along the range; none where sizes alone tell the switches."""
    cost = mechanism.goal.cost(n_agents)
    return 0 if cost is not None and cost.form is Form.SUM else n_allocations(n_agents, mechanism.cluster.n_machines)


def _is_linear(cost: Cost | None) -> bool:
    """Whether what is compared is piecewise linear."""
    return cost is not None and cost.form is not Form.SQUARED


def _is_polynomial(goal: Goal, n_agents: int) -> bool:
    value = goal.along([(Fraction(0), Fraction(1))] * n_agents)
    return value is not None and len(value) <= MAX_DEGREE + 1


def switches(
    mechanism: OneRound,
    declared: Sequence[Fraction],
    agent: int,
    low: Fraction,
    high: Fraction,
    width: Fraction,
    progress: Progress | None = None,
) -> Iterator[Place]:
    """Where in ``(low, high)`` the optimal allocation may change, in order; elsewhere it does not.

    A place is a point (given twice), or an interval of at most ``width``.
    """
    goal, n_agents = mechanism.goal, len(declared)
    cost = goal.cost(n_agents)
    if cost is not None and cost.form is Form.SUM:
        return
    candidates = [
        _Candidate.of(mechanism, cost if _is_linear(cost) else None, lists, declared, agent, low, high)
        for lists in allocations(n_agents, mechanism.cluster.n_machines)
    ]
    by_sum, x = mechanism.ties == "sum", low
    for found in itertools.count():
        if progress:
            progress(found, None, "switches of the allocation")
        best = min(candidates, key=lambda c: c.just_after(x, by_sum))
        places = (best.first_tie(other, x, high, width, by_sum) for other in candidates if other is not best)
        following = min((place for place in places if place is not None), default=None)
        if following is None:
            return
        yield following
        x = following[1]
        if x >= high:
            return


@dataclass(frozen=True)
class _Candidate:
    """One allocation: its end times as lines, where their order changes, and its places.

    ``cost`` is what the goal compares where that is piecewise linear, else ``value`` is the goal's as a polynomial.
    """

    cost: Cost | None
    value: Polynomial
    ends: tuple[Line, ...]
    turns: tuple[Fraction, ...]
    places: Places

    @classmethod
    def of(
        cls,
        mechanism: OneRound,
        cost: Cost | None,
        lists: tuple[tuple[int, ...], ...],
        declared: Sequence[Fraction],
        agent: int,
        low: Fraction,
        high: Fraction,
    ) -> _Candidate:
        ends: list[Line] = [(Fraction(0), Fraction(0))] * len(declared)
        places: list[tuple[int, int]] = [(0, 0)] * len(declared)
        for machine, (power, jobs) in enumerate(zip(mechanism.cluster.powers, lists, strict=True)):
            level, slope = Fraction(0), Fraction(0)
            for position, job in enumerate(jobs):
                if job == agent:
                    slope = 1 / power
                else:
                    level += declared[job] / power
                ends[job], places[job] = (level, slope), (machine, position)
        if cost is None:
            value = mechanism.goal.along(ends)
            assert value is not None  # covers() has asked
            return cls(None, value, tuple(ends), (), tuple(places))
        weighted = _weighted(cost, ends)
        turns = {_crossing(p, q) for p, q in itertools.combinations(set(weighted), 2)} if _orders(cost) else set()
        inside = sorted(t for t in turns if t is not None and low < t < high)
        return cls(cost, (), tuple(ends), tuple(inside), tuple(places))

    def costs(self, x: Fraction) -> tuple[Polynomial, ...]:
        """What the goal compares, as polynomials that hold from ``x`` to the next turn, most important first."""
        if self.cost is None:
            return (tuple(-c for c in self.value),)
        lines = _weighted(self.cost, self.ends)
        if not _orders(self.cost):
            return (_sum(lines),)
        ranked = sorted(lines, key=lambda line: (line[0] + line[1] * x, line[1]), reverse=True)
        return tuple(ranked) if self.cost.form is Form.LEXICAL else (_sum(ranked[: self.cost.count]),)

    def key(self, x: Fraction, by_sum: bool) -> tuple[Polynomial, ...]:
        """Costs and, where it breaks ties, the sum of end times."""
        return (*self.costs(x), _sum(self.ends)) if by_sum else self.costs(x)

    def just_after(self, x: Fraction, by_sum: bool) -> tuple[object, ...]:
        """Sorts as the keys do on a short enough interval to the right of ``x``."""
        return (tuple(shifted(p, x) for p in self.key(x, by_sum)), self.places)

    def first_tie(self, other: _Candidate, x: Fraction, high: Fraction, width: Fraction, by_sum: bool) -> Place | None:
        """First place in ``(x, high)`` at which the comparison with ``other`` is not what it is just after ``x``."""
        turns = sorted({x, high, *(t for t in (*self.turns, *other.turns) if x < t < high)})
        for start, end in itertools.pairwise(turns):
            if start > x and other.just_after(start, by_sum) < self.just_after(start, by_sum):
                return start, start
            keys = zip(self.key(start, by_sum), other.key(start, by_sum), strict=True)
            pair = next(((p, q) for p, q in keys if p != q), None)
            if pair is None:
                continue
            apart = minus(*pair)
            if start > x and at(apart, start) == 0:
                return start, start
            meeting = first_root(apart, start, end, width)
            if meeting is not None:
                return meeting
            if end < high and at(apart, end) == 0:
                return end, end
        return None


def _orders(cost: Cost) -> bool:
    """Whether the cost looks at the order of end times, so that it has kinks."""
    return cost.form in (Form.LARGEST, Form.LEXICAL)


def _weighted(cost: Cost, ends: Sequence[Line]) -> list[Line]:
    if not cost.weights:
        return list(ends)
    return [(a * w, s * w) for (a, s), w in zip(ends, cost.weights, strict=True)]


def _sum(lines: Sequence[Line]) -> Line:
    return total([a for a, _ in lines]), total([s for _, s in lines])


def _crossing(p: Line, q: Line) -> Fraction | None:
    return None if p[1] == q[1] else (q[0] - p[0]) / (p[1] - q[1])
